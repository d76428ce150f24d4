"""Joints: what may move between two frames. How stiff a joint is belongs to its realization."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from grouser.model.base import Part, Positive
from grouser.model.body import Frame
from grouser.model.check import Scope, find_reference_faults
from grouser.model.check_frame import is_still
from grouser.model.fault import Fault, Path, make_fault

JointType = Literal[
    "fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "distance", "free"
]


class Joint(Part):
    """A joint between frame a and frame b.

    The z axis of the frames is the joint's axis: a revolute turns about it, a prismatic slides along
    it, a cylindrical does both, a planar moves in the plane normal to it and turns about it. A
    universal joint keeps the x axis of frame a at right angles to the y axis of frame b. A distance
    joint keeps the distance of the frames' origins, like a rod without mass between two balls. A free
    joint leaves everything free and serves as a place for springs and sensors.

    Either frame may sit on a mesh; joints by forces hold it there. What sits on a point, or on trusses and thin beams,
    has no rotation: it may be held by a spherical or distance joint, and as frame b by a cylindrical joint, on its
    axis, or by a planar one, in its plane.

    Attributes
    ----------
    type : kind of joint
    frame_a, frame_b : the connection frames; both coincide where the joint is at zero
    group : name of the joint group, by which a realization is chosen
    length : of a distance joint; None takes the distance in the initial positions [m]
    """

    type: JointType
    frame_a: Frame
    frame_b: Frame
    group: str = "joints"
    length: Positive | None = None


HELD_ROWS: dict[str, tuple[int, ...]] = {
    "fixed": (1, 1, 1, 1, 1, 1),
    "revolute": (1, 1, 1, 1, 1, 0),
    "prismatic": (1, 1, 0, 1, 1, 1),
    "cylindrical": (1, 1, 0, 1, 1, 0),
    "universal": (1, 1, 1, 0, 0, 0),
    "spherical": (1, 1, 1, 0, 0, 0),
    "planar": (0, 0, 1, 1, 1, 0),
    "distance": (0, 0, 0, 0, 0, 0),
    "free": (0, 0, 0, 0, 0, 0),
}
"""Rows x, y, z, tilt x, tilt y, twist that a joint holds, besides `OWN_ROWS`."""

OWN_ROWS: dict[str, int] = {"universal": 1, "distance": 1}
"""Rows of their own that joints hold: an angle of two axes, a distance."""


def count_held_rows(joint_type: str) -> int:
    """Number of rows that a joint holds."""
    return sum(HELD_ROWS[joint_type]) + OWN_ROWS.get(joint_type, 0)


FREE_COORDINATES: Mapping[str, tuple[str, ...]] = {
    "fixed": (),
    "revolute": ("rotation",),
    "prismatic": ("translation",),
    "cylindrical": ("rotation", "translation"),
    "universal": (),
    "spherical": (),
    "planar": ("rotation",),
    "distance": (),
    "free": ("rotation", "translation"),
}
"""Coordinates along the z axis that a joint leaves free, by joint type."""


ON_POINTS = ("spherical", "distance")
"""Types that hold a point, which does not turn, wherever it is."""
ALONG_FRAME_A = ("cylindrical", "planar")
"""Types that hold a point as frame b: on the axis of frame a, or in the plane normal to it."""


def find_still_faults(path: Path, joint: Joint, scope: Scope) -> Iterator[Fault]:
    """A joint that would hold the rotation of a point, which has none."""
    still = [key for key in ("frame_a", "frame_b") if is_still(getattr(joint, key), scope)]
    if not still or joint.type in ON_POINTS or (joint.type in ALONG_FRAME_A and still == ["frame_b"]):
        return
    remedy = "use a spherical joint, or two of them on points that lie apart to hold an axis"
    if joint.type in ALONG_FRAME_A:
        remedy = "exchange the frames: frame a gives the axis"
    yield make_fault(
        (*path, still[0]),
        f"is on a point of {getattr(joint, still[0]).body!r}, which does not turn, and a {joint.type} joint holds "
        f"rotations; {remedy}",
    )


def find_coordinate_faults(path: Path, joint: str, coordinate: str, scope: Scope) -> Iterator[Fault]:
    """A joint that does not exist, or does not leave a coordinate free."""
    yield from find_reference_faults((*path, "joint"), "joint", joint, scope.joints)
    if joint not in scope.model.joints:
        return
    kind = scope.model.joints[joint].type
    free = FREE_COORDINATES[kind]
    if coordinate not in free:
        remedy = f"use {' or '.join(free)}" if free else "use another type of joint"
        yield make_fault((*path, "coordinate"), f"joint {joint!r} is {kind} and has no free {coordinate}; {remedy}")
    elif coordinate == "rotation" and is_still(scope.model.joints[joint].frame_b, scope):
        yield make_fault((*path, "coordinate"), f"joint {joint!r} holds a point, which does not turn; use translation")


def find_spin_faults(path: Path, joint: str, scope: Scope) -> Iterator[Fault]:
    """A joint on which no wheel can turn."""
    yield from find_reference_faults(path, "joint", joint, scope.joints)
    found = scope.model.joints.get(joint)
    if found is not None and found.type != "revolute":
        yield make_fault(path, f"joint {joint!r} is {found.type}; a wheel turns on a revolute joint")
