"""Powertrains of tracks: an engine that turns by itself, a converter, gears, and a differential that steers.

Both sprockets turn by w_l and w_r against what carries them: by their mean m = (w_l + w_r)/2, and by half of their
difference d = (w_r - w_l)/2. The gearbox stands in the gear g, a state as in `families/powertrain/kernel.py` (2), and
has with the gears behind it the ratio i. The engine's speed w_e is a state with the inertia J, p the throttle,

    J dw_e/dt = T_e - T_p,   T_e = q T_full(w_e) + (1 - q) T_drag(w_e)                    (1)

where q is the larger of p and of what the governor gives below the idle speed, (w_idle - w_e)/(`DROOP` w_idle) cut to
[0, 1]. The turbine of the converter turns by w_t = i m. With the capacity c and the multiplication k, both by the ratio
of speeds n = w_t/w_e, at least 0,

    T_p = c(n) w_e^2,   T_t = k(n) T_p     where w_t <= w_e                               (2)
    T_p = T_t = -c(1/n) w_t^2              where the turbine drives the engine            (3)

Gears of the efficiency e resist as friction does, with the regularised sign sgn(m) = m/(|m| + `SLOW`),

    T = i (T_t - (1 - e) |T_t| sgn(m))                                                    (4)

Steering brakes: a brake that holds its drum makes d = a |m|, with a the `turn` of the differential; a = 1 is a brake on
the inner sprocket itself. A drum of the left brake turns by a number times a m - d, so by the principle of virtual
power a brake that gives the difference the torque S (S on the right sprocket, -S on the left one; positive by the left
brake, negative by the right one) takes 2 |S| a from the mean,

    T_l = (T - D)/2 - S,   T_r = (T - D)/2 + S,   D = 2 |S| max(a |m|, d sgn(S)) m/(m^2 + `SLOW`^2)   (5)

and turns 2 |S| (a |m| - d sgn(S)) into heat. With a drum that holds nothing is lost: power goes from the inner track to
the outer one. The larger of both in D says that a brake does not drive its drum. The torque follows what the driver
wants, w, as far as the differential can turn,

    dS/dt = (cut(G (cut(w, a |m|) - d), S_max) - S)/lag                                   (6)

Energies: put in T_e w_e, stored J w_e^2/2, dissipated the losses of (2) to (5), and what is left moves the sprockets.
States in this order: w_e, g, S.

Range: forward gears only. With the engine's own inertia left out of the reactions, the hull does not feel the engine
speed up.
"""

from __future__ import annotations

from grouser.families.powertrain.kernel import add_spin_torque, calc_gear_target, calc_pedal, calc_ratio, calc_spin
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_FORCES
from grouser.kernels.signal import calc_table

DROOP = 0.2
"""Range of the idle governor over the idle speed [-]."""
SLOW = 0.1
"""Mean speed of the sprockets below which friction of gears and steering brakes fades [rad/s]."""
SLOWEST_ENGINE = 1.0
"""Least speed of an engine that converters reckon with [rad/s]: the governor keeps it far above."""
STATES = 3
"""States of a powertrain of tracks."""


@kernel(inline=True)
def calc_engine_torque(table, i, signal, speed, throttle):
    """T_e of (1)."""
    idle, full, drag = table.idle[i], table.curve_torque[i], table.curve_drag[i]
    opened = max(throttle, min(max((idle - speed) / (DROOP * idle), 0.0), 1.0))
    most, _ = calc_table(signal.point, signal.start[full], signal.stop[full], speed)
    least, _ = calc_table(signal.point, signal.start[drag], signal.stop[drag], speed)
    return opened * most + (1.0 - opened) * least


@kernel(inline=True)
def calc_converter(table, i, signal, engine, turbine):
    """Torques T_p that the pump takes, and T_t that the turbine gives."""
    capacity, gain = table.curve_capacity[i], table.curve_multiplication[i]
    first, last = signal.start[capacity], signal.stop[capacity]
    if turbine > engine:  # (3)
        factor, _ = calc_table(signal.point, first, last, engine / turbine)
        taken = -factor * turbine * turbine
        return taken, taken
    slip = max(turbine / engine, 0.0)
    factor, _ = calc_table(signal.point, first, last, slip)
    multiplication, _ = calc_table(signal.point, signal.start[gain], signal.stop[gain], slip)
    taken = factor * engine * engine  # (2)
    return taken, multiplication * taken


@kernel(inline=True)
def calc_lever_rate(table, i, lever, wanted, mean, half):
    """dS/dt of (6)."""
    reach = table.turn[i] * abs(mean)
    missing = min(max(wanted, -reach), reach) - half
    target = min(max(table.gain[i] * missing, -table.torque[i]), table.torque[i])
    return (target - lever) / table.lag[i]


@kernel(inline=True)
def calc_drag(table, i, lever, mean, half):
    """D of (5)."""
    held = max(table.turn[i] * abs(mean), half if lever > 0.0 else -half)
    return 2.0 * abs(lever) * held * mean / (mean * mean + SLOW * SLOW)


@kernel(stage=True, rows="track_powertrain.state")
def add_track_powertrain_torques(
    # tables
    table,
    sprocket,
    signal,
    # in
    view,
    # out
    z_rate_out,
    # work
    work,
):
    """Add the torques of all powertrains of tracks.

    `work.track_powertrain_value` (n, 11) gets the torques on the left and the right sprocket, engine speed, engine
    torque, gear, throttle, power of the engine, power put into the sprockets, and the power lost in the converter, in
    the gears and by the steering brakes. `sprocket` has the left and the right one of each.
    """
    t, R, w_world, z = view.t, view.R, view.w_world, view.z
    pedal, torque_out, value_out, stack_work = work.pedal, work.torque, work.track_powertrain_value, work.stack
    for i in range(table.state.shape[0]):
        throttle = calc_pedal(signal, table.signal[i], t, table.driver[i], 0, pedal, stack_work)
        left, lx, ly, lz = calc_spin(sprocket, 2 * i, R, w_world)
        right, rx, ry, rz = calc_spin(sprocket, 2 * i + 1, R, w_world)
        mean, half = 0.5 * (left + right), 0.5 * (right - left)
        place = table.state[i]
        engine, gear, lever = z[place], z[place + 1], z[place + 2]
        ratio = calc_ratio(table, i, gear)
        turbine = ratio * mean
        torque = calc_engine_torque(table, i, signal, engine, throttle)
        taken, given = calc_converter(table, i, signal, max(engine, SLOWEST_ENGINE), turbine)
        z_rate_out[place] = (torque - taken) / table.inertia[i]  # (1)
        z_rate_out[place + 1] = (calc_gear_target(table, i, gear, mean) - gear) / table.shift_time[i]
        wanted = z[table.driver_state[i] + 1] if table.driver_state[i] >= 0 else 0.0
        z_rate_out[place + 2] = calc_lever_rate(table, i, lever, wanted, mean, half)
        behind = ratio * (given - (1.0 - table.efficiency[i]) * abs(given) * mean / (abs(mean) + SLOW))  # (4)
        even = 0.5 * (behind - calc_drag(table, i, lever, mean, half))
        add_spin_torque(sprocket, 2 * i, even - lever, lx, ly, lz, torque_out)  # (5)
        add_spin_torque(sprocket, 2 * i + 1, even + lever, rx, ry, rz, torque_out)
        power = (even - lever) * left + (even + lever) * right
        heat = taken * engine - given * turbine
        friction, steering = given * turbine - behind * mean, behind * mean - power
        work.supplied[LEDGER_FORCES] += torque * engine
        work.stored[LEDGER_FORCES] += 0.5 * table.inertia[i] * engine * engine
        work.dissipated[LEDGER_FORCES] += heat + friction + steering
        value_out[i, 0], value_out[i, 1], value_out[i, 2] = even - lever, even + lever, engine
        value_out[i, 3], value_out[i, 4], value_out[i, 5] = torque, gear, throttle
        value_out[i, 6], value_out[i, 7] = torque * engine, power
        value_out[i, 8], value_out[i, 9], value_out[i, 10] = heat, friction, steering
