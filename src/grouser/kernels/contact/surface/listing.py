"""When surfaces are searched, and where their points touch at a state.

A list of candidates holds until points and polygons have moved by the skin, and one that is empty until what is nearest
could have come that near. So most evaluations only ask how far all has moved.

Rigid bodies whose balls are apart are not asked even that. Their points remember nothing then, as those of an empty
list, which is what they have as soon as they are asked again.

A list that is too short counts as none, and says how long it has to be (`Encounter.needed`): what calls compiled code
makes it longer, and the frame is made again.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.box_tree import fit_boxes, order_boxes
from grouser.kernels.contact.search.candidates import list_candidates
from grouser.kernels.contact.search.side import Moves
from grouser.kernels.contact.search.sphere_tree import fit_balls
from grouser.kernels.contact.search.touch import list_touches
from grouser.kernels.contact.surface.place import (
    calc_clearance,
    calc_closing_speed,
    calc_moved,
    find_point,
    keep_places,
    place_frames,
    place_sheet,
    turn_out,
)
from grouser.kernels.contact.surface.tables import ANCHOR_ROWS, GUIDE_ROWS
from grouser.kernels.spatial import dot, rotate

LOOSENED = 2.0
"""Cost of a refitted tree beside that of a new one, from which on it is built anew."""


@kernel(inline=True)
def find_memory(meeting, i):
    """First row of memory of point i."""
    return meeting.first + (GUIDE_ROWS + ANCHOR_ROWS * meeting.items) * i


@kernel(inline=True)
def read_guide(meeting_work, i, memory):
    """Guide of point i as it was committed, zeros if it was far."""
    anchor, stamp, valid, _ = memory
    row, guide = find_memory(meeting_work, i), meeting_work.guide[i]
    if stamp[row] == valid:
        guide[0], guide[1], guide[2], guide[3] = anchor[row, 0], anchor[row, 1], anchor[row, 2], anchor[row + 1, 0]
    else:
        guide[0] = guide[1] = guide[2] = guide[3] = 0.0


@kernel
def fit_sheet(sheet_work):
    """Trees of a deforming surface to where it is."""
    cost, surface = sheet_work.cost, sheet_work.surface
    if sheet_work.index.shape[0] > 0:
        cost[1] = 0.0 if cost[0] == 0.0 else fit_boxes(surface, sheet_work.x)
        if cost[0] == 0.0 or cost[1] > LOOSENED * cost[0]:
            cost[0] = order_boxes(surface, sheet_work.x, sheet_work.centre, sheet_work.index)
    if sheet_work.points.shape[0] > 0:
        fit_balls(sheet_work.cloud, sheet_work.points)


@kernel
def search_meeting(a, b, memory, meeting_work):
    """Make the list of candidates anew."""
    meeting = meeting_work
    if a.is_deforming == 1:
        fit_sheet(a)
    if b.is_deforming == 1 and meeting.is_own == 0:
        fit_sheet(b)
    reach, pair = meeting.reach, meeting.pair
    clearance = calc_clearance(meeting) - max(reach.radius, reach.depth)
    meeting.moved[1] = max(reach.skin, clearance)
    if clearance > reach.skin:
        pair.count[0] = pair.count[1] = 0
    else:
        for i in range(meeting.guide.shape[0]):
            read_guide(meeting, i, memory)
        pair.count[3] = 0
        if not list_candidates(meeting, reach.skin, meeting.guide, pair, meeting.search):
            meeting.needed[0] = max(meeting.needed[0], pair.count[2])
            pair.count[0] = pair.count[1] = 0
    keep_places(a, b, meeting)
    meeting.is_listed[0] = 1


@kernel(inline=True)
def keep_bases(a, b, view, meeting_work):
    """Distances along the normals, and depths, of what touches."""
    touch, base = meeting_work.touch, meeting_work.base
    for n in range(touch.count[0]):
        value = touch.value[n]
        px, py, pz = find_point(a, touch.point[n], view)
        nx, ny, nz = turn_out(b, view.R, value[1], value[2], value[3])
        qx, qy, qz = rotate(view.R, b.body, value[4], value[5], value[6])
        x = view.x[b.body]
        base[n, 0] = dot(px - x[0] - qx, py - x[1] - qy, pz - x[2] - qz, nx, ny, nz)
        base[n, 1] = value[0]


@kernel
def find_meeting_touches(a, b, view, memory, meeting_work):
    """Where the points of one sheet touch the polygons of another."""
    meeting, reach = meeting_work, meeting_work.reach
    place_frames(a, b, view, meeting)
    moved = calc_moved(a, b, meeting) if meeting.is_listed[0] == 1 else 0.0
    if meeting.is_listed[0] == 0 or not moved <= meeting.moved[1]:
        search_meeting(a, b, memory, meeting)
        moved = 0.0
    meeting.touch.count[0] = 0
    pair, dt = meeting.pair, memory[3]
    if pair.count[0] > 0:
        for place in range(pair.count[0]):
            read_guide(meeting, pair.point[place], memory)
        step = 2.0 * dt * calc_closing_speed(a, b, view, meeting) if dt > 0.0 else reach.skin
        list_touches(meeting, pair, Moves(moved, step, reach.is_own), meeting.guide, meeting.guide, meeting.touch)
        keep_bases(a, b, view, meeting)


@kernel(stage=True, rows="encounter.group")
def place_sheets(encounter, view, work):
    """Deforming surfaces are where their nodes are."""
    for s in range(encounter.deforming.shape[0]):
        place_sheet(work.sheet[encounter.deforming[s]], view.x)


@kernel(stage=True, rows="encounter.group")
def find_surface_touches(encounter, view, memory, work):
    """Where points of surfaces touch the polygons of others, at the places of `view`; lists are made where they are
    due. Bodies that are too far from each other are not asked. `work.met` has the number of the other encounters, and
    behind it which ones they are."""
    x, met, count = view.x, work.met, 0
    for m in range(encounter.group.shape[0]):
        a, b = encounter.body_a[m], encounter.body_b[m]
        dx, dy, dz = x[a, 0] - x[b, 0], x[a, 1] - x[b, 1], x[a, 2] - x[b, 2]
        if dx * dx + dy * dy + dz * dz <= encounter.apart[m] * encounter.apart[m]:
            count += 1
            met[count] = m
    met[0] = count
    for n in range(count):
        meeting = work.encounter[met[n + 1] + 1]
        find_meeting_touches(work.sheet[meeting.a], work.sheet[meeting.b], view, memory, meeting)
