"""Exact tangents of bricks, for implicit steps. Equations (1) to (12) are those of `grouser.families.brick.kernel`.

With the gradients g of the strains and residuals (4) and (6) by positions, and their rates dg (positions and F replaced
by their rates), tangents are

    -df/dx = sum g D (g + delay dg) + sum (T:(B (x) B) + d^2(s.q)/dx^2 + S^ab d^2(e_ab)/dx^2) 1          (13)
    -df/dv = sum g delay D g                                                                              (14)

where the sums have the moduli dS/dE, K_v and G_v for the strains E as D and delay D for the residuals. Second
derivatives are numbers for each pair of nodes times the unit matrix, as all strains are sums of scalar products.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from grouser.families.brick.kernel import (
    calc_explained_stress,
    calc_mean,
    calc_mean_stress,
    calc_modes,
    calc_natural_stress,
    calc_residuals,
    calc_strain,
    calc_strains,
    calc_stress,
    gather,
)
from grouser.families.brick.law import calc_invariants, calc_law, calc_law_slopes
from grouser.families.brick.layout import (
    BENDS,
    DELAY,
    EXTRA,
    F_RATE_ROW,
    F_ROW,
    G_RATE,
    GRADIENT,
    LANES,
    MODES_ROW,
    MODULI,
    NODES,
    RATES_ROW,
    REFERENCE,
    SEVEN,
    SHAPE_ROW,
    STIFF,
    VISCOUS,
    VISCOUS_BULK,
    VISCOUS_SHEAR,
    VOLUME,
    WEIGHTS,
    G,
)
from grouser.families.brick.modes import (
    add_scaled,
    add_three,
    calc_bend_pull,
    calc_bend_strain,
    calc_departure,
    calc_pull,
    dot_seven,
    put_seven,
    read_four,
    read_modes,
    read_seven,
    read_six,
    read_twelve,
    stiffen,
    transform,
)
from grouser.kernels._jit import kernel

_SIGNS = np.array(
    [
        *([-1, 1, 1, -1, -1, 1, 1, -1], [-1, -1, 1, 1, -1, -1, 1, 1], [-1, -1, -1, -1, 1, 1, 1, 1]),
        *([1, 1, -1, -1, -1, -1, 1, 1], [1, -1, -1, 1, -1, 1, 1, -1], [1, -1, 1, -1, 1, -1, 1, -1]),
        [-1, 1, -1, 1, 1, -1, 1, -1],
    ],
    dtype=float,
)
"""Signs of the nodes in the modes 1, 2, 3, 23, 13, 12, 123 of (1)."""
_UNITS = np.eye(12).ravel()
"""Unit vectors of the residuals, one after another."""


@kernel
def _calc_bend_slopes(lane, row_work):
    """Slopes of the bends (5) by the positions of the nodes, 4 x 8: numbers, the same for each component."""
    for h in range(4):
        i = LANES * (SHAPE_ROW + REFERENCE + 9 + 3 * h) + lane
        x, y, z = row_work[i], row_work[i + LANES], row_work[i + 2 * LANES]
        for n in range(8):
            total = _SIGNS[3 + h, n]
            for m in range(7):
                i = LANES * (SHAPE_ROW + GRADIENT + 3 * m) + lane
                mean = row_work[i] * x + row_work[i + LANES] * y + row_work[i + 2 * LANES] * z
                total -= _SIGNS[m, n] * mean
            row_work[BENDS + 8 * h + n] = total


@kernel
def _calc_gradients(lane, modes, F, start, row_work):
    """Gradients of the six strains and of the residuals by the coordinates of the nodes, from `start` on; with the
    rates of modes and F, their rates."""
    g = row_work[start:]
    h0 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 0, lane)
    h1 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 1, lane)
    h2 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 2, lane)
    i, k = LANES * (SHAPE_ROW + GRADIENT) + lane, LANES
    a0, a1, a2 = row_work[i], row_work[i + 3 * k], row_work[i + 6 * k]
    b0, b1, b2 = row_work[i + k], row_work[i + 4 * k], row_work[i + 7 * k]
    c0, c1, c2 = row_work[i + 2 * k], row_work[i + 5 * k], row_work[i + 8 * k]
    zero, u = (0.0, 0.0, 0.0, 0.0), read_six(row_work, SHAPE_ROW + WEIGHTS, lane)
    for c in range(3):
        f0 = row_work[LANES * (F + 3 * c) + lane]
        f1 = row_work[LANES * (F + 3 * c + 1) + lane]
        f2 = row_work[LANES * (F + 3 * c + 2) + lane]
        z = calc_departure(read_four(row_work, modes + 9, c, lane), f0, f1, f2, h0, h1, h2)
        for n in range(8):
            d0, d1, d2 = 0.0, 0.0, 0.0
            for m in range(7):
                i = LANES * (SHAPE_ROW + GRADIENT + 3 * m) + lane
                d0 += _SIGNS[m, n] * row_work[i]
                d1 += _SIGNS[m, n] * row_work[i + LANES]
                d2 += _SIGNS[m, n] * row_work[i + 2 * LANES]
            i = BENDS + n
            slope = (row_work[i], row_work[i + 8], row_work[i + 16], row_work[i + 24])
            e = transform(calc_bend_strain(u, z, zero, zero, slope, zero, zero), a0, a1, a2, b0, b1, b2, c0, c1, c2)
            i = 3 * n + c
            # of C alone first: the residuals have their part of it
            g[i], g[24 + i], g[48 + i] = f0 * d0, f1 * d1, f2 * d2
            g[72 + i], g[96 + i], g[120 + i] = f0 * d1 + f1 * d0, f1 * d2 + f2 * d1, f2 * d0 + f0 * d2
            for j in range(6):
                row_work[EXTRA + 24 * j + i] = e[j] if j < 3 else 2.0 * e[j]
    x0, x1, x2 = read_modes(row_work, SHAPE_ROW + REFERENCE, lane)
    for k in range(12):
        s = read_twelve(_UNITS, 12 * k, 1)
        p0, p1, p2 = calc_pull(s, x0), calc_pull(s, x1), calc_pull(s, x2)
        n0, n1, n2 = dot_seven(p0, x0), dot_seven(p1, x1), dot_seven(p2, x2)  # N of (10)
        n3, n4, n5 = dot_seven(p0, x1), dot_seven(p1, x2), dot_seven(p2, x0)
        for c in range(3):
            put_seven(calc_pull(s, read_seven(row_work, modes, c, lane)), SEVEN, row_work)
            for n in range(8):
                i = 3 * n + c
                mean = n0 * g[i] + n1 * g[24 + i] + n2 * g[48 + i] + n3 * g[72 + i] + n4 * g[96 + i] + n5 * g[120 + i]
                total = 0.0
                for m in range(7):
                    total += _SIGNS[m, n] * row_work[SEVEN + m]
                g[144 + 24 * k + i] = total - mean
    for i in range(144):
        g[i] += row_work[EXTRA + i]


@kernel
def _calc_moduli(lane, material, row_work):
    """dS/dE times the volume, 6 x 6 on (xx yy zz 2xy 2yz 2zx)."""
    xx, yy, zz, xy, yz, zx = calc_strain(row_work, lane)
    xx, yy, zz, xy, yz, zx = 1.0 + 2.0 * xx, 1.0 + 2.0 * yy, 1.0 + 2.0 * zz, 2.0 * xy, 2.0 * yz, 2.0 * zx
    I1, I2, square, cofactor = calc_invariants(xx, yy, zz, xy, yz, zx)
    J, volume = sqrt(square), row_work[LANES * (SHAPE_ROW + VOLUME) + lane]
    _, a1, a2, _ = calc_law(material, I1, I2, J)
    h00, h01, h02, h10, h11, h12, h20, h21, h22 = calc_law_slopes(material, I1, I2, J)
    C = (xx, yy, zz, xy, yz, zx)
    d = 1.0 / square if a2 != 0.0 or h22 != 0.0 else 0.0
    c0, c1, c2, c3, c4, c5 = cofactor
    inverse = (c0 * d, c1 * d, c2 * d, c3 * d, c4 * d, c5 * d)
    first, second = (0, 1, 2, 0, 1, 2), (0, 1, 2, 1, 2, 0)
    place = ((0, 3, 5), (3, 1, 4), (5, 4, 2))
    for i in range(6):
        for j in range(6):
            p, q, r, s = first[i], second[i], first[j], second[j]
            one, other = 1.0 if i < 3 else 0.0, 1.0 if j < 3 else 0.0
            value = one * (h00 * other + h01 * C[j] + h02 * inverse[j])
            value += C[i] * (h10 * other + h11 * C[j] + h12 * inverse[j])
            value += inverse[i] * (h20 * other + h21 * C[j] + h22 * inverse[j])
            # a1 dC and -a2 C^-1 dC C^-1 with dC = 2 dE; a shear strain stands twice in dE
            value += a1 * ((1.0 if p == r and q == s else 0.0) + (1.0 if p == s and q == r else 0.0))
            value -= a2 * inverse[place[p][r]] * inverse[place[q][s]]
            value -= a2 * inverse[place[p][s]] * inverse[place[q][r]]
            row_work[MODULI + 6 * i + j] = volume * value


@kernel
def _calc_stiff_gradients(lane, material, row_work):
    """Moduli times gradients, and viscous moduli times gradients and times their rates, of (13) and (14)."""
    volume, delay = row_work[LANES * (SHAPE_ROW + VOLUME) + lane], material[DELAY]
    g = 2.0 * volume * material[VISCOUS_SHEAR]
    p = volume * material[VISCOUS_BULK] - g / 3.0
    for i in range(6):
        shear = g if i < 3 else 0.5 * g
        for c in range(24):
            total = 0.0
            for j in range(6):
                total += row_work[MODULI + 6 * i + j] * row_work[G + 24 * j + c]
            trace, trace_rate = 0.0, 0.0
            if i < 3:
                trace = row_work[G + c] + row_work[G + 24 + c] + row_work[G + 48 + c]
                trace_rate = row_work[G_RATE + c] + row_work[G_RATE + 24 + c] + row_work[G_RATE + 48 + c]
            row_work[STIFF + 24 * i + c] = total + p * trace_rate + shear * row_work[G_RATE + 24 * i + c]
            row_work[VISCOUS + 24 * i + c] = p * trace + shear * row_work[G + 24 * i + c]
    for c in range(24):
        s = stiffen(row_work, lane, read_twelve(row_work, G + 144 + c, 24))
        rate = stiffen(row_work, lane, read_twelve(row_work, G_RATE + 144 + c, 24))
        for j in range(12):
            row_work[STIFF + 144 + 24 * j + c] = s[j] + delay * rate[j]
            row_work[VISCOUS + 144 + 24 * j + c] = delay * s[j]


@kernel
def _calc_geometric(lane, material, row_work):
    """The second sum of (13): 8 x 8 numbers by nodes."""
    r, rate = calc_residuals(row_work, lane)
    s = add_scaled(stiffen(row_work, lane, r), material[DELAY], stiffen(row_work, lane, rate))
    mean, _ = calc_mean_stress(material[VISCOUS_BULK], material[VISCOUS_SHEAR], row_work, lane)
    e, t = calc_explained_stress(row_work, lane, s), calc_natural_stress(row_work, lane, mean)
    t0, t1, t2, t3, t4, t5 = (
        mean[0] - e[0],
        mean[1] - e[1],
        mean[2] - e[2],
        mean[3] - e[3],
        mean[4] - e[4],
        mean[5] - e[5],
    )
    b0, b1, b2 = read_modes(row_work, SHAPE_ROW + GRADIENT, lane)
    u = read_six(row_work, SHAPE_ROW + WEIGHTS, lane)
    for n in range(8):
        i = _SIGNS[:, n]
        signs = (i[0], i[1], i[2], i[3], i[4], i[5], i[6])
        g0, g1, g2 = dot_seven(b0, signs), dot_seven(b1, signs), dot_seven(b2, signs)
        q0, q1, q2 = t0 * g0 + t3 * g1 + t5 * g2, t3 * g0 + t1 * g1 + t4 * g2, t5 * g0 + t4 * g1 + t2 * g2
        column, pull = add_three(q0, b0, q1, b1, q2, b2), calc_pull(s, signs)
        put_seven(add_three(1.0, column, 1.0, pull, 0.0, pull), SEVEN, row_work)
        i = BENDS + n
        bend = calc_bend_pull(u, t, (row_work[i], row_work[i + 8], row_work[i + 16], row_work[i + 24]))
        for a in range(8):
            i = BENDS + a
            total = bend[0] * row_work[i] + bend[1] * row_work[i + 8]
            total += bend[2] * row_work[i + 16] + bend[3] * row_work[i + 24]
            for m in range(7):
                total += _SIGNS[m, a] * row_work[SEVEN + m]
            row_work[NODES + 8 * a + n] = total


@kernel
def calc_brick_tangent(bricks, i, x, v, stiffness_out, damping_out, row_work):
    """Exact tangents -df/dx [N/m] and -df/dv [N s/m] of brick i, by coordinates of its nodes: x, y, z of node 0 and so
    on.

    The stiffness has the change of geometry and of the rates with it: it is not symmetric where damping acts, and need
    not be definite under pressure.

    Parameters
    ----------
    bricks : `BrickTable`
    x, v : (rows, 3) positions [m] and velocities [m/s] by node
    stiffness_out, damping_out : (24, 24)
    row_work : (TANGENT_WORK_SIZE,)

    Returns
    -------
    -1, or i where the brick is inside out and its material has no answer to that
    """
    batch, lane = bricks.place[i] // LANES, bricks.place[i] % LANES
    material = bricks.material[bricks.kind[batch]]
    gather(bricks.node[batch], bricks.shape[batch], x, v, row_work)
    calc_modes(row_work)
    calc_mean(row_work)
    calc_strains(row_work)
    if not calc_stress(material, row_work, lane):
        return i
    _calc_bend_slopes(lane, row_work)
    _calc_gradients(lane, MODES_ROW, F_ROW, G, row_work)
    _calc_gradients(lane, RATES_ROW, F_RATE_ROW, G_RATE, row_work)
    _calc_moduli(lane, material, row_work)
    _calc_stiff_gradients(lane, material, row_work)
    _calc_geometric(lane, material, row_work)
    for a in range(24):
        for b in range(24):
            stiffness_out[a, b], damping_out[a, b] = 0.0, 0.0
        for n in range(8):
            stiffness_out[a, 3 * n + a % 3] = row_work[NODES + 8 * (a // 3) + n]
        for k in range(18):
            g = row_work[G + 24 * k + a]
            for b in range(24):
                stiffness_out[a, b] += g * row_work[STIFF + 24 * k + b]
                damping_out[a, b] += g * row_work[VISCOUS + 24 * k + b]
    return -1


@kernel(entry=True)
def calc_brick_tangents(bricks, first, x, v, stiffness_out, damping_out, row_work):
    """Tangents (count, 24, 24) of the bricks from `first` on, as many as there is place for, by `calc_brick_tangent`.
    Returns -1, or the first brick without an answer."""
    for i in range(stiffness_out.shape[0]):
        if calc_brick_tangent(bricks, first + i, x, v, stiffness_out[i], damping_out[i], row_work) >= 0:
            return first + i
    return -1
