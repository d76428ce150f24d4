"""Small dense systems Y z = b, Y square: triangular factors with row pivoting.

Matrices lie row by row in a flat array, from `start` on: P Y = L U, L with ones on its diagonal. Zeros are passed over,
so that blocks which do not touch each other cost nothing for each other.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel


@kernel
def calc_lu(size, start, lu_out, first, order_out):
    """Factor the matrix in `lu_out` in place; `order_out[first...]` (size,) gets the rows in the order of the pivots.

    Returns False where a pivot is zero or no number.
    """
    for k in range(size):
        order_out[first + k] = k
    for k in range(size):
        best, place = 0.0, k
        for i in range(k, size):
            magnitude = abs(lu_out[start + i * size + k])
            if magnitude > best:
                best, place = magnitude, i
        if not best > 0.0:
            return False
        if place != k:
            order_out[first + k], order_out[first + place] = order_out[first + place], order_out[first + k]
            for j in range(size):
                a, b = start + k * size + j, start + place * size + j
                lu_out[a], lu_out[b] = lu_out[b], lu_out[a]
        inverse = 1.0 / lu_out[start + k * size + k]
        for i in range(k + 1, size):
            factor = lu_out[start + i * size + k] * inverse
            if factor != 0.0:
                lu_out[start + i * size + k] = factor
                for j in range(k + 1, size):
                    lu_out[start + i * size + j] -= factor * lu_out[start + k * size + j]
    return True


@kernel
def solve_lu(size, start, lu, first, order, b, z_out):
    """Y z = b; b and z_out (at least size,) are different arrays."""
    for i in range(size):
        value = b[order[first + i]]
        for j in range(i):
            value -= lu[start + i * size + j] * z_out[j]
        z_out[i] = value
    for i in range(size - 1, -1, -1):
        value = z_out[i]
        for j in range(i + 1, size):
            value -= lu[start + i * size + j] * z_out[j]
        z_out[i] = value / lu[start + i * size + i]


@kernel
def solve_lu_transposed(size, start, lu, first, order, b_work, z_out):
    """Y^T z = b; `b_work` is used up."""
    for i in range(size):
        value = b_work[i]
        for j in range(i):
            value -= lu[start + j * size + i] * b_work[j]
        b_work[i] = value / lu[start + i * size + i]
    for i in range(size - 1, -1, -1):
        value = b_work[i]
        for j in range(i + 1, size):
            value -= lu[start + j * size + i] * b_work[j]
        b_work[i] = value
    for i in range(size):
        z_out[order[first + i]] = b_work[i]


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
