"""Contacts: closed forms on terrain, friction, exact geometry of teeth and plates."""

import numpy as np
import pytest

from grouser.compile.contact import make_terrain
from grouser.compile.state import copy_state
from grouser.integrators.solvers import make_integrator
from grouser.kernels.contact.geometry import calc_tooth_gap
from grouser.kernels.terrain.height import calc_heights
from grouser.model.builder import ModelBuilder
from grouser.model.terrain import Grid, Plane, Profile
from grouser.simulate import prepare, simulate

CORNERS = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]


def make_block(slope, friction, speed=0.0):
    """A block of 10 kg on a plane that falls along +X by `slope` [rad]."""
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    down = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    builder = ModelBuilder("block")
    half = 0.5 * slope
    builder.add_body(
        "block",
        10.0,
        (0.2, 0.2, 0.3),
        position=0.0995 * normal,
        orientation=(np.cos(half), 0.0, np.sin(half), 0.0),
        velocity=speed * down,
    )
    builder.add_shape("feet", "points", "block", group="feet", positions=CORNERS)
    builder.add_contact("ground", "feet", "terrain", stiffness=5e4, damping=500.0, friction=friction)
    builder.set_terrain({"type": "plane", "normal": tuple(normal)})
    return builder.build(), down


def test_block_sticks_without_creep_below_the_friction_angle():
    model, down = make_block(0.25, {"model": "asperity", "mu": 0.5, "stiffness": 1e5})
    result = simulate(model, duration=60.0, output_interval=1.0, step=5e-4)
    slid = (result["block.position"] - result["block.position"][0]) @ down
    # after the first seconds (elastic settling of the anchors) nothing moves any more
    assert np.ptp(slid[5:]) < 1e-6


@pytest.mark.parametrize("friction", ["tanh", "trilinear", "asperity"])
def test_block_slides_with_the_right_acceleration_above_the_friction_angle(friction):
    slope, mu = 0.5, 0.3
    model, down = make_block(slope, {"model": friction, "mu": mu, "velocity": 0.01})
    result = simulate(model, duration=2.0, output_interval=0.1)
    speed = result["block.velocity"] @ down
    fitted = np.polyfit(result.time[5:], speed[5:], 1)[0]
    assert fitted == pytest.approx(9.81 * (np.sin(slope) - mu * np.cos(slope)), rel=2e-3)
    assert abs(result["energy.residual"][-1]) < 2e-3 * result["energy.kinetic"][-1]


def test_braking_block_stops_after_the_distance_of_coulomb():
    model, _ = make_block(0.0, {"model": "asperity", "mu": 0.4, "velocity": 1e-3, "stiffness": 1e6}, speed=3.0)
    result = simulate(model, duration=1.5, output_interval=0.05)
    assert result["block.position"][-1, 0] == pytest.approx(9.0 / (2 * 0.4 * 9.81), rel=5e-3)
    lost = result["energy.dissipated_friction"][-1]
    assert lost == pytest.approx(0.5 * 10.0 * 9.0, rel=1e-2)


def test_ground_carries_the_weight_per_area_too():
    builder = ModelBuilder("plate")
    builder.add_body("plate", 10.0, (0.2, 0.2, 0.3), position=(0.0, 0.0, 0.1))
    builder.add_shape("feet", "points", "plate", group="feet", positions=CORNERS, area=0.04)
    builder.add_contact("ground", "feet", "terrain", stiffness=1e6, damping=2e4, per="area")
    builder.set_terrain({"type": "plane"})
    result = simulate(builder.build(), duration=3.0, output_interval=0.1)
    assert result["ground.normal"][-1] == pytest.approx(98.1, rel=1e-3)
    assert result["ground.penetration"][-1] == pytest.approx(98.1 / 4 / (1e6 * 0.04), rel=1e-2)
    assert result["ground.count"][-1] == 4


def make_rolling_wheel(mu):
    builder = ModelBuilder("wheel")
    builder.add_body(
        "wheel", 5.0, (0.05, 0.1, 0.05), position=(0.0, 0.0, 0.2 - 5 * 9.81 / 2e5), velocity=(2.0, 0.0, 0.0)
    )
    builder.add_shape("rim", "wheel", "wheel", group="rim", radius=0.2, planes=[-0.05, 0.05])
    builder.add_contact(
        "ground", "rim", "terrain", stiffness=1e5, damping=200.0, friction={"mu": mu, "velocity": 0.005}
    )
    builder.set_terrain({"type": "plane"})
    return builder.build()


def test_sliding_wheel_ends_rolling_with_the_speed_of_the_closed_form():
    """A disc that starts sliding ends at v = v0 / (1 + I / (m r^2)) whatever the friction."""
    result = simulate(make_rolling_wheel(0.4), duration=2.0, output_interval=0.05)
    expected = 2.0 / (1.0 + 0.1 / (5.0 * 0.2**2))
    assert result["wheel.velocity"][-1, 0] == pytest.approx(expected, rel=3e-3)
    assert result["wheel.angular_velocity"][-1, 1] * 0.2 == pytest.approx(expected, rel=5e-3)


def test_restitution_of_a_linear_contact():
    """A ball point that bounces: coefficient of restitution of a linear damped contact cut at zero force
    (closed form of the half oscillation with cut at F = 0)."""
    m, k, c, v0 = 1.0, 1e5, 40.0, -1.0
    builder = ModelBuilder("bounce", gravity=(0.0, 0.0, 0.0))
    builder.add_body("ball", m, (1.0, 1.0, 1.0), position=(0.0, 0.0, 1e-9), velocity=(0.0, 0.0, v0))
    builder.add_shape("foot", "points", "ball", group="foot", positions=[(0.0, 0.0, 0.0)])
    builder.add_contact("ground", "foot", "terrain", stiffness=k, damping=c)
    builder.set_terrain({"type": "plane"})
    result = simulate(builder.build(), duration=0.05, step=1e-6, output_interval=0.01)
    omega, zeta = np.sqrt(k / m), c / (2 * np.sqrt(k * m))
    damped = omega * np.sqrt(1 - zeta**2)
    # force k d + c dd vanishes when tan(damped t) = -2 zeta sqrt(1 - zeta^2) / (1 - 2 zeta^2)
    end = (np.pi - np.arctan(2 * zeta * np.sqrt(1 - zeta**2) / (1 - 2 * zeta**2))) / damped
    rate = np.exp(-zeta * omega * end) * (np.cos(damped * end) - zeta / np.sqrt(1 - zeta**2) * np.sin(damped * end))
    assert result["ball.velocity"][-1, 2] == pytest.approx(-rate * abs(v0), rel=1e-3)


@pytest.mark.parametrize("depth", [1e-5, 5e-4, 1e-3, 2e-3])
def test_damping_grows_in_over_a_depth(depth):
    """A mass that meets the ground at 2 m/s: k d + c r^2 (3 - 2 r) v, r = d/1e-3 up to 1."""
    builder = ModelBuilder("drop")
    builder.add_body("mass", 10.0, (0.1, 0.1, 0.1), position=(0.0, 0.0, -depth), velocity=(0.0, 0.0, -2.0))
    builder.add_shape("foot", "points", "mass", group="foot", positions=[(0.0, 0.0, 0.0)])
    builder.add_contact("ground", "foot", "terrain", stiffness=5e4, damping=500.0, damping_depth=1e-3)
    builder.set_terrain({"type": "plane"})
    result = simulate(builder.build(), duration=1e-4, output_interval=1e-4)
    ratio = min(depth / 1e-3, 1.0)
    expected = 5e4 * depth + 500.0 * ratio**2 * (3.0 - 2.0 * ratio) * 2.0
    assert result["ground.normal"][0] == pytest.approx(expected, rel=1e-9)


def test_a_wheel_that_goes_round_with_its_body_is_found_in_time():
    """A wheel on an arm that turns at 20 rad/s strikes the ground: searching in every step finds no more of it."""
    builder = ModelBuilder("flail")
    builder.add_body("arm", 50.0, (5.0, 5.0, 5.0), position=(0.0, 0.0, 1.0), angular_velocity=(0.0, 20.0, 0.0))
    builder.add_joint("axle", "revolute", "world", "arm", point=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0))
    builder.add_shape("wheel", "wheel", "arm", group="wheel", position=(0.85, 0.0, 0.0), radius=0.2)
    builder.add_contact("ground", "wheel", "terrain", stiffness=2e4, damping=100.0, friction={"mu": 0.2})
    builder.set_terrain({"type": "plane"})
    compiled, stable = prepare(builder.build())
    solver = make_integrator(compiled, "explicit", "trapezoidal")
    count = 1000
    step = 0.12 / count
    assert step < stable.step
    together, apart = copy_state(compiled.initial), copy_state(compiled.initial)
    solver.advance(together, count, step)
    touched = 0
    for _ in range(count):
        solver.advance(apart, 1, step)
        touched += solver.work.touch_start[-1]
    assert touched > 10
    assert together.x == pytest.approx(apart.x, abs=1e-9)
    assert together.w == pytest.approx(apart.w, abs=1e-6)


def test_terrains_answer_height_normal_and_friction_in_bulk():
    points = np.array([[0.5, 0.0], [1.5, 0.3], [5.0, 0.9]])
    height, normal, friction = np.zeros(3), np.zeros((3, 3)), np.zeros(3)
    profile = Profile(points=[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], friction=0.7)
    calc_heights(make_terrain(profile), points, height, normal, friction)
    assert height == pytest.approx([0.5, 0.5, 0.0])
    assert normal[0] == pytest.approx(np.array([-1.0, 0.0, 1.0]) / np.sqrt(2))
    assert friction == pytest.approx([0.7] * 3)
    grid = Grid(origin=(0.0, 0.0), spacing=(1.0, 1.0), heights=[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    calc_heights(make_terrain(grid), points, height, normal, friction)
    assert height == pytest.approx([1.0, 3.3, 4.9])
    slope = Plane(point=(0.0, 0.0, 1.0), normal=(-1.0, 0.0, 1.0))
    calc_heights(make_terrain(slope), points, height, normal, friction)
    assert height == pytest.approx([1.5, 2.5, 6.0])


def test_tooth_gap_is_the_distance_to_the_profile():
    """Signed distance against a dense sampling of the profile: arc, corner, land."""
    arc, centre, tip, pin, teeth = 0.056, 0.267, 0.2598, 0.02, 10
    half = np.pi / teeth
    corner = np.arccos((tip**2 + centre**2 - arc**2) / (2 * tip * centre))
    chord = np.arctan2(tip * np.sin(corner), centre - tip * np.cos(corner))
    turn = np.linspace(-chord, chord, 4001)
    land = np.linspace(corner, 2 * half - corner, 1001)
    outline = [np.column_stack([centre - arc * np.cos(turn), arc * np.sin(turn)])]
    for side in (1.0, -1.0):
        outline.append(np.column_stack([tip * np.cos(land), side * tip * np.sin(land)]))
    outline = np.concatenate(outline)
    rng = np.random.default_rng(3)
    checked = 0
    while checked < 300:
        angle, radius = rng.uniform(-half, half), rng.uniform(0.225, 0.29)
        u, w = radius * np.cos(angle), radius * np.sin(angle)
        inside_gap = np.hypot(u - centre, w) < arc and abs(angle) < half
        if not (inside_gap or radius > tip):
            continue
        depth, nu, nw = calc_tooth_gap(u, w, arc, centre, tip, pin, tip * np.cos(corner), tip * np.sin(corner))
        nearest = np.hypot(*(outline - [u, w]).T).min()
        assert depth == pytest.approx(pin - nearest, abs=2e-5)
        assert np.hypot(nu, nw) == pytest.approx(1.0)
        checked += 1


def test_stiff_anchors_are_part_of_the_stable_step():
    model, _ = make_block(0.2, {"model": "asperity", "mu": 0.5, "stiffness": 1e7})
    result = simulate(model, duration=3.0, output_interval=0.1)
    assert np.abs(result["block.velocity"][-10:]).max() < 1e-6


def test_friction_memory_does_not_depend_on_the_output_frames():
    """The same steps in chunks of 1, 10 and 1000 give the same state."""
    model, _ = make_block(0.25, {"model": "asperity", "mu": 0.5, "stiffness": 1e5})
    compiled, _ = prepare(model)
    ends = []
    for chunk in (1000, 10, 1):
        state, solver = copy_state(compiled.initial), make_integrator(compiled, "explicit", "trapezoidal")
        for _ in range(1000 // chunk):
            solver.advance(state, chunk, 5e-4)
        ends.append(state.x[1].copy())
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)
    assert ends[2] == pytest.approx(ends[0], abs=1e-9)


def test_forces_of_contacts_on_a_body_are_the_sum_of_its_contacts():
    slope = 0.5
    model, down = make_block(slope, {"model": "tanh", "mu": 0.3, "velocity": 0.01}, speed=1.0)
    result = simulate(model, duration=0.3)
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    force = result["block.contact_force"]
    assert force @ normal == pytest.approx(result["ground.normal"])
    assert force @ down == pytest.approx(result["ground.friction"] @ down)
    assert (force @ normal)[-1] == pytest.approx(10.0 * 9.81 * np.cos(slope), rel=1e-3)


def test_depth_moves_on_with_the_corrector():
    """Contact forces at the end of a step, where the points of the predictor serve again, are those of the state."""
    model, _ = make_block(0.5, {"model": "tanh", "mu": 0.3, "velocity": 0.01}, speed=1.0)
    compiled, _ = prepare(model)
    state, solver = copy_state(compiled.initial), make_integrator(compiled, "explicit", "trapezoidal")
    for steps in (1, 7, 40):
        solver.advance(state, steps, 1e-3)
        reused = solver.work.contact_sum.copy()
        held = solver.work.touch[:4, 0].copy()
        solver.advance(state, 0, 1e-3)
        assert reused[0, 4] == solver.work.contact_sum[0, 4] == 4
        found = solver.work.touch[:4, 0]
        assert reused == pytest.approx(solver.work.contact_sum, rel=1e-4)
        # the points alone would not do
        assert np.abs(held - found).max() > 100 * abs(reused[0, 5] - found.max())


def make_wheel_on_plate(tilt, height, wheel_first=True, friction=None):
    """A wheel at rest above a free plate that is rolled about X by `tilt`."""
    builder = ModelBuilder("wheel and plate", gravity=(0.0, 0.0, 0.0))
    builder.add_body("wheel", 2.0, (0.1, 0.1, 0.1), position=(0.02, 0.0, height), angular_velocity=(0.0, 3.0, 0.0))
    builder.add_body(
        "link",
        5.0,
        (0.2, 0.2, 0.2),
        orientation=(np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0),
        velocity=(0.1, 0.05, 0.4),
    )
    builder.add_shape("rim", "wheel", "wheel", group="rims", radius=0.3, planes=[0.0])
    builder.add_shape("face", "plate", "link", group="faces", length=0.15, width=0.4)
    sides = ("rims", "faces") if wheel_first else ("faces", "rims")
    builder.add_contact("contact", *sides, stiffness=1e5, damping=20.0, friction=friction)
    return builder.build()


@pytest.mark.parametrize("tilt", [0.0, 0.1, 0.2])
def test_wheel_touches_a_tilted_plate_exactly_when_its_rim_does(tilt):
    """In the plane of the disc the plate is a line at the height of its middle: it touches where height = radius."""
    for height, touches in ((0.3005, False), (0.2995, True)):
        result = simulate(make_wheel_on_plate(tilt, height), duration=0.002, output_interval=0.001)
        assert bool(result["contact.count"][0]) == touches
        assert result["contact.penetration"][0] == pytest.approx(0.0005 * np.cos(tilt) if touches else 0.0, abs=1e-9)


@pytest.mark.parametrize("friction", [None, {"mu": 0.4}, {"model": "asperity", "mu": 0.4, "stiffness": 1e5}])
@pytest.mark.parametrize("tilt", [0.0, 0.15])
def test_bodies_in_contact_keep_momentum_and_balance_energy(tilt, friction):
    model = make_wheel_on_plate(tilt, 0.301, friction=friction)
    result = simulate(model, duration=0.3, step=2e-5, output_interval=0.01)
    masses = np.array([body.mass for body in model.bodies.values()])
    velocity = np.stack([result["wheel.velocity"], result["link.velocity"]])
    momentum = np.einsum("b,bti->ti", masses, velocity)
    assert result["contact.count"].max() == 1
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-9)
    assert np.abs(result["energy.residual"]).max() < 2e-3 * result["energy.kinetic"][0]


def test_friction_channel_is_the_force_on_side_a_whichever_comes_first():
    forces = [
        simulate(
            make_wheel_on_plate(0.0, 0.2995, wheel_first=first, friction={"mu": 0.4}),
            duration=0.002,
            output_interval=0.001,
        )["contact.friction"][0]
        for first in (True, False)
    ]
    assert np.linalg.norm(forces[0]) > 1.0
    assert forces[1] == pytest.approx(-forces[0])


def test_horn_is_kept_between_the_discs():
    """A horn driven sideways comes back with its speed reversed, less the loss of the damper, and momentum is kept."""
    builder = ModelBuilder("guide", gravity=(0.0, 0.0, 0.0))
    builder.add_body("wheel", 50.0, (1.0, 1.0, 1.0))
    builder.add_body("link", 5.0, (0.2, 0.2, 0.2), position=(0.0, 0.0, -0.25), velocity=(0.0, 0.5, 0.0))
    builder.add_shape("rim", "wheel", "wheel", group="rims", radius=0.3, groove=0.03)
    builder.add_shape("horn", "horn", "link", group="horns", position=(0.0, 0.0, 0.0), half_width=0.01)
    builder.add_contact("guide", "rims", "horns", stiffness=1e5)
    result = simulate(builder.build(), duration=0.1, output_interval=0.001)
    y = result["link.position"][:, 1] - result["wheel.position"][:, 1]
    assert y.max() < 0.03
    assert result["link.velocity"][-1, 1] < 0.0
    assert 50 * result["wheel.velocity"][-1, 1] + 5 * result["link.velocity"][-1, 1] == pytest.approx(2.5, abs=1e-9)
