"""Powertrains and brakes: torques about the spin axes of wheels.

Powertrain. A wheel with the share s_i of the torque turns by w_i against the body that holds the differentials. Open
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

Brake. The torque opposes the spin w by a state b between -1 and 1 (elasto-plastic friction: P. Dupont, V. Hayward, B.
Armstrong, F. Altpeter, IEEE Trans. Automatic Control 47 (2002); here with a lag, and damped with t = `SETTLING`):

    db/dt = (w - a |w| b)/(angle + |w| lag),   T = -p T_max (b + (1 - |b|) w t/(angle + |w| t))               (6)
    a = y^2 (3 - 2 y),  y = 2 |b| - 1 cut to [0, 1], where b and w have the same sign, else none

A turning wheel has b = sgn(w) after the lag; a standing one turns by about `angle` until the torque has built up, and
then stays. What this spring holds counts as dissipated until it is given back.

In implicit steps b at the end of a step h is that of an implicit Euler step, so b and the torque know the spin there:

    b_end = b + h g,   g = (db/dt + s (w_end - w))/(1 + h r)                              (7)
    s = d(db/dt)/dw = angle (1 - a sgn(w) b)/(angle + |w| lag)^2,   r = -d(db/dt)/db = a |w|/(angle + |w| lag)

the torque of which adds slopes to the matrix, k = p T_max s/(1 + h r), and the damping of (6),
c = p T_max (1 - |b|) t angle/(angle + |w| t)^2.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_FORCES, NOTE_BRAKES, WORLD_ROW
from grouser.kernels.matrix import outer, unit
from grouser.kernels.scatter import Ends, add_pair_blocks, note_slopes
from grouser.kernels.signal import calc_signal, calc_table
from grouser.kernels.spatial import rotate

SETTLING = 0.02
"""Time by which a wheel that a brake holds comes to rest [s]: damping over stiffness of the standing brake."""


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


@kernel(inline=True)
def calc_brake_rate(table, i, spin, grip):
    """db/dt of brake i (6), its slope along the spin, and how fast it relaxes (7)."""
    scale = 1.0 / (table.angle[i] + abs(spin) * table.lag[i])
    y = min(max(2.0 * abs(grip) - 1.0, 0.0), 1.0) if grip * spin > 0.0 else 0.0
    share = y * y * (3.0 - 2.0 * y)
    slope = table.angle[i] * scale * scale * (1.0 - share * abs(grip))
    return (spin - share * abs(spin) * grip) * scale, slope, share * abs(spin) * scale


@kernel(stage=True, rows="brake.body")
def add_brake_torques(
    # tables
    table,
    signal,
    # in
    view,
    # out
    z_rate_out,
    blocks_out,
    # work
    work,
):
    """Add the torques of all brakes. `work.brake_value` (n, 2) gets torque and pedal."""
    t, R, w_world, z = view.t, view.R, view.w_world, view.z
    pedal, torque_out, value_out, stack_work = work.pedal, work.torque, work.brake_value, work.stack
    for i in range(table.body.shape[0]):
        press = calc_pedal(signal, table.signal[i], t, table.driver[i], 1, pedal, stack_work)
        spin, ax, ay, az = calc_spin(table, i, R, w_world)
        grip, most = z[table.state[i]], press * table.torque[i]
        rate, slope, relaxation = calc_brake_rate(table, i, spin, grip)
        settling = table.angle[i] + abs(spin) * SETTLING
        torque = -most * (grip + (1.0 - abs(grip)) * spin * SETTLING / settling)
        add_spin_torque(table, i, torque, ax, ay, az, torque_out)
        work.dissipated[LEDGER_FORCES] -= torque * spin
        value_out[i, 0], value_out[i, 1] = torque, press
        if blocks_out is not None:
            h, ahead = blocks_out.h[0], blocks_out.ahead[0]
            rate /= 1.0 + ahead * relaxation  # (7)
            k, c = most * slope / (1.0 + h * relaxation), most * (1.0 - abs(grip)) * SETTLING * table.angle[i]
            c /= settling * settling
            if blocks_out.wanted[0] == 1:
                bias = -ahead * most * rate  # the torque that builds up within a linearly implicit step
                add_spin_torque(table, i, bias, ax, ay, az, blocks_out.torque)
                zero, nothing = unit(0.0), (0.0, 0.0, 0.0)
                ends = Ends(table.reaction[i], table.body[i], nothing, nothing)
                B = outer(h * (c + h * k), ax, ay, az)
                add_pair_blocks(ends, zero, None, B, R, blocks_out.brake_edge, i, blocks_out)
                if blocks_out.noted[0] == 1:
                    row, f, axis = (
                        blocks_out.note_start[NOTE_BRAKES] + i,
                        (bias * ax, bias * ay, bias * az),
                        (ax, ay, az),
                    )
                    note_slopes(row, ends, zero, zero, B, nothing, f, axis, nothing, blocks_out)
        z_rate_out[table.state[i]] = rate


@kernel(stage=True, rows="brake.body")
def add_brake_response(
    # tables
    table,
    # in
    h,
    R,
    w_world,
    z,
    rate,
    # out
    z_rate_out,
):
    """What (7) adds to the rates of states of brakes in a linearly implicit step h with the accelerations `rate`."""
    for i in range(table.body.shape[0]):
        spin, ax, ay, az = calc_spin(table, i, R, w_world)
        _, slope, relaxation = calc_brake_rate(table, i, spin, z[table.state[i]])
        gain = 0.0
        for side in range(2):
            body = table.body[i] if side == 0 else table.reaction[i]
            if body != WORLD_ROW:
                wx, wy, wz = rotate(R, body, rate[6 * body + 3], rate[6 * body + 4], rate[6 * body + 5])
                along = ax * wx + ay * wy + az * wz
                gain += along if side == 0 else -along
        z_rate_out[table.state[i]] += h * slope * gain / (1.0 + h * relaxation)
