"""Drivers: who steers, and works the pedals, by what is seen of the path ahead (see `families/driver/kernel.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Discriminator, Field, Tag

from grouser.families.brake.spec import Brake
from grouser.families.powertrain.spec import Powertrain
from grouser.families.track_powertrain.spec import TrackPowertrain
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

    ORDER: ClassVar = ("angle", "rad")
    """What may be ordered beside the path, and its unit."""

    def list_motions(self) -> dict[str, str]:
        """Keys of the motions that steer, and their names."""
        return {"motion": self.motion}


class TrackSteering(Part):
    """How a driver steers a vehicle with tracks: one sprocket turns slower than before, the other faster by as much.

    Half of the difference of their speeds passes the same lags as the angle of a `Steering`.

    Attributes
    ----------
    left, right : motions that prescribe the speeds of both sprockets; what steers is taken from one and added to the
        other. None of both where the powertrain of the pedals is one of tracks, whose differential then steers
    tread : distance of the tracks across [m]
    radius : speed of a track over the angular speed of its sprocket [m]
    rate : wanted yaw rate [rad/s], beside what the path asks for
    limit : largest half difference of the sprockets' speeds that the driver wants [rad/s]
    yaw_gain : by how much more the driver steers than tracks without slip would need, over the yaw rate that is missing
        [-]
    prediction_time : time until the vehicle answers, for which the driver allows [s]
    preview_time : time from there to the point of the path that the driver looks at [s]
    preview_distance : least distance of that point [m]
    lag : time constant of the first order [s]
    frequency : of the second order [rad/s]
    damping_ratio : of the second order [-]
    """

    left: str | None = None
    right: str | None = None
    tread: Positive
    radius: Positive
    rate: Signal = 0.0
    limit: Positive = 10.0
    yaw_gain: NonNegative = 1.0
    prediction_time: NonNegative = 0.2
    preview_time: Positive = 0.6
    preview_distance: Positive = 4.0
    lag: Positive = 0.1
    frequency: Positive = 15.0
    damping_ratio: Positive = 0.9

    ORDER: ClassVar = ("rate", "rad/s")
    """What may be ordered beside the path, and its unit."""

    def list_motions(self) -> dict[str, str]:
        """Keys of the motions that steer, and their names."""
        return {key: motion for key in ("left", "right") if (motion := getattr(self, key)) is not None}


def _choose_steering(value: Any) -> str:
    if isinstance(value, dict):
        return "tracks" if {"left", "right", "tread"} & value.keys() else "wheels"
    return "tracks" if isinstance(value, TrackSteering) else "wheels"


AnySteering = Annotated[
    Annotated[Steering, Tag("wheels")] | Annotated[TrackSteering, Tag("tracks")], Discriminator(_choose_steering)
]
"""By wheels that turn, or by tracks."""


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
    steering: AnySteering | None = None
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
            if not driver.steering.list_motions() and "forces" not in absent:
                yield from _find_differential_faults(path, driver.pedals.powertrain, model)
            for key, motion in driver.steering.list_motions().items():
                first = steered.setdefault(motion, name)
                if first != name:
                    yield make_fault((*path, "steering", key), f"driver {first!r} steers it already; remove one")
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


def _find_steering_faults(path: Path, steering: Steering | TrackSteering, model: Model) -> Iterator[Fault]:
    quantity = "position" if isinstance(steering, Steering) else "speed"
    for key, name in steering.list_motions().items():
        yield from find_reference_faults((*path, key), "motion", name, model.motions)
        motion = model.motions.get(name)
        if motion is not None and (motion.coordinate, motion.quantity) != ("rotation", quantity):
            yield make_fault(
                (*path, key),
                f"{name!r} prescribes the {motion.quantity} of a {motion.coordinate}; a driver steers "
                f"{'wheels' if quantity == 'position' else 'tracks'} by the {quantity} of a rotation",
            )
    if isinstance(steering, Steering) and abs(steering.ratio) < SHORTEST:
        yield make_fault((*path, "ratio"), "is 0; the road wheels must turn with the motion")
    if isinstance(steering, TrackSteering) and len(steering.list_motions()) == 1:
        yield make_fault(path, "names the motion of one sprocket only; give both of 'left' and 'right', or none")
    elif isinstance(steering, TrackSteering) and steering.left is not None and steering.left == steering.right:
        yield make_fault((*path, "right"), f"is {steering.right!r}, as 'left' is; each track has a motion of its own")
    order, _ = steering.ORDER
    yield from find_signal_faults((*path, order), getattr(steering, order))


def _find_differential_faults(path: Path, powertrain: str, model: Model) -> Iterator[Fault]:
    """A driver of tracks without motions whose powertrain has no differential that steers."""
    if not isinstance(model.forces.get(powertrain), TrackPowertrain):
        yield make_fault(
            (*path, "steering"),
            "has nothing to steer: give the motions 'left' and 'right' of both sprockets, or a powertrain of tracks in "
            "'pedals.powertrain'",
        )


def _find_pedal_faults(path: Path, pedals: Pedals, model: Model) -> Iterator[Fault]:
    if pedals.powertrain:
        names = {name for name, force in model.forces.items() if isinstance(force, Powertrain | TrackPowertrain)}
        yield from find_reference_faults((*path, "powertrain"), "powertrain", pedals.powertrain, names)
    names = {name for name, force in model.forces.items() if isinstance(force, Brake)}
    for i, brake in enumerate(pedals.brakes):
        yield from find_reference_faults((*path, "brakes", i), "brake", brake, names)
