"""Touching points of outlines: strips, rails, and gaps of toothed wheels. Appended to the list as in `touch.py`."""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.geometry import calc_shape_axis, calc_shape_centre
from grouser.kernels.contact.outline_geometry import calc_chain_gap, calc_disc_in_link, calc_toothed_pin
from grouser.kernels.contact.touch import add_touch, calc_area, calc_slot
from grouser.kernels.kinds import PAIR_STRIP_TERRAIN, PAIR_WHEEL_RAIL, PAIRS_OF_OUTLINES, WORLD_ROW
from grouser.kernels.spatial import rotate
from grouser.kernels.terrain.height import calc_depth

GAUSS = 0.5 / sqrt(3.0)
"""Places of the two points of Gauss' rule, from the middle of an interval of length one."""


@kernel(stage="int64", rows="contact.kind", kinds=PAIRS_OF_OUTLINES)
def add_outline_touches(shape, contact, terrain, g, view, n, work):
    """Contacts of group g, which is one of outlines."""
    if contact.kind[g] == PAIR_STRIP_TERRAIN:
        return add_strip_terrain_touches(shape, contact, terrain, g, view, n, work)
    if contact.kind[g] == PAIR_WHEEL_RAIL:
        return add_wheel_rail_touches(shape, contact, g, view, n, work)
    return add_toothed_pin_touches(shape, contact, g, view, n, work)


@kernel
def add_toothed_pin_touches(shape, contact, g, view, n, work):
    """Pins against the teeth of toothed wheels. A pin that two links share is two points, each with half the stiffness
    and damping: the force is split evenly between the links."""
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        j = contact.member[contact.b_start[g] + pair[place, 1]]
        ox, oy, oz = calc_shape_centre(shape, i, x, R)
        ax, ay, az = calc_shape_axis(shape, i, 2, R)
        ex, ey, ez = calc_shape_axis(shape, i, 0, R)
        lx, ly, lz = calc_shape_axis(shape, i, 1, R)
        slot, first, body = calc_slot(contact, g, pair, place), shape.item_start[j], shape.body[i]
        for item in range(first, shape.item_stop[j]):
            found = calc_toothed_pin(shape, i, j, item, x, R, (ox, oy, oz), (ax, ay, az), (ex, ey, ez), (lx, ly, lz))
            own = slot + 2 * (item - first)
            if shape.shared[j] < 0:
                n = add_touch(contact, g, n, found, 1.0, body, shape.body[j], own, touch_out, owner_out)
            else:
                n = add_touch(contact, g, n, found, 0.5, body, shape.body[j], own, touch_out, owner_out)
                n = add_touch(contact, g, n, found, 0.5, body, shape.shared[j], own + 1, touch_out, owner_out)
    return n


@kernel
def add_wheel_rail_touches(shape, contact, g, view, n, work):
    """Discs of wheels against the segments and corners of rails."""
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        j = contact.member[contact.b_start[g] + pair[place, 1]]
        slot, area = calc_slot(contact, g, pair, place), calc_area(shape, contact, g, i)
        first, last, link = shape.item_start[j], shape.item_stop[j] - 1, shape.body[j]
        for disc in range(shape.item_start[i], shape.item_stop[i]):
            cx, cz, is_over = calc_disc_in_link(shape, i, disc, j, x, R)
            own = slot + (disc - shape.item_start[i]) * (last - first) - first
            if not is_over:
                continue
            radius = shape.size[i, 0]
            for k in range(first, last):
                depth, nx, nz = calc_chain_gap(cx, cz, radius, shape.item, first, last, k)
                if depth <= 0.0:
                    continue
                ux, uy, uz = rotate(R, link, nx, 0.0, nz)
                rx, ry, rz = rotate(R, link, cx - radius * nx, shape.centre[j, 1], cz - radius * nz)
                found = depth, ux, uy, uz, x[link, 0] + rx, x[link, 1] + ry, x[link, 2] + rz
                n = add_touch(contact, g, n, found, area, shape.body[i], link, own + k, touch_out, owner_out)
    return n


@kernel
def add_strip_terrain_touches(shape, contact, terrain, g, view, n, work):
    """Strips against the terrain: Gauss' rule on the part of each cell that is below the ground.

    The rule is exact for what varies linearly along the cell, so on a plane, and on a profile that is straight below
    the cell, force and moment are those of the whole pressure. The part that touches is found from the depths of the
    ends of a cell, linear between.
    """
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        slot, first, body = calc_slot(contact, g, pair, place), shape.item_start[i], shape.body[i]
        cells = int(shape.size[i, 1])
        rx, ry, rz = rotate(R, body, shape.item[first, 0], shape.item[first, 1], shape.item[first, 2])
        ax, ay, az = x[body, 0] + rx, x[body, 1] + ry, x[body, 2] + rz
        rx, ry, rz = rotate(R, body, shape.item[first + 1, 0], shape.item[first + 1, 1], shape.item[first + 1, 2])
        ux, uy, uz = (x[body, 0] + rx - ax) / cells, (x[body, 1] + ry - ay) / cells, (x[body, 2] + rz - az) / cells
        length = 2.0 * shape.size[i, 0] / cells
        before, _, _, _ = calc_depth(terrain, ax, ay, az)
        for cell in range(cells):
            px, py, pz = ax + cell * ux, ay + cell * uy, az + cell * uz
            start, (end, _, _, _) = before, calc_depth(terrain, px + ux, py + uy, pz + uz)
            before = end
            if start <= 0.0 and end <= 0.0:
                continue
            low = start / (start - end) if start < 0.0 else 0.0
            high = start / (start - end) if end < 0.0 else 1.0
            for k in range(2):
                share = 0.5 * (low + high) + (2 * k - 1) * GAUSS * (high - low)
                qx, qy, qz = px + share * ux, py + share * uy, pz + share * uz
                depth, nx, ny, nz = calc_depth(terrain, qx, qy, qz)
                found = depth, nx, ny, nz, qx, qy, qz
                weight = 0.5 * length * (high - low)
                own = slot + 2 * cell + k
                n = add_touch(contact, g, n, found, weight, body, WORLD_ROW, own, touch_out, owner_out)
    return n
