"""How the best combination is sought: methods of SciPy, and one by Gaussian processes.

A method asks for the costs of some points at once, each point a row of shares from 0 to 1 of the ranges of the factors.
What it asks next follows from the answers alone, so a search that is begun again asks the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.study.goal import BARRIER
from grouser.study.optimisation import Optimisation
from grouser.study.surrogate import fit_gaussian

Array = NDArray[np.float64]
Ask = Callable[[Array], Array]
"""Costs (n,) of points (n, width)."""

SIMPLEX = 0.15
"""Edge of the first simplex, a share of the ranges."""
POLISHING = 0.02
"""The same of the simplex that goes on from the best point of another method."""
CANDIDATES = 1024
"""Points among which the next ones are chosen by Gaussian processes: so many over all ranges, and as many near the
best."""
NEAR = 0.08
"""How far about the best point, a share of the ranges."""
LEAST_PROMISE = 1.0e-3
"""The search by Gaussian processes ends where it promises less, as a share of the tolerance and of the responses'
range."""


def seek(wanted: Optimisation, start: Array, ask: Ask) -> None:
    """Ask for points until the method has found the best one."""
    method = wanted.method
    best = _Best(ask)
    if method.type == "nelder-mead":
        best.ask(start[np.newaxis])
        _descend(best, SIMPLEX, method.tolerance)
        return
    if method.type == "bayesian":
        _seek_by_processes(wanted, start, best)
    else:
        _evolve(wanted, start, best)
    if method.polish and not any(factor.values or factor.whole for factor in wanted.factors.values()):
        _descend(best, POLISHING, method.tolerance)


class _Best:
    """Asks, and remembers all answers."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.points: list[Array] = []
        self.costs: list[float] = []

    def ask(self, points: Array) -> Array:
        """Costs of some points."""
        costs = self._ask(points)
        self.points += list(points)
        self.costs += costs.tolist()
        return costs

    @property
    def point(self) -> Array:
        """The best point so far."""
        return self.points[int(np.argmin(self.costs))]

    @property
    def cost(self) -> float:
        """Its cost."""
        return min(self.costs)


def _make_first(wanted: Optimisation, start: Array) -> Array:
    """Points of the first round: the start, and a Latin hypercube."""
    from scipy.stats import qmc

    count = wanted.population
    rest = qmc.LatinHypercube(len(start), seed=wanted.method.seed).random(count - 1)
    return np.vstack([start, rest])


def _evolve(wanted: Optimisation, start: Array, best: _Best) -> None:
    """Differential evolution; each generation is asked for at once."""
    from scipy.optimize import Bounds, differential_evolution

    def ask(points: Any) -> Any:
        return best.ask(np.ascontiguousarray(points.T))

    differential_evolution(
        ask,
        Bounds(np.zeros(len(start)), np.ones(len(start))),
        init=_make_first(wanted, start),
        maxiter=wanted.method.runs,  # the number of runs ends it before
        tol=wanted.method.tolerance,
        rng=np.random.default_rng(wanted.method.seed),
        polish=False,
        updating="deferred",
        vectorized=True,
    )


def _descend(best: _Best, edge: float, tolerance: float) -> None:
    """Nelder and Mead's simplex from the best point; again from where it ends, until that gains nothing."""
    from scipy.optimize import Bounds, minimize

    def ask(point: Any) -> float:
        return float(best.ask(point[np.newaxis])[0])

    limits: Any = {"xatol": tolerance, "fatol": np.inf, "maxfev": 10**6, "maxiter": 10**6}
    while True:
        before, point = best.cost, best.point
        steps = np.where(point + edge <= 1.0, edge, -edge)
        simplex = np.vstack([point, point + np.diag(steps)])
        best.ask(simplex[1:])  # at once; the simplex asks for them again, one by one
        minimize(
            ask,
            point,
            method="Nelder-Mead",
            bounds=Bounds(np.zeros(len(point)), np.ones(len(point))),
            options={**limits, "initial_simplex": simplex},
        )
        if not best.cost < before - tolerance * abs(before):
            return
        edge = max(0.5 * edge, 2.0 * tolerance)


def _seek_by_processes(wanted: Optimisation, start: Array, best: _Best) -> None:
    """Expected improvement on what keeps the constraints; a round has several points, each of which is taken to be
    as expected by those after it."""
    from scipy.stats import norm, qmc

    method, width = wanted.method, len(start)
    best.ask(_make_first(wanted, start))
    rounds = 0
    while True:
        rounds += 1
        rng = np.random.default_rng([method.seed, rounds])
        near = best.point + NEAR * rng.standard_normal((CANDIDATES, width))
        wide = qmc.Sobol(width, rng=rng).random(CANDIDATES)
        # rounded: what a Gaussian process says in its last digits depends on the machine
        candidates = np.round(np.clip(np.vstack([wide, near]), 0.0, 1.0), 6)
        points, costs = np.array(best.points), np.array(best.costs)
        chosen: list[Array] = []
        for _ in range(method.batch):
            good = costs < BARRIER
            shown = _flatten(costs)
            expected, spread = fit_gaussian(points, shown).predict(candidates)
            least = shown[good].min() if good.any() else shown.min()
            ratio = (least - expected) / spread
            promise = spread * (ratio * norm.cdf(ratio) + norm.pdf(ratio))
            if 0 < good.sum() < len(good):
                kept, doubt = fit_gaussian(points, good.astype(float)).predict(candidates)
                promise = promise * norm.cdf((kept - 0.5) / doubt)
            place = int(np.argmax(promise))
            if promise[place] <= LEAST_PROMISE * method.tolerance * np.ptp(shown) or np.ptp(shown) == 0.0:
                break
            chosen.append(candidates[place])
            points = np.vstack([points, candidates[place]])
            costs = np.append(costs, expected[place])
            candidates = np.delete(candidates, place, axis=0)
        if not chosen:
            return
        best.ask(np.array(chosen))


def _flatten(costs: Array) -> Array:
    """Costs without the barrier: what does not keep the constraints is as bad as the worst that does."""
    good = costs < BARRIER
    if good.any():
        return np.where(good, costs, costs[good].max())
    return np.log10(costs / BARRIER)
