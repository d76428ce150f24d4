"""The exact tangent of a thick beam, with what comes from the change of geometry under stress.

Equation numbers below (10) are those of `families/beam_thick/kernel.py`.

Tangent. The change of (8), (9) with small displacements, by (6), (7), with components in the axes A, u = theta.theta:

    dF = D/l dd,   df = phi x F + dF,   dC = dd x F + d x dF                                              (10)
    H = eta 1 + mu theta theta^T,   h = tau theta
    d(H M) = 2 eta_u (theta.dtheta) M + mu ((theta.M) dtheta + (M.dtheta) theta)
             + 2 mu_u (theta.dtheta) (theta.M) theta + H E/l dtheta                                       (11)
    dh = tau dtheta + 2 tau_u (theta.dtheta) theta,   dn = phi x n + d(H M) + dC x h + C x dh             (12)
    dT_2 = -(phi_2 x r_2 - dU/2) x F - (r_2 - d/2) x df - dn
    dT_1 = (phi_1 x r_1 + dU/2) x F + (r_1 + d/2) x df + dn                                               (13)

    dz/du = (1 + z)^2/(16 eta),   mu = -psi (1 + z)^2/(16 eta^2),   tau = (1 + z)/(8 eta)                 (14)

`calc_thick_beam_tangent` gives the symmetric part on (v world axes, w body axes): that is the exact second derivative
of (3) for x + dx, R exp(skew(dphi)). The skew part it leaves out is half the torque of the element on each body: it
vanishes from the sum over the elements where torques are in balance, so Newton's method converges quadratically.
"""

from __future__ import annotations

from grouser.families.beam_thick.kernel import calc_frames, calc_half_turn, calc_mean
from grouser.kernels._jit import kernel
from grouser.kernels.matrix import apply, matrix, product, transpose
from grouser.kernels.spatial import cross, dot
from grouser.kernels.turn import calc_turn_excess


@kernel(inline=True)
def _block(K, row, column):
    """Three rows and columns of K as nine numbers."""
    return (
        *(K[row, column], K[row, column + 1], K[row, column + 2]),
        *(K[row + 1, column], K[row + 1, column + 1], K[row + 1, column + 2]),
        *(K[row + 2, column], K[row + 2, column + 1], K[row + 2, column + 2]),
    )


@kernel(inline=True)
def _write_block(B, row, column, K_out):
    """The reverse of `_block`."""
    K_out[row, column], K_out[row, column + 1], K_out[row, column + 2] = B[0], B[1], B[2]
    K_out[row + 1, column], K_out[row + 1, column + 1], K_out[row + 1, column + 2] = B[3], B[4], B[5]
    K_out[row + 2, column], K_out[row + 2, column + 1], K_out[row + 2, column + 2] = B[6], B[7], B[8]


@kernel
def _calc_columns(d, theta, F, M, r_1, r_2, D, E, z, psi, K_out):
    """(10) to (13): minus the change of force and torque on both bodies, in the axes A, for unit displacements there.

    D, E are the slopes of F on d and of M on theta; F, M zero leave the part of the material.
    """
    dx, dy, dz = d
    eta, grown = 1.0 + z * psi, (1.0 + z) * (1.0 + z)
    # (14); psi_z is small where its difference loses digits, and is multiplied by the cube of theta
    eta_z = eta / (1.0 + z) - 0.5 * psi
    psi_z = (eta_z - psi) / z if z > 1e-4 else -2.0 / 15.0 + z * (4.0 / 35.0 - z * (6.0 / 63.0))
    z_u = grown / (16.0 * eta)
    mu = -psi * grown / (16.0 * eta * eta)
    mu_u = z_u * mu * (2.0 / (1.0 + z) - 2.0 * eta_z / eta) - z_u * psi_z * grown / (16.0 * eta * eta)
    eta_u = z_u * eta_z
    tau = (1.0 + z) / (8.0 * eta)
    tau_u = z_u * (1.0 - (1.0 + z) * eta_z / eta) / (8.0 * eta)
    tx, ty, tz = theta
    hx, hy, hz = tau * tx, tau * ty, tau * tz
    Cx, Cy, Cz = cross(dx, dy, dz, *F)
    about = dot(tx, ty, tz, *M)
    nx, ny, nz = cross(Cx, Cy, Cz, hx, hy, hz)
    nx = nx + eta * M[0] + mu * about * tx
    ny = ny + eta * M[1] + mu * about * ty
    nz = nz + eta * M[2] + mu * about * tz
    for column in range(3, 12):
        kind, axis = column // 3, column % 3
        one = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
        s_1, s_x, s_2 = 1.0 if kind == 1 else 0.0, 1.0 if kind == 2 else 0.0, 1.0 if kind == 3 else 0.0
        a, b = (s_1 * one[0], s_1 * one[1], s_1 * one[2]), (s_2 * one[0], s_2 * one[1], s_2 * one[2])
        yx, yy, yz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        ex, ey, ez = cross(hx, hy, hz, yx, yy, yz)
        ex, ey, ez = 0.5 * (a[0] + b[0]) - ex, 0.5 * (a[1] + b[1]) - ey, 0.5 * (a[2] + b[2]) - ez  # phi of (6)
        about_y = mu * dot(tx, ty, tz, yx, yy, yz)
        ox, oy, oz = eta * yx + about_y * tx, eta * yy + about_y * ty, eta * yz + about_y * tz  # d theta
        ax, ay, az = cross(*a, *r_1)
        bx, by, bz = cross(*b, *r_2)
        Ux, Uy, Uz = s_x * one[0] + bx - ax, s_x * one[1] + by - ay, s_x * one[2] + bz - az
        px, py, pz = cross(ex, ey, ez, dx, dy, dz)
        px, py, pz = Ux - px, Uy - py, Uz - pz  # (7)
        gx, gy, gz = D[0] * px, D[1] * py, D[2] * pz
        # (10)
        fx, fy, fz = cross(ex, ey, ez, *F)
        fx, fy, fz = fx + gx, fy + gy, fz + gz
        cx, cy, cz = cross(px, py, pz, *F)
        kx, ky, kz = cross(dx, dy, dz, gx, gy, gz)
        cx, cy, cz = cx + kx, cy + ky, cz + kz
        # (11)
        along, across = dot(tx, ty, tz, ox, oy, oz), dot(*M, ox, oy, oz)
        mx, my, mz = E[0] * ox, E[1] * oy, E[2] * oz
        rest = mu * (across + dot(tx, ty, tz, mx, my, mz)) + 2.0 * mu_u * along * about
        kx = 2.0 * eta_u * along * M[0] + mu * about * ox + rest * tx + eta * mx
        ky = 2.0 * eta_u * along * M[1] + mu * about * oy + rest * ty + eta * my
        kz = 2.0 * eta_u * along * M[2] + mu * about * oz + rest * tz + eta * mz
        # (12)
        mx, my, mz = cross(cx, cy, cz, hx, hy, hz)
        kx, ky, kz = kx + mx, ky + my, kz + mz
        along = 2.0 * tau_u * along
        mx, my, mz = cross(Cx, Cy, Cz, tau * ox + along * tx, tau * oy + along * ty, tau * oz + along * tz)
        kx, ky, kz = kx + mx, ky + my, kz + mz
        mx, my, mz = cross(ex, ey, ez, nx, ny, nz)
        kx, ky, kz = kx + mx, ky + my, kz + mz
        # (13)
        ax, ay, az = cross(ax + 0.5 * Ux, ay + 0.5 * Uy, az + 0.5 * Uz, *F)
        mx, my, mz = cross(r_1[0] + 0.5 * dx, r_1[1] + 0.5 * dy, r_1[2] + 0.5 * dz, fx, fy, fz)
        bx, by, bz = cross(bx - 0.5 * Ux, by - 0.5 * Uy, bz - 0.5 * Uz, *F)
        ux, uy, uz = cross(r_2[0] - 0.5 * dx, r_2[1] - 0.5 * dy, r_2[2] - 0.5 * dz, fx, fy, fz)
        K_out[0, column], K_out[1, column], K_out[2, column] = -fx, -fy, -fz
        K_out[3, column], K_out[4, column], K_out[5, column] = -ax - mx - kx, -ay - my - ky, -az - mz - kz
        K_out[6, column], K_out[7, column], K_out[8, column] = fx, fy, fz
        K_out[9, column], K_out[10, column], K_out[11, column] = bx + ux + kx, by + uy + ky, bz + uz + kz
    for row in range(12):
        for column in range(3):
            K_out[row, column] = -K_out[row, column + 6]


@kernel(inline=True)
def _calc_turned(A, G_1, G_2, K_out):
    """From the axes A to world axes for positions and body axes for rotations, J^T K J; and its symmetric part."""
    for row in range(4):
        left = transpose(A) if row % 2 == 0 else (G_1 if row == 1 else G_2)
        for column in range(4):
            right = transpose(A) if column % 2 == 0 else (G_1 if column == 1 else G_2)
            block = product(transpose(left), product(_block(K_out, 3 * row, 3 * column), right))
            _write_block(block, 3 * row, 3 * column, K_out)
    for row in range(12):
        for column in range(row):
            mean = 0.5 * (K_out[row, column] + K_out[column, row])
            K_out[row, column] = mean
            K_out[column, row] = mean


@kernel
def calc_thick_beam_tangent(
    # tables
    table,
    # in
    i,
    x,
    R,
    geometric,
    # out
    K_out,
    C_out,
):
    """Stiffness and damping matrices of element i on (v world axes, w body axes) of body a, then of body b.

    Parameters
    ----------
    table : `ThickBeamTable`
    i : index of the element
    x : (rows, 3) centres of mass [m], world axes
    R : (rows, 3, 3) body to world
    geometric : 1 for the exact symmetric tangent; 0 leaves out what comes from the change of geometry under stress, so
        that the matrix has no negative eigenvalue
    K_out : (12, 12) minus the slopes of forces and torques on positions, at rest; overwritten
    C_out : (12, 12) minus the slopes on velocities, exact and symmetric by itself; overwritten
    """
    a, b = table.body_a[i], table.body_b[i]
    section, time = table.section[i], table.time[i]
    inverse = 1.0 / table.length[i]
    B_1, B_2, r_1, r_2 = calc_frames(table, i, R)
    q = calc_half_turn(B_1, B_2)
    A = calc_mean(B_1, B_2, q)
    A_t = transpose(A)
    G_1, G_2 = product(A_t, matrix(R, a, 0, 0)), product(A_t, matrix(R, b, 0, 0))
    r_1, r_2 = apply(A_t, *r_1), apply(A_t, *r_2)
    gx, gy, gz = apply(A_t, x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2])
    d = (gx + r_2[0] - r_1[0], gy + r_2[1] - r_1[1], gz + r_2[2] - r_1[2])
    share = 1.0 / (1.0 + q[0])
    z = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) * share * share
    psi = calc_turn_excess(z)
    turn = 2.0 * (1.0 + z * psi)
    theta = (turn * q[1], turn * q[2], turn * q[3])
    D = (inverse * section[0], inverse * section[1], inverse * section[2])
    E = (inverse * section[3], inverse * section[4], inverse * section[5])
    stretch = d[0] - table.length[i] * table.pre_strain[i]
    F = (geometric * D[0] * stretch, geometric * D[1] * d[1], geometric * D[2] * d[2])
    M = (geometric * E[0] * theta[0], geometric * E[1] * theta[1], geometric * E[2] * theta[2])
    _calc_columns(d, theta, F, M, r_1, r_2, D, E, z, psi, K_out)
    _calc_turned(A, G_1, G_2, K_out)
    D = (time[0] * D[0], time[1] * D[1], time[2] * D[2])
    E = (time[3] * E[0], time[4] * E[1], time[5] * E[2])
    nothing = (0.0, 0.0, 0.0)
    _calc_columns(d, theta, nothing, nothing, r_1, r_2, D, E, z, psi, C_out)
    _calc_turned(A, G_1, G_2, C_out)
