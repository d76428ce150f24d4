"""CSV files of measured runs: text to columns of numbers over time, with what had to be put right told in words."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.spec import Reading
from grouser.errors import ModelError, say_unknown, shorten
from grouser.model.text import load_text

Array = NDArray[np.float64]
MOST_FAULTS = 5
"""Faults of one kind that are told."""
MISSING = {"", "nan", "na", "n/a", "null", "-"}
"""Cells of values that were not measured."""
RATE_TOLERANCE = 0.01
"""Of a rate beside times: a share."""
GAP = 1.5
"""Samples further apart than this many usual intervals have a gap between them."""


@dataclass(frozen=True)
class Columns:
    """Columns of a file.

    Attributes
    ----------
    time : of the file, from line to line later [s]
    values : by the names of their columns, NaN where nothing was measured
    rate : samples in a second
    notes : what was put right
    """

    time: Array
    values: dict[str, Array]
    rate: float
    notes: tuple[str, ...]


def load_columns(file: str, reading: Reading) -> Columns:
    """Read the columns of a file that its reading names."""
    heads, lines = _split(file)
    wanted = [*([] if reading.time is None else [reading.time]), *reading.angles, *reading.inputs]
    faults = [f"{file}: {say_unknown('column', name, heads)}" for name in wanted if name not in heads]
    faults += [f"{file}: the column {name!r} is given twice" for name in wanted if heads.count(name) > 1]
    if faults:
        raise ModelError(faults)
    table = _read_numbers(file, heads, lines, wanted)
    notes: list[str] = []
    time, kept = _make_time(file, reading, table, len(lines), notes)
    values = {name: table[name][kept] for name in wanted if name != reading.time}
    rate = 1.0 / float(np.median(np.diff(time)))
    if reading.time is not None and reading.rate is not None and abs(rate / reading.rate - 1.0) > RATE_TOLERANCE:
        raise ModelError(
            f"{file}: its times are {rate:.4g} samples a second, its rate is said to be {reading.rate:.4g}: correct "
            "rate, or remove it, since there is a column of the time"
        )
    return Columns(time, values, rate, (*notes, *_say_gaps(time, rate)))


def _split(file: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Names of the columns, and the cells of every line with its number."""
    text = load_text(Path(file))
    rows = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    if len(rows) < 3:
        raise ModelError(f"{file}: holds no run: it has a line of names, and a line for each sample")
    head = rows[0][1]
    mark = next((mark for mark in (";", "\t") if mark in head), ",")
    cells = list(csv.reader(io.StringIO("\n".join(line for _, line in rows)), delimiter=mark))
    heads = [name.strip().strip('"') for name in cells[0]]
    lines = [(number, one) for (number, _), one in zip(rows[1:], cells[1:], strict=False)]
    short = [
        f"{file}:{number}: has {len(one)} values for {len(heads)} columns"
        for number, one in lines
        if len(one) != len(heads)
    ]
    if short:
        raise ModelError(_cut(short))
    return heads, lines


def _read_numbers(
    file: str, heads: Sequence[str], lines: Sequence[tuple[int, list[str]]], wanted: Iterable[str]
) -> dict[str, Array]:
    table, faults = {}, []
    for name in wanted:
        place = heads.index(name)
        column = np.full(len(lines), math.nan)
        for i, (number, cells) in enumerate(lines):
            cell = cells[place].strip()
            if cell.lower() in MISSING:
                continue
            try:
                column[i] = float(cell)
            except ValueError:
                faults.append(f"{file}:{number}: {name} is {shorten(cell, 40)!r}, no number: {_say_remedy(cell)}")
        column[np.isinf(column)] = math.nan
        table[name] = column
    if faults:
        raise ModelError(_cut(faults))
    return table


def _say_remedy(cell: str) -> str:
    if "," in cell:
        return "write a point for the decimals"
    return "leave the cell empty if nothing was measured; a line of units begins with #"


def _make_time(
    file: str, reading: Reading, table: dict[str, Array], count: int, notes: list[str]
) -> tuple[Array, NDArray[np.bool_]]:
    """Times, and which lines they are of."""
    if reading.time is None:
        assert reading.rate is not None
        return np.arange(count) / reading.rate, np.ones(count, dtype=bool)
    time = table[reading.time]
    known = np.isfinite(time)
    if known.sum() < 2:
        raise ModelError(f"{file}: the column {reading.time!r} has no times: name another one, or give the rate")
    if not known.all():
        notes.append(f"{_say_count(int((~known).sum()), 'line')} without a time left out")
    kept = np.flatnonzero(known)
    steps = np.diff(time[kept])
    if (steps < 0.0).any():
        i = int(np.argmax(steps < 0.0))
        raise ModelError(
            f"{file}: the time goes back from {time[kept[i]]:g} to {time[kept[i + 1]]:g} s at sample "
            f"{kept[i + 1] + 1}: divide the file there, or sort it"
        )
    if (steps == 0.0).any():
        notes.append(f"{_say_count(int((steps == 0.0).sum()), 'line')} with the time of the line before left out")
        known[kept[1:][steps == 0.0]] = False
    if known.sum() < 2:
        raise ModelError(f"{file}: the column {reading.time!r} stands still: name another one, or give the rate")
    return time[known], known


def _say_gaps(time: Array, rate: float) -> list[str]:
    """Gaps between samples, in words."""
    steps = np.diff(time)
    gaps = np.flatnonzero(steps > GAP / rate)
    if not len(gaps):
        return []
    worst = gaps[np.argmax(steps[gaps])]
    return [
        f"{_say_count(len(gaps), 'gap')} between samples, the longest of {steps[worst]:.3g} s at {time[worst]:.3f} s: "
        "what lies in them is not compared"
    ]


def _say_count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _cut(faults: list[str]) -> list[str]:
    """The first faults, and how many more there are."""
    more = len(faults) - MOST_FAULTS
    return faults if more <= 0 else [*faults[:MOST_FAULTS], f"... and {more} more lines like these"]
