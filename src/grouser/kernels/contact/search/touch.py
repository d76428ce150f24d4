"""Where points touch, at every step: depth, normal, place and weights of the polygon's nodes.

A point without size touches a surface once, at the closest point: a spring along the depth then has the potential
k d^2/2, and d is continuous over all edges, hollow or not.

A point with a radius touches a hollow corner in several places. If the closest one counted alone, the force would jump
from wall to wall; if all counted in full, a ball that rolls over a hollow edge between nearly parallel faces would be
pushed twice. So with depths d_i, normals n_i and G_ij = max(n_i.n_j, 0), wall i is pushed with the depth l_i of

    sum of G_ij l_j >= d_i,   l_i >= 0,   l_i (sum of G_ij l_j - d_i) = 0                       (1)

Where no two normals are more than a right angle apart, sum of l_i n_i is the shortest way out of all walls: one force
for nearly parallel faces, both in full for walls at right angles. Walls that are turned further, as in a sharp notch,
know nothing of each other: else one of them would push before it is touched. In between all is continuous, and there is
a potential, k/2 times the sum of G_ij l_i l_j, since G is never indefinite.

What counts are places that are closer than all around them; there are three at most. A wall comes and goes without a
jump as long as the ball is less deep than half its radius: before its foot is on the wall, others hold it out.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.candidates import place_row
from grouser.kernels.contact.search.normal import calc_difference
from grouser.kernels.contact.search.polygon import calc_closest
from grouser.kernels.contact.search.side import calc_gap, calc_place, find_side
from grouser.kernels.spatial import dot

MOST = 3
"""Places in which a point touches a surface at the same time."""
LITTLE = 1e-9
"""What has less than that share of the radius to go is out."""
PARALLEL = 1e-6
"""Square of the sine below which two normals are the same, and the like of three."""


@kernel(inline=True)
def add_row(found, point, k, depth, n, touch_out):
    """Write place n of the list."""
    _, normal, q, weights, _, _ = found
    touch_out.point[n], touch_out.polygon[n], touch_out.value[n, 0] = point, k, depth
    for axis in range(3):
        touch_out.value[n, 1 + axis] = normal[axis]
        touch_out.value[n, 4 + axis] = q[axis]
    for corner in range(4):
        touch_out.value[n, 7 + corner] = weights[corner]


@kernel(inline=True)
def read_normal(value, n):
    """Normal of place n."""
    return value[n, 1], value[n, 2], value[n, 3]


@kernel
def solve_three(a, b, c, d):
    """Shares l of three normals with a = G_01, b = G_02, c = G_12, for depths d, by Cramer's rule; negative ones if the
    normals lie in a plane."""
    det = 1.0 + 2.0 * a * b * c - a * a - b * b - c * c
    if det < PARALLEL:
        return -1.0, -1.0, -1.0
    s = (1.0 - c * c) * d[0] + (b * c - a) * d[1] + (a * c - b) * d[2]
    t = (b * c - a) * d[0] + (1.0 - b * b) * d[1] + (a * b - c) * d[2]
    u = (a * c - b) * d[0] + (a * b - c) * d[1] + (1.0 - a * a) * d[2]
    return s / det, t / det, u / det


@kernel
def solve_two(a, d):
    """Shares of two normals with a = G_01; negative ones if they are parallel."""
    det = 1.0 - a * a
    if det < PARALLEL:
        return -1.0, -1.0
    return (d[0] - a * d[1]) / det, (d[1] - a * d[0]) / det


@kernel
def find_shares(d, a, b, c, level):
    """Shares l of (1) for three normals, by trial of all sets: one, two, three. Depths d are -1 where there is no
    normal."""
    if a * d[0] >= d[1] - level and b * d[0] >= d[2] - level:
        return d[0], 0.0, 0.0
    if a * d[1] >= d[0] - level and c * d[1] >= d[2] - level:
        return 0.0, d[1], 0.0
    if b * d[2] >= d[0] - level and c * d[2] >= d[1] - level:
        return 0.0, 0.0, d[2]
    s, t = solve_two(a, (d[0], d[1]))
    if s >= 0.0 and t >= 0.0 and b * s + c * t >= d[2] - level:
        return s, t, 0.0
    s, t = solve_two(b, (d[0], d[2]))
    if s >= 0.0 and t >= 0.0 and a * s + c * t >= d[1] - level:
        return s, 0.0, t
    s, t = solve_two(c, (d[1], d[2]))
    if s >= 0.0 and t >= 0.0 and a * s + b * t >= d[0] - level:
        return 0.0, s, t
    return solve_three(a, b, c, d)


@kernel(inline=True)
def calc_shares(n, count, level, touch_out):
    """Shares of the places from n on, of which there are `count`."""
    value = touch_out.value
    m0 = read_normal(value, n)
    m1 = read_normal(value, n + 1) if count > 1 else (0.0, 0.0, 0.0)
    m2 = read_normal(value, n + 2) if count > 2 else (0.0, 0.0, 0.0)
    d = value[n, 0], value[n + 1, 0] if count > 1 else -1.0, value[n + 2, 0] if count > 2 else -1.0
    a, b, c = max(dot(*m0, *m1), 0.0), max(dot(*m0, *m2), 0.0), max(dot(*m1, *m2), 0.0)
    return find_shares(d, a, b, c, level)


@kernel(inline=True)
def calc_held(normal, n, shares, touch_out):
    """How far the places from n on hold a point out along a normal: sum of G_ij l_j. Shares of places that are none are
    zero."""
    held = 0.0
    for j in range(MOST):
        if shares[j] > 0.0:
            held += shares[j] * max(dot(*normal, *read_normal(touch_out.value, n + j)), 0.0)
    return held


@kernel
def find_deepest(meeting, p, i, guide, pair, place, moves, n, shares, touch_out):
    """The candidate that a point, held out by the places from n on, still touches the deepest; -1 if it touches none.
    Only places count that are closer than all around them, and seen from outside."""
    surface, x, radius = meeting.surface, meeting.x, meeting.reach.radius
    first, stop = pair.start[place], pair.start[place + 1]
    best, deepest = -1, LITTLE * radius
    for candidate in range(first, stop):
        if pair.distance[candidate] - moves.total >= radius:
            break
        k = pair.polygon[candidate]
        squared, weights, _ = calc_closest(surface, x, k, p)
        distance = sqrt(squared)
        if distance >= radius:
            continue
        away = calc_difference(p, calc_place(surface, x, k, weights))
        if (radius - distance - deepest) * distance <= calc_held(away, n, shares, touch_out):
            continue
        found = calc_gap(surface, x, k, p, guide, i, moves.step)
        depth = radius - found[0] - calc_held(found[1], n, shares, touch_out)
        if found[0] > 0.0 and found[5] and depth > deepest:
            best, deepest = int(k), depth
    return best


@kernel
def add_corner(meeting, p, i, guide, pair, place, moves, n, touch_out):
    """Complete the touch of point i at p, whose closest place is number n of the list, by the walls of a hollow corner;
    depths become the shares of (1). `place` is that of the point in the list of candidates. Returns the new length."""
    value, level = touch_out.value, LITTLE * meeting.reach.radius
    shares, count = (value[n, 0], 0.0, 0.0), 1
    for _ in range(2 * MOST):
        k = find_deepest(meeting, p, i, guide, pair, place, moves, n, shares, touch_out)
        row = count
        if count == MOST:
            row = 0 if shares[0] == 0.0 else 1 if shares[1] == 0.0 else 2 if shares[2] == 0.0 else MOST
        if k < 0 or row == MOST:
            break
        found = calc_gap(meeting.surface, meeting.x, k, p, guide, i, moves.step)
        add_row(found, i, k, meeting.reach.radius - found[0], n + row, touch_out)
        count = max(count, row + 1)
        shares = calc_shares(n, count, level, touch_out)
    for row in range(count):
        value[n + row, 0] = shares[row]
    return drop_idle(n, n + count, touch_out)


@kernel(inline=True)
def drop_idle(first, stop, touch_out):
    """Leave out places without depth. Returns the new length."""
    kept = first
    for n in range(first, stop):
        if touch_out.value[n, 0] > 0.0:
            touch_out.point[kept], touch_out.polygon[kept] = touch_out.point[n], touch_out.polygon[n]
            for column in range(touch_out.value.shape[1]):
                touch_out.value[kept, column] = touch_out.value[n, column]
            kept += 1
    return kept


@kernel
def list_touches(meeting, pair, moves, guide, guide_out, touch_out):
    """All places where listed points touch. Returns whether the list had room for them; else `touch_out.count[1]` is a
    capacity that is enough.

    Parameters
    ----------
    meeting : surface and cloud as they are now; their trees are not looked at
    pair : list of candidates that is still valid
    moves : how far all has moved
    guide, guide_out : (points, 4) what points remember, and what they will; those that are not listed are left as they
        are
    touch_out : places where points touch
    """
    radius, capacity = meeting.reach.radius, touch_out.point.shape[0]
    n = missing = 0
    for place in range(pair.count[0]):
        i, first, stop = pair.point[place], pair.start[place], pair.start[place + 1]
        p = place_row(meeting, meeting.points, i)
        k, found = find_side(meeting.surface, meeting.x, p, guide, i, pair, first, stop, moves)
        if k < 0:
            guide_out[i, 0] = guide_out[i, 1] = guide_out[i, 2] = guide_out[i, 3] = 0.0
            continue
        gap, normal = found[0], found[1]
        if gap < radius:
            if n + MOST > capacity:
                missing += MOST
            else:
                add_row(found, i, k, radius - gap, n, touch_out)
                n = add_corner(meeting, p, i, guide, pair, place, moves, n, touch_out) if gap > 0.0 else n + 1
        guide_out[i, 0], guide_out[i, 1], guide_out[i, 2], guide_out[i, 3] = normal[0], normal[1], normal[2], gap
    touch_out.count[0], touch_out.count[1] = n, n + missing + MOST
    return missing == 0


@kernel(entry=True)
def find_touches(meeting, pair, moves, guide, guide_out, touch_out):
    """`list_touches` for Python."""
    return list_touches(meeting, pair, moves, guide, guide_out, touch_out)


@kernel(entry=True)
def find_gaps(meeting, pair, moves, guide, gap_out, polygon_out):
    """Gap of each listed point and the polygon that it is next to, whether it touches or not; see `find_touches`."""
    for place in range(pair.count[0]):
        i, first, stop = pair.point[place], pair.start[place], pair.start[place + 1]
        p = place_row(meeting, meeting.points, i)
        k, found = find_side(meeting.surface, meeting.x, p, guide, i, pair, first, stop, moves)
        gap_out[place], polygon_out[place] = found[0], k
