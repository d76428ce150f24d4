"""Colours and arrows of a report: which quantities there are, and that they are those of the result."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic_track import LINKS, Drive, make_blocks, make_model, make_result, make_values

from grouser.model.model import Model
from grouser.output.report.arrows import make_arrow_sets
from grouser.output.report.channels import CONTACT_FORCE, Channel, make_channels
from grouser.result.writer import Block, ResultWriter

XYZ = ("x", "y", "z")


def make_loaded_result(blocks: dict[str, tuple[Block, np.ndarray]], yaw_rate: float = 0.0):
    """The synthetic vehicle with further blocks."""
    model = make_model()
    time, values = make_values(model, Drive(duration=0.2, yaw_rate=yaw_rate))
    shown = [block for block in make_blocks(model) if block.name in values]
    writer = ResultWriter(None, header={}, blocks=[*shown, *(block for block, _ in blocks.values())], model=model)
    more = {name: np.broadcast_to(value, (len(time), *value.shape)) for name, (_, value) in blocks.items()}
    writer.add_frames(time, {**{block.name: values[block.name] for block in shown}, **more})
    return writer.finish("done")


def test_links_are_coloured_by_their_tension_first():
    channels = make_channels(make_result(Drive(duration=0.1)))
    assert [channel.key for channel in channels] == ["tension", "deformation", "speed"]
    tension = channels[0]
    assert (tension.label, tension.unit) == ("link tension", "kN")
    assert tension.bodies[:2] == ("left.link0", "left.link1")
    np.testing.assert_allclose(tension.values[-1], np.concatenate([np.arange(1, 11), np.arange(1, 11) / 2]))
    low, high = tension.find_range()
    assert low == 0.0 and 9.0 < high <= 10.0


def test_pin_forces_are_told_of_the_links_behind_them():
    pins = tuple(f"{side}.pin{i}" for side in ("left", "right") for i in range(LINKS))
    force = np.outer(np.arange(1.0, 2 * LINKS + 1), [3.0, 0.0, 4.0])
    result = make_loaded_result({"joint/force": (Block("joint", "force", pins, XYZ, "N"), force)})
    channel = next(one for one in make_channels(result) if one.key == "pin")
    assert channel.unit == "N"
    # pin 0 leads from link 0 to link 1
    assert channel.values[0, channel.bodies.index("left.link1")] == pytest.approx(5.0)
    assert channel.values[0, channel.bodies.index("left.link0")] == pytest.approx(5.0 * LINKS)


def test_of_several_joints_of_a_body_the_largest_counts():
    joints = {
        name: {"type": "spherical", "frame_a": {"body": "world"}, "frame_b": {"body": body}}
        for name, body in (("one", "a"), ("two", "a"), ("three", "world"))
    }
    joints["three"]["frame_a"] = {"body": "b"}
    joints["three"]["frame_b"] = {"body": "world"}
    body = {"mass": 1.0, "inertia": (1, 1, 1)}
    model = Model.model_validate({"name": "m", "bodies": {"a": body, "b": body}, "joints": joints})
    block = Block("joint", "force", ("one", "two", "three"), XYZ, "N")
    writer = ResultWriter(None, header={}, blocks=[block], model=model)
    writer.add_frames([0.0], {"joint/force": np.array([[(1.0, 0, 0), (0, -7.0, 0), (0, 0, 3.0)]])})
    channel = make_channels(writer.finish("done"))[0]
    assert (channel.key, channel.bodies) == ("joint", ("a", "b"))
    np.testing.assert_allclose(channel.values, [[7.0, 3.0]])


def test_contact_forces_are_shown_where_a_result_has_them():
    bodies = ("left.link3", "right.link4")
    force = np.array([(0.0, 0.0, 5000.0), (300.0, 0.0, 400.0)])
    result = make_loaded_result({CONTACT_FORCE: (Block("body", "contact_force", bodies, XYZ, "N", "world"), force)})
    channel = next(one for one in make_channels(result) if one.key == "contact")
    assert channel.bodies == bodies and channel.unit == "kN"
    np.testing.assert_allclose(channel.values[0], [5.0, 0.5])
    arrows = next(one for one in make_arrow_sets(result) if one.key == "contacts")
    assert arrows.bodies == bodies and arrows.unit == "kN"
    np.testing.assert_allclose(arrows.vectors[-1], force / 1e3)


def test_arrows_of_pins_point_along_the_world():
    """A force along X of frame a, whose body has turned with the vehicle and along the track."""
    result = make_loaded_result(
        {"joint/force": (Block("joint", "force", ("left.pin0",), XYZ, "N"), np.array([(10.0, 0.0, 0.0)]))}, yaw_rate=2.0
    )
    arrows = next(one for one in make_arrow_sets(result) if one.key == "pins")
    assert arrows.bodies == ("left.link1",)  # the force on b
    rotation = result.calc_rotations(["left.link0"])[:, 0]
    # frame a of a pin is turned about X only
    np.testing.assert_allclose(arrows.vectors[:, 0], 10.0 * rotation[:, :, 0], atol=1e-9)
    assert arrows.largest == pytest.approx(10.0)


def test_arrows_of_springs_push_their_ends_apart():
    result = make_loaded_result(
        {"force/force": (Block("force", "force", ("left.shock",), ("value",), "N"), np.array([(2000.0,)]))}
    )
    arrows = next(one for one in make_arrow_sets(result) if one.key == "springs")
    assert arrows.bodies == ("left.arm", "chassis")
    on_arm, on_chassis = arrows.vectors[0]
    np.testing.assert_allclose(on_arm, -on_chassis)
    assert np.linalg.norm(on_arm) == pytest.approx(2.0) and arrows.unit == "kN"
    assert on_arm[2] < 0 < on_chassis[2]  # the arm is below


def test_nothing_is_drawn_where_nothing_acts():
    assert make_arrow_sets(make_result(Drive(duration=0.1))) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [([0.0, 0.0], (0.0, 1.0)), ([np.nan, np.nan], (0.0, 1.0)), ([-5.0, -1.0], (-5.0, -1.0)), ([2.0, 2.0], (0.0, 2.0))],
)
def test_scales_of_odd_channels_have_two_ends(values, expected):
    low, high = Channel("k", "l", "N", ("a",), np.array([values]).T).find_range()
    assert low < high
    np.testing.assert_allclose((low, high), expected, atol=0.03)
