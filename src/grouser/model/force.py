"""Force elements. Scalar elements act along one coordinate q with the generalised force

    f = preload - k(q - free) - c(dq/dt) - friction tanh(dq/dt / friction_velocity) - stops

positive f pushes q to larger values. `k` and `c` are numbers or tables.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from grouser.model.base import Curve, NonNegative, Number, Part, Positive, Signal, Vec6
from grouser.model.body import Frame
from grouser.model.powertrain import Brake, Powertrain
from grouser.model.tyre import Tyre

Coordinate = Literal["rotation", "translation"]
"""Free coordinate of a joint along its z axis: angle [rad] or distance [m]."""


def _choose_rows(value: Any) -> str:
    is_matrix = isinstance(value, list | tuple) and any(isinstance(row, list | tuple) for row in value)
    return "matrix" if is_matrix else "diagonal"


Matrix6 = Annotated[
    Annotated[list[Number], Tag("diagonal")] | Annotated[list[list[Number]], Tag("matrix")],
    Discriminator(_choose_rows),
]
"""Six diagonal values, or six rows of six."""


class Stops(Part):
    """End stops: linear springs with dampers that act outside [lower, upper] and never pull.

    Attributes
    ----------
    lower, upper : range of free motion of q - free [m or rad]
    stiffness : [N/m or N m/rad]
    damping : [N s/m or N m s/rad]
    """

    lower: Number | None = None
    upper: Number | None = None
    stiffness: Positive
    damping: NonNegative = 0.0


class ScalarLaw(Part):
    """Law of a scalar force element (see the top of this file).

    Attributes
    ----------
    stiffness : k [N/m or N m/rad], or a table of (q - free, force)
    damping : c [N s/m or N m s/rad], or a table of (rate, force)
    free : value of q at which the spring is relaxed [m or rad]; by default the initial value
    preload : constant force [N or N m], positive pushes q to larger values
    friction : Coulomb force [N or N m]
    friction_velocity : rate at which friction is regularised [m/s or rad/s]
    stops : end stops
    """

    stiffness: Curve = 0.0
    damping: Curve = 0.0
    free: Number | None = None
    preload: Number = 0.0
    friction: NonNegative = 0.0
    friction_velocity: Positive = 0.01
    stops: Stops | None = None


class Spring(ScalarLaw):
    """Spring-damper along the line between two points; q is their distance [m]."""

    type: Literal["spring"] = "spring"
    frame_a: Frame
    frame_b: Frame


class JointSpring(ScalarLaw):
    """Spring-damper along the free coordinate of a joint (a torsion bar, a tensioner)."""

    type: Literal["joint_spring"] = "joint_spring"
    joint: str
    coordinate: Coordinate


class Bushing(Part):
    """Six-component elastic connection between two frames.

    Its coordinates are the displacement of frame b in frame a (x, y, z) [m] and the rotation: two
    tilts of the z axis about x and y, and the twist about z [rad]. Forces act on b as
    ``preload - K q - C dq/dt``; the law is exactly conservative for any rotation below half a turn.

    Attributes
    ----------
    stiffness : K, six diagonal values or a full symmetric 6 x 6 matrix, rows
        (x, y, z, tilt x, tilt y, twist) [N/m, N m/rad]
    damping : C, likewise [N s/m, N m s/rad]
    preload : six forces and torques at zero deformation [N, N m]
    """

    type: Literal["bushing"] = "bushing"
    frame_a: Frame
    frame_b: Frame
    stiffness: Matrix6
    damping: Matrix6 = Field(default_factory=lambda: [0.0] * 6)
    preload: Vec6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Applied(Part):
    """Force and torque on a body as functions of time.

    Attributes
    ----------
    frame : where the force acts
    force, torque : three signals each [N], [N m]
    axes : ``world``, or ``body`` to turn with the frame
    """

    type: Literal["applied"] = "applied"
    frame: Frame
    force: tuple[Signal, Signal, Signal] = (0.0, 0.0, 0.0)
    torque: tuple[Signal, Signal, Signal] = (0.0, 0.0, 0.0)
    axes: Literal["world", "body"] = "world"


class Actuator(Part):
    """Force or torque along a joint's free coordinate from a control law.

    ``control`` names what follows the target: the coordinate (``position``), its rate (``speed``), or
    ``force`` for the target itself. With the error e = target - value the force is
    ``p e + i integral(e) + d de/dt``, cut to +-limit; the integral stops while it is cut.

    Attributes
    ----------
    joint, coordinate : name of the joint; ``rotation`` or ``translation`` along its z axis
    control : ``position``, ``speed`` or ``force``
    target : signal [m or rad, m/s or rad/s, N or N m]
    p, i, d : gains on the error, its integral and its rate
    limit : largest force [N or N m], or None
    """

    type: Literal["actuator"] = "actuator"
    joint: str
    coordinate: Coordinate
    control: Literal["position", "speed", "force"]
    target: Signal
    p: NonNegative = 0.0
    i: NonNegative = 0.0
    d: NonNegative = 0.0
    limit: Positive | None = None


Force = Annotated[
    Spring | JointSpring | Bushing | Applied | Actuator | Tyre | Powertrain | Brake, Field(discriminator="type")
]

COMMANDS: dict[type[Part], str] = {Actuator: "target", Powertrain: "throttle", Brake: "pedal"}
"""Signals of forces by which a system is made to do something."""
