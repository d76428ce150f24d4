"""The model of a tracked vehicle: masses, mirror symmetry, joints that fit, static loads, placing on ground."""

from __future__ import annotations

import time
from math import atan, cos, hypot, pi, sin

import numpy as np
import pytest

from grouser.catalog.placement import place_on_terrain
from grouser.catalog.tracked.build import make_tracked_vehicle
from grouser.catalog.tracked.inertia import Lump, calc_arm_inertia, join_lumps
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import load_vehicle, m113, m113_paper
from grouser.errors import ModelError
from grouser.families.joint.spec import Joint
from grouser.model.contact import Points, Sprocket
from grouser.model.force import JointSpring, Spring
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.terrain import Grid, Plane, Profile, calc_terrain_height

GRAVITY = 9.81

PAPER = m113_paper()
M113 = m113()


def load(name: str) -> TrackedVehicle:
    vehicle = load_vehicle(name)
    assert isinstance(vehicle, TrackedVehicle)
    return vehicle


def to_world(model: Model, body: str, point: tuple[float, float, float]) -> np.ndarray:
    pose = model.bodies[body]
    return np.array(pose.position) + quaternion_to_matrix(pose.orientation) @ np.array(point)


def find_axis(model: Model, joint: Joint) -> np.ndarray:
    frame = joint.frame_a
    body = quaternion_to_matrix(model.bodies[frame.body].orientation)
    return body @ quaternion_to_matrix(frame.orientation)[:, 2]


def find_pad_points(model: Model) -> np.ndarray:
    pads = [s for s in model.shapes.values() if isinstance(s, Points) and s.group.endswith("pads")]
    return np.array([to_world(model, pad.body, p) for pad in pads for p in pad.positions])


def test_masses_are_those_of_the_data() -> None:
    assert sum(body.mass for body in M113.bodies.values()) == pytest.approx(11342.9, abs=0.05)
    assert sum(body.mass for body in PAPER.bodies.values()) == pytest.approx(18225.9, abs=0.05)


def test_numbers_of_elements() -> None:
    links = {name: len(track.links) for name, track in M113.tracks.items()}
    assert links == {"left": 63, "right": 64}
    # each side: sprocket, idler, carrier, five arms and wheels
    assert len(M113.bodies) == 1 + 2 * 13 + 127
    assert len(M113.joints) == 2 * 13 + 127
    assert sum(joint.group == "track-pins" for joint in M113.joints.values()) == 127
    assert {name for name in M113.forces if "shock" in name} == {
        f"{side}.shock{i}" for side in ("left", "right") for i in (1, 2, 5)
    }
    assert len(PAPER.tracks["left"].pins) == len(PAPER.tracks["right"].pins) == 64


@pytest.mark.parametrize("model", [M113, PAPER], ids=["m113", "paper"])
def test_joints_fit_at_the_start(model: Model) -> None:
    for name, joint in model.joints.items():
        a = to_world(model, joint.frame_a.body, joint.frame_a.position)
        b = to_world(model, joint.frame_b.body, joint.frame_b.position)
        offset = b - a
        if joint.type == "prismatic":
            axis = find_axis(model, joint)
            offset = offset - (offset @ axis) * axis
        assert np.max(np.abs(offset)) < 1e-9, name


def test_positive_drive_rolls_forward() -> None:
    for side in ("left", "right"):
        motion = PAPER.motions[f"{side}.drive"]
        assert (motion.coordinate, motion.quantity) == ("rotation", "speed")
        axis = find_axis(PAPER, PAPER.joints[motion.joint])
        # the lowest point of the sprocket has to go backwards
        assert np.cross(axis, [0.0, 0.0, -1.0])[0] == pytest.approx(-1.0)


def test_links_go_round_with_their_wheel_side_inwards() -> None:
    track = PAPER.tracks["left"]
    centre = np.mean([PAPER.bodies[link].position for link in track.links], axis=0)
    for link in track.links:
        pose = PAPER.bodies[link]
        x, y, z = quaternion_to_matrix(pose.orientation).T
        assert z @ (centre - np.array(pose.position)) > 0.0, link
        assert y == pytest.approx([0.0, 1.0, 0.0])
        if pose.position[2] < 0.05:
            assert x == pytest.approx([1.0, 0.0, 0.0], abs=0.3)


def test_symmetric_vehicle_is_its_mirror_image_to_the_bit() -> None:
    def flip(v: tuple[float, ...]) -> tuple[float, ...]:
        return (v[0], -v[1], v[2])

    left = [name for name in PAPER.bodies if name.startswith("left.")]
    assert len(left) == (len(PAPER.bodies) - 1) / 2
    for name in left:
        a, b = PAPER.bodies[name], PAPER.bodies[name.replace("left", "right")]
        assert b.position == flip(a.position), name
        assert b.com == flip(a.com), name
        assert (b.mass, b.inertia[:3], b.orientation) == (a.mass, a.inertia[:3], a.orientation), name
    for name, force in PAPER.forces.items():
        if not name.startswith("left"):
            continue
        other = PAPER.forces[name.replace("left", "right")]
        if isinstance(force, Spring):
            assert isinstance(other, Spring)
            assert other.frame_a.position == flip(force.frame_a.position), name
            assert other.frame_b.position == flip(force.frame_b.position), name
            assert other.model_copy(update={"frame_a": force.frame_a, "frame_b": force.frame_b}) == force
        else:
            assert isinstance(force, JointSpring) and isinstance(other, JointSpring)
            assert other.model_copy(update={"joint": force.joint}) == force
    for name, joint in PAPER.joints.items():
        other_joint = PAPER.joints[name.replace("left", "right")]
        for key in ("frame_a", "frame_b"):
            assert getattr(other_joint, key).orientation == getattr(joint, key).orientation
            if name.startswith("left"):
                assert getattr(other_joint, key).position == flip(getattr(joint, key).position), name


def test_arm_inertia_turned_into_the_vehicle_axes() -> None:
    arms = load("m113").arms
    assert arms is not None
    xx, yy, zz, _xy, xz, _yz = calc_arm_inertia(arms)  # type: ignore[misc]
    assert yy == 0.77
    assert xx + zz == pytest.approx(0.37 + 0.77)
    length = hypot(0.288, 0.134)
    along = np.array([-0.288, -0.134]) / length
    assert along @ np.array([[xx, xz], [xz, zz]]) @ along == pytest.approx(0.37)


@pytest.mark.parametrize("com", [None, [-2.3, 0.1, 0.5]], ids=["as it is", "off centre"])
@pytest.mark.parametrize("name", ["m113", "m113-paper"])
def test_static_preload_carries_the_hull(name: str, com: list[float] | None) -> None:
    """The axle force that balances each arm under its torsion bar; all of them hold the sprung parts level."""
    vehicle = load(name)
    if com:
        vehicle = vehicle.with_changes(chassis={"com": com})
    model = make_tracked_vehicle(vehicle)
    force = moment_x = moment_y = weight = weight_x = weight_y = 0.0
    loads = []
    for key, body in model.bodies.items():
        if "link" in key or "wheel" in key:
            continue
        x, y, _ = to_world(model, key, body.com)
        weight += body.mass * GRAVITY
        weight_x, weight_y = weight_x + body.mass * GRAVITY * x, weight_y + body.mass * GRAVITY * y
        if "arm" not in key:
            continue
        spring = model.forces[key.replace("arm", "torsion")]
        wheel = model.bodies[key.replace("arm", "wheel")].position
        assert isinstance(spring, JointSpring)
        # torques about +y: upward force at distance d has -d F
        axle = (spring.preload + (x - body.position[0]) * body.mass * GRAVITY) / (wheel[0] - body.position[0])
        loads.append(axle)
        force, moment_x, moment_y = force + axle, moment_x + axle * wheel[0], moment_y + axle * wheel[1]
    assert force == pytest.approx(weight, rel=1e-6)
    assert moment_x == pytest.approx(weight_x, rel=1e-6)
    assert moment_y == pytest.approx(weight_y, abs=1e-6 * weight)
    if not com:
        assert np.ptp(loads) < 0.15 * np.mean(loads)


def test_preload_in_numbers_is_taken_as_it_is() -> None:
    model = make_tracked_vehicle(load("m113").with_changes(arms={"torsion_bar": {"preload": -1234.0}}))
    assert {f.preload for name, f in model.forces.items() if "torsion" in name} == {-1234.0}  # type: ignore[union-attr]


def test_bump_stops_follow_the_wheel_on_trailing_and_leading_arms() -> None:
    vehicle = load("m113")
    trailing = M113.forces["left.torsion1"]
    leading = make_tracked_vehicle(vehicle.with_changes(arms={"pivot": [-0.288, -0.12, 0.134]})).forces["left.torsion1"]
    assert isinstance(trailing, JointSpring) and isinstance(leading, JointSpring)
    assert (trailing.stops.lower, trailing.stops.upper) == (-0.35, 0.5)  # type: ignore[union-attr]
    assert (leading.stops.lower, leading.stops.upper) == (-0.5, 0.35)  # type: ignore[union-attr]
    assert trailing.preload < 0.0 < leading.preload


def test_tensioner_pushes_with_its_force_where_the_idler_is() -> None:
    for side in ("left", "right"):
        spring = M113.forces[f"{side}.tension"]
        assert isinstance(spring, JointSpring) and spring.stops
        slide = M113.joints[spring.joint]
        place = to_world(M113, f"{side}.idler", (0.0, 0.0, 0.0)) - to_world(M113, "chassis", slide.frame_a.position)
        assert find_axis(M113, slide) == pytest.approx([-1.0, 0.0, 0.0])
        assert place @ find_axis(M113, slide) == pytest.approx(spring.free)
        assert spring.preload == 1.8e4
        assert spring.free is not None and spring.stops.upper == pytest.approx(0.12 - spring.free)


def test_shock_joins_chassis_and_arm_over_its_design_length() -> None:
    for side in ("left", "right"):
        shock = M113.forces[f"{side}.shock5"]
        assert isinstance(shock, Spring)
        a = to_world(M113, "chassis", shock.frame_a.position)
        b = to_world(M113, f"{side}.arm5", shock.frame_b.position)
        assert np.linalg.norm(a - b) == pytest.approx(0.631738, abs=1e-6)
        assert a[1] == pytest.approx(b[1])


def test_without_suspension_the_arms_are_part_of_the_hull() -> None:
    rigid = m113_paper(suspension=False)
    assert not any("arm" in name or "torsion" in name for name in (*rigid.bodies, *rigid.joints, *rigid.forces))
    assert rigid.joints["left.wheel3.axle"].frame_a.body == "chassis"
    assert rigid.bodies["chassis"].mass == pytest.approx(5489.2 + 10 * 28.016)
    assert sum(b.mass for b in rigid.bodies.values()) == pytest.approx(18225.9, abs=0.05)
    for name, body in rigid.bodies.items():
        if name != "chassis":
            assert body == PAPER.bodies[name]


def test_joined_lumps_have_the_inertia_of_their_points() -> None:
    """Two dumb-bells of point masses, joined, against the sum over the four points."""
    tiny = 1e-12
    points = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [3.0, 0.0, 2.0], [3.0, 0.0, 0.0]])
    lumps = [Lump(2.0, (0.0, 0.0, 0.0), (2.0, tiny, 2.0)), Lump(2.0, (3.0, 0.0, 1.0), (2.0, 2.0, tiny))]
    joined = join_lumps(lumps)
    centre = points.mean(axis=0)
    assert joined.mass == 4.0
    assert joined.com == pytest.approx(tuple(centre))
    d = points - centre
    tensor = np.sum(d * d) * np.eye(3) - d.T @ d
    assert joined.inertia == pytest.approx([tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


@pytest.mark.parametrize("model", [M113, PAPER], ids=["m113", "paper"])
def test_lowest_pads_stand_on_the_ground(model: Model) -> None:
    heights = find_pad_points(model)[:, 2]
    assert -1e-12 < np.min(heights) < 1e-3
    assert np.count_nonzero(heights < 1e-3) > 2 * 4 * 15


@pytest.mark.parametrize(
    "terrain",
    [
        Plane(point=(1.0, 2.0, 3.0), normal=(-0.2, 0.1, 1.0)),
        Profile(points=[(-10.0, 0.0), (-2.0, 0.4), (10.0, 0.3)]),
        Grid(
            origin=(-6.0, -3.0),
            spacing=(1.0, 1.5),
            heights=[[0.02 * ((i * 7 + j * 3) % 5) for j in range(5)] for i in range(9)],
        ),
    ],
    ids=["plane", "profile", "grid"],
)
def test_vehicle_is_set_down_on_any_terrain(terrain: Plane | Profile | Grid) -> None:
    model = m113_paper(terrain=terrain)
    points = find_pad_points(model)
    gaps = points[:, 2] - calc_terrain_height(terrain, points[:, 0], points[:, 1])
    assert np.min(gaps) == pytest.approx(0.0, abs=1e-9)
    assert model.terrain == terrain
    if isinstance(terrain, Plane):
        normal = np.array(terrain.normal) / np.linalg.norm(terrain.normal)
        assert quaternion_to_matrix(model.bodies["chassis"].orientation)[:, 2] == pytest.approx(normal)
        assert np.count_nonzero(gaps < 1e-6) > 2 * 4 * 15
    for name, joint in model.joints.items():
        if joint.type == "revolute":
            a = to_world(model, joint.frame_a.body, joint.frame_a.position)
            assert a == pytest.approx(to_world(model, joint.frame_b.body, joint.frame_b.position), abs=1e-9), name


def test_a_model_without_ground_points_is_only_given_the_terrain() -> None:
    model = Model.model_validate({"name": "ball", "bodies": {"ball": {"mass": 1.0, "inertia": [1, 1, 1]}}})
    placed = place_on_terrain(model, Plane(point=(0.0, 0.0, 5.0)))
    assert placed.bodies == model.bodies
    assert placed.terrain == Plane(point=(0.0, 0.0, 5.0))


def test_sprocket_points_a_gap_to_a_seated_pin() -> None:
    for side in ("left", "right"):
        shape = PAPER.shapes[f"{side}.sprocket.teeth"]
        assert isinstance(shape, Sprocket)
        centre = np.array(PAPER.bodies[f"{side}.sprocket"].position)
        radius = 0.5 * 0.15162 / sin(pi / 10)
        seat = centre + radius * np.array(shape.reference)
        pins = [to_world(PAPER, link, (0.07581, 0.0, 0.0)) for link in PAPER.tracks[side].links]
        assert min(np.linalg.norm(pin - seat) for pin in pins) < 1e-9
        assert shape.groove == pytest.approx(0.03 + 0.02)


def test_building_is_fast() -> None:
    start = time.perf_counter()
    m113()
    assert time.perf_counter() - start < 0.8


def test_drives_by_track() -> None:
    model = m113_paper(drives={"right": "5*t"})
    assert (model.motions["left.drive"].value, model.motions["right.drive"].value) == (0.0, "5*t")
    assert m113_paper(drives=3.0).motions["left.drive"].value == 3.0
    with pytest.raises(ModelError, match="unknown track 'rigth': did you mean 'right'"):
        m113_paper(drives={"rigth": 1.0})


def test_both_tracks_that_cannot_close_are_reported_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        m113(links=(55, 80))
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["left track", "right track"]


def test_centre_of_mass_outside_the_wheels_is_refused() -> None:
    vehicle = load("m113").with_changes(chassis={"com": [2.0, 0.0, 0.4]})
    with pytest.raises(ModelError, match="would lift the road wheel at x = -3"):
        make_tracked_vehicle(vehicle)


def test_a_vehicle_of_ones_own_with_six_wheels_rollers_and_a_rear_sprocket() -> None:
    """An M113 turned round, with another pitch, six smaller wheels and two return rollers."""
    pitch = 0.12
    seat = 0.5 * pitch / sin(pi / 13)
    vehicle = load("m113").with_changes(
        right=None,
        shocks=None,
        sprocket={
            "teeth": 13,
            "arc_radius": 0.369 * pitch,
            "arc_centre_radius": seat + 0.143 * pitch,
            "addendum_radius": seat + 0.095 * pitch,
        },
        idler={"centre": [4.0, -0.1]},
        road_wheels={"radius": 0.28, "centres": [[3.4 - 0.58 * i, -0.25] for i in range(6)]},
        rollers={
            "mass": 12.0,
            "inertia": [0.05, 0.08, 0.05],
            "radius": 0.1,
            "width": 0.15,
            "gap": 0.05,
            "centres": [[2.7, 0.16], [1.3, 0.17]],
        },
        chassis={"com": [2.0, 0.0, 0.4]},
        links={
            "pitch": pitch,
            "count": 83,
            "pad": {"length": 0.1},
            "surface": {"length": 0.09},
            "pins": {"positions": [[-0.06, 0.0]], "radius": 0.018},
        },
    )
    model = make_tracked_vehicle(vehicle)
    assert {"left.wheel6", "right.roller2", "left.link83"} <= set(model.bodies)
    assert {"left.roller_track", "right.roller_guide"} <= set(model.contacts)
    assert find_axis(model, model.joints["left.tensioner.slide"]) == pytest.approx([1.0, 0.0, 0.0])
    assert np.min(find_pad_points(model)[:, 2]) == pytest.approx(0.0, abs=1e-12)
    slope = atan(0.1)
    tilted = place_on_terrain(model, Plane(normal=(-sin(slope), 0.0, cos(slope))))
    assert tilted.bodies["chassis"].orientation == pytest.approx((cos(slope / 2), 0.0, -sin(slope / 2), 0.0))


def test_idler_that_stands_in_a_road_wheel_is_refused_once() -> None:
    vehicle = load_vehicle("m113-paper", ["idler.centre=[-3.6, -0.1344]", "idler.tensioner.travel=[-0.5, 0.5]"])
    vehicle = vehicle.with_changes(links={"count": 60})
    with pytest.raises(ModelError, match=r"idler.centre: is .* the two wheels overlap") as caught:
        make_tracked_vehicle(vehicle)
    assert len(caught.value.faults) == 1
