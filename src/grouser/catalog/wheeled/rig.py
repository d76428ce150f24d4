"""Kinematics rig: the chassis is held, wheels are lifted and lowered, or steered, and the joints do the rest.

The model is that of the vehicle itself without its tyres and drives: lifting is an ideal motion of the wheel centre,
and each position is found by bringing the bodies onto all constraints. Velocities are brought onto them too, so motion
ratios are exact derivatives.
"""

from __future__ import annotations

from math import asin, atan2
from typing import Any, NamedTuple

import numpy as np

from grouser.catalog.wheeled.build import SIDES, STEERING_MOTION, make_wheeled_vehicle
from grouser.catalog.wheeled.corner import CHASSIS
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.compile.compile import Compiled
from grouser.compile.state import State, copy_state
from grouser.errors import ModelError, say_unknown
from grouser.families.coordinate_force.motion import Motion
from grouser.families.joint.spec import Joint
from grouser.formulations.status import DONE
from grouser.integrators.solvers import make_integrator
from grouser.model.body import Frame
from grouser.model.force import Spring
from grouser.model.model import Model
from grouser.model.start import calc_world_frame
from grouser.presets import find_preset
from grouser.simulate import prepare

Array = np.ndarray
PRESET = "constrained"
STEP = 1.0e-3
"""Of a solver that takes no step [s]."""
CLOSED = 1.0e-9
"""Largest gap of a joint that is closed [m]."""


class TravelCurves(NamedTuple):
    """Left wheel of an axle over wheel travel, both wheels lifted alike; each (n,).

    Attributes
    ----------
    travel : of the wheel centre, bump positive [m]
    camber : top inwards is negative [rad]
    toe : toe-in is positive [rad]
    track_change : of the distance of both contact points [m]
    wheel_recession : of the wheel centre to the rear [m]
    spring_length, shock_length : [m]
    spring_ratio, shock_ratio : by how much they become shorter over travel [-]
    wheel_force : of the spring at the wheel [N]
    """

    travel: Array
    camber: Array
    toe: Array
    track_change: Array
    wheel_recession: Array
    spring_length: Array
    spring_ratio: Array
    shock_length: Array
    shock_ratio: Array
    wheel_force: Array


class SteeringCurves(NamedTuple):
    """Wheels of the steered axle over the angle of the Pitman arm, at the design height; each (n,).

    Attributes
    ----------
    arm : angle of the Pitman arm about its axis [rad]
    left, right : angles of the wheels, positive to the left [rad]
    """

    arm: Array
    left: Array
    right: Array


def calc_travel_curves(
    vehicle: WheeledVehicle, axle: str, travel: tuple[float, float], count: int = 41
) -> TravelCurves:
    """Kinematics of an axle over wheel travel from the first to the second value [m].

    Raises
    ------
    ModelError : there is no such axle, or the linkage does not reach that far
    """
    if axle not in vehicle.axles:
        raise ModelError(say_unknown("axle", axle, vehicle.axles))
    low, high = travel
    if not low < high:
        raise ModelError(f"travel from {low:g} to {high:g} m: the second must be larger")
    rig = _Rig(vehicle, {f"{axle}.{side}": low for side in SIDES}, 1.0)
    name, radius = f"{axle}.left", vehicle.tyre.radius
    rows = []
    for place in rig.sweep(np.linspace(low, high, count), f"a wheel travel of {{:.3g}} m of axle {axle!r}"):
        centre, axis = place.find_wheel(name)
        spring, shock = place.springs[f"{name}.spring"], place.springs[f"{name}.shock"]
        # the contact point lies under the centre, in the plane of the wheel
        contact = centre - radius * np.cross(np.cross(axis, (0.0, 0.0, 1.0)), axis) / np.hypot(axis[0], axis[1])
        rows.append(
            (
                place.value,
                -asin(axis[2]),
                atan2(axis[0], axis[1]),
                2.0 * contact[1],
                -centre[0],
                spring[1],
                -spring[2],
                shock[1],
                -shock[2],
                -spring[0] * spring[2],
            )
        )
    curves = TravelCurves(*np.array(rows).T)
    design = vehicle.axles[axle].points.spindle
    x = design[0] + vehicle.axles[axle].origin[0]
    y = design[1] + vehicle.axles[axle].origin[1]
    return curves._replace(track_change=curves.track_change - 2.0 * y, wheel_recession=curves.wheel_recession + x)


def calc_steering_curves(vehicle: WheeledVehicle, count: int = 31) -> SteeringCurves:
    """Angles of the steered wheels at the design height, up to the limit of the Pitman arm."""
    steering = vehicle.steering
    if steering is None:
        raise ModelError(f"{vehicle.name!r} has no steering")
    rig = _Rig(vehicle, {f"{steering.axle}.{side}": 0.0 for side in SIDES}, 0.0, steering=-steering.limit)
    rows = []
    for place in rig.sweep(np.linspace(-steering.limit, steering.limit, count), "{:.3g} rad of the Pitman arm"):
        axes = [place.find_wheel(f"{steering.axle}.{side}")[1] for side in SIDES]
        rows.append((place.value, *(atan2(-axis[0], axis[1]) for axis in axes)))
    return SteeringCurves(*np.array(rows).T)


class _Place(NamedTuple):
    """One position of the rig."""

    value: float
    compiled: Compiled
    state: State
    springs: dict[str, Array]  # force, length and rate by name

    def find_wheel(self, corner: str) -> tuple[Array, Array]:
        """Centre of a wheel and the direction of its axis, to the left."""
        body = self.compiled.layout.find_body(f"{corner}.upright")
        spin = self.compiled.model.joints[f"{corner}.spin"].frame_a
        _, p, axes = self.compiled.layout.place_frame(spin)
        R = self.state.R[body]
        return self.state.x[body] + R @ p, R @ axes[:, 2]


class _Rig:
    """A vehicle whose motions run with time: lifting at `lift_rate` from the given heights, or steering at 1 rad/s."""

    def __init__(
        self, vehicle: WheeledVehicle, lifted: dict[str, float], lift_rate: float, *, steering: float | None = None
    ) -> None:
        model = _make_rig_model(make_wheeled_vehicle(vehicle), lifted, lift_rate, steering)
        self.start = -min(lifted.values()) if steering is None else -steering
        self.compiled, _ = prepare(model, find_preset(PRESET))
        self.solver = make_integrator(self.compiled, "augmented", "euler")

    def sweep(self, values: Array, where: str) -> list[_Place]:
        """Positions at all values; each is reached from the design position, step by step."""
        places: list[_Place] = []
        up, down = values[values >= 0.0], values[values < 0.0][::-1]
        for part in (down, up):
            state = copy_state(self.compiled.initial)
            for value in part.tolist():
                state.time[0] = value + self.start
                status, _ = self.solver.advance(state, 0, STEP)
                gap = float(np.sqrt(self.solver.work.joint_peak.max()))
                self.solver.work.joint_peak[:] = 0.0
                if status != DONE or not gap < CLOSED:
                    raise ModelError(f"the linkage cannot be assembled at {where.format(value)}; stay within its reach")
                springs = dict(zip(self.compiled.layout.scalars, self.solver.work.scalar_value.copy(), strict=True))
                places.append(_Place(value, self.compiled, copy_state(state), springs))
        return sorted(places, key=lambda place: place.value)


def _make_rig_model(model: Model, lifted: dict[str, float], lift_rate: float, steering: float | None) -> Model:
    """The vehicle with its chassis held, without tyres and drives, its wheels lifted from heights [m] at a rate."""
    height = model.bodies[CHASSIS].position
    joints: dict[str, Any] = dict(model.joints)
    motions: dict[str, Any] = dict(model.motions)
    hold = Frame(body="world", position=height)
    joints["rig.chassis"] = Joint(type="fixed", frame_a=hold, frame_b=Frame(body=CHASSIS), group="rig")
    for corner, start in lifted.items():
        spin = model.joints[f"{corner}.spin"].frame_a
        centre, _ = calc_world_frame(model, spin)
        upright = spin.model_copy(update={"orientation": (1.0, 0.0, 0.0, 0.0)})
        joints[f"rig.{corner}"] = Joint(
            type="free", frame_a=Frame(body="world", position=tuple(centre.tolist())), frame_b=upright, group="rig"
        )
        motions[f"rig.{corner}.lift"] = Motion(
            joint=f"rig.{corner}", coordinate="translation", quantity="position", value=f"{start!r} + {lift_rate!r}*t"
        )
    if steering is not None:
        motions[STEERING_MOTION] = motions[STEERING_MOTION].model_copy(update={"value": f"{steering!r} + t"})
    springs = {name: force for name, force in model.forces.items() if isinstance(force, Spring)}
    return model.with_changes(joints=joints, motions=motions, forces=springs, drivers={}, terrain=None)
