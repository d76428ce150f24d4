"""Spheres: closed forms of standing, rolling, bouncing and hitting, on planes, plates, each other and rough ground."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from grouser.compile.state import copy_state
from grouser.errors import ModelError
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder
from grouser.output.scene import make_scene
from grouser.output.side_view import make_side_view
from grouser.simulate import prepare, simulate

MASS, RADIUS, STIFFNESS, GRAVITY = 2.0, 0.1, 1e5, 9.81
INERTIA = 0.4 * MASS * RADIUS**2
SINK = MASS * GRAVITY / STIFFNESS
"""Static penetration of a ball [m]."""
FRICTIONS = {
    "tanh": {"model": "tanh", "mu": 0.6, "velocity": 1e-3},
    "trilinear": {"model": "trilinear", "mu": 0.6, "velocity": 1e-3},
    "asperity": {"model": "asperity", "mu": 0.6, "velocity": 1e-2, "stiffness": 1e5},
}


def add_ball(builder, name="ball", group="balls", radius=RADIUS, position=(0.0, 0.0, 0.0), **fields):
    """A solid ball whose body has its origin off its centre: shapes are placed from the origin."""
    offset = np.array([0.03, -0.02, 0.01])
    builder.add_body(name, MASS, (INERTIA,) * 3, position=np.array(position) - offset, com=offset, **fields)
    builder.add_shape(f"{name}.skin", "sphere", name, group=group, position=offset, radius=radius)
    return offset


def read_centre(result, name="ball"):
    rotation = result.calc_rotations([name])[:, 0]
    return result[f"{name}.position"] + rotation @ np.array(result.model.bodies[name].com)


def make_slope(angle):
    """Unit normal of a plane that falls along x, and its line of fall."""
    return np.array([np.sin(angle), 0.0, np.cos(angle)]), np.array([np.cos(angle), 0.0, -np.sin(angle)])


def test_a_sphere_stands_as_deep_as_the_weight_presses_it():
    builder = ModelBuilder("standing")
    add_ball(builder, position=(0.0, 0.0, RADIUS))
    builder.add_contact("ground", "balls", "terrain", stiffness=STIFFNESS, damping=500.0)
    builder.set_terrain({"type": "plane"})
    result = simulate(builder.build(), duration=0.5)
    assert RADIUS - read_centre(result)[-1, 2] == pytest.approx(SINK, rel=1e-6)
    assert result["ground.normal"][-1] == pytest.approx(MASS * GRAVITY, rel=1e-6)


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("ground", ["plane", "profile", "grid", "plate"])
def test_a_solid_sphere_rolls_down_a_slope_with_five_sevenths(ground, friction):
    angle = 0.3
    up, down = make_slope(angle)
    builder = ModelBuilder("rolling")
    builder.add_body("rest", 1.0, (1.0, 1.0, 1.0), position=(0.0, 5.0, 0.0))
    builder.add_joint("fixed", "fixed", "world", "rest")
    add_ball(builder, position=(RADIUS - SINK * np.cos(angle)) * up)
    if ground == "plate":
        turned = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
        builder.add_shape("ramp", "plate", "world", group="ramps", orientation=turned, length=20.0, width=1.0)
    fall = -np.tan(angle)
    terrain = {
        "plane": {"type": "plane", "normal": tuple(up)},
        "profile": {"type": "profile", "points": [(-5.0, -5.0 * fall), (5.0, 5.0 * fall)]},
        "grid": {"type": "grid", "origin": (-5.0, -5.0), "spacing": (10.0, 10.0),
                 "heights": [[-5.0 * fall] * 2, [5.0 * fall] * 2]},
    }  # fmt: skip
    if ground != "plate":
        builder.set_terrain(terrain[ground])
    other = "ramps" if ground == "plate" else "terrain"
    builder.add_contact("ground", "balls", other, stiffness=STIFFNESS, damping=200.0, friction=FRICTIONS[friction])
    result = simulate(builder.build(), duration=1.0, output_interval=0.05)
    late = result.time > 0.3
    speed = np.gradient(read_centre(result) @ down, result.time)[late][1:-1]
    rate = np.polyfit(result.time[late][1:-1], speed, 1)[0]
    assert rate == pytest.approx(5.0 / 7.0 * GRAVITY * np.sin(angle), rel=2e-3)
    spin = result["ball.angular_velocity"][late][1:-1]
    assert np.linalg.norm(spin, axis=1) * RADIUS == pytest.approx(speed, rel=2e-3, abs=2e-3)
    assert abs(result["energy.residual"][-1]) < 1e-3 * result["energy.kinetic"][-1]


def test_friction_with_memory_holds_a_sphere_that_cannot_roll():
    """Two spheres on one body stand on a slope: the anchors do not creep."""
    up, down = make_slope(0.25)
    builder = ModelBuilder("standing")
    builder.add_body("sled", MASS, (0.05, 0.05, 0.05), position=RADIUS * up)
    for name, y, x in (("left", 0.3, 0.2), ("right", -0.3, 0.2), ("rear", 0.0, -0.2)):
        builder.add_shape(name, "sphere", "sled", group="feet", position=x * down + [0.0, y, 0.0], radius=RADIUS)
    friction = {"model": "asperity", "mu": 0.5, "stiffness": 1e5}
    builder.add_contact("ground", "feet", "terrain", stiffness=STIFFNESS, damping=500.0, friction=friction)
    builder.set_terrain({"type": "plane", "normal": tuple(up)})
    slid = simulate(builder.build(), duration=10.0, output_interval=0.5)["sled.position"] @ down
    assert np.ptp(slid[4:]) < 1e-6


def test_a_sphere_bounces_with_the_restitution_of_a_damped_spring():
    """Impact of the damped oscillator k, c without gravity; the force never pulls (Hunt's and others' closed form)."""
    damping, speed = 60.0, 2.0
    builder = ModelBuilder("bouncing", gravity=(0.0, 0.0, 0.0))
    add_ball(builder, position=(0.0, 0.0, RADIUS), velocity=(0.0, 0.0, -speed))
    builder.add_contact("ground", "balls", "terrain", stiffness=STIFFNESS, damping=damping)
    builder.set_terrain({"type": "plane"})
    result = simulate(builder.build(), duration=0.05, output_interval=1e-3, step=2e-6)
    decay, free = damping / (2.0 * MASS), np.sqrt(STIFFNESS / MASS)
    damped = np.sqrt(free**2 - decay**2)
    # the force k x + c v is zero where tan(damped t) = 2 decay damped/(2 decay^2 - free^2), in the second quadrant
    time = np.arctan2(2.0 * decay * damped, 2.0 * decay**2 - free**2) / damped
    depth = speed / damped * np.exp(-decay * time) * np.sin(damped * time)
    left = speed * np.exp(-decay * time) * np.cos(damped * time) - decay * depth
    assert result["ball.velocity"][-1, 2] == pytest.approx(-left, rel=1e-3)


def make_pair(other_group, speed=1.0, aside=0.0, friction=None):
    """A ball that hits another one at rest, off its line by `aside`; for 1 ms, in which the line of centres turns by
    less than 5 mrad."""
    builder = ModelBuilder("hitting", gravity=(0.0, 0.0, 0.0))
    add_ball(builder, "one", position=(-0.25, aside, 0.0), velocity=(speed, 0.0, 0.0))
    add_ball(builder, "two", other_group, position=(0.0, 0.0, 0.0))
    builder.add_contact("knock", "balls", other_group, stiffness=100.0 * STIFFNESS, friction=friction)
    return builder.build()


@pytest.mark.parametrize("group", ["balls", "others"])
def test_spheres_of_equal_mass_hand_over_their_velocity_along_the_line_of_centres(group):
    """Undamped: also among the spheres of one group, each pair of which counts once."""
    aside = RADIUS  # the line of centres then lies 30 degrees off
    result = simulate(make_pair(group, aside=aside), duration=0.2, output_interval=2.5e-4, step=2e-6)
    line = np.array([np.cos(np.pi / 6), -0.5, 0.0])
    handed = line[0] * line
    assert result["two.velocity"][-1] == pytest.approx(handed, abs=5e-3)
    assert result["one.velocity"][-1] == pytest.approx(np.array([1.0, 0.0, 0.0]) - handed, abs=5e-3)
    assert result["knock.count"].max() == 1.0
    assert result["energy.kinetic"][-1] == pytest.approx(0.5 * MASS, rel=1e-4)


@pytest.mark.parametrize("friction", [None, *FRICTIONS])
def test_spheres_that_hit_keep_momentum_angular_momentum_and_energy(friction):
    # 3 kN on a friction that grows in over 1 mm/s would need steps below 1 us
    law = None if friction is None else {**FRICTIONS[friction], "velocity": 0.05}
    model = make_pair("others", aside=0.08, friction=law)
    result = simulate(model, duration=0.25, output_interval=0.01, step=2e-6)
    momentum, spin = np.zeros((len(result.time), 3)), np.zeros((len(result.time), 3))
    for name in ("one", "two"):
        centre = read_centre(result, name)
        rotation = result.calc_rotations([name])[:, 0]
        w = np.einsum("fij,fj->fi", rotation, result[f"{name}.angular_velocity"])
        velocity = result[f"{name}.velocity"] + np.cross(w, rotation @ np.array(model.bodies[name].com))
        momentum += MASS * velocity
        spin += MASS * np.cross(centre, velocity) + INERTIA * w
    assert np.ptp(momentum, axis=0) == pytest.approx(0.0, abs=1e-9)
    assert np.ptp(spin, axis=0) == pytest.approx(0.0, abs=1e-6)
    assert abs(result["energy.residual"]).max() < 2e-4  # of 1 J
    if friction:
        assert np.abs(result["two.angular_velocity"][-1, 2]) > 0.1


def test_spheres_of_one_body_and_of_the_world_do_not_touch_each_other():
    builder = ModelBuilder("cluster", gravity=(0.0, 0.0, 0.0))
    builder.add_body("cluster", 1.0, (0.1, 0.1, 0.1))
    for i in range(3):
        builder.add_shape(f"s{i}", "sphere", "cluster", group="balls", position=(0.05 * i, 0.0, 0.0), radius=0.1)
        builder.add_shape(f"w{i}", "sphere", "world", group="balls", position=(0.05 * i, 0.0, 3.0), radius=0.1)
    builder.add_contact("own", "balls", "balls", stiffness=STIFFNESS)
    assert simulate(builder.build(), duration=0.01)["own.count"].max() == 0.0


def find_touch(builder):
    """Sum of the normal forces, depth, and force on body a at the start."""
    compiled, _ = prepare(builder.build(), "penalty")
    solver = make_integrator(compiled, "explicit", "trapezoidal")
    solver.advance(copy_state(compiled.initial), 0, 1e-6)
    return solver.work.contact_sum[0, 5], solver.work.f[1].copy()


@pytest.mark.parametrize("place", [(0.1, 0.05, 0.08), (0.33, 0.05, 0.05), (-0.34, 0.22, 0.04), (0.1, -0.25, 0.03)])
def test_a_sphere_touches_the_nearest_point_of_a_plate(place):
    """Over its face, beyond an edge and beyond a corner, against a sampling of the plate."""
    builder = ModelBuilder("touch", gravity=(0.0, 0.0, 0.0))
    add_ball(builder, position=place)
    builder.add_shape("deck", "plate", "world", group="decks", length=0.6, width=0.4)
    builder.add_contact("deck", "balls", "decks", stiffness=STIFFNESS)
    depth, force = find_touch(builder)
    x, y = np.meshgrid(np.linspace(-0.3, 0.3, 601), np.linspace(-0.2, 0.2, 401))
    way = np.array(place) - np.stack([x, y, np.zeros_like(x)], axis=-1)
    distance = np.linalg.norm(way, axis=-1)
    nearest = np.unravel_index(np.argmin(distance), distance.shape)
    assert depth == pytest.approx(RADIUS - distance[nearest], abs=1e-5)
    assert force == pytest.approx(STIFFNESS * depth * way[nearest] / distance[nearest], rel=1e-2, abs=1.0)


@pytest.mark.parametrize("x", [0.0, 0.21, 0.4, 0.77, 1.3])
def test_a_sphere_touches_the_nearest_point_of_rough_ground(x):
    """On waves whose least radius of curvature is 0.4 m, four times that of the ball."""
    wave, height = 1.0, 0.06

    def calc_ground(at):
        return height * np.sin(2.0 * np.pi * np.asarray(at) / wave)

    points = np.linspace(-2.0, 4.0, 6001)
    builder = ModelBuilder("touch", gravity=(0.0, 0.0, 0.0))
    add_ball(builder, position=(x, 0.3, float(calc_ground(x)) + RADIUS))
    builder.set_terrain({"type": "profile", "points": np.column_stack([points, calc_ground(points)]).tolist()})
    builder.add_contact("ground", "balls", "terrain", stiffness=STIFFNESS)
    depth, force = find_touch(builder)
    centre = np.array([x, float(calc_ground(x)) + RADIUS])
    found = minimize_scalar(
        lambda at: np.hypot(*(centre - [at, calc_ground(at)])), bounds=(x - 0.1, x + 0.1), method="bounded"
    )
    way = centre - [found.x, calc_ground(found.x)]
    assert depth == pytest.approx(RADIUS - found.fun, abs=2e-5)
    assert force[[0, 2]] / np.linalg.norm(force) == pytest.approx(way / found.fun, abs=5e-3)


@pytest.mark.parametrize("friction", [None, "tanh"])
def test_a_sphere_keeps_its_energy_on_rough_ground(friction):
    """It goes to and fro in a hollow. Without friction nothing turns it."""
    x = np.linspace(-2.0, 2.0, 2001)
    builder = ModelBuilder("hollow")
    add_ball(builder, position=(0.6, 0.0, 0.5 * 0.6**2 + 1.15 * RADIUS))
    builder.set_terrain({"type": "profile", "points": np.column_stack([x, 0.5 * x**2]).tolist()})
    law = None if friction is None else FRICTIONS[friction]
    builder.add_contact("ground", "balls", "terrain", stiffness=STIFFNESS, damping=300.0, friction=law)
    result = simulate(builder.build(), duration=2.0, output_interval=0.02)
    assert read_centre(result)[:, 0].min() < -0.4
    assert abs(result["energy.residual"]).max() < 5e-3 * MASS * GRAVITY * 0.2
    turned = np.abs(result["ball.angular_velocity"]).max()
    # points of the predictor serve the corrector too, which leaves an arm of the order of the step squared
    assert turned < 1e-5 if friction is None else turned > 5.0


def test_friction_on_its_rim_bounds_the_stable_step():
    """A tangential spring moves mass and inertia: 1/m + r^2/I = 3.5/m of a solid ball."""
    builder = ModelBuilder("step")
    add_ball(builder, position=(0.0, 0.0, RADIUS))
    friction = {"model": "asperity", "mu": 0.5, "velocity": 10.0, "stiffness": 1e6}
    builder.add_contact("ground", "balls", "terrain", stiffness=1e3, friction=friction)
    builder.set_terrain({"type": "plane"})
    _, stable = prepare(builder.build(), "penalty")
    assert stable.frequency == pytest.approx(np.sqrt(3.5 * 1e6 / MASS), rel=0.02)


def test_spheres_are_seen():
    result = simulate(make_pair("others"), duration=0.02)
    scene = make_scene(result)
    for number in scene.mesh:
        reach = np.linalg.norm(scene.meshes[number].vertices - [0.03, -0.02, 0.01], axis=1)
        assert reach == pytest.approx(RADIUS, rel=1e-3)
    assert make_side_view(result, 0.0).axes


@pytest.mark.parametrize(
    ("shape", "other", "words"),
    [
        ({"radius": -0.1}, "terrain", "greater than 0"),
        ({"radius": 0.1}, "pins", r"no contact between sphere \('ball'\) and pin .*plate-sphere, .*sphere-sphere"),
    ],
)
def test_faults_of_spheres_are_named(shape, other, words):
    builder = ModelBuilder("broken")
    builder.add_body("ball", MASS, (INERTIA,) * 3)
    builder.add_shape("ball", "sphere", "ball", group="balls", **shape)
    builder.add_shape("pin", "pin", "world", group="pins", positions=[(0.0, 0.0, 0.0)], radius=0.1)
    builder.add_contact("touch", "balls", other, stiffness=STIFFNESS)
    builder.set_terrain({"type": "plane"})
    with pytest.raises(ModelError, match=words):
        builder.build()
