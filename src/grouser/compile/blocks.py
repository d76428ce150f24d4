"""Blocks of stiffness and damping that the force elements add to, for linearly implicit steps."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.tables import INT, Tables

Array = np.ndarray

Blocks = namedtuple(
    "Blocks",
    [
        "h",
        "ahead",
        "wanted",
        "grip",
        "value",
        "diagonal",
        "point_edge",
        "frame_edge",
        "scalar_edge",
        "brake_edge",
        "f",
        "torque",
        "damper_f",
        "damper_torque",
        "coupled",
        "coupled_body",
        "coupled_count",
        "last",
        "held",
        "noted",
        "note",
        "note_body",
        "note_start",
        "note_group",
        "note_count",
    ],
)
"""Matrix and right-hand side of a linearly implicit step (`grouser.kernels.scatter`).

h (1,) length of the step [s], or in stages that are iterated how much a velocity at the end moves positions [s];
ahead (1,) how far forces look ahead, h in linearly implicit steps, zero where the end of a step is iterated [s];
wanted (1,) 1 where an evaluation adds blocks, 0 where it adds forces alone; grip (1,) least slope of friction along its
direction, as a share of that across it (`grouser.kernels.contact.law`); value (m,) blocks of 6 x 6 numbers, rows one
after another; diagonal (n,) where the block of each node begins in `value`; point_edge, frame_edge, scalar_edge,
brake_edge (rows, 2) by row of the tables: where the block (body a, body b) begins, and 1 where it is stored transposed;
f (n, 3), torque (f, 3) right-hand side -h K u, world axes, about the centres of mass [N, N m]; damper_f,
damper_torque (f, 3) of the forces, what the dampers of contacts make of them; coupled, coupled_body,
coupled_count: list of the pairs of bodies that touch (`grouser.kernels.contact.coupling`), because the matrix has no
place for pairs that come and go; last (speeds,) accelerations of the nodes in the step before; held (3,) time [s], step
[s] and drag [1/s] of the evaluation that the scratch holds, NaN for none; noted (1,) 1 where elements keep their slopes
in note (rows, 45), note_body (rows, 2), with the rows of each kind of element from note_start (6,) on (`NOTE_...`), and
of the note_count (1,) contacts their groups in note_group. Where a block is at -1 nothing is added: the world has none.
"""


def find_edges(tables: Tables) -> Array:
    """Bodies (m, 2) that the force elements couple: the rows of the tables point, frame, scalar and brake, in this
    order."""
    pairs = [np.column_stack([table.body_a, table.body_b]) for table in (tables.point, tables.frame, tables.scalar)]
    return np.concatenate([*pairs, np.column_stack([tables.brake.reaction, tables.brake.body])])


def make_blocks(compiled: Compiled, value: Array, diagonal: Array, edges: Array) -> Blocks:
    """Blocks that lie in `value` at the places given by node, and by row of `find_edges`."""
    tables = compiled.tables
    rows, frames = len(compiled.layout.nodes), compiled.layout.frame_count
    counts = [len(t.body_a) for t in (tables.point, tables.frame, tables.scalar)]
    counts += [len(tables.tyre.body), len(tables.brake.body)]
    first = np.cumsum([0, *counts])
    point, frame, scalar = first[1:4]
    slopes = int(first[-1]) + compiled.touch_count
    return Blocks(
        h=np.zeros(1),
        ahead=np.zeros(1),
        wanted=np.ones(1, dtype=INT),
        grip=np.zeros(1),
        value=value,
        diagonal=np.asarray(diagonal, dtype=INT),
        point_edge=edges[:point],
        frame_edge=edges[point:frame],
        scalar_edge=edges[frame:scalar],
        brake_edge=edges[scalar:],
        f=np.zeros((rows, 3)),
        torque=np.zeros((frames, 3)),
        damper_f=np.zeros((frames, 3)),
        damper_torque=np.zeros((frames, 3)),
        coupled=np.zeros((compiled.touch_count, 27)),
        coupled_body=np.zeros((compiled.touch_count, 2), dtype=INT),
        coupled_count=np.zeros(1, dtype=INT),
        last=np.zeros(compiled.layout.speed_count),
        held=np.full(3, np.nan),
        noted=np.zeros(1, dtype=INT),
        note=np.zeros((slopes, 45)),
        note_body=np.zeros((slopes, 2), dtype=INT),
        note_start=first.astype(INT),
        note_group=np.zeros(compiled.touch_count, dtype=INT),
        note_count=np.zeros(1, dtype=INT),
    )
