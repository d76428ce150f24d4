"""Leapfrog steps: closed forms of the oscillator, order with and without damping, velocities that forces see."""

from functools import cache
from math import acos, cos, sin, sqrt

import numpy as np
import pytest
from smooth_models import CASES, Run, calc_distance

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.advance import DONE
from grouser.formulations.schemes import INTEGRATORS
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder

DURATION = 0.5
NEAR = 0.3
"""How near to the order the ratio of errors of two steps is."""
OMEGA = 20.0
"""Of the oscillator [rad/s]."""


def make_oscillator(formulation, damping_rate=0.0):
    """A mass of 2 kg on a slide, drawn out by 0.1 m; with its solver."""
    builder = ModelBuilder("oscillator", gravity=(0.0, 0.0, 0.0))
    builder.add_body("mass", 2.0, (1.0, 1.0, 1.0), position=(1.1, 0.0, 0.0))
    if formulation != "explicit":  # there nothing pushes it off its line
        builder.add_joint("slide", "prismatic", "world", "mass", axis=(1.0, 0.0, 0.0))
    builder.add_spring("spring", "world", "mass", point_a=(0.0, 0.0, 0.0), point_b=(1.1, 0.0, 0.0), free=1.0,
                       stiffness=2.0 * OMEGA**2, damping=2.0 * damping_rate)  # fmt: skip
    compiled = compile_model(builder.build(), {"*": Ideal()}, Ideal(), ideal=formulation != "explicit")
    return compiled, make_integrator(compiled, formulation, "leapfrog")


@pytest.mark.parametrize("formulation", INTEGRATORS["leapfrog"].formulations)
@pytest.mark.parametrize("frames", [1, 7])
def test_an_oscillator_keeps_its_amplitude_at_any_stable_step(formulation, frames):
    """x = x0 cos(n phi) with cos(phi) = 1 - (omega dt)^2/2, to rounding, here at 0.95 of the bound; and frames change
    nothing: where speeds catch up with positions they go on as if they had not."""
    compiled, solver = make_oscillator(formulation)
    state, dt, steps = copy_state(compiled.initial), 1.9 / OMEGA, 700
    for _ in range(frames):
        assert solver.advance(state, steps // frames, dt)[0] == DONE
    phi = acos(1.0 - 0.5 * (OMEGA * dt) ** 2)
    assert state.x[0, 0] - 1.0 == pytest.approx(0.1 * cos(steps * phi), abs=1e-10)
    speed = -0.1 * OMEGA * sqrt(1.0 - 0.25 * (OMEGA * dt) ** 2) * sin(steps * phi)
    assert state.v[0, 0] == pytest.approx(speed, abs=1e-9)


@pytest.mark.parametrize("formulation", INTEGRATORS["leapfrog"].formulations)
@pytest.mark.parametrize("damping_rate", [0.0, 10.0, 40.0, 200.0])
def test_the_bound_of_the_step(formulation, damping_rate):
    """1 = dt^2/4 omega^2 + dt/2 gamma, that of the trapezoidal rule."""
    bound = (sqrt(damping_rate**2 + 4.0 * OMEGA**2) - damping_rate) / OMEGA**2
    grown = []
    for share in (0.99, 1.01):
        compiled, solver = make_oscillator(formulation, damping_rate)
        state = copy_state(compiled.initial)
        state.v[0, 0] = 0.1 * OMEGA
        solver.advance(state, 1000, share * bound)
        grown.append(abs(state.x[0, 0] - 1.0))
    assert grown[0] < 2.0  # without damping it is as large as at the start
    assert grown[1] > 2.0 * max(grown[0], 0.1)


@cache
def solve_reference(formulation, model, damped):
    return Run(formulation, model, "adams", 1e-13, damped=damped).find_end(DURATION)


@pytest.mark.parametrize(("formulation", "model"), CASES)
@pytest.mark.parametrize("damped", [False, True])
def test_order(formulation, model, damped):
    """Two without damping, one with; an ideal top has none."""
    is_damped = damped and not (model == "top" and formulation != "explicit")
    order, steps = (1, 1600) if is_damped else (2, 400)
    run = Run(formulation, model, "leapfrog", damped=damped)
    reference = solve_reference(formulation, model, damped)
    errors = [calc_distance(run.find_end(DURATION, factor * steps), reference) for factor in (1, 2, 4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=NEAR)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=NEAR)


@pytest.mark.parametrize("planar", [False, True])
def test_forces_see_the_velocities_of_half_a_step_before(planar):
    """Of bodies far out on a tree too, whose axes have turned since: to second order."""

    def solve(integrator, duration, count):
        builder = ModelBuilder("chain")
        end = np.zeros(3)
        for i, angle in enumerate((0.3, 1.0, -0.5, 2.0)):
            along = 0.4 * np.array([cos(angle), 0.0, sin(angle)])
            builder.add_body(f"bar{i}", 1.0, (0.01, 0.02, 0.02), position=end + 0.5 * along)
            before = f"bar{i - 1}" if i else "world"
            builder.add_joint(f"pin{i}", "revolute", before, f"bar{i}", point=end, axis=(0.0, 1.0, 0.0))
            end = end + along
        if planar:
            builder.set_planar()
        compiled = compile_model(builder.build(), {"*": Ideal()}, Ideal(), ideal=True)
        solver, state = make_integrator(compiled, "recursive", integrator, 1e-12), copy_state(compiled.initial)
        assert solver.advance(state, count, duration / count)[0] == DONE
        return state, solver

    errors = []
    for count in (200, 400):
        dt = 0.4 / count
        expected, _ = solve("adams", 0.4 - 0.5 * dt, 1)
        _, solver = solve("leapfrog", 0.4, count)
        found = solver.work.v_behind - expected.v, solver.work.w_behind - expected.w
        errors.append(max(np.abs(part[:-1]).max() for part in found))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=NEAR)
