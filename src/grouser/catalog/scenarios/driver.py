"""What a scenario asks of a driver, the same for all vehicles that have one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag

from grouser.model.base import Input, Number, Part, Positive, Signal
from grouser.model.check import find_signal_faults
from grouser.model.fault import Fault, Path, make_fault

LEAD_IN = 20.0
"""Straight way before a circle [m]."""
LONGEST_WAY = 100_000.0
"""Longest way round a circle [m]."""
POINT_DISTANCE = 1.0
"""Distance of the points of a circle [m], at most."""


class Circle(Part):
    """A circle to the left, after a straight way of 20 m along x from the start.

    Attributes
    ----------
    radius : [m]
    turns : how many times around [-]
    """

    type: Literal["circle"] = "circle"
    radius: Annotated[Number, Field(ge=1, le=10000)]
    turns: Annotated[Number, Field(ge=0.01, le=100)] = 1.0


def _choose_path(value: Any) -> str:
    return "points" if isinstance(value, list | tuple) else "circle"


Way = Annotated[
    Annotated[list[tuple[Number, Number]], Tag("points")] | Annotated[Circle, Tag("circle")],
    Discriminator(_choose_path),
]


class Orders(Part):
    """What the driver does. Steering and pedals given here are added to what path and speed ask for.

    Attributes
    ----------
    path : points (x, y) of the path to follow [m], or a circle; empty for none
    speed : speed to keep [m/s], or None
    steering : angle of the road wheels, positive to the left [rad]
    throttle, brake : pedals, 0 to 1
    preview_time : time to the point of the path that the driver looks at [s]; None leaves that of the vehicle
    """

    path: Way = Field(default_factory=list)
    speed: Signal | None = None
    steering: Signal = 0.0
    throttle: Signal = 0.0
    brake: Signal = 0.0
    preview_time: Positive | None = None


def find_order_faults(path: Path, orders: Orders) -> Iterator[Fault]:
    """Signals that cannot be read, and circles without end."""
    circle = orders.path
    if isinstance(circle, Circle) and 2.0 * np.pi * circle.radius * circle.turns > LONGEST_WAY:
        length = 2.0 * np.pi * circle.radius * circle.turns
        yield make_fault(
            (*path, "path"),
            f"is a circle of radius {circle.radius:g} m with {circle.turns:g} turns, a way of {length:.4g} m; at most "
            f"{LONGEST_WAY:g} m are taken: give fewer turns or a smaller radius",
        )
    for key in ("speed", "steering", "throttle", "brake"):
        signal = getattr(orders, key)
        if signal is not None:
            yield from find_signal_faults((*path, key), signal)


def make_path(way: list[tuple[float, float]] | Circle) -> list[tuple[float, float]]:
    """Points of a path.

    >>> len(make_path(Circle(radius=10.0, turns=0.25)))
    18
    """
    if not isinstance(way, Circle):
        return way
    angle = 2.0 * np.pi * way.turns
    count = int(np.ceil(angle * way.radius / POINT_DISTANCE))
    angles = np.linspace(0.0, angle, count + 1)
    x, y = LEAD_IN + way.radius * np.sin(angles), way.radius * (1.0 - np.cos(angles))
    return [(-LEAD_IN, 0.0), *zip(x.tolist(), y.tolist(), strict=True)]


def scale_signal(signal: Signal, factor: float) -> Signal:
    """A signal times a number.

    >>> scale_signal("sin(t)", -2.0), scale_signal([(0.0, 1.0), (1.0, 3.0)], 2.0), scale_signal(3.0, 2.0)
    ('-2.0*(sin(t))', [(0.0, 2.0), (1.0, 6.0)], 6.0)
    """
    if isinstance(signal, str):
        return f"{factor!r}*({signal})"
    if isinstance(signal, list):
        return [(time, factor * value) for time, value in signal]
    if isinstance(signal, Input):
        return signal.model_copy(update={"factor": factor * signal.factor})
    return factor * signal
