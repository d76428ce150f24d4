"""The tree of a model whose motion is in the x-z plane: what of joints and rows lies in it."""

from __future__ import annotations

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.tables import CutTable, PlaneTable, make_rows
from grouser.families.joint.constraint_rows import ConstraintTable
from grouser.kernels.kinds import ROTATION_TURN, ROW_DISTANCE, ROW_NORMAL, ROW_POINT, ROW_SLIDE, ROW_TWIST

IN_PLANE = [0, 2]
"""Components x and z."""
LEAST = 1e-6
"""A row whose direction has less than this in the plane holds nothing there."""


def make_plane(compiled: Compiled, tree: tuple) -> tuple:
    """The plane table of a tree made with the rotations of the start."""
    t = tree
    start = compiled.initial
    columns: dict[str, list] = {field[0]: [] for field in PlaneTable.FIELDS}  # type: ignore[attr-defined]
    for k in range(len(t.body)):  # type: ignore[attr-defined]
        child, parent = int(t.body[k]), int(t.parent[k])  # type: ignore[attr-defined]
        columns["p_parent"].append((start.R[parent] @ t.p_parent[k])[IN_PLANE])  # type: ignore[attr-defined]
        columns["p_child"].append((start.R[child] @ t.p_child[k])[IN_PLANE])  # type: ignore[attr-defined]
        frame = start.R[parent] @ t.frame_parent[k]  # type: ignore[attr-defined]
        relative = frame.T @ start.R[child] @ t.frame_child[k]  # type: ignore[attr-defined]
        turns = t.rotation[k] == ROTATION_TURN  # type: ignore[attr-defined]
        columns["sign"].append(float(np.sign(frame[1, 2])) if turns else 0.0)
        angle = np.arctan2(relative[1, 0] - relative[0, 1], relative[0, 0] + relative[1, 1])
        columns["angle"].append(float(angle) if turns else 0.0)
        for j in range(t.v_start[k], t.v_start[k + 1]):  # type: ignore[attr-defined]
            columns["axis"].append((start.R[t.axis_body[j]] @ t.axis[j])[IN_PLANE])  # type: ignore[attr-defined]
    body = compiled.tables.node
    count = len(body.mass)
    columns["inertia"] = [float((start.R[i] @ body.inertia[i] @ start.R[i].T)[1, 1]) for i in range(count)]
    columns["R"] = list(start.R)
    columns["y"] = start.x[:, 1].tolist()
    return make_rows(PlaneTable, columns)


def leave_plane_rows(compiled: Compiled, constraint: tuple, cut: tuple) -> tuple[tuple, tuple]:
    """Constraint and cut tables without the rows that hold nothing in the plane."""
    c = constraint
    kept: list[list[int]] = []
    for i in range(len(c.body_a)):  # type: ignore[attr-defined]
        rows = range(c.row_start[i], c.row_start[i] + c.row_count[i])  # type: ignore[attr-defined]
        kept.append([row for row in rows if _is_in_plane(compiled, constraint, i, row)])
    columns: dict[str, list] = {}
    for field, shape, *_ in ConstraintTable.FIELDS:  # type: ignore[attr-defined]
        values = getattr(c, field)
        columns[field] = [values[row] for rows in kept for row in rows] if shape == "(m,)" else list(values)
    columns["row_count"] = [len(rows) for rows in kept]
    columns["row_start"] = np.cumsum([0, *columns["row_count"]]).tolist()[:-1]
    order = [row for rows in kept for row in rows]
    starts = [sum(row < start for row in order) for start in cut.cluster_start.tolist()]  # type: ignore[attr-defined]
    table = {name: list(getattr(cut, name)) for name, *_ in CutTable.FIELDS}  # type: ignore[attr-defined]
    return make_rows(ConstraintTable, columns), make_rows(CutTable, {**table, "cluster_start": starts})


def _is_in_plane(compiled: Compiled, constraint: tuple, i: int, row: int) -> bool:
    """Whether a row holds a translation in the plane, or the rotation about y."""
    c, R = constraint, compiled.initial.R
    kind, axis_a, axis_b = int(c.row_kind[row]), int(c.row_axis_a[row]), int(c.row_axis_b[row])  # type: ignore[attr-defined]
    axes_a, axes_b = R[c.body_a[i]] @ c.frame_a[i], R[c.body_b[i]] @ c.frame_b[i]  # type: ignore[attr-defined]
    if kind == ROW_POINT:
        return axis_a in IN_PLANE
    if kind == ROW_SLIDE:
        return bool(np.abs(axes_a[IN_PLANE, axis_a]).max() > LEAST)
    if kind == ROW_NORMAL:
        return bool(abs(np.cross(axes_b[:, axis_b], axes_a[:, axis_a])[1]) > LEAST)
    return kind in (ROW_TWIST, ROW_DISTANCE)
