"""Articulated bodies in the plane: three numbers where `recursive/articulated.py` has six.

Vectors are (x, z, about y) at the centre of mass of their body. A parent and its child, d apart, have

    A_child = T A_parent + b + sum S qdd,   T (a, alpha) = (a + alpha (d_z, -d_x), alpha)            (1)
    slide: S = (e, 0),   turn: S = sigma (-r_z, r_x, 1)                                              (2)

with e the axis and r from the child's centre to the point of the joint: B_ij1, B_ij2 of S1-5. The velocity terms b turn
nothing, and summed from the root they are accelerations B with all speeds constant (D of S1-6): with w and u the rates
of parent and child, v_rel the velocity of the point as seen from the parent,

    B_child = B_parent - w^2 (d + r) + 2 w y x v_rel + u^2 r                                         (3)

Leaf to root U = J S, D = S.U, J <- J - U U^T/D and T^T J T to the parent are K of S1-15; u = tau + S.W and
W <- W - U u/D are L of S1-16; root to leaf qdd = (u - U.A)/D is S1-18. J is stored as xx, xz, x-, zz, z-, --:

    T^T J T:  e1' = e1 + J_xx d_z - J_xz d_x,  e2' = e2 + J_xz d_z - J_zz d_x,
              h' = h + (e1 + e1') d_z - (e2 + e2') d_x                                               (4)

for the column (e1, e2, h) of the rotation.
"""

from __future__ import annotations

from grouser.formulations.planar.kinematics import turn
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import ROTATION_TURN, WORLD_ROW


@kernel
def calc_planar_factors(
    # tables
    body,
    tree,
    plane,
    # in
    x,
    # work
    work,
):
    """All that depends on the poses in `work` alone: columns, U and 1/D of all speeds."""
    pose, inertia, reach, column, effect = work.pose, work.inertia, work.reach, work.column, work.effect
    count = tree.body.shape[0]
    for i in range(1, count + 1):
        J, m = inertia[i], body.mass[i]
        J[0], J[1], J[2], J[3], J[4], J[5] = m, 0.0, 0.0, m, 0.0, plane.inertia[i]
    for n in range(6):
        inertia[WORLD_ROW, n] = 0.0
    for k in range(count - 1, -1, -1):
        child, parent = tree.body[k], tree.parent[k]
        dx, dz = x[child, 0] - x[parent, 0], x[child, 2] - x[parent, 2]
        reach[child, 0], reach[child, 1] = dx, dz
        J = inertia[child]
        a, b, e, c, f, h = J[0], J[1], J[2], J[3], J[4], J[5]
        first, last = tree.v_start[k], tree.v_start[k + 1]
        for j in range(first, last):
            if j == last - 1 and tree.rotation[k] == ROTATION_TURN:
                rx, rz = turn(pose, child, plane.p_child[k, 0], plane.p_child[k, 1])
                sign = plane.sign[k]
                s0, s1, s2 = -sign * rz, sign * rx, sign
            else:
                s0, s1 = turn(pose, parent, plane.axis[j, 0], plane.axis[j, 1])
                s2 = 0.0
            column[j, 0], column[j, 1], column[j, 2] = s0, s1, s2
            u0, u1, u2 = a * s0 + b * s1 + e * s2, b * s0 + c * s1 + f * s2, e * s0 + f * s1 + h * s2
            d = 1.0 / (s0 * u0 + s1 * u1 + s2 * u2)
            effect[j, 0], effect[j, 1], effect[j, 2], work.inverse[j] = u0, u1, u2, d
            y0, y1, y2 = d * u0, d * u1, d * u2
            a, b, e = a - u0 * y0, b - u0 * y1, e - u0 * y2
            c, f, h = c - u1 * y1, f - u1 * y2, h - u2 * y2
        P = inertia[parent]
        over_x, over_z = e + a * dz - b * dx, f + b * dz - c * dx  # (4)
        P[0] += a
        P[1] += b
        P[2] += over_x
        P[3] += c
        P[4] += over_z
        P[5] += h + (e + over_x) * dz - (f + over_z) * dx


@kernel
def calc_planar_loads(
    # tables
    body,
    tree,
    plane,
    # in
    x,
    v,
    f,
    torque,
    drag,
    # work
    work,
):
    """Accelerations B (3), loads, and the right-hand side W = load - J B of the tree."""
    pose, reach, bias, load, running = work.pose, work.reach, work.bias, work.load, work.running
    count = tree.body.shape[0]
    gx, gz = body.gravity[0], body.gravity[2]
    bias[WORLD_ROW, 0] = bias[WORLD_ROW, 1] = 0.0
    for k in range(count):
        child, parent = tree.body[k], tree.parent[k]
        rx, rz = turn(pose, child, plane.p_child[k, 0], plane.p_child[k, 1])
        dx, dz = reach[child, 0] + rx, reach[child, 1] + rz
        w, u = pose[parent, 2], pose[child, 2]
        bx = bias[parent, 0] - w * w * dx + u * u * rx
        bz = bias[parent, 1] - w * w * dz + u * u * rz
        first = tree.v_start[k]
        if tree.slide_count[k] > 0 and w != 0.0:
            sx = v[child, 0] - v[parent, 0] + u * rz - w * dz
            sz = v[child, 2] - v[parent, 2] - u * rx + w * dx
            for j in range(first, first + tree.slide_count[k]):
                ex, ez = work.column[j, 0], work.column[j, 1]
                rate = 2.0 * w * (ex * sx + ez * sz)
                bx, bz = bx + rate * ez, bz - rate * ex
        bias[child, 0], bias[child, 1] = bx, bz  # (3)
        m = body.mass[child]
        lx = f[child, 0] + m * (gx - drag * v[child, 0])
        lz = f[child, 2] + m * (gz - drag * v[child, 2])
        turning = torque[child, 1] - drag * plane.inertia[child] * u
        load[child, 0], load[child, 1], load[child, 2] = lx, lz, turning
        fx, fz, ty = calc_planar_force(body, plane, child, bx, bz, 0.0)
        running[child, 0], running[child, 1], running[child, 2] = lx - fx, lz - fz, turning - ty


@kernel(inline=True)
def calc_planar_force(body, plane, i, ax, az, turning):
    """J_body A of body i."""
    m = body.mass[i]
    fx, fz, ty = m * ax, m * az, plane.inertia[i] * turning
    return fx, fz, ty


@kernel(inline=True)
def add_planar_effort(tree, k, running_out, effort_out, work):
    """u of the speeds of row k from the running forces, and what is left of them to its parent."""
    child, parent = tree.body[k], tree.parent[k]
    g0, g1, g2 = running_out[child, 0], running_out[child, 1], running_out[child, 2]
    for j in range(tree.v_start[k], tree.v_start[k + 1]):
        S, U = work.column[j], work.effect[j]
        u = effort_out[j] + S[0] * g0 + S[1] * g1 + S[2] * g2
        effort_out[j] = u
        u *= work.inverse[j]
        g0, g1, g2 = g0 - U[0] * u, g1 - U[1] * u, g2 - U[2] * u
    dx, dz = work.reach[child, 0], work.reach[child, 1]
    running_out[parent, 0] += g0
    running_out[parent, 1] += g1
    running_out[parent, 2] += g2 + dz * g0 - dx * g1


@kernel
def calc_planar_efforts(
    # tables
    tree,
    # in
    tau,
    # work
    work,
):
    """u of all speeds from the running forces of `calc_planar_loads`, leaf to root."""
    count = tree.body.shape[0]
    for n in range(3):
        work.running[WORLD_ROW, n] = 0.0
    for j in range(tau.shape[0]):
        work.effort[j] = tau[j]
    for k in range(count - 1, -1, -1):
        add_planar_effort(tree, k, work.running, work.effort, work)


@kernel
def calc_planar_responses(
    # tables
    tree,
    # out
    qdd_out,
    # work
    work,
):
    """Accelerations of all speeds, and of the bodies into `work.response`, root to leaf."""
    response, reach = work.response, work.reach
    count = tree.body.shape[0]
    for n in range(3):
        response[WORLD_ROW, n] = 0.0
    for k in range(count):
        child, parent = tree.body[k], tree.parent[k]
        dx, dz = reach[child, 0], reach[child, 1]
        turning = response[parent, 2]
        ax, az = response[parent, 0] + turning * dz, response[parent, 1] - turning * dx
        for j in range(tree.v_start[k + 1] - 1, tree.v_start[k] - 1, -1):
            S, U = work.column[j], work.effect[j]
            qdd = work.inverse[j] * (work.effort[j] - (U[0] * ax + U[1] * az + U[2] * turning))
            qdd_out[j] = qdd
            ax, az, turning = ax + S[0] * qdd, az + S[1] * qdd, turning + S[2] * qdd
        response[child, 0], response[child, 1], response[child, 2] = ax, az, turning
