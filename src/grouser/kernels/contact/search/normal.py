"""Which side of a surface a point is on: normals of faces, edges and nodes, and what surrounds a closest point.

The sign of (p - q).n, with q the closest point of the whole surface, is right for every p if n is the normal of the
face that q lies on, the sum of the unit normals beside an edge, or the sum of the unit normals about a node, each with
the angle of its corner (Baerentzen and Aanaes 2005, `baerentzen2005`). So there are no gaps between the polygons, at
edges that stick out or are hollow. They are made when they are asked for, at the one point where they are needed:
nothing has to be kept up to date while a surface deforms.

An edge with one polygon is part of the rim of an open surface. What is closest to a rim is outside.
"""

from __future__ import annotations

from math import atan2, sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.box_tree import find_corner_count
from grouser.kernels.contact.search.polygon import CENTRE, CORNER, CREASE, EDGE, FACE, read_facet
from grouser.kernels.spatial import cross, dot

LEVEL = 1e-12
"""Slopes below that are none: a share of the squares of the lengths beside it."""


@kernel(inline=True)
def calc_difference(a, b):
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(inline=True)
def calc_polygon_normal(surface, x, k):
    """Normal of polygon k, twice its area long: that of its diagonals, or of a triangle."""
    i, j, n, m = surface.node[k, 0], surface.node[k, 1], surface.node[k, 2], surface.node[k, 3]
    return cross(
        x[n, 0] - x[i, 0],
        x[n, 1] - x[i, 1],
        x[n, 2] - x[i, 2],
        x[m, 0] - x[j, 0],
        x[m, 1] - x[j, 1],
        x[m, 2] - x[j, 2],
    )


@kernel
def see_facet(facet, turn, by_angle, p, q):
    """Part of a facet in the surroundings of its point q: normal, unit or as long as the angle of corner `turn`, and
    whether q is its closest point to p. It is if (p - q).(v - q) <= 0 for all corners v."""
    a, b, c = facet
    if turn == 1:
        a, b, c = b, c, a
    elif turn == 2:
        a, b, c = c, a, b
    e, f = calc_difference(b, a), calc_difference(c, a)
    nx, ny, nz = cross(*e, *f)
    length = sqrt(nx * nx + ny * ny + nz * nz)
    weight = atan2(length, dot(*e, *f)) if by_angle else 1.0
    share = weight / length if length > 0.0 else 0.0
    d = calc_difference(p, q)
    level = LEVEL * (dot(*e, *e) + dot(*f, *f) + dot(*d, *d))
    highest = max(dot(*d, *calc_difference(a, q)), dot(*d, *calc_difference(b, q)), dot(*d, *calc_difference(c, q)))
    return share * nx, share * ny, share * nz, highest <= level


@kernel
def see_inside(surface, x, k, feature, p, q):
    """`see_around` for features inside polygon k, whose facets are all there is."""
    kind, index = feature // 4, feature % 4
    if kind == FACE:
        nx, ny, nz, _ = see_facet(read_facet(surface, x, k, index), 0, False, p, q)
        return nx, ny, nz, False, True
    sx, sy, sz, is_least = 0.0, 0.0, 0.0, True
    for facet in range(4):
        if kind == CREASE and facet != index and facet != (index + 3) & 3:
            continue
        nx, ny, nz, is_own = see_facet(read_facet(surface, x, k, facet), 2, kind == CENTRE, p, q)
        sx, sy, sz, is_least = sx + nx, sy + ny, sz + nz, is_least and is_own
    return sx, sy, sz, False, is_least


@kernel
def see_around(surface, x, k, feature, p, q):
    """Surroundings of a feature of polygon k, on which q lies: normal (not of unit length), whether it is part of a
    rim, and whether q is closest to p in all of its surroundings.

    About a node that is no part of a rim every neighbour is before one polygon and behind another: numbers of
    neighbours cancel each other by the exclusive or.
    """
    kind, index = feature // 4, feature % 4
    if kind not in (EDGE, CORNER):
        return see_inside(surface, x, k, feature, p, q)
    node = surface.node
    n = int(node[k, index])
    m = int(node[k, (index + 1) % find_corner_count(surface, k)])
    sx, sy, sz, is_least, beside, trace = 0.0, 0.0, 0.0, True, 0, 0
    for place in range(surface.ring_start[n], surface.ring_start[n + 1]):
        j = surface.ring[place]
        corners = find_corner_count(surface, j)
        c = 0
        while node[j, c] != n:
            c += 1
        after, before = (c + 1) % corners, (c + corners - 1) % corners
        following, leading = int(node[j, after]), int(node[j, before])
        trace ^= following ^ leading
        # the facets with the edges from n to the next node, and to the one before
        for turn in range(1 if corners == 3 and kind != EDGE else 2):
            if kind == EDGE and (following if turn == 0 else leading) != m:
                continue
            facet = 0 if corners == 3 else (c if turn == 0 else before)
            corner = c if corners == 3 else turn
            nx, ny, nz, is_own = see_facet(read_facet(surface, x, j, facet), corner, kind != EDGE, p, q)
            sx, sy, sz, is_least, beside = sx + nx, sy + ny, sz + nz, is_least and is_own, beside + 1
    is_rim = beside < 2 if kind == EDGE else trace != 0
    return sx, sy, sz, is_rim, is_least
