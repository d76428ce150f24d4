"""Where surfaces are, and how far they have moved since they were searched.

Seen from the frame of the surface b, the points of a body a are at

    p_b = o + R p_a,   R = R_b^T R_a,   o = R_b^T (x_a - x_b)                             (1)

A deforming surface lies in the world's frame. With the radius r of a ball about the origin of a that holds all points,
none of them has moved, since it was at o_0 and R_0, by more than

    |o - o_0| + r |R - R_0|/sqrt(2)                                                       (2)

in Frobenius' norm; nodes of deforming surfaces are looked at one by one. So a list of candidates is as good as the
relative motion of both is small, however fast they move together, and whichever integrator has moved them.
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.candidates import calc_box_distance, place_row
from grouser.kernels.spatial import rotate, rotate_back


@kernel
def place_sheet(sheet_work, x):
    """Vertices and contact points of a deforming surface, from the nodes x."""
    vertex, points, row = sheet_work.x, sheet_work.points, sheet_work.node_row
    corner, weight = sheet_work.corner, sheet_work.weight
    for i in range(row.shape[0]):
        for c in range(3):
            vertex[i, c] = x[row[i], c]
    for i in range(corner.shape[0]):
        for c in range(3):
            total = 0.0
            for k in range(corner.shape[1]):
                total += weight[i, k] * vertex[corner[i, k], c]
            points[i, c] = total


@kernel
def place_frames(a, b, view, meeting_work):
    """(1)"""
    x, R, origin, turn = view.x, view.R, meeting_work.origin, meeting_work.R
    i, j = a.body, b.body
    o = rotate_back(R, j, x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2])
    for c in range(3):
        origin[c] = o[c]
        column = rotate_back(R, j, R[i, 0, c], R[i, 1, c], R[i, 2, c])
        turn[0, c], turn[1, c], turn[2, c] = column


@kernel(inline=True)
def calc_largest_step(x, seen):
    """Largest distance of two rows of the same number."""
    largest = 0.0
    for i in range(x.shape[0]):
        dx, dy, dz = x[i, 0] - seen[i, 0], x[i, 1] - seen[i, 1], x[i, 2] - seen[i, 2]
        largest = max(largest, dx * dx + dy * dy + dz * dz)
    return sqrt(largest)


@kernel
def calc_moved(a, b, meeting):
    """How far points and polygons have moved at most since they were searched, both ways added (2) [m]."""
    moved = way = turn = 0.0
    if a.is_deforming == 1:
        for i in range(meeting.points.shape[0]):
            px, py, pz = place_row(meeting, meeting.points, i)
            seen = meeting.seen_points[i]
            dx, dy, dz = px - seen[0], py - seen[1], pz - seen[2]
            way = max(way, dx * dx + dy * dy + dz * dz)
        moved = sqrt(way)
    else:
        for c in range(3):
            way += (meeting.origin[c] - meeting.seen_origin[c]) ** 2
            for d in range(3):
                turn += (meeting.R[c, d] - meeting.seen_R[c, d]) ** 2
        moved = sqrt(way) + meeting.bound * sqrt(0.5 * turn)
    if b.is_deforming == 1:
        moved += calc_largest_step(meeting.x, meeting.seen_x)
    return moved


@kernel
def keep_places(a, b, meeting_work):
    """These are the places at which all was searched."""
    for c in range(3):
        meeting_work.seen_origin[c] = meeting_work.origin[c]
        for d in range(3):
            meeting_work.seen_R[c, d] = meeting_work.R[c, d]
    if a.is_deforming == 1:
        for i in range(meeting_work.points.shape[0]):
            seen = meeting_work.seen_points[i]
            seen[0], seen[1], seen[2] = place_row(meeting_work, meeting_work.points, i)
    if b.is_deforming == 1:
        for i in range(meeting_work.x.shape[0]):
            for c in range(3):
                meeting_work.seen_x[i, c] = meeting_work.x[i, c]


@kernel
def calc_clearance(meeting):
    """Distance of the ball about all points from the box about all polygons [m]; negative where they meet."""
    ball, box = meeting.cloud.ball, meeting.surface.box
    return sqrt(calc_box_distance(box, 1, place_row(meeting, ball, 1))) - ball[1, 3]


@kernel(inline=True)
def calc_sheet_speed(sheet, view):
    """Largest speed of the nodes of a deforming surface [m/s]."""
    fastest = 0.0
    for i in range(sheet.node_row.shape[0]):
        v = view.v[sheet.node_row[i]]
        fastest = max(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return sqrt(fastest)


@kernel
def calc_closing_speed(a, b, view, meeting):
    """Largest speed of points seen from the polygons, or more [m/s]."""
    i, j, v, w = a.body, b.body, view.v, view.w_world
    way = turn = spin = 0.0
    for c in range(3):
        way += (v[i, c] - v[j, c]) ** 2
        turn += (w[i, c] - w[j, c]) ** 2
        spin += w[j, c] ** 2
    if a.is_deforming == 1:
        ox, oy, oz = place_row(meeting, meeting.cloud.ball, 1)
        far = sqrt(ox * ox + oy * oy + oz * oz) + meeting.cloud.ball[1, 3] + meeting.reach.skin
        speed = sqrt(way) + sqrt(spin) * far + calc_sheet_speed(a, view)
    else:
        ox, oy, oz = meeting.origin[0], meeting.origin[1], meeting.origin[2]
        speed = sqrt(way) + sqrt(turn) * meeting.bound + sqrt(spin * (ox * ox + oy * oy + oz * oz))
    if b.is_deforming == 1:
        speed += calc_sheet_speed(b, view)
    return speed


@kernel(inline=True)
def turn_out(b, R, x, y, z):
    """A direction from the frame of a surface to the world's axes."""
    return rotate(R, b.body, x, y, z)


@kernel
def find_point(a, i, view):
    """Contact point i in the world."""
    p = a.points[i]
    if a.is_deforming == 1:
        return p[0], p[1], p[2]
    x = view.x[a.body]
    px, py, pz = rotate(view.R, a.body, p[0], p[1], p[2])
    return x[0] + px, x[1] + py, x[2] + pz
