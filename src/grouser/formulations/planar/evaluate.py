"""Accelerations of the `recursive` formulation where all motion is in the plane."""

from __future__ import annotations

from grouser.formulations.planar.articulated import (
    calc_planar_efforts,
    calc_planar_factors,
    calc_planar_force,
    calc_planar_loads,
    calc_planar_responses,
)
from grouser.formulations.planar.cuts import calc_planar_cut_factors
from grouser.formulations.planar.kinematics import calc_poses, turn
from grouser.formulations.recursive.multipliers import add_multipliers, calc_cut_constraints
from grouser.kernels._jit import kernel


@kernel
def calc_planar_closed(
    # tables
    tables,
    # in
    instant,
    drag,
    # out
    qdd_out,
    # work
    tree_work,
    plane,
    work,
):
    """Accelerations of a tree with cut joints and ideal motions; as `recursive/cuts.calc_closed`."""
    _, x, R, v, w, _ = instant
    body, tree, constraint, cut = tables.node, tree_work.tree, tree_work.constraint, tree_work.cut
    scratch, cut_work, a_out, dw_out = tree_work.work, tree_work.cut_work, work.a, work.dw
    calc_poses(plane, R, w, scratch)
    calc_planar_factors(body, tree, plane, x, scratch)
    calc_planar_loads(body, tree, plane, x, v, work.f, work.torque, drag, scratch)
    calc_planar_efforts(tree, tree_work.tau, scratch)
    if constraint.body_a.shape[0] > 0:
        calc_cut_constraints(tables, instant, tree_work)
        calc_planar_cut_factors(body, tree, plane, constraint, cut, scratch, cut_work)
        add_multipliers(constraint, cut, scratch, cut_work)
    calc_planar_responses(tree, qdd_out, scratch)
    for i in range(1, tree.body.shape[0] + 1):
        a_out[i, 0], a_out[i, 1] = scratch.response[i, 0] + scratch.bias[i, 0], 0.0
        a_out[i, 2] = scratch.response[i, 1] + scratch.bias[i, 1]
        for n in range(3):
            dw_out[i, n] = scratch.response[i, 2] * plane.R[i, 1, n]


@kernel
def calc_planar_reactions(
    # tables
    body,
    tree,
    plane,
    # in
    x,
    a,
    # out
    force_out,
    moment_out,
    # work
    work,
):
    """Force and moment of every joint of the tree on its side b, at p_b: `recursive/newton_euler.py`, (1)."""
    running, load = work.running, work.load
    count = tree.body.shape[0]
    for i in range(1, count + 1):
        fx, fz, ty = calc_planar_force(body, plane, i, a[i, 0], a[i, 2], work.response[i, 2])
        running[i, 0], running[i, 1], running[i, 2] = fx - load[i, 0], fz - load[i, 1], ty - load[i, 2]
    for k in range(count - 1, -1, -1):
        child, parent = tree.body[k], tree.parent[k]
        fx, fz, ty = running[child, 0], running[child, 1], running[child, 2]
        dx, dz = work.reach[child, 0], work.reach[child, 1]
        running[parent, 0] += fx
        running[parent, 1] += fz
        running[parent, 2] += ty + dz * fx - dx * fz
        joint = tree.joint[k]
        if joint < 0:
            continue
        sign = 1.0
        rx, rz = turn(work.pose, child, plane.p_child[k, 0], plane.p_child[k, 1])
        if tree.reversed[k] == 1:
            # p_b is on the parent
            sign = -1.0
            rx, rz = turn(work.pose, parent, plane.p_parent[k, 0], plane.p_parent[k, 1])
            rx, rz = rx - dx, rz - dz
        force_out[joint, 0], force_out[joint, 1], force_out[joint, 2] = sign * fx, 0.0, sign * fz
        moment_out[joint, 0] = moment_out[joint, 2] = 0.0
        moment_out[joint, 1] = sign * (ty - rz * fx + rx * fz)


@kernel
def solve_planar(
    # tables
    tables,
    # in
    instant,
    drag,
    is_last,
    # out
    rate_out,
    # work
    tree_work,
    plane,
    work,
):
    """As `recursive/evaluate.solve_recursive`."""
    tree, scratch = tree_work.tree, tree_work.work
    calc_planar_closed(tables, instant, drag, rate_out, tree_work, plane, work)
    if is_last:
        calc_planar_reactions(tables.node, tree, plane, instant.x, work.a, work.joint_force, work.joint_moment, scratch)
    return True
