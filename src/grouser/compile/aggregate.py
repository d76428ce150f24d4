"""Aggregates: bodies of a tree whose relative motion is constrained, taken together as one node of the tree.

Every constraint that the tree does not hold, a cut joint or an ideal motion, concerns the bodies between its ends and
their lowest common ancestor: the smallest sub-tree that holds both ends, less its root (S4, section 4). Where such sets
share a body they can only be solved together, so they are merged. All bodies of an aggregate whose parent is not in it
hang on the same ancestor: a body that two sets share lies below the ancestors of both.

Lengths are measured by the size of the aggregate: with slides and rows of lengths divided by it, all speeds are turns
and all rows are angles, and what is decided on them depends neither on the size of a linkage nor on its units.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.compile.cuts import find_open_entries, take_entries
from grouser.compile.tables import AggregateTable, make_rows
from grouser.kernels.kinds import ROTATION_FREE, ROW_NORMAL, ROW_TWIST

FREE_ROTATION = 0.4
"""Weight of speeds of free rotations beside that of turns, so that others become independent rather than these."""


@dataclass(frozen=True)
class Aggregate:
    """One of them.

    Attributes
    ----------
    entries : constraints, by their place in the constraint table that they were found in
    rows : its bodies, by their rows in the tree, root to leaf
    ancestor : the body that carries it
    """

    entries: tuple[int, ...]
    rows: tuple[int, ...]
    ancestor: int


def find_aggregates(constraint: Any, tree: Any) -> list[Aggregate]:
    """Aggregates of the constraints that a tree does not hold."""
    groups: list[tuple[list[int], set[int]]] = []
    for entry in find_open_entries(constraint, tree):
        branches = find_branches(constraint, tree, entry)
        rows = {row for branch in branches for row in branch}
        joined = [group for group in groups if group[1] & rows]
        groups = [group for group in groups if not group[1] & rows]
        members = sorted([entry, *(i for group in joined for i in group[0])])
        groups.append((members, rows.union(*(group[1] for group in joined))))
    aggregates = []
    for members, group in sorted(groups, key=lambda group: group[0]):
        ordered = tuple(sorted(group))
        aggregates.append(Aggregate(tuple(members), ordered, int(tree.parent[ordered[0]])))
    return aggregates


def find_branches(constraint: Any, tree: Any, entry: int) -> tuple[list[int], list[int]]:
    """Rows of the tree from each body of a constraint up to below their lowest common ancestor."""
    ends = int(constraint.body_a[entry]), int(constraint.body_b[entry])
    a, b = (_find_way(tree, body) for body in ends)
    return [row for row in a if row not in b], [row for row in b if row not in a]


def _find_size(constraint: Any, tree: Any, one: Aggregate) -> float:
    """Longest lever from the centre of a body to a joint of an aggregate [m]; 1 where there is none."""
    levers = [tree.p_child[row] for row in one.rows]
    bodies = {int(tree.body[row]) for row in one.rows}
    for entry in one.entries:
        ends = ((constraint.body_a, constraint.p_a), (constraint.body_b, constraint.p_b))
        levers += [p[entry] for body, p in ends if int(body[entry]) in bodies]
    return float(max(np.linalg.norm(lever) for lever in levers)) or 1.0


def _find_weights(tree: Any, one: Aggregate, size: float) -> list[float]:
    """What the speeds of an aggregate are multiplied by."""
    weights = []
    for row in one.rows:
        slides = int(tree.slide_count[row])
        turns = int(tree.v_start[row + 1] - tree.v_start[row]) - slides
        weights += [1.0 / size] * slides + [FREE_ROTATION if tree.rotation[row] == ROTATION_FREE else 1.0] * turns
    return weights


def _find_measures(constraint: Any, one: Aggregate, size: float) -> list[float]:
    """What the constraint rows of an aggregate are multiplied by."""
    measures = []
    for entry in one.entries:
        start = int(constraint.row_start[entry])
        kinds = constraint.row_kind[start : start + int(constraint.row_count[entry])].tolist()
        measures += [1.0 if kind in (ROW_NORMAL, ROW_TWIST) else 1.0 / size for kind in kinds]
    return measures


def _find_way(tree: Any, body: int) -> list[int]:
    """Rows of the tree that carry a body, leaf to root."""
    way = []
    row = int(tree.row[body])
    while row >= 0:
        way.append(row)
        row = int(tree.row[tree.parent[row]])
    return way


def make_aggregates(constraint: Any, tree: Any, chosen: Collection[int] = ()) -> tuple[tuple, tuple]:
    """The constraint table of the entries that the tree does not hold, in the order of their aggregates, and the
    aggregate table. `chosen` are rows of the tree whose speeds the user wants to be independent."""
    found = find_aggregates(constraint, tree)
    order = [entry for one in found for entry in one.entries]
    taken = take_entries(constraint, order)
    count = len(tree.body)
    v_start = tree.v_start
    owner, position = np.full(count, -1), np.full(count, -1)
    place, wanted = np.full(v_start[-1], -1), np.zeros(v_start[-1], dtype=int)
    columns: dict[str, list] = {field[0]: [] for field in AggregateTable.FIELDS}  # type: ignore[attr-defined]
    starts = {name: [0] for name in ("row", "speed", "entry", "line", "matrix", "square", "column")}
    for c, one in enumerate(found):
        speeds = [j for row in one.rows for j in range(v_start[row], v_start[row + 1])]
        lines = sum(int(constraint.row_count[entry]) for entry in one.entries)
        for p, row in enumerate(one.rows):
            owner[row], position[row] = c, p
        place[speeds] = range(len(speeds))
        columns["ancestor"].append(one.ancestor)
        size = _find_size(constraint, tree, one)
        columns["size"].append(size)
        columns["weight"] += _find_weights(tree, one, size)
        columns["measure"] += _find_measures(constraint, one, size)
        columns["row"] += one.rows
        columns["speed"] += speeds
        sizes = {
            "row": len(one.rows),
            "speed": len(speeds),
            "entry": len(one.entries),
            "line": lines,
            "matrix": lines * len(speeds),
            "square": len(speeds) ** 2,
            "column": len(one.rows) * len(speeds),
        }
        for name, number in sizes.items():
            starts[name].append(starts[name][-1] + number)
    branches = [branch for entry in order for branch in find_branches(constraint, tree, entry)]
    for row in chosen:
        wanted[v_start[row] : v_start[row + 1]] = 1
    columns |= {f"{name}_start": values for name, values in starts.items()}
    columns |= {"owner": owner.tolist(), "position": position.tolist(), "place": place.tolist()}
    columns |= {
        "chosen": wanted.tolist(),
        "branch_start": np.cumsum([0, *(len(branch) for branch in branches)]).tolist(),
        "branch": [row for branch in branches for row in branch],
    }
    return taken, make_rows(AggregateTable, columns)
