"""What a joint lets its child body do, seen from its parent: coordinates q, speeds qd, and the columns S of both.

Every joint is some slides along axes of the parent's frame, then a rotation about the child's point p:

    p = p_parent + T d,     R_child = T M F_child^T,     T = R_parent F_parent                     (1)

with d the slides, F the axes of the connection frames on their bodies, and M the rotation of the child's frame:

    ROTATION_NONE       M = 1                          fixed, prismatic
    ROTATION_TURN       M = Rz(q)                      revolute, cylindrical, planar
    ROTATION_UNIVERSAL  M = Rx(q1) Ry(q2)              universal: x of the parent's frame, y of the child's
    ROTATION_FREE       M of a unit quaternion         spherical, free                             (2)

So every speed belongs to one axis e, fixed in the parent (slides, turns, the universal's first) or in the child (the
universal's second; the three of a free rotation, whose speeds are the relative angular velocity in the axes of the
child's frame). With r the vector from the child's centre to p, the column of a speed, as the motion that it gives to
the child, (velocity of the centre, angular velocity), is

    slide: S = (e, 0)          turn: S = (r x e, e)                                                (3)

The axes of a joint's speeds are orthonormal, so speeds are read by projection (v_rel: velocity of p as seen from the
parent, w_rel: relative angular velocity)

    slide: qd = e . v_rel        turn: qd = e . w_rel                                              (4)

and coordinates by

    d = T^T (p - p_parent),   turn: the twist angle,   universal: q1 = atan2(M21, M11), q2 = atan2(M02, M00)   (5)
"""

from __future__ import annotations

from math import atan2, cos, sin

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import ROTATION_FREE, ROTATION_TURN, ROTATION_UNIVERSAL
from grouser.kernels.quaternion import (
    calc_quaternion,
    calc_quaternion_matrix,
    calc_quaternion_moved,
    calc_quaternion_rate,
    calc_unit_quaternion,
)
from grouser.kernels.spatial import cross, rotate


@kernel(inline=True)
def calc_rotation(rotation, q, i):
    """(2) from the coordinates q[i...]: nine elements, row by row."""
    if rotation == ROTATION_TURN:
        c, s = cos(q[i]), sin(q[i])
        return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0
    if rotation == ROTATION_UNIVERSAL:
        c, s, d, t = cos(q[i]), sin(q[i]), cos(q[i + 1]), sin(q[i + 1])
        return d, 0.0, t, s * t, c, -s * d, -c * t, s, c * d
    if rotation == ROTATION_FREE:
        return calc_quaternion_matrix(q, i)
    return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0


@kernel(inline=True)
def calc_speed_axis(table, R, j):
    """Axis e of speed j, world axes."""
    return rotate(R, table.axis_body[j], table.axis[j, 0], table.axis[j, 1], table.axis[j, 2])


@kernel(inline=True)
def calc_point(points, k, R, body):
    """Vector from the centre of a body to its point of joint k, world axes."""
    return rotate(R, body, points[k, 0], points[k, 1], points[k, 2])


@kernel(inline=True)
def calc_frame(frames, k, R, body):
    """Axes of a body's frame of joint k, in the world: three columns."""
    return (
        rotate(R, body, frames[k, 0, 0], frames[k, 1, 0], frames[k, 2, 0]),
        rotate(R, body, frames[k, 0, 1], frames[k, 1, 1], frames[k, 2, 1]),
        rotate(R, body, frames[k, 0, 2], frames[k, 1, 2], frames[k, 2, 2]),
    )


@kernel(inline=True)
def calc_child_pose(table, k, q, x_out, R_out):
    """(1): pose of the child of joint k from that of its parent, which must be there already.

    Returns r, the vector from the child's centre to its point.
    """
    child, parent = table.body[k], table.parent[k]
    first = table.v_start[k]
    i = table.q_start[k]
    px, py, pz = calc_point(table.p_parent, k, R_out, parent)
    px, py, pz = x_out[parent, 0] + px, x_out[parent, 1] + py, x_out[parent, 2] + pz
    for j in range(first, first + table.slide_count[k]):
        ex, ey, ez = calc_speed_axis(table, R_out, j)
        px, py, pz = px + ex * q[i], py + ey * q[i], pz + ez * q[i]
        i += 1
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = calc_rotation(table.rotation[k], q, i)
    (t00, t10, t20), (t01, t11, t21), (t02, t12, t22) = calc_frame(table.frame_parent, k, R_out, parent)
    f = table.frame_child
    f00, f01, f02 = f[k, 0, 0], f[k, 0, 1], f[k, 0, 2]
    f10, f11, f12 = f[k, 1, 0], f[k, 1, 1], f[k, 1, 2]
    f20, f21, f22 = f[k, 2, 0], f[k, 2, 1], f[k, 2, 2]
    # L = M F_child^T
    l00, l01, l02 = (
        m00 * f00 + m01 * f01 + m02 * f02,
        m00 * f10 + m01 * f11 + m02 * f12,
        m00 * f20 + m01 * f21 + m02 * f22,
    )
    l10, l11, l12 = (
        m10 * f00 + m11 * f01 + m12 * f02,
        m10 * f10 + m11 * f11 + m12 * f12,
        m10 * f20 + m11 * f21 + m12 * f22,
    )
    l20, l21, l22 = (
        m20 * f00 + m21 * f01 + m22 * f02,
        m20 * f10 + m21 * f11 + m22 * f12,
        m20 * f20 + m21 * f21 + m22 * f22,
    )
    R_out[child, 0, 0] = t00 * l00 + t01 * l10 + t02 * l20
    R_out[child, 0, 1] = t00 * l01 + t01 * l11 + t02 * l21
    R_out[child, 0, 2] = t00 * l02 + t01 * l12 + t02 * l22
    R_out[child, 1, 0] = t10 * l00 + t11 * l10 + t12 * l20
    R_out[child, 1, 1] = t10 * l01 + t11 * l11 + t12 * l21
    R_out[child, 1, 2] = t10 * l02 + t11 * l12 + t12 * l22
    R_out[child, 2, 0] = t20 * l00 + t21 * l10 + t22 * l20
    R_out[child, 2, 1] = t20 * l01 + t21 * l11 + t22 * l21
    R_out[child, 2, 2] = t20 * l02 + t21 * l12 + t22 * l22
    rx, ry, rz = calc_point(table.p_child, k, R_out, child)
    x_out[child, 0], x_out[child, 1], x_out[child, 2] = px - rx, py - ry, pz - rz
    return rx, ry, rz


@kernel
def calc_joint_coordinates(table, k, x, R, q_out):
    """(5): coordinates of joint k from the poses of its bodies. Angles are in (-pi, pi]."""
    child, parent = table.body[k], table.parent[k]
    first = table.v_start[k]
    i = table.q_start[k]
    rx, ry, rz = calc_point(table.p_child, k, R, child)
    sx, sy, sz = calc_point(table.p_parent, k, R, parent)
    dx = x[child, 0] - x[parent, 0] + rx - sx
    dy = x[child, 1] - x[parent, 1] + ry - sy
    dz = x[child, 2] - x[parent, 2] + rz - sz
    for j in range(first, first + table.slide_count[k]):
        ex, ey, ez = calc_speed_axis(table, R, j)
        q_out[i] = ex * dx + ey * dy + ez * dz
        i += 1
    rotation = table.rotation[k]
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = calc_frame(table.frame_parent, k, R, parent)
    (ux, uy, uz), (vx, vy, vz), (wx, wy, wz) = calc_frame(table.frame_child, k, R, child)
    # M = T^T B
    m00, m01, m02 = ax * ux + ay * uy + az * uz, ax * vx + ay * vy + az * vz, ax * wx + ay * wy + az * wz
    m10, m11, m12 = bx * ux + by * uy + bz * uz, bx * vx + by * vy + bz * vz, bx * wx + by * wy + bz * wz
    m20, m21, m22 = cx * ux + cy * uy + cz * uz, cx * vx + cy * vy + cz * vz, cx * wx + cy * wy + cz * wz
    if rotation == ROTATION_TURN:
        q_out[i] = atan2(m10 - m01, m00 + m11)
    elif rotation == ROTATION_UNIVERSAL:
        q_out[i], q_out[i + 1] = atan2(m21, m11), atan2(m02, m00)
    elif rotation == ROTATION_FREE:
        w, x_, y_, z_ = calc_quaternion(m00, m01, m02, m10, m11, m12, m20, m21, m22)
        q_out[i], q_out[i + 1], q_out[i + 2], q_out[i + 3] = w, x_, y_, z_


@kernel
def calc_joint_speeds(table, k, x, R, v, w_world, qd_out):
    """(4): speeds of joint k from the velocities of its bodies."""
    child, parent = table.body[k], table.parent[k]
    first, last = table.v_start[k], table.v_start[k + 1]
    slides = first + table.slide_count[k]
    rx, ry, rz = calc_point(table.p_child, k, R, child)
    dx, dy, dz = calc_point_velocity(child, parent, x, v, w_world, rx, ry, rz)
    for j in range(first, slides):
        ex, ey, ez = calc_speed_axis(table, R, j)
        qd_out[j] = ex * dx + ey * dy + ez * dz
    wx = w_world[child, 0] - w_world[parent, 0]
    wy = w_world[child, 1] - w_world[parent, 1]
    wz = w_world[child, 2] - w_world[parent, 2]
    for j in range(slides, last):
        ex, ey, ez = calc_speed_axis(table, R, j)
        qd_out[j] = ex * wx + ey * wy + ez * wz


@kernel(inline=True)
def calc_point_velocity(child, parent, x, v, w_world, rx, ry, rz):
    """v_rel: velocity of the child's point, which is r from its centre, as seen from the parent."""
    sx, sy, sz = x[child, 0] - x[parent, 0] + rx, x[child, 1] - x[parent, 1] + ry, x[child, 2] - x[parent, 2] + rz
    ax, ay, az = cross(w_world[child, 0], w_world[child, 1], w_world[child, 2], rx, ry, rz)
    bx, by, bz = cross(w_world[parent, 0], w_world[parent, 1], w_world[parent, 2], sx, sy, sz)
    return (
        v[child, 0] - v[parent, 0] + ax - bx,
        v[child, 1] - v[parent, 1] + ay - by,
        v[child, 2] - v[parent, 2] + az - bz,
    )


@kernel(inline=True)
def calc_joint_moved(table, k, dt, q, qd, q_out):
    """Coordinates of joint k after a time dt at constant speeds; `q_out` may be `q`."""
    i = table.q_start[k]
    first, last = table.v_start[k], table.v_start[k + 1]
    stop = last
    if table.rotation[k] == ROTATION_FREE:
        stop = last - 3
    for j in range(first, stop):
        q_out[i] = q[i] + dt * qd[j]
        i += 1
    if stop < last:
        calc_quaternion_moved(q, i, dt * qd[stop], dt * qd[stop + 1], dt * qd[stop + 2], q_out)


@kernel
def calc_coordinates_moved(
    # tables
    table,
    # in
    dt,
    q,
    qd,
    # out
    q_out,
):
    """Coordinates after a time dt at constant speeds, exactly: quaternions by the exponential map.

    `q_out` may be `q`.
    """
    for k in range(table.body.shape[0]):
        calc_joint_moved(table, k, dt, q, qd, q_out)


@kernel
def calc_coordinate_rates(
    # tables
    table,
    # in
    q,
    qd,
    # out
    rate_out,
):
    """Rates of the coordinates q: the speeds qd, except for quaternions. Arrays may be longer than needed."""
    for k in range(table.body.shape[0]):
        i = table.q_start[k]
        first, last = table.v_start[k], table.v_start[k + 1]
        stop = last
        if table.rotation[k] == ROTATION_FREE:
            stop = last - 3
        for j in range(first, stop):
            rate_out[i] = qd[j]
            i += 1
        if stop < last:
            calc_quaternion_rate(q, i, qd[stop], qd[stop + 1], qd[stop + 2], rate_out)


@kernel
def calc_unit_coordinates(
    # tables
    table,
    # out
    q_out,
):
    """Bring the quaternions among the coordinates to length one."""
    for k in range(table.body.shape[0]):
        if table.rotation[k] == ROTATION_FREE:
            calc_unit_quaternion(q_out, table.q_start[k] + table.slide_count[k])
