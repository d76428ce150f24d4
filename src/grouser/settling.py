"""Settling: brings a model to rest under gravity, with drives held still.

A drag on all velocities (dynamic relaxation) takes the energy out; when little is left the drag is released and the
model has to stay at rest by itself. The criterion is energy, not time. Wheels that go up or down move along the ground
too: at first tyres let go of the force that this builds up, as they would if the vehicle rolled to its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.mesh_mass import calc_total_mass
from grouser.compile.state import State, copy_state
from grouser.errors import SolveError
from grouser.failure import say_failure
from grouser.formulations.status import DONE
from grouser.integrators.solver import Solver

DRAG = 12.0
"""Damping of all velocities while settling [1/s]: near critical for the 1 to 2 Hz of vehicles and track spans."""
REST_SPEED = 1.0e-4
"""At rest: kinetic energy below that of the whole mass at this speed [m/s]."""
FASTEST = 1.0e-3
"""At rest: no body's centre is faster than this [m/s]."""
SCRUBBING = 1.5
"""Simulated time within which tyres let go of forces along the ground [s]."""
CHECK_EVERY = 0.05
"""Simulated time between two looks at the energy [s]."""
HOLD = 0.2
"""Simulated time without drag during which the model has to stay at rest [s]."""
LONGEST = 20.0
"""Simulated time after which settling gives up [s]."""
MOST_EVALUATIONS = 200_000
"""Evaluations after which settling by steps that the integrator chooses gives up. Vehicles take 3000 to 5000, and the
longest steps 40,000 in all of `LONGEST`: beyond this something rattles, and steps have become too short to wait."""


def calc_kinetic_energies(compiled: Compiled, state: State) -> np.ndarray:
    """Kinetic energy of each node [J]."""
    body = compiled.tables.node
    v = state.v[: len(body.mass)]
    energies = 0.5 * body.mass * np.einsum("ni,ni->n", v, v)
    w = state.w[: len(body.inertia)]
    energies[: len(w)] += 0.5 * np.einsum("ni,nij,nj->n", w, body.inertia, w)
    if len(body.pair):
        first, second = body.pair.T
        shared = 0.5 * body.pair_mass * np.einsum("ni,ni->n", v[first], v[second])
        np.add.at(energies, first, shared)
        np.add.at(energies, second, shared)
    return energies


def is_at_rest(compiled: Compiled, state: State) -> bool:
    """Energy criterion of rest."""
    still = calc_kinetic_energies(compiled, state).sum() < 0.5 * calc_total_mass(compiled.tables.node) * REST_SPEED**2
    return bool(still and np.linalg.norm(state.v[1:], axis=1).max() < FASTEST)


def solve_rest(
    solver: Solver,
    state: State,
    step: float,
    stable: float,
    progress: Callable[[float], None] | None = None,
    *,
    is_chosen: bool = False,
) -> State:
    """State of rest reached from `state` by a step [s], of a model with a stable step [s].

    `is_chosen`: the integrator chooses its steps, and `step` is but the time between two looks. Raises `SolveError` if
    it diverges or does not come to rest.
    """
    compiled, state = solver.compiled, copy_state(state)
    count = max(1, round(CHECK_EVERY / step))
    held = 0.0
    most = MOST_EVALUATIONS if is_chosen else math.inf
    while state.time[0] < LONGEST and solver.counts.evaluations < most:
        drag = DRAG if held == 0.0 else 0.0
        if state.time[0] < SCRUBBING:
            state.z[compiled.tables.tyre.state] = 0.0
            state.z[compiled.tables.tyre.state + 1] = 0.0
        status, name = solver.advance(state, count, step, drag)
        time = float(state.time[0])
        if status != DONE:
            kind, message = say_failure(solver, status, name, time, step, stable)
            raise SolveError(f"settling: {message}", status=kind, time=time, element=name)
        if progress is not None:
            progress(time)
        if is_at_rest(compiled, state):
            if held >= HOLD:
                return state
            held += count * step
        else:
            held = 0.0
    energy = calc_kinetic_energies(compiled, state)
    liveliest = int(np.argmax(energy))
    name, time = compiled.layout.nodes[liveliest], float(state.time[0])
    moving = (
        f"not at rest after {time:.3g} s of settling: {compiled.layout.say_node(liveliest)} still moves at "
        f"{np.linalg.norm(state.v[liveliest]):.3g} m/s"
    )
    if liveliest < len(state.w):
        moving += f" and {np.linalg.norm(state.w[liveliest]):.3g} rad/s"
    remedy = (
        "check that it is supported (on a slope, tanh and trilinear friction creep: take asperity), or run without "
        "settling"
    )
    if time < LONGEST - 0.5 * CHECK_EVERY:
        remedy = (
            f"steps have become as short as {time / solver.counts.steps:.2g} s on average, so it is given up; check "
            "the stiffness of what touches or holds it: too stiff for its mass, it rattles; or run without settling"
        )
    raise SolveError(f"{moving}; {remedy}", status="not settled", time=time, element=name)
