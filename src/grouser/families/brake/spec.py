"""Brakes: torques about the spin axes of wheels (see `families/powertrain/kernel.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from grouser.families.joint.spec import find_spin_faults
from grouser.model.base import Number, Part, Positive, Signal
from grouser.model.check import Scope, find_signal_faults
from grouser.model.fault import Fault, Path


class Brake(Part):
    """Brake of a wheel: a torque against its spin that also holds at a standstill.

    Attributes
    ----------
    joint : revolute joint on which the wheel turns
    torque : at full pedal [N m]
    pedal : 0 to 1; what a driver gives is added
    angle : turn of the wheel within which the torque of a standing brake builds up [rad]
    lag : time constant with which the torque follows the direction of a turning wheel [s]
    """

    type: Literal["brake"] = "brake"
    joint: str
    torque: Positive
    pedal: Signal = 0.0
    angle: Positive = 0.02
    lag: Annotated[Number, Field(ge=0.002)] = 0.005


def find_brake_faults(path: Path, brake: Brake, scope: Scope) -> Iterator[Fault]:
    """Faults of a brake."""
    yield from find_spin_faults((*path, "joint"), brake.joint, scope)
    yield from find_signal_faults((*path, "pedal"), brake.pedal)
