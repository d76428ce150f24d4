"""Springs, actuators, motions and applied forces become rows of the force tables."""

from __future__ import annotations

import math

import numpy as np

from grouser.compile.effective import calc_effective_masses
from grouser.compile.layout import Layout
from grouser.compile.realization import Ideal, MotionRealization
from grouser.compile.signals import SignalCollector
from grouser.compile.tables import AppliedTable, ScalarTable, make_rows
from grouser.kernels.kinds import (
    COORDINATE_DISTANCE,
    COORDINATE_SLIDE,
    COORDINATE_TWIST,
    LAW_FORCE,
    LAW_MOTION_POSITION,
    LAW_MOTION_SPEED,
    LAW_POSITION,
    LAW_SPEED,
    LAW_SPRING,
)
from grouser.model.body import Frame
from grouser.model.force import Actuator, Applied, JointSpring, Spring
from grouser.model.model import Model
from grouser.model.motion import Motion
from grouser.model.start import calc_world_frame

_COORDINATE = {"translation": COORDINATE_SLIDE, "rotation": COORDINATE_TWIST}
_CONTROL = {"position": LAW_POSITION, "speed": LAW_SPEED, "force": LAW_FORCE}
_QUANTITY = {"position": LAW_MOTION_POSITION, "speed": LAW_MOTION_SPEED}


def make_scalars(model: Model, layout: Layout, signals: SignalCollector, motion: MotionRealization) -> tuple:
    """The scalar table. `motion` gives the gains by which prescribed motions are held; an ideal motion exerts no force
    here and keeps its row for its target, its state and its channels."""
    columns: dict[str, list] = {field[0]: [] for field in ScalarTable.FIELDS}  # type: ignore[attr-defined]
    for name in layout.scalars:
        element = model.forces[name] if name in model.forces else model.motions[name]
        row: dict[str, object] = _DEFAULTS | _place_coordinate(model, layout, element)
        if isinstance(element, Motion):
            k, c = _calc_motion_gains(model, element, motion)
            row |= {
                "law": _QUANTITY[element.quantity],
                "k": k,
                "c": c,
                "signal": signals.add_signal(element.value),
                **_find_driver(model, layout, name),
            }
        elif isinstance(element, Actuator):
            row |= {
                "law": _CONTROL[element.control],
                "k": element.p,
                "c": element.d,
                "gain_i": element.i,
                "limit": math.inf if element.limit is None else element.limit,
                "signal": signals.add_signal(element.target),
            }
        else:
            assert isinstance(element, Spring | JointSpring)
            row |= _make_spring(model, element, signals)
        for field, column in columns.items():
            column.append(row[field])
    return make_rows(ScalarTable, columns)


def make_applied(model: Model, layout: Layout, signals: SignalCollector) -> tuple:
    """The table of applied forces."""
    columns: dict[str, list] = {field[0]: [] for field in AppliedTable.FIELDS}  # type: ignore[attr-defined]
    for force in model.forces.values():
        if isinstance(force, Applied):
            body, p, axes = layout.place_frame(force.frame)
            row = {
                "body": body,
                "p": p,
                "frame": axes,
                "turns": int(force.axes == "body"),
                "signal": [signals.add_signal(s) for s in (*force.force, *force.torque)],
            }
            for field, column in columns.items():
                column.append(row[field])
    return make_rows(AppliedTable, columns)


def calc_initial_coordinate(model: Model, element: Spring | JointSpring | Actuator | Motion) -> float:
    """Value of an element's coordinate in the initial state [m or rad]."""
    frame_a, frame_b = find_frames(model, element)
    p_a, axes_a = calc_world_frame(model, frame_a)
    p_b, axes_b = calc_world_frame(model, frame_b)
    if isinstance(element, Spring):
        return float(np.linalg.norm(p_b - p_a))
    if element.coordinate == "translation":
        return float(axes_a[:, 2] @ (p_b - p_a))
    m = axes_a.T @ axes_b
    return math.atan2(m[1, 0] - m[0, 1], m[0, 0] + m[1, 1])


def find_frames(model: Model, element: Spring | JointSpring | Actuator | Motion) -> tuple[Frame, Frame]:
    """Frames between which an element's coordinate is measured."""
    holder = element if isinstance(element, Spring) else model.joints[element.joint]
    return holder.frame_a, holder.frame_b


def _place_coordinate(model: Model, layout: Layout, element: object) -> dict[str, object]:
    kind = COORDINATE_DISTANCE if isinstance(element, Spring) else _COORDINATE[element.coordinate]  # type: ignore[attr-defined]
    return {"coordinate": kind, **layout.place_ends(*find_frames(model, element))}  # type: ignore[arg-type]


def _calc_motion_gains(model: Model, element: Motion, motion: MotionRealization) -> tuple[float, float]:
    if isinstance(motion, Ideal):
        return 0.0, 0.0
    _, _, mass, inertia = calc_effective_masses(model, *find_frames(model, element))
    return motion.calc_gains(inertia if element.coordinate == "rotation" else mass)


def _find_driver(model: Model, layout: Layout, motion: str) -> dict[str, object]:
    """Columns of a motion that a driver steers; none for others."""
    for name, driver in model.drivers.items():
        if driver.steering is not None and driver.steering.motion == motion:
            return {
                "driver_state": layout.state_start[name],
                "driver_frequency": driver.steering.frequency,
                "driver_ratio": driver.steering.damping_ratio,
            }
    return {}


def _make_spring(model: Model, element: Spring | JointSpring, signals: SignalCollector) -> dict[str, object]:
    k, curve_k = signals.add_curve(element.stiffness)
    c, curve_c = signals.add_curve(element.damping)
    row: dict[str, object] = {
        "law": LAW_SPRING,
        "k": k,
        "c": c,
        "curve_k": curve_k,
        "curve_c": curve_c,
        "free": calc_initial_coordinate(model, element) if element.free is None else element.free,
        "preload": element.preload,
        "friction": element.friction,
        "friction_velocity": element.friction_velocity,
    }
    if element.stops is not None:
        stops = element.stops
        row |= {
            "stop_lower": -math.inf if stops.lower is None else stops.lower,
            "stop_upper": math.inf if stops.upper is None else stops.upper,
            "stop_k": stops.stiffness,
            "stop_c": stops.damping,
        }
    return row


_DEFAULTS: dict[str, object] = {
    "gain_i": 0.0,
    "limit": math.inf,
    "free": 0.0,
    "preload": 0.0,
    "friction": 0.0,
    "friction_velocity": 1.0,
    "stop_lower": -math.inf,
    "stop_upper": math.inf,
    "stop_k": 0.0,
    "stop_c": 0.0,
    "curve_k": -1,
    "curve_c": -1,
    "signal": -1,
    "driver_state": -1,
    "driver_frequency": 0.0,
    "driver_ratio": 0.0,
}
