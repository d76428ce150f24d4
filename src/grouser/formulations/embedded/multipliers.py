"""What the joints of aggregates carry: multipliers of cut joints and motions, from accelerations that are known.

The wrenches that the joints of the tree would have to give by themselves (`recursive/newton_euler.py`, (1)) have parts
along the speeds, tau = S . F, which only the constraints can give:

    Y^T lambda = -tau                                                                              (1)

The equations of the dependent speeds determine lambda, Y1^T lambda = -tau_1; those of the independent ones then hold by
the equations of motion. Where rows are redundant lambda is the shortest of all that hold, with Yd the columns of the
dependent speeds of all rows,

    lambda = -Yd (Yd^T Yd)^-1 tau_1                                                                (2)

Each lambda adds to the wrenches of the joints between its ends.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.dense import calc_cholesky, solve_cholesky, solve_qr_transposed


@kernel(inline=True)
def calc_aggregate_multipliers(
    # tables
    tree,
    aggregate,
    # in
    c,
    # work
    work,
    cut_work,
    embedded_work,
):
    """lambda of the rows of aggregate c, from the wrenches in `work.running`; D is used up."""
    running, right, answer, D, Y = (
        work.running,
        embedded_work.right,
        embedded_work.answer,
        embedded_work.D,
        embedded_work.Y,
    )
    order, multiplier = embedded_work.order, cut_work.multiplier
    first, line, start = aggregate.speed_start[c], aggregate.line_start[c], aggregate.matrix_start[c]
    speeds, lines = aggregate.speed_start[c + 1] - first, aggregate.line_start[c + 1] - line
    square, rank = aggregate.square_start[c], embedded_work.rank[c]
    for p in range(aggregate.row_start[c], aggregate.row_start[c + 1]):
        k = aggregate.row[p]
        F = running[tree.body[k]]
        for j in range(tree.v_start[k], tree.v_start[k + 1]):
            slot = embedded_work.slot[first + aggregate.place[j]]
            if slot < rank:
                S = work.column[j]
                right[slot] = -(S[0] * F[0] + S[1] * F[1] + S[2] * F[2] + S[3] * F[3] + S[4] * F[4] + S[5] * F[5])
    if rank == lines:  # (1)
        for i in range(rank):
            right[i] /= aggregate.weight[first + order[first + i]]
        solve_qr_transposed(lines, rank, start, embedded_work.Q, square, embedded_work.R, right, answer)
        for i in range(lines):
            multiplier[line + i] = answer[i] * aggregate.measure[line + i]
        return
    for i in range(rank):  # (2)
        for j in range(i + 1):
            value = 0.0
            for m in range(lines):
                row = start + m * speeds
                value += Y[row + order[first + i]] * Y[row + order[first + j]]
            D[square + i * rank + j] = value
    calc_cholesky(rank, square, D)
    solve_cholesky(rank, square, D, right)
    for m in range(lines):
        value = 0.0
        for i in range(rank):
            value += Y[start + m * speeds + order[first + i]] * right[i]
        multiplier[line + m] = value


@kernel(inline=True)
def add_multipliers(
    # tables
    tree,
    constraint,
    aggregate,
    # in
    x,
    # work
    work,
    cut_work,
    embedded_work,
):
    """Multipliers of all aggregates, and what they add to the wrenches of the tree's joints in `work.running`."""
    running, push = work.running, cut_work.push
    for c in range(aggregate.ancestor.shape[0]):
        calc_aggregate_multipliers(tree, aggregate, c, work, cut_work, embedded_work)
    for i in range(constraint.body_a.shape[0]):
        for side in range(2):
            end = constraint.body_a[i] if side == 0 else constraint.body_b[i]
            f0 = f1 = f2 = f3 = f4 = f5 = 0.0
            for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
                value, s = cut_work.multiplier[row], 6 * side
                f0, f1, f2 = f0 + value * push[row, s], f1 + value * push[row, s + 1], f2 + value * push[row, s + 2]
                f3, f4, f5 = f3 + value * push[row, s + 3], f4 + value * push[row, s + 4], f5 + value * push[row, s + 5]
            for p in range(aggregate.branch_start[2 * i + side], aggregate.branch_start[2 * i + side + 1]):
                k = tree.body[aggregate.branch[p]]
                dx, dy, dz = x[end, 0] - x[k, 0], x[end, 1] - x[k, 1], x[end, 2] - x[k, 2]
                running[k, 0] += f0
                running[k, 1] += f1
                running[k, 2] += f2
                running[k, 3] += f3 + dy * f2 - dz * f1
                running[k, 4] += f4 + dz * f0 - dx * f2
                running[k, 5] += f5 + dx * f1 - dy * f0
