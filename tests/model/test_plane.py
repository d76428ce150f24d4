"""Models that say that they are planar, and are not."""

from __future__ import annotations

import pytest

from grouser.errors import ModelError
from grouser.model.builder import ModelBuilder


def make(fault: str) -> ModelBuilder:
    builder = ModelBuilder("plane", gravity=(0.0, 0.1 if fault == "gravity" else 0.0, -9.81))
    tilt = (0.9, 0.1, 0.0, 0.0) if fault == "inertia" else (1.0, 0.0, 0.0, 0.0)
    velocity = (0.0, 1.0 if fault == "velocity" else 0.0, 0.0)
    builder.add_body("a", 1.0, (1.0, 1.2, 1.4), orientation=tilt, velocity=velocity)
    builder.add_body("b", 1.0, (1.0, 1.2, 1.4), position=(1.0, 0.0, 0.0))
    kind = "spherical" if fault == "type" else "prismatic" if fault == "slide" else "revolute"
    axis = (0.0, 0.0, 1.0) if fault == "axis" else (0.0, 1.0, 0.0)
    builder.add_joint("pin", kind, "a", "b", point=(0.5, 0.0, 0.0), axis=axis)
    end = 0.2 if fault == "spring" else 0.0
    builder.add_spring("spring", "world", "b", point_a=(0.0, end, 1.0), point_b=(1.0, 0.0, 0.0), stiffness=1.0)
    builder.add_force("push", "b", torque=(1.0 if fault == "torque" else 0.0, 2.0, 0.0))
    wheel = (1.0, 0.0, 0.0) if fault == "wheel" else (0.0, 1.0, 0.0)
    builder.add_shape("rim", "wheel", "b", group="rims", radius=0.2, axis=wheel)
    builder.add_contact("ground", "rims", "terrain", stiffness=1e5)
    builder.set_terrain({"type": "plane", "normal": (0.0, 0.1 if fault == "terrain" else 0.0, 1.0)})
    builder.set_planar()
    return builder


def test_a_planar_model():
    assert make("").build().planar


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("gravity", "gravity: has y = 0.1 m/s^2"),
        ("velocity", "bodies.a: starts with a motion out of the plane"),
        ("inertia", "bodies.a.inertia: y is not a principal axis"),
        ("type", "joints.pin.type: is 'spherical', which leaves the plane"),
        ("axis", "joints.pin: its axis is [0, 0, 1], not along y"),
        ("slide", "joints.pin: its axis is [0, 1, 0], out of the plane"),
        ("spring", "forces.spring: pulls out of the plane: its ends are at y = 0.2 and 0 m"),
        ("torque", "forces.push: torque x is 1.0"),
        ("wheel", "shapes.rim.axis: is not along y"),
        ("terrain", "terrain.normal: has y = 0.1"),
    ],
)
def test_what_leaves_the_plane_is_named(fault, words):
    with pytest.raises(ModelError) as error:
        make(fault).build()
    assert words in str(error.value)
