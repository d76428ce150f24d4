"""A measured run, ready to be compared: in SI units, in simulated time, without drift, averaged over short stretches.

Simulated values go the same way as measured ones: read at the samples that are there, and averaged over the same
stretches. So neither gaps nor averages put anything between the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.columns import Columns, load_columns
from grouser.calibration.spec import FACTORS, Calibration, Reading, RigInput
from grouser.errors import ModelError

Array = NDArray[np.float64]
LEAST_SHARE = 0.5
"""Share of the samples that a column must have."""
LEAST_MEANS = 10
"""Stretches that a run must have."""
LONGEST_INPUT_GAP = 0.1
"""Longest gap of an input that is bridged by a line [s]."""
STILL, DRIFTED = 0.15, 0.03
"""Of the range of a column: within less at both ends it is at rest; if the ends differ by more, it drifts."""
TURN = 2.0 * math.pi
"""An angle beyond this is not in radians [rad]."""


@dataclass(frozen=True)
class Recording:
    """A measured run.

    Attributes
    ----------
    name : of the run
    columns : names of the measured columns
    time : of the samples that count, in simulated time [s]
    values : of the samples, (samples, columns), NaN where nothing was measured [SI]
    stretch : number of the stretch of every sample
    means : means over the stretches, (stretches, columns), NaN where nothing was measured
    centre : middle of every stretch [s]
    rate : samples in a second
    notes : what was put right
    """

    name: str
    columns: tuple[str, ...]
    time: Array
    values: Array
    stretch: NDArray[np.intp]
    means: Array
    centre: Array
    rate: float
    notes: tuple[str, ...]

    def average(self, values: Array) -> Array:
        """Means over the stretches of values at the samples, where both are there."""
        there = np.isfinite(self.values) & np.isfinite(values)
        count = len(self.centre)
        found = np.full((count, values.shape[1]), math.nan)
        for j in range(values.shape[1]):
            here = there[:, j]
            number = np.bincount(self.stretch[here], minlength=count)
            total = np.bincount(self.stretch[here], weights=values[here, j], minlength=count)
            found[number > 0, j] = total[number > 0] / number[number > 0]
        return found


def load_recording(calibration: Calibration, run: str, duration: float) -> Recording:
    """Read a measured run; `duration` is that of the simulated one [s]."""
    told, reading = calibration.runs[run], calibration.find_reading(run)
    columns = load_columns(told.file, reading)
    time = columns.time - _find_shift(calibration, run)
    notes = list(columns.notes)
    names = tuple(reading.angles)
    values = np.column_stack([FACTORS[reading.unit] * columns.values[name] for name in names])
    _check_values(told.file, reading, names, values)
    notes += _say_missing(told.file, names, values)
    values = _settle_drift(told.file, reading, names, time, values, notes)
    values = _refer(told.file, reading, names, time, values)
    start = 0.0 if told.start is None else told.start
    end = duration if told.end is None else min(told.end, duration)
    counts = (time >= start - 1e-9) & (time <= end + 1e-9)
    if time[-1] < end - calibration.fit.sample:
        notes.append(f"the file ends at {time[-1]:.2f} s of {end:.2f} s: the rest is not compared")
    if time[0] > start + calibration.fit.sample:
        notes.append(f"the file begins at {time[0]:.2f} s, not at {start:.2f} s: what is before is not compared")
    sample = max(calibration.fit.sample, 1.0 / columns.rate)
    numbers = np.floor((time[counts] - start) / sample + 1e-9).astype(np.int64)
    places, stretch = np.unique(numbers, return_inverse=True)
    if len(places) < LEAST_MEANS:
        raise ModelError(
            f"{told.file}: has {len(places)} stretches of {sample:g} s from {start:g} to {end:g} s of simulated time; "
            f"at least {LEAST_MEANS} are compared: see start, end and shift"
        )
    centre = np.asarray(start + (places + 0.5) * sample, dtype=np.float64)
    for name, one in reading.inputs.items():
        _make_input(told.file, name, one, time, columns, notes)
    recording = Recording(
        run, names, time[counts], values[counts], stretch, np.empty(0), centre, columns.rate, tuple(notes)
    )
    return replace(recording, means=recording.average(recording.values))


def load_inputs(calibration: Calibration, run: str) -> dict[str, list[tuple[float, float]]]:
    """Tables of (time, value) that move the rig in a run, by their columns [s, SI]."""
    told, reading = calibration.runs[run], calibration.find_reading(run)
    if not reading.inputs:
        return {}
    columns = load_columns(told.file, reading)
    time = columns.time - _find_shift(calibration, run)
    return {name: _make_input(told.file, name, one, time, columns, []) for name, one in reading.inputs.items()}


def _find_shift(calibration: Calibration, run: str) -> float:
    """Time of the file of a run at which the simulated run begins [s]."""
    own = calibration.runs[run].shift
    return calibration.find_reading(run).shift if own is None else own


def _check_values(file: str, reading: Reading, names: tuple[str, ...], values: Array) -> None:
    faults = []
    for name, column in zip(names, values.T, strict=True):
        share = float(np.isfinite(column).mean())
        if share < LEAST_SHARE:
            faults.append(
                f"{file}: {name} has values in {100.0 * share:.0f} % of the lines; at least "
                f"{100.0 * LEAST_SHARE:.0f} % are needed: remove it from angles"
            )
        elif reading.unit == "rad" and np.nanmax(np.abs(column)) > TURN:
            faults.append(
                f"{file}: {name} reaches {np.nanmax(np.abs(column)):.4g} rad, more than a turn: if it is in degrees, "
                "give unit: deg"
            )
        elif np.ptp(column[np.isfinite(column)]) == 0.0:
            faults.append(f"{file}: {name} never changes: the sensor may be dead; remove it from angles")
    if faults:
        raise ModelError(faults)


def _say_missing(file: str, names: tuple[str, ...], values: Array) -> list[str]:
    lacks = {name: int((~np.isfinite(column)).sum()) for name, column in zip(names, values.T, strict=True)}
    return [
        f"{name} lacks {count} of {len(values)} values: they are not compared" for name, count in lacks.items() if count
    ]


def _settle_drift(
    file: str, reading: Reading, names: tuple[str, ...], time: Array, values: Array, notes: list[str]
) -> Array:
    """Columns without what they have drifted, if they were at rest at both ends."""
    ends = [(time < time[0] + reading.rest), (time > time[-1] - reading.rest)]
    settled, faults = values.copy(), []
    for j, name in enumerate(names if reading.drift != "keep" else ()):
        column = values[:, j]
        known = np.isfinite(column)
        stretches = [column[end & known] for end in ends]
        span = np.ptp(column[known])
        if any(len(one) < 2 or np.ptp(one) > STILL * span for one in stretches):
            continue  # not at rest: what moves is no drift
        drift = float(np.mean(stretches[1]) - np.mean(stretches[0]))
        if abs(drift) <= DRIFTED * span:
            continue
        said = f"{name} drifts by {drift / FACTORS[reading.unit]:.3g} {reading.unit} from rest to rest"
        if reading.drift == "refuse":
            faults.append(f"{file}: {said}: give drift: remove, or mend the file")
        notes.append(f"{said}: removed linearly")
        settled[:, j] -= drift * (time - time[0]) / (time[-1] - time[0])
    if faults:
        raise ModelError(faults)
    return settled


def _refer(file: str, reading: Reading, names: tuple[str, ...], time: Array, values: Array) -> Array:
    """Columns from the value that they are compared from, as far as it is that of the file alone."""
    if reading.reference != "start":
        return values
    before = time < max(time[0], 0.0) + reading.rest
    here = values[before]
    lacking = [name for name, count in zip(names, np.isfinite(here).sum(axis=0), strict=True) if not count]
    if lacking:
        raise ModelError(f"{file}: {lacking[0]} has no value before {reading.rest:g} s, and is compared from its start")
    return np.asarray(values - np.nanmean(here, axis=0))


def _make_input(
    file: str, name: str, told: RigInput, time: Array, columns: Columns, notes: list[str]
) -> list[tuple[float, float]]:
    """The table of an input."""
    values = FACTORS[told.unit] * columns.values[name]
    known = np.isfinite(values)
    if known.sum() < 2:
        raise ModelError(f"{file}: the input {name} has no values: name another column")
    gap = float(np.max(np.diff(time[known]), initial=0.0))
    if gap > max(LONGEST_INPUT_GAP, 1.5 / columns.rate):
        raise ModelError(
            f"{file}: the input {name} has a gap of {gap:.3g} s; at most {LONGEST_INPUT_GAP:g} s are bridged, since "
            "the rig was moved meanwhile: mend the file, or leave the run out"
        )
    if not known.all():
        notes.append(f"the input {name} lacks {int((~known).sum())} values: bridged by lines")
    time, values = time[known], values[known]
    if told.smooth > 0.0:
        values = _smooth(values, told.smooth * columns.rate)
    return [(float(t), float(x)) for t, x in zip(time, values, strict=True)]


def _smooth(values: Array, length: float) -> Array:
    """Values smoothed by parabolas over so many samples."""
    from scipy.signal import savgol_filter

    window = min(2 * int(length / 2.0) + 1, len(values) - (len(values) + 1) % 2)
    return np.asarray(savgol_filter(values, window, 2)) if window > 3 else values
