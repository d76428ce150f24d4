"""Quadratic forms of the mass matrix, on vectors of velocities (`grouser.kernels.nodes`)."""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.mesh_mass import calc_mesh_kinetic
from grouser.kernels.nodes import find_point_start
from grouser.kernels.spatial import dot, rotate


@kernel(inline=True)
def calc_square(body, i, u):
    """u.M u of a body."""
    o = 6 * i
    hx, hy, hz = rotate(body.inertia, i, u[o + 3], u[o + 4], u[o + 5])
    return body.mass[i] * dot(u[o], u[o + 1], u[o + 2], u[o], u[o + 1], u[o + 2]) + dot(
        u[o + 3], u[o + 4], u[o + 5], hx, hy, hz
    )


@kernel(inline=True)
def calc_point_square(body, frames, i, u):
    """u.M u of a point, behind so many rows with frames."""
    o = find_point_start(frames, i)
    return body.mass[i] * dot(u[o], u[o + 1], u[o + 2], u[o], u[o + 1], u[o + 2])


@kernel
def calc_kinetic(body, frames, u):
    """u.M u/2 of all nodes."""
    total = 0.0
    for i in range(1, body.inertia.shape[0]):
        total += 0.5 * calc_square(body, i, u)
    for i in range(frames, body.mass.shape[0]):
        total += 0.5 * calc_point_square(body, frames, i, u)
    if body.coupled.shape[0] > 0:
        total += calc_mesh_kinetic(body, u)
    return total
