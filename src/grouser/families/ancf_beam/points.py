"""Points of beams: vectors, gradients, metric and stress. Equations (1) to (8) are those of
`grouser.families.ancf_beam.kernel`."""

from __future__ import annotations

from math import sqrt

from grouser.families.ancf_beam.layout import (
    ACROSS,
    AXIS,
    GRADIENT,
    INVERSE,
    LANES,
    LENGTH,
    PLACE_RATES,
    PLACES,
    RATE,
    RATIO,
    SCALE,
    SECTION_POINTS,
    SHAPE_WEIGHT,
    SHARES,
    SHEARS,
    STATION_PLACES,
    STATIONS,
    STRESS,
    TERM,
    TERM_RATE,
    VECTOR_RATES,
    VECTORS,
    VOLUME,
    VOLUME_WEIGHT,
)
from grouser.families.brick.law import calc_invariants, calc_scaled_law
from grouser.families.brick.layout import BULK, FIRST, LAW, LAW_MOONEY, SECOND, SHEAR, VISCOUS_BULK, VISCOUS_SHEAR
from grouser.kernels._jit import kernel

_NEAR = 0.25, 4.0
"""Ratios of volumes for which `_calc_scale` is right to rounding."""


@kernel(inline=True)
def calc_shapes(xi, length):
    """Factors of r_1, r_x1, r_2, r_x2 in a', of both nodes in b and c, and 1/l of b' and c'."""
    inverse = 1.0 / length
    f = 6.0 * xi * (1.0 - xi) * inverse
    return -f, 1.0 + xi * (3.0 * xi - 4.0), f, xi * (3.0 * xi - 2.0), 1.0 - xi, xi, inverse


@kernel(inline=True)
def place_coordinates(table, i, x, start, row_work):
    """The eight coordinates of element i, of positions or velocities: rows, or with (2) of `joints` what its own
    gradients are made of."""
    for k in range(8):
        row = table.row[i, k]
        for c in range(3):
            row_work[start + 3 * k + c] = x[row, c]
    if table.turn[i] >= 0:
        for end in range(2):
            A, o = table.turns[table.turn[i], end], start + 12 * end + 3
            for c in range(3):
                u, v, w = row_work[o + c], row_work[o + 3 + c], row_work[o + 6 + c]
                for k in range(3):
                    row_work[o + 3 * k + c] = A[0, k] * u + A[1, k] * v + A[2, k] * w


@kernel(inline=True)
def place_vectors(e, length, start, row_work):
    """Five vectors of (1) at each station, of the coordinates that lie at e."""
    for station in range(STATIONS):
        s1, s2, s5, s6, t1, t2, inverse = calc_shapes(STATION_PLACES[station], length)
        i = start + 15 * station
        for c in range(3):
            k = e + c
            b1, b2, c1, c2 = row_work[k + 6], row_work[k + 18], row_work[k + 9], row_work[k + 21]
            along = s1 * row_work[k] + s2 * row_work[k + 3] + s5 * row_work[k + 12] + s6 * row_work[k + 15]
            row_work[i + c] = along
            row_work[i + 3 + c], row_work[i + 6 + c] = t1 * b1 + t2 * b2, t1 * c1 + t2 * c2
            row_work[i + 9 + c], row_work[i + 12 + c] = inverse * (b2 - b1), inverse * (c2 - c1)


@kernel(inline=True)
def _place_gradients(shape, points, start, rows, row_work):
    """(2) at all points, where `points` is 0 on the axis alone."""
    y, z = shape[ACROSS], shape[ACROSS + 1]
    for station in range(STATIONS):
        for c in range(3):
            i, k = start + 15 * station + c, LANES * (rows + c)
            a, b, e = row_work[i], row_work[i + 3], row_work[i + 6]
            row_work[k + AXIS + station] = a
            row_work[k + 3 * LANES + AXIS + station], row_work[k + 6 * LANES + AXIS + station] = b, e
            if points != 0:
                by, ez = y * row_work[i + 9], z * row_work[i + 12]
                up, down = by + ez, by - ez
                k += SECTION_POINTS * station
                row_work[k], row_work[k + 1], row_work[k + 2], row_work[k + 3] = a - up, a + down, a + up, a - down
                for p in range(SECTION_POINTS):
                    row_work[k + 3 * LANES + p], row_work[k + 6 * LANES + p] = b, e
    for c in range(9):  # the place without weight
        k = LANES * (rows + c + 1) - 1
        row_work[k] = row_work[k - 1]


@kernel(inline=True)
def _place_terms(shape, row_work):
    """Terms of the section in (8), and their rates."""
    for station in range(STATIONS):
        i, u = VECTORS + 15 * station + 9, shape[SHARES + station]
        j, k = i + VECTOR_RATES - VECTORS, AXIS + station
        bb, cc, bc, bb_rate, cc_rate, bc_rate = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(3):
            b, e, b_rate, e_rate = row_work[i + c], row_work[i + 3 + c], row_work[j + c], row_work[j + 3 + c]
            bb, cc, bc = bb + b * b, cc + e * e, bc + b * e
            bb_rate, cc_rate, bc_rate = bb_rate + b * b_rate, cc_rate + e * e_rate, bc_rate + b * e_rate + e * b_rate
        row_work[LANES * TERM + k], row_work[LANES * (TERM + 1) + k] = u * bb, u * cc
        row_work[LANES * (TERM + 2) + k] = u * bc
        row_work[LANES * TERM_RATE + k], row_work[LANES * (TERM_RATE + 1) + k] = 2.0 * u * bb_rate, 2.0 * u * cc_rate
        row_work[LANES * (TERM_RATE + 2) + k] = u * bc_rate


@kernel(inline=True)
def clear_terms(row_work):
    """No terms of (8), at any point."""
    for i in range(LANES * TERM, LANES * STRESS):
        row_work[i] = 0.0


@kernel(inline=True)
def read_three(row_work, row, p):
    """A vector at a point."""
    i = LANES * row + p
    return row_work[i], row_work[i + LANES], row_work[i + 2 * LANES]


@kernel(inline=True)
def calc_metric(shape, row_work, p):
    """g of (3) at a point, with (7) and (8): xx yy zz xy yz zx."""
    x0, x1, x2 = read_three(row_work, GRADIENT, p)
    y0, y1, y2 = read_three(row_work, GRADIENT + 3, p)
    z0, z1, z2 = read_three(row_work, GRADIENT + 6, p)
    t0, t1, t2 = read_three(row_work, TERM, p)
    return (
        *(x0 * x0 + x1 * x1 + x2 * x2, y0 * y0 + y1 * y1 + y2 * y2 + t0, z0 * z0 + z1 * z1 + z2 * z2 + t1),
        shape[SHEARS] * (x0 * y0 + x1 * y1 + x2 * y2),
        y0 * z0 + y1 * z1 + y2 * z2 + t2,
        shape[SHEARS + 1] * (z0 * x0 + z1 * x1 + z2 * x2),
    )


@kernel(inline=True)
def calc_rate(shape, row_work, p):
    """d of (5) at a point."""
    x0, x1, x2 = read_three(row_work, GRADIENT, p)
    y0, y1, y2 = read_three(row_work, GRADIENT + 3, p)
    z0, z1, z2 = read_three(row_work, GRADIENT + 6, p)
    u0, u1, u2 = read_three(row_work, RATE, p)
    v0, v1, v2 = read_three(row_work, RATE + 3, p)
    w0, w1, w2 = read_three(row_work, RATE + 6, p)
    t0, t1, t2 = read_three(row_work, TERM_RATE, p)
    xy = x0 * v0 + x1 * v1 + x2 * v2 + y0 * u0 + y1 * u1 + y2 * u2
    yz = y0 * w0 + y1 * w1 + y2 * w2 + z0 * v0 + z1 * v1 + z2 * v2
    zx = z0 * u0 + z1 * u1 + z2 * u2 + x0 * w0 + x1 * w1 + x2 * w2
    return (
        *(x0 * u0 + x1 * u1 + x2 * u2, y0 * v0 + y1 * v1 + y2 * v2 + 0.5 * t0),
        *(z0 * w0 + z1 * w1 + z2 * w2 + 0.5 * t1, 0.5 * shape[SHEARS] * xy),
        *(0.5 * (yz + t2), 0.5 * shape[SHEARS + 1] * zx),
    )


@kernel(inline=True)
def read_inverse(shape, p):
    """G^-1 at a point."""
    i, k = LANES * INVERSE + p, LANES
    return shape[i], shape[i + k], shape[i + 2 * k], shape[i + 3 * k], shape[i + 4 * k], shape[i + 5 * k]


@kernel(inline=True)
def raise_both(a, h):
    """A h A for symmetric matrices."""
    a0, a1, a2, a3, a4, a5 = a
    h0, h1, h2, h3, h4, h5 = h
    m00, m01, m02 = a0 * h0 + a3 * h3 + a5 * h5, a0 * h3 + a3 * h1 + a5 * h4, a0 * h5 + a3 * h4 + a5 * h2
    m10, m11, m12 = a3 * h0 + a1 * h3 + a4 * h5, a3 * h3 + a1 * h1 + a4 * h4, a3 * h5 + a1 * h4 + a4 * h2
    m20, m21, m22 = a5 * h0 + a4 * h3 + a2 * h5, a5 * h3 + a4 * h1 + a2 * h4, a5 * h5 + a4 * h4 + a2 * h2
    return (
        *(m00 * a0 + m01 * a3 + m02 * a5, m10 * a3 + m11 * a1 + m12 * a4, m20 * a5 + m21 * a4 + m22 * a2),
        *(m00 * a3 + m01 * a1 + m02 * a4, m10 * a5 + m11 * a4 + m12 * a2, m20 * a0 + m21 * a3 + m22 * a5),
    )


@kernel(inline=True)
def contract(a, h):
    """a:h of symmetric matrices."""
    return a[0] * h[0] + a[1] * h[1] + a[2] * h[2] + 2.0 * (a[3] * h[3] + a[4] * h[4] + a[5] * h[5])


@kernel(inline=True)
def weigh(material, shape, p):
    """The material at a point: moduli times weights of shape and volume."""
    s, v = shape[LANES * SHAPE_WEIGHT + p], shape[LANES * VOLUME_WEIGHT + p]
    return material[LAW], s * material[SHEAR], v * material[BULK], s * material[FIRST], s * material[SECOND]


@kernel(inline=True)
def calc_volumes(shape, first, row_work):
    """J of (3) at all points."""
    for p in range(first, LANES):
        xx, yy, zz, xy, yz, zx = calc_metric(shape, row_work, p)
        square = xx * (yy * zz - yz * yz) + zx * (xy * yz - yy * zx) + xy * (yz * zx - xy * zz)
        row_work[LANES * VOLUME + p] = sqrt(square) * shape[LANES * RATIO + p]


@kernel(inline=True)
def _refine_root(J, y):
    """J^(-1/3) from a guess y: series of y (1 - u)^(-1/3)."""
    u = 1.0 - J * y * y * y
    return y * (1.0 + u * (1.0 / 3.0 + u * (2.0 / 9.0 + u * (14.0 / 81.0 + u * (35.0 / 243.0)))))


@kernel(inline=True)
def calc_scales(first, row_work):
    """J^(-2/3) of all points: two steps from a quotient where J is near one, which vector code can do, powers else."""
    low, high = 1.0, 1.0
    for p in range(first, LANES):
        J = row_work[LANES * VOLUME + p]
        y = _refine_root(J, _refine_root(J, (2.0 + J) / (1.0 + 2.0 * J)))
        row_work[LANES * SCALE + p] = y * y
        low, high = min(low, J), max(high, J)
    if not (low >= _NEAR[0] and high <= _NEAR[1]):
        for p in range(first, LANES):
            row_work[LANES * SCALE + p] = row_work[LANES * VOLUME + p] ** (-2.0 / 3.0)


@kernel(inline=True)
def calc_elastic(material, shape, row_work, p):
    """w T of (4) without viscosity, xx yy zz xy yz zx, and w W."""
    metric, inverse = calc_metric(shape, row_work, p), read_inverse(shape, p)
    _, _, square, cofactor = calc_invariants(*metric)
    raised = raise_both(inverse, metric)
    I1 = contract(inverse, metric)
    I2 = 0.5 * (I1 * I1 - contract(raised, metric))
    J, scale = row_work[LANES * VOLUME + p], row_work[LANES * SCALE + p]
    a0, a1, a2, W = calc_scaled_law(weigh(material, shape, p), I1, I2, J, scale)
    b = a2 / square
    q, k, f = inverse, raised, cofactor
    return (
        *(a0 * q[0] + a1 * k[0] + b * f[0], a0 * q[1] + a1 * k[1] + b * f[1], a0 * q[2] + a1 * k[2] + b * f[2]),
        *(a0 * q[3] + a1 * k[3] + b * f[3], a0 * q[4] + a1 * k[4] + b * f[4], a0 * q[5] + a1 * k[5] + b * f[5]),
    ), W


@kernel(inline=True)
def calc_viscous(material, shape, row_work, p):
    """w T_v of (5) and its power."""
    rate, q = calc_rate(shape, row_work, p), read_inverse(shape, p)
    g = 2.0 * shape[LANES * SHAPE_WEIGHT + p] * material[VISCOUS_SHEAR]
    trace = contract(q, rate)
    pressure = (shape[LANES * VOLUME_WEIGHT + p] * material[VISCOUS_BULK] - g / 3.0) * trace
    k = raise_both(q, rate)
    stress = (
        *(pressure * q[0] + g * k[0], pressure * q[1] + g * k[1], pressure * q[2] + g * k[2]),
        *(pressure * q[3] + g * k[3], pressure * q[4] + g * k[4], pressure * q[5] + g * k[5]),
    )
    return stress, contract(stress, rate)


@kernel(inline=True)
def is_inside_out(row_work):
    """Whether r_x, r_y, r_z are left-handed at any station, or not numbers."""
    for station in range(STATIONS):
        i = VECTORS + 15 * station
        x0, x1, x2 = row_work[i], row_work[i + 1], row_work[i + 2]
        y0, y1, y2 = row_work[i + 3], row_work[i + 4], row_work[i + 5]
        z0, z1, z2 = row_work[i + 6], row_work[i + 7], row_work[i + 8]
        if not x0 * (y1 * z2 - y2 * z1) + x1 * (y2 * z0 - y0 * z2) + x2 * (y0 * z1 - y1 * z0) > 0.0:
            return True
    return False


@kernel(inline=True)
def place_points(table, i, x, v, row_work):
    """Vectors, gradients, terms and volumes of element i, and its first point."""
    shape, points = table.shape[i], table.is_line[i] == 0
    start = 0 if points else AXIS
    place_coordinates(table, i, x, PLACES, row_work)
    place_coordinates(table, i, v, PLACE_RATES, row_work)
    place_vectors(PLACES, shape[LENGTH], VECTORS, row_work)
    place_vectors(PLACE_RATES, shape[LENGTH], VECTOR_RATES, row_work)
    _place_gradients(shape, points, VECTORS, GRADIENT, row_work)
    _place_gradients(shape, points, VECTOR_RATES, RATE, row_work)
    clear_terms(row_work)
    if not points:
        _place_terms(shape, row_work)
    calc_volumes(shape, start, row_work)
    if table.material[table.kind[i], LAW] == LAW_MOONEY:
        calc_scales(start, row_work)
    return start
