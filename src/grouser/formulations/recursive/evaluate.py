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
    instant,
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
    x, R, tree, scratch = instant.x, instant.R, tree_work.tree, tree_work.work
    calc_closed(tables, instant, drag, rate_out, tree_work, work)
    if is_last:
        calc_joint_wrenches(tables.node, tree, R, work.a, work.dw, scratch)
        calc_tree_reactions(tree, x, R, work.joint_force, work.joint_moment, scratch)
    return True
