"""Accelerations of the `recursive` formulation."""

from __future__ import annotations

from grouser.formulations.recursive.cuts import calc_closed
from grouser.formulations.recursive.newton_euler import calc_joint_wrenches, calc_tree_reactions
from grouser.kernels._jit import kernel
from grouser.kernels.contact.coupling import calc_coupled
from grouser.kernels.joints.constraint import calc_reactions
from grouser.kernels.kinds import FAMILY_MOTIONS
from grouser.kernels.spatial import rotate


@kernel
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
    blocks,
    # out
    rate_out,
    peak_out,
    # work
    tree_work,
    work,
):
    """Accelerations of the joint speeds from the forces in `work`, and of the bodies into `work.a`, `work.dw`.

    Leaves the reactions of all joints in `work`. Returns True: a tree always has a solution.
    """
    system = tree_work
    f, torque = work.f, work.torque
    if blocks is not None:
        # bodies that touch: each side moves on with the acceleration that the other had
        calc_coupled(blocks, blocks.last, system.coupled)
        for i in range(f.shape[0] - 1):
            o = 6 * i
            tx, ty, tz = rotate(R, i, system.coupled[o + 3], system.coupled[o + 4], system.coupled[o + 5])
            for k in range(3):
                system.f[i, k] = f[i, k] + blocks.f[i, k] + system.coupled[o + k]
            system.torque[i, 0] = torque[i, 0] + blocks.torque[i, 0] + tx
            system.torque[i, 1] = torque[i, 1] + blocks.torque[i, 1] + ty
            system.torque[i, 2] = torque[i, 2] + blocks.torque[i, 2] + tz
        f, torque = system.f, system.torque
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
        system.extra,
        system.extra_speed,
        rate_out,
        work.a,
        work.dw,
        system.work,
        system.cut_work,
    )
    calc_joint_wrenches(tables.body, system.tree, R, work.a, work.dw, system.extra, system.work)
    calc_tree_reactions(system.tree, x, R, work.joint_force, work.joint_moment, system.work)
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
