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
from grouser.compile.tables import INT
from grouser.formulations.augmented.pulled import (
    Rows,
    find_layout_sizes,
    find_pulled_edges,
    find_rows,
    make_pulled,
    place_pair,
)
from grouser.kernels.block_ldl import BLOCK, WIDTH
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.scatter import BOTH, BOTH_FLIPPED, FLIPPED, STORED

SHIFT = 1.0e-11
"""Regularisation of the multipliers, as a share of the mobility of their rows: large enough for redundant rows to be
survived, small enough to be removed by two steps of refinement where light bodies, long chains of loops or a position
near a singular one leave rows a small part of that mobility."""

OPPOSITE = {STORED: FLIPPED, FLIPPED: STORED, BOTH: BOTH_FLIPPED, BOTH_FLIPPED: BOTH}
"""How the transpose of a block is stored."""

System = namedtuple(
    "System",
    [
        "ideal",
        "start",
        "elimination",
        "edge",
        "pair_block",
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
the constraint table; edge (entries, 2, 2): block of an entry with its bodies a and b, and 1 where it is transposed;
pair_block (pairs, 2): the same of rows whose masses are coupled; value, factor: the matrix and its factors; shift,
right, solution, residual, correction, direction, image, coupled: vectors, six numbers a node; pivot (36,); fresh (1,):
1 where the factor of the masses and rows at the trial state is there already; phi, nu, gamma, rate, multiplier, impulse
(rows,) and G (rows, 12) of the constraints."""


def make_system(compiled: Compiled, *, implicit: bool) -> tuple[System, ImplicitMatrix | None]:
    """System of a compiled model; with the blocks that force elements add to, if the step is linearly implicit."""
    tables, layout = compiled.tables, compiled.layout
    constraint = tables.constraint
    entries, rows = len(constraint.body_a), len(constraint.row_kind)
    sizes = find_layout_sizes(layout)
    nodes = len(sizes)
    sizes += [int(count) for count in constraint.row_count]
    joined = [(nodes + k, int(body[k])) for k in range(entries) for body in (constraint.body_a, constraint.body_b)]
    coupled = find_edges(tables) if implicit else tables.node.pair
    places_of = find_rows(compiled)
    pairs = _find_pairs(places_of, coupled)
    between = [(int(places_of.owner[p]), int(places_of.owner[q])) for p, q in pairs]
    apart = [pair for pair, (i, j) in zip(pairs, between, strict=True) if i != j]
    edges = joined + [edge for edge in between if edge[0] != edge[1]]
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
        pair_block=np.zeros((len(tables.node.pair), 2), dtype=INT),
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
    place = dict(zip(apart, places[2 * entries :].tolist(), strict=True))
    where = {(p, q): place_pair(places_of, p, q, *place.get((p, q), (0, 0))) for p, q in pairs}
    where |= {(q, p): (offset, OPPOSITE[stored]) for (p, q), (offset, stored) in where.items()}
    for n, (p, q) in enumerate(tables.node.pair.tolist()):
        system.pair_block[n] = where[p, q]
    if not implicit:
        return system, None
    pulled, own, between_carried, end = make_pulled(compiled, places_of, coupled, where, len(system.value))
    system = system._replace(value=np.zeros(end))
    diagonal = [
        own.get(row, -1 if places_of.owner[row] == WORLD_ROW else places_of.find_diagonal(row))
        for row in range(len(layout.nodes))
    ]
    nowhere = (-1, STORED)
    edge = [
        (between_carried[n], STORED) if n in between_carried else where.get((a, b), nowhere)
        for n, (a, b) in enumerate(coupled.tolist())
    ]
    table = np.array(edge, dtype=INT).reshape(-1, 2)
    return system, make_implicit_matrix(compiled, system.value, np.array(diagonal), table, pulled)


def _find_pairs(rows: Rows, coupled: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of different rows of unknowns with a block between them: of elements, and of what carries their nodes."""
    direct = [(int(a), int(b)) for a, b in coupled if rows.owner[a] != WORLD_ROW and rows.owner[b] != WORLD_ROW]
    known = {frozenset(pair) for pair in direct}
    pulled = (pair for pair in sorted(find_pulled_edges(rows, coupled)) if frozenset(pair) not in known)
    return [*dict.fromkeys(direct), *pulled]


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
