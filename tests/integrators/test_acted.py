"""What results show of forces is what acted: impulses are changes of momentum, friction keeps its limit, brakes hold.

Every integrator that a formulation takes is asked, at its default settings or at the step of a case.
"""

from dataclasses import replace
from math import cos, radians, sin

import numpy as np
import pytest

import grouser as gr
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.declarations import INTEGRATORS
from grouser.integrators.solvers import make_integrator
from grouser.presets import find_preset
from grouser.simulate import prepare

PRESETS = {"explicit": "penalty", "augmented": "constrained", "recursive": "recursive", "embedded": "embedded"}
WAYS = [
    (formulation, name)
    for formulation in PRESETS
    for name, one in INTEGRATORS.items()
    if formulation in one.formulations and one.has_memory
]
"""Every formulation with the integrators that step it and carry friction with memory."""
STEPPED = [(formulation, name) for formulation, name in WAYS if formulation == "explicit" and name != "adams"]
IMPLICIT = [(formulation, name) for formulation, name in WAYS if INTEGRATORS[name].is_implicit]
G = 9.81


def make_preset(formulation, integrator):
    return replace(find_preset(PRESETS[formulation]), integrator=integrator, step=None, tolerance=None)


def simulate(model, formulation, integrator, duration, **options):
    return gr.simulate(model, preset=make_preset(formulation, integrator), duration=duration, settle=False, **options)


def make_slider(mu, speed=0.0, slope=0.0):
    """A block with four feet in contact, their anchors as unknown as at any first touch, on ground that falls along
    x."""
    down, up = np.array([cos(slope), 0.0, -sin(slope)]), np.array([sin(slope), 0.0, cos(slope)])
    builder = gr.ModelBuilder("slider")
    turned = (cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0)
    sunk = 10.0 * G * cos(slope) / (4.0 * 1e5)
    builder.add_body("block", 10.0, (0.4, 0.5, 0.6), position=(0.02 - sunk) * up, orientation=turned,
                     velocity=speed * down)  # fmt: skip
    feet = [(x, y, -0.02) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    builder.add_shape("feet", "points", "block", group="feet", positions=feet)
    builder.set_terrain({"type": "plane", "normal": tuple(up)})
    friction = {"model": "asperity", "mu": mu, "velocity": 0.05, "stiffness": 1e5}
    builder.add_contact("ground", "feet", "terrain", stiffness=1e5, damping=1e3, friction=friction)
    return builder.build()


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
def test_friction_with_memory_brakes_a_sliding_block_by_its_limit(formulation, integrator):
    """From 5 m/s at mu = 0.4, mu g t is lost."""
    result = simulate(make_slider(0.4, speed=5.0), formulation, integrator, 1.0)
    speed = result["block.velocity.x"]
    assert speed[-1] == pytest.approx(5.0 - 0.4 * G, rel=0.01)
    assert speed[1] == pytest.approx(5.0 - 0.4 * G * 0.01, abs=0.01 * 0.4 * G)
    assert result["ground.friction.x"][50:].mean() == pytest.approx(-0.4 * 10.0 * G, rel=0.01)


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
def test_friction_with_memory_lets_a_block_slide_down_a_steep_slope(formulation, integrator):
    slope = radians(40.0)
    result = simulate(make_slider(0.6, slope=slope), formulation, integrator, 1.0)
    velocity = np.array([result[f"block.velocity.{axis}"][-1] for axis in "xyz"])
    assert np.linalg.norm(velocity) == pytest.approx(G * (sin(slope) - 0.6 * cos(slope)), rel=0.01)


@pytest.mark.parametrize(("formulation", "integrator"), IMPLICIT)
def test_friction_does_not_depend_on_how_often_a_frame_is_written(formulation, integrator):
    ends = [
        simulate(make_slider(0.4, speed=5.0), formulation, integrator, 0.3, output_interval=interval)
        for interval in (0.003, 0.1)
    ]
    near, far = (float(result["block.velocity.x"][-1]) for result in ends)
    assert near == pytest.approx(far, abs=0.01 * 0.4 * G * 0.3)


def make_everything():
    """Bodies with a revolute joint, a slide, friction in both, a bushing, a spring, a drive, a wheel with a brake, feet
    on the ground and a wheel that rolls on a plate: every family of forces with slopes, moving."""
    builder = gr.ModelBuilder("everything")
    builder.add_body("hull", 40.0, (2.0, 3.0, 4.0), position=(0.0, 0.0, 0.299), velocity=(1.0, 0.1, -0.3))
    builder.add_body("arm", 4.0, (0.05, 0.06, 0.07), position=(0.5, 0.0, 0.5), angular_velocity=(0.0, 2.0, 0.0))
    builder.add_body("wheel", 3.0, (0.02, 0.03, 0.02), position=(0.8, 0.3, 0.5), angular_velocity=(0.0, 30.0, 0.0))
    builder.add_body("mast", 2.0, (0.03, 0.03, 0.01), position=(-0.3, 0.0, 0.9))
    builder.add_body("box", 5.0, (0.05, 0.05, 0.05), position=(-0.6, 0.2, 0.6))
    builder.add_joint("hinge", "revolute", "hull", "arm", point=(0.2, 0.0, 0.5), axis=(0.0, 1.0, 0.0))
    builder.add_joint("axle", "revolute", "arm", "wheel", point=(0.8, 0.3, 0.5), axis=(0.0, 1.0, 0.0))
    builder.add_joint("slide", "prismatic", "hull", "mast", point=(-0.3, 0.0, 0.9), axis=(0.0, 0.0, 1.0))
    builder.add_bushing("mount", "hull", "box", point=(-0.5, 0.2, 0.6), stiffness=(2e4, 2e4, 3e4, 200.0, 200.0, 300.0),
                        damping=(50.0, 50.0, 60.0, 1.0, 1.0, 1.0))  # fmt: skip
    builder.add_spring("strut", "hull", "arm", point_a=(0.1, 0.0, 0.8), point_b=(0.6, 0.0, 0.55), stiffness=8e3,
                       damping=200.0)  # fmt: skip
    builder.add_joint_spring("lift", "slide", stiffness=3e3, damping=20.0)
    builder.add_brake("brake", "axle", torque=20.0, pedal=0.7)
    builder.add_joint_friction("rub", "slide", constant=15.0, presliding=1e-3)
    builder.add_joint_friction("bearing", "hinge", mu=0.2, radius=0.02, sliding_speed=0.5)
    builder.add_shape("feet", "points", "hull", group="feet",
                      positions=[(x, y, -0.3) for x in (-0.4, 0.4) for y in (-0.3, 0.3)])  # fmt: skip
    builder.set_terrain({"type": "plane"})
    friction = {"model": "asperity", "mu": 0.5, "velocity": 0.05, "stiffness": 1e5}
    builder.add_contact("ground", "feet", "terrain", stiffness=5e4, damping=500.0, friction=friction)
    builder.add_shape("tread", "wheel", "wheel", group="tread", radius=0.25, planes=(-0.05, 0.05))
    builder.add_shape("plate", "plate", "box", group="plate", position=(1.4, 0.1, -0.348), length=0.5, width=0.5)
    builder.add_contact("touch", "tread", "plate", stiffness=2e4, damping=50.0, friction={"mu": 0.3})
    return builder.build()


def calc_momenta(compiled, state):
    body = compiled.tables.node
    spin = np.einsum("nij,njk,nk->ni", state.R, body.inertia, state.w)
    return np.concatenate([body.mass[:, None] * state.v, spin], axis=1)


def calc_shown_forces(compiled, state, work):
    """Forces and torques about the centres of mass on all bodies, from what is shown of every family."""
    tables, layout, model = compiled.tables, compiled.layout, compiled.model
    total = np.zeros((len(layout.nodes), 6))
    total[1:, :3] = tables.node.mass[1:, None] * tables.node.gravity + work.contact_force[1:]

    def add_pair(a, b, point, force, torque):
        for body, sign in ((a, -1.0), (b, 1.0)):
            total[body, :3] += sign * force
            total[body, 3:] += sign * (np.cross(point - state.x[body], force) + torque)

    for table in (tables.point, tables.frame):
        for i, joint in enumerate(table.joint):
            b = table.body_b[i]
            point = state.x[b] + state.R[b] @ table.p_b[i]
            add_pair(table.body_a[i], b, point, work.joint_force[joint], work.joint_moment[joint])
    for i, name in enumerate(layout.scalars):
        table = tables.scalar
        a, b = table.body_a[i], table.body_b[i]
        point, force = state.x[b] + state.R[b] @ table.p_b[i], work.scalar_value[i, 0]
        axis = state.R[a] @ table.frame_a[i][:, 2]
        if getattr(model.forces[name], "type", "") == "spring":
            line = point - state.x[a] - state.R[a] @ table.p_a[i]
            axis = line / np.linalg.norm(line)
        add_pair(a, b, point, force * axis, 0.0)
    for i in range(len(layout.names["brake"])):
        axis = state.R[tables.brake.body[i]] @ tables.brake.axis[i]
        add_pair(tables.brake.reaction[i], tables.brake.body[i], 0.0 * axis, 0.0 * axis, work.brake_value[i, 0] * axis)
    for i, (force, torque) in enumerate(work.joint_friction_value[:, :2]):
        table = tables.joint_friction
        a, b = table.body_a[i], table.body_b[i]
        point, axis = state.x[b] + state.R[b] @ table.p_b[i], state.R[a] @ table.frame_a[i][:, 2]
        add_pair(a, b, point, force * axis, torque * axis)
    total[0] = 0.0  # the world
    return total


@pytest.mark.parametrize("integrator", ["euler", "leapfrog", "implicit-euler", "implicit-extrapolated", "sdirk"])
def test_shown_forces_are_changes_of_momentum(integrator):
    """Explicit schemes show the forces of a state, which act in the step that begins there; so do linearly implicit
    Euler steps. The others show those of the step that ends. Torques are compared at bodies that touch nothing: of
    contacts no lever is shown."""
    compiled, _ = prepare(make_everything(), make_preset("explicit", integrator))
    solver = make_integrator(compiled, "explicit", integrator, has_step=True)
    state, step = copy_state(compiled.initial), 2e-5
    assert solver.advance(state, 500, step)[0] == DONE
    is_ahead = integrator in ("euler", "leapfrog", "implicit-euler")
    shown, before = calc_shown_forces(compiled, state, solver.work), copy_state(state)
    assert solver.advance(state, 1, step)[0] == DONE
    after = calc_shown_forces(compiled, state, solver.work)
    if integrator == "leapfrog":  # a call of one step takes half of each
        shown = 0.5 * (shown + after)
    elif not is_ahead:
        shown = after
    change = (calc_momenta(compiled, state) - calc_momenta(compiled, before)) / step
    largest = np.abs(shown).max()
    assert largest > 500.0
    # what damps acts half a step late in leapfrog steps
    accuracy = 1e-3 if integrator == "leapfrog" else 1e-7
    assert np.abs(shown[:, :3] - change[:, :3]).max() < accuracy * largest
    free = [compiled.layout.find_body(name) for name in ("arm", "mast")]
    assert np.abs(shown - change)[free].max() < max(accuracy, 2e-6) * largest


@pytest.mark.parametrize("integrator", ["implicit-euler", "implicit-extrapolated", "sdirk"])
@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_shown_forces_are_changes_of_momentum_in_long_implicit_steps(integrator, step):
    """Steps far beyond the stable one, in which the forces of a state are far from those that act."""
    compiled, _ = prepare(make_everything(), make_preset("explicit", integrator))
    solver = make_integrator(compiled, "explicit", integrator, has_step=True)
    state = copy_state(compiled.initial)
    for _ in range(40):
        shown, before = calc_shown_forces(compiled, state, solver.work)[:, :3], copy_state(state)
        assert solver.advance(state, 1, step)[0] == DONE
        if integrator != "implicit-euler":
            shown = calc_shown_forces(compiled, state, solver.work)[:, :3]
        elif not state.time[0] > 1.5 * step:
            continue  # nothing was evaluated before the first step
        change = (calc_momenta(compiled, state) - calc_momenta(compiled, before))[:, :3] / step
        # directions of joints turn while a step acts with several of them
        accuracy = 1e-6 if integrator == "implicit-euler" else 1e-3
        strut = [compiled.layout.find_body(name) for name in ("hull", "arm")]
        others = [i for i in range(len(shown)) if i not in strut]
        assert np.abs(shown - change)[others].max() < accuracy * np.abs(shown).max()
        assert np.abs(shown - change)[strut].max() < (accuracy + 0.01) * np.abs(shown).max()


@pytest.mark.parametrize(("formulation", "integrator"), [way for way in WAYS if way[1] != "adams"])
def test_the_moment_of_a_spinning_wheel_on_a_turntable_is_shown(formulation, integrator):
    """A wheel with the moment of inertia J spins at w and its axle turns at W: the axle carries J w W, about the axis
    across both."""
    spin, turn, inertia = 40.0, 1.0, 2.0
    builder = gr.ModelBuilder("turntable", gravity=(0.0, 0.0, 0.0))
    builder.add_body("table", 20.0, (1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, turn))
    builder.add_body("wheel", 35.0, (1.1, inertia, 1.1), angular_velocity=(0.0, spin, turn))
    builder.add_joint("pivot", "revolute", "world", "table", point=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    builder.add_joint("axle", "revolute", "table", "wheel", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    result = simulate(builder.build(), formulation, integrator, 0.5)
    # long implicit steps of stiff bearings slow the table down: see docs/theory/integrators.md
    expected = inertia * result["wheel.angular_velocity.y"][10:] * result["table.angular_velocity.z"][10:]
    slowed = 0.2 if INTEGRATORS[integrator].is_implicit else 0.03 if integrator == "euler" else 0.001
    assert expected == pytest.approx(inertia * spin * turn, rel=slowed)
    for joint in ("axle", "pivot"):
        moment = np.linalg.norm([result[f"{joint}.torque.{axis}"][10:] for axis in "xy"], axis=0)
        assert moment.mean() == pytest.approx(expected.mean(), rel=0.01)


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
def test_a_brake_holds_a_standing_wheel(formulation, integrator):
    """Under 100 N m it stands, and the brake shows -100 N m."""
    builder = gr.ModelBuilder("braked", gravity=(0.0, 0.0, 0.0))
    builder.add_body("wheel", 30.0, (0.6, 1.0, 0.6))
    builder.add_joint("axle", "revolute", "world", "wheel", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    builder.add_brake("brake", "axle", torque=2000.0, pedal=1.0)
    builder.add_force("load", "wheel", torque=(0.0, 100.0, 0.0))
    result = simulate(builder.build(), formulation, integrator, 1.5)
    assert result["brake.torque"][-20:] == pytest.approx(-100.0, rel=0.01)
    assert abs(result["wheel.angular_velocity.y"][-1]) < 1e-3
