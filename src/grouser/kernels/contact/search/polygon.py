"""The point of a triangle, or of a quadrilateral, that is closest to a given one.

A triangle a, b, c. With e = b - a, f = c - a, r = p - a, n = e x f, the foot of p on its plane is a + v e + w f with

    v = n.(r x f)/n.n,   w = n.(e x r)/n.n                                                      (1)

If 1 - v - w, v and w are positive, that is the closest point. If not, it is the closest point of the three edges. On
the edge from a to b that is at

    v = e.r/e.e, held between 0 and 1                                                           (2)

A quadrilateral is four triangles, its *facets*: each edge with the middle of the four nodes. So its edges are straight
and it is continuous with its neighbours, triangles as well; nothing depends on which node is the first, as the halves
of a diagonal would; however warped it is, the closest point has a closed form, where that of a bilinear patch has to be
iterated for, and may not be the only one. Weights of the nodes are those of the facet, with a fourth of that of the
middle for each node: they are continuous, add up to one and give the point itself.

Edge i of a polygon leads from node i to the next. Where the closest point lies is its *feature*, 4 kind + number.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.box_tree import find_corner_count
from grouser.kernels.spatial import cross, dot

FACE, EDGE, CORNER, CREASE, CENTRE = 0, 1, 2, 3, 4
"""Kinds of features: facet i, edge i, node i, the line from node i to the middle, the middle."""
FLAT = 1e-16
"""A triangle is a line if n.n is smaller than that, as a share of (e.e)(f.f): all its edges are looked at."""


@kernel(inline=True)
def calc_on_edge(rx, ry, rz, ex, ey, ez):
    """Share of the way along an edge from zero to e, and the square of the distance from r."""
    ee = ex * ex + ey * ey + ez * ez
    share = min(max((rx * ex + ry * ey + rz * ez) / (ee if ee > 0.0 else 1.0), 0.0), 1.0)  # (2)
    dx, dy, dz = rx - share * ex, ry - share * ey, rz - share * ez
    return share, dx * dx + dy * dy + dz * dz


@kernel(inline=True)
def calc_foot(rx, ry, rz, ex, ey, ez, fx, fy, fz):
    """n.n, and it times v and w of (1); and n.r. The first is zero if the triangle is a line."""
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    nn = dot(nx, ny, nz, nx, ny, nz)
    tx, ty, tz = cross(nx, ny, nz, rx, ry, rz)
    v, w = dot(tx, ty, tz, fx, fy, fz), -dot(tx, ty, tz, ex, ey, ez)
    is_flat = nn <= FLAT * dot(ex, ey, ez, ex, ey, ez) * dot(fx, fy, fz, fx, fy, fz)
    return 0.0 if is_flat else nn, v, w, dot(nx, ny, nz, rx, ry, rz)


@kernel(inline=True)
def calc_triangle_squared(p, a, b, c):
    """Square of the distance alone, without branches, which would cost more than the work: the least of those to all
    edges, or that to the plane if the foot is in the triangle."""
    ex, ey, ez = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    fx, fy, fz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    rx, ry, rz = p[0] - a[0], p[1] - a[1], p[2] - a[2]
    nn, v, w, along = calc_foot(rx, ry, rz, ex, ey, ez, fx, fy, fz)
    _, first = calc_on_edge(rx, ry, rz, ex, ey, ez)
    _, second = calc_on_edge(rx, ry, rz, fx, fy, fz)
    _, third = calc_on_edge(rx - ex, ry - ey, rz - ez, fx - ex, fy - ey, fz - ez)
    outside = min(first, second, third)
    inside = along * along / (nn if nn > 0.0 else 1.0)
    return inside if (v > 0.0) & (w > 0.0) & (v + w < nn) else outside


@kernel(inline=True)
def calc_on_triangle(p, a, b, c):
    """Square of the distance, weights of b and c, and the feature: 0 the face; 1, 2, 3 edges ab, bc, ca; 4, 5, 6
    nodes a, b, c."""
    ex, ey, ez = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    fx, fy, fz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    rx, ry, rz = p[0] - a[0], p[1] - a[1], p[2] - a[2]
    nn, v, w, along = calc_foot(rx, ry, rz, ex, ey, ez, fx, fy, fz)
    if v > 0.0 and w > 0.0 and v + w < nn:
        return along * along / nn, v / nn, w / nn, 0
    share, best = calc_on_edge(rx, ry, rz, ex, ey, ez)
    feature, other, least = 4 if share == 0.0 else 5 if share == 1.0 else 1, 0.0, share
    share, found = calc_on_edge(rx, ry, rz, fx, fy, fz)
    if found < best:
        best, least, other, feature = found, 0.0, share, 4 if share == 0.0 else 6 if share == 1.0 else 3
    share, found = calc_on_edge(rx - ex, ry - ey, rz - ez, fx - ex, fy - ey, fz - ez)
    if found < best:
        best, least, other, feature = found, 1.0 - share, share, 5 if share == 0.0 else 6 if share == 1.0 else 2
    return best, least, other, feature


@kernel(inline=True)
def read_node(x, n):
    """Place of node n."""
    return x[n, 0], x[n, 1], x[n, 2]


@kernel(inline=True)
def calc_middle(surface, x, k):
    """Middle of the nodes of quadrilateral k."""
    a, b = read_node(x, surface.node[k, 0]), read_node(x, surface.node[k, 1])
    c, d = read_node(x, surface.node[k, 2]), read_node(x, surface.node[k, 3])
    return (
        0.25 * ((a[0] + b[0]) + (c[0] + d[0])),
        0.25 * ((a[1] + b[1]) + (c[1] + d[1])),
        0.25 * ((a[2] + b[2]) + (c[2] + d[2])),
    )


@kernel(inline=True)
def read_facet(surface, x, k, facet):
    """The three corners of a facet: nodes `facet` and the next, and the middle; or those of a triangle."""
    if find_corner_count(surface, k) == 3:
        node = surface.node
        return read_node(x, node[k, 0]), read_node(x, node[k, 1]), read_node(x, node[k, 2])
    a, b = read_node(x, surface.node[k, facet]), read_node(x, surface.node[k, (facet + 1) & 3])
    return a, b, calc_middle(surface, x, k)


@kernel
def calc_on_quadrilateral(surface, x, k, p):
    """Square of the distance, facet, weights of its b and c, and feature of the facet."""
    middle = calc_middle(surface, x, k)
    best, facet, v, w, feature = 1e300, 0, 0.0, 0.0, 0
    for i in range(4):
        a, b = read_node(x, surface.node[k, i]), read_node(x, surface.node[k, (i + 1) & 3])
        found = calc_on_triangle(p, a, b, middle)
        if found[0] < best:
            best, v, w, feature = found
            facet = i
    return best, facet, v, w, feature


@kernel
def calc_quadrilateral_squared(surface, x, k, p):
    """Square of the distance alone."""
    middle, least = calc_middle(surface, x, k), 1e300
    for i in range(4):
        a, b = read_node(x, surface.node[k, i]), read_node(x, surface.node[k, (i + 1) & 3])
        least = min(least, calc_triangle_squared(p, a, b, middle))
    return least


@kernel(inline=True)
def calc_distance_squared(surface, x, k, p):
    """Square of the distance from p to polygon k."""
    if find_corner_count(surface, k) == 3:
        a, b, c = read_facet(surface, x, k, 0)
        return calc_triangle_squared(p, a, b, c)
    return calc_quadrilateral_squared(surface, x, k, p)


@kernel(inline=True)
def write_facet(a, b, c, lane, lane_work):
    """Corners of a facet, less the point, into a lane."""
    for axis in range(3):
        lane_work[axis, lane], lane_work[3 + axis, lane], lane_work[6 + axis, lane] = a[axis], b[axis], c[axis]


@kernel
def calc_lanes(p, lanes, lane_work):
    """Squares of the distances from p to the triangles in all lanes, a whole number of eights, into row 9."""
    for i in range(lanes):
        a, b = (lane_work[0, i], lane_work[1, i], lane_work[2, i]), (lane_work[3, i], lane_work[4, i], lane_work[5, i])
        lane_work[9, i] = calc_triangle_squared(p, a, b, (lane_work[6, i], lane_work[7, i], lane_work[8, i]))


@kernel
def calc_many_squared(surface, x, first, stop, p, lane_work):
    """Squares of the distances from p to polygons first to stop, a leaf of them, into row 10: as
    `calc_distance_squared`, in lanes of the processor side by side."""
    lane, node = 0, surface.node
    for k in range(first, stop):
        a, b = read_node(x, node[k, 0]), read_node(x, node[k, 1])
        if find_corner_count(surface, k) == 3:
            write_facet(a, b, read_node(x, node[k, 2]), lane, lane_work)
            lane += 1
        else:
            c, d, middle = read_node(x, node[k, 2]), read_node(x, node[k, 3]), calc_middle(surface, x, k)
            write_facet(a, b, middle, lane, lane_work)
            write_facet(b, c, middle, lane + 1, lane_work)
            write_facet(c, d, middle, lane + 2, lane_work)
            write_facet(d, a, middle, lane + 3, lane_work)
            lane += 4
    calc_lanes(p, (lane + 7) // 8 * 8, lane_work)
    lane = 0
    for k in range(first, stop):
        if find_corner_count(surface, k) == 3:
            lane_work[10, k - first] = lane_work[9, lane]
            lane += 1
        else:
            one, other = (
                min(lane_work[9, lane], lane_work[9, lane + 1]),
                min(lane_work[9, lane + 2], lane_work[9, lane + 3]),
            )
            lane_work[10, k - first] = min(one, other)
            lane += 4


@kernel
def calc_closest(surface, x, k, p):
    """Square of the distance, weights of the four nodes, and feature of the point of polygon k that is closest to p."""
    if find_corner_count(surface, k) == 3:
        a, b, c = read_facet(surface, x, k, 0)
        squared, v, w, feature = calc_on_triangle(p, a, b, c)
        if feature > 0:
            feature = 4 * EDGE + feature - 1 if feature < 4 else 4 * CORNER + feature - 4
        return squared, (1.0 - v - w, v, w, 0.0), feature
    squared, facet, v, w, feature = calc_on_quadrilateral(surface, x, k, p)
    following = (facet + 1) & 3
    share = 0.25 * w
    weights = share, share, share, share
    u = 1.0 - v - w
    if facet == 0:
        weights = share + u, share + v, share, share
    elif facet == 1:
        weights = share, share + u, share + v, share
    elif facet == 2:
        weights = share, share, share + u, share + v
    else:
        weights = share + v, share, share, share + u
    if feature == 0:
        found = 4 * FACE + facet
    elif feature == 1:
        found = 4 * EDGE + facet
    elif feature == 2:
        found = 4 * CREASE + following
    elif feature == 3:
        found = 4 * CREASE + facet
    elif feature == 4:
        found = 4 * CORNER + facet
    elif feature == 5:
        found = 4 * CORNER + following
    else:
        found = 4 * CENTRE
    return squared, weights, found
