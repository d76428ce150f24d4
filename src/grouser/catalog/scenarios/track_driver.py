"""A driver for a vehicle with tracks, who does what a scenario asks of drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.catalog.scenarios.driver import make_path, scale_signal
from grouser.errors import ModelError
from grouser.families.driver.spec import Driver, Pedals, TrackSteering
from grouser.model.body import Frame
from grouser.model.force import Brake
from grouser.model.model import Model
from grouser.model.validate import find_track_powertrains

if TYPE_CHECKING:
    from grouser.catalog.scenarios import Scenario

DRIVER = "driver"
"""Name of the driver."""


def with_track_driver(model: Model, scenario: Scenario) -> Model:
    """The model with a driver who steers by its two tracks and keeps the speed of the scenario: by the speeds of both
    sprockets, or by pedals and differential where the vehicle is driven by its engine."""
    orders = scenario.driver
    assert orders is not None
    engines = find_track_powertrains(model)
    _check_orders(model, scenario, has_engine=bool(engines))
    right, left = sorted(model.tracks.values(), key=lambda track: model.bodies[track.sprocket].position[1])
    tread = model.bodies[left.sprocket].position[1] - model.bodies[right.sprocket].position[1]
    steering: dict[str, Any] = {"tread": tread, "radius": left.rolling_radius}
    if orders.preview_time is not None:
        steering["preview_time"] = orders.preview_time
    forces, motions, pedals = dict(model.forces), dict(model.motions), Pedals()
    if engines:
        brakes = [name for name, force in model.forces.items() if isinstance(force, Brake)]
        pedals = Pedals(powertrain=next(iter(engines)), brakes=brakes)
        for name, engine in engines.items():
            forces[name] = engine.model_copy(update={"throttle": orders.throttle})
        for name in brakes:
            forces[name] = forces[name].model_copy(update={"pedal": orders.brake})
    else:
        steering |= {"left": left.drive, "right": right.drive}
        for track in (left, right):
            value = scale_signal(orders.speed or 0.0, 1.0 / track.rolling_radius)
            motions[track.drive] = motions[track.drive].model_copy(update={"value": value})
    driver = Driver(
        frame=Frame(body=model.main_body, position=_find_middle(model)),
        steering=TrackSteering(**steering),
        path=make_path(orders.path),
        pedals=pedals,
        speed=orders.speed,
    )
    return model.with_changes(forces=forces, motions=motions, drivers={DRIVER: driver})


def _check_orders(model: Model, scenario: Scenario, *, has_engine: bool) -> None:
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
    if orders.speed is None and not has_engine:
        faults.append(f"{about}: driver.speed: is missing; the sprockets of {model.name!r} turn by it")
    for key in ("steering",) if has_engine else ("steering", "throttle", "brake"):
        if getattr(orders, key) != 0.0:
            faults.append(f"{about}: driver.{key}: {model.name!r} is steered by its tracks and has none; remove it")
    for name, track in model.tracks.items():
        motion = model.motions.get(track.drive)
        if not has_engine and (motion is None or motion.quantity != "speed"):
            faults.append(f"{about}: driver: the drive of track {name!r} is not a motion by its speed")
    if faults:
        raise ModelError(faults)


def _find_middle(model: Model) -> tuple[float, float, float]:
    """The middle of all road wheels on the ground plan, in the frame of the main body."""
    wheels = [model.bodies[wheel].position for track in model.tracks.values() for wheel in track.wheels]
    x, y, _ = np.mean(wheels, axis=0) - model.bodies[model.main_body].position
    return float(x), float(y), 0.0
