"""Block-sparse L D L^T of a symmetric quasi-definite matrix, without pivoting: nodes are eliminated in a fixed order.

The pivot block of node k, and its blocks A_ka with the nodes a that couple with it and come later:

    A_kk = L D L^T               L unit lower triangular, D diagonal                      (1)
    W_a  = L^-1 A_ka,  Y_a = D^-1 W_a                                                     (2)
    A_ba <- A_ba - Y_b^T W_a     for all pairs b, a with b not after a                    (3)

Solving A x = b, forward in the order of elimination and backward against it:

    z_k = L^-1 b_k,  b_a <- b_a - Y_a^T z_k                                               (4)
    x_k = L^-T (D^-1 z_k - sum_a Y_a x_a)                                                 (5)

Pivots of a quasi-definite matrix [A G^T; G -E], A and E positive definite, exist in any order and have the signs of
its diagonal (Vanderbei 1995, Symmetric quasidefinite matrices). Where E is a mere regularisation it goes into `shift`,
which enters the factor only. Refinement with the matrix itself then removes its effect:

    r = b - A x,  x <- x + A'^-1 r       A' = A + diag(shift)                             (6)

Redundant rows are survived as long as they agree with each other; of all multipliers that fit, (6) finds those with the
least sum of |shift| lambda^2. The part of the right-hand side in which redundant rows disagree is divided by `shift`
in every step. With shift = -s max(diag G A^-1 G^T), a track of 64 links needs one step of (6) for s = 1e-10, two for
1e-8 (residuals below 1e-12).

Storage: every block is 6 x 6, rows one after another; rows and columns beyond the size of a node are zero, and so are
the numbers of vectors there. Constant strides and lengths are what makes it fast: products with six running sums in
registers, no index inside them. After the factorisation a pivot block holds L^T above its diagonal and D^-1 on it, the
other blocks of the row hold Y. `grouser.compile.elimination` makes the table.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel

WIDTH = 6
"""Numbers in a vector for each node."""
BLOCK = WIDTH * WIDTH
"""Numbers in a block."""
DIAGONAL = WIDTH + 1
"""From one number of the diagonal of a block to the next."""
HALF_DIAGONAL = 3 * DIAGONAL
"""Where the lower right corner of a block begins: the rotations of a body, or the second of two points."""
LEAST_PIVOT = 1e-14
"""Pivots below this share of their diagonal, as given or before the node's own elimination, are noise: singular."""
FACTORED = -1
"""Status of a factorisation that came through."""


@kernel(inline=True)
def add_to_block(offset, flip, row, column, number, value_out):
    """Add a number to a block of an edge, given in the rows and columns of the edge (`edge_offset`, `edge_flip`)."""
    value_out[offset + row * (6 - 5 * flip) + column * (1 + 5 * flip)] += number


@kernel(inline=True)
def _calc_pivot(size, sign, diagonal, shift, u_out):
    """Factor a pivot block in place (1). True if all pivots have the sign and the magnitude that they should."""
    for p in range(size):
        before = abs(u_out[7 * p])
        o = 6 * p
        t0, t1, t2, t3, t4, t5 = u_out[o], u_out[o + 1], u_out[o + 2], u_out[o + 3], u_out[o + 4], u_out[o + 5]
        for m in range(p):
            s = u_out[6 * m + p] * u_out[7 * m]
            t0 -= s * u_out[6 * m]
            t1 -= s * u_out[6 * m + 1]
            t2 -= s * u_out[6 * m + 2]
            t3 -= s * u_out[6 * m + 3]
            t4 -= s * u_out[6 * m + 4]
            t5 -= s * u_out[6 * m + 5]
        u_out[o], u_out[o + 1], u_out[o + 2], u_out[o + 3], u_out[o + 4], u_out[o + 5] = t0, t1, t2, t3, t4, t5
        pivot = u_out[7 * p]
        if not sign * pivot > LEAST_PIVOT * max(abs(diagonal[7 * p] + shift[p]), before):
            return False
        u_out[7 * p] = 1.0 / pivot
    for m in range(size):
        for c in range(m + 1, 6):
            u_out[6 * m + c] *= u_out[7 * m]
    return True


@kernel(inline=True)
def _calc_row_block(u, y_out, w_work):
    """W and Y of a block right of the pivot (2), Y in its place."""
    for p in range(6):
        o = 6 * p
        t0, t1, t2, t3, t4, t5 = y_out[o], y_out[o + 1], y_out[o + 2], y_out[o + 3], y_out[o + 4], y_out[o + 5]
        for m in range(p):
            s = u[6 * m + p]
            t0 -= s * w_work[6 * m]
            t1 -= s * w_work[6 * m + 1]
            t2 -= s * w_work[6 * m + 2]
            t3 -= s * w_work[6 * m + 3]
            t4 -= s * w_work[6 * m + 4]
            t5 -= s * w_work[6 * m + 5]
        w_work[o], w_work[o + 1], w_work[o + 2] = t0, t1, t2
        w_work[o + 3], w_work[o + 4], w_work[o + 5] = t3, t4, t5
        d = u[7 * p]
        y_out[o], y_out[o + 1], y_out[o + 2] = d * t0, d * t1, d * t2
        y_out[o + 3], y_out[o + 4], y_out[o + 5] = d * t3, d * t4, d * t5


@kernel(inline=True)
def _subtract_product(rows, y, w, block_out):
    """block - Y^T W (3)."""
    for r in range(rows):
        o = 6 * r
        t0, t1, t2 = block_out[o], block_out[o + 1], block_out[o + 2]
        t3, t4, t5 = block_out[o + 3], block_out[o + 4], block_out[o + 5]
        for m in range(6):
            s = y[6 * m + r]
            t0 -= s * w[6 * m]
            t1 -= s * w[6 * m + 1]
            t2 -= s * w[6 * m + 2]
            t3 -= s * w[6 * m + 3]
            t4 -= s * w[6 * m + 4]
            t5 -= s * w[6 * m + 5]
        block_out[o], block_out[o + 1], block_out[o + 2] = t0, t1, t2
        block_out[o + 3], block_out[o + 4], block_out[o + 5] = t3, t4, t5


@kernel(stage="int64")
def calc_factor(
    # tables
    table,
    # in
    value,
    shift,
    # out
    factor_out,
    # work
    w_work,
):
    """Factor the matrix `value` plus the diagonal `shift`: `FACTORED`, or the node whose pivot block is singular.

    `shift` is a vector; `w_work` has 36 numbers.
    """
    for i in range(table.given_value.shape[0]):
        source = value[table.given_value[i] : table.given_value[i] + 36]
        copy = factor_out[table.given_factor[i] : table.given_factor[i] + 36]
        for j in range(36):
            copy[j] = source[j]
    for i in range(table.fill.shape[0]):
        block = factor_out[table.fill[i] : table.fill[i] + 36]
        for j in range(36):
            block[j] = 0.0
    target = 0
    for k in range(table.order.shape[0]):
        node = table.order[k]
        panel = table.panel[k]
        u = factor_out[panel : panel + 36]
        node_shift = shift[6 * node : 6 * node + 6]
        for j in range(6):
            u[7 * j] += node_shift[j]
        diagonal = value[36 * node : 36 * node + 36]
        if not _calc_pivot(table.size[node], table.sign[node], diagonal, node_shift, u):
            return node
        start = table.row_start[k]
        for a in range(table.row_start[k + 1] - start):
            y = factor_out[panel + 36 * (a + 1) : panel + 36 * (a + 2)]
            _calc_row_block(u, y, w_work)
            for b in range(a + 1):
                y = factor_out[panel + 36 * (b + 1) : panel + 36 * (b + 2)]
                block = factor_out[table.target[target] : table.target[target] + 36]
                _subtract_product(table.size[table.row_node[start + b]], y, w_work, block)
                target += 1
    return FACTORED


@kernel(inline=True)
def _add_product(scale, block, x, y_out):
    """y + scale block x."""
    x0, x1, x2, x3, x4, x5 = scale * x[0], scale * x[1], scale * x[2], scale * x[3], scale * x[4], scale * x[5]
    for r in range(6):
        o = 6 * r
        y_out[r] += (
            block[o] * x0
            + block[o + 1] * x1
            + block[o + 2] * x2
            + block[o + 3] * x3
            + block[o + 4] * x4
            + block[o + 5] * x5
        )


@kernel(inline=True)
def _add_transposed_product(scale, block, x, y_out):
    """y + scale block^T x."""
    t0, t1, t2, t3, t4, t5 = y_out[0], y_out[1], y_out[2], y_out[3], y_out[4], y_out[5]
    for m in range(6):
        o, f = 6 * m, scale * x[m]
        t0 += f * block[o]
        t1 += f * block[o + 1]
        t2 += f * block[o + 2]
        t3 += f * block[o + 3]
        t4 += f * block[o + 4]
        t5 += f * block[o + 5]
    y_out[0], y_out[1], y_out[2], y_out[3], y_out[4], y_out[5] = t0, t1, t2, t3, t4, t5


@kernel(inline=True)
def _solve_lower(u, z_out):
    """L^-1 z (4)."""
    t0, t1, t2, t3, t4, t5 = z_out[0], z_out[1], z_out[2], z_out[3], z_out[4], z_out[5]
    t1 -= u[1] * t0
    t2 -= u[2] * t0 + u[8] * t1
    t3 -= u[3] * t0 + u[9] * t1 + u[15] * t2
    t4 -= u[4] * t0 + u[10] * t1 + u[16] * t2 + u[22] * t3
    t5 -= u[5] * t0 + u[11] * t1 + u[17] * t2 + u[23] * t3 + u[29] * t4
    z_out[1], z_out[2], z_out[3], z_out[4], z_out[5] = t1, t2, t3, t4, t5


@kernel(inline=True)
def _solve_upper(u, x_out):
    """L^-T x (5)."""
    t0, t1, t2, t3, t4, t5 = x_out[0], x_out[1], x_out[2], x_out[3], x_out[4], x_out[5]
    t4 -= u[29] * t5
    t3 -= u[23] * t5 + u[22] * t4
    t2 -= u[17] * t5 + u[16] * t4 + u[15] * t3
    t1 -= u[11] * t5 + u[10] * t4 + u[9] * t3 + u[8] * t2
    t0 -= u[5] * t5 + u[4] * t4 + u[3] * t3 + u[2] * t2 + u[1] * t1
    x_out[0], x_out[1], x_out[2], x_out[3], x_out[4] = t0, t1, t2, t3, t4


@kernel(stage=True)
def solve_factored(
    # tables
    table,
    # in
    factor,
    # out
    b_out,
):
    """Solve with a factor; the right-hand side becomes the solution."""
    count = table.order.shape[0]
    for k in range(count):
        panel = table.panel[k]
        u = factor[panel : panel + 36]
        node = table.order[k]
        z = b_out[6 * node : 6 * node + 6]
        _solve_lower(u, z)
        start = table.row_start[k]
        for a in range(table.row_start[k + 1] - start):
            other = table.row_node[start + a]
            y = factor[panel + 36 * (a + 1) : panel + 36 * (a + 2)]
            _add_transposed_product(-1.0, y, z, b_out[6 * other : 6 * other + 6])
    for k in range(count - 1, -1, -1):
        panel = table.panel[k]
        u = factor[panel : panel + 36]
        node = table.order[k]
        x = b_out[6 * node : 6 * node + 6]
        for m in range(6):
            x[m] *= u[7 * m]
        start = table.row_start[k]
        for a in range(table.row_start[k + 1] - start):
            other = table.row_node[start + a]
            y = factor[panel + 36 * (a + 1) : panel + 36 * (a + 2)]
            _add_product(-1.0, y, b_out[6 * other : 6 * other + 6], x)
        _solve_upper(u, x)


@kernel
def calc_product(
    # tables
    table,
    # in
    value,
    x,
    # out
    y_out,
):
    """y = A x."""
    count = table.size.shape[0]
    for i in range(6 * count):
        y_out[i] = 0.0
    for i in range(1, count):
        _add_product(1.0, value[36 * i : 36 * i + 36], x[6 * i : 6 * i + 6], y_out[6 * i : 6 * i + 6])
    for e in range(table.pair_row.shape[0]):
        i, j = table.pair_row[e], table.pair_column[e]
        block = value[36 * (count + e) : 36 * (count + 1 + e)]
        _add_product(1.0, block, x[6 * j : 6 * j + 6], y_out[6 * i : 6 * i + 6])
        _add_transposed_product(1.0, block, x[6 * i : 6 * i + 6], y_out[6 * j : 6 * j + 6])


@kernel
def solve_refined(
    # tables
    table,
    # in
    value,
    factor,
    b,
    step_count,
    tolerance,
    # out
    x_out,
    # work
    r_work,
):
    """Solve A x = b with a factor of A + diag(shift) and steps of refinement (6): one, and then as many, up to
    `step_count`, as rows of multipliers need to hold within `tolerance`.

    Returns the largest residual of a row of multipliers that was seen last, or zero where none was looked at.
    """
    length = 6 * table.size.shape[0]
    for i in range(length):
        x_out[i] = b[i]
    solve_factored(table, factor, x_out)
    worst = 0.0
    for step in range(step_count):
        calc_product(table, value, x_out, r_work)
        worst = 0.0
        for i in range(length):
            r_work[i] = b[i] - r_work[i]
            if table.sign[i // 6] < 0:
                worst = max(worst, abs(r_work[i]))
        if step > 0 and worst <= tolerance:
            break
        solve_factored(table, factor, r_work)
        for i in range(length):
            x_out[i] += r_work[i]
    return worst
