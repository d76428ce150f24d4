"""A vehicle on one flexible band as a user writes it down: the template from which `build` makes a model."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Annotated, Literal

from pydantic import Field

from grouser.model.base import Count, Description, Flag, NonNegative, Number, Part, Positive, Signal, Title, Vec3, Whole
from grouser.model.check import find_signal_faults
from grouser.model.fault import Fault, make_fault
from grouser.model.material import Material, find_material_faults

NEAR = 1e-3
"""Share of the wheelbase by which one that is given may miss that of the closed band."""


class BandBody(Part):
    """A rigid body.

    Attributes
    ----------
    mass : [kg]
    inertia : about x, y and z [kg m^2]
    """

    mass: Positive
    inertia: tuple[Positive, Positive, Positive]


class BandChassis(BandBody):
    """The chassis, which carries all axles.

    Attributes
    ----------
    place : of its centre of mass: share of the way from the sprocket to the idler, and height over the axles [m]
    """

    place: tuple[Number, Number] = (0.5, 0.0)


class BandSprocket(BandBody):
    """The sprocket, at the rear. The idler is as large.

    Attributes
    ----------
    radius : of the base circle, on which links lie flat [m]
    teeth : an even number
    pin_radius : of the pins at which it grips the band [m]
    backlash : of a pin in its gap, as a share of its radius
    """

    radius: Positive
    teeth: Annotated[Count, Field(ge=4, le=200)]
    pin_radius: Positive
    backlash: Annotated[Number, Field(ge=1e-3, le=1)] = 0.05


class BandRoller(BandBody):
    """A roller on the lower run.

    Attributes
    ----------
    radius : [m]
    place : share of the way from the sprocket to the idler
    """

    radius: Positive
    place: Annotated[Number, Field(ge=0, le=1)]


class Band(Part):
    """The band: a ring of links of one beam each, by gradients.

    Attributes
    ----------
    links : number of links, so many more than teeth that both runs have some
    thickness, width : of its section [m]
    strain : by which it is longer than without stress as it is put on
    pins : links turn about pins; else they are one piece, rigid at their corners
    integration : of the beams: along the ``axis``, or by the ``volume``
    pads : contact points with the ground along each link, twice across it
    material : what it is made of
    """

    links: Annotated[Count, Field(ge=6, le=1000)]
    thickness: Positive
    width: Positive
    strain: Annotated[Number, Field(ge=0, le=0.3)] = 0.0
    pins: Flag = True
    integration: Literal["axis", "volume"] = "axis"
    pads: Annotated[Count, Field(ge=1, le=20)] = 2
    material: Material


class BandLaw(Part):
    """A law of contact over an area.

    Attributes
    ----------
    stiffness : [N/m^3]
    damping : [N s/m^3]
    mu : coefficient of friction
    velocity : at which friction is full [m/s]
    """

    stiffness: Positive
    damping: NonNegative = 0.0
    mu: Annotated[Number, Field(ge=0, le=10)]
    velocity: Positive


class BandVehicle(Whole):
    """A vehicle on one flexible band.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    chassis : rigid, with the axles of all wheels
    sprocket, idler, rollers : the wheels, on axles of the chassis
    wheelbase : from the sprocket to the idler; by default that which the closed band has [m]
    band : the band
    wheel_contact : of wheels with the band
    footprint : length of the band on which a wheel presses, by which its law becomes one per contact [m]
    ground_contact : of the band with the ground
    drive : speed of the sprocket over time, positive drives forward [rad/s]
    """

    grouser: Literal[1] = 1
    kind: Literal["band-vehicle"] = "band-vehicle"
    name: Title
    description: Description = ""
    chassis: BandChassis
    sprocket: BandSprocket
    idler: BandBody
    rollers: list[BandRoller] = Field(default_factory=list)
    wheelbase: Positive | None = None
    band: Band
    wheel_contact: BandLaw
    footprint: Positive
    ground_contact: BandLaw
    drive: Signal = 0.0

    @property
    def pin_circle(self) -> float:
        """Radius of the circle on which the pins of links lie that are flat on the base circle [m]."""
        return (self.sprocket.radius + 0.5 * self.band.thickness) / cos(pi / self.sprocket.teeth)

    @property
    def pitch(self) -> float:
        """Length of a link as it is put on [m]."""
        return 2.0 * self.pin_circle * sin(pi / self.sprocket.teeth)

    @property
    def run(self) -> int:
        """Links of each straight run."""
        return (self.band.links - self.sprocket.teeth) // 2

    def _find_faults(self) -> list[Fault]:
        faults = list(find_material_faults(("band", "material"), self.band.material))
        faults += find_signal_faults(("drive",), self.drive)
        teeth, links = self.sprocket.teeth, self.band.links
        if teeth % 2:
            faults.append(
                make_fault(("sprocket", "teeth"), f"is {teeth}; half of them lie in the band: give an even number")
            )
        if links < teeth + 2 or (links - teeth) % 2:
            faults.append(
                make_fault(
                    ("band", "links"),
                    f"is {links}; {teeth} of them lie on both wheels, and the runs need as many above as below: give "
                    f"{teeth + 2}, {teeth + 4} and so on",
                )
            )
        closed = self.run * self.pitch
        if self.wheelbase is not None and not faults and abs(self.wheelbase - closed) > NEAR * closed:
            faults.append(
                make_fault(
                    ("wheelbase",),
                    f"is {self.wheelbase:g} m; {links} links at the strain {self.band.strain:g} cannot close round it: "
                    f"they ask for {closed:.5g} m, so leave it out or change links, teeth or radius",
                )
            )
        if 2.0 * self.sprocket.pin_radius > self.band.thickness + 0.5 * self.pitch:
            faults.append(
                make_fault(("sprocket", "pin_radius"), f"is {self.sprocket.pin_radius:g} m, too large for the links")
            )
        for i, roller in enumerate(self.rollers):
            if roller.radius > 2.0 * self.sprocket.radius:
                faults.append(
                    make_fault(("rollers", i, "radius"), f"is {roller.radius:g} m; it does not fit into the band")
                )
        return faults


def find_corners(spec: BandVehicle) -> list[Vec3]:
    """Pins of the links, clockwise with x to the right and z up, from the top of the idler; z over the ground [m]."""
    R, pitch, run, half = spec.pin_circle, spec.pitch, spec.run, pi / spec.sprocket.teeth
    lift, ahead = R + 0.5 * spec.band.thickness, spec.run * spec.pitch
    corners = []
    for x, start, way in ((ahead, 0.5 * pi, -1.0), (0.0, -0.5 * pi, 1.0)):
        for k in range(spec.sprocket.teeth // 2 + 1):
            angle = start - 2.0 * half * k
            corners.append((x + R * cos(angle), 0.0, lift + R * sin(angle)))
        level = lift + way * R
        corners += [(x + way * pitch * k, 0.0, level) for k in range(1, run)]
    return corners
