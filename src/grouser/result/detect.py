"""Detectors: what went wrong in a run, from the stored motion alone.

A detector sees the frames that were stored, so what comes and goes between two frames is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.mesh.make import make_mesh_data
from grouser.model.contact import TERRAIN, Pin, Plate, Sprocket, Toothed
from grouser.model.mesh import RingMesh
from grouser.model.model import Track
from grouser.result.nodes import read_nodes
from grouser.result.result import Array, Event, Result

Bools = NDArray[np.bool_]

LOST_CONTACT_TIME = 0.1
"""A track without ground contact for longer than this is reported [s]."""
BROKEN_SHARE = 0.25
"""A pin that is open by more than this share of the pitch is broken."""
JUMP_SHARE = 0.6
"""A pin has left its gap when it is further than this from the middle of the gap, in gaps; half a gap is
the tip of the tooth."""
JUMP_PAUSE = 0.1
"""Pins that jump within this time of each other are one event [s]."""


def find_events(result: Result) -> list[Event]:
    """Everything that the detectors find on the tracks of a result, by time."""
    if len(result.time) == 0:
        return []
    # the last frames of a run that diverged may hold anything
    with np.errstate(all="ignore"):
        events = [
            event
            for name, track in result.model.tracks.items()
            for find in (find_detracking, find_tooth_jumps, find_lost_contact, find_broken_links)
            for event in find(result, name, track)
        ]
    return sorted(events, key=lambda event: event.time)


def find_detracking(result: Result, name: str, track: Track) -> list[Event]:
    """The first link that left the wheels sideways.

    A link is thrown when its lateral offset has changed by more than half the width of its widest plate
    since the first frame, that is when the middle of the wheels has left the surface on which they roll.
    The offset is taken in the main body's frame, in which wheels keep their place whatever the vehicle
    does. A link without a plate is judged by half the pitch.
    """
    if not _has_motion(result):
        return []
    if track.chain is not None:
        return _find_thrown_chain(result, name, track)
    width = dict.fromkeys(track.links, 0.0)
    for shape in result.model.shapes.values():
        if isinstance(shape, Plate) and shape.body in width:
            width[shape.body] = max(width[shape.body], shape.width)
    limit = np.array([0.5 * (width[link] or track.pitch) for link in track.links])
    start = _calc_lateral(result.with_frames(slice(0, 1)), track)[0]
    offsets = ((part, np.abs(_calc_lateral(part, track) - start)) for part in result.split_frames())
    first = _find_first((part, offset, offset > limit) for part, offset in offsets)
    if first is None:
        return []
    link = track.links[first.item]
    return [
        Event(
            first.time,
            "detracking",
            link,
            f"track {name!r} left its wheels: link {link!r} lies {first.value:.3f} m beside its "
            f"place (limit {limit[first.item]:.3f} m); {first.items} links in all",
        )
    ]


def _find_thrown_chain(result: Result, name: str, track: Track) -> list[Event]:
    """The same of links that are pieces of a mesh, seen from the places of their pins."""
    chain = str(track.chain)
    mesh = result.model.meshes[chain]
    assert isinstance(mesh, RingMesh)
    plates = [s.width for s in result.model.shapes.values() if isinstance(s, Plate) and s.body == chain]
    limit = 0.5 * (max(plates) if plates else track.pitch)
    corners = list(range(len(mesh.points or [])))

    def calc_lateral(part: Result) -> Array:
        offset = read_nodes(part, chain, "position", corners) - part.main_position[:, np.newaxis]
        return np.einsum("fli,fi->fl", offset, part.main_rotation[:, :, 1])

    start = calc_lateral(result.with_frames(slice(0, 1)))[0]
    offsets = ((part, np.abs(calc_lateral(part) - start)) for part in result.split_frames())
    first = _find_first((part, offset, offset > limit) for part, offset in offsets)
    if first is None:
        return []
    node = f"{chain}.{first.item}"
    return [
        Event(
            first.time,
            "detracking",
            node,
            f"track {name!r} left its wheels: the pin {node!r} lies {first.value:.3f} m beside its place (limit "
            f"{limit:.3f} m); {first.items} pins in all",
        )
    ]


def _calc_lateral(result: Result, track: Track) -> Array:
    """Place of all links along the main body's y axis, seen from its origin, (frames, links) [m]."""
    offset = result.block("body/position", track.links)[0] - result.main_position[:, np.newaxis]
    return np.einsum("fli,fi->fl", offset, result.main_rotation[:, :, 1])


class _First(NamedTuple):
    """The first of what was sought: its time [s], number and value of the item, and how many items it happened to."""

    time: float
    item: int
    value: float
    items: int


def _find_first(parts: Iterable[tuple[Result, Array, Bools]]) -> _First | None:
    """The first frame and item of which something is true; parts of a result, values and truths (frames, items)."""
    first: _First | None = None
    ever: Bools = np.zeros(1, dtype=bool)
    for part, values, is_true in parts:
        ever = ever | is_true.any(axis=0)
        if first is None and is_true.any():
            frame, item = np.argwhere(is_true)[0]
            first = _First(float(part.time[frame]), int(item), float(values[frame, item]), 0)
    return None if first is None else first._replace(items=int(ever.sum()))


def find_tooth_jumps(result: Result, name: str, track: Track) -> list[Event]:
    """Pins that changed the gap of the sprocket in which they sit.

    A pin is engaged while its centre lies within the tip circle plus its own radius, and beside a gear ring by
    no more than half the sprocket's width. It then sits in the gap number round(angle teeth / 2 pi) of its
    first engaged frame, the angle taken in the sprocket's frame from the reference. Until it has left the
    sprocket for good, that is by half a pitch more, it must keep within 0.6 gaps of the middle of that gap or
    of where it arrived: a pin that is lifted over a tooth and comes down in the next gap jumped, one that
    comes round again did not.
    """
    sprockets = [
        s for s in result.model.shapes.values() if isinstance(s, Sprocket | Toothed) and s.body == track.sprocket
    ]
    pins = [s for s in result.model.shapes.values() if isinstance(s, Pin) and s.body in set(track.links)]
    if not sprockets or not pins or not _has_motion(result):
        return []
    sprocket = sprockets[0]
    owner = [pin.body for pin in pins for _ in pin.positions]
    local = np.array([position for pin in pins for position in pin.positions])
    pin_radius = np.array([pin.radius for pin in pins for _ in pin.positions])
    tip_radius = sprocket.addendum_radius if isinstance(sprocket, Sprocket) else sprocket.tip_radius
    engaged_radius = tip_radius + pin_radius
    visits = _Visits(len(owner), sprocket.teeth)
    found: list[tuple[float, Bools]] = []
    for part in result.split_frames():
        radius, angle, axial = _calc_cylindrical(part, sprocket, owner, local)
        beside = np.min([np.abs(axial - plane) for plane in sprocket.planes], axis=0)
        is_engaged = (radius < engaged_radius) & (beside <= 0.5 * sprocket.width)
        has_left = radius > engaged_radius + 0.5 * track.pitch
        jumped = visits.find_jumps(is_engaged, has_left, angle * sprocket.teeth / (2 * np.pi))
        found += [(float(part.time[frame]), jumped[frame]) for frame in np.flatnonzero(jumped.any(axis=1))]
    return _report_jumps(name, owner, found)


class _Visits:
    """Visits of pins to a sprocket, which go on from one part of a run to the next.

    What is known of a pin from the frames before stands in a row of its own, number 0, before those of a part: whether
    it was ever engaged, whether it has left since, the gap at which it arrived, and by how many teeth it was off when
    it was last engaged.
    """

    def __init__(self, pins: int, teeth: int) -> None:
        self._teeth = teeth
        self._is_engaged = self._has_left = np.zeros(pins, dtype=bool)
        self._arrival = self._off = np.zeros(pins)

    def find_jumps(self, is_engaged: Bools, has_left: Bools, gap: Array) -> Bools:
        """Where a pin jumps, (frames, pins); `gap` is its place in gaps."""
        rows = np.arange(len(gap) + 1)[:, np.newaxis]
        engaged = np.maximum.accumulate(np.where(np.vstack([self._is_engaged, is_engaged]), rows, -1))
        left = np.maximum.accumulate(np.where(np.vstack([self._has_left, has_left]), rows, -1))
        before = engaged[:-1]
        is_same_visit = is_engaged & (before >= 0) & (before > left[1:])
        arrival = np.maximum.accumulate(np.where(is_engaged & ~is_same_visit, rows[1:], 0))
        at_arrival = np.take_along_axis(np.vstack([self._arrival, gap]), arrival, axis=0)
        # far from the middle of its gap, and far from where it arrived: it may have arrived at the edge of a gap
        shift = np.minimum(
            np.abs(_wrap(gap - np.round(at_arrival), self._teeth)), np.abs(_wrap(gap - at_arrival, self._teeth))
        )
        off = np.vstack([self._off, np.floor(shift + 1 - JUMP_SHARE)])
        jumped: Bools = is_same_visit & (off[1:] > np.take_along_axis(off, np.maximum(before, 0), axis=0))
        self._is_engaged, self._has_left = engaged[-1] >= 0, left[-1] >= engaged[-1]
        self._arrival = at_arrival[-1]
        self._off = np.take_along_axis(off, np.maximum(engaged[-1:], 0), axis=0)[0]
        return jumped


def _wrap(value: Array, period: float) -> Array:
    """The value next to zero that differs by whole periods."""
    return value - period * np.round(value / period)


def _report_jumps(name: str, owner: Sequence[str], found: list[tuple[float, Bools]]) -> list[Event]:
    """One event for all pins of a track that jump together, from times [s] and which pins jumped."""
    if not found:
        return []
    times = np.array([time for time, _ in found])
    starts = np.flatnonzero(np.diff(times, prepend=-np.inf) > JUMP_PAUSE)
    events = []
    for group in np.split(np.arange(len(found)), starts[1:]):
        jumped = [found[i][1] for i in group]
        links = {owner[int(pin)] for pin in np.flatnonzero(np.any(jumped, axis=0))}
        first = int(np.flatnonzero(jumped[0])[0])
        events.append(
            Event(
                float(times[group[0]]),
                "tooth_jump",
                owner[first],
                f"track {name!r} jumped on its sprocket: link {owner[first]!r} went over a tooth; "
                f"{len(links)} links in all",
            )
        )
    return events


def _calc_cylindrical(
    result: Result, sprocket: Sprocket | Toothed, owner: Sequence[str], local: Array
) -> tuple[Array, Array, Array]:
    """Radius [m], angle [rad] and axial place [m] of points on bodies about a sprocket, (frames, points)."""
    bodies = list(dict.fromkeys(owner))
    index = [bodies.index(body) for body in owner]
    position, _ = result.block("body/position", bodies)
    world = position[:, index] + np.einsum("fpij,pj->fpi", result.calc_rotations(bodies)[:, index], local)
    centre, _ = result.block("body/position", [sprocket.body])
    rotation = result.calc_rotations([sprocket.body])[:, 0]
    in_sprocket = np.einsum("fji,fpj->fpi", rotation, world - centre) - np.array(sprocket.position)
    x, y, axial = np.moveaxis(in_sprocket @ make_sprocket_axes(sprocket), -1, 0)
    return np.hypot(x, y), np.arctan2(y, x), axial


def make_sprocket_axes(sprocket: Sprocket | Toothed) -> Array:
    """Axes of a sprocket in its body's frame, in columns: through the reference gap, across, spin axis."""
    axis = np.array(sprocket.axis) / np.linalg.norm(sprocket.axis)
    along = np.array(sprocket.reference) - axis * (axis @ np.array(sprocket.reference))
    along = along / np.linalg.norm(along)
    return np.column_stack([along, np.cross(axis, along), axis])


def find_lost_contact(result: Result, name: str, track: Track) -> list[Event]:
    """Spells in which no point of the track touched the terrain, after the first touch.

    It counts the contacts of the groups that hold shapes of this track's links; where both tracks share
    a group, only the loss of both together is seen.
    """
    links = {*track.links, track.chain}
    groups = {shape.group for shape in result.model.shapes.values() if shape.body in links}
    contacts = [key for key, law in result.model.contacts.items() if law.a in groups and law.b == TERRAIN]
    if not contacts or not result.has_block("contact/count"):
        return []
    counts, _ = result.block("contact/count", contacts)
    is_off = counts.sum(axis=(1, 2)) == 0
    if is_off.all():
        return []
    is_off[: int(np.argmin(is_off))] = False
    edges = np.diff(is_off.astype(int), prepend=0, append=0)
    events = []
    for start, stop in zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0), strict=True):
        duration = result.time[stop if stop < len(result.time) else -1] - result.time[start]
        if duration > LOST_CONTACT_TIME:
            events.append(
                Event(
                    float(result.time[start]),
                    "lost_contact",
                    name,
                    f"track {name!r} did not touch the ground for {duration:.2f} s",
                )
            )
    return events


def find_broken_links(result: Result, name: str, track: Track) -> list[Event]:
    """The first pin that opened by more than a quarter of the pitch, or the first web of a band that stretched so."""
    limit = BROKEN_SHARE * track.pitch
    if track.belt is not None:
        return _find_torn_webs(result, name, track, limit)
    if track.chain is not None or not result.has_block("joint/deformation"):
        return []
    gaps = ((part, part.block("joint/deformation", track.pins)[0][:, :, 0]) for part in result.split_frames())
    # a deformation that is no number any more is open as well
    first = _find_first((part, gap, ~(gap <= limit)) for part, gap in gaps)
    if first is None:
        return []
    pin = track.pins[first.item]
    return [
        Event(
            first.time,
            "broken_link",
            pin,
            f"track {name!r} broke: pin {pin!r} is open by {first.value:.3f} m "
            f"(limit {limit:.3f} m); {first.items} pins in all",
        )
    ]


def _find_torn_webs(result: Result, name: str, track: Track, limit: float) -> list[Event]:
    """The first web that is longer than at the start by more than the limit [m]."""
    if not _has_motion(result):
        return []
    belt = str(track.belt)
    data = make_mesh_data(result.model.meshes[belt])
    ends = [[data.node_sets[f"{end}{i}"][0] for end in ("start", "end")] for i in range(len(track.links))]
    first, last = data.nodes[ends].swapaxes(0, 1)
    length = np.linalg.norm(last - first, axis=1)

    def calc_stretch(part: Result) -> Array:
        first, last = (read_nodes(part, belt, "position", [pair[k] for pair in ends]) for k in range(2))
        return np.asarray(np.linalg.norm(last - first, axis=2) - length)

    values = ((part, calc_stretch(part)) for part in result.split_frames())
    found = _find_first((part, stretch, ~(stretch <= limit)) for part, stretch in values)
    if found is None:
        return []
    link = track.links[found.item]
    return [
        Event(
            found.time,
            "broken_link",
            link,
            f"track {name!r} broke: the web behind link {link!r} is longer by {found.value:.3f} m "
            f"(limit {limit:.3f} m); {found.items} webs in all",
        )
    ]


def _has_motion(result: Result) -> bool:
    return result.has_block("body/position") and result.has_block("body/orientation")
