"""Rigid bodies, the frames fixed on them, and points."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Discriminator, Field, Tag

from grouser.model.base import Flag, Mass, Part, Quaternion, Vec3, Vec6

WORLD = "world"
"""Name of the inertial frame, usable wherever a body is named."""


def _choose_inertia(value: Any) -> str | None:
    return {3: "principal", 6: "full"}.get(len(value)) if isinstance(value, list | tuple) else None


Inertia = Annotated[
    Annotated[Vec3, Tag("principal")] | Annotated[Vec6, Tag("full")],
    Discriminator(
        _choose_inertia,
        custom_error_type="inertia",
        custom_error_message="must be 3 numbers (Ixx, Iyy, Izz) or 6 numbers (Ixx, Iyy, Izz, Ixy, Ixz, Iyz)",
    ),
]
"""Inertia tensor by three principal moments or by six elements [kg m^2]."""

Moments = Vec3 | Vec6
"""Three principal moments or six elements (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg m^2]."""


def make_inertia_matrix(inertia: Moments) -> np.ndarray:
    """Inertia tensor, shape (3, 3), from three principal moments or six elements [kg m^2]."""
    xx, yy, zz = inertia[:3]
    xy, xz, yz = inertia[3:] if len(inertia) == 6 else (0.0, 0.0, 0.0)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


class Frame(Part):
    """A frame fixed on a body, a point or a mesh. On bricks it turns with the material.

    Attributes
    ----------
    body : name of a body, of a point, of a mesh, of a node of a mesh (``mesh.number``), or ``world``
    position : origin of the frame in the body's frame; on a mesh a place within an element, in its axes [m]
    orientation : rotation from this frame to the body's frame, quaternion (w, x, y, z)
    nodes : on a mesh, in place of a position: a node set, in the middle of which the frame lies
    """

    body: str = WORLD
    position: Vec3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    nodes: str = ""


class Body(Part):
    """A rigid body and its initial state.

    Attributes
    ----------
    mass : [kg]
    inertia : about the centre of mass in the body's axes [kg m^2]: three principal moments
        (Ixx, Iyy, Izz), or six numbers (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) where Ixy is the tensor's
        element (the negative of the product of inertia)
    com : centre of mass in the body's frame [m]
    position : initial position of the body's origin in the world [m]
    orientation : initial rotation from body to world, quaternion (w, x, y, z)
    velocity : initial velocity of the body's origin, world axes [m/s]
    angular_velocity : initial angular velocity, body axes [rad/s]
    """

    mass: Mass
    inertia: Inertia
    com: Vec3 = (0.0, 0.0, 0.0)
    position: Vec3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    velocity: Vec3 = (0.0, 0.0, 0.0)
    angular_velocity: Vec3 = Field(default=(0.0, 0.0, 0.0))


class Point(Part):
    """A point with a mass and without rotation: what elastic elements hang on.

    Attributes
    ----------
    mass : [kg]; that of a point that is carried is left out
    fixed : it stays where it is
    body : name of the body that carries it, or empty
    position : initial position in the world [m]
    velocity : initial velocity, world axes [m/s]
    """

    mass: Mass = 1.0
    position: Vec3 = (0.0, 0.0, 0.0)
    velocity: Vec3 = (0.0, 0.0, 0.0)
    fixed: Flag = False
    body: str = ""

    @property
    def is_carried(self) -> bool:
        """Whether it follows a body, or stays where it is."""
        return self.fixed or self.body != ""
