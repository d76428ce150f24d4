"""Stress and strain of bricks: at the centre, and the largest at the corners.

At the centre they are those of the mean part: its strain E, its stress S = dW/dE. Residuals r add what varies over the
brick. Strains of edges and faces are r/64 in the undeformed half edges Y/8 at the centre, once for every sign that r
varies with. A strain that varies so over the volume V has 1/3 of the energy of an even one with one sign, and 1/9 with
two. So the energy r.D r/2 of `kernel` is that of the stress 3/V D r with one sign, and 9/V D r with two, and at the
corner with the signs s_1, s_2, s_3 the stress is

    S_r = sum k^ab Y_a (x) Y_b     d = 3/V D r
    k^11 = s_3 d_0 + s_2 d_7 + 3 s_2 s_3 d_9      k^12 = s_3 d_2
    k^22 = s_3 d_1 + s_1 d_3 + 3 s_1 s_3 d_10     k^23 = s_1 d_5
    k^33 = s_1 d_4 + s_2 d_6 + 3 s_1 s_2 d_11     k^31 = s_2 d_8                                         (1)

D is plane stress, uniaxial for warpings: each part of S_r has no stress across, and so the strain across of its
Poisson's ratio, as the layers of a plate that bends. With the moduli of small strains, as D has them, the strain is

    E + S_r/(2 G) + (1/(9 K) - 1/(6 G)) tr(S_r) 1                                                        (2)

and residuals store V/2 times the mean of S_r:(its strain), which is r.D r/2. Cauchy's stress has the mean F,

    sigma = F (S + S_r) F^T/J                                                                            (3)

Pure bending and twist are exact at faces. Von Mises stress and largest principal strain are convex: no place in the
brick has more than its worst corner. DIFFERS from the stress of a free surface: transverse shear is even over the depth
of a brick, as in the mean part, so it does not vanish there.
"""

from __future__ import annotations

from math import sqrt

from grouser.families.brick.kernel import (
    calc_determinant,
    calc_mean,
    calc_modes,
    calc_residuals,
    calc_strains,
    calc_stress,
    gather,
)
from grouser.families.brick.law import calc_invariants
from grouser.families.brick.layout import (
    BULK,
    CARRIED_ROW,
    E_ROW,
    F_ROW,
    KIRCHHOFF_ROW,
    LANES,
    LARGEST_ROW,
    REFERENCE,
    RESIDUAL_ROW,
    S_ROW,
    SHAPE_ROW,
    SHEAR,
    VOLUME,
)
from grouser.families.brick.modes import read_six, read_twelve, stiffen, transform
from grouser.kernels._jit import kernel


@kernel(inline=True)
def _calc_largest(xx, yy, zz, xy, yz, zx):
    """Largest eigenvalue of a symmetric matrix: mean + 2 radius t with 4 t^3 - 3 t = det/2 of (matrix - mean)/radius.

    t = 2 u^2 - 1 by half the angle, where 4 u^3 - 3 u = w = sqrt((1 + det/2)/2). Newton's method solves that from a
    cubic that is 4e-5 off, in two steps: nothing but arithmetic, so that bricks share instructions. Where the two
    largest are the same, rounding leaves 1e-8 of the radius.
    """
    mean = (xx + yy + zz) / 3.0
    xx, yy, zz = xx - mean, yy - mean, zz - mean
    radius = sqrt((xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + zx * zx)) / 6.0)
    c = 1.0 / (radius + 1e-300)  # of nothing at all the largest is the mean
    _, _, det, _ = calc_invariants(c * xx, c * yy, c * zz, c * xy, c * yz, c * zx)
    w = sqrt(abs(0.5 + 0.25 * det))  # rounding may make it negative
    u = 0.86606188 + w * (0.16540417 + w * (0.00944355 * w - 0.040881))
    u = (8.0 * u * u * u + w) / (12.0 * u * u - 3.0)
    u = (8.0 * u * u * u + w) / (12.0 * u * u - 3.0)
    return mean + 2.0 * radius * (2.0 * u * u - 1.0)


@kernel(inline=True)
def _calc_von_mises_square(xx, yy, zz, xy, yz, zx):
    """Square of von Mises stress."""
    a, b, c = xx - yy, yy - zz, zz - xx
    return 0.5 * (a * a + b * b + c * c) + 3.0 * (xy * xy + yz * yz + zx * zx)


@kernel(inline=True)
def _calc_residual_stress(row_work):
    """d of (1), and F Y of the modes 1, 2, 3."""
    for lane in range(LANES):
        r, _ = calc_residuals(row_work, lane)
        d = stiffen(row_work, lane, r)
        scale = 3.0 / row_work[LANES * (SHAPE_ROW + VOLUME) + lane]
        i, k = LANES * RESIDUAL_ROW + lane, LANES
        row_work[i], row_work[i + k], row_work[i + 2 * k] = scale * d[0], scale * d[1], scale * d[2]
        row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k] = scale * d[3], scale * d[4], scale * d[5]
        row_work[i + 6 * k], row_work[i + 7 * k], row_work[i + 8 * k] = scale * d[6], scale * d[7], scale * d[8]
        row_work[i + 9 * k], row_work[i + 10 * k], row_work[i + 11 * k] = scale * d[9], scale * d[10], scale * d[11]
    for c in range(3):
        for m in range(3):
            for lane in range(LANES):
                i, j = LANES * (F_ROW + 3 * c) + lane, LANES * (SHAPE_ROW + REFERENCE + 3 * m) + lane
                row_work[LANES * (CARRIED_ROW + 3 * c + m) + lane] = (
                    row_work[i] * row_work[j]
                    + row_work[i + LANES] * row_work[j + LANES]
                    + row_work[i + 2 * LANES] * row_work[j + 2 * LANES]
                )


@kernel(inline=True)
def _calc_corner(row_work, lane, s1, s2, s3):
    """k of (1) at the corner with the signs s1, s2, s3: 11 22 33 12 23 31."""
    d = read_twelve(row_work, LANES * RESIDUAL_ROW + lane, LANES)
    return (
        *(s3 * d[0] + s2 * d[7] + 3.0 * s2 * s3 * d[9], s3 * d[1] + s1 * d[3] + 3.0 * s1 * s3 * d[10]),
        *(s1 * d[4] + s2 * d[6] + 3.0 * s1 * s2 * d[11], s3 * d[2], s1 * d[5], s2 * d[8]),
    )


@kernel(inline=True)
def _calc_corner_strain(half, third, row_work, lane, k):
    """Largest principal strain of (2), of which `half` and `third` are the factors."""
    i, n = LANES * (SHAPE_ROW + REFERENCE) + lane, LANES
    a0, b0, c0 = row_work[i], row_work[i + n], row_work[i + 2 * n]
    a1, b1, c1 = row_work[i + 3 * n], row_work[i + 4 * n], row_work[i + 5 * n]
    a2, b2, c2 = row_work[i + 6 * n], row_work[i + 7 * n], row_work[i + 8 * n]
    s = transform(k, a0, a1, a2, b0, b1, b2, c0, c1, c2)
    across = third * (s[0] + s[1] + s[2])
    e = read_six(row_work, E_ROW, lane)
    xx, yy, zz = e[0] + half * s[0] + across, e[1] + half * s[1] + across, e[2] + half * s[2] + across
    return _calc_largest(xx, yy, zz, e[3] + half * s[3], e[4] + half * s[4], e[5] + half * s[5])


@kernel(inline=True)
def _calc_corner_stress(row_work, lane, k):
    """Square of the von Mises stress of (3), times J^2."""
    i, n = LANES * CARRIED_ROW + lane, LANES
    a0, a1, a2 = row_work[i], row_work[i + n], row_work[i + 2 * n]
    b0, b1, b2 = row_work[i + 3 * n], row_work[i + 4 * n], row_work[i + 5 * n]
    c0, c1, c2 = row_work[i + 6 * n], row_work[i + 7 * n], row_work[i + 8 * n]
    s = transform(k, a0, a1, a2, b0, b1, b2, c0, c1, c2)
    t = read_six(row_work, KIRCHHOFF_ROW, lane)
    return _calc_von_mises_square(t[0] + s[0], t[1] + s[1], t[2] + s[2], t[3] + s[3], t[4] + s[4], t[5] + s[5])


@kernel(inline=True)
def _find_largest(material, row_work):
    """The largest at the eight corners: square of the von Mises stress times J^2, principal strain."""
    half = 0.5 / material[SHEAR]
    third = 1.0 / (9.0 * material[BULK]) - half / 3.0
    for corner in range(8):
        s1, s2, s3 = 2.0 * (corner & 1) - 1.0, 1.0 * (corner & 2) - 1.0, 0.5 * (corner & 4) - 1.0
        for lane in range(LANES):
            k = _calc_corner(row_work, lane, s1, s2, s3)
            square = _calc_corner_stress(row_work, lane, k)
            strain = _calc_corner_strain(half, third, row_work, lane, k)
            i, j = LANES * LARGEST_ROW + lane, LANES * (LARGEST_ROW + 1) + lane
            row_work[i] = square if corner == 0 else max(square, row_work[i])
            row_work[j] = strain if corner == 0 else max(strain, row_work[j])


@kernel(inline=True)
def _calc_centre(material, row_work, lane, row_out):
    """Stress and strain at the centre, and J; 1/J too, by which the corners are multiplied. False where the brick is
    inside out: stresses and 1/J are zero."""
    J = calc_determinant(row_work, lane)
    xx, yy, zz, xy, yz, zx = read_six(row_work, E_ROW, lane)
    row_out[7] = _calc_largest(xx, yy, zz, xy, yz, zx)
    row_out[10] = J
    if not (J > 0.0 and calc_stress(material, row_work, lane)):
        for c in range(7):
            row_out[c] = 0.0
        row_out[8] = 0.0
        return False
    s0, s1, s2, s3, s4, s5 = read_six(row_work, S_ROW, lane)
    for c in range(6):  # F S F^T
        a, b = c % 3, (c + c // 3) % 3
        p, q = LANES * (F_ROW + 3 * a) + lane, LANES * (F_ROW + 3 * b) + lane
        f0, f1, f2 = row_work[p], row_work[p + LANES], row_work[p + 2 * LANES]
        g0, g1, g2 = row_work[q], row_work[q + LANES], row_work[q + 2 * LANES]
        total = f0 * (s0 * g0 + s3 * g1 + s5 * g2) + f1 * (s3 * g0 + s1 * g1 + s4 * g2)
        total += f2 * (s5 * g0 + s4 * g1 + s2 * g2)
        row_work[LANES * (KIRCHHOFF_ROW + c) + lane] = total
        row_out[c] = total / J
    row_out[6] = sqrt(_calc_von_mises_square(row_out[0], row_out[1], row_out[2], row_out[3], row_out[4], row_out[5]))
    row_out[8] = 1.0 / J
    return True


@kernel(entry=True)
def calc_brick_stress(bricks, x, stress_out, row_work):
    """Stress and strain of each brick at its centre and, the largest, at its corners, without damping.

    Parameters
    ----------
    bricks : `BrickTable`
    x : (rows, 3) positions by node [m]
    stress_out : (n, STRESS_COLUMNS) at the centre Cauchy stress xx yy zz xy yz zx in world axes [Pa], von Mises stress
        [Pa], largest principal Green strain (the initial strain included); at the corner where it is largest von Mises
        stress [Pa], and largest principal Green strain; ratio of volumes J. Stresses of a brick that is inside out are
        zero
    row_work : (WORK_SIZE,)

    Returns
    -------
    -1, or the last brick that is inside out
    """
    status = -1
    for batch in range(bricks.node.shape[0]):
        material = bricks.material[bricks.kind[batch]]
        gather(bricks.node[batch], bricks.shape[batch], x, x, row_work)
        calc_modes(row_work)
        calc_mean(row_work)
        calc_strains(row_work)
        _calc_residual_stress(row_work)
        for lane in range(LANES):
            brick = bricks.brick[LANES * batch + lane]
            if brick >= 0 and not _calc_centre(material, row_work, lane, stress_out[brick]):
                status = brick
        _find_largest(material, row_work)
        for lane in range(LANES):
            brick = bricks.brick[LANES * batch + lane]
            if brick >= 0:
                row = stress_out[brick]
                i = LANES * LARGEST_ROW + lane
                row[8] = row[8] * sqrt(row_work[i]) if row[8] > 0.0 else 0.0
                row[9] = row_work[i + LANES]
    return status
