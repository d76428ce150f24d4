"""Carried rows: nodes whose motion follows from that of others, and whose forces pass to them.

A carried point sits on a body, or in the world: with p in the axes of the body and r = R p,

    x = x_b + r,   v = v_b + w x r,   f_b += f,  torque_b += r x f                        (1)

A carried frame, or marker, sits on points k with weights s_k, which are shape functions at its place and add up to one:

    x = sum s_k x_k,   v = sum s_k v_k,   f_k += s_k f                                    (2)

Where it turns, it turns with the material. With the gradients g_k of the shape functions in the shape at the start,

    F = sum x_k g_k^T = R U,   U symmetric                                                (3)

is the deformation gradient, R its rotation. From skew(R^T dF/dt) = (W U + U W)/2 follows for the angular velocity w in
the axes of the marker, and from its power for the forces,

    H w = sum g_k x (R^T v_k),   H = trace(U) 1 - U                                       (4)
    f_k += R ((H^-1 torque) x g_k),   torque in the axes of the marker                    (5)

Points k in a plane with the normal n_0 have no gradient along it. Then sum x_k g_k^T in (3) is that of the plane alone,
and its rotation is that of

    F + n n_0^T,   n along the cofactor of F times n_0                                    (6)

The normal turns with R, so it takes no part in (4): U is that of the plane there too, and H can be inverted.

A marker on one point does not turn, and takes no torque. Markers are placed after the points that they sit on; their
forces are passed on before those of points.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import MARKER_IN_PLANE, MARKER_STILL, WORLD_ROW
from grouser.kernels.matrix import (
    apply,
    cofactor,
    dyad,
    inverse,
    matrix,
    minus,
    plus,
    product,
    times,
    transpose,
    unit,
)
from grouser.kernels.nodes import FRAME_SIZE, read_point
from grouser.kernels.spatial import cross, rotate, rotate_back

TURNS = 30
"""Most iterations of the polar decomposition."""
POLAR = 1.0e-15
"""Squared change of a rotation at which its iteration ends."""


@kernel
def calc_polar(F):
    """R of F = R U (3), by Newton's iteration R <- (R + R^-T)/2 (Higham 1986)."""
    R = F
    for _ in range(TURNS):
        after = times(0.5, plus(R, transpose(inverse(R))))
        change = minus(after, R)
        R = after
        size = 0.0
        for k in range(9):
            size += change[k] * change[k]
        if not size > POLAR:
            break
    return R


@kernel
def place_points(carried, x_out, R, v_out, w):
    """(1) for all carried points."""
    for i in range(carried.point.shape[0]):
        row, body = carried.point[i], carried.body[i]
        rx, ry, rz = rotate(R, body, carried.p[i, 0], carried.p[i, 1], carried.p[i, 2])
        wx, wy, wz = rotate(R, body, w[body, 0], w[body, 1], w[body, 2])
        ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
        x_out[row, 0], x_out[row, 1], x_out[row, 2] = x_out[body, 0] + rx, x_out[body, 1] + ry, x_out[body, 2] + rz
        v_out[row, 0], v_out[row, 1], v_out[row, 2] = v_out[body, 0] + ux, v_out[body, 1] + uy, v_out[body, 2] + uz


@kernel
def calc_gradient(carried, i, x):
    """F of (3) of marker i."""
    F = unit(0.0)
    for k in range(carried.start[i], carried.start[i + 1]):
        row, g = carried.node[k], carried.gradient[k]
        F = plus(
            F,
            (
                *(x[row, 0] * g[0], x[row, 0] * g[1], x[row, 0] * g[2]),
                *(x[row, 1] * g[0], x[row, 1] * g[1], x[row, 1] * g[2]),
                *(x[row, 2] * g[0], x[row, 2] * g[1], x[row, 2] * g[2]),
            ),
        )
    return F


@kernel
def calc_rotation(carried, i, x):
    """R of (3) of marker i, or that of (6)."""
    F = calc_gradient(carried, i, x)
    if carried.turns[i] == MARKER_IN_PLANE:
        ux, uy, uz = carried.normal[i, 0], carried.normal[i, 1], carried.normal[i, 2]
        nx, ny, nz = apply(cofactor(F), ux, uy, uz)
        F = plus(F, dyad(1.0 / sqrt(nx * nx + ny * ny + nz * nz), nx, ny, nz, ux, uy, uz))
    return calc_polar(F)


@kernel
def calc_turning(carried, i, x, R_row):
    """H^-1 of (4) of marker i, whose rotation is given."""
    U = product(transpose(R_row), calc_gradient(carried, i, x))
    trace = U[0] + U[4] + U[8]
    return inverse(minus(unit(trace), times(0.5, plus(U, transpose(U)))))


@kernel
def place_markers(carried, x_out, R_out, v_out, w_out):
    """(2), (3) and (4) for all markers."""
    for i in range(carried.marker.shape[0]):
        row = carried.marker[i]
        for c in range(3):
            x_out[row, c] = v_out[row, c] = w_out[row, c] = 0.0
        for k in range(carried.start[i], carried.start[i + 1]):
            for c in range(3):
                x_out[row, c] += carried.weight[k] * x_out[carried.node[k], c]
                v_out[row, c] += carried.weight[k] * v_out[carried.node[k], c]
        if carried.turns[i] != MARKER_STILL:
            R = calc_rotation(carried, i, x_out)
            for c in range(9):
                R_out[row, c // 3, c % 3] = R[c]
            sx = sy = sz = 0.0
            for k in range(carried.start[i], carried.start[i + 1]):
                node, g = carried.node[k], carried.gradient[k]
                ux, uy, uz = rotate_back(R_out, row, v_out[node, 0], v_out[node, 1], v_out[node, 2])
                tx, ty, tz = cross(g[0], g[1], g[2], ux, uy, uz)
                sx, sy, sz = sx + tx, sy + ty, sz + tz
            w_out[row, 0], w_out[row, 1], w_out[row, 2] = apply(calc_turning(carried, i, x_out, R), sx, sy, sz)


@kernel(stage=True, rows="carried.row")
def place_carried(carried, x_out, R_out, v_out, w_out):
    """Place all carried rows of a state from those that carry them."""
    place_points(carried, x_out, R_out, v_out, w_out)
    place_markers(carried, x_out, R_out, v_out, w_out)


@kernel(stage=True, rows="carried.row")
def pass_forces(carried, x, R, f_out, torque_out):
    """Pass forces and torques on carried rows to what carries them, (1), (2) and (5); none are left on these rows."""
    for i in range(carried.marker.shape[0]):
        row = carried.marker[i]
        tx = ty = tz = 0.0
        if carried.turns[i] != MARKER_STILL:
            bx, by, bz = rotate_back(R, row, torque_out[row, 0], torque_out[row, 1], torque_out[row, 2])
            tx, ty, tz = apply(calc_turning(carried, i, x, matrix(R, row, 0, 0)), bx, by, bz)
        for k in range(carried.start[i], carried.start[i + 1]):
            node, s, g = carried.node[k], carried.weight[k], carried.gradient[k]
            fx, fy, fz = rotate(R, row, *cross(tx, ty, tz, g[0], g[1], g[2]))
            f_out[node, 0] += s * f_out[row, 0] + fx
            f_out[node, 1] += s * f_out[row, 1] + fy
            f_out[node, 2] += s * f_out[row, 2] + fz
        for c in range(3):
            f_out[row, c] = torque_out[row, c] = 0.0
    for i in range(carried.point.shape[0]):
        row, body = carried.point[i], carried.body[i]
        rx, ry, rz = rotate(R, body, carried.p[i, 0], carried.p[i, 1], carried.p[i, 2])
        tx, ty, tz = cross(rx, ry, rz, f_out[row, 0], f_out[row, 1], f_out[row, 2])
        for c in range(3):
            f_out[body, c] += f_out[row, c]
            f_out[row, c] = 0.0
        torque_out[body, 0] += tx
        torque_out[body, 1] += ty
        torque_out[body, 2] += tz


@kernel
def read_carried(carried, node, R, rate, row):
    """Rate of the velocity of a point, carried or not, from a vector of rates; what turning bodies add is left out."""
    for i in range(carried.point.shape[0]):
        if carried.point[i] == row:
            body = carried.body[i]
            if body == WORLD_ROW:
                return 0.0, 0.0, 0.0
            o = FRAME_SIZE * body
            rx, ry, rz = rotate(R, body, carried.p[i, 0], carried.p[i, 1], carried.p[i, 2])
            wx, wy, wz = rotate(R, body, rate[o + 3], rate[o + 4], rate[o + 5])
            tx, ty, tz = cross(wx, wy, wz, rx, ry, rz)
            return rate[o] + tx, rate[o + 1] + ty, rate[o + 2] + tz
    return read_point(node, rate, row)


@kernel(stage=True, rows="carried.marker")
def carry_rates(carried, node, x, R, rate_out):
    """Rates of the velocities of all markers into a vector of rates, from those of the points that carry them; what
    depends on velocities is left out."""
    for i in range(carried.marker.shape[0]):
        o = FRAME_SIZE * carried.marker[i]
        for c in range(6):
            rate_out[o + c] = 0.0
        sx = sy = sz = 0.0
        for k in range(carried.start[i], carried.start[i + 1]):
            ax, ay, az = read_carried(carried, node, R, rate_out, carried.node[k])
            rate_out[o] += carried.weight[k] * ax
            rate_out[o + 1] += carried.weight[k] * ay
            rate_out[o + 2] += carried.weight[k] * az
            if carried.turns[i] != MARKER_STILL:
                g = carried.gradient[k]
                tx, ty, tz = cross(g[0], g[1], g[2], *rotate_back(R, carried.marker[i], ax, ay, az))
                sx, sy, sz = sx + tx, sy + ty, sz + tz
        if carried.turns[i] != MARKER_STILL:
            H = calc_turning(carried, i, x, matrix(R, carried.marker[i], 0, 0))
            rate_out[o + 3], rate_out[o + 4], rate_out[o + 5] = apply(H, sx, sy, sz)
