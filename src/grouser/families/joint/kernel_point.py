"""Penalty connection of two points, with tilt or all rotation held: revolute, spherical, fixed, universal; and a rod.

With e = p_b - p_a and its rate as seen from body a, de = v_b - v_a(at p_b), the force on b is

    F = -(k e + c de)                                                                     (1)

Both ends act at p_b, so that forces and moments balance exactly and the power of (1) is
-k e.de - c de.de: conservative spring, pure damper. (S0-29, 32 with the units put right; S3-11.)

Held tilt of the unit axes a (on body a) and b (on body b):

    T_on_b = k_turn (b x a) - c_turn w_perp                                               (2)

with energy k_turn (1 - a.b) and w_perp the relative angular velocity normal to a. These are the two rows
v1.v_j = 0, v2.v_j = 0 of the revolute constraint (S3, section 3) written without choosing v1, v2.
Held twist: phi = atan2(M10 - M01, M00 + M11) with M = R_a^T R_b, its rate w.(a + b)/(1 + a.b), torque along
(a + b)/(1 + a.b): exactly conservative.                                                  (3)
Universal: the row u = x_a . y_b with du = w.g, g = y_b x x_a; energy k_turn u^2/2 and

    T_on_b = -(k_turn u + c_turn du) g                                                    (4)

Distance, instead of (1): with n = e/|e|, L the length of the rod,

    F = -(k (|e| - L) + c n.de) n,     energy k (|e| - L)^2/2                             (7)

with the slopes k n n^T and c n n^T.

Slopes: k and c in all directions of (1); k_turn D and c_turn D on the relative angular velocity, D = 1 - a a^T for (2),
with u u^T for (3) added to it, u = (a + b)/(1 + a.b), and g g^T for (4): always

    D = e 1 + sigma m m^T + tau u u^T                                                     (5)

In linearly implicit steps the points move on circles while the matrix knows straight lines only. What e and de gain by
that is known from the angular velocities, and goes to the right-hand side: without it a pin of 1e9 N/m would take the
2 um by which a link leaves its tangent on the sprocket for 2 kN of tension.

    -(h c + h^2/2 k) (w_b x (w_b x r_b) - w_a x (w_a x r_a))                              (6)

of which (7) takes the part along n, and the turning of n, (de.de - (n.de)^2)/|e|, with it.
"""

from __future__ import annotations

from math import atan2, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import (
    LEDGER_JOINTS,
    LEDGER_NUMERICAL,
    NOTE_POINTS,
    POINT_DISTANCE,
    POINT_LOCKED,
    POINT_ROTATION_FREE,
    POINT_UNIVERSAL,
)
from grouser.kernels.matrix import outer, plus, unit
from grouser.kernels.scatter import Ends, EvenSlopes, add_even_blocks, add_pair_blocks, add_pair_force, note_slopes
from grouser.kernels.spatial import cross, dot, rotate


@kernel(inline=True)
def calc_axis(R, body, frame, i, column):
    """World direction of an axis of a connection frame."""
    return rotate(R, body, frame[i, 0, column], frame[i, 1, column], frame[i, 2, column])


@kernel(inline=True)
def calc_twist(R, body_a, body_b, frame_a, frame_b, i):
    """Twist angle of frame b about the z axes, relative to frame a, in (-pi, pi] (3)."""
    ax, ay, az = calc_axis(R, body_a, frame_a, i, 0)
    bx, by, bz = calc_axis(R, body_a, frame_a, i, 1)
    cx, cy, cz = calc_axis(R, body_b, frame_b, i, 0)
    dx, dy, dz = calc_axis(R, body_b, frame_b, i, 1)
    sine = (bx * cx + by * cy + bz * cz) - (ax * dx + ay * dy + az * dz)
    cosine = (ax * cx + ay * cy + az * cz) + (bx * dx + by * dy + bz * dz)
    return atan2(sine, cosine)


@kernel(inline=True)
def calc_held_turns(table, i, R):
    """e, sigma, m, tau, u of the rotations that connection i holds (5)."""
    rotation = table.rotation[i]
    if rotation in (POINT_ROTATION_FREE, POINT_DISTANCE):
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a, b = table.body_a[i], table.body_b[i]
    if rotation == POINT_UNIVERSAL:
        hx, hy, hz = calc_axis(R, a, table.frame_a, i, 0)
        jx, jy, jz = calc_axis(R, b, table.frame_b, i, 1)
        gx, gy, gz = cross(jx, jy, jz, hx, hy, hz)
        return 0.0, 1.0, gx, gy, gz, 0.0, 0.0, 0.0, 0.0
    hx, hy, hz = calc_axis(R, a, table.frame_a, i, 2)
    if rotation != POINT_LOCKED:
        return 1.0, -1.0, hx, hy, hz, 0.0, 0.0, 0.0, 0.0
    jx, jy, jz = calc_axis(R, b, table.frame_b, i, 2)
    scale = 1.0 / (1.0 + hx * jx + hy * jy + hz * jz)
    return 1.0, -1.0, hx, hy, hz, 1.0, (hx + jx) * scale, (hy + jy) * scale, (hz + jz) * scale


@kernel(stage=True, rows="point.body_a")
def add_point_connections(
    # tables
    table,
    # in
    view,
    # out
    implicit_out,
    # work
    work,
):
    """Add the forces of all point connections, and their slopes where `implicit_out` is not None.

    `work.joint_force`, `work.joint_moment` (n_joint, 3) get the force and moment on b, world axes, at p_b;
    `work.joint_peak` (n_joint) keeps the largest squared |e| [m^2]. Energy [J] is stored, also by the rates, and power
    [W] dissipated in the family of joints.
    """
    x, R, v, w_world = view.x, view.R, view.v, view.w_world
    f_out, torque_out, peak_out = work.f, work.torque, work.joint_peak
    force_out, moment_out = work.joint_force, work.joint_moment
    stored = 0.0
    dissipated = 0.0
    numerical = 0.0
    for i in range(table.body_a.shape[0]):
        a, b = table.body_a[i], table.body_b[i]
        k, c = table.k[i], table.c[i]
        rax, ray, raz = rotate(R, a, table.p_a[i, 0], table.p_a[i, 1], table.p_a[i, 2])
        rbx, rby, rbz = rotate(R, b, table.p_b[i, 0], table.p_b[i, 1], table.p_b[i, 2])
        ox, oy, oz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        qx, qy, qz = ox + rbx, oy + rby, oz + rbz  # from the centre of a to p_b
        ex, ey, ez = qx - rax, qy - ray, qz - raz
        wax, way, waz = w_world[a, 0], w_world[a, 1], w_world[a, 2]
        wbx, wby, wbz = w_world[b, 0], w_world[b, 1], w_world[b, 2]
        dx = v[b, 0] - v[a, 0] + wby * rbz - wbz * rby - (way * qz - waz * qy)
        dy = v[b, 1] - v[a, 1] + wbz * rbx - wbx * rbz - (waz * qx - wax * qz)
        dz = v[b, 2] - v[a, 2] + wbx * rby - wby * rbx - (wax * qy - way * qx)
        rotation = table.rotation[i]
        e2 = ex * ex + ey * ey + ez * ez
        nx = ny = nz = turning = 0.0
        if rotation == POINT_DISTANCE:
            distance = sqrt(e2)
            nx, ny, nz = ex / distance, ey / distance, ez / distance
            along = dx * nx + dy * ny + dz * nz
            lx, ly, lz = cross(wax, way, waz, ex, ey, ez)
            lx, ly, lz = lx + dx, ly + dy, lz + dz  # de as the world sees it
            turning = (lx * lx + ly * ly + lz * lz - along * along) / distance
            # what counts of e and de is the part along the rod
            stretch = distance - table.length[i]
            e2 = stretch * stretch
            ex, ey, ez = stretch * nx, stretch * ny, stretch * nz
            dx, dy, dz = along * nx, along * ny, along * nz
        # (1), (7)
        fx, fy, fz = -(k * ex + c * dx), -(k * ey + c * dy), -(k * ez + c * dz)
        stored += 0.5 * k * e2
        dissipated += c * (dx * dx + dy * dy + dz * dz)
        numerical += 0.5 * k * (dx * dx + dy * dy + dz * dz)
        tx = ty = tz = 0.0
        if rotation == POINT_UNIVERSAL:
            hx, hy, hz = calc_axis(R, a, table.frame_a, i, 0)
            jx, jy, jz = calc_axis(R, b, table.frame_b, i, 1)
            gx, gy, gz = cross(jx, jy, jz, hx, hy, hz)
            u = hx * jx + hy * jy + hz * jz
            du = gx * (wbx - wax) + gy * (wby - way) + gz * (wbz - waz)
            torque = -(table.k_turn[i] * u + table.c_turn[i] * du)
            tx, ty, tz = torque * gx, torque * gy, torque * gz  # (4)
            stored += 0.5 * table.k_turn[i] * u * u
            dissipated += table.c_turn[i] * du * du
            numerical += 0.5 * table.k_turn[i] * du * du
        elif rotation not in (POINT_ROTATION_FREE, POINT_DISTANCE):
            kt, ct = table.k_turn[i], table.c_turn[i]
            hx, hy, hz = calc_axis(R, a, table.frame_a, i, 2)
            jx, jy, jz = calc_axis(R, b, table.frame_b, i, 2)
            gx, gy, gz = cross(jx, jy, jz, hx, hy, hz)
            wx, wy, wz = wbx - wax, wby - way, wbz - waz
            along = wx * hx + wy * hy + wz * hz
            px, py, pz = wx - along * hx, wy - along * hy, wz - along * hz
            # (2)
            tx, ty, tz = kt * gx - ct * px, kt * gy - ct * py, kt * gz - ct * pz
            cosine = hx * jx + hy * jy + hz * jz
            # 1 - cos written so that small tilts keep their digits: |a x b|^2/(1 + a.b)
            stored += kt * (gx * gx + gy * gy + gz * gz) / (1.0 + cosine)
            dissipated += ct * (px * px + py * py + pz * pz)
            numerical += 0.5 * kt * (px * px + py * py + pz * pz)
            if rotation == POINT_LOCKED:
                scale = 1.0 / (1.0 + cosine)
                ux, uy, uz = (hx + jx) * scale, (hy + jy) * scale, (hz + jz) * scale
                phi = calc_twist(R, a, b, table.frame_a, table.frame_b, i)
                rate = wx * ux + wy * uy + wz * uz
                torque = -(kt * phi + ct * rate)
                tx, ty, tz = tx + torque * ux, ty + torque * uy, tz + torque * uz  # (3)
                stored += 0.5 * kt * phi * phi
                dissipated += ct * rate * rate
                numerical += 0.5 * kt * rate * rate
        ends = Ends(a, b, (qx, qy, qz), (rbx, rby, rbz))
        add_pair_force(ends, (fx, fy, fz), (tx, ty, tz), f_out, torque_out)
        joint = table.joint[i]
        force_out[joint, 0], force_out[joint, 1], force_out[joint, 2] = fx, fy, fz
        moment_out[joint, 0], moment_out[joint, 1], moment_out[joint, 2] = tx, ty, tz
        peak_out[joint] = max(peak_out[joint], e2)
        if implicit_out is not None:
            if implicit_out.wanted[0] == 0:
                continue
            h = implicit_out.h[0]
            e, sigma, mx, my, mz, tau, ux, uy, uz = calc_held_turns(table, i, R)
            turn, edge = h * (table.c_turn[i] + h * table.k_turn[i]), implicit_out.point_edge
            if rotation == POINT_DISTANCE:
                S = outer(h * (c + h * k), nx, ny, nz)
                add_pair_blocks(ends, S, None, unit(0.0), R, edge, i, implicit_out)
            else:
                slopes = EvenSlopes(h * (c + h * k), turn * e, turn * sigma, (mx, my, mz), turn * tau, (ux, uy, uz))
                add_even_blocks(ends, slopes, R, edge, i, implicit_out)
            # (6)
            cax, cay, caz = cross(wax, way, waz, *cross(wax, way, waz, rax, ray, raz))
            cbx, cby, cbz = cross(wbx, wby, wbz, *cross(wbx, wby, wbz, rbx, rby, rbz))
            bx, by, bz = cbx - cax, cby - cay, cbz - caz
            if rotation == POINT_DISTANCE:
                turning += bx * nx + by * ny + bz * nz
                bx, by, bz = turning * nx, turning * ny, turning * nz
            bend = h * (c + 0.5 * h * k)
            fx, fy, fz = -h * k * dx - bend * bx, -h * k * dy - bend * by, -h * k * dz - bend * bz
            wx, wy, wz = wbx - wax, wby - way, wbz - waz
            turn = -h * table.k_turn[i]
            along, about = turn * sigma * dot(mx, my, mz, wx, wy, wz), turn * tau * dot(ux, uy, uz, wx, wy, wz)
            tx = turn * e * wx + along * mx + about * ux
            ty = turn * e * wy + along * my + about * uy
            tz = turn * e * wz + along * mz + about * uz
            add_pair_force(ends, (fx, fy, fz), (tx, ty, tz), implicit_out.f, implicit_out.torque)
            if implicit_out.noted[0] == 1:
                turn, nothing = h * (table.c_turn[i] + h * table.k_turn[i]), (0.0, 0.0, 0.0)
                S = outer(h * (c + h * k), nx, ny, nz) if rotation == POINT_DISTANCE else unit(h * (c + h * k))
                B = plus(unit(turn * e), plus(outer(turn * sigma, mx, my, mz), outer(turn * tau, ux, uy, uz)))
                row, f, t = implicit_out.note_start[NOTE_POINTS] + i, (fx, fy, fz), (tx, ty, tz)
                note_slopes(row, ends, S, unit(0.0), B, f, t, nothing, nothing, implicit_out)
    work.stored[LEDGER_JOINTS] += stored
    work.stored[LEDGER_NUMERICAL] += numerical
    work.dissipated[LEDGER_JOINTS] += dissipated
