"""From the template of a tracked vehicle to a model of every link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from pydantic import ValidationError

from grouser.catalog.placement import place_on_terrain
from grouser.catalog.tracked.closing import route_track
from grouser.catalog.tracked.faults import find_overlap, make_circles
from grouser.catalog.tracked.gear import CHASSIS, Elements
from grouser.catalog.tracked.inertia import Lump, calc_arm_inertia, join_lumps, mirror_inertia
from grouser.catalog.tracked.parts import SIDES, Belly, ContactLaw, Side
from grouser.catalog.tracked.polygons import make_polygon_shapes, use_guides
from grouser.catalog.tracked.routing import Route
from grouser.catalog.tracked.side import SideMaker
from grouser.catalog.tracked.spec import TrackedVehicle, TrackSide
from grouser.catalog.tracked.statics import calc_axle_loads
from grouser.errors import ModelError, say_unknown
from grouser.families.coordinate_force.motion import Motion
from grouser.model.base import Signal
from grouser.model.body import Body
from grouser.model.contact import TERRAIN, Contact, Points
from grouser.model.fault import Fault, say_faults
from grouser.model.model import Model
from grouser.model.terrain import Plane, Terrain

Drives = Signal | Mapping[str, Signal]
"""Speed of both sprockets [rad/s], or of each by the name of its track; positive drives forward."""


def make_tracked_vehicle(spec: TrackedVehicle, terrain: Terrain | None = None, drives: Drives | None = None) -> Model:
    """Model of a tracked vehicle that stands on its terrain, tracks routed and closed.

    Parameters
    ----------
    terrain : ground, by default the plane z = 0
    drives : speeds of the sprockets [rad/s], by default zero

    Raises
    ------
    ModelError
        A track cannot be closed (it says what would fit), or a value makes no sense.
    """
    speeds = _find_speeds(drives)
    sides: dict[Side, TrackSide] = {name: spec.make_side(name) for name in SIDES}
    routes = _route(spec, sides)
    loads = _calc_loads(spec, sides, routes)
    elements = Elements()
    hull = make_chassis_lump(spec, sides)
    elements.bodies[CHASSIS] = Body(mass=hull.mass, com=hull.com, inertia=hull.inertia)
    for name in SIDES:
        own = replace(elements, shapes={})
        SideMaker(own, name, sides[name], routes[name], loads[name]).add(speeds[name], spec.contact)
        if spec.polygons:
            own.shapes = make_polygon_shapes(own.shapes, sides[name])
            use_guides(own.contacts, f"{name}.sprocket_guide")
        elements.shapes |= own.shapes
    add_belly(elements, spec.chassis.belly, spec.contact.hull_ground)
    facts: dict[str, Any] = {"name": spec.name, "description": spec.description, "main_body": CHASSIS}
    try:
        model = Model(terrain=Plane(), **facts, **vars(elements))
    except ModelError as error:
        raise ModelError(_merge_sides(error.faults)) from None
    return place_on_terrain(model, Plane() if terrain is None else terrain)


def _find_speeds(drives: Any) -> dict[Side, Signal]:
    if not isinstance(drives, Mapping):
        drives = dict.fromkeys(SIDES, 0.0 if drives is None else drives)
    unknown = [say_unknown("track", str(name), SIDES) for name in drives if name not in SIDES]
    if unknown:
        raise ModelError([f"drives: {text}" for text in unknown])
    return {name: _check_speed(name, drives.get(name, 0.0)) for name in SIDES}


def _check_speed(name: str, value: Any) -> Signal:
    """A speed that is a signal, or a fault in the words of this program."""
    try:
        return Motion(joint=name, coordinate="rotation", quantity="speed", value=value).value
    except ValidationError as error:
        raise ModelError([f"drives.{name}: {fault}" for fault in say_faults(error, {"value": value}, Motion)]) from None


def _route(spec: TrackedVehicle, sides: dict[Side, TrackSide]) -> dict[Side, Route]:
    routes: dict[Side, Route] = {}
    faults: list[str] = []
    for name in SIDES:
        if name == "right" and not spec.right and "left" in routes:
            routes[name] = routes["left"]
            continue
        try:
            routes[name] = route_track(sides[name].make_undercarriage(name))
        except ModelError as error:
            faults += error.faults
        else:
            faults += [f"{name} track: {fault}" for fault in _find_idler_faults(sides[name], routes[name])]
    if faults:
        raise ModelError(_merge_sides(faults))
    return routes


def _find_idler_faults(side: TrackSide, route: Route) -> Iterator[Fault]:
    """An idler that stands in another wheel where routing put it."""
    (x, z), (axis_x, axis_z), shift = side.idler.centre, side.find_tensioner_axis(), route.idler_shift
    place = (x + shift * axis_x, z + shift * axis_z, side.idler.radius)
    for path, *circle in make_circles(side):
        yield from find_overlap(path, (circle[0], circle[1], circle[2]), ("idler", "centre"), place)


def _merge_sides(faults: Iterable[str]) -> list[str]:
    """Faults that differ by the name of the side or the number of a wheel or link only, once.

    >>> _merge_sides(["bodies.left.link1.mass: is 0", "bodies.left.link2.mass: is 0", "bodies.right.link1.mass: is 0"])
    ['bodies.left.link1.mass: is 0']
    """
    merged: dict[str, str] = {}
    for fault in faults:
        element, colon, text = fault.partition(": ")
        merged.setdefault(re.sub(r"left|right|\d+", "", element) + colon + text, fault)
    return list(merged.values())


def _calc_loads(
    spec: TrackedVehicle, sides: dict[Side, TrackSide], routes: dict[Side, Route]
) -> dict[Side, list[float] | None]:
    """Load of each arm's axle, needed only where a preload is static; None without suspension."""
    if not spec.suspension:
        return dict.fromkeys(SIDES)
    if any(side.arms is not None and side.arms.torsion_bar.preload == "static" for side in sides.values()):
        shifts = {name: route.idler_shift for name, route in routes.items()}
        return {name: loads.tolist() for name, loads in calc_axle_loads(spec, sides, shifts).items()}
    return {name: [0.0] * len(sides[name].road_wheels.centres) for name in SIDES}


def make_chassis_lump(spec: TrackedVehicle, sides: dict[Side, TrackSide]) -> Lump:
    """The hull; without suspension the arms are part of it."""
    hull = Lump(spec.chassis.mass, spec.chassis.com, spec.chassis.inertia)
    left, right = (_make_arm_lumps(sides[name], 1.0 if name == "left" else -1.0) for name in SIDES)
    if not spec.suspension and (left or right):
        hull = join_lumps([hull, *(lump for pair in zip_longest(left, right) for lump in pair if lump)])
    return hull


def _make_arm_lumps(side: TrackSide, outward: float) -> list[Lump]:
    if side.arms is None:
        return []
    inertia = calc_arm_inertia(side.arms)
    dx, dy, dz = side.arms.com
    y = outward * (side.track_y + dy)
    turned = inertia if outward > 0.0 else mirror_inertia(inertia)
    return [Lump(side.arms.mass, (x + dx, y, z + dz), turned) for x, z in side.road_wheels.centres]


def add_belly(elements: Elements, belly: Belly | None, law: ContactLaw) -> None:
    """Corners of the underside that may touch the ground."""
    if belly is None:
        return
    y = belly.width / 2.0
    corners = [(x, side * y, z) for x, z in belly.profile for side in (1.0, -1.0)]
    elements.shapes["chassis.belly"] = Points(body=CHASSIS, group="hull", positions=corners)
    elements.contacts["hull_ground"] = Contact(a="hull", b=TERRAIN, **dict(law))
