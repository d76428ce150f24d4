"""An evaluation: forces at the trial state, and the rates of a formulation's velocities that follow from them."""

from __future__ import annotations

from grouser.formulations.coordinates import see_ahead, see_behind, solve_rates
from grouser.formulations.forces import calc_forces
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_zero
from grouser.kernels.view import Instant


@kernel
def _begin_matrix(implicit_work):
    """Empty the matrix of a linearly implicit step, if there is one."""
    if implicit_work is not None:
        calc_zero(implicit_work.value)


@kernel
def calc_accelerations(
    # in
    t,
    memory,
    corrector_offset,
    velocity_delay,
    drag,
    is_last,
    # out
    rate_out,
    memory_out,
    # work
    equations_work,
):
    """Rates of the velocities of a formulation at the trial state, and rates of the states z in the workspace.

    `memory`, `corrector_offset` [s] and `memory_out`: see `calc_forces`. `velocity_delay` [s]: how long before the
    positions the velocities are, in leapfrog steps; else zero. It takes speeds and rates of the last evaluation from
    `u_new` and `u_rate_old` of the workspace, and what a tree has left there. `drag` [1/s] is a damping of all
    velocities, used while settling. `is_last`: the state is that of the end of a step, not one on the way; only there
    ideal joints are closed, and their gaps count. Everything an observer wants is left in the workspace. Returns False
    where the equations are singular.
    """
    equations, work = equations_work, equations_work.work
    _begin_matrix(equations.implicit)
    instant = Instant(t, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
    seen = see_behind(equations, velocity_delay, instant) if velocity_delay > 0.0 else instant
    calc_forces(equations.tables, seen, memory, corrector_offset, work.z_rate, memory_out, equations.implicit, work)
    peak = work.joint_peak if is_last else work.trial_peak
    if velocity_delay > 0.0:
        instant = see_ahead(equations, velocity_delay, instant)
        is_last = False  # nobody looks at the reactions
    return solve_rates(equations, instant, drag, is_last, rate_out, peak)
