"""A tracked vehicle as a user writes it down: the template from which `build` makes a model."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, isnan, pi, sin
from typing import Any, Literal

from pydantic import Field, ModelWrapValidatorHandler, ValidationError, model_validator

from grouser.catalog.tracked.clearance import ToothProfile
from grouser.catalog.tracked.parts import (
    Chassis,
    ContactLaws,
    DriveSprocket,
    Idler,
    ReturnRollers,
    RoadArms,
    RoadWheels,
    Shocks,
    TrackLinks,
)
from grouser.catalog.tracked.routing import Undercarriage
from grouser.errors import ModelError
from grouser.model.base import Flag, Part, Positive
from grouser.model.document import Document
from grouser.model.extend import merge_documents
from grouser.model.fault import Fault, Path, make_fault, say_faults

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")


class TrackSide(Part):
    """Running gear of one side.

    Attributes
    ----------
    track_y : distance of the track's centre plane from the vehicle's [m]
    sprocket : the driven wheel
    idler : the wheel at the other end, with its tensioner
    road_wheels : the wheels on the ground
    arms : what carries the road wheels; not needed without suspension
    shocks : shock absorbers, or None
    rollers : return rollers under the upper run, or None
    links : the track
    """

    track_y: Positive
    sprocket: DriveSprocket
    idler: Idler
    road_wheels: RoadWheels
    arms: RoadArms | None = None
    shocks: Shocks | None = None
    rollers: ReturnRollers | None = None
    links: TrackLinks

    def make_profile(self) -> ToothProfile:
        """Outline of the sprocket's teeth."""
        s = self.sprocket
        return ToothProfile(s.teeth, s.arc_radius, s.arc_centre_radius, s.addendum_radius)

    def find_tensioner_axis(self) -> tuple[float, float]:
        """Unit vector (x, z) along which the tensioner pushes the idler."""
        axis = self.idler.tensioner.axis
        if axis is None:
            return (1.0 if self.idler.centre[0] > self.sprocket.centre[0] else -1.0), 0.0
        length = hypot(*axis)
        return axis[0] / length, axis[1] / length

    def make_undercarriage(self, name: str) -> Undercarriage:
        """The plane problem that routing solves."""
        height = self.links.surface.height
        rollers = self.rollers.centres if self.rollers else []
        roller_radius = self.rollers.radius + height if self.rollers else 0.0
        return Undercarriage(
            name=name,
            sprocket=self.sprocket.centre,
            profile=self.make_profile(),
            idler=(*self.idler.centre, self.idler.radius + height),
            axis=self.find_tensioner_axis(),
            travel=self.idler.tensioner.travel,
            road_wheels=tuple((*centre, self.road_wheels.radius + height) for centre in self.road_wheels.centres),
            rollers=tuple((*centre, roller_radius) for centre in rollers),
            pitch=self.links.pitch,
            count=self.links.count,
            tooth_pins=tuple(self.links.pins.positions),
            tooth_pin_radius=self.links.pins.radius,
        )


class TrackedVehicle(TrackSide):
    """A vehicle on two tracks. The running gear is that of the left side; the right side is its mirror image but for
    what `right` says.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    suspension : false: the road wheels turn on the chassis itself, and the arms are part of it
    chassis : the hull
    contact : laws of contact
    right : values of the right side that differ, in the same blocks and keys as the left side's
    """

    grouser: Literal[1] = 1
    kind: Literal["tracked-vehicle"] = "tracked-vehicle"
    name: str
    description: str = ""
    suspension: Flag = True
    chassis: Chassis
    contact: ContactLaws = ContactLaws()
    right: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_faults(cls, data: Any, handler: ModelWrapValidatorHandler[TrackedVehicle]) -> TrackedVehicle:
        try:
            vehicle = handler(data)
        except ValidationError as error:
            raise ModelError(say_faults(error, data, cls)) from None
        if faults := _find_vehicle_faults(vehicle):
            raise ModelError(faults)
        return vehicle

    def make_side(self, side: Side) -> TrackSide:
        """Running gear of one side, in the words of the left side."""
        fields = {name: getattr(self, name) for name in TrackSide.model_fields}
        if side == "left" or not self.right:
            return TrackSide.model_construct(**fields)
        return TrackSide.model_validate(self._merge_right())

    def _merge_right(self) -> Document:
        left = self.model_dump(include=set(TrackSide.model_fields))
        return merge_documents(Document(left), Document(self.right))

    def with_changes(self, **changes: Any) -> TrackedVehicle:
        """A validated copy with values merged in: blocks key by key, all else replaced."""
        merged = merge_documents(Document(self.model_dump()), Document(changes))
        return TrackedVehicle.model_validate(dict(merged))


def _find_vehicle_faults(vehicle: TrackedVehicle) -> list[Fault]:
    faults = [*_find_side_faults(vehicle, suspension=vehicle.suspension)]
    if not vehicle.right:
        return faults
    merged = vehicle._merge_right()
    try:
        right = [*_find_side_faults(TrackSide.model_validate(merged), suspension=vehicle.suspension)]
    except ValidationError as error:
        right = say_faults(error, merged, TrackSide)
    # what is wrong with the left side already is said once
    return faults + [_say_of_right(fault) for fault in right if fault not in faults]


def _say_of_right(fault: Fault) -> Fault:
    first = str(fault.path[0]) if fault.path else ""
    join = "." if first and fault.startswith(first) else ": "
    return Fault(f"right{join}{fault}", ("right", *fault.path))


def _find_side_faults(side: TrackSide, *, suspension: bool) -> Iterator[Fault]:
    yield from _find_tooth_faults(side)
    yield from _find_link_faults(side)
    lower, upper = side.idler.tensioner.travel
    if lower >= upper:
        yield make_fault(("idler", "tensioner", "travel"), f"is [{lower:g}, {upper:g}] m; the first must be smaller")
    if side.idler.tensioner.axis is not None and hypot(*side.idler.tensioner.axis) < 1e-9:
        yield make_fault(("idler", "tensioner", "axis"), "has no direction; give (x, z) of the push")
    wheels = len(side.road_wheels.centres)
    for i, station in enumerate(side.shocks.stations if side.shocks else ()):
        if station > wheels:
            yield make_fault(("shocks", "stations", i), f"is {station}, but there are {wheels} road wheels")
    if not suspension:
        return
    if side.arms is None:
        yield make_fault((), "missing key 'arms'; with 'suspension: false' none are needed")
    elif abs(side.arms.pivot[0]) < 1e-6:
        yield make_fault(
            ("arms", "pivot"), "stands straight above or below the wheel: the torsion bar cannot carry it; move it in x"
        )


def _find_tooth_faults(side: TrackSide) -> Iterator[Fault]:
    sprocket, pin, path = side.sprocket, side.links.pins.radius, ("sprocket",)
    half = side.make_profile().tip_angle
    seat = 0.5 * side.links.pitch / sin(pi / sprocket.teeth)
    if isnan(half) or sprocket.arc_radius >= sprocket.arc_centre_radius:
        yield make_fault(
            (*path, "arc_radius"),
            f"is {sprocket.arc_radius:g} m: an arc about the circle of {sprocket.arc_centre_radius:g} m does not open "
            f"into the tip circle of {sprocket.addendum_radius:g} m",
        )
    elif half > pi / sprocket.teeth:
        yield make_fault(
            (*path, "arc_radius"),
            f"is {sprocket.arc_radius:g} m: the gaps of {sprocket.teeth} teeth run into each other; make it smaller",
        )
    elif seat - pin > sprocket.addendum_radius:
        yield make_fault(
            (*path, "addendum_radius"),
            f"is {sprocket.addendum_radius:g} m, but pins of {sprocket.teeth} teeth and a pitch of "
            f"{side.links.pitch:g} m run at {seat:.4f} m: they do not reach the teeth",
        )


def _find_link_faults(side: TrackSide) -> Iterator[Fault]:
    links, path = side.links, ("links",)
    lengths: list[tuple[Path, float]] = [
        (("surface", "length"), links.surface.length),
        (("pad", "length"), links.pad.length),
    ]
    for below, length in lengths:
        if length > links.pitch * 1.001 + 1e-3:
            yield make_fault(
                (*path, *below), f"is {length:g} m, longer than the pitch of {links.pitch:g} m: links would overlap"
            )
    if links.horn is None:
        return
    if links.horn.tip <= links.surface.height:
        yield make_fault(
            (*path, "horn", "tip"), f"is {links.horn.tip:g} m, below the wheel surface at {links.surface.height:g} m"
        )
    for name in ("road_wheels", "idler", "rollers"):
        wheel = getattr(side, name)
        if wheel is not None and 0.0 < wheel.gap <= links.horn.width:
            yield make_fault(
                (name, "gap"),
                f"is {wheel.gap:g} m, not wider than the guide horn of {links.horn.width:g} m; widen it, or set 0 "
                "for a wheel that does not guide",
            )
