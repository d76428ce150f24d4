"""Matrix of stiffness and damping that the force elements add to, for linearly implicit steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.tables import INT, make_record
from grouser.families.registry import FAMILIES

Array = np.ndarray

EDGES = {table: columns for family in FAMILIES for table, columns in family.ends.items()}
"""By table, the columns with the nodes that the slopes of an element couple."""
NOTED = tuple(table for family in FAMILIES for table in family.noted)
"""Tables whose elements keep their slopes, in the order of `NOTE_...`."""


_FIELDS: Any = make_record(
    "ImplicitMatrix",
    [
        "h",
        "ahead",
        "wanted",
        "grip",
        "value",
        "diagonal",
        *(f"{table}_edge" for table in EDGES),
        "f",
        "torque",
        "damper_f",
        "damper_torque",
        "coupled",
        "coupled_body",
        "coupled_count",
        "joined_slope",
        "joined",
        "joined_place",
        "joined_row",
        "joined_note",
        "joined_group",
        "joined_count",
        "rates_before",
        "held",
        "noted",
        "note",
        "note_body",
        "note_start",
        "note_group",
        "note_count",
        "pulled",
    ],
)


class ImplicitMatrix(_FIELDS):
    """Matrix and right-hand side of a linearly implicit step (`grouser.kernels.scatter`).

    Attributes
    ----------
    h : (1,) length of the step [s], or in stages that are iterated how much a velocity at the end moves positions [s]
    ahead : (1,) how far forces look ahead, h in linearly implicit steps, zero where the end of a step is iterated [s]
    wanted : (1,) 1 where an evaluation adds slopes to the matrix, 0 where it adds forces alone
    grip : (1,) least slope of friction along its direction, as a share of that across it (`kernels.contact.law`)
    value : (m,) blocks of 6 x 6 numbers, rows one after another
    diagonal : (n,) where the block of each node begins in `value`; -1 for the world, which has none
    <table>_edge : (rows, 2), or (rows, pairs, 2) where an element has more than two nodes: where the block of a pair of
        nodes begins, -1 where one of them is the world, and how it is stored there (`STORED` of `kernels.scatter`)
    f, torque : (n, 3), (f, 3) right-hand side -h K u, world axes, about the centres of mass [N, N m]
    damper_f, damper_torque : (n, 3), (f, 3) of the forces, what the dampers of contacts make of them [N, N m]
    coupled, coupled_body, coupled_count : list of the pairs of bodies that touch (`kernels.contact.coupling`), because
        the matrix has no place for pairs that come and go
    joined_slope, joined, joined_place : (touches, 9), (touches, 8, 18), (touches, 8) contacts of surfaces: slopes, and
        of each end how it moves and where its velocities begin (`kernels.contact.surface.joined`)
    joined_row, joined_note, joined_group, joined_count : rows of the bodies among the ends; bias (3), normal (3) and
        sign; group and whether it is the ground; their number
    rates_before : (speeds,) accelerations of the nodes in the step before
    held : (3,) time [s], step [s] and drag [1/s] of the evaluation that the scratch holds, NaN for none
    noted : (1,) 1 where elements keep their slopes
    note, note_body : (rows, 45), (rows, 2) these slopes
    note_start : (6,) first row of each kind of element (`NOTE_...`)
    pulled : what blocks of carried rows are pulled back to (`formulations.augmented.pulled`)
    note_count, note_group : (1,) number of contacts among them, and their groups
    """

    __slots__ = ()


def find_edges(tables: Any) -> Array:
    """Rows of nodes (m, 2) that the elements couple: all pairs of nodes of every row of the tables of `EDGES`."""
    pairs = [np.zeros((0, 2), dtype=INT)]
    for table, columns in EDGES.items():
        nodes = _stack_nodes(getattr(tables, table), columns)
        first, second = np.triu_indices(nodes.shape[1], 1)
        pairs.append(np.stack([nodes[:, first], nodes[:, second]], axis=-1).reshape(-1, 2))
    return np.concatenate(pairs)


def _stack_nodes(table: Any, columns: tuple[str, ...]) -> Array:
    """Rows of the nodes of every element (rows, nodes)."""
    return np.column_stack([getattr(table, column) for column in columns]).astype(INT)


def make_implicit_matrix(
    compiled: Compiled, value: Array, diagonal: Array, edges: Array, pulled: tuple | None = None
) -> ImplicitMatrix:
    """The matrix whose blocks lie in `value` at the places given by node, and by row of `find_edges`."""
    tables = compiled.tables
    rows, frames = len(compiled.layout.nodes), compiled.layout.frame_count
    edge_of: dict[str, Array] = {}
    for table, columns in EDGES.items():
        count, nodes = _stack_nodes(getattr(tables, table), columns).shape
        pairs = nodes * (nodes - 1) // 2
        taken, edges = edges[: count * pairs], edges[count * pairs :]
        shape = (count, 2) if pairs == 1 else (count, pairs, 2)
        edge_of[f"{table}_edge"] = np.ascontiguousarray(taken.reshape(shape), dtype=INT)
    places = compiled.surfaces.touch_count
    counts = [len(getattr(tables, table)[0]) for table in NOTED]
    first = np.cumsum([0, *counts])
    slopes = int(first[-1]) + compiled.touch_count
    return ImplicitMatrix(
        h=np.zeros(1),
        ahead=np.zeros(1),
        wanted=np.ones(1, dtype=INT),
        grip=np.zeros(1),
        value=value,
        diagonal=np.asarray(diagonal, dtype=INT),
        **edge_of,
        f=np.zeros((rows, 3)),
        torque=np.zeros((frames, 3)),
        damper_f=np.zeros((rows, 3)),
        damper_torque=np.zeros((frames, 3)),
        coupled=np.zeros((compiled.touch_count, 27)),
        coupled_body=np.zeros((compiled.touch_count, 2), dtype=INT),
        coupled_count=np.zeros(1, dtype=INT),
        joined_slope=np.zeros((places, 9)),
        joined=np.zeros((places, 8, 18)),
        joined_place=np.full((places, 8), -1, dtype=INT),
        joined_row=np.full((places, 8), -1, dtype=INT),
        joined_note=np.zeros((places, 7)),
        joined_group=np.zeros((places, 2), dtype=INT),
        joined_count=np.zeros(1, dtype=INT),
        rates_before=np.zeros(compiled.layout.speed_count),
        held=np.full(3, np.nan),
        noted=np.zeros(1, dtype=INT),
        note=np.zeros((slopes, 45)),
        note_body=np.zeros((slopes, 2), dtype=INT),
        note_start=first.astype(INT),
        note_group=np.zeros(compiled.touch_count, dtype=INT),
        note_count=np.zeros(1, dtype=INT),
        pulled=pulled,
    )
