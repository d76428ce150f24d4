"""Contact law: normal force from penetration, friction from sliding, applied to both sides.

Penetration d > 0, unit normal n from side b to side a, v the velocity of a relative to b at the contact point,
dd = -v.n the rate of penetration:

    Fn = A (k d + c dd) approaching, A (k d + s c dd) separating, never negative unless sticking   (1)

Friction acts against the tangential velocity vt (S1-28; S2-23..25; S0 section 4.2):

    tanh        mu Fn tanh(|vt|/v0)                                                       (2)
    trilinear   mu Fn min(|vt|/v0, 1)                                                     (3)
    asperity    trial -(k_t s + mu Fn min(|vt|/v0, 1) vt/|vt|); if it is larger than mu Fn it is scaled
                back and s slides along so that the spring carries what is left           (4)

s is the tangential displacement from the anchor: s = s_old + dt vt, turned into the tangent plane, kept at the
end of a step and forgotten at separation. DIFFERS from the paper's displacement of a fixed material point: the
rate form is the same for points on ground and also right for surfaces that roll over each other.
"""

from __future__ import annotations

from math import exp, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import FRICTION_ASPERITY, FRICTION_NONE, FRICTION_TANH


@kernel(inline=True)
def calc_tanh(x):
    """tanh of a number that is not negative, twice as fast as the library's; relative error below 1e-12."""
    if x < 1e-3:
        return x * (1.0 - x * x * (1.0 / 3.0 - x * x * (2.0 / 15.0)))
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0) if x < 20.0 else 1.0


@kernel(inline=True)
def add_contact(
    # tables
    k,
    c,
    separation,
    sticking,
    friction,
    mu,
    velocity,
    k_tangent,
    # in
    depth,
    nx,
    ny,
    nz,
    px,
    py,
    pz,
    body_a,
    body_b,
    slot,
    memory,
    x,
    v,
    w_world,
    # out
    f_out,
    torque_out,
    memory_out,
):
    """Apply a contact law at the world point p with penetration `depth`.

    `memory` = (s (m, 3), stamp (m,), valid, dt): friction memory as committed; `memory_out` = (s, stamp, now): where
    this evaluation writes. Returns the normal force, the friction force on a, and the energies: stored, lost power of
    the normal law, lost power of friction, energy of the anchor spring.
    """
    anchored = lost_friction = 0.0
    gx = gy = gz = 0.0
    rax, ray, raz = px - x[body_a, 0], py - x[body_a, 1], pz - x[body_a, 2]
    rbx, rby, rbz = px - x[body_b, 0], py - x[body_b, 1], pz - x[body_b, 2]
    wax, way, waz = w_world[body_a, 0], w_world[body_a, 1], w_world[body_a, 2]
    wbx, wby, wbz = w_world[body_b, 0], w_world[body_b, 1], w_world[body_b, 2]
    vx = v[body_a, 0] + way * raz - waz * ray - (v[body_b, 0] + wby * rbz - wbz * rby)
    vy = v[body_a, 1] + waz * rax - wax * raz - (v[body_b, 1] + wbz * rbx - wbx * rbz)
    vz = v[body_a, 2] + wax * ray - way * rax - (v[body_b, 2] + wbx * rby - wby * rbx)
    closing = -(vx * nx + vy * ny + vz * nz)
    if closing < 0.0:
        c *= separation
    elastic = k * depth
    normal = elastic + c * closing  # (1)
    if normal < 0.0 and sticking == 0:
        normal = 0.0
    fx, fy, fz = normal * nx, normal * ny, normal * nz
    if friction != FRICTION_NONE:
        tx, ty, tz = vx + closing * nx, vy + closing * ny, vz + closing * nz
        speed = sqrt(tx * tx + ty * ty + tz * tz)
        largest = mu * max(normal, 0.0)
        ratio = speed / velocity
        share = calc_tanh(ratio) if friction == FRICTION_TANH else min(ratio, 1.0)  # (2), (3)
        scale = -largest * share / speed if speed > 1e-14 else -largest / velocity
        gx, gy, gz = scale * tx, scale * ty, scale * tz
        if friction == FRICTION_ASPERITY:
            kt = k_tangent
            s_old, stamp_old, valid, dt = memory
            sx = sy = sz = before = 0.0
            if stamp_old[slot] == valid:
                sx, sy, sz = s_old[slot, 0], s_old[slot, 1], s_old[slot, 2]
                before = sx * sx + sy * sy + sz * sz
            sx, sy, sz = sx + dt * tx, sy + dt * ty, sz + dt * tz
            out = sx * nx + sy * ny + sz * nz
            sx, sy, sz = sx - out * nx, sy - out * ny, sz - out * nz
            hx, hy, hz = gx - kt * sx, gy - kt * sy, gz - kt * sz
            size = sqrt(hx * hx + hy * hy + hz * hz)
            if size > largest:  # (4)
                cut = largest / size
                hx, hy, hz = cut * hx, cut * hy, cut * hz
                sx, sy, sz = (gx - hx) / kt, (gy - hy) / kt, (gz - hz) / kt
            gx, gy, gz = hx, hy, hz
            after = sx * sx + sy * sy + sz * sz
            s_new, stamp_new, now = memory_out
            s_new[slot, 0], s_new[slot, 1], s_new[slot, 2] = sx, sy, sz
            stamp_new[slot] = now
            anchored = 0.5 * kt * after
            if dt > 0.0:
                lost_friction = -0.5 * kt * (after - before) / dt
        lost_friction -= gx * tx + gy * ty + gz * tz
        fx, fy, fz = fx + gx, fy + gy, fz + gz
    f_out[body_a, 0] += fx
    f_out[body_a, 1] += fy
    f_out[body_a, 2] += fz
    torque_out[body_a, 0] += ray * fz - raz * fy
    torque_out[body_a, 1] += raz * fx - rax * fz
    torque_out[body_a, 2] += rax * fy - ray * fx
    if body_b < x.shape[0] - 1:  # the world needs no sum
        f_out[body_b, 0] -= fx
        f_out[body_b, 1] -= fy
        f_out[body_b, 2] -= fz
        torque_out[body_b, 0] -= rby * fz - rbz * fy
        torque_out[body_b, 1] -= rbz * fx - rbx * fz
        torque_out[body_b, 2] -= rbx * fy - rby * fx
    return normal, gx, gy, gz, 0.5 * elastic * depth, (normal - elastic) * closing, lost_friction, anchored
