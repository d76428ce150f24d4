"""Forces that the default run of a tracked vehicle shows: impulses are changes of momentum, link by link."""

import numpy as np
import pytest

import grouser as gr
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.solvers import make_integrator
from grouser.presets import find_preset
from grouser.simulate import prepare

RAMP = [[0.0, 0.0], [0.3, 12.0], [1.0, 12.0]]
STEP = 1.0e-3


@pytest.fixture(scope="module")
def driven():
    """An M113 that has come to speed, and the solver of its default preset with one step a call."""
    model = gr.vehicles.m113(drives={"left": RAMP, "right": RAMP})
    preset = find_preset("implicit")
    compiled, _ = prepare(model, preset)
    solver = make_integrator(compiled, preset.formulation, preset.integrator, has_step=True)
    state = copy_state(gr.settle(model, preset=preset))
    assert solver.advance(state, 350, STEP)[0] == DONE
    return compiled, solver, state


def calc_link_forces(compiled, state, work):
    """Pins, contacts and weight of all bodies that nothing else acts on: the links."""
    layout, point, body = compiled.layout, compiled.tables.point, compiled.tables.node
    total = np.zeros((len(layout.bodies) + 1, 3))
    total[1:] = body.mass[1:, None] * body.gravity + work.contact_force[1:]
    np.add.at(total, point.body_b, work.joint_force[point.joint])
    np.add.at(total, point.body_a, -work.joint_force[point.joint])
    links = [i for i, name in enumerate(layout.nodes) if ".link" in name]
    return links, total[links]


def test_links_get_the_momentum_of_the_forces_that_are_shown(driven):
    compiled, solver, start = driven
    state, mass = copy_state(start), compiled.tables.node.mass
    for _ in range(20):
        before = state.v.copy()
        assert solver.advance(state, 1, STEP)[0] == DONE
        links, shown = calc_link_forces(compiled, state, solver.work)
        change = mass[links, None] * (state.v[links] - before[links]) / STEP
        largest = np.abs(solver.work.joint_force).max()
        assert np.abs(shown - change).max() < 1e-3 * largest


def test_repeated_runs_are_identical_to_the_last_bit():
    model = gr.vehicles.m113(drives={"left": RAMP, "right": RAMP})
    start = gr.settle(model)
    one, two = (gr.simulate(model, duration=0.5, initial=start) for _ in range(2))
    for name in ("body/position", "body/velocity", "link/tension", "energy/residual"):
        np.testing.assert_array_equal(one.block(name)[0], two.block(name)[0])


def test_frames_do_not_move_a_run_beyond_its_tolerance():
    """It starts with 1 g, and lifts its front by 0.2 m. Way and speed are within 0.5 %, as default runs promise."""
    model = gr.vehicles.m113(drives={"left": RAMP, "right": RAMP})
    start = gr.settle(model)
    near, far = (gr.simulate(model, duration=0.6, initial=start, output_interval=one) for one in (0.01, 0.06))
    way = near["chassis.position"][-1] - near["chassis.position"][0]
    assert np.linalg.norm(far["chassis.position"][-1] - near["chassis.position"][-1]) < 5e-3 * np.linalg.norm(way)
    speed = np.linalg.norm(near["chassis.velocity"], axis=1).max()
    assert far["chassis.velocity"][-1] == pytest.approx(near["chassis.velocity"][-1], abs=5e-3 * speed)
