"""Applied forces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from grouser.model.base import Part, Signal
from grouser.model.body import WORLD, Frame
from grouser.model.check import Scope, find_signal_faults
from grouser.model.check_frame import find_carrier_faults, is_still
from grouser.model.fault import Fault, Path, make_fault


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


def find_applied_faults(path: Path, force: Applied, scope: Scope) -> Iterator[Fault]:
    """Faults of an applied force."""
    yield from find_carrier_faults((*path, "frame"), force.frame, scope)
    if any(torque != 0.0 for torque in force.torque) and is_still(force.frame, scope):
        yield make_fault(
            (*path, "torque"), f"acts on a point of {force.frame.body!r}, which does not turn; leave it out"
        )
    if force.frame.body == WORLD:
        yield make_fault((*path, "frame"), "acts on the world, which cannot move; name a body in 'frame.body'")
    for key in ("force", "torque"):
        for i, signal in enumerate(getattr(force, key)):
            yield from find_signal_faults((*path, key, i), signal)
