"""Tyres on the terrain by TMeasy: contact on a local plane, slip, relaxation (G. Rill, Road Vehicle Dynamics, CRC Press
2012, chapter 3; W. Hirschberg, G. Rill, H. Weinfurter, Tire model TMeasy, Vehicle System Dynamics 45 (2007)).

Contact. The plane under the footprint has the normal n and the distance h from the centre of the wheel
(`calc_ground`). With the spin axis a,

    sin(camber) = a.n,   e_x = a x n / cos(camber),   e_y = n x e_x,   e_z = e_x x a      (1)
    r_s = h / cos(camber),   deflection d = r0 - r_s,   contact point p = c - r_s e_z      (2)
    F_z = k d + k2 d^2 + b dd/dt, never negative                                          (3)

Characteristics. With q = F_z over the nominal load, up to `MOST_LOAD`, a force Y given at q = 1 and 2, and a slip s:

    Y = q (2 Y1 - Y2/2 - (Y1 - Y2/2) q),   s = s1 + (s2 - s1)(q - 1)                      (4)

Beyond that load forces stay proportional to it. The force over slip of one direction, with the slope D, the peak M at
slip m and the sliding force G from slip g on:

    F = m D y/(1 + y (y + m D/M - 2)),  y = s/m        up to m
    F = M - (M - G) y^2 (3 - 2 y),      y = (s - m)/(g - m)   up to g, then F = G          (5)

The friction of the terrain is a factor on m, M, g and G: the slope stays.

Slip. w is the angular velocity of the wheel, W = w.a its spin, r_d the rolling radius; v_x and v_y are those of the
contact point carried along without spin, v_t = r_d |W| + `SLOWEST` the speed at which tread passes it:

    r_d = f r0 + (1 - f) r_s,   f linear in q as in (4)
    u_x = v_x - r_d W,   u_y = v_y + L/6 w.n,   s_x = -u_x/v_t,   s_y = -u_y/v_t           (6)

The second part of u_y is that of camber and of turning: tread of a brush whose base turns by w.n while it passes the
contact length L = 2 sqrt(r0 d) gives as much force as that lateral velocity (H. B. Pacejka, Tire and Vehicle Dynamics,
chapter 3, turn slip). Both slips are normalised by

    N_x = m_x/(m_x + m_y) + (M_x/D_x)/(M_x/D_x + M_y/D_y),   N_y likewise                 (7)
    s = |(s_x/N_x, s_y/N_y)| = |(c, b)| s,   D = |(D_x N_x c, D_y N_y b)|,  m = |(m_x c/N_x, m_y b/N_y)|
    M = |(M_x c, M_y b)|,  g and G like m and M;   (F_x, F_y) = F (c, b)                   (8)

Relaxation. Tread and carcass deflect by x and y, which are states. With f_x = F_x/s_x of (8), the force c x + d dx/dt
of the deflected tread equals that of a tread which slides by u_x + dx/dt:

    dx/dt = -(f_x u_x + v_t c x)/(v_t d + f_x),   F_x = c x + d dx/dt                      (9)

and y likewise. At a standstill (9) is dx/dt = -u_x: the tread is a spring, and a vehicle stays on a slope; while it
rolls F_x goes to that of (8) with the relaxation length f_x/c. With e = |(c_x x/M_x, c_y y/M_y)|, how much of the peaks
the deflections ask for, more than the peak gives way,

    dx/dt <- dx/dt - c/d x (1 - 1/e)   where e > 1                                        (10)

and as long as e is below one, the tread sticks to the ground where it stands: f_x and f_y of (9) are those of slips
counted by v_t + (1 - e) S^2/(S + v_t), S = `STICKING`. (Without this, tread that stands under a load would give way a
little at every tremble, more in the direction of its load than against it, and so keep the vehicle trembling.)

Torques. The pneumatic trail is L times the share n of `Trail`, with j = |s_y|/s_0 and w = s_0/s_E,

    n/n0 = (1 - w)(1 - j) + w (1 - (3 - 2 j) j^2)   up to s_0
    n/n0 = -(1 - w)(|s_y| - s_0)/s_0 ((s_E - |s_y|)/(s_E - s_0))^2   up to s_E, then none  (11)

    T = -L n F_y n_plane - F_z l e_x - (roll r_d F_z sgn + F_x (r_d - r_s)) a              (12)

l, the lateral shift of the load by camber, is b^2 tan(camber)/(12 d) as long as the whole width b touches, and b/2 at
most; sgn is r_d W/(r_d |W| + `ROLLING`). DIFFERS from the source by the last term: with it the torque about the spin
axis is r_d F_x, so that slip alone takes power.

Powers. Stored are k d^2/2 + k2 d^3/3 and c x^2/2 of both deflections. dd/dt is the exact rate of (2), with the change
of the plane while the wheel moves over it. Dissipated is what the bodies lose and what is not stored: on a plane never
negative; on rough ground with what a moving plane gives and takes.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.law import calc_slopes
from grouser.kernels.kinds import (
    LEDGER_CONTACTS,
    LEDGER_FRICTION,
    LEDGER_NUMERICAL,
    NOTE_TYRES,
    TERRAIN_NONE,
    TERRAIN_PLANE,
    WORLD_ROW,
)
from grouser.kernels.matrix import apply, unit
from grouser.kernels.scatter import Ends, add_force, add_own_block, note_slopes
from grouser.kernels.spatial import cross, dot, rotate
from grouser.kernels.terrain.height import calc_height

MOST_LOAD = 3.0
"""Load over the nominal one beyond which characteristics stay proportional to it."""
SLOWEST = 1.0e-4
"""Speed of the tread [m/s] beside which slip is counted at a standstill: vehicles creep down slopes by 1e-6 m/s."""
STICKING = 0.1
"""Speed [m/s] well below which unloaded tread sticks to the ground."""
ROLLING = 0.05
"""Speed [m/s] at which half of the rolling resistance acts."""
SHOWN = 0.05
"""Least speed of the tread [m/s] by which the slip of the channels is counted."""
FOOT_X, FOOT_Y = 0.25, 0.3
"""Half of the length of the footprint over the radius, and half of its width over that of the tyre."""
FLATTEST = 0.1
"""Least cosine of the camber: a wheel that lies on its side is not in contact."""
SLIPPERY = 1.0e-3
"""Least factor of the terrain on friction."""


@kernel
def calc_ground(terrain, reach_x, reach_y, c, a, v, da):
    """Plane under a wheel: distance h of the centre c, its rate, the normal n and its rate.

    a is the spin axis, v the velocity of c, da/dt the rate of a. Off planes, the plane of least squares through heights
    at 5 x 2 points (i, j) about c, up to `reach_x` along the heading and `reach_y` across; its slopes are known in the
    heading's axes, which turn with the wheel.
    """
    cx, cy, cz = c
    ax, ay, _ = a
    vx, vy, vz = v
    dax, day, _ = da
    if terrain.kind[0] == TERRAIN_PLANE:
        nx, ny, nz = terrain.plane[3], terrain.plane[4], terrain.plane[5]
        h = nx * (cx - terrain.plane[0]) + ny * (cy - terrain.plane[1]) + nz * (cz - terrain.plane[2])
        return h, nx * vx + ny * vy + nz * vz, nx, ny, nz, 0.0, 0.0, 0.0
    level2 = ax * ax + ay * ay
    inverse = 1.0 / sqrt(level2) if level2 > 0.0 else 0.0
    ex, ey = ay * inverse, -ax * inverse  # heading a x z
    yaw = (ax * day - ay * dax) * inverse * inverse
    height = height_rate = slope_x = slope_y = rate_x = rate_y = 0.0
    for j in range(2):
        s = (2.0 * j - 1.0) * reach_y
        for i in range(5):
            r = 0.5 * (i - 2.0) * reach_x
            rx, ry = r * ex - s * ey, r * ey + s * ex
            z, gx, gy, gz = calc_height(terrain, cx + rx, cy + ry)
            dz = -(gx * (vx - yaw * ry) + gy * (vy + yaw * rx)) / gz
            height += z
            height_rate += dz
            slope_x += r * z
            rate_x += r * dz
            slope_y += s * z
            rate_y += s * dz
    # sums of r^2 and s^2 over the points
    wide, deep = 5.0 * reach_x * reach_x, 10.0 * reach_y * reach_y
    slope_x, rate_x, slope_y, rate_y = slope_x / wide, rate_x / wide, slope_y / deep, rate_y / deep
    high, high_rate = cz - 0.1 * height, vz - 0.1 * height_rate
    size = 1.0 / sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    shrink = -size * size * (slope_x * rate_x + slope_y * rate_y)  # rate of size, over size
    nx, ny = -size * (slope_x * ex - slope_y * ey), -size * (slope_x * ey + slope_y * ex)
    along, across = rate_x - yaw * slope_y, rate_y + yaw * slope_x
    dnx = -size * (along * ex - across * ey) + shrink * nx
    dny = -size * (along * ey + across * ex) + shrink * ny
    return high * size, size * (high_rate + shrink * high), nx, ny, size, dnx, dny, shrink * size


@kernel(inline=True)
def calc_loaded(curve, i, direction, load, friction):
    """(4): slope, peak and sliding force, and the slips of both, in a direction of tyre i; `load` over the nominal."""
    q = min(load, MOST_LOAD)
    d1, d2 = curve[i, direction, 0, 0], curve[i, direction, 0, 1]
    m1, m2 = curve[i, direction, 1, 0], curve[i, direction, 1, 1]
    g1, g2 = curve[i, direction, 2, 0], curve[i, direction, 2, 1]
    p1, p2 = curve[i, direction, 3, 0], curve[i, direction, 3, 1]
    s1, s2 = curve[i, direction, 4, 0], curve[i, direction, 4, 1]
    return (
        load * (2.0 * d1 - 0.5 * d2 - (d1 - 0.5 * d2) * q),
        friction * load * (2.0 * m1 - 0.5 * m2 - (m1 - 0.5 * m2) * q),
        friction * load * (2.0 * g1 - 0.5 * g2 - (g1 - 0.5 * g2) * q),
        friction * (p1 + (p2 - p1) * (q - 1.0)),
        friction * (s1 + (s2 - s1) * (q - 1.0)),
    )


@kernel(inline=True)
def calc_force_over_slip(slope, peak, sliding, peak_slip, sliding_slip, s):
    """(5) over s."""
    if s < peak_slip:
        y = s / peak_slip
        return slope / (1.0 + y * (y + peak_slip * slope / peak - 2.0))
    if s < sliding_slip:
        y = (s - peak_slip) / (sliding_slip - peak_slip)
        return (peak - (peak - sliding) * y * y * (3.0 - 2.0 * y)) / s
    return sliding / s


@kernel(inline=True)
def calc_slip_forces(along, across, sx, sy):
    """(7), (8): F_x/s_x and F_y/s_y, of the values of `calc_loaded` in both directions."""
    dx, mx, gx, px, qx = along
    dy, my, gy, py, qy = across
    soft_x, soft_y = mx / dx, my / dy
    share = px / (px + py) + soft_x / (soft_x + soft_y)
    nx, ny = share, 2.0 - share
    ux, uy = sx / nx, sy / ny
    s = sqrt(ux * ux + uy * uy)
    c, b = (ux / s, uy / s) if s > 1.0e-12 else (1.0, 0.0)
    c2, b2 = c * c, b * b
    slope = sqrt((dx * nx) ** 2 * c2 + (dy * ny) ** 2 * b2)
    peak = sqrt(mx * mx * c2 + my * my * b2)
    sliding = sqrt(gx * gx * c2 + gy * gy * b2)
    peak_slip = sqrt((px / nx) ** 2 * c2 + (py / ny) ** 2 * b2)
    sliding_slip = sqrt((qx / nx) ** 2 * c2 + (qy / ny) ** 2 * b2)
    f = calc_force_over_slip(slope, peak, sliding, peak_slip, sliding_slip, s)
    return f / nx, f / ny


@kernel(inline=True)
def calc_trail(trail, i, load, sy):
    """(11): pneumatic trail over the contact length."""
    q = min(load, MOST_LOAD) - 1.0
    n0 = trail[i, 0, 0] + (trail[i, 0, 1] - trail[i, 0, 0]) * q
    zero = trail[i, 1, 0] + (trail[i, 1, 1] - trail[i, 1, 0]) * q
    end = trail[i, 2, 0] + (trail[i, 2, 1] - trail[i, 2, 0]) * q
    s = abs(sy)
    if s >= end:
        return 0.0
    w = zero / end
    if s <= zero:
        j = s / zero
        return n0 * ((1.0 - w) * (1.0 - j) + w * (1.0 - (3.0 - 2.0 * j) * j * j))
    fall = (end - s) / (end - zero)
    return -n0 * (1.0 - w) * (s - zero) / zero * fall * fall


@kernel(stage=True, rows="tyre.body")
def add_tyre_forces(
    # tables
    table,
    terrain,
    # in
    view,
    # out
    z_rate_out,
    implicit_out,
    # work
    work,
):
    """Add the forces of all tyres, and their slopes where `implicit_out` is not None.

    `z_rate_out` gets the rates (9) of the deflections; `work.tyre_value` (n, 8) longitudinal, lateral and vertical
    force, self-aligning torque, longitudinal slip, tangent of the slip angle, sine of the camber, deflection.
    """
    _, x, R, v, w_world, z = view
    f_out, torque_out, value_out = work.f, work.torque, work.tyre_value
    stored_out, dissipated_out = work.stored, work.dissipated
    friction = max(terrain.friction[0], SLIPPERY)
    for i in range(table.body.shape[0]):
        b, place = table.body[i], table.state[i]
        stiff_x, stiff_y, damp_x, damp_y = (
            table.k_tread[i, 0],
            table.k_tread[i, 1],
            table.c_tread[i, 0],
            table.c_tread[i, 1],
        )
        tread_x, tread_y = z[place], z[place + 1]
        gx, gy, gz = rotate(R, b, table.p[i, 0], table.p[i, 1], table.p[i, 2])
        ax, ay, az = rotate(R, b, table.axis[i, 0], table.axis[i, 1], table.axis[i, 2])
        wx, wy, wz = w_world[b, 0], w_world[b, 1], w_world[b, 2]
        cx, cy, cz = x[b, 0] + gx, x[b, 1] + gy, x[b, 2] + gz
        tx, ty, tz = cross(wx, wy, wz, gx, gy, gz)
        vx, vy, vz = v[b, 0] + tx, v[b, 1] + ty, v[b, 2] + tz
        dax, day, daz = cross(wx, wy, wz, ax, ay, az)
        radius, width = table.radius[i], table.width[i]
        nx = ny = nz = h_rate = dnx = dny = dnz = 0.0
        h = 2.0 * radius
        if terrain.kind[0] != TERRAIN_NONE:
            h, h_rate, nx, ny, nz, dnx, dny, dnz = calc_ground(
                terrain, FOOT_X * radius, FOOT_Y * width, (cx, cy, cz), (ax, ay, az), (vx, vy, vz), (dax, day, daz)
            )
        sine = dot(ax, ay, az, nx, ny, nz)
        cosine = sqrt(max(1.0 - sine * sine, 0.0))
        deflection = radius - h / cosine if cosine > FLATTEST else 0.0  # (2)
        if deflection <= 0.0:
            z_rate_out[place] = -stiff_x / damp_x * tread_x
            z_rate_out[place + 1] = -stiff_y / damp_y * tread_y
            energy_x, energy_y = stiff_x * tread_x * tread_x, stiff_y * tread_y * tread_y
            stored_out[LEDGER_CONTACTS] += 0.5 * (energy_x + energy_y)
            dissipated_out[LEDGER_FRICTION] += energy_x * stiff_x / damp_x + energy_y * stiff_y / damp_y
            for k in range(8):
                value_out[i, k] = 0.0
            continue
        # (1), (2)
        inverse = 1.0 / cosine
        ex, ey, ez = cross(ax, ay, az, nx, ny, nz)
        ex, ey, ez = ex * inverse, ey * inverse, ez * inverse
        lx, ly, lz = cross(nx, ny, nz, ex, ey, ez)
        ux, uy, uz = cross(ex, ey, ez, ax, ay, az)
        r_s = radius - deflection
        rx, ry, rz = gx - r_s * ux, gy - r_s * uy, gz - r_s * uz
        sine_rate = dot(dax, day, daz, nx, ny, nz) + dot(ax, ay, az, dnx, dny, dnz)
        rate = -(h_rate + r_s * sine * sine_rate * inverse) * inverse
        k, k2, c = table.k[i], table.k2[i], table.c[i]
        elastic = deflection * (k + k2 * deflection)
        normal = max(elastic + c * rate, 0.0)  # (3)
        # (6)
        spin = dot(wx, wy, wz, ax, ay, az)
        tx, ty, tz = cross(wx - spin * ax, wy - spin * ay, wz - spin * az, rx - gx, ry - gy, rz - gz)
        ox, oy, oz = vx + tx, vy + ty, vz + tz
        load = normal / table.load[i]
        f0, f1 = table.radius_share[i, 0], table.radius_share[i, 1]
        share = min(max(f0 + (f1 - f0) * (load - 1.0), 0.0), 1.0)
        r_d = share * radius + (1.0 - share) * r_s
        length = 2.0 * sqrt(radius * deflection)
        slide_x = dot(ox, oy, oz, ex, ey, ez) - r_d * spin
        side = dot(ox, oy, oz, lx, ly, lz)
        slide_y = side + length / 6.0 * dot(wx, wy, wz, nx, ny, nz)
        passing = r_d * abs(spin) + SLOWEST
        fx = fy = give = sy = 0.0
        if load > 0.0:
            along = calc_loaded(table.curve, i, 0, load, friction)
            across = calc_loaded(table.curve, i, 1, load, friction)
            over = sqrt((stiff_x * tread_x / along[1]) ** 2 + (stiff_y * tread_y / across[1]) ** 2)
            give = 1.0 - 1.0 / over if over > 1.0 else 0.0
            counted = passing + STICKING * STICKING / (STICKING + passing) * max(1.0 - over, 0.0)
            sy = -slide_y / counted
            fx, fy = calc_slip_forces(along, across, -slide_x / counted, sy)
        # (9), (10)
        hold_x, hold_y = 1.0 / (passing * damp_x + fx), 1.0 / (passing * damp_y + fy)
        move_x = -(fx * slide_x + passing * stiff_x * tread_x) * hold_x - stiff_x / damp_x * give * tread_x
        move_y = -(fy * slide_y + passing * stiff_y * tread_y) * hold_y - stiff_y / damp_y * give * tread_y
        z_rate_out[place], z_rate_out[place + 1] = move_x, move_y
        force_x, force_y = stiff_x * tread_x + damp_x * move_x, stiff_y * tread_y + damp_y * move_y
        # (11), (12)
        aligning = -length * calc_trail(table.trail, i, load, sy) * force_y
        reach = 0.5 * width * sine * inverse / deflection
        tilt = -normal * width / 6.0 * reach / sqrt(1.0 + reach * reach / 9.0)
        turning = r_d * spin
        roll = table.rolling[i] * r_d * normal * turning / (abs(turning) + ROLLING) + force_x * (r_d - r_s)
        qx = aligning * nx + tilt * ex - roll * ax
        qy = aligning * ny + tilt * ey - roll * ay
        qz = aligning * nz + tilt * ez - roll * az
        px = force_x * ex + force_y * lx + normal * nx
        py = force_x * ey + force_y * ly + normal * ny
        pz = force_x * ez + force_y * lz + normal * nz
        add_force(b, (rx, ry, rz), (px, py, pz), (qx, qy, qz), f_out, torque_out)
        # velocity of the point of the wheel at p
        mx, my, mz = ox - spin * r_s * ex, oy - spin * r_s * ey, oz - spin * r_s * ez
        power = dot(px, py, pz, mx, my, mz) + dot(qx, qy, qz, wx, wy, wz)
        gained = elastic * rate + stiff_x * tread_x * move_x + stiff_y * tread_y * move_y
        damped = (normal - elastic) * rate
        stored_out[LEDGER_CONTACTS] += deflection * deflection * (0.5 * k + k2 * deflection / 3.0)
        stored_out[LEDGER_CONTACTS] += 0.5 * (stiff_x * tread_x * tread_x + stiff_y * tread_y * tread_y)
        dissipated_out[LEDGER_CONTACTS] += damped
        stored_out[LEDGER_NUMERICAL] += 0.5 * (k + 2.0 * k2 * deflection) * rate * rate
        dissipated_out[LEDGER_FRICTION] -= power + gained + damped
        shown = max(passing, SHOWN)
        value_out[i, 0], value_out[i, 1], value_out[i, 2], value_out[i, 3] = force_x, force_y, normal, aligning
        value_out[i, 4], value_out[i, 5], value_out[i, 6] = -slide_x / shown, -side / shown, sine
        value_out[i, 7] = deflection
        if implicit_out is not None:
            if implicit_out.wanted[0] == 0:
                continue
            step = implicit_out.h[0]
            # the deflection grows by n.(velocity of the wheel at p) over the cosine of the camber
            k = (k + 2.0 * k2 * deflection) * inverse if normal > 0.0 else 0.0
            c = c * inverse if normal > 0.0 else 0.0
            k_x, k_y, c_x, c_y = (
                stiff_x * fx * hold_x,
                stiff_y * fy * hold_y,
                damp_x * fx * hold_x,
                damp_y * fy * hold_y,
            )
            n, e = (nx, ny, nz), (ex, ey, ez)
            S = calc_slopes(step * (c + step * k), step * (c_x + step * k_x), step * (c_y + step * k_y), n, e)
            K = calc_slopes(-step * k, -step * k_x, -step * k_y, n, e)
            px, py, pz = apply(K, mx, my, mz)
            add_own_block(b, (rx, ry, rz), S, R, implicit_out.diagonal, implicit_out.value)
            add_force(b, (rx, ry, rz), (px, py, pz), (0.0, 0.0, 0.0), implicit_out.f, implicit_out.torque)
            if implicit_out.noted[0] == 1:
                row, zero, nothing = implicit_out.note_start[NOTE_TYRES] + i, unit(0.0), (0.0, 0.0, 0.0)
                ends, f = Ends(WORLD_ROW, b, nothing, (rx, ry, rz)), (px, py, pz)
                note_slopes(row, ends, S, zero, zero, f, nothing, n, e, implicit_out)
