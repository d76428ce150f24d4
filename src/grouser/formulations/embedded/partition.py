"""Independent and dependent speeds of an aggregate.

With qd the speeds of the tree's joints in an aggregate, its constraints are, on velocities and accelerations,

    Y qd = nu,      Y qdd = gamma - G B                                                            (1)

with the rows G, nu, gamma of families/joint/kernel_constraint.py, Y = G times the columns of the speeds, and B the
accelerations of the bodies with all speeds constant. What the aggregate has in common with its ancestor drops out of
(1): no row resists a common motion. Of the columns of Y as many as its rank are dependent, Y1, the others independent,
Y2, so that (S4-10, 13, 14)

    qd = X qd_i + chi,   qdd = X qdd_i + kappa,   X = [-Y1^-1 Y2; 1]                               (2)
    chi = [Y1^-1 nu; 0],     kappa = [Y1^-1 (gamma - G B); 0]                                      (3)

All of it is reckoned with lengths measured by the size of the aggregate (`compile/aggregate.py`), so that every row is
an angle and every speed a turn, and with all rows, by least squares:

    Y1 = Q R,      X = -R^-1 Q^T Y2                                                                (4)

Rows that others imply, as three of the five that close a loop of parallel pins, need not be told from the others, and
the axes in which rows are written do not matter: turning a linkage in the world turns Q, and leaves R and X.

The dependent speeds are found by the same elimination, with the longest column that is left as the next one; rank is
how many columns are left with a length. Of columns that are equally long the first is taken, so that rounding decides
nothing. Elements of X then are of the order of one. Where one has grown beyond `POOR`, as near a dead point of an
independent joint, the sets are found anew: geometry decides, not inertia, because beyond the dead point there is no
position at all.

There are positions in which a linkage gains a freedom: a column of Y1 depends on the others there, whatever the sets
are, and beyond such a position the linkage can go on in two ways. A step may jump over the position. It is noticed all
the same: the part of that column that is left, as a direction along a column of Q, has changed its sign.

A speed of a free rotation has no coordinate of its own, so such ones become dependent first.
"""

from __future__ import annotations

from math import inf, sqrt

from grouser.families.joint.kernel_constraint import calc_push
from grouser.kernels._jit import kernel
from grouser.kernels.dense import calc_qr, solve_qr

INDEPENDENT = 1.0e-5
"""A column of Y is independent of others where the part of it that they do not hold has at least this share of the
longest."""
POOR = 5.0
"""Largest element of X beyond which other speeds become independent."""
LOST = 1.0e-6
"""Least element of the diagonal of R beside its largest below which a linkage is where its ways part: on passing such a
position it would be left to chance which one is taken."""
NOWHERE = 1.0e300
"""Stands for an element of X there."""
TORN = 0.01
"""Violation of rows that others imply, as a share of the size of the aggregate or in rad, beyond which it is open: they
contradict the others, or were implied at the start alone."""
GOOD = 0.01
"""Share of the longest column that must be left of others, if the speeds that closed forms take as given are to be the
independent ones."""
EQUAL = 1.0e-6
"""Columns whose lengths differ by less than this share are equally long."""


@kernel(inline=True)
def calc_line_matrix(
    # tables
    tree,
    constraint,
    aggregate,
    # in
    c,
    x,
    R,
    # work
    work,
    cut_work,
    embedded_work,
):
    """Y of aggregate c from the rows G, and these with angular parts in world axes."""
    Y, push, column = embedded_work.Y, cut_work.push, work.column
    size = aggregate.speed_start[c + 1] - aggregate.speed_start[c]
    start, line = aggregate.matrix_start[c], aggregate.line_start[c]
    for i in range(start, aggregate.matrix_start[c + 1]):
        Y[i] = 0.0
    for i in range(aggregate.entry_start[c], aggregate.entry_start[c + 1]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
            calc_push(cut_work.G, row, a, b, R, push)
            place = start + (row - line) * size
            for side in range(2):
                end = a if side == 0 else b
                s = 6 * side
                fx, fy, fz = push[row, s], push[row, s + 1], push[row, s + 2]
                for p in range(aggregate.branch_start[2 * i + side], aggregate.branch_start[2 * i + side + 1]):
                    k = aggregate.branch[p]
                    child = tree.body[k]
                    dx, dy, dz = x[end, 0] - x[child, 0], x[end, 1] - x[child, 1], x[end, 2] - x[child, 2]
                    tx = push[row, s + 3] + dy * fz - dz * fy
                    ty = push[row, s + 4] + dz * fx - dx * fz
                    tz = push[row, s + 5] + dx * fy - dy * fx
                    for j in range(tree.v_start[k], tree.v_start[k + 1]):
                        S = column[j]
                        Y[place + aggregate.place[j]] += (
                            S[0] * fx + S[1] * fy + S[2] * fz + S[3] * tx + S[4] * ty + S[5] * tz
                        )


@kernel
def calc_scaled(
    # tables
    aggregate,
    # in
    c,
    # work
    embedded_work,
):
    """Y of aggregate c in its own measure, column by column."""
    first, line, start = aggregate.speed_start[c], aggregate.line_start[c], aggregate.matrix_start[c]
    speeds, lines = aggregate.speed_start[c + 1] - first, aggregate.line_start[c + 1] - line
    for j in range(speeds):
        for i in range(lines):
            embedded_work.scaled[start + j * lines + i] = (
                embedded_work.Y[start + i * speeds + j] * aggregate.measure[line + i] / aggregate.weight[first + j]
            )


@kernel
def find_pivots(
    # tables
    aggregate,
    # in
    c,
    least,
    # work
    embedded_work,
):
    """Eliminate the scaled columns of aggregate c with the longest one first, down to the share `least` of the longest
    of all, among those that are not used yet.

    Returns their number, and the longest column that is left beside the longest of all; columns of the pivots are left
    in `order_new`.
    """
    A, is_speed_used = embedded_work.scaled, embedded_work.is_speed_used
    first, start = aggregate.speed_start[c], aggregate.matrix_start[c]
    speeds, lines = aggregate.speed_start[c + 1] - first, aggregate.line_start[c + 1] - aggregate.line_start[c]
    rank, longest = 0, 0.0
    while True:
        best, pivot, left = 0.0, -1, 0.0
        for j in range(speeds):
            if is_speed_used[first + j] == 2:
                continue
            length = 0.0
            for i in range(lines):
                length += A[start + j * lines + i] * A[start + j * lines + i]
            length = sqrt(length)
            left = max(left, length)
            if is_speed_used[first + j] == 0 and length > (1.0 + EQUAL) * best:
                best, pivot = length, j
        if rank == 0:
            longest = left
        if rank == lines or pivot < 0 or best < least * longest:
            return rank, left / longest if longest > 0.0 else 0.0
        is_speed_used[first + pivot] = 2
        embedded_work.order_new[first + rank] = pivot
        rank += 1
        own = start + pivot * lines
        for j in range(speeds):
            if is_speed_used[first + j] == 2:
                continue
            share = 0.0
            for i in range(lines):
                share += A[own + i] * A[start + j * lines + i]
            share /= best * best
            for i in range(lines):
                A[start + j * lines + i] -= share * A[own + i]


@kernel
def find_partition(
    # tables
    aggregate,
    closed,
    # in
    c,
    # work
    embedded_work,
):
    """Choose the dependent speeds of aggregate c, from Y.

    Where fewer are dependent than were before, all stays as it was: it is a position that is passed through. Returns
    False where speeds that the user has chosen do not determine the others, or depend on each other.
    """
    first = aggregate.speed_start[c]
    speeds = aggregate.speed_start[c + 1] - first
    is_speed_used = embedded_work.is_speed_used
    wanted = given = rank = 0
    for j in range(speeds):
        wanted += aggregate.chosen[aggregate.speed[first + j]]
        given += closed.given[aggregate.speed[first + j]]
    if wanted > 0 and embedded_work.rank[c] >= 0:
        return True
    has_closed = closed.start[c] < closed.start[c + 1]
    # those that closed forms want, if they suit; else any
    for turn in range(2):
        if turn == 0 and (wanted > 0 or not has_closed):
            continue
        for j in range(speeds):
            one = aggregate.speed[first + j]
            is_speed_used[first + j] = closed.given[one] if turn == 0 else aggregate.chosen[one]
        calc_scaled(aggregate, c, embedded_work)
        rank, left = find_pivots(aggregate, c, GOOD if turn == 0 else INDEPENDENT, embedded_work)
        # what rows still hold of the other speeds must be nothing
        if turn == 0 and rank + given == speeds and left < INDEPENDENT:
            break
        if wanted > 0 and (rank + wanted != speeds or left >= INDEPENDENT):
            return False
    if rank < embedded_work.rank[c]:
        return True
    is_same = rank == embedded_work.rank[c]
    for k in range(rank):
        is_same = is_same and embedded_work.slot[first + embedded_work.order_new[first + k]] < rank
    if embedded_work.rank[c] >= 0 and not is_same:
        embedded_work.switches[c] += 1
    embedded_work.rank[c] = rank
    for k in range(rank):
        embedded_work.order[first + k] = embedded_work.order_new[first + k]
    k = first + rank
    for j in range(speeds):
        if is_speed_used[first + j] != 2:
            embedded_work.order[k] = j
            k += 1
    is_closed = has_closed
    for k in range(speeds):
        j = embedded_work.order[first + k]
        embedded_work.slot[first + j] = k
        is_closed = is_closed and (closed.given[aggregate.speed[first + j]] == 1) == (k >= rank)
    embedded_work.is_closed[c] = 1 if is_closed else 0
    embedded_work.is_seen[c] = 0
    return True


@kernel(inline=True)
def calc_transfer(
    # tables
    aggregate,
    # in
    c,
    # work
    embedded_work,
):
    """(4) for aggregate c, from Y. Returns the largest element of X, in the measure of the aggregate; `NOWHERE` where
    Y1 is nearly singular, and infinity where it is singular, and there is no X."""
    Y, Q, X, order = embedded_work.Y, embedded_work.Q, embedded_work.X, embedded_work.order
    right, answer, weight, measure = embedded_work.right, embedded_work.answer, aggregate.weight, aggregate.measure
    first, line, start = aggregate.speed_start[c], aggregate.line_start[c], aggregate.matrix_start[c]
    speeds, lines = aggregate.speed_start[c + 1] - first, aggregate.line_start[c + 1] - line
    square, rank = aggregate.square_start[c], embedded_work.rank[c]
    for k in range(rank):
        j = order[first + k]
        for i in range(lines):
            Q[start + k * lines + i] = Y[start + i * speeds + j] * measure[line + i] / weight[first + j]
    low, high = calc_qr(lines, rank, start, Q, square, embedded_work.R)
    if not low > 0.0:
        return inf
    count = speeds - rank
    largest = NOWHERE if low < LOST * high else 0.0
    for k in range(count):
        j = order[first + rank + k]
        for i in range(lines):
            right[i] = -Y[start + i * speeds + j] * measure[line + i] / weight[first + j]
        solve_qr(lines, rank, start, Q, square, embedded_work.R, right, answer)
        for i in range(rank):
            X[square + i * count + k] = answer[i] * weight[first + j] / weight[first + order[first + i]]
            largest = max(largest, abs(answer[i]))
    return largest


@kernel
def find_crossed(
    # tables
    aggregate,
    # in
    c,
    # work
    embedded_work,
):
    """The column of Q that has changed sign since it was last kept, or -1.

    With a change, aggregate c has passed a position in which Y1 is singular.
    """
    if embedded_work.is_seen[c] == 0:
        return -1
    start, lines = aggregate.matrix_start[c], aggregate.line_start[c + 1] - aggregate.line_start[c]
    for k in range(embedded_work.rank[c]):
        along = 0.0
        for i in range(start + k * lines, start + (k + 1) * lines):
            along += embedded_work.Q[i] * embedded_work.Q_seen[i]
        if along < 0.0:
            return k
    return -1


@kernel(inline=True)
def keep_columns(
    # tables
    aggregate,
    # in
    c,
    # work
    embedded_work,
):
    """Keep Q of aggregate c for `find_crossed`."""
    for i in range(aggregate.matrix_start[c], aggregate.matrix_start[c + 1]):
        embedded_work.Q_seen[i] = embedded_work.Q[i]
    embedded_work.is_seen[c] = 1


@kernel(inline=True)
def calc_measured(
    # tables
    aggregate,
    # in
    c,
    value,
    # work
    embedded_work,
):
    """The values (constraint rows,) of aggregate c in its own measure, into `right`."""
    line = aggregate.line_start[c]
    for i in range(aggregate.line_start[c + 1] - line):
        embedded_work.right[i] = value[line + i] * aggregate.measure[line + i]


@kernel(inline=True)
def solve_dependent(
    # tables
    aggregate,
    # in
    c,
    value,
    # work
    embedded_work,
):
    """Y1^-1 of the values (constraint rows,) of aggregate c, into `answer`; what it leaves of them in `right`.

    Returns the largest share of them that it takes, in the measure of the aggregate.
    """
    first, answer = aggregate.speed_start[c], embedded_work.answer
    lines, rank = aggregate.line_start[c + 1] - aggregate.line_start[c], embedded_work.rank[c]
    start, square = aggregate.matrix_start[c], aggregate.square_start[c]
    calc_measured(aggregate, c, value, embedded_work)
    largest = solve_qr(lines, rank, start, embedded_work.Q, square, embedded_work.R, embedded_work.right, answer)
    for i in range(rank):
        answer[i] /= aggregate.weight[first + embedded_work.order[first + i]]
    return largest
