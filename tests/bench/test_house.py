"""The source as it is counted by `bench/house.py`: no cycles, and bounds that may only shrink."""

from __future__ import annotations

import house

FILES = [path for path in sorted(house.SOURCE.rglob("*.py")) if path.stat().st_size]
MANY, TOO_MANY, MOST = 1, 0, 11
"""Kernels with more than 10 arguments, those with more than 15, and the most arguments of any."""
COMPLEX, MOST_COMPLEX = 0, 25
"""Functions of a complexity above 25, and the largest."""
LONGEST = 475
"""Lines of the longest file."""


def test_no_modules_import_each_other() -> None:
    assert house.find_cycles() == []


def test_kernels_take_few_arguments() -> None:
    counts = {name: count for path in FILES for name, count in house.find_kernels(path)}
    many = {name: count for name, count in counts.items() if count > house.MANY}
    assert len(many) <= MANY, many
    assert sum(count > house.MOST for count in many.values()) <= TOO_MANY, many
    assert max(counts.values()) <= MOST, many


def test_functions_have_few_branches() -> None:
    beyond = {name: value for name, value in house.find_complexities() if value > house.COMPLEX}
    assert len(beyond) <= COMPLEX, beyond
    assert max(beyond.values(), default=0) <= MOST_COMPLEX, beyond


def test_files_are_short() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in FILES}
    assert max(lengths.values()) <= LONGEST, {name: lines for name, lines in lengths.items() if lines > LONGEST}
