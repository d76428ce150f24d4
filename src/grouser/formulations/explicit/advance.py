"""The time loop of the `explicit` formulation: many steps inside compiled code.

Trapezoidal rule as one predictor and one corrector pass, both from the values of the last step (S0-3..5):

    v = v_old + dt/2 (a + a_old)      x = x_old + dt/2 (v + v_old)                        (1)
    w = w_old + dt/2 (dw + dw_old)    R = R_old exp(skew(dt/2 (w + w_old)))               (2)

with a = a_old in the predictor pass. The acceleration is evaluated again at the accepted state, so the scheme
loses a factor 1 - (omega dt)^4/16 of an undamped amplitude per step and is stable up to
dt = 2/omega (sqrt(1 + zeta^2) - zeta).

Powers P of dissipation and of drives are integrated beside the motion, so that each run carries its energy balance,

    E = E_old + dt/2 (P + P_old)                                                          (3)

with P of the predictor pass: its forces are the ones that moved the bodies. States z of drives have a rate but no
acceleration; their predictor is the two-step Adams formula, so that it is as accurate as that of the positions,

    z = z_old + dt (3/2 dz_old - 1/2 dz_older),   corrector as (1)                        (4)
"""

from __future__ import annotations

from grouser.formulations.explicit.evaluate import calc_accelerations
from grouser.kernels._jit import kernel
from grouser.kernels.contact.candidates import calc_turning_reach, find_candidates
from grouser.kernels.copy import calc_copy, calc_copy_matrices, calc_copy_rows
from grouser.kernels.rotation import add_orthonormality, calc_rotated

DONE, DIVERGED = 0, 1
SPEED_LIMIT = 1e4
"""Speed [m/s], or ten times this angular velocity [rad/s], beyond which a run has diverged: no vehicle gets there."""
SKIN = 0.03
"""Distance [m] by which the search for contact candidates looks ahead."""


@kernel
def calc_moved(count, dt, x_old, R_old, v_old, w_old, a_old, dw_old, a, dw, x_out, R_out, v_out, w_out):
    """(1) and (2) for all bodies. Returns the largest squared speed and angular velocity, and the body that has left
    the range of numbers, or -1."""
    half = 0.5 * dt
    fastest = quickest = 0.0
    for i in range(count):
        speed = 0.0
        for k in range(3):
            v_new = v_old[i, k] + half * (a[i, k] + a_old[i, k])
            v_out[i, k] = v_new
            x_out[i, k] = x_old[i, k] + half * (v_new + v_old[i, k])
            speed += v_new * v_new
        w0 = w_old[i, 0] + half * (dw[i, 0] + dw_old[i, 0])
        w1 = w_old[i, 1] + half * (dw[i, 1] + dw_old[i, 1])
        w2 = w_old[i, 2] + half * (dw[i, 2] + dw_old[i, 2])
        tx, ty, tz = half * (w0 + w_old[i, 0]), half * (w1 + w_old[i, 1]), half * (w2 + w_old[i, 2])
        w_out[i, 0], w_out[i, 1], w_out[i, 2] = w0, w1, w2
        calc_rotated(R_old, i, tx, ty, tz, R_out)
        spin = w0 * w0 + w1 * w1 + w2 * w2
        # a sum and a negated comparison, so that NaN in either counts as too fast
        if not speed + 0.01 * spin <= SPEED_LIMIT * SPEED_LIMIT:
            return speed, spin, i
        fastest = max(fastest, speed)
        quickest = max(quickest, spin)
    return fastest, quickest, -1


@kernel
def calc_copied(x, R, v, w, z, x_out, R_out, v_out, w_out, z_out):
    """Copy a state, the world's row included."""
    calc_copy_rows(x, x_out)
    calc_copy_matrices(R, R_out)
    calc_copy_rows(v, v_out)
    calc_copy_rows(w, w_out)
    calc_copy(z, z_out)


@kernel(entry=True)
def solve_steps(
    # tables
    tables,
    # in
    step_count,
    dt,
    drag,
    # out
    state_out,
    # work
    work,
):
    """Advance `state_out` by `step_count` steps of dt.

    Returns (status, body): DONE, or DIVERGED with the body that left the range of numbers; the state is then the
    last accepted one.
    """
    body_count = tables.body.mass.shape[0]
    x, R, v, w, z = state_out.x, state_out.R, state_out.v, state_out.w, state_out.z
    time, ledger, anchor, anchor_stamp = (
        state_out.time,
        state_out.ledger,
        state_out.anchor,
        state_out.anchor_stamp,
    )
    a_old, dw_old, z_rate_old, z_rate_older = work.a_old, work.dw_old, work.z_rate_old, work.z_rate_older
    a, dw, z_rate = work.a, work.dw, work.z_rate
    x_new, R_new, v_new, w_new, z_new = work.x_new, work.R_new, work.v_new, work.w_new, work.z_new
    start = time[0]
    # evaluations are numbered, so that friction memory knows whether a contact was there one step ago
    now = state_out.stamp[0]
    memory_dt = 0.0
    calc_copied(x, R, v, w, z, x_new, R_new, v_new, w_new, z_new)
    find_candidates(tables.shape, tables.contact, tables.terrain, x, R, SKIN, work.pair, work.pair_count)
    travelled = 0.0
    reach = calc_turning_reach(tables.shape, tables.contact)
    step = 0
    accepted = True
    t = start
    status, who = DONE, -1
    # One evaluation a turn, at the trial state: a single call keeps the compiled code small.
    while True:
        number = now if accepted else now - 1
        calc_accelerations(
            tables,
            t,
            x_new,
            R_new,
            v_new,
            w_new,
            z_new,
            (anchor, anchor_stamp, state_out.stamp[0], memory_dt),
            drag,
            a,
            dw,
            z_rate,
            (work.anchor, work.anchor_stamp, number),
            work,
        )
        if accepted:
            if step > 0:
                calc_copied(x_new, R_new, v_new, w_new, z_new, x, R, v, w, z)
                calc_copy_rows(work.anchor, anchor)
                calc_copy(work.anchor_stamp, anchor_stamp)
                time[0] = t
                state_out.stamp[0] = now
            calc_copy(work.dissipated, work.dissipated_old)
            calc_copy(work.supplied, work.supplied_old)
            calc_copy(z_rate_old if step > 0 else z_rate, z_rate_older)
            calc_copy_rows(a, a_old)
            calc_copy_rows(dw, dw_old)
            calc_copy(z_rate, z_rate_old)
            if step == step_count:
                break
            step += 1
            now += 2
            memory_dt = dt
            t = start + step * dt
            for j in range(z.shape[0]):
                z_new[j] = z[j] + dt * (1.5 * z_rate_old[j] - 0.5 * z_rate_older[j])  # (4)
        else:
            for j in range(z.shape[0]):
                z_new[j] = z[j] + 0.5 * dt * (z_rate[j] + z_rate_old[j])
            for k in range(ledger.shape[1]):  # (3)
                ledger[0, k] += 0.5 * dt * (work.dissipated[k] + work.dissipated_old[k])
                ledger[1, k] += 0.5 * dt * (work.supplied[k] + work.supplied_old[k])
        # after an accepted state a equals a_old: the same update is then the predictor
        fastest, quickest, who = calc_moved(
            body_count, dt, x, R, v, w, a_old, dw_old, a, dw, x_new, R_new, v_new, w_new
        )
        if who >= 0:
            status = DIVERGED
            break
        accepted = not accepted
        if accepted:
            travelled += 2.0 * dt * (fastest**0.5 + reach * quickest**0.5)
            if travelled > SKIN:
                find_candidates(
                    tables.shape, tables.contact, tables.terrain, x_new, R_new, SKIN, work.pair, work.pair_count
                )
                travelled = 0.0
    add_orthonormality(R, body_count)
    return status, who
