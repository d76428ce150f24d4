"""A tracked vehicle as a user writes it down: the template from which `build` makes a model."""

from __future__ import annotations

from math import hypot, pi, sin, tan
from typing import Any, Literal

from pydantic import Field, ValidationError

from grouser.catalog.tracked.belt import Belt, calc_belt_section
from grouser.catalog.tracked.clearance import ToothProfile
from grouser.catalog.tracked.faults import find_belly_faults, find_side_faults, find_tension_faults
from grouser.catalog.tracked.parts import (
    GRAVITY,
    Chassis,
    ContactLaws,
    DriveSprocket,
    Idler,
    ReturnRollers,
    RoadArms,
    RoadWheels,
    Shocks,
    Side,
    TrackLinks,
)
from grouser.catalog.tracked.powertrain import TrackDrive, find_powertrain_faults
from grouser.catalog.tracked.routing import Undercarriage
from grouser.model.base import Description, Flag, Part, Positive, Title, Whole
from grouser.model.check import find_inertia_faults
from grouser.model.document import Document
from grouser.model.extend import merge_documents
from grouser.model.fault import Fault, say_faults
from grouser.model.json_schema import BASIC


class TrackSide(Part):
    """Running gear of one side.

    Attributes
    ----------
    track : what it runs on: ``links`` on pins, ``segmented``: links on rubber bushings, ``band-beams``: one band of
        rubber, whose webs between the lugs are thick beams, or ``band-bricks``: the same with webs of bricks and cords
    track_y : distance of the track's centre plane from the vehicle's [m]
    sprocket : the driven wheel
    idler : the wheel at the other end, with its tensioner
    road_wheels : the wheels on the ground
    arms : what carries the road wheels; not needed without suspension
    shocks : shock absorbers, or None
    rollers : return rollers under the upper run, or None
    links : what repeats along the track: links, or the lugs of a band with pads and guides
    belt : the flexible part of a band, or None
    """

    track: Literal["links", "segmented", "band-beams", "band-bricks"] = "links"
    track_y: Positive
    sprocket: DriveSprocket
    idler: Idler
    road_wheels: RoadWheels
    arms: RoadArms | None = None
    shocks: Shocks | None = None
    rollers: ReturnRollers | None = None
    links: TrackLinks
    belt: Belt | None = None

    @property
    def is_band(self) -> bool:
        """Whether the track is one band."""
        return self.track in ("band-beams", "band-bricks")

    @property
    def link_count(self) -> int:
        """Number of links, or of the lugs of a band."""
        if self.is_band and self.belt is not None:
            return self.belt.count_lugs(self.links.pitch)
        return self.links.count or 0

    @property
    def link_mass(self) -> float:
        """Mass of a pitch of the track [kg]."""
        web = calc_belt_section(self.belt).mass_per_length * self.belt.web if self.is_band and self.belt else 0.0
        return self.links.mass + web

    def make_profile(self) -> ToothProfile:
        """Outline of the sprocket's teeth, or of a drum."""
        s = self.sprocket
        if s.drive == "friction":
            return ToothProfile(s.teeth, 0.0, 0.0, self.calc_seat_radius() - self.links.surface.height)
        return ToothProfile(s.teeth, s.arc_radius or 0.0, s.arc_centre_radius or 0.0, s.addendum_radius or 0.0)

    def calc_seat_radius(self) -> float:
        """Radius at which the line of pins runs on the sprocket: that of the pins, or of the middle of links where it
        is they that sit in the gaps, or lie on the drum [m]."""
        angle = pi / self.sprocket.teeth
        half = 0.5 * self.links.pitch
        return half / (tan(angle) if self.seats_in_middle else sin(angle))

    @property
    def seats_in_middle(self) -> bool:
        """Whether the middle of links lies in the gaps of the sprocket, or on its drum."""
        return self.links.pins.seat == "middle" or self.sprocket.drive == "friction"

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
            count=self.link_count,
            tooth_pins=() if self.sprocket.drive == "friction" else tuple(self.links.pins.positions),
            seats_in_middle=self.seats_in_middle,
            tooth_pin_radius=self.links.pins.radius,
        )


class TrackedVehicle(TrackSide, Whole):
    """A vehicle on two tracks. The running gear is that of the left side; the right side is its mirror image except
    for what `right` says.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    suspension : false: the road wheels turn on the chassis itself, and the arms are part of it
    chassis : the hull
    contact : laws of contact
    powertrain : engine, gears, steering and brakes, for scenarios that drive by the engine; or None
    polygons : pads, links, pins, horns, wheels and sprockets touch as polygons and contact points (`surface`) in place
        of exact shapes: slower; the ground may be a terrain of the type `mesh`
    right : values of the right side that differ, in the same blocks and keys as the left side's
    """

    grouser: Literal[1] = 1
    kind: Literal["tracked-vehicle"] = "tracked-vehicle"
    name: Title
    description: Description = ""
    suspension: Flag = True
    chassis: Chassis
    contact: ContactLaws = ContactLaws()
    powertrain: TrackDrive | None = None
    polygons: Flag = False
    right: dict[str, Any] = Field(default_factory=dict, json_schema_extra={BASIC: [*TrackSide.model_fields]})

    def _find_faults(self) -> list[Fault]:
        return _find_vehicle_faults(self)

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
    weight = (vehicle.chassis.mass + 2.0 * vehicle.link_count * vehicle.link_mass) * GRAVITY
    faults = [
        *find_inertia_faults(("chassis", "inertia"), vehicle.chassis.mass, vehicle.chassis.inertia),
        *find_side_faults(vehicle, suspension=vehicle.suspension),
        *find_belly_faults(vehicle, vehicle.chassis),
        *find_tension_faults(vehicle, weight),
        *(find_powertrain_faults(("powertrain",), vehicle.powertrain) if vehicle.powertrain else ()),
    ]
    if not vehicle.right:
        return faults
    merged = vehicle._merge_right()
    try:
        side = TrackSide.model_validate(merged)
        right = [*find_side_faults(side, suspension=vehicle.suspension), *find_tension_faults(side, weight)]
    except ValidationError as error:
        right = say_faults(error, merged, TrackSide)
    # what is wrong with the left side already is said once
    return faults + [_say_of_right(fault) for fault in right if fault not in faults]


def _say_of_right(fault: Fault) -> Fault:
    first = str(fault.path[0]) if fault.path else ""
    join = "." if first and fault.startswith(first) else ": "
    return Fault(f"right{join}{fault}", ("right", *fault.path))
