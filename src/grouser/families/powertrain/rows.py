"""Powertrains become rows of their tables."""

from __future__ import annotations

import math

import numpy as np

from grouser.compile.layout import Array, Layout
from grouser.compile.tables import FLOAT, INT, make_rows, make_table
from grouser.families.family import Family, Output, Source, list_forces
from grouser.families.powertrain.spec import Box, Powertrain
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix

PowertrainTable = make_table(
    "PowertrainTable",
    ("state", "(n,)", INT, "-", "place of its gear in z"),
    ("gear_start", "(n,)", INT, "-", "first of its gears"),
    ("gear_stop", "(n,)", INT, "-", "one past the last"),
    ("wheel_start", "(n,)", INT, "-", "first of its wheels"),
    ("wheel_stop", "(n,)", INT, "-", "one past the last"),
    ("idle", "(n,)", FLOAT, "rad/s", "idle speed"),
    ("launch", "(n,)", FLOAT, "rad/s", "speed at a standstill with the throttle open"),
    ("multiplication", "(n,)", FLOAT, "-", "of the converter at a standstill"),
    ("shift_time", "(n,)", FLOAT, "s", "time constant of a shift"),
    ("curve_torque", "(n,)", INT, "-", "torque by speed, throttle open"),
    ("curve_drag", "(n,)", INT, "-", "torque by speed, throttle closed"),
    ("signal", "(n,)", INT, "-", "throttle"),
    ("driver", "(n,)", INT, "-", "driver whose throttle is added, or -1"),
    ("ratio", "(m,)", FLOAT, "-", "engine speed over wheel speed of each gear"),
    ("up", "(m,)", FLOAT, "rad/s", "speed of the wheels at which it shifts up from a gear"),
    ("down", "(m,)", FLOAT, "rad/s", "speed of the wheels at which it shifts down to it"),
)

DrivenTable = make_table(
    "DrivenTable",
    ("body", "(n,)", INT, "-", "wheel"),
    ("reaction", "(n,)", INT, "-", "body that takes the reaction"),
    ("axis", "(n,3)", FLOAT, "-", "spin axis on the wheel"),
    ("share", "(n,)", FLOAT, "-", "share of the torque"),
)


def make_powertrains(source: Source) -> tuple[tuple, ...]:
    """The table of powertrains, and that of their wheels."""
    model, layout, signals = source.model, source.layout, source.signals
    columns: dict[str, list] = {field[0]: [] for field in PowertrainTable.FIELDS}  # type: ignore[attr-defined]
    wheels: dict[str, list] = {field[0]: [] for field in DrivenTable.FIELDS}  # type: ignore[attr-defined]
    for name in layout.names["powertrain"]:
        powertrain = model.forces[name]
        assert isinstance(powertrain, Powertrain)
        engine, box = powertrain.engine, powertrain.gearbox
        up, down = calc_shift_speeds(box)
        row = {
            "state": layout.state_start[name],
            "gear_start": len(columns["ratio"]),
            "gear_stop": len(columns["ratio"]) + len(box.ratios),
            "wheel_start": len(wheels["body"]),
            "wheel_stop": len(wheels["body"]) + len(powertrain.wheels),
            "idle": engine.idle,
            "launch": engine.launch,
            "multiplication": box.multiplication,
            "shift_time": box.shift_time,
            "curve_torque": signals.add_signal(engine.torque),
            "curve_drag": signals.add_signal(engine.drag),
            "signal": signals.add_signal(powertrain.throttle),
            "driver": find_pedal_driver(model, name),
        }
        for field, value in row.items():
            columns[field].append(value)
        columns["ratio"] += box.ratios
        columns["up"] += up
        columns["down"] += down
        for wheel in powertrain.wheels:
            body, axis = find_spin(model, layout, wheel.joint)
            wheels["body"].append(body)
            wheels["reaction"].append(layout.find_body(powertrain.reaction))
            wheels["axis"].append(axis)
            wheels["share"].append(wheel.share)
    return make_rows(PowertrainTable, columns), make_rows(DrivenTable, wheels)


def calc_shift_speeds(box: Box, final: float = 1.0) -> tuple[list[float], list[float]]:
    """Speeds of the wheels [rad/s] at which each gear is left upwards, and the one above it downwards; `final` is the
    ratio of gears behind the box."""
    up = [speed / (final * ratio) for speed, ratio in zip(box.up, box.ratios, strict=False)]
    down = [box.down / (final * ratio) for ratio in box.ratios[1:]]
    return [*up, math.inf], [*down, math.inf]


def find_first_gear(model: Model, name: str) -> tuple[float]:
    """Gear in which a powertrain begins: the highest that suits the initial speed of its wheels."""
    powertrain = model.forces[name]
    assert isinstance(powertrain, Powertrain)
    speed = 0.0
    for wheel in powertrain.wheels:
        joint = model.joints[wheel.joint]
        spin = _calc_spin(model, joint.frame_b.body, powertrain.reaction)
        body = model.bodies[joint.frame_b.body]
        axis = quaternion_to_matrix(body.orientation) @ quaternion_to_matrix(joint.frame_b.orientation)[:, 2]
        speed += wheel.share * float(spin @ axis)
    return (1.0 + sum(speed > limit for limit in calc_shift_speeds(powertrain.gearbox)[1]),)


def _calc_spin(model: Model, wheel: str, carrier: str) -> Array:
    """Initial angular velocity of one body against another, world axes [rad/s]."""
    spins = [
        quaternion_to_matrix(body.orientation) @ np.array(body.angular_velocity)
        for body in (model.bodies.get(wheel), model.bodies.get(carrier))
        if body is not None
    ]
    return spins[0] - spins[1] if len(spins) == 2 else spins[0]


def find_spin(model: Model, layout: Layout, joint: str) -> tuple[int, Array]:
    """Wheel and spin axis on it, of the joint on which it turns."""
    body, _, axes = layout.place_frame(model.joints[joint].frame_b)
    return body, axes[:, 2]


def find_pedal_driver(model: Model, name: str) -> int:
    """Index of the driver that works the pedal of an element, or -1."""
    for i, driver in enumerate(model.drivers.values()):
        if name == driver.pedals.powertrain or name in driver.pedals.brakes:
            return i
    return -1


FAMILY = Family(
    "powertrain",
    {"powertrain": PowertrainTable, "driven": DrivenTable},
    list_forces("powertrain"),
    make_powertrains,
    states=1,
    find_start=find_first_gear,
    find_owners=lambda tables: tables.driven.body[tables.powertrain.wheel_start],
    values=5,
    outputs=(
        Output("engine_speed", "rad/s", "speed of the engine"),
        Output("engine_torque", "N m", "torque of the engine"),
        Output("gear", "-", "gear; between whole numbers while shifting"),
        Output("throttle", "-", "throttle, 0 to 1"),
        Output("power", "W", "power put into the wheels"),
    ),
)
