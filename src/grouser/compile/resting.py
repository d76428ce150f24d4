"""Which weight may rest on a contact of surfaces.

What is connected, by joints, elements, or as one mesh, is one part; parts that may touch are neighbours. A contact of
two parts carries at most what would fall without it: the weight of all that hangs together on one of its sides, the
lighter one, where nothing of that is held by the world or may touch it. Else it is the weight of the whole model that
counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from grouser.compile.implicit_matrix import find_edges
from grouser.compile.surface import SheetRows, Surfaces
from grouser.kernels.kinds import PAIR_LAST_TERRAIN, PAIR_SURFACE, WORLD_ROW

Array = np.ndarray


def find_weights(tables: Any, surfaces: Surfaces, whole: float) -> list[float]:
    """Weight [N] that may rest on each meeting of surfaces, at most that of the `whole` model."""
    part, grounded, neighbours = _find_parts(tables, surfaces)
    mass = np.bincount(part[: len(tables.node.mass)], tables.node.mass, len(grounded))
    gravity = float(np.linalg.norm(tables.node.gravity))
    known: dict[tuple[int, int], float] = {}

    def weigh(side: int, other: int) -> float:
        """Of all that hangs together on one side."""
        seen, waiting = {side}, [side]
        while waiting:
            one = waiting.pop()
            if grounded[one]:
                return whole
            found = {k for k in neighbours[one] if {one, k} != {side, other}} - seen
            seen |= found
            waiting += found
        return min(whole, gravity * float(mass[list(seen)].sum()))

    weights = []
    for meeting in surfaces.meetings:
        pair = int(part[_find_row(surfaces.sheets[meeting.a])]), int(part[_find_row(surfaces.sheets[meeting.b])])
        if pair not in known:
            known[pair] = min(weigh(*pair), weigh(*reversed(pair)))
        weights.append(known[pair])
    return weights


def _find_row(sheet: SheetRows) -> int:
    return int(sheet.node_row[0]) if sheet.is_deforming else sheet.body


def _find_parts(tables: Any, surfaces: Surfaces) -> tuple[Array, Array, list[set[int]]]:
    """Part of each row, whether the world holds or may touch it, and which parts may touch each other. The world is a
    part of its own."""
    carried, constraint = tables.carried, tables.constraint
    follows = np.repeat(carried.marker, np.diff(carried.start)) if len(carried.marker) else carried.node
    columns = (constraint.body_a, constraint.body_b), (carried.point, carried.body), (follows, carried.node)
    pairs = [find_edges(tables), *(np.column_stack(ends).astype(np.int64) for ends in columns)]
    for sheet in surfaces.sheets:
        if sheet.is_deforming:
            rows = sheet.node_row.astype(np.int64)
            pairs.append(np.column_stack([np.full(len(rows), rows[0]), rows]))
    pair = np.concatenate(pairs)
    size = max(len(tables.node.mass), int(pair.max(initial=0)) + 1)
    is_held = (pair == WORLD_ROW).any(axis=1)
    free = pair[~is_held]
    count, part = connected_components(coo_matrix((np.ones(len(free)), free.T), shape=(size, size)), directed=False)
    grounded = np.zeros(count, dtype=bool)
    grounded[part[pair[is_held]]] = True
    grounded[part[WORLD_ROW]] = True
    grounded[part[tables.tyre.body.astype(np.int64)]] = True
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for a, b in _list_contacts(tables, surfaces):
        ones, others = set(part[a].tolist()), set(part[b].tolist())
        for one in ones:
            neighbours[one] |= others
        for other in others:
            neighbours[other] |= ones
    return part, grounded, neighbours


def _list_contacts(tables: Any, surfaces: Surfaces) -> list[tuple[Array, Array]]:
    """Rows that may touch each other, the world for the terrain."""
    shape, contact = tables.shape, tables.contact
    found = []
    for g, kind in enumerate(contact.kind):
        if kind == PAIR_SURFACE:
            continue
        a, b = (
            shape.body[contact.member[start[g] : stop[g]]].astype(np.int64)
            for start, stop in ((contact.a_start, contact.a_stop), (contact.b_start, contact.b_stop))
        )
        found.append((a, np.array([WORLD_ROW]) if kind <= PAIR_LAST_TERRAIN else b))
    for meeting in surfaces.meetings:
        rows = [np.array([_find_row(surfaces.sheets[k])]) for k in (meeting.a, meeting.b)]
        found.append((rows[0], rows[1]))
    return found
