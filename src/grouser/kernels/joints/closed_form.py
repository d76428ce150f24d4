"""Positions of joints of a linkage in closed form.

A point that turns about a hinge and keeps its distance L to a known point. With e the axis of the hinge through o, p
the vector from o to the point at the angle zero and h that to the known point,

    |R(e, t) p - h|^2 = L^2     is     a cos t + b sin t = c                                       (1)
    a = h.p - (e.h)(e.p),   b = h.(e x p),   c = (h.h + p.p - L^2)/2 - (e.h)(e.p)                  (2)
    t = atan2(b, a) + s acos(c/sqrt(a^2 + b^2)),     s = 1 or -1                                   (3)

Without a root the linkage cannot be assembled. The branch s is that of the coordinate which is carried along,

    s = sign(a sin t - b cos t)                                                                    (4)

To change it, the linkage has to pass through a position in which both roots are one. It then goes on as it came, and
`embedded/partition.py` tells that ways have parted.

Special cases of (3) are the planar four-bar (S4-15..22), whose rocker turns so that its end keeps the length of the
coupler from the end of the crank, and the spindle that turns about the line of its two balls until its arm is a tie rod
away from the steering link (S4, 5.3). A point that turns about a hinge onto a known point has, from (1) with L = 0,

    t = atan2(b, a)                                                                                (5)

A body with two points at known places can only turn about the line of both: the shortest turn that brings its second
point there, followed by (3) about this line.                                                      (6)

DIFFERS from S4, whose formulas are those of a planar linkage: hinges of real suspensions are skewed.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

from grouser.families.coordinate_force.kernel import calc_target
from grouser.kernels._jit import kernel
from grouser.kernels.joints.mobility import calc_child_pose, calc_frame, calc_point
from grouser.kernels.kinds import CLOSED_AIM, CLOSED_BALL, CLOSED_DRIVE, CLOSED_PLACE, ROTATION_TURN
from grouser.kernels.quaternion import calc_quaternion
from grouser.kernels.spatial import cross, dot, rotate


@kernel(inline=True)
def calc_turn_coefficients(ex, ey, ez, px, py, pz, hx, hy, hz, length):
    """(2)."""
    along = dot(ex, ey, ez, hx, hy, hz) * dot(ex, ey, ez, px, py, pz)
    cx, cy, cz = cross(ex, ey, ez, px, py, pz)
    c = 0.5 * (dot(hx, hy, hz, hx, hy, hz) + dot(px, py, pz, px, py, pz) - length * length) - along
    return dot(hx, hy, hz, px, py, pz) - along, dot(hx, hy, hz, cx, cy, cz), c


@kernel(inline=True)
def find_branch(a, b, t):
    """(4)."""
    return 1 if a * sin(t) - b * cos(t) > 0.0 else -1


@kernel
def find_turn(a, b, c, before):
    """(3) on the branch of the angle before, and whether there is a root."""
    rest = a * a + b * b - c * c
    if not rest >= 0.0:
        return 0.0, False
    return atan2(b, a) + find_branch(a, b, before) * atan2(sqrt(rest), c), True


@kernel(inline=True)
def calc_near(angle, before):
    """The angle, by whole turns as near as can be to the one before."""
    return angle + 2.0 * pi * round((before - angle) / (2.0 * pi))


@kernel(inline=True)
def calc_known(x, R, body, point, i, ox, oy, oz):
    """Vector from o to a point that is fixed on a body which has its place."""
    hx, hy, hz = rotate(R, body, point[i, 0], point[i, 1], point[i, 2])
    return x[body, 0] + hx - ox, x[body, 1] + hy - oy, x[body, 2] + hz - oz


@kernel
def solve_ball(tree, closed, i, q_out, x_out, R_out):
    """(6) for operation i: the quaternion of a spherical joint. Returns whether there is a root."""
    k = closed.row[i]
    child, parent = tree.body[k], tree.parent[k]
    calc_child_pose(tree, k, q_out, x_out, R_out)
    jx, jy, jz = calc_point(tree.p_child, k, R_out, child)
    ox, oy, oz = x_out[child, 0] + jx, x_out[child, 1] + jy, x_out[child, 2] + jz
    # from the joint to the second point, as the body stands, and to where it belongs
    vx, vy, vz = rotate(R_out, child, closed.second[i, 0], closed.second[i, 1], closed.second[i, 2])
    vx, vy, vz = vx - jx, vy - jy, vz - jz
    ex, ey, ez = calc_known(x_out, R_out, closed.second_body[i], closed.second_known, i, ox, oy, oz)
    scale, size = 1.0 / sqrt(dot(vx, vy, vz, vx, vy, vz)), 1.0 / sqrt(dot(ex, ey, ez, ex, ey, ez))
    vx, vy, vz = scale * vx, scale * vy, scale * vz
    ex, ey, ez = size * ex, size * ey, size * ez
    nx, ny, nz = cross(vx, vy, vz, ex, ey, ez)
    factor = 1.0 / (1.0 + dot(vx, vy, vz, ex, ey, ez))
    px, py, pz = rotate(R_out, child, closed.point[i, 0], closed.point[i, 1], closed.point[i, 2])
    px, py, pz = px - jx, py - jy, pz - jz
    px, py, pz = turn_shortest(nx, ny, nz, factor, px, py, pz)
    hx, hy, hz = calc_known(x_out, R_out, closed.body[i], closed.known, i, ox, oy, oz)
    a, b, c = calc_turn_coefficients(ex, ey, ez, px, py, pz, hx, hy, hz, closed.length[i])
    angle, is_found = find_turn(a, b, c, 0.0)
    if not is_found:
        return False
    co, si = cos(angle), sin(angle)
    # columns of the child's frame, turned; M = T^T times them
    (f00, f10, f20), (f01, f11, f21), (f02, f12, f22) = calc_frame(tree.frame_child, k, R_out, child)
    f00, f10, f20 = turn_about(ex, ey, ez, co, si, *turn_shortest(nx, ny, nz, factor, f00, f10, f20))
    f01, f11, f21 = turn_about(ex, ey, ez, co, si, *turn_shortest(nx, ny, nz, factor, f01, f11, f21))
    f02, f12, f22 = turn_about(ex, ey, ez, co, si, *turn_shortest(nx, ny, nz, factor, f02, f12, f22))
    (t00, t10, t20), (t01, t11, t21), (t02, t12, t22) = calc_frame(tree.frame_parent, k, R_out, parent)
    w, u, v, z = calc_quaternion(
        dot(t00, t10, t20, f00, f10, f20),
        dot(t00, t10, t20, f01, f11, f21),
        dot(t00, t10, t20, f02, f12, f22),
        dot(t01, t11, t21, f00, f10, f20),
        dot(t01, t11, t21, f01, f11, f21),
        dot(t01, t11, t21, f02, f12, f22),
        dot(t02, t12, t22, f00, f10, f20),
        dot(t02, t12, t22, f01, f11, f21),
        dot(t02, t12, t22, f02, f12, f22),
    )
    m = tree.q_start[k]
    sign = 1.0
    if w * q_out[m] + u * q_out[m + 1] + v * q_out[m + 2] + z * q_out[m + 3] < 0.0:
        sign = -1.0
    q_out[m], q_out[m + 1], q_out[m + 2], q_out[m + 3] = sign * w, sign * u, sign * v, sign * z
    return True


@kernel(inline=True)
def turn_shortest(nx, ny, nz, factor, px, py, pz):
    """A vector turned as v is by n = v x e, the shortest way to e; factor = 1/(1 + v.e)."""
    cx, cy, cz = cross(nx, ny, nz, px, py, pz)
    dx, dy, dz = cross(nx, ny, nz, cx, cy, cz)
    return px + cx + factor * dx, py + cy + factor * dy, pz + cz + factor * dz


@kernel(inline=True)
def turn_about(ex, ey, ez, co, si, px, py, pz):
    """A vector turned about e by an angle, given by its cosine and sine."""
    along = (1.0 - co) * dot(ex, ey, ez, px, py, pz)
    cx, cy, cz = cross(ex, ey, ez, px, py, pz)
    return co * px + si * cx + along * ex, co * py + si * cy + along * ey, co * pz + si * cz + along * ez


@kernel
def solve_closed_forms(
    # tables
    tree,
    closed,
    scalar,
    signal,
    # in
    c,
    # out
    q_out,
    instant_out,
    # work
    stack_work,
):
    """Coordinates and poses by the operations of aggregate c, in their order.

    Of two roots each is the one that the coordinates as they are belong to. Returns -1, or the entry of the constraints
    that has no solution.
    """
    t, x_out, R_out, _, _, z = instant_out
    for i in range(closed.start[c], closed.start[c + 1]):
        kind, k = closed.kind[i], closed.row[i]
        m = tree.q_start[k]
        if kind == CLOSED_BALL:
            if not solve_ball(tree, closed, i, q_out, x_out, R_out):
                return closed.entry[i]
        elif kind == CLOSED_DRIVE:
            target, _, _ = calc_target(scalar, signal, closed.body[i], t, z, stack_work)
            target *= closed.length[i]
            q_out[m] = calc_near(target, q_out[m]) if tree.rotation[k] == ROTATION_TURN else target
        elif kind != CLOSED_PLACE:
            parent = tree.parent[k]
            ox, oy, oz = calc_point(tree.p_parent, k, R_out, parent)
            ox, oy, oz = x_out[parent, 0] + ox, x_out[parent, 1] + oy, x_out[parent, 2] + oz
            # `point` counts from the joint, in the axes of the child's frame: at the angle zero those of the parent's
            (ax, ay, az), (bx, by, bz), (ex, ey, ez) = calc_frame(tree.frame_parent, k, R_out, parent)
            u, v, w = closed.point[i, 0], closed.point[i, 1], closed.point[i, 2]
            px, py, pz = u * ax + v * bx + w * ex, u * ay + v * by + w * ey, u * az + v * bz + w * ez
            hx, hy, hz = calc_known(x_out, R_out, closed.body[i], closed.known, i, ox, oy, oz)
            a, b, c = calc_turn_coefficients(ex, ey, ez, px, py, pz, hx, hy, hz, closed.length[i])
            if kind == CLOSED_AIM:
                angle = atan2(b, a)  # (5)
            else:
                angle, is_found = find_turn(a, b, c, q_out[m])
                if not is_found:
                    return closed.entry[i]
            q_out[m] = calc_near(angle, q_out[m])
        calc_child_pose(tree, k, q_out, x_out, R_out)
    return -1
