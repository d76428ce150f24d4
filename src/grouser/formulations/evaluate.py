"""Accelerations at a state by any formulation: the one place that branches on it.

The branches ask whether an argument is None, which is known when the code is compiled: each formulation is compiled
on its own, without the others.
"""

from __future__ import annotations

from grouser.formulations.augmented.evaluate import solve_system
from grouser.formulations.explicit.evaluate import calc_free_accelerations
from grouser.formulations.forces import calc_forces
from grouser.formulations.staggered import calc_ahead, calc_ahead_along, calc_behind
from grouser.formulations.tree import solve_tree
from grouser.kernels._jit import kernel
from grouser.kernels.plane import calc_in_plane
from grouser.kernels.view import Instant


@kernel
def calc_accelerations(
    # tables
    tables,
    # in
    t,
    x,
    R,
    v,
    w,
    z,
    memory,
    lag,
    behind,
    drag,
    is_last,
    # out
    rate_out,
    z_rate_out,
    memory_out,
    # work
    blocks_work,
    system_work,
    tree_work,
    work,
):
    """Rates of the velocities of a formulation at a state.

    `lag` [s]: see `calc_forces`. `behind` [s]: how long before the positions the velocities are, in leapfrog steps;
    else zero. It takes speeds and rates of the last evaluation from `work.u_new` and `work.u_rate_old`, and what a tree
    has left there. `drag` [1/s] is a damping of all velocities, used while settling. `is_last`: the
    state is that of the end of a step, not one on the way; only there ideal joints are closed, and their gaps count.
    `blocks_work` is None, or the blocks of a linearly implicit step; `system_work` is None, or the sparse system of the
    augmented formulation; `tree_work` is None, or the tree of `recursive` or `embedded`. Everything an observer wants
    is left in `work`. Returns False where the equations are singular.
    """
    if blocks_work is not None:
        for i in range(blocks_work.value.shape[0]):
            blocks_work.value[i] = 0.0
    v_behind, w_behind = v, w
    if behind > 0.0 and tree_work is not None:
        v_behind, w_behind = work.v_behind, work.w_behind
        calc_behind(behind, R, v, w, tree_work.plane, tree_work.space, v_behind, w_behind, tree_work)
    calc_forces(tables, t, x, R, v_behind, w_behind, z, memory, lag, z_rate_out, memory_out, blocks_work, work)
    peak = work.joint_peak if is_last else work.trial_peak
    if behind > 0.0:
        if tree_work is not None:
            calc_ahead_along(
                behind, x, R, work.u_new, work.u_rate_old, tree_work.plane, tree_work.space, work.u_ahead, work.v_ahead,
                work.w_ahead, tree_work,
            )  # fmt: skip
        else:
            calc_ahead(tables.body, behind, R, v, w, work.u_rate_old, work.v_ahead, work.w_ahead, work.w_world)
        v, w = work.v_ahead, work.w_ahead
        is_last = False  # nobody looks at the reactions
    if tree_work is not None:
        return solve_tree(tables, Instant(t, x, R, v, w, z), drag, is_last, rate_out, peak, tree_work, work)
    is_solved = True
    if system_work is not None:
        is_solved = solve_system(tables, t, x, R, v, w, z, drag, blocks_work, rate_out, peak, system_work, work)
    else:
        calc_free_accelerations(tables.body, R, v, w, drag, rate_out, work)
    calc_in_plane(tables.body, rate_out)
    return is_solved
