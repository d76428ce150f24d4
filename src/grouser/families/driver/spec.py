"""Drivers: who steers, and works the pedals, by what is seen of the path ahead (see `families/driver/kernel.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from pydantic import Field

from grouser.families.brake.spec import Brake
from grouser.families.powertrain.spec import Powertrain
from grouser.model.base import NonNegative, Number, Part, Positive, Signal
from grouser.model.body import Frame
from grouser.model.check import SHORTEST, find_frame_faults, find_reference_faults, find_signal_faults
from grouser.model.fault import Fault, Path, make_fault

if TYPE_CHECKING:
    from grouser.model.model import Model


class Steering(Part):
    """How a driver steers. The angle that is wanted passes a lag of first order, that of the muscles, and one of second
    order, that of the steering system: so angle, rate and acceleration of the driven joint are known at any time.

    Attributes
    ----------
    motion : the prescribed rotation that steers; the driver's angle is added to its value
    ratio : angle of the motion over the angle of the road wheels, positive to the left [-]
    wheelbase : [m]
    angle : wanted angle of the motion [rad], beside what the path asks for
    limit : largest angle of the motion that the driver wants [rad]
    prediction_time : time until vehicle and steering answer, for which the driver allows [s]
    preview_time : time from there to the point of the path that the driver looks at [s]
    preview_distance : least distance of that point [m]
    understeer : what the road wheels have to turn more than on a slow curve, over lateral acceleration [rad s^2/m]
    lag : time constant of the first order [s]
    frequency : of the second order [rad/s]
    damping_ratio : of the second order [-]
    """

    motion: str
    ratio: Number
    wheelbase: Positive
    angle: Signal = 0.0
    limit: Positive
    prediction_time: NonNegative = 0.4
    preview_time: Positive = 0.55
    preview_distance: Positive = 4.0
    understeer: NonNegative = 0.0
    lag: Positive = 0.05
    frequency: Positive = 30.0
    damping_ratio: Positive = 0.8


class Pedals(Part):
    """How a driver keeps a speed: a controller of the speed error, u = p e + i integral(e); positive u is throttle,
    negative u brake, both cut at 1.

    Attributes
    ----------
    powertrain : whose throttle is worked, or empty
    brakes : whose pedal is worked
    p : [s/m]
    i : [1/m]
    brake_gain : pedal of the brake over -u [-]
    """

    powertrain: str = ""
    brakes: list[str] = Field(default_factory=list)
    p: NonNegative = 0.6
    i: NonNegative = 0.15
    brake_gain: NonNegative = 0.5


class Driver(Part):
    """Follows a path by looking ahead, and keeps a speed.

    Attributes
    ----------
    frame : where the driver's view is fixed on the vehicle, x forward; the middle of the rear axle suits
    steering : how the driver steers, or None
    path : points (x, y) of the path [m], straight between them and beyond the last; empty for none
    pedals : how the driver keeps the speed
    speed : wanted speed [m/s], or None to leave the pedals alone
    """

    frame: Frame
    steering: Steering | None = None
    path: list[tuple[Number, Number]] = Field(default_factory=list)
    pedals: Pedals = Pedals()
    speed: Signal | None = None


def find_driver_faults(model: Model, bodies: Set[str], absent: Set[str]) -> Iterator[Fault]:
    """Faults of all drivers; nothing is held against references into the families `absent`."""
    steered: dict[str, str] = {}
    for name, driver in model.drivers.items():
        path: Path = ("drivers", name)
        yield from find_frame_faults((*path, "frame"), driver.frame, bodies)
        if driver.speed is not None:
            yield from find_signal_faults((*path, "speed"), driver.speed)
        if driver.path:
            yield from _find_path_faults((*path, "path"), driver)
        if driver.steering is not None and "motions" not in absent:
            yield from _find_steering_faults((*path, "steering"), driver.steering, model)
            first = steered.setdefault(driver.steering.motion, name)
            if first != name:
                yield make_fault((*path, "steering", "motion"), f"driver {first!r} steers it already; remove one")
        if "forces" not in absent:
            yield from _find_pedal_faults((*path, "pedals"), driver.pedals, model)


def _find_path_faults(path: Path, driver: Driver) -> Iterator[Fault]:
    if driver.steering is None:
        yield make_fault(path, "is given, but the driver does not steer; give 'steering' too")
    if len(driver.path) < 2:
        yield make_fault(path, f"has {len(driver.path)} points; at least 2 are needed")
    for i in range(1, len(driver.path)):
        (x0, y0), (x1, y1) = driver.path[i - 1], driver.path[i]
        if (x1 - x0) ** 2 + (y1 - y0) ** 2 < SHORTEST**2:
            yield make_fault((*path, i), f"[{x1:g}, {y1:g}] is the point before it; remove one of them")
            return


def _find_steering_faults(path: Path, steering: Steering, model: Model) -> Iterator[Fault]:
    yield from find_reference_faults((*path, "motion"), "motion", steering.motion, model.motions)
    motion = model.motions.get(steering.motion)
    if motion is not None and (motion.coordinate, motion.quantity) != ("rotation", "position"):
        yield make_fault(
            (*path, "motion"),
            f"{steering.motion!r} prescribes the {motion.quantity} of a {motion.coordinate}; a driver steers by the "
            "position of a rotation",
        )
    if abs(steering.ratio) < SHORTEST:
        yield make_fault((*path, "ratio"), "is 0; the road wheels must turn with the motion")
    yield from find_signal_faults((*path, "angle"), steering.angle)


def _find_pedal_faults(path: Path, pedals: Pedals, model: Model) -> Iterator[Fault]:
    if pedals.powertrain:
        names = {name for name, force in model.forces.items() if isinstance(force, Powertrain)}
        yield from find_reference_faults((*path, "powertrain"), "powertrain", pedals.powertrain, names)
    names = {name for name, force in model.forces.items() if isinstance(force, Brake)}
    for i, brake in enumerate(pedals.brakes):
        yield from find_reference_faults((*path, "brakes", i), "brake", brake, names)
