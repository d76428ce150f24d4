"""Exact geometry of the contact pairs: depth, normal (from b to a) and contact point of one item.

Every function returns (depth, nx, ny, nz, px, py, pz); depth <= 0 means no contact. Side a is the point, the
wheel or the sprocket, side b the terrain, the plate, the pin or the horn.
"""

from __future__ import annotations

from collections import namedtuple
from math import atan2, cos, pi, sin, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.spatial import rotate
from grouser.kernels.terrain.height import calc_depth, calc_height

LEAST_UPRIGHT = 0.5
"""Least cosine between the plane of a disc and the normal of a plate that it can roll on."""

PlateFrame = namedtuple("PlateFrame", ["o", "e", "across", "z"])
"""A plate in the world: its centre o, its axes e and `across`, and its normal z."""


@kernel(inline=True)
def calc_shape_axis(shape, i, column, R):
    """World direction of an axis of shape i."""
    return rotate(R, shape.body[i], shape.frame[i, 0, column], shape.frame[i, 1, column], shape.frame[i, 2, column])


@kernel(inline=True)
def calc_shape_centre(shape, i, x, R):
    """World position of the centre of shape i."""
    body = shape.body[i]
    rx, ry, rz = rotate(R, body, shape.centre[i, 0], shape.centre[i, 1], shape.centre[i, 2])
    return x[body, 0] + rx, x[body, 1] + ry, x[body, 2] + rz


@kernel(inline=True)
def calc_point_terrain(shape, terrain, i, item, x, R):
    """A point of shape i against the terrain."""
    body = shape.body[i]
    rx, ry, rz = rotate(R, body, shape.item[item, 0], shape.item[item, 1], shape.item[item, 2])
    px, py, pz = x[body, 0] + rx, x[body, 1] + ry, x[body, 2] + rz
    depth, nx, ny, nz = calc_depth(terrain, px, py, pz)
    return depth, nx, ny, nz, px, py, pz


@kernel(inline=True)
def calc_wheel_terrain(shape, terrain, i, item, x, R):
    """A disc of wheel i against the terrain: its point furthest down the normal below its centre."""
    body = shape.body[i]
    rx, ry, rz = rotate(R, body, shape.item[item, 0], shape.item[item, 1], shape.item[item, 2])
    cx, cy, cz = x[body, 0] + rx, x[body, 1] + ry, x[body, 2] + rz
    ax, ay, az = calc_shape_axis(shape, i, 2, R)
    _, nx, ny, nz = calc_height(terrain, cx, cy)
    along = nx * ax + ny * ay + nz * az
    dx, dy, dz = nx - along * ax, ny - along * ay, nz - along * az
    size = sqrt(dx * dx + dy * dy + dz * dz)
    if size < 1e-9:  # the disc lies flat: every rim point is as low as the centre
        return -1.0, nx, ny, nz, cx, cy, cz
    reach = shape.size[i, 0] / size
    px, py, pz = cx - reach * dx, cy - reach * dy, cz - reach * dz
    depth, nx, ny, nz = calc_depth(terrain, px, py, pz)
    return depth, nx, ny, nz, px, py, pz


@kernel(inline=True)
def is_plate_near(shape, i, j, x, a, across, skin):
    """Whether plate j can come within `skin` of wheel i: its distance from the wheel's axis a against the radius and
    the plate's reach (half its length, and its width, along `across`, as far as it is not parallel to the axis)."""
    ax, ay, az = a
    lx, ly, lz = across
    body, other = shape.body[i], shape.body[j]
    dx, dy, dz = x[other, 0] - x[body, 0], x[other, 1] - x[body, 1], x[other, 2] - x[body, 2]
    along = dx * ax + dy * ay + dz * az
    parallel = lx * ax + ly * ay + lz * az
    reach = shape.size[i, 0] + shape.size[i, 2] + shape.size[j, 2] + shape.size[j, 0] + skin
    reach += shape.size[j, 1] * sqrt(max(1.0 - parallel * parallel, 0.0))
    return dx * dx + dy * dy + dz * dz - along * along < reach * reach


@kernel(inline=True)
def calc_wheel_plate(shape, i, item, j, x, R, a, plate):
    """A disc of wheel i against plate j: circle against segment in the wheel's plane.

    o is the centre of the plate, z its normal, a the axis of the wheel, c the centre of the disc. The point of the rim
    that is furthest down the normal is c - R m, m = (z - (z.a) a)/|z - (z.a) a|:

        depth = R |z - (z.a) a| - (c - o).z,   normal z                                   (1)

    Where it lies beyond the end of the plate, the edge touches: q is the point in which the plane of the disc cuts it,

        depth = R - |c - q|,   normal from q to c                                         (2)
    """
    ox, oy, oz = plate.o
    ax, ay, az = a
    ex, ey, ez = plate.e
    lx, ly, lz = plate.across
    zx, zy, zz = plate.z
    body = shape.body[i]
    rx, ry, rz = rotate(R, body, shape.item[item, 0], shape.item[item, 1], shape.item[item, 2])
    cx, cy, cz = x[body, 0] + rx, x[body, 1] + ry, x[body, 2] + rz
    dx, dy, dz = cx - ox, cy - oy, cz - oz
    above = dx * zx + dy * zy + dz * zz
    radius = shape.size[i, 0]
    if above <= 0.0 or above >= radius:
        return -1.0, zx, zy, zz, cx, cy, cz
    slanted = zx * ax + zy * ay + zz * az
    mx, my, mz = zx - slanted * ax, zy - slanted * ay, zz - slanted * az
    upright = sqrt(mx * mx + my * my + mz * mz)
    if upright < LEAST_UPRIGHT:
        return -1.0, zx, zy, zz, cx, cy, cz
    half = shape.size[j, 0]
    reach = radius / upright
    px, py, pz = cx - reach * mx, cy - reach * my, cz - reach * mz
    along = (px - ox) * ex + (py - oy) * ey + (pz - oz) * ez
    across = (px - ox) * lx + (py - oy) * ly + (pz - oz) * lz
    if abs(along) <= half:
        if abs(across) > shape.size[j, 1]:
            return -1.0, zx, zy, zz, cx, cy, cz
        return radius * upright - above, zx, zy, zz, px, py, pz  # (1)
    parallel = lx * ax + ly * ay + lz * az
    if abs(parallel) < LEAST_UPRIGHT:
        return -1.0, zx, zy, zz, cx, cy, cz
    end = half if along > 0.0 else -half
    dx, dy, dz = dx - end * ex, dy - end * ey, dz - end * ez
    across = (dx * ax + dy * ay + dz * az) / parallel
    ux, uy, uz = dx - across * lx, dy - across * ly, dz - across * lz
    squared = ux * ux + uy * uy + uz * uz
    if squared >= radius * radius or abs(across) > shape.size[j, 1]:
        return -1.0, zx, zy, zz, cx, cy, cz
    distance = sqrt(squared)
    inverse = 1.0 / max(distance, 1e-12)
    return radius - distance, ux * inverse, uy * inverse, uz * inverse, cx - ux, cy - uy, cz - uz  # (2)


@kernel(entry=True, inline=True)
def calc_tooth_gap(u, w, arc_radius, centre_radius, tip_radius, pin_radius, tu, tw):
    """Distance of a pin from the tooth profile, in the frame of its gap: u along the centre line of the gap,
    w across it. Returns (depth, normal u, normal w), normal from the profile to the pin.

    The gap is an arc of radius rho about C = (Rc, 0); beside it, beyond the tip T = (tu, tw), the land is the tip
    circle. A pin inside the arc's sector (seen from C between the two tips) touches the arc,

        depth = |N - C| - (rho - r),  normal towards C                                    (1)

    a pin above the land touches the tip circle, depth = R_tip + r - |N|, normal outwards (2), and in between the
    tip corner T, depth = r - |N - T|, normal from T                                      (3)

    A pin whose centre is inside a tooth takes the shorter way out of (1) and (2).
    """
    radius = sqrt(u * u + w * w)
    cu = u - centre_radius
    distance = sqrt(cu * cu + w * w)
    inverse = 1.0 / max(distance, 1e-12)
    arc_depth = distance - (arc_radius - pin_radius)
    if abs(w) * tu > u * tw:  # beyond the corner, over the land
        land_depth = tip_radius + pin_radius - radius
        if radius >= tip_radius or land_depth < arc_depth:
            return land_depth, u / radius, w / radius  # (2)
        return arc_depth, -cu * inverse, -w * inverse
    if cu < 0.0 and abs(w) * (centre_radius - tu) <= -cu * tw:
        return arc_depth, -cu * inverse, -w * inverse  # (1)
    if w < 0.0:
        tw = -tw
    du, dw = u - tu, w - tw
    distance = sqrt(du * du + dw * dw)
    inverse = 1.0 / max(distance, 1e-12)
    return pin_radius - distance, du * inverse, dw * inverse  # (3)


@kernel(inline=True)
def calc_pin_in_wheel(shape, i, j, item, x, R, o, a, e, across):
    """Centre of pin `item` of shape j, its place (u, w) along e and `across` about the centre o of toothed wheel i, and
    whether it can touch: within the tips, off the axis, and beside one of the gear rings along the axis a."""
    ox, oy, oz = o
    ax, ay, az = a
    ex, ey, ez = e
    lx, ly, lz = across
    other = shape.body[j]
    rx, ry, rz = rotate(R, other, shape.item[item, 0], shape.item[item, 1], shape.item[item, 2])
    px, py, pz = x[other, 0] + rx, x[other, 1] + ry, x[other, 2] + rz
    dx, dy, dz = px - ox, py - oy, pz - oz
    u, w = dx * ex + dy * ey + dz * ez, dx * lx + dy * ly + dz * lz
    squared, reach = u * u + w * w, shape.size[i, 0] + shape.size[j, 0]
    if squared > reach * reach or squared < 1e-12:
        return px, py, pz, u, w, False
    lateral = dx * ax + dy * ay + dz * az
    engaged = False
    for ring in range(shape.item_start[i], shape.item_stop[i]):
        offset = (
            (shape.item[ring, 0] - shape.centre[i, 0]) * shape.frame[i, 0, 2]
            + (shape.item[ring, 1] - shape.centre[i, 1]) * shape.frame[i, 1, 2]
            + (shape.item[ring, 2] - shape.centre[i, 2]) * shape.frame[i, 2, 2]
        )
        engaged = engaged or abs(lateral - offset) <= shape.size[i, 7]
    return px, py, pz, u, w, engaged


@kernel(inline=True)
def calc_gap_turn(teeth, u, w):
    """Cosine and sine of the angle from the first gap of a wheel to that in whose sector (u, w) lies."""
    period = 2.0 * pi / teeth
    turn = period * round(atan2(w, u) / period)
    return cos(turn), sin(turn)


@kernel(inline=True)
def calc_pin_touch(depth, nu, nw, co, si, pin, p, e, across):
    """What was found in the frame of a gap, in the world; the normal of the pair points from pin (b) to wheel (a)."""
    px, py, pz = p
    ex, ey, ez = e
    lx, ly, lz = across
    bu, bw = -(co * nu - si * nw), -(si * nu + co * nw)
    nx, ny, nz = bu * ex + bw * lx, bu * ey + bw * ly, bu * ez + bw * lz
    return depth, nx, ny, nz, px + pin * nx, py + pin * ny, pz + pin * nz


@kernel(inline=True)
def calc_sprocket_pin(shape, i, j, item, x, R, o, a, e, across):
    """Pin `item` of shape j against the teeth of sprocket i, in the plane normal to the sprocket's axis.

    o is the centre of the sprocket, a its axis, e the direction of a gap and `across` = a x e. Sizes of the sprocket:
    addendum radius, groove, arc radius, arc centre radius, teeth, tip of a tooth (2), ring half width.
    """
    px, py, pz, u, w, is_near = calc_pin_in_wheel(shape, i, j, item, x, R, o, a, e, across)
    if not is_near:
        return -1.0, a[0], a[1], a[2], px, py, pz
    co, si = calc_gap_turn(shape.size[i, 4], u, w)
    pin = shape.size[j, 0]
    depth, nu, nw = calc_tooth_gap(
        co * u + si * w,
        co * w - si * u,
        shape.size[i, 2],
        shape.size[i, 3],
        shape.size[i, 0],
        pin,
        shape.size[i, 5],
        shape.size[i, 6],
    )
    return calc_pin_touch(depth, nu, nw, co, si, pin, (px, py, pz), e, across)


@kernel(inline=True)
def calc_groove_horn(shape, i, j, x, R):
    """Horn j between the discs of wheel (or sprocket) i: a point against the inner corner of a disc.

        over = |y| - (groove - horn half width)      how far the horn is in the side of the disc
        inside = radius - r                          how far it is within the rim
        depth = min(over, inside), normal along the axis or along the radius                (1)

    y is the offset of the horn along the axis and r its distance from it. A horn further out than twice the groove
    has left it: the track is thrown, and the wheel no longer guides it.
    """
    ox, oy, oz = calc_shape_centre(shape, i, x, R)
    px, py, pz = calc_shape_centre(shape, j, x, R)
    dx, dy, dz = px - ox, py - oy, pz - oz
    ax, ay, az = calc_shape_axis(shape, i, 2, R)
    y = dx * ax + dy * ay + dz * az
    groove = shape.size[i, 1]
    over = abs(y) - (groove - shape.size[j, 0])
    if over <= 0.0 or abs(y) > 2.0 * groove:
        return -1.0, ax, ay, az, px, py, pz
    radial = sqrt(max(dx * dx + dy * dy + dz * dz - y * y, 0.0))
    inside = shape.size[i, 0] - radial
    if inside < over:
        inverse = -1.0 / max(radial, 1e-12)
        nx, ny, nz = inverse * (dx - y * ax), inverse * (dy - y * ay), inverse * (dz - y * az)
        return inside, nx, ny, nz, px, py, pz
    sign = 1.0 if y > 0.0 else -1.0
    return over, sign * ax, sign * ay, sign * az, px, py, pz
