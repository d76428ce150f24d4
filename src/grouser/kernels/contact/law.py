"""Contact law: normal force from penetration, friction from sliding, applied to both sides.

Penetration d > 0, unit normal n from side b to side a, v the velocity of a relative to b at the contact point,
dd = -v.n the rate of penetration:

    Fn = A (k d + c dd) approaching, A (k d + s c dd) separating, never negative unless sticking   (1)

Damping that acts at first touch makes the force jump by c dd. Where a depth d0 is given it grows in instead,

    c(d) = c r^2 (3 - 2 r),   r = d/d0 up to d = d0, then c                                       (10)

Friction acts against the tangential velocity vt (S1-28; S2-23..25; S0 section 4.2):

    tanh        mu Fn tanh(|vt|/v0)                                                       (2)
    trilinear   mu Fn min(|vt|/v0, 1)                                                     (3)
    asperity    trial -(k_t s + mu Fn min(|vt|/v0, 1) vt/|vt|); if it is larger than mu Fn it is scaled
                back and s slides along so that the spring carries what is left           (4)

s is the tangential displacement from the anchor, turned into the tangent plane; the anchor is kept at the end of a step
and forgotten at separation. Of a point of a body on the ground it is the distance from a place on the ground, a
function of the state alone, so integrators of any order keep theirs. DIFFERS from S0 for all other pairs, surfaces that
roll over each other, which have no such points: s = s_old + dt vt.

Where steps are solved by iteration, (4) is evaluated at their end and is a return mapping: the force that acts keeps
its limit. A linearly implicit step evaluates once, at its start, so it has to look ahead by its length h: (4) decides
with the displacement that the sliding velocity leads to,

    s_ahead = s + h vt                                                                    (11)

whether the point sticks through the step or slides. One that slides is cut back to its limit; one that sticks has the
spring force of s, and the matrix knows how it grows.

Slopes for the blocks: along the normal k and c as they act in (1), none if the force is cut to zero; friction along
the direction of sliding and across it, in the tangent plane,

    tanh        c = mu Fn (1 - tanh^2)/v0                  along,   mu Fn tanh(|vt|/v0)/|vt|     across      (5)
    trilinear   c = mu Fn/v0 up to |vt| = v0, then none    along,   mu Fn min(|vt|/v0, 1)/|vt|   across      (6)
    asperity    as (6), and k = k_t in both directions; where (4) scales the force back, across the force as much
                is left of both as of the force, and nothing along it                                        (7)

where k acts on the displacement in the step: h times the velocity, or dt times it where s = s_old + dt vt.

That friction follows the normal force is left out: it would make the matrix unsymmetric. So is the slope of (10) along
d, which is negative while separating.

Sliding friction has no slope along its direction. A step that takes the sliding speed beyond zero then turns it round,
with a force that has become its opposite, and so on: the feet of a vehicle tremble. With a slope along of at least the
share `grip` of that across, 1/2 or more, the speed |vt| never grows by it,

    vt_new = (m vt - (1 - g) h Fr)/(m + g h Fr/|vt|) >= -vt   if g >= 1/2                 (9)

in a step h of a mass m on which the friction Fr acts. Integrators of second order need the true slopes, g = 0.

The corrector of the trapezoidal rule moves positions by dt/2 times what it adds to the velocities, far less than a
normal turns or a point wanders, so the points found in the predictor pass serve again with

    p = p_predictor + dt/2 (v - v_predictor),   d = d_predictor - n.(p - p_predictor)     (8)

which are those of the accepted state up to the square of that move.
"""

from __future__ import annotations

from math import exp, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.coupling import add_coupling
from grouser.kernels.kinds import (
    FRICTION_ASPERITY,
    FRICTION_NONE,
    FRICTION_TANH,
    NOTE_CONTACTS,
    PAIR_POINTS_TERRAIN,
    PER_LENGTH,
    WORLD_ROW,
)
from grouser.kernels.matrix import apply, outer, plus, unit
from grouser.kernels.scatter import Ends, add_force, add_own_block, note_slopes


@kernel(inline=True)
def calc_tanh(x):
    """tanh of a number that is not negative, twice as fast as the library's; relative error below 1e-12."""
    if x < 1e-3:
        return x * (1.0 - x * x * (1.0 / 3.0 - x * x * (2.0 / 15.0)))
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0) if x < 20.0 else 1.0


@kernel(inline=True)
def calc_slopes(normal, along, across, nx, ny, nz, dx, dy, dz):
    """Matrix with given values along the normal n, along the direction d in the tangent plane, and across both."""
    return plus(unit(across), plus(outer(normal - across, nx, ny, nz), outer(along - across, dx, dy, dz)))


@kernel(inline=True)
def add_contact(
    # tables
    contact,
    g,
    mu,
    # in
    n,
    view,
    memory,
    lag,
    # out
    memory_out,
    blocks_out,
    # work
    work,
):
    """Apply the contact law of group g, with its friction `mu` on the ground that there is, at touching point n.

    Where `lag` is zero the depth in `work.touch` is that of the state, and the velocity is noted there; else (8).
    `memory` = (anchor (m, 3), stamp (m,), valid, dt): friction memory as committed, the place of the anchor where
    points meet the terrain, else s; `memory_out` = (anchor, stamp, now): where this evaluation writes.

    Returns depth, normal force, friction force on a, and the energies: stored, lost power of the normal law, lost power
    of friction, energy of the anchor spring, and what both springs would hold by their rates.
    """
    x, R, v, w_world = view.x, view.R, view.v, view.w_world
    f_out, torque_out, touch_out = work.f, work.torque, work.touch
    body_a, body_b, slot = work.touch_owner[n, 0], work.touch_owner[n, 1], work.touch_owner[n, 2]
    area = touch_out[n, 7]
    k, c, separation, sticking = contact.k[g] * area, contact.c[g] * area, contact.separation[g], contact.sticking[g]
    damping_depth, friction, velocity = contact.damping_depth[g], contact.friction[g], contact.velocity[g]
    k_tangent = contact.k_tangent[g] * area if contact.per[g] == PER_LENGTH else contact.k_tangent[g]
    is_point = contact.kind[g] == PAIR_POINTS_TERRAIN
    depth = touch_out[n, 0]
    nx, ny, nz = touch_out[n, 1], touch_out[n, 2], touch_out[n, 3]
    px, py, pz = touch_out[n, 4], touch_out[n, 5], touch_out[n, 6]
    anchored = lost_friction = sheared = 0.0
    gx = gy = gz = dx = dy = dz = 0.0
    k_along = k_across = c_along = c_across = k_bias = 0.0
    ahead = reach = 0.0
    if blocks_out is not None:
        ahead, reach = blocks_out.ahead[0], blocks_out.h[0]
    rax, ray, raz = px - x[body_a, 0], py - x[body_a, 1], pz - x[body_a, 2]
    rbx, rby, rbz = px - x[body_b, 0], py - x[body_b, 1], pz - x[body_b, 2]
    wax, way, waz = w_world[body_a, 0], w_world[body_a, 1], w_world[body_a, 2]
    wbx, wby, wbz = w_world[body_b, 0], w_world[body_b, 1], w_world[body_b, 2]
    vx = v[body_a, 0] + way * raz - waz * ray - (v[body_b, 0] + wby * rbz - wbz * rby)
    vy = v[body_a, 1] + waz * rax - wax * raz - (v[body_b, 1] + wbz * rbx - wbx * rbz)
    vz = v[body_a, 2] + wax * ray - way * rax - (v[body_b, 2] + wbx * rby - wby * rbx)
    closing = -(vx * nx + vy * ny + vz * nz)
    if lag == 0.0:
        touch_out[n, 8], touch_out[n, 9], touch_out[n, 10] = vx, vy, vz
    else:
        qx, qy, qz = lag * (vx - touch_out[n, 8]), lag * (vy - touch_out[n, 9]), lag * (vz - touch_out[n, 10])
        px, py, pz = px + qx, py + qy, pz + qz  # (8)
        depth -= qx * nx + qy * ny + qz * nz
        if depth <= 0.0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if closing < 0.0:
        c *= separation
    if depth < damping_depth:
        ratio = depth / damping_depth
        c *= ratio * ratio * (3.0 - 2.0 * ratio)  # (10)
    elastic = k * depth
    normal = elastic + c * closing  # (1)
    if normal < 0.0 and sticking == 0:
        normal = k = c = 0.0
    fx, fy, fz = normal * nx, normal * ny, normal * nz
    if friction != FRICTION_NONE:
        tx, ty, tz = vx + closing * nx, vy + closing * ny, vz + closing * nz
        speed = sqrt(tx * tx + ty * ty + tz * tz)
        largest = mu * max(normal, 0.0)
        ratio = speed / velocity
        share = calc_tanh(ratio) if friction == FRICTION_TANH else min(ratio, 1.0)  # (2), (3)
        scale = -largest * share / speed if speed > 1e-14 else -largest / velocity
        gx, gy, gz = scale * tx, scale * ty, scale * tz
        inverse = 1.0 / speed if speed > 1e-14 else 0.0
        dx, dy, dz = inverse * tx, inverse * ty, inverse * tz
        c_across = -scale
        if friction == FRICTION_TANH:
            c_along = largest * (1.0 - share * share) / velocity  # (5)
        elif share < 1.0:
            c_along = largest / velocity  # (6)
        cx, cy, cz = gx, gy, gz
        if friction == FRICTION_ASPERITY:
            kt = k_tangent
            anchor_old, stamp_old, valid, dt = memory
            is_known = stamp_old[slot] == valid
            ox, oy, oz = anchor_old[slot, 0], anchor_old[slot, 1], anchor_old[slot, 2]
            sx = sy = sz = 0.0
            if is_point:
                if is_known:
                    sx, sy, sz = px - ox, py - oy, pz - oz
            else:
                if is_known:
                    sx, sy, sz = ox, oy, oz
                sx, sy, sz = sx + dt * tx, sy + dt * ty, sz + dt * tz
                reach = dt
            out = sx * nx + sy * ny + sz * nz
            sx, sy, sz = sx - out * nx, sy - out * ny, sz - out * nz
            before = (sx - dt * tx) ** 2 + (sy - dt * ty) ** 2 + (sz - dt * tz) ** 2 if is_known else 0.0
            hx, hy, hz = gx - kt * sx, gy - kt * sy, gz - kt * sz
            size = sqrt(hx * hx + hy * hy + hz * hz)
            is_sliding = size > largest
            k_along = k_across = kt if largest > 0.0 else 0.0  # (7)
            cut = 1.0
            if is_sliding:  # (4)
                cut = largest / size
                dx, dy, dz = hx / size, hy / size, hz / size
                hx, hy, hz = cut * hx, cut * hy, cut * hz
                sx, sy, sz = (gx - hx) / kt, (gy - hy) / kt, (gz - hz) / kt
            cx, cy, cz = hx, hy, hz
            after = sx * sx + sy * sy + sz * sz
            anchor_new, stamp_new, now = memory_out
            if is_point:
                ox, oy, oz = px - sx, py - sy, pz - sz
            else:
                ox, oy, oz = sx, sy, sz
            anchor_new[slot, 0], anchor_new[slot, 1], anchor_new[slot, 2] = ox, oy, oz
            stamp_new[slot] = now
            anchored = 0.5 * kt * after
            if not is_sliding:
                sheared = 0.5 * kt * speed * speed
                lost_friction = -kt * (sx * tx + sy * ty + sz * tz)
            elif dt > 0.0:
                lost_friction = -0.5 * kt * (after - before) / dt
            if ahead > 0.0:
                reach = ahead
                ex, ey, ez = gx - kt * (sx + ahead * tx), gy - kt * (sy + ahead * ty), gz - kt * (sz + ahead * tz)
                size = sqrt(ex * ex + ey * ey + ez * ez)
                is_sliding = size > largest  # (11)
                hx, hy, hz = gx - kt * sx, gy - kt * sy, gz - kt * sz
                if is_sliding:
                    cut = largest / size
                    dx, dy, dz = ex / size, ey / size, ez / size
                    hx, hy, hz = cut * ex, cut * ey, cut * ez
                    k_bias = 0.0  # (11) holds it
                else:
                    k_bias = kt
            if is_sliding:
                k_along, k_across, c_along, c_across = 0.0, cut * kt, 0.0, cut * c_across
            gx, gy, gz = hx, hy, hz
        lost_friction -= cx * tx + cy * ty + cz * tz
        fx, fy, fz = fx + gx, fy + gy, fz + gz
    add_force(body_a, (rax, ray, raz), (fx, fy, fz), (0.0, 0.0, 0.0), f_out, torque_out)
    if body_b != WORLD_ROW:  # the world needs no sum
        add_force(body_b, (rbx, rby, rbz), (-fx, -fy, -fz), (0.0, 0.0, 0.0), f_out, torque_out)
    if blocks_out is not None:
        d = normal - elastic
        f, torque = blocks_out.damper_f, blocks_out.damper_torque
        add_force(body_a, (rax, ray, raz), (d * nx, d * ny, d * nz), (0.0, 0.0, 0.0), f, torque)
        if body_b != WORLD_ROW:
            add_force(body_b, (rbx, rby, rbz), (-d * nx, -d * ny, -d * nz), (0.0, 0.0, 0.0), f, torque)
        if blocks_out.wanted[0] == 1:
            h = blocks_out.h[0]
            across = h * (c_across + reach * k_across)
            along = max(h * (c_along + reach * k_along), blocks_out.grip[0] * across)  # (9)
            S = calc_slopes(h * (c + h * k), along, across, nx, ny, nz, dx, dy, dz)
            K = calc_slopes(-h * k, -h * k_bias, -h * k_bias, nx, ny, nz, dx, dy, dz)
            fx, fy, fz = apply(K, vx, vy, vz)
            add_own_block(body_a, (rax, ray, raz), S, R, blocks_out.diagonal, blocks_out.value)
            add_force(body_a, (rax, ray, raz), (fx, fy, fz), (0.0, 0.0, 0.0), blocks_out.f, blocks_out.torque)
            if body_b != WORLD_ROW:
                add_own_block(body_b, (rbx, rby, rbz), S, R, blocks_out.diagonal, blocks_out.value)
                add_force(body_b, (rbx, rby, rbz), (-fx, -fy, -fz), (0.0, 0.0, 0.0), blocks_out.f, blocks_out.torque)
                add_coupling(body_a, body_b, (rax, ray, raz), (rbx, rby, rbz), S, R, blocks_out)
            if blocks_out.noted[0] == 1:
                row, zero = blocks_out.note_start[NOTE_CONTACTS] + blocks_out.note_count[0], unit(0.0)
                blocks_out.note_group[blocks_out.note_count[0]] = g
                blocks_out.note_count[0] += 1
                ends, bias = Ends(body_b, body_a, (rbx, rby, rbz), (rax, ray, raz)), (fx, fy, fz)
                nothing = (0.0, 0.0, 0.0)
                note_slopes(row, ends, S, zero, zero, bias, nothing, (nx, ny, nz), nothing, blocks_out)
    stored, lost = 0.5 * elastic * depth, (normal - elastic) * closing
    return depth, normal, gx, gy, gz, stored, lost, lost_friction, anchored, 0.5 * k * closing * closing + sheared
