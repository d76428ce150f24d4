"""Springs, actuators and motions become rows of the table of forces along a coordinate."""

from __future__ import annotations

import math

import numpy as np

from grouser.compile.effective import calc_effective_masses
from grouser.compile.layout import Layout
from grouser.compile.realization import Ideal, MotionRealization
from grouser.compile.signals import SignalCollector, calc_largest_slope
from grouser.compile.springs import Springs, calc_levers, calc_rotation, calc_translation
from grouser.compile.tables import FLOAT, INT, collect_rows, make_table
from grouser.families.coordinate_force.motion import Motion
from grouser.families.coordinate_force.place import calc_initial_coordinate, find_frames
from grouser.families.coordinate_force.spec import Actuator, JointSpring, Spring
from grouser.families.driver.spec import TrackSteering
from grouser.families.family import Family, Source
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
from grouser.model.model import Model

_COORDINATE = {"translation": COORDINATE_SLIDE, "rotation": COORDINATE_TWIST}
_CONTROL = {"position": LAW_POSITION, "speed": LAW_SPEED, "force": LAW_FORCE}
_QUANTITY = {"position": LAW_MOTION_POSITION, "speed": LAW_MOTION_SPEED}


ScalarTable = make_table(
    "ScalarTable",
    ("coordinate", "(n,)", INT, "-", "COORDINATE_*"),
    ("body_a", "(n,)", INT, "-", "first body"),
    ("body_b", "(n,)", INT, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("law", "(n,)", INT, "-", "LAW_*"),
    ("k", "(n,)", FLOAT, "N/m or N m/rad", "stiffness, or gain p"),
    ("c", "(n,)", FLOAT, "N s/m or N m s/rad", "damping, or gain d"),
    ("gain_i", "(n,)", FLOAT, "", "gain of the integral"),
    ("limit", "(n,)", FLOAT, "N or N m", "largest magnitude of an actuator's force"),
    ("free", "(n,)", FLOAT, "m or rad", "coordinate at which the spring is relaxed"),
    ("preload", "(n,)", FLOAT, "N or N m", "constant force"),
    ("friction", "(n,)", FLOAT, "N or N m", "Coulomb force"),
    ("friction_velocity", "(n,)", FLOAT, "m/s or rad/s", "its regularisation"),
    ("stop_lower", "(n,)", FLOAT, "m or rad", "lower end of the free motion"),
    ("stop_upper", "(n,)", FLOAT, "m or rad", "upper end of the free motion"),
    ("stop_k", "(n,)", FLOAT, "N/m or N m/rad", "stiffness of the stops"),
    ("stop_c", "(n,)", FLOAT, "N s/m or N m s/rad", "damping of the stops"),
    ("curve_k", "(n,)", INT, "-", "index of the stiffness curve, or -1"),
    ("curve_c", "(n,)", INT, "-", "index of the damping curve, or -1"),
    ("signal", "(n,)", INT, "-", "index of the target signal, or -1"),
    ("driver_state", "(n,)", INT, "-", "place of the states of the driver whose angle or speed is added, or -1"),
    ("driver_sign", "(n,)", FLOAT, "-", "of what is added: -1 for the left sprocket, else 1"),
    ("driver_frequency", "(n,)", FLOAT, "rad/s", "frequency of that driver's steering"),
    ("driver_ratio", "(n,)", FLOAT, "-", "its damping ratio"),
)


def list_scalars(model: Model) -> tuple[str, ...]:
    """Springs and actuators, then motions."""
    kinds = ("spring", "joint_spring", "actuator")
    return (*(name for name, force in model.forces.items() if force.type in kinds), *model.motions)


def make_scalars(source: Source) -> tuple[tuple, ...]:
    """The scalar table. The realization of motions gives the gains by which they are held; an ideal motion exerts no
    force here, and keeps its row for its target, its state and its channels."""
    model, layout, signals, _, motion = source
    rows = []
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
        rows.append(row)
    return (collect_rows(ScalarTable, rows),)


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
        if driver.steering is not None and motion in driver.steering.list_motions().values():
            is_left = isinstance(driver.steering, TrackSteering) and motion == driver.steering.left
            return {
                "driver_state": layout.state_start[name],
                "driver_sign": -1.0 if is_left else 1.0,
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
    "driver_sign": 0.0,
    "driver_frequency": 0.0,
    "driver_ratio": 0.0,
}


def add_springs(springs: Springs) -> None:
    """Stiffness and damping of springs, stops, controllers and motions; the largest slope of a curve."""
    scalar, signal = springs.tables.scalar, springs.tables.signal
    for i in range(len(scalar.coordinate)):
        q, r_b, e, axes_a, _ = calc_levers(springs, scalar, i)
        if scalar.coordinate[i] == COORDINATE_TWIST:
            gradient = axes_a[:, 2][None, :] @ calc_rotation()
        else:
            length = np.linalg.norm(e)
            along = e / length if scalar.coordinate[i] == COORDINATE_DISTANCE and length > 0 else axes_a[:, 2]
            gradient = along[None, :] @ calc_translation(q, r_b)
        k, c = scalar.k[i] + scalar.stop_k[i], scalar.c[i] + scalar.stop_c[i]
        if scalar.law[i] == LAW_SPEED:  # gain p acts on the rate, gain d on the target alone
            k, c = 0.0, scalar.k[i]
        for curve, is_damping in ((scalar.curve_k[i], False), (scalar.curve_c[i], True)):
            if curve >= 0:
                slope = calc_largest_slope(signal.point[signal.start[curve] : signal.stop[curve]])
                k, c = (k, c + slope) if is_damping else (k + slope, c)
        c += scalar.friction[i] / scalar.friction_velocity[i]
        springs.add(scalar.body_a[i], scalar.body_b[i], gradient, np.array([[k]]), np.array([[c]]))


def find_start(model: Model, name: str) -> tuple[float]:
    """State z at the start: where a motion given by its speed begins, else zero."""
    motion = model.motions.get(name)
    if motion is None or motion.quantity != "speed":
        return (0.0,)
    return (calc_initial_coordinate(model, motion),)


FAMILY = Family(
    "scalar",
    {"scalar": ScalarTable},
    list_scalars,
    make_scalars,
    ends={"scalar": ("body_a", "body_b")},
    noted=("scalar",),
    states=1,
    find_start=find_start,
    find_owners=lambda tables: tables.scalar.body_b,
    values=5,
    acted=1,
    add_springs=add_springs,
)
