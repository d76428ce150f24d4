"""Leapfrog steps: closed forms of the oscillator, order with and without damping, velocities that forces see."""

from functools import cache
from math import acos, cos, sin, sqrt

import numpy as np
import pytest
from smooth_models import CASES, Run, calc_distance

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.declarations import INTEGRATORS
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
    assert state.x[1, 0] - 1.0 == pytest.approx(0.1 * cos(steps * phi), abs=1e-10)
    speed = -0.1 * OMEGA * sqrt(1.0 - 0.25 * (OMEGA * dt) ** 2) * sin(steps * phi)
    assert state.v[1, 0] == pytest.approx(speed, abs=1e-9)


@pytest.mark.parametrize("formulation", INTEGRATORS["leapfrog"].formulations)
@pytest.mark.parametrize("damping_rate", [0.0, 10.0, 40.0, 200.0])
def test_the_bound_of_the_step(formulation, damping_rate):
    """1 = dt^2/4 omega^2 + dt/2 gamma, that of the trapezoidal rule."""
    bound = (sqrt(damping_rate**2 + 4.0 * OMEGA**2) - damping_rate) / OMEGA**2
    grown = []
    for share in (0.99, 1.01):
        compiled, solver = make_oscillator(formulation, damping_rate)
        state = copy_state(compiled.initial)
        state.v[1, 0] = 0.1 * OMEGA
        solver.advance(state, 1000, share * bound)
        grown.append(abs(state.x[1, 0] - 1.0))
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


def make_chain(planar, damper=0.0):
    """Four bars that fall; in space with a universal joint and a slide among the pins, and spinning from the start."""
    builder = ModelBuilder("chain")
    end = np.zeros(3)
    kinds = ("revolute",) * 4 if planar else ("universal", "revolute", "prismatic", "universal")
    for i, (kind, angle) in enumerate(zip(kinds, (0.3, 1.0, -0.5, 2.0), strict=True)):
        along = 0.4 * np.array([cos(angle), 0.0, sin(angle)])
        across = (0.0, 1.0, 0.0) if planar or i % 2 else (0.6, 0.8, 0.0)
        spin = np.array([0.0, 0.0, 0.0 if planar else 4.0])
        builder.add_body(f"bar{i}", 1.0, (0.01, 0.02, 0.02), position=end + 0.5 * along, angular_velocity=spin,
                         velocity=np.cross(spin, end + 0.5 * along))  # fmt: skip
        before = f"bar{i - 1}" if i else "world"
        builder.add_joint(f"joint{i}", kind, before, f"bar{i}", point=end, axis=across)
        end = end + along
    if damper:
        builder.add_spring("damper", "world", "bar3", point_a=(2.0, 0.0, 0.0), point_b=end, stiffness=0.0,
                           damping=damper)  # fmt: skip
    if planar:
        builder.set_planar()
    return builder.build()


def solve_chain(model, integrator, duration, count=1):
    """End of a run by recursion along the tree, and its solver."""
    compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
    solver, state = make_integrator(compiled, "recursive", integrator, 1e-12), copy_state(compiled.initial)
    assert solver.advance(state, count, duration / count)[0] == DONE
    return state, solver


@pytest.mark.parametrize("planar", [False, True])
def test_velocities_of_half_a_step_before(planar):
    """Of bodies far out on a tree too, whose axes have turned since: to second order."""
    model, errors = make_chain(planar), []
    for count in (400, 800):
        expected, _ = solve_chain(model, "adams", 0.4 - 0.2 / count)
        _, solver = solve_chain(model, "leapfrog", 0.4, count)
        found = solver.work.v_behind - expected.v, solver.work.w_behind - expected.w
        errors.append(max(np.abs(part[:-1]).max() for part in found))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=NEAR)


@pytest.mark.parametrize("planar", [False, True])
def test_forces_see_them(planar):
    """A damper far out loses what it should to 0.2 %; with the speeds of then at the axes of now it would be 0.7 % off
    in space, and 2.8 % in the plane."""
    model = make_chain(planar, damper=3.0)
    lost = solve_chain(model, "adams", 0.4)[0].ledger[0].sum()
    assert solve_chain(model, "leapfrog", 0.4, 400)[0].ledger[0].sum() == pytest.approx(lost, rel=3e-3)


@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
def test_loops_are_closed_at_the_end_of_a_frame(formulation):
    """Positions and velocities, as with any other integrator; the energies add up to first order."""
    run = Run(formulation, "loop", "leapfrog")
    state = run.find_end(DURATION, 200, frames=3)
    work = run.solver.tree.cut_work if formulation == "recursive" else run.solver.system
    assert np.abs(work.phi).max() < 2e-12
    again = copy_state(state)
    run.solver.advance(again, 0, 1e-3)
    assert calc_distance(state, again) < 1e-10
    lost = solve_reference(formulation, "loop", True).ledger[0].sum()
    errors = [abs(run.find_end(DURATION, count).ledger[0].sum() - lost) for count in (400, 800)]
    assert errors[1] < 2e-3 * lost
    assert errors[1] < 0.6 * errors[0]
