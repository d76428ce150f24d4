"""Exact tangents of beams: columns of `grouser.families.ancf_beam.columns`, summed up.

Points of a station, and its bends, are added up in a matrix 15 x 15 on the five vectors w of (12). r_y and r_z are
coordinates of the element, and a' is made of four, by the factors of (1), those of r_1 and r_2 being opposite.
"""

from __future__ import annotations

from grouser.families.ancf_beam.columns import (
    COLUMNS,
    COLUMNS_END,
    SIZE,
    add_bend_geometric,
    add_bends,
    calc_damping,
    calc_stiffness,
    place_bends,
    place_lanes,
)
from grouser.families.ancf_beam.layout import AXIS, LANES, LENGTH, SECTION_POINTS, SHAPE_SIZE, STATION_PLACES, STATIONS
from grouser.families.ancf_beam.moduli import calc_moduli, calc_viscous_moduli
from grouser.families.ancf_beam.points import calc_shapes, is_inside_out, place_points
from grouser.families.brick.layout import DELAY, SHEAR, VISCOUS_BULK, VISCOUS_SHEAR
from grouser.kernels._jit import kernel

# offsets of the scratch: matrices of the stations
_STIFFNESS = COLUMNS_END
_DAMPING = _STIFFNESS + STATIONS * SIZE * SIZE
TANGENT_WORK_SIZE = _DAMPING + STATIONS * SIZE * SIZE
"""Length of the scratch for tangents."""
_PLACES_OF = (0, 3, 15)
"""First components of r_1, r_x1 and r_x2 among the coordinates."""


@kernel
def _collect(first, start, row_work):
    """The matrices of the stations, of what their points have."""
    for k in range(SIZE * SIZE):
        i = COLUMNS + LANES * k
        for station in range(STATIONS):
            total = row_work[i + AXIS + station]
            if first == 0:
                p = i + SECTION_POINTS * station
                total += row_work[p] + row_work[p + 1] + row_work[p + 2] + row_work[p + 3]
            row_work[start + SIZE * SIZE * station + k] = total


@kernel(inline=True)
def _sum_stations(factors, i, row_work):
    """A number of the matrices of all stations, times factors."""
    k = SIZE * SIZE
    return factors[0] * row_work[i] + factors[1] * row_work[i + k] + factors[2] * row_work[i + 2 * k]


@kernel
def _spread(start, factors, row_work, matrix_out):
    """The matrix of an element of those of its stations, which begin at `start`: r_y, r_z as they are, a' by the
    coordinates that it is made of, r_1, r_x1 and r_x2, and r_2 with the factor of -r_1."""
    ones = (1.0, 1.0, 1.0)
    for r in range(12):
        to, of = (6 if r < 6 else 12) + r, start + SIZE * (3 + r)
        for c in range(6):
            matrix_out[to, 6 + c] = _sum_stations(ones, of + 3 + c, row_work)
            matrix_out[to, 18 + c] = _sum_stations(ones, of + 9 + c, row_work)
        for n in range(3):
            for c in range(3):
                value = _sum_stations(factors[n], of + c, row_work)
                matrix_out[to, _PLACES_OF[n] + c] = value
                if n == 0:
                    matrix_out[to, 12 + c] = -value
    for m in range(3):
        f = factors[m]
        for r in range(3):
            to, of = _PLACES_OF[m] + r, start + SIZE * r
            for c in range(6):
                matrix_out[to, 6 + c] = _sum_stations(f, of + 3 + c, row_work)
                matrix_out[to, 18 + c] = _sum_stations(f, of + 9 + c, row_work)
            for n in range(3):
                g = factors[n]
                both = f[0] * g[0], f[1] * g[1], f[2] * g[2]
                for c in range(3):
                    value = _sum_stations(both, of + c, row_work)
                    matrix_out[to, _PLACES_OF[n] + c] = value
                    if n == 0:
                        matrix_out[to, 12 + c] = -value
    for r in range(3):
        for c in range(24):
            matrix_out[12 + r, c] = -matrix_out[r, c]


@kernel(inline=True)
def _calc_factors(length):
    """Factors of r_1, r_x1 and r_x2 in a' at all stations."""
    first, second, third = (
        calc_shapes(STATION_PLACES[0], length),
        calc_shapes(STATION_PLACES[1], length),
        calc_shapes(STATION_PLACES[2], length),
    )
    return (
        (first[0], second[0], third[0]),
        (first[1], second[1], third[1]),
        (first[3], second[3], third[3]),
    )


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
    is_damped = material[VISCOUS_BULK] != 0.0 or material[VISCOUS_SHEAR] != 0.0
    place_lanes(shape, start, row_work)
    for k in range(SHAPE_SIZE):
        row_work[k] = shape[k]
    delay, turning = material[DELAY], material[VISCOUS_SHEAR] / material[SHEAR]
    calc_moduli(material, start, row_work)
    if start != 0:
        place_bends(material, shape, row_work)
    if is_damped:
        calc_viscous_moduli(material, start, row_work)
        calc_damping(start, row_work)
        if start != 0:
            add_bends((delay, 0.0, turning, 0.0), row_work)
        _collect(start, _DAMPING, row_work)
    calc_stiffness(start, is_damped, row_work)
    if start != 0:
        add_bends((1.0, delay, 1.0, turning), row_work)
        add_bend_geometric(row_work)
    _collect(start, _STIFFNESS, row_work)
    factors = _calc_factors(shape[LENGTH])
    _spread(_STIFFNESS, factors, row_work, stiffness_out)
    if table.turn[i] >= 0:
        _turn_matrix(table.turns[table.turn[i]], stiffness_out)
    if not is_damped:
        for r in range(24):
            for c in range(24):
                damping_out[r, c] = 0.0
        return -1
    _spread(_DAMPING, factors, row_work, damping_out)
    if table.turn[i] >= 0:
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
