"""Bodies along a tree: states from coordinates, and accelerations from forces.

The tree of `recursive` has cuts, and moves in space or in the plane; that of `embedded` has aggregates. What a tree has
not is None. A branch on that is known when compiling only where it asks for what is None, so all are asked for.
"""

from __future__ import annotations

from math import inf

from grouser.formulations.embedded.evaluate import solve_embedded
from grouser.formulations.embedded.kinematics import NO_ENTRY, solve_kinematics
from grouser.formulations.planar.evaluate import solve_planar
from grouser.formulations.recursive.cuts import CLOSED_BETWEEN, solve_closure
from grouser.formulations.recursive.evaluate import solve_recursive
from grouser.kernels._jit import kernel
from grouser.kernels.joints.constraint import calc_reactions
from grouser.kernels.kinds import FAMILY_MOTIONS


@kernel(stage="int64")
def solve_placed(
    # tables
    tables,
    # in
    t,
    is_last,
    is_staggered,
    carry,
    z,
    # out
    q_out,
    u_out,
    x_out,
    R_out,
    v_out,
    w_out,
    # work
    tree_work,
    cut,
    plane,
    space,
    embedding_work,
):
    """The absolute state from coordinates and speeds of the joints, which are brought onto the constraints: those of
    cuts in the last state of a step, those of aggregates always. Where `is_staggered`, speeds are of half a step
    before, and only what moves coordinates changes them. `carry`: see `augmented/project.py`.

    Returns `NO_ENTRY`, the entry of the constraints that cannot be closed, or `UNDETERMINED`: see
    `embedded/kinematics.py`.
    """
    if embedding_work is not None:
        return solve_kinematics(
            tables.scalar,
            tables.signal,
            tree_work.tree,
            tree_work.constraint,
            embedding_work.aggregate,
            embedding_work.closed,
            t,
            z,
            is_last,
            q_out,
            u_out,
            x_out,
            R_out,
            v_out,
            w_out,
            tree_work.work,
            tree_work.cut_work,
            embedding_work.work,
        )
    if cut is not None:
        solve_closure(
            tables.body,
            tree_work.tree,
            plane,
            space,
            tree_work.constraint,
            cut,
            tables.scalar,
            tables.signal,
            t,
            is_last,
            z,
            max(tree_work.tolerance[0], CLOSED_BETWEEN if is_staggered else 0.0),
            inf if is_staggered else tree_work.tolerance[1],
            carry,
            q_out,
            u_out,
            x_out,
            R_out,
            v_out,
            w_out,
            tree_work.work,
            tree_work.cut_work,
        )
    return NO_ENTRY


@kernel(inline=True)
def solve_motion(
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
    cut,
    plane,
    space,
    embedding_work,
    work,
):
    """Accelerations by either formulation, multipliers, and in the last state of a step reactions of the joints of the
    tree."""
    if embedding_work is not None:
        return solve_embedded(
            tables, t, x, R, v, w, z, f, torque, drag, is_last, rate_out, tree_work, embedding_work, work
        )
    if plane is not None:
        return solve_planar(tables, t, x, R, v, w, z, f, torque, drag, is_last, rate_out, tree_work, cut, plane, work)
    if space is not None:
        return solve_recursive(tables, t, x, R, v, w, z, f, torque, drag, is_last, rate_out, tree_work, work)
    return False


@kernel(stage="boolean")
def solve_tree(
    # tables
    tables,
    # in
    t,
    x,
    R,
    v,
    w,
    z,
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
    system = tree_work
    f, torque = work.f, work.torque
    if not solve_motion(
        tables,
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
        rate_out,
        tree_work,
        tree_work.cut,
        tree_work.plane,
        tree_work.space,
        tree_work.embedding,
        work,
    ):
        return False
    if system.constraint.body_a.shape[0] > 0:
        calc_reactions(
            system.constraint,
            R,
            system.cut_work.phi,
            system.cut_work.G,
            system.cut_work.nu,
            system.cut_work.multiplier,
            work.joint_force,
            work.joint_moment,
            peak_out,
            work.scalar_value,
            work.supplied,
            FAMILY_MOTIONS,
        )
    return True
