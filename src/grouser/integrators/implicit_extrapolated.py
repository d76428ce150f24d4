"""`implicit-extrapolated`: linearly implicit Euler steps, extrapolated once to second order; fixed step.

From (x, R, u) one linearly implicit Euler step with the length h, and two with h/2 (`time_loop.py`, (2)):

    A = one step of h,   B = two steps of h/2,   accepted = 2 B - A                       (1)

The error of Euler steps has an expansion in powers of h, whose first term (1) removes. That holds for any matrix in the
place of the exact M + h C + h^2 K, as long as it depends smoothly on state and step: geometric stiffness and the slopes
that are left out of the blocks cost no order (W-methods; E. Hairer, G. Wanner, Solving Ordinary Differential Equations
II, IV.7 and IV.9). With s = h lambda a mode is multiplied by

    2/(1 - s/2)^2 - 1/(1 - s) = exp(s) - s^3/6 - 5 s^4/12 + ...                           (2)

which is at most one for all modes that are stable themselves, and zero for infinitely fast ones. An undamped
amplitude falls by 1 - (omega h)^4/4 a step.

Velocities and the states z of drives, which have explicit Euler steps in A and B, are combined as they are. Rotations
are combined as rotation vectors from R. Those of the two half steps, d and e, make the rotation vector (Baker, Campbell
and Hausdorff)

    d + e + d x e/2                                                                       (3)

up to terms with two products. Powers are integrated by the trapezoidal rule, from those of accepted states.

The forces that acted in a step are those of its three linearly implicit steps (`grouser.formulations.acted`), combined
as (1): with the weights -1, 1 and 1.
"""

from __future__ import annotations

from grouser.formulations.acted import add_acted, add_responses, show_acted
from grouser.formulations.coordinates import book_impulses, place_nodes, prepare_projection, read_speeds, show_rates
from grouser.formulations.evaluate import calc_accelerations
from grouser.formulations.ode import calc_remembered, find_near
from grouser.formulations.status import DIVERGED, DONE, SINGULAR
from grouser.formulations.trial import copy_instant, find_fastest, keep_instant
from grouser.integrators.time_loop import add_powers, keep_powers
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_copy, calc_zero
from grouser.kernels.nodes import FRAME_SIZE
from grouser.kernels.plane import add_exactness
from grouser.kernels.spatial import cross

AT_START, AT_START_AGAIN, AT_HALF = 0, 1, 2
"""Where a step evaluates: at its start for the whole step, there for the first half, and at the half for the second."""


@kernel
def calc_extrapolated(
    # in
    frames,
    u,
    d_first,
    d_second,
    # out
    u_out,
    d_out,
):
    """(1) for velocities and increments of all nodes. `u` and `d_first`, `d_second`: after the two half steps, and
    their increments; `u_out` and `d_out` hold those of the whole step."""
    for k in range(FRAME_SIZE, u.shape[0]):
        u_out[k] = 2.0 * u[k] - u_out[k]
        d_out[k] = 2.0 * (d_first[k] + d_second[k]) - d_out[k]
    for i in range(1, frames):
        o = FRAME_SIZE * i
        tx, ty, tz = cross(
            d_first[o + 3], d_first[o + 4], d_first[o + 5], d_second[o + 3], d_second[o + 4], d_second[o + 5]
        )
        d_out[o + 3] += tx  # (3), twice
        d_out[o + 4] += ty
        d_out[o + 5] += tz


@kernel(entry=True)
def solve_extrapolated(
    # in
    step_count,
    dt,
    drag,
    # out
    state_out,
    # work
    step_work,
    acted_work,
    equations_work,
    ode_work,
):
    """Advance `state_out` by `step_count` steps of dt; with none it is only brought onto its constraints and evaluated.

    Returns (status, node): DONE, DIVERGED with the node that left the range of numbers, or SINGULAR; the state is then
    the last accepted one. `step_work`: u and d of the whole step, d of both half steps.
    """
    equations, tables, work = equations_work, equations_work.tables, equations_work.work
    implicit_work = equations.implicit
    state = state_out
    u, u_new, rate, z_rate = work.u, work.u_new, work.u_rate, work.z_rate
    R_new, z_new = work.R_new, work.z_new
    u_whole, d_whole, d_first, d_second = step_work.u_whole, step_work.d_whole, step_work.d_first, step_work.d_second
    start, half = state.time[0], 0.5 * dt
    has_rows = tables.constraint.row_kind.shape[0] > 0
    ode_work.is_searched[0] = 0
    calc_zero(implicit_work.rates_before)
    copy_instant(state, work)
    read_speeds(equations, state, u_new)
    calc_zero(d_whole)
    prepare_projection(equations, state)
    now = state.stamp[0]
    t, memory_dt = start, 0.0
    step = 0
    stage = AT_START
    is_last = step == 0  # not the literal True, for which all that it is handed to would be compiled again
    # one evaluation a turn, and before it the move to where it is made: single calls keep the compiled code small
    while True:
        if stage != AT_START_AGAIN:
            d = d_first if stage == AT_HALF else d_whole
            place_nodes(equations, t, is_last, False, 0.0, state, d, u_new)
            _, who = find_fastest(work.v_new, work.w_new, tables.contact.search_reach)
            if who >= 0:
                return DIVERGED, who
            find_near(equations, ode_work)
        implicit_work.h[0] = implicit_work.ahead[0] = dt if is_last else half
        implicit_work.wanted[0] = 1
        is_shown = step == step_count - 1 if stage == AT_START else step == step_count
        implicit_work.noted[0] = 1 if is_shown else 0
        memory = (state.anchor, state.anchor_stamp, state.stamp[0], memory_dt)
        memory_out = (work.anchor, work.anchor_stamp, now if is_last else now - 1)
        solved = calc_accelerations(t, memory, 0.0, 0.0, drag, is_last, rate, memory_out, equations)
        if not solved:
            return SINGULAR, -1
        for j in range(u.shape[0]):
            implicit_work.rates_before[j] = rate[j]
        if implicit_work.noted[0] == 1:
            add_responses(tables, 1.0, R_new, implicit_work, rate, work)
            if stage == AT_START:
                calc_zero(acted_work.total)
            add_acted(-1.0 if stage == AT_START else 1.0, work, acted_work)
        if stage == AT_START:
            if step > 0:
                if has_rows:
                    book_impulses(equations, state.ledger)
                add_powers(half, work, state.ledger)
                calc_remembered(t, now, work, state)
            keep_instant(work, state)
            if step == step_count and step > 0:
                for j in range(u.shape[0]):
                    u_whole[j] = (u_new[j] - u[j]) / dt  # what the forces that acted have made
            calc_copy(u_new, u)
            keep_powers(work)
            if step == step_count:
                if step > 0:
                    show_acted(acted_work, work)
                    for j in range(u.shape[0]):
                        rate[j] = u_whole[j]
                show_rates(equations, rate)
                add_exactness(tables.node, state.R)
                return DONE, -1
            for j in range(u.shape[0]):
                u_whole[j] = u[j] + dt * rate[j]
                d_whole[j] = dt * u_whole[j]
            step += 1
            now += 2
            memory_dt = 0.0
            stage = AT_START_AGAIN
        elif stage == AT_START_AGAIN:
            for j in range(u.shape[0]):
                u_new[j] = u[j] + half * rate[j]
                d_first[j] = half * u_new[j]
            for j in range(z_new.shape[0]):
                z_new[j] = state.z[j] + half * z_rate[j]
            t, memory_dt = start + (step - 0.5) * dt, half
            stage = AT_HALF
        else:
            for j in range(u.shape[0]):
                u_new[j] += half * rate[j]
                d_second[j] = half * u_new[j]
            calc_extrapolated(state.R.shape[0], u_new, d_first, d_second, u_whole, d_whole)
            calc_copy(u_whole, u_new)
            for j in range(z_new.shape[0]):
                z_new[j] = state.z[j] + dt * z_rate[j]  # (1) of explicit Euler steps
            t, memory_dt = start + step * dt, dt
            stage = AT_START
        is_last = stage == AT_START
