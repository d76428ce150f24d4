"""Moduli and stress of points, side by side, for tangents of beams. Equations (1) to (8) are those of
`grouser.families.ancf_beam.kernel`.

On the strains e = (xx yy zz 2xy 2yz 2zx), with h_ij the slopes of a_0, a_1, a_2 by s_0 = G^-1, s_1 = G^-1 g G^-1 and
s_2 = g^-1,

    D = dT/de = sum h_ij s_i s_j^T + a_1 raised(G^-1) - a_2 raised(g^-1)                                  (9)
    D_v = (K_v - 2/3 G_v) s_0 s_0^T + G_v raised(G^-1)                                                    (10)
    raised(A)_(ab)(cd) = A_ac A_bd + A_ad A_bc                                                            (11)

all symmetric, times the weight of the point, and with the factors of (7) for xy and zx.
"""

from __future__ import annotations

from grouser.families.ancf_beam.layout import (
    AXIS,
    LANES,
    SCALE,
    SHAPE_WEIGHT,
    SHEARS,
    VOLUME,
    VOLUME_WEIGHT,
    WORK_SIZE,
)
from grouser.families.ancf_beam.points import (
    calc_elastic,
    calc_metric,
    calc_viscous,
    contract,
    raise_both,
    read_inverse,
    weigh,
)
from grouser.families.brick.law import calc_invariants, calc_scaled_law, calc_scaled_slopes
from grouser.families.brick.layout import (
    BULK,
    FIRST,
    LAW,
    LAW_LINEAR,
    LAW_LINEAR_VOLUME,
    LAW_MOONEY,
    SECOND,
    SHEAR,
    VISCOUS_BULK,
    VISCOUS_SHEAR,
)
from grouser.kernels._jit import kernel

FOUR, FOURS = 4, LANES // 4
"""Points that one instruction serves, and how often they are that many. Loops over them have this length as a constant,
and read and write one array alone: then the compiler knows that it may."""
# rows of the scratch, LANES wide: D, D_v (6 x 6), T
MODULI = WORK_SIZE
VISCOUS_MODULI, STRESSES = MODULI + 36 * LANES, MODULI + 72 * LANES
MODULI_END = STRESSES + 6 * LANES


@kernel(inline=True)
def _raise(q):
    """(11), by rows."""
    q0, q1, q2, q3, q4, q5 = q
    r03, r04, r05 = 2.0 * q0 * q3, 2.0 * q3 * q5, 2.0 * q0 * q5
    r13, r14, r15 = 2.0 * q1 * q3, 2.0 * q1 * q4, 2.0 * q3 * q4
    r23, r24, r25 = 2.0 * q4 * q5, 2.0 * q2 * q4, 2.0 * q2 * q5
    r01, r02, r12 = 2.0 * q3 * q3, 2.0 * q5 * q5, 2.0 * q4 * q4
    r34, r35, r45 = q3 * q4 + q1 * q5, q3 * q5 + q0 * q4, q4 * q5 + q2 * q3
    return (
        (2.0 * q0 * q0, r01, r02, r03, r04, r05),
        (r01, 2.0 * q1 * q1, r12, r13, r14, r15),
        (r02, r12, 2.0 * q2 * q2, r23, r24, r25),
        (r03, r13, r23, q0 * q1 + q3 * q3, r34, r35),
        (r04, r14, r24, r34, q1 * q2 + q4 * q4, r45),
        (r05, r15, r25, r35, r45, q0 * q2 + q5 * q5),
    )


@kernel(inline=True)
def mix(a, x, b, y, c, z):
    """a x + b y + c z of six numbers each."""
    return (
        *(a * x[0] + b * y[0] + c * z[0], a * x[1] + b * y[1] + c * z[1], a * x[2] + b * y[2] + c * z[2]),
        *(a * x[3] + b * y[3] + c * z[3], a * x[4] + b * y[4] + c * z[4], a * x[5] + b * y[5] + c * z[5]),
    )


@kernel(inline=True)
def read_six(i, row_work):
    """Six rows, of one point."""
    k = LANES
    return (
        *(row_work[i], row_work[i + k], row_work[i + 2 * k]),
        *(row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k]),
    )


@kernel(inline=True)
def put_six(a, i, row_work):
    """Write them."""
    k = LANES
    row_work[i], row_work[i + k], row_work[i + 2 * k] = a[0], a[1], a[2]
    row_work[i + 3 * k], row_work[i + 4 * k], row_work[i + 5 * k] = a[3], a[4], a[5]


@kernel(inline=True)
def add_six(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel(inline=True)
def _scale(a, s, y, z):
    """s a, with the factors of (7)."""
    return s * a[0], s * a[1], s * a[2], s * y * a[3], s * a[4], s * z * a[5]


@kernel(inline=True)
def _put_elastic(material, shape, p, row_work):
    """(9) of a point."""
    metric, q = calc_metric(shape, row_work, p), read_inverse(shape, p)
    _, _, square, c = calc_invariants(*metric)
    k, d = raise_both(q, metric), 1.0 / square
    f = (c[0] * d, c[1] * d, c[2] * d, c[3] * d, c[4] * d, c[5] * d)
    I1 = contract(q, metric)
    I2, J, scale = 0.5 * (I1 * I1 - contract(k, metric)), row_work[LANES * VOLUME + p], row_work[LANES * SCALE + p]
    weighed = weigh(material, shape, p)
    _, a1, a2, _ = calc_scaled_law(weighed, I1, I2, J, scale)
    h00, h01, h02, h10, h11, h12, h20, h21, h22 = calc_scaled_slopes(weighed, I1, I2, J, scale)
    u, v, w = mix(h00, q, h01, k, h02, f), mix(h10, q, h11, k, h12, f), mix(h20, q, h21, k, h22, f)
    r0, r1, r2, r3, r4, r5 = _raise(q)
    s0, s1, s2, s3, s4, s5 = _raise(f)
    y, z = shape[SHEARS], shape[SHEARS + 1]
    i, row = MODULI + p, 6 * LANES
    d0, d1 = mix(q[0], u, k[0], v, f[0], w), mix(q[1], u, k[1], v, f[1], w)
    d2, d3 = mix(q[2], u, k[2], v, f[2], w), mix(q[3], u, k[3], v, f[3], w)
    d4, d5 = mix(q[4], u, k[4], v, f[4], w), mix(q[5], u, k[5], v, f[5], w)
    put_six(_scale(mix(1.0, d0, a1, r0, -a2, s0), 1.0, y, z), i, row_work)
    put_six(_scale(mix(1.0, d1, a1, r1, -a2, s1), 1.0, y, z), i + row, row_work)
    put_six(_scale(mix(1.0, d2, a1, r2, -a2, s2), 1.0, y, z), i + 2 * row, row_work)
    put_six(_scale(mix(1.0, d3, a1, r3, -a2, s3), y, y, z), i + 3 * row, row_work)
    put_six(_scale(mix(1.0, d4, a1, r4, -a2, s4), 1.0, y, z), i + 4 * row, row_work)
    put_six(_scale(mix(1.0, d5, a1, r5, -a2, s5), z, y, z), i + 5 * row, row_work)


@kernel(inline=True)
def _put_viscous(material, shape, p, row_work):
    """(10) of a point."""
    q = read_inverse(shape, p)
    g = shape[LANES * SHAPE_WEIGHT + p] * material[VISCOUS_SHEAR]
    b = shape[LANES * VOLUME_WEIGHT + p] * material[VISCOUS_BULK] - 2.0 / 3.0 * g
    r0, r1, r2, r3, r4, r5 = _raise(q)
    y, z = shape[SHEARS], shape[SHEARS + 1]
    i, row = VISCOUS_MODULI + p, 6 * LANES
    put_six(_scale(mix(b * q[0], q, g, r0, 0.0, q), 1.0, y, z), i, row_work)
    put_six(_scale(mix(b * q[1], q, g, r1, 0.0, q), 1.0, y, z), i + row, row_work)
    put_six(_scale(mix(b * q[2], q, g, r2, 0.0, q), 1.0, y, z), i + 2 * row, row_work)
    put_six(_scale(mix(b * q[3], q, g, r3, 0.0, q), y, y, z), i + 3 * row, row_work)
    put_six(_scale(mix(b * q[4], q, g, r4, 0.0, q), 1.0, y, z), i + 4 * row, row_work)
    put_six(_scale(mix(b * q[5], q, g, r5, 0.0, q), z, y, z), i + 5 * row, row_work)


@kernel(inline=True)
def _read_material(material, law):
    """All of its numbers, with the law as a constant."""
    return (
        *(law, material[SHEAR], material[BULK], material[FIRST], material[SECOND]),
        *(material[VISCOUS_BULK], material[VISCOUS_SHEAR]),
    )


@kernel(inline=True)
def _put_moduli(material, first, row_work):
    """D and T of all points."""
    shape = row_work
    y, z = shape[SHEARS], shape[SHEARS + 1]
    for four in range(AXIS // FOUR if first != 0 else 0, FOURS):
        for n in range(FOUR):
            p = FOUR * four + n
            stress, _ = calc_elastic(material, shape, row_work, p)
            put_six(_scale(stress, 1.0, y, z), STRESSES + p, row_work)
        for n in range(FOUR):
            _put_elastic(material, shape, FOUR * four + n, row_work)


@kernel
def calc_moduli(material, first, row_work):
    """D and T of all points. The scratch begins with a copy of the constants of the element."""
    if material[LAW] == LAW_MOONEY:
        _put_moduli(_read_material(material, LAW_MOONEY), first, row_work)
    elif material[LAW] == LAW_LINEAR_VOLUME:
        _put_moduli(_read_material(material, LAW_LINEAR_VOLUME), first, row_work)
    else:
        _put_moduli(_read_material(material, LAW_LINEAR), first, row_work)


@kernel
def calc_viscous_moduli(material, first, row_work):
    """D_v of all points, and T with its viscous part."""
    shape, numbers = row_work, _read_material(material, LAW_LINEAR)
    y, z = shape[SHEARS], shape[SHEARS + 1]
    for four in range(AXIS // FOUR if first != 0 else 0, FOURS):
        for n in range(FOUR):
            p = FOUR * four + n
            stress, _ = calc_viscous(numbers, shape, row_work, p)
            put_six(add_six(read_six(STRESSES + p, row_work), _scale(stress, 1.0, y, z)), STRESSES + p, row_work)
        for n in range(FOUR):
            _put_viscous(numbers, shape, FOUR * four + n, row_work)
