"""The fit: nonlinear least squares over all fitted runs, with finite differences.

Minimised over the vector x = (u, s) of unknowns and shifts in time is

    |r(x)|^2 + |P u|^2 + |s / S|^2

with the residuals r in units of the noise that is expected, and rows P of what is expected of the unknowns beforehand.
A column of the Jacobian is (r(u + h e_j) - r(u)) / h, all runs of all columns side by side; shifts need no run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.compare import SHIFT_UNIT, Comparison
from grouser.calibration.evaluate import Evaluator, Traces
from grouser.calibration.unknowns import Unknowns
from grouser.errors import SolveError

Array = NDArray[np.float64]
LONGEST_SHIFT = 0.5
"""Longest shift in time that is looked for [s]."""
EXPECTED_SHIFT = 0.1
"""Shift in time that is expected [s]."""
NO_EFFECT = 1e-3
"""A column smaller than this share of what is expected beforehand has no effect: it is not looked at again."""


@dataclass
class Step:
    """A vector that was better than all before.

    Attributes
    ----------
    x : the vector
    cost : half of what is minimised
    error : root mean square of the weighted differences, in units of the noise
    """

    x: Array
    cost: float
    error: float


@dataclass
class Fit:
    """How a fit went.

    Attributes
    ----------
    steps : vectors that were better than all before, the first one that of the start
    jacobian : of the residuals, without the rows of what is expected, at the last vector; None if there is none
    residuals : at the last vector
    is_done : whether it came to its end
    is_settled : whether it got no better by more than the tolerance there; else its last linearisation was used up
    """

    steps: list[Step] = field(default_factory=list)
    jacobian: Array | None = None
    residuals: Array | None = None
    is_done: bool = False
    is_settled: bool = False

    @property
    def best(self) -> Array:
        """The best vector."""
        return self.steps[-1].x


class _SettledError(Exception):
    """The last step made it better by less than the tolerance, and its Jacobian is there."""


class Problem:
    """Residuals and their Jacobian. `keep` is told every vector that is better than all before."""

    def __init__(
        self, evaluator: Evaluator, comparison: Comparison, unknowns: Unknowns, keep: Callable[[Array], None]
    ) -> None:
        self.evaluator, self.comparison, self.unknowns, self.keep = evaluator, comparison, unknowns, keep
        self.shifted = [run for run in comparison.fitted if run in comparison.shifted]
        self.fit = Fit()
        self._is_idle = np.zeros(unknowns.count, dtype=bool)
        shift_prior = np.eye(len(self.shifted)) * SHIFT_UNIT / EXPECTED_SHIFT
        rows, count = len(unknowns.prior), unknowns.count
        self.prior = np.zeros((rows + len(self.shifted), count + len(self.shifted)))
        self.prior[:rows, :count] = unknowns.prior
        self.prior[rows:, count:] = shift_prior

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Bounds of the vector."""
        most = np.full(len(self.shifted), LONGEST_SHIFT / SHIFT_UNIT)
        return np.concatenate([self.unknowns.low, -most]), np.concatenate([self.unknowns.high, most])

    def find_shifts(self, x: Array) -> dict[str, float]:
        """Shifts in time of a vector, by run [s]."""
        values = SHIFT_UNIT * x[self.unknowns.count :]
        return dict(zip(self.shifted, (float(value) for value in values), strict=True))

    def calc(self, x: Array) -> Array:
        """Residuals, and rows of what is expected; none is finite if a run fails."""
        number = len(self.fit.steps)
        self.evaluator.phase = "runs of the start" if number == 0 else f"runs of step {number}{self._say_error()}"
        traces = self._make([x[: self.unknowns.count]])[0]
        residuals = self._compare(traces, x)
        whole = np.concatenate([residuals, self.prior @ x])
        if not np.isfinite(whole).all():
            if number == 0:
                self._refuse(traces)
            return np.full(len(whole), np.inf)
        cost = 0.5 * float(whole @ whole)
        if number == 0 or cost < self.fit.steps[-1].cost:
            self.fit.steps.append(Step(x.copy(), cost, float(np.sqrt(np.mean(residuals**2)))))
            self.keep(x[: self.unknowns.count])
        return whole

    def calc_jacobian(self, x: Array) -> Array:
        """The Jacobian of `calc`."""
        count = self.unknowns.count
        u = x[:count]
        number = len(self.fit.steps)
        self.evaluator.phase = f"runs of linearisation {number}{self._say_error()}"
        here = self._make([u])[0]
        residuals = self._compare(here, x)
        jacobian = np.zeros((len(residuals), len(x)))
        wanted = [j for j in range(count) if not self._is_idle[j]]
        jacobian[:, wanted] = self._difference(x, residuals, wanted)
        for j in wanted:
            size = float(np.linalg.norm(self.prior[:, j]))
            self._is_idle[j] = np.linalg.norm(jacobian[:, j]) < NO_EFFECT * size
        for k in range(len(self.shifted)):
            moved = x.copy()
            moved[count + k] += 1e-3
            jacobian[:, count + k] = (self._compare(here, moved) - residuals) / 1e-3
        self.fit.jacobian, self.fit.residuals = jacobian, residuals
        costs = [step.cost for step in self.fit.steps[-2:]]
        tolerance = self.comparison.calibration.fit.tolerance
        if len(costs) == 2 and costs[0] - costs[1] < tolerance * costs[1]:
            raise _SettledError
        return np.concatenate([jacobian, self.prior])

    def _difference(self, x: Array, residuals: Array, wanted: list[int]) -> Array:
        """Columns of the Jacobian by differences, to the other side where a run fails."""
        low, high = self.unknowns.low, self.unknowns.high
        h = np.full(len(wanted), self.comparison.calibration.fit.difference)
        h[[x[j] + step > high[j] for j, step in zip(wanted, h, strict=True)]] *= -1.0
        columns = np.empty((len(residuals), len(wanted)))
        left = list(range(len(wanted)))
        for _ in range(2):
            vectors = []
            for i in left:
                u = x[: self.unknowns.count].copy()
                u[wanted[i]] += h[i]
                vectors.append(u)
            made = self._make(vectors) if vectors else []
            failed = []
            for i, traces in zip(left, made, strict=True):
                columns[:, i] = (self._compare(traces, x) - residuals) / h[i]
                if not np.isfinite(columns[:, i]).all():
                    failed.append(i)
                    h[i] *= -1.0
                    if not low[wanted[i]] <= x[wanted[i]] + h[i] <= high[wanted[i]]:
                        self._refuse(traces)
            left = failed
        if left:
            self._refuse(made[-1])
        return columns

    def _make(self, vectors: list[Array]) -> list[Traces]:
        return self.evaluator.find_traces(vectors, self.comparison.fitted)

    def _compare(self, traces: Traces, x: Array) -> Array:
        return self.comparison.calc_residuals(traces, self.find_shifts(x))

    def _say_error(self) -> str:
        return f", error {self.fit.steps[-1].error:.3g}" if self.fit.steps else ""

    def _refuse(self, traces: Traces) -> None:
        """Stop, since a run that all depends on fails."""
        name, reason = next((run, trace.reason) for run, trace in traces.items() if trace.reason)
        raise SolveError(
            f"run {name!r} fails, so nothing can be fitted: {reason}; change the start of the unknowns, their bounds "
            "or the step",
            status="failed",
            time=0.0,
        )


def find_fit(problem: Problem, iterations: int, tolerance: float) -> None:
    """Solve a problem; `problem.fit` has what was found, if it is stopped too."""
    from scipy.optimize import least_squares

    try:
        found = least_squares(
            problem.calc,
            np.zeros(problem.prior.shape[1]),
            jac=problem.calc_jacobian,
            bounds=problem.bounds,
            method="trf",
            ftol=tolerance,
            xtol=tolerance,
            gtol=1e-12,
            max_nfev=iterations + 1,
        )
    except _SettledError:
        problem.fit.is_settled = True
    else:
        problem.fit.is_settled = found.status > 0
    problem.fit.is_done = True
