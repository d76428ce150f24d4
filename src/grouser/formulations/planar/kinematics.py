"""Bodies in the plane: poses and velocities from joint coordinates, root to leaf.

Motion is in the x-z plane. A body turns by an angle phi about y from its rotation R0 at the start, so R = Ry(phi) R0,
and a vector that is fixed in it has in the plane, with its components (a, b) along x and z at the start,

    (c a + s b, c b - s a),   c = cos phi,  s = sin phi                                   (1)

With w the rate of phi, y x (a, b) = (b, -a). A joint of the tree slides along axes e of the parent and turns by
sigma q, sigma = 1 or -1 as its axis points along y or against it. With p the point of the joint and r from the child's
centre to it (S1-1 to 5; the first row of the matrix of S1-5 is put right, see docs/errata.md),

    p = x_parent + p_parent + sum e q,   phi_child = phi_parent + sigma (q - q0),   x_child = p - r           (2)
    v_child = v_parent + w_parent y x (p - x_parent) + sum e qd - w_child y x r                               (3)
"""

from __future__ import annotations

from math import cos, sin

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import ROTATION_TURN, WORLD_ROW


@kernel(inline=True)
def turn(pose, i, a, b):
    """(1) for body i."""
    c, s = pose[i, 0], pose[i, 1]
    return c * a + s * b, c * b - s * a


@kernel
def calc_planar_kinematics(
    # tables
    tree,
    plane,
    # in
    q,
    qd,
    # out
    x_out,
    R_out,
    v_out,
    w_out,
    # work
    work,
):
    """(2) and (3), as the absolute state of all bodies. The world's row is read and not written."""
    pose = work.pose
    pose[WORLD_ROW, 0], pose[WORLD_ROW, 1], pose[WORLD_ROW, 2] = 1.0, 0.0, 0.0
    work.angle[WORLD_ROW] = 0.0
    for i in range(3):
        work.w_world[WORLD_ROW, i] = 0.0
    for k in range(tree.body.shape[0]):
        child, parent = tree.body[k], tree.parent[k]
        i, j = tree.q_start[k], tree.v_start[k]
        px, pz = turn(pose, parent, plane.p_parent[k, 0], plane.p_parent[k, 1])
        for _ in range(tree.slide_count[k]):
            ex, ez = turn(pose, parent, plane.axis[j, 0], plane.axis[j, 1])
            px, pz = px + ex * q[i], pz + ez * q[i]
            i += 1
            j += 1
        angle = work.angle[parent]
        if tree.rotation[k] == ROTATION_TURN:
            angle += plane.sign[k] * (q[i] - plane.angle[k])
        work.angle[child] = angle
        c, s = cos(angle), sin(angle)
        pose[child, 0], pose[child, 1] = c, s
        rx, rz = turn(pose, child, plane.p_child[k, 0], plane.p_child[k, 1])
        x_out[child, 0] = x_out[parent, 0] + px - rx  # (2)
        x_out[child, 1] = plane.y[child]
        x_out[child, 2] = x_out[parent, 2] + pz - rz
        for n in range(3):
            first, last = plane.R[child, 0, n], plane.R[child, 2, n]
            R_out[child, 0, n] = c * first + s * last
            R_out[child, 1, n] = plane.R[child, 1, n]
            R_out[child, 2, n] = c * last - s * first
        calc_planar_child_velocity(tree, plane, k, (px, pz), (rx, rz), qd, v_out, w_out, work)


@kernel(inline=True)
def calc_planar_child_velocity(tree, plane, k, p, r, qd, v_out, w_out, work):
    """(3) for row k of the tree; p from the centre of the parent, r from that of the child, to the point."""
    px, pz = p
    rx, rz = r
    pose, w_world = work.pose, work.w_world
    child, parent = tree.body[k], tree.parent[k]
    j = tree.v_start[k]
    rate = pose[parent, 2]
    vx, vz = v_out[parent, 0] + rate * pz, v_out[parent, 2] - rate * px
    for _ in range(tree.slide_count[k]):
        ex, ez = turn(pose, parent, plane.axis[j, 0], plane.axis[j, 1])
        vx, vz = vx + ex * qd[j], vz + ez * qd[j]
        j += 1
    if tree.rotation[k] == ROTATION_TURN:
        rate += plane.sign[k] * qd[j]
    pose[child, 2] = rate
    v_out[child, 0], v_out[child, 1], v_out[child, 2] = vx - rate * rz, 0.0, vz + rate * rx
    w_world[child, 0], w_world[child, 1], w_world[child, 2] = 0.0, rate, 0.0
    for n in range(3):
        w_out[child, n] = rate * plane.R[child, 1, n]


@kernel
def calc_planar_velocities(
    # tables
    tree,
    plane,
    # in
    qd,
    x,
    # out
    v_out,
    w_out,
    # work
    work,
):
    """(3) alone, for the poses that `calc_planar_kinematics` has left."""
    for k in range(tree.body.shape[0]):
        child, parent = tree.body[k], tree.parent[k]
        rx, rz = turn(work.pose, child, plane.p_child[k, 0], plane.p_child[k, 1])
        px, pz = x[child, 0] - x[parent, 0] + rx, x[child, 2] - x[parent, 2] + rz
        calc_planar_child_velocity(tree, plane, k, (px, pz), (rx, rz), qd, v_out, w_out, work)


@kernel
def calc_poses(
    # tables
    plane,
    # in
    R,
    w,
    # work
    work,
):
    """cos, sin and rate of the angles of all bodies from an absolute state."""
    pose, w_world = work.pose, work.w_world
    pose[WORLD_ROW, 0], pose[WORLD_ROW, 1], pose[WORLD_ROW, 2] = 1.0, 0.0, 0.0
    for k in range(3):
        w_world[WORLD_ROW, k] = 0.0
    for i in range(1, pose.shape[0]):
        c = s = rate = 0.0
        for n in range(3):
            c += R[i, 0, n] * plane.R[i, 0, n]
            s += R[i, 0, n] * plane.R[i, 2, n]
            rate += w[i, n] * plane.R[i, 1, n]
        pose[i, 0], pose[i, 1], pose[i, 2] = c, s, rate
        w_world[i, 0], w_world[i, 1], w_world[i, 2] = 0.0, rate, 0.0
