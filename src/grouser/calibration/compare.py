"""Simulated values beside measured ones: residuals for the fit, and courses to look at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.recording import Recording
from grouser.calibration.spec import Calibration
from grouser.calibration.trace import Trace

Array = NDArray[np.float64]
SHIFT_UNIT = 0.02
"""What one unit of the vector shifts a run in time by [s]."""


@dataclass(frozen=True)
class Rows:
    """Where the residuals of the fit come from.

    Attributes
    ----------
    run, column : numbers of both, for every row
    """

    run: NDArray[np.intp]
    column: NDArray[np.intp]


class Comparison:
    """Compares runs with what was measured.

    Attributes
    ----------
    recordings : measured runs, by name
    shifted : names of the runs whose shift in time is found with the unknowns
    """

    def __init__(self, calibration: Calibration, recordings: Mapping[str, Recording]) -> None:
        self.calibration, self.recordings = calibration, dict(recordings)
        runs = calibration.runs
        self.fitted = [name for name in runs if not runs[name].held_out]
        self.shifted = [name for name in runs if calibration.find_reading(name).fit_shift]

    def calc_means(self, run: str, trace: Trace, shift: float = 0.0) -> Array:
        """Simulated means over the stretches of a run, (stretches, columns); `shift` is a further shift in time [s]."""
        recording = self.recordings[run]
        return recording.average(self.sample(run, trace, recording.time - shift))

    def sample(self, run: str, trace: Trace, time: Array) -> Array:
        """Simulated values at times [s], as measured ones are compared."""
        from scipy.interpolate import CubicSpline

        reading = self.calibration.find_reading(run)
        values = trace.values
        if reading.reference == "start":
            values = values - values[trace.time <= reading.rest].mean(axis=0)
        return np.asarray(CubicSpline(trace.time, values)(np.clip(time, trace.time[0], trace.time[-1])))

    def find_measured(self, run: str) -> Array:
        """Measured means over the stretches of a run."""
        return self._refer(run, self.recordings[run].means)

    def find_simulated(self, run: str, trace: Trace, shift: float = 0.0) -> Array:
        """Simulated means over the stretches of a run, from the value that measured ones are compared from."""
        means = self.calc_means(run, trace, shift)
        return self._refer(run, np.where(np.isfinite(self.recordings[run].means), means, math.nan))

    def calc_residuals(self, traces: Mapping[str, Trace], shifts: Mapping[str, float]) -> Array:
        """Differences of all fitted runs, in units of the noise that is expected; none is finite if a run failed."""
        parts = []
        for run in self.fitted:
            known = np.isfinite(self.recordings[run].means)
            trace = traces[run]
            if trace.reason:
                parts.append(np.full(int(known.sum()), math.inf))
                continue
            apart = self.find_simulated(run, trace, shifts.get(run, 0.0)) - self.find_measured(run)
            parts.append((apart * self._find_weights(run))[known])
        return np.concatenate(parts)

    def list_rows(self) -> Rows:
        """Which run and which column every residual is of."""
        runs, columns = [], []
        for number, run in enumerate(self.fitted):
            known = np.isfinite(self.recordings[run].means)
            runs.append(np.full(int(known.sum()), number))
            columns.append(np.broadcast_to(np.arange(known.shape[1]), known.shape)[known])
        return Rows(np.concatenate(runs), np.concatenate(columns))

    def _refer(self, run: str, means: Array) -> Array:
        if self.calibration.find_reading(run).reference != "mean":
            return means
        return np.asarray(means - np.nanmean(means, axis=0))

    def _find_weights(self, run: str) -> Array:
        """Weights of the columns of a run."""
        reading, own = self.calibration.find_reading(run), self.calibration.runs[run]
        weights = np.array([reading.weights.get(name, 1.0) for name in self.recordings[run].columns])
        return np.asarray(math.sqrt(own.weight) * weights / self.calibration.fit.noise)
