"""`sdirk`: implicit steps of second order with an error estimate, for stiff systems; steps by a tolerance.

The singly diagonally implicit Runge-Kutta method of two stages by Alexander (1977), with c = 1 - sqrt(1/2):

    u1 = u + c h a1,                       q1 = q + c h u1                                (1)
    u2 = u + h ((1 - c) a1 + c a2),        q2 = q + h ((1 - c) u1 + c u2)                 (2)

a1 and a2 are the accelerations at the ends of the stages, t + c h and t + h, and (q2, u2) is the new state. A mode with
s = h lambda is multiplied by (1 + (1 - 2 c) s)/(1 - c s)^2. That is at most one for every mode that is stable itself,
and zero for infinitely fast ones. An undamped amplitude falls by 1 - c^4/2 (omega h)^4 a step, with c^4/2 = 0.0037.

Rotations move by rotation vectors d in the axes of the body at the start of the step. Their rate is w + d x w/2 + ...,
so that in (2)

    d2 = d + c h (w2 + d x w2/2),   d = (1 - c) h w1                                      (3)

Each stage is solved by Newton's method with one matrix for both, made where the first stage begins:

    (M + c h C + (c h)^2 K) da = F - M a                                                  (4)

(`grouser.kernels.scatter`), in which blocks between bodies that touch take part by conjugate gradients
(`grouser.formulations.augmented.coupled`). Corrections begin with the accelerations of the same stage in the step
before, and in the second stage with what the first has changed of them. The matrix is made anew where corrections
shrink slowly, once a stage. Iterations end where a correction moves no body's velocity by more than `NEWTON` times the
tolerance (6). Where a force jumps, as that of a contact with damping does when it closes, corrections may go to and
fro: each reversal halves the share of them that is taken. Points that touch are found at the first evaluation of a
stage, and follow the corrections. The forces of the last iteration are corrected with it
(`grouser.formulations.acted`), so that the forces of each stage are masses times accelerations. A step acts with their
mean (1 - c) F1 + c F2, which keeps the limit of friction, since each of them does. Results show this mean. The force F2
at the end of the step would be wrong: on curved paths F1 and F2 of stiff joints have errors of opposite sign, and only
the mean is free of them.

Error. Beside (2) there is a quadrature of third order with the accelerations a0 at the start of the step,

    e = h (e0 a0 + e1 a1 + e2 a2),   (M + c h C + (c h)^2 K) e_filtered = M e             (5)

whose difference to u2, filtered by the matrix so that stiff modes count for what they move, is the estimate of the
error of the velocities. It is measured node by node in the norm of its kinetic energy, against the tolerance times the
speed v of its centre and 1 m/s:

    |e_i| = sqrt(e.M e/m) <= tolerance (1 m/s + |v_i|)                                    (6)

The next step follows from the largest of these numbers, by its cubic root.

Energy. With the powers P1, P2 of the stages the ledgers grow by h ((1 - c) P1 + c P2). What a linear system loses
beyond, exactly, is numerical damping (Burrage and Butcher 1979, for the quadratic form of the energy):

    (c h)^2 (T(a2) + V(u2) - T(a1) - V(u1)),   T(a) = a.M a/2,  V(u) = u.K u/2            (7)

It is booked as such. What is left of the balance is error. Drives put in the work of the forces that acted.

States z of drives, tyres, brakes and friction of joints take part by (1) and (2), and are iterated with the motion.
"""

from __future__ import annotations

from math import ceil, sqrt

from grouser.formulations.acted import add_acted, add_lost, add_responses, add_supplied, show_acted
from grouser.formulations.augmented.coupled import calc_product, solve_correction
from grouser.formulations.augmented.evaluate import add_masses, calc_loads, calc_residual
from grouser.formulations.coordinates import place_nodes, read_speeds, show_rates
from grouser.formulations.forces import calc_forces
from grouser.formulations.ode import calc_remembered, find_near
from grouser.formulations.status import DIVERGED, DONE, SINGULAR, STALLED
from grouser.formulations.trial import copy_instant, find_fastest, keep_instant
from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import FACTORED, calc_factor, solve_factored
from grouser.kernels.carried import carry_rates
from grouser.kernels.copy import calc_copy, calc_zero
from grouser.kernels.inertia import calc_kinetic, calc_square
from grouser.kernels.kinds import LEDGER_NUMERICAL
from grouser.kernels.nodes import FRAME_SIZE, find_point_start
from grouser.kernels.plane import add_exactness
from grouser.kernels.spatial import cross, dot
from grouser.kernels.view import Instant

C = 1.0 - sqrt(0.5)
"""c of (1) and (2)."""
E1 = 1.0 - C - 1.0 / (6.0 * C * (1.0 - C))
E2 = C - 0.5 + 1.0 / (6.0 * (1.0 - C))
E0 = -E1 - E2
"""e0, e1, e2 of (5)."""
NEWTON = 1.5
"""Correction of velocities, as a share of the tolerance, with which Newton's method ends. This correction is added, so
the error that is left is about the next one. Powers of joints and of friction are calculated before it is added: if it
is large, the energy balance is open."""
COUPLED = 0.3
"""Tolerance of the linear solution with the blocks between bodies that touch: two turns of conjugate gradients, mostly.
Without these blocks, two bodies that touch are corrected as if each touched a wall. A step then adds momentum to the
two together, which turned an M113 by 0.5 % too far."""
COUPLED_SHOWN = 1.0e-3
"""The same for the last correction of a stage whose forces are shown."""
SLOW = 0.4
"""Share of a correction that the next one may leave; above it the matrix is made anew."""
MOST_TURNS = 6
"""Corrections in a stage after which a step is tried again with half its length."""
GRIP = 0.5
"""Least slope of friction along its direction in the matrix: see `grouser.kernels.contact.law`."""
SAFETY = 0.8
"""Share of the step that (6) asks for."""
SHRINK, GROW = 0.2, 1.15
"""Smallest and largest factor between two steps. Where links meet wheels, errors come and go within a few steps. Steps
that grow faster are rejected more often, and after an impact they are long again before its forces have passed."""
FIRST_STEP = 1.0e-4
"""Step of a fresh start [s]."""
LONGEST_STEP = 2.0e-3
"""Longest step [s]: contacts that are not there yet are found in time."""
SHORTEST_STEP = 1.0e-9
"""Step [s] below which an advance gives up."""
SLOWEST = 1.0
"""Speed [m/s] that is added to that of a body in (6)."""

FIRST, SECOND, AT_END, AT_START = 1, 2, 3, 0
"""Where an evaluation is made: in a stage, at the state at the end of the call, or at that of a fresh start."""

STEPS, REJECTED, EVALUATIONS, MATRICES = 0, 1, 2, 3
"""Places of `SdirkWork.count`: what has been done so far."""


@kernel
def calc_stage(frames, span, sdirk, u_out, d_out):
    """Velocities and increments at the end of a stage with the accelerations `rate`; `span` = c h."""
    base, d_base, rate = sdirk.base, sdirk.d_base, sdirk.rate
    for k in range(FRAME_SIZE, u_out.shape[0]):
        u_out[k] = base[k] + span * rate[k]  # (1), (2)
        d_out[k] = d_base[k] + span * u_out[k]
    for i in range(1, frames):
        o = FRAME_SIZE * i
        tx, ty, tz = cross(d_base[o + 3], d_base[o + 4], d_base[o + 5], u_out[o + 3], u_out[o + 4], u_out[o + 5])
        d_out[o + 3] += 0.5 * span * tx  # (3)
        d_out[o + 4] += 0.5 * span * ty
        d_out[o + 5] += 0.5 * span * tz


@kernel
def find_largest(body, tolerance, scale, change, u):
    """Largest change of a velocity, `scale` times `change`, in the measure (6), and its node."""
    largest, who = 0.0, 1
    for i in range(1, body.inertia.shape[0]):
        size = scale * sqrt(calc_square(body, i, change) / body.mass[i])
        o = FRAME_SIZE * i
        size /= tolerance * (SLOWEST + sqrt(dot(u[o], u[o + 1], u[o + 2], u[o], u[o + 1], u[o + 2])))
        if not size <= largest:  # NaN counts as large
            largest, who = size, i
    frames = body.across.shape[0]
    for i in range(frames, body.mass.shape[0]):
        o = find_point_start(frames, i)
        size = scale * sqrt(dot(change[o], change[o + 1], change[o + 2], change[o], change[o + 1], change[o + 2]))
        size /= tolerance * (SLOWEST + sqrt(dot(u[o], u[o + 1], u[o + 2], u[o], u[o + 1], u[o + 2])))
        if not size <= largest:
            largest, who = size, i
    return largest, who


@kernel
def calc_error(body, h, sdirk_work, system_work):
    """(5) into `sdirk_work.error`."""
    sdirk, system = sdirk_work, system_work
    for j in range(sdirk.error.shape[0]):
        sdirk.error[j] = -(E0 * sdirk.a[j] + E1 * sdirk.first[j] + E2 * sdirk.rate[j])
    calc_zero(system.right)
    calc_residual(body, sdirk.error, system.right)
    solve_factored(system.elimination, system.factor, system.right)
    for j in range(sdirk.error.shape[0]):
        sdirk.error[j] = h * system.right[j]


@kernel
def add_turned(frames, share, span, u, a, rate_out):
    """Add a share of accelerations a as they are `span` later. Those of rotation stay as they are in the world, while
    the axes of the bodies turn by the vectors p = span w: a - p x a + p x (p x a)/2."""
    for k in range(FRAME_SIZE, a.shape[0]):
        rate_out[k] += share * a[k]
    for i in range(1, frames):
        o = FRAME_SIZE * i
        px, py, pz = span * u[o + 3], span * u[o + 4], span * u[o + 5]
        tx, ty, tz = cross(px, py, pz, a[o + 3], a[o + 4], a[o + 5])
        bx, by, bz = cross(px, py, pz, tx, ty, tz)
        rate_out[o + 3] += share * (0.5 * bx - tx)
        rate_out[o + 4] += share * (0.5 * by - ty)
        rate_out[o + 5] += share * (0.5 * bz - tz)


@kernel
def calc_begun(frames, h, state, u, sdirk_work, work):
    """A step begins: its first stage is predicted with the accelerations of the first stage before."""
    calc_copy(u, sdirk_work.base)
    calc_zero(sdirk_work.d_base)
    calc_zero(sdirk_work.rate)
    add_turned(frames, 1.0, h, u, sdirk_work.before, sdirk_work.rate)
    calc_copy(state.z, sdirk_work.z_base)
    calc_copy(sdirk_work.z_rate, work.z_rate)


@kernel(stage=True)
def calc_second(frames, h, u, sdirk_work, work):
    """The second stage begins: it is predicted with the accelerations at the start of the step, and with what the first
    stage has changed of those of the first stage before. Powers of the first stage are kept."""
    sdirk, rest = sdirk_work, (1.0 - C) * h
    calc_copy(sdirk.rate, sdirk.first)
    calc_zero(sdirk.rate)
    add_turned(frames, 1.0, h, u, sdirk.a, sdirk.rate)
    add_turned(frames, 1.0, rest, u, sdirk.first, sdirk.rate)
    add_turned(frames, -1.0, h + rest, u, sdirk.before, sdirk.rate)
    for j in range(u.shape[0]):
        sdirk.d_base[j] = rest * work.u_new[j]
        sdirk.base[j] = u[j] + rest * sdirk.first[j]
    for j in range(sdirk.z_base.shape[0]):
        sdirk.z_base[j] += rest * work.z_rate[j]
    for k in range(sdirk.power.shape[1]):
        sdirk.power[0, k] = (1.0 - C) * work.dissipated[k]
        sdirk.power[1, k] = (1.0 - C) * work.supplied[k]


@kernel
def find_step(left, h):
    """A step that divides what is left of the call [s], and is hardly longer than h."""
    return left / max(1.0, ceil(left / h - 1.0e-6))


@kernel
def evaluate_stage(t, span, memory_dt, now, is_repeated, state, sdirk_work, equations_work, ode_work):
    """Forces at the trial state, and slopes if they are wanted; `is_repeated`: points that touch are those of the
    evaluation before, which the last correction has moved."""
    equations, implicit, work = equations_work, equations_work.implicit, equations_work.work
    find_near(equations, ode_work)
    if implicit.wanted[0] == 1:
        implicit.h[0] = span
        calc_zero(implicit.value)
    calc_copy(sdirk_work.peak, work.joint_peak)  # gaps of states on the way do not count
    instant = Instant(t, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
    memory = (state.anchor, state.anchor_stamp, state.stamp[0], memory_dt)
    memory_out = (work.anchor, work.anchor_stamp, now)
    calc_forces(
        equations.tables, instant, memory, span if is_repeated else 0.0, work.z_rate, memory_out, implicit, work
    )
    sdirk_work.count[EVALUATIONS] += 1


@kernel
def solve_residual(drag, sdirk_work, equations_work):
    """(4): what the forces leave of the accelerations `rate`, and the correction for it. Returns False where the matrix
    is singular."""
    equations, system, work = equations_work, equations_work.system, equations_work.work
    node = equations.tables.node
    instant = Instant(0.0, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
    calc_loads(node, instant, drag, None, system.right, work)
    calc_residual(node, sdirk_work.rate, system.right)
    if equations.implicit.wanted[0] == 1:
        add_masses(node, system.pair_block, system.value)
        sdirk_work.count[MATRICES] += 1
        if calc_factor(system.elimination, system.value, system.shift, system.factor, system.pivot) != FACTORED:
            return False
    solve_correction(node, COUPLED, equations.implicit, system)
    return True


@kernel
def calc_fresh(length, z_rate, sdirk_work, system):
    """A fresh start: accelerations are those of the state, now and before."""
    for j in range(length):
        sdirk_work.rate[j] = system.solution[j]
    calc_copy(sdirk_work.rate, sdirk_work.a)
    calc_copy(sdirk_work.rate, sdirk_work.before)
    calc_copy(z_rate, sdirk_work.z_rate)


@kernel
def take_correction(share, is_last, is_slow, sdirk_work, equations_work):
    """Add a share of the correction to the accelerations; half of it where it goes back on the one before. The last one
    is added whole, so that forces are balanced. Returns the share of the next one."""
    sdirk, system, implicit = sdirk_work, equations_work.system, equations_work.implicit
    length = sdirk.rate.shape[0]
    if is_last and implicit.noted[0] == 1:
        solve_correction(equations_work.tables.node, COUPLED_SHOWN, implicit, system)
    if is_slow and calc_product(length, system.solution, sdirk.error) < 0.0:
        share *= 0.5
    for j in range(length):
        system.solution[j] *= 1.0 if is_last else share
        sdirk.error[j] = system.solution[j]
        sdirk.rate[j] += system.solution[j]
    return share


@kernel(stage="float64")
def end_stage(is_first, span, sdirk, acted_work, equations_work):
    """Forces and powers of a stage as they acted, and its end. Returns the energy T(a) + V(u) of (7)."""
    equations, implicit, work = equations_work, equations_work.implicit, equations_work.work
    tables, correction = equations.tables, equations.system.solution
    if implicit.noted[0] == 1:
        add_responses(tables, 0.0, work.R_new, implicit, correction, work)
        if is_first:
            calc_zero(acted_work.total)
        add_acted(1.0 - C if is_first else C, work, acted_work)
    elif implicit.pulled.touches[0] == 1:
        carry_rates(tables.carried, tables.node, work.x_new, work.R_new, correction)
    add_supplied(tables.scalar, work.R_new, correction, implicit, work)
    add_lost(span, work.R_new, correction, implicit, work)
    frames = work.R_new.shape[0]
    energy = calc_kinetic(tables.node, frames, sdirk.rate) + work.stored[LEDGER_NUMERICAL]
    calc_stage(frames, span, sdirk, work.u_new, work.d)
    return energy


@kernel(stage=True)
def keep_step(t, h, now, damped, state_out, sdirk_work, equations_work):
    """The step is accepted; `damped` is the sum in (7)."""
    equations, work, sdirk = equations_work, equations_work.work, sdirk_work
    u, u_new, span = work.u, work.u_new, C * h
    for j in range(work.z_new.shape[0]):
        work.z_new[j] = sdirk.z_base[j] + span * work.z_rate[j]
    place_nodes(equations, t, False, False, 0.0, state_out, work.d, u_new)
    for k in range(sdirk.power.shape[1]):
        state_out.ledger[0, k] += h * (sdirk.power[0, k] + C * work.dissipated[k])
        state_out.ledger[1, k] += h * (sdirk.power[1, k] + C * work.supplied[k])
    state_out.ledger[0, LEDGER_NUMERICAL] += span * span * damped  # (7)
    keep_instant(work, state_out)
    calc_remembered(t, now, work, state_out)
    calc_copy(work.joint_peak, sdirk.peak)
    for j in range(u.shape[0]):
        sdirk.error[j] = (u_new[j] - u[j]) / h
    calc_copy(u_new, u)
    calc_copy(sdirk.rate, sdirk.a)
    calc_copy(sdirk.first, sdirk.before)
    calc_copy(work.z_rate, sdirk.z_rate)
    calc_zero(work.d)
    sdirk.count[STEPS] += 1


@kernel(entry=True)
def solve_sdirk(
    # in
    is_fresh,
    end,
    tolerance,
    fixed,
    drag,
    # out
    state_out,
    # work
    sdirk_work,
    acted_work,
    equations_work,
    ode_work,
):
    """Advance `state_out` to the time `end`; where it is there already, it is only evaluated.

    `is_fresh`: `sdirk_work` does not know the state. `fixed` [s]: length of all steps, or zero where (6) chooses it.
    Returns (status, node): DONE, DIVERGED with the node that left the range of numbers, SINGULAR, or STALLED with the
    node that asks for too short steps; the state is then the last accepted one. Forces and accelerations that are left
    in the workspace are the means of the last step; after a call without steps, those of the state.
    """
    equations, tables, work = equations_work, equations_work.tables, equations_work.work
    implicit, system, node, state, sdirk = equations.implicit, equations.system, tables.node, state_out, sdirk_work
    frames = state.R.shape[0]
    u, u_new, d, z_rate, z_new = work.u, work.u_new, work.d, work.z_rate, work.z_new
    implicit.grip[0], implicit.ahead[0] = GRIP, 0.0
    ode_work.is_searched[0] = 0
    calc_copy(work.joint_peak, sdirk.peak)
    copy_instant(state, work)
    read_speeds(equations, state, u)
    calc_copy(u, u_new)
    calc_zero(d)
    now, t = state.stamp[0], state.time[0]
    memory_dt = damped = 0.0
    if is_fresh:
        sdirk.h[0] = fixed if fixed > 0.0 else FIRST_STEP
    h = find_step(end - t, sdirk.h[0]) if end > t else 0.0
    stage = AT_START if is_fresh else FIRST if end > t else AT_END
    is_new, has_steps = True, False
    turn, size_before, is_slow = 0, 0.0, False
    is_due, is_renewed, share = True, False, 1.0  # the matrix is to be made; it was renewed; share of corrections
    # one evaluation a turn: a single call keeps the compiled code small
    while True:
        span = C * h if h > 0.0 else C * sdirk.h[0]
        if is_new:
            is_new, turn, is_slow, is_due, is_renewed, share = False, 0, False, stage in (AT_START, FIRST), False, 1.0
            if stage == FIRST:
                calc_begun(frames, h, state, u, sdirk, work)
        if stage in (FIRST, SECOND):
            t = state.time[0] + (span if stage == FIRST else h)
            memory_dt = t - state.time[0]
            calc_stage(frames, span, sdirk, u_new, d)
            for j in range(z_new.shape[0]):
                z_new[j] = sdirk.z_base[j] + span * z_rate[j]
        place_nodes(equations, t, False, False, 0.0, state, d, u_new)
        _, who = find_fastest(work.v_new, work.w_new, tables.contact.search_reach)
        is_failed, factor = who >= 0, SHRINK
        if is_failed and (stage not in (FIRST, SECOND) or fixed > 0.0 or h < 2.0 * SHORTEST_STEP):
            return DIVERGED, who
        if not is_failed:
            implicit.wanted[0] = 1 if is_due else 0
            implicit.noted[0] = 1 if 1.001 * h >= end - state.time[0] else 0
            now += 1
            evaluate_stage(t, span, memory_dt, now, turn > 0 and not is_due, state, sdirk, equations, ode_work)
            if stage == AT_END:
                break
            if stage == AT_START:
                calc_zero(sdirk.rate)
            if not solve_residual(drag, sdirk, equations):
                # solids under pressure: masses over the square of a shorter step make the matrix definite
                if stage == AT_START or fixed > 0.0 or h < 2.0 * SHORTEST_STEP:
                    return SINGULAR, -1
                sdirk.count[REJECTED] += 1
                h *= 0.5
                sdirk.h[0] = h
                stage, is_new = FIRST, True
                continue
            if stage == AT_START:
                calc_fresh(u.shape[0], z_rate, sdirk, system)
                stage, is_new = FIRST, True
                if end > t:
                    continue
                break
            turn += 1
            size, who = find_largest(node, tolerance, span, system.solution, u)
            # corrections that shrink by the same factor go on to size^2/(size_before - size)
            is_met = size <= NEWTON or (turn > 1 and size * size <= NEWTON * (size_before - size))
            is_slow = turn > 1 and not size <= SLOW * size_before
            is_due = is_slow and not is_renewed
            is_renewed = is_renewed or is_due
            is_last = is_met or turn == MOST_TURNS
            share = take_correction(share, is_last, is_slow, sdirk, equations)
            size_before = size
            if not is_last:
                continue
            is_failed = not is_met and fixed == 0.0
            factor = 0.5
        if not is_failed:
            energy = end_stage(stage == FIRST, span, sdirk, acted_work, equations)
            if stage == FIRST:
                damped = -energy
                calc_second(frames, h, u, sdirk, work)
                stage, is_new = SECOND, True
                continue
            damped += energy
            size = 0.0
            if fixed == 0.0:
                calc_error(node, h, sdirk, system)
                size, who = find_largest(node, tolerance, 1.0, sdirk.error, u)
            is_failed, factor = not size <= 1.0, SAFETY * size ** (-1.0 / 3.0) if size > 0.0 else 1.0
        if is_failed:
            sdirk.count[REJECTED] += 1
            h *= max(SHRINK, factor)
            if h < SHORTEST_STEP:
                return STALLED, who
            sdirk.h[0] = h
            stage, is_new = FIRST, True
            continue
        keep_step(t, h, now, damped, state, sdirk, equations)
        has_steps = is_new = True
        if fixed == 0.0:
            sdirk.h[0] = min(LONGEST_STEP, h * min(GROW, SAFETY * max(size, 1.0e-6) ** (-1.0 / 3.0)))
        if end - t > 1.0e-3 * SHORTEST_STEP:
            h = find_step(end - t, sdirk.h[0])
            stage = FIRST
        else:
            state.time[0] = t = end
            stage, memory_dt = AT_END, 0.0
    if has_steps:
        show_acted(acted_work, work)
        show_rates(equations, sdirk.error)
    else:
        show_rates(equations, sdirk.a)
    add_exactness(node, state.R)
    return DONE, -1
