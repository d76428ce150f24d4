"""What is sought of a vehicle: obstacles by their size, grounds by their grade, courses by speed.

Obstacles are sought by the length L of the vehicle, from its foremost links or tyres to the rearmost ones: bumps of
0.02 to 0.2 of it, steps of 0.04 to 0.25, gaps of 0.15 to 0.7. It comes to them slowly, at `TOUCH` m/s, and has
passed when its centre of mass is half a length behind them. Walls lean by `FACE`: grounds are heights over x, so what
runs into a wall must not be pressed in any further.

Speeds are those of the driver's orders. Vehicles on wheels start with them, those on tracks speed up on a level way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import Vehicle, make_vehicle
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.errors import ModelError, say_unknown
from grouser.model.force import Tyre
from grouser.model.model import Model

TOUCH, CRAWL = 0.8, 1.5
"""Speeds at which obstacles and grades are met [m/s]."""
FACE = 0.1
"""Length along the ground by which walls lean [m]."""
SLACK = 1.7
"""Time of a run over that of the way at this speed."""
SPEED_UP = 1.2
"""Acceleration with which vehicles on tracks come to their speed on a course [m/s^2]."""
BEFORE = 1.0
"""Way from the front of the vehicle to an obstacle [m]."""
CLEAR = 0.3
"""How far behind an obstacle the tail has to be [m]."""
COMFORT, SHOCK = 6.0, 2.5
"""Absorbed power [W] and peak acceleration [g] at the seat that a driver stands."""
COURSES = (1.0, 2.0, 3.0)
"""Roughness of the courses [inch]."""
RUN_UP = 50.0
"""Way from the front of the vehicle to the bump that is met at speed [m]."""
SPEED_BUMP = 0.2
"""Radius of the half-round bump that is met at speed [m]; 8 inches."""
LEAVES_LINE, LEAVES_SLOPE = 0.5, 1.0
"""Offset from the path by which a vehicle has slid off the line of a lane change, and of a side slope [m]."""
RATE_TIME = 8.0
"""Time at the end of a course over which the ride is rated [s]."""


@dataclass(frozen=True)
class Limit:
    """A number of a scenario that grows until a vehicle fails.

    Attributes
    ----------
    name, title : what is sought
    quantity, unit : its number
    low, high : where it is sought
    tolerance : to which it is found
    path, also : values of the scenario that get it
    factor : those values over the number
    overrides : other values of the scenario, ``path=value``
    scenario : whose values they replace
    duration : of a run [s]
    interval : time between two frames [s]
    find_reach : by the number, the place x that the centre of mass has to come to [m], or None
    offset : from the path, at most [m]
    comfort : absorbed power at the seat, at most [W]
    shock : peak acceleration at the seat, at most [g]
    is_speed : whether the number is a speed, which the vehicle has to keep
    view : from where pictures are taken
    """

    name: str
    title: str
    quantity: str
    unit: str
    low: float
    high: float
    tolerance: float
    path: str
    scenario: str
    overrides: tuple[str, ...]
    duration: float
    also: tuple[str, ...] = ()
    factor: float = 1.0
    interval: float = 0.02
    find_reach: Callable[[float], float] | None = field(default=None, compare=False)
    offset: float | None = None
    comfort: float | None = None
    shock: float | None = None
    is_speed: bool = False
    view: str = "side"

    def say_criterion(self) -> str:
        """What a vehicle has to do, in words."""
        words = ["it stays upright and keeps its tracks"]
        if self.find_reach is not None:
            words.append("its tail comes past the obstacle" if "slope" not in self.name else "it climbs on")
        if self.offset is not None:
            words.append(f"it stays within {self.offset:g} m of its path")
        if self.comfort is not None:
            words.append(f"the seat takes up at most {self.comfort:g} W")
        if self.shock is not None:
            words.append(f"the seat feels at most {self.shock:g} g (below 30 Hz)")
        if self.is_speed:
            words.append("it keeps its speed within 10 %")
        return "; ".join(words)


@dataclass(frozen=True)
class Mover:
    """How a vehicle is made to drive.

    Attributes
    ----------
    model : on level ground
    kind : ``tracks``, ``wheels``, or ``plane`` for half a machine that moves in a plane
    has_engine : whether its engine drives it
    front, rear : places x of its foremost and rearmost links, or of the ends of its tyres [m]
    centre : place x of the centre of mass of its main body
    """

    model: Model
    kind: str
    has_engine: bool
    front: float
    rear: float
    centre: float

    @property
    def length(self) -> float:
        """From its front to its rear [m]."""
        return self.front - self.rear


def find_mover(vehicle: Vehicle) -> Mover:
    """How a vehicle of the catalog or of a file drives."""
    model = make_vehicle(vehicle)
    if not model.main_body or not (model.tracks or isinstance(vehicle, WheeledVehicle)):
        raise ModelError(f"{model.name!r} has no tracks, and no wheels that drive it: limits are for such vehicles")
    if isinstance(vehicle, WheeledVehicle):
        kind, has_engine = "wheels", True
    else:
        kind = "plane" if model.planar or len(model.tracks) != 2 else "tracks"
        has_engine = kind == "tracks" and isinstance(vehicle, TrackedVehicle) and vehicle.powertrain is not None
    links = {link for track in model.tracks.values() for link in track.links}
    ends = links or {force.frame.body for force in model.forces.values() if isinstance(force, Tyre)}
    places = [model.bodies[name].position[0] for name in ends]
    radius = 0.0 if links else max(force.radius for force in model.forces.values() if isinstance(force, Tyre))
    main = model.bodies[model.main_body]
    return Mover(model, kind, has_engine, max(places) + radius, min(places) - radius, main.position[0] + main.com[0])


def list_limits(mover: Mover, courses: tuple[float, ...] = COURSES) -> dict[str, Limit]:
    """All limits that a vehicle can have, by name."""
    limits = [*_list_obstacles(mover)]
    if mover.kind != "plane":
        limits += [_make_side_slope(mover), _make_lane_change(mover), _make_shock(mover)]
        limits += [_make_course(mover, rms) for rms in courses]
    return {limit.name: limit for limit in limits}


def choose_limits(limits: dict[str, Limit], names: list[str], ranges: dict[str, tuple[float, float]]) -> list[Limit]:
    """Some limits, all if none is named, with other ranges."""
    faults = [say_unknown("limit", name, limits) for name in (*names, *ranges) if name not in limits]
    for name, (low, high) in ranges.items():
        if not 0.0 < low < high:
            faults.append(f"range of {name!r}: {low:g} to {high:g}; give two positive numbers, the smaller one first")
    if faults:
        raise ModelError(faults)
    chosen = [limits[name] for name in (names or limits)]
    return [
        replace(limit, low=ranges[limit.name][0], high=ranges[limit.name][1]) if limit.name in ranges else limit
        for limit in chosen
    ]


def _list_obstacles(mover: Mover) -> list[Limit]:
    length, start = mover.length, mover.front + BEFORE
    behind = 0.5 * length + CLEAR
    way = start - mover.centre + behind
    duration = round(2.0 + SLACK * (way + 0.5 * length) / TOUCH, 1)
    common = {"unit": "m", "tolerance": round(0.01 * length, 3), "duration": duration}
    scenario, moved = _move(mover, TOUCH, duration)

    def make(name: str, title: str, quantity: str, shares: tuple[float, float], ground: str, ends: float) -> Limit:
        low, high = (round(share * length, 3) for share in shares)
        return Limit(
            name=name,
            title=title,
            quantity=quantity,
            low=low,
            high=high,
            path=f"terrain.{quantity}",
            scenario=scenario,
            overrides=(f"terrain={{{ground}}}", *moved),
            find_reach=lambda size: start + ends * size + behind,
            **common,  # type: ignore[arg-type]
        )

    height = 0.05 * length
    place = start + 0.2 * length
    bump = make(
        "bump", "largest half-round bump", "radius", (0.02, 0.2),
        f"type: half-round, position: {place:g}, radius: {height:g}", 0.0,
    )  # fmt: skip
    grade_time = round(3.0 + SLACK * (1.5 * length + BEFORE) / CRAWL, 1)
    scenario_up, moved_up = _move(mover, CRAWL, grade_time)
    slope = Limit(
        name="slope", title="steepest grade", quantity="grade", unit="-", low=0.1, high=1.2, tolerance=0.02,
        path="terrain.grade", scenario=scenario_up,
        overrides=(f"terrain={{type: slope, grade: 0.3, start: {start:g}}}", *moved_up), duration=grade_time,
        find_reach=lambda _: start + 1.5 * length,
    )  # fmt: skip
    return [
        replace(bump, find_reach=lambda radius: place + radius + behind),
        make(
            "step", "highest step", "height", (0.04, 0.25),
            f"type: step, height: {height:g}, start: {start:g}, face: {FACE:g}", 0.0,
        ),
        make(
            "gap", "widest gap", "width", (0.15, 0.7),
            f"type: gap, width: {length / 3:g}, start: {start:g}, face: {FACE:g}", 1.0,
        ),
        slope,
    ]  # fmt: skip


def _make_side_slope(mover: Mover) -> Limit:
    start, run_in = mover.front + BEFORE, 2.0 * mover.length
    way = start + run_in + 1.5 * mover.length - mover.centre
    speed = 2.0 * CRAWL
    duration = round(3.0 + 1.3 * way / speed, 1)
    scenario, moved = _move(mover, speed, duration)
    ground = f"terrain={{type: side-slope, grade: 0.3, start: {start:g}, run_in: {run_in:g}}}"
    return Limit(
        name="side-slope", title="steepest side slope", quantity="grade", unit="-", low=0.1, high=1.2, tolerance=0.02,
        path="terrain.grade", scenario=scenario, overrides=(ground, *moved), duration=duration,
        find_reach=lambda _: start + run_in + 0.5 * mover.length, offset=LEAVES_SLOPE, view="150,15",
    )  # fmt: skip


def _make_lane_change(mover: Mover) -> Limit:
    """By the speeds of both sprockets, since engines take too long to come to the speed before the first lane."""
    facts: dict[str, Any] = {
        "name": "lane-change",
        "title": "fastest lane change",
        "offset": LEAVES_LINE,
        "view": "top",
    }
    if mover.kind == "wheels":
        return Limit(
            quantity="speed", unit="m/s", low=8.0, high=30.0, tolerance=0.5, path="start_speed",
            also=("driver.speed",), scenario="iso-3888", overrides=(), duration=8.0, **facts,
        )  # fmt: skip
    return Limit(
        quantity="speed", unit="m/s", low=5.0, high=18.0, tolerance=0.25, path="driver.speed.2.1",
        also=("driver.speed.3.1",), scenario="lane-change", duration=17.0,
        overrides=("duration=17", "driver.speed=[[0, 0], [1, 0], [6, 8], [17, 8]]"), **facts,
    )  # fmt: skip


def _make_shock(mover: Mover) -> Limit:
    """By the speeds of both sprockets, as a lane change."""
    place = mover.front + RUN_UP
    low, high = 3.0, 15.0
    facts = _make_speed_facts(mover, low, high, 2.5 * SPEED_UP, RUN_UP / low, has_engine=False)
    ground = f"terrain={{type: half-round, position: {place:g}, radius: {SPEED_BUMP:g}}}"
    return Limit(
        name="bump-speed", title=f"fastest over a half-round bump of {SPEED_BUMP:g} m", shock=SHOCK, tolerance=0.25,
        find_reach=lambda _: place + mover.length, interval=0.005,
        overrides=(ground, *facts.pop("overrides")), **facts,
    )  # fmt: skip


def _make_course(mover: Mover, rms: float) -> Limit:
    low, high = 2.0, 12.0
    facts = _make_speed_facts(mover, low, high, SPEED_UP, RATE_TIME + 1.0, has_engine=mover.has_engine)
    length = round(high * facts["duration"] + 20.0)
    ground = f"terrain={{type: course, rms: {rms:g}, length: {length}, track: {_find_tread(mover):g}, spacing: 0.05}}"
    return Limit(
        name=f"course-{rms:g}in", title=f"fastest over a course of {rms:g} in", comfort=COMFORT, is_speed=True,
        tolerance=0.5, interval=0.01, view="iso", overrides=(ground, *facts.pop("overrides")), **facts,
    )  # fmt: skip


def _make_speed_facts(
    mover: Mover, low: float, high: float, speed_up: float, time: float, *, has_engine: bool
) -> dict[str, Any]:
    """Fields of a limit that is a speed: the vehicle comes to it, and keeps it for a time [s]."""
    ramp = 0.0 if mover.kind == "wheels" else round(high / speed_up, 1)
    duration = round(1.0 + ramp + time, 1)
    path = f"driver.path=[[-30, 0], [{round(high * duration + 100)}, 0]]"
    facts = {
        "quantity": "speed", "unit": "m/s", "low": low, "high": high, "scenario": "cross-country", "duration": duration
    }  # fmt: skip
    if mover.kind == "wheels":
        own = (f"duration={duration}", path, "driver.speed=5", "start_speed=5")
        return {**facts, "path": "driver.speed", "also": ("start_speed",), "overrides": own}
    speed = f"driver.speed=[[0, 0], [1, 0], [{1.0 + ramp:g}, 5], [{duration:g}, 5]]"
    own = (f"duration={duration}", path, speed, f"engine={'true' if has_engine else 'false'}")
    return {**facts, "path": "driver.speed.2.1", "also": ("driver.speed.3.1",), "overrides": own}


def _find_tread(mover: Mover) -> float:
    """Distance of both sides across [m]."""
    links = {link for track in mover.model.tracks.values() for link in track.links}
    sides = [abs(body.position[1]) for name, body in mover.model.bodies.items() if name not in links]
    return round(2.0 * float(np.max(sides)), 3)


def _move(mover: Mover, speed: float, duration: float) -> tuple[str, tuple[str, ...]]:
    """Scenario that makes a vehicle drive slowly straight ahead, and its values."""
    length = f"duration={duration}"
    if mover.kind == "plane":
        track = next(iter(mover.model.tracks.values()))
        turn = speed / track.rolling_radius
        course = f"[[0, 0], [0.5, 0], [1.5, {turn:g}], [{duration:g}, {turn:g}]]"
        return "crawl-forward", (length, f"drives={{left: {course}, right: {course}}}")
    ramp = 0.5 + speed / SPEED_UP
    order = f"driver.speed=[[0, 0], [0.5, 0], [{ramp:g}, {speed:g}], [{duration:g}, {speed:g}]]"
    return "cross-country", (
        length,
        order,
        "driver.path=[[-30, 0], [300, 0]]",
        f"engine={'true' if mover.has_engine else 'false'}",
    )
