"""The tree of bodies and ideal joints becomes the tree table: what the recursive formulation runs along.

A joint is written as seen from the parent body to the child. Where the child is side a of the joint, the frames change
places; only the universal joint is not the same both ways, and becomes so by turning both frames by a right angle
about z: its first axis is then the y axis of frame b, its second the (negative) x axis of frame a.
"""

from __future__ import annotations

import numpy as np

from grouser.compile.layout import Layout
from grouser.compile.tables import TreeTable, make_rows
from grouser.compile.topology import NO_JOINT, Topology
from grouser.families.joint.spec import JointType
from grouser.kernels.kinds import ROTATION_FREE, ROTATION_NONE, ROTATION_TURN, ROTATION_UNIVERSAL, WORLD_ROW
from grouser.model.model import Model

X, Y, Z = 0, 1, 2
PARENT, CHILD = 0, 1

# Slides along axes of the parent's frame, and the rotation that comes after them.
_MOBILITY: dict[JointType, tuple[tuple[int, ...], int]] = {
    "fixed": ((), ROTATION_NONE),
    "revolute": ((), ROTATION_TURN),
    "prismatic": ((Z,), ROTATION_NONE),
    "cylindrical": ((Z,), ROTATION_TURN),
    "universal": ((), ROTATION_UNIVERSAL),
    "spherical": ((), ROTATION_FREE),
    "planar": ((X, Y), ROTATION_TURN),
    "free": ((X, Y, Z), ROTATION_FREE),
}
# Axes of the speeds of a rotation, with the body that each is fixed in.
_TURNS: dict[int, tuple[tuple[int, int], ...]] = {
    ROTATION_NONE: (),
    ROTATION_TURN: ((PARENT, Z),),
    ROTATION_UNIVERSAL: ((PARENT, X), (CHILD, Y)),
    ROTATION_FREE: ((CHILD, X), (CHILD, Y), (CHILD, Z)),
}
QUATERNION_SIZE = 4
PLANE_AXES = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
"""Axes of a body that is free in the plane, in columns: it slides along z and x, and turns about y."""
_QUARTER_TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def make_tree(model: Model, layout: Layout, topology: Topology, start: np.ndarray | None = None) -> tuple:
    """The tree table of a spanning tree whose joints are numbered as those of the layout.

    Bodies that no joint ties to the world are free, or with their rotations at the `start` (n, 3, 3), free in the x-z
    plane.
    """
    columns: dict[str, list] = {field[0]: [] for field in TreeTable.FIELDS}  # type: ignore[attr-defined]
    rows = [-1] * len(topology.parent)
    q_count = v_count = 0
    for row, child in enumerate(topology.order.tolist()):
        rows[child] = row
        joint_index = int(topology.parent_joint[child])
        joint_type: JointType = "free"
        is_reversed = False
        parent, p_parent, p_child = WORLD_ROW, np.zeros(3), np.zeros(3)
        frame_parent, frame_child = np.eye(3), np.eye(3)
        if start is not None:
            joint_type, frame_parent, frame_child = "planar", PLANE_AXES, start[child].T @ PLANE_AXES
        if joint_index != NO_JOINT:
            joint = model.joints[layout.joints[joint_index]]
            joint_type = joint.type
            is_reversed = not topology.is_side_b[child]
            near, far = (joint.frame_b, joint.frame_a) if is_reversed else (joint.frame_a, joint.frame_b)
            parent, p_parent, frame_parent = layout.place_frame(near)
            _, p_child, frame_child = layout.place_frame(far)
        slides, rotation = _MOBILITY[joint_type]
        if is_reversed and rotation == ROTATION_UNIVERSAL:
            frame_parent, frame_child = frame_parent @ _QUARTER_TURN, frame_child @ _QUARTER_TURN
        entry = {
            "body": child,
            "parent": parent,
            "joint": joint_index,
            "reversed": int(is_reversed),
            "rotation": rotation,
            "p_parent": p_parent,
            "p_child": p_child,
            "frame_parent": frame_parent,
            "frame_child": frame_child,
            "slide_count": len(slides),
            "q_start": q_count,
            "v_start": v_count,
        }
        for field, value in entry.items():
            columns[field].append(value)
        speeds = [*((PARENT, axis) for axis in slides), *_TURNS[rotation]]
        for side, axis in speeds:
            columns["axis"].append((frame_parent if side == PARENT else frame_child)[:, axis])
            columns["axis_body"].append(parent if side == PARENT else child)
        v_count += len(speeds)
        q_count += len(slides) + (QUATERNION_SIZE if rotation == ROTATION_FREE else len(_TURNS[rotation]))
    columns["q_start"].append(q_count)
    columns["v_start"].append(v_count)
    columns["row"] = rows
    return make_rows(TreeTable, columns)
