"""Anchors of friction that travel with the surface that they lie on.

On a rigid surface an anchor is kept in the frame of the body. On a deforming one it is kept as a material place: a
polygon, and weights of its nodes. With the place q of the contact, which has the weights w, and two directions along
the polygon

    e = (b + c - a - d)/2,   f = (c + d - a - b)/2      (quadrilateral a b c d)
    e = b - a,               f = c - a                  (triangle a b c)                  (1)

and its unit normal n, an anchor o beside it is at q + alpha e + beta f + h n, with the weights

    w + alpha/2 (-1, 1, 1, -1) + beta/2 (-1, -1, 1, 1)   or   w + alpha (-1, 1, 0) + beta (-1, 0, 1)      (2)

They add up to one and may be negative: the polygon is drawn on. The height h counts at edges, where what is across the
one polygon is along the other. An anchor that holds is not touched, so it does not wander by rounding however long it
holds.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.polygon import read_node
from grouser.kernels.spatial import cross, dot, rotate, rotate_back


@kernel(inline=True)
def find_anchor_node(b, k, c):
    """Vertex c of polygon k, by its first number."""
    return b.first_node[k, c]


@kernel(inline=True)
def calc_directions(b, k):
    """e and f of (1), and the unit normal of the polygon."""
    p0, p1 = read_node(b.x, find_anchor_node(b, k, 0)), read_node(b.x, find_anchor_node(b, k, 1))
    p2, p3 = read_node(b.x, find_anchor_node(b, k, 2)), read_node(b.x, find_anchor_node(b, k, 3))
    is_triangle = b.first_node[k, 3] == b.first_node[k, 2]
    s = 1.0 if is_triangle else 0.5
    t = 0.0 if is_triangle else 0.5
    ex = s * (p1[0] - p0[0]) + t * (p2[0] - p3[0])
    ey = s * (p1[1] - p0[1]) + t * (p2[1] - p3[1])
    ez = s * (p1[2] - p0[2]) + t * (p2[2] - p3[2])
    fx = s * (p2[0] - p0[0]) + t * (p3[0] - p1[0])
    fy = s * (p2[1] - p0[1]) + t * (p3[1] - p1[1])
    fz = s * (p2[2] - p0[2]) + t * (p3[2] - p1[2])
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    nn = dot(nx, ny, nz, nx, ny, nz)
    share = 1.0 / sqrt(nn) if nn > 0.0 else 0.0
    return (ex, ey, ez), (fx, fy, fz), (share * nx, share * ny, share * nz), is_triangle


@kernel(inline=True)
def calc_weighted(b, k, w):
    """The place with four weights on polygon k, by its first number."""
    sx = sy = sz = 0.0
    for c in range(4):
        x, y, z = read_node(b.x, find_anchor_node(b, k, c))
        sx, sy, sz = sx + w[c] * x, sy + w[c] * y, sz + w[c] * z
    return sx, sy, sz


@kernel
def place_anchor(b, anchor, row, view):
    """Where the anchor in a row of memory is in the world."""
    if b.is_deforming == 0:
        x = view.x[b.body]
        ox, oy, oz = rotate(view.R, b.body, anchor[row, 0], anchor[row, 1], anchor[row, 2])
        return x[0] + ox, x[1] + oy, x[2] + oz
    k, h = int(anchor[row + 1, 0]), anchor[row + 1, 1]
    rest = 1.0 - anchor[row, 0] - anchor[row, 1] - anchor[row, 2]
    sx, sy, sz = calc_weighted(b, k, (anchor[row, 0], anchor[row, 1], anchor[row, 2], rest))
    _, _, n, _ = calc_directions(b, k)
    return sx + h * n[0], sy + h * n[1], sz + h * n[2]


@kernel
def calc_material(b, k, w, o):
    """(2): three of the four weights of place o beside polygon k, by its first number, from those of a place nearby;
    and how far off it is along the normal."""
    e, f, n, is_triangle = calc_directions(b, k)
    qx, qy, qz = calc_weighted(b, k, w)
    dx, dy, dz = o[0] - qx, o[1] - qy, o[2] - qz
    ee, ef, ff = dot(*e, *e), dot(*e, *f), dot(*f, *f)
    de, df = dot(dx, dy, dz, *e), dot(dx, dy, dz, *f)
    det = ee * ff - ef * ef
    share = 1.0 / det if det > 0.0 else 0.0
    alpha, beta = share * (de * ff - df * ef), share * (df * ee - de * ef)
    h = dot(dx, dy, dz, *n)
    if is_triangle:
        return w[0] - alpha - beta, w[1] + alpha, w[2] + beta, h
    return w[0] - 0.5 * (alpha + beta), w[1] + 0.5 * (alpha - beta), w[2] + 0.5 * (alpha + beta), h


@kernel
def keep_anchor(b, k, w, o, row, view, anchor_out):
    """Keep place o of the world, near the place with weights w on polygon k of the tree, in a row of memory."""
    if b.is_deforming == 0:
        x = view.x[b.body]
        ox, oy, oz = rotate_back(view.R, b.body, o[0] - x[0], o[1] - x[1], o[2] - x[2])
        anchor_out[row, 0], anchor_out[row, 1], anchor_out[row, 2] = ox, oy, oz
    else:
        first = b.surface.order[k]
        u0, u1, u2, h = calc_material(b, first, w, o)
        anchor_out[row, 0], anchor_out[row, 1], anchor_out[row, 2] = u0, u1, u2
        anchor_out[row + 1, 0], anchor_out[row + 1, 1] = first, h
