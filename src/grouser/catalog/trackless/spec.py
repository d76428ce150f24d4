"""A vehicle on road wheels without tracks as a user writes it down: the template from which `build` makes a model."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, ValidationError

from grouser.catalog.tracked.faults import find_arm_faults
from grouser.catalog.tracked.parts import Chassis, ContactLaw, RoadArms, RoadWheels, Shocks, Side
from grouser.model.base import Description, Part, Positive, Title, Whole
from grouser.model.check import find_inertia_faults
from grouser.model.contact import Friction
from grouser.model.document import Document
from grouser.model.extend import merge_documents
from grouser.model.fault import Fault, say_faults
from grouser.model.json_schema import BASIC


class WheelSide(Part):
    """Road wheels of one side.

    Attributes
    ----------
    track_y : distance of the wheels' centre plane from the vehicle's [m]
    road_wheels : the wheels that carry the vehicle
    arms : what carries the road wheels; without them these turn on the chassis itself
    shocks : shock absorbers, or None
    """

    track_y: Positive
    road_wheels: RoadWheels
    arms: RoadArms | None = None
    shocks: Shocks | None = None


class TracklessVehicle(WheelSide, Whole):
    """A vehicle on road wheels, its tracks taken off. The running gear is that of the left side; the right side is its
    mirror image except for what `right` says.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    chassis : the hull, with all that does not move in it
    ground : law of contact of road wheels and hull with the ground
    right : values of the right side that differ, in the same blocks and keys as the left side's
    """

    grouser: Literal[1] = 1
    kind: Literal["trackless-vehicle"] = "trackless-vehicle"
    name: Title
    description: Description = ""
    chassis: Chassis
    ground: ContactLaw = ContactLaw(stiffness=1.0e6, damping=3.0e3, friction=Friction(mu=0.7))
    right: dict[str, Any] = Field(default_factory=dict, json_schema_extra={BASIC: [*WheelSide.model_fields]})

    def _find_faults(self) -> list[Fault]:
        faults = [*find_inertia_faults(("chassis", "inertia"), self.chassis.mass, self.chassis.inertia)]
        faults += _find_side_faults(self)
        if not self.right:
            return faults
        merged = self._merge_right()
        try:
            right = _find_side_faults(WheelSide.model_validate(merged))
        except ValidationError as error:
            right = say_faults(error, merged, WheelSide)
        return faults + [Fault(f"right.{fault}", ("right", *fault.path)) for fault in right if fault not in faults]

    def make_side(self, side: Side) -> WheelSide:
        """Road wheels of one side, in the words of the left side."""
        if side == "right" and self.right:
            return WheelSide.model_validate(self._merge_right())
        return WheelSide.model_construct(**{name: getattr(self, name) for name in WheelSide.model_fields})

    def _merge_right(self) -> Document:
        left = self.model_dump(include=set(WheelSide.model_fields))
        return merge_documents(Document(left), Document(self.right))

    def with_changes(self, **changes: Any) -> TracklessVehicle:
        """A validated copy with values merged in: blocks key by key, all else replaced."""
        merged = merge_documents(Document(self.model_dump()), Document(changes))
        return TracklessVehicle.model_validate(dict(merged))


def _find_side_faults(side: WheelSide) -> list[Fault]:
    faults = [*find_arm_faults(side.road_wheels, side.arms, side.shocks)]
    for name in ("road_wheels", "arms"):
        part = getattr(side, name)
        if part is not None:
            faults += find_inertia_faults((name, "inertia"), part.mass, part.inertia)
    return faults
