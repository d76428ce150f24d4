"""Surfaces in files: of what geometry they are, on what they sit, and at which points they touch others."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from grouser.model.base import Count, Flag, Number, Part, Positive, Quaternion, Vec3

MOST_POLYGONS = 4_000_000
"""Most polygons of a surface."""
MOST_CONTACT_POINTS = 4_000_000
"""Most contact points of a surface."""
MOST_OUTLINE = 2_000
"""Most corners of an outline."""

Corner = Annotated[Count, Field(ge=0, le=MOST_POLYGONS)]
"""Number of a vertex, counted from 0."""


class BoxGeometry(Part):
    """A box about the origin.

    Attributes
    ----------
    sides : lengths along x, y and z [m]
    """

    type: Literal["box"] = "box"
    sides: tuple[Positive, Positive, Positive]


class CylinderGeometry(Part):
    """A cylinder about the y axis, the middle of its length at the origin; with lugs it is a wheel with grousers.

    Attributes
    ----------
    radius : without lugs [m]
    length : along y [m]
    planes : positions of the middles of several such cylinders along y, the discs of a wheel, say [m]
    sides : corners around one without lugs, the first of which lies along x; by default what `edge_length` asks for
    lugs : number of lugs around it, evenly spaced; the first one lies along x
    lug_height : how far lugs stand out [m]
    lug_width : of a lug around the wheel, the same from its root to its tip [m]
    """

    type: Literal["cylinder"] = "cylinder"
    radius: Positive
    length: Positive
    planes: list[Number] = Field(default_factory=lambda: [0.0], min_length=1)
    sides: Annotated[Count, Field(ge=3, le=10_000)] | None = None
    lugs: Annotated[Count, Field(ge=0, le=1000)] = 0
    lug_height: Positive | None = None
    lug_width: Positive | None = None


class SphereGeometry(Part):
    """A sphere about the origin.

    Attributes
    ----------
    radius : [m]
    """

    type: Literal["sphere"] = "sphere"
    radius: Positive


class CapsuleGeometry(Part):
    """A cylinder along y with half a sphere on both ends, its middle at the origin.

    Attributes
    ----------
    radius : [m]
    length : between the centres of the two spheres [m]
    """

    type: Literal["capsule"] = "capsule"
    radius: Positive
    length: Positive


class SprocketGeometry(Part):
    """Gear rings about the y axis whose gaps are one concave arc each, as of the shape `sprocket`; the middle of the
    first gap lies along x.

    Attributes
    ----------
    teeth : number of teeth
    arc_radius, arc_centre_radius : radius of the arc, and of the circle that holds its centres [m]
    addendum_radius : tip circle [m]
    planes : positions of the gear rings along y [m]
    width : of a ring along y [m]
    """

    type: Literal["sprocket"] = "sprocket"
    teeth: Annotated[Count, Field(ge=3, le=1000)]
    arc_radius: Positive
    arc_centre_radius: Positive
    addendum_radius: Positive
    planes: list[Number] = Field(default_factory=lambda: [0.0], min_length=1)
    width: Positive


class ToothedGeometry(Part):
    """Gear rings about the y axis with gaps as of the shape `toothed`; the middle of the first gap lies along x.

    Attributes
    ----------
    teeth : number of teeth
    face_angle : angle of the faces from the centre line of the gap [rad]
    root_radius, tip_radius : to the bottom of the gaps and to the tips of the teeth [m]
    round_radius : of the round at the tip of a tooth [m]
    seat_radius : of the seating curve between bottom and face [m]
    flat_width : width of the flat bottom [m]
    planes : positions of the gear rings along y [m]
    width : of a ring along y [m]
    """

    type: Literal["toothed"] = "toothed"
    teeth: Annotated[Count, Field(ge=3, le=1000)]
    face_angle: Number
    root_radius: Positive
    tip_radius: Positive
    round_radius: Annotated[Number, Field(ge=0)] = 0.0
    seat_radius: Positive
    flat_width: Annotated[Number, Field(ge=0)] = 0.0
    planes: list[Number] = Field(default_factory=lambda: [0.0], min_length=1)
    width: Positive


class ExtrusionGeometry(Part):
    """A prism: an outline in the x-z plane, drawn out along y, half of the width on both sides.

    Attributes
    ----------
    outline : corners (x, z) of the closed outline, each once, in either direction [m]
    width : along y [m]
    """

    type: Literal["extrusion"] = "extrusion"
    outline: list[tuple[Number, Number]] = Field(min_length=3, max_length=MOST_OUTLINE)
    width: Positive


class PolygonGeometry(Part):
    """Vertices and polygons as they are given.

    Attributes
    ----------
    vertices : places [m]
    polygons : numbers of the vertices of each, three or four, counted from 0, anticlockwise seen from outside
    flip : the polygons are clockwise seen from outside: turn them
    """

    type: Literal["polygons"] = "polygons"
    vertices: list[Vec3] = Field(min_length=3)
    polygons: list[list[Corner]] = Field(min_length=1)
    flip: Flag = False


class FileGeometry(Part):
    """Triangles and quadrilaterals of an STL, OBJ or PLY file. Vertices at the same place are merged.

    Attributes
    ----------
    path : of the file, seen from the model file that names it
    unit : length of the file's unit [m]; 0.001 for a file in mm
    flip : the polygons are clockwise seen from outside: turn them
    """

    type: Literal["file"] = "file"
    path: str
    unit: Positive = 1.0
    flip: Flag = False


GivenGeometry = Annotated[PolygonGeometry | FileGeometry, Field(discriminator="type")]
Geometry = Annotated[
    BoxGeometry
    | CylinderGeometry
    | SphereGeometry
    | CapsuleGeometry
    | SprocketGeometry
    | ToothedGeometry
    | ExtrusionGeometry
    | PolygonGeometry
    | FileGeometry,
    Field(discriminator="type"),
]


class Surface(Part):
    """Polygons that points of other surfaces touch, and contact points that touch the polygons of others: on a rigid
    body with a geometry of its own, or on a flexible mesh, with which it deforms.

    On a mesh of bricks its polygons are faces of bricks. On a mesh of lines it has no polygons, and its contact points
    are balls along the lines.

    Attributes
    ----------
    group : name of the shape group
    body : name of the rigid body that it is fixed to, or ``world``
    mesh : name of the flexible mesh that it lies on, in place of `body`
    faces : surface set of the mesh
    geometry : what it looks like; on a body
    position, orientation : origin [m] and axes of the geometry in the body's frame
    edge_length : longest edge of its polygons [m]; by default some 200 polygons for box, cylinder, sphere, capsule and
        extrusion, the arcs of teeth in 6 pieces, and files, given polygons and meshes as they are
    points : contact points are its ``vertices``, lie on its ``faces`` in distances of `spacing`, or there are ``none``
        and it is touched only
    spacing : largest distance of contact points on faces and along lines [m]
    positions : contact points in place of `points`, in the axes of the geometry [m]
    areas : area that belongs to each of `positions` [m^2]; by default equal shares of the area
    is_shell : both sides are outside; its polygons need not be closed
    thickness : of a shell, half of it on both sides [m]; or diameter of the balls along lines, by default that of the
        section
    """

    type: Literal["surface"] = "surface"
    group: str
    body: str = ""
    mesh: str = ""
    faces: str = "surface"
    geometry: Geometry | None = None
    position: Vec3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    edge_length: Positive | None = None
    points: Literal["vertices", "faces", "none"] = "vertices"
    spacing: Positive | None = None
    positions: list[Vec3] | None = None
    areas: list[Positive] | None = None
    is_shell: Flag = False
    thickness: Positive | None = None
