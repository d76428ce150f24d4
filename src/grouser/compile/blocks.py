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
        "grip",
        "value",
        "diagonal",
        "point_edge",
        "frame_edge",
        "scalar_edge",
        "f",
        "torque",
        "coupled",
        "coupled_body",
        "coupled_count",
        "last",
        "held",
    ],
)
"""Matrix and right-hand side of a linearly implicit step (`grouser.kernels.scatter`).

h (1,) length of the step [s]; grip (1,) least slope of friction along its direction, as a share of that across it
(`grouser.kernels.contact.law`); value (m,) blocks of 6 x 6 numbers, rows one after another; diagonal (n + 1,) where the
block of each body begins in `value`; point_edge, frame_edge, scalar_edge (rows, 2) by row of the tables: where the
block (body a, body b) begins, and 1 where it is stored transposed; f, torque (n + 1, 3) right-hand side -h K u, world
axes, about the centres of mass [N, N m]; coupled, coupled_body, coupled_count: list of the pairs of bodies that touch
(`grouser.kernels.contact.coupling`), because the matrix has no place for pairs that come and go; last (6 n,)
accelerations of the bodies in the step before, (v world axes, w body axes); held (3,) time [s], step [s] and drag [1/s]
of the evaluation that the scratch holds, NaN for none. Where a block is at -1 nothing is added: the world has none.
"""


def find_edges(tables: Tables) -> Array:
    """Bodies (m, 2) that the force elements couple: the rows of the tables point, frame and scalar, in this order."""
    return np.concatenate(
        [np.column_stack([table.body_a, table.body_b]) for table in (tables.point, tables.frame, tables.scalar)]
    )


def make_blocks(compiled: Compiled, value: Array, diagonal: Array, edge_offset: Array, edge_flip: Array) -> Blocks:
    """Blocks that lie in `value` at the places given by body, and by row of `find_edges`."""
    tables = compiled.tables
    rows = len(tables.body.mass) + 1
    edges = np.ascontiguousarray(np.column_stack([edge_offset, edge_flip]), dtype=INT)
    point, frame = len(tables.point.joint), len(tables.frame.joint)
    return Blocks(
        h=np.zeros(1),
        grip=np.zeros(1),
        value=value,
        diagonal=np.asarray(diagonal, dtype=INT),
        point_edge=edges[:point],
        frame_edge=edges[point : point + frame],
        scalar_edge=edges[point + frame :],
        f=np.zeros((rows, 3)),
        torque=np.zeros((rows, 3)),
        coupled=np.zeros((compiled.touch_count, 27)),
        coupled_body=np.zeros((compiled.touch_count, 2), dtype=INT),
        coupled_count=np.zeros(1, dtype=INT),
        last=np.zeros(6 * (rows - 1)),
        held=np.full(3, np.nan),
    )
