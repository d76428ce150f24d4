"""Tyres, powertrains and brakes become rows of their tables."""

from __future__ import annotations

import math

import numpy as np

from grouser.compile.layout import Array, Layout
from grouser.compile.signals import SignalCollector
from grouser.compile.tables import BrakeTable, DrivenTable, PowertrainTable, TyreTable, make_rows
from grouser.model.force import Brake, Powertrain, Tyre
from grouser.model.model import Model
from grouser.model.powertrain import Gearbox
from grouser.model.rotation import quaternion_to_matrix

_CURVE = ("slope", "peak", "sliding", "peak_slip", "sliding_slip")
_NO_TRAIL = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]


def make_tyres(model: Model, layout: Layout) -> tuple:
    """The table of tyres."""
    columns: dict[str, list] = {field[0]: [] for field in TyreTable.FIELDS}  # type: ignore[attr-defined]
    for name in layout.tyres:
        tyre = model.forces[name]
        assert isinstance(tyre, Tyre)
        body, p, axes = layout.place_frame(tyre.frame)
        sides = (tyre.longitudinal, tyre.lateral)
        trail = tyre.trail
        row = {
            "body": body,
            "state": layout.state_start[name],
            "p": p,
            "axis": axes[:, 1],
            "radius": tyre.radius,
            "width": tyre.width,
            "load": tyre.load,
            "k": tyre.stiffness,
            "k2": tyre.progression,
            "c": tyre.damping,
            "radius_share": tyre.radius_share,
            "curve": [[getattr(side, key) for key in _CURVE] for side in sides],
            "k_tread": [side.stiffness for side in sides],
            "c_tread": [side.damping for side in sides],
            "trail": _NO_TRAIL if trail is None else [trail.share, trail.zero_slip, trail.end_slip],
            "rolling": tyre.rolling_resistance,
        }
        for field, column in columns.items():
            column.append(row[field])
    return make_rows(TyreTable, columns)


def make_powertrains(model: Model, layout: Layout, signals: SignalCollector) -> tuple[tuple, tuple]:
    """The table of powertrains, and that of their wheels."""
    columns: dict[str, list] = {field[0]: [] for field in PowertrainTable.FIELDS}  # type: ignore[attr-defined]
    wheels: dict[str, list] = {field[0]: [] for field in DrivenTable.FIELDS}  # type: ignore[attr-defined]
    for name in layout.powertrains:
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
            "driver": _find_driver(model, name),
        }
        for field, value in row.items():
            columns[field].append(value)
        columns["ratio"] += box.ratios
        columns["up"] += up
        columns["down"] += down
        for wheel in powertrain.wheels:
            body, axis = _find_spin(model, layout, wheel.joint)
            wheels["body"].append(body)
            wheels["reaction"].append(layout.find_body(powertrain.reaction))
            wheels["axis"].append(axis)
            wheels["share"].append(wheel.share)
    return make_rows(PowertrainTable, columns), make_rows(DrivenTable, wheels)


def make_brakes(model: Model, layout: Layout, signals: SignalCollector) -> tuple:
    """The table of brakes."""
    columns: dict[str, list] = {field[0]: [] for field in BrakeTable.FIELDS}  # type: ignore[attr-defined]
    for name in layout.brakes:
        brake = model.forces[name]
        assert isinstance(brake, Brake)
        body, axis = _find_spin(model, layout, brake.joint)
        row = {
            "body": body,
            "reaction": layout.find_body(model.joints[brake.joint].frame_a.body),
            "axis": axis,
            "state": layout.state_start[name],
            "torque": brake.torque,
            "angle": brake.angle,
            "lag": brake.lag,
            "signal": signals.add_signal(brake.pedal),
            "driver": _find_driver(model, name),
        }
        for field, column in columns.items():
            column.append(row[field])
    return make_rows(BrakeTable, columns)


def calc_shift_speeds(box: Gearbox) -> tuple[list[float], list[float]]:
    """Speeds of the wheels [rad/s] at which each gear is left upwards, and the one above it downwards."""
    up = [speed / ratio for speed, ratio in zip(box.up, box.ratios, strict=False)]
    down = [box.down / ratio for ratio in box.ratios[1:]]
    return [*up, math.inf], [*down, math.inf]


def find_first_gear(model: Model, name: str) -> float:
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
    return 1.0 + sum(speed > limit for limit in calc_shift_speeds(powertrain.gearbox)[1])


def _calc_spin(model: Model, wheel: str, carrier: str) -> Array:
    """Initial angular velocity of one body against another, world axes [rad/s]."""
    spins = [
        quaternion_to_matrix(body.orientation) @ np.array(body.angular_velocity)
        for body in (model.bodies.get(wheel), model.bodies.get(carrier))
        if body is not None
    ]
    return spins[0] - spins[1] if len(spins) == 2 else spins[0]


def _find_spin(model: Model, layout: Layout, joint: str) -> tuple[int, Array]:
    """Wheel and spin axis on it, of the joint on which it turns."""
    body, _, axes = layout.place_frame(model.joints[joint].frame_b)
    return body, axes[:, 2]


def _find_driver(model: Model, name: str) -> int:
    """Index of the driver that works the pedal of an element, or -1."""
    for i, driver in enumerate(model.drivers.values()):
        if name == driver.pedals.powertrain or name in driver.pedals.brakes:
            return i
    return -1
