"""Algebra of the modes of bricks, one lane at a time: numbers in tuples live in registers.

Numbered equations are those of `grouser.families.brick.kernel`.
"""

from __future__ import annotations

from grouser.families.brick.layout import LANES, SHAPE_ROW, STIFFNESS
from grouser.kernels._jit import kernel


@kernel(inline=True)
def read_seven(row, start, c, lane):
    """Component c of the seven modes in the rows from `start` on."""
    i = LANES * (start + c) + lane
    k = 3 * LANES
    return row[i], row[i + k], row[i + 2 * k], row[i + 3 * k], row[i + 4 * k], row[i + 5 * k], row[i + 6 * k]


@kernel(inline=True)
def read_six(row, start, lane):
    """Six rows from `start` on."""
    i = LANES * start + lane
    k = LANES
    return row[i], row[i + k], row[i + 2 * k], row[i + 3 * k], row[i + 4 * k], row[i + 5 * k]


@kernel(inline=True)
def read_twelve(row, start, step):
    """Twelve numbers of a row."""
    i, k = start, step
    return (
        *(row[i], row[i + k], row[i + 2 * k], row[i + 3 * k], row[i + 4 * k], row[i + 5 * k]),
        *(row[i + 6 * k], row[i + 7 * k], row[i + 8 * k], row[i + 9 * k], row[i + 10 * k], row[i + 11 * k]),
    )


@kernel(inline=True)
def dot_seven(a, b):
    """a . b of seven numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6]


@kernel(inline=True)
def add_three(s, a, t, b, u, c):
    """s a + t b + u c of seven numbers."""
    return (
        *(s * a[0] + t * b[0] + u * c[0], s * a[1] + t * b[1] + u * c[1], s * a[2] + t * b[2] + u * c[2]),
        *(s * a[3] + t * b[3] + u * c[3], s * a[4] + t * b[4] + u * c[4], s * a[5] + t * b[5] + u * c[5]),
        s * a[6] + t * b[6] + u * c[6],
    )


@kernel(inline=True)
def sum_twelve(a, b, c):
    """a + b + c."""
    return (
        *(a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2], a[3] + b[3] + c[3]),
        *(a[4] + b[4] + c[4], a[5] + b[5] + c[5], a[6] + b[6] + c[6], a[7] + b[7] + c[7]),
        *(a[8] + b[8] + c[8], a[9] + b[9] + c[9], a[10] + b[10] + c[10], a[11] + b[11] + c[11]),
    )


@kernel(inline=True)
def add_scaled(a, s, b):
    """a + s b of twelve numbers."""
    return (
        *(a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3], a[4] + s * b[4], a[5] + s * b[5]),
        *(a[6] + s * b[6], a[7] + s * b[7], a[8] + s * b[8], a[9] + s * b[9], a[10] + s * b[10], a[11] + s * b[11]),
    )


@kernel(inline=True)
def dot_twelve(a, b):
    """a . b of twelve numbers."""
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]) + (
        a[6] * b[6] + a[7] * b[7] + a[8] * b[8] + a[9] * b[9] + a[10] * b[10] + a[11] * b[11]
    )


@kernel(inline=True)
def calc_products(a, b):
    """(3), the part of one component: the first factor of each product from a, the second from b."""
    a1, a2, a3, a23, a13, a12, _ = a
    _, _, _, b23, b13, b12, b123 = b
    return (
        *(a1 * b13 + a12 * b123, a2 * b23 + a12 * b123, a1 * b23 + a2 * b13),
        *(a2 * b12 + a23 * b123, a3 * b13 + a23 * b123, a2 * b13 + a3 * b12),
        *(a3 * b23 + a13 * b123, a1 * b12 + a13 * b123, a3 * b12 + a1 * b23),
        *(a1 * b123 + a12 * b13, a2 * b123 + a12 * b23, a3 * b123 + a13 * b23),
    )


@kernel(inline=True)
def calc_pull(s, y):
    """p_m(s, y) of (7), one component of all modes."""
    y1, y2, y3, y23, y13, y12, y123 = y
    s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 = s
    a, b, c = s2 + s8, s2 + s5, s5 + s8
    k3, k1, k2 = s0 + s1, s3 + s4, s6 + s7
    return (
        s0 * y13 + a * y23 + s7 * y12 + s9 * y123,
        s1 * y23 + b * y13 + s3 * y12 + s10 * y123,
        s4 * y13 + c * y12 + s6 * y23 + s11 * y123,
        s1 * y2 + a * y1 + s6 * y3 + k1 * y123 + s10 * y12 + s11 * y13,
        s0 * y1 + b * y2 + s4 * y3 + k2 * y123 + s9 * y12 + s11 * y23,
        s3 * y2 + c * y3 + s7 * y1 + k3 * y123 + s9 * y13 + s10 * y23,
        k3 * y12 + k1 * y23 + k2 * y13 + s9 * y1 + s10 * y2 + s11 * y3,
    )


@kernel(inline=True)
def calc_explained(C, X0, X1, X2):
    """Q(Y, C Y) of (4) with a symmetric C (xx yy zz xy yz zx) and the components of Y."""
    xx, yy, zz, xy, yz, zx = C
    return sum_twelve(
        calc_products(X0, add_three(xx, X0, xy, X1, zx, X2)),
        calc_products(X1, add_three(xy, X0, yy, X1, yz, X2)),
        calc_products(X2, add_three(zx, X0, yz, X1, zz, X2)),
    )


@kernel(inline=True)
def stiffen(row_work, lane, r):
    """D r."""
    i, k = LANES * (SHAPE_ROW + STIFFNESS) + lane, LANES
    a0, a1, a2, a01, a02, a12 = read_six(row_work, SHAPE_ROW + STIFFNESS, lane)
    b0, b1, b2, b01, b02, b12 = read_six(row_work, SHAPE_ROW + STIFFNESS + 6, lane)
    c0, c1, c2, c01, c02, c12 = read_six(row_work, SHAPE_ROW + STIFFNESS + 12, lane)
    return (
        *(a0 * r[0] + a01 * r[1] + a02 * r[2], a01 * r[0] + a1 * r[1] + a12 * r[2]),
        *(a02 * r[0] + a12 * r[1] + a2 * r[2], b0 * r[3] + b01 * r[4] + b02 * r[5]),
        *(b01 * r[3] + b1 * r[4] + b12 * r[5], b02 * r[3] + b12 * r[4] + b2 * r[5]),
        *(c0 * r[6] + c01 * r[7] + c02 * r[8], c01 * r[6] + c1 * r[7] + c12 * r[8]),
        *(c02 * r[6] + c12 * r[7] + c2 * r[8], row_work[i + 18 * k] * r[9], row_work[i + 19 * k] * r[10]),
        row_work[i + 20 * k] * r[11],
    )


@kernel(inline=True)
def put_seven(values, start, row_work):
    """Seven numbers from `start` on."""
    row_work[start], row_work[start + 1], row_work[start + 2] = values[0], values[1], values[2]
    row_work[start + 3], row_work[start + 4], row_work[start + 5] = values[3], values[4], values[5]
    row_work[start + 6] = values[6]
