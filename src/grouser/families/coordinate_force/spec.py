"""Springs and actuators: they act along one coordinate q with the generalised force

    f = preload - k(q - free) - c(dq/dt) - friction tanh(dq/dt / friction_velocity) - stops

positive f pushes q to larger values. `k` and `c` are numbers or tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from grouser.families.joint.spec import find_coordinate_faults
from grouser.model.base import Curve, NonNegative, Number, Part, Positive, Signal
from grouser.model.body import Frame
from grouser.model.check import Scope, find_signal_faults, find_table_faults
from grouser.model.check_frame import find_pair_faults
from grouser.model.fault import Fault, Path, make_fault

Coordinate = Literal["rotation", "translation"]
"""Free coordinate of a joint along its z axis: angle [rad] or distance [m]."""


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


def find_spring_faults(path: Path, spring: Spring, scope: Scope) -> Iterator[Fault]:
    """Faults of a spring between two points."""
    yield from _find_law_faults(path, spring)
    yield from find_pair_faults(path, spring.frame_a, spring.frame_b, scope)


def find_joint_spring_faults(path: Path, spring: JointSpring, scope: Scope) -> Iterator[Fault]:
    """Faults of a spring along the coordinate of a joint."""
    yield from _find_law_faults(path, spring)
    yield from find_coordinate_faults(path, spring.joint, spring.coordinate, scope)


def find_actuator_faults(path: Path, actuator: Actuator, scope: Scope) -> Iterator[Fault]:
    """Faults of an actuator."""
    yield from find_coordinate_faults(path, actuator.joint, actuator.coordinate, scope)
    yield from find_signal_faults((*path, "target"), actuator.target)


def _find_law_faults(path: Path, law: ScalarLaw) -> Iterator[Fault]:
    for key in ("stiffness", "damping"):
        curve = getattr(law, key)
        if not isinstance(curve, float):
            yield from find_table_faults((*path, key), curve)
    if isinstance(law.damping, float) and law.damping < 0:
        yield make_fault((*path, "damping"), f"is {law.damping:g}; a damper cannot give energy, use a positive value")
    if law.stops is not None:
        yield from _find_stop_faults((*path, "stops"), law.stops)


def _find_stop_faults(path: Path, stops: Stops) -> Iterator[Fault]:
    if stops.lower is None and stops.upper is None:
        yield make_fault(path, "has neither 'lower' nor 'upper'; give at least one")
    elif stops.lower is not None and stops.upper is not None and stops.lower > stops.upper:
        yield make_fault(path, f"lower {stops.lower:g} is above upper {stops.upper:g}; exchange them")
