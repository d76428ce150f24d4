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

from grouser.formulations.augmented.project import solve_projection
from grouser.formulations.coordinates import book_impulses, carry_nodes, prepare_projection, read_speeds, show_rates
from grouser.formulations.embedded.kinematics import NO_ENTRY
from grouser.formulations.evaluate import calc_accelerations
from grouser.formulations.recursive.cuts import CLOSED, CLOSED_RATE
from grouser.formulations.status import DIVERGED, DONE, OPEN, SINGULAR, UNDETERMINED
from grouser.formulations.tree import place_tree
from grouser.formulations.trial import SKIN, copy_instant, find_fastest, keep_instant, search_contacts
from grouser.kernels._jit import kernel
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
def _unpack_place(equations, tree_work, y):
    """Place and velocities from y. Returns where the rest of it begins."""
    work = equations.work
    if tree_work is not None:
        q, u = tree_work.q_new, work.u_new
        for j in range(q.shape[0]):
            q[j] = y[j]
        for j in range(tree_work.tau.shape[0]):
            u[j] = y[q.shape[0] + j]
        return q.shape[0] + tree_work.tau.shape[0]
    R, frames, rows = work.R_new, work.R_new.shape[0], equations.tables.node.mass.shape[0]
    half = find_speeds(frames, rows)
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
    carry_nodes(equations.tables, work)
    return half + SPEED * (frames - 1) + 3 * (rows - frames)


@kernel
def unpack_y(equations, y, ode_work):
    """y as a trial state: joint coordinates and speeds, or the state of all nodes; z and energies in both cases."""
    work, ledger = equations.work, ode_work.ledger
    place = _unpack_place(equations, equations.tree, y)
    for j in range(work.z_new.shape[0]):
        work.z_new[j] = y[place + j]
    place += work.z_new.shape[0]
    families = ledger.shape[1]
    for k in range(families):
        ledger[0, k] = y[place + k]
        ledger[1, k] = y[place + families + k]


@kernel
def _pack_place(equations, tree, y_out):
    """The opposite of `_unpack_place`."""
    work = equations.work
    if tree is not None:
        speeds = tree.tau.shape[0]
        for j in range(tree.q_new.shape[0]):
            y_out[j] = tree.q_new[j]
        for j in range(speeds):
            y_out[tree.q_new.shape[0] + j] = work.u_new[j]
        return tree.q_new.shape[0] + speeds
    R, frames, rows = work.R_new, work.R_new.shape[0], equations.tables.node.mass.shape[0]
    half = find_speeds(frames, rows)
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
    return half + SPEED * (frames - 1) + 3 * (rows - frames)


@kernel
def pack_y(equations, ode, y_out):
    """The opposite of `unpack_y`. Of the two quaternions of a rotation the one nearer to that in y is taken."""
    work, ledger = equations.work, ode.ledger
    place = _pack_place(equations, equations.tree, y_out)
    for j in range(work.z_new.shape[0]):
        y_out[place + j] = work.z_new[j]
    place += work.z_new.shape[0]
    families = ledger.shape[1]
    for k in range(families):
        y_out[place + k] = ledger[0, k]
        y_out[place + families + k] = ledger[1, k]


@kernel(stage=True)
def calc_start(equations, state, y_out, ode_work):
    """y of a state, and everything that an evaluation takes for granted from the one before."""
    copy_instant(state, equations.work)
    calc_copy_rows(state.ledger, ode_work.ledger)
    read_speeds(equations, state, equations.work.u_new)
    prepare_projection(equations, state)
    pack_y(equations, ode_work, y_out)
    ode_work.is_searched[0] = 0


@kernel
def calc_stored(equations, ode, state_out):
    """The trial state of the last evaluation becomes the state; its time and its friction memory do not."""
    keep_instant(equations.work, state_out)
    add_uprightness(equations.tables.node, state_out.R)
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
def calc_way(reach, x, R, x_seen, R_seen):
    """Square of the way (1) that any node has made."""
    moved = 0.0
    for i in range(R.shape[0], x.shape[0]):
        way = 0.0
        for k in range(3):
            way += (x[i, k] - x_seen[i, k]) ** 2
        moved = max(moved, way)
    for i in range(1, R.shape[0]):
        way = turn = 0.0
        for k in range(3):
            way += (x[i, k] - x_seen[i, k]) ** 2
        if reach[i] > 0.0:
            for k in range(3):
                for c in range(3):
                    turn += (R[i, k, c] - R_seen[i, k, c]) ** 2
            turn *= 0.5
            way += reach[i] * (reach[i] * turn + 2.0 * sqrt(way * turn))
        moved = max(moved, way)
    return moved


@kernel
def find_near(equations, ode_work):
    """Search contacts anew if the trial state is too far from where they were searched (1)."""
    tables, work = equations.tables, equations.work
    if tables.contact.kind.shape[0] == 0:
        return
    x, R, x_seen, R_seen = work.x_new, work.R_new, ode_work.x_seen, ode_work.R_seen
    if ode_work.is_searched[0] == 1:
        moved = calc_way(tables.contact.search_reach, x, R, x_seen, R_seen)
        if 2.0 * sqrt(moved) <= SKIN:
            return
    search_contacts(tables, x, R, work)
    calc_copy_rows(x, x_seen)
    calc_copy_matrices(R, R_seen)
    ode_work.is_searched[0] = 1


@kernel
def _place_trial(equations, tree_work, t, is_last):
    """Bodies of a tree at its trial coordinates and speeds; see `tree.place_tree`."""
    if tree_work is not None:
        work = equations.work
        instant = Instant(t, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
        return place_tree(equations.tables, is_last, False, 0.0, work.u_new, instant, tree_work)
    return NO_ENTRY


@kernel
def _calc_place_rates(equations, tree_work, y, rate_out):
    """Rates of place and velocities. Returns where the rest of y begins."""
    work = equations.work
    if tree_work is not None:
        places, speeds, first = tree_work.q_new.shape[0], tree_work.tau.shape[0], 0
        calc_coordinate_rates(tree_work.tree, tree_work.q_new, work.u_new, rate_out)
    else:
        frames, rows = work.R_new.shape[0], equations.tables.node.mass.shape[0]
        places, first = find_speeds(frames, rows), SPEED  # u begins with the world
        speeds = SPEED * (frames - 1) + 3 * (rows - frames)
        v, w = work.v_new, work.w_new
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
    return places + speeds


@kernel(stage="UniTuple(int64, 2)")
def calc_rates(
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
    equations_work,
    ode_work,
):
    """f(t, y). `memory`, `drag`, `is_last`, `memory_out`: see `evaluate.py`.

    Returns (status, node): DONE, DIVERGED with the node that has left the range of numbers, SINGULAR, OPEN with the
    entry of the constraints that cannot be closed, or UNDETERMINED; without DONE there are no rates.
    """
    equations, work = equations_work, equations_work.work
    unpack_y(equations, y, ode_work)
    is_closed = y.shape[0] == 0  # not the literal False, for which all that it is handed to would be compiled again
    found = _place_trial(equations, equations.tree, t, is_closed)
    if found != NO_ENTRY:
        return OPEN if found >= 0 else UNDETERMINED, found
    _, who = find_fastest(work.v_new, work.w_new, equations.tables.contact.search_reach)
    if who >= 0:
        return DIVERGED, who
    find_near(equations, ode_work)
    if not calc_accelerations(t, memory, 0.0, 0.0, drag, is_last, work.u_rate, memory_out, equations):
        return SINGULAR, -1
    show_rates(equations, work.u_rate)
    place = _calc_place_rates(equations, equations.tree, y, rate_out)
    for j in range(work.z_rate.shape[0]):
        rate_out[place + j] = work.z_rate[j]
    place += work.z_rate.shape[0]
    families = work.dissipated.shape[0]
    for k in range(families):
        rate_out[place + k] = work.dissipated[k]
        rate_out[place + families + k] = work.supplied[k]
    return DONE, -1


@kernel
def _close_trial(equations, system_work, tree_work, t):
    """Bring the trial state onto its constraints. Returns whether there are any."""
    tables, work = equations.tables, equations.work
    is_closed = work.x_new.shape[0] > 0  # not the literal True, see `calc_rates`
    if tree_work is not None:
        if tree_work.constraint.body_a.shape[0] == 0:
            return False
        _place_trial(equations, tree_work, t, is_closed)
        return True
    if system_work is not None and tables.constraint.row_kind.shape[0] > 0:
        instant = Instant(t, work.x_new, work.R_new, work.v_new, work.w_new, work.z_new)
        solve_projection(tables, system_work.ideal, (CLOSED, CLOSED_RATE), 0.0, instant, system_work, work)
        return True
    return False


@kernel
def _calc_unit(equations, tree_work, y_out):
    """Quaternions of y to length one."""
    if tree_work is not None:
        calc_unit_coordinates(tree_work.tree, y_out)
    else:
        for i in range(1, equations.work.R_new.shape[0]):
            calc_unit_quaternion(y_out, POSITION * (i - 1) + 3)


@kernel(stage=True)
def solve_constraints(t, is_start, y_out, equations_work, ode_work):
    """Bring y onto the constraints, and its quaternions to length one.

    The work of motions in doing so is booked, except where `is_start`: what assembles a state is no part of the motion
    that begins with it.
    """
    equations = equations_work
    unpack_y(equations, y_out, ode_work)
    if _close_trial(equations, equations.system, equations.tree, t):
        if not is_start:
            book_impulses(equations, ode_work.ledger)
        pack_y(equations, ode_work, y_out)
    _calc_unit(equations, equations.tree, y_out)


@kernel(entry=True)
def calc_rates_at(
    # in
    t,
    is_start,
    is_last,
    drag,
    # out
    state_out,
    # work
    equations_work,
    ode_work,
):
    """For methods that are not compiled: f(t, y) at `ode_work.y` into `ode_work.rate`.

    `is_start`: y is that of `state_out`. `is_last`: y is brought onto the constraints, and becomes the state at the
    time t. Returns (status, node) as `calc_rates`.
    """
    equations, work = equations_work, equations_work.work
    if is_start:
        calc_start(equations, state_out, ode_work.y, ode_work)
    if is_last:
        solve_constraints(t, is_start, ode_work.y, equations, ode_work)
    stamp = state_out.stamp[0]
    memory, memory_out = (state_out.anchor, state_out.anchor_stamp, stamp, 0.0), (work.anchor, work.anchor_stamp, stamp)
    status, who = calc_rates(t, ode_work.y, memory, drag, is_last, ode_work.rate, memory_out, equations, ode_work)
    if status == DONE and is_last:
        calc_stored(equations, ode_work, state_out)
        state_out.time[0] = t
    return status, who
