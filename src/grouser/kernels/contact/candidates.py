"""Which pairs of shapes may touch soon: balls about the bodies, enlarged by a skin.

The list stays valid until some pair may have come closer by the skin: twice the largest speed of any body times the
time since the list was made, and where a test depends on orientations, twice the largest angular velocity times the
reach of such shapes. So the search runs once in many steps, and each step pays only for the contacts that exist or are
near.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.geometry import calc_shape_axis, is_plate_near
from grouser.kernels.kinds import PAIR_LAST_TERRAIN, PAIR_WHEEL_PLATE
from grouser.kernels.terrain.height import calc_gap_bound


@kernel
def calc_turning_reach(shape, contact):
    """Largest bound [m] of the shapes whose test depends on orientations: wheels and plates."""
    reach = 0.0
    for g in range(contact.kind.shape[0]):
        if contact.kind[g] == PAIR_WHEEL_PLATE:
            for place in range(contact.a_start[g], contact.b_stop[g]):
                reach = max(reach, shape.bound[contact.member[place]])
    return reach


@kernel
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
        a_start, b_start = contact.a_start[g], contact.b_start[g]
        if contact.kind[g] <= PAIR_LAST_TERRAIN:
            for ia in range(a_start, contact.a_stop[g]):
                i = contact.member[ia]
                body = shape.body[i]
                gap = calc_gap_bound(terrain, x[body, 0], x[body, 1], x[body, 2])
                if gap < shape.bound[i] + skin:
                    pair_out[place, 0] = ia - a_start
                    pair_out[place, 1] = 0
                    place += 1
        else:
            for ia in range(a_start, contact.a_stop[g]):
                i = contact.member[ia]
                body = shape.body[i]
                xa, ya, za = x[body, 0], x[body, 1], x[body, 2]
                reach_a = shape.bound[i] + skin
                for ib in range(b_start, contact.b_stop[g]):
                    j = contact.member[ib]
                    other = shape.body[j]
                    dx, dy, dz = x[other, 0] - xa, x[other, 1] - ya, x[other, 2] - za
                    reach = reach_a + shape.bound[j]
                    near = dx * dx + dy * dy + dz * dz < reach * reach
                    if near and contact.kind[g] == PAIR_WHEEL_PLATE:
                        ax, ay, az = calc_shape_axis(shape, i, 2, R)
                        lx, ly, lz = calc_shape_axis(shape, j, 1, R)
                        near = is_plate_near(shape, i, j, x, ax, ay, az, lx, ly, lz, skin)
                    if near:
                        pair_out[place, 0] = ia - a_start
                        pair_out[place, 1] = ib - b_start
                        place += 1
        count_out[g] = place - first
