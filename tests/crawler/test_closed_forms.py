"""Tracks against closed forms: centrifugal tension, polygon effect of a sprocket, sag of a free run."""

from __future__ import annotations

from math import cos, cosh, pi, sin, tan

import numpy as np
import pytest
from scipy.optimize import brentq

from grouser.catalog.crawler.build import LOWER, SPROCKET, UPPER, make_crawler
from grouser.catalog.vehicles import load_vehicle
from grouser.families.joint.spec import Joint
from grouser.model.body import Frame
from grouser.model.builder import ModelBuilder
from grouser.model.terrain import Plane
from grouser.simulate import settle, simulate

GRAVITY = 9.81


@pytest.fixture(scope="module")
def spec():
    return load_vehicle("crawler")


def make_ring(count, pitch, mass, rate):
    """A closed track far from everything that turns about its middle [rad/s]."""
    builder = ModelBuilder("ring", gravity=(0.0, 0.0, 0.0))
    apothem = 0.5 * pitch / tan(pi / count)
    for i in range(count):
        angle = 2.0 * pi * i / count
        builder.add_body(
            f"link{i}",
            mass,
            (0.1, 0.1, 0.1),
            position=(apothem * np.cos(angle), 0.0, apothem * np.sin(angle)),
            # turned about -y by the angle and a quarter, so that x is along the ring
            orientation=(np.cos(angle / 2 + pi / 4), 0.0, -np.sin(angle / 2 + pi / 4), 0.0),
            velocity=(-rate * apothem * np.sin(angle), 0.0, rate * apothem * np.cos(angle)),
            angular_velocity=(0.0, -rate, 0.0),
        )
    for i in range(count):
        angle = 2.0 * pi * (i + 0.5) / count
        point = apothem / np.cos(pi / count) * np.array([np.cos(angle), 0.0, np.sin(angle)])
        builder.add_joint(f"pin{i}", "revolute", f"link{i}", f"link{(i + 1) % count}", point=point, axis=(0, 1, 0))
    return builder.build().with_changes(planar=True)


def test_a_turning_ring_pulls_as_its_links_fly_outwards():
    """m w^2 r of a link is held by two pins, at half its angle to it: T = m w^2 p/(4 sin tan), close to rho v^2."""
    count, pitch, mass, rate = 41, 0.17145, 19.0, 5.0
    result = simulate(make_ring(count, pitch, mass, rate), preset="recursive", duration=0.5, output_interval=0.05)
    force = np.array([np.linalg.norm(result[f"pin{i}.force"], axis=1) for i in range(count)])
    tension = mass * rate**2 * pitch / (4.0 * sin(pi / count) * tan(pi / count))
    assert force == pytest.approx(tension, rel=1e-6)
    speed = rate * count * pitch / (2.0 * pi)
    assert tension == pytest.approx(mass / pitch * speed**2, rel=3e-3)


def make_guide(name, body):
    """A slide along x for a body."""

    def turn(angle):
        return np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0

    angle = 2.0 * np.arctan2(body.orientation[2], body.orientation[0])
    ground = Frame(body="world", position=body.position, orientation=turn(pi / 2))
    return Joint(type="prismatic", frame_a=ground, frame_b=Frame(body=name, orientation=turn(pi / 2 - angle)))


def make_hoist(spec, rate=0.0, weight=400.0):
    """The sprocket with the links on it and beside it as a hoist: gravity is turned forward, so that both runs hang
    from the teeth, with a weight that slides along x at either end. Also the names of the links."""
    model = make_crawler(spec, drive=rate)
    kept = [name for name in model.tracks["left"].links if model.bodies[name].position[0] < -0.3]
    bodies = {name: model.bodies[name] for name in (UPPER, SPROCKET, *kept)}
    for end in (kept[0], kept[-1]):
        bodies[end] = bodies[end].model_copy(update={"mass": weight})
    pins = {name: j for name, j in model.joints.items() if {j.frame_a.body, j.frame_b.body} <= set(kept)}
    stand = Joint(type="fixed", frame_a=Frame(body="world", position=bodies[UPPER].position), frame_b=Frame(body=UPPER))
    guides = {f"guide_{name}": make_guide(name, bodies[name]) for name in (kept[0], kept[-1])}
    bushings = {f"{name}.bushing": model.shapes[f"{name}.bushing"] for name in kept[:-1]}
    hoist = model.with_changes(
        gravity=(GRAVITY, 0.0, 0.0),
        bodies=bodies,
        joints={"axle": model.joints["axle"], "stand": stand, **guides, **pins},
        forces={},
        shapes={"teeth": model.shapes["teeth"], **bushings},
        contacts={"sprocket_track": model.contacts["sprocket_track"]},
        tracks={},
        sensors={},
        terrain=None,
        main_body=UPPER,
    )
    return kept, hoist


def test_the_speed_of_a_run_has_the_ripple_of_the_polygon(spec):
    """A run that leaves the sprocket at a corner of its polygon moves at w R cos of the angle up to pi/n: the ripple is
    1 - cos(pi/n) of the largest speed. Bushings sit without play."""
    teeth, rate, bushing = spec.sprocket.teeth, 0.05, spec.links.bushing_radius
    radius = 0.5 * spec.links.pitch / sin(pi / teeth)
    seats = {"root_radius": radius - bushing - 1e-6, "seat_radius": bushing + 1e-6, "flat_width": 0.0}
    hard = {"stiffness": 1e8, "damping": 1e5, "damping_depth": 0.0}
    tight = spec.with_changes(sprocket=seats, sprocket_contact=hard)
    rest = settle(make_hoist(tight)[1], preset="recursive")
    links, model = make_hoist(tight, rate=[[0.0, 0.0], [2.0, rate], [30.0, rate]])
    options = {"integrator": "adams", "tolerance": 1e-6, "output_interval": 0.02}
    period = 2.0 * pi / teeth / rate
    result = simulate(model, preset="recursive", initial=rest, duration=4.0 + 1.5 * period, **options)
    speed = np.abs(result[f"{links[0]}.velocity.x"][result.time > 4.0]) / (rate * radius)
    assert speed.max() == pytest.approx(1.0, abs=2e-3)
    assert 1.0 - speed.min() == pytest.approx(1.0 - cos(pi / teeth), abs=2e-3)


def test_a_free_run_hangs_as_a_catenary(spec):
    """The machine on stands: its lower run hangs between idler and sprocket, z = a cosh(x/a), a = H/(weight by length),
    with H the part of the tension along x."""
    model = make_crawler(spec)
    joints = {name: joint for name, joint in model.joints.items() if name != "pivot"}
    for body in (LOWER, UPPER):
        ground = Frame(body="world", position=model.bodies[body].position)
        joints[f"stand_{body}"] = Joint(type="fixed", frame_a=ground, frame_b=Frame(body=body))
    model = model.with_changes(joints=joints, terrain=Plane(point=(0.0, 0.0, -5.0)))
    rest = settle(model, preset="recursive")
    result = simulate(model, preset="recursive", initial=rest, duration=0.01)
    links = model.tracks["left"].links
    position, tension = result.block("body/position", links)[0][-1], result.block("link/tension", links)[0][-1, :, 0]
    quaternion = result.block("body/orientation", links)[0][-1]
    slope = -2.0 * np.arctan2(quaternion[:, 2], quaternion[:, 0])
    # the lower run between the outer rollers touches nothing
    run = [i for i in range(len(links)) if position[i, 2] < 0.1 and abs(position[i, 0]) < 0.8]
    run.sort(key=lambda i: position[i, 0])
    pull = tension[run] * np.cos(slope[run])
    assert pull == pytest.approx(pull.mean(), rel=1e-3)
    a = pull.mean() * spec.links.pitch / (spec.links.mass * GRAVITY)
    front = 0.5 * spec.links.pitch * np.array([np.cos(slope[run]), np.sin(slope[run])])
    x, z = position[run][:, [0, 2]].T + front
    lowest = brentq(lambda x0: a * (cosh((x[-1] - x0) / a) - cosh((x[0] - x0) / a)) - (z[-1] - z[0]), -1.0, 1.0)
    curve = a * np.cosh((x - lowest) / a)
    sag = np.ptp(curve)
    assert sag > 0.04
    assert z - z[0] == pytest.approx(curve - curve[0], abs=0.01 * sag)
