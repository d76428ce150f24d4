"""Between joint coordinates and the absolute state, from root to leaf.

With the columns S of a joint (kernels/joints/mobility.py) and d the vector between the centres of parent and child:

    w_child = w_parent + sum S_angular qd                                                 (1)
    v_child = v_parent + w_parent x d + sum S_linear qd                                   (2)
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.joints.mobility import (
    calc_child_pose,
    calc_joint_coordinates,
    calc_joint_speeds,
    calc_point,
    calc_speed_axis,
)
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.spatial import cross, rotate, rotate_back


@kernel
def calc_world_rates(R, w, w_world_out):
    """Angular velocities in world axes; that of the world is zero."""
    for i in range(1, w.shape[0]):
        w_world_out[i, 0], w_world_out[i, 1], w_world_out[i, 2] = rotate(R, i, w[i, 0], w[i, 1], w[i, 2])
    for k in range(3):
        w_world_out[WORLD_ROW, k] = 0.0


@kernel(stage=True)
def calc_coordinates(
    # tables
    tree,
    # in
    x,
    R,
    v,
    w,
    # out
    q_out,
    qd_out,
    # work
    work,
):
    """Coordinates and speeds of all joints of the tree, read from an absolute state.

    What the joints do not allow is left out, so that `calc_kinematics` gives back a state on which all of them hold.
    """
    calc_world_rates(R, w, work.w_world)
    for k in range(tree.body.shape[0]):
        calc_joint_coordinates(tree, k, x, R, q_out)
        calc_joint_speeds(tree, k, x, R, v, work.w_world, qd_out)


@kernel
def calc_kinematics(
    # tables
    tree,
    # in
    q,
    qd,
    # out
    x_out,
    R_out,
    v_out,
    w_out,
    # work
    work,
):
    """The absolute state from coordinates and speeds of all joints. The world's row is read and not written."""
    for i in range(3):
        work.w_world[WORLD_ROW, i] = 0.0
    for k in range(tree.body.shape[0]):
        r = calc_child_pose(tree, k, q, x_out, R_out)
        calc_child_velocity(tree, k, r, qd, x_out, R_out, v_out, w_out, work)


@kernel
def calc_tree_poses(
    # tables
    tree,
    # in
    q,
    # out
    x_out,
    R_out,
):
    """The poses alone."""
    for k in range(tree.body.shape[0]):
        calc_child_pose(tree, k, q, x_out, R_out)


@kernel
def calc_velocities(
    # tables
    tree,
    # in
    qd,
    x,
    R,
    # out
    v_out,
    w_out,
    # work
    work,
):
    """The velocities alone, for poses that are there."""
    for i in range(3):
        work.w_world[WORLD_ROW, i] = 0.0
    for k in range(tree.body.shape[0]):
        r = calc_point(tree.p_child, k, R, tree.body[k])
        calc_child_velocity(tree, k, r, qd, x, R, v_out, w_out, work)


@kernel(inline=True)
def calc_child_velocity(tree, k, r, qd, x, R, v_out, w_out, work):
    """(1) and (2) for row k of the tree; r from the centre of its body to its point."""
    rx, ry, rz = r
    w_world = work.w_world
    child, parent = tree.body[k], tree.parent[k]
    dx, dy, dz = x[child, 0] - x[parent, 0], x[child, 1] - x[parent, 1], x[child, 2] - x[parent, 2]
    wx, wy, wz = w_world[parent, 0], w_world[parent, 1], w_world[parent, 2]
    lx, ly, lz = cross(wx, wy, wz, dx, dy, dz)
    vx, vy, vz = v_out[parent, 0] + lx, v_out[parent, 1] + ly, v_out[parent, 2] + lz
    first, last = tree.v_start[k], tree.v_start[k + 1]
    slides = first + tree.slide_count[k]
    for j in range(first, slides):
        ex, ey, ez = calc_speed_axis(tree, R, j)
        vx, vy, vz = vx + ex * qd[j], vy + ey * qd[j], vz + ez * qd[j]
    tx = ty = tz = 0.0
    for j in range(slides, last):
        ex, ey, ez = calc_speed_axis(tree, R, j)
        tx, ty, tz = tx + ex * qd[j], ty + ey * qd[j], tz + ez * qd[j]
    wx, wy, wz = wx + tx, wy + ty, wz + tz  # (1)
    lx, ly, lz = cross(rx, ry, rz, tx, ty, tz)
    w_world[child, 0], w_world[child, 1], w_world[child, 2] = wx, wy, wz
    v_out[child, 0], v_out[child, 1], v_out[child, 2] = vx + lx, vy + ly, vz + lz  # (2)
    w_out[child, 0], w_out[child, 1], w_out[child, 2] = rotate_back(R, child, wx, wy, wz)
