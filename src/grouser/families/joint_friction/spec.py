"""Friction of joints in model files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from grouser.families.coordinate_force.spec import Coordinate
from grouser.families.joint.spec import find_coordinate_faults
from grouser.model.base import NonNegative, Part, Positive
from grouser.model.check import Scope
from grouser.model.fault import Fault, Path, make_fault

PRESLIDING: Mapping[Coordinate, float] = {"rotation": 1e-3, "translation": 1e-4}
"""Displacement [rad, m] within which friction builds up, where neither it nor a stiffness is given."""


class JointFriction(Part):
    """Friction along the free coordinate of a joint, up to ``constant + mu * load * radius``.

    The load is the magnitude of the force that the joint carries. Along a translation there is no radius. Up to its
    limit, friction is a spring with damping, so that a standing joint stays where it is.

    Attributes
    ----------
    joint, coordinate : name of the joint; ``rotation`` or ``translation`` along its z axis
    constant : part of the limit that does not depend on the load [N or N m]
    mu : coefficient of friction; it needs a joint that holds by forces, since a load is not known before those of ideal
        joints are solved for
    radius : of the bearing, at which friction acts in a rotation with ``mu`` [m]
    presliding : displacement within which friction builds up, by default 0.1 mm or 0.001 rad [m or rad]
    stiffness : of the asperities, by default the limit over ``presliding``, with the weight that the joint has to carry
        for its load [N/m or N m/rad]
    sliding_speed : rate from which on the spring takes no part, by default presliding over 0.02 s [m/s or rad/s]
    """

    type: Literal["joint_friction"] = "joint_friction"
    joint: str
    coordinate: Coordinate
    constant: NonNegative = 0.0
    mu: NonNegative = 0.0
    radius: Positive | None = None
    presliding: Positive | None = None
    stiffness: Positive | None = None
    sliding_speed: Positive | None = None


def find_joint_friction_faults(path: Path, friction: JointFriction, scope: Scope) -> Iterator[Fault]:
    """Faults of the friction of a joint."""
    yield from find_coordinate_faults(path, friction.joint, friction.coordinate, scope)
    turns = friction.coordinate == "rotation"
    if friction.constant == 0.0 and friction.mu == 0.0:
        yield make_fault(path, "has neither a 'constant' nor a 'mu'; give at least one")
    if friction.mu > 0.0 and turns and friction.radius is None:
        yield make_fault(path, f"mu is {friction.mu:g} without a lever; give the 'radius' of the bearing [m]")
    if friction.radius is not None and (friction.mu == 0.0 or not turns):
        without = "without 'mu'" if turns else "of a translation"
        yield make_fault(
            (*path, "radius"), f"is {friction.radius:g} m {without}, where it has no meaning; leave it out"
        )
    if friction.stiffness is not None and friction.presliding is not None:
        yield make_fault(path, "has a 'stiffness' and a 'presliding', which gives one; leave out one of them")
    joint = scope.model.joints.get(friction.joint)
    if friction.mu > 0.0 and joint is not None and joint.type == "free":
        yield make_fault((*path, "mu"), f"joint {friction.joint!r} is free and carries no load; use 'constant'")
    if friction.constant == 0.0 and friction.stiffness is None and not any(scope.model.gravity):
        yield make_fault(path, "has no load to make a stiffness of, without gravity; give 'stiffness'")
