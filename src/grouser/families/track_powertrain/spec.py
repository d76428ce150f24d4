"""Powertrains of vehicles with tracks (see `families/track_powertrain/kernel.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from grouser.families.joint.spec import find_spin_faults
from grouser.families.powertrain.spec import find_gear_faults
from grouser.model.base import Number, Part, Positive, Signal, Table
from grouser.model.check import Scope, find_signal_faults, find_table_faults
from grouser.model.fault import Fault, Path, make_fault


class TrackEngine(Part):
    """An engine that turns by itself. Between closed and open throttle its torque is linear; below the idle speed a
    governor opens the throttle.

    Attributes
    ----------
    torque : table of (speed [rad/s], torque [N m]) with the throttle open; where it falls the governor cuts the fuel
    drag : table of (speed [rad/s], torque [N m]) with the throttle closed; negative where the engine brakes
    idle : speed below which the governor opens the throttle [rad/s]
    inertia : of what turns with the crankshaft [kg m^2]
    """

    torque: Table = Field(min_length=2)
    drag: Table = Field(min_length=2)
    idle: Positive
    inertia: Positive


class Converter(Part):
    """Torque converter, by its ratio of speeds, that of the turbine over that of the pump.

    Attributes
    ----------
    capacity : table of (ratio of speeds [-], torque of the pump over the square of its speed [N m s^2]); it ends with a
        capacity of 0 at the ratio 1. Where the turbine is the faster one, both change their parts
    multiplication : table of (ratio of speeds [-], torque of the turbine over that of the pump [-])
    """

    capacity: Table = Field(min_length=2)
    multiplication: Table = Field(min_length=2)


class TrackGearbox(Part):
    """Automatic gearbox behind a converter, and the gears behind it.

    Attributes
    ----------
    ratios : speed of the turbine over that of the shaft behind the box in each gear, lowest gear first [-]
    up : turbine speeds at which it shifts up from each gear but the last [rad/s]
    down : turbine speed at which it shifts down [rad/s]
    final : speed of the shaft behind the box over the mean speed of both sprockets [-]
    shift_time : time constant of a shift [s]
    efficiency : share of the power that gears pass on [-]
    """

    ratios: list[Positive] = Field(min_length=1)
    up: list[Positive] = Field(default_factory=list)
    down: Positive
    final: Positive = 1.0
    shift_time: Positive = 0.3
    efficiency: Annotated[Number, Field(ge=0.5, le=1)] = 0.95


class SteeringDifferential(Part):
    """Differential between both sprockets whose brakes steer.

    Attributes
    ----------
    turn : half of the difference of the sprockets' speeds over their mean while a steering brake holds [-]: below 1 a
        controlled differential, with the ratio of speeds (1 + turn)/(1 - turn); 1 a brake on the inner sprocket
    torque : by how much a steering brake can move the torque from one sprocket to the other [N m]
    gain : that torque over what is missing of the half difference of speeds that the driver wants [N m s]
    lag : time constant of the brakes [s]
    """

    turn: Annotated[Number, Field(ge=0.001, le=1)]
    torque: Positive
    gain: Positive = 1.0e4
    lag: Annotated[Number, Field(ge=0.01)] = 0.05


class TrackPowertrain(Part):
    """Engine, torque converter, automatic gearbox and steering differential that drive two sprockets.

    The torques act on the sprockets, and their reactions on the bodies that carry them. A driver whose pedals work it,
    and who steers tracks, also steers by it.

    Attributes
    ----------
    engine : torque map and inertia
    converter : between engine and gearbox
    gearbox : gears
    steering : differential that steers
    left, right : revolute joints of the sprockets; frame b is on the sprocket, whose positive spin drives forward
    throttle : 0 to 1; what a driver gives is added
    """

    type: Literal["track_powertrain"] = "track_powertrain"
    engine: TrackEngine
    converter: Converter
    gearbox: TrackGearbox
    steering: SteeringDifferential
    left: str
    right: str
    throttle: Signal = 0.0


def find_track_powertrain_faults(path: Path, powertrain: TrackPowertrain, scope: Scope) -> Iterator[Fault]:
    """Faults of a powertrain of tracks."""
    yield from find_track_drive_faults(path, powertrain.engine, powertrain.converter, powertrain.gearbox)
    yield from find_signal_faults((*path, "throttle"), powertrain.throttle)
    for key in ("left", "right"):
        yield from find_spin_faults((*path, key), getattr(powertrain, key), scope)
    if powertrain.left == powertrain.right:
        yield make_fault((*path, "right"), f"is {powertrain.right!r}, as 'left' is; each sprocket has its own joint")


def find_track_drive_faults(
    path: Path, engine: TrackEngine, converter: Converter, gearbox: TrackGearbox
) -> Iterator[Fault]:
    """Faults of tables and gears."""
    for key in ("torque", "drag"):
        yield from find_table_faults((*path, "engine", key), getattr(engine, key))
    for key in ("capacity", "multiplication"):
        table, place = getattr(converter, key), (*path, "converter", key)
        yield from find_table_faults(place, table)
        if any(value < 0.0 for _, value in table):
            yield make_fault(place, "holds a negative value; a converter only passes torque on")
    speed, capacity = converter.capacity[-1]
    if (speed, capacity) != (1.0, 0.0):
        yield make_fault(
            (*path, "converter", "capacity"),
            f"ends with [{speed:g}, {capacity:g}]; where pump and turbine turn alike nothing is passed on: end it "
            "with [1, 0]",
        )
    for ratio, value in converter.multiplication:
        if ratio * value > 1.0:
            yield make_fault(
                (*path, "converter", "multiplication"),
                f"is {value:g} at the ratio {ratio:g}: the turbine would give more power than the pump takes; at most "
                f"{1.0 / ratio:.4g} is possible",
            )
            break
    yield from find_gear_faults((*path, "gearbox"), gearbox)
