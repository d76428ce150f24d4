"""Cable of two nodes, without gradients across: it stretches and bends, and has neither shear nor torsion.

A node is two rows: its place r and the gradient r_x by the coordinate x along the element. With xi = x/l the axis is

    r = (1 - 3 xi^2 + 2 xi^3) r_1 + l (xi - 2 xi^2 + xi^3) r_x1 + (3 xi^2 - 2 xi^3) r_2 + l (xi^3 - xi^2) r_x2    (1)

Its strains follow from three products of r' and r'', with s = |r'| of the reference:

    p = r'.r'   q = r'.r''   m = r''.r''                                                                  (2)
    stretch eps = sqrt(p)/s - 1        curvature kappa^2 = (p m - q^2)/(s^2 p^2)                          (3)

kappa is the change of angle per length of the reference, |r' x r''|/|r'|^2: the measure that does not mix stretching
with bending (Gerstmayr and Irschik 2008). Per length of the reference, the stored energy is

    W = E A eps^2/2 + E I (k - k_0)^2/2,   k = sqrt(kappa^2 + b^2)                                        (4)

with k_0 of the reference. An element that is straight in the reference has W = E I kappa^2/2 instead, without root. A
curved one has b = `BLUNT` kappa_0: it has no torsion that would keep its curvature in a plane, so that its energy would
have a tip where it is straight. Damping follows the rates of the same two strains, with a delay T each,

    axial force E A (eps + T deps/dt)     moment E I (k - k_0 + T dk/dt)                                  (5)

DIFFERS: where a straight element has kappa < b = `FLAT`/l, its rate of k fades with kappa/b. The direction of the
curvature turns with the element there, and is not known without a frame across.

Strains are functions of (2), so that forces and slopes are those of products of vectors: with W of (4) and w the
weight,

    force on r': -w (2 W_p r' + W_q r''),   on r'': -w (W_q r' + 2 W_m r'')                               (6)

Three points of Gauss see all three ways in which r' changes. More of them would make a bent element too stiff: r' of
(1) cannot keep its length along an arc.
"""

from __future__ import annotations

from math import sqrt

from grouser.families.ancf_cable.layout import (
    AXIAL,
    AXIAL_DELAY,
    BENDING,
    BENDING_DELAY,
    CURVATURE,
    LENGTH,
    PLACES,
    STATIONS,
    STRETCH,
    WEIGHTS,
)
from grouser.kernels._jit import kernel

BLUNT = 0.01
"""Curvature that rounds off the tip of the energy, over that of the reference."""
FLAT = 1e-3
"""Angle between the ends of an element that was straight below which its bending is not damped [rad]."""


@kernel(inline=True)
def calc_shapes(xi, length):
    """Factors of the four rows in r', then in r''."""
    k = 1.0 / length
    f, h = 6.0 * xi * (1.0 - xi) * k, (6.0 - 12.0 * xi) * k * k
    first = (-f, 1.0 + xi * (3.0 * xi - 4.0), f, xi * (3.0 * xi - 2.0))
    return first, (-h, (6.0 * xi - 4.0) * k, h, (6.0 * xi - 2.0) * k)


@kernel(inline=True)
def calc_vector(row, shapes, x):
    """A vector of (1): r' or r''."""
    s0, s1, s2, s3 = shapes
    a, b, c, d = row[0], row[1], row[2], row[3]
    return (
        s0 * x[a, 0] + s1 * x[b, 0] + s2 * x[c, 0] + s3 * x[d, 0],
        s0 * x[a, 1] + s1 * x[b, 1] + s2 * x[c, 1] + s3 * x[d, 1],
        s0 * x[a, 2] + s1 * x[b, 2] + s2 * x[c, 2] + s3 * x[d, 2],
    )


@kernel(inline=True)
def dot(a, b):
    """a.b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True)
def calc_strains(shape, station, p, q, m):
    """sqrt(p), kappa^2, k of (4), and k of the reference. Where that is straight, the last is zero and k that of
    damping."""
    s, start = shape[STRETCH + station], shape[CURVATURE + station]
    square = max(p * m - q * q, 0.0) / (s * s * p * p)
    blunt = BLUNT * start if start > 0.0 else FLAT / (s * shape[LENGTH])
    k = sqrt(square + blunt * blunt)
    rest = sqrt(start * start + blunt * blunt) if start > 0.0 else 0.0
    return sqrt(p), square, k, rest


@kernel(inline=True)
def calc_square_slopes(s, p, q, m):
    """Slopes of kappa^2 by p, q, m."""
    k = 1.0 / (s * s * p * p)
    return k * (2.0 * q * q / p - m), -2.0 * q * k, p * k


@kernel
def add_ancf_cable_forces(table, x, v, f_out, sums_out, section_out):
    """Add the forces of all cables, their stored energy [J] to sums_out[0] and their dissipated power [W] to
    sums_out[1].

    Parameters
    ----------
    table : `AncfCableTable`
    x, v : (rows, 3) places [m] and gradients, two rows a node, and their rates
    f_out : (rows, 3) forces [N], and those on gradients [N m]; added to
    sums_out : (2,)
    section_out : (n, 4) stretch [-], curvature [1/m], axial force [N] and moment [N m] with damping, at the middle

    Returns
    -------
    -1, or the index of a cable whose axis has no direction: nothing was added for it and those after it
    """
    energy, power = 0.0, 0.0
    for i in range(table.row.shape[0]):
        row, shape = table.row[i], table.shape[i]
        for station in range(STATIONS):
            first, second = calc_shapes(PLACES[station], shape[LENGTH])
            d, e = calc_vector(row, first, x), calc_vector(row, second, x)
            p, q, m = dot(d, d), dot(d, e), dot(e, e)
            if not p > 0.0:
                return i
            s = shape[STRETCH + station]
            root, square, k, rest = calc_strains(shape, station, p, q, m)
            c0, c1, c2 = calc_square_slopes(s, p, q, m)
            eps = root / s - 1.0
            bend = k - rest if rest > 0.0 else sqrt(square)
            u, w = calc_vector(row, first, v), calc_vector(row, second, v)
            dp, dq, dm = 2.0 * dot(d, u), dot(d, w) + dot(e, u), 2.0 * dot(e, w)
            eps_rate = 0.5 * dp / (s * root)
            k_rate = 0.5 * (c0 * dp + c1 * dq + c2 * dm) / k
            pull, moment = shape[AXIAL] * eps, shape[BENDING] * bend
            viscous_pull = shape[AXIAL] * shape[AXIAL_DELAY] * eps_rate
            viscous_moment = shape[BENDING] * shape[BENDING_DELAY] * k_rate
            weight = WEIGHTS[station] * shape[LENGTH] * s
            energy += 0.5 * weight * (pull * eps + moment * bend)
            power += weight * (viscous_pull * eps_rate + viscous_moment * k_rate)
            if station == STATIONS // 2:
                section_out[i, 0], section_out[i, 1] = eps, sqrt(square)
                section_out[i, 2], section_out[i, 3] = pull + viscous_pull, moment + viscous_moment
            along = weight * (pull + viscous_pull) / (s * root)
            turn = 0.5 * weight * (shape[BENDING] * (1.0 - rest / k) + viscous_moment / k)
            x0, x1, x2 = along + 2.0 * turn * c0, turn * c1, 2.0 * turn * c2  # (6)
            for c in range(3):
                on_first, on_second = x0 * d[c] + x1 * e[c], x1 * d[c] + x2 * e[c]
                for k in range(4):
                    f_out[row[k], c] -= first[k] * on_first + second[k] * on_second
    sums_out[0] += energy
    sums_out[1] += power
    return -1


@kernel(entry=True)
def calc_ancf_cable_forces(table, x, v, f_out, sums_out, section_out):
    """Forces of all cables by themselves: `add_ancf_cable_forces` into zeros."""
    for i in range(f_out.shape[0]):
        f_out[i, 0], f_out[i, 1], f_out[i, 2] = 0.0, 0.0, 0.0
    sums_out[0], sums_out[1] = 0.0, 0.0
    return add_ancf_cable_forces(table, x, v, f_out, sums_out, section_out)
