"""Constraints that a tree does not hold by itself: its cut joints, and ideal motions.

Entries whose paths to the root share a speed act on each other: they form a cluster, and the rows of a cluster stand
together, so that its multipliers come from one small dense system.
"""

from __future__ import annotations

import numpy as np

from grouser.compile.tables import ConstraintTable, CutTable, make_rows


def make_cuts(constraint: tuple, tree: tuple) -> tuple[tuple, tuple]:
    """The constraint table of the entries that the tree does not hold, in the order of their clusters, and their cut
    table."""
    c, t = constraint, tree
    joints = set(t.joint.tolist()) - {-1}  # type: ignore[attr-defined]
    entries = [i for i, joint in enumerate(c.joint.tolist()) if joint not in joints]  # type: ignore[attr-defined]
    paths = {i: _find_path(t, int(c.body_a[i]), int(c.body_b[i])) for i in entries}  # type: ignore[attr-defined]
    clusters = _find_clusters(t, paths)
    order = [i for cluster in clusters for i in cluster]

    columns: dict[str, list] = {}
    rows = [range(c.row_start[i], c.row_start[i] + c.row_count[i]) for i in order]  # type: ignore[attr-defined]
    for field, shape, *_ in ConstraintTable.FIELDS:  # type: ignore[attr-defined]
        taken = [row for entry in rows for row in entry] if shape == "(m,)" else order
        columns[field] = [getattr(c, field)[k] for k in taken]
    sizes = [len(entry) for entry in rows]
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=int)]).tolist()
    columns["row_start"] = starts[:-1]
    ends = np.cumsum([0, *(len(cluster) for cluster in clusters)])
    lengths = [len(paths[i]) for i in order]
    cut = make_rows(
        CutTable,
        {
            "path_start": np.cumsum([0, *lengths]).tolist(),
            "path": [row for i in order for row in paths[i]],
            "cluster_start": [starts[end] for end in ends],
        },
    )
    return make_rows(ConstraintTable, columns), cut


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
