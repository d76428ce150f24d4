"""Exact tangents of cables. Equations (1) to (6) are those of `grouser.families.ancf_cable.kernel`.

Each strain is a function of the products (2), z = (p, q, m), with gradients g and second derivatives H by them. With
the gradients Z of z by r' and r'' (six numbers each), the stress N with its viscous part, and rates d,

    -df/dx = sum w (D e e^T + D T e de^T + N (Z H Z + g d^2 z))     -df/dv = sum w D T e e^T              (7)

where e = Z g is the gradient of a strain by r' and r'', and de its rate, Z H dz + dZ g.
"""

from __future__ import annotations

from grouser.families.ancf_cable.kernel import calc_shapes, calc_square_slopes, calc_strains, calc_vector, dot
from grouser.families.ancf_cable.layout import (
    AXIAL,
    AXIAL_DELAY,
    BENDING,
    BENDING_DELAY,
    LENGTH,
    PLACES,
    STATIONS,
    STRETCH,
    WEIGHTS,
)
from grouser.kernels._jit import kernel

# offsets of the scratch: gradients of p, q, m by r' and r'', their rates; gradient of a strain and its rate; stiffness
# and damping by r' and r''
_Z, _Z_RATE, _E, _E_RATE, _STIFFNESS, _DAMPING, TANGENT_WORK_SIZE = 0, 18, 36, 42, 48, 84, 120


@kernel(inline=True)
def _place_products(d, e, start, row_work):
    """Gradients of p, q, m by r' and r''."""
    for c in range(3):
        i = start + c
        row_work[i], row_work[i + 3] = 2.0 * d[c], 0.0
        row_work[i + 6], row_work[i + 9] = e[c], d[c]
        row_work[i + 12], row_work[i + 15] = 0.0, 2.0 * e[c]


@kernel
def _add_strain(g, H, rate, stress, slope, delay, row_work):
    """Add (7) of one strain: gradient g and second derivatives H (pp pq pm qq qm mm) by p, q, m; rates of p, q, m;
    weighed stress N, the slope D by the strain times its weight, and D T."""
    g0, g1, g2 = g
    h00, h01, h02, h11, h12, h22 = H
    r0, r1, r2 = rate
    k0, k1, k2 = h00 * r0 + h01 * r1 + h02 * r2, h01 * r0 + h11 * r1 + h12 * r2, h02 * r0 + h12 * r1 + h22 * r2
    for i in range(6):
        z0, z1, z2 = row_work[_Z + i], row_work[_Z + 6 + i], row_work[_Z + 12 + i]
        d0, d1, d2 = row_work[_Z_RATE + i], row_work[_Z_RATE + 6 + i], row_work[_Z_RATE + 12 + i]
        row_work[_E + i] = g0 * z0 + g1 * z1 + g2 * z2
        row_work[_E_RATE + i] = k0 * z0 + k1 * z1 + k2 * z2 + g0 * d0 + g1 * d1 + g2 * d2
    for i in range(6):
        z0, z1, z2 = row_work[_Z + i], row_work[_Z + 6 + i], row_work[_Z + 12 + i]
        n0 = stress * (h00 * z0 + h01 * z1 + h02 * z2)
        n1 = stress * (h01 * z0 + h11 * z1 + h12 * z2)
        n2 = stress * (h02 * z0 + h12 * z1 + h22 * z2)
        for j in range(6):
            value = row_work[_E + i] * (slope * row_work[_E + j] + delay * row_work[_E_RATE + j])
            value += n0 * row_work[_Z + j] + n1 * row_work[_Z + 6 + j] + n2 * row_work[_Z + 12 + j]
            row_work[_STIFFNESS + 6 * i + j] += value
            row_work[_DAMPING + 6 * i + j] += delay * row_work[_E + i] * row_work[_E + j]
    for c in range(3):
        row_work[_STIFFNESS + 7 * c] += 2.0 * stress * g0
        row_work[_STIFFNESS + 6 * c + 3 + c] += stress * g1
        row_work[_STIFFNESS + 6 * (3 + c) + c] += stress * g1
        row_work[_STIFFNESS + 7 * (3 + c)] += 2.0 * stress * g2


@kernel
def _calc_square_curves(s, p, q, m):
    """Second derivatives of kappa^2 by p, q, m."""
    k = 1.0 / (s * s * p * p * p)
    return k * (2.0 * m - 6.0 * q * q / p), 4.0 * q * k, -p * k, -2.0 * p * k, 0.0, 0.0


@kernel
def _add_station(shape, station, d, e, u, w, row_work):
    """Matrices of a station by r' and r''."""
    p, q, m = dot(d, d), dot(d, e), dot(e, e)
    rate = (2.0 * dot(d, u), dot(d, w) + dot(e, u), 2.0 * dot(e, w))
    s = shape[STRETCH + station]
    root, _, k, rest = calc_strains(shape, station, p, q, m)
    weight = WEIGHTS[station] * shape[LENGTH] * s
    for i in range(72):
        row_work[_STIFFNESS + i] = 0.0
    _place_products(d, e, _Z, row_work)
    _place_products(u, w, _Z_RATE, row_work)
    slope = 0.5 / (s * root)
    stiff, delay = weight * shape[AXIAL], weight * shape[AXIAL] * shape[AXIAL_DELAY]
    stress = stiff * (root / s - 1.0) + delay * slope * rate[0]
    H = (-0.5 * slope / p, 0.0, 0.0, 0.0, 0.0, 0.0)
    _add_strain((slope, 0.0, 0.0), H, rate, stress, stiff, delay, row_work)
    c0, c1, c2 = calc_square_slopes(s, p, q, m)
    curves = _calc_square_curves(s, p, q, m)
    stiff, delay = weight * shape[BENDING], weight * shape[BENDING] * shape[BENDING_DELAY]
    if rest == 0.0:  # E I kappa^2/2 has no root: kappa^2 is the strain, with the stress E I/2
        _add_strain((c0, c1, c2), curves, rate, 0.5 * stiff, 0.0, 0.0, row_work)
        stiff = 0.0
    h, t = 0.5 / k, -0.25 / (k * k * k)
    H = (
        *(h * curves[0] + t * c0 * c0, h * curves[1] + t * c0 * c1, h * curves[2] + t * c0 * c2),
        *(h * curves[3] + t * c1 * c1, h * curves[4] + t * c1 * c2, h * curves[5] + t * c2 * c2),
    )
    stress = stiff * (k - rest) + delay * h * (c0 * rate[0] + c1 * rate[1] + c2 * rate[2])
    _add_strain((h * c0, h * c1, h * c2), H, rate, stress, stiff, delay, row_work)


@kernel
def calc_ancf_cable_tangent(table, i, x, v, stiffness_out, damping_out, row_work):
    """Exact tangents -df/dx and -df/dv of cable i, by x, y, z of r, r_x of the first node, then of the second.

    Parameters
    ----------
    table : `AncfCableTable`
    x, v : (rows, 3) places and gradients by row, and their rates
    stiffness_out, damping_out : (12, 12)
    row_work : (TANGENT_WORK_SIZE,)

    Returns
    -------
    -1, or i where the axis has no direction
    """
    row, shape = table.row[i], table.shape[i]
    for r in range(12):
        for c in range(12):
            stiffness_out[r, c], damping_out[r, c] = 0.0, 0.0
    for station in range(STATIONS):
        first, second = calc_shapes(PLACES[station], shape[LENGTH])
        d, e = calc_vector(row, first, x), calc_vector(row, second, x)
        if not dot(d, d) > 0.0:
            return i
        u, w = calc_vector(row, first, v), calc_vector(row, second, v)
        _add_station(shape, station, d, e, u, w, row_work)
        for m in range(4):
            for n in range(4):
                f, g, h, k = first[m] * first[n], first[m] * second[n], second[m] * first[n], second[m] * second[n]
                for r in range(3):
                    for c in range(3):
                        j = _STIFFNESS + 6 * r + c
                        value = f * row_work[j] + g * row_work[j + 3] + h * row_work[j + 18] + k * row_work[j + 21]
                        stiffness_out[3 * m + r, 3 * n + c] += value
                        j = _DAMPING + 6 * r + c
                        value = f * row_work[j] + g * row_work[j + 3] + h * row_work[j + 18] + k * row_work[j + 21]
                        damping_out[3 * m + r, 3 * n + c] += value
    return -1


@kernel(entry=True)
def calc_ancf_cable_tangents(table, first, x, v, stiffness_out, damping_out, row_work):
    """Tangents (count, 12, 12) of the cables from `first` on, as many as there is place for. Returns -1, or the first
    cable whose axis has no direction."""
    for i in range(stiffness_out.shape[0]):
        if calc_ancf_cable_tangent(table, first + i, x, v, stiffness_out[i], damping_out[i], row_work) >= 0:
            return first + i
    return -1
