"""The fit: nonlinear least squares over all fitted runs, with finite differences.

Minimised over the vector x = (u, s) of unknowns and shifts in time is

    |r(x)|^2 + |P u|^2 + |s / S|^2

with the residuals r in units of the noise that is expected, and rows P of what is expected of the unknowns beforehand.
A column of the Jacobian J is (r(u + h e_j) - r(u)) / h, all runs of all columns side by side; shifts need no run.

A step p minimises |r + J p|^2 within the bounds and within a box, |p_i| <= w: far from its end a fit would else believe
that a slope has to be multiplied by e^10. Trying a step costs the runs of one vector, and a Jacobian those of all
unknowns. So steps of several boxes are tried side by side, and J is used as long as they pay, corrected by what each
step has shown (Broyden 1965),

    J <- J + (r(x + p) - r(x) - J p) p^T / (p^T p)
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
WIDTH, LEAST_WIDTH = 0.5, 1e-3
"""Least half width with which a new Jacobian begins, and at which it is given up [units of the vector]."""
BOXES = (0.25, 1.0, 4.0)
"""Half widths of boxes that are tried side by side, over that of the last step."""
WORTH = 0.5
"""Of what is minimised, the share that a step has to take away so that its Jacobian is used once more."""


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
        return self.calc_all([x])[0]

    def calc_all(self, vectors: list[Array]) -> list[Array]:
        """The same for several vectors, whose runs are made side by side."""
        number = len(self.fit.steps)
        self.evaluator.phase = f"runs of step {number}{self._say_error()}" if number else "runs of the start"
        made = self._make([x[: self.unknowns.count] for x in vectors])
        found = []
        for x, traces in zip(vectors, made, strict=True):
            whole = np.concatenate([self._compare(traces, x), self.prior @ x])
            if not number and not np.isfinite(whole).all():
                self._refuse(traces)
            found.append(whole if np.isfinite(whole).all() else np.full(len(whole), np.inf))
        return found

    def accept(self, x: Array, whole: Array) -> None:
        """Keep a vector that is better than all before, with what `calc` gave for it."""
        residuals = whole[: len(whole) - len(self.prior)]
        self.fit.steps.append(Step(x.copy(), calc_cost(whole), float(np.sqrt(np.mean(residuals**2)))))
        self.keep(x[: self.unknowns.count])

    def calc_jacobian(self, x: Array) -> Array:
        """The Jacobian of `calc`."""
        count = self.unknowns.count
        u = x[:count]
        number = max(0, len(self.fit.steps) - 1)
        self.evaluator.phase = f"runs of the linearisation at step {number}{self._say_error()}"
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


def calc_cost(whole: Array) -> float:
    """Half of what is minimised."""
    return 0.5 * float(whole @ whole)


def find_fit(problem: Problem, iterations: int, tolerance: float) -> None:
    """Solve a problem; `problem.fit` has what was found, if it is stopped too.

    Parameters
    ----------
    iterations : most Jacobians from which steps are made
    tolerance : it is settled where no step takes away more than this share of what is minimised
    """
    x = np.zeros(problem.prior.shape[1])
    whole = problem.calc(x)
    problem.accept(x, whole)
    width = WIDTH
    for _ in range(iterations):
        moved = _descend(problem, x, whole, problem.calc_jacobian(x), width, tolerance)
        if moved is None:
            problem.fit.is_settled = True
            break
        x, whole, width = moved
    else:
        problem.calc_jacobian(x)
    problem.fit.is_done = True


def _descend(
    problem: Problem, x: Array, whole: Array, jacobian: Array, width: float, tolerance: float
) -> tuple[Array, Array, float] | None:
    """Steps by one Jacobian: the last vector, its residuals, and the width of its box; None if no step is better by
    more than the tolerance."""
    is_new, width = True, max(width, WIDTH)
    while True:
        boxes = [share * width for share in BOXES if share * width >= LEAST_WIDTH]
        steps = [find_step(problem, x, whole, jacobian, box) for box in boxes]
        if not steps or calc_cost(whole + jacobian @ steps[-1]) > (1.0 - tolerance) * calc_cost(whole):
            return None if is_new else (x, whole, width)
        found = problem.calc_all([x + step for step in steps])
        costs = [calc_cost(one) for one in found]
        best = int(np.argmin(costs))
        gain = 1.0 - costs[best] / calc_cost(whole)
        if not gain > tolerance:
            if not is_new:
                return x, whole, width
            width = BOXES[0] * boxes[0]
            continue
        step = steps[best]
        jacobian = jacobian + np.outer(found[best] - whole - jacobian @ step, step / (step @ step))
        x, whole, width, is_new = x + step, found[best], boxes[best], False
        problem.accept(x, whole)
        if gain < WORTH:
            return x, whole, width


def find_step(problem: Problem, x: Array, whole: Array, jacobian: Array, width: float) -> Array:
    """The step that makes the linearised residuals least, within the bounds and a box of this half width."""
    from scipy.linalg import qr
    from scipy.optimize import lsq_linear

    low, high = problem.bounds
    turn, triangle = qr(jacobian, mode="economic")
    box = np.maximum(low - x, -width), np.minimum(high - x, width)
    return np.asarray(lsq_linear(triangle, -turn.T @ whole, box, method="bvls").x)
