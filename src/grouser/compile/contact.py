"""Shapes, contact pairs and terrain become tables.

Columns of `ShapeTable.size`:

    points     area of a point
    plate      half length, half width, distance of its centre from the centre of mass
    wheel      radius, groove, distance of its axis from the centre of mass
    sphere     radius
    sprocket   tip radius, groove, arc radius, arc centre radius, teeth, tip of a tooth (2), ring half width
    toothed    tip radius, root radius, seat radius, round radius, teeth, -, -, ring half width
    pin        radius
    rail       -, half width
    strip      half length, cells
    horn       half width
    surface    -

Behind the rings of a toothed wheel, `ShapeTable.item` holds the outline of a valley in its own plane.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from grouser.compile.layout import Array, Layout
from grouser.compile.markers import carry_shape
from grouser.compile.surface import is_surface_contact
from grouser.compile.tables import INT, ContactTable, ShapeTable, TerrainTable, make_rows
from grouser.kernels.kinds import (
    FRICTION_ASPERITY,
    FRICTION_NONE,
    FRICTION_TANH,
    FRICTION_TRILINEAR,
    PAIR_GROOVE_HORN,
    PAIR_POINTS_TERRAIN,
    PAIR_SPHERE_PLATE,
    PAIR_SPHERE_SPHERE,
    PAIR_SPHERE_TERRAIN,
    PAIR_SPROCKET_PIN,
    PAIR_STRIP_TERRAIN,
    PAIR_SURFACE,
    PAIR_TOOTHED_PIN,
    PAIR_WHEEL_PLATE,
    PAIR_WHEEL_RAIL,
    PAIR_WHEEL_TERRAIN,
    PER_AREA,
    PER_CONTACT,
    PER_LENGTH,
    TERRAIN_GRID,
    TERRAIN_NONE,
    TERRAIN_PLANE,
    TERRAIN_PROFILE,
    WORLD_ROW,
)
from grouser.model.body import WORLD
from grouser.model.contact import (
    CONTACT_PAIRS,
    TERRAIN,
    Horn,
    Pin,
    Plate,
    Points,
    Rail,
    Shape,
    Sphere,
    Sprocket,
    Strip,
    Toothed,
    Wheel,
)
from grouser.model.gap import calc_tip_angle
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.surface import Surface
from grouser.model.terrain import Grid, Plane, Profile, Terrain
from grouser.model.valley import calc_valley

_KINDS = {
    ("points", TERRAIN): PAIR_POINTS_TERRAIN,
    ("wheel", TERRAIN): PAIR_WHEEL_TERRAIN,
    ("strip", TERRAIN): PAIR_STRIP_TERRAIN,
    ("sphere", TERRAIN): PAIR_SPHERE_TERRAIN,
    ("sphere", "sphere"): PAIR_SPHERE_SPHERE,
    ("sphere", "plate"): PAIR_SPHERE_PLATE,
    ("wheel", "plate"): PAIR_WHEEL_PLATE,
    ("wheel", "rail"): PAIR_WHEEL_RAIL,
    ("sprocket", "pin"): PAIR_SPROCKET_PIN,
    ("toothed", "pin"): PAIR_TOOTHED_PIN,
    ("wheel", "horn"): PAIR_GROOVE_HORN,
    ("sprocket", "horn"): PAIR_GROOVE_HORN,
}
PAIRS: dict[tuple[str, str], int] = {pair: _KINDS[pair] for pair in CONTACT_PAIRS if "surface" not in pair}
"""Kernel of each pair of shapes; side a first."""

_PER = {"contact": PER_CONTACT, "area": PER_AREA, "length": PER_LENGTH}
_FRICTION = {"tanh": FRICTION_TANH, "trilinear": FRICTION_TRILINEAR, "asperity": FRICTION_ASPERITY}


def make_shapes(model: Model, layout: Layout) -> tuple:
    """The shape table."""
    columns: dict[str, list] = {field[0]: [] for field in ShapeTable.FIELDS}  # type: ignore[attr-defined]
    items: list[Array] = []
    for named in model.shapes.values():
        shape = carry_shape(model, named)
        body = layout.find_body(shape.body or WORLD)
        centre, frame, points, sizes, reach = _describe(shape, layout.com[body])
        columns["body"].append(body)
        columns["bound"].append(reach)
        columns["frame"].append(frame)
        columns["centre"].append(centre)
        columns["item_start"].append(len(items))
        items.extend(points)
        columns["item_stop"].append(len(items))
        if isinstance(shape, Toothed):
            items.extend(_make_outline(shape))
        shared = shape.shared if isinstance(shape, Pin) else None
        columns["shared"].append(-1 if shared is None else layout.find_body(shared))
        columns["size"].append([*sizes, *[0.0] * (8 - len(sizes))])
    columns["item"] = items
    return make_rows(ShapeTable, columns)


def _describe(shape: Shape, com: Array) -> tuple[Array, Array, list[Array], list[float], float]:
    """Centre, axes, items and sizes of a shape, from the centre of mass; and the radius of its ball."""
    if isinstance(shape, Points):
        points = [np.array(p) - com for p in shape.positions]
        return np.zeros(3), np.eye(3), points, [shape.area], max(float(np.linalg.norm(p)) for p in points)
    if isinstance(shape, Plate):
        centre = np.array(shape.position) - com
        reach = float(np.linalg.norm(centre)) + 0.5 * math.hypot(shape.length, shape.width)
        frame = quaternion_to_matrix(shape.orientation)
        sizes = [0.5 * shape.length, 0.5 * shape.width, float(np.linalg.norm(centre))]
        return centre, frame, [], sizes, reach
    if isinstance(shape, Sphere):
        centre = np.array(shape.position) - com
        return centre, np.eye(3), [], [shape.radius], float(np.linalg.norm(centre)) + shape.radius
    if isinstance(shape, Pin):
        points = [np.array(p) - com for p in shape.positions]
        reach = max(float(np.linalg.norm(p)) for p in points) + shape.radius
        return np.zeros(3), np.eye(3), points, [shape.radius], reach
    if isinstance(shape, Rail):
        points = [np.array([px, shape.y, pz]) - com for px, pz in shape.points]
        reach = max(math.hypot(p[0], abs(p[1]) + 0.5 * shape.width, p[2]) for p in points)
        return np.array([0.0, points[0][1], 0.0]), np.eye(3), points, [0.0, 0.5 * shape.width], reach
    if isinstance(shape, Strip):
        points = [np.array(p) - com for p in (shape.start, shape.end)]
        half = 0.5 * float(np.linalg.norm(points[1] - points[0]))
        return np.zeros(3), np.eye(3), points, [half, float(shape.cells)], max(float(np.linalg.norm(p)) for p in points)
    if isinstance(shape, Horn):
        centre = np.array(shape.position) - com
        return (
            centre,
            np.eye(3),
            [centre],
            [shape.half_width],
            float(np.linalg.norm(centre)) + shape.half_width,
        )
    if isinstance(shape, Surface):  # which has tables of its own
        return np.zeros(3), np.eye(3), [], [], 0.0
    centre = np.array(shape.position) - com
    axis = np.array(shape.axis) / np.linalg.norm(shape.axis)
    discs = [centre + plane * axis for plane in shape.planes]
    if isinstance(shape, Toothed):
        sizes = [shape.tip_radius, shape.root_radius, shape.seat_radius, shape.round_radius, float(shape.teeth)]
        across = max(abs(p) for p in shape.planes) + 0.5 * shape.width
        reach = math.hypot(shape.tip_radius, across)
        return centre, _make_axes(axis, np.array(shape.reference)), discs, [*sizes, 0.0, 0.0, 0.5 * shape.width], reach
    groove = math.inf if shape.groove is None else shape.groove
    if isinstance(shape, Wheel):
        reach = max(math.hypot(shape.radius, p) for p in shape.planes)
        sizes = [shape.radius, groove, float(np.linalg.norm(np.cross(centre, axis)))]
        return centre, _make_axes(axis, _find_normal(axis)), discs, sizes, reach
    tip = calc_tip_angle(shape)
    sizes = [
        shape.addendum_radius,
        groove,
        shape.arc_radius,
        shape.arc_centre_radius,
        float(shape.teeth),
        shape.addendum_radius * math.cos(tip),
        shape.addendum_radius * math.sin(tip),
        0.5 * shape.width,
    ]
    reach = math.hypot(shape.addendum_radius, max(abs(p) for p in shape.planes) + 0.5 * shape.width)
    return centre, _make_axes(axis, np.array(shape.reference)), discs, sizes, reach


def _make_outline(shape: Toothed) -> list[Array]:
    """Rows that `kernels/contact/outline_geometry.py` knows of a valley."""
    valley = calc_valley(shape)
    along = np.array([math.cos(shape.face_angle), math.sin(shape.face_angle)])
    rows = (valley.bottom, valley.seat, valley.face, valley.tip, valley.seat_centre, valley.round_centre, along)
    return [np.array([*row, 0.0]) for row in rows]


def _find_normal(axis: Array) -> Array:
    """Some direction that is not along the axis."""
    return np.eye(3)[int(np.argmin(np.abs(axis)))]


def _make_axes(axis: Array, reference: Array) -> Array:
    """Columns reference, axis x reference, axis; the reference made normal to the axis."""
    first = reference - (reference @ axis) * axis
    first = first / np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def make_contacts(model: Model, layout: Layout, shape: Any) -> tuple[tuple, int, int, int, list[float]]:
    """The contact table of a model whose shape table is given; the places needed for candidate pairs, touching points
    and friction memory; and for each contact -1 where its sides were named the other way round than its kernel has
    them, else 1."""
    shape_list = list(model.shapes.values())
    columns: dict[str, list] = {field[0]: [] for field in ContactTable.FIELDS}  # type: ignore[attr-defined]
    members: list[int] = []
    turning = np.zeros(layout.frame_count)
    offset = np.linalg.norm(shape.centre, axis=1)
    candidate_count = touch_count = memory_count = 0
    signs: list[float] = []
    for contact in model.contacts.values():
        a = [i for i, s in enumerate(shape_list) if s.group == contact.a]
        b = [] if contact.b == TERRAIN else [i for i, s in enumerate(shape_list) if s.group == contact.b]
        types_a: set[str] = {shape_list[i].type for i in a}
        types_b: set[str] = {shape_list[i].type for i in b} if b else {TERRAIN}
        is_surface = is_surface_contact(model, contact)
        if is_surface:  # which has encounters of its own
            a, b, types_a, types_b = [], [], set(), set()
        kind = (
            PAIR_SURFACE
            if is_surface
            else next((k for (p, q), k in PAIRS.items() if p in types_a and q in types_b), None)
        )
        if kind is None:  # named the other way round
            a, b = b, a
            signs.append(-1.0)
            kind = next(k for (p, q), k in PAIRS.items() if p in types_b and q in types_a)
        else:
            signs.append(1.0)
        friction = contact.friction
        asperity = friction is not None and friction.model == "asperity"
        slots = _count_slots(kind, [shape_list[i] for i in a], [shape_list[i] for i in b])
        pairs = len(a) * max(len(b), 1)
        row = {
            "kind": kind,
            "a_start": len(members),
            "a_stop": len(members) + len(a),
            "b_start": len(members) + len(a),
            "b_stop": len(members) + len(a) + len(b),
            "candidate_start": candidate_count,
            "memory_start": memory_count if asperity else 0,
            "memory_items": slots if asperity else 0,
            "k": contact.stiffness,
            "c": contact.damping,
            "damping_depth": contact.damping_depth,
            "separation": contact.separation,
            "per": _PER[contact.per],
            "depth_limit": math.inf if contact.depth_limit is None else contact.depth_limit,
            "sticking": int(contact.sticking),
            "friction": FRICTION_NONE if friction is None else _FRICTION[friction.model],
            "mu": 0.0 if friction is None else friction.mu,
            "velocity": 1.0 if friction is None else friction.velocity,
            "k_tangent": 1.0 if friction is None else friction.stiffness,
        }
        for name, value in row.items():
            columns[name].append(value)
        members.extend([*a, *b])
        # wheels go round with their bodies; and the test of plates asks how both sides are turned
        np.maximum.at(turning, shape.body[a], offset[a])
        if kind == PAIR_WHEEL_PLATE:
            np.maximum.at(turning, shape.body[a], offset[a] + shape.bound[a])
            np.maximum.at(turning, shape.body[b], shape.bound[b])
        candidate_count += pairs
        touch_count += pairs * slots
        memory_count += pairs * slots if asperity else 0
    columns["member"] = members
    turning[WORLD_ROW] = 0.0  # the world does not turn
    columns["search_reach"] = turning.tolist()
    return make_rows(ContactTable, columns), candidate_count, touch_count, memory_count, signs


def _count_slots(kind: int, a: list[Shape], b: list[Shape]) -> int:
    """Points at which one pair of shapes may touch at a time."""
    own, other = (max((_count_items(shape) for shape in side), default=1) for side in (a, b))
    if kind in (PAIR_SPROCKET_PIN, PAIR_TOOTHED_PIN):
        return other
    return own * other if kind == PAIR_WHEEL_RAIL else own


def _count_items(shape: Shape) -> int:
    if isinstance(shape, Points):
        return len(shape.positions)
    if isinstance(shape, Pin):
        return 2 * len(shape.positions)
    if isinstance(shape, Rail):
        return len(shape.points) - 1
    if isinstance(shape, Strip):
        return 2 * shape.cells
    return len(shape.planes) if isinstance(shape, Wheel | Sprocket | Toothed) else 1


def make_terrain(terrain: Terrain | None) -> tuple:
    """The terrain table."""
    kind, highest = TERRAIN_NONE, -math.inf
    plane, grid = np.zeros(6), np.zeros(4)
    profile, height = np.zeros((1, 2)), np.zeros((2, 2))
    if isinstance(terrain, Plane):
        kind = TERRAIN_PLANE
        normal = np.array(terrain.normal) / np.linalg.norm(terrain.normal)
        plane = np.concatenate([terrain.point, normal])
        highest = math.inf
    elif isinstance(terrain, Profile):
        kind, profile = TERRAIN_PROFILE, np.array(terrain.points, dtype=float)
        highest = float(profile[:, 1].max())
    elif isinstance(terrain, Grid):
        kind, height = TERRAIN_GRID, np.array(terrain.heights, dtype=float)
        grid = np.array([*terrain.origin, *terrain.spacing], dtype=float)
        highest = float(height.max())
    return TerrainTable(
        kind=np.array([kind], dtype=INT),
        plane=plane,
        profile=np.ascontiguousarray(profile),
        grid=grid,
        height=np.ascontiguousarray(height),
        friction=np.array([1.0 if terrain is None else terrain.friction]),
        highest=np.array([highest]),
    )
