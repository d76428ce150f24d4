"""Static loads of the road wheels and the torsion bar preloads that hold them.

In the design position the axles carry hull, sprockets, idlers, rollers and arms. With more than three wheels the
loads are not determined by equilibrium alone; the loads of least sum of squares are taken,

    minimise sum F_i^2 with  sum F_i = W,  sum F_i x_i = W x_c,  sum F_i y_i = W y_c          (1)

which are F_i = a + b x_i + c y_i: equal where the centre of mass stands in the middle. Equilibrium of an arm about
its pivot, with the wheel at r and the arm's centre of mass at c from the pivot, F the load of its axle and m the
mass of the arm (torques about +y, upward force F has the torque -r_x F):

    torque = r_x F - c_x m g                                                                   (2)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.catalog.tracked.clearance import Array
from grouser.catalog.tracked.parts import GRAVITY, SIDES, RoadArms, Side
from grouser.catalog.tracked.spec import TrackedVehicle, TrackSide
from grouser.errors import ModelError


@dataclass(frozen=True)
class PointMass:
    """A mass [kg] and its place in the vehicle's frame [m]."""

    mass: float
    x: float
    y: float


def calc_axle_loads(
    vehicle: TrackedVehicle, sides: dict[Side, TrackSide], shifts: dict[Side, float]
) -> dict[Side, Array]:
    """Load of each road wheel's axle in the design position, front to rear [N]: what the arm presses down with.

    Parameters
    ----------
    shifts : shift of each idler along its tensioner [m]
    """
    masses = [PointMass(vehicle.chassis.mass, *vehicle.chassis.com[:2])]
    axles: list[tuple[float, float]] = []
    for name in SIDES:
        side = sides[name]
        y = side.track_y if name == "left" else -side.track_y
        masses += _find_masses(side, shifts[name], y, 1.0 if name == "left" else -1.0)
        axles += [(x, y) for x, _ in side.road_wheels.centres]
    loads = spread_weight(masses, axles)
    split = len(sides["left"].road_wheels.centres)
    return {"left": loads[:split], "right": loads[split:]}


def spread_weight(masses: Sequence[PointMass], axles: Sequence[tuple[float, float]]) -> Array:
    """Loads (1) of axles at places (x, y) [m] that carry masses; in N."""
    weight = sum(m.mass for m in masses)
    centre_x, centre_y = (sum(m.mass * getattr(m, axis) for m in masses) / weight for axis in "xy")
    place = np.array(axles)
    middle = np.mean(place, axis=0)
    rows = np.column_stack([np.ones(len(place)), place - middle])
    wanted = GRAVITY * weight * np.array([1.0, centre_x - middle[0], centre_y - middle[1]])
    loads = rows @ np.linalg.solve(rows.T @ rows, wanted)  # (1)
    if np.min(loads) <= 0.0:
        raise ModelError(
            f"chassis.com: the centre of mass of the sprung parts at x = {centre_x:.3f} m, y = {centre_y:.3f} m would "
            f"lift the road wheel at x = {place[np.argmin(loads), 0]:.3f} m; move it over the wheels, or give the "
            "torsion bars a preload in numbers"
        )
    return loads


def calc_static_preload(arms: RoadArms, load: float) -> float:
    """Torque about +y on an arm that holds the load of its axle [N m]."""
    wheel_x, com_x = -arms.pivot[0], arms.com[0] - arms.pivot[0]
    torque = wheel_x * load - com_x * arms.mass * GRAVITY  # (2)
    # a micronewton metre is below any meaning; without it both sides of a symmetric vehicle are equal to the bit
    return round(torque, 6)


def _find_masses(side: TrackSide, shift: float, y: float, outward: float) -> list[PointMass]:
    masses = [PointMass(side.sprocket.mass, side.sprocket.centre[0], y)]
    carrier, idler_x = side.idler.carrier, side.idler.centre[0] + shift * side.find_tensioner_axis()[0]
    masses.append(PointMass(side.idler.mass, idler_x, y))
    masses.append(PointMass(carrier.mass, idler_x + carrier.com[0], y + outward * carrier.com[1]))
    if side.rollers:
        masses += [PointMass(side.rollers.mass, x, y) for x, _ in side.rollers.centres]
    return masses + list_arms(side.arms, side.road_wheels.centres, y, outward)


def list_arms(
    arms: RoadArms | None, wheels: Sequence[tuple[float, float]], y: float, outward: float
) -> list[PointMass]:
    """Arms of road wheels with the centres (x, z) in the plane y [m]; `outward` is 1 on the left side, -1 on the
    right."""
    if arms is None:
        return []
    return [PointMass(arms.mass, x + arms.com[0], y + outward * arms.com[1]) for x, _ in wheels]
