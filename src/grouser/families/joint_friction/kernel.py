"""Friction of joints by the asperity law (S0 section 4.2): an anchored spring beside a Coulomb element of two segments.

With v the rate of the coordinate, s the displacement from the anchor, F the limit and V the sliding speed,

    F = constant + mu N radius,   g = v/V cut to [-1, 1]                                  (1)
    E = (k s cut to [-F, F]) + F g,   f = -E cut to [-F, F]                               (2)

N is the magnitude of the force that the joint carries, in the same evaluation; f is the friction. S0 moves the anchor
where (2) cuts, so that the spring carries what the Coulomb element leaves, k s = -f - F g. DIFFERS: here s is a state
with a rate, as every integrator needs it,

    ds/dt = m V g - (k s + F g + f)/(k t),
    m = (F - |E|)/(r F) cut to [0, 1] where v pushes on (v E > 0), else 1                 (3)

so that ds/dt = v in a joint that sticks, up to the share 1 - r of its limit, r = `ROUNDED`. From there to the limit the
anchor slides along more and more, which adds 1.4 r F/k to the displacement at 99 % of the limit. What is cut away in
(2) is given up with the time t = `RELEASE`, while f has its limit. Beyond the sliding speed the anchor moves by V
instead of v: a joint that turns round at once loads its spring anew within F/(k V).

The spring stores k s^2/2. What f takes and the spring does not, f v and k s ds/dt, is dissipated; it is never negative.

In implicit steps s at the end of a step h is that of an implicit Euler step, so s and f know the rate there:

    s_end = s + h q,   q = (ds/dt + a (v_end - v))/(1 + h b),   a = d(ds/dt)/dv,   b = -d(ds/dt)/ds           (4)

With c = -df/dv, and k where (2) does not cut, the slope in the matrix is h (c + h k a/(1 + h b)). It is exact and not
negative. That the limit follows the load is left out: it would make the matrix unsymmetric.

A joint that slides has no slope, and a step that takes its speed beyond zero would turn the sliding round, with a force
that has become its opposite. Linearly implicit steps, and iterations that ask for `grip`, take the secant at least,

    c = |f|/max(|v|, V)                                                                   (5)

by which the end of a step never slides the other way: with the mass m on which friction alone acts, its speed becomes
v/(1 + h |f|/(m |v|)).
"""

from __future__ import annotations

from math import sqrt

from grouser.families.coordinate_force.kernel import calc_coordinate
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import COORDINATE_TWIST, LEDGER_FORCES, LEDGER_NUMERICAL, WORLD_ROW
from grouser.kernels.matrix import outer
from grouser.kernels.scatter import Ends, add_pair_blocks, add_pair_force
from grouser.kernels.spatial import cross, dot, rotate

SETTLING = 0.02
"""Time by which a joint that friction holds comes to rest [s]: damping over stiffness, where no sliding speed is
given."""
ROUNDED = 0.1
"""Share r of the limit of friction of a joint within which its anchor begins to slide along."""
RELEASE = 0.02
"""Time within which asperities of a joint give up what is more than their limit [s]."""
# columns of the values: what is shown, then what (4) needs of a step: bias and slope of f, h a, 1/(1 + h b)
FORCE, TORQUE, LOAD, SHARE, BIAS, SLOPE, GIVE, STAY = 0, 1, 2, 3, 4, 5, 6, 7


@kernel(inline=True)
def calc_friction_law(limit, k, speed, s, v):
    """(2) and (3): f and ds/dt, with the slopes -df/ds, c, a and b of (4)."""
    spring = min(max(k * s, -limit), limit)
    coulomb = limit * min(max(v / speed, -1.0), 1.0)
    trial, pace = spring + coulomb, min(max(v, -speed), speed)
    force = -min(max(trial, -limit), limit)
    slope = k if spring == k * s else 0.0
    c = limit / speed if abs(v) < speed else 0.0
    moves, a, b = 1.0, 1.0 if abs(v) < speed else 0.0, 0.0
    if v * trial > 0.0 or limit == 0.0:
        moves = min(max(limit - abs(trial), 0.0) / (ROUNDED * limit), 1.0) if limit > 0.0 else 0.0
        if 0.0 < moves < 1.0:
            b = abs(pace) * slope / (ROUNDED * limit)
            a *= moves - abs(pace) / (ROUNDED * speed)
        else:
            a *= moves
    rate = moves * pace - (k * s + coulomb + force) / (k * RELEASE)
    if force != -trial:
        a, b = a - c / (k * RELEASE), 1.0 / RELEASE
        slope = c = 0.0
    elif slope == 0.0:
        b += 1.0 / RELEASE
    return force, rate, slope, c, a, b


@kernel(stage=True, rows="joint_friction.body_a")
def add_joint_frictions(
    # tables
    table,
    # in
    view,
    # out
    z_rate_out,
    implicit_out,
    # work
    work,
):
    """Add the friction of all joints, after the forces of the joints are known.

    `work.joint_friction_value` (n, 8) gets force or torque, the load, and the share of the limit.
    """
    _, x, R, v, w_world, z = view
    for i in range(table.body_a.shape[0]):
        _, pace, ux, uy, uz, tx, ty, tz, sx, sy, sz, rx, ry, rz = calc_coordinate(table, i, x, R, v, w_world)
        load = 0.0
        if table.per_load[i] > 0.0:
            f = work.joint_force[table.joint[i]]
            load = sqrt(dot(f[0], f[1], f[2], f[0], f[1], f[2]))
        limit = table.constant[i] + table.per_load[i] * load  # (1)
        k, s = table.k[i], z[table.state[i]]
        force, rate, k_now, c, a, b = calc_friction_law(limit, k, table.speed[i], s, pace)
        work.stored[LEDGER_FORCES] += 0.5 * k * s * s
        work.stored[LEDGER_NUMERICAL] += 0.5 * k * rate * rate
        work.dissipated[LEDGER_FORCES] -= force * pace + k * s * rate
        value = work.joint_friction_value[i]
        turns = table.coordinate[i] == COORDINATE_TWIST
        value[FORCE], value[TORQUE] = (0.0, force) if turns else (force, 0.0)
        value[LOAD], value[SHARE] = load, abs(force) / limit if limit > 0.0 else 0.0
        ends = Ends(table.body_a[i], table.body_b[i], (sx, sy, sz), (rx, ry, rz))
        f, t = (force * ux, force * uy, force * uz), (force * tx, force * ty, force * tz)
        add_pair_force(ends, f, t, work.f, work.torque)
        if implicit_out is not None:
            h, ahead = implicit_out.h[0], implicit_out.ahead[0]
            if implicit_out.wanted[0] == 1:
                bias, slope = -ahead * k_now * rate / (1.0 + ahead * b), h * (c + h * k_now * a / (1.0 + h * b))  # (4)
                if ahead + implicit_out.grip[0] > 0.0:  # (5)
                    slope = max(slope, h * abs(force) / max(abs(pace), table.speed[i]))
                value[BIAS], value[SLOPE], value[GIVE], value[STAY] = bias, slope, h * a, 1.0 / (1.0 + h * b)
                f, t = (bias * ux, bias * uy, bias * uz), (bias * tx, bias * ty, bias * tz)
                add_pair_force(ends, f, t, implicit_out.f, implicit_out.torque)
                # u or t is zero: there is nothing between them
                S, B = outer(slope, ux, uy, uz), outer(slope, tx, ty, tz)
                add_pair_blocks(ends, S, None, B, R, implicit_out.joint_friction_edge, i, implicit_out)
        z_rate_out[table.state[i]] = rate


@kernel
def calc_gain(table, i, rate, work):
    """Second derivative of coordinate i that the accelerations `rate` of the nodes make (v world axes, w body axes)."""
    x, R, v, w_world = work.x_new, work.R_new, work.v_new, work.w_world
    _, _, ux, uy, uz, tx, ty, tz, sx, sy, sz, rx, ry, rz = calc_coordinate(table, i, x, R, v, w_world)
    gain = 0.0
    for side in range(2):
        body = table.body_a[i] if side == 0 else table.body_b[i]
        if body != WORLD_ROW:
            o = 6 * body
            lx, ly, lz = (sx, sy, sz) if side == 0 else (rx, ry, rz)
            mx, my, mz = cross(lx, ly, lz, ux, uy, uz)
            wx, wy, wz = rotate(R, body, rate[o + 3], rate[o + 4], rate[o + 5])
            along = dot(ux, uy, uz, rate[o], rate[o + 1], rate[o + 2]) + dot(mx + tx, my + ty, mz + tz, wx, wy, wz)
            gain += -along if side == 0 else along
    return gain


@kernel(stage=True, rows="joint_friction.body_a")
def add_joint_friction_responses(table, share, rate, work):
    """Turn friction into that which acted in an implicit step with the accelerations `rate`; `share` of the bias
    counts."""
    for i in range(table.body_a.shape[0]):
        value = work.joint_friction_value[i]
        place = TORQUE if table.coordinate[i] == COORDINATE_TWIST else FORCE
        value[place] += share * value[BIAS] - value[SLOPE] * calc_gain(table, i, rate, work)


@kernel(stage=True, rows="joint_friction.body_a")
def add_anchor_rates(table, rate, z_rate_out, work):
    """ds/dt becomes q of (4) in a linearly implicit step with the accelerations `rate`."""
    for i in range(table.body_a.shape[0]):
        value, place = work.joint_friction_value[i], table.state[i]
        z_rate_out[place] = value[STAY] * (z_rate_out[place] + value[GIVE] * calc_gain(table, i, rate, work))
