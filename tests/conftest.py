"""Settings of all tests."""

from __future__ import annotations

import os

import pytest

# several processes run the tests, and numbers must not depend on the cores of a machine
os.environ.setdefault("GROUSER_THREADS", "1")

# Doctests are looked for in every module; two files named conftest.py would collide.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]

LONGEST = [
    "test_m113_paper",
    "test_acted",
    "test_common",
    "test_blocks",
    "test_accuracy",
    "test_turn_and_own",
    "test_docs",
    "test_viewer",
    "test_presets",
    "test_study_runs",
    "test_workers",
    "test_examples",
]
"""Files of half a minute and more, the first run with compiling included."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files come first, so that of two processes none is left with one of them at the end."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))
