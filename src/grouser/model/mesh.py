"""Meshes of flexible bodies in model files: lines, rings, separate lines, blocks, plates, balls, belts, webs, files."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from grouser.model.base import Count, Flag, NonNegative, Number, Part, Positive, Quaternion, Vec3
from grouser.model.material import Material
from grouser.model.section import AboveZero, Section

MOST_CELLS = 1_000_000
"""Most elements of a mesh."""
MOST_NODES = 2_000_000
"""Most nodes of a mesh."""
MOST_CORNERS = 10_000
"""Most points of a polyline."""
MOST_ROUND = 100
"""Most elements along a quarter of the equator of a ball."""

Divisions = Annotated[Count, Field(ge=1, le=MOST_CELLS)]
"""Number of elements in a row."""
Strain = Annotated[float, Field(strict=True, ge=-0.5, le=1.0)]
PlanePoint = tuple[Number, Number]
LineElement = Literal["truss", "beam_thin", "beam_thick"]
CurveElement = Literal["truss", "beam_thin", "beam_thick", "ancf_beam", "ancf_cable"]
ANCF = ("ancf_beam", "ancf_cable")
"""Elements whose nodes have gradients (`grouser.mesh.ancf`)."""
PinLine = str | Vec3


class MeshPart(Part):
    """What all meshes have.

    Attributes
    ----------
    material : what it is made of
    position : of the mesh's origin in the world [m]
    orientation : rotation from the mesh's axes to the world, quaternion (w, x, y, z)
    velocity : initial velocity of the mesh's origin, world axes [m/s]
    angular_velocity : initial angular velocity of the whole mesh, mesh axes [rad/s]
    pre_strain : strain of the shape without stress, seen from the mesh as it is given: along lines, in all directions
        of bricks; negative for a mesh that is put in under tension
    fixed : names of node sets that are held in the world
    bonded : names of bodies by node set: these nodes are carried by that rigid body
    """

    material: Material
    position: Vec3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    velocity: Vec3 = (0.0, 0.0, 0.0)
    angular_velocity: Vec3 = (0.0, 0.0, 0.0)
    pre_strain: Strain = 0.0
    fixed: list[str] = Field(default_factory=list)
    bonded: dict[str, str] = Field(default_factory=dict)


class _LineMesh(MeshPart):
    """What meshes of lines have.

    Attributes
    ----------
    element : ``truss`` (pulls), ``beam_thin`` (also bends), ``beam_thick`` (also shears and twists; its nodes turn),
        ``ancf_beam`` (by gradients: also changes its section), ``ancf_cable`` (by gradients: pulls and bends)
    section : cross-section
    normal : direction near the z axis of the section, mesh axes; by default z, or y or x where lines run along it
    is_rope : trusses go slack instead of pushing
    integration : of ``ancf_beam``: along the ``axis``, right in bending and torsion, or by the ``volume``, as published
    pins : of elements by gradients: by node set the line about which two of them turn where they meet: ``x``, ``y`` or
        ``z`` of the section's axes, a direction in mesh axes, or ``ball`` for all directions
    hinged : of elements by gradients: names of node sets whose places are held in the world, free to turn
    """

    element: CurveElement
    section: Section
    normal: Vec3 | None = None
    is_rope: Flag = False
    integration: Literal["axis", "volume"] = "axis"
    pins: dict[str, PinLine] = Field(default_factory=dict)
    hinged: list[str] = Field(default_factory=list)


class LineMesh(_LineMesh):
    """A line of trusses or beams, straight or with corners. Node sets: `start`, `end`, `all`, and `start_edge` and
    `end_edge` of both nodes of its first and last line, by which thin beams are clamped at the middle of that line;
    `corners`, those of its points that are no end, if there are some.

    Attributes
    ----------
    start, end : of a straight line, mesh axes [m]
    points : of a line with corners, in place of `start` and `end`, mesh axes [m]
    count : elements of each straight piece
    """

    type: Literal["line"] = "line"
    start: Vec3 | None = None
    end: Vec3 | None = None
    points: list[Vec3] | None = None
    count: Divisions = 1


class RingMesh(_LineMesh):
    """A closed line of trusses or beams: a circle, or with corners. Node sets: `start` (one node), `all`,
    and `corners` of one with points.

    Attributes
    ----------
    radius : of a circle [m]
    centre, axis : of the circle, mesh axes [m]; it starts in the direction of x, or of y where the axis is x
    points : corners of the closed line in place of a circle, each once, mesh axes [m]
    count : elements of the circle, at least 3; with `points` those of each straight piece
    """

    type: Literal["ring"] = "ring"
    radius: Positive | None = None
    centre: Vec3 = (0.0, 0.0, 0.0)
    axis: Vec3 = (0.0, 0.0, 1.0)
    points: list[Vec3] | None = None
    count: Divisions = 1


class LinesMesh(MeshPart):
    """Separate lines, each straight or an arc: the webs of a belt between its rigid treads, the stays of a mast. Node
    sets: `start0`, `end0`, `start1` and so on, the ends of each line, and `all`.

    Lines with tangents are arcs that thick beams bend to: without stress they are straight.

    Attributes
    ----------
    element : ``truss`` (pulls), ``beam_thin`` (also bends), ``beam_thick`` (also shears and twists; its nodes turn)
    section : cross-section
    normal : direction near the z axis of the section, mesh axes; by default z, or y or x where lines run along it
    is_rope : trusses go slack instead of pushing
    ends : start and end of each line, mesh axes [m]
    tangents : directions of each line at its start and its end, mesh axes; by default lines are straight
    count : elements of each line
    """

    type: Literal["lines"] = "lines"
    element: LineElement
    section: Section
    normal: Vec3 | None = None
    is_rope: Flag = False
    ends: list[tuple[Vec3, Vec3]]
    tangents: list[tuple[Vec3, Vec3]] | None = None
    count: Divisions = 1


class BlockMesh(MeshPart):
    """A block of bricks. Node and surface sets: `x0`, `x1`, `y0`, `y1`, `z0`, `z1` and `all`; edges are `x0&z1`.

    Attributes
    ----------
    sides : lengths along x, y and z [m]
    origin : its corner with the least coordinates, mesh axes [m]
    corners : eight corners in place of `sides`, around the bottom, then above them: x0 y0 z0, x1 y0 z0, x1 y1 z0,
        x0 y1 z0, and the same at z1, mesh axes [m]
    counts : elements along x, y and z
    bend : radius of an arc on which the mesh's x axis is laid, about an axis along y [m]; it bends towards z, with a
        negative radius away from z
    twist : angle by which the end x1 is turned about the mesh's x axis, before the block is bent [rad]
    """

    type: Literal["block"] = "block"
    sides: tuple[Positive, Positive, Positive] | None = None
    origin: Vec3 = (0.0, 0.0, 0.0)
    corners: list[Vec3] | None = None
    counts: tuple[Divisions, Divisions, Divisions]
    bend: Number | None = None
    twist: Number = 0.0


class PlateMesh(MeshPart):
    """A plate: bricks one layer deep, half of the thickness on both sides of its plane. Sets as of a block.

    Attributes
    ----------
    sides : lengths along x and y [m]
    thickness : along z [m]
    origin : corner of its middle plane with the least x and y, mesh axes [m]
    counts : elements along x and y
    bend, twist : as of a block [m], [rad]
    """

    type: Literal["plate"] = "plate"
    sides: tuple[Positive, Positive]
    thickness: Positive
    origin: Vec3 = (0.0, 0.0, 0.0)
    counts: tuple[Divisions, Divisions]
    bend: Number | None = None
    twist: Number = 0.0


class BallMesh(MeshPart):
    """A ball of bricks about the origin, or its lower half, finer towards its poles where that is asked for: the lowest
    point, where it touches a ground, and the highest one. Node sets: `bottom` and `top`, the poles; `middle`, the disc
    at z = 0, and `equator`, its edge; node and surface sets `lower` and `upper`, the outer faces below and above it,
    `all`, and `middle` of a half ball.

    Attributes
    ----------
    radius : [m]
    count : elements along a quarter of the equator; an even number
    edge_bottom, edge_top : edges of the elements at the poles [m]; by default all are about the same, pi/2 radius/count
    is_half : only its lower half
    """

    type: Literal["ball"] = "ball"
    radius: Positive
    count: Annotated[Count, Field(ge=2, le=MOST_ROUND)]
    edge_bottom: Positive | None = None
    edge_top: Positive | None = None
    is_half: Flag = False


class BeltWheel(Part):
    """A wheel on which a belt lies.

    Attributes
    ----------
    centre : x and z, mesh axes [m]
    radius : [m]
    is_outside : the belt's outer face lies on it: the wheel is outside of the loop
    """

    centre: PlanePoint
    radius: Positive
    is_outside: Flag = False


class Cord(Part):
    """A layer of cords along a belt, between its nodes.

    Attributes
    ----------
    element : ``truss``, or ``beam_thin`` for cords that also bend
    level : layer of nodes in which they lie, from 0, the inner face, to the number of layers, the outer face
    modulus : Young's modulus [Pa]
    area : of all cords of the layer together [m^2]
    iy : second moment of all cords of the layer together, for ``beam_thin`` [m^4]
    density : mass over volume [kg/m^3]; by default they have no mass beside that of the belt
    damping : viscous modulus over elastic modulus [s]
    pre_strain : strain of the cords without stress, seen from the belt as it is given; negative under tension
    is_rope : trusses go slack instead of pushing
    """

    element: Literal["truss", "beam_thin"] = "truss"
    level: Annotated[Count, Field(ge=0, le=MOST_CELLS)]
    modulus: Positive
    area: AboveZero
    iy: AboveZero | None = None
    density: NonNegative = 0.0
    damping: NonNegative = 0.0
    pre_strain: Strain = 0.0
    is_rope: Flag = False


class BeltMesh(MeshPart):
    """A closed belt of bricks in the x-z plane, its width along y. Node and surface sets: `inner`, `outer`, `left` (at
    positive y), `right`, `all`, and `start`, its first row across.

    Attributes
    ----------
    wheels : what it lies on, in the order in which it runs: arcs with straight pieces between them; one wheel makes a
        circle
    points : corners (x, z) of its inner face in place of `wheels`, each once [m]
    width : along y, half of it on both sides of y = 0 [m]
    thickness : from the inner to the outer face [m]
    counts : elements along the belt (evenly divided), across it, and through its thickness
    cords : layers of trusses or thin beams along it
    """

    type: Literal["belt"] = "belt"
    wheels: list[BeltWheel] | None = None
    points: list[PlanePoint] | None = None
    width: Positive
    thickness: Positive
    counts: tuple[Divisions, Divisions, Divisions]
    cords: list[Cord] = Field(default_factory=list)


class BrickRow(Part):
    """A row of bricks through the thickness of webs.

    Attributes
    ----------
    thickness : [m]
    material : what it is made of; by default that of the mesh
    """

    thickness: Positive
    material: Material | None = None


class WebsMesh(MeshPart):
    """Separate strips of bricks in planes y = constant of the mesh: the webs of a belt between its rigid treads. Each
    lies on a straight line or an arc, and is straight without stress. Node sets: `start0`, `end0`, `start1` and so on,
    the ends of each strip with the ends of its cords, and `all`.

    Attributes
    ----------
    ends : start and end of the line of each strip, mesh axes [m]
    tangents : directions of each line at its start and its end, mesh axes; by default lines are straight
    width : along y, half of it on both sides of the line [m]
    rows : of bricks, from the inner face, which is to the left of the way seen from negative y, to the outer one
    below : from the outer face to the line [m]
    counts : bricks along each strip and across it
    cords : layers of trusses or thin beams along it. Thin beams are clamped at both ends
    """

    type: Literal["webs"] = "webs"
    ends: list[tuple[Vec3, Vec3]]
    tangents: list[tuple[Vec3, Vec3]] | None = None
    width: Positive
    rows: list[BrickRow] = Field(min_length=1, max_length=100)
    below: NonNegative
    counts: tuple[Divisions, Divisions]
    cords: list[Cord] = Field(default_factory=list)


class FileMesh(MeshPart):
    """A mesh from a file that meshio reads: hexahedra become bricks, lines become trusses or beams. Named sets of
    nodes, cells and faces are those of the file; `all` is there besides.

    Attributes
    ----------
    path : of the file, seen from the model file that names it
    scale : length of the file's unit [m]
    element : of the lines of the file: ``truss``, ``beam_thin`` or ``beam_thick``
    section : cross-section of the lines
    normal : direction near the z axis of the section, mesh axes; by default z, or y or x where lines run along it
    is_rope : trusses go slack instead of pushing
    """

    type: Literal["file"] = "file"
    path: str
    scale: Positive = 1.0
    element: LineElement | None = None
    section: Section | None = None
    normal: Vec3 | None = None
    is_rope: Flag = False


MeshOfLines = LineMesh | RingMesh | LinesMesh | FileMesh
"""Meshes that may have lines by `element` and `section`."""
Mesh = Annotated[
    LineMesh | RingMesh | LinesMesh | BlockMesh | PlateMesh | BallMesh | BeltMesh | WebsMesh | FileMesh,
    Field(discriminator="type"),
]
