"""Drivers become rows of their table."""

from __future__ import annotations

import numpy as np

from grouser.compile.layout import Array, Layout
from grouser.compile.signals import SignalCollector
from grouser.compile.tables import DriverTable, make_rows
from grouser.kernels.driver import STATES
from grouser.model.driver import Driver
from grouser.model.model import Model
from grouser.model.start import calc_world_frame

PROGRESS = STATES - 1
"""Place of the way along the path among the states of a driver."""


def make_drivers(model: Model, layout: Layout, signals: SignalCollector) -> tuple:
    """The table of drivers."""
    columns: dict[str, list] = {field[0]: [] for field in DriverTable.FIELDS}  # type: ignore[attr-defined]
    for name, driver in model.drivers.items():
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
    return make_rows(DriverTable, columns)


def _make_steering(driver: Driver, signals: SignalCollector) -> dict[str, object]:
    steering = driver.steering
    keys = (
        "ratio", "limit", "wheelbase", "prediction_time", "preview_time", "preview_distance", "understeer", "lag",
        "frequency", "damping_ratio",
    )  # fmt: skip
    if steering is None:
        return {"angle": -1, **dict.fromkeys(keys, 1.0)}
    return {"angle": signals.add_signal(steering.angle), **{key: getattr(steering, key) for key in keys}}


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
