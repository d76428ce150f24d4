"""Rotation matrices as state: update by the exponential map, and keeping them orthonormal.

    R = R_old exp(skew(theta))                                                            (1)
    exp(skew(theta)) = 1 + a skew(theta) + b skew(theta)^2                                (2)
    a = sin(|theta|)/|theta|,  b = (1 - cos(|theta|))/|theta|^2

Source: the explicit finite-element paper, its update of the total rotation matrix (S0-5).
"""

from __future__ import annotations

from math import cos, sin, sqrt

from grouser.kernels._jit import kernel

SERIES_BELOW = 1e-4
"""Squared angle [rad^2] below which (2) uses its series; the next term is then under 1e-18."""


@kernel(inline=True)
def calc_rotated(R_old, i, tx, ty, tz, R_out):
    """(1) for body i: the rotation vector theta is in the body's axes [rad]."""
    s = tx * tx + ty * ty + tz * tz
    if s < SERIES_BELOW:
        a = 1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s / 5040.0))
        b = 0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s / 40320.0))
    else:
        angle = sqrt(s)
        a = sin(angle) / angle
        b = (1.0 - cos(angle)) / s
    # (2), written out: the columns of E = exp(skew(theta))
    e00 = 1.0 - b * (ty * ty + tz * tz)
    e11 = 1.0 - b * (tx * tx + tz * tz)
    e22 = 1.0 - b * (tx * tx + ty * ty)
    e01 = b * tx * ty - a * tz
    e10 = b * tx * ty + a * tz
    e02 = b * tx * tz + a * ty
    e20 = b * tx * tz - a * ty
    e12 = b * ty * tz - a * tx
    e21 = b * ty * tz + a * tx
    for row in range(3):
        r0, r1, r2 = R_old[i, row, 0], R_old[i, row, 1], R_old[i, row, 2]
        R_out[i, row, 0] = r0 * e00 + r1 * e10 + r2 * e20
        R_out[i, row, 1] = r0 * e01 + r1 * e11 + r2 * e21
        R_out[i, row, 2] = r0 * e02 + r1 * e12 + r2 * e22


@kernel
def add_orthonormality(R_out):
    """Remove what rounding has added to R: one Newton step of the polar decomposition,
    R <- R (3 - R^T R)/2, whose error is the square of the one it finds."""
    for i in range(1, R_out.shape[0]):
        g00 = g01 = g02 = g11 = g12 = g22 = 0.0
        for row in range(3):
            r0, r1, r2 = R_out[i, row, 0], R_out[i, row, 1], R_out[i, row, 2]
            g00 += r0 * r0
            g01 += r0 * r1
            g02 += r0 * r2
            g11 += r1 * r1
            g12 += r1 * r2
            g22 += r2 * r2
        for row in range(3):
            r0, r1, r2 = R_out[i, row, 0], R_out[i, row, 1], R_out[i, row, 2]
            R_out[i, row, 0] = 0.5 * (r0 * (3.0 - g00) - r1 * g01 - r2 * g02)
            R_out[i, row, 1] = 0.5 * (r1 * (3.0 - g11) - r0 * g01 - r2 * g12)
            R_out[i, row, 2] = 0.5 * (r2 * (3.0 - g22) - r0 * g02 - r1 * g12)
