"""Fully parametrised beam of two nodes: its equations, and its forces.

A node is four rows: its place r and the gradients r_x, r_y, r_z by the coordinates x along the element and y, z across.
With xi = x/l,

    r(x, y, z) = a(x) + y b(x) + z c(x)                                                              S2-4 (1)
    a = (1 - 3 xi^2 + 2 xi^3) r_1 + l (xi - 2 xi^2 + xi^3) r_x1 + (3 xi^2 - 2 xi^3) r_2 + l (xi^3 - xi^2) r_x2
    b = (1 - xi) r_y1 + xi r_y2,   c = (1 - xi) r_z1 + xi r_z2

Everything follows from five vectors at a station x: a', b, c, b' and c'. A point of the section there has

    r_x = a' + y b' + z c',   r_y = b,   r_z = c                                                          (2)

so that any point is two additions of vectors. Its metric is g, and G that of the reference, both by the coordinates:

    g_ab = r_a.r_b    I1 = G^-1:g    I2 = (I1^2 - (G^-1 g G^-1):g)/2    J = sqrt(det g/det G)             (3)

With S = a0 1 + a1 C + a2 C^-1 of `families/brick/law.py`, the stress by the coordinates is

    T = a0 G^-1 + a1 G^-1 g G^-1 + a2 g^-1,   force on r_a: -w sum T_ab r_b                               (4)

with the weight w of the point in the volume of the reference. So the reference may be curved or stretched, and no frame
is needed. Viscous stress is that of bricks: with the rate d = dg/dt/2 and the moduli K_v, G_v,

    T_v = (K_v - 2/3 G_v) (G^-1:d) G^-1 + 2 G_v G^-1 d G^-1,   dissipated power w T_v:d                   (5)

Integration by the volume takes 3 x 2 x 2 points of Gauss. Two across are exact for the second moments of the section.
Three along are the least that see all ways in which a' changes: with two, a change of r_x alike at all nodes, places
held, would cost no energy. Laws that split shape from volume have their volume on the axis alone (3 x 1 x 1): a section
that stays plane cannot contract on one side and widen on the other, so a bent element could not hold its volume.

This element is wrong in bending, however fine the mesh: its sections cannot contract on one side and widen on the
other. So its modulus in bending is (1 - nu)/((1 + nu)(1 - 2 nu)) of Young's by the linear law, and 2/(3 (1 + nu)) where
the volume is held on the axis alone. In torsion it has the polar moment of the section, and it locks where sections of
a slender element turn against each other. The cure is integration along the axis: the law acts there, over the area A,
and bending and torsion have stiffnesses of the section,

    W_b = E I_z k_1^2/2 + E I_y k_2^2/2 + G J t^2/2   per length of the reference                         (6)
    k_1 = a'.b'/s^2 - reference,   k_2 = a'.c'/s^2 - reference,   t = (b'.c - c'.b)/(2 s) - reference

with s = |a'| of the reference. They are the strains of the continuum: E_xx of (2) grows by k_1 along y and k_2 along z.
Shear strains have the square root of a shear factor,

    g_xy -> sqrt(k_y) g_xy,   g_zx -> sqrt(k_z) g_zx                                                      (7)

and the metric of the section is linear between the nodes, as those of assumed strains are:

    g_yy = b.b + u b'.b',   g_zz = c.c + u c'.c',   g_yz = b.c + u b'.c',   u = l^2 xi (1 - xi)           (8)

Without (8) an element whose nodes turn by the angle t against each other would become thinner by t^2/8 in the middle,
as b of (1) cuts the corner, at the price of the full stiffness of the section. Damping of (6) is delay E I for the rate
of bends and the viscous shear modulus times J for that of twist.

Sources: S2; shape functions after Yakoub and Shabana 2001; elastic lines after Schwab and Meijaard 2010, Nachbagauer
and others 2013; (8) after the assumed natural strains of shells. (6) and (7) DIFFER from theirs: products of the five
vectors without frames or roots, so that slopes are exact and cheap.
"""

from __future__ import annotations

from grouser.families.ancf_beam.layout import (
    ACROSS,
    AXIS,
    BEND_REFERENCE,
    BEND_STIFFNESS,
    ENERGY,
    FORCES,
    GRADIENT,
    LANES,
    LENGTH,
    PLACE_FORCES,
    POWER,
    SECTION_POINTS,
    SHARES,
    SHEARS,
    STATION_PLACES,
    STATIONS,
    STRESS,
    VECTOR_RATES,
    VECTORS,
)
from grouser.families.ancf_beam.points import (
    calc_elastic,
    calc_shapes,
    calc_viscous,
    is_inside_out,
    place_points,
    read_three,
)
from grouser.families.brick.layout import DELAY, SHEAR, VISCOUS_BULK, VISCOUS_SHEAR
from grouser.kernels._jit import kernel


@kernel(inline=True)
def _put_forces(shape, row_work, p, stress):
    """(4): forces instead of gradients, with the stresses that (8) needs."""
    xx, yy, zz, xy, yz, zx = stress
    xy, zx = shape[SHEARS] * xy, shape[SHEARS + 1] * zx
    for c in range(3):
        i = LANES * (GRADIENT + c) + p
        x, y, z = row_work[i], row_work[i + 3 * LANES], row_work[i + 6 * LANES]
        row_work[i] = xx * x + xy * y + zx * z
        row_work[i + 3 * LANES] = xy * x + yy * y + yz * z
        row_work[i + 6 * LANES] = zx * x + yz * y + zz * z
    i = LANES * STRESS + p
    row_work[i], row_work[i + LANES], row_work[i + 2 * LANES] = yy, zz, yz


@kernel(inline=True)
def _calc_points(material, shape, first, row_work):
    """Forces on the gradients of all points without damping, and energies."""
    for p in range(first, LANES):
        stress, energy = calc_elastic(material, shape, row_work, p)
        _put_forces(shape, row_work, p, stress)
        row_work[LANES * ENERGY + p], row_work[LANES * POWER + p] = energy, 0.0


@kernel(inline=True)
def _calc_damped_points(material, shape, first, row_work):
    """The same with damping."""
    for p in range(first, LANES):
        s, energy = calc_elastic(material, shape, row_work, p)
        t, power = calc_viscous(material, shape, row_work, p)
        stress = s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3], s[4] + t[4], s[5] + t[5]
        _put_forces(shape, row_work, p, stress)
        row_work[LANES * ENERGY + p], row_work[LANES * POWER + p] = energy, power


@kernel(inline=True)
def dot_at(row_work, i, j):
    """Product of two vectors that lie at i and j."""
    return row_work[i] * row_work[j] + row_work[i + 1] * row_work[j + 1] + row_work[i + 2] * row_work[j + 2]


@kernel(inline=True)
def calc_bends(material, shape, station, row_work):
    """Moments of (6), with damping, their energy and power, each times the weight and the factor 1/s^2 or 1/s; in
    a'.b', a'.c' and (b'.c - c'.b)/2."""
    i, j = VECTORS + 15 * station, VECTOR_RATES + 15 * station
    k = BEND_STIFFNESS + 3 * station
    n = BEND_REFERENCE + 3 * station
    bend_y = dot_at(row_work, i, i + 9) - shape[n]
    bend_z = dot_at(row_work, i, i + 12) - shape[n + 1]
    twist = 0.5 * (dot_at(row_work, i + 9, i + 6) - dot_at(row_work, i + 12, i + 3)) - shape[n + 2]
    rate_y = dot_at(row_work, i, j + 9) + dot_at(row_work, j, i + 9)
    rate_z = dot_at(row_work, i, j + 12) + dot_at(row_work, j, i + 12)
    rate = dot_at(row_work, i + 9, j + 6) + dot_at(row_work, j + 9, i + 6)
    rate = 0.5 * (rate - dot_at(row_work, i + 12, j + 3) - dot_at(row_work, j + 12, i + 3))
    delay, turning = material[DELAY], material[VISCOUS_SHEAR] / material[SHEAR]
    v_y, v_z, v = delay * shape[k] * rate_y, delay * shape[k + 1] * rate_z, turning * shape[k + 2] * rate
    e_y, e_z, e = shape[k] * bend_y, shape[k + 1] * bend_z, shape[k + 2] * twist
    energy = 0.5 * (e_y * bend_y + e_z * bend_z + e * twist)
    return e_y + v_y, e_z + v_z, e + v, energy, v_y * rate_y + v_z * rate_z + v * rate


@kernel(inline=True)
def _sum_station(shape, station, points, row_work):
    """Forces on the five vectors of a station from those on the gradients."""
    y, z, i = shape[ACROSS], shape[ACROSS + 1], VECTORS + 15 * station
    t0, t1, t2 = read_three(row_work, STRESS, AXIS + station)
    u = shape[SHARES + station]
    for c in range(3):
        k = LANES * (GRADIENT + c) + AXIS + station
        along, over, side = row_work[k], row_work[k + 3 * LANES], row_work[k + 6 * LANES]
        b, e = row_work[i + 9 + c], row_work[i + 12 + c]
        tilt, swing = u * (t0 * b + t2 * e), u * (t2 * b + t1 * e)
        if points != 0:
            k = LANES * (GRADIENT + c) + SECTION_POINTS * station
            f0, f1, f2, f3 = row_work[k], row_work[k + 1], row_work[k + 2], row_work[k + 3]
            along += f0 + f1 + f2 + f3
            tilt += y * (f1 + f2 - f0 - f3)
            swing += z * (f2 + f3 - f0 - f1)
            for p in range(SECTION_POINTS):
                over += row_work[k + 3 * LANES + p]
                side += row_work[k + 6 * LANES + p]
        row_work[FORCES + c], row_work[FORCES + 3 + c], row_work[FORCES + 6 + c] = along, over, side
        row_work[FORCES + 9 + c], row_work[FORCES + 12 + c] = tilt, swing


@kernel(inline=True)
def _add_bends(station, moments, row_work):
    """Forces of (6) on the five vectors of a station."""
    i, (y, z, twist, _, _) = VECTORS + 15 * station, moments
    for c in range(3):
        a, b, e = row_work[i + c], row_work[i + 3 + c], row_work[i + 6 + c]
        b_rate, e_rate = row_work[i + 9 + c], row_work[i + 12 + c]
        row_work[FORCES + c] += y * b_rate + z * e_rate
        row_work[FORCES + 3 + c] -= 0.5 * twist * e_rate
        row_work[FORCES + 6 + c] += 0.5 * twist * b_rate
        row_work[FORCES + 9 + c] += y * a + 0.5 * twist * e
        row_work[FORCES + 12 + c] += z * a - 0.5 * twist * b


@kernel(inline=True)
def _add_station(shapes, row_work):
    """Forces on the eight coordinates from those on the five vectors of a station."""
    s1, s2, s5, s6, t1, t2, inverse = shapes
    for c in range(3):
        a, b, e = row_work[FORCES + c], row_work[FORCES + 3 + c], row_work[FORCES + 6 + c]
        tilt, swing = inverse * row_work[FORCES + 9 + c], inverse * row_work[FORCES + 12 + c]
        k = PLACE_FORCES + c
        row_work[k] -= s1 * a
        row_work[k + 3] -= s2 * a
        row_work[k + 6] -= t1 * b - tilt
        row_work[k + 9] -= t1 * e - swing
        row_work[k + 12] -= s5 * a
        row_work[k + 15] -= s6 * a
        row_work[k + 18] -= t2 * b + tilt
        row_work[k + 21] -= t2 * e + swing


@kernel(inline=True)
def _add_to_rows(table, i, row_work, f_out):
    """Forces on the coordinates of element i to the rows that they are made of."""
    if table.turn[i] >= 0:
        for end in range(2):
            A, o = table.turns[table.turn[i], end], PLACE_FORCES + 12 * end + 3
            for c in range(3):
                u, v, w = row_work[o + c], row_work[o + 3 + c], row_work[o + 6 + c]
                for m in range(3):
                    row_work[o + 3 * m + c] = A[m, 0] * u + A[m, 1] * v + A[m, 2] * w
    for k in range(8):
        row = table.row[i, k]
        for c in range(3):
            f_out[row, c] += row_work[PLACE_FORCES + 3 * k + c]


@kernel
def add_ancf_beam_forces(table, x, v, f_out, sums_out, row_work):
    """Add the forces of all beams, their stored energy [J] to sums_out[0] and their dissipated power [W] to
    sums_out[1].

    Parameters
    ----------
    table : `AncfBeamTable`
    x, v : (rows, 3) places [m] and gradients, and their rates
    f_out : (rows, 3) forces [N], and those on gradients [N m]; added to
    sums_out : (2,)
    row_work : (WORK_SIZE,)

    Returns
    -------
    -1, or the index of a beam that is inside out at a station of its axis: nothing was added for it and those after it
    """
    energy, power = 0.0, 0.0
    for i in range(table.row.shape[0]):
        material, shape = table.material[table.kind[i]], table.shape[i]
        start = place_points(table, i, x, v, row_work)
        if is_inside_out(row_work):
            return i
        if material[VISCOUS_BULK] != 0.0 or material[VISCOUS_SHEAR] != 0.0:
            _calc_damped_points(material, shape, start, row_work)
        else:
            _calc_points(material, shape, start, row_work)
        for p in range(start, LANES):
            energy += row_work[LANES * ENERGY + p]
            power += row_work[LANES * POWER + p]
        for k in range(PLACE_FORCES, PLACE_FORCES + 24):
            row_work[k] = 0.0
        for station in range(STATIONS):
            _sum_station(shape, station, start == 0, row_work)
            if start != 0:
                moments = calc_bends(material, shape, station, row_work)
                _add_bends(station, moments, row_work)
                energy += moments[3]
                power += moments[4]
            _add_station(calc_shapes(STATION_PLACES[station], shape[LENGTH]), row_work)
        _add_to_rows(table, i, row_work, f_out)
    sums_out[0] += energy
    sums_out[1] += power
    return -1


@kernel(entry=True)
def calc_ancf_beam_forces(table, x, v, f_out, sums_out, row_work):
    """Forces of all beams by themselves: `add_ancf_beam_forces` into zeros."""
    for i in range(f_out.shape[0]):
        f_out[i, 0], f_out[i, 1], f_out[i, 2] = 0.0, 0.0, 0.0
    sums_out[0], sums_out[1] = 0.0, 0.0
    return add_ancf_beam_forces(table, x, v, f_out, sums_out, row_work)
