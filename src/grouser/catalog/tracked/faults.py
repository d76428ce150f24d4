"""Faults of a tracked vehicle's template: what no field can see by itself, said in the keys of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import hypot
from statistics import median
from typing import TYPE_CHECKING

from grouser.catalog.tracked.belt import find_belt_faults, find_brick_faults
from grouser.catalog.tracked.march import MOST_LINKS
from grouser.catalog.tracked.parts import Chassis, RoadArms, RoadWheels, Shocks, TrackLinks, TrackWheel
from grouser.model.check import find_inertia_faults
from grouser.model.fault import Fault, Path, make_fault, say_path
from grouser.model.gap import find_tooth_faults

if TYPE_CHECKING:
    from grouser.catalog.tracked.spec import TrackSide

SLACK = 1e-3
"""Lengths that are equal in a drawing may differ by this much [m]."""
THICKEST = 2.0
"""Largest height of a link over and under the line of its pins, in pitches."""
TENSEST = 100.0
"""Largest force of a tensioner, in weights of hull and tracks. Published models go up to 3; an M113 no longer comes to
rest at 30."""


def find_side_faults(side: TrackSide, *, suspension: bool) -> Iterator[Fault]:
    """Faults of the running gear of one side."""
    yield from _find_part_faults(side)
    yield from _find_sprocket_faults(side)
    yield from _find_link_faults(side.links)
    yield from _find_track_faults(side)
    yield from _find_pin_faults(side)
    yield from _find_wheel_faults(side)
    yield from _find_overlap_faults(side)
    yield from find_reach_faults(
        make_circles(side),
        (("idler", "centre"), *side.idler.centre, side.idler.radius),
        (("idler", "tensioner", "travel"), side.idler.tensioner.travel),
        side.links.pitch,
    )
    lower, upper = side.idler.tensioner.travel
    if lower >= upper:
        yield make_fault(("idler", "tensioner", "travel"), f"is [{lower:g}, {upper:g}] m; the first must be smaller")
    if side.idler.tensioner.axis is not None and hypot(*side.idler.tensioner.axis) < 1e-9:
        yield make_fault(("idler", "tensioner", "axis"), "has no direction; give (x, z) of the push")
    if suspension and side.arms is None:
        yield make_fault((), "missing key 'arms'; with 'suspension: false' none are needed")
    yield from find_arm_faults(side.road_wheels, side.arms if suspension else None, side.shocks)


def find_arm_faults(wheels: RoadWheels, arms: RoadArms | None, shocks: Shocks | None) -> Iterator[Fault]:
    """Shock absorbers of wheels that are not there, and arms that cannot carry."""
    count = len(wheels.centres)
    for i, station in enumerate(shocks.stations if shocks else ()):
        if station > count:
            yield make_fault(("shocks", "stations", i), f"is {station}, but there are {count} road wheels")
    if arms is not None and abs(arms.pivot[0]) < 1e-6:
        yield make_fault(
            ("arms", "pivot"), "stands straight above or below the wheel: the torsion bar cannot carry it; move it in x"
        )


def find_belly_faults(side: TrackSide, chassis: Chassis) -> Iterator[Fault]:
    """A belly that would stand in the ground under the tracks in the design position."""
    if chassis.belly is None:
        return
    wheels, links = side.road_wheels, side.links
    ground = min(z for _, z in wheels.centres) - wheels.radius - links.surface.height - links.pad.depth
    lowest = min(z for _, z in chassis.belly.profile)
    if lowest < ground:
        yield make_fault(
            ("chassis", "belly", "profile"),
            f"reaches down to z = {lowest:g} m, below the ground under the tracks at z = {ground:.4g} m; raise it",
        )


def find_tension_faults(side: TrackSide, weight: float) -> Iterator[Fault]:
    """A tensioner out of all proportion to the weight of hull and tracks [N]."""
    force = side.idler.tensioner.force
    if force > TENSEST * weight:
        yield make_fault(
            ("idler", "tensioner", "force"),
            f"is {force:g} N, {force / weight:.2g} times the weight of hull and tracks, {weight:.3g} N; give a force "
            f"of about that weight or less, at most {TENSEST:g} times it",
        )


def _find_part_faults(side: TrackSide) -> Iterator[Fault]:
    """Inertia of every part."""
    for name in ("sprocket", "idler", "road_wheels", "arms", "rollers", "links"):
        part = getattr(side, name)
        if part is not None:
            yield from find_inertia_faults((name, "inertia"), part.mass, part.inertia)
    carrier = side.idler.carrier
    yield from find_inertia_faults(("idler", "carrier", "inertia"), carrier.mass, carrier.inertia)


def _find_sprocket_faults(side: TrackSide) -> Iterator[Fault]:
    sprocket, links, path = side.sprocket, side.links, ("sprocket",)
    names = ("arc_radius", "arc_centre_radius", "addendum_radius")
    given = [name for name in names if getattr(sprocket, name) is not None]
    profile = side.make_profile()
    if sprocket.drive == "friction":
        faults = [
            make_fault((*path, name), "is of teeth, and the drive is by friction: leave it out") for name in given
        ]
        if profile.addendum_radius <= 0.0:
            faults.append(
                make_fault(
                    (*path, "teeth"),
                    f"is {sprocket.teeth}: a drum with so few pitches of {links.pitch:g} m around it has no radius "
                    f"left under the height of the track's face, {links.surface.height:g} m; give more",
                )
            )
    else:
        faults = [make_fault(path, f"missing key {name!r}") for name in names if name not in given]
        faults = faults or [*find_tooth_faults(path, profile)]
    seat = side.calc_seat_radius() - (max(z for _, z in links.pins.positions) if links.pins.seat == "middle" else 0.0)
    if sprocket.drive == "teeth" and not faults and seat - links.pins.radius > profile.addendum_radius:
        faults.append(
            make_fault(
                (*path, "addendum_radius"),
                f"is {profile.addendum_radius:g} m, but pins of {sprocket.teeth} teeth and a pitch of "
                f"{links.pitch:g} m run at {seat:.4f} m: they do not reach the teeth",
            )
        )
    yield from faults
    widest = max(links.pad.width, links.surface.width)
    for i, ring in enumerate(sprocket.rings):
        if abs(ring) > widest:
            yield make_fault(
                (*path, "rings", i),
                f"is {ring:g} m: the ring lies beside the links, which are {widest:g} m wide; give its distance from "
                "the centre plane of the track",
            )


def _find_pin_faults(side: TrackSide) -> Iterator[Fault]:
    pins, pitch, sprocket = side.links.pins, side.links.pitch, side.sprocket
    for i, (x, z) in enumerate(pins.positions):
        if abs(x) > 0.5 * pitch + SLACK or abs(z) > pitch:
            yield make_fault(
                ("links", "pins", "positions", i),
                f"is [{x:g}, {z:g}] m, outside of a link of the pitch {pitch:g} m: x goes from {-0.5 * pitch:g} to "
                f"{0.5 * pitch:g} m from its middle",
            )
    if pins.lateral is None or sprocket.drive == "friction":
        return
    reach = 0.5 * sprocket.ring_width
    if not any(abs(place - ring) <= reach for place in pins.lateral for ring in sprocket.rings):
        yield make_fault(
            ("links", "pins", "lateral"),
            f"is {pins.lateral} m, but the rings of the sprocket at {sprocket.rings} m reach {reach:g} m to each side: "
            "no pin meets a ring",
        )


def _find_link_faults(links: TrackLinks) -> Iterator[Fault]:
    for name, length in (("surface", links.surface.length), ("pad", links.pad.length)):
        if length > links.pitch * 1.001 + SLACK:
            yield make_fault(
                ("links", name, "length"),
                f"is {length:g} m, longer than the pitch of {links.pitch:g} m: links would overlap",
            )
    heights: list[tuple[Path, float]] = [
        (("pad", "depth"), links.pad.depth),
        (("surface", "height"), links.surface.height),
    ]
    for path, height in heights:
        if height > THICKEST * links.pitch:
            yield make_fault(
                ("links", *path),
                f"is {height:g} m, more than {THICKEST:g} times the pitch of {links.pitch:g} m: no link is so thick",
            )
    if links.horn is not None and links.horn.tip <= links.surface.height:
        yield make_fault(
            ("links", "horn", "tip"), f"is {links.horn.tip:g} m, below the wheel surface at {links.surface.height:g} m"
        )


def _find_track_faults(side: TrackSide) -> Iterator[Fault]:
    """What the kind of track needs and the file does not have."""
    links = side.links
    if side.is_band:
        if side.belt is None:
            yield make_fault((), f"missing key 'belt', which a track of the kind {side.track!r} is made of")
        else:
            yield from find_belt_faults(("belt",), side.belt, links.pitch, links.count)
            if side.track == "band-bricks":
                yield from find_brick_faults(("belt",), side.belt)
        return
    if links.count is None:
        yield make_fault(("links",), "missing key 'count'")
    if side.track == "segmented" and links.rubber is None:
        yield make_fault(("links",), "missing key 'rubber', the bushings that join the links of a segmented track")


def _find_wheel_faults(side: TrackSide) -> Iterator[Fault]:
    """Wheels whose discs miss the links, or whose gap is no gap."""
    horn, half, height = side.links.horn, 0.5 * side.links.surface.width, side.links.surface.height
    for name in ("road_wheels", "idler", "rollers"):
        wheel: TrackWheel | None = getattr(side, name)
        if wheel is None:
            continue
        if wheel.gap >= wheel.width:
            yield make_fault(
                (name, "gap"), f"is {wheel.gap:g} m, not smaller than the width over both discs, {wheel.width:g} m"
            )
        elif wheel.disc_place > half + SLACK:
            yield make_fault(
                (name, "width"),
                f"is {wheel.width:g} m: the middle of a disc lies {wheel.disc_place:g} m from the centre plane, beside "
                f"the wheel surface of the links, which reaches {half:g} m; widen links.surface.width",
            )
        elif wheel.gap_depth is not None and wheel.gap_depth > wheel.radius:
            yield make_fault(
                (name, "gap_depth"),
                f"is {wheel.gap_depth:g} m, more than the radius of {wheel.radius:g} m; make it less",
            )
        elif horn is not None and wheel.gap > 0.0 and horn.tip - height > (wheel.gap_depth or wheel.radius):
            depth = wheel.gap_depth or wheel.radius
            yield make_fault(
                ("links", "horn", "tip"),
                f"is {horn.tip:g} m, {horn.tip - height:.4g} m over the face on which the wheels roll, and the gap of "
                f"the {name} is {depth:g} m deep: a guide of {height + depth:.4g} m fits",
            )
        elif horn is not None and 0.0 < wheel.gap <= horn.width:
            yield make_fault(
                (name, "gap"),
                f"is {wheel.gap:g} m, not wider than the guide horn of {horn.width:g} m; widen it, or set 0 "
                "for a wheel that does not guide",
            )


def _find_overlap_faults(side: TrackSide) -> Iterator[Fault]:
    """Wheels that stand in each other; the idler is judged where routing puts it."""
    for (path_a, *a), (path_b, *b) in combinations(make_circles(side), 2):
        yield from find_overlap(path_a, (a[0], a[1], a[2]), path_b, (b[0], b[1], b[2]))


def find_reach_faults(
    wheels: Sequence[tuple[Path, float, float, float]],
    idler: tuple[Path, float, float, float],
    travel: tuple[Path, tuple[float, float]],
    pitch: float,
) -> Iterator[Fault]:
    """Wheels so far apart, or so large, that a track round them has more links than any has.

    A closed chain round two circles is at least twice as long as both from end to end,

        count >= 2 (distance + radius_a + radius_b) / pitch                                      (1)

    Parameters
    ----------
    wheels, idler : path of each, x, z and radius [m]
    travel : path, and range of the idler's shift [m]
    pitch : of the links [m]
    """
    longest = 0.5 * MOST_LINKS * pitch  # (1)
    circles = [*wheels, idler]
    x, z = median(circle[1] for circle in circles), median(circle[2] for circle in circles)
    far = max(circles, key=lambda circle: hypot(circle[1] - x, circle[2] - z) + circle[3])
    other = max(circles, key=lambda circle: hypot(circle[1] - far[1], circle[2] - far[2]) + circle[3])
    reach = hypot(far[1] - other[1], far[2] - other[2]) + far[3] + other[3]
    path, text = far[0], f"is [{far[1]:g}, {far[2]:g}] m with a radius of {far[3]:g} m"
    if reach <= longest:
        shift = max(map(abs, travel[1]))
        path, text, reach = travel[0], f"moves the idler by up to {shift:g} m", reach + shift
    if reach > longest:
        yield make_fault(
            path,
            f"{text}, so that the wheels reach over {reach:.4g} m: a track round them has at least "
            f"{2.0 * reach / pitch:.3g} links of {pitch:g} m, and at most {MOST_LINKS:,} are taken; put it nearer to "
            "the others, or make the links longer",
        )


def make_circles(side: TrackSide) -> list[tuple[Path, float, float, float]]:
    """Path, x, z and radius [m] of sprocket, road wheels and return rollers."""
    circles: list[tuple[Path, float, float, float]] = [
        (("sprocket", "centre"), *side.sprocket.centre, side.make_profile().addendum_radius)
    ]
    for name in ("road_wheels", "rollers"):
        wheels = getattr(side, name)
        for i, (x, z) in enumerate(wheels.centres if wheels else ()):
            circles.append(((name, "centres", i), x, z, wheels.radius))
    return circles


def find_overlap(
    path_a: Path, a: tuple[float, float, float], path_b: Path, b: tuple[float, float, float]
) -> Iterator[Fault]:
    """A fault where two circles (x, z, radius) overlap."""
    distance, needed = hypot(a[0] - b[0], a[1] - b[1]), a[2] + b[2]
    if distance < needed - SLACK:
        yield make_fault(
            path_b,
            f"is [{b[0]:g}, {b[1]:g}] m, {distance:.4g} m from {say_path(path_a)}: the two wheels overlap, their radii "
            f"need {needed:.4g} m; move one of them",
        )
