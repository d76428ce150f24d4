"""Which polygons points may touch soon: spheres of points against boxes of polygons, and lists that stay valid.

On the way down the tree of spheres each sphere has a *front*: boxes that hold all polygons near it. A sphere takes over
the front of its parent, leaves out what is too far, and opens boxes that are larger than itself with its reach, until
it has no more boxes than there is room for. A sphere whose front is empty is far from the surface with all its points.
Below the smallest spheres, each point descends the boxes of its front by itself, the nearest first. That is a dual
descent of both trees, in which candidates of a point stay together, and the closest one found so far cuts off the rest.

With d the distance of the closest polygon on the side of the point, a polygon at D can be the closest before all has
moved by the skin s only if D <= d + 2 s, and it can touch only if D <= radius + s. So a list has, for each point that
may touch,

    D <= max(d + 2 s, radius + s)                                                               (1)
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.polygon import calc_many_squared
from grouser.kernels.contact.search.side import Moves, find_side, is_outside, is_same_side
from grouser.kernels.contact.search.split import find_members, find_next
from grouser.kernels.contact.search.tables import FRONT

ROUNDING = 1.0 + 1e-9
"""Spheres are larger by that, so that nothing is left out for rounding."""


@kernel(inline=True)
def calc_box_distance(box, i, p):
    """Square of the distance from p to box i."""
    dx = max(box[i, 0] - p[0], p[0] - box[i, 3], 0.0)
    dy = max(box[i, 1] - p[1], p[1] - box[i, 4], 0.0)
    dz = max(box[i, 2] - p[2], p[2] - box[i, 5], 0.0)
    return dx * dx + dy * dy + dz * dz


@kernel(inline=True)
def place_row(meeting, x, i):
    """Row i of x, points or spheres, as it is seen from the surface."""
    px, py, pz = x[i, 0], x[i, 1], x[i, 2]
    R, origin = meeting.R, meeting.origin
    return (
        origin[0] + R[0, 0] * px + R[0, 1] * py + R[0, 2] * pz,
        origin[1] + R[1, 0] * px + R[1, 1] * py + R[1, 2] * pz,
        origin[2] + R[2, 0] * px + R[2, 1] * py + R[2, 2] * pz,
    )


@kernel
def calc_front(box, centre, radius, reach, level, work):
    """Boxes of the front before this level that are nearer to a sphere than the reach, opened. Returns their number."""
    front, leaves = work.front, box.shape[0] // 2
    limit = (radius + reach) * (radius + reach) * ROUNDING
    count = 0
    if level == 0:
        front[0, 0], count = 1, 1
    else:
        for j in range(work.front_count[level - 1]):
            i = front[level - 1, j]
            if calc_box_distance(box, i, centre) <= limit:
                front[level, count] = i
                count += 1
    j = 0
    while j < count:
        i = front[level, j]
        size = max(box[i, 3] - box[i, 0], box[i, 4] - box[i, 1], box[i, 5] - box[i, 2])
        if i >= leaves or size < radius + reach or count == FRONT:
            j += 1
            continue
        is_first = calc_box_distance(box, 2 * i, centre) <= limit
        is_second = calc_box_distance(box, 2 * i + 1, centre) <= limit
        if is_first and is_second:
            front[level, count] = 2 * i + 1
            count += 1
        elif not is_first and not is_second:
            count -= 1
            front[level, j] = front[level, count]
            continue
        front[level, j] = 2 * i if is_first else 2 * i + 1
    work.front_count[level] = count
    return count


@kernel(inline=True)
def is_neighbour(surface, cloud, i, k):
    """Whether polygon k has a node in the neighbourhood of point i."""
    if cloud.near_start.shape[0] == 0:
        return False
    for place in range(cloud.near_start[i], cloud.near_start[i + 1]):
        for c in range(4):
            if surface.node[k, c] == cloud.near[place]:
                return True
    return False


@kernel(inline=True)
def sort_front(box, p, level, work):
    """The front of a level onto the stack, the nearest on top. Returns its height."""
    for j in range(work.front_count[level]):
        i = work.front[level, j]
        far = calc_box_distance(box, i, p)
        place = j
        while place > 0 and work.far[place - 1] < far:
            work.far[place], work.stack[place] = work.far[place - 1], work.stack[place - 1]
            place -= 1
        work.far[place], work.stack[place] = far, i
    return work.front_count[level]


@kernel(inline=True)
def drop_far(first, stop, limit, polygon_out, distance_out):
    """Leave out candidates that are farther than the limit, all of them squares. Returns the new end."""
    kept = first
    for place in range(first, stop):
        if distance_out[place] <= limit:
            polygon_out[kept], distance_out[kept] = polygon_out[place], distance_out[place]
            kept += 1
    return kept


@kernel(inline=True)
def sort_near(first, stop, polygon_out, distance_out):
    """Bring candidates into the order of their distances, of which squares are given."""
    for place in range(first, stop):
        k, far, j = polygon_out[place], distance_out[place], place
        while j > first and distance_out[j - 1] > far:
            polygon_out[j], distance_out[j] = polygon_out[j - 1], distance_out[j - 1]
            j -= 1
        polygon_out[j], distance_out[j] = k, far
    for place in range(first, stop):
        distance_out[place] = sqrt(distance_out[place])


@kernel
def add_near_polygons(meeting, p, i, level, guide, moves, pair_out, work):
    """Append the candidates of point i at p behind those in the list. Returns where they end, and how many found no
    room."""
    surface, x, reach, box = meeting.surface, meeting.x, meeting.reach, meeting.surface.box
    leaves, count = box.shape[0] // 2, surface.node.shape[0]
    polygon_out, distance_out = pair_out.polygon, pair_out.distance
    first = stop = pair_out.count[1]
    capacity, lost = polygon_out.shape[0], 0
    limit = max(reach.radius, reach.depth) + reach.skin
    least = bound = limit * limit * ROUNDING
    top = sort_front(box, p, level, work)
    while top > 0:
        top -= 1
        node = work.stack[top] if work.far[top] <= bound else 0
        while 0 < node < leaves:
            node *= 2
            far, other = calc_box_distance(box, node, p), calc_box_distance(box, node + 1, p)
            if other < far:
                far, other, node = other, far, node + 1
            if other <= bound:
                work.stack[top], work.far[top] = node ^ 1, other
                top += 1
            if far > bound:
                node = 0
        if node == 0:
            continue
        begin, end = (node - leaves) * count // leaves, (node - leaves + 1) * count // leaves
        calc_many_squared(surface, x, begin, end, p, work.lane)
        for k in range(begin, end):
            squared = work.lane[10, k - begin]
            if squared > bound or is_neighbour(surface, meeting.cloud, i, k):
                continue
            if moves.is_own == 1 and not is_outside(surface, x, k, p, guide, i, moves):
                continue
            if stop == capacity:
                stop = drop_far(first, stop, bound, polygon_out, distance_out)
            if stop < capacity:
                polygon_out[stop], distance_out[stop] = k, squared
                stop += 1
            else:
                lost += 1
            if squared < least and is_same_side(surface, x, k, guide, i):
                least = squared
                closest = max(sqrt(least) + 2.0 * reach.skin, reach.radius + reach.skin)  # (1)
                bound = min(bound, closest * closest * ROUNDING)
    return drop_far(first, stop, bound, polygon_out, distance_out), lost


@kernel
def add_point(meeting, i, level, step, guide, pair_out, work):
    """Add point i to the list if it may touch, with its candidates. Returns how much room was missing."""
    reach, first = meeting.reach, pair_out.count[1]
    p = place_row(meeting, meeting.points, i)
    moves = Moves(0.0, step, reach.is_own)
    stop, lost = add_near_polygons(meeting, p, i, level, guide, moves, pair_out, work)
    if lost > 0:
        return lost + stop - first
    if stop == first:
        return 0
    sort_near(first, stop, pair_out.polygon, pair_out.distance)
    k, found = find_side(meeting.surface, meeting.x, p, guide, i, pair_out, first, stop, moves)
    gap, normal = found[0], found[1]
    if k >= 0 and -reach.depth - reach.skin <= gap <= reach.radius + reach.skin:
        place = pair_out.count[0]
        pair_out.point[place], pair_out.start[place + 1] = i, stop
        pair_out.guide[place, 0], pair_out.guide[place, 1], pair_out.guide[place, 2] = normal
        pair_out.guide[place, 3] = gap
        pair_out.count[0], pair_out.count[1] = place + 1, stop
    return 0


@kernel
def note_guides(guide_out, pair_out):
    """Points that are no longer near forget, those that are remember what was found."""
    for place in range(pair_out.count[3]):
        i = pair_out.marked[place]
        for column in range(4):
            guide_out[i, column] = 0.0
    for place in range(pair_out.count[0]):
        i = pair_out.point[place]
        pair_out.marked[place] = i
        for column in range(4):
            guide_out[i, column] = pair_out.guide[place, column]
    pair_out.count[3] = pair_out.count[0]


@kernel
def list_candidates(meeting, step, guide_out, pair_out, work):
    """List the points of a cloud that may touch a surface before all has moved by the skin, each with the polygons that
    it may touch. Returns whether the list had room for all. If not, it is of no use, `pair_out.count[2]` is a capacity
    that is enough, and nothing else has changed (`grow_pair_list`).

    Parameters
    ----------
    meeting : surface and cloud, with trees that fit their positions
    step : how far points and polygons may have moved since the guide was noted, both ways added
    guide_out : (points, 4) what points remember, see `side.py`: as it was, and then as it is. Zeros at first. Where an
        older one is put back, `pair_out` must be that of then, or have all points marked
    pair_out, work : list and scratch
    """
    reach, order, ball = meeting.reach, meeting.cloud.order, meeting.cloud.ball
    count, leaves = order.shape[0], ball.shape[0] // 2
    limit = max(reach.radius, reach.depth) + reach.skin
    pair_out.count[0], pair_out.count[1], pair_out.start[0], lost = 0, 0, 0, 0
    node, level = 1, 0
    while True:
        centre = place_row(meeting, ball, node)
        is_far = calc_front(meeting.surface.box, centre, ball[node, 3], limit, level, work) == 0
        if node < leaves and not is_far:
            node, level = 2 * node, level + 1
            continue
        first, stop = find_members(node, leaves, count)
        for place in range(first, first if is_far else stop):
            lost += add_point(meeting, order[place], level, step, guide_out, pair_out, work)
        node = find_next(node)
        if node == 1:
            break
        while node >> level == 0:
            level -= 1
    pair_out.count[2] = pair_out.count[1] + lost
    if lost == 0:
        note_guides(guide_out, pair_out)
    return lost == 0


@kernel(entry=True)
def find_candidates(meeting, step, guide_out, pair_out, work):
    """`list_candidates` for Python."""
    return list_candidates(meeting, step, guide_out, pair_out, work)
