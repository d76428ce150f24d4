"""Velocities of leapfrog steps: those that forces see, and those of the time of the positions.

Leapfrog steps (`grouser.integrators.time_loop`, (5)) have positions of t, and speeds u of s = dt/2 before. Forces get
the velocities that the bodies had then. They know nothing of the accelerations since, so damping leaves steps stable as
it does in the two passes of the trapezoidal rule. A body that stays where it is has no velocity, so friction holds it.
Where u are the velocities of the bodies, they are what is wanted. Along a tree, the speeds of then at the axes of now
miss by how the axes have turned. With B the accelerations at constant speeds (`recursive/velocity.py`), of the
evaluation before,

    (v, w) = J(q) u - s B                                                                 (1)

What is quadratic in velocities (centrifugal and gyroscopic forces, the right-hand sides of constraints) is no damping,
and must be that of the positions: a phase between them would feed or take energy. With the rates a of the evaluation
before,

    u_ahead = u + s a,     (v, w) = J(q) u_ahead                                          (2)

Drag of settling (`solve_rest`) is among these, too. Both are of second order; that forces see the velocities of then is
of first order, and only where they depend on them.
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
