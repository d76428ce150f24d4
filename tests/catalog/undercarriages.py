"""Undercarriages for tests, and measurements of a routed track that share no code with the routing."""

from __future__ import annotations

import random
from math import cos, floor, hypot, pi, sin

import numpy as np

from grouser.catalog.tracked.clearance import ToothProfile
from grouser.catalog.tracked.routing import LoopMaker, Route, Undercarriage


def make_random_undercarriage(seed: int) -> Undercarriage:
    """Four to eight wheels, sprocket at the front or the rear, with or without rollers, any pitch; it fits."""
    rng = random.Random(seed)
    pitch, teeth = rng.uniform(0.1, 0.2), rng.randint(9, 14)
    seat = 0.5 * pitch / sin(pi / teeth)
    height, radius = rng.uniform(0.1, 0.25) * pitch, rng.uniform(0.2, 0.4)
    level, spacing = -rng.uniform(0.1, 0.4), 2.0 * radius + rng.uniform(0.03, 0.2)
    first = -(seat + radius + rng.uniform(0.15, 0.4))
    wheels = [
        (first - i * spacing + rng.uniform(-0.01, 0.01), level, radius + height) for i in range(rng.randint(4, 8))
    ]
    idler_radius = rng.uniform(0.7, 1.0) * radius
    idler_x = wheels[-1][0] - radius - idler_radius - rng.uniform(0.1, 0.3)
    idler_z = level + rng.uniform(0.05, 0.3)
    rollers = []
    if rng.random() < 0.6:
        count, size = rng.randint(1, 4), rng.uniform(0.08, 0.14) + height
        top = max(seat, idler_z + idler_radius + height)
        rollers = [(idler_x * (i + 1) / (count + 1), top + rng.uniform(-0.05, 0.1) - size, size) for i in range(count)]
    turn = rng.choice((1.0, -1.0))  # sprocket at the front or at the rear
    given = Undercarriage(
        name="left",
        sprocket=(0.0, 0.0),
        profile=ToothProfile(teeth, 0.369 * pitch, seat + 0.143 * pitch, seat + 0.095 * pitch),
        idler=(turn * idler_x, idler_z, idler_radius + height),
        axis=(-turn, 0.0),
        travel=(-0.06, 0.06 + 0.6 * pitch),
        road_wheels=tuple((turn * x, z, r) for x, z, r in wheels),
        rollers=tuple((turn * x, z, r) for x, z, r in rollers),
        pitch=pitch,
        count=1,
        tooth_pins=((-0.5 * pitch, 0.0),),
        tooth_pin_radius=0.15 * pitch,
    )
    return with_count(given, floor(LoopMaker(given).lay(given.travel[1]).count))


def with_count(given: Undercarriage, count: int) -> Undercarriage:
    """The same undercarriage with another number of links."""
    return Undercarriage(**{**vars(given), "count": count})


def with_travel(given: Undercarriage, lower: float, upper: float) -> Undercarriage:
    """The same undercarriage with another travel of the idler."""
    return Undercarriage(**{**vars(given), "travel": (lower, upper)})


def find_depth(route: Route, circle: tuple[float, float, float]) -> float:
    """Depth by which sampled points of the links reach into a circle [m]."""
    following = np.roll(route.pins, -1, axis=0)
    points = np.vstack([route.pins + s * (following - route.pins) for s in np.linspace(0.0, 1.0, 41)])
    return circle[2] - float(np.min(np.hypot(points[:, 0] - circle[0], points[:, 1] - circle[1])))


def is_inside(route: Route, x: float, z: float) -> bool:
    """Whether a point lies inside the loop, by its winding number."""
    closed = np.vstack([route.pins, route.pins[:1]])
    angle = np.unwrap(np.arctan2(closed[:, 1] - z, closed[:, 0] - x))
    return round((angle[-1] - angle[0]) / (2.0 * pi)) == 1


def find_tooth_depth(given: Undercarriage, route: Route) -> float:
    """Largest depth of sampled points of the pins' rims inside the teeth [m], measured to the nearest arc or tip."""
    deepest = -1.0
    teeth = given.profile
    for (px, pz), (dx, dz) in zip(route.pins, route.links / given.pitch, strict=True):
        for ox, oz in given.tooth_pins:
            along = 0.5 * given.pitch + ox
            cx, cz = px + along * dx - oz * dz - given.sprocket[0], pz + along * dz + oz * dx - given.sprocket[1]
            if hypot(cx, cz) > teeth.addendum_radius + given.tooth_pin_radius:
                continue
            for turn in np.linspace(0.0, 2.0 * pi, 73):
                x, z = cx + given.tooth_pin_radius * cos(turn), cz + given.tooth_pin_radius * sin(turn)
                to_tip = teeth.addendum_radius - hypot(x, z)
                gaps = [route.sprocket_angle + i * 2.0 * pi / teeth.teeth for i in range(teeth.teeth)]
                to_arcs = min(
                    hypot(x - teeth.arc_centre_radius * cos(a), z - teeth.arc_centre_radius * sin(a)) - teeth.arc_radius
                    for a in gaps
                )
                deepest = max(deepest, min(to_tip, to_arcs))
    return deepest
