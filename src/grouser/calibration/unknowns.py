"""The vector of all unknowns: what it makes of a vehicle, its bounds, and what is expected of it beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.curve import CurveForm, make_curve_form
from grouser.calibration.spec import Calibration, Unknown
from grouser.errors import ModelError
from grouser.model.override import find_value

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """An unknown and its share of the vector.

    Attributes
    ----------
    name : of the unknown
    told : as the file has it
    place : its share of the vector
    form : of a curve; None of a number
    start, size : of a number: its value at the start, and what one unit of the vector changes it by
    """

    name: str
    told: Unknown
    place: slice
    form: CurveForm | None
    start: float = 0.0
    size: float = 1.0

    def find_value(self, u: Array) -> Any:
        """Its value, as a vehicle file has it."""
        mine = u[self.place]
        return self.start + self.size * float(mine[0]) if self.form is None else self.form.make_table(mine)


@dataclass(frozen=True)
class Unknowns:
    """All unknowns; the vector of the start is zero.

    Attributes
    ----------
    parts : unknowns in the order of the vector
    low, high : bounds of the vector
    prior : rows that say what is expected: ``prior @ u`` has the size of 1 where it departs as far as expected
    """

    parts: tuple[Part, ...]
    low: Array
    high: Array
    prior: Array

    @property
    def count(self) -> int:
        """Length of the vector."""
        return len(self.low)

    def find_values(self, u: Array) -> dict[str, Any]:
        """Values by path."""
        return {path: part.find_value(u) for part in self.parts for path in part.told.paths}

    def find_labels(self) -> list[str]:
        """What the places of the vector are called."""
        labels = []
        for part in self.parts:
            if part.form is None:
                labels.append(part.name)
                continue
            ends = zip(part.form.knots[:-1], part.form.knots[1:], strict=True)
            labels += [f"{part.name}, slope from {a:.4g} to {b:.4g}" for a, b in ends]
            labels += [f"{part.name}, lift"] * (part.form.lift > 0.0)
        return labels


def make_unknowns(calibration: Calibration, vehicle: Mapping[str, Any]) -> Unknowns:
    """The unknowns of a vehicle, whose data are given."""
    parts: list[Part] = []
    faults: list[str] = []
    first = 0
    for name, told in calibration.unknowns.items():
        try:
            part = _make_part(name, told, vehicle, first)
        except ModelError as error:
            faults += error.faults
            continue
        parts.append(part)
        first = part.place.stop
    if faults:
        raise ModelError(faults)
    low, high = np.full(first, -math.inf), np.full(first, math.inf)
    for part in parts:
        if part.form is None:
            assert part.told.low is not None and part.told.high is not None
            low[part.place] = (part.told.low - part.start) / part.size
            high[part.place] = (part.told.high - part.start) / part.size
        else:
            slopes = slice(part.place.start, part.place.start + len(part.form.rises))
            low[slopes], high[slopes] = part.form.low, part.form.high
    return Unknowns(tuple(parts), low, high, _make_prior(parts, first))


def _make_part(name: str, told: Unknown, vehicle: Mapping[str, Any], first: int) -> Part:
    start: Any = told.start
    for path in told.paths if told.place == "vehicle" else ():
        try:
            found = find_value(vehicle, path)
        except ModelError as error:
            raise ModelError([f"unknown {name!r}: {path}: {fault}" for fault in error.faults]) from None
        start = found if start is None else start
    if start is None:
        raise ModelError(f"unknown {name!r}: the vehicle has no value at {told.path}: give start")
    if told.type == "curve":
        if not isinstance(start, int | float | list) or isinstance(start, bool):
            raise ModelError(f"unknown {name!r}: {told.path} is neither a number nor a table: give start")
        form = make_curve_form(name, told, start)
        return Part(name, told, slice(first, first + form.count), form)
    if not isinstance(start, int | float) or isinstance(start, bool):
        raise ModelError(f"unknown {name!r}: {told.path} is no number: give start, or type: curve")
    assert told.low is not None and told.high is not None
    if not told.low <= start <= told.high:
        raise ModelError(
            f"unknown {name!r}: its start is {start:g}, not from low, {told.low:g}, to high, {told.high:g}"
        )
    size = told.spread * (told.high - told.low)
    return Part(name, told, slice(first, first + 1), None, float(start), size)


def _make_prior(parts: list[Part], count: int) -> Array:
    """Rows for departures from the start, and for changes of slope from knot to knot."""
    rows: list[Array] = []
    for part in parts:
        here = range(part.place.start, part.place.stop)
        slopes = 0 if part.form is None else len(part.form.rises)
        for number, i in enumerate(here):
            row = np.zeros(count)
            # numbers and lifts are counted in units of what is expected, slopes by their logarithm
            row[i] = 1.0 / part.told.spread if number < slopes else 1.0
            rows.append(row)
        for i in here[: max(0, slopes - 1)]:
            row = np.zeros(count)
            row[i], row[i + 1] = -1.0 / part.told.smooth, 1.0 / part.told.smooth
            rows.append(row)
    return np.array(rows)
