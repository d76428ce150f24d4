"""Columns of tangents of beams, points side by side. Equations (1) to (11) are those of
`grouser.families.ancf_beam.kernel` and `moduli`.

The five vectors of a station follow from five others: a', and r_y, r_z of both nodes, since b and c are linear in them.
With t_2 = xi, t_1 = 1 - t_2, and the place (y, z) of a point, all its vectors change with w = (a' r_y1 r_z1 r_y2 r_z2),

    b = t_1 r_y1 + t_2 r_y2,   b' = (r_y2 - r_y1)/l,   r_x = a' + y b' + z c'                              (12)

A column of the tangent is what a unit change of one component of w does. It changes strains by de and their rates by
dd, these the stress, and the stress the forces on r_x, r_y, r_z by (4), and by (12) those on w:

    dT = D de + D_v dd     dP_a = sum dT_ab r_b + T_ab dr_b                                               (13)

and for damping dT = D_v de alone. In the same way terms of the section (8) have b' and c' as further r_y and r_z, and
the bends (6) are strains on the axis. The second part of (13) is the same number for all three components.
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
    PLACE_RATES,
    PLACES,
    RATE,
    SECTION_POINTS,
    SHARES,
    SIDES,
    STATION_PLACES,
    STATIONS,
    VECTOR_RATES,
    VECTORS,
)
from grouser.families.ancf_beam.moduli import (
    FOUR,
    FOURS,
    MODULI,
    MODULI_END,
    STRESSES,
    VISCOUS_MODULI,
    add_six,
    mix,
    put_six,
    read_six,
)
from grouser.kernels._jit import kernel

SIZE = 15
"""Components of the five vectors w."""
# rows of the scratch, LANES wide: t_1, t_2, y, z, share of (8), 1/l; b', c' and their rates; changes of stress by one
# component of w; forces on w by all of them
_PLACE = MODULI_END
_TURNS, _TURN_RATES, _CHANGES = _PLACE + 6 * LANES, _PLACE + 12 * LANES, _PLACE + 18 * LANES
COLUMNS = _CHANGES + 30 * LANES
# behind them: stiffness and moments of the bends of the stations
_BENDS = COLUMNS + SIZE * SIZE * LANES
COLUMNS_END = _BENDS + 6 * FOUR


@kernel
def place_lanes(shape, first, row_work):
    """Places of all points, with b' and c' on the axis; the last place has no weight."""
    inverse = 1.0 / shape[LENGTH]
    for p in range(first, LANES):
        station = min(p // SECTION_POINTS if p < AXIS else p - AXIS, STATIONS - 1)
        i, y, z, share = _PLACE + p, 0.0, 0.0, shape[SHARES + station]
        if p < AXIS:
            side = SIDES[p % SECTION_POINTS]
            y, z, share = shape[ACROSS] * side[0], shape[ACROSS + 1] * side[1], 0.0
        row_work[i], row_work[i + LANES] = 1.0 - STATION_PLACES[station], STATION_PLACES[station]
        row_work[i + 2 * LANES], row_work[i + 3 * LANES], row_work[i + 4 * LANES] = y, z, share
        row_work[i + 5 * LANES] = inverse
        for k in range(6):
            row_work[_TURNS + LANES * k + p] = row_work[VECTORS + 15 * station + 9 + k]
            row_work[_TURN_RATES + LANES * k + p] = row_work[VECTOR_RATES + 15 * station + 9 + k]


@kernel(inline=True)
def _read_place(p, row_work):
    """Of a point."""
    i = _PLACE + p
    return (
        *(row_work[i], row_work[i + LANES], row_work[i + 5 * LANES]),
        *(row_work[i + 2 * LANES], row_work[i + 3 * LANES], row_work[i + 4 * LANES]),
    )


@kernel(inline=True)
def _read_vectors(rows, turns, c, p, row_work):
    """A component of r_x, r_y, r_z, b' and c' of a point, or of their rates."""
    i, j = LANES * (rows + c) + p, turns + LANES * c + p
    return row_work[i], row_work[i + 3 * LANES], row_work[i + 6 * LANES], row_work[j], row_work[j + 3 * LANES]


@kernel(inline=True)
def _change(moduli, vectors, share, row_work):
    """Changes of stress with one component of r_x, r_y, r_z, b', c'."""
    i, k = moduli, 6 * LANES
    xx, yy, zz = read_six(i, row_work), read_six(i + k, row_work), read_six(i + 2 * k, row_work)
    xy, yz, zx = read_six(i + 3 * k, row_work), read_six(i + 4 * k, row_work), read_six(i + 5 * k, row_work)
    x, y, z, b, e = vectors
    return (
        mix(x, xx, y, xy, z, zx),
        mix(x, xy, y, yy, z, yz),
        mix(x, zx, y, yz, z, zz),
        mix(share * b, yy, share * e, yz, 0.0, yy),
        mix(share * e, zz, share * b, yz, 0.0, zz),
    )


@kernel(inline=True)
def _turn_changes(changes, place):
    """Changes of stress with one component of w, by (12)."""
    x, y, z, b, e = changes
    t1, t2, inverse, across, over, _ = place
    tilt, swing = mix(inverse * across, x, inverse, b, 0.0, x), mix(inverse * over, x, inverse, e, 0.0, x)
    return (
        x,
        mix(t1, y, -1.0, tilt, 0.0, y),
        mix(t1, z, -1.0, swing, 0.0, z),
        mix(t2, y, 1.0, tilt, 0.0, y),
        mix(t2, z, 1.0, swing, 0.0, z),
    )


@kernel(inline=True)
def _put_changes(changes, i, row_work):
    """Write the changes of stress with one component of w."""
    k = 6 * LANES
    put_six(changes[0], i, row_work)
    put_six(changes[1], i + k, row_work)
    put_six(changes[2], i + 2 * k, row_work)
    put_six(changes[3], i + 3 * k, row_work)
    put_six(changes[4], i + 4 * k, row_work)


@kernel(inline=True)
def _add_changes(changes, i, row_work):
    """Add them."""
    k = 6 * LANES
    put_six(add_six(changes[0], read_six(i, row_work)), i, row_work)
    put_six(add_six(changes[1], read_six(i + k, row_work)), i + k, row_work)
    put_six(add_six(changes[2], read_six(i + 2 * k, row_work)), i + 2 * k, row_work)
    put_six(add_six(changes[3], read_six(i + 3 * k, row_work)), i + 3 * k, row_work)
    put_six(add_six(changes[4], read_six(i + 4 * k, row_work)), i + 4 * k, row_work)


@kernel(inline=True)
def _press(t, vectors, place):
    """Forces on w of the stress t on one component of r_x, r_y, r_z, b', c'."""
    x, y, z, b, e = vectors
    t1, t2, inverse, across, over, share = place
    along = t[0] * x + t[3] * y + t[5] * z
    first, second = t[3] * x + t[1] * y + t[4] * z, t[5] * x + t[4] * y + t[2] * z
    tilt = inverse * (across * along + share * (t[1] * b + t[4] * e))
    swing = inverse * (over * along + share * (t[4] * b + t[2] * e))
    return along, t1 * first - tilt, t1 * second - swing, t2 * first + tilt, t2 * second + swing


@kernel(inline=True)
def _calc_changes(first, moduli, c, row_work):
    """Changes of stress of all points with the component c of w."""
    for four in range(first, FOURS):
        for n in range(FOUR):
            p = FOUR * four + n
            place = _read_place(p, row_work)
            changes = _change(moduli + p, _read_vectors(GRADIENT, _TURNS, c, p, row_work), place[5], row_work)
            _put_changes(_turn_changes(changes, place), _CHANGES + p, row_work)


@kernel(inline=True)
def _add_viscous_changes(first, c, row_work):
    """Those by rates of strain."""
    for four in range(first, FOURS):
        for n in range(FOUR):
            p = FOUR * four + n
            place = _read_place(p, row_work)
            changes = _change(VISCOUS_MODULI + p, _read_vectors(RATE, _TURN_RATES, c, p, row_work), place[5], row_work)
            _add_changes(_turn_changes(changes, place), _CHANGES + p, row_work)


@kernel(inline=True)
def _calc_rows(first, r, c, row_work):
    """Forces on the component r of w by the changes of stress, which are those with its component c."""
    for four in range(first, FOURS):
        for n in range(FOUR):
            p = FOUR * four + n
            place, vectors = _read_place(p, row_work), _read_vectors(GRADIENT, _TURNS, r, p, row_work)
            i, j, k = COLUMNS + LANES * (SIZE * r + c) + p, _CHANGES + p, 6 * LANES
            _put_column(_press(read_six(j, row_work), vectors, place), i, row_work)
            _put_column(_press(read_six(j + k, row_work), vectors, place), i + 3 * LANES, row_work)
            _put_column(_press(read_six(j + 2 * k, row_work), vectors, place), i + 6 * LANES, row_work)
            _put_column(_press(read_six(j + 3 * k, row_work), vectors, place), i + 9 * LANES, row_work)
            _put_column(_press(read_six(j + 4 * k, row_work), vectors, place), i + 12 * LANES, row_work)


@kernel
def _calc_column(first, c, row_work):
    """The same for all three components."""
    first = AXIS // FOUR if first != 0 else 0
    if c == 0:
        _calc_rows(first, 0, 0, row_work)
        _calc_rows(first, 1, 0, row_work)
        _calc_rows(first, 2, 0, row_work)
    elif c == 1:
        _calc_rows(first, 0, 1, row_work)
        _calc_rows(first, 1, 1, row_work)
        _calc_rows(first, 2, 1, row_work)
    else:
        _calc_rows(first, 0, 2, row_work)
        _calc_rows(first, 1, 2, row_work)
        _calc_rows(first, 2, 2, row_work)


@kernel
def calc_damping(first, row_work):
    """(13) for damping."""
    first = AXIS // FOUR if first != 0 else 0
    _calc_changes(first, VISCOUS_MODULI, 0, row_work)
    _calc_column(first, 0, row_work)
    _calc_changes(first, VISCOUS_MODULI, 1, row_work)
    _calc_column(first, 1, row_work)
    _calc_changes(first, VISCOUS_MODULI, 2, row_work)
    _calc_column(first, 2, row_work)


@kernel
def calc_stiffness(first, is_damped, row_work):
    """(13)."""
    first = AXIS // FOUR if first != 0 else 0
    _calc_changes(first, MODULI, 0, row_work)
    if is_damped:
        _add_viscous_changes(first, 0, row_work)
    _calc_column(first, 0, row_work)
    _calc_changes(first, MODULI, 1, row_work)
    if is_damped:
        _add_viscous_changes(first, 1, row_work)
    _calc_column(first, 1, row_work)
    _calc_changes(first, MODULI, 2, row_work)
    if is_damped:
        _add_viscous_changes(first, 2, row_work)
    _calc_column(first, 2, row_work)
    _add_geometric(first, 0, row_work)
    _add_geometric(first, 1, row_work)
    _add_geometric(first, 2, row_work)


@kernel(inline=True)
def _put_column(forces, i, row_work):
    """Forces on one component of the five vectors of w."""
    k = 3 * SIZE * LANES
    row_work[i], row_work[i + k], row_work[i + 2 * k] = forces[0], forces[1], forces[2]
    row_work[i + 3 * k], row_work[i + 4 * k] = forces[3], forces[4]


@kernel(inline=True)
def _add_column(forces, i, row_work):
    """Add them."""
    k = 3 * SIZE * LANES
    row_work[i] += forces[0]
    row_work[i + k] += forces[1]
    row_work[i + 2 * k] += forces[2]
    row_work[i + 3 * k] += forces[3]
    row_work[i + 4 * k] += forces[4]


@kernel(inline=True)
def _add_geometric(first, c, row_work):
    """Second part of (13), for one component."""
    for four in range(first, FOURS):
        for n in range(FOUR):
            p = FOUR * four + n
            place, t = _read_place(p, row_work), read_six(STRESSES + p, row_work)
            t1, t2, inverse, across, over, _ = place
            tilt, swing = inverse * across, inverse * over
            i = COLUMNS + LANES * (SIZE * c + c) + p
            _add_column(_press(t, (1.0, 0.0, 0.0, 0.0, 0.0), place), i, row_work)
            _add_column(_press(t, (-tilt, t1, 0.0, -inverse, 0.0), place), i + 3 * LANES, row_work)
            _add_column(_press(t, (-swing, 0.0, t1, 0.0, -inverse), place), i + 6 * LANES, row_work)
            _add_column(_press(t, (tilt, t2, 0.0, inverse, 0.0), place), i + 9 * LANES, row_work)
            _add_column(_press(t, (swing, 0.0, t2, 0.0, inverse), place), i + 12 * LANES, row_work)


@kernel
def place_bends(material, shape, row_work):
    """Stiffness and moments of the bends of the stations."""
    for n in range(FOUR):
        station = min(n, STATIONS - 1)
        y, z, twist, _, _ = calc_bends(material, shape, station, row_work)
        i, k = _BENDS + n, BEND_STIFFNESS + 3 * station
        row_work[i], row_work[i + FOUR], row_work[i + 2 * FOUR] = shape[k], shape[k + 1], shape[k + 2]
        row_work[i + 3 * FOUR], row_work[i + 4 * FOUR], row_work[i + 5 * FOUR] = y, z, twist


@kernel(inline=True)
def _read_bending(rows, turns, places, c, n, row_work):
    """A component of what bends are made of: a', b', c', and r_y, r_z of both nodes."""
    i, j, k = LANES * (rows + c) + AXIS + n, turns + LANES * c + AXIS + n, places + c
    return (
        *(row_work[i], row_work[j], row_work[j + 3 * LANES]),
        *(row_work[k + 6], row_work[k + 9], row_work[k + 18], row_work[k + 21]),
    )


@kernel(inline=True)
def _bend(moments, vectors, inverse):
    """Forces on w of moments (6): moments times gradients of the bends."""
    y, z, twist = moments
    a, b, e, y1, z1, y2, z2 = vectors
    tilt, swing, half = inverse * y * a, inverse * z * a, 0.5 * inverse * twist
    return y * b + z * e, -tilt - half * z2, half * y2 - swing, tilt + half * z1, swing - half * y1


@kernel(inline=True)
def _add_bend_rows(factors, r, c, row_work):
    """Forces on the component r of w by changes of the bends with its component c; `factors` of bends and of their
    rates, then those of twist."""
    bends, bend_rates, twists, twist_rates = factors
    for n in range(FOUR):
        vectors = _read_bending(GRADIENT, _TURNS, PLACES, r, n, row_work)
        a, b, e, y1, z1, y2, z2 = _read_bending(GRADIENT, _TURNS, PLACES, c, n, row_work)
        ar, br, er, y1r, z1r, y2r, z2r = _read_bending(RATE, _TURN_RATES, PLACE_RATES, c, n, row_work)
        inverse = row_work[_PLACE + 5 * LANES + AXIS + n]
        ky, kz = row_work[_BENDS + n], row_work[_BENDS + FOUR + n]
        h = 0.5 * inverse * row_work[_BENDS + 2 * FOUR + n]
        a, b, e = bends * a + bend_rates * ar, bends * b + bend_rates * br, bends * e + bend_rates * er
        y1, z1 = h * (twists * y1 + twist_rates * y1r), h * (twists * z1 + twist_rates * z1r)
        y2, z2 = h * (twists * y2 + twist_rates * y2r), h * (twists * z2 + twist_rates * z2r)
        ky_a, kz_a = inverse * ky * a, inverse * kz * a
        i = COLUMNS + LANES * (SIZE * r + c) + AXIS + n
        _add_column(_bend((ky * b, kz * e, 0.0), vectors, inverse), i, row_work)
        _add_column(_bend((-ky_a, 0.0, -z2), vectors, inverse), i + 3 * LANES, row_work)
        _add_column(_bend((0.0, -kz_a, y2), vectors, inverse), i + 6 * LANES, row_work)
        _add_column(_bend((ky_a, 0.0, z1), vectors, inverse), i + 9 * LANES, row_work)
        _add_column(_bend((0.0, kz_a, -y1), vectors, inverse), i + 12 * LANES, row_work)


@kernel
def add_bends(factors, row_work):
    """First part of (13) for the bends."""
    _add_bend_rows(factors, 0, 0, row_work)
    _add_bend_rows(factors, 1, 0, row_work)
    _add_bend_rows(factors, 2, 0, row_work)
    _add_bend_rows(factors, 0, 1, row_work)
    _add_bend_rows(factors, 1, 1, row_work)
    _add_bend_rows(factors, 2, 1, row_work)
    _add_bend_rows(factors, 0, 2, row_work)
    _add_bend_rows(factors, 1, 2, row_work)
    _add_bend_rows(factors, 2, 2, row_work)


@kernel
def add_bend_geometric(row_work):
    """Second part of (13) for the bends."""
    for c in range(3):
        for n in range(FOUR):
            inverse, i = row_work[_PLACE + 5 * LANES + AXIS + n], _BENDS + n
            y, z = inverse * row_work[i + 3 * FOUR], inverse * row_work[i + 4 * FOUR]
            half = 0.5 * inverse * row_work[i + 5 * FOUR]
            i = COLUMNS + LANES * (SIZE * c + c) + AXIS + n
            _add_column((0.0, -y, -z, y, z), i, row_work)
            _add_column((-y, 0.0, 0.0, 0.0, -half), i + 3 * LANES, row_work)
            _add_column((-z, 0.0, 0.0, half, 0.0), i + 6 * LANES, row_work)
            _add_column((y, 0.0, half, 0.0, 0.0), i + 9 * LANES, row_work)
            _add_column((z, -half, 0.0, 0.0, 0.0), i + 12 * LANES, row_work)
