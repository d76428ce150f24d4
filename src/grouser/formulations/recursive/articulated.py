"""Articulated bodies: accelerations of a tree in one sweep from leaf to root and one back, O(number of bodies).

All six-vectors are (linear, angular) in world axes at the centre of mass of their body, so that Newton and Euler keep
their plain form and what comes out are the accelerations of the state. A body and the subtree that it carries resist an
acceleration A by the force J A, J the articulated inertia. Between a parent and its child, d apart,

    A_child = T A_parent + b + sum over speeds S qdd,    T (v, w) = (v + w x d, w)                 (1)

The velocity terms b (`velocity.py`) are summed from root to leaf first: B, the accelerations with all speeds constant.
What is left is a linear system in A - B, with the right-hand side

    W = (f + m g, torque - w x (I w)) - J_body B                                                   (2)

Leaf to root, for each speed of the joint in turn (as if massless bodies stood between them: the same as eliminating the
joint's speeds in a block, without a matrix to invert),

    U = J S,   D = S . U,   J <- J - U U^T/D                                                       (3)
    u = tau + S . W,        W <- W - U u/D                                                         (4)

then J_parent += T^T J T, W_parent += T^T W. Root to leaf, with the speeds in the opposite order,

    A = T A_parent;   qdd = (u - U . A)/D,   A <- A + S qdd                                        (5)

Source: the articulated-body passes S4-4, 6, 7, in world axes. (3) depends on the pose alone; (4) and (5) may be called
with any right-hand side.

J is stored by 21 numbers, those of C (6), E (9), H (6) in

    J = [C E; E^T H],     T^T J T = [C E'; E'^T H'],   E' = E - C [d],   H' = H - E^T [d] + [d] E'   (6)

with [d] the matrix of the cross product; symmetric blocks as 00, 01, 02, 11, 12, 22.

Steps that are linearly implicit add forces that depend on the acceleration: J_body gains a symmetric block on (a, dw)
of the body, dw in body axes, and D a number, for forces along qdd. Arrays of length zero stand for none.
"""

from __future__ import annotations

from grouser.formulations.recursive.velocity import calc_bias, calc_loads
from grouser.kernels._jit import kernel
from grouser.kernels.joints.mobility import calc_point, calc_speed_axis
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.spatial import cross, rotate, rotate_back


@kernel(inline=True)
def calc_joint_columns(tree, k, x, R, work):
    """The reach d of the body of row k, and the columns S of its speeds: mobility.py, (3)."""
    reach, column = work.reach, work.column
    child, parent = tree.body[k], tree.parent[k]
    reach[child, 0] = x[child, 0] - x[parent, 0]
    reach[child, 1] = x[child, 1] - x[parent, 1]
    reach[child, 2] = x[child, 2] - x[parent, 2]
    first = tree.v_start[k]
    slides = first + tree.slide_count[k]
    for j in range(first, slides):
        column[j, 0], column[j, 1], column[j, 2] = calc_speed_axis(tree, R, j)
        column[j, 3] = column[j, 4] = column[j, 5] = 0.0
    rx, ry, rz = calc_point(tree.p_child, k, R, child)
    for j in range(slides, tree.v_start[k + 1]):
        ex, ey, ez = calc_speed_axis(tree, R, j)
        column[j, 0], column[j, 1], column[j, 2] = cross(rx, ry, rz, ex, ey, ez)
        column[j, 3], column[j, 4], column[j, 5] = ex, ey, ez


@kernel
def calc_columns(
    # tables
    tree,
    # in
    x,
    R,
    # work
    work,
):
    """The reach d of all bodies and the columns S of all speeds: mobility.py, (3)."""
    for k in range(tree.body.shape[0]):
        calc_joint_columns(tree, k, x, R, work)


@kernel
def calc_inertias(
    # tables
    body,
    # in
    R,
    # work
    work,
):
    """J of the bodies on their own."""
    inertia = work.inertia
    for k in range(inertia.shape[1]):
        inertia[WORLD_ROW, k] = 0.0
    for i in range(1, body.mass.shape[0]):
        J = inertia[i]
        m = body.mass[i]
        J[0], J[3], J[5] = m, m, m
        J[1] = J[2] = J[4] = 0.0
        for k in range(6, 15):
            J[k] = 0.0
        # H = R I R^T; (ax, ay, az) is a row of R I
        r00, r01, r02 = R[i, 0, 0], R[i, 0, 1], R[i, 0, 2]
        r10, r11, r12 = R[i, 1, 0], R[i, 1, 1], R[i, 1, 2]
        r20, r21, r22 = R[i, 2, 0], R[i, 2, 1], R[i, 2, 2]
        ax, ay, az = rotate(body.inertia, i, r00, r01, r02)
        J[15] = ax * r00 + ay * r01 + az * r02
        J[16] = ax * r10 + ay * r11 + az * r12
        J[17] = ax * r20 + ay * r21 + az * r22
        ax, ay, az = rotate(body.inertia, i, r10, r11, r12)
        J[18] = ax * r10 + ay * r11 + az * r12
        J[19] = ax * r20 + ay * r21 + az * r22
        ax, ay, az = rotate(body.inertia, i, r20, r21, r22)
        J[20] = ax * r20 + ay * r21 + az * r22


@kernel(inline=True)
def add_shifted_inertia(C, E, H, x, y, z, P_out):
    """(6): add T^T J T for d = (x, y, z) to a row of inertias; blocks as tuples."""
    c00, c01, c02, c11, c12, c22 = C
    e00, e01, e02, e10, e11, e12, e20, e21, e22 = E
    h00, h01, h02, h11, h12, h22 = H
    P_out[0] += c00
    P_out[1] += c01
    P_out[2] += c02
    P_out[3] += c11
    P_out[4] += c12
    P_out[5] += c22
    # (6): E' = E - C [d]
    p00, p01, p02 = e00 - c01 * z + c02 * y, e01 + c00 * z - c02 * x, e02 - c00 * y + c01 * x
    p10, p11, p12 = e10 - c11 * z + c12 * y, e11 + c01 * z - c12 * x, e12 - c01 * y + c11 * x
    p20, p21, p22 = e20 - c12 * z + c22 * y, e21 + c02 * z - c22 * x, e22 - c02 * y + c12 * x
    P_out[6] += p00
    P_out[7] += p01
    P_out[8] += p02
    P_out[9] += p10
    P_out[10] += p11
    P_out[11] += p12
    P_out[12] += p20
    P_out[13] += p21
    P_out[14] += p22
    # H' = H - E^T [d] + [d] E'
    P_out[15] += h00 - e10 * z + e20 * y - z * p10 + y * p20
    P_out[16] += h01 + e00 * z - e20 * x - z * p11 + y * p21
    P_out[17] += h02 - e00 * y + e10 * x - z * p12 + y * p22
    P_out[18] += h11 + e01 * z - e21 * x + z * p01 - x * p21
    P_out[19] += h12 - e01 * y + e11 * x + z * p02 - x * p22
    P_out[20] += h22 - e02 * y + e12 * x - y * p02 + x * p12


@kernel(inline=True)
def add_eliminated(tree, k, work):
    """(3) and (6) for row k of the tree: U and 1/D of its speeds, and what is left of its inertia to its parent."""
    inertia, column, effect, inverse, reach = work.inertia, work.column, work.effect, work.inverse, work.reach
    child, parent = tree.body[k], tree.parent[k]
    J = inertia[child]
    c00, c01, c02, c11, c12, c22 = J[0], J[1], J[2], J[3], J[4], J[5]
    e00, e01, e02 = J[6], J[7], J[8]
    e10, e11, e12 = J[9], J[10], J[11]
    e20, e21, e22 = J[12], J[13], J[14]
    h00, h01, h02, h11, h12, h22 = J[15], J[16], J[17], J[18], J[19], J[20]
    for j in range(tree.v_start[k], tree.v_start[k + 1]):
        s0, s1, s2 = column[j, 0], column[j, 1], column[j, 2]
        s3, s4, s5 = column[j, 3], column[j, 4], column[j, 5]
        # (3)
        u0 = c00 * s0 + c01 * s1 + c02 * s2 + e00 * s3 + e01 * s4 + e02 * s5
        u1 = c01 * s0 + c11 * s1 + c12 * s2 + e10 * s3 + e11 * s4 + e12 * s5
        u2 = c02 * s0 + c12 * s1 + c22 * s2 + e20 * s3 + e21 * s4 + e22 * s5
        u3 = e00 * s0 + e10 * s1 + e20 * s2 + h00 * s3 + h01 * s4 + h02 * s5
        u4 = e01 * s0 + e11 * s1 + e21 * s2 + h01 * s3 + h11 * s4 + h12 * s5
        u5 = e02 * s0 + e12 * s1 + e22 * s2 + h02 * s3 + h12 * s4 + h22 * s5
        d = s0 * u0 + s1 * u1 + s2 * u2 + s3 * u3 + s4 * u4 + s5 * u5
        d = 1.0 / d
        effect[j, 0], effect[j, 1], effect[j, 2] = u0, u1, u2
        effect[j, 3], effect[j, 4], effect[j, 5] = u3, u4, u5
        inverse[j] = d
        y0, y1, y2, y3, y4, y5 = d * u0, d * u1, d * u2, d * u3, d * u4, d * u5
        c00, c01, c02 = c00 - u0 * y0, c01 - u0 * y1, c02 - u0 * y2
        c11, c12, c22 = c11 - u1 * y1, c12 - u1 * y2, c22 - u2 * y2
        e00, e01, e02 = e00 - u0 * y3, e01 - u0 * y4, e02 - u0 * y5
        e10, e11, e12 = e10 - u1 * y3, e11 - u1 * y4, e12 - u1 * y5
        e20, e21, e22 = e20 - u2 * y3, e21 - u2 * y4, e22 - u2 * y5
        h00, h01, h02 = h00 - u3 * y3, h01 - u3 * y4, h02 - u3 * y5
        h11, h12, h22 = h11 - u4 * y4, h12 - u4 * y5, h22 - u5 * y5
    C = (c00, c01, c02, c11, c12, c22)
    E = (e00, e01, e02, e10, e11, e12, e20, e21, e22)
    H = (h00, h01, h02, h11, h12, h22)
    add_shifted_inertia(C, E, H, reach[child, 0], reach[child, 1], reach[child, 2], inertia[parent])


@kernel
def calc_eliminated(
    # tables
    tree,
    # in
    # work
    work,
):
    """(3) and (6): U and 1/D of all speeds, leaf to root."""
    for k in range(tree.body.shape[0] - 1, -1, -1):
        add_eliminated(tree, k, work)


@kernel(stage=True)
def calc_factors(
    # tables
    body,
    tree,
    # in
    x,
    R,
    # work
    work,
):
    """All that depends on the pose alone; it serves any number of right-hand sides.

    Parameters
    ----------
    """
    calc_columns(tree, x, R, work)
    calc_inertias(body, R, work)
    calc_eliminated(tree, work)


@kernel(inline=True)
def add_effort(tree, k, running_out, effort_out, work):
    """(4) for row k of the tree: add S . W to the efforts of its speeds, and what is left of W to its parent."""
    child, parent = tree.body[k], tree.parent[k]
    g0, g1, g2 = running_out[child, 0], running_out[child, 1], running_out[child, 2]
    g3, g4, g5 = running_out[child, 3], running_out[child, 4], running_out[child, 5]
    for j in range(tree.v_start[k], tree.v_start[k + 1]):
        S, U = work.column[j], work.effect[j]
        u = effort_out[j] + S[0] * g0 + S[1] * g1 + S[2] * g2 + S[3] * g3 + S[4] * g4 + S[5] * g5
        effort_out[j] = u
        u *= work.inverse[j]
        g0, g1, g2 = g0 - U[0] * u, g1 - U[1] * u, g2 - U[2] * u
        g3, g4, g5 = g3 - U[3] * u, g4 - U[4] * u, g5 - U[5] * u
    x, y, z = work.reach[child, 0], work.reach[child, 1], work.reach[child, 2]
    running_out[parent, 0] += g0
    running_out[parent, 1] += g1
    running_out[parent, 2] += g2
    running_out[parent, 3] += g3 + y * g2 - z * g1
    running_out[parent, 4] += g4 + z * g0 - x * g2
    running_out[parent, 5] += g5 + x * g1 - y * g0


@kernel
def calc_efforts(
    # tables
    tree,
    # in
    wrench,
    tau,
    # work
    work,
):
    """(4): u of all speeds from forces on the bodies and along the speeds, leaf to root."""
    running, effort = work.running, work.effort
    count = tree.body.shape[0]
    for i in range(1, count + 1):
        for j in range(6):
            running[i, j] = wrench[i, j]
    for j in range(tau.shape[0]):
        effort[j] = tau[j]
    for k in range(count - 1, -1, -1):
        add_effort(tree, k, running, effort, work)


@kernel(inline=True)
def calc_joint_response(tree, k, qdd_out, response_out, work):
    """(5) for row k of the tree; the response of its parent must be there."""
    column, effect, inverse, reach, effort = work.column, work.effect, work.inverse, work.reach, work.effort
    child, parent = tree.body[k], tree.parent[k]
    x, y, z = reach[child, 0], reach[child, 1], reach[child, 2]
    a3, a4, a5 = response_out[parent, 3], response_out[parent, 4], response_out[parent, 5]
    a0 = response_out[parent, 0] + a4 * z - a5 * y
    a1 = response_out[parent, 1] + a5 * x - a3 * z
    a2 = response_out[parent, 2] + a3 * y - a4 * x
    for j in range(tree.v_start[k + 1] - 1, tree.v_start[k] - 1, -1):
        S, U = column[j], effect[j]
        resisted = U[0] * a0 + U[1] * a1 + U[2] * a2 + U[3] * a3 + U[4] * a4 + U[5] * a5
        qdd = inverse[j] * (effort[j] - resisted)
        qdd_out[j] = qdd
        a0, a1, a2 = a0 + S[0] * qdd, a1 + S[1] * qdd, a2 + S[2] * qdd
        a3, a4, a5 = a3 + S[3] * qdd, a4 + S[4] * qdd, a5 + S[5] * qdd
    response_out[child, 0], response_out[child, 1], response_out[child, 2] = a0, a1, a2
    response_out[child, 3], response_out[child, 4], response_out[child, 5] = a3, a4, a5


@kernel
def calc_responses(
    # tables
    tree,
    # out
    qdd_out,
    response_out,
    # work
    work,
):
    """(5): accelerations from the efforts, root to leaf."""
    count = tree.body.shape[0]
    for j in range(6):
        response_out[WORLD_ROW, j] = 0.0
    for k in range(count):
        calc_joint_response(tree, k, qdd_out, response_out, work)


@kernel
def solve_response(
    # tables
    tree,
    # in
    wrench,
    tau,
    # out
    qdd_out,
    response_out,
    # work
    work,
):
    """What forces alone do, without velocity terms, by the factors of `calc_factors`.

    Also impulses and changes of velocity, or what else is related by the inertia of the tree.

    Parameters
    ----------
    wrench : (n + 1, 6) force and torque about the centre of mass of each body, world axes
    tau : (speeds,) forces along the speeds
    qdd_out : (speeds,) accelerations of the speeds
    response_out : (n + 1, 6) accelerations of the bodies, linear and angular, world axes
    """
    calc_efforts(tree, wrench, tau, work)
    calc_responses(tree, qdd_out, response_out, work)


@kernel
def calc_accelerations(
    # in
    R,
    response,
    bias,
    # out
    a_out,
    dw_out,
):
    """A = (A - B) + B, as accelerations of the state: a in world axes, dw in body axes."""
    for i in range(1, R.shape[0]):
        a_out[i, 0] = response[i, 0] + bias[i, 0]
        a_out[i, 1] = response[i, 1] + bias[i, 1]
        a_out[i, 2] = response[i, 2] + bias[i, 2]
        ax, ay, az = response[i, 3] + bias[i, 3], response[i, 4] + bias[i, 4], response[i, 5] + bias[i, 5]
        dw_out[i, 0], dw_out[i, 1], dw_out[i, 2] = rotate_back(R, i, ax, ay, az)


@kernel
def calc_articulated(
    # tables
    body,
    # in
    instant,
    drag,
    # out
    qdd_out,
    # work
    tree_work,
    work,
):
    """Accelerations of a tree at an absolute state on which its joints hold.

    The factors stay in `tree_work.work` for `solve_response`, and the loads for `newton_euler.calc_joint_wrenches`.

    Parameters
    ----------
    drag : damping of all velocities [1/s]
    qdd_out : (speeds,)
    tree_work : the tree; tau (speeds,) are forces along the speeds of its joints
    work : f, torque (n + 1, 3) are forces on the bodies and torques about their centres, world axes, without gravity;
        a, dw (n + 1, 3) get the accelerations, world axes, body axes; the row of the world is not written
    """
    _, x, R, v, w, _ = instant
    tree, scratch = tree_work.tree, tree_work.work
    calc_factors(body, tree, x, R, scratch)
    calc_bias(tree, x, R, v, w, scratch)
    calc_loads(body, R, v, w, work.f, work.torque, drag, scratch)
    calc_efforts(tree, scratch.wrench, tree_work.tau, scratch)
    calc_responses(tree, qdd_out, scratch.response, scratch)
    calc_accelerations(R, scratch.response, scratch.bias, work.a, work.dw)
