"""What acts where surfaces touch: the law of contact of `grouser.kernels.contact.law`, on whatever carries both sides.

Normal force and friction are those of all contacts. What is different is who carries the sides (`sides.py`), and that
the anchor of friction travels with the surface (`anchor.py`). Both sides meet at the contact point, where that has a
radius r at the foot p - r n of the ball on its normal; of a point of a mesh it is its middle, since nodes do not turn.

An evaluation that corrects the one before takes the polygon, the weights and the normal as they were found, with

    d = d_found - ((p - q).n - (p - q).n of then)                                         (1)

which is the depth of the corrected state up to the square of the correction.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.friction import Friction, calc_friction, calc_sliding
from grouser.kernels.contact.law import calc_normal
from grouser.kernels.contact.surface.anchor import keep_anchor, place_anchor
from grouser.kernels.contact.surface.listing import find_memory
from grouser.kernels.contact.surface.place import find_point, turn_out
from grouser.kernels.contact.surface.sides import (
    add_end_forces,
    calc_end_velocity,
    set_point_side,
    set_polygon_side,
)
from grouser.kernels.contact.surface.slopes import add_surface_slopes
from grouser.kernels.contact.surface.tables import ANCHOR_ROWS, GUIDE_ROWS
from grouser.kernels.kinds import FRICTION_NONE, PER_AREA
from grouser.kernels.nodes import add_row
from grouser.kernels.spatial import dot, rotate

HELD = 1.0e-13
"""Way of an anchor [m] below which it stays where it is."""


@kernel(inline=True)
def calc_foot(b, k, w, view):
    """The place with weights w on polygon k, in the world."""
    x, node = b.x, b.surface.node
    sx = sy = sz = 0.0
    for c in range(4):
        n = node[k, c]
        sx, sy, sz = sx + w[c] * x[n, 0], sy + w[c] * x[n, 1], sz + w[c] * x[n, 2]
    if b.is_deforming == 1:
        return sx, sy, sz
    o = view.x[b.body]
    qx, qy, qz = rotate(view.R, b.body, sx, sy, sz)
    return o[0] + qx, o[1] + qy, o[2] + qz


@kernel(inline=True)
def find_place_number(meeting, n):
    """How many places of its point are before place n of the list."""
    number = 0
    while n > number and meeting.touch.point[n - number - 1] == meeting.touch.point[n]:
        number += 1
    return number


@kernel
def calc_surface_friction(b, meeting, n, grip, place, sliding, memory, memory_out, view, work):
    """Friction at place n, with an anchor on the surface of polygons. `grip`: law, stiffness of the anchor, and times
    as `calc_friction` has them; `place`: contact point and normal."""
    law, kt, times = grip
    contact_point, up = place
    anchor, stamp, valid, dt = memory
    anchor_out, stamp_out, now = memory_out
    touch = meeting.touch
    i, k, value = touch.point[n], touch.polygon[n], touch.value[n]
    row = find_memory(meeting, i) + GUIDE_ROWS + ANCHOR_ROWS * find_place_number(meeting, n)
    spot, spot_stamp = work.spot, work.spot_stamp
    is_material, is_known = meeting.is_material == 1, stamp[row] == valid
    spot_stamp[0] = valid if is_known else valid - 1
    before = 0.0, 0.0, 0.0
    if is_known:
        before = place_anchor(b, anchor, row, view) if is_material else (anchor[row, 0], anchor[row, 1], anchor[row, 2])
        spot[0, 0], spot[0, 1], spot[0, 2] = before
    friction = calc_friction(
        law,
        kt,
        is_material,
        0,
        contact_point,
        up,
        sliding,
        times,
        (spot, spot_stamp, valid, dt),
        (spot, spot_stamp, now),
    )
    after = spot[0, 0], spot[0, 1], spot[0, 2]
    stamp_out[row] = now
    if not is_material:
        anchor_out[row, 0], anchor_out[row, 1], anchor_out[row, 2] = after
        return friction
    dx, dy, dz = after[0] - before[0], after[1] - before[1], after[2] - before[2]
    across = dot(dx, dy, dz, *up)
    if is_known and dot(dx, dy, dz, dx, dy, dz) - across * across <= HELD * HELD:
        for c in range(3):
            anchor_out[row, c] = anchor[row, c]
        anchor_out[row + 1, 0], anchor_out[row + 1, 1] = anchor[row + 1, 0], anchor[row + 1, 1]
    else:
        keep_anchor(b, k, (value[7], value[8], value[9], value[10]), after, row, view, anchor_out)
    return friction


@kernel
def add_surface_contact(tables, n, view, memory, is_corrector, memory_out, implicit_out, meeting_work, work):
    """Apply the law at place n of an encounter. Returns as `contact.law.add_contact`."""
    meeting, touch, g, x, contact = meeting_work, meeting_work.touch, meeting_work.group, view.x, tables.contact
    a, b = work.sheet[meeting.a], work.sheet[meeting.b]
    mu = contact.mu[g] * (tables.terrain.friction[0] if meeting.is_ground == 1 else 1.0)
    i, k, value = touch.point[n], touch.polygon[n], touch.value[n]
    depth, w = value[0], (value[7], value[8], value[9], value[10])
    nx, ny, nz = turn_out(b, view.R, value[1], value[2], value[3])
    px, py, pz = find_point(a, i, view)
    if is_corrector:
        qx, qy, qz = calc_foot(b, k, w, view)
        depth = meeting.base[n, 1] + meeting.base[n, 0] - dot(px - qx, py - qy, pz - qz, nx, ny, nz)  # (1)
    if depth <= 0.0 or depth > contact.depth_limit[g]:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    r = 0.0 if a.is_deforming == 1 else meeting.reach.radius
    p = px - r * nx, py - r * ny, pz - r * nz
    set_point_side(a, i, p, x, work)
    set_polygon_side(b, k, w, p, x, work)
    vx, vy, vz = calc_end_velocity(view, work)
    closing = -dot(vx, vy, vz, nx, ny, nz)
    area = meeting.share * (a.area[i] if contact.per[g] == PER_AREA else 1.0)
    normal, elastic, kn, cn = calc_normal(contact, g, area, depth, closing)
    gx = gy = gz = 0.0
    friction = Friction((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    law = contact.friction[g]
    if law != FRICTION_NONE:
        tangential = (vx + closing * nx, vy + closing * ny, vz + closing * nz)
        sliding = calc_sliding(law, contact.velocity[g], mu * max(normal, 0.0), tangential)
        ahead = reach = 0.0
        if implicit_out is not None:
            ahead, reach = implicit_out.ahead[0], implicit_out.h[0]
        grip, place = (law, contact.k_tangent[g] * area, (ahead, reach)), (p, (nx, ny, nz))
        friction = calc_surface_friction(b, meeting, n, grip, place, sliding, memory, memory_out, view, work)
        gx, gy, gz = friction.force
    f = normal * nx + gx, normal * ny + gy, normal * nz + gz
    add_end_forces(f, work, work.f, work.torque)
    if meeting.is_ground == 1 and a.is_deforming == 0:
        add_row(f[0], f[1], f[2], work.ground_force[a.body])
    damped = normal - elastic
    if implicit_out is not None:
        f = damped * nx, damped * ny, damped * nz
        add_end_forces(f, work, implicit_out.damper_f, implicit_out.damper_torque)
        if implicit_out.wanted[0] == 1:
            add_surface_slopes(tables, meeting, (nx, ny, nz), (vx, vy, vz), kn, cn, friction, view, implicit_out, work)
    rates = 0.5 * kn * closing * closing + friction.sheared
    stored, lost = 0.5 * elastic * depth, damped * closing
    return depth, normal, gx, gy, gz, stored, lost, friction.lost, friction.stored, rates


@kernel(inline=True)
def keep_guides(meeting, memory_out):
    """What listed points remember of this evaluation."""
    anchor_out, stamp_out, now = memory_out
    for place in range(meeting.pair.count[0]):
        i = meeting.pair.point[place]
        row, guide = find_memory(meeting, i), meeting.guide[i]
        anchor_out[row, 0], anchor_out[row, 1], anchor_out[row, 2] = guide[0], guide[1], guide[2]
        anchor_out[row + 1, 0] = guide[3]
        stamp_out[row] = now


@kernel(stage=True, rows="encounter.group")
def add_surface_contacts(
    # tables
    tables,
    # in
    view,
    memory,
    is_corrector,
    # out
    memory_out,
    implicit_out,
    # work
    work,
):
    """Add the forces at all places where surfaces touch, and their slopes where `implicit_out` is not None. Sums and
    energies are added to those of the groups, see `grouser.kernels.contact.dispatch`."""
    for k in range(work.met[0]):
        meeting = work.encounter[work.met[k + 1] + 1]
        g = meeting.group
        total, energy = work.contact_sum[g], work.contact_energy[g]
        for n in range(meeting.touch.count[0]):
            depth, fn, gx, gy, gz, e_stored, p_normal, p_friction, e_anchor, e_rate = add_surface_contact(
                tables, n, view, memory, is_corrector, memory_out, implicit_out, meeting, work
            )
            total[0] += fn
            total[1] += meeting.sign * gx
            total[2] += meeting.sign * gy
            total[3] += meeting.sign * gz
            total[4] += 1.0 if depth > 0.0 else 0.0
            total[5] = max(total[5], depth)
            energy[0] += e_stored
            energy[1] += p_normal
            energy[2] += p_friction
            energy[3] += e_anchor
            energy[4] += e_rate
        keep_guides(meeting, memory_out)
