"""Vectors of three numbers as plain tuples: in compiled code they live in registers and cost nothing."""

from __future__ import annotations

from grouser.kernels._jit import kernel


@kernel(inline=True)
def dot(ax, ay, az, bx, by, bz):
    """a . b."""
    return ax * bx + ay * by + az * bz


@kernel(inline=True)
def cross(ax, ay, az, bx, by, bz):
    """a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel(inline=True)
def rotate(R, i, x, y, z):
    """R[i] (x, y, z): from the axes of body i to the world's."""
    return (
        R[i, 0, 0] * x + R[i, 0, 1] * y + R[i, 0, 2] * z,
        R[i, 1, 0] * x + R[i, 1, 1] * y + R[i, 1, 2] * z,
        R[i, 2, 0] * x + R[i, 2, 1] * y + R[i, 2, 2] * z,
    )


@kernel(inline=True)
def rotate_back(R, i, x, y, z):
    """R[i]^T (x, y, z): from the world's axes to those of body i."""
    return (
        R[i, 0, 0] * x + R[i, 1, 0] * y + R[i, 2, 0] * z,
        R[i, 0, 1] * x + R[i, 1, 1] * y + R[i, 2, 1] * z,
        R[i, 0, 2] * x + R[i, 1, 2] * y + R[i, 2, 2] * z,
    )
