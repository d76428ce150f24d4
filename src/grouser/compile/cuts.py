"""Constraints that a tree does not hold by itself: its cut joints, and ideal motions.

Entries whose paths to the root share a speed act on each other: they form a cluster, and the rows of a cluster stand
together, so that its multipliers come from one small dense system.
"""

from __future__ import annotations

import numpy as np

from grouser.compile.tables import CutTable, make_rows
from grouser.families.joint.constraint_rows import ConstraintTable


def make_cuts(constraint: tuple, tree: tuple) -> tuple[tuple, tuple]:
    """The constraint table of the entries that the tree does not hold, in the order of their clusters, and their cut
    table."""
    c, t = constraint, tree
    entries = find_open_entries(c, t)
    paths = {i: _find_path(t, int(c.body_a[i]), int(c.body_b[i])) for i in entries}  # type: ignore[attr-defined]
    clusters = _find_clusters(t, paths)
    order = [i for cluster in clusters for i in cluster]
    taken = take_entries(c, order)
    starts = [*taken.row_start.tolist(), len(taken.row_kind)]  # type: ignore[attr-defined]
    ends = np.cumsum([0, *(len(cluster) for cluster in clusters)])
    speeds = {i: [j for row in paths[i] for j in range(t.v_start[row], t.v_start[row + 1])] for i in entries}  # type: ignore[attr-defined]
    cut = make_rows(
        CutTable,
        {
            "path_start": np.cumsum([0, *(len(paths[i]) for i in order)]).tolist(),
            "path": [row for i in order for row in paths[i]],
            "speed_start": np.cumsum([0, *(len(speeds[i]) for i in order)]).tolist(),
            "speed": [j for i in order for j in speeds[i]],
            "cluster_start": [starts[end] for end in ends],
        },
    )
    return taken, cut


def find_open_entries(constraint: tuple, tree: tuple) -> list[int]:
    """Entries of a constraint table that a tree does not hold: cut joints, and motions."""
    joints = set(tree.joint.tolist()) - {-1}  # type: ignore[attr-defined]
    return [i for i, joint in enumerate(constraint.joint.tolist()) if joint not in joints]  # type: ignore[attr-defined]


def take_entries(constraint: tuple, order: list[int]) -> tuple:
    """A constraint table of some entries of another, in the given order."""
    c = constraint
    rows = [range(c.row_start[i], c.row_start[i] + c.row_count[i]) for i in order]  # type: ignore[attr-defined]
    columns: dict[str, list] = {}
    for field, shape, *_ in ConstraintTable.FIELDS:  # type: ignore[attr-defined]
        taken = [row for entry in rows for row in entry] if shape == "(m,)" else order
        columns[field] = [getattr(c, field)[k] for k in taken]
    columns["row_start"] = np.cumsum([0, *(len(entry) for entry in rows)]).tolist()[:-1]
    return make_rows(ConstraintTable, columns)


def _find_path(tree: tuple, *bodies: int) -> list[int]:
    """Rows of the tree that carry any of the bodies, leaf to root."""
    rows: set[int] = set()
    for body in bodies:
        row = int(tree.row[body])  # type: ignore[attr-defined]
        while row >= 0:
            rows.add(row)
            row = int(tree.row[tree.parent[row]])  # type: ignore[attr-defined]
    return sorted(rows, reverse=True)


def _find_clusters(tree: tuple, paths: dict[int, list[int]]) -> list[list[int]]:
    """Entries that share a row with a speed, in groups."""
    groups: list[tuple[list[int], set[int]]] = []
    for entry, path in paths.items():
        moving = {row for row in path if tree.v_start[row + 1] > tree.v_start[row]}  # type: ignore[attr-defined]
        joined = [group for group in groups if group[1] & moving]
        groups = [group for group in groups if not group[1] & moving]
        members = sorted([entry, *(i for group in joined for i in group[0])])
        groups.append((members, moving.union(*(group[1] for group in joined))))
    return sorted(members for members, _ in groups)
