"""Matrices of three rows as plain tuples of nine numbers, row after row: they live in registers, as in `spatial`."""

from __future__ import annotations

from grouser.kernels._jit import kernel


@kernel(inline=True)
def matrix(A, i, row, column):
    """Three rows and columns of A[i] from `row` and `column` on."""
    return (
        *(A[i, row, column], A[i, row, column + 1], A[i, row, column + 2]),
        *(A[i, row + 1, column], A[i, row + 1, column + 1], A[i, row + 1, column + 2]),
        *(A[i, row + 2, column], A[i, row + 2, column + 1], A[i, row + 2, column + 2]),
    )


@kernel(inline=True)
def row_matrix(row, start):
    """Nine numbers of a row, from `start` on."""
    return (
        *(row[start], row[start + 1], row[start + 2]),
        *(row[start + 3], row[start + 4], row[start + 5]),
        *(row[start + 6], row[start + 7], row[start + 8]),
    )


@kernel(inline=True)
def transpose(A):
    """A^T."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@kernel(inline=True)
def plus(A, B):
    """A + B."""
    return (
        *(A[0] + B[0], A[1] + B[1], A[2] + B[2]),
        *(A[3] + B[3], A[4] + B[4], A[5] + B[5]),
        *(A[6] + B[6], A[7] + B[7], A[8] + B[8]),
    )


@kernel(inline=True)
def times(s, A):
    """s A."""
    return s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8]


@kernel(inline=True)
def minus(A, B):
    """A - B."""
    return plus(A, times(-1.0, B))


@kernel(inline=True)
def cofactor(A):
    """det(A) A^-T, also where A has no inverse: it turns the cross product of two vectors into that of their images."""
    return (
        *(A[4] * A[8] - A[5] * A[7], A[5] * A[6] - A[3] * A[8], A[3] * A[7] - A[4] * A[6]),
        *(A[2] * A[7] - A[1] * A[8], A[0] * A[8] - A[2] * A[6], A[1] * A[6] - A[0] * A[7]),
        *(A[1] * A[5] - A[2] * A[4], A[2] * A[3] - A[0] * A[5], A[0] * A[4] - A[1] * A[3]),
    )


@kernel(inline=True)
def inverse(A):
    """A^-1."""
    c0, c1, c2 = A[4] * A[8] - A[5] * A[7], A[5] * A[6] - A[3] * A[8], A[3] * A[7] - A[4] * A[6]
    s = 1.0 / (A[0] * c0 + A[1] * c1 + A[2] * c2)
    return (
        *(s * c0, s * (A[2] * A[7] - A[1] * A[8]), s * (A[1] * A[5] - A[2] * A[4])),
        *(s * c1, s * (A[0] * A[8] - A[2] * A[6]), s * (A[2] * A[3] - A[0] * A[5])),
        *(s * c2, s * (A[1] * A[6] - A[0] * A[7]), s * (A[0] * A[4] - A[1] * A[3])),
    )


@kernel(inline=True)
def product(A, B):
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel(inline=True)
def apply(A, x, y, z):
    """A (x, y, z)."""
    return A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z


@kernel(inline=True)
def outer(s, x, y, z):
    """s n n^T with n = (x, y, z)."""
    a, b, c = s * x, s * y, s * z
    return a * x, a * y, a * z, b * x, b * y, b * z, c * x, c * y, c * z


@kernel(inline=True)
def dyad(s, ax, ay, az, bx, by, bz):
    """s a b^T."""
    ax, ay, az = s * ax, s * ay, s * az
    return ax * bx, ax * by, ax * bz, ay * bx, ay * by, ay * bz, az * bx, az * by, az * bz


@kernel(inline=True)
def unit(s):
    """s times the unit matrix."""
    return s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s


@kernel(inline=True)
def arm(A, x, y, z):
    """-skew(r) A with the lever r = (x, y, z): turns an angular velocity into the velocity at r."""
    return (
        *(z * A[3] - y * A[6], z * A[4] - y * A[7], z * A[5] - y * A[8]),
        *(x * A[6] - z * A[0], x * A[7] - z * A[1], x * A[8] - z * A[2]),
        *(y * A[0] - x * A[3], y * A[1] - x * A[4], y * A[2] - x * A[5]),
    )
