"""Vectors of three numbers as plain tuples: in compiled code they live in registers and cost nothing."""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel


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


@kernel(inline=True)
def norm(x, y, z):
    """|(x, y, z)|."""
    return sqrt(x * x + y * y + z * z)


@kernel(inline=True)
def add_force_at(body, px, py, pz, fx, fy, fz, x, f_out, torque_out):
    """Add a force (world axes) that acts at the world point p to a body's force and torque about its
    centre of mass."""
    rx, ry, rz = px - x[body, 0], py - x[body, 1], pz - x[body, 2]
    f_out[body, 0] += fx
    f_out[body, 1] += fy
    f_out[body, 2] += fz
    torque_out[body, 0] += ry * fz - rz * fy
    torque_out[body, 1] += rz * fx - rx * fz
    torque_out[body, 2] += rx * fy - ry * fx


@kernel(inline=True)
def calc_point_velocity(body, px, py, pz, x, v, w_world):
    """Velocity of the material point of a body that is at the world point p."""
    rx, ry, rz = px - x[body, 0], py - x[body, 1], pz - x[body, 2]
    wx, wy, wz = w_world[body, 0], w_world[body, 1], w_world[body, 2]
    return (
        v[body, 0] + wy * rz - wz * ry,
        v[body, 1] + wz * rx - wx * rz,
        v[body, 2] + wx * ry - wy * rx,
    )
