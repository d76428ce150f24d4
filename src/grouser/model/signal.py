"""Signals of a model: where they stand, and their values outside compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from grouser.model.base import Input, Signal
from grouser.model.expression import calc_value, parse_expression
from grouser.model.fault import Path
from grouser.model.force import COMMANDS, Actuator, Applied

if TYPE_CHECKING:
    from grouser.families.coordinate_force.motion import Motion
    from grouser.model.model import Model


def calc_signal_value(signal: Signal, t: float) -> float:
    """Value of a signal at time t; of an input, before it is set.

    >>> calc_signal_value([(0.0, 1.0), (2.0, 5.0)], 1.0)
    3.0
    """
    if isinstance(signal, str):
        return calc_value(parse_expression(signal), t)
    if isinstance(signal, list | tuple):
        return float(np.interp(t, [p[0] for p in signal], [p[1] for p in signal]))
    if isinstance(signal, Input):
        return signal.factor * calc_signal_value(signal.start, t)
    return float(signal)


def list_signals(model: Model) -> Iterator[tuple[Path, Signal, str]]:
    """All signals by which a model is made to do something: their paths, and the units of their values."""
    for name, motion in model.motions.items():
        yield ("motions", name, "value"), motion.value, _say_unit(motion, motion.quantity)
    for name, force in model.forces.items():
        command = COMMANDS.get(type(force), "")
        if command:
            unit = _say_unit(force, force.control) if isinstance(force, Actuator) else "-"
            yield ("forces", name, command), getattr(force, command), unit
        if isinstance(force, Applied):
            for key, unit in (("force", "N"), ("torque", "N m")):
                for i, signal in enumerate(getattr(force, key)):
                    yield ("forces", name, key, i), signal, unit
    for name, driver in model.drivers.items():
        if driver.speed is not None:
            yield ("drivers", name, "speed"), driver.speed, "m/s"
        if driver.steering is not None:
            order, unit = driver.steering.ORDER
            yield ("drivers", name, "steering", order), getattr(driver.steering, order), unit


def _say_unit(element: Motion | Actuator, quantity: str) -> str:
    """Unit of a quantity along the coordinate of an element."""
    is_turning = element.coordinate == "rotation"
    if quantity == "force":
        return "N m" if is_turning else "N"
    return ("rad" if is_turning else "m") + ("/s" if quantity == "speed" else "")
