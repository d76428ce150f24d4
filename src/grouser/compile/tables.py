"""The tables: constant flat arrays by index, the only thing compiled code knows of a model.

Each table is a namedtuple made from one field specification: name, shape, type, unit, meaning. Positions
on a body are counted from its centre of mass in the body's axes. The world is row 0 of every
array by body: it has no velocity, and forces on it are collected and ignored. Kinds are the integers of
`grouser.kernels.kinds`.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

INT, FLOAT = np.int64, np.float64
INDEX = np.uint32
"""Indices that inner loops take directly: never negative, so compiled code need not ask whether to count from the end.
Nothing is reckoned with them, as with an `INT` they would become floating-point numbers."""


def _make_table(name: str, *fields: tuple[str, str, type, str, str]) -> type:
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


BodyTable = _make_table(
    "BodyTable",
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
)

PointTable = _make_table(
    "PointTable",
    ("joint", "(n,)", INDEX, "-", "index of the joint it realizes"),
    ("body_a", "(n,)", INDEX, "-", "first body"),
    ("body_b", "(n,)", INDEX, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "connection point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "connection point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("rotation", "(n,)", INT, "-", "what is held besides or instead of the coincidence: POINT_*"),
    ("length", "(n,)", FLOAT, "m", "distance of the points, POINT_DISTANCE"),
    ("k", "(n,)", FLOAT, "N/m", "stiffness of the coincidence"),
    ("c", "(n,)", FLOAT, "N s/m", "its damping"),
    ("k_turn", "(n,)", FLOAT, "N m/rad", "stiffness of the held rotations"),
    ("c_turn", "(n,)", FLOAT, "N m s/rad", "their damping"),
)

FrameTable = _make_table(
    "FrameTable",
    ("joint", "(n,)", INT, "-", "index of the joint or bushing it realizes"),
    ("body_a", "(n,)", INT, "-", "first body"),
    ("body_b", "(n,)", INT, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "connection point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "connection point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("stiffness", "(n,6,6)", FLOAT, "N/m, N m/rad", "rows x, y, z, tilt x, tilt y, twist"),
    ("damping", "(n,6,6)", FLOAT, "N s/m, N m s/rad", "likewise"),
    ("preload", "(n,6)", FLOAT, "N, N m", "force on b at zero deformation"),
)

ConstraintTable = _make_table(
    "ConstraintTable",
    ("joint", "(n,)", INT, "-", "index of the ideal joint, or -1"),
    ("scalar", "(n,)", INT, "-", "index of the scalar element whose motion is ideal, or -1"),
    ("body_a", "(n,)", INT, "-", "first body"),
    ("body_b", "(n,)", INT, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "connection point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "connection point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("length", "(n,)", FLOAT, "m", "distance that a row ROW_DISTANCE of a joint holds"),
    ("row_start", "(n,)", INT, "-", "first of its rows"),
    ("row_count", "(n,)", INT, "-", "number of its rows"),
    ("row_kind", "(m,)", INT, "-", "ROW_*"),
    ("row_axis_a", "(m,)", INT, "-", "axis 0, 1 or 2 of frame a that the row looks at; ROW_POINT: of the world"),
    ("row_axis_b", "(m,)", INT, "-", "axis of frame b that a row ROW_NORMAL looks at"),
)

ScalarTable = _make_table(
    "ScalarTable",
    ("coordinate", "(n,)", INT, "-", "COORDINATE_*"),
    ("body_a", "(n,)", INT, "-", "first body"),
    ("body_b", "(n,)", INT, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("law", "(n,)", INT, "-", "LAW_*"),
    ("k", "(n,)", FLOAT, "N/m or N m/rad", "stiffness, or gain p"),
    ("c", "(n,)", FLOAT, "N s/m or N m s/rad", "damping, or gain d"),
    ("gain_i", "(n,)", FLOAT, "", "gain of the integral"),
    ("limit", "(n,)", FLOAT, "N or N m", "largest magnitude of an actuator's force"),
    ("free", "(n,)", FLOAT, "m or rad", "coordinate at which the spring is relaxed"),
    ("preload", "(n,)", FLOAT, "N or N m", "constant force"),
    ("friction", "(n,)", FLOAT, "N or N m", "Coulomb force"),
    ("friction_velocity", "(n,)", FLOAT, "m/s or rad/s", "its regularisation"),
    ("stop_lower", "(n,)", FLOAT, "m or rad", "lower end of the free motion"),
    ("stop_upper", "(n,)", FLOAT, "m or rad", "upper end of the free motion"),
    ("stop_k", "(n,)", FLOAT, "N/m or N m/rad", "stiffness of the stops"),
    ("stop_c", "(n,)", FLOAT, "N s/m or N m s/rad", "damping of the stops"),
    ("curve_k", "(n,)", INT, "-", "index of the stiffness curve, or -1"),
    ("curve_c", "(n,)", INT, "-", "index of the damping curve, or -1"),
    ("signal", "(n,)", INT, "-", "index of the target signal, or -1"),
    ("driver_state", "(n,)", INT, "-", "place of the states of the driver whose angle is added to the target, or -1"),
    ("driver_frequency", "(n,)", FLOAT, "rad/s", "frequency of that driver's steering"),
    ("driver_ratio", "(n,)", FLOAT, "-", "its damping ratio"),
)

TyreTable = _make_table(
    "TyreTable",
    ("body", "(n,)", INT, "-", "wheel"),
    ("state", "(n,)", INT, "-", "place of its two deflections in z"),
    ("p", "(n,3)", FLOAT, "m", "centre of the wheel"),
    ("axis", "(n,3)", FLOAT, "-", "spin axis"),
    ("radius", "(n,)", FLOAT, "m", "unloaded radius"),
    ("width", "(n,)", FLOAT, "m", "width of the tread"),
    ("load", "(n,)", FLOAT, "N", "nominal load"),
    ("k", "(n,)", FLOAT, "N/m", "vertical stiffness"),
    ("k2", "(n,)", FLOAT, "N/m^2", "its progression"),
    ("c", "(n,)", FLOAT, "N s/m", "vertical damping"),
    ("radius_share", "(n,2)", FLOAT, "-", "share of the unloaded radius in the rolling radius, at both loads"),
    ("curve", "(n,2,5,2)", FLOAT, "N, -", "x and y; slope, peak, sliding force, slips of both; at both loads"),
    ("k_tread", "(n,2)", FLOAT, "N/m", "stiffness of the tread in x and y"),
    ("c_tread", "(n,2)", FLOAT, "N s/m", "its damping"),
    ("trail", "(n,3,2)", FLOAT, "-", "pneumatic trail, slips at which it is zero and ends; at both loads"),
    ("rolling", "(n,)", FLOAT, "-", "rolling resistance"),
)

PowertrainTable = _make_table(
    "PowertrainTable",
    ("state", "(n,)", INT, "-", "place of its gear in z"),
    ("gear_start", "(n,)", INT, "-", "first of its gears"),
    ("gear_stop", "(n,)", INT, "-", "one past the last"),
    ("wheel_start", "(n,)", INT, "-", "first of its wheels"),
    ("wheel_stop", "(n,)", INT, "-", "one past the last"),
    ("idle", "(n,)", FLOAT, "rad/s", "idle speed"),
    ("launch", "(n,)", FLOAT, "rad/s", "speed at a standstill with the throttle open"),
    ("multiplication", "(n,)", FLOAT, "-", "of the converter at a standstill"),
    ("shift_time", "(n,)", FLOAT, "s", "time constant of a shift"),
    ("curve_torque", "(n,)", INT, "-", "torque by speed, throttle open"),
    ("curve_drag", "(n,)", INT, "-", "torque by speed, throttle closed"),
    ("signal", "(n,)", INT, "-", "throttle"),
    ("driver", "(n,)", INT, "-", "driver whose throttle is added, or -1"),
    ("ratio", "(m,)", FLOAT, "-", "engine speed over wheel speed of each gear"),
    ("up", "(m,)", FLOAT, "rad/s", "speed of the wheels at which it shifts up from a gear"),
    ("down", "(m,)", FLOAT, "rad/s", "speed of the wheels at which it shifts down to it"),
)

DrivenTable = _make_table(
    "DrivenTable",
    ("body", "(n,)", INT, "-", "wheel"),
    ("reaction", "(n,)", INT, "-", "body that takes the reaction"),
    ("axis", "(n,3)", FLOAT, "-", "spin axis on the wheel"),
    ("share", "(n,)", FLOAT, "-", "share of the torque"),
)

BrakeTable = _make_table(
    "BrakeTable",
    ("body", "(n,)", INT, "-", "wheel"),
    ("reaction", "(n,)", INT, "-", "body that takes the reaction"),
    ("axis", "(n,3)", FLOAT, "-", "spin axis on the wheel"),
    ("state", "(n,)", INT, "-", "place of its state in z"),
    ("torque", "(n,)", FLOAT, "N m", "at full pedal"),
    ("angle", "(n,)", FLOAT, "rad", "turn within which it builds up"),
    ("lag", "(n,)", FLOAT, "s", "time constant"),
    ("signal", "(n,)", INT, "-", "pedal"),
    ("driver", "(n,)", INT, "-", "driver whose pedal is added, or -1"),
)

DriverTable = _make_table(
    "DriverTable",
    ("body", "(n,)", INT, "-", "vehicle"),
    ("p", "(n,3)", FLOAT, "m", "where the view is fixed"),
    ("frame", "(n,3,3)", FLOAT, "-", "its axes on the body, in columns; x forward"),
    ("state", "(n,)", INT, "-", "place of the first state in z"),
    ("path_start", "(n,)", INT, "-", "first of the points of the path"),
    ("path_stop", "(n,)", INT, "-", "one past the last"),
    ("angle", "(n,)", INT, "-", "signal of the wanted angle, or -1"),
    ("speed", "(n,)", INT, "-", "signal of the wanted speed, or -1"),
    ("ratio", "(n,)", FLOAT, "-", "angle of the motion over that of the road wheels"),
    ("limit", "(n,)", FLOAT, "rad", "largest angle of the motion"),
    ("wheelbase", "(n,)", FLOAT, "m", "wheelbase"),
    ("preview_time", "(n,)", FLOAT, "s", "time to the point that is looked at"),
    ("prediction_time", "(n,)", FLOAT, "s", "time by which steering is ahead of the vehicle"),
    ("preview_distance", "(n,)", FLOAT, "m", "its least distance"),
    ("understeer", "(n,)", FLOAT, "rad s^2/m", "understeer"),
    ("lag", "(n,)", FLOAT, "s", "time constant"),
    ("frequency", "(n,)", FLOAT, "rad/s", "of the steering"),
    ("damping_ratio", "(n,)", FLOAT, "-", "of the steering"),
    ("gain_p", "(n,)", FLOAT, "s/m", "on the speed error"),
    ("gain_i", "(n,)", FLOAT, "1/m", "on its integral"),
    ("gain_brake", "(n,)", FLOAT, "-", "brake over negative effort"),
    ("path", "(m,3)", FLOAT, "m", "points x, y and the length so far"),
)

AppliedTable = _make_table(
    "AppliedTable",
    ("body", "(n,)", INT, "-", "body"),
    ("p", "(n,3)", FLOAT, "m", "point of action"),
    ("frame", "(n,3,3)", FLOAT, "-", "axes on the body, in columns"),
    ("turns", "(n,)", INT, "-", "1 where the axes turn with the body"),
    ("signal", "(n,6)", INT, "-", "signals of the force and of the torque"),
)

SignalTable = _make_table(
    "SignalTable",
    ("kind", "(n,)", INT, "-", "SIGNAL_*"),
    ("start", "(n,)", INT, "-", "first entry in the arrays of its kind"),
    ("stop", "(n,)", INT, "-", "one past the last"),
    ("point", "(m,2)", FLOAT, "", "points (argument, value) of constants, tables and curves"),
    ("code", "(o,)", INT, "-", "operations of the expressions"),
    ("value", "(o,)", FLOAT, "", "numbers of the expressions"),
)

ShapeTable = _make_table(
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

ContactTable = _make_table(
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
    ("turning", "(b,)", FLOAT, "m", "by body: reach within which the search for pairs sees it turn"),
)

TerrainTable = _make_table(
    "TerrainTable",
    ("kind", "(1,)", INT, "-", "TERRAIN_*"),
    ("plane", "(6,)", FLOAT, "m, -", "point and unit normal"),
    ("profile", "(m,2)", FLOAT, "m", "points (x, z)"),
    ("grid", "(4,)", FLOAT, "m", "x0, y0, dx, dy"),
    ("height", "(m,o)", FLOAT, "m", "grid heights"),
    ("friction", "(1,)", FLOAT, "-", "factor on mu"),
    ("highest", "(1,)", FLOAT, "m", "no point of the terrain is higher (infinite for a slope)"),
)

TreeTable = _make_table(
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

PlaneTable = _make_table(
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

CutTable = _make_table(
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

AggregateTable = _make_table(
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

ClosedFormTable = _make_table(
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

EliminationTable = _make_table(
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

Tables = namedtuple(
    "Tables",
    [
        "body",
        "point",
        "frame",
        "constraint",
        "scalar",
        "applied",
        "tyre",
        "powertrain",
        "driven",
        "brake",
        "driver",
        "signal",
        "shape",
        "contact",
        "terrain",
    ],
)
"""All tables of a model."""
