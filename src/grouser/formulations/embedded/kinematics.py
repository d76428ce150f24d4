"""From independent coordinates and speeds to the absolute state.

Coordinates of all joints of the tree are carried along: those of dependent speeds only as the place where Newton
begins. It solves the rows of an aggregate for them,

    phi + Y1 move = 0                                                                              (1)

in the sense of least squares, with the independent coordinates held, until nothing but rounding is left of what Y1 can
move; then qd = X qd_i + chi (`partition.py`, (2)).
Every state is brought there, those on the way through a step too: the equations of motion see independent coordinates
alone, and nothing is ever projected or stabilised. Where closed forms are known (kernels/joints/closed_form.py), Newton
only looks at their result.
"""

from __future__ import annotations

from math import inf

from grouser.families.joint.kernel_constraint import calc_constraints
from grouser.formulations.embedded.partition import (
    NOWHERE,
    POOR,
    TORN,
    calc_line_matrix,
    calc_measured,
    calc_transfer,
    find_crossed,
    find_partition,
    keep_columns,
    solve_dependent,
)
from grouser.formulations.recursive.articulated import calc_joint_columns
from grouser.formulations.recursive.cuts import CLOSED, MOST_ITERATIONS, ROUNDING, SLOW
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_zero
from grouser.kernels.joints.closed_form import solve_closed_forms
from grouser.kernels.joints.mobility import calc_child_pose, calc_joint_moved
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.spatial import rotate_back
from grouser.kernels.view import View

NO_ENTRY = -1
"""All aggregates are closed."""
UNDETERMINED = -2
"""Independent speeds, those that the user has chosen or any, do not determine an aggregate."""


@kernel(inline=True)
def find_worst_entry(constraint, aggregate, c, value):
    """The largest of the values (lines,) of the rows of an aggregate, and the entry that it belongs to."""
    worst, found = 0.0, aggregate.entry_start[c]
    for i in range(aggregate.entry_start[c], aggregate.entry_start[c + 1]):
        for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
            magnitude = abs(value[row - aggregate.line_start[c]])
            if not magnitude <= worst:
                worst, found = magnitude, i
    return worst, found


@kernel
def find_parted(
    # tables
    constraint,
    aggregate,
    # in
    c,
    crossed,
    nu,
    # work
    embedded_work,
):
    """What to return where aggregate c has passed a position in which column `crossed` of Q vanishes: `UNDETERMINED`.
    Where motions nu make dependent speeds very large, it is the entry that these motions are about to open."""
    first, lines = aggregate.speed_start[c], aggregate.line_start[c + 1] - aggregate.line_start[c]
    calc_measured(aggregate, c, nu, embedded_work)
    driven, _ = find_worst_entry(constraint, aggregate, c, embedded_work.right)
    solve_dependent(aggregate, c, nu, embedded_work)
    fastest = 0.0
    for i in range(embedded_work.rank[c]):
        weight = aggregate.weight[first + embedded_work.order[first + i]]
        fastest = max(fastest, weight * abs(embedded_work.answer[i]))
    if fastest <= POOR * driven:
        return UNDETERMINED
    for i in range(lines):
        embedded_work.right[i] = embedded_work.Q[aggregate.matrix_start[c] + crossed * lines + i]
    _, entry = find_worst_entry(constraint, aggregate, c, embedded_work.right)
    return entry


@kernel(inline=True)
def solve_aggregate(
    # tables
    tables,
    # in
    c,
    is_last,
    # out
    instant_out,
    # work
    tree_work,
    embedding_work,
):
    """Poses of the bodies of aggregate c on its ancestor, (1), with its columns, Y and X.

    In the last state of a step the independent speeds may be chosen anew. Returns `NO_ENTRY`, the entry of the
    constraints that cannot be closed, or `UNDETERMINED`.
    """
    t, x_out, R_out, v, _, z = instant_out
    scalar, signal = tables.scalar, tables.signal
    q_out, tree, constraint = tree_work.q_new, tree_work.tree, tree_work.constraint
    work, cut_work = tree_work.work, tree_work.cut_work
    aggregate, closed, embedded_work = embedding_work.aggregate, embedding_work.closed, embedding_work.work
    before = inf
    first, entry, last_entry = aggregate.speed_start[c], aggregate.entry_start[c], aggregate.entry_start[c + 1]
    is_placed = embedded_work.is_closed[c] == 1
    if is_placed:
        found = solve_closed_forms(tree, closed, scalar, signal, c, q_out, instant_out, cut_work.stack)
        if found >= 0:
            return found
    for iteration in range(MOST_ITERATIONS + 1):
        for p in range(aggregate.row_start[c], aggregate.row_start[c + 1]):
            k = aggregate.row[p]
            if not is_placed:
                calc_child_pose(tree, k, q_out, x_out, R_out)
            calc_joint_columns(tree, k, x_out, R_out, work)
        is_placed = False
        view = View(t, x_out, R_out, v, work.w_world, z)
        calc_constraints(constraint, scalar, signal, entry, last_entry, view, cut_work, cut_work.stack)
        calc_line_matrix(tree, constraint, aggregate, c, x_out, R_out, work, cut_work, embedded_work)
        is_new = embedded_work.rank[c] < 0
        share = inf
        for turn in range(2):
            if turn == 1 or not is_new:
                share = calc_transfer(aggregate, c, embedded_work)
            if turn == 1 or not (is_new or (is_last and share > POOR)):
                break
            crossed = find_crossed(aggregate, c, embedded_work) if share < NOWHERE else -1
            if crossed >= 0:
                return find_parted(constraint, aggregate, c, crossed, cut_work.nu, embedded_work)
            if not find_partition(aggregate, closed, c, embedded_work):
                return UNDETERMINED
        if not share < inf:
            calc_measured(aggregate, c, cut_work.phi, embedded_work)
            left, entry = find_worst_entry(constraint, aggregate, c, embedded_work.right)
            return UNDETERMINED if left <= ROUNDING else entry
        worst = solve_dependent(aggregate, c, cut_work.phi, embedded_work)
        if worst <= CLOSED or (worst <= ROUNDING and worst > SLOW * before):
            # what no dependent speed can close belongs to rows that others imply
            left, entry = find_worst_entry(constraint, aggregate, c, embedded_work.right)
            if left > TORN:
                return entry
            if share >= NOWHERE:
                return UNDETERMINED
            crossed = find_crossed(aggregate, c, embedded_work)
            if crossed >= 0:
                return find_parted(constraint, aggregate, c, crossed, cut_work.nu, embedded_work)
            if is_last or embedded_work.is_seen[c] == 0:
                keep_columns(aggregate, c, embedded_work)
            return NO_ENTRY
        if iteration == MOST_ITERATIONS or not worst < inf:
            break
        before = worst
        move = embedded_work.move
        for j in range(first, aggregate.speed_start[c + 1]):
            move[aggregate.speed[j]] = 0.0
        for i in range(embedded_work.rank[c]):
            move[aggregate.speed[first + embedded_work.order[first + i]]] = -embedded_work.answer[i]
        for p in range(aggregate.row_start[c], aggregate.row_start[c + 1]):
            calc_joint_moved(tree, aggregate.row[p], 1.0, q_out, move, q_out)
    calc_measured(aggregate, c, cut_work.phi, embedded_work)
    _, entry = find_worst_entry(constraint, aggregate, c, embedded_work.right)
    return entry


@kernel(inline=True)
def calc_dependent_speeds(
    # tables
    aggregate,
    # in
    c,
    nu,
    # out
    qd_out,
    # work
    embedded_work,
):
    """Speeds of the dependent joints of aggregate c from those of the independent ones: `partition.py`, (2)."""
    first, square, rank = aggregate.speed_start[c], aggregate.square_start[c], embedded_work.rank[c]
    count = aggregate.speed_start[c + 1] - first - rank
    solve_dependent(aggregate, c, nu, embedded_work)
    for i in range(rank):
        value = embedded_work.answer[i]
        for k in range(count):
            j = aggregate.speed[first + embedded_work.order[first + rank + k]]
            value += embedded_work.X[square + i * count + k] * qd_out[j]
        qd_out[aggregate.speed[first + embedded_work.order[first + i]]] = value


@kernel(inline=True)
def solve_kinematics(
    # tables
    tables,
    # in
    is_last,
    # out
    qd_out,
    instant_out,
    # work
    tree_work,
    embedding_work,
):
    """The absolute state from the coordinates `tree_work.q_new` and the speeds of all joints, of which the dependent
    ones are corrected.

    Leaves columns, Y and X of the pose for the evaluation. Returns as `solve_aggregate`.
    """
    _, x_out, R_out, v_out, w_out, _ = instant_out
    q_out, tree, work, cut_work = tree_work.q_new, tree_work.tree, tree_work.work, tree_work.cut_work
    aggregate, embedded_work = embedding_work.aggregate, embedding_work.work
    count = tree.body.shape[0]
    w_world, column, reach = work.w_world, work.column, work.reach
    if cut_work.ready[0] == 0:  # another state: nothing was passed on the way to it
        calc_zero(embedded_work.is_seen)
        cut_work.ready[0] = 1
    for i in range(3):
        w_world[WORLD_ROW, i] = 0.0
    for k in range(count):
        c = aggregate.owner[k]
        if c < 0:
            calc_child_pose(tree, k, q_out, x_out, R_out)
            calc_joint_columns(tree, k, x_out, R_out, work)
        elif aggregate.position[k] == 0:
            found = solve_aggregate(tables, c, is_last, instant_out, tree_work, embedding_work)
            if found != NO_ENTRY:
                return found
            calc_dependent_speeds(aggregate, c, cut_work.nu, qd_out, embedded_work)
    for k in range(count):
        child, parent = tree.body[k], tree.parent[k]
        dx, dy, dz = reach[child, 0], reach[child, 1], reach[child, 2]
        wx, wy, wz = w_world[parent, 0], w_world[parent, 1], w_world[parent, 2]
        vx = v_out[parent, 0] + wy * dz - wz * dy
        vy = v_out[parent, 1] + wz * dx - wx * dz
        vz = v_out[parent, 2] + wx * dy - wy * dx
        for j in range(tree.v_start[k], tree.v_start[k + 1]):
            S, rate = column[j], qd_out[j]
            vx, vy, vz = vx + S[0] * rate, vy + S[1] * rate, vz + S[2] * rate
            wx, wy, wz = wx + S[3] * rate, wy + S[4] * rate, wz + S[5] * rate
        v_out[child, 0], v_out[child, 1], v_out[child, 2] = vx, vy, vz
        w_world[child, 0], w_world[child, 1], w_world[child, 2] = wx, wy, wz
        w_out[child, 0], w_out[child, 1], w_out[child, 2] = rotate_back(R_out, child, wx, wy, wz)
    return NO_ENTRY
