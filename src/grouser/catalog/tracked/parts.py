"""Parts of a tracked vehicle as its file gives them.

Frame: x forward, y left, z up; the origin is the reference point of the chassis. Everything is given for the left
side. Points of a track's plane are (x, z); points beside it are offsets (x, y, z) in which a negative y is inboard.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from grouser.model.base import Count, Curve, Mass, NonNegative, Number, Part, Positive, Vec3
from grouser.model.body import Inertia
from grouser.model.contact import Friction

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")

GRAVITY = 9.81
"""Acceleration of free fall [m/s^2]."""

PlanePoint = tuple[Number, Number]
"""A point (x, z) of the track's plane [m]."""


def _choose_preload(value: Any) -> str:
    return "static" if isinstance(value, str) else "number"


Preload = Annotated[
    Annotated[Number, Tag("number")] | Annotated[Literal["static"], Tag("static")], Discriminator(_choose_preload)
]
"""A number, or ``static`` where it is to be calculated."""


class Belly(Part):
    """Underside of the hull: a line in the x-z plane, drawn out over a width; its corners may touch the ground.

    Attributes
    ----------
    profile : corners (x, z) [m]
    width : full width [m]
    """

    profile: list[PlanePoint] = Field(min_length=1)
    width: Positive


class Chassis(Part):
    """The hull with everything that does not move in it.

    Attributes
    ----------
    mass : sprung mass without the running gear [kg]
    com : centre of mass [m]
    inertia : about the centre of mass, vehicle axes [kg m^2]
    belly : underside that may touch the ground, or None
    """

    mass: Mass
    com: Vec3
    inertia: Inertia
    belly: Belly | None = None


class DriveSprocket(Part):
    """The wheel that drives the track, by teeth or by friction.

    Attributes
    ----------
    drive : ``teeth``, or ``friction``: a drum on which the track lies, without the numbers of teeth below but their
        number
    mass : [kg]
    inertia : vehicle axes, the second is the spin axis [kg m^2]
    centre : (x, z) [m]
    teeth : number of teeth; of a drum that of the pitches around it, from which its radius follows
    arc_radius : radius of the concave arc of a gap [m]
    arc_centre_radius : radius of the circle that holds the centres of the arcs [m]
    addendum_radius : tip circle [m]
    rings : lateral positions of the gear rings, from the track's centre plane [m]
    ring_width : a pin engages a ring as long as it lies within half this width of it [m]
    lateral_backlash : sideways play of the guide horns at the sprocket, to each side [m]
    """

    mass: Mass
    inertia: Inertia
    centre: PlanePoint
    drive: Literal["teeth", "friction"] = "teeth"
    teeth: Annotated[Count, Field(ge=5, le=1000)]
    arc_radius: Positive | None = None
    arc_centre_radius: Positive | None = None
    addendum_radius: Positive | None = None
    rings: list[Number] = Field(min_length=1)
    ring_width: Positive = 0.1
    lateral_backlash: NonNegative = 0.02


class TrackWheel(Part):
    """A wheel of two discs with a gap for the guide horns.

    Attributes
    ----------
    mass : [kg]
    inertia : vehicle axes, the second is the spin axis [kg m^2]
    radius : [m]
    width : over both discs [m]
    gap : between the discs, zero for a wheel that does not guide the horns [m]
    gap_depth : of the gap, from the rim inwards; by default down to the axle [m]
    """

    mass: Mass
    inertia: Inertia
    radius: Positive
    width: Positive
    gap: NonNegative = 0.0
    gap_depth: Positive | None = None

    @property
    def disc_place(self) -> float:
        """Distance of the middle of each disc from the wheel's centre plane [m]."""
        return (self.width + self.gap) / 4.0


class RoadWheels(TrackWheel):
    """The wheels that carry the vehicle; all alike.

    Attributes
    ----------
    centres : (x, z) of each wheel, front to rear [m]
    """

    centres: list[PlanePoint] = Field(min_length=2)


class ReturnRollers(TrackWheel):
    """The rollers that carry the upper run; all alike.

    Attributes
    ----------
    centres : (x, z) of each roller, front to rear [m]
    """

    centres: list[PlanePoint] = Field(min_length=1)


class Carrier(Part):
    """The slide that holds the idler.

    Attributes
    ----------
    mass : [kg]
    inertia : vehicle axes [kg m^2]
    com : centre of mass from the idler's centre [m]
    """

    mass: Mass = 10.0
    inertia: Inertia = (0.04, 0.04, 0.04)
    com: Vec3 = (0.0, -0.1, 0.0)


class Tensioner(Part):
    """Spring, damper and stops that push the idler outwards along an axis.

    At the place where routing puts the idler the spring pushes with `force`. Pushed back by more than `recoil` from
    there, the idler meets a stop, as the locked adjuster of a real vehicle would hold it.

    Attributes
    ----------
    axis : direction (x, z) of the push; by default level, away from the sprocket
    force : force of the spring at the routed place [N]
    stiffness : decrease of the force as the idler moves out [N/m]
    damping : [N s/m]
    travel : least and largest shift of the idler from its given centre along the axis [m]
    recoil : free way back from the routed place [m]
    stop_stiffness : [N/m]
    stop_damping : [N s/m]
    """

    axis: PlanePoint | None = None
    force: Positive
    stiffness: NonNegative = 1.0e5
    damping: NonNegative = 1.4e4
    travel: tuple[Number, Number] = (-0.05, 0.1)
    recoil: NonNegative = 0.005
    stop_stiffness: Positive = 5.0e6
    stop_damping: NonNegative = 2.0e4


class Idler(TrackWheel):
    """The wheel at the other end of the track, moved by the tensioner.

    Attributes
    ----------
    centre : (x, z) at zero shift of the tensioner [m]
    carrier : the slide that holds it
    tensioner : what pushes it
    """

    centre: PlanePoint
    carrier: Carrier = Carrier()
    tensioner: Tensioner


class BumpStops(Part):
    """End stops of a road arm.

    Attributes
    ----------
    bump : angle by which the wheel may rise from the design position [rad]
    rebound : angle by which it may drop [rad]
    stiffness : [N m/rad]
    damping : [N m s/rad]
    """

    bump: Positive
    rebound: Positive
    stiffness: Positive = 3.0e5
    damping: NonNegative = 1.0e3


class TorsionBar(Part):
    """Torsion bar of a road arm.

    Its torque on the arm about +y (to the left, on both sides of the vehicle) is preload - stiffness * angle
    - damping * rate - friction, with the angle about +y from the design position. For a trailing arm a positive
    angle is the wheel going up, and a negative preload presses the wheel down.

    Attributes
    ----------
    stiffness : number, or table of (angle, torque) [N m/rad]
    damping : number, or table of (rate, torque) [N m s/rad]
    preload : torque in the design position [N m], or ``static``: as much as holds the weight of hull,
        sprockets, idlers and arms level in that position, the track's tension left aside
    friction : [N m]
    stops : bump stops, or None
    """

    stiffness: Curve
    damping: Curve = 0.0
    preload: Preload = "static"
    friction: NonNegative = 0.0
    stops: BumpStops | None = None


class RoadArms(Part):
    """The arms that carry the road wheels; all alike.

    Attributes
    ----------
    mass : [kg]
    inertia : about the centre of mass in `axes` [kg m^2]
    axes : ``vehicle``, or ``arm``: x from the pivot to the wheel in the track's plane, y left
    pivot : where the arm turns on the chassis, from the wheel's centre [m]
    com : centre of mass from the wheel's centre [m]
    torsion_bar : what holds it
    """

    mass: Mass
    inertia: Inertia
    axes: Literal["vehicle", "arm"] = "vehicle"
    pivot: Vec3
    com: Vec3
    torsion_bar: TorsionBar


class Shocks(Part):
    """Shock absorbers between chassis and arms; all alike.

    Attributes
    ----------
    stations : numbers of the road wheels that have one, from 1 at the front
    chassis_point : upper end in the design position, from the wheel's centre [m]
    arm_point : lower end on the arm, from the wheel's centre [m]
    damping : number, or table of (rate, force) [N s/m]
    stiffness : of a gas spring in it [N/m]
    preload : its force in the design position, positive pushes the ends apart [N]
    """

    stations: list[Annotated[Count, Field(ge=1)]] = Field(min_length=1)
    chassis_point: Vec3
    arm_point: Vec3
    damping: Curve
    stiffness: Curve = 0.0
    preload: Number = 0.0


class Pad(Part):
    """Sole of a link; its four corners touch the ground.

    Attributes
    ----------
    depth : from the line of the pins down to the ground [m]
    length : along the track [m]
    width : across [m]
    """

    depth: Positive
    length: Positive
    width: Positive


class WheelSurface(Part):
    """Inner face of a link, on which the wheels roll.

    Attributes
    ----------
    height : over the line of the pins [m]
    length : along the track [m]
    width : across [m]
    """

    height: NonNegative
    length: Positive
    width: Positive


class GuideHorn(Part):
    """Tooth of a link that runs between the discs of the wheels.

    Attributes
    ----------
    x : its middle along the track, from the link's centre [m]
    tip : height of its tip over the line of the pins [m]
    width : across the track [m]
    """

    x: Number = 0.0
    tip: Positive
    width: Positive


class ToothPins(Part):
    """Cylinders of a link that engage the teeth, axes across the track.

    Attributes
    ----------
    positions : (x, z) of each from the link's centre, z towards the wheels [m]
    radius : [m]
    lateral : lateral positions, by default those of the sprocket's rings [m]
    seat : where the gaps of the sprocket meet the track: at the ``joints`` between links, or at the ``middle`` of
        links, as for the lugs of a belt
    """

    positions: list[PlanePoint] = Field(min_length=1)
    radius: Positive
    lateral: list[Number] | None = None
    seat: Literal["joints", "middle"] = "joints"


class RubberJoint(Part):
    """Rubber bushing that joins two links of a segmented track, in place of a pin.

    Attributes
    ----------
    stiffness : along the track, across its thickness, along the pin [N/m], about the same axes [N m/rad]; the last one
        is what the track bends by round a wheel
    damping : likewise [N s/m, N m s/rad]
    """

    stiffness: tuple[Positive, Positive, Positive, Positive, Positive, NonNegative]
    damping: tuple[NonNegative, NonNegative, NonNegative, NonNegative, NonNegative, NonNegative] = (0.0,) * 6


class TrackLinks(Part):
    """The links; all alike. A link's frame: origin midway between its pins, x along the track (forward on the
    ground), y left, z towards the wheels.

    Attributes
    ----------
    count : number of links; that of a band follows from the length of its belt
    pitch : distance between the two pin axes of a link, of a band that of its lugs [m]
    mass : of a link, of a band that of the rigid part of a pitch [kg]
    inertia : about the centre of mass, axes of the link's frame [kg m^2]
    com : centre of mass in the link's frame [m]
    pad : sole
    surface : face on which the wheels roll
    horn : guide horn, or None
    pins : what engages the teeth
    rubber : bushing between links of a segmented track
    """

    count: Annotated[Count, Field(ge=8, le=1000)] | None = None
    pitch: Positive
    mass: Mass
    inertia: Inertia
    com: Vec3 = (0.0, 0.0, 0.0)
    pad: Pad
    surface: WheelSurface
    horn: GuideHorn | None = None
    pins: ToothPins
    rubber: RubberJoint | None = None


class ContactLaw(Part):
    """Law of one kind of contact; see `grouser.model.contact.Contact`.

    Attributes
    ----------
    stiffness : [N/m] of each touching point
    damping : [N s/m]
    damping_depth : penetration up to which the damping grows in; 0: it acts at first touch [m]
    separation : share of the damping that acts while separating, 0 to 1 [-]
    friction : law of friction, or None for a smooth contact
    """

    stiffness: Positive
    damping: NonNegative = 0.0
    damping_depth: NonNegative = 0.0
    separation: Annotated[Number, Field(ge=0, le=1)] = 1.0
    friction: Friction | None = None


class ContactLaws(Part):
    """Laws of all contacts of a tracked vehicle.

    Attributes
    ----------
    sprocket_track : pins on teeth
    roller_track : road wheels, idler and return rollers on the links
    ground_track : pads on the ground
    guide : guide horns between the discs of the wheels
    hull_ground : belly on the ground
    """

    sprocket_track: ContactLaw = ContactLaw(stiffness=2.0e6, damping=5.0e3, friction=Friction(mu=0.2))
    roller_track: ContactLaw = ContactLaw(stiffness=1.0e6, damping=3.0e3, friction=Friction(mu=0.3))
    ground_track: ContactLaw = ContactLaw(stiffness=5.0e5, damping=2.0e3, friction=Friction(mu=0.7))
    guide: ContactLaw = ContactLaw(stiffness=1.0e6, damping=3.0e3, friction=Friction(mu=0.1))
    hull_ground: ContactLaw = ContactLaw(stiffness=1.0e6, damping=2.0e4, friction=Friction(mu=0.5))
