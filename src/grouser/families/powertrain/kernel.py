"""Powertrains: torques about the spin axes of wheels.

A wheel with the share s_i of the torque turns by w_i against the body that holds the differentials. Open
differentials give fixed shares of the torque, so with the ratio i of engine to wheels the gearbox turns by

    w_in = i sum(s_i w_i)                                                                 (1)

and the power behind it is that before it. The gear g is a state between 1 and the number of gears; between two whole
gears i is linear. In speeds of the wheels, shifting up from gear k is due above up_k, down from k + 1 below down_k <
up_k. So there are a lowest and a highest gear that suit a speed, and

    dg/dt = (target - g)/T,   target = g brought between both, else the nearest whole gear (2)

A converter lets the engine turn at w_e, with the throttle p at least at a speed between idle and launch,

    w_e = max(w_in, idle + p (launch - idle)),   n = w_in/w_e cut to [0, 1]               (3)
    T_e = p T_full(w_e) + (1 - p) T_drag(w_e) min(1, n_idle),  n_idle = w_in/idle cut at 0 (4)
    T_i = s_i i (1 + (m - 1)(1 - n)) T_e where T_e > 0, else s_i i T_e                     (5)

m is the multiplication at a standstill; with m <= 2 the converter never gives more power than it gets. Power put in is
that of the torques on the wheels: what the converter loses is part of the engine.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_FORCES
from grouser.kernels.signal import calc_signal, calc_table
from grouser.kernels.spatial import rotate


@kernel(inline=True)
def calc_pedal(signal, i, t, driver, column, pedal, stack_work):
    """Pedal from its signal and from its driver, between 0 and 1."""
    value = calc_signal(signal, i, t, stack_work)
    if driver >= 0:
        value += pedal[driver, column]
    return min(max(value, 0.0), 1.0)


@kernel(inline=True)
def calc_spin(table, i, R, w_world):
    """Spin of wheel i against the body that takes the reaction, and the axis in the world."""
    b, a = table.body[i], table.reaction[i]
    ax, ay, az = rotate(R, b, table.axis[i, 0], table.axis[i, 1], table.axis[i, 2])
    wx, wy, wz = w_world[b, 0] - w_world[a, 0], w_world[b, 1] - w_world[a, 1], w_world[b, 2] - w_world[a, 2]
    return wx * ax + wy * ay + wz * az, ax, ay, az


@kernel(inline=True)
def add_spin_torque(table, i, torque, ax, ay, az, torque_out):
    """Add a torque about the axis of wheel i, and its reaction."""
    b, a = table.body[i], table.reaction[i]
    torque_out[b, 0] += torque * ax
    torque_out[b, 1] += torque * ay
    torque_out[b, 2] += torque * az
    torque_out[a, 0] -= torque * ax
    torque_out[a, 1] -= torque * ay
    torque_out[a, 2] -= torque * az


@kernel(inline=True)
def calc_gear_target(table, i, gear, speed):
    """(2): the gear that suits a speed of the wheels, nearest to `gear`."""
    start, count = table.gear_start[i], table.gear_stop[i] - table.gear_start[i]
    lowest = highest = 1
    for k in range(count - 1):
        if speed > table.up[start + k]:
            lowest = k + 2
        if speed > table.down[start + k]:
            highest = k + 2
    if gear < lowest:
        return 1.0 * lowest
    if gear > highest:
        return 1.0 * highest
    return min(max(1.0 * int(gear + 0.5), 1.0), 1.0 * count)


@kernel(inline=True)
def calc_ratio(table, i, gear):
    """Engine speed over wheel speed, linear between gears."""
    start, stop = table.gear_start[i], table.gear_stop[i]
    k = min(max(int(gear) - 1, 0), stop - start - 1)
    after = min(k + 1, stop - start - 1)
    share = min(max(gear - 1.0 - k, 0.0), 1.0)
    return table.ratio[start + k] * (1.0 - share) + table.ratio[start + after] * share


@kernel(stage=True, rows="powertrain.gear_start")
def add_powertrain_torques(
    # tables
    table,
    wheel,
    signal,
    # in
    view,
    # out
    z_rate_out,
    # work
    work,
):
    """Add the torques of all powertrains.

    `work.powertrain_value` (n, 5) gets engine speed, engine torque, gear, throttle, power.
    """
    t, R, w_world, z = view.t, view.R, view.w_world, view.z
    pedal, torque_out, value_out, stack_work = work.pedal, work.torque, work.powertrain_value, work.stack
    for i in range(table.gear_start.shape[0]):
        throttle = calc_pedal(signal, table.signal[i], t, table.driver[i], 0, pedal, stack_work)
        mean = 0.0
        for j in range(table.wheel_start[i], table.wheel_stop[i]):
            spin, _, _, _ = calc_spin(wheel, j, R, w_world)
            mean += wheel.share[j] * spin
        gear = z[table.state[i]]
        z_rate_out[table.state[i]] = (calc_gear_target(table, i, gear, mean) - gear) / table.shift_time[i]
        ratio = calc_ratio(table, i, gear)
        into, idle = ratio * mean, table.idle[i]  # (1)
        engine = max(into, idle + throttle * (table.launch[i] - idle))  # (3)
        slip = 1.0 - min(max(into / engine, 0.0), 1.0)
        curve, drag = table.curve_torque[i], table.curve_drag[i]
        full, _ = calc_table(signal.point, signal.start[curve], signal.stop[curve], engine)
        closed, _ = calc_table(signal.point, signal.start[drag], signal.stop[drag], engine)
        torque = throttle * full + (1.0 - throttle) * closed * min(max(into / idle, 0.0), 1.0)  # (4)
        behind = ratio * torque
        if torque > 0.0:
            behind *= 1.0 + (table.multiplication[i] - 1.0) * slip  # (5)
        for j in range(table.wheel_start[i], table.wheel_stop[i]):
            spin, ax, ay, az = calc_spin(wheel, j, R, w_world)
            add_spin_torque(wheel, j, wheel.share[j] * behind, ax, ay, az, torque_out)
        work.supplied[LEDGER_FORCES] += behind * mean
        value_out[i, 0], value_out[i, 1], value_out[i, 2], value_out[i, 3] = engine, torque, gear, throttle
        value_out[i, 4] = behind * mean
