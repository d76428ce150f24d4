"""Every example runs and finds the number that it asserts."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_example(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")


def test_examples_assert_something():
    for path in FOLDER.glob("*.py"):
        assert "    assert " in path.read_text(encoding="utf-8"), path.name
