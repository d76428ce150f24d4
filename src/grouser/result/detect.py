"""Detectors: what went wrong in a run, from the stored motion alone.

A detector sees the frames that were stored, so what comes and goes between two frames is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grouser.model.contact import TERRAIN, Pin, Plate, Sprocket, Toothed
from grouser.model.model import Track
from grouser.result.result import Array, Event, Result

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
    position, _ = result.block("body/position", track.links)
    main, _ = result.block("body/position", [result.main_body])
    lateral_axis = result.calc_rotations([result.main_body])[:, 0, :, 1]
    lateral = np.einsum("fli,fi->fl", position - main, lateral_axis)
    offset = np.abs(lateral - lateral[0])
    width = dict.fromkeys(track.links, 0.0)
    for shape in result.model.shapes.values():
        if isinstance(shape, Plate) and shape.body in width:
            width[shape.body] = max(width[shape.body], shape.width)
    limit = np.array([0.5 * (width[link] or track.pitch) for link in track.links])
    is_thrown = offset > limit
    frames, links = np.nonzero(is_thrown)
    if len(frames) == 0:
        return []
    frame, link = frames[0], track.links[links[0]]
    return [
        Event(
            float(result.time[frame]),
            "detracking",
            link,
            f"track {name!r} left its wheels: link {link!r} lies {offset[frame, links[0]]:.3f} m beside its "
            f"place (limit {limit[links[0]]:.3f} m); {int(is_thrown.any(axis=0).sum())} links in all",
        )
    ]


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
    radius, angle, axial = _calc_cylindrical(result, sprocket, owner, local)

    tip_radius = sprocket.addendum_radius if isinstance(sprocket, Sprocket) else sprocket.tip_radius
    engaged_radius = tip_radius + pin_radius
    beside = np.min([np.abs(axial - plane) for plane in sprocket.planes], axis=0)
    is_engaged = (radius < engaged_radius) & (beside <= 0.5 * sprocket.width)
    has_left = radius > engaged_radius + 0.5 * track.pitch
    gap = angle * sprocket.teeth / (2 * np.pi)

    frames = np.arange(len(result.time))[:, np.newaxis]
    last_engaged = np.maximum.accumulate(np.where(is_engaged, frames, -1))
    before = np.vstack([np.full((1, len(owner)), -1), last_engaged[:-1]])
    last_left = np.maximum.accumulate(np.where(has_left, frames, -1))
    is_same_visit = is_engaged & (before >= 0) & (before > last_left)
    arrival = np.maximum.accumulate(np.where(is_engaged & ~is_same_visit, frames, 0))
    at_arrival = np.take_along_axis(gap, arrival, axis=0)
    # far from the middle of its gap, and far from where it arrived: it may have arrived at the edge of a gap
    shift = np.minimum(
        np.abs(_wrap(gap - np.round(at_arrival), sprocket.teeth)), np.abs(_wrap(gap - at_arrival, sprocket.teeth))
    )
    teeth = np.floor(shift + 1 - JUMP_SHARE)
    jumped = is_same_visit & (teeth > np.take_along_axis(teeth, np.maximum(before, 0), axis=0))
    return _report_jumps(result, name, owner, jumped)


def _wrap(value: Array, period: float) -> Array:
    """The value next to zero that differs by whole periods."""
    return value - period * np.round(value / period)


def _report_jumps(result: Result, name: str, owner: Sequence[str], jumped: NDArray[np.bool_]) -> list[Event]:
    """One event for all pins of a track that jump together."""
    frames = np.flatnonzero(jumped.any(axis=1))
    if len(frames) == 0:
        return []
    starts = np.flatnonzero(np.diff(result.time[frames], prepend=-np.inf) > JUMP_PAUSE)
    events = []
    for group in np.split(frames, starts[1:]):
        pins = np.flatnonzero(jumped[group].any(axis=0))
        links = {owner[int(pin)] for pin in pins}
        first = int(np.flatnonzero(jumped[group[0]])[0])
        events.append(
            Event(
                float(result.time[group[0]]),
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
    links = set(track.links)
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
    """The first pin that opened by more than a quarter of the pitch."""
    if not result.has_block("joint/deformation"):
        return []
    deformation, _ = result.block("joint/deformation", track.pins)
    limit = BROKEN_SHARE * track.pitch
    # a deformation that is no number any more is open as well
    is_open = ~(deformation[:, :, 0] <= limit)
    frames, pins = np.nonzero(is_open)
    if len(frames) == 0:
        return []
    pin = track.pins[pins[0]]
    return [
        Event(
            float(result.time[frames[0]]),
            "broken_link",
            pin,
            f"track {name!r} broke: pin {pin!r} is open by {deformation[frames[0], pins[0], 0]:.3f} m "
            f"(limit {limit:.3f} m); {int(is_open.any(axis=0).sum())} pins in all",
        )
    ]


def _has_motion(result: Result) -> bool:
    return result.has_block("body/position") and result.has_block("body/orientation")
