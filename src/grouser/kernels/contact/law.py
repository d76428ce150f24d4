"""Contact law: normal force from penetration, friction from sliding, applied to both sides.

Penetration d > 0, unit normal n from side b to side a, v the velocity of a relative to b at the contact point,
dd = -v.n the rate of penetration:

    Fn = A (k d + c dd) approaching, A (k d + s c dd) separating, never negative unless sticking   (1)

Damping that acts at first touch makes the force jump by c dd. Where a depth d0 is given it grows in instead,

    c(d) = c r^2 (3 - 2 r),   r = d/d0 up to d = d0, then c                                       (2)

Friction is that of `friction.py`.

Slopes for the blocks along the normal are k and c as they act in (1), none if the force is cut to zero. The slope of
(2) along d, which is negative while separating, is left out.

Sliding friction has no slope along its direction. A step that takes the sliding speed beyond zero then turns it round,
with a force that has become its opposite, and so on: the feet of a vehicle tremble. With a slope along of at least the
share `grip` of that across, 1/2 or more, the speed |vt| never grows by it,

    vt_new = (m vt - (1 - g) h Fr)/(m + g h Fr/|vt|) >= -vt   if g >= 1/2                 (3)

in a step h of a mass m on which the friction Fr acts. Integrators of second order need the true slopes, g = 0.

The corrector of the trapezoidal rule moves positions by dt/2 times what it adds to the velocities, far less than a
normal turns or a point wanders, so the points found in the predictor pass serve again with

    p = p_predictor + dt/2 (v - v_predictor),   d = d_predictor - n.(p - p_predictor)     (4)

which are those of the accepted state up to the square of that move.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.coupling import add_coupling
from grouser.kernels.contact.friction import Friction, calc_friction, calc_sliding
from grouser.kernels.kinds import (
    FRICTION_NONE,
    NOTE_CONTACTS,
    PAIR_POINTS_TERRAIN,
    PER_LENGTH,
    WORLD_ROW,
)
from grouser.kernels.matrix import apply, outer, plus, unit
from grouser.kernels.scatter import Ends, add_force, add_own_block, note_slopes


@kernel(inline=True)
def calc_slopes(normal, along, across, n, d):
    """Matrix with given values along the normal n, along the direction d in the tangent plane, and across both."""
    return plus(unit(across), plus(outer(normal - across, *n), outer(along - across, *d)))


@kernel(inline=True)
def calc_normal(contact, g, area, depth, closing):
    """(1) and (2) for a point of group g: the force, the elastic part of it, and the slopes k and c."""
    k, c = contact.k[g] * area, contact.c[g] * area
    # read before any branch, which the compiler then does without
    separation, sticking, damping_depth = contact.separation[g], contact.sticking[g], contact.damping_depth[g]
    if closing < 0.0:
        c *= separation
    if depth < damping_depth:
        ratio = depth / damping_depth
        c *= ratio * ratio * (3.0 - 2.0 * ratio)  # (2)
    elastic = k * depth
    normal = elastic + c * closing  # (1)
    if normal < 0.0 and sticking == 0:
        normal = k = c = 0.0
    return normal, elastic, k, c


@kernel(inline=True)
def add_touch_force(ends, f, f_out, torque_out):
    """Add a force f to side a of a contact (`ends.b`), and its opposite to side b, unless that is the world, which
    needs no sum."""
    zero = (0.0, 0.0, 0.0)
    add_force(ends.b, ends.r, f, zero, f_out, torque_out)
    if ends.a != WORLD_ROW:
        add_force(ends.a, ends.q, (-f[0], -f[1], -f[2]), zero, f_out, torque_out)


@kernel(inline=True)
def calc_contact_slopes(n, k, c, friction, implicit):
    """Slopes of a step on the velocity of a contact point, and those -h K of its displacement, from k and c along the
    normal n and those of `friction`."""
    h = implicit.h[0]
    across = h * (friction.c_across + friction.reach * friction.k_across)
    along = max(h * (friction.c_along + friction.reach * friction.k_along), implicit.grip[0] * across)  # (3)
    S = calc_slopes(h * (c + h * k), along, across, n, friction.direction)
    K = calc_slopes(-h * k, -h * friction.k_bias, -h * friction.k_bias, n, friction.direction)
    return S, K


@kernel(inline=True)
def add_contact_blocks(
    # in
    g,
    ends,
    n,
    v,
    k,
    c,
    friction,
    R,
    # out
    implicit_out,
):
    """Add the blocks of a touching point of group g, with the slopes k, c along the normal n and those of `friction`,
    and the force -h K v."""
    S, K = calc_contact_slopes(n, k, c, friction, implicit_out)
    f = apply(K, *v)
    add_own_block(ends.b, ends.r, S, R, implicit_out.diagonal, implicit_out.value)
    add_touch_force(ends, f, implicit_out.f, implicit_out.torque)
    if ends.a != WORLD_ROW:
        add_own_block(ends.a, ends.q, S, R, implicit_out.diagonal, implicit_out.value)
        add_coupling(ends.b, ends.a, ends.r, ends.q, S, R, implicit_out)
    if implicit_out.noted[0] == 1:
        row, zero, nothing = (
            implicit_out.note_start[NOTE_CONTACTS] + implicit_out.note_count[0],
            unit(0.0),
            (0.0, 0.0, 0.0),
        )
        implicit_out.note_group[implicit_out.note_count[0]] = g
        implicit_out.note_count[0] += 1
        note_slopes(row, ends, S, zero, zero, f, nothing, n, nothing, implicit_out)


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
    corrector_offset,
    # out
    memory_out,
    implicit_out,
    # work
    work,
):
    """Apply the contact law of group g, with its friction `mu` on the ground that there is, at touching point n.

    Where `corrector_offset` is zero, the depth in `work.touch` is that of the state, and the velocity is noted there;
    else (4).
    `memory` = (anchor (m, 3), stamp (m,), valid, dt): friction memory as committed, the place of the anchor where
    points meet the terrain, else s; `memory_out` = (anchor, stamp, now): where this evaluation writes.

    Returns depth, normal force, friction force on a, and the energies: stored, lost power of the normal law, lost power
    of friction, energy of the anchor spring, and what both springs would hold by their rates.
    """
    x, v, w_world, touch_out = view.x, view.v, view.w_world, work.touch
    body_a, body_b, slot = work.touch_owner[n, 0], work.touch_owner[n, 1], work.touch_owner[n, 2]
    depth, area = touch_out[n, 0], touch_out[n, 7]
    law, v0, is_point = contact.friction[g], contact.velocity[g], contact.kind[g] == PAIR_POINTS_TERRAIN
    kt = contact.k_tangent[g] * area if contact.per[g] == PER_LENGTH else contact.k_tangent[g]
    nx, ny, nz = touch_out[n, 1], touch_out[n, 2], touch_out[n, 3]
    px, py, pz = touch_out[n, 4], touch_out[n, 5], touch_out[n, 6]
    ahead = reach = 0.0
    if implicit_out is not None:
        ahead, reach = implicit_out.ahead[0], implicit_out.h[0]
    rax, ray, raz = px - x[body_a, 0], py - x[body_a, 1], pz - x[body_a, 2]
    rbx, rby, rbz = px - x[body_b, 0], py - x[body_b, 1], pz - x[body_b, 2]
    wax, way, waz = w_world[body_a, 0], w_world[body_a, 1], w_world[body_a, 2]
    wbx, wby, wbz = w_world[body_b, 0], w_world[body_b, 1], w_world[body_b, 2]
    vx = v[body_a, 0] + way * raz - waz * ray - (v[body_b, 0] + wby * rbz - wbz * rby)
    vy = v[body_a, 1] + waz * rax - wax * raz - (v[body_b, 1] + wbz * rbx - wbx * rbz)
    vz = v[body_a, 2] + wax * ray - way * rax - (v[body_b, 2] + wbx * rby - wby * rbx)
    closing = -(vx * nx + vy * ny + vz * nz)
    if corrector_offset == 0.0:
        touch_out[n, 8], touch_out[n, 9], touch_out[n, 10] = vx, vy, vz
    else:
        before = touch_out[n]
        qx, qy, qz = vx - before[8], vy - before[9], vz - before[10]
        qx, qy, qz = corrector_offset * qx, corrector_offset * qy, corrector_offset * qz
        px, py, pz = px + qx, py + qy, pz + qz  # (4)
        depth -= qx * nx + qy * ny + qz * nz
        if depth <= 0.0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    normal, elastic, k, c = calc_normal(contact, g, area, depth, closing)
    fx, fy, fz = normal * nx, normal * ny, normal * nz
    gx = gy = gz = 0.0
    friction = Friction((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if law != FRICTION_NONE:
        tangential = (vx + closing * nx, vy + closing * ny, vz + closing * nz)
        sliding = calc_sliding(law, v0, mu * max(normal, 0.0), tangential)
        point, up = (px, py, pz), (nx, ny, nz)
        friction = calc_friction(law, kt, is_point, slot, point, up, sliding, (ahead, reach), memory, memory_out)
        gx, gy, gz = friction.force
        fx, fy, fz = fx + gx, fy + gy, fz + gz
    # elements push on their side b: contacts on a
    ends = Ends(body_b, body_a, (rbx, rby, rbz), (rax, ray, raz))
    add_touch_force(ends, (fx, fy, fz), work.f, work.torque)
    damped = normal - elastic
    if implicit_out is not None:
        f = (damped * nx, damped * ny, damped * nz)
        add_touch_force(ends, f, implicit_out.damper_f, implicit_out.damper_torque)
        if implicit_out.wanted[0] == 1:
            add_contact_blocks(g, ends, (nx, ny, nz), (vx, vy, vz), k, c, friction, view.R, implicit_out)
    rates = 0.5 * k * closing * closing + friction.sheared
    stored, lost = 0.5 * elastic * depth, damped * closing
    return depth, normal, gx, gy, gz, stored, lost, friction.lost, friction.stored, rates
