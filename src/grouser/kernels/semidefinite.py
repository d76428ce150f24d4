"""Small dense systems W z = b, W symmetric and semidefinite: rank by pivoting, solution of least length.

Cholesky with the largest pivot first, on W scaled to a diagonal of ones (rows may be of different units), stops where
no pivot is left:

    W = K K^T,   K (n, r), r the rank; its pivot rows make a triangle K_p                          (1)

If b is in the range of W, b = K c, and the z of least length among all with W z = b is

    K_p c = b_p,     z = K (K^T K)^-1 c                                                            (2)

which for r = n is K_p^T z_p = c. Rows that are not pivots are redundant: b is not looked at there.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel

DEPENDENT = 1e-10
"""A row is redundant where its part that is independent of the others has less than this share of the square of its
length: the direction differs by less than 1e-5. Rounding leaves some 1e-14, and so does a gap of 1e-7 m in a loop of a
size of 1 m."""
IMMOVABLE = 3e-9
"""A row is redundant, too, where what moves along it has less than this share of what could move along it: nothing but
the tree holds it. At a distance d [rad] from a position where a loop has a freedom more, the share is d^2, and a gap e
turns directions by e/d^2: with less than this, rows are believed that throw speeds into a direction of their own."""


@kernel
def calc_semidefinite_factor(first, last, W, size, K_out, normal_out, pivot_out, rest_work):
    """(1) of the block [first, last) of W.

    Parameters
    ----------
    W : (m, m), of which the block is read
    size : (m,) what W[i, i] could be in other positions; a row with next to nothing of it is redundant
    K_out : (m, m), rows of the block, columns from 0
    normal_out : (m, m), rows and columns of the block: the Cholesky factor of K^T K where rows are redundant
    pivot_out : (m,) entries of the block: its pivot rows, in their order; redundant rows are left out
    rest_work : (m,)

    Returns the rank.
    """
    for i in range(first, last):
        rest_work[i] = 1.0 if W[i, i] > IMMOVABLE * size[i] else 0.0
    rank = last - first
    for k in range(last - first):
        pivot = first
        for i in range(first, last):
            if rest_work[i] > rest_work[pivot]:
                pivot = i
        if rest_work[pivot] < DEPENDENT:
            rank = k
            break
        pivot_out[first + k] = pivot
        diagonal = sqrt(rest_work[pivot] * W[pivot, pivot])
        for i in range(first, last):
            if rest_work[i] < 0.0:
                K_out[i, k] = 0.0
                continue
            value = W[i, pivot]
            for j in range(k):
                value -= K_out[i, j] * K_out[pivot, j]
            value /= diagonal
            K_out[i, k] = value
            if rest_work[i] > 0.0:
                rest_work[i] = max(0.0, rest_work[i] - value * value / W[i, i])
        K_out[pivot, k] = diagonal
        rest_work[pivot] = -1.0
    if rank < last - first:
        calc_normal_factor(first, last, rank, K_out, normal_out)
    return rank


@kernel
def calc_normal_factor(first, last, rank, K, normal_out):
    """Cholesky factor, lower, of K^T K."""
    for i in range(rank):
        for j in range(i + 1):
            value = 0.0
            for row in range(first, last):
                value += K[row, i] * K[row, j]
            for k in range(j):
                value -= normal_out[first + i, first + k] * normal_out[first + j, first + k]
            if i == j:
                normal_out[first + i, first + i] = sqrt(value)
            else:
                normal_out[first + i, first + j] = value / normal_out[first + j, first + j]


@kernel
def solve_semidefinite(first, last, rank, K, normal, pivot, b, z_out, c_work):
    """(2) with the factors of `calc_semidefinite_factor`; b, z_out and c_work (m,), of which the block is used."""
    for k in range(rank):
        row = pivot[first + k]
        value = b[row]
        for j in range(k):
            value -= K[row, j] * c_work[first + j]
        c_work[first + k] = value / K[row, k]
    if rank == last - first:
        for k in range(rank - 1, -1, -1):
            row = pivot[first + k]
            value = c_work[first + k]
            for i in range(k + 1, rank):
                value -= K[pivot[first + i], k] * z_out[pivot[first + i]]
            z_out[row] = value / K[row, k]
        return
    for i in range(first, first + rank):
        value = c_work[i]
        for k in range(first, i):
            value -= normal[i, k] * c_work[k]
        c_work[i] = value / normal[i, i]
    for i in range(first + rank - 1, first - 1, -1):
        value = c_work[i]
        for k in range(i + 1, first + rank):
            value -= normal[k, i] * c_work[k]
        c_work[i] = value / normal[i, i]
    for row in range(first, last):
        value = 0.0
        for k in range(rank):
            value += K[row, k] * c_work[first + k]
        z_out[row] = value
