"""Sensors of the accelerations of a rigid body: what its loads are balanced by."""

from __future__ import annotations

from collections.abc import Iterable

from grouser.errors import ModelError, say_unknown
from grouser.model.body import Frame
from grouser.model.model import Model
from grouser.model.sensor import Sensor

ACCELERATION, SPIN = "load_acceleration", "load_spin"
"""Names of the sensors, behind that of the body."""


def add_load_sensors(model: Model, parts: Iterable[str]) -> Model:
    """The model with sensors of the acceleration of the centre of mass, and of the angular acceleration, of bodies.

    >>> import grouser as gr
    >>> builder = gr.ModelBuilder("falling")
    >>> stone = builder.add_body("stone", 1.0, (0.1, 0.1, 0.1))
    >>> list(add_load_sensors(builder.build(), ["stone"]).sensors)
    ['stone.load_acceleration', 'stone.load_spin']
    """
    sensors = dict(model.sensors)
    for part in parts:
        if part not in model.bodies:
            raise ModelError(say_unknown("body", part, model.bodies))
        frame = Frame(body=part, position=model.bodies[part].com)
        sensors[f"{part}.{ACCELERATION}"] = Sensor(frame=frame, quantity="acceleration", axes="body")
        sensors[f"{part}.{SPIN}"] = Sensor(frame=frame, quantity="angular_acceleration", axes="body")
    return model.model_copy(update={"sensors": sensors})
