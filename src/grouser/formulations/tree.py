"""Bodies along a tree: states from coordinates, and accelerations from forces.

The tree of `recursive` has cuts, and moves in space or in the plane. The tree of `embedded` has aggregates. A tree
record has the fields `plane`, `space` and `embedding`. One of them is filled, and the others are None. The compiler
drops a branch only if the branch itself compares such an argument with None. So every branch below names the field that
it needs, and the last one is no plain `else`.
"""

from __future__ import annotations

from math import inf

from grouser.families.joint.kernel_constraint import calc_reactions
from grouser.formulations.embedded.evaluate import solve_embedded
from grouser.formulations.embedded.kinematics import NO_ENTRY, solve_kinematics
from grouser.formulations.planar.evaluate import solve_planar
from grouser.formulations.recursive.cuts import CLOSED_BETWEEN, solve_closure
from grouser.formulations.recursive.evaluate import solve_recursive
from grouser.kernels._jit import kernel


@kernel(inline=True)
def solve_positions(
    # tables
    tables,
    # in
    is_last,
    is_staggered,
    position_to_speed,
    # out
    u_out,
    instant_out,
    # work
    tree_work,
    plane,
    space,
    embedding_work,
):
    """`place_tree` by either formulation."""
    if embedding_work is not None:
        return solve_kinematics(tables, is_last, u_out, instant_out, tree_work, embedding_work)
    if plane is not None or space is not None:
        tolerance = max(tree_work.tolerance[0], CLOSED_BETWEEN if is_staggered else 0.0)
        tolerance_rate = inf if is_staggered else tree_work.tolerance[1]
        solve_closure(
            tables, is_last, tolerance, tolerance_rate, position_to_speed, u_out, instant_out, tree_work, plane, space
        )
    return NO_ENTRY


@kernel(stage="int64")
def place_tree(
    # tables
    tables,
    # in
    is_last,
    is_staggered,
    position_to_speed,
    # out
    u_out,
    instant_out,
    # work
    tree_work,
):
    """The absolute state from the coordinates `tree_work.q_new` and the speeds u of the joints, which are brought onto
    the constraints: those of cuts in the last state of a step, those of aggregates always. Where `is_staggered`, speeds
    are of half a step before, and only what moves coordinates changes them. For
    `position_to_speed` see `augmented/project.py`.

    Returns `NO_ENTRY`, the entry of the constraints that cannot be closed, or `UNDETERMINED`: see
    `embedded/kinematics.py`.
    """
    plane, space, embedding = tree_work.plane, tree_work.space, tree_work.embedding
    return solve_positions(
        tables, is_last, is_staggered, position_to_speed, u_out, instant_out, tree_work, plane, space, embedding
    )


@kernel(inline=True)
def solve_motion(
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
    space,
    embedding_work,
    work,
):
    """Accelerations by either formulation, multipliers, and in the last state of a step reactions of the joints of the
    tree."""
    if embedding_work is not None:
        return solve_embedded(tables, instant, drag, is_last, rate_out, tree_work, embedding_work, work)
    if plane is not None:
        return solve_planar(tables, instant, drag, is_last, rate_out, tree_work, plane, work)
    if space is not None:
        return solve_recursive(tables, instant, drag, is_last, rate_out, tree_work, work)
    return False


@kernel(stage="boolean")
def solve_tree(
    # tables
    tables,
    # in
    instant,
    drag,
    is_last,
    # out
    rate_out,
    peak_out,
    # work
    tree_work,
    work,
):
    """Accelerations of the joint speeds from the forces in `work`, and of the bodies into `work.a`, `work.dw`.

    Leaves the reactions of all joints in `work` if it is the last state of a step. Returns False where the equations
    are singular.
    """
    plane, space, embedding = tree_work.plane, tree_work.space, tree_work.embedding
    if not solve_motion(tables, instant, drag, is_last, rate_out, tree_work, plane, space, embedding, work):
        return False
    if tree_work.constraint.body_a.shape[0] > 0:
        calc_reactions(tree_work.constraint, instant.R, tree_work.cut_work, peak_out, work)
    return True
