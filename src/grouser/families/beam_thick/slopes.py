"""Slopes of thick beams in implicit steps.

With what `kernel.py` has, the strains (d, theta) of an element change with u = (v world axes, w body axes) of its
bodies by

    dd/dt = A^T (v_2 - v_1) + P_1 w_1 + P_2 w_2,   dtheta/dt = Q_2 w_2 - Q_1 w_1                          (1)
    P_1 = (skew(r_1) + skew(d) (1/2 + skew(h))) G_1,   P_2 = (skew(d) (1/2 - skew(h)) - skew(r_2)) G_2
    Q_i = H G_i,   G_i = A^T R_i,   all vectors in the axes A

so with B for these rows, and slopes k = D/l or E/l of the six forces on the six strains, c = T k, an element has the
matrix B^T (h c + h^2 k) B and the force -h B^T k B u (`grouser.kernels.scatter`, (1)). What comes from the change of
geometry under stress is left out: it may be negative.

Points of bodies move on circles, while the matrix knows straight lines only. With speeds that stay as they are, and
Omega the angular velocity of A, the strains d gain

    d2 = A^T (U2 - 2 Omega x (U1 - Omega x U) - Omega x (Omega x U))                                      (2)
    U1 = v_2 + w_2 x r_2 - v_1 - w_1 x r_1,   U2 = w_2 x (w_2 x r_2) - w_1 x (w_1 x r_1)

so that the step also has the force -B^T (h c + h^2/2 k) d2. Without it a band with EA = 8.5e7 N that turns by 0.02 rad
in a step would take the 20 um by which the middles of two lugs leave their circle for 50 kN.
"""

from __future__ import annotations

from grouser.families.beam_thick.kernel import calc_frames, calc_half_turn, calc_mean
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_NUMERICAL
from grouser.kernels.matrix import apply, arm, dyad, matrix, minus, plus, product, times, transpose, unit
from grouser.kernels.scatter import FLIPPED, add_block
from grouser.kernels.spatial import cross, rotate_back
from grouser.kernels.turn import calc_turn_excess


@kernel(inline=True)
def _weigh(a, b, c, A):
    """diag(a, b, c) A."""
    return a * A[0], a * A[1], a * A[2], b * A[3], b * A[4], b * A[5], c * A[6], c * A[7], c * A[8]


@kernel(inline=True)
def _calc_bend(A, r_1, r_2, U, turn, v, w_1, w_2):
    """(2), with vectors in world axes; v is v_2 - v_1."""
    U1, U2 = cross(*w_1, *r_1), cross(*w_2, *r_2)
    ax, ay, az = cross(*w_1, *U1)
    bx, by, bz = cross(*w_2, *U2)
    ox, oy, oz = cross(*turn, *U)
    dx, dy, dz = v[0] + U2[0] - U1[0] - ox, v[1] + U2[1] - U1[1] - oy, v[2] + U2[2] - U1[2] - oz
    cx, cy, cz = cross(*turn, 2.0 * dx + ox, 2.0 * dy + oy, 2.0 * dz + oz)
    return apply(transpose(A), bx - ax - cx, by - ay - cy, bz - az - cz)


@kernel
def add_thick_beam_slopes(table, i, edge, view, implicit_out, work):
    """Add the slopes of element i, and the forces that (1) and (2) make of the velocities. `edge`: of its bodies."""
    a, b, x, v, h = table.body_a[i], table.body_b[i], view.x, view.v, implicit_out.h[0]
    section, time, inverse = table.section[i], table.time[i], 1.0 / table.length[i]
    B_1, B_2, r_1, r_2 = calc_frames(table, i, view.R)
    q = calc_half_turn(B_1, B_2)
    A = calc_mean(B_1, B_2, q)
    A_t, R_1, R_2 = transpose(A), matrix(view.R, a, 0, 0), matrix(view.R, b, 0, 0)
    G_1, G_2 = product(A_t, R_1), product(A_t, R_2)
    U = (x[b, 0] - x[a, 0] + r_2[0] - r_1[0], x[b, 1] - x[a, 1] + r_2[1] - r_1[1], x[b, 2] - x[a, 2] + r_2[2] - r_1[2])
    d = apply(A_t, *U)
    share = 1.0 / (1.0 + q[0])
    z = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) * share * share
    psi = calc_turn_excess(z)
    kappa = 0.25 * psi * (1.0 + z) * (1.0 + z)
    H = plus(unit(1.0 + z * psi), dyad(-kappa, q[1], q[2], q[3], q[1], q[2], q[3]))
    # arm(E, r) = -skew(r) E
    S_h, S_d = arm(unit(-0.5 * share), q[1], q[2], q[3]), arm(unit(-1.0), *d)
    p_1, p_2 = apply(A_t, *r_1), apply(A_t, *r_2)
    P_1 = product(plus(arm(unit(-1.0), *p_1), product(S_d, plus(unit(0.5), S_h))), G_1)
    P_2 = product(plus(arm(unit(1.0), *p_2), product(S_d, minus(unit(0.5), S_h))), G_2)
    Q_1, Q_2 = product(H, G_1), product(H, G_2)
    # (1)
    w_1, w_2 = view.w_world[a], view.w_world[b]
    u_1, u_2 = rotate_back(view.R, a, w_1[0], w_1[1], w_1[2]), rotate_back(view.R, b, w_2[0], w_2[1], w_2[2])
    gap = (v[b, 0] - v[a, 0], v[b, 1] - v[a, 1], v[b, 2] - v[a, 2])
    ex, ey, ez = apply(A_t, *gap)
    fx, fy, fz = apply(P_1, *u_1)
    gx, gy, gz = apply(P_2, *u_2)
    ex, ey, ez = ex + fx + gx, ey + fy + gy, ez + fz + gz
    fx, fy, fz = apply(Q_1, *u_1)
    gx, gy, gz = apply(Q_2, *u_2)
    tx, ty, tz = gx - fx, gy - fy, gz - fz
    # Omega, as phi of `kernel.py`
    yx, yy, yz = apply(A_t, w_2[0] - w_1[0], w_2[1] - w_1[1], w_2[2] - w_1[2])
    hx, hy, hz = apply(A, *apply(S_h, yx, yy, yz))
    turn = (0.5 * (w_1[0] + w_2[0]) - hx, 0.5 * (w_1[1] + w_2[1]) - hy, 0.5 * (w_1[2] + w_2[2]) - hz)
    bx, by, bz = _calc_bend(A, r_1, r_2, U, turn, gap, (w_1[0], w_1[1], w_1[2]), (w_2[0], w_2[1], w_2[2]))
    kx, ky, kz = inverse * section[0], inverse * section[1], inverse * section[2]
    mx, my, mz = inverse * section[3], inverse * section[4], inverse * section[5]
    work.stored[LEDGER_NUMERICAL] += 0.5 * (
        kx * ex * ex + ky * ey * ey + kz * ez * ez + mx * tx * tx + my * ty * ty + mz * tz * tz
    )
    half = 0.5 * h
    ex = -h * kx * (ex + (time[0] + half) * bx)
    ey = -h * ky * (ey + (time[1] + half) * by)
    ez = -h * kz * (ez + (time[2] + half) * bz)
    tx, ty, tz = -h * mx * tx, -h * my * ty, -h * mz * tz
    _add_force(a, b, (A, P_1, P_2, Q_1, Q_2), (R_1, R_2), (ex, ey, ez), (tx, ty, tz), implicit_out)
    # blocks
    kx, ky, kz = h * (h + time[0]) * kx, h * (h + time[1]) * ky, h * (h + time[2]) * kz
    mx, my, mz = h * (h + time[3]) * mx, h * (h + time[4]) * my, h * (h + time[5]) * mz
    D_1, D_2 = _weigh(kx, ky, kz, P_1), _weigh(kx, ky, kz, P_2)
    E_1, E_2 = _weigh(mx, my, mz, Q_1), _weigh(mx, my, mz, Q_2)
    S, V_1, V_2 = product(A, _weigh(kx, ky, kz, A_t)), product(A, D_1), product(A, D_2)
    P_t, Q_t = transpose(P_1), transpose(Q_1)
    value, diagonal = implicit_out.value, implicit_out.diagonal
    back = times(-1.0, V_1)
    add_block(S, back, back, plus(product(P_t, D_1), product(Q_t, E_1)), diagonal[a], value)
    add_block(S, V_2, V_2, plus(product(transpose(P_2), D_2), product(transpose(Q_2), E_2)), diagonal[b], value)
    S, D = times(-1.0, S), minus(product(P_t, D_2), product(Q_t, E_2))
    if edge[1] == FLIPPED:
        add_block(S, V_1, times(-1.0, V_2), transpose(D), edge[0], value)
    else:
        add_block(S, times(-1.0, V_2), V_1, D, edge[0], value)


@kernel(inline=True)
def _add_force(a, b, rows, R, F, M, implicit_out):
    """B^T (F, M) on both bodies."""
    A, P_1, P_2, Q_1, Q_2 = rows
    fx, fy, fz = apply(A, *F)
    f, torque = implicit_out.f, implicit_out.torque
    f[a, 0], f[a, 1], f[a, 2] = f[a, 0] - fx, f[a, 1] - fy, f[a, 2] - fz
    f[b, 0], f[b, 1], f[b, 2] = f[b, 0] + fx, f[b, 1] + fy, f[b, 2] + fz
    tx, ty, tz = apply(transpose(P_1), *F)
    mx, my, mz = apply(transpose(Q_1), *M)
    tx, ty, tz = apply(R[0], tx - mx, ty - my, tz - mz)
    torque[a, 0], torque[a, 1], torque[a, 2] = torque[a, 0] + tx, torque[a, 1] + ty, torque[a, 2] + tz
    tx, ty, tz = apply(transpose(P_2), *F)
    mx, my, mz = apply(transpose(Q_2), *M)
    tx, ty, tz = apply(R[1], tx + mx, ty + my, tz + mz)
    torque[b, 0], torque[b, 1], torque[b, 2] = torque[b, 0] + tx, torque[b, 1] + ty, torque[b, 2] + tz
