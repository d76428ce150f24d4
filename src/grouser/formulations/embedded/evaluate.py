"""Accelerations of the `embedded` formulation."""

from __future__ import annotations

from grouser.formulations.embedded.articulated import calc_embedded
from grouser.formulations.embedded.multipliers import add_multipliers
from grouser.formulations.recursive.newton_euler import calc_joint_wrenches, calc_tree_reactions
from grouser.kernels._jit import kernel
from grouser.kernels.joints.constraint import calc_constraints


@kernel(inline=True)
def solve_embedded(
    # tables
    tables,
    # in
    t,
    x,
    R,
    v,
    w,
    z,
    f,
    torque,
    drag,
    is_last,
    # out
    rate_out,
    # work
    tree_work,
    embedded_work,
    work,
):
    """Accelerations of all joint speeds, and of the bodies into `work.a`, `work.dw`, at a state that
    `kinematics.solve_kinematics` has just made; multipliers, and in the last state of a step reactions of the joints
    of the tree.

    Returns False where the equations are singular.
    """
    cut_work = tree_work.cut_work
    calc_constraints(
        tree_work.constraint,
        tables.scalar,
        tables.signal,
        0,
        tree_work.constraint.body_a.shape[0],
        t,
        x,
        R,
        v,
        tree_work.work.w_world,
        z,
        cut_work.phi,
        cut_work.G,
        cut_work.nu,
        cut_work.gamma,
        cut_work.stack,
    )
    is_solved = calc_embedded(
        tables.body,
        tree_work.tree,
        tree_work.constraint,
        embedded_work.aggregate,
        x,
        R,
        v,
        w,
        f,
        torque,
        drag,
        rate_out,
        work.a,
        work.dw,
        tree_work.work,
        cut_work,
        embedded_work.work,
    )
    if not is_solved:
        return False
    calc_joint_wrenches(tables.body, tree_work.tree, R, work.a, work.dw, tree_work.work)
    add_multipliers(
        tree_work.tree, tree_work.constraint, embedded_work.aggregate, x, tree_work.work, cut_work, embedded_work.work
    )
    if is_last:
        calc_tree_reactions(tree_work.tree, x, R, work.joint_force, work.joint_moment, tree_work.work)
    return True
