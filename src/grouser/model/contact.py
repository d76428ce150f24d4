"""Contact: shapes on bodies, laws, and which groups of shapes may touch."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from grouser.model.base import Count, Flag, NonNegative, Number, Part, Positive, Quaternion, Vec3
from grouser.model.surface import Surface

TERRAIN = "terrain"
"""Name by which a contact refers to the ground."""


class Points(Part):
    """Points on a body that may touch the terrain: pad corners, grouser tips, a hull.

    Attributes
    ----------
    body, group : name of the body; name of the shape group
    at : where `body` is a flexible mesh, the place in it that carries the shape, mesh axes at the start [m]: positions
        count from there, and turn with the material
    positions : in the body's frame [m]
    area : area that belongs to each point [m^2], used where the contact law is per area
    """

    type: Literal["points"] = "points"
    body: str
    group: str
    at: Vec3 | None = None
    positions: list[Vec3] = Field(min_length=1)
    area: Positive = 1.0


class Plate(Part):
    """A rectangle, outward normal along its z axis: the surface of a link on which wheels roll.

    Attributes
    ----------
    at : place in a flexible mesh that carries the shape, as of points [m]
    position, orientation : centre [m] and axes in the body's frame
    length, width : full size along its x and y axes [m]
    """

    type: Literal["plate"] = "plate"
    body: str
    group: str
    at: Vec3 | None = None
    position: Vec3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    length: Positive
    width: Positive


class Wheel(Part):
    """One or more coaxial discs.

    Attributes
    ----------
    at : place in a flexible mesh that carries the shape, as of points [m]
    position, axis : centre [m] and spin axis in the body's frame
    radius : [m]
    planes : positions of the discs along the axis [m]
    groove : half width of the gap in which a guide horn runs [m], or None
    """

    type: Literal["wheel"] = "wheel"
    body: str
    group: str
    at: Vec3 | None = None
    position: Vec3 = (0.0, 0.0, 0.0)
    axis: Vec3 = (0.0, 1.0, 0.0)
    radius: Positive
    planes: list[Number] = Field(default_factory=lambda: [0.0], min_length=1)
    groove: Positive | None = None


class Sphere(Part):
    """A ball: rolls and slides on the terrain, on plates and on other spheres, also those of its own group.

    Spheres of one body do not touch each other. A sphere may also sit on a point or a mesh. On
    curved ground the normal through its centre counts, so the ground should be less curved than the sphere.

    Attributes
    ----------
    position : centre in the body's frame [m]
    radius : [m]
    """

    type: Literal["sphere"] = "sphere"
    body: str
    group: str
    position: Vec3 = (0.0, 0.0, 0.0)
    radius: Positive


class Sprocket(Part):
    """Toothed wheel: each gap is one concave arc, the lands lie on the addendum circle.

    Attributes
    ----------
    position, axis : centre [m] and spin axis in the body's frame
    reference : direction of the centre of one gap, normal to the axis
    teeth : number of teeth
    arc_radius, arc_centre_radius : radius of the arc, and of the circle that holds its centres [m]
    addendum_radius : tip circle [m]
    planes : positions of the gear rings along the axis [m]
    width : a pin engages a ring if it lies within half this width of it along the axis [m]
    groove : half width of the lateral guidance [m], or None
    """

    type: Literal["sprocket"] = "sprocket"
    body: str
    group: str
    position: Vec3 = (0.0, 0.0, 0.0)
    axis: Vec3 = (0.0, 1.0, 0.0)
    reference: Vec3 = (1.0, 0.0, 0.0)
    teeth: Annotated[Count, Field(ge=3, le=1000)]
    arc_radius: Positive
    arc_centre_radius: Positive
    addendum_radius: Positive
    planes: list[Number] = Field(default_factory=lambda: [0.0], min_length=1)
    width: Positive = 0.1
    groove: Positive | None = None


class Toothed(Part):
    """Toothed wheel of a crawler: each gap has a flat bottom, seating curves, straight faces and rounded tips.

    Attributes
    ----------
    position, axis : centre [m] and spin axis in the body's frame
    reference : direction of the centre of one gap, normal to the axis
    teeth : number of teeth
    face_angle : angle of the faces from the centre line of the gap [rad]
    root_radius, tip_radius : to the bottom of the gaps and to the tips of the teeth [m]
    round_radius : of the round at the tip of a tooth [m]
    seat_radius : of the seating curve between bottom and face, no smaller than that of the pins [m]
    flat_width : width of the flat bottom [m]
    planes : positions of the gear rings along the axis [m]
    width : a pin engages a ring if it lies within half this width of it along the axis [m]
    """

    type: Literal["toothed"] = "toothed"
    body: str
    group: str
    position: Vec3 = (0.0, 0.0, 0.0)
    axis: Vec3 = (0.0, 1.0, 0.0)
    reference: Vec3 = (1.0, 0.0, 0.0)
    teeth: Annotated[Count, Field(ge=3, le=1000)]
    face_angle: Number
    root_radius: Positive
    tip_radius: Positive
    round_radius: NonNegative = 0.0
    seat_radius: Positive
    flat_width: NonNegative = 0.0
    planes: list[Number] = Field(default_factory=lambda: [0.0], min_length=1)
    width: Positive = 0.1


class Pin(Part):
    """Short cylinders on a link, axis along the sprocket's, that engage the teeth.

    Attributes
    ----------
    at : place in a flexible mesh that carries the shape, as of points [m]
    positions : centres in the body's frame [m], one for each gear ring that it meets
    radius : [m]
    shared : name of the body that the link is hinged to at the pin, and that takes half of the force; or None
    """

    type: Literal["pin"] = "pin"
    body: str
    group: str
    at: Vec3 | None = None
    positions: list[Vec3] = Field(min_length=1)
    radius: Positive
    shared: str | None = None


class Rail(Part):
    """A chain of straight segments across a link, on which wheels roll: a flat top with slopes at its ends, say.

    It lies in a plane normal to the body's y axis. Where it bends outwards a wheel touches the corner, where it bends
    inwards it touches both segments. Wheels run in planes that are nearly parallel.

    Attributes
    ----------
    at : place in a flexible mesh that carries the shape, as of points [m]
    points : corners (x, z) in the body's frame [m]; outside is to the left of the way from the first to the last
    y : place of its middle across the body [m]
    width : full width across [m]
    """

    type: Literal["rail"] = "rail"
    body: str
    group: str
    at: Vec3 | None = None
    points: list[tuple[Number, Number]] = Field(min_length=2, max_length=16)
    y: Number = 0.0
    width: Positive


class Strip(Part):
    """A straight line on a body that presses on the terrain along its length: the sole of a shoe.

    Attributes
    ----------
    at : place in a flexible mesh that carries the shape, as of points [m]
    start, end : ends in the body's frame [m]
    cells : pieces by which the part that touches is found; the terrain may be curved between its ends
    """

    type: Literal["strip"] = "strip"
    body: str
    group: str
    at: Vec3 | None = None
    start: Vec3
    end: Vec3
    cells: Annotated[Count, Field(ge=1, le=64)] = 1


class Horn(Part):
    """Guide horn of a link: keeps the link between the discs of a wheel.

    Attributes
    ----------
    at : place in a flexible mesh that carries the shape, as of points [m]
    position : a point of the horn, between root and tip, in the body's frame [m]
    half_width : half of its lateral width [m]
    """

    type: Literal["horn"] = "horn"
    body: str
    group: str
    at: Vec3 | None = None
    position: Vec3
    half_width: Positive


Shape = Annotated[
    Points | Plate | Wheel | Sphere | Sprocket | Toothed | Pin | Rail | Strip | Horn | Surface,
    Field(discriminator="type"),
]


class Friction(Part):
    """Friction law of a contact.

    ``tanh``: mu Fn tanh(v / velocity). ``trilinear``: mu Fn min(v / velocity, 1). ``asperity``: an anchor
    spring of `stiffness` beside a trilinear element; holds a block on a slope without creep.

    Attributes
    ----------
    model : ``tanh``, ``trilinear`` or ``asperity``
    mu : coefficient of friction, at most 10 [-]; rubber on rock and grousers in soil stay below 2
    velocity : velocity of regularisation [m/s]
    stiffness : tangential stiffness of the anchor spring [N/m], or [N/m^2] per length, or of surfaces [N/m^3] per area;
        asperity only
    """

    model: Literal["tanh", "trilinear", "asperity"] = "tanh"
    mu: Annotated[Number, Field(ge=0, le=10)]
    velocity: Positive = 0.05
    stiffness: Positive = 1.0e6


class Contact(Part):
    """Contact law between two groups of shapes, or a group and the terrain.

    Normal force (penetration d, approaching positive): ``A (k d + c dd)`` while approaching and
    ``A (k d + s c dd)`` while separating; never negative unless `sticking`.

    Attributes
    ----------
    a : group of shapes
    b : group of shapes, or ``terrain``
    stiffness : k [N/m], or [N/m^3] per area, or [N/m^2] per length
    damping : c [N s/m], or [N s/m^3] per area, or [N s/m^2] per length
    damping_depth : penetration up to which the damping grows in, smoothly; with 0 all of it acts at first touch, and
        the force jumps [m]
    separation : s, share of the damping that acts while separating, 0 to 1
    per : ``contact``, ``area`` (A is the area of the point), or ``length`` (A is the length of the strip that touches)
    depth_limit : a deeper penetration is no contact: the shape is on the other side [m]; or None
    friction : law of friction, or None for a smooth contact
    sticking : allow a negative normal force while d > 0
    two_way : of two surfaces, points of b touch polygons of a too, and either way has half of the stiffness; else
        only points of a touch polygons of b
    """

    a: str
    b: str
    stiffness: Positive
    damping: NonNegative = 0.0
    damping_depth: NonNegative = 0.0
    separation: Annotated[Number, Field(ge=0, le=1)] = 1.0
    per: Literal["contact", "area", "length"] = "contact"
    depth_limit: Positive | None = None
    friction: Friction | None = None
    sticking: Flag = False
    two_way: Flag = False


CONTACT_PAIRS: tuple[tuple[str, str], ...] = (
    ("points", TERRAIN),
    ("wheel", TERRAIN),
    ("strip", TERRAIN),
    ("sphere", TERRAIN),
    ("surface", TERRAIN),
    ("surface", "surface"),
    ("points", "surface"),
    ("sphere", "surface"),
    ("sphere", "sphere"),
    ("sphere", "plate"),
    ("wheel", "plate"),
    ("wheel", "rail"),
    ("sprocket", "pin"),
    ("toothed", "pin"),
    ("wheel", "horn"),
    ("sprocket", "horn"),
)
"""Types of shapes between which contact can be calculated."""
