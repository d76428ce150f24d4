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

The first and the last change of u in a call have half this size, so that u and the positions are of the same time
before and after the call. The velocities that a depends on are told in `grouser.formulations.leapfrog_velocities`.
Steps are as stable as in (1), at half the cost, where forces depend on positions and velocities alone. For forces that
depend on states z see the last paragraph.

Powers P of dissipation and of drives are integrated beside the motion, so that each run carries its energy balance,

    E = E_old + dt/2 (P + P_old)                                                          (3)

with P of the predictor pass in (1): its forces are the ones that moved the bodies. States z of drives have a rate but
no acceleration; their predictor is the two-step Adams formula, so that it is as accurate as that of the positions,

    z = z_old + dt (3/2 dz_old - 1/2 dz_older),   corrector as (1)                        (4)

In linearly implicit steps powers are those at the end of the step, where its forces are balanced, and so are the rates
of the states of brakes and of friction of joints,

    E = E_old + dt P,   z = z_old + dt dz                                                 (6)

What such a step takes from the energy of a linear system besides is numerical damping, and booked as such:

    dt^2 (T(a) + V(u)),   T(a) = a.M a/2,  V(u) = u.K u/2                                 (7)

Steps of (2) and (5) have the predictor (4) of z and no corrector. A z that follows velocities, such as the deflection
of a tyre, is then late by half a step. If z acts as a spring k, it takes away damping of k dt/2, so the element must
have more damping than that.
"""

from __future__ import annotations

from math import nan

from grouser.families.brake.kernel import add_brake_response
from grouser.families.joint_friction.kernel import add_anchor_rates
from grouser.formulations.acted import add_acted, add_responses, show_acted
from grouser.formulations.coordinates import (
    book_impulses,
    is_absolute,
    keep_place,
    place_nodes,
    prepare_projection,
    read_speeds,
    show_rates,
)
from grouser.formulations.embedded.kinematics import NO_ENTRY
from grouser.formulations.evaluate import calc_accelerations
from grouser.formulations.status import DIVERGED, DONE, OPEN, SINGULAR, UNDETERMINED
from grouser.formulations.trial import SKIN, copy_instant, find_fastest, keep_instant, search_contacts
from grouser.integrators.declarations import EULER, LEAPFROG, TRAPEZOIDAL
from grouser.integrators.predict import calc_predicted, find_next
from grouser.integrators.together import (
    calc_rates_together,
    finish_nodes,
    keep_node_rates,
    keep_nodes,
    move_together,
    share_pairs,
)
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_copy, calc_copy_matrices, calc_copy_rows, calc_zero
from grouser.kernels.inertia import calc_kinetic
from grouser.kernels.kinds import LEDGER_NUMERICAL
from grouser.kernels.plane import add_exactness

GRIP = 0.5
"""Least slope of friction along its direction, as a share of that across it: see `grouser.kernels.contact.law`."""


@kernel
def is_same_state(state, work):
    """Whether the trial state is this very state."""
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


@kernel
def _begin_implicit(implicit_work, dt, drag, state, work):
    """Set up linearly implicit steps. Returns whether the scratch holds the evaluation of this very state, from the end
    of the call before: with few steps in a frame, to make it again would cost a share of them all."""
    is_held = dt < 0.0  # always false; the literal would have another type, and all would be compiled again
    if implicit_work is not None:
        held = implicit_work.held
        # times of frames are rounded
        is_held = abs(held[0] - state.time[0]) < 1e-9 and held[1] == dt and held[2] == drag
        is_held = is_held and is_same_state(state, work)
        implicit_work.h[0], implicit_work.ahead[0], implicit_work.grip[0], implicit_work.wanted[0] = dt, dt, GRIP, 1
        held[0] = nan
        calc_zero(implicit_work.rates_before)
    return is_held


@kernel
def _ask_for_slopes(implicit_work, is_shown):
    """Have elements keep their slopes where the forces of a step are shown."""
    if implicit_work is not None:
        implicit_work.noted[0] = 1 if is_shown else 0
        if is_shown:
            calc_zero(
                implicit_work.rates_before
            )  # so that the evaluation of a frame does not depend on the steps before


@kernel
def _take_response(equations, implicit_work, dt, is_held, is_shown, rate):
    """What linearly implicit steps make of an evaluation: rates of states at the end of the step, forces that acted."""
    if implicit_work is not None:
        tables, work = equations.tables, equations.work
        calc_copy(rate, implicit_work.rates_before)
        if not is_held:
            if tables.brake.body.shape[0] > 0:
                add_brake_response(tables.brake, dt, work.R_new, work.w_world, work.z_new, rate, work.z_rate)
            if tables.joint_friction.body_a.shape[0] > 0:
                add_anchor_rates(tables.joint_friction, rate, work.z_rate, work)
            if is_shown:
                add_responses(tables, 1.0, work.R_new, implicit_work, rate, work)


@kernel
def add_powers(half, work, ledger_out):
    """(3): the mean of the powers before and now."""
    for k in range(ledger_out.shape[1]):
        ledger_out[0, k] += half * (work.dissipated[k] + work.dissipated_old[k])
        ledger_out[1, k] += half * (work.supplied[k] + work.supplied_old[k])


@kernel
def keep_powers(work):
    """Powers are those before, from now on."""
    calc_copy(work.dissipated, work.dissipated_old)
    calc_copy(work.supplied, work.supplied_old)


@kernel
def _book_step(equations, implicit_work, dt, ledger_out):
    """Energies of a step that has one evaluation: (3), or (6) and (7)."""
    work = equations.work
    if implicit_work is not None:
        keep_powers(work)
        damped = (
            calc_kinetic(equations.tables.node, work.R_new.shape[0], work.u_rate_old) + work.stored[LEDGER_NUMERICAL]
        )
        ledger_out[0, LEDGER_NUMERICAL] += dt * dt * damped
    add_powers(0.5 * dt, work, ledger_out)


@kernel
def _keep_nodes(equations, team_work, has_passed, state_out):
    """The trial state is accepted, and its friction memory where time `has_passed`."""
    work = equations.work
    if team_work is not None:
        keep_nodes(has_passed, work, state_out, team_work)
    else:
        keep_instant(work, state_out)
        calc_copy(work.u_new, work.u)
        keep_place(equations)
        if has_passed:
            calc_copy_rows(work.anchor, state_out.anchor)
            calc_copy(work.anchor_stamp, state_out.anchor_stamp)


@kernel
def _keep_step(equations, team_work, scheme, is_staggered, dt, t, now, state_out):
    """The trial state is accepted, with its friction memory and its energies."""
    # no time passes while speeds catch up
    _keep_nodes(equations, team_work, is_staggered or scheme != LEAPFROG, state_out)
    state_out.time[0] = t
    state_out.stamp[0] = now
    if scheme == EULER or is_staggered:
        _book_step(equations, equations.implicit, dt, state_out.ledger)


@kernel
def _keep_rates(implicit_work, is_first, work, team_work):
    """Rates and powers are those before, from now on."""
    if team_work is not None:
        keep_node_rates(team_work)
    else:
        calc_copy(work.u_rate, work.u_rate_old)
    keep_powers(work)
    if implicit_work is None and not is_first:
        calc_copy(work.z_rate_old, work.z_rate_older)
    else:
        calc_copy(work.z_rate, work.z_rate_older)
    calc_copy(work.z_rate, work.z_rate_old)


@kernel
def _search(x, R, equations_work, team_work):
    """Search for pairs of shapes that are near each other at these places."""
    tables, work = equations_work.tables, equations_work.work
    search_contacts(tables, x, R, work)
    if team_work is not None:
        share_pairs(tables.contact, work, team_work)


@kernel
def _show_end(equations, scheme, status, step_count, dt, drag, state_out, acted_work):
    """What a call leaves behind: accelerations, forces that acted, and matrices that are rotations."""
    work, has_rows = equations.work, equations.tables.constraint.row_kind.shape[0] > 0
    show_rates(equations, work.u_rate)
    if scheme == LEAPFROG and step_count > 0 and is_absolute(equations.tree) and not has_rows:
        show_acted(acted_work, work)
    add_exactness(equations.tables.node, state_out.R)
    if status == DONE:
        _hold(equations.implicit, dt, drag, state_out, work)


@kernel
def _hold(implicit_work, dt, drag, state, work):
    """The scratch holds the evaluation of this state."""
    if implicit_work is not None:
        calc_copy_matrices(state.R, work.R_new)
        implicit_work.held[0], implicit_work.held[1], implicit_work.held[2] = state.time[0], dt, drag


@kernel(entry=True, unlocked=True)
def solve_steps(
    # in
    scheme,
    step_count,
    dt,
    drag,
    # out
    state_out,
    # work
    acted_work,
    equations_work,
    team_work,
):
    """Advance `state_out` by `step_count` steps of dt; with none it is only brought onto its constraints and evaluated.

    Returns (status, node, evaluations): DONE, DIVERGED with the node that left the range of numbers, SINGULAR, OPEN
    with the entry of the constraints that cannot be closed, or UNDETERMINED; the state is then the last accepted one,
    in leapfrog steps with velocities of half a step before. `acted_work` gets the forces that acted last, of leapfrog
    steps without ideal joints. `team_work` is None, or the team of threads that share the work.
    """
    equations, work, tables = equations_work, equations_work.work, equations_work.tables
    z, z_new = state_out.z, work.z_new
    has_rows = tables.constraint.row_kind.shape[0] > 0
    start = state_out.time[0]
    held = _begin_implicit(equations.implicit, dt, drag, state_out, work)
    read_speeds(equations, state_out, work.u)
    if not held:
        prepare_projection(equations, state_out)
    calc_zero(work.d)
    # evaluations are numbered, so that friction memory knows whether a contact was there one step ago
    now = state_out.stamp[0]
    memory_dt = travelled = 0.0
    copy_instant(state_out, work)
    calc_copy(work.u, work.u_new)
    step = 0
    accepted = step == 0  # always true; for the literal True all that takes it would be compiled again
    is_staggered, is_end = step > 0, step > 0  # speeds are half a step behind; they are about to catch up
    if not held:
        found = place_nodes(equations, start, accepted, is_staggered, 0.0, state_out, work.d, work.u_new)
        if found != NO_ENTRY:
            return OPEN if found >= 0 else UNDETERMINED, found, 0
        keep_instant(work, state_out)
        calc_copy(work.u_new, work.u)
    keep_place(equations)
    _search(state_out.x, state_out.R, equations, team_work)
    t = start
    status, who, evaluations = DONE, -1, 0
    half = 0.5 * dt
    position_to_speed = 0.0 if scheme == TRAPEZOIDAL else 1.0 / dt
    # One evaluation a turn, at the trial state: a single call keeps the compiled code small.
    while True:
        _ask_for_slopes(equations.implicit, step == step_count)
        solved = held
        if not held:
            evaluations += 1
            memory = (state_out.anchor, state_out.anchor_stamp, state_out.stamp[0], memory_dt)
            memory_out = (work.anchor, work.anchor_stamp, now if accepted else now - 1)
            offset = half if accepted and step > 0 and scheme == TRAPEZOIDAL else 0.0
            delay = half if is_staggered else 0.0
            if team_work is None:
                solved = calc_accelerations(
                    t, memory, offset, delay, drag, accepted, work.u_rate, memory_out, equations
                )
            else:
                solved = calc_rates_together(t, memory, offset, delay, drag, memory_out, equations, team_work)
        if not solved:
            status = SINGULAR
            break
        _take_response(equations, equations.implicit, dt, held, step == step_count, work.u_rate)
        held = False
        if accepted:
            if step > 0:
                _keep_step(equations, team_work, scheme, is_staggered, dt, t, now, state_out)
            _keep_rates(equations.implicit, step == 0, work, team_work)
            is_end = step == step_count
            if team_work is not None and is_end:
                finish_nodes(team_work)
            if is_end and not is_staggered:
                break
            if is_end and is_absolute(equations.tree) and not has_rows:
                show_rates(equations, work.u_rate)
                calc_zero(acted_work.total)
                add_acted(1.0, work, acted_work)
            memory_dt = 0.0 if is_end else dt
            if not is_end:
                step += 1
                now += 2
                t = start + step * dt
                for j in range(z.shape[0]):
                    z_new[j] = z[j] + dt * (1.5 * work.z_rate_old[j] - 0.5 * work.z_rate_older[j])  # (4)
        else:
            for j in range(z.shape[0]):
                z_new[j] = z[j] + half * (work.z_rate[j] + work.z_rate_old[j])
            add_powers(half, work, state_out.ledger)
        if team_work is None:
            accepted, is_staggered = calc_predicted(scheme, dt, accepted, is_staggered, is_end, work)
            found = place_nodes(equations, t, accepted, is_staggered, position_to_speed, state_out, work.d, work.u_new)
            if found != NO_ENTRY:
                status, who = OPEN if found >= 0 else UNDETERMINED, found
                break
            fastest, who = find_fastest(work.v_new, work.w_new, tables.contact.search_reach)
        else:
            fastest, who = move_together(scheme, dt, accepted, is_staggered, is_end, equations, team_work)
            accepted, is_staggered = find_next(scheme, accepted, is_end)
        if who >= 0:
            status = DIVERGED
            break
        if accepted:
            book_impulses(equations, state_out.ledger)
            travelled += 2.0 * dt * fastest
            if travelled > SKIN:
                _search(work.x_new, work.R_new, equations, team_work)
                travelled = 0.0
    _show_end(equations, scheme, status, step_count, dt, drag, state_out, acted_work)
    return status, who, evaluations
