"""Panels of how a vehicle handles: lean, yaw rate, offset from the path, vibration at sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.output.panel import Line, Panel

if TYPE_CHECKING:
    from grouser.result.result import Result

LEAST_TURN = 1.0e-3
"""What leans by less [rad], or turns by less [rad/s], is not shown."""


def make_roll(result: Result) -> Panel | None:
    """Angle by which the left side of the main body is raised; None if it does not lean."""
    if not _has_main(result, "body/orientation"):
        return None
    roll = np.arcsin(np.clip(result.main_rotation[:, 2, 1], -1.0, 1.0))
    if np.abs(roll).max() < LEAST_TURN:
        return None
    line = Line(result.main_body, result.time, np.degrees(roll))
    return Panel("roll", "roll, left side up", "roll [deg]", (line,))


def make_yaw_rate(result: Result) -> Panel | None:
    """Angular velocity of the main body about the vertical; None if it goes straight."""
    if not _has_main(result, "body/angular_velocity"):
        return None
    spin = result[f"{result.main_body}.angular_velocity"]
    rate = np.einsum("fi,fi->f", result.main_rotation[:, 2], spin)
    if np.abs(rate).max() < LEAST_TURN:
        return None
    line = Line(result.main_body, result.time, np.degrees(rate))
    return Panel("yaw_rate", "yaw rate, positive to the left", "yaw rate [deg/s]", (line,))


def make_offset(result: Result) -> Panel | None:
    """How far drivers are off their paths."""
    drivers = [name for name, driver in result.model.drivers.items() if driver.path]
    lines = [
        Line(name, result.time, result[f"{name}.lateral_offset"], color=color)
        for color, name in enumerate(drivers)
        if f"{name}.lateral_offset" in result
    ]
    return Panel("offset", "offset from the path, to its left", "offset", tuple(lines), unit="m") if lines else None


def make_vibration(result: Result) -> Panel | None:
    """Vertical accelerations of sensors."""
    names = [name for name, sensor in result.model.sensors.items() if sensor.quantity == "acceleration"]
    lines = [
        Line(name, result.time, result[f"{name}.value"][:, 2], color=color)
        for color, name in enumerate(names)
        if f"{name}.value" in result
    ]
    return (
        Panel("vibration", "acceleration of sensors along z", "acceleration [m/s^2]", tuple(lines)) if lines else None
    )


def _has_main(result: Result, block: str) -> bool:
    return bool(result.main_body) and result.has_block("body/orientation") and result.has_block(block)
