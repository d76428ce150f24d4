"""Faults of a wheeled vehicle's template: what no field can see by itself, said in the keys of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from grouser.catalog.wheeled.linkage import OpenLinkError, find_corner, place_corner, turn_about
from grouser.catalog.wheeled.parts import Axle, CoilSpring, PitmanSteering
from grouser.families.powertrain.spec import SPLIT
from grouser.families.tyre.spec import find_tyre_faults
from grouser.model.check import find_direction_faults, find_inertia_faults, find_table_faults
from grouser.model.fault import Fault, Path, make_fault

if TYPE_CHECKING:
    from grouser.catalog.wheeled.spec import WheeledVehicle

CLOSEST = 1.0e-3
"""Points that a part joins lie further apart than this [m]."""
SAMPLES = 9
"""Positions of wheel travel and of steering at which linkages are closed."""

_LENGTHS = (
    ("upper_front", "upper_rear", "the hinge of the upper arm"),
    ("lower_front", "lower_rear", "the hinge of the lower arm"),
    ("upper_ball", "lower_ball", "the upright"),
    ("tie_rod_inner", "tie_rod_outer", "the tie rod"),
    ("spring_top", "spring_bottom", "the spring"),
    ("shock_top", "shock_bottom", "the shock absorber"),
)
_ARMS = (
    ("upper_ball", "upper_rear", "upper_front", "upper arm"),
    ("lower_ball", "lower_rear", "lower_front", "lower arm"),
)


def find_vehicle_faults(vehicle: WheeledVehicle) -> Iterator[Fault]:
    """All faults of a template."""
    yield from find_inertia_faults(("chassis", "inertia"), vehicle.chassis.mass, vehicle.chassis.inertia)
    yield from find_tyre_faults(("tyre",), vehicle.tyre)
    is_broken = False
    for name, axle in vehicle.axles.items():
        faults = [*_find_axle_faults(("axles", name), axle)]
        is_broken |= bool(faults)
        yield from faults
    yield from _find_drive_faults(vehicle)
    steering = vehicle.steering
    if steering is not None:
        faults = [*_find_steering_faults(steering, vehicle)]
        yield from faults
        if not faults and not is_broken:
            yield from _find_reach_faults(steering, vehicle.axles[steering.axle])


def _find_axle_faults(path: Path, axle: Axle) -> Iterator[Fault]:
    p = {name: np.array(value) for name, value in axle.points}
    faults: list[Fault] = []
    for a, b, part in _LENGTHS:
        if np.linalg.norm(p[a] - p[b]) < CLOSEST:
            faults.append(make_fault((*path, "points", a), f"is the same point as {b!r}, so {part} has no length"))
    for ball, rear, front, part in _ARMS:
        line = p[front] - p[rear]
        away = np.linalg.norm(np.cross(line, p[ball] - p[rear])) / max(float(np.linalg.norm(line)), CLOSEST)
        if np.linalg.norm(line) >= CLOSEST and away < CLOSEST:
            faults.append(
                make_fault(
                    (*path, "points", ball), f"lies on the hinge of the {part}, so the arm has no length; move it"
                )
            )
    if p["spindle"][1] <= 0.0:
        faults.append(make_fault((*path, "points", "spindle"), "has no positive y; points are those of the left side"))
    for name, part in axle.parts:
        faults += find_inertia_faults((*path, "parts", name, "inertia"), part.mass, part.inertia)
    faults += _find_spring_faults((*path, "spring"), axle.spring)
    low, high = axle.travel
    if not low <= 0.0 <= high:
        faults.append(make_fault((*path, "travel"), f"is [{low:g}, {high:g}] m; it must hold 0, the design position"))
    yield from faults
    if faults:
        return
    for travel in np.linspace(low, high, SAMPLES).tolist():
        try:
            find_corner(axle.points, travel)
        except OpenLinkError as error:
            yield make_fault(
                (*path, "points"),
                f"cannot be assembled at a wheel travel of {travel:.3g} m: the {error} does not reach; move its "
                "points, or narrow 'travel'",
            )
            return


def _find_spring_faults(path: Path, spring: CoilSpring) -> Iterator[Fault]:
    if isinstance(spring.stiffness, float):
        if spring.stiffness <= 0.0:
            yield make_fault((*path, "stiffness"), f"is {spring.stiffness:g} N/m; a spring must push back")
    else:
        yield from _find_curve_faults((*path, "stiffness"), spring.stiffness)
    if spring.stops is not None:
        yield from _find_curve_faults((*path, "stops", "curve"), spring.stops.curve)
        if spring.stops.shortest >= spring.stops.longest:
            yield make_fault((*path, "stops"), "has a shortest length that is not below the longest; exchange them")


def _find_curve_faults(path: Path, curve: list[tuple[float, float]]) -> Iterator[Fault]:
    yield from find_table_faults(path, curve)
    if tuple(curve[0]) != (0.0, 0.0):
        yield make_fault((*path, 0), f"is {list(curve[0])}; the table must begin with [0, 0]")
    for i in range(1, len(curve)):
        if curve[i][1] < curve[i - 1][1]:
            yield make_fault((*path, i), f"force {curve[i][1]:g} N follows {curve[i - 1][1]:g} N; forces must not fall")
            return


def _find_drive_faults(vehicle: WheeledVehicle) -> Iterator[Fault]:
    total = sum(axle.drive for axle in vehicle.axles.values())
    if vehicle.drivetrain is not None and abs(total - 1.0) > SPLIT:
        yield make_fault(
            ("axles",), f"have shares 'drive' that add up to {total:g}; with a drivetrain they add up to 1"
        )


def _find_steering_faults(steering: PitmanSteering, vehicle: WheeledVehicle) -> Iterator[Fault]:
    path: Path = ("steering",)
    if steering.axle not in vehicle.axles:
        names = ", ".join(vehicle.axles)
        yield make_fault((*path, "axle"), f"is {steering.axle!r}; there are the axles {names}")
    yield from find_direction_faults((*path, "axis"), steering.axis, "the axis of the arms")
    for pivot, ball in (("pitman_pivot", "pitman_ball"), ("idler_pivot", "idler_ball")):
        if np.linalg.norm(np.subtract(getattr(steering, pivot), getattr(steering, ball))) < CLOSEST:
            yield make_fault((*path, ball), f"is the same point as {pivot!r}, so the arm has no length")
    if abs(steering.ratio) < 1e-6:
        yield make_fault((*path, "ratio"), "is 0; the road wheels must turn with the Pitman arm")


def _find_reach_faults(steering: PitmanSteering, axle: Axle) -> Iterator[Fault]:
    """A steering angle at which a tie rod does not reach."""
    axis = np.array(steering.axis) / np.linalg.norm(steering.axis)
    ball, origin = np.array(steering.pitman_ball), np.array(axle.origin)
    for angle in np.linspace(-steering.limit, steering.limit, SAMPLES).tolist():
        # both arms are parallel, so the link moves without turning
        shift = turn_about(ball, np.array(steering.pitman_pivot), axis, angle) - ball
        for side in (1.0, -1.0):  # the right side as mirror image of a left one
            inner = np.array(axle.points.tie_rod_inner) + shift * [1.0, side, 1.0]
            try:
                place_corner(axle.points, 0.0, inner)
            except OpenLinkError:
                yield make_fault(
                    ("steering", "limit"),
                    f"is {steering.limit:g} rad, but at {angle:.3g} rad of the Pitman arm a tie rod does not reach the "
                    f"upright; make it smaller, or move the tie rods of axle {steering.axle!r} at {origin.tolist()}",
                )
                return
