"""The tables: constant flat arrays by index, the only thing compiled code knows of a model.

Here are those of nodes, signals, contacts and trees; each family of elements has its own beside its rows
(`grouser.families`). Each table is a namedtuple made from one field specification: name, shape, type, unit, meaning.
Positions on a body are counted from its centre of mass in the body's axes. The world is row 0 of every array by node:
it has no velocity, and forces on it are collected and ignored. Kinds are the integers of `grouser.kernels.kinds`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

INT, FLOAT = np.int64, np.float64
INDEX = np.uint32
"""Indices that inner loops take directly: never negative, so compiled code need not ask whether to count from the end.
Nothing is reckoned with them, as with an `INT` they would become floating-point numbers."""


def make_record(name: str, fields: Sequence[str]) -> Any:
    """Base of a class of records whose fields follow from declarations."""
    return namedtuple(name, fields)


def make_table(name: str, *fields: tuple[str, str, type, str, str]) -> type:
    """Type of a table from the specification of its fields: name, shape, type, unit, meaning."""
    table = namedtuple(name, [field[0] for field in fields])  # type: ignore[misc]
    table.__doc__ = f"{name}: " + "; ".join(f"{f[0]} {f[1]} [{f[3]}] {f[4]}" for f in fields)
    table.FIELDS = fields  # type: ignore[attr-defined]
    return table


def make_rows(table: type, columns: dict[str, list]) -> tuple:
    """Fill a table from lists, with the types and the trailing shapes of its specification."""
    arrays = []
    for name, shape, kind, _unit, _meaning in table.FIELDS:  # type: ignore[attr-defined]
        tail = tuple(int(s) for s in shape.strip("()").split(",")[1:] if s.strip())
        values = columns[name]
        array = np.array(values, dtype=kind) if len(values) else np.zeros((0, *tail), dtype=kind)
        arrays.append(np.ascontiguousarray(array.reshape((len(values), *tail))))
    return table(*arrays)


def collect_rows(table: type, rows: Sequence[Mapping[str, object]]) -> tuple:
    """Fill a table row by row."""
    return make_rows(table, {field[0]: [row[field[0]] for row in rows] for field in table.FIELDS})  # type: ignore[attr-defined]


NodeTable = make_table(
    "NodeTable",
    ("mass", "(n,)", FLOAT, "kg", "mass of every node"),
    ("inertia", "(b,3,3)", FLOAT, "kg m^2", "of bodies: inertia about the centre of mass, body axes"),
    ("inertia_inverse", "(b,3,3)", FLOAT, "1/(kg m^2)", "its inverse"),
    ("gravity", "(3,)", FLOAT, "m/s^2", "gravity, world axes"),
    ("is_planar", "(1,)", INT, "-", "1 where all motion is in the x-z plane"),
    (
        "across",
        "(f,3)",
        FLOAT,
        "-",
        "of frames: y axis of the world at the start, body axes; it stays where motion is in the plane",
    ),
    ("coupled", "(c,)", INT, "-", "rows of meshes with a mass matrix, in the order of elimination"),
    ("coupled_weight", "(c,)", FLOAT, "kg", "mass that gravity acts on in each"),
    ("pair", "(p,2)", INT, "-", "pairs of these rows that mass couples"),
    ("pair_mass", "(p,)", FLOAT, "kg", "numbers off the diagonal of the mass matrix, which are kg m with a gradient"),
    ("factor_start", "(s,)", INT, "-", "first number of each column of the factor L, and the number of all"),
    ("factor_row", "(l,)", INT, "-", "row of each number, counted as `coupled`"),
    ("factor", "(l,)", FLOAT, "-", "L below its diagonal of ones"),
    ("factor_inverse", "(c,)", FLOAT, "1/kg", "inverse of D of L D L^T"),
)

CarriedTable = make_table(
    "CarriedTable",
    ("row", "(n,)", INT, "-", "all carried rows: markers, then points"),
    ("point", "(b,)", INT, "-", "rows of the carried points"),
    ("body", "(b,)", INT, "-", "row of the body that carries each"),
    ("p", "(b,3)", FLOAT, "m", "its place on the body"),
    ("marker", "(m,)", INT, "-", "rows of the markers"),
    ("start", "(s,)", INT, "-", "first of the points that each sits on, and the number of all"),
    ("turns", "(m,)", INT, "-", "MARKER_*: whether it turns with the points"),
    ("normal", "(m,3)", FLOAT, "-", "normal of the plane in which the points lie, in its axes"),
    ("node", "(k,)", INT, "-", "rows of these points"),
    ("weight", "(k,)", FLOAT, "-", "weight of each at the place of the marker"),
    ("gradient", "(k,3)", FLOAT, "1/m", "gradient of the weight in the shape at the start, in the axes of the marker"),
)

SignalTable = make_table(
    "SignalTable",
    ("kind", "(n,)", INT, "-", "SIGNAL_*"),
    ("start", "(n,)", INT, "-", "first entry in the arrays of its kind"),
    ("stop", "(n,)", INT, "-", "one past the last"),
    ("point", "(m,2)", FLOAT, "", "points (argument, value) of constants, tables and curves"),
    ("code", "(o,)", INT, "-", "operations of the expressions"),
    ("value", "(o,)", FLOAT, "", "numbers of the expressions"),
)

ShapeTable = make_table(
    "ShapeTable",
    ("body", "(n,)", INDEX, "-", "body that carries the shape"),
    ("bound", "(n,)", FLOAT, "m", "radius of a ball that holds the shape, about the centre or that of mass"),
    ("frame", "(n,3,3)", FLOAT, "-", "axes in columns: plate x, y, normal; wheel reference, cross, axis"),
    ("shared", "(n,)", INT, "-", "body that takes half of the force on a pin, or -1"),
    ("centre", "(n,3)", FLOAT, "m", "centre of the shape"),
    ("item_start", "(n,)", INT, "-", "first of its points, pins or disc centres"),
    ("item_stop", "(n,)", INT, "-", "one past the last"),
    ("size", "(n,8)", FLOAT, "m", "sizes: see compile/contact.py"),
    ("item", "(m,3)", FLOAT, "m", "points, pin or disc centres, corners; behind those of a shape its outline"),
)

ContactTable = make_table(
    "ContactTable",
    ("kind", "(n,)", INT, "-", "PAIR_*"),
    ("a_start", "(n,)", INT, "-", "first of the shapes a in `member`"),
    ("a_stop", "(n,)", INT, "-", "one past the last"),
    ("b_start", "(n,)", INT, "-", "first of the shapes b in `member`"),
    ("b_stop", "(n,)", INT, "-", "one past the last"),
    ("candidate_start", "(n,)", INT, "-", "first place for a candidate pair"),
    ("memory_start", "(n,)", INT, "-", "first place of friction memory"),
    ("memory_items", "(n,)", INT, "-", "places for each pair of shapes"),
    ("k", "(n,)", FLOAT, "N/m or N/m^3", "stiffness"),
    ("c", "(n,)", FLOAT, "N s/m or N s/m^3", "damping"),
    ("damping_depth", "(n,)", FLOAT, "m", "depth up to which the damping grows in"),
    ("separation", "(n,)", FLOAT, "-", "share of the damping while separating"),
    ("per", "(n,)", INT, "-", "PER_*: what stiffness and damping are multiplied with"),
    ("depth_limit", "(n,)", FLOAT, "m", "a deeper penetration is no contact"),
    ("sticking", "(n,)", INT, "-", "1 where the normal force may pull"),
    ("friction", "(n,)", INT, "-", "FRICTION_*"),
    ("mu", "(n,)", FLOAT, "-", "coefficient of friction"),
    ("velocity", "(n,)", FLOAT, "m/s", "velocity of regularisation"),
    ("k_tangent", "(n,)", FLOAT, "N/m", "stiffness of the anchor spring"),
    ("member", "(m,)", INDEX, "-", "shape indices of the groups"),
    ("search_reach", "(f,)", FLOAT, "m", "by body: reach within which the search for pairs sees it turn"),
)

EncounterTable = make_table(
    "EncounterTable",
    ("group", "(n,)", INT, "-", "group of contacts of each encounter of two surfaces (`kernels.contact.surface`)"),
    ("body_a", "(n,)", INT, "-", "row of the body with the points, the world where they deform"),
    ("body_b", "(n,)", INT, "-", "row of the body with the polygons, likewise"),
    ("apart", "(n,)", FLOAT, "m", "distance of both rows beyond which they cannot touch"),
    ("deforming", "(m,)", INT, "-", "sheets that deform"),
)

TerrainTable = make_table(
    "TerrainTable",
    ("kind", "(1,)", INT, "-", "TERRAIN_*"),
    ("plane", "(6,)", FLOAT, "m, -", "point and unit normal"),
    ("profile", "(m,2)", FLOAT, "m", "points (x, z)"),
    ("grid", "(4,)", FLOAT, "m", "x0, y0, dx, dy"),
    ("height", "(m,o)", FLOAT, "m", "grid heights"),
    ("friction", "(1,)", FLOAT, "-", "factor on mu"),
    ("highest", "(1,)", FLOAT, "m", "no point of the terrain is higher (infinite for a slope)"),
)

TreeTable = make_table(
    "TreeTable",
    ("body", "(n,)", INT, "-", "bodies in an order from root to leaf: the child of the joint of each row"),
    ("parent", "(n,)", INT, "-", "its parent body"),
    ("row", "(m,)", INT, "-", "row of each body; -1 for the world"),
    ("joint", "(n,)", INT, "-", "index of the joint of the row, or -1 where the body is free in the world"),
    ("reversed", "(n,)", INT, "-", "1 where the child is side a of the joint"),
    ("rotation", "(n,)", INT, "-", "ROTATION_*: how the child turns"),
    ("p_parent", "(n,3)", FLOAT, "m", "connection point on the parent"),
    ("p_child", "(n,3)", FLOAT, "m", "connection point on the child"),
    ("frame_parent", "(n,3,3)", FLOAT, "-", "axes of the joint on the parent, in columns"),
    ("frame_child", "(n,3,3)", FLOAT, "-", "axes of the joint on the child, in columns"),
    ("slide_count", "(n,)", INT, "-", "number of slides: the first coordinates and speeds of the joint"),
    ("q_start", "(m,)", INT, "-", "first coordinate of each row, and the number of all"),
    ("v_start", "(m,)", INT, "-", "first speed of each row, and the number of all"),
    ("axis", "(o,3)", FLOAT, "-", "axis of each speed, in the axes of the body that it is fixed in"),
    ("axis_body", "(o,)", INT, "-", "that body"),
)

PlaneTable = make_table(
    "PlaneTable",
    ("p_parent", "(n,2)", FLOAT, "m", "by row of the tree: connection point on the parent, x and z as at the start"),
    ("p_child", "(n,2)", FLOAT, "m", "connection point on the child, likewise"),
    ("sign", "(n,)", FLOAT, "-", "1 or -1 where the joint turns about y or against it, else 0"),
    ("angle", "(n,)", FLOAT, "rad", "coordinate of the joint's turn at the start"),
    ("axis", "(o,2)", FLOAT, "-", "axis of each speed that slides, x and z as at the start"),
    ("inertia", "(b,)", FLOAT, "kg m^2", "of each body about y"),
    ("R", "(m,3,3)", FLOAT, "-", "rotation of each body at the start"),
    ("y", "(m,)", FLOAT, "m", "place of each body across the plane"),
)

CutTable = make_table(
    "CutTable",
    (
        "path_start",
        "(m,)",
        INT,
        "-",
        "first place in `path` of each entry of the constraints of cuts, and the number of all",
    ),
    ("path", "(p,)", INT, "-", "rows of the tree that carry either body of the entry, leaf to root"),
    ("speed_start", "(m,)", INT, "-", "first place in `speed` of each entry, and the number of all"),
    ("speed", "(q,)", INT, "-", "speeds of the rows of the path, in its order"),
    ("cluster_start", "(c,)", INT, "-", "first constraint row of each cluster, and the number of all"),
)

AggregateTable = make_table(
    "AggregateTable",
    ("owner", "(n,)", INT, "-", "aggregate that a row of the tree belongs to, or -1"),
    ("position", "(n,)", INT, "-", "place of the row among those of its aggregate, or -1"),
    ("place", "(o,)", INT, "-", "place of a speed of the tree among those of its aggregate, or -1"),
    ("chosen", "(o,)", INT, "-", "1 where the user wants the speed to be independent"),
    ("ancestor", "(c,)", INT, "-", "body that carries the aggregate"),
    ("size", "(c,)", FLOAT, "m", "longest lever of its joints"),
    ("row_start", "(m,)", INT, "-", "first of its rows in `row`, and the number of all; likewise below"),
    ("row", "(p,)", INT, "-", "rows of the tree, root to leaf"),
    ("speed_start", "(m,)", INT, "-", "first of its speeds in `speed`"),
    ("speed", "(q,)", INT, "-", "speeds of the tree"),
    ("weight", "(q,)", FLOAT, "1 or 1/m", "what a speed is multiplied by, so that all are turns"),
    ("entry_start", "(m,)", INT, "-", "first of its entries in the constraints"),
    ("line_start", "(m,)", INT, "-", "first of its constraint rows"),
    ("measure", "(l,)", FLOAT, "1 or 1/m", "what a constraint row is multiplied by, so that all are angles"),
    ("matrix_start", "(m,)", INT, "-", "first of (constraint rows, speeds) numbers"),
    ("square_start", "(m,)", INT, "-", "first of (speeds, speeds) numbers"),
    ("column_start", "(m,)", INT, "-", "first of (rows, speeds) six-vectors"),
    ("branch_start", "(b,)", INT, "-", "first place in `branch` of side a, then of side b of each entry"),
    ("branch", "(r,)", INT, "-", "rows of the tree from the body of that side up to below the common ancestor"),
)

ClosedFormTable = make_table(
    "ClosedFormTable",
    ("start", "(m,)", INT, "-", "first operation of each aggregate, and the number of all"),
    ("given", "(o,)", INT, "-", "1 for speeds of the tree whose coordinates the operations take as given"),
    ("kind", "(n,)", INT, "-", "CLOSED_*"),
    ("row", "(n,)", INT, "-", "row of the tree that gets its place"),
    ("entry", "(n,)", INT, "-", "entry of the constraints that is solved"),
    ("point", "(n,3)", FLOAT, "m", "point that turns: from the hinge, in its axes; CLOSED_BALL: on the body"),
    ("body", "(n,)", INT, "-", "body of the known point; CLOSED_DRIVE: index of the scalar element"),
    ("known", "(n,3)", FLOAT, "m", "the known point on it"),
    ("length", "(n,)", FLOAT, "m", "distance of both; CLOSED_DRIVE: 1, or -1 where the joint is reversed"),
    ("second", "(n,3)", FLOAT, "m", "CLOSED_BALL: point of the body that belongs to a known place"),
    ("second_body", "(n,)", INT, "-", "body of that place"),
    ("second_known", "(n,3)", FLOAT, "m", "the place on it"),
)

EliminationTable = make_table(
    "EliminationTable",
    ("size", "(n,)", INT, "-", "rows of a node, 1..6"),
    ("sign", "(n,)", INT, "-", "sign that its pivots must have: 1 bodies, -1 multipliers"),
    ("order", "(n,)", INT, "-", "nodes in the order of elimination"),
    ("panel", "(n,)", INT, "-", "by place in the order: where the pivot block lies in `factor`; its row follows"),
    ("row_start", "(p,)", INT, "-", "by place in the order: first of the row's blocks in `row_node` (n + 1 entries)"),
    ("row_node", "(m,)", INT, "-", "nodes of the blocks right of the pivot, in the order of elimination"),
    ("target", "(q,)", INT, "-", "place in `factor` of every product of two blocks of a row, as they are made"),
    ("given_value", "(g,)", INT, "-", "place in `value` of every block of the matrix"),
    ("given_factor", "(g,)", INT, "-", "place in `factor` of the same block"),
    ("fill", "(f,)", INT, "-", "places in `factor` that start as zero"),
    ("pair_row", "(h,)", INT, "-", "node of the rows of every block off the diagonal in `value`"),
    ("pair_column", "(h,)", INT, "-", "node of its columns"),
    ("edge_offset", "(e,)", INT, "-", "place in `value` of the block of an edge"),
    ("edge_flip", "(e,)", INT, "-", "1 where the block of edge (i, j) is stored transposed"),
)
