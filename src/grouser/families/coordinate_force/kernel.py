"""Force elements along one coordinate: springs, joint springs, actuators, prescribed motions by penalty.

    distance:  q = |p_b - p_a|                      force along the line                 (1)
    slide:     q = a.(p_b - p_a)                    force along a, both ends at p_b      (2)
    twist:     q = atan2(M10 - M01, M00 + M11)      torque along (a + b)/(1 + a.b)       (3)

a, b are the z axes of the frames on both bodies. Laws, with f > 0 pushing q to larger values:

    spring     f = preload - k(q - free) - c(dq) - friction tanh(dq/v) - stops           (4)
    actuator   f = p e + i z + d de, cut to +-limit; dz/dt = e                           (5)
    motion     f = k e + c de, e = target - q                                            (6)

A motion given by its speed follows z with dz/dt = speed: one number z per element is part of the state. The target of a
motion that a driver steers has the driver's angle added, with its rate and acceleration (`grouser.families.driver`); a
sprocket's speed half of the difference of both, with its rate. In linearly implicit steps a target that moves on its
own adds its part to the right-hand side,

    h (k (target rate - dq) + c target acceleration)                                     (7)

The slopes -df/dq and -df/d(dq) are exact tangents, with z and the target held: the one of a curve or of a stop where q
stands, of friction in (4) friction (1 - tanh^2)/v, none of an actuator at its limit.
"""

from __future__ import annotations

from math import pi, sqrt, tanh

from grouser.families.driver.kernel import calc_steering_acceleration
from grouser.families.joint.kernel_point import calc_axis, calc_twist
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import (
    COORDINATE_SLIDE,
    COORDINATE_TWIST,
    LAW_FORCE,
    LAW_MOTION_POSITION,
    LAW_MOTION_SPEED,
    LAW_POSITION,
    LAW_SPEED,
    LAW_SPRING,
    LEDGER_FORCES,
    LEDGER_MOTIONS,
    LEDGER_NUMERICAL,
    NOTE_SCALARS,
)
from grouser.kernels.matrix import outer, unit
from grouser.kernels.scatter import Ends, add_pair_blocks, add_pair_force, note_slopes
from grouser.kernels.signal import (
    calc_curve,
    calc_curve_energy,
    calc_signal,
    calc_signal_acceleration,
    calc_signal_rate,
)
from grouser.kernels.spatial import rotate


@kernel
def calc_wrapped(angle):
    """Angle brought into [-pi, pi): the error of a coordinate that is known up to full turns."""
    return (angle + pi) % (2.0 * pi) - pi


@kernel
def calc_coordinate(table, i, x, R, v, w_world):
    """Coordinate and rate of element i, direction u of its force and t of its torque, and the levers of p_b from the
    centres of a and b."""
    a, b = table.body_a[i], table.body_b[i]
    wx = w_world[b, 0] - w_world[a, 0]
    wy = w_world[b, 1] - w_world[a, 1]
    wz = w_world[b, 2] - w_world[a, 2]
    hx, hy, hz = calc_axis(R, a, table.frame_a, i, 2)
    if table.coordinate[i] == COORDINATE_TWIST:
        jx, jy, jz = calc_axis(R, b, table.frame_b, i, 2)
        scale = 1.0 / (1.0 + hx * jx + hy * jy + hz * jz)
        tx, ty, tz = (hx + jx) * scale, (hy + jy) * scale, (hz + jz) * scale
        q = calc_twist(R, a, b, table.frame_a, table.frame_b, i)
        rate = wx * tx + wy * ty + wz * tz
        return q, rate, 0.0, 0.0, 0.0, tx, ty, tz, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # (3)
    rax, ray, raz = rotate(R, a, table.p_a[i, 0], table.p_a[i, 1], table.p_a[i, 2])
    rbx, rby, rbz = rotate(R, b, table.p_b[i, 0], table.p_b[i, 1], table.p_b[i, 2])
    sx, sy, sz = x[b, 0] - x[a, 0] + rbx, x[b, 1] - x[a, 1] + rby, x[b, 2] - x[a, 2] + rbz
    ex, ey, ez = sx - rax, sy - ray, sz - raz
    # velocity of p_b as seen from a: a force along e or along a fixed direction of a does no other work
    dx = v[b, 0] - v[a, 0] + w_world[b, 1] * rbz - w_world[b, 2] * rby
    dy = v[b, 1] - v[a, 1] + w_world[b, 2] * rbx - w_world[b, 0] * rbz
    dz = v[b, 2] - v[a, 2] + w_world[b, 0] * rby - w_world[b, 1] * rbx
    dx -= w_world[a, 1] * sz - w_world[a, 2] * sy
    dy -= w_world[a, 2] * sx - w_world[a, 0] * sz
    dz -= w_world[a, 0] * sy - w_world[a, 1] * sx
    if table.coordinate[i] == COORDINATE_SLIDE:
        ux, uy, uz = hx, hy, hz
        q = hx * ex + hy * ey + hz * ez  # (2)
    else:
        q = sqrt(ex * ex + ey * ey + ez * ez)  # (1)
        inverse = 1.0 / q if q > 0.0 else 0.0
        ux, uy, uz = ex * inverse, ey * inverse, ez * inverse
    rate = ux * dx + uy * dy + uz * dz
    return q, rate, ux, uy, uz, 0.0, 0.0, 0.0, sx, sy, sz, rbx, rby, rbz


@kernel
def calc_spring_law(table, signal, i, q, rate):
    """(4): force, stored energy, dissipated power, slopes k and c. Friction power is part of the dissipation."""
    stretch = q - table.free[i]
    if table.coordinate[i] == COORDINATE_TWIST:
        stretch = calc_wrapped(stretch)
    preload, k, c = table.preload[i], table.k[i], table.c[i]
    if table.curve_k[i] >= 0:
        start, stop = signal.start[table.curve_k[i]], signal.stop[table.curve_k[i]]
        elastic, k = calc_curve(signal.point, start, stop, stretch)
        energy = calc_curve_energy(signal.point, start, stop, stretch)
    else:
        elastic = k * stretch
        energy = 0.5 * elastic * stretch
    if table.curve_c[i] >= 0:
        start, stop = signal.start[table.curve_c[i]], signal.stop[table.curve_c[i]]
        viscous, c = calc_curve(signal.point, start, stop, rate)
    else:
        viscous = c * rate
    if table.friction[i] > 0.0:
        share = tanh(rate / table.friction_velocity[i])
        viscous += table.friction[i] * share
        c += table.friction[i] * (1.0 - share * share) / table.friction_velocity[i]
    force = preload - elastic - viscous
    energy -= preload * stretch
    power = viscous * rate
    over = max(stretch - table.stop_upper[i], 0.0) + min(stretch - table.stop_lower[i], 0.0)
    if over != 0.0:
        spring = table.stop_k[i] * over
        push = spring + table.stop_c[i] * rate
        if push * over < 0.0:  # a stop never pulls
            push = 0.0
        else:
            k += table.stop_k[i]
            c += table.stop_c[i]
        force -= push
        energy += 0.5 * spring * over
        power += (push - spring) * rate
    return force, energy, power, k, c


@kernel
def calc_target(table, signal, i, t, z, stack_work):
    """Target of element i, its rate, and the rate of its state z where z does not depend on the motion."""
    target = calc_signal(signal, table.signal[i], t, stack_work)
    place = table.driver_state[i]
    if table.law[i] == LAW_MOTION_SPEED:
        if place >= 0:
            target += table.driver_sign[i] * z[place + 1]
        return z[i], target, target
    rate = calc_signal_rate(signal, table.signal[i], t, stack_work)
    if place >= 0:
        return target + z[place + 1], rate + z[place + 2], 0.0
    return target, rate, 0.0


@kernel
def calc_target_acceleration(table, signal, i, t, z, stack_work):
    """Second time derivative of the target of motion i."""
    place = table.driver_state[i]
    if table.law[i] == LAW_MOTION_SPEED:
        rate = calc_signal_rate(signal, table.signal[i], t, stack_work)
        return rate + table.driver_sign[i] * z[place + 2] if place >= 0 else rate
    value = calc_signal_acceleration(signal, table.signal[i], t, stack_work)
    if place >= 0:
        frequency, ratio = table.driver_frequency[i], table.driver_ratio[i]
        value += calc_steering_acceleration(frequency, ratio, z[place], z[place + 1], z[place + 2])
    return value


@kernel(stage=True, rows="scalar.law")
def add_scalar_forces(
    # tables
    table,
    signal,
    # in
    view,
    # out
    z_rate_out,
    implicit_out,
    # work
    work,
):
    """Add the forces of all scalar elements, and their slopes where `implicit_out` is not None.

    `work.scalar_value` (n, 5) gets force, coordinate, rate, target, and the rate at which the force puts in work;
    `z_rate_out` dz/dt of their states. The power [W] that actuators put in is supplied in the family of forces, that of
    motions in theirs.
    """
    t, x, R, v, w_world, z = view
    f_out, torque_out, value_out, stack_work = work.f, work.torque, work.scalar_value, work.stack
    stored_out, dissipated_out, input_out = work.stored, work.dissipated, work.supplied
    for i in range(table.coordinate.shape[0]):
        q, rate, ux, uy, uz, tx, ty, tz, sx, sy, sz, rx, ry, rz = calc_coordinate(table, i, x, R, v, w_world)
        law = table.law[i]
        target = pulling_rate = target_acceleration = drive = 0.0
        k, c = table.k[i], table.c[i]
        z_rate_out[i] = 0.0
        if law == LAW_SPRING:
            force, energy, power, k, c = calc_spring_law(table, signal, i, q, rate)
            stored_out[LEDGER_FORCES] += energy
            stored_out[LEDGER_NUMERICAL] += 0.5 * k * rate * rate
            dissipated_out[LEDGER_FORCES] += power
        elif law in (LAW_MOTION_POSITION, LAW_MOTION_SPEED):
            target, target_rate, z_rate = calc_target(table, signal, i, t, z, stack_work)
            error = target - q
            if table.coordinate[i] == COORDINATE_TWIST:
                error = calc_wrapped(error)
            error_rate = target_rate - rate
            pulling_rate = target_rate
            if implicit_out is not None:
                target_acceleration = calc_target_acceleration(table, signal, i, t, z, stack_work)
            force = k * error + c * error_rate  # (6)
            z_rate_out[i] = z_rate
            if implicit_out is not None:  # its mean through a linearly implicit step
                z_rate_out[i] += 0.5 * implicit_out.ahead[0] * target_acceleration if law == LAW_MOTION_SPEED else 0.0
            stored_out[LEDGER_MOTIONS] += 0.5 * k * error * error
            stored_out[LEDGER_NUMERICAL] += 0.5 * k * error_rate * error_rate
            dissipated_out[LEDGER_MOTIONS] += c * error_rate * error_rate
            input_out[LEDGER_MOTIONS] += force * target_rate
            drive = target_rate
        else:
            target, target_rate, _ = calc_target(table, signal, i, t, z, stack_work)
            if law == LAW_FORCE:
                force = target
                k = c = 0.0
            else:
                error = target - q if law == LAW_POSITION else target - rate
                if law == LAW_POSITION and table.coordinate[i] == COORDINATE_TWIST:
                    error = calc_wrapped(error)
                # the rate of a speed error would need the acceleration: gain d then acts on the target only
                error_rate = target_rate - rate if law == LAW_POSITION else target_rate
                force = k * error + table.gain_i[i] * z[i] + c * error_rate  # (5)
                z_rate_out[i] = error
                if law == LAW_SPEED:
                    k, c = 0.0, k
                    target_acceleration = target_rate
                else:
                    pulling_rate = target_rate
            limit = table.limit[i]
            if abs(force) > limit:
                if force * z_rate_out[i] > 0.0:
                    z_rate_out[i] = 0.0
                force = min(max(force, -limit), limit)
                k = c = 0.0
            input_out[LEDGER_FORCES] += force * rate
            drive = rate
        value_out[i, 0], value_out[i, 1], value_out[i, 2], value_out[i, 3], value_out[i, 4] = (
            force,
            q,
            rate,
            target,
            drive,
        )
        a, b = table.body_a[i], table.body_b[i]
        fx, fy, fz, gx, gy, gz = force * ux, force * uy, force * uz, force * tx, force * ty, force * tz
        ends = Ends(a, b, (sx, sy, sz), (rx, ry, rz))
        add_pair_force(ends, (fx, fy, fz), (gx, gy, gz), f_out, torque_out)
        if implicit_out is not None:
            if implicit_out.wanted[0] == 0:
                continue
            h = implicit_out.h[0]
            slope, bias = h * (c + h * k), h * (k * (pulling_rate - rate) + c * target_acceleration)  # (7)
            # u or t is zero: there is nothing between them
            S, B = outer(slope, ux, uy, uz), outer(slope, tx, ty, tz)
            add_pair_blocks(ends, S, None, B, R, implicit_out.scalar_edge, i, implicit_out)
            fx, fy, fz, gx, gy, gz = bias * ux, bias * uy, bias * uz, bias * tx, bias * ty, bias * tz
            f, g, nothing = (fx, fy, fz), (gx, gy, gz), (0.0, 0.0, 0.0)
            add_pair_force(ends, f, g, implicit_out.f, implicit_out.torque)
            direction = (ux + tx, uy + ty, uz + tz)  # one of them is zero
            row = implicit_out.note_start[NOTE_SCALARS] + i
            note_slopes(row, ends, S, unit(0.0), B, f, g, direction, nothing, implicit_out)
