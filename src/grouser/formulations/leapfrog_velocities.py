"""Velocities of leapfrog steps: those that forces see, and those of the time of the positions.

Leapfrog steps (`grouser.integrators.time_loop`, (5)) have positions of t, and speeds u of s = dt/2 before. Forces get
the velocities that the bodies had at t - s. These do not depend on the accelerations since then, so damping limits the
step no more than in the two passes of the trapezoidal rule. A body that stays where it is has no velocity, so friction
holds it. In absolute coordinates u are these velocities. Along a tree, u are speeds of t - s, and the axes of the
joints are those of t: J(q) u has an error, because the axes have turned in between. With the accelerations B at
constant speeds (`recursive/velocity.py`) of the evaluation before, the velocities are

    (v, w) = J(q) u - s B                                                                 (1)

Terms that are quadratic in velocities (centrifugal and gyroscopic forces, the right-hand sides of constraints) do not
damp. They need velocities of the time t of the positions: a delay would add or remove energy. With the rates a of the
evaluation before,

    u_ahead = u + s a,     (v, w) = J(q) u_ahead                                          (2)

The drag of settling (`solve_rest`) uses (2), too. The errors of (1) and (2) are of second order. That forces see the
velocities of t - s is an error of first order, in forces that depend on velocities.
"""

from __future__ import annotations

from grouser.formulations.planar.kinematics import calc_planar_velocities
from grouser.formulations.recursive.kinematics import calc_velocities
from grouser.kernels._jit import kernel
from grouser.kernels.nodes import FRAME_SIZE, find_point_start
from grouser.kernels.spatial import rotate, rotate_back


@kernel(inline=True)
def calc_behind(delay, instant, plane, space, v_out, w_out, tree_work):
    """(1): velocities of all bodies at the time of u, s = `delay` [s] before the positions, from (v, w) = J(q) u."""
    R, v, w = instant.R, instant.v, instant.w
    for i in range(1, v.shape[0]):
        for k in range(3):
            v_out[i, k], w_out[i, k] = v[i, k], w[i, k]
        if plane is not None:
            v_out[i, 0] -= delay * tree_work.work.bias[i, 0]
            v_out[i, 2] -= delay * tree_work.work.bias[i, 1]
        if space is not None:
            b = tree_work.work.bias[i]
            bx, by, bz = rotate_back(R, i, b[3], b[4], b[5])
            v_out[i, 0] -= delay * b[0]
            v_out[i, 1] -= delay * b[1]
            v_out[i, 2] -= delay * b[2]
            w_out[i, 0] -= delay * bx
            w_out[i, 1] -= delay * by
            w_out[i, 2] -= delay * bz


@kernel(inline=True)
def calc_ahead_along(delay, instant, plane, space, tree_work, work):
    """(2) along a tree."""
    u, rate, u_ahead = work.u_new, work.u_rate_old, work.u_ahead
    for j in range(u.shape[0]):
        u_ahead[j] = u[j] + delay * rate[j]
    if plane is not None:
        calc_planar_velocities(tree_work.tree, plane, u_ahead, instant.x, work.v_ahead, work.w_ahead, tree_work.work)
    if space is not None:
        calc_velocities(tree_work.tree, u_ahead, instant.x, instant.R, work.v_ahead, work.w_ahead, tree_work.work)


@kernel(inline=True)
def calc_ahead(body, delay, instant, work):
    """(2) where u are the velocities of the nodes; angular velocities in world axes too."""
    R, v, w, rate, v_ahead, w_ahead = instant.R, instant.v, instant.w, work.u_rate_old, work.v_ahead, work.w_ahead
    frames = w.shape[0]
    for i in range(1, frames):
        o = FRAME_SIZE * i
        for k in range(3):
            v_ahead[i, k] = v[i, k] + delay * rate[o + k]
            w_ahead[i, k] = w[i, k] + delay * rate[o + 3 + k]
        wx, wy, wz = rotate(R, i, w_ahead[i, 0], w_ahead[i, 1], w_ahead[i, 2])
        work.w_world[i, 0], work.w_world[i, 1], work.w_world[i, 2] = wx, wy, wz
    for i in range(frames, body.mass.shape[0]):
        o = find_point_start(frames, i)
        for k in range(3):
            v_ahead[i, k] = v[i, k] + delay * rate[o + k]
