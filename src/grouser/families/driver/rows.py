"""Drivers become rows of their table."""

from __future__ import annotations

import numpy as np

from grouser.compile.layout import Array
from grouser.compile.signals import SignalCollector
from grouser.compile.tables import FLOAT, INT, make_rows, make_table
from grouser.families.driver.kernel import STATES
from grouser.families.driver.spec import Driver, TrackSteering
from grouser.families.family import Family, Output, Source
from grouser.model.model import Model
from grouser.model.start import calc_world_frame

PROGRESS = STATES - 1
"""Place of the way along the path among the states of a driver."""


DriverTable = make_table(
    "DriverTable",
    ("body", "(n,)", INT, "-", "vehicle"),
    ("p", "(n,3)", FLOAT, "m", "where the view is fixed"),
    ("frame", "(n,3,3)", FLOAT, "-", "its axes on the body, in columns; x forward"),
    ("state", "(n,)", INT, "-", "place of the first state in z"),
    ("path_start", "(n,)", INT, "-", "first of the points of the path"),
    ("path_stop", "(n,)", INT, "-", "one past the last"),
    ("angle", "(n,)", INT, "-", "signal of the wanted angle, or -1"),
    ("speed", "(n,)", INT, "-", "signal of the wanted speed, or -1"),
    ("is_tracked", "(n,)", INT, "-", "1 if tracks steer"),
    ("yaw_gain", "(n,)", FLOAT, "-", "on the yaw rate that tracks are missing"),
    ("ratio", "(n,)", FLOAT, "-", "angle of the motion over that of the road wheels, or speed over yaw rate"),
    ("limit", "(n,)", FLOAT, "rad", "largest angle of the motion; of tracks half difference of speeds [rad/s]"),
    ("wheelbase", "(n,)", FLOAT, "m", "wheelbase"),
    ("preview_time", "(n,)", FLOAT, "s", "time to the point that is looked at"),
    ("prediction_time", "(n,)", FLOAT, "s", "time by which steering is ahead of the vehicle"),
    ("preview_distance", "(n,)", FLOAT, "m", "its least distance"),
    ("understeer", "(n,)", FLOAT, "rad s^2/m", "understeer"),
    ("lag", "(n,)", FLOAT, "s", "time constant"),
    ("frequency", "(n,)", FLOAT, "rad/s", "of the steering"),
    ("damping_ratio", "(n,)", FLOAT, "-", "of the steering"),
    ("gain_p", "(n,)", FLOAT, "s/m", "on the speed error"),
    ("gain_i", "(n,)", FLOAT, "1/m", "on its integral"),
    ("gain_brake", "(n,)", FLOAT, "-", "brake over negative effort"),
    ("path", "(m,3)", FLOAT, "m", "points x, y and the length so far"),
)


def make_drivers(source: Source) -> tuple[tuple, ...]:
    """The table of drivers."""
    layout, signals = source.layout, source.signals
    columns: dict[str, list] = {field[0]: [] for field in DriverTable.FIELDS}  # type: ignore[attr-defined]
    for name, driver in source.model.drivers.items():
        body, p, axes = layout.place_frame(driver.frame)
        path, pedals = calc_path(driver), driver.pedals
        row: dict[str, object] = {
            "body": body,
            "p": p,
            "frame": axes,
            "state": layout.state_start[name],
            "path_start": len(columns["path"]),
            "path_stop": len(columns["path"]) + len(path),
            "speed": -1 if driver.speed is None else signals.add_signal(driver.speed),
            "gain_p": pedals.p,
            "gain_i": pedals.i,
            "gain_brake": pedals.brake_gain,
            **_make_steering(driver, signals),
        }
        for field, value in row.items():
            columns[field].append(value)
        columns["path"].extend(path)
    return (make_rows(DriverTable, columns),)


def _make_steering(driver: Driver, signals: SignalCollector) -> dict[str, object]:
    steering = driver.steering
    keys = ("limit", "prediction_time", "preview_time", "preview_distance", "lag", "frequency", "damping_ratio")
    row: dict[str, object] = {
        "is_tracked": 0, "angle": -1, "ratio": 1.0, "wheelbase": 1.0, "understeer": 0.0, "yaw_gain": 0.0,
    }  # fmt: skip
    if steering is None:
        return row | dict.fromkeys(keys, 1.0)
    order, _ = steering.ORDER
    row |= {"angle": signals.add_signal(getattr(steering, order)), **{key: getattr(steering, key) for key in keys}}
    if isinstance(steering, TrackSteering):
        ratio = 0.5 * steering.tread / steering.radius
        return row | {"is_tracked": 1, "ratio": ratio, "yaw_gain": steering.yaw_gain}
    return row | {key: getattr(steering, key) for key in ("ratio", "wheelbase", "understeer")}


def calc_path(driver: Driver) -> Array:
    """Points of a path with the length so far (n, 3) [m]."""
    points = np.array(driver.path, dtype=float).reshape(-1, 2)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.column_stack([points, np.concatenate([[0.0], np.cumsum(steps)])[: len(points)]])


def find_first_progress(model: Model, name: str) -> float:
    """Way along the path of its point nearest to where the driver starts [m]; the first of several."""
    driver = model.drivers[name]
    path = calc_path(driver)
    if len(path) < 2:
        return 0.0
    place = calc_world_frame(model, driver.frame)[0][:2]
    start, way = path[:-1, :2], np.diff(path[:, :2], axis=0)
    length = np.diff(path[:, 2])
    along = np.clip(np.einsum("ij,ij->i", place - start, way) / length**2, 0.0, 1.0)
    gaps = np.linalg.norm(start + along[:, None] * way - place, axis=1)
    nearest = int(np.argmin(gaps))
    return float(path[nearest, 2] + along[nearest] * length[nearest])


def find_start(model: Model, name: str) -> list[float]:
    """States at the start: at rest, at a place along the path."""
    return [0.0] * PROGRESS + [find_first_progress(model, name)]


FAMILY = Family(
    "driver",
    {"driver": DriverTable},
    lambda model: tuple(model.drivers),
    make_drivers,
    states=STATES,
    find_start=find_start,
    find_owners=lambda tables: tables.driver.body,
    values=4,
    outputs=(
        Output("lateral_offset", "m", "from the path, positive to its left"),
        Output("speed_error", "m/s", "wanted speed less speed"),
        Output("progress", "m", "way along the path"),
        Output("wanted_angle", "rad", "angle of the steered motion that the driver wants; of tracks [rad/s]"),
    ),
)
