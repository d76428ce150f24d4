"""Exact tangents of beams. Equations (1) to (8) are those of `grouser.families.ancf_beam.kernel`.

All strains are functions of the five vectors of a station, so all slopes are gathered there, 15 x 15, and taken to the
24 coordinates at once, by the factors of (1). With the gradients B of the strains e (six at a point, three bends), and
their rates dB (vectors replaced by their rates),

    -df/dx = sum w (B (D B + D_v dB) + T:d^2 e)     -df/dv = sum w B D_v B                                (9)

with the moduli D = dT/de, D_v of (5), and the stress T with its viscous part. Second derivatives are numbers for each
pair of vectors times the unit matrix, as all strains are sums of scalar products.
"""

from __future__ import annotations

from grouser.families.ancf_beam.kernel import calc_bends
from grouser.families.ancf_beam.layout import (
    ACROSS,
    AXIS,
    BEND_STIFFNESS,
    GRADIENT,
    LANES,
    LENGTH,
    RATE,
    SECTION_POINTS,
    SHAPE_WEIGHT,
    SHARES,
    SHEARS,
    SIDES,
    STATION_PLACES,
    STATIONS,
    VECTOR_RATES,
    VECTORS,
    VOLUME,
    VOLUME_WEIGHT,
    WORK_SIZE,
)
from grouser.families.ancf_beam.points import (
    calc_elastic,
    calc_metric,
    calc_shapes,
    calc_viscous,
    contract,
    is_inside_out,
    place_points,
    raise_both,
    read_inverse,
    read_three,
    weigh,
)
from grouser.families.brick.law import calc_invariants, calc_law, calc_law_slopes
from grouser.families.brick.layout import DELAY, SHEAR, VISCOUS_BULK, VISCOUS_SHEAR
from grouser.kernels._jit import kernel

# offsets of the scratch: gradients of six strains by five vectors, their rates, moduli times them, viscous moduli times
# gradients; moduli, viscous moduli; stiffness and damping of a station; factors of 8 coordinates in the five vectors;
# a product
_B, _B_RATE, _STIFF, _VISCOUS = WORK_SIZE, WORK_SIZE + 90, WORK_SIZE + 180, WORK_SIZE + 270
_MODULI, _VISCOUS_MODULI = WORK_SIZE + 360, WORK_SIZE + 396
_STIFFNESS, _DAMPING = WORK_SIZE + 432, WORK_SIZE + 657
_FACTORS, _PRODUCT = WORK_SIZE + 882, WORK_SIZE + 922
TANGENT_WORK_SIZE = _PRODUCT + 360
"""Length of the scratch for tangents."""


@kernel
def _calc_moduli(material, shape, p, row_work):
    """w D and w D_v, 6 x 6 on (xx yy zz 2xy 2yz 2zx)."""
    metric, q = calc_metric(shape, row_work, p), read_inverse(shape, p)
    _, _, square, cofactor = calc_invariants(*metric)
    k = raise_both(q, metric)
    I1 = contract(q, metric)
    I2, J = 0.5 * (I1 * I1 - contract(k, metric)), row_work[LANES * VOLUME + p]
    weighed = weigh(material, shape, p)
    _, a1, a2, _ = calc_law(weighed, I1, I2, J)
    h00, h01, h02, h10, h11, h12, h20, h21, h22 = calc_law_slopes(weighed, I1, I2, J)
    c0, c1, c2, c3, c4, c5 = cofactor
    f = (c0 / square, c1 / square, c2 / square, c3 / square, c4 / square, c5 / square)
    g = shape[LANES * SHAPE_WEIGHT + p] * material[VISCOUS_SHEAR]
    bulk = shape[LANES * VOLUME_WEIGHT + p] * material[VISCOUS_BULK]
    first, second = (0, 1, 2, 0, 1, 2), (0, 1, 2, 1, 2, 0)
    place = ((0, 3, 5), (3, 1, 4), (5, 4, 2))
    for i in range(6):
        for j in range(6):
            a, b, c, d = first[i], second[i], first[j], second[j]
            value = q[i] * (h00 * q[j] + h01 * k[j] + h02 * f[j])
            value += k[i] * (h10 * q[j] + h11 * k[j] + h12 * f[j])
            value += f[i] * (h20 * q[j] + h21 * k[j] + h22 * f[j])
            # slopes of G^-1 g G^-1 and of g^-1; a shear strain stands twice in dg
            raised = q[place[a][c]] * q[place[b][d]] + q[place[a][d]] * q[place[b][c]]
            value += a1 * raised
            value -= a2 * (f[place[a][c]] * f[place[b][d]] + f[place[a][d]] * f[place[b][c]])
            row_work[_MODULI + 6 * i + j] = value
            row_work[_VISCOUS_MODULI + 6 * i + j] = (bulk - 2.0 / 3.0 * g) * q[i] * q[j] + g * raised


@kernel
def _calc_gradients(shape, lane, weights, share, vectors, rows, start, row_work):
    """Gradients of the six strains of a point by the five vectors from `start` on, or their rates."""
    tilt, swing = weights
    along = (1.0, 0.0, 0.0, tilt, swing)
    x, y = read_three(row_work, rows, lane), read_three(row_work, rows + 3, lane)
    z = read_three(row_work, rows + 6, lane)
    shear_y, shear_z = shape[SHEARS], shape[SHEARS + 1]
    for i in range(90):
        row_work[start + i] = 0.0
    for c in range(3):
        i = start + c
        b_rate, e_rate = share * row_work[vectors + 9 + c], share * row_work[vectors + 12 + c]
        for k in range(5):
            row_work[i + 3 * k] = along[k] * x[c]
            row_work[i + 45 + 3 * k] = shear_y * along[k] * y[c]
            row_work[i + 75 + 3 * k] = shear_z * along[k] * z[c]
        row_work[i + 45 + 3] += shear_y * x[c]
        row_work[i + 75 + 6] += shear_z * x[c]
        row_work[i + 15 + 3], row_work[i + 30 + 6] = y[c], z[c]
        row_work[i + 60 + 3], row_work[i + 60 + 6] = z[c], y[c]
        row_work[i + 15 + 9], row_work[i + 30 + 12] = b_rate, e_rate
        row_work[i + 60 + 9], row_work[i + 60 + 12] = e_rate, b_rate


@kernel(inline=True)
def _add_pair(i, j, value, row_work):
    """Add a second derivative of a product of the vectors i and j, to both places (twice to one of i = j)."""
    for c in range(3):
        row_work[_STIFFNESS + 15 * (3 * i + c) + 3 * j + c] += value
        row_work[_STIFFNESS + 15 * (3 * j + c) + 3 * i + c] += value


@kernel
def _add_geometric(shape, weights, share, stress, row_work):
    """The term with T of (9)."""
    xx, yy, zz, xy, yz, zx = stress
    xy, zx = shape[SHEARS] * xy, shape[SHEARS + 1] * zx
    tilt, swing = weights
    along, index = (1.0, tilt, swing), (0, 3, 4)
    for i in range(3):
        for j in range(3):
            _add_pair(index[i], index[j], 0.5 * xx * along[i] * along[j], row_work)
        _add_pair(index[i], 1, xy * along[i], row_work)
        _add_pair(index[i], 2, zx * along[i], row_work)
    _add_pair(1, 1, 0.5 * yy, row_work)
    _add_pair(2, 2, 0.5 * zz, row_work)
    _add_pair(1, 2, yz, row_work)
    _add_pair(3, 3, 0.5 * share * yy, row_work)
    _add_pair(4, 4, 0.5 * share * zz, row_work)
    _add_pair(3, 4, share * yz, row_work)


@kernel
def _add_point(material, shape, station, side, row_work):
    """What a point adds to the matrices of its station."""
    is_axis = side == SECTION_POINTS
    p = AXIS + station if is_axis else SECTION_POINTS * station + side
    weights = (0.0, 0.0) if is_axis else (shape[ACROSS] * SIDES[side][0], shape[ACROSS + 1] * SIDES[side][1])
    share = shape[SHARES + station] if is_axis else 0.0
    i = 15 * station
    _calc_moduli(material, shape, p, row_work)
    _calc_gradients(shape, p, weights, share, VECTORS + i, GRADIENT, _B, row_work)
    _calc_gradients(shape, p, weights, share, VECTOR_RATES + i, RATE, _B_RATE, row_work)
    for a in range(6):
        for c in range(15):
            stiff, viscous = 0.0, 0.0
            for b in range(6):
                g, v = row_work[_B + 15 * b + c], row_work[_VISCOUS_MODULI + 6 * a + b]
                stiff += row_work[_MODULI + 6 * a + b] * g + v * row_work[_B_RATE + 15 * b + c]
                viscous += v * g
            row_work[_STIFF + 15 * a + c], row_work[_VISCOUS + 15 * a + c] = stiff, viscous
    for r in range(15):
        i = _B + r
        g = (row_work[i], row_work[i + 15], row_work[i + 30], row_work[i + 45], row_work[i + 60], row_work[i + 75])
        for c in range(15):
            stiff, viscous = 0.0, 0.0
            for a in range(6):
                stiff += g[a] * row_work[_STIFF + 15 * a + c]
                viscous += g[a] * row_work[_VISCOUS + 15 * a + c]
            row_work[_STIFFNESS + 15 * r + c] += stiff
            row_work[_DAMPING + 15 * r + c] += viscous
    s, _ = calc_elastic(material, shape, row_work, p)
    t, _ = calc_viscous(material, shape, row_work, p)
    stress = (s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3], s[4] + t[4], s[5] + t[5])
    _add_geometric(shape, weights, share, stress, row_work)


@kernel
def _calc_bend_gradients(vectors, start, row_work):
    """Gradients of the three bends (6) by the five vectors, or their rates."""
    for i in range(45):
        row_work[start + i] = 0.0
    for c in range(3):
        i = vectors + c
        a, b, e, b_rate, e_rate = row_work[i], row_work[i + 3], row_work[i + 6], row_work[i + 9], row_work[i + 12]
        i = start + c
        row_work[i], row_work[i + 9] = b_rate, a
        row_work[i + 15], row_work[i + 27] = e_rate, a
        row_work[i + 33], row_work[i + 36] = -0.5 * e_rate, 0.5 * b_rate
        row_work[i + 39], row_work[i + 42] = 0.5 * e, -0.5 * b


@kernel
def _add_bend_slopes(material, shape, station, row_work):
    """What bends add to the matrices of their station."""
    _calc_bend_gradients(VECTORS + 15 * station, _B, row_work)
    _calc_bend_gradients(VECTOR_RATES + 15 * station, _B_RATE, row_work)
    delays = material[DELAY], material[DELAY], material[VISCOUS_SHEAR] / material[SHEAR]
    for a in range(3):
        k = shape[BEND_STIFFNESS + 3 * station + a]
        for r in range(15):
            g = k * row_work[_B + 15 * a + r]
            for c in range(15):
                i = 15 * a + c
                row_work[_STIFFNESS + 15 * r + c] += g * (row_work[_B + i] + delays[a] * row_work[_B_RATE + i])
                row_work[_DAMPING + 15 * r + c] += g * delays[a] * row_work[_B + i]
    y, z, twist, _, _ = calc_bends(material, shape, station, row_work)
    _add_pair(0, 3, y, row_work)
    _add_pair(0, 4, z, row_work)
    _add_pair(2, 3, 0.5 * twist, row_work)
    _add_pair(1, 4, -0.5 * twist, row_work)


@kernel
def _place_factors(station, length, row_work):
    """Factors of the eight coordinates in the five vectors of a station."""
    s1, s2, s5, s6, t1, t2, inverse = calc_shapes(STATION_PLACES[station], length)
    for i in range(40):
        row_work[_FACTORS + i] = 0.0
    i = _FACTORS
    row_work[i], row_work[i + 1], row_work[i + 4], row_work[i + 5] = s1, s2, s5, s6
    for k in range(2):
        row_work[i + 8 * (k + 1) + 2 + k], row_work[i + 8 * (k + 1) + 6 + k] = t1, t2
        row_work[i + 8 * (k + 3) + 2 + k], row_work[i + 8 * (k + 3) + 6 + k] = -inverse, inverse


@kernel
def _add_station(start, row_work, matrix_out):
    """Add the matrix of a station, on the five vectors, to that of the element, on 24 coordinates."""
    for r in range(15):
        for n in range(8):
            for c in range(3):
                total = 0.0
                for k in range(5):
                    total += row_work[start + 15 * r + 3 * k + c] * row_work[_FACTORS + 8 * k + n]
                row_work[_PRODUCT + 24 * r + 3 * n + c] = total
    for m in range(8):
        for k in range(5):
            factor = row_work[_FACTORS + 8 * k + m]
            if factor != 0.0:
                for r in range(3):
                    for c in range(24):
                        matrix_out[3 * m + r, c] += factor * row_work[_PRODUCT + 24 * (3 * k + r) + c]


@kernel
def _turn_matrix(turns, matrix_out):
    """A matrix by the coordinates of an element as one by the rows that they are made of."""
    for end in range(2):
        A, o = turns[end], 12 * end + 3
        for r in range(24):
            for c in range(3):
                u, v, w = matrix_out[r, o + c], matrix_out[r, o + 3 + c], matrix_out[r, o + 6 + c]
                for m in range(3):
                    matrix_out[r, o + 3 * m + c] = A[m, 0] * u + A[m, 1] * v + A[m, 2] * w
        for r in range(24):
            for c in range(3):
                u, v, w = matrix_out[o + c, r], matrix_out[o + 3 + c, r], matrix_out[o + 6 + c, r]
                for m in range(3):
                    matrix_out[o + 3 * m + c, r] = A[m, 0] * u + A[m, 1] * v + A[m, 2] * w


@kernel
def calc_ancf_beam_tangent(table, i, x, v, stiffness_out, damping_out, row_work):
    """Exact tangents -df/dx and -df/dv of beam i, by x, y, z of its eight rows: r, r_x, r_y, r_z of the first node,
    then of the second.

    Parameters
    ----------
    table : `AncfBeamTable`
    x, v : (rows, 3) places and gradients by row, and their rates
    stiffness_out, damping_out : (24, 24)
    row_work : (TANGENT_WORK_SIZE,)

    Returns
    -------
    -1, or i where the beam is inside out
    """
    material, shape = table.material[table.kind[i]], table.shape[i]
    start = place_points(table, i, x, v, row_work)
    if is_inside_out(row_work):
        return i
    for a in range(24):
        for b in range(24):
            stiffness_out[a, b], damping_out[a, b] = 0.0, 0.0
    for station in range(STATIONS):
        for k in range(450):
            row_work[_STIFFNESS + k] = 0.0
        for side in range(SECTION_POINTS if start != 0 else 0, SECTION_POINTS + 1):
            if side < SECTION_POINTS or shape[LANES * VOLUME_WEIGHT + AXIS + station] != 0.0:
                _add_point(material, shape, station, side, row_work)
        if start != 0:
            _add_bend_slopes(material, shape, station, row_work)
        _place_factors(station, shape[LENGTH], row_work)
        _add_station(_STIFFNESS, row_work, stiffness_out)
        _add_station(_DAMPING, row_work, damping_out)
    if table.turn[i] >= 0:
        _turn_matrix(table.turns[table.turn[i]], stiffness_out)
        _turn_matrix(table.turns[table.turn[i]], damping_out)
    return -1


@kernel(entry=True)
def calc_ancf_beam_tangents(table, first, x, v, stiffness_out, damping_out, row_work):
    """Tangents (count, 24, 24) of the beams from `first` on, as many as there is place for. Returns -1, or the first
    beam that is inside out."""
    for i in range(stiffness_out.shape[0]):
        if calc_ancf_beam_tangent(table, first + i, x, v, stiffness_out[i], damping_out[i], row_work) >= 0:
            return first + i
    return -1
