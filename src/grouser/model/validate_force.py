"""Faults of force elements and motions: laws, matrices, signals, and the coordinates that they act on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING

from grouser.model.body import WORLD
from grouser.model.check import (
    find_frame_faults,
    find_matrix_faults,
    find_pair_faults,
    find_reference_faults,
    find_signal_faults,
    find_table_faults,
)
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.force import Actuator, Applied, Bushing, Force, JointSpring, ScalarLaw, Spring, Stops
from grouser.model.joint import Joint
from grouser.model.powertrain import Brake, Powertrain, find_brake_faults, find_powertrain_faults
from grouser.model.tyre import Tyre, find_tyre_faults

if TYPE_CHECKING:
    from grouser.model.model import Model

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


def find_force_faults(model: Model, bodies: Set[str], joints: Set[str]) -> Iterator[Fault]:
    """Faults of all force elements; `bodies` and `joints` are the names that may be referred to."""
    for name, force in model.forces.items():
        path: Path = ("forces", name)
        if isinstance(force, ScalarLaw):
            yield from _find_law_faults(path, force)
        if isinstance(force, Spring | Bushing):
            yield from find_pair_faults(path, force.frame_a, force.frame_b, bodies)
        if isinstance(force, Bushing):
            yield from find_matrix_faults((*path, "stiffness"), force.stiffness)
            yield from find_matrix_faults((*path, "damping"), force.damping)
        if isinstance(force, JointSpring | Actuator):
            yield from _find_coordinate_faults(path, force.joint, force.coordinate, model.joints, joints)
        if isinstance(force, Actuator):
            yield from find_signal_faults((*path, "target"), force.target)
        if isinstance(force, Applied):
            yield from _find_applied_faults(path, force, bodies)
        if isinstance(force, Tyre):
            yield from find_frame_faults((*path, "frame"), force.frame, bodies)
            yield from find_tyre_faults(path, force)
        if isinstance(force, Powertrain):
            yield from find_powertrain_faults(path, force, bodies, joints, model.joints)
        if isinstance(force, Brake):
            yield from find_brake_faults(path, force, joints, model.joints)


def find_motion_faults(model: Model, joints: Set[str]) -> Iterator[Fault]:
    """Faults of prescribed motions."""
    driven: dict[tuple[str, str], str] = {}
    for name, motion in model.motions.items():
        path: Path = ("motions", name)
        yield from _find_coordinate_faults(path, motion.joint, motion.coordinate, model.joints, joints)
        yield from find_signal_faults((*path, "value"), motion.value)
        first = driven.setdefault((motion.joint, motion.coordinate), name)
        if first != name:
            yield make_fault(
                path,
                f"prescribes the {motion.coordinate} of joint {motion.joint!r}, "
                f"which motion {first!r} prescribes already; remove one of them",
            )


def find_actuators(forces: Mapping[str, Force]) -> dict[str, Actuator]:
    """The actuators among the forces."""
    return {name: force for name, force in forces.items() if isinstance(force, Actuator)}


def _find_coordinate_faults(
    path: Path, joint: str, coordinate: str, elements: Mapping[str, Joint], names: Set[str]
) -> Iterator[Fault]:
    yield from find_reference_faults((*path, "joint"), "joint", joint, names)
    if joint not in elements:
        return
    kind = elements[joint].type
    free = FREE_COORDINATES[kind]
    if coordinate not in free:
        remedy = f"use {' or '.join(free)}" if free else "use another type of joint"
        yield make_fault((*path, "coordinate"), f"joint {joint!r} is {kind} and has no free {coordinate}; {remedy}")


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


def _find_applied_faults(path: Path, force: Applied, bodies: Set[str]) -> Iterator[Fault]:
    yield from find_frame_faults((*path, "frame"), force.frame, bodies)
    if force.frame.body == WORLD:
        yield make_fault((*path, "frame"), "acts on the world, which cannot move; name a body in 'frame.body'")
    for key in ("force", "torque"):
        for i, signal in enumerate(getattr(force, key)):
            yield from find_signal_faults((*path, key, i), signal)
