"""Unit quaternions (w, x, y, z) in compiled code: the coordinates of joints that turn freely.

    M = 1 + 2 w skew(u) + 2 skew(u)^2                u = (x, y, z)                        (1)
    q = q_old * (cos(|theta|/2), sin(|theta|/2) theta/|theta|)                            (2)
    dq/dt = q * (0, w)/2                                                                  (3)

with theta, and the angular velocity w, in the axes of the turned frame, as in `rotation.calc_rotated`. (3) keeps the
length of q whatever it is, so a solution that is a little off length one turns as it should.
"""

from __future__ import annotations

from math import cos, sin, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.rotation import SERIES_BELOW


@kernel(inline=True)
def calc_quaternion_matrix(q, i):
    """(1) for the quaternion q[i..i+3], which need not be of length one: nine elements, row by row."""
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    xx, yy, zz = s * x * x, s * y * y, s * z * z
    xy, xz, yz = s * x * y, s * x * z, s * y * z
    wx, wy, wz = s * w * x, s * w * y, s * w * z
    return 1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy, yz + wx, 1.0 - xx - yy


@kernel
def calc_quaternion(m00, m01, m02, m10, m11, m12, m20, m21, m22):
    """Quaternion, w >= 0, of a rotation matrix, by its largest element, so that nothing small is divided by.

    Four times the products of the quaternion's elements are sums of the matrix's: one row of them, normalised.
    """
    ww, xx = 1.0 + m00 + m11 + m22, 1.0 + m00 - m11 - m22
    yy, zz = 1.0 - m00 + m11 - m22, 1.0 - m00 - m11 + m22
    wx, wy, wz = m21 - m12, m02 - m20, m10 - m01
    xy, xz, yz = m10 + m01, m02 + m20, m21 + m12
    if ww >= xx and ww >= yy and ww >= zz:
        w, x, y, z = ww, wx, wy, wz
    elif xx >= yy and xx >= zz:
        w, x, y, z = wx, xx, xy, xz
    elif yy >= zz:
        w, x, y, z = wy, xy, yy, yz
    else:
        w, x, y, z = wz, xz, yz, zz
    scale = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        scale = -scale
    return scale * w, scale * x, scale * y, scale * z


@kernel
def calc_quaternion_moved(q, i, tx, ty, tz, q_out):
    """(2) for the quaternion q[i..i+3] with theta = (tx, ty, tz) [rad]; the result has length one."""
    s = 0.25 * (tx * tx + ty * ty + tz * tz)
    if s < SERIES_BELOW:
        a = 1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s / 5040.0))
        ew = 1.0 - s * (0.5 - s * (1.0 / 24.0 - s / 720.0))
    else:
        half = sqrt(s)
        a = sin(half) / half
        ew = cos(half)
    ex, ey, ez = 0.5 * a * tx, 0.5 * a * ty, 0.5 * a * tz
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    nw = w * ew - x * ex - y * ey - z * ez
    nx = w * ex + x * ew + y * ez - z * ey
    ny = w * ey + y * ew + z * ex - x * ez
    nz = w * ez + z * ew + x * ey - y * ex
    scale = 1.0 / sqrt(nw * nw + nx * nx + ny * ny + nz * nz)
    q_out[i], q_out[i + 1], q_out[i + 2], q_out[i + 3] = scale * nw, scale * nx, scale * ny, scale * nz


@kernel(inline=True)
def calc_quaternion_rate(q, i, wx, wy, wz, rate_out):
    """(3) for the quaternion q[i..i+3] with the angular velocity (wx, wy, wz) [rad/s]."""
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    rate_out[i] = -0.5 * (x * wx + y * wy + z * wz)
    rate_out[i + 1] = 0.5 * (w * wx + y * wz - z * wy)
    rate_out[i + 2] = 0.5 * (w * wy + z * wx - x * wz)
    rate_out[i + 3] = 0.5 * (w * wz + x * wy - y * wx)


@kernel(inline=True)
def calc_unit_quaternion(q_out, i):
    """Bring the quaternion q[i..i+3] to length one."""
    w, x, y, z = q_out[i], q_out[i + 1], q_out[i + 2], q_out[i + 3]
    scale = 1.0 / sqrt(w * w + x * x + y * y + z * z)
    q_out[i], q_out[i + 1], q_out[i + 2], q_out[i + 3] = scale * w, scale * x, scale * y, scale * z
