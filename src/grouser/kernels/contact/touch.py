"""Touching points of each kind of pair, appended to one list for all contacts.

`work.touch` (capacity, 11): depth, unit normal from b to a, contact point, area (one where the law is not per area),
and the velocity of a relative to b, which the law fills in. `work.touch_owner` (capacity, 3): body a, body b, place of
the friction memory. `work.pair` has the candidates. Every function returns the length of the list.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.geometry import (
    PlateFrame,
    calc_groove_horn,
    calc_point_terrain,
    calc_shape_axis,
    calc_shape_centre,
    calc_sprocket_pin,
    calc_wheel_plate,
    calc_wheel_terrain,
    is_plate_near,
)
from grouser.kernels.kinds import PER_AREA, WORLD_ROW
from grouser.kernels.spatial import cross


@kernel(inline=True)
def add_touch(contact, g, n, found, area, body_a, body_b, slot, touch_out, owner_out):
    """Append a point of group g, as `geometry.py` found it, if it touches and is not deeper than the limit."""
    depth, nx, ny, nz, px, py, pz = found
    if depth <= 0.0 or depth > contact.depth_limit[g]:
        return n
    touch_out[n, 0], touch_out[n, 7] = depth, area
    touch_out[n, 1], touch_out[n, 2], touch_out[n, 3] = nx, ny, nz
    touch_out[n, 4], touch_out[n, 5], touch_out[n, 6] = px, py, pz
    owner_out[n, 0], owner_out[n, 1], owner_out[n, 2] = body_a, body_b, slot
    return n + 1


@kernel(inline=True)
def calc_slot(contact, g, pair, place):
    """First place of the friction memory of a candidate pair."""
    columns = max(contact.b_stop[g] - contact.b_start[g], 1)
    return contact.memory_start[g] + (pair[place, 0] * columns + pair[place, 1]) * contact.memory_items[g]


@kernel(inline=True)
def calc_area(shape, contact, g, i):
    """What multiplies stiffness and damping of a point of shape i."""
    return shape.size[i, 0] if contact.per[g] == PER_AREA else 1.0


@kernel
def add_points_terrain_touches(shape, contact, terrain, g, view, n, work):
    """Points against the terrain."""
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        slot, area, first = calc_slot(contact, g, pair, place), calc_area(shape, contact, g, i), shape.item_start[i]
        for item in range(first, shape.item_stop[i]):
            found = calc_point_terrain(shape, terrain, i, item, x, R)
            own = slot + item - first
            n = add_touch(contact, g, n, found, area, shape.body[i], WORLD_ROW, own, touch_out, owner_out)
    return n


@kernel
def add_wheel_terrain_touches(shape, contact, terrain, g, view, n, work):
    """Discs of wheels against the terrain."""
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        slot, area, first = calc_slot(contact, g, pair, place), calc_area(shape, contact, g, i), shape.item_start[i]
        for item in range(first, shape.item_stop[i]):
            found = calc_wheel_terrain(shape, terrain, i, item, x, R)
            own = slot + item - first
            n = add_touch(contact, g, n, found, area, shape.body[i], WORLD_ROW, own, touch_out, owner_out)
    return n


@kernel
def add_wheel_plate_touches(shape, contact, g, view, n, work):
    """Discs of wheels against plates: axes of either are the same for all discs of a wheel."""
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        j = contact.member[contact.b_start[g] + pair[place, 1]]
        ax, ay, az = calc_shape_axis(shape, i, 2, R)
        lx, ly, lz = calc_shape_axis(shape, j, 1, R)
        if not is_plate_near(shape, i, j, x, (ax, ay, az), (lx, ly, lz), 0.0):
            continue
        ox, oy, oz = calc_shape_centre(shape, j, x, R)
        ex, ey, ez = calc_shape_axis(shape, j, 0, R)
        plate = PlateFrame((ox, oy, oz), (ex, ey, ez), (lx, ly, lz), cross(ex, ey, ez, lx, ly, lz))
        slot, area, first = calc_slot(contact, g, pair, place), calc_area(shape, contact, g, i), shape.item_start[i]
        for item in range(first, shape.item_stop[i]):
            found = calc_wheel_plate(shape, i, item, j, x, R, (ax, ay, az), plate)
            own = slot + item - first
            n = add_touch(contact, g, n, found, area, shape.body[i], shape.body[j], own, touch_out, owner_out)
    return n


@kernel
def add_sprocket_pin_touches(shape, contact, g, view, n, work):
    """Pins against the teeth of sprockets: items are the pins."""
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        j = contact.member[contact.b_start[g] + pair[place, 1]]
        ox, oy, oz = calc_shape_centre(shape, i, x, R)
        ax, ay, az = calc_shape_axis(shape, i, 2, R)
        ex, ey, ez = calc_shape_axis(shape, i, 0, R)
        lx, ly, lz = calc_shape_axis(shape, i, 1, R)
        slot, area, first = calc_slot(contact, g, pair, place), calc_area(shape, contact, g, i), shape.item_start[j]
        for item in range(first, shape.item_stop[j]):
            found = calc_sprocket_pin(shape, i, j, item, x, R, (ox, oy, oz), (ax, ay, az), (ex, ey, ez), (lx, ly, lz))
            own = slot + item - first
            n = add_touch(contact, g, n, found, area, shape.body[i], shape.body[j], own, touch_out, owner_out)
    return n


@kernel
def add_groove_horn_touches(shape, contact, g, view, n, work):
    """Horns in the grooves of wheels and sprockets: one point a pair."""
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        j = contact.member[contact.b_start[g] + pair[place, 1]]
        found = calc_groove_horn(shape, i, j, x, R)
        slot, area = calc_slot(contact, g, pair, place), calc_area(shape, contact, g, i)
        n = add_touch(contact, g, n, found, area, shape.body[i], shape.body[j], slot, touch_out, owner_out)
    return n
