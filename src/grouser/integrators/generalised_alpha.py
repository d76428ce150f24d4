"""`generalised-alpha`: implicit steps of second order with a numerical damping that is chosen; fixed step.

Beside the velocities u, with rates du = M^-1 F, a pseudo-acceleration a is carried from step to step (Chung and Hulbert
1993; on rotations Bruels and Cardona 2010, with increments d as in `time_loop.py`):

    d = h u_old + h^2 ((1/2 - beta) a_old + beta a)                                       (1)
    u = u_old + h ((1 - gamma) a_old + gamma a)                                           (2)
    (1 - alpha_m) a + alpha_m a_old = (1 - alpha_f) du + alpha_f du_old                   (3)

All follows from the spectral radius rho of infinitely fast modes, the factor on their amplitude in a step:

    alpha_m = (2 rho - 1)/(rho + 1),   alpha_f = rho/(rho + 1),
    gamma = 1/2 + alpha_f - alpha_m,   beta = (gamma + 1/2)^2/4                           (4)

The unknown a makes F - M du vanish at the end of the step, by Newton's method:

    kappa (M + gamma h/kappa C + beta h^2/kappa K) da = F - M du,
    kappa = (1 - alpha_m)/(1 - alpha_f)                                                   (5)

Blocks of stiffness and damping make M + h' C + h'^2 K (`grouser.kernels.scatter`). With h' = gamma h/kappa its last
term is (3 - rho)^2/(8 - 4 rho) of that in (5), which is 1.008 for rho = 0.8 and costs next to no turn.

Where a force jumps, as a contact with damping does when it closes, there may be no such a: corrections then go to and
fro across the jump. Each reversal halves the share of them that is taken, so that a comes near the jump, with du
between those of both sides; after six reversals the step is taken as it is. Between jumps of several forces,
corrections may go round in a circle without a reversal: so slow turns late in a step count as reversals.

A fresh start sets a = du. This has an error of first order in a, once, and of second order in the motion.
States z of drives are stepped by the trapezoidal rule, and so are the powers, from those of accepted states.
"""

from __future__ import annotations

from grouser.formulations.augmented.coupled import TOLERANCE, solve_correction
from grouser.formulations.augmented.evaluate import add_masses, calc_loads, calc_residual
from grouser.formulations.coordinates import place_nodes, read_speeds, show_rates
from grouser.formulations.explicit.evaluate import calc_free_accelerations
from grouser.formulations.forces import calc_forces
from grouser.formulations.ode import calc_remembered, find_near
from grouser.formulations.status import DIVERGED, DONE, SINGULAR, STALLED
from grouser.formulations.trial import copy_instant, find_fastest, keep_instant
from grouser.integrators.time_loop import add_powers, keep_powers
from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import FACTORED, calc_factor
from grouser.kernels.copy import calc_copy, calc_zero
from grouser.kernels.nodes import find_owner
from grouser.kernels.plane import add_exactness, calc_in_plane
from grouser.kernels.view import Instant

CONVERGED = 1.0e-10
"""Correction of velocities [m/s, rad/s] with which Newton's method ends."""
ROUNDING = 1.0e-8
"""A correction below this [m/s, rad/s] that a turn hardly made smaller is rounding."""
AT_JUMP = 1.0e-6
"""Correction of velocities [m/s, rad/s], halved with every reversal, with which it ends at a jump of a force."""
LEAST_SHARE = 1.0 / 64.0
"""Share of a correction, halved with every reversal, at which what is left at a jump is left to the next step."""
SLOW = 0.3
"""Share of the correction that a turn with an old factor may leave; above it a new one is made."""
PATIENCE = 10
"""Turns after which slow ones count as reversals: corrections go round between jumps of several forces."""
MOST_TURNS = 60
"""Turns of Newton's method after which a step has failed."""


@kernel
def find_largest(frames, correction, last):
    """Largest number of a correction, its node, and the product of the correction with the last one."""
    size, who, product = 0.0, 0, 0.0
    for j in range(last.shape[0]):
        product += correction[j] * last[j]
        if abs(correction[j]) > size:
            size, who = abs(correction[j]), j
    return size, find_owner(frames, who), product


@kernel(entry=True)
def solve_alpha(
    # in
    radius,
    is_fresh,
    step_count,
    dt,
    drag,
    # out
    state_out,
    # work
    alpha_work,
    equations_work,
    ode_work,
):
    """Advance `state_out` by `step_count` steps of dt; with none it is only evaluated.

    `radius`: rho of (4). `is_fresh`: `alpha_work` does not hold a and du of the state. Returns (status, node,
    evaluations): DONE, DIVERGED with the node that left the range of numbers, SINGULAR, or STALLED with the node whose
    corrections stay the largest; the state is then the last accepted one.
    """
    equations, tables, work = equations_work, equations_work.tables, equations_work.work
    implicit_work, system_work, state = equations.implicit, equations.system, state_out
    solution = system_work.solution
    a, a_new, rate, last = alpha_work.a, alpha_work.a_new, alpha_work.rate, alpha_work.last
    u, u_new, d, rate_new, z_rate = work.u, work.u_new, work.d, work.u_rate, work.z_rate
    z_new = work.z_new
    alpha_m, alpha_f = (2.0 * radius - 1.0) / (radius + 1.0), radius / (radius + 1.0)  # (4)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    kappa = (1.0 - alpha_m) / (1.0 - alpha_f)
    start, half = state.time[0], 0.5 * dt
    implicit_work.h[0], implicit_work.ahead[0], implicit_work.wanted[0] = gamma * dt / kappa, 0.0, 1
    ode_work.is_searched[0] = 0
    copy_instant(state, work)
    read_speeds(equations, state, u_new)
    calc_copy(u_new, u)
    calc_zero(d)
    # evaluations are numbered, so that friction memory knows whether a contact was there one step ago
    now = state.stamp[0]
    t, memory_dt = start, 0.0
    step = turn = evaluations = factored_count = 0
    size_before, scale = 0.0, 1.0
    is_stale = True
    # one evaluation a turn, the first at the state as it is: a single call keeps the compiled code small
    while True:
        if step > 0:
            for j in range(u.shape[0]):
                d[j] = dt * u[j] + dt * dt * ((0.5 - beta) * a[j] + beta * a_new[j])  # (1)
                u_new[j] = u[j] + dt * ((1.0 - gamma) * a[j] + gamma * a_new[j])  # (2)
                rate_new[j] = ((1.0 - alpha_m) * a_new[j] + alpha_m * a[j] - alpha_f * rate[j]) / (1.0 - alpha_f)  # (3)
        place_nodes(equations, t, False, False, 0.0, state, d, u_new)
        _, who = find_fastest(work.v_new, work.w_new, tables.contact.search_reach)
        if who >= 0:
            return DIVERGED, who, evaluations
        find_near(equations, ode_work)
        calc_zero(implicit_work.value)
        instant = Instant(t, work.x_new, work.R_new, work.v_new, work.w_new, z_new)
        memory = (state.anchor, state.anchor_stamp, state.stamp[0], memory_dt)
        memory_out = (work.anchor, work.anchor_stamp, now)
        calc_forces(tables, instant, memory, 0.0, z_rate, memory_out, implicit_work, work)
        evaluations += 1
        is_accepted = step == 0
        if step > 0:
            calc_loads(tables.node, instant, drag, None, system_work.right, work)
            calc_residual(tables.node, rate_new, system_work.right)
            is_stale = is_stale or implicit_work.coupled_count[0] + implicit_work.joined_count[0] != factored_count
            if is_stale:
                factored_count = implicit_work.coupled_count[0] + implicit_work.joined_count[0]
                add_masses(tables.node, system_work.pair_block, system_work.value)
                if (
                    calc_factor(
                        system_work.elimination,
                        system_work.value,
                        system_work.shift,
                        system_work.factor,
                        system_work.pivot,
                    )
                    != FACTORED
                ):
                    return SINGULAR, -1, evaluations
            solve_correction(tables.node, TOLERANCE, implicit_work, system_work)
            size, who, product = find_largest(state.R.shape[0], solution, last)
            size *= gamma * dt / kappa
            is_stale = turn > 0 and size > SLOW * size_before
            if is_stale and (product < 0.0 or turn > PATIENCE):
                scale *= 0.5
            is_at_jump = scale < 1.0 and (scale * size <= AT_JUMP or scale <= LEAST_SHARE)
            is_accepted = size <= CONVERGED or (is_stale and size <= ROUNDING) or is_at_jump
            size_before = size
        elif is_fresh:
            calc_free_accelerations(tables.node, work.R_new, work.v_new, work.w_new, drag, rate, work)
            calc_in_plane(tables.node, rate)
            calc_copy(rate, a)
        if not is_accepted:
            turn += 1
            if turn == MOST_TURNS:
                return STALLED, who, evaluations
            now += 1
            for j in range(u.shape[0]):
                a_new[j] += scale / kappa * solution[j]  # (5)
                last[j] = solution[j]
            for j in range(z_new.shape[0]):
                z_new[j] = state.z[j] + half * (z_rate[j] + work.z_rate_old[j])
            continue
        if step > 0:
            add_powers(half, work, state.ledger)
            keep_instant(work, state)
            calc_remembered(t, now, work, state)
            calc_copy(u_new, u)
            calc_copy(a_new, a)
            calc_copy(rate_new, rate)
        keep_powers(work)
        calc_copy(z_rate, work.z_rate_old)
        if step == step_count:
            show_rates(equations, rate)
            add_exactness(tables.node, state.R)
            return DONE, -1, evaluations
        step += 1
        now += 2
        turn, scale, is_stale = 0, 1.0, True
        t, memory_dt = start + step * dt, dt
        calc_copy(a, a_new)
        calc_zero(last)
        for j in range(z_new.shape[0]):
            z_new[j] = state.z[j] + dt * z_rate[j]
