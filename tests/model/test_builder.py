"""The builder: frames that coincide at the initial pose, and clear refusals."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.errors import ModelError
from grouser.model.body import make_inertia_matrix
from grouser.model.builder import ModelBuilder
from grouser.model.rotation import make_quaternion, quaternion_to_matrix, rotate

ROUNDING = 1e-14


def make_pair() -> ModelBuilder:
    builder = ModelBuilder("pair")
    builder.add_body("a", 1, (1, 1, 1), position=(1, -2, 3), orientation=(1, 0.2, -0.4, 2))
    builder.add_body("b", 1, (1, 1, 1), position=(0.5, 0, -1), orientation=(0.1, -1, 0.3, 0.5))
    return builder


def find_world_frame(model, frame):
    if frame.body == "world":
        return np.array(frame.position), quaternion_to_matrix(frame.orientation)
    body = model.bodies[frame.body]
    origin = np.array(body.position) + rotate(body.orientation, frame.position)
    return origin, quaternion_to_matrix(body.orientation) @ quaternion_to_matrix(frame.orientation)


def test_pendulum_in_ten_lines():
    builder = ModelBuilder("pendulum")
    rod = builder.add_body("rod", 2.0, (0.17, 0.001, 0.17), position=(0, 0, -0.5))
    hinge = builder.add_joint("hinge", "revolute", "world", rod, point=(0, 0, 0), axis=(0, 1, 0))
    builder.add_joint_spring("drag", hinge, damping=0.1)
    model = builder.build()
    assert model.joints["hinge"].frame_b.position == (0.0, 0.0, 0.5)
    assert model.forces["drag"].coordinate == "rotation"


@pytest.mark.parametrize("bodies", [("a", "b"), ("world", "b"), ("a", "world")])
@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -2), (1, 0, 0), (0, 1, 0), (0.3, -2, 1), (-1, 1e-8, 0)])
def test_both_joint_frames_coincide_with_z_along_the_axis(bodies, axis):
    builder = make_pair()
    builder.add_joint("j", "cylindrical", *bodies, point=(0.2, 0.4, -0.6), axis=axis, group="pins")
    model = builder.build()
    joint = model.joints["j"]
    assert joint.group == "pins"
    for frame in (joint.frame_a, joint.frame_b):
        origin, axes = find_world_frame(model, frame)
        np.testing.assert_allclose(origin, (0.2, 0.4, -0.6), atol=ROUNDING)
        np.testing.assert_allclose(axes[:, 2], np.array(axis) / np.linalg.norm(axis), atol=ROUNDING)
    both = [find_world_frame(model, frame)[1] for frame in (joint.frame_a, joint.frame_b)]
    np.testing.assert_allclose(both[0], both[1], atol=ROUNDING)


def test_x_axis_of_a_universal_joint():
    builder = make_pair()
    builder.add_joint("j", "universal", "a", "b", axis=(0, 0, 1), x_axis=(1, 1, 0.5))
    model = builder.build()
    x = find_world_frame(model, model.joints["j"].frame_a)[1][:, 0]
    np.testing.assert_allclose(x, np.array([1, 1, 0]) / np.sqrt(2), atol=ROUNDING)


def test_points_of_forces_and_sensors_are_in_the_world():
    builder = make_pair()
    builder.add_spring("spring", "a", "b", point_a=(1, 1, 1), point_b=(2, 2, 2), stiffness=10)
    builder.add_force("push", "a", point=(3, 3, 3), force=(0, "sin(t)", 0))
    builder.add_force("pull", "a", torque=np.array([1.0, 0.0, 0.0]), axes="body")
    builder.add_bushing("mount", "a", "b", point=(4, 4, 4), axis=(1, 0, 0), stiffness=np.eye(6))
    builder.add_sensor("tip", "b", "velocity", point=(5, 5, 5))
    model = builder.build()
    forces = model.forces
    for frame, point in [
        (forces["spring"].frame_a, 1),
        (forces["spring"].frame_b, 2),
        (forces["push"].frame, 3),
        (forces["mount"].frame_a, 4),
        (forces["mount"].frame_b, 4),
        (model.sensors["tip"].frame, 5),
    ]:
        np.testing.assert_allclose(find_world_frame(model, frame)[0], [point] * 3, atol=ROUNDING)
    assert forces["pull"].frame.position == (0.0, 0.0, 0.0)


def test_everything_else_passes_through():
    builder = make_pair()
    builder.add_joint("slide", "prismatic", "world", "a")
    builder.add_joint("spin", "cylindrical", "a", "b")
    builder.add_motion("feed", "slide", speed=[[0, 0], [1, 2]])
    builder.add_actuator("motor", "spin", "rotation", control="speed", target="10*t", p=np.float64(3))
    builder.add_shape("tyre", "wheel", "b", group="wheels", radius=0.3, planes=np.array([0.0, 0.1]))
    builder.add_contact("ground", "wheels", "terrain", stiffness=1e6, friction={"mu": 0.5})
    builder.set_terrain({"type": "plane", "friction": 0.5})
    builder.set_main_body("a")
    model = builder.build()
    assert model.motions["feed"].quantity == "speed"
    assert model.motions["feed"].value == [(0.0, 0.0), (1.0, 2.0)]
    assert model.forces["motor"].p == 3.0
    assert model.shapes["tyre"].planes == [0.0, 0.1]
    assert model.terrain.friction == 0.5
    assert model.main_body == "a"


def test_inertia_as_matrix():
    builder = ModelBuilder("x")
    tensor = np.array([[1.0, 0.1, 0.2], [0.1, 1.2, 0.3], [0.2, 0.3, 1.4]])
    builder.add_body("a", 1, tensor)
    assert builder.build().bodies["a"].inertia == (1.0, 1.2, 1.4, 0.1, 0.2, 0.3)
    np.testing.assert_array_equal(make_inertia_matrix(builder.build().bodies["a"].inertia), tensor)
    with pytest.raises(ModelError, match="not symmetric"):
        builder.add_body("b", 1, np.triu(tensor))


REFUSED = {
    "body later": (lambda b: b.add_joint("j", "fixed", "a", "c"), "unknown body 'c'", "add a body before"),
    "shape on unknown": (
        lambda b: b.add_shape("s", "wheel", "c", group="g", radius=1),
        "unknown body 'c'",
        "'s'",
    ),
    "joint later": (lambda b: b.add_motion("m", "j", speed=1), "unknown joint 'j'", "add a joint before"),
    "name twice": (lambda b: b.add_body("a", 1, (1, 1, 1)), "bodies.a", "taken in 'bodies'"),
    "name across": (lambda b: b.add_sensor("a", "a", "position"), "sensors.a", "taken in 'bodies'"),
    "no axis": (lambda b: b.add_joint("j", "fixed", "a", "b", axis=(0, 0, 0)), "axis of 'j'", "no direction"),
    "x along z": (
        lambda b: b.add_joint("j", "fixed", "a", "b", x_axis=(0, 0, 3)),
        "normal to the axis",
        "'j'",
    ),
    "bad point": (
        lambda b: b.add_joint("j", "fixed", "a", "b", point=(1, 2)),
        "point of 'j'",
        "3 finite numbers",
    ),
    "text for point": (lambda b: b.add_force("f", "a", point="top"), "point of 'f' is 'top'", "3 finite"),
    "nan": (
        lambda b: b.add_body("c", 1, (1, 1, 1), position=(0, 0, np.nan)),
        "position of body 'c'",
        "finite",
    ),
    "no rotation": (
        lambda b: b.add_body("c", 1, (1, 1, 1), orientation=(0, 0, 0, 0)),
        "orientation",
        "direction",
    ),
    "both": (
        lambda b: b.add_motion("m", "j", speed=1, position=1),
        "motion 'm'",
        "either 'position' or 'speed'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_at_once(case):
    act, *words = REFUSED[case]
    with pytest.raises(ModelError) as caught:
        act(make_pair())
    assert all(word in str(caught.value) for word in words)


def test_coordinate_must_be_named_where_there_are_two():
    builder = make_pair()
    builder.add_joint("spin", "cylindrical", "a", "b")
    with pytest.raises(ModelError, match=r"'spin' \(cylindrical\) has 2 free coordinates"):
        builder.add_motion("m", "spin", speed=1)


def test_faults_of_the_model_come_from_build():
    builder = make_pair()
    builder.add_body("c", -1, (1, 1, 9))
    builder.add_joint("j", "revolut", "a", "b")
    with pytest.raises(ModelError) as caught:
        builder.build()
    assert "bodies.c.mass: is -1 [kg]" in str(caught.value)
    assert "did you mean 'revolute'?" in str(caught.value)


def test_body_turned_by_a_quaternion():
    builder = ModelBuilder("x")
    builder.add_body("a", 1, (1, 1, 1), orientation=make_quaternion((0, 0, 2), np.pi / 2))
    builder.add_joint("j", "revolute", "world", "a", point=(0, 1, 0))
    np.testing.assert_allclose(builder.build().joints["j"].frame_b.position, (1, 0, 0), atol=ROUNDING)
