"""Powertrains: torques about the spin axes of wheels (see `families/powertrain/kernel.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Protocol

from pydantic import Field

from grouser.families.joint.spec import find_spin_faults
from grouser.model.base import Number, Part, Positive, Signal, Table
from grouser.model.check import Scope, find_reference_faults, find_signal_faults, find_table_faults
from grouser.model.fault import Fault, Path, make_fault

SPLIT = 1.0e-6
"""Shares of the torque may miss one by this much: rounding of a file's digits."""


class Engine(Part):
    """Torque map of an engine. Between closed and open throttle the torque is linear.

    Attributes
    ----------
    torque : table of (speed [rad/s], torque [N m]) with the throttle open
    drag : table of (speed [rad/s], torque [N m]) with the throttle closed; negative where the engine brakes
    idle : speed below which the engine does not fall [rad/s]
    launch : speed at which the converter holds the engine at a standstill with the throttle open [rad/s]
    """

    torque: Table = Field(min_length=2)
    drag: Table = Field(min_length=2)
    idle: Positive
    launch: Positive


class Gearbox(Part):
    """Automatic gearbox with a torque converter.

    Attributes
    ----------
    ratios : engine speed over wheel speed in each gear, lowest gear first, all gears behind the box included [-]
    up : engine speeds at which it shifts up from each gear but the last [rad/s]
    down : engine speed at which it shifts down [rad/s]
    shift_time : time constant of a shift [s]
    multiplication : torque of the converter at a standstill over the engine's [-]
    """

    ratios: list[Positive] = Field(min_length=1)
    up: list[Positive] = Field(default_factory=list)
    down: Positive
    shift_time: Positive = 0.3
    multiplication: Annotated[Number, Field(ge=1, le=2)] = 2.0


class DrivenWheel(Part):
    """A wheel at the end of the driveline.

    Attributes
    ----------
    joint : revolute joint on which it turns; frame b is on the wheel
    share : of the torque behind the gearbox [-]; open differentials give each wheel a fixed share
    """

    joint: str
    share: Positive


class Powertrain(Part):
    """Engine, automatic gearbox and open differentials that drive wheels.

    The torque acts on the wheels, and its reaction on the body that holds the differentials. The inertia of the engine
    is left out: its speed follows that of the gearbox, or that at which the converter lets it slip.

    Attributes
    ----------
    engine : torque map
    gearbox : gears and converter
    wheels : driven wheels, whose shares add up to one
    reaction : body that takes the reaction
    throttle : 0 to 1; what a driver gives is added
    """

    type: Literal["powertrain"] = "powertrain"
    engine: Engine
    gearbox: Gearbox
    wheels: list[DrivenWheel] = Field(min_length=1)
    reaction: str
    throttle: Signal = 0.0


def find_powertrain_faults(path: Path, powertrain: Powertrain, scope: Scope) -> Iterator[Fault]:
    """Faults of a powertrain."""
    engine, box = powertrain.engine, powertrain.gearbox
    for key in ("torque", "drag"):
        yield from find_table_faults((*path, "engine", key), getattr(engine, key))
    if engine.launch < engine.idle:
        yield make_fault(
            (*path, "engine", "launch"), f"is {engine.launch:g} rad/s, below the idle speed of {engine.idle:g} rad/s"
        )
    yield from find_gear_faults((*path, "gearbox"), box)
    yield from find_reference_faults((*path, "reaction"), "body", powertrain.reaction, scope.bodies)
    yield from find_signal_faults((*path, "throttle"), powertrain.throttle)
    for i, wheel in enumerate(powertrain.wheels):
        yield from find_spin_faults((*path, "wheels", i, "joint"), wheel.joint, scope)
    total = sum(wheel.share for wheel in powertrain.wheels)
    if abs(total - 1.0) > SPLIT:
        yield make_fault((*path, "wheels"), f"have shares that add up to {total:g}; they must add up to 1")


class Box(Protocol):
    """Gears, and the speeds before them at which they are shifted."""

    @property
    def ratios(self) -> list[float]: ...
    @property
    def up(self) -> list[float]: ...
    @property
    def down(self) -> float: ...


def find_gear_faults(path: Path, box: Box) -> Iterator[Fault]:
    """Faults of gears and of their shifts."""
    count = len(box.ratios)
    for i in range(1, count):
        if box.ratios[i] >= box.ratios[i - 1]:
            yield make_fault((*path, "ratios", i), f"{box.ratios[i]:g} follows {box.ratios[i - 1]:g}; ratios must fall")
            return
    if len(box.up) != count - 1:
        yield make_fault((*path, "up"), f"has {len(box.up)} speeds; {count} gears have {count - 1} shifts up")
        return
    for i, up in enumerate(box.up):
        after = up * box.ratios[i + 1] / box.ratios[i]
        if after <= box.down:
            yield make_fault(
                (*path, "up", i),
                f"shifting up at {up:g} rad/s leaves the engine at {after:.4g} rad/s, where it shifts down again "
                f"(down is {box.down:g} rad/s); shift up later, or down at a lower speed",
            )
