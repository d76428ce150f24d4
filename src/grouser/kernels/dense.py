"""Small dense systems: least squares by orthogonal columns, and symmetric ones by Cholesky's factor.

A matrix Y (rows, size), of no fewer rows than columns, is

    Y = Q R,      Q^T Q = 1,      R upper triangular with a positive diagonal                      (1)

by Gram and Schmidt in the modified order, in which the right-hand side is treated as one column more: that is as
accurate as reflections are. Columns of Q lie one after the other in a flat array, from `start` on; R lies row by row,
from `square` on. Products that are zero are passed over, so that blocks which do not touch each other cost nothing for
each other. Nothing depends on the axes in which rows are written: turning them turns Q, and leaves R.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel


@kernel
def calc_qr(rows, size, start, q_out, square, r_out):
    """(1) in place: `q_out` holds the columns of Y, and gets those of Q.

    Returns the least and the largest element of the diagonal of R; where the least one is zero or no number, Q and R
    are not finished.
    """
    least, largest = 1.0e300, 0.0
    for k in range(size):
        own = start + k * rows
        length = 0.0
        for i in range(rows):
            length += q_out[own + i] * q_out[own + i]
        length = sqrt(length)
        if not length > 0.0:
            return 0.0, largest
        least, largest = min(least, length), max(largest, length)
        r_out[square + k * size + k] = length
        inverse = 1.0 / length
        for i in range(rows):
            q_out[own + i] *= inverse
        for j in range(k + 1, size):
            other = start + j * rows
            share = 0.0
            for i in range(rows):
                share += q_out[own + i] * q_out[other + i]
            r_out[square + k * size + j] = share
            if share != 0.0:
                for i in range(rows):
                    q_out[other + i] -= share * q_out[own + i]
    return least, largest


@kernel
def solve_qr(rows, size, start, q, square, r, b_work, z_out):
    """The z of least |Y z - b|. `b_work` (rows,) is left with b - Y z. Returns the largest share of b along a column
    of Q."""
    largest = 0.0
    for k in range(size):
        own = start + k * rows
        share = 0.0
        for i in range(rows):
            share += q[own + i] * b_work[i]
        z_out[k] = share
        if not abs(share) <= largest:
            largest = abs(share)
        if share != 0.0:
            for i in range(rows):
                b_work[i] -= share * q[own + i]
    for k in range(size - 1, -1, -1):
        value = z_out[k]
        for j in range(k + 1, size):
            value -= r[square + k * size + j] * z_out[j]
        z_out[k] = value / r[square + k * size + k]
    return largest


@kernel
def solve_qr_transposed(rows, size, start, q, square, r, b_work, z_out):
    """The shortest z (rows,) with Y^T z = b; `b_work` (size,) is used up."""
    for i in range(rows):
        z_out[i] = 0.0
    for k in range(size):
        value = b_work[k]
        for j in range(k):
            value -= r[square + j * size + k] * b_work[j]
        value /= r[square + k * size + k]
        b_work[k] = value
        if value != 0.0:
            for i in range(rows):
                z_out[i] += value * q[start + k * rows + i]


@kernel
def calc_cholesky(size, start, matrix_out):
    """Lower factor L of a symmetric matrix L L^T, in place; its upper triangle is neither read nor written."""
    for i in range(size):
        for j in range(i + 1):
            value = matrix_out[start + i * size + j]
            for k in range(j):
                value -= matrix_out[start + i * size + k] * matrix_out[start + j * size + k]
            if i == j:
                matrix_out[start + i * size + i] = value**0.5
            else:
                matrix_out[start + i * size + j] = value / matrix_out[start + j * size + j]


@kernel
def solve_cholesky(size, start, lower, z_out):
    """L L^T z = b, b in `z_out`."""
    for i in range(size):
        value = z_out[i]
        for k in range(i):
            value -= lower[start + i * size + k] * z_out[k]
        z_out[i] = value / lower[start + i * size + i]
    solve_upper(size, start, lower, z_out)


@kernel
def solve_upper(size, start, lower, z_out):
    """L^T z = b, b in `z_out`."""
    for i in range(size - 1, -1, -1):
        value = z_out[i]
        for k in range(i + 1, size):
            value -= lower[start + k * size + i] * z_out[k]
        z_out[i] = value / lower[start + i * size + i]
