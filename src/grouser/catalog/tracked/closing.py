"""Closing a track: the idler's shift for a number of links, the checks of the result, and what would fit."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, copysign, floor, inf

import numpy as np

from grouser.catalog.tracked.clearance import Array, calc_tooth_gaps, calc_wheel_gaps
from grouser.catalog.tracked.march import find_root
from grouser.catalog.tracked.routing import LoopMaker, Route, Undercarriage
from grouser.errors import ModelError

CLOSURE = 1.0e-9
"""Largest error of a link's length in the closed loop [m]."""

PENETRATION = 1.0e-6
"""Largest overlap of the routed track with a wheel or a tooth [m]."""


@dataclass(frozen=True)
class Clearance:
    """Room between a routed track and what it runs on.

    Attributes
    ----------
    road_wheels, rollers : between each wheel and the track, zero where it touches [m]
    idler : likewise [m]
    teeth : least distance between the pins and the teeth [m]
    ground : least height of a pin over the lowest point of the pin line under the road wheels [m]
    closure : largest error of a link's length [m]
    """

    road_wheels: Array
    rollers: Array
    idler: float
    teeth: float
    ground: float
    closure: float


def route_track(undercarriage: Undercarriage) -> Route:
    """Close the track, or say in a `ModelError` by how much it fails and what would fit."""
    maker = LoopMaker(undercarriage)
    count, (lower, upper) = undercarriage.count, undercarriage.travel
    n_lower, n_upper = maker.lay(lower).count, maker.lay(upper).count
    if not n_lower <= count <= n_upper:
        raise ModelError(_say_misfit(maker, n_lower, n_upper))
    shift = find_root(lambda s: maker.lay(s).count - count, lower, upper, n_lower - count, n_upper - count)
    route = maker.make_route(shift)
    faults = _find_faults(undercarriage, calc_clearance(undercarriage, route))
    if faults:
        raise ModelError(faults)
    return route


def calc_clearance(undercarriage: Undercarriage, route: Route) -> Clearance:
    """Measure a routed track against wheels, teeth and its own pitch."""
    given = undercarriage
    closure = np.hypot(route.links[:, 0], route.links[:, 1]) - given.pitch
    circles = np.array([*given.road_wheels, *given.rollers, given.find_idler(route.idler_shift)])
    gaps = calc_wheel_gaps(route.pins, circles[:, :2], circles[:, 2])
    forward = route.links / given.pitch
    inward = np.column_stack([-forward[:, 1], forward[:, 0]])
    middle = route.centres - np.array(given.sprocket)
    teeth = inf  # a drum has none
    if given.tooth_pins:
        places = np.vstack([middle + x * forward + z * inward for x, z in given.tooth_pins])
        teeth = float(np.min(calc_tooth_gaps(given.profile, places, route.sprocket_angle))) - given.tooth_pin_radius
    wheels = len(given.road_wheels)
    return Clearance(
        road_wheels=gaps[:wheels],
        rollers=gaps[wheels:-1],
        idler=float(gaps[-1]),
        teeth=teeth,
        ground=float(np.min(route.pins[:, 1])) - min(z - r for _, z, r in given.road_wheels),
        closure=float(np.max(np.abs(closure))),
    )


def _find_faults(given: Undercarriage, clearance: Clearance) -> list[str]:
    faults = []
    if clearance.closure > CLOSURE:
        faults.append(f"the loop stays open by {1e3 * clearance.closure:.3g} mm; move the idler a little")
    wheels = [(f"road wheel {i + 1}", gap) for i, gap in enumerate(clearance.road_wheels)]
    wheels += [(f"return roller {i + 1}", gap) for i, gap in enumerate(clearance.rollers)]
    for wheel, gap in [*wheels, ("the idler", clearance.idler)]:
        if gap < -PENETRATION:
            faults.append(f"it cuts {wheel} by {-1e3 * gap:.3f} mm; move that wheel")
    if clearance.teeth < -PENETRATION:
        faults.append(
            f"its pins cut the teeth by {-1e3 * clearance.teeth:.3f} mm; enlarge the sprocket's arc_radius, or make "
            "the pins thinner"
        )
    return [f"{given.name} track: {fault}" for fault in faults]


def _say_misfit(maker: LoopMaker, n_lower: float, n_upper: float) -> str:
    given = maker.given
    lower, upper = (f"{1e3 * end:+.1f}" for end in given.travel)
    is_short = given.count < n_lower
    missing = given.pitch * (n_lower - given.count if is_short else given.count - n_upper)
    text = (
        f"{given.name} track: {given.count} links of {1e3 * given.pitch:.2f} mm do not close: the chain is "
        f"{1e3 * missing:.1f} mm too {'short' if is_short else 'long'} with the idler at the "
        f"{'lower' if is_short else 'upper'} end of its travel ({lower if is_short else upper} mm)."
    )
    counts = range(ceil(n_lower), floor(n_upper) + 1)
    if counts:
        text += f" Link counts that fit the travel: {', '.join(map(str, counts))}."
    else:
        shifts = [(n, _find_shift(maker, n)) for n in (floor(n_lower), ceil(n_upper))]
        places = [f"{n} links with the idler at {1e3 * s:+.1f} mm" for n, s in shifts if s is not None]
        text += f" No link count fits the travel; nearest: {' or '.join(places)}."
    shift = _find_shift(maker, given.count)
    if shift is not None:
        text += f" {given.count} links need the idler at {1e3 * shift:+.1f} mm (travel {lower} to {upper} mm)."
    return text


def _find_shift(maker: LoopMaker, count: int) -> float | None:
    """Shift beyond the travel at which `count` links close, or None where the wheels stand in the way."""
    lower, upper = maker.given.travel

    def calc_excess(shift: float) -> float:
        return maker.lay(shift).count - count

    try:
        place = lower if calc_excess(lower) > 0.0 else upper
        excess = calc_excess(place)
        step = -copysign(0.25 * maker.given.pitch, excess)
        for _ in range(200):
            following = calc_excess(place + step)
            if excess * following <= 0.0:
                return find_root(calc_excess, place, place + step, excess, following)
            place, excess = place + step, following
    except ModelError:
        return None
    return None
