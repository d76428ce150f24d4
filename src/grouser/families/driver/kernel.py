"""Drivers: steering by a point of the path ahead, pedals by the speed error.

The driver's view is a point p fixed on the vehicle, seen from above, whose course c is the direction of its velocity
(below some `SLOW` m/s the forward direction of the vehicle). Along the path, of length s, the driver is at

    ds/dt = v.t + g (p - path(s)).t,   g = `CATCH`                                        (1)

with the direction t of the path at s: a state, so that paths may cross themselves. Steering and vehicle need some time
T_p to answer, so the driver starts from where speed v and yaw rate r will have led until then,

    p' = p + v T_p turn(c, r T_p/2),   c' = turn(c, r T_p)

looks at path(s + v T_p + d) with d = max(preview time times v, least distance), sees it from p' at the distance D,
offset to the left of c' by y, and wants the curvature of the circle through it that starts along c' (pure pursuit: R.
C. Coulter, CMU-RI-TR-92-01, 1992),

    k = 2 y/D^2,   road wheels: atan(l k) + u v^2 k,   motion: ratio times that           (2)

l is the wheelbase, u the understeer. A vehicle with tracks turns by half of the difference w of its sprockets' speeds,
w = B r/(2 R) without slip, with the tread B, the yaw rate r and R the speed of a track over that of its sprocket.
Tracks slip, so the driver asks for more where yaw is missing,

    w = B/(2 R) (k v + g (k v - r))                                                       (6)

What is wanted, cut to the limit, passes two lags:

    da/dt = (wanted - a)/T                                                                (3)
    dd/dt = r,   dr/dt = f^2 (a - d) - 2 zeta f r                                         (4)

d, r and dr/dt are angle, rate and acceleration of the driven motion: they are functions of the states alone. Speed:

    U = p e + i z,   dz/dt = e, none while U is beyond what the pedals can do             (5)

States in this order: a, d, r, z, s.
"""

from __future__ import annotations

from math import atan, cos, sin, sqrt

from grouser.families.joint.kernel_point import calc_axis
from grouser.kernels._jit import kernel
from grouser.kernels.signal import calc_signal
from grouser.kernels.spatial import cross, rotate

CATCH = 2.0
"""Rate [1/s] at which the place along the path follows the vehicle."""
SLOW = 1.0
"""Speed [m/s] at which course and heading count alike for the driver."""
STATES = 5
"""States of a driver."""


@kernel
def calc_path_point(path, start, stop, s):
    """Point and direction of a path at the length s, straight beyond both ends. Rows of `path`: x, y, length so far."""
    low, high = start, stop - 1
    while high - low > 1:
        middle = (low + high) // 2
        if path[middle, 2] <= s:
            low = middle
        else:
            high = middle
    inverse = 1.0 / (path[high, 2] - path[low, 2])
    tx, ty = (path[high, 0] - path[low, 0]) * inverse, (path[high, 1] - path[low, 1]) * inverse
    ahead = s - path[low, 2]
    return path[low, 0] + ahead * tx, path[low, 1] + ahead * ty, tx, ty


@kernel(stage=True, rows="driver.body")
def calc_drivers(
    # tables
    table,
    signal,
    # in
    view,
    # out
    z_rate_out,
    # work
    work,
):
    """Rates of the states of all drivers, and what they do to the pedals.

    `work.pedal` (n, 2) gets throttle and brake, `work.driver_value` (n, 4) lateral offset from the path [m], wanted
    speed less speed [m/s], way along the path [m], wanted angle of the motion [rad], or with
    tracks half of the difference of their sprockets' speeds [rad/s].
    """
    t, x, R, v, w_world, z = view
    pedal_out, value_out, stack_work = work.pedal, work.driver_value, work.stack
    for i in range(table.body.shape[0]):
        b, place = table.body[i], table.state[i]
        gx, gy, gz = rotate(R, b, table.p[i, 0], table.p[i, 1], table.p[i, 2])
        tx, ty, _ = cross(w_world[b, 0], w_world[b, 1], w_world[b, 2], gx, gy, gz)
        px, py, vx, vy = x[b, 0] + gx, x[b, 1] + gy, v[b, 0] + tx, v[b, 1] + ty
        ex, ey, _ = calc_axis(R, b, table.frame, i, 0)
        level = sqrt(ex * ex + ey * ey)
        inverse = 1.0 / level if level > 0.0 else 0.0
        ex, ey = ex * inverse, ey * inverse
        speed = vx * ex + vy * ey
        a, d, r, integral, s = z[place], z[place + 1], z[place + 2], z[place + 3], z[place + 4]
        wanted = offset = s_rate = 0.0
        start, stop = table.path_start[i], table.path_stop[i]
        if stop > start:
            qx, qy, tx, ty = calc_path_point(table.path, start, stop, s)
            s_rate = vx * tx + vy * ty + CATCH * ((px - qx) * tx + (py - qy) * ty)  # (1)
            offset = (py - qy) * tx - (px - qx) * ty
            coming, turn = table.prediction_time[i] * max(speed, 0.0), table.prediction_time[i] * w_world[b, 2]
            ahead = max(table.preview_time[i] * speed, table.preview_distance[i])
            qx, qy, _, _ = calc_path_point(table.path, start, stop, s + coming + ahead)
            cx, cy = (vx + SLOW * ex, vy + SLOW * ey) if speed > 0.0 else (ex, ey)
            inverse = 1.0 / sqrt(cx * cx + cy * cy)
            cx, cy = calc_turned_direction(cx * inverse, cy * inverse, 0.5 * turn)
            qx, qy = qx - px - coming * cx, qy - py - coming * cy
            cx, cy = calc_turned_direction(cx, cy, 0.5 * turn)
            curvature = 2.0 * (qy * cx - qx * cy) / (qx * qx + qy * qy)
            if table.is_tracked[i] == 1:
                wanted = curvature * speed
            else:
                road = atan(table.wheelbase[i] * curvature) + table.understeer[i] * speed * speed * curvature
                wanted = table.ratio[i] * road  # (2)
        if table.angle[i] >= 0:
            wanted += calc_signal(signal, table.angle[i], t, stack_work)
        if table.is_tracked[i] == 1:
            wanted = table.ratio[i] * (wanted + table.yaw_gain[i] * (wanted - w_world[b, 2]))  # (6)
        wanted = min(max(wanted, -table.limit[i]), table.limit[i])
        z_rate_out[place] = (wanted - a) / table.lag[i]  # (3)
        z_rate_out[place + 1] = r
        z_rate_out[place + 2] = calc_steering_acceleration(table.frequency[i], table.damping_ratio[i], a, d, r)
        throttle = brake = error = 0.0
        z_rate_out[place + 3] = 0.0
        if table.speed[i] >= 0:  # (5)
            error = calc_signal(signal, table.speed[i], t, stack_work) - speed
            effort = table.gain_p[i] * error + table.gain_i[i] * integral
            throttle = min(max(effort, 0.0), 1.0)
            brake = min(max(-table.gain_brake[i] * effort, 0.0), 1.0)
            if not ((throttle == 1.0 and error > 0.0) or (brake == 1.0 and error < 0.0)):
                z_rate_out[place + 3] = error
        z_rate_out[place + 4] = s_rate
        pedal_out[i, 0], pedal_out[i, 1] = throttle, brake
        value_out[i, 0], value_out[i, 1], value_out[i, 2], value_out[i, 3] = offset, error, s, wanted


@kernel(inline=True)
def calc_turned_direction(x, y, angle):
    """(x, y) turned to the left by an angle [rad]."""
    c, s = cos(angle), sin(angle)
    return c * x - s * y, s * x + c * y


@kernel(inline=True)
def calc_steering_acceleration(frequency, damping_ratio, a, d, r):
    """dr/dt of (4)."""
    return frequency * (frequency * (a - d) - 2.0 * damping_ratio * r)
