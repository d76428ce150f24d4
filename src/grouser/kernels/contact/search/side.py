"""Which of its candidates a point is next to, and on which side.

A point remembers its *guide*: the direction out of the surface and the gap, from when it was last looked at; zeros
if it was far. A solid plate may be thinner than a point has gone in, so that its far face is the nearest. So polygons
that face the other way than the guide, n.m < -1/2, are first left aside. If the point is behind the closest of the
rest, no deeper than it can have gone since, that is its contact. Else it is outside of what it came from, and the
closest of all polygons counts: the other wall of a slot is met as any other.

Points of a solid beside polygons of the same solid are outside of what they have come from in front of, and of nothing
else: seen from within, its far face is no wall. So a polygon that such a point is behind is left aside, unless the
point has a guide and can have gone that deep since.

On shells both sides are outside, and the guide alone says which one a point came from. It is on the other one if
p - q points against the guide, and if it was there before or could have got there: the old gap and the new distance are
no more than the way it has gone since.
"""

from __future__ import annotations

from collections import namedtuple
from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.normal import calc_difference, calc_polygon_normal, see_around
from grouser.kernels.contact.search.polygon import calc_closest, calc_distance_squared, read_node
from grouser.kernels.spatial import dot

Moves = namedtuple("Moves", ["total", "step", "is_own"], defaults=[0])
"""Floats: how far points and polygons may have moved, both ways added, since the list was made, and since the guide was
noted; is_own: 1 where both belong to one solid."""

TINY = 1e-20
"""The direction of p - q is not used if its square is smaller than that, as a share of the square of an edge."""

SLACK = 1e-9
"""Share of a distance that is taken for rounding."""


@kernel(inline=True)
def is_same_side(surface, x, k, guide, i):
    """Whether polygon k does not face the other way than the guide of point i, if that has one."""
    mx, my, mz = guide[i, 0], guide[i, 1], guide[i, 2]
    if surface.is_shell or (mx == 0.0 and my == 0.0 and mz == 0.0):
        return True
    nx, ny, nz = calc_polygon_normal(surface, x, k)
    along = nx * mx + ny * my + nz * mz
    return along >= 0.0 or 4.0 * along * along <= nx * nx + ny * ny + nz * nz


@kernel
def is_outside(surface, x, k, p, guide, i, moves):
    """Whether point i at p of the same solid as polygon k is in front of it, or came from there."""
    gap = calc_gap(surface, x, k, p, guide, i, moves.step)[0]
    if gap >= 0.0:
        return True
    mx, my, mz = guide[i, 0], guide[i, 1], guide[i, 2]
    has_guide = not (mx == 0.0 and my == 0.0 and mz == 0.0)
    return has_guide and gap >= guide[i, 3] - moves.step + SLACK * gap


@kernel
def find_nearest(surface, x, p, guide, i, pair, first, stop, moves):
    """Closest candidates of point i at p, from `first` to `stop` of a list that on its
    side, and one that is closer and faces the other way; -1 for none.

    Candidates stand in the order of their distances then, so that the rest cannot be closer now as soon as one of them
    less `moves.total` is farther than the closest so far.
    """
    same, other, least, least_other = -1, -1, 1e300, 1e300
    for place in range(first, stop):
        bound = pair.distance[place] - moves.total
        if bound > 0.0 and bound * bound > least:
            break
        k = pair.polygon[place]
        squared = calc_distance_squared(surface, x, k, p)
        if squared < least and (moves.is_own == 0 or is_outside(surface, x, k, p, guide, i, moves)):
            if is_same_side(surface, x, k, guide, i):
                same, least = int(k), squared
            elif squared < least_other:
                other, least_other = int(k), squared
    return same, other if least_other < least else -1


@kernel
def calc_place(surface, x, k, weights):
    """The point of polygon k with these weights."""
    a, b = read_node(x, surface.node[k, 0]), read_node(x, surface.node[k, 1])
    c, d = read_node(x, surface.node[k, 2]), read_node(x, surface.node[k, 3])
    s, t, u, v = weights
    return (
        s * a[0] + t * b[0] + u * c[0] + v * d[0],
        s * a[1] + t * b[1] + u * c[1] + v * d[1],
        s * a[2] + t * b[2] + u * c[2] + v * d[2],
    )


@kernel
def calc_gap(surface, x, k, p, guide, i, step):
    """Gap between point i at p and polygon k, negative behind it; normal out of the surface; the closest point; its
    weights and feature; whether no polygon around it is closer.

    Parameters
    ----------
    guide : of the points, where `i` is that of the point at p
    step : how far points and polygons may have moved since the guide was noted, both ways added
    """
    squared, weights, feature = calc_closest(surface, x, k, p)
    q = calc_place(surface, x, k, weights)
    nx, ny, nz, is_rim, is_least = see_around(surface, x, k, feature, p, q)
    d = calc_difference(p, q)
    distance = sqrt(squared)
    if surface.is_shell:
        along = dot(*d, guide[i, 0], guide[i, 1], guide[i, 2])
        way = guide[i, 3] + distance - SLACK * (abs(guide[i, 3]) + distance)
        sign = -1.0 if along < 0.0 and not is_rim and way <= step else 1.0
        ahead = sign * dot(*d, nx, ny, nz)
        if ahead < 0.0 or (ahead == 0.0 and dot(nx, ny, nz, guide[i, 0], guide[i, 1], guide[i, 2]) < 0.0):
            nx, ny, nz = -nx, -ny, -nz
    else:
        sign = -1.0 if dot(*d, nx, ny, nz) < 0.0 and not is_rim else 1.0
    a, b = read_node(x, surface.node[k, 0]), read_node(x, surface.node[k, 1])
    edge = calc_difference(b, a)
    if squared > TINY * dot(*edge, *edge):
        share = sign / distance
        nx, ny, nz = share * d[0], share * d[1], share * d[2]
    else:
        length = sqrt(dot(nx, ny, nz, nx, ny, nz))
        share = 1.0 / length if length > 0.0 else 0.0
        nx, ny, nz = share * nx, share * ny, share * nz
    return sign * distance, (nx, ny, nz), q, weights, feature, is_least


@kernel
def find_side(surface, x, p, guide, i, pair, first, stop, moves):
    """The polygon that point i at p is next to, -1 for none, and what `calc_gap` says of it; see above, and
    `find_nearest` and `calc_gap` for the arguments."""
    same, other = find_nearest(surface, x, p, guide, i, pair, first, stop, moves)
    k = same if same >= 0 else other
    found = calc_gap(surface, x, max(k, 0), p, guide, i, moves.step)
    lowest = guide[i, 3] - moves.step - SLACK * abs(found[0])
    if same >= 0 and other >= 0 and (found[0] >= 0.0 or found[0] < lowest):
        k = other
        found = calc_gap(surface, x, k, p, guide, i, moves.step)
    return k, found
