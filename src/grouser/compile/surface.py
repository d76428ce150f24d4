"""Surfaces in contact become rows: what carries them, their trees, and which of them may meet.

A surface on a body is kept in the frame of the body, about its centre of mass, with trees that are built once. One on a
mesh lies in the world. Spheres and points touch surfaces as contact points without polygons of their own, and every
terrain is polygons for them: a plane is one large quadrilateral, a profile is drawn out across.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from grouser.compile.layout import Layout
from grouser.compile.markers import carry_shape
from grouser.compile.tables import EncounterTable
from grouser.kernels.contact.search.box_tree import build_boxes
from grouser.kernels.contact.search.sphere_tree import build_balls
from grouser.kernels.contact.search.tables import Reach, make_cloud, make_surface
from grouser.kernels.contact.search.touch import MOST
from grouser.kernels.contact.surface.tables import ANCHOR_ROWS, GUIDE_ROWS
from grouser.kernels.kinds import WORLD_ROW
from grouser.model.contact import TERRAIN, Contact, Points, Shape, Sphere
from grouser.model.model import Model
from grouser.model.surface import Surface
from grouser.model.terrain import Plane, Profile, Terrain
from grouser.surface.data import SurfaceData
from grouser.surface.ground import make_ground_data
from grouser.surface.make import make_surface_data

Array = np.ndarray
INDEX = np.uint32

FAR = 1.0e4
"""How far planes and profiles reach beyond where they are given [m]."""
DEPTH = 0.5
"""How deep points are sought inside, where a contact does not say it: a share of the diagonal of their box."""
SKIN_OF_EDGE, SKIN_OF_BOX = 0.25, 0.01
"""Way for which a list of candidates is made: shares of the mean edge of the polygons, and of the diagonal of the box
about the points; the smaller one."""
LEAST_SKIN = 1.0e-4
"""Way for which a list is made at least [m]."""


@dataclass(frozen=True)
class SheetRows:
    """A surface by rows.

    Attributes
    ----------
    name : of the shape, or of the terrain
    body : row of the rigid body that carries it, the world for a deforming one
    is_deforming : it goes with nodes
    x : (n, 3) vertices, about the centre of mass of the body, or in the world at the start [m]
    node_row : (n,) rows of nodes that the vertices of a deforming one are
    points, area : (k, 3) contact points likewise [m], (k,) [m^2]
    corner, weight : (k, 4) vertices that carry each point of a deforming one, and their weights
    polygons : (m, 4) rows of vertices; one without a meaning where there are none
    has_polygons : whether there are some
    radius : of the contact points [m]
    is_rolling : points are balls that touch wherever they do; else they are places on the body or on the mesh
    surface, cloud : trees
    """

    name: str
    body: int
    is_deforming: bool
    x: Array
    node_row: Array
    points: Array
    area: Array
    corner: Array
    weight: Array
    polygons: Array
    has_polygons: bool
    radius: float
    is_rolling: bool
    surface: Any
    cloud: Any


@dataclass(frozen=True)
class Meeting:
    """Points of a sheet that may touch polygons of another; see `Encounter` of `kernels.contact.surface.tables`.

    Attributes
    ----------
    near : where the neighbours of each point begin, and these vertices of the other sheet; None without neighbours
    """

    a: int
    b: int
    group: int
    is_ground: bool
    sign: float
    share: float
    bound: float
    items: int
    is_material: bool
    reach: Reach
    first: int
    near: tuple[Array, Array] | None


@dataclass(frozen=True)
class Surfaces:
    """All of a model.

    Attributes
    ----------
    sheets, meetings : in the order of their rows
    table : for compiled code
    touch_count : places in which they can touch at a time
    memory_count : rows of friction memory
    """

    sheets: tuple[SheetRows, ...]
    meetings: tuple[Meeting, ...]
    table: Any
    touch_count: int
    memory_count: int


def is_surface_contact(model: Model, contact: Contact) -> bool:
    """Whether contact points touch polygons."""
    groups = (contact.a, contact.b)
    is_mesh = contact.b == TERRAIN and model.terrain is not None and model.terrain.type == "mesh"
    return is_mesh or any(isinstance(shape, Surface) and shape.group in groups for shape in model.shapes.values())


def make_surfaces(model: Model, layout: Layout, memory_start: int) -> Surfaces:
    """Surfaces of a model in contact, whose memory begins at a row."""
    numbers: dict[str, int] = {}
    sheets: list[SheetRows] = []
    meetings: list[Meeting] = []
    first = memory_start

    def find_sheet(name: str) -> int:
        if name not in numbers:
            numbers[name] = len(sheets)
            sheets.append(_make_ground(model) if name == "" else _make_rows(model, layout, name))
        return numbers[name]

    for group, contact in enumerate(model.contacts.values()):
        if not is_surface_contact(model, contact):
            continue
        a = [find_sheet(name) for name, shape in model.shapes.items() if shape.group == contact.a]
        if contact.b == TERRAIN:
            b = [find_sheet("")]
        else:
            b = [find_sheet(name) for name, shape in model.shapes.items() if shape.group == contact.b]
        for i, j, sign, share in _list_pairs(a, b, contact, sheets):
            made = _make_meeting(model, contact, (i, sheets[i]), (j, sheets[j]), group, sign, share, first)
            first += len(sheets[i].points) * (GUIDE_ROWS + ANCHOR_ROWS * made.items)
            meetings.append(made)
    table = EncounterTable(
        group=np.array([meeting.group for meeting in meetings], dtype=np.int64),
        body_a=np.array([sheets[meeting.a].body for meeting in meetings], dtype=np.int64),
        body_b=np.array([sheets[meeting.b].body for meeting in meetings], dtype=np.int64),
        apart=np.array([_calc_reach(meeting, sheets) for meeting in meetings]),
        deforming=np.array([1 + number for number, sheet in enumerate(sheets) if sheet.is_deforming], dtype=np.int64),
    )
    touches = sum(len(sheets[meeting.a].points) * meeting.items + MOST for meeting in meetings)
    return Surfaces(tuple(sheets), tuple(meetings), table, touches, first - memory_start)


def _list_pairs(a: list[int], b: list[int], contact: Contact, sheets: list[SheetRows]) -> list[tuple]:
    """Sheets with points and with polygons, the sign of the points' side, and the share of the stiffness.

    Only surfaces have polygons: where side a has none, its points touch those of b, and where b has none, or where both
    directions are wanted, points of b touch polygons of a.
    """
    found = []
    for number, i in enumerate(a):
        for j in b[number:] if contact.a == contact.b else b:
            if i == j and not sheets[i].is_deforming:
                continue
            if sheets[i].body == sheets[j].body and not (sheets[i].is_deforming or sheets[j].is_deforming):
                continue
            ways = [(i, j, 1.0)] if _can_meet(sheets[i], sheets[j]) else []
            if i != j and (contact.two_way or not ways) and _can_meet(sheets[j], sheets[i]):
                ways.append((j, i, -1.0))
            found += [(*way, 1.0 / len(ways)) for way in ways]
    return found


def _can_meet(a: SheetRows, b: SheetRows) -> bool:
    return len(a.points) > 0 and b.has_polygons


def _make_meeting(
    model: Model,
    contact: Contact,
    a: tuple[int, SheetRows],
    b: tuple[int, SheetRows],
    group: int,
    sign: float,
    share: float,
    first: int,
) -> Meeting:
    (i, points), (j, surface) = a, b
    size, other = _calc_diagonal(points.points), _calc_diagonal(surface.x)
    depth = contact.depth_limit
    if depth is None:
        depth = max(points.radius, min(DEPTH * max(size, points.radius), 0.5 * other) or DEPTH * other)
    edge = _calc_edge(surface)
    skin = max(LEAST_SKIN, min(SKIN_OF_EDGE * edge, SKIN_OF_BOX * max(size, points.radius) or SKIN_OF_EDGE * edge))
    return Meeting(
        a=i,
        b=j,
        group=group,
        is_ground=surface.name == "",
        sign=sign,
        share=share,
        bound=0.0 if points.is_deforming else float(np.linalg.norm(points.points, axis=1).max()) + points.radius,
        items=MOST if points.radius > 0.0 else 1,
        is_material=not points.is_rolling,
        reach=Reach(points.radius, depth, skin, int(_is_own(model, points, surface))),
        first=first,
        near=_find_near(points, surface) if points.is_deforming and surface.is_deforming else None,
    )


def _is_own(model: Model, points: SheetRows, surface: SheetRows) -> bool:
    """Whether both belong to one solid of bricks."""
    if not points.is_deforming or not surface.is_deforming or surface.surface.is_shell:
        return False
    first, second = (model.shapes[sheet.name] for sheet in (points, surface))
    return isinstance(first, Surface) and isinstance(second, Surface) and first.mesh == second.mesh


def _calc_reach(meeting: Meeting, sheets: list[SheetRows]) -> float:
    """Distance of two bodies beyond which no point is nearer to a polygon than the skin [m]."""
    a, b = sheets[meeting.a], sheets[meeting.b]
    if a.is_deforming or b.is_deforming:
        return np.inf
    return meeting.bound + float(np.linalg.norm(b.x, axis=1).max()) + meeting.reach.skin


def _calc_diagonal(x: Array) -> float:
    return float(np.linalg.norm(np.ptp(x, axis=0))) if len(x) else 0.0


def _calc_edge(sheet: SheetRows) -> float:
    """Mean length of the first edges of all polygons [m]."""
    x = sheet.x[sheet.polygons.astype(np.int64)]
    return float(np.linalg.norm(x[:, 1] - x[:, 0], axis=1).mean())


def _find_near(points: SheetRows, surface: SheetRows) -> tuple[Array, Array] | None:
    """Vertices that are nodes of polygons about what carries each point; None if no point has any."""
    vertex_of = {int(row): vertex for vertex, row in enumerate(surface.node_row)}
    ring: dict[int, set[int]] = {}
    for polygon in surface.polygons.tolist():
        for vertex in polygon:
            ring.setdefault(vertex, set()).update(polygon)
    starts, near = [0], []
    for corner, weight in zip(points.corner.tolist(), points.weight.tolist(), strict=True):
        rows = (int(points.node_row[c]) for c, w in zip(corner, weight, strict=True) if w)
        own = [vertex_of[row] for row in rows if row in vertex_of]
        near += sorted(set(chain.from_iterable(ring.get(vertex, {vertex}) for vertex in own)))
        starts.append(len(near))
    return (np.array(starts, dtype=INDEX), np.array(near, dtype=INDEX)) if near else None


def _make_rows(model: Model, layout: Layout, name: str) -> SheetRows:
    """The sheet of a shape."""
    shape: Shape = model.shapes[name]
    if isinstance(shape, Surface):
        data = make_surface_data(model, shape)
        if data.is_deforming:
            return _make_sheet(name, WORLD_ROW, data, layout.find_mesh_rows(shape.mesh)[data.nodes])
        row = layout.find_body(shape.body)
        return _make_sheet(name, row, data, None, layout.com[row])
    polygons = np.zeros((0, 4), dtype=np.int64)
    if isinstance(shape, Sphere):
        carried = carry_shape(model, shape)
        assert isinstance(carried, Sphere)
        row, centre = layout.find_body(carried.body), np.array([carried.position])
        data = SurfaceData(np.zeros((0, 3)), polygons, centre, np.ones(1), False, shape.radius)
        return _make_sheet(name, row, data, None, layout.com[row], is_rolling=True)
    shape = carry_shape(model, shape)
    assert isinstance(shape, Points)
    row, places = layout.find_body(shape.body), np.array(shape.positions)
    data = SurfaceData(np.zeros((0, 3)), polygons, places, np.full(len(places), shape.area))
    return _make_sheet(name, row, data, None, layout.com[row])


def _make_sheet(
    name: str,
    body: int,
    data: SurfaceData,
    node_row: Array | None,
    com: Array | None = None,
    *,
    is_rolling: bool = False,
) -> SheetRows:
    origin = np.zeros(3) if com is None else com
    has_polygons, has_points = len(data.polygons) > 0, len(data.points) > 0
    x = np.ascontiguousarray(data.vertices - origin) if len(data.vertices) else np.zeros((1, 3))
    polygons = np.array(data.polygons if has_polygons else np.zeros((1, 4)), dtype=INDEX)
    points = np.ascontiguousarray(data.points - origin)
    surface = make_surface(polygons, len(x), is_shell=data.is_shell)
    build_boxes(surface, x, np.zeros((len(polygons), 3)), np.zeros(len(polygons), dtype=INDEX))
    cloud = make_cloud(max(len(points), 1))
    if has_points:
        build_balls(cloud, points, np.zeros_like(points))
    is_deforming = node_row is not None
    return SheetRows(
        name=name,
        body=body,
        is_deforming=is_deforming,
        x=x,
        node_row=np.array([] if node_row is None else node_row, dtype=INDEX),
        points=points,
        area=np.array(data.areas, dtype=float),
        corner=np.array(data.corners if is_deforming else np.zeros((0, 4)), dtype=INDEX),
        weight=np.array(data.weights if is_deforming else np.zeros((0, 4)), dtype=float),
        polygons=polygons,
        has_polygons=has_polygons,
        radius=data.radius,
        is_rolling=is_rolling,
        surface=surface,
        cloud=cloud,
    )


def _make_ground(model: Model) -> SheetRows:
    """The sheet of the terrain, named ''."""
    assert model.terrain is not None
    return _make_sheet("", WORLD_ROW, _make_ground_polygons(model.terrain), None)


def _make_ground_polygons(terrain: Terrain) -> SurfaceData:
    if isinstance(terrain, Plane):
        normal = np.array(terrain.normal) / np.linalg.norm(terrain.normal)
        along = np.cross([0.0, 1.0, 0.0], normal)
        along /= np.linalg.norm(along)
        across = np.cross(normal, along)
        corners = [s * along + t * across for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        vertices = np.array(terrain.point) + FAR * np.array(corners)
        polygons = np.array([[0, 1, 2, 3]])
    elif isinstance(terrain, Profile):
        line = np.array(terrain.points, dtype=float)
        line = np.vstack([[line[0, 0] - FAR, line[0, 1]], line, [line[-1, 0] + FAR, line[-1, 1]]])
        sides = [np.column_stack([line[:, 0], np.full(len(line), y), line[:, 1]]) for y in (-FAR, FAR)]
        vertices, count = np.vstack(sides), len(line)
        number = np.arange(count - 1)
        polygons = np.column_stack([number, number + 1, number + 1 + count, number + count])
    else:
        return make_ground_data(terrain)
    return SurfaceData(vertices, polygons, np.zeros((0, 3)), np.zeros(0))
