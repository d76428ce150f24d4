"""Measured heights of posts from CSV files: smooth courses through the samples, or a clear word on what is wrong.

Posts move along cubic splines through their samples, given to the solver as tables of steps of a millisecond at most:
along straight lines between samples of 5 ms the speed of a pan would jump.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.catalog.rig.spec import LARGEST_STROKE, Measured
from grouser.errors import ModelError, say_names, say_unknown, shorten
from grouser.model.base import Signal
from grouser.model.text import load_text

Array = NDArray[np.float64]
LONGEST_GAP = 2.5
"""Longest time between two samples, in the usual time between them: more is a gap."""
FINE = 0.001
"""Longest step of the tables [s]."""


def load_measured(measured: Measured, posts: tuple[str, ...]) -> dict[str, Signal]:
    """Height of every post over time [m]."""
    columns = {post: measured.columns.get(post, post) for post in posts}
    unknown = [say_unknown("post", name, posts) for name in measured.columns if name not in posts]
    if unknown:
        raise ModelError([f"rig.excitation.columns: {text}" for text in unknown])
    times, values = read_columns(Path(measured.file), measured.time, list(columns.values()))
    signals: dict[str, Signal] = {}
    for post, column in columns.items():
        heights = measured.scale * values[column]
        if measured.offset:
            heights = heights - heights[0]
        highest = float(np.abs(heights).max())
        if highest > LARGEST_STROKE:
            raise ModelError(
                f"{measured.file}: column {column!r} goes to {highest:.3g} m; posts go to {LARGEST_STROKE:g} m: set "
                "rig.excitation.scale, as 0.001 for mm"
            )
        signals[post] = _make_table(times - times[0], heights)
    return signals


def read_columns(path: Path, time: str, columns: list[str]) -> tuple[Array, dict[str, Array]]:
    """Times [s] and named columns of a CSV file; refused where samples are missing."""
    rows = [row for row in csv.reader(io.StringIO(load_text(path))) if any(cell.strip() for cell in row)]
    heads = [head.strip() for head in rows[0]] if rows else []
    wanted = [time, *columns]
    missing = [name for name in wanted if name not in heads]
    if missing:
        raise ModelError(
            f"{path}: has no column {say_names(missing)}; its first line names {say_names(heads)}: rename them, or set "
            "rig.excitation.time and columns"
        )
    places = [heads.index(name) for name in wanted]
    numbers = np.array([_read_row(path, line, row, heads, places) for line, row in enumerate(rows[1:], 2)])
    if len(numbers) < 4:
        raise ModelError(f"{path}: has {len(numbers)} samples; a course of heights needs at least 4")
    _check_times(path, numbers[:, 0])
    return numbers[:, 0], {name: numbers[:, 1 + i] for i, name in enumerate(columns)}


def _read_row(path: Path, line: int, row: list[str], heads: list[str], places: list[int]) -> list[float]:
    if len(row) != len(heads):
        raise ModelError(f"{path}: line {line} has {len(row)} values for {len(heads)} columns: put it right")
    numbers = []
    for place in places:
        cell = row[place].strip()
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ModelError(
                f"{path}: line {line}, column {heads[place]!r}: {shorten(cell, 40)!r} is no number: fill the gap, or "
                "cut the file before it"
            )
        numbers.append(number)
    return numbers


def _check_times(path: Path, times: Array) -> None:
    steps = np.diff(times)
    usual = float(np.median(steps))
    backward = np.flatnonzero(steps <= 0.0)
    if len(backward):
        line = int(backward[0]) + 3
        raise ModelError(
            f"{path}: line {line}: time {times[line - 2]:g} s follows {times[line - 3]:g} s; times must increase"
        )
    longest = int(np.argmax(steps))
    if steps[longest] > LONGEST_GAP * usual:
        raise ModelError(
            f"{path}: there is a gap from {times[longest]:g} to {times[longest + 1]:g} s, where samples are usually "
            f"{usual:.4g} s apart: fill it, or cut the file"
        )


def _make_table(times: Array, heights: Array) -> list[tuple[float, float]]:
    from scipy.interpolate import CubicSpline

    pieces = max(1, math.ceil(float(np.median(np.diff(times))) / FINE))
    shares = np.arange(pieces) / pieces
    fine = np.append((times[:-1, None] + shares * np.diff(times)[:, None]).ravel(), times[-1])
    return list(zip(fine.tolist(), CubicSpline(times, heights)(fine).tolist(), strict=True))
