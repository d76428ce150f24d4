"""Articulated bodies with aggregates: one node of the tree each, with a dense inertia of its independent speeds.

The bodies of an aggregate move with their ancestor, d apart, and by its independent speeds (T as in
`recursive/articulated.py`, C the columns of the tree summed along it, times X):

    A_b = T_b A + C_b qdd_i,       C_b = T C_parent + sum over speeds S X                          (1)

Each brings its own articulated inertia J_b and right-hand side W_b, with what hangs on it outside of the aggregate.
Eliminating qdd_i,

    D = sum C_b^T J_b C_b = L L^T,     U = sum T_b^T J_b C_b,     u = sum C_b^T W_b                (2)
    J += sum T_b^T J_b T_b - (U L^-T) (U L^-T)^T,     W += sum T_b^T W_b - (U L^-T) (L^-1 u)       (3)

and on the way back, root to leaf,

    L^T qdd_i = L^-1 u - (U L^-T)^T A                                                              (4)

(S4-9..12 with the passes S4-4, 6, 7). D is as small as the number of independent speeds: one for a wheel suspension.
Columns that are zero, as those of the left wheel's speed on bodies of the right one, are passed over.
"""

from __future__ import annotations

from grouser.formulations.embedded.partition import solve_dependent
from grouser.formulations.recursive.articulated import (
    add_effort,
    add_eliminated,
    add_shifted_inertia,
    calc_accelerations,
    calc_inertias,
    calc_joint_response,
)
from grouser.formulations.recursive.velocity import calc_bias, calc_loads
from grouser.kernels._jit import kernel
from grouser.kernels.dense import calc_cholesky, solve_upper
from grouser.kernels.kinds import WORLD_ROW


@kernel(inline=True)
def is_zero(row):
    """Whether a six-vector is zero."""
    return row[0] == 0.0 and row[1] == 0.0 and row[2] == 0.0 and row[3] == 0.0 and row[4] == 0.0 and row[5] == 0.0


@kernel(inline=True)
def calc_aggregate_columns(
    # tables
    tree,
    aggregate,
    # in
    c,
    # work
    work,
    embedded_work,
):
    """C of the bodies of aggregate c (1), root to leaf."""
    C, X, reach = embedded_work.column, embedded_work.X, work.reach
    first, rank = aggregate.speed_start[c], embedded_work.rank[c]
    count = aggregate.speed_start[c + 1] - first - rank
    start = aggregate.column_start[c]
    for p in range(aggregate.row_start[c], aggregate.row_start[c + 1]):
        k = aggregate.row[p]
        child, parent_row = tree.body[k], tree.row[tree.parent[k]]
        place = start + aggregate.position[k] * count
        above = -1
        if parent_row >= 0 and aggregate.owner[parent_row] == c:
            above = start + aggregate.position[parent_row] * count
        x, y, z = reach[child, 0], reach[child, 1], reach[child, 2]
        for i in range(count):
            c0 = c1 = c2 = c3 = c4 = c5 = 0.0
            if above >= 0:
                B = C[above + i]
                c3, c4, c5 = B[3], B[4], B[5]
                c0, c1, c2 = B[0] + c4 * z - c5 * y, B[1] + c5 * x - c3 * z, B[2] + c3 * y - c4 * x
            for j in range(tree.v_start[k], tree.v_start[k + 1]):
                m = embedded_work.slot[first + aggregate.place[j]]
                share = 1.0 if m == rank + i else 0.0
                if m < rank:
                    share = X[aggregate.square_start[c] + m * count + i]
                S = work.column[j]
                c0, c1, c2 = c0 + share * S[0], c1 + share * S[1], c2 + share * S[2]
                c3, c4, c5 = c3 + share * S[3], c4 + share * S[4], c5 + share * S[5]
            row = C[place + i]
            row[0], row[1], row[2], row[3], row[4], row[5] = c0, c1, c2, c3, c4, c5


@kernel(inline=True)
def add_aggregate(
    # tables
    tree,
    aggregate,
    # in
    c,
    x,
    # work
    work,
    embedded_work,
):
    """(2) and (3) for aggregate c; the rows of its independent speeds in `effect` and `effort` get U L^-T and L^-1 u.

    Returns False where the independent speeds have no inertia.
    """
    inertia, running, effect, effort = work.inertia, work.running, work.effect, work.effort
    D, force = embedded_work.D, embedded_work.force
    first, rank = aggregate.speed_start[c], embedded_work.rank[c]
    count = aggregate.speed_start[c + 1] - first - rank
    square, ancestor = aggregate.square_start[c], aggregate.ancestor[c]
    calc_aggregate_columns(tree, aggregate, c, work, embedded_work)
    for i in range(count):
        j = aggregate.speed[first + embedded_work.order[first + rank + i]]
        effort[j] = 0.0
        for m in range(6):
            effect[j, m] = 0.0
        for m in range(i + 1):
            D[square + i * count + m] = 0.0
    P, V = inertia[ancestor], running[ancestor]
    for p in range(aggregate.row_start[c], aggregate.row_start[c + 1]):
        k = aggregate.row[p]
        b = tree.body[k]
        J, W = inertia[b], running[b]
        x0, y0, z0 = x[b, 0] - x[ancestor, 0], x[b, 1] - x[ancestor, 1], x[b, 2] - x[ancestor, 2]
        place = aggregate.column_start[c] + aggregate.position[k] * count
        for i in range(count):
            S, F = embedded_work.column[place + i], force[i]
            if is_zero(S):
                continue
            j = aggregate.speed[first + embedded_work.order[first + rank + i]]
            s0, s1, s2, s3, s4, s5 = S[0], S[1], S[2], S[3], S[4], S[5]
            u0 = J[0] * s0 + J[1] * s1 + J[2] * s2 + J[6] * s3 + J[7] * s4 + J[8] * s5
            u1 = J[1] * s0 + J[3] * s1 + J[4] * s2 + J[9] * s3 + J[10] * s4 + J[11] * s5
            u2 = J[2] * s0 + J[4] * s1 + J[5] * s2 + J[12] * s3 + J[13] * s4 + J[14] * s5
            u3 = J[6] * s0 + J[9] * s1 + J[12] * s2 + J[15] * s3 + J[16] * s4 + J[17] * s5
            u4 = J[7] * s0 + J[10] * s1 + J[13] * s2 + J[16] * s3 + J[18] * s4 + J[19] * s5
            u5 = J[8] * s0 + J[11] * s1 + J[14] * s2 + J[17] * s3 + J[19] * s4 + J[20] * s5
            F[0], F[1], F[2], F[3], F[4], F[5] = u0, u1, u2, u3, u4, u5
            effort[j] += s0 * W[0] + s1 * W[1] + s2 * W[2] + s3 * W[3] + s4 * W[4] + s5 * W[5]
            U = effect[j]
            U[0] += u0
            U[1] += u1
            U[2] += u2
            U[3] += u3 + y0 * u2 - z0 * u1
            U[4] += u4 + z0 * u0 - x0 * u2
            U[5] += u5 + x0 * u1 - y0 * u0
            for m in range(i + 1):
                B = embedded_work.column[place + m]
                D[square + i * count + m] += B[0] * u0 + B[1] * u1 + B[2] * u2 + B[3] * u3 + B[4] * u4 + B[5] * u5
        add_shifted_inertia(
            (J[0], J[1], J[2], J[3], J[4], J[5]),
            (J[6], J[7], J[8], J[9], J[10], J[11], J[12], J[13], J[14]),
            (J[15], J[16], J[17], J[18], J[19], J[20]),
            x0,
            y0,
            z0,
            P,
        )
        V[0] += W[0]
        V[1] += W[1]
        V[2] += W[2]
        V[3] += W[3] + y0 * W[2] - z0 * W[1]
        V[4] += W[4] + z0 * W[0] - x0 * W[2]
        V[5] += W[5] + x0 * W[1] - y0 * W[0]
    calc_cholesky(count, square, D)
    for i in range(count):
        j = aggregate.speed[first + embedded_work.order[first + rank + i]]
        if not D[square + i * count + i] > 0.0:
            return False
        U = effect[j]
        for m in range(i):
            other = aggregate.speed[first + embedded_work.order[first + rank + m]]
            factor = D[square + i * count + m]
            effort[j] -= factor * effort[other]
            for r in range(6):
                U[r] -= factor * effect[other, r]
        inverse = 1.0 / D[square + i * count + i]
        effort[j] *= inverse
        for r in range(6):
            U[r] *= inverse
            V[r] -= U[r] * effort[j]
        m = 0
        for r in range(3):
            for s in range(r, 3):
                P[m] -= U[r] * U[s]
                P[15 + m] -= U[3 + r] * U[3 + s]
                m += 1
            for s in range(3):
                P[6 + 3 * r + s] -= U[r] * U[3 + s]
    return True


@kernel(inline=True)
def calc_aggregate_response(
    # tables
    tree,
    aggregate,
    # in
    c,
    x,
    # out
    qdd_out,
    response_out,
    # work
    work,
    embedded_work,
):
    """(4) and (1) for aggregate c; the response of its ancestor must be there."""
    effect, effort, answer = work.effect, work.effort, embedded_work.answer
    first, rank, square = aggregate.speed_start[c], embedded_work.rank[c], aggregate.square_start[c]
    count, ancestor = aggregate.speed_start[c + 1] - first - rank, aggregate.ancestor[c]
    A = response_out[ancestor]
    for i in range(count):
        j = aggregate.speed[first + embedded_work.order[first + rank + i]]
        U = effect[j]
        resisted = U[0] * A[0] + U[1] * A[1] + U[2] * A[2] + U[3] * A[3] + U[4] * A[4] + U[5] * A[5]
        answer[i] = effort[j] - resisted
    solve_upper(count, square, embedded_work.D, answer)
    for i in range(count):
        qdd_out[aggregate.speed[first + embedded_work.order[first + rank + i]]] = answer[i]
    for i in range(rank):
        value = 0.0
        for m in range(count):
            value += embedded_work.X[square + i * count + m] * answer[m]
        qdd_out[aggregate.speed[first + embedded_work.order[first + i]]] = value
    for p in range(aggregate.row_start[c], aggregate.row_start[c + 1]):
        k = aggregate.row[p]
        b = tree.body[k]
        dx, dy, dz = x[b, 0] - x[ancestor, 0], x[b, 1] - x[ancestor, 1], x[b, 2] - x[ancestor, 2]
        place = aggregate.column_start[c] + aggregate.position[k] * count
        B = response_out[b]
        B[0], B[1], B[2] = A[0] + A[4] * dz - A[5] * dy, A[1] + A[5] * dx - A[3] * dz, A[2] + A[3] * dy - A[4] * dx
        B[3], B[4], B[5] = A[3], A[4], A[5]
        for i in range(count):
            S = embedded_work.column[place + i]
            for m in range(6):
                B[m] += S[m] * answer[i]


@kernel(inline=True)
def add_kappa(
    # tables
    tree,
    constraint,
    aggregate,
    # work
    work,
    cut_work,
    embedded_work,
):
    """kappa of all aggregates (`partition.py`, (3)), and what it adds to the accelerations B of all bodies."""
    bias, push, kappa, right = work.bias, cut_work.push, embedded_work.kappa, cut_work.right
    for c in range(aggregate.ancestor.shape[0]):
        first = aggregate.speed_start[c]
        for i in range(aggregate.entry_start[c], aggregate.entry_start[c + 1]):
            a, b = constraint.body_a[i], constraint.body_b[i]
            for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
                value = cut_work.gamma[row]
                for m in range(6):
                    value -= push[row, m] * bias[a, m] + push[row, 6 + m] * bias[b, m]
                right[row] = value
        solve_dependent(aggregate, c, right, embedded_work)
        for i in range(embedded_work.rank[c]):
            kappa[aggregate.speed[first + embedded_work.order[first + i]]] = embedded_work.answer[i]
        for i in range(embedded_work.rank[c], aggregate.speed_start[c + 1] - first):
            kappa[aggregate.speed[first + embedded_work.order[first + i]]] = 0.0
    gain, reach, column = work.running, work.reach, work.column
    count = tree.body.shape[0]
    for m in range(6):
        gain[WORLD_ROW, m] = 0.0
    for k in range(count):
        child, parent = tree.body[k], tree.parent[k]
        x, y, z = reach[child, 0], reach[child, 1], reach[child, 2]
        a3, a4, a5 = gain[parent, 3], gain[parent, 4], gain[parent, 5]
        a0 = gain[parent, 0] + a4 * z - a5 * y
        a1 = gain[parent, 1] + a5 * x - a3 * z
        a2 = gain[parent, 2] + a3 * y - a4 * x
        if aggregate.owner[k] >= 0:
            for j in range(tree.v_start[k], tree.v_start[k + 1]):
                S, rate = column[j], kappa[j]
                a0, a1, a2 = a0 + S[0] * rate, a1 + S[1] * rate, a2 + S[2] * rate
                a3, a4, a5 = a3 + S[3] * rate, a4 + S[4] * rate, a5 + S[5] * rate
        gain[child, 0], gain[child, 1], gain[child, 2] = a0, a1, a2
        gain[child, 3], gain[child, 4], gain[child, 5] = a3, a4, a5
        bias[child, 0] += a0
        bias[child, 1] += a1
        bias[child, 2] += a2
        bias[child, 3] += a3
        bias[child, 4] += a4
        bias[child, 5] += a5


@kernel(inline=True)
def calc_embedded(
    # tables
    body,
    # in
    instant,
    drag,
    # out
    qdd_out,
    # work
    tree_work,
    embedding_work,
    work,
):
    """Accelerations of a tree with aggregates, at a state of `kinematics.solve_kinematics`, with gamma of its rows.

    Arguments as in `recursive/articulated.calc_articulated`. Returns False where an aggregate has no inertia.
    """
    _, x, R, v, w, _ = instant
    tree, scratch = tree_work.tree, tree_work.work
    aggregate, embedded_work = embedding_work.aggregate, embedding_work.work
    running, effort, response = scratch.running, scratch.effort, scratch.response
    count = tree.body.shape[0]
    calc_inertias(body, R, scratch)
    calc_bias(tree, x, R, v, w, scratch)
    if aggregate.ancestor.shape[0] > 0:
        add_kappa(tree, tree_work.constraint, aggregate, scratch, tree_work.cut_work, embedded_work)
    calc_loads(body, R, v, w, work.f, work.torque, drag, scratch)
    for i in range(1, count + 1):
        for m in range(6):
            running[i, m] = scratch.wrench[i, m]
    for m in range(6):
        running[WORLD_ROW, m] = 0.0
    for k in range(count - 1, -1, -1):
        c = aggregate.owner[k]
        if c < 0:
            for j in range(tree.v_start[k], tree.v_start[k + 1]):
                effort[j] = 0.0
            add_eliminated(tree, k, scratch)
            add_effort(tree, k, running, effort, scratch)
        elif aggregate.position[k] == 0 and not add_aggregate(tree, aggregate, c, x, scratch, embedded_work):
            return False
    for m in range(6):
        response[WORLD_ROW, m] = 0.0
    for k in range(count):
        c = aggregate.owner[k]
        if c < 0:
            calc_joint_response(tree, k, qdd_out, response, scratch)
        elif aggregate.position[k] == 0:
            calc_aggregate_response(tree, aggregate, c, x, qdd_out, response, scratch, embedded_work)
    for k in range(aggregate.speed.shape[0]):
        j = aggregate.speed[k]
        qdd_out[j] += embedded_work.kappa[j]
    calc_accelerations(R, response, scratch.bias, work.a, work.dw)
    return True
