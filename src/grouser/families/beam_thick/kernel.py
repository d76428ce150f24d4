"""Thick beam between two rigid bodies: axial force, two shears, torsion and two bendings, at the centre of the element.

Body 1 carries the beam's frame F_1 and the lever p_1 from its centre of mass to the centre point of the element, both
in its own axes; body 2 likewise. Undeformed, both frames and both centre points coincide: X along the beam, Y and Z the
axes of the section. In motion

    B_1 = R_1 F_1,  B_2 = R_2 F_2,  r_1 = R_1 p_1,  r_2 = R_2 p_2,  U = x_2 + r_2 - x_1 - r_1             (1)  S0-15
    exp(skew(theta)) = B_1^T B_2,   A = B_1 exp(skew(theta/2)),   d = A^T U                               (2)

and with the length l and D = diag(EA, GA_y, GA_z), E = diag(GJ, EI_y, EI_z), GA with the shear factor of the section,
the stored energy is

    W = (d - l e).D (d - l e)/(2 l) + theta.E theta/(2 l)                                                 (3)

e = (e_x, 0, 0) an axial pre-strain. (3) is S0-11..14 with G J instead of the misprinted E J, linear in strains for
finite rotations, evaluated at one point: pure bending makes no shear, so there is no shear locking.

DIFFERS: S0 takes X along x_2 - x_1, and Y and Z from averages. Its force law is then not the gradient of an energy, and
its axes do not turn as the springs do. A is the mean rotation of both nodes: it is objective, it treats both alike, and
(3) has an exact gradient. In the limit of short elements the two are the same beam (Simo and Reissner's).

Half of theta has the quaternion (q_0, q), from the trace and the skew part of Q = B_1^T B_2. Let p = |theta|/2, so that
q_0 = cos(p), |q| = sin(p); z = tan(p/2)^2 = q.q/(1 + q_0)^2; psi of `kernels/turn.py`, and eta = p/sin(p) = 1 + z psi:

    theta = 2 eta q                                                                                       (4)
    A = (B_1 + B_2)/2 (1/q_0 - q q^T/(q_0 (1 + q_0)))                                                     (5)

since B_1 + B_2 = A (exp(-theta/2) + exp(theta/2)). For small rotations phi_1, phi_2 of the bodies and y = A^T (phi_2 -
phi_1), all in the axes A (phi of the frame A itself likewise):

    d theta = H y,   H = eta 1 - (1 + z)^2 psi/4 q q^T,   phi = (phi_1 + phi_2)/2 - h x y,   h = q/(2 (1 + q_0))   (6)
    d d = A^T (dx_2 + phi_2 x r_2 - dx_1 - phi_1 x r_1) - phi x d                                         (7)

H is symmetric because A lies in the middle. With F = D (d/l - e), M = E theta/l, C = d x F, minus the gradient of (3)
is

    f = A F,   n = A (H M + C x h)                                                                        (8)
    force -f, torque -(r_2 - U/2) x f - n on body 2;   force f, torque (r_1 + U/2) x f + n on body 1      (9)

The force acts at the point half way between the two centre points: forces and moments balance exactly. Damping adds the
rates, with a time T for each strain, F_i + T_i D_i/l d d_i/dt, where (6) and (7) with velocities give the rates; its
power is -sum of T_i D_i/l (d d_i/dt)^2.

Valid for |theta| < pi between two nodes, beyond which the shorter way round is taken.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.matrix import apply, matrix, product, transpose
from grouser.kernels.spatial import cross
from grouser.kernels.turn import calc_turn_excess


@kernel(inline=True)
def calc_frames(table, i, R):
    """B_1, B_2 and r_1, r_2 of (1)."""
    R_1, R_2 = matrix(R, table.body_a[i], 0, 0), matrix(R, table.body_b[i], 0, 0)
    B_1, B_2 = product(R_1, matrix(table.frame_a, i, 0, 0)), product(R_2, matrix(table.frame_b, i, 0, 0))
    p_a, p_b = table.p_a, table.p_b
    r_1 = apply(R_1, p_a[i, 0], p_a[i, 1], p_a[i, 2])
    r_2 = apply(R_2, p_b[i, 0], p_b[i, 1], p_b[i, 2])
    return B_1, B_2, r_1, r_2


@kernel(inline=True)
def calc_half_turn(B_1, B_2):
    """q_0 and q: quaternion of half of theta, that is of B_1^T B_2."""
    Q = product(transpose(B_1), B_2)
    root = sqrt(1.0 + Q[0] + Q[4] + Q[8])
    scale = 0.5 / root
    return 0.5 * root, scale * (Q[7] - Q[5]), scale * (Q[2] - Q[6]), scale * (Q[3] - Q[1])


@kernel(inline=True)
def calc_mean(B_1, B_2, q):
    """A of (5)."""
    q_0, x, y, z = q
    a, b = 0.5 / q_0, 0.5 / (q_0 * (1.0 + q_0))
    S = (
        *(B_1[0] + B_2[0], B_1[1] + B_2[1], B_1[2] + B_2[2]),
        *(B_1[3] + B_2[3], B_1[4] + B_2[4], B_1[5] + B_2[5]),
        *(B_1[6] + B_2[6], B_1[7] + B_2[7], B_1[8] + B_2[8]),
    )
    c_0, c_1, c_2 = apply(S, b * x, b * y, b * z)
    return (
        *(a * S[0] - c_0 * x, a * S[1] - c_0 * y, a * S[2] - c_0 * z),
        *(a * S[3] - c_1 * x, a * S[4] - c_1 * y, a * S[5] - c_1 * z),
        *(a * S[6] - c_2 * x, a * S[7] - c_2 * y, a * S[8] - c_2 * z),
    )


@kernel
def add_thick_beam_forces(
    # tables
    table,
    # in
    x,
    R,
    v,
    w_world,
    # out
    f_out,
    torque_out,
    section_out,
    strain_out,
):
    """Add the forces and torques (9) of all thick beams, and return the stored energy [J] and dissipated power [W].

    Parameters
    ----------
    table : `ThickBeamTable`
    x, v, w_world : (rows, 3) centres of mass [m], their velocities [m/s], angular velocities [rad/s], world axes
    R : (rows, 3, 3) body to world
    f_out, torque_out : (rows, 3) forces [N] and torques about the centres of mass [N m], world axes; added to
    section_out : (n, 6) axial force, shears along Y and Z [N], torsion, bendings about Y and Z [N m], with damping, in
        the axes A; overwritten
    strain_out : (n, 6) extension, shears [-], twist and curvatures [1/m]; overwritten. The pre-strain is part of it
    """
    stored = 0.0
    dissipated = 0.0
    for i in range(table.body_a.shape[0]):
        a, b = table.body_a[i], table.body_b[i]
        section, time = table.section[i], table.time[i]
        inverse = 1.0 / table.length[i]
        B_1, B_2, r_1, r_2 = calc_frames(table, i, R)
        gx, gy, gz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        Ux, Uy, Uz = gx + r_2[0] - r_1[0], gy + r_2[1] - r_1[1], gz + r_2[2] - r_1[2]
        q = calc_half_turn(B_1, B_2)
        A = calc_mean(B_1, B_2, q)
        q_0, qx, qy, qz = q
        share = 1.0 / (1.0 + q_0)
        z = (qx * qx + qy * qy + qz * qz) * share * share
        psi = calc_turn_excess(z)
        eta = 1.0 + z * psi
        kappa = 0.25 * psi * (1.0 + z) * (1.0 + z)
        hx, hy, hz = 0.5 * share * qx, 0.5 * share * qy, 0.5 * share * qz
        A_t = transpose(A)
        dx, dy, dz = apply(A_t, Ux, Uy, Uz)  # (2)
        turn = 2.0 * eta * inverse
        e_0, e_1, e_2 = dx * inverse, dy * inverse, dz * inverse
        e_3, e_4, e_5 = turn * qx, turn * qy, turn * qz  # (4)
        strain_out[i, 0], strain_out[i, 1], strain_out[i, 2] = e_0, e_1, e_2
        strain_out[i, 3], strain_out[i, 4], strain_out[i, 5] = e_3, e_4, e_5
        e_0 -= table.pre_strain[i]
        F_0, F_1, F_2 = section[0] * e_0, section[1] * e_1, section[2] * e_2
        M_0, M_1, M_2 = section[3] * e_3, section[4] * e_4, section[5] * e_5
        density = F_0 * e_0 + F_1 * e_1 + F_2 * e_2 + M_0 * e_3 + M_1 * e_4 + M_2 * e_5
        stored += 0.5 * table.length[i] * density  # (3)
        if table.is_damped[i] != 0:
            w_1, w_2 = w_world[a], w_world[b]
            ux, uy, uz = cross(w_1[0], w_1[1], w_1[2], *r_1)
            vx, vy, vz = cross(w_2[0], w_2[1], w_2[2], *r_2)
            mx, my, mz = 0.5 * (w_1[0] + w_2[0]), 0.5 * (w_1[1] + w_2[1]), 0.5 * (w_1[2] + w_2[2])
            tx, ty, tz = cross(mx, my, mz, Ux, Uy, Uz)
            vx, vy, vz = (
                v[b, 0] - v[a, 0] + vx - ux - tx,
                v[b, 1] - v[a, 1] + vy - uy - ty,
                v[b, 2] - v[a, 2] + vz - uz - tz,
            )
            yx, yy, yz = apply(A_t, w_2[0] - w_1[0], w_2[1] - w_1[1], w_2[2] - w_1[2])
            along = kappa * (qx * yx + qy * yy + qz * yz)
            # (6), (7): phi is that of tx, ty, tz less h x y
            tx, ty, tz = cross(*cross(hx, hy, hz, yx, yy, yz), dx, dy, dz)
            vx, vy, vz = apply(A_t, vx, vy, vz)
            e_0, e_1, e_2 = inverse * (vx + tx), inverse * (vy + ty), inverse * (vz + tz)
            e_3, e_4, e_5 = (
                inverse * (eta * yx - along * qx),
                inverse * (eta * yy - along * qy),
                inverse * (eta * yz - along * qz),
            )
            g_0, g_1, g_2 = section[0] * time[0] * e_0, section[1] * time[1] * e_1, section[2] * time[2] * e_2
            g_3, g_4, g_5 = section[3] * time[3] * e_3, section[4] * time[4] * e_4, section[5] * time[5] * e_5
            density = g_0 * e_0 + g_1 * e_1 + g_2 * e_2 + g_3 * e_3 + g_4 * e_4 + g_5 * e_5
            dissipated += table.length[i] * density
            F_0, F_1, F_2 = F_0 + g_0, F_1 + g_1, F_2 + g_2
            M_0, M_1, M_2 = M_0 + g_3, M_1 + g_4, M_2 + g_5
        section_out[i, 0], section_out[i, 1], section_out[i, 2] = F_0, F_1, F_2
        section_out[i, 3], section_out[i, 4], section_out[i, 5] = M_0, M_1, M_2
        # (8)
        along = kappa * (qx * M_0 + qy * M_1 + qz * M_2)
        nx, ny, nz = cross(*cross(dx, dy, dz, F_0, F_1, F_2), hx, hy, hz)
        nx, ny, nz = nx + eta * M_0 - along * qx, ny + eta * M_1 - along * qy, nz + eta * M_2 - along * qz
        fx, fy, fz = apply(A, F_0, F_1, F_2)
        nx, ny, nz = apply(A, nx, ny, nz)
        # (9)
        tx, ty, tz = cross(r_1[0] + 0.5 * Ux, r_1[1] + 0.5 * Uy, r_1[2] + 0.5 * Uz, fx, fy, fz)
        f_out[a, 0] += fx
        f_out[a, 1] += fy
        f_out[a, 2] += fz
        torque_out[a, 0] += tx + nx
        torque_out[a, 1] += ty + ny
        torque_out[a, 2] += tz + nz
        tx, ty, tz = cross(r_2[0] - 0.5 * Ux, r_2[1] - 0.5 * Uy, r_2[2] - 0.5 * Uz, fx, fy, fz)
        f_out[b, 0] -= fx
        f_out[b, 1] -= fy
        f_out[b, 2] -= fz
        torque_out[b, 0] -= tx + nx
        torque_out[b, 1] -= ty + ny
        torque_out[b, 2] -= tz + nz
    return stored, dissipated
