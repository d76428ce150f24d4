"""From the template of a wheeled vehicle to a model of every body and joint."""

from __future__ import annotations

import numpy as np

from grouser.catalog.placement import place_on_terrain
from grouser.catalog.wheeled.corner import CHASSIS, STEERING, CornerMaker
from grouser.catalog.wheeled.parts import PitmanSteering
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.model.rotation import make_axis_frame, matrix_to_quaternion
from grouser.model.terrain import Plane, Terrain

SIDES = {"left": 1.0, "right": -1.0}
LINK = "steering_link"
DRIVER, POWERTRAIN, STEERING_MOTION = "driver", "powertrain", "steering"
"""Names of what a driver works with."""


def make_wheeled_vehicle(spec: WheeledVehicle, terrain: Terrain | None = None) -> Model:
    """Model of a wheeled vehicle in its design position, tyres on the terrain, by default the plane z = 0."""
    builder = ModelBuilder(spec.name, description=spec.description)
    chassis = spec.chassis
    builder.add_body(CHASSIS, chassis.mass, chassis.inertia, com=chassis.com)
    builder.set_main_body(CHASSIS)
    builder.set_terrain(Plane())
    if spec.steering is not None:
        _add_steering(builder, spec.steering)
    shares: dict[str, float] = {}
    brakes: list[str] = []
    for axle_name, axle in spec.axles.items():
        is_steered = spec.steering is not None and spec.steering.axle == axle_name
        for side, outward in SIDES.items():
            name = f"{axle_name}.{side}"
            spin = CornerMaker(builder, name, axle, outward).add(spec.tyre, LINK if is_steered else CHASSIS)
            if axle.drive > 0.0:
                shares[spin] = 0.5 * axle.drive
            if axle.brake > 0.0:
                brakes.append(builder.add_brake(f"{name}.brake", spin, torque=axle.brake))
    if spec.drivetrain is not None:
        drive = spec.drivetrain.model_dump()
        builder.add_powertrain(POWERTRAIN, reaction=CHASSIS, wheels=shares, **drive)
    _add_driver(builder, spec, brakes)
    model = builder.build()
    return place_on_terrain(model, Plane() if terrain is None else terrain)


def _add_steering(builder: ModelBuilder, steering: PitmanSteering) -> None:
    frame = make_axis_frame(steering.axis, x_axis=(1.0, 0.0, 0.0))
    orientation, axis = matrix_to_quaternion(frame), frame[:, 2]
    for name, part, com in (
        ("pitman_arm", steering.arm, steering.arm_com),
        (LINK, steering.link, steering.link_com),
    ):
        builder.add_body(name, part.mass, part.inertia, position=com, orientation=orientation)
    pivot, ball = steering.pitman_pivot, steering.pitman_ball
    builder.add_joint("pitman_pivot", "revolute", CHASSIS, "pitman_arm", point=pivot, axis=axis, group=STEERING)
    builder.add_joint("pitman_ball", "revolute", "pitman_arm", LINK, point=ball, axis=axis, group=STEERING)
    builder.add_distance(
        "idler_arm", CHASSIS, LINK, point_a=steering.idler_pivot, point_b=steering.idler_ball, group=STEERING
    )
    builder.add_motion(STEERING_MOTION, "pitman_pivot", position=0.0)


def _add_driver(builder: ModelBuilder, spec: WheeledVehicle, brakes: list[str]) -> None:
    """A driver in the middle of the last axle, who does nothing until a scenario says what."""
    wheels = [np.array(axle.points.spindle) + axle.origin for axle in spec.axles.values()]
    ahead = max(wheels, key=lambda wheel: float(wheel[0]))
    behind = min(wheels, key=lambda wheel: float(wheel[0]))
    steering = None
    if spec.steering is not None:
        steering = {
            "motion": STEERING_MOTION,
            "ratio": spec.steering.ratio,
            "wheelbase": float(ahead[0] - behind[0]),
            "limit": spec.steering.limit,
            "understeer": spec.steering.understeer,
        }
    pedals = {"powertrain": POWERTRAIN if spec.drivetrain is not None else "", "brakes": brakes}
    view = behind * [1.0, 0.0, 1.0]
    builder.add_driver(DRIVER, CHASSIS, point=view, steering=steering, pedals=pedals)
