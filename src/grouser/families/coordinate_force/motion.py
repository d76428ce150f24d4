"""Prescribed motions of joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from grouser.families.coordinate_force.spec import Coordinate
from grouser.families.joint.spec import find_coordinate_faults
from grouser.model.base import Part, Signal
from grouser.model.check import Scope, find_signal_faults
from grouser.model.fault import Fault, Path, make_fault


class Motion(Part):
    """Prescribes the free coordinate of a joint, or its rate, as a function of time.

    Attributes
    ----------
    joint : name of the joint
    coordinate : ``rotation`` [rad] or ``translation`` [m] along the joint's z axis
    quantity : ``position`` or ``speed``
    value : the signal
    """

    joint: str
    coordinate: Coordinate
    quantity: Literal["position", "speed"]
    value: Signal


def find_motion_faults(scope: Scope) -> Iterator[Fault]:
    """Faults of all prescribed motions."""
    driven: dict[tuple[str, str], str] = {}
    for name, motion in scope.model.motions.items():
        path: Path = ("motions", name)
        yield from find_coordinate_faults(path, motion.joint, motion.coordinate, scope)
        yield from find_signal_faults((*path, "value"), motion.value)
        first = driven.setdefault((motion.joint, motion.coordinate), name)
        if first != name:
            yield make_fault(
                path,
                f"prescribes the {motion.coordinate} of joint {motion.joint!r}, "
                f"which motion {first!r} prescribes already; remove one of them",
            )
