"""Newton and Euler along the tree: what joints carry, from accelerations that are known.

A body and all that it carries have inertia forces J_body A. Loads give a part of them, and the joint of the body gives
the rest,

    F = J_body A - load + sum over children T^T F_child                                            (1)

at the centre of mass (T as in `articulated.py`). Along the speeds of the joint that is

    tau = S . F                                                                                   (2)

and the rest of F is the reaction of the ideal joint.
"""

from __future__ import annotations

from grouser.formulations.recursive.articulated import calc_accelerations, calc_columns
from grouser.formulations.recursive.velocity import calc_bias, calc_inertia_force, calc_loads
from grouser.kernels._jit import kernel
from grouser.kernels.joints.mobility import calc_point
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.spatial import cross, rotate


@kernel
def calc_joint_wrenches(
    # tables
    body,
    tree,
    # in
    R,
    a,
    dw,
    # work
    work,
):
    """(1), leaf to root, into `work.running`; the loads are those in `work.load`."""
    running, load, reach = work.running, work.load, work.reach
    count = tree.body.shape[0]
    for i in range(1, count + 1):
        fx, fy, fz, tx, ty, tz = calc_inertia_force(body, i, a[i, 0], a[i, 1], a[i, 2], dw[i, 0], dw[i, 1], dw[i, 2])
        tx, ty, tz = rotate(R, i, tx, ty, tz)
        running[i, 0], running[i, 1], running[i, 2] = fx - load[i, 0], fy - load[i, 1], fz - load[i, 2]
        running[i, 3], running[i, 4], running[i, 5] = tx - load[i, 3], ty - load[i, 4], tz - load[i, 5]
    for j in range(6):
        running[WORLD_ROW, j] = 0.0
    for k in range(count - 1, -1, -1):
        child, parent = tree.body[k], tree.parent[k]
        fx, fy, fz = running[child, 0], running[child, 1], running[child, 2]
        lx, ly, lz = cross(reach[child, 0], reach[child, 1], reach[child, 2], fx, fy, fz)
        running[parent, 0] += fx
        running[parent, 1] += fy
        running[parent, 2] += fz
        running[parent, 3] += running[child, 3] + lx
        running[parent, 4] += running[child, 4] + ly
        running[parent, 5] += running[child, 5] + lz


@kernel
def calc_tree_reactions(
    # tables
    tree,
    # in
    x,
    R,
    # out
    force_out,
    moment_out,
    # work
    work,
):
    """Force and moment of every joint of the tree on its side b, world axes, at p_b, from `calc_joint_wrenches`.

    Forces along speeds (tau) are part of them. `force_out`, `moment_out` (n_joint, 3); rows of other joints stay.
    """
    running = work.running
    for k in range(tree.body.shape[0]):
        joint = tree.joint[k]
        if joint < 0:
            continue
        child, parent = tree.body[k], tree.parent[k]
        fx, fy, fz = running[child, 0], running[child, 1], running[child, 2]
        sign = 1.0
        rx, ry, rz = calc_point(tree.p_child, k, R, child)
        if tree.reversed[k] == 1:
            # p_b is on the parent
            sign = -1.0
            rx, ry, rz = calc_point(tree.p_parent, k, R, parent)
            rx = rx + x[parent, 0] - x[child, 0]
            ry = ry + x[parent, 1] - x[child, 1]
            rz = rz + x[parent, 2] - x[child, 2]
        lx, ly, lz = cross(rx, ry, rz, fx, fy, fz)
        force_out[joint, 0], force_out[joint, 1], force_out[joint, 2] = sign * fx, sign * fy, sign * fz
        moment_out[joint, 0] = sign * (running[child, 3] - lx)
        moment_out[joint, 1] = sign * (running[child, 4] - ly)
        moment_out[joint, 2] = sign * (running[child, 5] - lz)


@kernel
def calc_inverse(
    # tables
    body,
    # in
    instant,
    qdd,
    drag,
    # out
    tau_out,
    # work
    tree_work,
    work,
):
    """Inverse dynamics: the forces tau along the speeds that make the accelerations qdd.

    Arguments as in `articulated.calc_articulated`, with tau and qdd in each other's place. Joint wrenches stay in
    `tree_work.work.running` for `calc_tree_reactions`.
    """
    _, x, R, v, w, _ = instant
    tree, scratch = tree_work.tree, tree_work.work
    column, reach, response, running = scratch.column, scratch.reach, scratch.response, scratch.running
    calc_columns(tree, x, R, scratch)
    calc_bias(tree, x, R, v, w, scratch)
    calc_loads(body, R, v, w, work.f, work.torque, drag, scratch)
    count = tree.body.shape[0]
    for i in range(6):
        response[WORLD_ROW, i] = 0.0
    for k in range(count):
        child, parent = tree.body[k], tree.parent[k]
        lx, ly, lz = cross(
            response[parent, 3],
            response[parent, 4],
            response[parent, 5],
            reach[child, 0],
            reach[child, 1],
            reach[child, 2],
        )
        for i in range(6):
            response[child, i] = response[parent, i]
        response[child, 0] += lx
        response[child, 1] += ly
        response[child, 2] += lz
        for j in range(tree.v_start[k], tree.v_start[k + 1]):
            for i in range(6):
                response[child, i] += column[j, i] * qdd[j]
    calc_accelerations(R, response, scratch.bias, work.a, work.dw)
    calc_joint_wrenches(body, tree, R, work.a, work.dw, scratch)
    for k in range(count):
        child = tree.body[k]
        for j in range(tree.v_start[k], tree.v_start[k + 1]):
            tau = 0.0
            for i in range(6):
                tau += column[j, i] * running[child, i]
            tau_out[j] = tau  # (2)
