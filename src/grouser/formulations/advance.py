"""The time loop: many steps of any formulation inside compiled code.

A formulation has velocities u with rates du/dt: those of all nodes, or the speeds of the joints of a tree. Positions
move by increments: x + d, R exp(skew(d)), coordinates of joints likewise. With a the rates at a state:

Trapezoidal rule as one predictor and one corrector pass, both from the values of the last step (S0-3..5):

    u = u_old + dt/2 (a + a_old)      d = dt/2 (u + u_old)                                (1)

with a = a_old in the predictor pass. The rates are evaluated again at the accepted state, so the scheme loses a factor
1 - (omega dt)^4/16 of an undamped amplitude per step and is stable up to dt = 2/omega (sqrt(1 + zeta^2) - zeta).

Semi-implicit Euler:

    u = u_old + dt a_old              d = dt u                                            (2)

with one evaluation a step. Where the rates come from the linearly implicit system with h = dt, (2) is the linearly
implicit Euler step.

Leapfrog, or central differences: speeds u of half a step beside the positions, with one evaluation a step,

    u(+dt/2) = u(-dt/2) + dt a        d = dt u(+dt/2)                                     (5)

and half of the kick dt a at the beginning and at the end of the call, where u is to be that of the positions. Which
velocities a depends on is told in `staggered.py`. Steps are as stable as in (1), at half the cost, where forces are
those of positions and velocities; of z see (4).

Powers P of dissipation and of drives are integrated beside the motion, so that each run carries its energy balance,

    E = E_old + dt/2 (P + P_old)                                                          (3)

with P of the predictor pass in (1): its forces are the ones that moved the bodies. States z of drives have a rate but
no acceleration; their predictor is the two-step Adams formula, so that it is as accurate as that of the positions,

    z = z_old + dt (3/2 dz_old - 1/2 dz_older),   corrector as (1)                        (4)

In linearly implicit steps powers are those at the end of the step, where its forces are balanced, and so are the rates
of the states of brakes,

    E = E_old + dt P,   z = z_old + dt dz                                                 (6)

What such a step takes from the energy of a linear system besides is numerical damping, and booked as such:

    dt^2 (T(a) + V(u)),   T(a) = a.M a/2,  V(u) = u.K u/2                                 (7)

In steps of (2) and (5) the predictor is all. A z that follows velocities, such as the deflection of a tyre, then lags
by half a step: where its force is that of a spring k, damping of more than k dt/2 must stand beside it.
"""

from __future__ import annotations

from math import inf, nan, sqrt

from grouser.formulations.acted import add_acted, add_responses, show_acted
from grouser.formulations.augmented.project import TOLERANCE, TOLERANCE_RATE, calc_mass_factor, solve_projection
from grouser.formulations.embedded.kinematics import NO_ENTRY
from grouser.formulations.evaluate import calc_accelerations
from grouser.formulations.recursive.kinematics import calc_coordinates
from grouser.formulations.schemes import EULER, LEAPFROG, TRAPEZOIDAL
from grouser.formulations.tree import solve_placed
from grouser.kernels._jit import kernel
from grouser.kernels.contact.candidates import find_candidates
from grouser.kernels.copy import calc_copy, calc_copy_matrices, calc_copy_rows, calc_zero
from grouser.kernels.forces.powertrain import add_brake_response
from grouser.kernels.inertia import calc_kinetic
from grouser.kernels.joints.mobility import calc_coordinates_moved
from grouser.kernels.kinds import FAMILY_MOTIONS, FAMILY_NUMERICAL
from grouser.kernels.nodes import FRAME_SIZE, calc_gathered, find_point_start
from grouser.kernels.plane import add_uprightness
from grouser.kernels.rotation import add_orthonormality, calc_rotated
from grouser.kernels.view import Instant

DONE, DIVERGED, SINGULAR, STALLED, OPEN, UNDETERMINED = 0, 1, 2, 3, 4, 5
SPEED_LIMIT = 1e4
"""Speed [m/s], or ten times this angular velocity [rad/s], beyond which a run has diverged: no vehicle gets there."""
GRIP = 0.5
"""Least slope of friction along its direction, as a share of that across it: see `grouser.kernels.contact.law`."""
SKIN = 0.03
"""Distance [m] by which the search for contact candidates looks ahead."""


@kernel
def calc_nodes_moved(body, x, R, d, u, x_out, R_out, v_out, w_out):
    """All nodes with velocities u, moved by d from (x, R)."""
    frames = R.shape[0]
    for i in range(1, frames):
        o = FRAME_SIZE * i
        for k in range(3):
            x_out[i, k] = x[i, k] + d[o + k]
            v_out[i, k] = u[o + k]
            w_out[i, k] = u[o + 3 + k]
        calc_rotated(R, i, d[o + 3], d[o + 4], d[o + 5], R_out)
    for i in range(frames, body.mass.shape[0]):
        o = find_point_start(frames, i)
        for k in range(3):
            x_out[i, k] = x[i, k] + d[o + k]
            v_out[i, k] = u[o + k]


@kernel
def calc_moved(
    # tables
    tables,
    # in
    t,
    is_last,
    is_staggered,
    carry,
    x,
    R,
    z,
    d,
    # out
    u_out,
    x_out,
    R_out,
    v_out,
    w_out,
    # work
    system_work,
    tree_work,
    work,
):
    """The state with velocities u, moved by d from (x, R); if it is the last of a step, brought onto the constraints,
    which changes u. Where `is_staggered`, u is of half a step before, and only what moves positions changes it.
    `carry`: see `augmented/project.py`. Returns as `tree.solve_placed`."""
    found = NO_ENTRY
    if tree_work is not None:
        calc_coordinates_moved(tree_work.tree, 1.0, tree_work.q, d, tree_work.q_new)
        instant = Instant(t, x_out, R_out, v_out, w_out, z)
        found = solve_placed(tables, is_last, is_staggered, carry, u_out, instant, tree_work)
    else:
        calc_nodes_moved(tables.body, x, R, d, u_out, x_out, R_out, v_out, w_out)
        if system_work is not None and is_last and tables.constraint.row_kind.shape[0] > 0:
            solve_projection(
                tables,
                system_work.ideal,
                t,
                z,
                TOLERANCE,
                inf if is_staggered else TOLERANCE_RATE,
                carry,
                x_out,
                R_out,
                v_out,
                w_out,
                system_work,
                work,
            )
            calc_gathered(tables.body, v_out, w_out, u_out)
    return found


@kernel
def calc_spread_accelerations(body, rate, work):
    """Rates of the velocities of all nodes as the accelerations that observers look at."""
    frames = work.dw.shape[0]
    for i in range(1, frames):
        for k in range(3):
            work.a[i, k] = rate[FRAME_SIZE * i + k]
            work.dw[i, k] = rate[FRAME_SIZE * i + 3 + k]
    for i in range(frames, body.mass.shape[0]):
        for k in range(3):
            work.a[i, k] = rate[find_point_start(frames, i) + k]


@kernel
def add_impulse_work(constraint, impulse, nu, ledger_out):
    """Work that ideal motions do by the impulses of the projection onto the constraints."""
    for i in range(constraint.body_a.shape[0]):
        if constraint.scalar[i] >= 0:
            row = constraint.row_start[i]
            ledger_out[1, FAMILY_MOTIONS] -= impulse[row] * nu[row]


@kernel
def find_fastest(v, w, turning):
    """Largest speed [m/s] of what lies within the reach `turning` of a node, and the node that has left the range of
    numbers, or -1."""
    fastest = 0.0
    for i in range(1, w.shape[0]):
        speed = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        spin = w[i, 0] * w[i, 0] + w[i, 1] * w[i, 1] + w[i, 2] * w[i, 2]
        # a sum and a negated comparison, so that NaN in either counts as too fast
        if not speed + 0.01 * spin <= SPEED_LIMIT * SPEED_LIMIT:
            return inf, i
        if turning[i] > 0.0:
            speed += turning[i] * (turning[i] * spin + 2.0 * sqrt(speed * spin))
        fastest = max(fastest, speed)
    for i in range(w.shape[0], v.shape[0]):
        speed = v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2]
        if not speed <= SPEED_LIMIT * SPEED_LIMIT:
            return inf, i
        fastest = max(fastest, speed)
    return sqrt(fastest), -1


@kernel
def calc_copied(x, R, v, w, z, x_out, R_out, v_out, w_out, z_out):
    """Copy a state, the world's row included."""
    calc_copy_rows(x, x_out)
    calc_copy_matrices(R, R_out)
    calc_copy_rows(v, v_out)
    calc_copy_rows(w, w_out)
    calc_copy(z, z_out)


@kernel
def is_held(state, dt, drag, held, work):
    """Whether the scratch of linearly implicit steps holds the evaluation of this very state, from the end of the call
    before: with few steps in a frame, to make it again would cost a share of them all."""
    # times of frames are rounded
    if not (abs(held[0] - state.time[0]) < 1e-9 and held[1] == dt and held[2] == drag):
        return False
    for j in range(state.z.shape[0]):
        if state.z[j] != work.z_new[j]:
            return False
    for i in range(1, state.x.shape[0]):
        for k in range(3):
            if state.x[i, k] != work.x_new[i, k] or state.v[i, k] != work.v_new[i, k]:
                return False
    for i in range(1, state.w.shape[0]):
        for k in range(3):
            if state.w[i, k] != work.w_new[i, k]:
                return False
            for j in range(3):
                if state.R[i, k, j] != work.R_new[i, k, j]:
                    return False
    return True


@kernel(entry=True)
def solve_steps(
    # tables
    tables,
    # in
    scheme,
    step_count,
    dt,
    drag,
    # out
    state_out,
    # work
    acted_work,
    blocks_work,
    system_work,
    tree_work,
    work,
):
    """Advance `state_out` by `step_count` steps of dt; with none it is only brought onto its constraints and evaluated.

    `blocks_work`, `system_work`, `tree_work` choose the formulation: see `evaluate.py`. Returns (status, body,
    evaluations): DONE, DIVERGED with the body that left the range of numbers, SINGULAR, OPEN with the entry of the
    constraints that cannot be closed, or UNDETERMINED; the state is then the last accepted one, in leapfrog steps with
    velocities of half a step before. `acted_work` gets the forces that acted last, of leapfrog steps without ideal
    joints.
    """
    x, R, v, w, z = state_out.x, state_out.R, state_out.v, state_out.w, state_out.z
    time, ledger, anchor, anchor_stamp = (
        state_out.time,
        state_out.ledger,
        state_out.anchor,
        state_out.anchor_stamp,
    )
    u, u_new, d, rate_old, rate = work.u, work.u_new, work.d, work.u_rate_old, work.u_rate
    z_rate_old, z_rate_older, z_rate = work.z_rate_old, work.z_rate_older, work.z_rate
    x_new, R_new, v_new, w_new, z_new = work.x_new, work.R_new, work.v_new, work.w_new, work.z_new
    start = time[0]
    held = dt < 0.0  # never, and not the literal False, for which all would be compiled again
    if blocks_work is not None:
        held = is_held(state_out, dt, drag, blocks_work.held, work)
        blocks_work.h[0], blocks_work.ahead[0], blocks_work.grip[0], blocks_work.wanted[0] = dt, dt, GRIP, 1
        blocks_work.held[0] = nan
        calc_zero(blocks_work.last)
    if tree_work is not None:
        calc_coordinates(tree_work.tree, x, R, v, w, tree_work.q, u, tree_work.work)
        tree_work.cut_work.ready[0] = 0
        calc_copy(tree_work.q, tree_work.q_new)
    elif system_work is not None and not held and tables.constraint.row_kind.shape[0] > 0:
        calc_mass_factor(tables, system_work.ideal, start, x, R, v, w, z, system_work, work)
    if tree_work is None:
        calc_gathered(tables.body, v, w, u)
    for j in range(u.shape[0]):
        d[j] = 0.0
    # evaluations are numbered, so that friction memory knows whether a contact was there one step ago
    now = state_out.stamp[0]
    memory_dt = 0.0
    calc_copied(x, R, v, w, z, x_new, R_new, v_new, w_new, z_new)
    calc_copy(u, u_new)
    step = 0
    accepted = step == 0  # not the literal True, for which all that it is handed to would be compiled again
    is_staggered, is_end = step > 0, False  # speeds are half a step behind; they are about to catch up
    if not held:
        found = calc_moved(
            tables, start, accepted, is_staggered, 0.0, x, R, z, d, u_new, x_new, R_new, v_new, w_new, system_work,
            tree_work, work,
        )  # fmt: skip
        if found != NO_ENTRY:
            return OPEN if found >= 0 else UNDETERMINED, found, 0
        calc_copied(x_new, R_new, v_new, w_new, z_new, x, R, v, w, z)
        calc_copy(u_new, u)
    if tree_work is not None:
        calc_copy(tree_work.q_new, tree_work.q)
    if tables.contact.kind.shape[0] > 0:
        find_candidates(tables.shape, tables.contact, tables.terrain, x, R, SKIN, work.pair, work.pair_count)
    travelled = 0.0
    t = start
    status, who, evaluations = DONE, -1, 0
    half = 0.5 * dt
    carry = 0.0 if scheme == TRAPEZOIDAL else 1.0 / dt
    # One evaluation a turn, at the trial state: a single call keeps the compiled code small.
    while True:
        number = now if accepted else now - 1
        solved = held
        if blocks_work is not None:
            blocks_work.noted[0] = 1 if step == step_count else 0
            if step == step_count:
                calc_zero(blocks_work.last)  # so that the evaluation of a frame does not depend on the steps before
        if not held:
            evaluations += 1
            solved = calc_accelerations(
                tables,
                t,
                x_new,
                R_new,
                v_new,
                w_new,
                z_new,
                (anchor, anchor_stamp, state_out.stamp[0], memory_dt),
                half if accepted and step > 0 and scheme == TRAPEZOIDAL else 0.0,
                half if is_staggered else 0.0,
                drag,
                accepted,
                rate,
                z_rate,
                (work.anchor, work.anchor_stamp, number),
                blocks_work,
                system_work,
                tree_work,
                work,
            )
        if not solved:
            status = SINGULAR
            break
        if blocks_work is not None:
            for j in range(blocks_work.last.shape[0]):
                blocks_work.last[j] = rate[j]
            if not held:
                if tables.brake.body.shape[0] > 0:
                    add_brake_response(tables.brake, dt, R_new, work.w_world, z_new, rate, z_rate)
                if step == step_count:
                    add_responses(tables, 1.0, R_new, rate, blocks_work, work)
        held = False
        if accepted:
            if step > 0:
                calc_copied(x_new, R_new, v_new, w_new, z_new, x, R, v, w, z)
                calc_copy(u_new, u)
                if tree_work is not None:
                    calc_copy(tree_work.q_new, tree_work.q)
                if is_staggered or scheme != LEAPFROG:  # no time passes while speeds catch up
                    calc_copy_rows(work.anchor, anchor)
                    calc_copy(work.anchor_stamp, anchor_stamp)
                time[0] = t
                state_out.stamp[0] = now
                if scheme == EULER or is_staggered:
                    if blocks_work is not None:  # (6), (7)
                        calc_copy(work.dissipated, work.dissipated_old)
                        calc_copy(work.supplied, work.supplied_old)
                        damped = calc_kinetic(tables.body, R.shape[0], rate_old) + work.stored[FAMILY_NUMERICAL]
                        ledger[0, FAMILY_NUMERICAL] += dt * dt * damped
                    for k in range(ledger.shape[1]):  # (3)
                        ledger[0, k] += half * (work.dissipated[k] + work.dissipated_old[k])
                        ledger[1, k] += half * (work.supplied[k] + work.supplied_old[k])
            calc_copy(work.dissipated, work.dissipated_old)
            calc_copy(work.supplied, work.supplied_old)
            calc_copy(z_rate_old if step > 0 and blocks_work is None else z_rate, z_rate_older)
            calc_copy(rate, rate_old)
            calc_copy(z_rate, z_rate_old)
            is_end = step == step_count
            if is_end and not is_staggered:
                break
            if tree_work is None and is_end and tables.constraint.row_kind.shape[0] == 0:
                calc_spread_accelerations(tables.body, rate, work)
                calc_zero(acted_work.total)
                add_acted(1.0, work, acted_work)
            memory_dt = 0.0 if is_end else dt
            if not is_end:
                step += 1
                now += 2
                t = start + step * dt
                for j in range(z.shape[0]):
                    z_new[j] = z[j] + dt * (1.5 * z_rate_old[j] - 0.5 * z_rate_older[j])  # (4)
        else:
            for j in range(z.shape[0]):
                z_new[j] = z[j] + half * (z_rate[j] + z_rate_old[j])
            for k in range(ledger.shape[1]):  # (3)
                ledger[0, k] += half * (work.dissipated[k] + work.dissipated_old[k])
                ledger[1, k] += half * (work.supplied[k] + work.supplied_old[k])
        if scheme == TRAPEZOIDAL:
            # after an accepted state the rates equal the old ones: the same update is then the predictor
            for j in range(u.shape[0]):  # (1)
                u_new[j] = u[j] + half * (rate[j] + rate_old[j])
                d[j] = half * (u_new[j] + u[j])
            accepted = not accepted
        else:
            # half at the beginning, where both are false, and at the end, where both are true
            kick = half if scheme == LEAPFROG and is_staggered == is_end else dt
            drift = 0.0 if is_end else dt
            for j in range(u.shape[0]):  # (2), (5)
                u_new[j] = u[j] + kick * rate[j]
                d[j] = drift * u_new[j]
            accepted = True
            is_staggered = scheme == LEAPFROG and not is_end
        found = calc_moved(
            tables, t, accepted, is_staggered, carry, x, R, z_new, d, u_new, x_new, R_new, v_new, w_new, system_work,
            tree_work, work,
        )  # fmt: skip
        if found != NO_ENTRY:
            status, who = OPEN if found >= 0 else UNDETERMINED, found
            break
        fastest, who = find_fastest(v_new, w_new, tables.contact.turning)
        if who >= 0:
            status = DIVERGED
            break
        if accepted:
            if tree_work is not None:
                add_impulse_work(tree_work.constraint, tree_work.cut_work.impulse, tree_work.cut_work.nu, ledger)
            elif system_work is not None:
                add_impulse_work(tables.constraint, system_work.impulse, system_work.nu, ledger)
            travelled += 2.0 * dt * fastest
            if travelled > SKIN and tables.contact.kind.shape[0] > 0:
                find_candidates(
                    tables.shape, tables.contact, tables.terrain, x_new, R_new, SKIN, work.pair, work.pair_count
                )
                travelled = 0.0
    if tree_work is None:
        calc_spread_accelerations(tables.body, rate, work)
        if scheme == LEAPFROG and step_count > 0 and tables.constraint.row_kind.shape[0] == 0:
            show_acted(acted_work, work)
    add_orthonormality(R)
    add_uprightness(tables.body, R)
    if blocks_work is not None and status == DONE:
        calc_copy_matrices(R, R_new)
        blocks_work.held[0], blocks_work.held[1], blocks_work.held[2] = time[0], dt, drag
    return status, who, evaluations
