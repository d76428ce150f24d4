"""Friction at a contact point, with its slopes.

Friction acts against the tangential velocity vt, with Fn the normal force (S1-28; S2-23..25; S0 section 4.2):

    tanh        mu Fn tanh(|vt|/v0)                                                       (1)
    trilinear   mu Fn min(|vt|/v0, 1)                                                     (2)
    asperity    trial -(k_t s + mu Fn min(|vt|/v0, 1) vt/|vt|); if it is larger than mu Fn it is scaled
                back and s slides along so that the spring carries what is left           (3)

s is the tangential displacement from the anchor, turned into the tangent plane; the anchor is kept at the end of a step
and forgotten at separation. Of a point of a body on the ground it is the distance from a place on the ground, a
function of the state alone, so integrators of any order keep theirs. DIFFERS from S0 for all other pairs, surfaces that
roll over each other, which have no such points: s = s_old + dt vt.

Where steps are solved by iteration, (3) is evaluated at their end and is a return mapping: the force that acts keeps
its limit. A linearly implicit step evaluates once, at its start, so it has to look ahead by its length h: (3) decides
with the displacement that the sliding velocity leads to,

    s_ahead = s + h vt                                                                    (4)

whether the point sticks through the step or slides. One that slides is cut back to its limit; one that sticks has the
spring force of s, and the matrix knows how it grows.

Slopes for implicit steps, along the direction of sliding and across it, in the tangent plane:

    tanh        c = mu Fn (1 - tanh^2)/v0                  along,   mu Fn tanh(|vt|/v0)/|vt|     across      (5)
    trilinear   c = mu Fn/v0 up to |vt| = v0, then none    along,   mu Fn min(|vt|/v0, 1)/|vt|   across      (6)
    asperity    as (6), and k = k_t in both directions; where (3) scales the force back, across the force as much
                is left of both as of the force, and nothing along it                                        (7)

where k acts on the displacement in the step: h times the velocity, or dt times it where s = s_old + dt vt. That
friction follows the normal force is left out: it would make the matrix unsymmetric.
"""

from __future__ import annotations

from collections import namedtuple
from math import exp, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import FRICTION_ASPERITY, FRICTION_TANH

Sliding = namedtuple("Sliding", ["velocity", "speed", "largest", "force", "direction", "c_along", "c_across"])
"""Friction by the velocity alone: vt and |vt| [m/s]; mu Fn [N]; force on a; direction of vt; slopes."""
Friction = namedtuple(
    "Friction",
    [
        "force",
        "direction",
        "k_along",
        "k_across",
        "c_along",
        "c_across",
        "k_bias",
        "reach",
        "lost",
        "stored",
        "sheared",
    ],
)
"""What friction does at a point: force on a [N]; the direction of its slopes, and these along it and across; k_bias,
the stiffness of which the force of the state knows nothing yet; reach, the time by which velocities become
displacements [s]; lost power [W]; energy of the anchor spring, and what it would hold by its rate [J]."""


@kernel(inline=True)
def calc_tanh(x):
    """tanh of a number that is not negative, twice as fast as the library's; relative error below 1e-12."""
    if x < 1e-3:
        return x * (1.0 - x * x * (1.0 / 3.0 - x * x * (2.0 / 15.0)))
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0) if x < 20.0 else 1.0


@kernel(inline=True)
def calc_sliding(law, v0, largest, velocity):
    """(1) and (2) by the `law` of friction, with `largest` = mu Fn, and their slopes (5), (6)."""
    tx, ty, tz = velocity
    speed = sqrt(tx * tx + ty * ty + tz * tz)
    ratio = speed / v0
    share = calc_tanh(ratio) if law == FRICTION_TANH else min(ratio, 1.0)  # (1), (2)
    scale = -largest * share / speed if speed > 1e-14 else -largest / v0
    inverse = 1.0 / speed if speed > 1e-14 else 0.0
    c_along = 0.0
    if law == FRICTION_TANH:
        c_along = largest * (1.0 - share * share) / v0  # (5)
    elif share < 1.0:
        c_along = largest / v0  # (6)
    force, direction = (scale * tx, scale * ty, scale * tz), (inverse * tx, inverse * ty, inverse * tz)
    return Sliding(velocity, speed, largest, force, direction, c_along, -scale)


@kernel(inline=True)
def calc_displacement(is_point, slot, p, n, velocity, memory):
    """s from the anchor in `memory`, of point p where `is_point`; and its square at the start of the step."""
    px, py, pz = p
    nx, ny, nz = n
    tx, ty, tz = velocity
    anchor, stamp, valid, dt = memory
    is_known = stamp[slot] == valid
    ox, oy, oz = anchor[slot, 0], anchor[slot, 1], anchor[slot, 2]
    sx = sy = sz = 0.0
    if is_point:
        if is_known:
            sx, sy, sz = px - ox, py - oy, pz - oz
    else:
        if is_known:
            sx, sy, sz = ox, oy, oz
        sx, sy, sz = sx + dt * tx, sy + dt * ty, sz + dt * tz
    out = sx * nx + sy * ny + sz * nz
    sx, sy, sz = sx - out * nx, sy - out * ny, sz - out * nz
    before = (sx - dt * tx) ** 2 + (sy - dt * ty) ** 2 + (sz - dt * tz) ** 2 if is_known else 0.0
    return sx, sy, sz, before


@kernel(inline=True)
def calc_friction(
    # in
    law,
    kt,
    is_point,
    slot,
    p,
    n,
    sliding,
    times,
    memory,
    # out
    memory_out,
):
    """Friction by its `law`, from that by the velocity alone: with anchors (3), its slopes (7), and where a step looks
    ahead (4).

    `kt` [N/m]: stiffness of the anchor spring; `is_point`, `slot`: whether the anchor is a place on the ground, and its
    place in `memory`; p, n: contact point and normal; `times` = (ahead, reach): by how much a step looks ahead [s], or
    0, and see `Friction`.
    """
    gx, gy, gz = sliding.force
    tx, ty, tz = sliding.velocity
    dx, dy, dz = sliding.direction
    largest, c_along, c_across = sliding.largest, sliding.c_along, sliding.c_across
    ahead, reach = times
    k_along = k_across = k_bias = 0.0
    lost = stored = sheared = 0.0
    cx, cy, cz = gx, gy, gz
    if law == FRICTION_ASPERITY:
        dt = memory[3]
        if not is_point:
            reach = dt
        sx, sy, sz, before = calc_displacement(is_point, slot, p, n, sliding.velocity, memory)
        hx, hy, hz = gx - kt * sx, gy - kt * sy, gz - kt * sz
        size = sqrt(hx * hx + hy * hy + hz * hz)
        is_sliding = size > largest
        k_along = k_across = kt if largest > 0.0 else 0.0  # (7)
        cut = 1.0
        if is_sliding:  # (3)
            cut = largest / size
            dx, dy, dz = hx / size, hy / size, hz / size
            hx, hy, hz = cut * hx, cut * hy, cut * hz
            sx, sy, sz = (gx - hx) / kt, (gy - hy) / kt, (gz - hz) / kt
        cx, cy, cz = hx, hy, hz
        after = sx * sx + sy * sy + sz * sz
        anchor_out, stamp_out, now = memory_out
        ox, oy, oz = sx, sy, sz
        if is_point:
            ox, oy, oz = p[0] - sx, p[1] - sy, p[2] - sz
        anchor_out[slot, 0], anchor_out[slot, 1], anchor_out[slot, 2] = ox, oy, oz
        stamp_out[slot] = now
        stored = 0.5 * kt * after
        if not is_sliding:
            sheared = 0.5 * kt * sliding.speed * sliding.speed
            lost = -kt * (sx * tx + sy * ty + sz * tz)
        elif dt > 0.0:
            lost = -0.5 * kt * (after - before) / dt
        if ahead > 0.0:
            reach = ahead
            ex, ey, ez = gx - kt * (sx + ahead * tx), gy - kt * (sy + ahead * ty), gz - kt * (sz + ahead * tz)
            size = sqrt(ex * ex + ey * ey + ez * ez)
            is_sliding = size > largest  # (4)
            hx, hy, hz = gx - kt * sx, gy - kt * sy, gz - kt * sz
            if is_sliding:
                cut = largest / size
                dx, dy, dz = ex / size, ey / size, ez / size
                hx, hy, hz = cut * ex, cut * ey, cut * ez
                k_bias = 0.0  # (4) holds it
            else:
                k_bias = kt
        if is_sliding:
            k_along, k_across, c_along, c_across = 0.0, cut * kt, 0.0, cut * c_across
        gx, gy, gz = hx, hy, hz
    lost -= cx * tx + cy * ty + cz * tz
    return Friction(
        (gx, gy, gz), (dx, dy, dz), k_along, k_across, c_along, c_across, k_bias, reach, lost, stored, sheared
    )
