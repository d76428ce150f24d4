"""`cvode-adams` and `cvode-bdf`: CVODE of SUNDIALS, through the package scikit-sundae.

Nothing can be put back into the history that CVODE keeps, so y leaves the constraints by its own errors, which add up.
Frames are interpolated, and brought onto the constraints for the result alone: steps and order go on across them. Only
where the correction of a frame is larger than `DRIFT` tolerances, CVODE begins anew from the corrected state.

Up to `MOST_DENSE` unknowns, correctors are solved by Newton's method with a dense Jacobian of difference quotients.
Larger systems are solved by GMRES, which needs products with the Jacobian alone; it suits systems that are not stiff.

A trial state may lie far off: in free flight steps grow, until one ends deep in the ground. Rates that cannot be
calculated there are given as NaN. The corrector then does not converge, and CVODE tries again with a quarter of the
step. (The way that SUNDIALS provides is a positive return value. scikit-sundae does not pass it on, and turns an
exception into an error that ends the integration.)
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.compile.state import State, copy_state, make_trace
from grouser.formulations.equations import Equations
from grouser.formulations.ode import calc_rates_at
from grouser.formulations.ode_work import OdeWork, find_owners
from grouser.formulations.status import DIVERGED, DONE, STALLED
from grouser.integrators.adams import FEWEST_TRIES, SHORTEST_MEAN
from grouser.integrators.solver import Counts, Solver

SHARES = {"cvode-adams": 0.1, "cvode-bdf": 0.01}
"""Share of the tolerance that CVODE is given: the error of a run is then like that of `adams`, whose corrector is one
order better than its error estimate."""
TIGHTEST = 1.0e-14
"""Relative tolerance that CVODE is given at least: rounding allows no less."""
SMALL = 100
"""Unknowns from which on LAPACK's dense factorisation is the faster one."""
MOST_DENSE = 3000
"""Unknowns up to which there is a dense Jacobian."""
KRYLOV = 20
"""Vectors of GMRES."""
DRIFT = 100.0
"""Correction of a frame, in tolerances, after which it begins anew."""


class _StopError(Exception):
    """It cannot go on: carries status and body."""


@dataclass
class _Run:
    """CVODE at work: the solver, the time it has got to [s] with its y, and the trace of the last frame."""

    solver: Any
    time: float
    y: np.ndarray
    left: bytes


def make_cvode(
    equations: Equations, integrator: str, ode: OdeWork, tolerance: float, absolute: np.ndarray
) -> CvodeSolver:
    """An integrator of SUNDIALS."""
    share = max(SHARES[integrator], TIGHTEST / tolerance)
    return CvodeSolver(equations, integrator, ode, share * tolerance, share * absolute, counts=Counts(rejected=None))


@dataclass(eq=False)
class CvodeSolver(Solver):
    """An integrator of SUNDIALS. It goes on with its history as long as it is given the state that it has left."""

    ode: OdeWork
    tolerance: float
    absolute: np.ndarray
    run: _Run | None = None
    failure: tuple[int, str] | None = None
    """Status and body of the last trial state without rates, since the last step."""

    def _advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """See `Solver._advance`."""
        start = float(state.time[0])
        end = start + step_count * step
        run, self.run = self.run, None
        if run is None or step_count == 0 or drag != 0.0 or run.left != make_trace(state):
            status, name = self._evaluate(state, start, drag, is_start=True, is_last=True)
            if status != DONE or step_count == 0:
                return status, name
            run = _Run(self._make_solver(state, drag), start, self.ode.y.copy(), b"")
            run.solver.init_step(start, run.y)
        try:
            y = self._step(run, start, end)
        except _StopError as stop:
            status, name = stop.args
            np.copyto(self.ode.y, run.y)
            self._evaluate(state, run.time, drag, is_last=True)
            return status, name or self._find_fastest()
        np.copyto(self.ode.y, y)
        status, name = self._evaluate(state, end, drag, is_last=True)
        is_adrift = self._calc_norm(self.ode.y - y) > DRIFT
        if status == DONE and drag == 0.0 and not is_adrift:
            run.left = make_trace(state)
            self.run = run
        return status, name

    def forget(self) -> None:
        """See `Solver.forget`; the history of CVODE begins anew."""
        super().forget()
        self.run = None

    @property
    def has_foreign_history(self) -> bool:
        """See `Solver.has_foreign_history`."""
        return True

    def _make_solver(self, state: State, drag: float) -> Any:
        from sksundae.cvode import CVODE

        size = len(self.ode.y)
        linear = "dense" if size < SMALL else "lapackdense" if size <= MOST_DENSE else "gmres"
        scratch = copy_state(state)

        def calc_rate(t: float, y: np.ndarray, rate: np.ndarray) -> None:
            if not np.isfinite(y).all():  # a corrector that goes on with rates that are NaN
                rate.fill(np.nan)
                return
            np.copyto(self.ode.y, y)
            status, name = self._evaluate(scratch, t, drag)
            if status == DONE:
                np.copyto(rate, self.ode.rate)
            else:
                self.failure = status, name
                rate.fill(np.nan)

        return CVODE(
            calc_rate,
            method="BDF" if self.integrator == "cvode-bdf" else "Adams",
            rtol=self.tolerance,
            atol=self.absolute,
            linsolver=linear,
            krylov_dim=KRYLOV if linear == "gmres" else None,
        )

    def _step(self, run: _Run, start: float, end: float) -> np.ndarray:
        """y at the end of a frame."""
        most = FEWEST_TRIES + (end - start) / SHORTEST_MEAN
        with contextlib.redirect_stdout(io.StringIO()):  # it prints what it returns anyway
            while run.time < end:
                self.failure = None
                found = run.solver.step(end, "onestep")
                most -= 1
                if not found.success or not most > 0:
                    raise _StopError(*(self.failure or (STALLED, "")))
                if not np.isfinite(found.y).all():
                    raise _StopError(DIVERGED, "")
                # after a frame was interpolated, the first call only gives back where it has got to
                self.counts.steps += float(found.t) > run.time
                run.time, run.y = float(found.t), found.y
            return run.solver.step(end, "normal").y

    def _evaluate(
        self, state: State, t: float, drag: float, *, is_start: bool = False, is_last: bool = False
    ) -> tuple[int, str]:
        self.counts.evaluations += 1
        equations, ode = self.equations.packed, self.pack(self.ode)
        status, node = calc_rates_at(t, is_start, is_last, drag, self.pack(state), equations, ode)
        return self._name_node(status, node)

    def _calc_weighted(self, values: np.ndarray) -> np.ndarray:
        """Values over the tolerances of y."""
        return values / (self.tolerance * np.abs(self.ode.y) + self.absolute)

    def _calc_norm(self, values: np.ndarray) -> float:
        """Root of the mean square, in tolerances of y."""
        return float(np.sqrt(np.mean(self._calc_weighted(values) ** 2)))

    def _find_fastest(self) -> str:
        """The body whose part of y changes most beside its tolerance."""
        size = np.abs(self._calc_weighted(self.ode.rate))
        return find_owners(self.compiled, self.tree)[int(np.argmax(np.nan_to_num(size, nan=np.inf)))]
