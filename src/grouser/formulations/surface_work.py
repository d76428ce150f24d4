"""Scratch of surfaces in contact: records for compiled code from what is known of them, and lists that grow."""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.compile.surface import Meeting, SheetRows, Surfaces
from grouser.kernels.contact.search.tables import (
    Reach,
    grow_pair_list,
    make_cloud,
    make_pair_list,
    make_search_work,
    make_surface,
    make_touch_list,
)
from grouser.kernels.contact.search.touch import MOST
from grouser.kernels.contact.surface.tables import Encounter, Sheet

INDEX = np.uint32
CANDIDATES = 4
"""Places for candidates of each point that a list begins with."""


def make_sheets(surfaces: Surfaces) -> list[Any]:
    """One for each surface behind a pattern; rigid ones share what never changes."""
    return [_make_pattern_sheet(), *(_make_sheet(rows) for rows in surfaces.sheets)]


def _make_pattern_sheet() -> Any:
    nothing = np.zeros((1, 3))
    polygons = np.zeros((1, 4), dtype=INDEX)
    surface, cloud = make_surface(polygons, 1), make_cloud(1)
    index, corner = np.zeros(0, dtype=INDEX), np.zeros((0, 4), dtype=INDEX)
    return Sheet(
        0, 0, nothing, index, nothing, corner, np.zeros((0, 4)), np.zeros(1), surface, polygons, cloud,
        np.zeros(2), nothing, index,
    )  # fmt: skip


def _make_sheet(rows: SheetRows) -> Any:
    """A sheet with copies of what changes."""

    def take(array: np.ndarray) -> np.ndarray:
        return array.copy() if rows.is_deforming else array

    surface = rows.surface._replace(
        **{name: take(getattr(rows.surface, name)) for name in ("node", "order", "box", "ring_start", "ring")}
    )
    cloud = rows.cloud._replace(ball=take(rows.cloud.ball))
    size = len(rows.polygons) if rows.is_deforming else 0
    return Sheet(
        body=rows.body,
        is_deforming=int(rows.is_deforming),
        x=take(rows.x),
        node_row=rows.node_row,
        points=take(rows.points),
        corner=rows.corner,
        weight=rows.weight,
        area=rows.area,
        surface=surface,
        first_node=rows.polygons,
        cloud=cloud,
        cost=np.zeros(2),
        centre=np.zeros((size, 3)),
        index=np.zeros(size if rows.has_polygons else 0, dtype=INDEX),
    )


def make_encounters(surfaces: Surfaces, sheets: list[Any]) -> list[Any]:
    """One for each pair of surfaces that may meet, behind a pattern."""
    pattern = Meeting(0, 0, 0, False, 1.0, 1.0, 0.0, 1, True, Reach(0.0, 1.0, 1.0, 0), 0, None)
    made = [_make_encounter(pattern, sheets[0], sheets[0], 0, 0)]
    for meeting in surfaces.meetings:
        a, b = meeting.a + 1, meeting.b + 1
        made.append(_make_encounter(meeting, sheets[a], sheets[b], a, b))
    return made


def _make_encounter(meeting: Meeting, a: Any, b: Any, number_a: int, number_b: int) -> Any:
    count, touches = len(a.points), len(a.points) * meeting.items + MOST
    cloud = a.cloud
    if meeting.near is not None:
        cloud = cloud._replace(near_start=meeting.near[0], near=meeting.near[1])
    fields: dict[str, Any] = dict(  # noqa: C408
        surface=b.surface,
        x=b.x,
        cloud=cloud,
        points=a.points,
        origin=np.zeros(3),
        R=np.eye(3),
        reach=meeting.reach,
        a=number_a,
        b=number_b,
        group=meeting.group,
        is_ground=int(meeting.is_ground),
        is_own=int(number_a == number_b),
        sign=meeting.sign,
        share=meeting.share,
        bound=meeting.bound,
        first=meeting.first,
        items=meeting.items,
        is_material=int(meeting.is_material),
        pair=make_pair_list(count, CANDIDATES * count + 64),
        touch=make_touch_list(touches),
        search=make_search_work(cloud),
        guide=np.zeros((count, 4)),
        base=np.zeros((touches, 2)),
        is_listed=np.zeros(1, dtype=np.int64),
        needed=np.zeros(1, dtype=np.int64),
        moved=np.zeros(4),
        seen_origin=np.zeros(3),
        seen_R=np.eye(3),
        seen_points=np.zeros((count if a.is_deforming else 0, 3)),
        seen_x=np.zeros((len(b.x) if b.is_deforming else 0, 3)),
    )
    return Encounter(**fields)


def forget_searches(work: Any) -> None:
    """All lists and trees are to be made anew: so a run does not depend on what was before a call of compiled code."""
    for sheet in work.sheet:
        sheet.cost[:] = 0.0
        if sheet.is_deforming:  # trees are built in the order in which polygons stand
            sheet.surface.node[:] = sheet.first_node
            sheet.surface.order[:] = np.arange(len(sheet.first_node))
    for encounter in work.encounter:
        encounter.is_listed[0] = 0


def grow_lists(encounters: list[Any]) -> list[Any] | None:
    """Encounters with longer lists where candidates found no room; None if all of them had room."""
    if not any(one.needed[0] for one in encounters):
        return None
    grown = []
    for one in encounters:
        pair = one.pair
        if one.needed[0]:
            pair.count[2] = one.needed[0]
            pair = grow_pair_list(pair)
            one.needed[0] = 0
        grown.append(one._replace(pair=pair))
    return grown
