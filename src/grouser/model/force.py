"""Force elements: the types that files may hold, what can be wrong with each, and which of them are commanded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

from pydantic import Field

from grouser.families.applied.spec import Applied, find_applied_faults
from grouser.families.brake.spec import Brake, find_brake_faults
from grouser.families.coordinate_force.spec import (
    Actuator,
    JointSpring,
    Spring,
    find_actuator_faults,
    find_joint_spring_faults,
    find_spring_faults,
)
from grouser.families.joint.bushing import Bushing, find_bushing_faults
from grouser.families.joint_friction.spec import JointFriction, find_joint_friction_faults
from grouser.families.powertrain.spec import Powertrain, find_powertrain_faults
from grouser.families.track_powertrain.spec import TrackPowertrain, find_track_powertrain_faults
from grouser.families.truss.spec import Truss, find_truss_faults
from grouser.families.tyre.spec import Tyre, find_mounted_tyre_faults
from grouser.model.base import Part
from grouser.model.check import Scope
from grouser.model.fault import Fault, Path

Force = Annotated[
    Spring
    | JointSpring
    | Bushing
    | Applied
    | Actuator
    | Tyre
    | Powertrain
    | Brake
    | Truss
    | JointFriction
    | TrackPowertrain,
    Field(discriminator="type"),
]

FAULTS: dict[type[Part], Callable[[Path, Any, Scope], Iterator[Fault]]] = {
    Spring: find_spring_faults,
    JointSpring: find_joint_spring_faults,
    Bushing: find_bushing_faults,
    Applied: find_applied_faults,
    Actuator: find_actuator_faults,
    Tyre: find_mounted_tyre_faults,
    Powertrain: find_powertrain_faults,
    Brake: find_brake_faults,
    Truss: find_truss_faults,
    JointFriction: find_joint_friction_faults,
    TrackPowertrain: find_track_powertrain_faults,
}
"""What finds the faults of a force of each type."""

COMMANDS: dict[type[Part], str] = {
    Actuator: "target",
    Powertrain: "throttle",
    Brake: "pedal",
    TrackPowertrain: "throttle",
}
"""Signals of forces by which a system is made to do something."""
