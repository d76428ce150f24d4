"""Exact geometry of outlines in a plane: a pin in the valley between two teeth, a wheel on the rail of a link.

The outline of a valley is that of `grouser.model.valley`; what is known of it here are its points (u, s), in rows
behind the rings of a toothed wheel: bottom, seat, face, tip, centre of the seat, centre of the round, direction t of
the face.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.geometry import (
    LEAST_UPRIGHT,
    calc_gap_turn,
    calc_pin_in_wheel,
    calc_pin_touch,
    calc_shape_axis,
)
from grouser.kernels.spatial import rotate, rotate_back

BOTTOM, SEAT, FACE, TIP, SEAT_CENTRE, ROUND_CENTRE, ALONG = 0, 1, 2, 3, 4, 5, 6
"""Rows of the outline of a valley."""
OUTLINE_SIZE = 7


@kernel(entry=True, inline=True)
def calc_valley_gap(u, s, outline, first, tip_radius, seat_radius, round_radius, pin):
    """Depth of a pin of radius `pin` at (u, s) in the outline of a valley, and the normal (u, s) from it to the pin.

    By symmetry s >= 0. A pin no larger than the seat touches one piece of the outline at a time, since every circle of
    the radius of the seat that touches the face has its centre at s >= w/2. Seen from the pieces, the half plane falls
    into regions: over the land, beyond the end of the face, along the face, and before the face over the bottom
    (s <= w/2) or over the seat; borders are normals of the outline, so depth and normal are continuous.

        land    depth = r2 + pin - |N|                                                    (1)
        round   depth = r3 + pin - |N - E|                                                (2)
        face    depth = pin - n.(N - S)                                                   (3)
        bottom  depth = pin - (u - r1)                                                    (4)
        seat    depth = |N - C| - (r4 - pin), normal towards C                            (5)
    """
    side = 1.0 if s >= 0.0 else -1.0
    s = abs(s)
    if s * outline[first + TIP, 0] > u * outline[first + TIP, 1]:
        radius = sqrt(u * u + s * s)
        return tip_radius + pin - radius, u / radius, side * s / radius  # (1)
    tu, ts = outline[first + ALONG, 0], outline[first + ALONG, 1]
    if (u - outline[first + FACE, 0]) * tu + (s - outline[first + FACE, 1]) * ts >= 0.0:
        du, ds = u - outline[first + ROUND_CENTRE, 0], s - outline[first + ROUND_CENTRE, 1]
        distance = sqrt(du * du + ds * ds)
        inverse = 1.0 / max(distance, 1e-12)
        return round_radius + pin - distance, du * inverse, side * ds * inverse  # (2)
    du, ds = u - outline[first + SEAT, 0], s - outline[first + SEAT, 1]
    if du * tu + ds * ts >= 0.0:
        return pin - (du * ts - ds * tu), ts, -side * tu  # (3)
    if s <= outline[first + BOTTOM, 1]:
        return pin - (u - outline[first + BOTTOM, 0]), 1.0, 0.0  # (4)
    du, ds = outline[first + SEAT_CENTRE, 0] - u, outline[first + SEAT_CENTRE, 1] - s
    distance = sqrt(du * du + ds * ds)
    inverse = 1.0 / max(distance, 1e-12)
    return distance - (seat_radius - pin), du * inverse, side * ds * inverse  # (5)


@kernel(inline=True)
def calc_toothed_pin(shape, i, j, item, x, R, o, a, e, across):
    """Pin `item` of shape j against the teeth of toothed wheel i, in the plane normal to its axis.

    o is the centre of the wheel, a its axis, e the direction of a gap and `across` = a x e. Sizes of the wheel: tip
    radius, root radius, seat radius, round radius, teeth, -, -, ring half width.
    """
    px, py, pz, u, w, is_near = calc_pin_in_wheel(shape, i, j, item, x, R, o, a, e, across)
    if not is_near:
        return -1.0, a[0], a[1], a[2], px, py, pz
    co, si = calc_gap_turn(shape.size[i, 4], u, w)
    pin = shape.size[j, 0]
    depth, nu, nw = calc_valley_gap(
        co * u + si * w,
        co * w - si * u,
        shape.item,
        shape.item_stop[i],
        shape.size[i, 0],
        shape.size[i, 2],
        shape.size[i, 3],
        pin,
    )
    return calc_pin_touch(depth, nu, nw, co, si, pin, (px, py, pz), e, across)


@kernel(inline=True)
def calc_disc_in_link(shape, i, disc, j, x, R):
    """Centre of a disc of wheel i in the axes of the body of rail j, (x, z), and whether it runs over the rail.

    Looked at first: whether the wheel is near enough to the corners of the rail, upright, and over its width.
    """
    body, link = shape.body[i], shape.body[j]
    rx, ry, rz = rotate(R, body, shape.item[disc, 0], shape.item[disc, 1], shape.item[disc, 2])
    dx, dy, dz = x[body, 0] + rx - x[link, 0], x[body, 1] + ry - x[link, 1], x[body, 2] + rz - x[link, 2]
    reach, width = shape.size[i, 0] + shape.bound[j], abs(shape.centre[j, 1]) + shape.size[j, 1]
    if dx * dx + dy * dy + dz * dz >= reach * reach + width * width:
        return 0.0, 0.0, False
    cx, cy, cz = rotate_back(R, link, dx, dy, dz)
    ax, ay, az = calc_shape_axis(shape, i, 2, R)
    _, parallel, _ = rotate_back(R, link, ax, ay, az)
    over = abs(parallel) >= LEAST_UPRIGHT and abs(cy - shape.centre[j, 1]) <= shape.size[j, 1]
    return cx, cz, over and cx * cx + cz * cz < reach * reach


@kernel(entry=True, inline=True)
def calc_chain_gap(cx, cz, radius, corner, first, last, k):
    """Depth of a circle about (cx, cz) in piece k of a chain of corners (x, y, z) in the rows `first` to `last`, and
    the normal (x, z) from the chain to the circle.

    Piece k is the segment from row k to the next and the corner at its end; the first piece also has the corner at its
    start. With t along the segment and n = (-t_z, t_x) outwards, a = (c - p).t and b = (c - p).n:

        along the segment    depth = radius - b,   normal n                               (1)
        beyond a corner q    depth = radius - |c - q|,   normal from q to c               (2)

    (2) where neither of the segments that meet at q has the centre beside it. So each region about the outside of a
    chain belongs to one piece, and where the chain bends inwards both segments touch.
    """
    px, pz, qx, qz = corner[k, 0], corner[k, 2], corner[k + 1, 0], corner[k + 1, 2]
    tx, tz = qx - px, qz - pz
    length = sqrt(tx * tx + tz * tz)
    tx, tz = tx / length, tz / length
    along = (cx - px) * tx + (cz - pz) * tz
    above = (cz - pz) * tx - (cx - px) * tz
    if above <= 0.0 or above >= radius:
        return -1.0, -tz, tx
    if along >= 0.0 and along <= length:
        return radius - above, -tz, tx  # (1)
    if along < 0.0:
        if k > first:
            return -1.0, -tz, tx
        qx, qz = px, pz
    elif k + 1 < last:
        nx, nz = corner[k + 2, 0] - qx, corner[k + 2, 2] - qz
        if (cx - qx) * nx + (cz - qz) * nz >= 0.0:
            return -1.0, -tz, tx
    dx, dz = cx - qx, cz - qz
    distance = sqrt(dx * dx + dz * dz)
    inverse = 1.0 / max(distance, 1e-12)
    return radius - distance, dx * inverse, dz * inverse  # (2)
