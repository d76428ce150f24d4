"""Independent and dependent speeds of an aggregate.

With qd the speeds of the tree's joints in an aggregate, its constraints are, on velocities and accelerations,

    Y qd = nu,      Y qdd = gamma - G B                                                            (1)

with the rows G, nu, gamma of kernels/joints/constraint.py, Y = G times the columns of the speeds, and B the
accelerations of the bodies with all speeds constant. What the aggregate has in common with its ancestor drops out of
(1): no row resists a common motion. Of the columns of Y as many as its rank are dependent, Y1, the others independent,
Y2, so that (S4-10, 13, 14)

    qd = X qd_i + chi,   qdd = X qdd_i + kappa,   X = [-Y1^-1 Y2; 1]                               (2)
    chi = [Y1^-1 nu; 0],     kappa = [Y1^-1 (gamma - G B); 0]                                      (3)

Elimination with the largest element as pivot, on rows of length one and with slides measured by the size of the
aggregate, tells rank and both sets. Rows without a pivot are redundant, as three of the five that close a loop of
parallel pins are. Elements of X in the same scale then are of the order of one. Where one has grown beyond `POOR`, as
near a dead point of an independent joint, the sets are found anew: geometry decides, not inertia, because beyond the
dead point there is no position at all.

Redundant rows are told apart by directions in the world: a planar linkage on a vehicle that turns is held by other rows
than before. So the rows are chosen anew, too, where the pivots of Y1 have become small beside what they were, `WORN`.

A speed of a free rotation has no coordinate of its own, so such ones become dependent first.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.dense_lu import calc_lu, solve_lu
from grouser.kernels.joints.constraint import calc_push
from grouser.kernels.kinds import ROTATION_FREE
from grouser.kernels.semidefinite import IMMOVABLE

INDEPENDENT = 1.0e-5
"""A row is independent of others where the part of it that they do not hold has at least this share of its length."""
POOR = 5.0
"""Largest element of X beyond which other speeds become independent."""
WORN = 0.1
"""Share of what the least pivot of Y1 beside its largest was, below which other rows become independent."""
LOST = 1.0e-6
"""Least pivot of Y1 beside its largest below which a linkage is where its ways part: on passing such a position it
would be left to chance which one is taken. Linkages of the tests have more than 0.003."""
NOWHERE = 1.0e300
"""Stands for an element of X there."""
FREE_ROTATION = 0.4
"""Weight of speeds of free rotations beside that of turns, so that others become independent rather than these."""
GOOD = 0.01
"""Least pivot with which the speeds that closed forms take as given become the independent ones."""


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
    tree,
    constraint,
    aggregate,
    # in
    c,
    # work
    cut_work,
    embedded_work,
):
    """Y of aggregate c with its slides in the scale of its size and rows of length one; rows that resist next to
    nothing of what they would resist on free bodies are zero."""
    Y, scaled, weight, push = embedded_work.Y, embedded_work.scaled, embedded_work.weight, cut_work.push
    first, last = aggregate.speed_start[c], aggregate.speed_start[c + 1]
    start, line, size = aggregate.matrix_start[c], aggregate.line_start[c], aggregate.size[c]
    for p in range(aggregate.row_start[c], aggregate.row_start[c + 1]):
        k = aggregate.row[p]
        slides = tree.v_start[k] + tree.slide_count[k]
        for j in range(tree.v_start[k], tree.v_start[k + 1]):
            value = 1.0 / size if j < slides else 1.0
            if tree.rotation[k] == ROTATION_FREE and j >= slides:
                value = FREE_ROTATION
            weight[first + aggregate.place[j]] = value
    for i in range(aggregate.entry_start[c], aggregate.entry_start[c + 1]):
        for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
            place = start + (row - line) * (last - first)
            total = whole = 0.0
            for j in range(last - first):
                value = Y[place + j] / weight[first + j]
                scaled[place + j] = value
                total += value * value
            for m in range(3):
                whole += size * size * push[row, m] * push[row, m] + push[row, 3 + m] * push[row, 3 + m]
            factor = 0.0
            if total > IMMOVABLE * whole:
                factor = 1.0 / sqrt(total)
            for j in range(last - first):
                scaled[place + j] *= factor


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
    """Eliminate the scaled rows of aggregate c with the largest pivots first, no less than `least`, in columns that are
    not used yet. Returns their number; rows and columns of the pivots are left in `line_new` and `order_new`."""
    A = embedded_work.scaled
    is_line_used, is_speed_used = embedded_work.is_line_used, embedded_work.is_speed_used
    first, line, start = aggregate.speed_start[c], aggregate.line_start[c], aggregate.matrix_start[c]
    speeds, lines = aggregate.speed_start[c + 1] - first, aggregate.line_start[c + 1] - line
    for i in range(lines):
        is_line_used[line + i] = 0
    rank = 0
    for _ in range(min(lines, speeds)):
        best, row, column = 0.0, -1, -1
        for i in range(lines):
            if is_line_used[line + i] == 1:
                continue
            for j in range(speeds):
                magnitude = abs(A[start + i * speeds + j])
                if is_speed_used[first + j] == 0 and magnitude > best:
                    best, row, column = magnitude, i, j
        if best < least:
            break
        is_line_used[line + row], is_speed_used[first + column] = 1, 1
        embedded_work.line_new[line + rank], embedded_work.order_new[first + rank] = row, column
        rank += 1
        inverse = 1.0 / A[start + row * speeds + column]
        for i in range(lines):
            factor = A[start + i * speeds + column] * inverse
            if is_line_used[line + i] == 0 and factor != 0.0:
                for j in range(speeds):
                    A[start + i * speeds + j] -= factor * A[start + row * speeds + j]
    return rank


@kernel
def find_partition(
    # tables
    tree,
    constraint,
    aggregate,
    closed,
    # in
    c,
    # work
    cut_work,
    embedded_work,
):
    """Choose the dependent speeds of aggregate c and the rows that hold them, from Y.

    Where fewer rows are independent than were before, all stays as it was: it is a position that is passed through.
    Returns False where speeds that the user has chosen do not determine the others, or depend on each other.
    """
    first, line, start = aggregate.speed_start[c], aggregate.line_start[c], aggregate.matrix_start[c]
    speeds, lines = aggregate.speed_start[c + 1] - first, aggregate.line_start[c + 1] - line
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
        calc_scaled(tree, constraint, aggregate, c, cut_work, embedded_work)
        rank = find_pivots(aggregate, c, GOOD if turn == 0 else INDEPENDENT, embedded_work)
        # what the other rows still hold must be nothing
        left = 0.0
        for i in range(lines):
            for j in range(speeds):
                if embedded_work.is_line_used[line + i] == 0:
                    left = max(left, abs(embedded_work.scaled[start + i * speeds + j]))
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
        embedded_work.line[line + k] = embedded_work.line_new[line + k]
        embedded_work.order[first + k] = embedded_work.order_new[first + k]
        is_speed_used[first + embedded_work.order_new[first + k]] = 2
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
    embedded_work.spread[c] = 0.0
    if not is_same:
        for i in range(closed.start[c], closed.start[c + 1]):
            embedded_work.branch[i] = 0
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
    """X of aggregate c and the factors of Y1, from Y. Returns the largest element of X, in the scale of `calc_scaled`;
    more than `POOR` where rows are worn, `NOWHERE` where Y1 is singular or nearly so."""
    Y, lu, X, order = embedded_work.Y, embedded_work.lu, embedded_work.X, embedded_work.order
    right, answer, weight = embedded_work.right, embedded_work.answer, embedded_work.weight
    first, line, start = aggregate.speed_start[c], aggregate.line_start[c], aggregate.matrix_start[c]
    square, speeds, rank = aggregate.square_start[c], aggregate.speed_start[c + 1] - first, embedded_work.rank[c]
    for i in range(rank):
        row = start + embedded_work.line[line + i] * speeds
        for j in range(rank):
            lu[square + i * rank + j] = Y[row + order[first + j]]
    if not calc_lu(rank, square, lu, first, embedded_work.permutation):
        return NOWHERE
    count = speeds - rank
    largest, spread = 0.0, 1.0
    if rank > 0:
        low, high = 1.0e300, 0.0
        for i in range(rank):
            pivot = abs(lu[square + i * rank + i])
            low, high = min(low, pivot), max(high, pivot)
        spread = low / high
    if spread < LOST:
        largest = NOWHERE
    elif rank < aggregate.line_start[c + 1] - line:
        if embedded_work.spread[c] == 0.0:
            embedded_work.spread[c] = spread
        elif spread < WORN * embedded_work.spread[c]:
            largest = 2.0 * POOR
    for k in range(count):
        j = order[first + rank + k]
        for i in range(rank):
            right[i] = -Y[start + embedded_work.line[line + i] * speeds + j]
        solve_lu(rank, square, lu, first, embedded_work.permutation, right, answer)
        for i in range(rank):
            X[square + i * count + k] = answer[i]
            largest = max(largest, abs(answer[i]) * weight[first + order[first + i]] / weight[first + j])
    return largest


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
    """Y1^-1 of the values (constraint rows,) at the independent rows of aggregate c, into `answer`."""
    first, line, square = aggregate.speed_start[c], aggregate.line_start[c], aggregate.square_start[c]
    rank = embedded_work.rank[c]
    for i in range(rank):
        embedded_work.right[i] = value[line + embedded_work.line[line + i]]
    solve_lu(
        rank, square, embedded_work.lu, first, embedded_work.permutation, embedded_work.right, embedded_work.answer
    )
