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
def read_modes(row, start, lane):
    """The three components of the seven modes in the rows from `start` on."""
    return read_seven(row, start, 0, lane), read_seven(row, start, 1, lane), read_seven(row, start, 2, lane)


@kernel(inline=True)
def read_four(row, start, c, lane):
    """Component c of four vectors in the rows from `start` on."""
    i, k = LANES * (start + c) + lane, 3 * LANES
    return row[i], row[i + k], row[i + 2 * k], row[i + 3 * k]


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
    """p_m(s, y) of (10), one component of all modes."""
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


@kernel(inline=True)
def calc_departure(y, F0, F1, F2, Y0, Y1, Y2):
    """One component of the bends of (5): y - F Y of the modes 23, 13, 12, 123."""
    return (
        *(y[0] - F0 * Y0[0] - F1 * Y1[0] - F2 * Y2[0], y[1] - F0 * Y0[1] - F1 * Y1[1] - F2 * Y2[1]),
        *(y[2] - F0 * Y0[2] - F1 * Y1[2] - F2 * Y2[2], y[3] - F0 * Y0[3] - F1 * Y1[3] - F2 * Y2[3]),
    )


@kernel(inline=True)
def _calc_bend_products(u, z, w):
    """Products of one component of bends z and w for (6), 11 22 33 12 23 31, with the weights u."""
    z23, z13, z12, z123 = z
    w23, w13, w12, w123 = w
    s23, s13, s12, s123 = z23 * w23, z13 * w13, z12 * w12, z123 * w123 / 9.0
    return (
        *(u[0] * s12 + u[1] * s13 + s123, u[2] * s12 + u[3] * s23 + s123, u[4] * s13 + u[5] * s23 + s123),
        *((z13 * w23 + z23 * w13) / 6.0, (z12 * w13 + z13 * w12) / 6.0, (z12 * w23 + z23 * w12) / 6.0),
    )


@kernel(inline=True)
def calc_bend_strain(u, z0, z1, z2, w0, w1, w2):
    """Twice the natural strain (6) of bends z and w, 11 22 33 12 23 31, with the weights u."""
    a, b, c = _calc_bend_products(u, z0, w0), _calc_bend_products(u, z1, w1), _calc_bend_products(u, z2, w2)
    return (
        *(a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]),
        *(a[3] + b[3] + c[3], a[4] + b[4] + c[4], a[5] + b[5] + c[5]),
    )


@kernel(inline=True)
def transform(A, a0, a1, a2, b0, b1, b2, c0, c1, c2):
    """M A M^T of a symmetric A (00 11 22 01 12 20) with the rows a, b, c of M."""
    k0, k1, k2, k3, k4, k5 = A
    p0, p1, p2 = k0 * a0 + k3 * a1 + k5 * a2, k3 * a0 + k1 * a1 + k4 * a2, k5 * a0 + k4 * a1 + k2 * a2
    q0, q1, q2 = k0 * b0 + k3 * b1 + k5 * b2, k3 * b0 + k1 * b1 + k4 * b2, k5 * b0 + k4 * b1 + k2 * b2
    r0, r1, r2 = k0 * c0 + k3 * c1 + k5 * c2, k3 * c0 + k1 * c1 + k4 * c2, k5 * c0 + k4 * c1 + k2 * c2
    return (
        *(a0 * p0 + a1 * p1 + a2 * p2, b0 * q0 + b1 * q1 + b2 * q2, c0 * r0 + c1 * r1 + c2 * r2),
        *(a0 * q0 + a1 * q1 + a2 * q2, b0 * r0 + b1 * r1 + b2 * r2, c0 * p0 + c1 * p1 + c2 * p2),
    )


@kernel(inline=True)
def calc_bend_pull(u, t, z):
    """One component of the slopes of t:(6) by the bends, with the weights u; t is natural, 11 22 33 12 23 31."""
    z23, z13, z12, z123 = z
    t11, t22, t33, t12, t23, t31 = t
    return (
        (u[3] * t22 + u[5] * t33) * z23 + (t12 * z13 + t31 * z12) / 3.0,
        (u[1] * t11 + u[4] * t33) * z13 + (t12 * z23 + t23 * z12) / 3.0,
        (u[0] * t11 + u[2] * t22) * z12 + (t23 * z13 + t31 * z23) / 3.0,
        (t11 + t22 + t33) * z123 / 9.0,
    )
