"""Quadratic forms of the mass matrix: six numbers a body, (v world axes, w body axes)."""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.spatial import dot, rotate


@kernel(inline=True)
def calc_square(body, i, u):
    """u.M u of a body."""
    o = 6 * i
    hx, hy, hz = rotate(body.inertia, i, u[o + 3], u[o + 4], u[o + 5])
    return body.mass[i] * dot(u[o], u[o + 1], u[o + 2], u[o], u[o + 1], u[o + 2]) + dot(
        u[o + 3], u[o + 4], u[o + 5], hx, hy, hz
    )


@kernel
def calc_kinetic(body, u):
    """u.M u/2 of all bodies."""
    total = 0.0
    for i in range(1, body.mass.shape[0]):
        total += 0.5 * calc_square(body, i, u)
    return total
