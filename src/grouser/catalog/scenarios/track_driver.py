"""A driver for a vehicle with tracks, who does what a scenario asks of drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.catalog.scenarios.driver import make_path, scale_signal
from grouser.errors import ModelError
from grouser.families.driver.spec import Driver, TrackSteering
from grouser.model.body import Frame
from grouser.model.model import Model

if TYPE_CHECKING:
    from grouser.catalog.scenarios import Scenario

DRIVER = "driver"
"""Name of the driver."""


def with_track_driver(model: Model, scenario: Scenario) -> Model:
    """The model with a driver who steers by its two tracks and keeps the speed of the scenario by both sprockets."""
    orders = scenario.driver
    assert orders is not None
    _check_orders(model, scenario)
    right, left = sorted(model.tracks.values(), key=lambda track: model.bodies[track.sprocket].position[1])
    tread = model.bodies[left.sprocket].position[1] - model.bodies[right.sprocket].position[1]
    preview = {} if orders.preview_time is None else {"preview_time": orders.preview_time}
    driver = Driver(
        frame=Frame(body=model.main_body, position=_find_middle(model)),
        steering=TrackSteering(left=left.drive, right=right.drive, tread=tread, radius=left.rolling_radius, **preview),
        path=make_path(orders.path),
        speed=orders.speed,
    )
    motions = dict(model.motions)
    for track in (left, right):
        value = scale_signal(orders.speed or 0.0, 1.0 / track.rolling_radius)
        motions[track.drive] = motions[track.drive].model_copy(update={"value": value})
    return model.with_changes(motions=motions, drivers={DRIVER: driver})


def _check_orders(model: Model, scenario: Scenario) -> None:
    """Refuse what tracks cannot do."""
    orders, about = scenario.driver, f"scenario {scenario.name!r}"
    assert orders is not None
    faults = []
    if model.planar or len(model.tracks) != 2:
        faults.append(f"{about}: driver: {model.name!r} has no two tracks beside each other, so it cannot be steered")
    if scenario.start_speed > 0.0:
        faults.append(
            f"{about}: start_speed: is {scenario.start_speed:g} m/s, but vehicles with tracks start at rest; take "
            "0 and a speed that rises from 0, as in the scenario lane-change"
        )
    if orders.speed is None:
        faults.append(f"{about}: driver.speed: is missing; the sprockets of {model.name!r} turn by it")
    for key in ("steering", "throttle", "brake"):
        if getattr(orders, key) != 0.0:
            faults.append(f"{about}: driver.{key}: {model.name!r} is steered by its tracks and has none; remove it")
    for name, track in model.tracks.items():
        motion = model.motions.get(track.drive)
        if motion is None or motion.quantity != "speed":
            faults.append(f"{about}: driver: the drive of track {name!r} is not a motion by its speed")
    if faults:
        raise ModelError(faults)


def _find_middle(model: Model) -> tuple[float, float, float]:
    """The middle of all road wheels on the ground plan, in the frame of the main body."""
    wheels = [model.bodies[wheel].position for track in model.tracks.values() for wheel in track.wheels]
    x, y, _ = np.mean(wheels, axis=0) - model.bodies[model.main_body].position
    return float(x), float(y), 0.0
