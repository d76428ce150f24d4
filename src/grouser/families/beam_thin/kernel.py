"""Thin beam on three point nodes: two half trusses and a bending spring at the middle node, without torsion.

An element reaches from the middle of the edge 1-2 to the middle of the edge 2-3. With the edges e_1 = x_2 - x_1,
e_2 = x_3 - x_2, their lengths l_1, l_2 (L_1, L_2 undeformed), directions t_1, t_2 and pre-strain eps_0,

    eps_k = l_k/L_k - 1 - eps_0,   N_k = EA (eps_k + T_a (dl_k/dt)/L_k)                                   (1)  S0-9

A half truss is pulled by N_k. One of its ends is a node, the other one the middle of the edge, which hands half of its
force to each node of the edge: so it pulls both nodes with N_k/2, and stores EA L_k/4 eps_k^2. In a chain the next
element brings the other half of the edge. The edge at a free end belongs to one element only. So a half truss has a
weight g_k: 1 where two elements share the edge, 2 where one element has it alone (`calc_edge_weights` of `table.py`):

    force of the edge k on its nodes g_k N_k/2,   stored g_k EA L_k/4 eps_k^2                             (2)

The half edge beyond the last element is not bent. An end that is clamped, or loaded by a couple, is at the middle of an
edge; an end that is free, or loaded by a force, is at a node.

Bending, with the angle alpha from t_1 to t_2, alpha_0 of the shape without stress, L = (L_1 + L_2)/2, k = EI/L:

    M = k (alpha - alpha_0) + k T_b d(alpha)/dt,   force on a node -M d(alpha)/dx                         (3)  S0-10

With c = cos(alpha) = t_1.t_2, the gradients on the edges are

    d c/d e_1 = a_1 = (t_2 - c t_1)/l_1,   d c/d e_2 = a_2 = (t_1 - c t_2)/l_2,   d alpha = -d c/sin(alpha)   (4)

They do not tell directions apart where the beam is straight, but M/sin(alpha) has a limit if alpha_0 = 0. With
z = tan(alpha/2)^2 = |t_1 x t_2|^2/(1 + c)^2 and eta = alpha/sin(alpha) = 1 + z psi(z) of `kernels/turn.py`,

    M/sin(alpha) = k eta                                                                                  (5)

is smooth for all alpha < pi, exact at alpha = 0, and needs no inverse function where alpha is small. A straight beam
bends in any direction: the stiffness is the same in all of them.

DIFFERS: for alpha_0 > 0, (3) has a tip at alpha = 0. That is how a beam without torsional stiffness behaves: its
section turns about its axis so that its own curvature lies in the plane of the bending, whichever that is. The energy
is rounded off at the tip, with a radius b = BLUNT alpha_0:

    W = k' (Q - Q_0)^2/2,  Q = sqrt(alpha^2 + b^2),  Q_0 = sqrt(alpha_0^2 + b^2),  k' = k (Q_0/alpha_0)^2
    M = k' (1 - Q_0/Q) alpha                                                                              (6)

which has the moment zero and the slope k at alpha_0, and lies within a thousandth of k alpha_0 of (3) for alpha from
alpha_0/2 to 2 alpha_0. So an element with alpha_0 > 0 should not be asked to stay at alpha = 0, where it is unstable.

DIFFERS: the damping of (3), k T_b d(alpha)/dt, has no direction where the beam is straight. There (alpha < NO_ANGLE)
both directions are damped, by the rate of t_2 - t_1 instead of that of alpha. In motion in a plane that is the limit of
(3). Elsewhere (3) holds: a beam that turns as a whole is not damped.

Tangent, with mu = M/sin(alpha), so that dW/dc = -mu, and the projections P_k = 1 - t_k t_k^T:

    d^2 W = (d mu/d alpha)/sin(alpha) grad c grad c^T - mu d^2 c
    d^2 c/(d e_1 d e_1) = -(t_1 a_1^T + a_1 t_1^T)/l_1 - c P_1/l_1^2,   d^2 c/(d e_1 d e_2) = P_1 P_2/(l_1 l_2)      (7)
    (d mu/d alpha)/sin(alpha) = k eta_z (1 + z)^2/2,   for (6) k' ((1 - Q_0/Q) eta_z (1 + z)^2/2 + Q_0 eta^2/Q^3)    (8)
    d^2 of (2): g_k EA/(2 L_k) t_k t_k^T + g_k N_k/(2 l_k) P_k                                            (9)

With A, B, D the parts of (7), (9) on (e_1, e_1), (e_1, e_2), (e_2, e_2), the nodes have

    [A, B - A, -B; ., A - B - B^T + D, B - D; ., ., D]                                                    (10)
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.matrix import dyad, outer, plus, product, times, transpose
from grouser.kernels.spatial import cross
from grouser.kernels.turn import calc_turn_excess

BLUNT = 0.02
"""Radius of the tip of (6), as a share of alpha_0."""

NO_ANGLE = 1e-10
"""Angle [rad] below which a beam counts as straight for its damping."""


@kernel(inline=True)
def _calc_edge(x, a, b):
    """Direction and length of the edge from row a to row b."""
    ex, ey, ez = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    length = sqrt(ex * ex + ey * ey + ez * ez)
    inverse = 1.0 / length
    return ex * inverse, ey * inverse, ez * inverse, length, inverse


@kernel(inline=True)
def _calc_bend(EI, span, angle, z):
    """Stored energy, mu = M/sin(alpha), its slope (8), alpha and eta."""
    psi = calc_turn_excess(z)
    eta = 1.0 + z * psi
    share = eta / (1.0 + z)
    square = 4.0 * z * share * share
    k = EI / span
    rise = 0.5 * (share - 0.5 * psi) * (1.0 + z) * (1.0 + z)
    if angle > 0.0:
        # (6)
        k *= 1.0 + BLUNT * BLUNT
        inverse = 1.0 / sqrt(square + BLUNT * BLUNT * angle * angle)
        least = angle * sqrt(1.0 + BLUNT * BLUNT)
        part = 1.0 - least * inverse
        off = part / inverse
        slope = k * (part * rise + least * eta * eta * inverse * inverse * inverse)
        return 0.5 * k * off * off, k * part * eta, slope, sqrt(square), eta
    return 0.5 * k * square, k * eta, k * rise, sqrt(square), eta  # (5)


@kernel
def add_thin_beam_forces(
    # tables
    table,
    # in
    x,
    v,
    # out
    f_out,
    section_out,
):
    """Add the forces (2), (3) of all thin beams, and return the stored energy [J] and the dissipated power [W].

    Parameters
    ----------
    table : `ThinBeamTable`
    x, v : (rows, 3) nodes [m] and their velocities [m/s], world axes
    f_out : (rows, 3) forces on the nodes [N], world axes; added to
    section_out : (n, 3) axial force, the mean of both halves [N], bending moment [N m], both with damping, and
        curvature alpha/L [1/m]; overwritten
    """
    stored = 0.0
    dissipated = 0.0
    for i in range(table.node.shape[0]):
        n_1, n_2, n_3 = table.node[i, 0], table.node[i, 1], table.node[i, 2]
        L_1, L_2 = table.length[i, 0], table.length[i, 1]
        g_1, g_2 = 0.5 * table.weight[i, 0], 0.5 * table.weight[i, 1]
        EA, pre = table.EA[i], 1.0 + table.pre_strain[i]
        px, py, pz, l_1, i_1 = _calc_edge(x, n_1, n_2)
        qx, qy, qz, l_2, i_2 = _calc_edge(x, n_2, n_3)
        cosine = px * qx + py * qy + pz * qz
        cx, cy, cz = cross(px, py, pz, qx, qy, qz)
        sine_2 = cx * cx + cy * cy + cz * cz
        eps_1, eps_2 = l_1 / L_1 - pre, l_2 / L_2 - pre
        N_1, N_2 = EA * eps_1, EA * eps_2  # (1)
        span = 0.5 * (L_1 + L_2)
        energy, mu, _, alpha, eta = _calc_bend(table.EI[i], span, table.angle[i], sine_2 / ((1.0 + cosine) ** 2))
        stored += energy + 0.5 * (g_1 * L_1 * N_1 * eps_1 + g_2 * L_2 * N_2 * eps_2)  # (2)
        moment = mu * alpha / eta
        # (4), without the factor 1/l, which comes with the forces
        ax, ay, az = qx - cosine * px, qy - cosine * py, qz - cosine * pz
        bx, by, bz = px - cosine * qx, py - cosine * qy, pz - cosine * qz
        sx, sy, sz, tx, ty, tz = mu * ax, mu * ay, mu * az, mu * bx, mu * by, mu * bz
        if table.is_damped[i] != 0:
            ux, uy, uz = v[n_2, 0] - v[n_1, 0], v[n_2, 1] - v[n_1, 1], v[n_2, 2] - v[n_1, 2]
            wx, wy, wz = v[n_3, 0] - v[n_2, 0], v[n_3, 1] - v[n_2, 1], v[n_3, 2] - v[n_2, 2]
            d_1, d_2 = px * ux + py * uy + pz * uz, qx * wx + qy * wy + qz * wz
            c_a = EA * table.time_axial[i]
            N_1, N_2 = N_1 + c_a * d_1 / L_1, N_2 + c_a * d_2 / L_2
            dissipated += c_a * (g_1 * d_1 * d_1 / L_1 + g_2 * d_2 * d_2 / L_2)
            c_b = table.EI[i] * table.time_bending[i] / span
            if sine_2 > NO_ANGLE * NO_ANGLE:
                rate = -(i_1 * (ax * ux + ay * uy + az * uz) + i_2 * (bx * wx + by * wy + bz * wz))  # sin(alpha) alpha'
                share = c_b * rate / sine_2
                moment += share * sqrt(sine_2)
                dissipated += share * rate
                sx, sy, sz = sx + share * ax, sy + share * ay, sz + share * az
                tx, ty, tz = tx + share * bx, ty + share * by, tz + share * bz
            else:
                # the rate of t_2 - t_1, across the beam
                rx = i_2 * (wx - d_2 * qx) - i_1 * (ux - d_1 * px)
                ry = i_2 * (wy - d_2 * qy) - i_1 * (uy - d_1 * py)
                rz = i_2 * (wz - d_2 * qz) - i_1 * (uz - d_1 * pz)
                square = rx * rx + ry * ry + rz * rz
                moment += c_b * sqrt(square)
                dissipated += c_b * square
                along, beyond = px * rx + py * ry + pz * rz, qx * rx + qy * ry + qz * rz
                sx, sy, sz = sx + c_b * (rx - along * px), sy + c_b * (ry - along * py), sz + c_b * (rz - along * pz)
                tx, ty, tz = tx - c_b * (rx - beyond * qx), ty - c_b * (ry - beyond * qy), tz - c_b * (rz - beyond * qz)
        section_out[i, 0], section_out[i, 1], section_out[i, 2] = 0.5 * (N_1 + N_2), moment, alpha / span
        # forces of the edges on their first nodes; (3) with (4)
        F_1, F_2 = g_1 * N_1, g_2 * N_2
        sx, sy, sz = F_1 * px - i_1 * sx, F_1 * py - i_1 * sy, F_1 * pz - i_1 * sz
        tx, ty, tz = F_2 * qx - i_2 * tx, F_2 * qy - i_2 * ty, F_2 * qz - i_2 * tz
        f_out[n_1, 0] += sx
        f_out[n_1, 1] += sy
        f_out[n_1, 2] += sz
        f_out[n_2, 0] += tx - sx
        f_out[n_2, 1] += ty - sy
        f_out[n_2, 2] += tz - sz
        f_out[n_3, 0] -= tx
        f_out[n_3, 1] -= ty
        f_out[n_3, 2] -= tz
    return stored, dissipated


@kernel(inline=True)
def _write_nodes(A, B, D, K_out):
    """(10)."""
    minus = times(-1.0, B)
    first, last = plus(B, times(-1.0, A)), plus(B, times(-1.0, D))
    middle = plus(plus(A, D), plus(minus, transpose(minus)))
    for row in range(3):
        for column in range(3):
            k, m = 3 * row + column, 3 * column + row
            K_out[row, column], K_out[row + 3, column + 3], K_out[row + 6, column + 6] = A[k], middle[k], D[k]
            K_out[row, column + 3], K_out[row + 3, column] = first[k], first[m]
            K_out[row, column + 6], K_out[row + 6, column] = minus[k], minus[m]
            K_out[row + 3, column + 6], K_out[row + 6, column + 3] = last[k], last[m]


@kernel(inline=True)
def _across(s, x, y, z):
    """s (1 - t t^T)."""
    return (
        s - s * x * x,
        -s * x * y,
        -s * x * z,
        -s * x * y,
        s - s * y * y,
        -s * y * z,
        -s * x * z,
        -s * y * z,
        s - s * z * z,
    )


@kernel
def calc_thin_beam_tangent(
    # tables
    table,
    # in
    i,
    x,
    geometric,
    # out
    K_out,
    C_out,
):
    """Stiffness and damping matrices of element i on the velocities of its three nodes, world axes.

    Parameters
    ----------
    table : `ThinBeamTable`
    i : index of the element
    x : (rows, 3) nodes [m], world axes
    geometric : 1 for the exact tangent. 0 for one without negative eigenvalues: no change of direction of the axial
        forces, and k |d(t_2 - t_1)|^2 instead of (7), the same at alpha = alpha_0 = 0 and stiffer elsewhere
    K_out : (9, 9) minus the slopes of the forces on positions, at rest; overwritten
    C_out : (9, 9) minus their slopes on velocities, exact; overwritten
    """
    n_1, n_2, n_3 = table.node[i, 0], table.node[i, 1], table.node[i, 2]
    L_1, L_2 = table.length[i, 0], table.length[i, 1]
    EA, pre = table.EA[i], 1.0 + table.pre_strain[i]
    px, py, pz, l_1, i_1 = _calc_edge(x, n_1, n_2)
    qx, qy, qz, l_2, i_2 = _calc_edge(x, n_2, n_3)
    c = px * qx + py * qy + pz * qz
    cx, cy, cz = cross(px, py, pz, qx, qy, qz)
    sine_2 = cx * cx + cy * cy + cz * cz
    span = 0.5 * (L_1 + L_2)
    ax, ay, az = i_1 * (qx - c * px), i_1 * (qy - c * py), i_1 * (qz - c * pz)
    bx, by, bz = i_2 * (px - c * qx), i_2 * (py - c * qy), i_2 * (pz - c * qz)
    m_1, m_2 = 0.5 * table.weight[i, 0] * EA, 0.5 * table.weight[i, 1] * EA
    turned = times(i_1 * i_2, product(_across(1.0, px, py, pz), _across(1.0, qx, qy, qz)))
    A, D = outer(m_1 / L_1, px, py, pz), outer(m_2 / L_2, qx, qy, qz)
    if geometric != 0.0:
        _, mu, slope, _, _ = _calc_bend(table.EI[i], span, table.angle[i], sine_2 / ((1.0 + c) * (1.0 + c)))
        # (9), and what of (7) looks like it
        A = plus(A, _across(m_1 * (l_1 / L_1 - pre) * i_1 + mu * c * i_1 * i_1, px, py, pz))
        D = plus(D, _across(m_2 * (l_2 / L_2 - pre) * i_2 + mu * c * i_2 * i_2, qx, qy, qz))
        mixed = dyad(mu * i_1, px, py, pz, ax, ay, az)
        A = plus(plus(A, outer(slope, ax, ay, az)), plus(mixed, transpose(mixed)))
        mixed = dyad(mu * i_2, qx, qy, qz, bx, by, bz)
        D = plus(plus(D, outer(slope, bx, by, bz)), plus(mixed, transpose(mixed)))
        B = plus(dyad(slope, ax, ay, az, bx, by, bz), times(-mu, turned))
    else:
        k = table.EI[i] / span
        A = plus(A, _across(k * i_1 * i_1, px, py, pz))
        D = plus(D, _across(k * i_2 * i_2, qx, qy, qz))
        B = times(-k, turned)
    _write_nodes(A, B, D, K_out)
    c_a, c_b = table.time_axial[i], table.EI[i] * table.time_bending[i] / span
    A, D = outer(c_a * m_1 / L_1, px, py, pz), outer(c_a * m_2 / L_2, qx, qy, qz)
    if sine_2 > NO_ANGLE * NO_ANGLE:
        share = c_b / sine_2
        A, D = plus(A, outer(share, ax, ay, az)), plus(D, outer(share, bx, by, bz))
        B = dyad(share, ax, ay, az, bx, by, bz)
    else:
        A = plus(A, _across(c_b * i_1 * i_1, px, py, pz))
        D = plus(D, _across(c_b * i_2 * i_2, qx, qy, qz))
        B = times(-c_b, turned)
    _write_nodes(A, B, D, C_out)
