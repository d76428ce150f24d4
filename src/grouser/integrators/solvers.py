"""Solvers of all integrators, and the choice among them."""

from __future__ import annotations

from collections import namedtuple
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.state import State, make_trace
from grouser.errors import UnsupportedError
from grouser.formulations.equations import Equations, make_equations
from grouser.formulations.ode_work import OdeWork, calc_absolute_tolerance, find_owners, make_ode_work
from grouser.formulations.status import DONE
from grouser.formulations.tree_options import TreeOptions
from grouser.formulations.workspace import Acted, make_acted
from grouser.integrators.declarations import DEFAULT_RADIUS, INTEGRATORS
from grouser.integrators.solver import Counts, Solver
from grouser.integrators.time_loop import solve_steps
from grouser.kernels.kinds import FRICTION_ASPERITY


def make_integrator(
    compiled: Compiled,
    formulation: str,
    integrator: str,
    tolerance: float | None = None,
    spectral_radius: float = DEFAULT_RADIUS,
    options: TreeOptions | None = None,
    *,
    has_step: bool = False,
) -> Solver:
    """Solver of a compiled model by the names of a formulation and of an integrator.

    `tolerance` is the relative one of integrators that choose their steps, `spectral_radius` that of
    `generalised-alpha`; `has_step`: one that chooses its steps keeps the step that it is given instead. Each integrator
    is loaded, and compiled, when it is first used.
    """
    check_integrator(compiled, formulation, integrator)
    declared = INTEGRATORS[integrator]
    tolerance = declared.tolerance if tolerance is None else tolerance
    equations = make_equations(compiled, formulation, options, implicit=declared.is_implicit)
    if declared.scheme is not None:
        return LoopSolver(equations, integrator, make_acted(compiled))
    ode = make_ode_work(compiled, equations.tree)
    if integrator == "rk4":
        return Rk4Solver(equations, integrator, ode, make_acted(compiled))
    if integrator == "implicit-extrapolated":
        return ExtrapolatedSolver(
            equations, integrator, ode, make_extrapolation(len(equations.work.u)), make_acted(compiled)
        )
    if integrator == "generalised-alpha":
        return AlphaSolver(equations, integrator, ode, make_alpha_work(len(equations.work.u)), spectral_radius)
    if integrator == "sdirk":
        return make_sdirk(equations, ode, tolerance, has_step=has_step)
    absolute = calc_absolute_tolerance(compiled, equations.tree, tolerance)
    if integrator == "adams":
        return make_adams(equations, ode, tolerance, absolute)
    from grouser.integrators.cvode import make_cvode

    return make_cvode(equations, integrator, ode, tolerance, absolute)


def check_integrator(compiled: Compiled, formulation: str, integrator: str) -> None:
    """Refuse an integrator whose package is missing, or that cannot carry what the model holds."""
    declared = INTEGRATORS[integrator]
    if declared.package is not None and find_spec(declared.package[0]) is None:
        raise UnsupportedError(
            f"integrator {integrator!r} needs SUNDIALS, through the package scikit-sundae, which is not installed: "
            f"pip install 'grouser[{declared.package[1]}]', or take the integrator adams"
        )
    if declared.has_memory:
        return
    contacts = compiled.tables.contact.friction.tolist()
    others = ", ".join(name for name, one in INTEGRATORS.items() if one.has_memory and formulation in one.formulations)
    for meeting in compiled.surfaces.meetings:
        raise UnsupportedError(
            f"integrator {integrator!r} cannot carry contact {compiled.layout.contacts[meeting.group]!r}: points of "
            f"surfaces remember on which side they are; take one of the integrators {others}"
        )
    for name, friction in zip(compiled.layout.contacts, contacts, strict=True):
        if friction == FRICTION_ASPERITY:
            raise UnsupportedError(
                f"integrator {integrator!r} cannot carry the friction of contact {name!r}: asperity friction has a "
                f"memory, so forces are no function of the state alone; take friction tanh or trilinear, or one of the "
                f"integrators {others}"
            )


@dataclass(eq=False)
class LoopSolver(Solver):
    """Integrators of the time loop."""

    acted: Acted

    def _advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """See `Solver._advance`."""
        with nullcontext() if self.team is None else self.team.working(state) as team:
            status, node, evaluations = solve_steps(
                self.declared.scheme,
                step_count,
                step,
                drag,
                self.pack(state),
                self.pack(self.acted),
                self.equations.packed,
                team,
            )
        self.counts.steps += step_count
        self.counts.evaluations += evaluations
        return self._name_node(status, node)


@dataclass(eq=False)
class Rk4Solver(Solver):
    """The integrator `rk4`."""

    ode: OdeWork
    acted: Acted

    def _advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """See `Solver._advance`."""
        from grouser.integrators.rk4 import solve_rk4

        status, node = solve_rk4(
            step_count,
            step,
            drag,
            self.pack(state),
            np.zeros_like(self.ode.y),
            self.pack(self.acted),
            self.equations.packed,
            self.pack(self.ode),
        )
        self.counts.steps += step_count
        self.counts.evaluations += step_count * self.declared.evaluations + 1
        return self._name_node(status, node)


Extrapolation = namedtuple("Extrapolation", ["u_whole", "d_whole", "d_first", "d_second"])
"""Scratch of `implicit-extrapolated`, six numbers a body: velocities and increment of the whole step, increments of the
first and of the second half."""


def make_extrapolation(size: int) -> Extrapolation:
    """Scratch for so many velocities."""
    return Extrapolation(*(np.zeros(size) for _ in Extrapolation._fields))


@dataclass(eq=False)
class ExtrapolatedSolver(Solver):
    """The integrator `implicit-extrapolated`."""

    ode: OdeWork
    extrapolation: Extrapolation
    acted: Acted

    def _advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """See `Solver._advance`."""
        from grouser.integrators.implicit_extrapolated import solve_extrapolated

        status, node = solve_extrapolated(
            step_count,
            step,
            drag,
            self.pack(state),
            self.pack(self.extrapolation),
            self.pack(self.acted),
            self.equations.packed,
            self.pack(self.ode),
        )
        self.counts.steps += step_count
        self.counts.evaluations += step_count * self.declared.evaluations + 1
        return self._name_node(status, node)


AlphaWork = namedtuple("AlphaWork", ["a", "rate", "a_new", "last"])
"""What `generalised-alpha` keeps from step to step, six numbers a body: a, rate: pseudo-acceleration, and rates of the
velocities; a_new, last: pseudo-acceleration at the end of a step, and its last correction."""


def make_alpha_work(size: int) -> AlphaWork:
    """For so many velocities."""
    return AlphaWork(*(np.zeros(size) for _ in AlphaWork._fields))


@dataclass(eq=False)
class AlphaSolver(Solver):
    """The integrator `generalised-alpha`. Its accelerations go on as long as it is given the state that it has left."""

    ode: OdeWork
    alpha: AlphaWork
    spectral_radius: float
    left: bytes = b""

    def _advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """See `Solver._advance`."""
        from grouser.integrators.generalised_alpha import solve_alpha

        is_fresh = self.left != make_trace(state)
        status, node, evaluations = solve_alpha(
            self.spectral_radius,
            is_fresh,
            step_count,
            step,
            drag,
            self.pack(state),
            self.pack(self.alpha),
            self.equations.packed,
            self.pack(self.ode),
        )
        self.left = make_trace(state) if status == DONE and drag == 0.0 else b""
        self.counts.steps += step_count
        self.counts.evaluations += evaluations
        return self._name_node(status, node)


SdirkWork = namedtuple(
    "SdirkWork",
    ["a", "before", "first", "rate", "base", "d_base", "error", "z_base", "z_rate", "peak", "power", "h", "count"],
)
"""What goes on from step to step, and scratch. Six numbers a body: a accelerations at the start of a step, before those
of the first stage of the step before, first those of this one, rate those that are iterated, base and d_base velocities
and increments to which a stage adds, error of velocities, or before its end the last correction; z_base, z_rate: states
of drives to which a stage adds, and their rates at the start; peak (joints,) largest squared gaps of accepted states;
power (2, families) of the first stage; h (1,) next step [s]; count (4,) steps, rejected steps, evaluations,
matrices."""


def make_sdirk_work(speed_count: int, state_count: int, joint_count: int, ledger_count: int) -> SdirkWork:
    """For so many velocities, states z, joints and energies."""
    vectors = {name: np.zeros(speed_count) for name in ("a", "before", "first", "rate", "base", "d_base", "error")}
    states = {name: np.zeros(state_count) for name in ("z_base", "z_rate")}
    power, count = np.zeros((2, ledger_count)), np.zeros(4, dtype=np.int64)
    return SdirkWork(**vectors, **states, peak=np.zeros(joint_count), power=power, h=np.zeros(1), count=count)


def make_sdirk(equations: Equations, ode: OdeWork, tolerance: float, *, has_step: bool) -> SdirkSolver:
    """The integrator `sdirk` with what it keeps from step to step."""
    kept = make_sdirk_work(
        len(equations.work.u), len(equations.work.z_new), len(equations.work.joint_peak), len(equations.work.stored)
    )
    return SdirkSolver(equations, "sdirk", ode, kept, make_acted(equations.compiled), tolerance, has_step)


@dataclass(eq=False)
class SdirkSolver(Solver):
    """The integrator `sdirk`. Accelerations and step go on as long as it is given the state that it has left."""

    ode: OdeWork
    kept: Any
    acted: Acted
    tolerance: float
    has_step: bool
    left: bytes = b""

    def _advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """See `Solver._advance`."""
        from grouser.integrators import sdirk

        status, node = sdirk.solve_sdirk(
            self.left != make_trace(state),
            float(state.time[0]) + step_count * step,
            self.tolerance,
            step if self.has_step else 0.0,
            drag,
            self.pack(state),
            self.pack(self.kept),
            self.pack(self.acted),
            self.equations.packed,
            self.pack(self.ode),
        )
        self.left = make_trace(state) if status == DONE else b""
        count = self.kept.count
        self.counts.steps, self.counts.rejected = int(count[sdirk.STEPS]), int(count[sdirk.REJECTED])
        self.counts.evaluations = int(count[sdirk.EVALUATIONS])
        return self._name_node(status, node)


History = namedtuple("History", ["phi", "star", "weight", "p", "difference", "length", "beta", "g", "c", "h", "number"])
"""What `adams` keeps from step to step: phi, star (14, size) differences Phi and Phi*; weight, p, difference (size,);
length (14,) of the steps before, the last first; beta, g, c (16,) coefficients; h (1,) next step [s]; number: order,
whether it is the start, steps of this order, and what has been done so far, by their places in `adams.py`."""


def make_adams(equations: Equations, ode: OdeWork, tolerance: float, absolute: np.ndarray) -> AdamsSolver:
    """The integrator `adams` with its history."""
    from grouser.integrators.adams import MOST_ORDER, NUMBER_COUNT

    size = len(ode.y)
    vectors = {name: np.zeros(size) for name in ("weight", "p", "difference")}
    differences = {name: np.zeros((MOST_ORDER + 2, size)) for name in ("phi", "star")}
    coefficients = {name: np.zeros(MOST_ORDER + 4) for name in ("beta", "g", "c")}
    history = History(
        **differences,
        **vectors,
        **coefficients,
        length=np.zeros(MOST_ORDER + 2),
        h=np.zeros(1),
        number=np.zeros(NUMBER_COUNT, dtype=np.int64),
    )
    return AdamsSolver(equations, "adams", ode, history, tolerance, absolute, counts=Counts(orders=0))


@dataclass(eq=False)
class AdamsSolver(Solver):
    """The integrator `adams`. It goes on with its history as long as it is given the state that it has left."""

    ode: OdeWork
    history: History
    tolerance: float
    absolute: np.ndarray
    left: bytes = b""

    def _advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """See `Solver._advance`."""
        from grouser.integrators import adams

        end = float(state.time[0]) + step_count * step
        is_fresh = step_count == 0 or drag != 0.0 or self.left != make_trace(state)
        status, node, component = adams.solve_adams(
            is_fresh,
            end,
            self.tolerance,
            self.absolute,
            drag,
            self.pack(state),
            self.pack(self.history),
            self.equations.packed,
            self.pack(self.ode),
        )
        self.left = make_trace(state) if drag == 0.0 else b""
        number = self.history.number
        self.counts.steps, self.counts.rejected = int(number[adams.ACCEPTED]), int(number[adams.REJECTED])
        self.counts.evaluations, self.counts.orders = int(number[adams.EVALUATIONS]), int(number[adams.ORDERS])
        if component >= 0:
            return status, find_owners(self.compiled, self.tree)[component]
        return self._name_node(status, node)
