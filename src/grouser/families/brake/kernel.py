"""Brakes: torques about the spin axes of wheels.

The torque opposes the spin w by a state b between -1 and 1 (elasto-plastic friction: P. Dupont, V. Hayward, B.
Armstrong, F. Altpeter, IEEE Trans. Automatic Control 47 (2002); here with a lag, and damped with t = `SETTLING`):

    db/dt = (w - a |w| b)/(angle + |w| lag),   T = -p T_max (b + (1 - |b|) w t/(angle + |w| t))               (1)
    a = y^2 (3 - 2 y),  y = 2 |b| - 1 cut to [0, 1], where b and w have the same sign, else none

A turning wheel has b = sgn(w) after the lag; a standing one turns by about `angle` until the torque has built up, and
then stays. What this spring holds counts as dissipated until it is given back.

In implicit steps b at the end of a step h is that of an implicit Euler step, so b and the torque know the spin there:

    b_end = b + h g,   g = (db/dt + s (w_end - w))/(1 + h r)                              (2)
    s = d(db/dt)/dw = angle (1 - a sgn(w) b)/(angle + |w| lag)^2,   r = -d(db/dt)/db = a |w|/(angle + |w| lag)

the torque of which adds slopes to the matrix, k = p T_max s/(1 + h r), and the damping of (1),
c = p T_max (1 - |b|) t angle/(angle + |w| t)^2.
"""

from __future__ import annotations

from grouser.families.powertrain.kernel import add_spin_torque, calc_pedal, calc_spin
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_FORCES, NOTE_BRAKES, WORLD_ROW
from grouser.kernels.matrix import outer, unit
from grouser.kernels.scatter import Ends, add_pair_blocks, note_slopes
from grouser.kernels.spatial import rotate

SETTLING = 0.02
"""Time by which a wheel that a brake holds comes to rest [s]: damping over stiffness of the standing brake."""


@kernel(inline=True)
def calc_brake_rate(table, i, spin, grip):
    """db/dt of brake i (1), its slope along the spin, and how fast it relaxes (2)."""
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
    implicit_out,
    # work
    work,
):
    """Add the torques of all brakes. `work.brake_value` (n, 3) gets torque, pedal and the power that is lost."""
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
        value_out[i, 0], value_out[i, 1], value_out[i, 2] = torque, press, -torque * spin
        if implicit_out is not None:
            h, ahead = implicit_out.h[0], implicit_out.ahead[0]
            rate /= 1.0 + ahead * relaxation  # (2)
            k, c = most * slope / (1.0 + h * relaxation), most * (1.0 - abs(grip)) * SETTLING * table.angle[i]
            c /= settling * settling
            if implicit_out.wanted[0] == 1:
                bias = -ahead * most * rate  # the torque that builds up within a linearly implicit step
                add_spin_torque(table, i, bias, ax, ay, az, implicit_out.torque)
                zero, nothing = unit(0.0), (0.0, 0.0, 0.0)
                ends = Ends(table.reaction[i], table.body[i], nothing, nothing)
                B = outer(h * (c + h * k), ax, ay, az)
                add_pair_blocks(ends, zero, None, B, R, implicit_out.brake_edge, i, implicit_out)
                if implicit_out.noted[0] == 1:
                    row, f, axis = (
                        implicit_out.note_start[NOTE_BRAKES] + i,
                        (bias * ax, bias * ay, bias * az),
                        (ax, ay, az),
                    )
                    note_slopes(row, ends, zero, zero, B, nothing, f, axis, nothing, implicit_out)
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
    """What (2) adds to the rates of states of brakes in a linearly implicit step h with the accelerations `rate`."""
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
