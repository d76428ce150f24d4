"""The sparse system of a model: bodies, pairs of points and ideal joints as nodes, and where their blocks lie.

It serves ideal joints (multipliers), linearly implicit steps (stiffness and damping of force elements beside the
masses), and both at once.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.elimination import (
    find_least_degree_order,
    make_elimination,
    make_factor,
    make_value,
    make_vector,
)
from grouser.compile.implicit_matrix import ImplicitMatrix, find_edges, make_implicit_matrix
from grouser.compile.layout import Layout
from grouser.compile.tables import INT
from grouser.kernels.block_ldl import BLOCK, HALF_DIAGONAL, WIDTH
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.nodes import POINT_SIZE
from grouser.kernels.scatter import BOTH, BOTH_FLIPPED

SHIFT = 1.0e-11
"""Regularisation of the multipliers, as a share of the mobility of their rows: large enough for redundant rows to be
survived, small enough to be removed by two steps of refinement where light bodies, long chains of loops or a position
near a singular one leave rows a small part of that mobility."""

System = namedtuple(
    "System",
    [
        "ideal",
        "start",
        "elimination",
        "edge",
        "value",
        "factor",
        "shift",
        "right",
        "solution",
        "residual",
        "correction",
        "direction",
        "image",
        "coupled",
        "pivot",
        "fresh",
        "phi",
        "G",
        "nu",
        "gamma",
        "rate",
        "multiplier",
        "impulse",
    ],
)
"""ideal: None where no joint is, so that what serves them is not compiled; start (1,) where the multipliers begin in
vectors; elimination: table of the factorisation, node i < n for body i or a pair of points, node n + k for entry k of
the constraint table; edge (entries, 2, 2): block of an entry with its
bodies a and b, and 1 where it is transposed; value, factor: the matrix and its factors; shift, right, solution,
residual, correction, direction, image, coupled: vectors, six numbers a node; pivot (36,); fresh (1,): 1 where the
factor of the masses and rows at the trial state is there already; phi, nu, gamma, rate, multiplier, impulse (rows,) and
G (rows, 12) of the constraints."""


def make_system(compiled: Compiled, *, implicit: bool) -> tuple[System, ImplicitMatrix | None]:
    """System of a compiled model; with the blocks that force elements add to, if the step is linearly implicit."""
    tables, layout = compiled.tables, compiled.layout
    constraint = tables.constraint
    entries, rows = len(constraint.body_a), len(constraint.row_kind)
    nodes = layout.speed_count // WIDTH
    sizes = [0] + [WIDTH] * (nodes - 1) + [int(count) for count in constraint.row_count]
    if len(layout.free_points) % 2:
        sizes[nodes - 1] = POINT_SIZE  # the last point is alone in its block
    rigid = [(nodes + k, int(body[k])) for k in range(entries) for body in (constraint.body_a, constraint.body_b)]
    coupled = find_edges(tables) if implicit else np.zeros((0, 2), dtype=INT)
    owner, half = find_block_nodes(layout)
    between = owner[coupled]
    apart = between[:, 0] != between[:, 1]
    edges = rigid + [(int(a), int(b)) for a, b in between[apart]]
    multipliers = range(nodes, nodes + entries)
    order = find_least_degree_order(sizes, edges, multipliers=multipliers)
    elimination = make_elimination(sizes, edges, order, multipliers=multipliers)
    places = np.column_stack([elimination.edge_offset, elimination.edge_flip]).astype(INT)  # type: ignore[attr-defined]
    vectors = {
        name: make_vector(elimination)
        for name in ("shift", "right", "solution", "residual", "correction", "direction", "image", "coupled")
    }
    system = System(
        ideal=np.zeros(0) if rows else None,
        start=np.array([layout.speed_count], dtype=INT),
        elimination=elimination,
        edge=np.ascontiguousarray(places[: 2 * entries].reshape(entries, 2, 2)),
        value=make_value(elimination),
        factor=make_factor(elimination),
        **vectors,
        pivot=np.zeros(BLOCK),
        fresh=np.zeros(1, dtype=INT),
        phi=np.zeros(rows),
        G=np.zeros((rows, 12)),
        nu=np.zeros(rows),
        gamma=np.zeros(rows),
        rate=np.zeros(rows),
        multiplier=np.zeros(rows),
        impulse=np.zeros(rows),
    )
    _set_shift(compiled, system)
    if not implicit:
        return system, None
    diagonal = np.where(owner == WORLD_ROW, -1, BLOCK * owner + HALF_DIAGONAL * half)
    edge = _place_edges(owner, half, coupled, apart, places[2 * entries :])
    return system, make_implicit_matrix(compiled, system.value, diagonal, edge)


def find_block_nodes(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """By row: the node of the elimination that it belongs to, and 1 where it is the second of two points there. Fixed
    points belong to the world."""
    frames, points = layout.frame_count, np.arange(len(layout.free_points))
    fixed = np.zeros(len(layout.points) - len(points), dtype=INT)
    owner = np.concatenate([np.arange(frames), frames + points // 2, fixed + WORLD_ROW])
    return owner.astype(INT), np.concatenate([np.zeros(frames), points % 2, fixed]).astype(INT)


def _place_edges(
    owner: np.ndarray, half: np.ndarray, coupled: np.ndarray, apart: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Where the block of every pair of rows begins in `value`, and how it is stored there (`grouser.kernels.scatter`);
    -1 where one of them is the world. `apart`: pairs of different nodes, whose blocks are at `places`."""
    edge = np.zeros((len(coupled), 2), dtype=INT)
    edge[apart] = places
    a, b = coupled.T
    is_flipped = edge[:, 1] == 1
    first, second = np.where(is_flipped, half[b], half[a]), np.where(is_flipped, half[a], half[b])
    edge[:, 0] += POINT_SIZE * (WIDTH * first + second)
    # two points in one block, of which both triangles are stored
    edge[~apart, 0] = BLOCK * owner[a[~apart]] + POINT_SIZE
    edge[~apart, 1] = np.where(half[a[~apart]] == 0, BOTH, BOTH_FLIPPED)
    edge[(owner[coupled] == WORLD_ROW).any(axis=1), 0] = -1
    return edge


def _set_shift(compiled: Compiled, system: System) -> None:
    """The same shift for all multipliers, by the largest mobility of any row."""
    body, constraint = compiled.tables.node, compiled.tables.constraint
    if not len(constraint.body_a):
        return
    mobility = float((1.0 / body.mass[1:]).max())
    turning = float(np.linalg.eigvalsh(body.inertia_inverse).max())
    reach = max(float(np.abs(constraint.p_a).max()), float(np.abs(constraint.p_b).max()))
    size = SHIFT * max(mobility, turning * max(reach**2, 1e-12), turning * 1e-3)
    for k in range(len(constraint.body_a)):
        start = int(system.start[0]) + WIDTH * k
        system.shift[start : start + constraint.row_count[k]] = -size
