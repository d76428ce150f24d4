"""Velocities of leapfrog steps: those that forces see, and those of the time of the positions.

Leapfrog steps (`advance.py`, (5)) have positions of t and speeds u of s = dt/2 before. Forces get the velocities that
the bodies had then. They know nothing of the accelerations since, so damping leaves steps as stable as it does in the
two passes of the trapezoidal rule; and a body that stays where it is has none, so friction holds it. Where u are the
velocities of the bodies they are what is wanted. Along a tree, the speeds of then at the axes of now miss by how the
axes have turned. With B the accelerations at constant speeds (`recursive/velocity.py`), of the evaluation before,

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
from grouser.kernels.nodes import find_point_start
from grouser.kernels.spatial import rotate, rotate_back


@kernel(inline=True)
def calc_behind(behind, R, v, w, plane, space, v_out, w_out, tree_work):
    """(1): velocities of all bodies at the time of u, s = `behind` [s] before the positions, from (v, w) = J(q) u."""
    for i in range(1, v.shape[0]):
        for k in range(3):
            v_out[i, k], w_out[i, k] = v[i, k], w[i, k]
        if plane is not None:
            v_out[i, 0] -= behind * tree_work.work.bias[i, 0]
            v_out[i, 2] -= behind * tree_work.work.bias[i, 1]
        if space is not None:
            b = tree_work.work.bias[i]
            bx, by, bz = rotate_back(R, i, b[3], b[4], b[5])
            v_out[i, 0] -= behind * b[0]
            v_out[i, 1] -= behind * b[1]
            v_out[i, 2] -= behind * b[2]
            w_out[i, 0] -= behind * bx
            w_out[i, 1] -= behind * by
            w_out[i, 2] -= behind * bz


@kernel(inline=True)
def calc_ahead_along(behind, x, R, u, rate, plane, space, u_out, v_out, w_out, tree_work):
    """(2) along a tree."""
    for j in range(u.shape[0]):
        u_out[j] = u[j] + behind * rate[j]
    if plane is not None:
        calc_planar_velocities(tree_work.tree, plane, u_out, x, v_out, w_out, tree_work.work)
    if space is not None:
        calc_velocities(tree_work.tree, u_out, x, R, v_out, w_out, tree_work.work)


@kernel(inline=True)
def calc_ahead(body, behind, R, v, w, rate, v_out, w_out, w_world_out):
    """(2) where u are the velocities of the nodes; angular velocities in world axes too."""
    for i in range(1, w.shape[0]):
        for k in range(3):
            v_out[i, k] = v[i, k] + behind * rate[6 * i + k]
            w_out[i, k] = w[i, k] + behind * rate[6 * i + 3 + k]
        wx, wy, wz = rotate(R, i, w_out[i, 0], w_out[i, 1], w_out[i, 2])
        w_world_out[i, 0], w_world_out[i, 1], w_world_out[i, 2] = wx, wy, wz
    for i in range(w.shape[0], body.mass.shape[0]):
        o = find_point_start(w.shape[0], i)
        for k in range(3):
            v_out[i, k] = v[i, k] + behind * rate[o + k]
