"""What the first simulated runs say about the files: wrong units, turned signs, shifts in time."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.compare import Comparison
from grouser.calibration.spec import FACTORS
from grouser.calibration.trace import Trace
from grouser.errors import ModelError

Array = NDArray[np.float64]
MIX_UP = 1.5
"""Magnitudes that differ by a unit, within this factor, were read in the wrong one."""
AGAINST = -0.7
"""A correlation below this says that a column has the other sign."""
LONGEST_SHIFT = 0.5
"""Longest shift in time that is looked for [s]."""
FIT_WITHIN = 0.06
"""A shift in time that is longer than this is told [s]."""
CLEAR, CLEARER = 0.95, 0.05
"""Correlation that a shift must lead to, and by how much it must grow, for it to be told."""


def check_units(comparison: Comparison, traces: Mapping[str, Trace]) -> None:
    """Refuse columns whose magnitude is wrong by the factor between two units."""
    faults = []
    for run, trace in traces.items():
        if trace.reason:
            continue
        measured, simulated = _centre(comparison, run, trace)
        moves = np.nanstd(simulated, axis=0) > comparison.calibration.fit.noise
        if not moves.any():
            continue
        reading = comparison.calibration.find_reading(run)
        ratio = float(
            np.median((np.nanstd(measured, axis=0) / np.maximum(np.nanstd(simulated, axis=0), 1e-300))[moves])
        )
        for unit, factor in FACTORS.items():
            is_of_kind = (unit in ("deg", "rad")) == (reading.unit in ("deg", "rad"))
            wrong = FACTORS[reading.unit] / factor
            if unit != reading.unit and is_of_kind and wrong / MIX_UP < ratio < wrong * MIX_UP:
                faults.append(
                    f"run {run!r}: measured motions are {ratio:.3g} times the simulated ones, as if they were in "
                    f"{unit}, and they are read in {reading.unit}: give unit: {unit}"
                )
    if faults:
        raise ModelError(faults)


def find_doubts(comparison: Comparison, traces: Mapping[str, Trace]) -> list[str]:
    """Columns of the other sign, and runs that are shifted in time, in words."""
    doubts = []
    for run, trace in traces.items():
        if trace.reason:
            doubts.append(f"run {run!r} fails at the start: {trace.reason}")
            continue
        measured, simulated = _centre(comparison, run, trace)
        names = comparison.recordings[run].columns
        signs = {name: _correlate(measured[:, [j]], simulated[:, [j]]) for j, name in enumerate(names)}
        against = [name for name, value in signs.items() if value < AGAINST]
        if against and len(against) < len(names):
            doubts.append(f"run {run!r}: {', '.join(against)} moves against what it is compared with: see the sign")
        if run in comparison.shifted:
            continue
        shift = find_shift(comparison, run, trace)
        moved = comparison.find_simulated(run, trace, shift)
        least = max(CLEAR, _correlate(measured, simulated) + CLEARER)
        if abs(shift) > FIT_WITHIN and _correlate(measured, moved) > least:
            doubts.append(
                f"run {run!r}: measured motions seem to come {abs(shift):.2f} s "
                f"{'later' if shift > 0 else 'earlier'} than simulated ones: if clocks differ, "
                "give shift, or fit_shift: true"
            )
    return doubts


def find_shift(comparison: Comparison, run: str, trace: Trace) -> float:
    """Shift in time at which a run is nearest to what was measured [s]."""
    from scipy.optimize import minimize_scalar

    measured = comparison.find_measured(run)

    def calc(shift: float) -> float:
        return float(np.nanmean((comparison.find_simulated(run, trace, shift) - measured) ** 2))

    grid = np.linspace(-LONGEST_SHIFT, LONGEST_SHIFT, 51)
    best = float(grid[np.argmin([calc(shift) for shift in grid])])
    width = grid[1] - grid[0]
    return float(minimize_scalar(calc, bounds=(best - width, best + width), method="bounded").x)


def _centre(comparison: Comparison, run: str, trace: Trace) -> tuple[Array, Array]:
    """Measured and simulated motions about their means."""
    measured, simulated = comparison.find_measured(run), comparison.find_simulated(run, trace)
    return measured - np.nanmean(measured, axis=0), simulated - np.nanmean(simulated, axis=0)


def _correlate(a: Array, b: Array) -> float:
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known] - np.mean(a[known]), b[known] - np.mean(b[known])
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0.0 else 0.0
