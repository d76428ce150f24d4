"""Every example runs and finds the number that it asserts."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
SLOW: set[str] = set()
"""Examples that take more than 20 s."""
EXAMPLES = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in SLOW else [])
    for path in sorted(FOLDER.glob("*.py"))
]


@pytest.mark.parametrize("path", EXAMPLES)
def test_example(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")


def test_examples_assert_something():
    for path in FOLDER.glob("*.py"):
        assert "    assert " in path.read_text(encoding="utf-8"), path.name
