"""How far simulated runs are from measured ones.

The magnitude of a column is the root mean square of its motion about its mean. The measure of the paper that the rig is
of (Wasfy, O'Kins and Ryan 2011) is the mean difference of magnitude in %: over all columns of all runs that move,

    100 |simulated - measured| / measured

It says nothing of phases, so the root mean square of the differences over the measured magnitude stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from grouser.calibration.compare import Comparison
from grouser.calibration.trace import Trace


@dataclass(frozen=True)
class Error:
    """A column of a run.

    Attributes
    ----------
    run, column : names
    held_out : whether the run only judges
    measured, simulated : magnitudes [rad or m]
    difference : of the magnitudes, as a share of the measured one; NaN of a column that hardly moves
    form : root mean square of the differences over the measured magnitude; NaN likewise
    """

    run: str
    column: str
    held_out: bool
    measured: float
    simulated: float
    difference: float
    form: float


def calc_errors(comparison: Comparison, traces: Mapping[str, Trace], shifts: Mapping[str, float]) -> list[Error]:
    """Errors of all columns of some runs; those of runs that failed are NaN."""
    errors = []
    for run, trace in traces.items():
        recording = comparison.recordings[run]
        measured = comparison.find_measured(run)
        shift = shifts.get(run, 0.0)
        simulated = np.full_like(measured, math.nan) if trace.reason else comparison.find_simulated(run, trace, shift)
        for j, column in enumerate(recording.columns):
            known = np.isfinite(measured[:, j])
            real, made = measured[known, j], simulated[known, j]
            size = float(np.std(real))
            moves = size > comparison.calibration.fit.noise
            difference = abs(float(np.std(made)) - size) / size if moves else math.nan
            form = float(np.sqrt(np.mean((made - real) ** 2))) / size if moves else math.nan
            held_out = comparison.calibration.runs[run].held_out
            errors.append(Error(run, column, held_out, size, float(np.std(made)), difference, form))
    return errors


def calc_mean(errors: Iterable[Error], key: str = "difference") -> float:
    """Mean of the differences of magnitude, or of the forms, over all columns that move; NaN without any."""
    values = [value for error in errors if math.isfinite(value := getattr(error, key))]
    return float(np.mean(values)) if values else math.nan
