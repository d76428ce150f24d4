"""Contacts and friction with memory by integrators that see an ordinary differential equation."""

from dataclasses import replace
from math import cos, sin

import numpy as np
import pytest
from smooth_models import calc_distance

import grouser as gr
from grouser.compile.state import copy_state
from grouser.errors import UnsupportedError
from grouser.formulations.status import DONE
from grouser.integrators.declarations import INTEGRATORS
from grouser.integrators.solvers import make_integrator
from grouser.presets import find_preset
from grouser.simulate import prepare

FRICTIONS = {
    "tanh": {"model": "tanh", "mu": 0.5, "velocity": 0.05},
    "sharp": {"model": "tanh", "mu": 0.5, "velocity": 0.001},
    "asperity": {"model": "asperity", "mu": 0.5, "velocity": 0.05, "stiffness": 1e4},
}
SLOPE = 0.25
"""Of the ground [rad]: friction of 0.5 holds a block on it."""
STIFFNESS = 5e3
"""Of the ground under each of four feet [N/m]."""


def make_block(friction, height=0.0, speed=0.0, slope=SLOPE):
    """A block with four feet, above ground that falls along x."""
    down, up = np.array([cos(slope), 0.0, -sin(slope)]), np.array([sin(slope), 0.0, cos(slope)])
    builder = gr.ModelBuilder("block")
    turned = (cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0)
    builder.add_body("block", 2.0, (0.02, 0.03, 0.04), position=(0.05 + height) * up, orientation=turned,
                     velocity=speed * down)  # fmt: skip
    feet = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.08, 0.08)]
    builder.add_shape("feet", "points", "block", group="feet", positions=feet)
    builder.set_terrain({"type": "plane", "normal": tuple(up)})
    builder.add_contact("ground", "feet", "terrain", stiffness=STIFFNESS, damping=30.0, friction=FRICTIONS[friction])
    return builder.build()


def run(model, integrator, duration, step_count=1, tolerance=1e-8, frames=1, start=None):
    """End of a run and its solver."""
    compiled, _ = prepare(model, replace(find_preset("penalty"), integrator=integrator))
    solver, state = make_integrator(compiled, "explicit", integrator, tolerance), copy_state(start or compiled.initial)
    for _ in range(frames):
        status, body = solver.advance(state, step_count, duration / (step_count * frames))
        assert status == DONE, (status, body)
    return state, solver


SOLVERS = {"dense": {}, "lapackdense": {"SMALL": 0}, "gmres": {"SMALL": 0, "MOST_DENSE": 0}}
"""Bounds of `integrators/cvode.py` by which a small model is solved as a large one is."""


@pytest.mark.parametrize("integrator", ["cvode-adams", "cvode-bdf"])
@pytest.mark.parametrize("bounds", SOLVERS.values(), ids=list(SOLVERS))
def test_sundials_recovers_from_trial_states_far_below_the_ground(integrator, bounds, monkeypatch):
    """It falls for 2 s: steps grow beyond the ground, where the corrector leaves the range of numbers."""
    for name, value in bounds.items():
        monkeypatch.setattr(f"grouser.integrators.cvode.{name}", value)
    model = make_block("tanh", height=20.0, speed=1.0)
    end, _ = run(model, integrator, 3.0, tolerance=1e-6, frames=30)
    reference, _ = run(model, "adams", 3.0, tolerance=1e-9, frames=30)
    assert reference.ledger[0].sum() > 10.0  # it has touched, and hops
    assert calc_distance(end, reference) < 1e-3  # of 20 m and 20 m/s


def test_a_block_that_falls_far_in_long_steps_meets_the_ground():
    """It falls for 0.6 s in a few steps, each longer than the skin of the search, hops, and slides.

    Damping acts at once when a foot meets the ground: a jump by 400 m/s^2, at which a fixed step of 10 us may be wrong
    by 4 mm/s.
    """
    model = make_block("tanh", height=2.0, speed=1.0)
    end, solver = run(model, "adams", 1.2)
    assert end.ledger[0].sum() > 10.0
    assert solver.counts.steps < 1000
    by_cvode, _ = run(model, "cvode-bdf", 1.2)
    assert calc_distance(end, by_cvode) < 2e-6
    assert end.ledger == pytest.approx(by_cvode.ledger, abs=1e-5)
    by_rk4, _ = run(model, "rk4", 1.2, 120_000)
    assert calc_distance(end, by_rk4) < 1e-3


def test_steps_of_a_free_fall_are_longer_than_the_skin():
    falling, solver = run(make_block("tanh", height=2.0, speed=1.0), "adams", 0.5)
    assert solver.counts.steps < 30
    assert falling.v[1, 2] == pytest.approx(-sin(SLOPE) - 9.81 * 0.5, abs=1e-6)


@pytest.mark.parametrize("integrator", [name for name, one in INTEGRATORS.items() if one.has_memory])
def test_friction_with_memory_holds_a_block_on_a_slope(integrator):
    """At rest the springs of the anchors carry the weight along the slope: m g sin(slope) = 4 kt s."""
    model = make_block("asperity")
    is_adaptive = INTEGRATORS[integrator].is_adaptive
    end, _ = run(model, integrator, 2.0, 1 if is_adaptive else 1000, tolerance=1e-5, frames=4)
    slide = 2.0 * 9.81 * sin(SLOPE) / (4.0 * 1e4)
    assert np.abs(end.v[1]).max() < 1e-4
    feet = end.x[1] + np.array(model.shapes["feet"].positions) @ end.R[1].T
    slides = np.linalg.norm(feet - end.anchor, axis=1)
    assert slides == pytest.approx(slide, rel=0.3)
    assert slides.mean() == pytest.approx(slide, rel=0.02)


def test_points_that_stick_leave_integrators_their_order():
    """A block in contact swings on the anchors of its feet: their force depends on where they are, not on the step."""
    model = make_block("asperity", height=-1e-3)
    start, _ = run(model, "adams", 1e-3)
    reference, _ = run(model, "adams", 0.02, tolerance=1e-12, start=start)
    errors = [calc_distance(run(model, "rk4", 0.02, count, start=start)[0], reference) for count in (40, 80)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.4)


@pytest.mark.parametrize("integrator", [name for name, one in INTEGRATORS.items() if not one.has_memory])
def test_friction_with_memory_is_refused_by_name(integrator):
    with pytest.raises(UnsupportedError, match=rf"{integrator!r}.*contact 'ground'.*asperity.*tanh.*rk4, adams"):
        gr.simulate(make_block("asperity"), integrator=integrator, duration=0.1)
    gr.simulate(make_block("tanh"), integrator=integrator, duration=0.02)


def test_friction_does_not_turn_the_sliding_round_in_long_implicit_steps():
    """A step takes mu g h = 0.1 m/s from a block that slides with 0.02 m/s: with true slopes, which vanish where it
    slides, it would tremble with half of that for good (measured: 0.078 m/s and 0.020 m/s in turn)."""
    model = make_block("sharp", height=-2.0 * 9.81 / (4.0 * STIFFNESS), speed=0.02, slope=0.0)
    compiled, _ = prepare(model, replace(find_preset("penalty"), integrator="implicit-euler"))
    solver, state = make_integrator(compiled, "explicit", "implicit-euler"), copy_state(compiled.initial)
    speeds = []
    for _ in range(50):
        assert solver.advance(state, 1, 0.02)[0] == DONE
        speeds.append(abs(state.v[1, 0]))
    assert max(speeds) < 0.02
    assert speeds[-1] < 1e-6
