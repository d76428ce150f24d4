"""Which pairs of shapes may touch soon: balls about them, enlarged by a skin.

Those of side a are about the centre of the shape: that of a wheel or a sphere, for all others the centre of mass. Those
of side b are about the centre of mass. Spheres may meet those of their own group: each pair counts once, and spheres of
one body are none.

The list stays valid until some pair may have come closer by the skin: twice the largest speed of any body times the
time since the list was made. The speed of a body counts with its angular velocity times `contact.search_reach`, where
the search sees it turn: wheels off its centre of mass, and tests that depend on orientations. So the search runs
once in many steps, and each step pays only for the contacts that exist or are near.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.geometry import calc_shape_axis, calc_shape_centre, is_plate_near
from grouser.kernels.kinds import PAIR_LAST_TERRAIN, PAIR_SPHERE_SPHERE, PAIR_SURFACE, PAIR_WHEEL_PLATE
from grouser.kernels.terrain.height import calc_gap_bound


@kernel(stage=True, rows="contact.kind")
def find_candidates(
    # tables
    shape,
    contact,
    terrain,
    # in
    x,
    R,
    skin,
    # out
    pair_out,
    count_out,
):
    """Fill `pair_out` (capacity, 2) with positions in the groups a and b, from `contact.candidate_start[g]` on,
    and `count_out` (groups,)."""
    for g in range(contact.kind.shape[0]):
        place = contact.candidate_start[g]
        first = place
        if contact.kind[g] == PAIR_SURFACE:
            count_out[g] = 0
            continue
        a_start, b_start = contact.a_start[g], contact.b_start[g]
        if contact.kind[g] <= PAIR_LAST_TERRAIN:
            for ia in range(a_start, contact.a_stop[g]):
                i = contact.member[ia]
                gap = calc_gap_bound(terrain, *calc_shape_centre(shape, i, x, R))
                if gap < shape.bound[i] + skin:
                    pair_out[place, 0] = ia - a_start
                    pair_out[place, 1] = 0
                    place += 1
        else:
            # groups have no shapes in common, or are the same
            is_own = contact.member[a_start] == contact.member[b_start]
            for ia in range(a_start, contact.a_stop[g]):
                i = contact.member[ia]
                xa, ya, za = calc_shape_centre(shape, i, x, R)
                reach_a = shape.bound[i] + skin
                for ib in range(b_start + (ia - a_start + 1 if is_own else 0), contact.b_stop[g]):
                    j = contact.member[ib]
                    other = shape.body[j]
                    dx, dy, dz = x[other, 0] - xa, x[other, 1] - ya, x[other, 2] - za
                    reach = reach_a + shape.bound[j]
                    near = dx * dx + dy * dy + dz * dz < reach * reach
                    if contact.kind[g] == PAIR_SPHERE_SPHERE:
                        near = near and other != shape.body[i]
                    if near and contact.kind[g] == PAIR_WHEEL_PLATE:
                        ax, ay, az = calc_shape_axis(shape, i, 2, R)
                        lx, ly, lz = calc_shape_axis(shape, j, 1, R)
                        near = is_plate_near(shape, i, j, x, (ax, ay, az), (lx, ly, lz), skin)
                    if near:
                        pair_out[place, 0] = ia - a_start
                        pair_out[place, 1] = ib - b_start
                        place += 1
        count_out[g] = place - first
