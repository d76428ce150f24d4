"""Accelerations of the `embedded` formulation."""

from __future__ import annotations

from grouser.formulations.embedded.articulated import calc_embedded
from grouser.formulations.embedded.multipliers import add_multipliers
from grouser.formulations.recursive.newton_euler import calc_joint_wrenches, calc_tree_reactions
from grouser.kernels._jit import kernel
from grouser.kernels.joints.constraint import calc_constraints


@kernel
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
    # out
    rate_out,
    # work
    tree_work,
    embedded_work,
    work,
):
    """Accelerations of all joint speeds, and of the bodies into `work.a`, `work.dw`, at a state that
    `kinematics.solve_kinematics` has just made; multipliers, and reactions of the joints of the tree.

    Returns False where the equations are singular.
    """
    system, cut_work = tree_work, tree_work.cut_work
    calc_constraints(
        system.constraint,
        tables.scalar,
        tables.signal,
        0,
        system.constraint.body_a.shape[0],
        t,
        x,
        R,
        v,
        system.work.w_world,
        z,
        cut_work.phi,
        cut_work.G,
        cut_work.nu,
        cut_work.gamma,
        cut_work.stack,
    )
    is_solved = calc_embedded(
        tables.body,
        system.tree,
        system.constraint,
        embedded_work.aggregate,
        x,
        R,
        v,
        w,
        f,
        torque,
        drag,
        system.extra,
        system.extra_speed,
        rate_out,
        work.a,
        work.dw,
        system.work,
        cut_work,
        embedded_work.work,
    )
    if not is_solved:
        return False
    calc_joint_wrenches(tables.body, system.tree, R, work.a, work.dw, system.extra, system.work)
    add_multipliers(
        system.tree, system.constraint, embedded_work.aggregate, x, system.work, cut_work, embedded_work.work
    )
    calc_tree_reactions(system.tree, x, R, work.joint_force, work.joint_moment, system.work)
    return True
