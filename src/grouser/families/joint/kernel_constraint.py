"""Ideal joints and ideal motions as rows of constraints on the velocities of two bodies.

With u = (v_a, w_a, v_b, w_b), v in world axes and w in body axes, every row has a violation phi and

    d phi/dt = G u - nu,    G du/dt = gamma = d nu/dt - (dG/dt) u                         (1)

exactly, also where phi is not zero. Below all vectors are in world axes. For p_b - p_a = e, with r_a and r_b the levers
of p_a and p_b from the centres of mass and s = r_a + e the lever of p_b from the centre of a,

    de  = v_b + w_b x r_b - v_a - w_a x r_a                                               (2)
    dde = w_b x (w_b x r_b) - w_a x (w_a x r_a) + terms of du/dt                          (3)

A row has a direction n of translation, the lever l of its point on a, and a direction g of rotation, so that
G u = n.(v_b - v_a) + (r_b x n + g).w_b - (l x n + g).w_a. By kind, with w = w_b - w_a:

    point     phi = n.e    n an axis of the world, l = r_a     -(dG/dt) u = -n.dde                                  (4)
    slide     phi = n.e    n an axis of a, l = s               -n.(dde - 2 w_a x de + w_a x (w_a x e))              (5)
    distance  phi = |e|-L  n = e/|e|, l = s                    -n.dde - (de.de - (n.de)^2)/|e|                      (6)
    normal    phi = h.j    n = 0, g = j x h                    -w.dg,  dg = dj x h + j x dh                         (7)
    twist     phi = q      n = 0, g = (a + b)/(1 + a.b)        -w.dg,  dg = (da + db - g d(a.b))/(1 + a.b)          (8)

In (7) h is an axis of a and j an axis of b that stay normal to each other (S3, section 3). In (8) a and b are the z
axes and q is the twist of `kernel_point.py`, (3). A motion subtracts its target from phi; the target's rate is nu, its
second derivative a part of gamma. An error of an angle is brought into [-pi, pi).

Multipliers lambda enter as M du/dt = F - G^T lambda. The joint pushes on b with -lambda n at p_b. Rows (5) push on a at
the same point; rows (4) at p_a, which is the same point where they hold.
"""

from __future__ import annotations

from math import sqrt

from grouser.families.coordinate_force.kernel import calc_target, calc_target_acceleration, calc_wrapped
from grouser.families.joint.kernel_point import calc_axis, calc_twist
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import (
    LEDGER_MOTIONS,
    ROW_DISTANCE,
    ROW_NORMAL,
    ROW_POINT,
    ROW_SLIDE,
    ROW_TWIST,
    WORLD_ROW,
)
from grouser.kernels.spatial import cross, dot, rotate, rotate_back


@kernel
def calc_constraints(
    # tables
    table,
    scalar,
    signal,
    # in
    first_entry,
    last_entry,
    view,
    # out
    rows_out,
    # work
    stack_work,
):
    """The rows (1) of the entries from `first_entry` to before `last_entry` at a state.

    phi, nu, gamma (rows,) and G (rows, 12) of `rows_out` are overwritten; the columns of a body that is the world are
    filled like any other. `view.z` has where motions given by their speed have got to, and the states of drivers.
    """
    t, x, R, v, w_world, z = view
    phi_out, G_out, nu_out, gamma_out = rows_out.phi, rows_out.G, rows_out.nu, rows_out.gamma
    for i in range(first_entry, last_entry):
        a, b = table.body_a[i], table.body_b[i]
        rax, ray, raz = rotate(R, a, table.p_a[i, 0], table.p_a[i, 1], table.p_a[i, 2])
        rbx, rby, rbz = rotate(R, b, table.p_b[i, 0], table.p_b[i, 1], table.p_b[i, 2])
        sx, sy, sz = x[b, 0] - x[a, 0] + rbx, x[b, 1] - x[a, 1] + rby, x[b, 2] - x[a, 2] + rbz
        ex, ey, ez = sx - rax, sy - ray, sz - raz
        wax, way, waz = w_world[a, 0], w_world[a, 1], w_world[a, 2]
        wbx, wby, wbz = w_world[b, 0], w_world[b, 1], w_world[b, 2]
        wx, wy, wz = wbx - wax, wby - way, wbz - waz
        vax, vay, vaz = cross(wax, way, waz, rax, ray, raz)
        vbx, vby, vbz = cross(wbx, wby, wbz, rbx, rby, rbz)
        dx, dy, dz = v[b, 0] + vbx - v[a, 0] - vax, v[b, 1] + vby - v[a, 1] - vay, v[b, 2] + vbz - v[a, 2] - vaz  # (2)
        cax, cay, caz = cross(wax, way, waz, vax, vay, vaz)
        cbx, cby, cbz = cross(wbx, wby, wbz, vbx, vby, vbz)
        ddx, ddy, ddz = cbx - cax, cby - cay, cbz - caz  # (3)
        first = table.row_start[i]
        for row in range(first, first + table.row_count[i]):
            kind = table.row_kind[row]
            nx = ny = nz = 0.0
            gx = gy = gz = 0.0
            lx, ly, lz = sx, sy, sz
            if kind == ROW_POINT:  # (4)
                axis = table.row_axis_a[row]
                nx, ny, nz = 1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2)
                lx, ly, lz = rax, ray, raz
                phi = dot(nx, ny, nz, ex, ey, ez)
                gamma = -dot(nx, ny, nz, ddx, ddy, ddz)
            elif kind == ROW_SLIDE:  # (5)
                nx, ny, nz = calc_axis(R, a, table.frame_a, i, table.row_axis_a[row])
                phi = dot(nx, ny, nz, ex, ey, ez)
                ox, oy, oz = cross(wax, way, waz, ex, ey, ez)
                cx, cy, cz = cross(wax, way, waz, ox - 2.0 * dx, oy - 2.0 * dy, oz - 2.0 * dz)
                gamma = -dot(nx, ny, nz, ddx + cx, ddy + cy, ddz + cz)
            elif kind == ROW_DISTANCE:  # (6)
                distance = sqrt(dot(ex, ey, ez, ex, ey, ez))
                inverse = 1.0 / distance if distance > 0.0 else 0.0
                phi = distance - table.length[i]
                nx, ny, nz = ex * inverse, ey * inverse, ez * inverse
                along = dot(nx, ny, nz, dx, dy, dz)
                gamma = -dot(nx, ny, nz, ddx, ddy, ddz) - (dot(dx, dy, dz, dx, dy, dz) - along * along) * inverse
            elif kind == ROW_NORMAL:  # (7)
                hx, hy, hz = calc_axis(R, a, table.frame_a, i, table.row_axis_a[row])
                jx, jy, jz = calc_axis(R, b, table.frame_b, i, table.row_axis_b[row])
                dhx, dhy, dhz = cross(wax, way, waz, hx, hy, hz)
                djx, djy, djz = cross(wbx, wby, wbz, jx, jy, jz)
                gx, gy, gz = cross(jx, jy, jz, hx, hy, hz)
                phi = dot(hx, hy, hz, jx, jy, jz)
                px, py, pz = cross(djx, djy, djz, hx, hy, hz)
                qx, qy, qz = cross(jx, jy, jz, dhx, dhy, dhz)
                gamma = -dot(wx, wy, wz, px + qx, py + qy, pz + qz)
            else:  # ROW_TWIST, (8)
                hx, hy, hz = calc_axis(R, a, table.frame_a, i, 2)
                jx, jy, jz = calc_axis(R, b, table.frame_b, i, 2)
                dhx, dhy, dhz = cross(wax, way, waz, hx, hy, hz)
                djx, djy, djz = cross(wbx, wby, wbz, jx, jy, jz)
                scale = 1.0 / (1.0 + dot(hx, hy, hz, jx, jy, jz))
                gx, gy, gz = (hx + jx) * scale, (hy + jy) * scale, (hz + jz) * scale
                phi = calc_twist(R, a, b, table.frame_a, table.frame_b, i)
                turn = dot(dhx, dhy, dhz, jx, jy, jz) + dot(hx, hy, hz, djx, djy, djz)  # d(a.b)/dt
                along = dot(wx, wy, wz, gx, gy, gz)
                gamma = (along * turn - dot(wx, wy, wz, dhx + djx, dhy + djy, dhz + djz)) * scale
            nu = 0.0
            j = table.scalar[i]
            if j >= 0:
                target, nu, _ = calc_target(scalar, signal, j, t, z, stack_work)
                phi -= target
                if kind == ROW_TWIST:
                    phi = calc_wrapped(phi)
                gamma += calc_target_acceleration(scalar, signal, j, t, z, stack_work)
            phi_out[row], nu_out[row], gamma_out[row] = phi, nu, gamma
            tax, tay, taz = cross(lx, ly, lz, nx, ny, nz)
            tbx, tby, tbz = cross(rbx, rby, rbz, nx, ny, nz)
            tax, tay, taz = rotate_back(R, a, tax + gx, tay + gy, taz + gz)
            tbx, tby, tbz = rotate_back(R, b, tbx + gx, tby + gy, tbz + gz)
            G_out[row, 0], G_out[row, 1], G_out[row, 2] = -nx, -ny, -nz
            G_out[row, 3], G_out[row, 4], G_out[row, 5] = -tax, -tay, -taz
            G_out[row, 6], G_out[row, 7], G_out[row, 8] = nx, ny, nz
            G_out[row, 9], G_out[row, 10], G_out[row, 11] = tbx, tby, tbz


@kernel(inline=True)
def calc_push(G, row, a, b, R, push_out):
    """Row G with its angular parts in world axes: the force that a unit multiplier takes from both bodies."""
    for k in range(3):
        push_out[row, k], push_out[row, 6 + k] = G[row, k], G[row, 6 + k]
    push_out[row, 3], push_out[row, 4], push_out[row, 5] = rotate(R, a, G[row, 3], G[row, 4], G[row, 5])
    push_out[row, 9], push_out[row, 10], push_out[row, 11] = rotate(R, b, G[row, 9], G[row, 10], G[row, 11])


@kernel
def calc_row_mobility(body, G, row, a, b):
    """G M^-1 G^T of a row, if no joint held its bodies a and b."""
    mobility = 0.0
    for side in range(2):
        k = a if side == 0 else b
        s = 6 * side
        nx, ny, nz = G[row, s], G[row, s + 1], G[row, s + 2]
        gx, gy, gz = G[row, s + 3], G[row, s + 4], G[row, s + 5]
        if k != WORLD_ROW:
            hx, hy, hz = rotate(body.inertia_inverse, k, gx, gy, gz)
            mobility += (nx * nx + ny * ny + nz * nz) / body.mass[k] + gx * hx + gy * hy + gz * hz
    return mobility


@kernel
def calc_reactions(
    # tables
    table,
    # in
    R,
    rows,
    # out
    peak_out,
    # work
    work,
):
    """What the ideal joints and motions do, from `rows` of `calc_constraints` with their multipliers (rows,).

    `work.joint_force`, `work.joint_moment` (n_joint, 3) get the force and moment on b, world axes, at p_b; `peak_out`
    (n_joint) keeps the largest squared gap [m^2]; `work.scalar_value[i, 0]` gets the effort of the motion in scalar row
    i, positive where it pushes its coordinate to larger values; `work.supplied[LEDGER_MOTIONS]` [W] is added to.
    """
    phi, G, nu, multiplier = rows.phi, rows.G, rows.nu, rows.multiplier
    force_out, moment_out = work.joint_force, work.joint_moment
    value_out, input_out = work.scalar_value, work.supplied
    for i in range(table.body_a.shape[0]):
        first = table.row_start[i]
        motion = table.scalar[i]
        if motion >= 0:
            effort = -multiplier[first]
            value_out[motion, 0] = effort
            input_out[LEDGER_MOTIONS] += effort * nu[first]
            continue
        b = table.body_b[i]
        fx = fy = fz = 0.0
        tx = ty = tz = 0.0
        gap = 0.0
        for row in range(first, first + table.row_count[i]):
            push = -multiplier[row]
            fx, fy, fz = fx + push * G[row, 6], fy + push * G[row, 7], fz + push * G[row, 8]
            tx, ty, tz = tx + push * G[row, 9], ty + push * G[row, 10], tz + push * G[row, 11]
            if table.row_kind[row] != ROW_NORMAL:
                gap += phi[row] * phi[row]
        # the torque about the centre of b less that of the force at p_b
        tx, ty, tz = rotate(R, b, tx, ty, tz)
        rx, ry, rz = rotate(R, b, table.p_b[i, 0], table.p_b[i, 1], table.p_b[i, 2])
        mx, my, mz = cross(rx, ry, rz, fx, fy, fz)
        joint = table.joint[i]
        force_out[joint, 0], force_out[joint, 1], force_out[joint, 2] = fx, fy, fz
        moment_out[joint, 0], moment_out[joint, 1], moment_out[joint, 2] = tx - mx, ty - my, tz - mz
        peak_out[joint] = max(peak_out[joint], gap)


@kernel
def find_worst(value):
    """The largest magnitude in a vector and its place; NaN counts as the largest."""
    worst, place = 0.0, -1
    for i in range(value.shape[0]):
        magnitude = abs(value[i])
        if not magnitude <= worst:
            worst, place = magnitude, i
    return worst, place


@kernel
def calc_row_rates(constraint, v, w, G, nu, rate_out):
    """G u - nu of all rows: how fast violations grow."""
    for i in range(constraint.body_a.shape[0]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
            value = -nu[row]
            for j in range(3):
                value += G[row, j] * v[a, j] + G[row, 3 + j] * w[a, j]
                value += G[row, 6 + j] * v[b, j] + G[row, 9 + j] * w[b, j]
            rate_out[row] = value
