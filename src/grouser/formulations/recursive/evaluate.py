"""Accelerations of the `recursive` formulation."""

from __future__ import annotations

from grouser.formulations.recursive.cuts import calc_closed
from grouser.formulations.recursive.newton_euler import calc_joint_wrenches, calc_tree_reactions
from grouser.kernels._jit import kernel


@kernel(inline=True)
def solve_recursive(
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
    work,
):
    """Accelerations of the joint speeds, and of the bodies into `work.a`, `work.dw`; multipliers, and in the last
    state of a step reactions of the joints of the tree. Returns True: a tree always has a solution."""
    system = tree_work
    calc_closed(
        tables.body,
        system.tree,
        system.constraint,
        system.cut,
        tables.scalar,
        tables.signal,
        t,
        x,
        R,
        v,
        w,
        z,
        f,
        torque,
        system.tau,
        drag,
        rate_out,
        work.a,
        work.dw,
        system.work,
        system.cut_work,
    )
    if is_last:
        calc_joint_wrenches(tables.body, system.tree, R, work.a, work.dw, system.work)
        calc_tree_reactions(system.tree, x, R, work.joint_force, work.joint_moment, system.work)
    return True
