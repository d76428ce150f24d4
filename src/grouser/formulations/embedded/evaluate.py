"""Accelerations of the `embedded` formulation."""

from __future__ import annotations

from grouser.formulations.embedded.articulated import calc_embedded
from grouser.formulations.embedded.multipliers import add_multipliers
from grouser.formulations.recursive.multipliers import calc_cut_constraints
from grouser.formulations.recursive.newton_euler import calc_joint_wrenches, calc_tree_reactions
from grouser.kernels._jit import kernel


@kernel(inline=True)
def solve_embedded(
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
    embedding_work,
    work,
):
    """Accelerations of all joint speeds, and of the bodies into `work.a`, `work.dw`, at a state that
    `kinematics.solve_kinematics` has just made; multipliers, and in the last state of a step reactions of the joints
    of the tree.

    Returns False where the equations are singular.
    """
    x, R, tree, scratch = instant.x, instant.R, tree_work.tree, tree_work.work
    calc_cut_constraints(tables, instant, tree_work)
    if not calc_embedded(tables.node, instant, drag, rate_out, tree_work, embedding_work, work):
        return False
    calc_joint_wrenches(tables.node, tree, R, work.a, work.dw, scratch)
    add_multipliers(
        tree, tree_work.constraint, embedding_work.aggregate, x, scratch, tree_work.cut_work, embedding_work.work
    )
    if is_last:
        calc_tree_reactions(tree, x, R, work.joint_force, work.joint_moment, scratch)
    return True
