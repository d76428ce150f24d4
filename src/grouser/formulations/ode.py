"""Any formulation as an ordinary differential equation dy/dt = f(t, y).

y is all of the state that has a rate, in this order:

    absolute    (x, unit quaternion) of all bodies, x of all points,
                (v world axes, w body axes) of all bodies, v of all points
    tree        coordinates of all joints,   speeds of all joints
    then        z of drives,   energy dissipated and energy supplied by each family

The energies are quadratures of powers that an evaluation gives anyway. So they are as accurate as the motion, and the
balance of a run shows the error of the integrator alone.

The equations hold joints at the level of accelerations, for every y, also off the constraints. A step of any method
then leaves positions and velocities off them by its own error; an accepted y is brought back by the projection of the
formulation (Eich 1993: a projection after each step does not lower the order).

f is a function of (t, y) alone, but for friction with memory, which is that of the last accepted step. Contacts are
searched anew whenever a body may have moved by half of the skin since the last search, wherever y jumps to:

    2 max (|x - x_seen| + r |R - R_seen|/sqrt(2)) > skin                                  (1)

with r the reach of the body within which the search sees it turn; |R - R_seen| is Frobenius' norm, by which no point at
a distance r has moved further than r |R - R_seen|/sqrt(2).
"""

from __future__ import annotations

from math import sqrt

from grouser.formulations.advance import (
    DIVERGED,
    DONE,
    OPEN,
    SINGULAR,
    SKIN,
    UNDETERMINED,
    add_impulse_work,
    calc_copied,
    calc_spread_accelerations,
    find_fastest,
)
from grouser.formulations.augmented.project import calc_mass_factor, solve_projection
from grouser.formulations.embedded.kinematics import NO_ENTRY
from grouser.formulations.evaluate import calc_accelerations
from grouser.formulations.recursive.cuts import CLOSED, CLOSED_RATE
from grouser.formulations.recursive.kinematics import calc_coordinates
from grouser.formulations.tree import solve_placed
from grouser.kernels._jit import kernel
from grouser.kernels.contact.candidates import find_candidates
from grouser.kernels.copy import calc_copy, calc_copy_matrices, calc_copy_rows
from grouser.kernels.joints.mobility import calc_coordinate_rates, calc_unit_coordinates
from grouser.kernels.matrix import matrix
from grouser.kernels.plane import add_uprightness
from grouser.kernels.quaternion import (
    calc_quaternion,
    calc_quaternion_matrix,
    calc_quaternion_rate,
    calc_unit_quaternion,
)
from grouser.kernels.view import Instant

POSITION, SPEED = 7, 6
"""Numbers of y for the place and for the velocities of a body."""


@kernel(inline=True)
def find_speeds(frames, rows):
    """Where the velocities of all nodes begin in y."""
    return POSITION * (frames - 1) + 3 * (rows - frames)


@kernel(inline=True)
def find_point_places(frames, rows, i):
    """Where the place and where the velocity of the point in row i begin in y."""
    place = POSITION * (frames - 1) + 3 * (i - frames)
    return place, find_speeds(frames, rows) + SPEED * (frames - 1) + 3 * (i - frames)


@kernel
def calc_spread(
    # tables
    body,
    # in
    y,
    # work
    tree_work,
    ode_work,
    work,
):
    """y as a trial state: joint coordinates and speeds, or the state of all bodies; z and energies in both cases."""
    if tree_work is not None:
        q, u = tree_work.q_new, work.u_new
        place = q.shape[0] + tree_work.tau.shape[0]
        for j in range(q.shape[0]):
            q[j] = y[j]
        for j in range(tree_work.tau.shape[0]):
            u[j] = y[q.shape[0] + j]
    else:
        R, frames, rows = work.R_new, work.R_new.shape[0], body.mass.shape[0]
        half = find_speeds(frames, rows)
        place = half + SPEED * (frames - 1) + 3 * (rows - frames)
        for i in range(frames, rows):
            o, p = find_point_places(frames, rows, i)
            for k in range(3):
                work.x_new[i, k] = y[o + k]
                work.v_new[i, k] = y[p + k]
        for i in range(1, frames):
            o, p = POSITION * (i - 1), half + SPEED * (i - 1)
            for k in range(3):
                work.x_new[i, k] = y[o + k]
                work.v_new[i, k] = y[p + k]
                work.w_new[i, k] = y[p + 3 + k]
            m00, m01, m02, m10, m11, m12, m20, m21, m22 = calc_quaternion_matrix(y, o + 3)
            R[i, 0, 0], R[i, 0, 1], R[i, 0, 2] = m00, m01, m02
            R[i, 1, 0], R[i, 1, 1], R[i, 1, 2] = m10, m11, m12
            R[i, 2, 0], R[i, 2, 1], R[i, 2, 2] = m20, m21, m22
    for j in range(work.z_new.shape[0]):
        work.z_new[j] = y[place + j]
    place += work.z_new.shape[0]
    families = ode_work.ledger.shape[1]
    for k in range(families):
        ode_work.ledger[0, k] = y[place + k]
        ode_work.ledger[1, k] = y[place + families + k]


@kernel
def calc_collected(
    # tables
    body,
    # in
    tree,
    ode,
    work,
    # out
    y_out,
):
    """The opposite of `calc_spread`. Of the two quaternions of a rotation the one nearer to that in y is taken."""
    if tree is not None:
        speeds = tree.tau.shape[0]
        place = tree.q_new.shape[0] + speeds
        for j in range(tree.q_new.shape[0]):
            y_out[j] = tree.q_new[j]
        for j in range(speeds):
            y_out[tree.q_new.shape[0] + j] = work.u_new[j]
    else:
        R, frames, rows = work.R_new, work.R_new.shape[0], body.mass.shape[0]
        half = find_speeds(frames, rows)
        place = half + SPEED * (frames - 1) + 3 * (rows - frames)
        for i in range(frames, rows):
            o, p = find_point_places(frames, rows, i)
            for k in range(3):
                y_out[o + k] = work.x_new[i, k]
                y_out[p + k] = work.v_new[i, k]
        for i in range(1, frames):
            o, p = POSITION * (i - 1), half + SPEED * (i - 1)
            for k in range(3):
                y_out[o + k] = work.x_new[i, k]
                y_out[p + k] = work.v_new[i, k]
                y_out[p + 3 + k] = work.w_new[i, k]
            a, b, c, d = calc_quaternion(*matrix(R, i, 0, 0))
            if a * y_out[o + 3] + b * y_out[o + 4] + c * y_out[o + 5] + d * y_out[o + 6] < 0.0:
                a, b, c, d = -a, -b, -c, -d
            y_out[o + 3], y_out[o + 4], y_out[o + 5], y_out[o + 6] = a, b, c, d
    for j in range(work.z_new.shape[0]):
        y_out[place + j] = work.z_new[j]
    place += work.z_new.shape[0]
    families = ode.ledger.shape[1]
    for k in range(families):
        y_out[place + k] = ode.ledger[0, k]
        y_out[place + families + k] = ode.ledger[1, k]


@kernel
def calc_start(
    # tables
    tables,
    # in
    state,
    # out
    y_out,
    # work
    system_work,
    tree_work,
    ode_work,
    work,
):
    """y of a state, and everything that an evaluation takes for granted from the one before."""
    calc_copied(state.x, state.R, state.v, state.w, state.z, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
    calc_copy_rows(state.ledger, ode_work.ledger)
    if tree_work is not None:
        calc_coordinates(
            tree_work.tree, state.x, state.R, state.v, state.w, tree_work.q_new, work.u_new, tree_work.work
        )
        tree_work.cut_work.ready[0] = 0
    elif system_work is not None and tables.constraint.row_kind.shape[0] > 0:
        calc_mass_factor(
            tables, system_work.ideal, state.time[0], state.x, state.R, state.v, state.w, state.z, system_work, work
        )
    calc_collected(tables.body, tree_work, ode_work, work, y_out)
    ode_work.is_searched[0] = 0


@kernel
def calc_stored(
    # tables
    tables,
    # in
    ode,
    work,
    # out
    state_out,
):
    """The trial state of the last evaluation becomes the state; its time and its friction memory do not."""
    calc_copied(
        work.x_new, work.R_new, work.v_new, work.w_new, work.z_new,
        state_out.x, state_out.R, state_out.v, state_out.w, state_out.z,
    )  # fmt: skip
    add_uprightness(tables.body, state_out.R)
    calc_copy_rows(ode.ledger, state_out.ledger)


@kernel
def calc_remembered(
    # in
    t,
    now,
    work,
    # out
    state_out,
):
    """Time, and the friction memory that the last evaluation has written under the number `now`, become the state's."""
    calc_copy_rows(work.anchor, state_out.anchor)
    calc_copy(work.anchor_stamp, state_out.anchor_stamp)
    state_out.time[0] = t
    state_out.stamp[0] = now


@kernel
def find_near(
    # tables
    tables,
    # work
    ode_work,
    work,
):
    """Search contacts anew if the trial state is too far from where they were searched (1)."""
    x, R, x_seen, R_seen = work.x_new, work.R_new, ode_work.x_seen, ode_work.R_seen
    if tables.contact.kind.shape[0] == 0:
        return
    if ode_work.is_searched[0] == 1:
        moved = 0.0
        for i in range(R.shape[0], x.shape[0]):
            way = 0.0
            for k in range(3):
                way += (x[i, k] - x_seen[i, k]) ** 2
            moved = max(moved, way)
        for i in range(1, R.shape[0]):
            reach = tables.contact.turning[i]
            way = turn = 0.0
            for k in range(3):
                way += (x[i, k] - x_seen[i, k]) ** 2
            if reach > 0.0:
                for k in range(3):
                    for c in range(3):
                        turn += (R[i, k, c] - R_seen[i, k, c]) ** 2
                turn *= 0.5
                way += reach * (reach * turn + 2.0 * sqrt(way * turn))
            moved = max(moved, way)
        if 2.0 * sqrt(moved) <= SKIN:
            return
    if tables.contact.kind.shape[0] > 0:
        find_candidates(tables.shape, tables.contact, tables.terrain, x, R, SKIN, work.pair, work.pair_count)
    calc_copy_rows(x, x_seen)
    calc_copy_matrices(R, R_seen)
    ode_work.is_searched[0] = 1


@kernel(inline=True)
def calc_placed(tables, t, is_last, tree_work, work):
    """Bodies of a tree at its trial coordinates and speeds; see `tree.solve_placed`."""
    instant = Instant(t, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
    return solve_placed(tables, is_last, False, 0.0, work.u_new, instant, tree_work)


@kernel
def calc_rates(
    # tables
    tables,
    # in
    t,
    y,
    memory,
    drag,
    is_last,
    # out
    rate_out,
    memory_out,
    # work
    system_work,
    tree_work,
    ode_work,
    work,
):
    """f(t, y). `memory`, `drag`, `is_last`: see `evaluate.py`.

    Returns (status, body): DONE, DIVERGED with the body that has left the range of numbers, SINGULAR, OPEN with the
    entry of the constraints that cannot be closed, or UNDETERMINED; without DONE there are no rates.
    """
    calc_spread(tables.body, y, tree_work, ode_work, work)
    if tree_work is not None:
        is_closed = y.shape[0] == 0  # not the literal False, see `solve_steps`
        found = calc_placed(tables, t, is_closed, tree_work, work)
        if found != NO_ENTRY:
            return OPEN if found >= 0 else UNDETERMINED, found
    _, who = find_fastest(work.v_new, work.w_new, tables.contact.turning)
    if who >= 0:
        return DIVERGED, who
    find_near(tables, ode_work, work)
    solved = calc_accelerations(
        tables,
        t,
        work.x_new,
        work.R_new,
        work.v_new,
        work.w_new,
        work.z_new,
        memory,
        0.0,
        0.0,
        drag,
        is_last,
        work.u_rate,
        work.z_rate,
        memory_out,
        None,
        system_work,
        tree_work,
        work,
    )
    if not solved:
        return SINGULAR, -1
    if tree_work is not None:
        places, speeds, first = tree_work.q_new.shape[0], tree_work.tau.shape[0], 0
        calc_coordinate_rates(tree_work.tree, tree_work.q_new, work.u_new, rate_out)
    else:
        frames, rows = work.R_new.shape[0], tables.body.mass.shape[0]
        places, first = find_speeds(frames, rows), SPEED  # u begins with the world
        speeds = SPEED * (frames - 1) + 3 * (rows - frames)
        v, w = work.v_new, work.w_new
        calc_spread_accelerations(tables.body, work.u_rate, work)
        for i in range(frames, rows):
            o, _ = find_point_places(frames, rows, i)
            for k in range(3):
                rate_out[o + k] = v[i, k]
        for i in range(1, frames):
            o = POSITION * (i - 1)
            for k in range(3):
                rate_out[o + k] = v[i, k]
            calc_quaternion_rate(y, o + 3, w[i, 0], w[i, 1], w[i, 2], rate_out)
    for j in range(speeds):
        rate_out[places + j] = work.u_rate[first + j]
    place = places + speeds
    for j in range(work.z_rate.shape[0]):
        rate_out[place + j] = work.z_rate[j]
    place += work.z_rate.shape[0]
    families = work.dissipated.shape[0]
    for k in range(families):
        rate_out[place + k] = work.dissipated[k]
        rate_out[place + families + k] = work.supplied[k]
    return DONE, -1


@kernel
def solve_constraints(
    # tables
    tables,
    # in
    t,
    is_start,
    # out
    y_out,
    # work
    system_work,
    tree_work,
    ode_work,
    work,
):
    """Bring y onto the constraints, and its quaternions to length one. The work of motions in doing so is booked, but
    where `is_start`: what assembles a state is no part of the motion that begins with it."""
    if tree_work is not None and tree_work.constraint.body_a.shape[0] > 0:
        calc_spread(tables.body, y_out, tree_work, ode_work, work)
        is_closed = y_out.shape[0] > 0  # not the literal True, see `solve_steps`
        calc_placed(tables, t, is_closed, tree_work, work)
        if not is_start:
            add_impulse_work(tree_work.constraint, tree_work.cut_work.impulse, tree_work.cut_work.nu, ode_work.ledger)
        calc_collected(tables.body, tree_work, ode_work, work, y_out)
    elif system_work is not None and tables.constraint.row_kind.shape[0] > 0:
        calc_spread(tables.body, y_out, tree_work, ode_work, work)
        solve_projection(
            tables,
            system_work.ideal,
            t,
            work.z_new,
            CLOSED,
            CLOSED_RATE,
            0.0,
            work.x_new,
            work.R_new,
            work.v_new,
            work.w_new,
            system_work,
            work,
        )
        if not is_start:
            add_impulse_work(tables.constraint, system_work.impulse, system_work.nu, ode_work.ledger)
        calc_collected(tables.body, tree_work, ode_work, work, y_out)
    if tree_work is not None:
        calc_unit_coordinates(tree_work.tree, y_out)
    else:
        for i in range(1, work.R_new.shape[0]):
            calc_unit_quaternion(y_out, POSITION * (i - 1) + 3)


@kernel(entry=True)
def solve_rates(
    # tables
    tables,
    # in
    t,
    is_start,
    is_last,
    drag,
    # out
    state_out,
    # work
    system_work,
    tree_work,
    ode_work,
    work,
):
    """For methods that are not compiled: f(t, y) at `ode_work.y` into `ode_work.rate`.

    `is_start`: y is that of `state_out`. `is_last`: y is brought onto the constraints, and becomes the state at the
    time t. Returns (status, body) as `calc_rates`.
    """
    if is_start:
        calc_start(tables, state_out, ode_work.y, system_work, tree_work, ode_work, work)
    if is_last:
        solve_constraints(tables, t, is_start, ode_work.y, system_work, tree_work, ode_work, work)
    stamp = state_out.stamp[0]
    status, who = calc_rates(
        tables,
        t,
        ode_work.y,
        (state_out.anchor, state_out.anchor_stamp, stamp, 0.0),
        drag,
        is_last,
        ode_work.rate,
        (work.anchor, work.anchor_stamp, stamp),
        system_work,
        tree_work,
        ode_work,
        work,
    )
    if status == DONE and is_last:
        calc_stored(tables, ode_work, work, state_out)
        state_out.time[0] = t
    return status, who
