"""Laws of materials of bricks.

S = dW/dE = a0 1 + a1 C + a2 C^-1 with C = 1 + 2 E, its invariants I1, I2 and J = sqrt(det C):

    linear:            W = K/2 tr(E)^2 + G dev(E):dev(E)                                                  (1)
    linear by volume:  W = K/2 (J - 1)^2 + G dev(E):dev(E)                                                (2)
    Mooney-Rivlin:     W = c1 (J^(-2/3) I1 - 3) + c2 (J^(-4/3) I2 - 3) + K/2 (J - 1)^2                    (3)

Neo-Hooke's has c2 = 0. Sources: (3) Mooney 1940 and Rivlin 1948, with change of shape and of volume apart after Flory
1961. (2) is ours: the linear law with its pressure from the volume.
"""

from __future__ import annotations

from math import sqrt

from grouser.families.brick.layout import BULK, FIRST, LAW, LAW_LINEAR_VOLUME, LAW_MOONEY, SECOND, SHEAR
from grouser.kernels._jit import kernel


@kernel(inline=True)
def calc_invariants(xx, yy, zz, xy, yz, zx):
    """I1, I2, det, and the cofactors of a symmetric matrix."""
    k0, k1, k2 = yy * zz - yz * yz, zz * xx - zx * zx, xx * yy - xy * xy
    k3, k4, k5 = yz * zx - xy * zz, zx * xy - yz * xx, xy * yz - zx * yy
    return xx + yy + zz, k0 + k1 + k2, xx * k0 + xy * k3 + zx * k5, (k0, k1, k2, k3, k4, k5)


@kernel(inline=True)
def calc_law(material, I1, I2, J):
    """a0, a1, a2 and W of (1) to (3)."""
    return calc_scaled_law(material, I1, I2, J, J ** (-2.0 / 3.0) if material[LAW] == LAW_MOONEY else 1.0)


@kernel(inline=True)
def calc_scaled_law(material, I1, I2, J, c):
    """The same where c = J^(-2/3) is known."""
    shear, bulk = material[SHEAR], material[BULK]
    if material[LAW] == LAW_MOONEY:
        c1, c2 = material[FIRST] * c, material[SECOND] * c * c
        a2 = bulk * J * (J - 1.0) - (2.0 * c1 * I1 + 4.0 * c2 * I2) / 3.0
        W = c1 * I1 - 3.0 * material[FIRST] + c2 * I2 - 3.0 * material[SECOND] + 0.5 * bulk * (J - 1.0) ** 2
        return 2.0 * (c1 + c2 * I1), -2.0 * c2, a2, W
    trace = 0.5 * (I1 - 3.0)
    squares = 0.25 * (I1 * I1 - 2.0 * I2 - 2.0 * I1 + 3.0)  # E:E
    W = shear * (squares - trace * trace / 3.0)
    if material[LAW] == LAW_LINEAR_VOLUME:
        return -shear * I1 / 3.0, shear, bulk * J * (J - 1.0), W + 0.5 * bulk * (J - 1.0) ** 2
    return (bulk - 2.0 / 3.0 * shear) * trace - shear, shear, 0.0, W + 0.5 * bulk * trace * trace


@kernel(inline=True)
def calc_law_slopes(material, I1, I2, J):
    """Slopes of a0, a1, a2: rows of the changes by 1:dE, C:dE, C^-1:dE."""
    return calc_scaled_slopes(material, I1, I2, J, J ** (-2.0 / 3.0) if material[LAW] == LAW_MOONEY else 1.0)


@kernel(inline=True)
def calc_scaled_slopes(material, I1, I2, J, c):
    """The same where c = J^(-2/3) is known."""
    shear, bulk = material[SHEAR], material[BULK]
    volume = bulk * J * (2.0 * J - 1.0)
    if material[LAW] == LAW_MOONEY:
        c1, c2 = material[FIRST] * c, material[SECOND] * c * c
        far = -4.0 / 3.0 * c1 - 8.0 / 3.0 * c2 * I1
        near = volume + 4.0 / 9.0 * c1 * I1 + 16.0 / 9.0 * c2 * I2
        return 4.0 * c2, 0.0, far, 0.0, 0.0, 8.0 / 3.0 * c2, far, 8.0 / 3.0 * c2, near
    if material[LAW] == LAW_LINEAR_VOLUME:
        return -2.0 / 3.0 * shear, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, volume
    return bulk - 2.0 / 3.0 * shear, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@kernel(entry=True)
def calc_second_stress(material, strain, stress_out):
    """S (n, 3, 3) of Green strains (n, 3, 3)."""
    for i in range(strain.shape[0]):
        e, s = strain[i], stress_out[i]
        xx, yy, zz = 1.0 + 2.0 * e[0, 0], 1.0 + 2.0 * e[1, 1], 1.0 + 2.0 * e[2, 2]
        xy, yz, zx = 2.0 * e[0, 1], 2.0 * e[1, 2], 2.0 * e[2, 0]
        I1, I2, square, k = calc_invariants(xx, yy, zz, xy, yz, zx)
        a0, a1, a2, _ = calc_law(material, I1, I2, sqrt(square))
        b = a2 / square
        s[0, 0], s[1, 1], s[2, 2] = a0 + a1 * xx + b * k[0], a0 + a1 * yy + b * k[1], a0 + a1 * zz + b * k[2]
        s[0, 1], s[1, 2], s[2, 0] = a1 * xy + b * k[3], a1 * yz + b * k[4], a1 * zx + b * k[5]
        s[1, 0], s[2, 1], s[0, 2] = s[0, 1], s[1, 2], s[2, 0]
