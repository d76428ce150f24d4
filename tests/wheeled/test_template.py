"""The template of wheeled vehicles: masses, hardpoints, mirror images, spring curves, faults."""

import numpy as np
import pytest

from grouser.catalog.vehicles import hmmwv, load_vehicle
from grouser.catalog.wheeled.build import make_wheeled_vehicle
from grouser.catalog.wheeled.corner import make_spring_curve
from grouser.catalog.wheeled.linkage import OpenLinkError, find_corner
from grouser.catalog.wheeled.parts import CoilSpring
from grouser.compile.freedoms import find_freedom_count
from grouser.errors import ModelError
from grouser.model.start import calc_world_frame, find_start_faults
from grouser.model.terrain import Plane

TOTAL_MASS = 2573.1
"""Of all bodies of the data [kg], without tie rods."""


@pytest.fixture(scope="module")
def vehicle():
    return load_vehicle("hmmwv")


@pytest.fixture(scope="module")
def model(vehicle):
    return make_wheeled_vehicle(vehicle)


def test_masses_freedoms_and_closed_joints(model):
    assert sum(body.mass for body in model.bodies.values()) == pytest.approx(TOTAL_MASS, abs=0.1)
    assert len(model.bodies) == 1 + 4 * 4 + 2
    assert find_freedom_count(model) == 14
    faults, warnings = find_start_faults(model, 1.0)
    assert faults == []
    assert warnings == []


def test_sides_are_mirror_images(model):
    for name, body in model.bodies.items():
        if ".left." in name:
            other = model.bodies[name.replace("left", "right")]
            assert np.array(other.position) == pytest.approx(np.array(body.position) * [1.0, -1.0, 1.0], abs=1e-12)
            assert other.inertia == body.inertia
    for name, joint in model.joints.items():
        if ".left." in name:
            there = calc_world_frame(model, joint.frame_b)[0]
            other = calc_world_frame(model, model.joints[name.replace("left", "right")].frame_b)[0]
            assert other == pytest.approx(there * [1.0, -1.0, 1.0], abs=1e-12)


def test_hinges_lie_along_their_hardpoints(vehicle, model):
    points, origin = vehicle.axles["front"].points, np.array(vehicle.axles["front"].origin)
    lift = np.array(model.bodies["chassis"].position)
    place, axes = calc_world_frame(model, model.joints["front.left.upper_hinge"].frame_b)
    line = np.subtract(points.upper_front, points.upper_rear)
    assert np.cross(axes[:, 2], line) == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.cross(place - lift - origin - points.upper_rear, line) == pytest.approx(np.zeros(3), abs=1e-12)


def test_tyres_stand_on_the_ground(model):
    for side in ("front.left", "rear.right"):
        tyre = model.forces[f"{side}.tyre"]
        centre, axes = calc_world_frame(model, tyre.frame)
        assert centre[2] == pytest.approx(tyre.radius)
        assert axes[:, 1] == pytest.approx([0.0, 1.0, 0.0])
    tilted = hmmwv(terrain=Plane(normal=(-0.1, 0.0, 1.0)))
    assert tilted.bodies["chassis"].orientation != (1.0, 0.0, 0.0, 0.0)


def test_spring_curve_joins_rate_and_stops():
    stops = {"shortest": 0.2, "longest": 0.4, "curve": [(0.0, 0.0), (0.01, 100.0), (0.02, 1000.0)]}
    curve = make_spring_curve(CoilSpring(free_length=0.35, stiffness=1000.0, stops=stops))
    way, force = zip(*curve, strict=True)
    assert np.interp([-0.15, -0.16, -0.17], way, force) == pytest.approx([-150.0, -260.0, -1170.0])
    assert np.interp([0.05, 0.06, -0.1], way, force) == pytest.approx([50.0, 160.0, -100.0])
    assert make_spring_curve(CoilSpring(free_length=0.3, stiffness=500.0)) == 500.0


def test_closed_form_keeps_all_lengths(vehicle):
    points = vehicle.axles["front"].points
    for travel in (-0.1, -0.03, 0.08):
        corner = find_corner(points, travel)
        assert corner.spindle[2] - points.spindle[2] == pytest.approx(travel, abs=1e-6)
        for a, b, c, d in (
            (corner.lower_ball, points.lower_front, points.lower_ball, points.lower_front),
            (corner.lower_ball, points.lower_rear, points.lower_ball, points.lower_rear),
            (corner.upper_ball, points.upper_front, points.upper_ball, points.upper_front),
            (corner.upper_ball, corner.lower_ball, points.upper_ball, points.lower_ball),
            (corner.tie_rod_outer, points.tie_rod_inner, points.tie_rod_outer, points.tie_rod_inner),
            (corner.tie_rod_outer, corner.upper_ball, points.tie_rod_outer, points.upper_ball),
            (corner.spindle, corner.tie_rod_outer, points.spindle, points.tie_rod_outer),
        ):
            assert np.linalg.norm(np.subtract(a, b)) == pytest.approx(np.linalg.norm(np.subtract(c, d)), abs=1e-12)
    with pytest.raises(OpenLinkError):
        find_corner(points, 0.6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"upper_rear": (-0.047915, 0.44596, 0.244622)}, "the hinge of the upper arm has no length"),
        ({"lower_ball": (0.0, 0.307086, 0.0)}, "lies on the hinge of the lower arm"),
        ({"upper_front": (-0.047915, 0.69, 0.244622), "upper_rear": (-0.268214, 0.70, 0.19556)}, "cannot be assembled"),
        ({"spindle": (0.0, -0.9, 0.0)}, "those of the left side"),
    ],
)
def test_bad_hardpoints_are_refused(vehicle, changes, message):
    with pytest.raises(ModelError, match=message):
        vehicle.with_changes(axles={"front": {"points": changes}})


def test_steering_beyond_the_reach_of_the_linkage_is_refused(vehicle):
    with pytest.raises(ModelError, match=r"steering.limit: is 1.3 rad, but at .* a tie rod does not reach"):
        vehicle.with_changes(steering={"limit": 1.3})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"axles": {"rear": {"drive": 0.7}}}, "add up to 1.2"),
        ({"steering": {"axle": "middle"}}, "there are the axles front, rear"),
        ({"tyre": {"lateral": {"peak_slip": [1.2, 1.2]}}}, "the peak comes before sliding"),
        ({"axles": {"front": {"spring": {"stiffness": -5.0}}}}, "a spring must push back"),
        ({"axles": {"front": {"spring": {"stops": {"curve": [[0.01, 0.0], [0.02, 5.0]]}}}}}, "must begin with"),
        ({"axles": {"front": {"parts": {"upright": {"inertia": [1.0, 1.0, 3.0]}}}}}, "triangle inequality"),
    ],
)
def test_other_faults_are_refused(vehicle, changes, message):
    with pytest.raises(ModelError, match=message):
        vehicle.with_changes(**changes)
