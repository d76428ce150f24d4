"""Spheres against the terrain, plates and each other: exact geometry, and the list of touching points as in `touch.py`.

Forces along the normal go through the centre of a sphere: without friction nothing turns it.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.geometry import calc_shape_axis, calc_shape_centre
from grouser.kernels.contact.touch import add_touch, calc_slot
from grouser.kernels.kinds import PAIR_SPHERE_SPHERE, PAIR_SPHERE_TERRAIN, PAIRS_OF_SPHERES, WORLD_ROW
from grouser.kernels.spatial import cross
from grouser.kernels.terrain.height import calc_depth, calc_height

TURNS = 3
"""Corrections of the place at which a sphere touches curved ground."""


@kernel(inline=True)
def calc_sphere_terrain(terrain, radius, cx, cy, cz):
    """A sphere about c against the terrain. Returns as the functions of `geometry.py`.

    It touches where the ground has the normal n of the way to its centre. Sought by turns: with n of the ground below
    p = c - r n, from the normal below the centre on, which converges where the ground is less curved than the sphere.
    With m the normal of the turn before, and d(p) the depth of a point below the tangent plane of the ground,

        depth = r - (c - q).n = d(c - r m) + r (1 - m.n),   touching point c - r n              (1)

    with q on the ground below c - r m. It is exact for planes; a corner that sticks out counts as far as the faces
    beside it, drawn on.
    """
    _, nx, ny, nz = calc_height(terrain, cx, cy)
    depth = 0.0
    for _ in range(TURNS):
        mx, my, mz = nx, ny, nz
        below, nx, ny, nz = calc_depth(terrain, cx - radius * mx, cy - radius * my, cz - radius * mz)
        depth = below + radius * (1.0 - mx * nx - my * ny - mz * nz)  # (1)
    return depth, nx, ny, nz, cx - radius * nx, cy - radius * ny, cz - radius * nz


@kernel(inline=True)
def calc_sphere_sphere(radius, other, cx, cy, cz, ox, oy, oz):
    """A sphere about c against one about o, of the radius `other`: the point is the middle of where they overlap.

    depth = r + r_o - |c - o|,   normal from o to c                                         (2)
    """
    dx, dy, dz = cx - ox, cy - oy, cz - oz
    distance = sqrt(dx * dx + dy * dy + dz * dz)
    depth = radius + other - distance  # (2)
    inverse = 1.0 / max(distance, 1e-12)
    nx, ny, nz = inverse * dx, inverse * dy, inverse * dz
    reach = other - 0.5 * depth
    return depth, nx, ny, nz, ox + reach * nx, oy + reach * ny, oz + reach * nz


@kernel(inline=True)
def calc_sphere_plate(shape, j, radius, cx, cy, cz, x, R):
    """A sphere about c against plate j, from its outer side: q is the point of the plate next to c.

        depth = r - |c - q|,   normal from q to c                                               (3)

    Over the plate that is its normal, beyond its sides it leans from the edge or the corner.
    """
    ox, oy, oz = calc_shape_centre(shape, j, x, R)
    ex, ey, ez = calc_shape_axis(shape, j, 0, R)
    lx, ly, lz = calc_shape_axis(shape, j, 1, R)
    zx, zy, zz = cross(ex, ey, ez, lx, ly, lz)
    dx, dy, dz = cx - ox, cy - oy, cz - oz
    above = dx * zx + dy * zy + dz * zz
    if above <= 0.0 or above >= radius:
        return -1.0, zx, zy, zz, cx, cy, cz
    along = dx * ex + dy * ey + dz * ez
    across = dx * lx + dy * ly + dz * lz
    along -= min(max(along, -shape.size[j, 0]), shape.size[j, 0])
    across -= min(max(across, -shape.size[j, 1]), shape.size[j, 1])
    distance = sqrt(along * along + across * across + above * above)
    inverse = 1.0 / distance
    nx = inverse * (along * ex + across * lx + above * zx)
    ny = inverse * (along * ey + across * ly + above * zy)
    nz = inverse * (along * ez + across * lz + above * zz)
    return radius - distance, nx, ny, nz, cx - radius * nx, cy - radius * ny, cz - radius * nz  # (3)


@kernel(stage="int64", rows="contact.kind", kinds=PAIRS_OF_SPHERES)
def add_sphere_touches(shape, contact, terrain, g, view, n, work):
    """Contacts of group g, which is one of spheres."""
    kind = contact.kind[g]
    x, R, pair, touch_out, owner_out = view.x, view.R, work.pair, work.touch, work.touch_owner
    for place in range(contact.candidate_start[g], contact.candidate_start[g] + work.pair_count[g]):
        i = contact.member[contact.a_start[g] + pair[place, 0]]
        cx, cy, cz = calc_shape_centre(shape, i, x, R)
        radius, body, slot = shape.size[i, 0], shape.body[i], calc_slot(contact, g, pair, place)
        if kind == PAIR_SPHERE_TERRAIN:
            other = WORLD_ROW
            found = calc_sphere_terrain(terrain, radius, cx, cy, cz)
        else:
            j = contact.member[contact.b_start[g] + pair[place, 1]]
            other = shape.body[j]
            if kind == PAIR_SPHERE_SPHERE:
                ox, oy, oz = calc_shape_centre(shape, j, x, R)
                found = calc_sphere_sphere(radius, shape.size[j, 0], cx, cy, cz, ox, oy, oz)
            else:
                found = calc_sphere_plate(shape, j, radius, cx, cy, cz, x, R)
        n = add_touch(contact, g, n, found, 1.0, body, other, slot, touch_out, owner_out)
    return n
