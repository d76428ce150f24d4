"""A crawler as a user writes it down: the template from which `build` makes a model in the plane."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from grouser.catalog.crawler.parts import (
    CrawlerLaw,
    CrawlerLinks,
    CrawlerSprocket,
    Lump,
    Mount,
    RoundWheel,
    Seat,
    WinklerGround,
)
from grouser.catalog.tracked.faults import find_reach_faults
from grouser.model.base import Description, Number, Title, Whole
from grouser.model.document import Document
from grouser.model.extend import merge_documents
from grouser.model.fault import Fault, make_fault
from grouser.model.valley import find_valley_faults


class Crawler(Whole):
    """Half of a machine on two tracks, in the plane of one of them.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    undercarriage : frame of the track with idler and lower rollers, one side of the machine
    superstructure : chassis and cab with carrier rollers, half of the machine
    pivot : revolute joint of the two [m]
    mount : spring and damper between them
    sprocket : on the superstructure
    idler : on the undercarriage; it is moved along x until the track closes
    idler_travel : range of that shift [m]
    rollers : under the undercarriage, front to rear
    carriers : on the superstructure, under the upper run
    links : the track
    seat : on the superstructure
    clearance : between track and wheels as it is laid [m]
    sprocket_contact, roller_contact : of bushings with teeth, of rails with rollers, idler and carriers
    ground : under the track
    """

    grouser: Literal[1] = 1
    kind: Literal["crawler"] = "crawler"
    name: Title
    description: Description = ""
    undercarriage: Lump
    superstructure: Lump
    pivot: tuple[Number, Number]
    mount: Mount
    sprocket: CrawlerSprocket
    idler: RoundWheel
    idler_travel: tuple[Number, Number] = (-0.1, 0.1)
    rollers: list[RoundWheel] = Field(min_length=2)
    carriers: list[RoundWheel] = Field(default_factory=list)
    links: CrawlerLinks
    seat: Seat
    clearance: Annotated[Number, Field(ge=1e-6, le=0.02)] = 0.0005
    sprocket_contact: CrawlerLaw
    roller_contact: CrawlerLaw
    ground: WinklerGround

    def _find_faults(self) -> list[Fault]:
        links, sprocket = self.links, self.sprocket
        faults = [*find_valley_faults(("sprocket",), sprocket)]
        if links.bushing_radius > sprocket.seat_radius:
            faults.append(
                make_fault(
                    ("links", "bushing_radius"),
                    f"is {links.bushing_radius:g} m and does not fit into seats of {sprocket.seat_radius:g} m; make "
                    "sprocket.seat_radius larger",
                )
            )
        if links.rail_flat >= links.rail_length:
            faults.append(
                make_fault(
                    ("links", "rail_flat"),
                    f"is {links.rail_flat:g} m, no shorter than rail_length {links.rail_length:g} m; slopes at both "
                    "ends need a length",
                )
            )
        faults += find_reach_faults(
            [
                (("sprocket", "centre"), *sprocket.centre, sprocket.tip_radius),
                *((("rollers", i, "centre"), *wheel.centre, wheel.radius) for i, wheel in enumerate(self.rollers)),
                *((("carriers", i, "centre"), *wheel.centre, wheel.radius) for i, wheel in enumerate(self.carriers)),
            ],
            (("idler", "centre"), *self.idler.centre, self.idler.radius),
            (("idler_travel",), self.idler_travel),
            links.pitch,
        )
        if self.idler_travel[0] >= self.idler_travel[1]:
            faults.append(make_fault(("idler_travel",), "must be a range, the smaller end first"))
        return faults

    def with_changes(self, **changes: Any) -> Crawler:
        """A validated copy with values merged in: blocks key by key, all else replaced."""
        merged = merge_documents(Document(self.model_dump()), Document(changes))
        return Crawler.model_validate(dict(merged))
