"""Six-component connection of two frames: bushings, and joints that hold only some directions.

Coordinates, with frame a as the observer (A its axes, a and b the z axes of both frames):

    q1..q3 = A^T (p_b - p_a)                     displacement                             (1)
    q4, q5 = (-b_y, b_x) with b in the axes A    tilt: the components of a x b            (2)
    q6     = atan2(M10 - M01, M00 + M11)         twist, M = R_a^T R_b                     (3)

Rates, with w the angular velocity of b relative to a and v the velocity of p_b as seen from a, both in A:

    dq1..3 = v;   dq4 = w_x b_z - w_z b_x,  dq5 = w_y b_z - w_z b_y;   dq6 = w.(a + b)/(1 + a.b)   (4)

The generalised forces Q = preload - K q - C dq pass to the bodies by the transpose of (4), so the element is
exactly conservative for any angle (S3-15 without its restriction to small rotations about the pin). K and C are
symmetric, and the slopes of the law.
"""

from __future__ import annotations

from grouser.families.joint.kernel_point import calc_axis, calc_twist
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_JOINTS, LEDGER_NUMERICAL, NOTE_FRAMES
from grouser.kernels.matrix import apply, matrix, plus, product, times, transpose
from grouser.kernels.scatter import Ends, add_pair_blocks, add_pair_force, note_slopes
from grouser.kernels.spatial import cross, rotate


@kernel(inline=True)
def calc_slopes(table, i, row, column, h):
    """h C + h^2 K of connection i, three rows and columns from `row` and `column` on."""
    return plus(times(h, matrix(table.damping, i, row, column)), times(h * h, matrix(table.stiffness, i, row, column)))


@kernel(inline=True)
def calc_row(matrix, i, row, x, y, z):
    """Row of a 6 x 6 matrix times a displacement."""
    return matrix[i, row, 0] * x + matrix[i, row, 1] * y + matrix[i, row, 2] * z


@kernel(stage=True, rows="frame.body_a")
def add_frame_connections(
    # tables
    table,
    # in
    view,
    # out
    implicit_out,
    # work
    work,
):
    """Add the forces of all frame connections, and for implicit steps their slopes, as `add_point_connections`."""
    x, R, v, w_world = view.x, view.R, view.v, view.w_world
    f_out, torque_out, peak_out = work.f, work.torque, work.joint_peak
    force_out, moment_out = work.joint_force, work.joint_moment
    q_work, rate_work, effort_work = work.q, work.rate, work.effort
    stored = 0.0
    dissipated = 0.0
    numerical = 0.0
    for i in range(table.body_a.shape[0]):
        a, b = table.body_a[i], table.body_b[i]
        rax, ray, raz = rotate(R, a, table.p_a[i, 0], table.p_a[i, 1], table.p_a[i, 2])
        rbx, rby, rbz = rotate(R, b, table.p_b[i, 0], table.p_b[i, 1], table.p_b[i, 2])
        qx = x[b, 0] - x[a, 0] + rbx
        qy = x[b, 1] - x[a, 1] + rby
        qz = x[b, 2] - x[a, 2] + rbz
        ex, ey, ez = qx - rax, qy - ray, qz - raz
        wax, way, waz = w_world[a, 0], w_world[a, 1], w_world[a, 2]
        wbx, wby, wbz = w_world[b, 0], w_world[b, 1], w_world[b, 2]
        dx = v[b, 0] - v[a, 0] + wby * rbz - wbz * rby - (way * qz - waz * qy)
        dy = v[b, 1] - v[a, 1] + wbz * rbx - wbx * rbz - (waz * qx - wax * qz)
        dz = v[b, 2] - v[a, 2] + wbx * rby - wby * rbx - (wax * qy - way * qx)
        ux, uy, uz = calc_axis(R, a, table.frame_a, i, 0)
        sx, sy, sz = calc_axis(R, a, table.frame_a, i, 1)
        hx, hy, hz = calc_axis(R, a, table.frame_a, i, 2)
        jx, jy, jz = calc_axis(R, b, table.frame_b, i, 2)
        wx, wy, wz = wbx - wax, wby - way, wbz - waz
        # b and w in the axes of frame a
        b1, b2, b3 = jx * ux + jy * uy + jz * uz, jx * sx + jy * sy + jz * sz, jx * hx + jy * hy + jz * hz
        w1, w2, w3 = wx * ux + wy * uy + wz * uz, wx * sx + wy * sy + wz * sz, wx * hx + wy * hy + wz * hz
        scale = 1.0 / (1.0 + b3)
        # (1) to (3)
        q_work[0] = ex * ux + ey * uy + ez * uz
        q_work[1] = ex * sx + ey * sy + ez * sz
        q_work[2] = ex * hx + ey * hy + ez * hz
        q_work[3] = -b2
        q_work[4] = b1
        q_work[5] = calc_twist(R, a, b, table.frame_a, table.frame_b, i)
        # (4)
        rate_work[0] = dx * ux + dy * uy + dz * uz
        rate_work[1] = dx * sx + dy * sy + dz * sz
        rate_work[2] = dx * hx + dy * hy + dz * hz
        rate_work[3] = w1 * b3 - w3 * b1
        rate_work[4] = w2 * b3 - w3 * b2
        rate_work[5] = (w1 * b1 + w2 * b2 + w3 * (1.0 + b3)) * scale
        violated = 0.0
        for row in range(6):
            elastic = 0.0
            viscous = 0.0
            spring_rate = 0.0
            for column in range(6):
                elastic += table.stiffness[i, row, column] * q_work[column]
                viscous += table.damping[i, row, column] * rate_work[column]
                spring_rate += table.stiffness[i, row, column] * rate_work[column]
            effort_work[row] = table.preload[i, row] - elastic - viscous
            stored += q_work[row] * (0.5 * elastic - table.preload[i, row])
            dissipated += rate_work[row] * viscous
            numerical += 0.5 * rate_work[row] * spring_rate
            if row < 3 and table.stiffness[i, row, row] > 0.0:
                violated += q_work[row] * q_work[row]
        f1, f2, f3 = effort_work[0], effort_work[1], effort_work[2]
        g4, g5, g6 = effort_work[3], effort_work[4], effort_work[5]
        # transpose of (4): torque on b in the axes of frame a
        t1 = g4 * b3 + g6 * b1 * scale
        t2 = g5 * b3 + g6 * b2 * scale
        t3 = -g4 * b1 - g5 * b2 + g6
        fx, fy, fz = f1 * ux + f2 * sx + f3 * hx, f1 * uy + f2 * sy + f3 * hy, f1 * uz + f2 * sz + f3 * hz
        tx, ty, tz = t1 * ux + t2 * sx + t3 * hx, t1 * uy + t2 * sy + t3 * hy, t1 * uz + t2 * sz + t3 * hz
        ends = Ends(a, b, (qx, qy, qz), (rbx, rby, rbz))
        add_pair_force(ends, (fx, fy, fz), (tx, ty, tz), f_out, torque_out)
        joint = table.joint[i]
        force_out[joint, 0], force_out[joint, 1], force_out[joint, 2] = fx, fy, fz
        moment_out[joint, 0], moment_out[joint, 1], moment_out[joint, 2] = tx, ty, tz
        peak_out[joint] = max(peak_out[joint], violated)
        if implicit_out is not None:
            if implicit_out.wanted[0] == 0:
                continue
            h = implicit_out.h[0]
            # (4) as (dq1..3, dq4..6) = (A v, E w)
            A = (ux, uy, uz, sx, sy, sz, hx, hy, hz)
            E = product((b3, 0.0, -b1, 0.0, b3, -b2, b1 * scale, b2 * scale, 1.0), A)
            A_t, E_t = transpose(A), transpose(E)
            S = product(A_t, product(calc_slopes(table, i, 0, 0, h), A))
            X = product(A_t, product(calc_slopes(table, i, 0, 3, h), E))
            B = product(E_t, product(calc_slopes(table, i, 3, 3, h), E))
            add_pair_blocks(ends, S, X, B, R, implicit_out.frame_edge, i, implicit_out)
            # `kernel_point.py`, (6)
            cax, cay, caz = cross(wax, way, waz, *cross(wax, way, waz, rax, ray, raz))
            cbx, cby, cbz = cross(wbx, wby, wbz, *cross(wbx, wby, wbz, rbx, rby, rbz))
            c1, c2, c3 = apply(A, cbx - cax, cby - cay, cbz - caz)
            for row in range(6):
                effort_work[row] = 0.0
                for column in range(6):
                    effort_work[row] -= h * table.stiffness[i, row, column] * rate_work[column]
                effort_work[row] -= h * calc_row(table.damping, i, row, c1, c2, c3)
                effort_work[row] -= 0.5 * h * h * calc_row(table.stiffness, i, row, c1, c2, c3)
            fx, fy, fz = apply(A_t, effort_work[0], effort_work[1], effort_work[2])
            tx, ty, tz = apply(E_t, effort_work[3], effort_work[4], effort_work[5])
            add_pair_force(ends, (fx, fy, fz), (tx, ty, tz), implicit_out.f, implicit_out.torque)
            if implicit_out.noted[0] == 1:
                row, nothing = implicit_out.note_start[NOTE_FRAMES] + i, (0.0, 0.0, 0.0)
                note_slopes(row, ends, S, X, B, (fx, fy, fz), (tx, ty, tz), nothing, nothing, implicit_out)
    work.stored[LEDGER_JOINTS] += stored
    work.stored[LEDGER_NUMERICAL] += numerical
    work.dissipated[LEDGER_JOINTS] += dissipated
