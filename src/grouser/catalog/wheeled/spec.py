"""A wheeled vehicle as a user writes it down: the template from which `build` makes a model."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from grouser.catalog.wheeled.faults import find_vehicle_faults
from grouser.catalog.wheeled.parts import Axle, Drivetrain, PitmanSteering, SprungBody
from grouser.families.tyre.spec import TyreData
from grouser.model.base import Description, Title, Whole
from grouser.model.document import Document
from grouser.model.extend import merge_documents
from grouser.model.fault import Fault


class WheeledVehicle(Whole):
    """A vehicle on wheels, each on a double wishbone.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    chassis : the body with everything that does not move in it
    axles : axles by name, front to rear
    tyre : of all wheels
    steering : of one axle, or None
    drivetrain : engine and gearbox, or None
    """

    grouser: Literal[1] = 1
    kind: Literal["wheeled-vehicle"] = "wheeled-vehicle"
    name: Title
    description: Description = ""
    chassis: SprungBody
    axles: dict[str, Axle] = Field(min_length=2)
    tyre: TyreData
    steering: PitmanSteering | None = None
    drivetrain: Drivetrain | None = None

    def _find_faults(self) -> list[Fault]:
        return [*find_vehicle_faults(self)]

    def with_changes(self, **changes: Any) -> WheeledVehicle:
        """A validated copy with values merged in: blocks key by key, all else replaced."""
        merged = merge_documents(Document(self.model_dump()), Document(changes))
        return WheeledVehicle.model_validate(dict(merged))
