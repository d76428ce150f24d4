"""All contacts of a model: the one place that branches on the kind of a pair."""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.geometry import (
    calc_groove_horn,
    calc_point_terrain,
    calc_shape_axis,
    calc_shape_centre,
    calc_sprocket_pin,
    calc_wheel_plate,
    calc_wheel_terrain,
    is_plate_near,
)
from grouser.kernels.contact.law import add_contact
from grouser.kernels.kinds import (
    PAIR_GROOVE_HORN,
    PAIR_POINTS_TERRAIN,
    PAIR_SPROCKET_PIN,
    PAIR_WHEEL_PLATE,
    PAIR_WHEEL_TERRAIN,
)


@kernel
def add_contacts(
    # tables
    shape,
    contact,
    terrain,
    # in
    pair,
    count,
    memory,
    x,
    R,
    v,
    w_world,
    # out
    f_out,
    torque_out,
    memory_out,
    sum_out,
    energy_out,
    blocks_out,
):
    """Add the forces of all contacts among the candidate pairs; and their blocks, where `blocks_out` is not None.

    `sum_out` (groups, 6) gets, per contact group: sum of normal forces, friction force on side a (3), number of
    touching points, largest depth. `energy_out` (groups, 4): stored energy, power lost in the normal law, power
    lost in friction, energy of the anchor springs.
    """
    world = x.shape[0] - 1
    for g in range(contact.kind.shape[0]):
        kind = contact.kind[g]
        start = contact.candidate_start[g]
        columns = contact.b_stop[g] - contact.b_start[g]
        k, c, separation, sticking = contact.k[g], contact.c[g], contact.separation[g], contact.sticking[g]
        friction, velocity, k_tangent = contact.friction[g], contact.velocity[g], contact.k_tangent[g]
        mu = contact.mu[g] * (terrain.friction[0] if kind <= PAIR_WHEEL_TERRAIN else 1.0)
        normal = friction_x = friction_y = friction_z = touching = deepest = 0.0
        stored = lost_normal = lost_friction = anchored = 0.0
        for place in range(start, start + count[g]):
            i = contact.member[contact.a_start[g] + pair[place, 0]]
            item_start, item_stop = shape.item_start[i], shape.item_stop[i]
            j = -1
            ox = oy = oz = ax = ay = az = ex = ey = ez = lx = ly = lz = 0.0
            if kind > PAIR_WHEEL_TERRAIN:
                j = contact.member[contact.b_start[g] + pair[place, 1]]
                if kind == PAIR_WHEEL_PLATE and not is_plate_near(shape, i, j, x, R, 0.0):
                    continue
                if kind == PAIR_SPROCKET_PIN:
                    item_start, item_stop = shape.item_start[j], shape.item_stop[j]
                if kind in (PAIR_SPROCKET_PIN, PAIR_WHEEL_PLATE):
                    # the frame in which the items of this pair are looked at: the sprocket's, or the plate's
                    base = i if kind == PAIR_SPROCKET_PIN else j
                    ox, oy, oz = calc_shape_centre(shape, base, x, R)
                    ax, ay, az = calc_shape_axis(shape, i, 2, R)
                    ex, ey, ez = calc_shape_axis(shape, base, 0, R)
                    lx, ly, lz = calc_shape_axis(shape, base, 1, R)
                elif kind == PAIR_GROOVE_HORN:
                    item_stop = item_start + 1
            slot = (
                contact.memory_start[g]
                + (pair[place, 0] * max(columns, 1) + pair[place, 1]) * (contact.memory_items[g])
            )
            for item in range(item_start, item_stop):
                if kind == PAIR_WHEEL_PLATE:
                    depth, nx, ny, nz, px, py, pz = calc_wheel_plate(
                        shape, i, item, j, x, R, ox, oy, oz, ax, ay, az, ex, ey, ez, lx, ly, lz
                    )
                elif kind == PAIR_POINTS_TERRAIN:
                    depth, nx, ny, nz, px, py, pz = calc_point_terrain(shape, terrain, i, item, x, R)
                elif kind == PAIR_SPROCKET_PIN:
                    depth, nx, ny, nz, px, py, pz = calc_sprocket_pin(
                        shape, i, j, item, x, R, ox, oy, oz, ax, ay, az, ex, ey, ez, lx, ly, lz
                    )
                elif kind == PAIR_GROOVE_HORN:
                    depth, nx, ny, nz, px, py, pz = calc_groove_horn(shape, i, j, x, R)
                else:
                    depth, nx, ny, nz, px, py, pz = calc_wheel_terrain(shape, terrain, i, item, x, R)
                if depth <= 0.0:
                    continue
                area = shape.size[i, 0] if contact.per_area[g] == 1 else 1.0
                fn, gx, gy, gz, e_stored, p_normal, p_friction, e_anchor = add_contact(
                    k * area,
                    c * area,
                    separation,
                    sticking,
                    friction,
                    mu,
                    velocity,
                    k_tangent,
                    depth,
                    nx,
                    ny,
                    nz,
                    px,
                    py,
                    pz,
                    shape.body[i],
                    world if j < 0 else shape.body[j],
                    slot + item - item_start,
                    memory,
                    x,
                    R,
                    v,
                    w_world,
                    f_out,
                    torque_out,
                    memory_out,
                    blocks_out,
                )
                normal += fn
                friction_x += gx
                friction_y += gy
                friction_z += gz
                touching += 1.0
                deepest = max(deepest, depth)
                stored += e_stored
                lost_normal += p_normal
                lost_friction += p_friction
                anchored += e_anchor
        sum_out[g, 0], sum_out[g, 4], sum_out[g, 5] = normal, touching, deepest
        sum_out[g, 1], sum_out[g, 2], sum_out[g, 3] = friction_x, friction_y, friction_z
        energy_out[g, 0], energy_out[g, 1] = stored, lost_normal
        energy_out[g, 2], energy_out[g, 3] = lost_friction, anchored
