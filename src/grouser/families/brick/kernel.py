"""The brick of eight point nodes by natural modes: its equations, and its forces.

Nodes stand as in VTK: 0 to 3 around the bottom, counter-clockwise seen from above, 4 to 7 above them. With their signs
(+-1, +-1, +-1) along the three directions of the brick, the modes of its nodes are sums over nodes, seven besides the
translation:

    y_1 = sum s_1 x    y_23 = sum s_2 s_3 x    y_123 = sum s_1 s_2 s_3 x    and so on                     (1)

Y are the modes of the undeformed brick. Its deformation splits into a mean part and twelve residuals. The mean part has
the gradient B of the modes, averaged over the volume of the undeformed brick,

    F = sum y (x) B     C = F^T F                                                                         (2)

Edges and faces give strains along the directions of the brick. Along direction 1, edges have a half of
|y_1 + s_2 y_12 + s_3 y_13 + s_2 s_3 y_123|^2, and faces of the directions 1 and 2 have
(y_1 + s_3 y_13).(y_2 + s_3 y_23) at their centre. What changes from edge to edge and from face to face is

    along 3:  q_0 = y_1.y_13 + y_12.y_123   q_1 = y_2.y_23 + y_12.y_123   q_2 = y_1.y_23 + y_2.y_13
    along 1:  q_3 = y_2.y_12 + y_23.y_123   q_4 = y_3.y_13 + y_23.y_123   q_5 = y_2.y_13 + y_3.y_12
    along 2:  q_6 = y_3.y_23 + y_13.y_123   q_7 = y_1.y_12 + y_13.y_123   q_8 = y_3.y_12 + y_1.y_23
    warping:  q_9 = y_1.y_123 + y_12.y_13   q_10 = y_2.y_123 + y_12.y_23  q_11 = y_3.y_123 + y_13.y_23    (3)

Residuals are what the mean part does not explain: F Y are the modes of a brick that has it alone.

    r = q(y) - q(F Y) = q(y) - Q(Y, C Y)     energy  r.D r/2                                              (4)

Where edges turn against each other, the strain at the centre is not the mean one. Bends z are what F leaves of the last
four modes, and the mean strain has their products besides C:

    z_12 = y_12 - F Y_12   z_13, z_23, z_123 likewise                                                     (5)
    E = (C - 1)/2 + sum e_ab B_a (x) B_b - E0     energy  V W(E)
    2 e_11 = u z_12^2 + u' z_13^2 + z_123^2/9   2 e_12 = z_13.z_23/3   and so on                          (6)

with the initial strain E0. DIFFERS from (C - 1)/2 alone, which takes a beam that bends by the angle t from end to end
of a brick for thinner by t^2/8: ten bricks of the elastica with P L^2/(E I) = 1 were then 2 % too stiff, where a small
load makes 0.25 %. The mean over the volume has u = 1/3, the mean over the edges u = 1: a beam that bends keeps the
thickness that its edges have. So z_13, which turns edges along 1 in the direction 3, has

    u = 1/3 for edges that are longer than the brick in that direction, else 1 - 2/3 (their ratio)^2      (7)

along 1. As products of bends, e is zero to first order about any F: small displacements and the patch test do not see
it.

Residuals and bends vanish for any F that is the same everywhere, so the patch test is exact, and in any rigid motion. D
has a block of 3 x 3 for each direction across: membrane strains that grow from one face to the other are those of a
plate that bends, in plane stress,

    D = V/3 (L A^ab A^cd + G (A^ac A^bd + A^ad A^bc)),   L = 2 G nu/(1 - nu)                              (8)

with the inverse A^ab of the products of the two directions, and V/9 of Young's modulus over the fourth power of the
length for each warping. The moduli are those of small strains. Six strains, nine and three residuals are 18 for the 18
ways to deform: no spurious mode.

DIFFERS from Young's modulus for each edge mode by itself: a plate of one layer is then too soft by 1 - nu^2 in
cylindrical bending (a clamped plate by 16 %) however fine the mesh, and a skewed brick twists twice as far as it
should. On rectangular beams that may contract at their ends, both are the same. Residuals are not divided by the length
of each edge but by those at the centre: strains of a trapezium vary as those of its edges do.

Damping is by the rates of the same strains,

    S_v = K_v tr(dE/dt) 1 + 2 G_v dev(dE/dt)        s_v = delay D dr/dt                                   (9)

Total Lagrangian: everything refers to the undeformed brick. Forces are minus the gradient of the energies: with
s = D r + s_v and S = dW/dE + S_v,

    T = V S - N(s),   N = sum_m p_m(s, Y) (x) Y_m,   p_m(s, y) = d(s.q)/dy_m                             (10)
    b_m = d(sum V S^ab e_ab)/dz_m,   S^ab = B_a.S B_b                                                    (11)
    f_m = -(F T - sum b (x) Y) B_m - p_m(s, y) - b_m     f_node = sum of signs f_m                       (12)

Bricks lie in batches of `LANES`: lane after lane in every row, so that one instruction serves several bricks.

Sources: strains by natural modes after Argyris, Continua and Discontinua, 1966; mean strains from edges as the assumed
strains of shells, Betsch and Stein 1995; plane stress along the directions of a brick as in shells. Materials are in
`law`, tangents in `tangent`, stresses in `stress`, the layout of batches in `layout`.
"""

from __future__ import annotations

from math import sqrt

from grouser.families.brick.law import calc_invariants, calc_law
from grouser.families.brick.layout import (
    BENDS_ROW,
    BULK,
    C_RATE_ROW,
    C_ROW,
    DELAY,
    E_RATE_ROW,
    E_ROW,
    ENERGY_ROW,
    F_RATE_ROW,
    F_ROW,
    GRADIENT,
    INITIAL,
    LANES,
    LAW,
    LAW_LINEAR,
    MODES_ROW,
    POWER_ROW,
    RATES_ROW,
    REFERENCE,
    S_ROW,
    SHAPE_ROW,
    SHAPE_ROWS,
    SHEAR,
    VISCOUS_BULK,
    VISCOUS_SHEAR,
    VOLUME,
    WEIGHTS,
)
from grouser.families.brick.modes import (
    add_scaled,
    add_three,
    calc_bend_pull,
    calc_bend_strain,
    calc_departure,
    calc_explained,
    calc_products,
    calc_pull,
    dot_seven,
    dot_twelve,
    read_four,
    read_modes,
    read_seven,
    read_six,
    stiffen,
    sum_twelve,
    transform,
)
from grouser.kernels._jit import kernel


@kernel(inline=True)
def gather(node, shape, x, v, row_work):
    """Positions and velocities of the nodes of a batch, lane after lane, and its constants beside them: loops over one
    array alone become vector code."""
    for i in range(SHAPE_ROWS * LANES):
        row_work[LANES * SHAPE_ROW + i] = shape[i]
    for n in range(8):
        for lane in range(LANES):
            row = node[LANES * n + lane]
            i = 3 * LANES * n + lane
            row_work[LANES * 3 * n + lane] = x[row, 0]
            row_work[i + LANES] = x[row, 1]
            row_work[i + 2 * LANES] = x[row, 2]
            row_work[i + LANES * RATES_ROW] = v[row, 0]
            row_work[i + LANES * (RATES_ROW + 1)] = v[row, 1]
            row_work[i + LANES * (RATES_ROW + 2)] = v[row, 2]


@kernel(inline=True)
def calc_modes(row_work):
    """(1) in place: modes instead of nodes, for positions and velocities."""
    for c in range(6):
        start = LANES * ((c // 3) * RATES_ROW + c % 3)
        k = 3 * LANES
        for lane in range(LANES):
            i = start + lane
            x0, x1, x2, x3 = row_work[i], row_work[i + k], row_work[i + 2 * k], row_work[i + 3 * k]
            x4, x5, x6, x7 = row_work[i + 4 * k], row_work[i + 5 * k], row_work[i + 6 * k], row_work[i + 7 * k]
            s0, s1, s2, s3 = x1 + x0, x2 + x3, x5 + x4, x6 + x7
            d0, d1, d2, d3 = x1 - x0, x2 - x3, x5 - x4, x6 - x7
            row_work[i] = (d3 + d2) + (d1 + d0)
            row_work[i + k] = (s3 - s2) + (s1 - s0)
            row_work[i + 2 * k] = (s3 + s2) - (s1 + s0)
            row_work[i + 3 * k] = (s3 - s2) - (s1 - s0)
            row_work[i + 4 * k] = (d3 + d2) - (d1 + d0)
            row_work[i + 5 * k] = (d3 - d2) + (d1 - d0)
            row_work[i + 6 * k] = (d3 - d2) - (d1 - d0)


@kernel(inline=True)
def calc_mean(row_work):
    """F, C and their rates of (2)."""
    for lane in range(LANES):
        b0, b1, b2 = read_modes(row_work, SHAPE_ROW + GRADIENT, lane)
        y0, y1, y2 = read_modes(row_work, MODES_ROW, lane)
        f00, f01, f02 = dot_seven(y0, b0), dot_seven(y0, b1), dot_seven(y0, b2)
        f10, f11, f12 = dot_seven(y1, b0), dot_seven(y1, b1), dot_seven(y1, b2)
        f20, f21, f22 = dot_seven(y2, b0), dot_seven(y2, b1), dot_seven(y2, b2)
        y0, y1, y2 = read_modes(row_work, RATES_ROW, lane)
        g00, g01, g02 = dot_seven(y0, b0), dot_seven(y0, b1), dot_seven(y0, b2)
        g10, g11, g12 = dot_seven(y1, b0), dot_seven(y1, b1), dot_seven(y1, b2)
        g20, g21, g22 = dot_seven(y2, b0), dot_seven(y2, b1), dot_seven(y2, b2)
        i, k = LANES * F_ROW + lane, LANES
        row_work[i], row_work[i + k], row_work[i + 2 * k] = f00, f01, f02
        row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k] = f10, f11, f12
        row_work[i + 6 * k], row_work[i + 7 * k], row_work[i + 8 * k] = f20, f21, f22
        i = LANES * F_RATE_ROW + lane
        row_work[i], row_work[i + k], row_work[i + 2 * k] = g00, g01, g02
        row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k] = g10, g11, g12
        row_work[i + 6 * k], row_work[i + 7 * k], row_work[i + 8 * k] = g20, g21, g22
        i = LANES * C_ROW + lane
        row_work[i] = f00 * f00 + f10 * f10 + f20 * f20
        row_work[i + k] = f01 * f01 + f11 * f11 + f21 * f21
        row_work[i + 2 * k] = f02 * f02 + f12 * f12 + f22 * f22
        row_work[i + 3 * k] = f00 * f01 + f10 * f11 + f20 * f21
        row_work[i + 4 * k] = f01 * f02 + f11 * f12 + f21 * f22
        row_work[i + 5 * k] = f02 * f00 + f12 * f10 + f22 * f20
        i = LANES * C_RATE_ROW + lane
        row_work[i] = 2.0 * (f00 * g00 + f10 * g10 + f20 * g20)
        row_work[i + k] = 2.0 * (f01 * g01 + f11 * g11 + f21 * g21)
        row_work[i + 2 * k] = 2.0 * (f02 * g02 + f12 * g12 + f22 * g22)
        row_work[i + 3 * k] = (f00 * g01 + f10 * g11 + f20 * g21) + (g00 * f01 + g10 * f11 + g20 * f21)
        row_work[i + 4 * k] = (f01 * g02 + f11 * g12 + f21 * g22) + (g01 * f02 + g11 * f12 + g21 * f22)
        row_work[i + 5 * k] = (f02 * g00 + f12 * g10 + f22 * g20) + (g02 * f00 + g12 * f10 + g22 * f20)


@kernel(inline=True)
def calc_strains(row_work):
    """Bends (5), E with the initial strain and dE/dt of (6)."""
    for lane in range(LANES):
        h0 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 0, lane)
        h1 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 1, lane)
        h2 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 2, lane)
        i, k = LANES * F_ROW + lane, LANES
        y = read_four(row_work, MODES_ROW + 9, 0, lane)
        z0 = calc_departure(y, row_work[i], row_work[i + k], row_work[i + 2 * k], h0, h1, h2)
        y = read_four(row_work, MODES_ROW + 9, 1, lane)
        z1 = calc_departure(y, row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k], h0, h1, h2)
        y = read_four(row_work, MODES_ROW + 9, 2, lane)
        z2 = calc_departure(y, row_work[i + 6 * k], row_work[i + 7 * k], row_work[i + 8 * k], h0, h1, h2)
        i = LANES * F_RATE_ROW + lane
        y = read_four(row_work, RATES_ROW + 9, 0, lane)
        w0 = calc_departure(y, row_work[i], row_work[i + k], row_work[i + 2 * k], h0, h1, h2)
        y = read_four(row_work, RATES_ROW + 9, 1, lane)
        w1 = calc_departure(y, row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k], h0, h1, h2)
        y = read_four(row_work, RATES_ROW + 9, 2, lane)
        w2 = calc_departure(y, row_work[i + 6 * k], row_work[i + 7 * k], row_work[i + 8 * k], h0, h1, h2)
        u = read_six(row_work, SHAPE_ROW + WEIGHTS, lane)
        # columns of the mean gradients of the modes 1, 2, 3
        i = LANES * (SHAPE_ROW + GRADIENT) + lane
        a0, a1, a2 = row_work[i], row_work[i + 3 * k], row_work[i + 6 * k]
        b0, b1, b2 = row_work[i + k], row_work[i + 4 * k], row_work[i + 7 * k]
        c0, c1, c2 = row_work[i + 2 * k], row_work[i + 5 * k], row_work[i + 8 * k]
        e = transform(calc_bend_strain(u, z0, z1, z2, z0, z1, z2), a0, a1, a2, b0, b1, b2, c0, c1, c2)
        d = transform(calc_bend_strain(u, z0, z1, z2, w0, w1, w2), a0, a1, a2, b0, b1, b2, c0, c1, c2)
        xx, yy, zz, xy, yz, zx = read_six(row_work, C_ROW, lane)
        i = LANES * E_ROW + lane
        row_work[i], row_work[i + k] = 0.5 * (xx - 1.0 + e[0]), 0.5 * (yy - 1.0 + e[1])
        row_work[i + 2 * k], row_work[i + 3 * k] = 0.5 * (zz - 1.0 + e[2]), 0.5 * (xy + e[3])
        row_work[i + 4 * k], row_work[i + 5 * k] = 0.5 * (yz + e[4]), 0.5 * (zx + e[5])
        xx, yy, zz, xy, yz, zx = read_six(row_work, C_RATE_ROW, lane)
        i = LANES * E_RATE_ROW + lane
        row_work[i], row_work[i + k], row_work[i + 2 * k] = 0.5 * xx + d[0], 0.5 * yy + d[1], 0.5 * zz + d[2]
        row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k] = (
            0.5 * xy + d[3],
            0.5 * yz + d[4],
            0.5 * zx + d[5],
        )
        i, k = LANES * BENDS_ROW + lane, LANES
        row_work[i], row_work[i + k], row_work[i + 2 * k] = z0[0], z1[0], z2[0]
        row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k] = z0[1], z1[1], z2[1]
        row_work[i + 6 * k], row_work[i + 7 * k], row_work[i + 8 * k] = z0[2], z1[2], z2[2]
        row_work[i + 9 * k], row_work[i + 10 * k], row_work[i + 11 * k] = z0[3], z1[3], z2[3]


@kernel(inline=True)
def calc_strain(row_work, lane):
    """E of (6), xx yy zz xy yz zx."""
    e, start = read_six(row_work, E_ROW, lane), read_six(row_work, SHAPE_ROW + INITIAL, lane)
    return e[0] - start[0], e[1] - start[1], e[2] - start[2], e[3] - start[3], e[4] - start[4], e[5] - start[5]


@kernel(inline=True)
def _calc_linear(material, row_work):
    """S and W of the linear law, (1) of `law`."""
    shear, bulk = material[SHEAR], material[BULK]
    for lane in range(LANES):
        xx, yy, zz, xy, yz, zx = calc_strain(row_work, lane)
        trace = xx + yy + zz
        pressure = (bulk - 2.0 / 3.0 * shear) * trace
        i, k, g = LANES * S_ROW + lane, LANES, 2.0 * shear
        row_work[i], row_work[i + k], row_work[i + 2 * k] = pressure + g * xx, pressure + g * yy, pressure + g * zz
        row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k] = g * xy, g * yz, g * zx
        squares = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + zx * zx)
        row_work[LANES * ENERGY_ROW + lane] = 0.5 * pressure * trace + shear * squares


@kernel(inline=True)
def calc_determinant(row, lane):
    """det F."""
    i, k = LANES * F_ROW + lane, LANES
    f00, f01, f02 = row[i], row[i + k], row[i + 2 * k]
    f10, f11, f12 = row[i + 3 * k], row[i + 4 * k], row[i + 5 * k]
    f20, f21, f22 = row[i + 6 * k], row[i + 7 * k], row[i + 8 * k]
    return f00 * (f11 * f22 - f12 * f21) + f01 * (f12 * f20 - f10 * f22) + f02 * (f10 * f21 - f11 * f20)


@kernel(inline=True)
def calc_stress(material, row_work, lane):
    """S and W of any law in one lane. False where the brick is inside out, or the initial strain leaves nothing."""
    xx, yy, zz, xy, yz, zx = calc_strain(row_work, lane)
    xx, yy, zz, xy, yz, zx = 1.0 + 2.0 * xx, 1.0 + 2.0 * yy, 1.0 + 2.0 * zz, 2.0 * xy, 2.0 * yz, 2.0 * zx
    I1, I2, square, cofactor = calc_invariants(xx, yy, zz, xy, yz, zx)
    if material[LAW] != LAW_LINEAR and not (square > 0.0 and calc_determinant(row_work, lane) > 0.0):
        return False
    a0, a1, a2, W = calc_law(material, I1, I2, sqrt(square))
    b = a2 / square
    i, k = LANES * S_ROW + lane, LANES
    row_work[i] = a0 + a1 * xx + b * cofactor[0]
    row_work[i + k] = a0 + a1 * yy + b * cofactor[1]
    row_work[i + 2 * k] = a0 + a1 * zz + b * cofactor[2]
    row_work[i + 3 * k] = a1 * xy + b * cofactor[3]
    row_work[i + 4 * k] = a1 * yz + b * cofactor[4]
    row_work[i + 5 * k] = a1 * zx + b * cofactor[5]
    row_work[LANES * ENERGY_ROW + lane] = W
    return True


@kernel(inline=True)
def calc_residuals(row_work, lane):
    """r of (4) and its rate."""
    x0, x1, x2 = read_modes(row_work, SHAPE_ROW + REFERENCE, lane)
    y0, y1, y2 = read_modes(row_work, MODES_ROW, lane)
    v0, v1, v2 = read_modes(row_work, RATES_ROW, lane)
    q = sum_twelve(calc_products(y0, y0), calc_products(y1, y1), calc_products(y2, y2))
    r = add_scaled(q, -1.0, calc_explained(read_six(row_work, C_ROW, lane), x0, x1, x2))
    q = sum_twelve(calc_products(y0, v0), calc_products(y1, v1), calc_products(y2, v2))
    p = sum_twelve(calc_products(v0, y0), calc_products(v1, y1), calc_products(v2, y2))
    p = add_scaled(p, -1.0, calc_explained(read_six(row_work, C_RATE_ROW, lane), x0, x1, x2))
    return r, add_scaled(q, 1.0, p)


@kernel(inline=True)
def calc_mean_stress(viscous_bulk, viscous_shear, row_work, lane):
    """V S of (10), xx yy zz xy yz zx, and the dissipated power of the mean part."""
    xx, yy, zz, xy, yz, zx = read_six(row_work, E_RATE_ROW, lane)
    trace, g, volume = xx + yy + zz, 2.0 * viscous_shear, row_work[LANES * (SHAPE_ROW + VOLUME) + lane]
    p = (viscous_bulk - g / 3.0) * trace  # (9)
    squares = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + zx * zx)
    s = read_six(row_work, S_ROW, lane)
    stress = (
        *(volume * (s[0] + p + g * xx), volume * (s[1] + p + g * yy), volume * (s[2] + p + g * zz)),
        *(volume * (s[3] + g * xy), volume * (s[4] + g * yz), volume * (s[5] + g * zx)),
    )
    return stress, volume * (p * trace + g * squares)


@kernel(inline=True)
def calc_explained_stress(row_work, lane, s):
    """N of (10), xx yy zz xy yz zx."""
    x0, x1, x2 = read_modes(row_work, SHAPE_ROW + REFERENCE, lane)
    p0, p1, p2 = calc_pull(s, x0), calc_pull(s, x1), calc_pull(s, x2)
    return (
        *(dot_seven(p0, x0), dot_seven(p1, x1), dot_seven(p2, x2)),
        *(dot_seven(p0, x1), dot_seven(p1, x2), dot_seven(p2, x0)),
    )


@kernel(inline=True)
def calc_natural_stress(row_work, lane, t):
    """B_a.T B_b of (11), 11 22 33 12 23 31."""
    i, k = LANES * (SHAPE_ROW + GRADIENT) + lane, LANES
    a0, a1, a2 = row_work[i], row_work[i + k], row_work[i + 2 * k]
    b0, b1, b2 = row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k]
    c0, c1, c2 = row_work[i + 6 * k], row_work[i + 7 * k], row_work[i + 8 * k]
    return transform(t, a0, a1, a2, b0, b1, b2, c0, c1, c2)


@kernel(inline=True)
def _put_forces(row_work, s, t, T, c, lane):
    """(12), component c of all modes, instead of the modes; t is the natural stress, T = V S - N."""
    t0, t1, t2, t3, t4, t5 = T
    i, k = LANES * (F_ROW + 3 * c) + lane, LANES
    f0, f1, f2 = row_work[i], row_work[i + k], row_work[i + 2 * k]
    bend = calc_bend_pull(read_six(row_work, SHAPE_ROW + WEIGHTS, lane), t, read_four(row_work, BENDS_ROW, c, lane))
    h0 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 0, lane)
    h1 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 1, lane)
    h2 = read_four(row_work, SHAPE_ROW + REFERENCE + 9, 2, lane)
    p0 = f0 * t0 + f1 * t3 + f2 * t5 - (bend[0] * h0[0] + bend[1] * h0[1] + bend[2] * h0[2] + bend[3] * h0[3])
    p1 = f0 * t3 + f1 * t1 + f2 * t4 - (bend[0] * h1[0] + bend[1] * h1[1] + bend[2] * h1[2] + bend[3] * h1[3])
    p2 = f0 * t5 + f1 * t4 + f2 * t2 - (bend[0] * h2[0] + bend[1] * h2[1] + bend[2] * h2[2] + bend[3] * h2[3])
    b0, b1, b2 = read_modes(row_work, SHAPE_ROW + GRADIENT, lane)
    pull = calc_pull(s, read_seven(row_work, MODES_ROW, c, lane))
    mean = add_three(p0, b0, p1, b1, p2, b2)
    i, k = LANES * (MODES_ROW + c) + lane, 3 * LANES
    row_work[i], row_work[i + k] = -mean[0] - pull[0], -mean[1] - pull[1]
    row_work[i + 2 * k], row_work[i + 3 * k] = -mean[2] - pull[2], -mean[3] - pull[3] - bend[0]
    row_work[i + 4 * k], row_work[i + 5 * k] = -mean[4] - pull[4] - bend[1], -mean[5] - pull[5] - bend[2]
    row_work[i + 6 * k] = -mean[6] - pull[6] - bend[3]


@kernel(inline=True)
def _calc_forces(material, row_work):
    """Forces on the modes (12), energy and dissipated power of all lanes."""
    delay, viscous_bulk, viscous_shear = material[DELAY], material[VISCOUS_BULK], material[VISCOUS_SHEAR]
    for lane in range(LANES):
        r, rate = calc_residuals(row_work, lane)
        stress, viscous = stiffen(row_work, lane, r), stiffen(row_work, lane, rate)
        s = add_scaled(stress, delay, viscous)  # (9)
        mean, power = calc_mean_stress(viscous_bulk, viscous_shear, row_work, lane)
        i = LANES * ENERGY_ROW + lane
        row_work[i] = row_work[LANES * (SHAPE_ROW + VOLUME) + lane] * row_work[i] + 0.5 * dot_twelve(r, stress)
        row_work[LANES * POWER_ROW + lane] = power + delay * dot_twelve(rate, viscous)
        n, t = calc_explained_stress(row_work, lane, s), calc_natural_stress(row_work, lane, mean)
        T = mean[0] - n[0], mean[1] - n[1], mean[2] - n[2], mean[3] - n[3], mean[4] - n[4], mean[5] - n[5]
        _put_forces(row_work, s, t, T, 0, lane)
        _put_forces(row_work, s, t, T, 1, lane)
        _put_forces(row_work, s, t, T, 2, lane)


@kernel(inline=True)
def _calc_nodes(row_work):
    """(12) in place: forces on the nodes instead of those on the modes."""
    for c in range(3):
        k = 3 * LANES
        for lane in range(LANES):
            i = LANES * (MODES_ROW + c) + lane
            a1, a2, a3, h23 = row_work[i], row_work[i + k], row_work[i + 2 * k], row_work[i + 3 * k]
            h13, h12, h = row_work[i + 4 * k], row_work[i + 5 * k], row_work[i + 6 * k]
            # without and with the sign along 1, at the four edges along it
            s0, s1, s2, s3 = -a2 - a3 + h23, a2 - a3 - h23, -a2 + a3 - h23, a2 + a3 + h23
            d0, d1, d2, d3 = a1 - h12 - h13 + h, a1 + h12 - h13 - h, a1 - h12 + h13 - h, a1 + h12 + h13 + h
            row_work[i], row_work[i + k], row_work[i + 2 * k], row_work[i + 3 * k] = s0 - d0, s0 + d0, s1 + d1, s1 - d1
            i += 4 * k
            row_work[i], row_work[i + k], row_work[i + 2 * k], row_work[i + 3 * k] = s2 - d2, s2 + d2, s3 + d3, s3 - d3


@kernel(stage="int64")
def add_brick_forces(bricks, x, v, f_out, sums_out, row_work):
    """Add the forces of all bricks, their stored energy [J] to sums_out[0] and their dissipated power [W] to
    sums_out[1].

    Parameters
    ----------
    bricks : `BrickTable`
    x, v : (rows, 3) positions [m] and velocities [m/s] by node
    f_out : (rows, 3) forces [N] by node
    sums_out : (2,)
    row_work : (WORK_SIZE,)

    Returns
    -------
    -1, or the index of a brick that is inside out and whose material has no answer to that: nothing was added for its
    batch and those after it
    """
    energy, power = 0.0, 0.0
    for batch in range(bricks.node.shape[0]):
        node, shape, material = bricks.node[batch], bricks.shape[batch], bricks.material[bricks.kind[batch]]
        gather(node, shape, x, v, row_work)
        calc_modes(row_work)
        calc_mean(row_work)
        calc_strains(row_work)
        if material[LAW] == LAW_LINEAR:
            _calc_linear(material, row_work)
        else:
            for lane in range(LANES):
                if not calc_stress(material, row_work, lane):
                    return bricks.brick[LANES * batch + lane]
        _calc_forces(material, row_work)
        _calc_nodes(row_work)
        for lane in range(LANES):
            energy += row_work[LANES * ENERGY_ROW + lane]
            power += row_work[LANES * POWER_ROW + lane]
            for n in range(8):
                row = node[LANES * n + lane]
                i = LANES * 3 * n + lane
                f_out[row, 0] += row_work[i]
                f_out[row, 1] += row_work[i + LANES]
                f_out[row, 2] += row_work[i + 2 * LANES]
    sums_out[0] += energy
    sums_out[1] += power
    return -1


@kernel(entry=True)
def calc_brick_forces(bricks, x, v, f_out, sums_out, row_work):
    """Forces of all bricks by themselves: `add_brick_forces` into zeros."""
    for i in range(f_out.shape[0]):
        f_out[i, 0], f_out[i, 1], f_out[i, 2] = 0.0, 0.0, 0.0
    sums_out[0], sums_out[1] = 0.0, 0.0
    return add_brick_forces(bricks, x, v, f_out, sums_out, row_work)
