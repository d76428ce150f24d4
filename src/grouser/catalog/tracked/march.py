"""Laying a chain round circles, one link after the other.

The links run counter-clockwise in the x-z plane (x to the right, z up), so the circles lie on their left. From a
pin P outside all circles the next link takes the tangent from P that leaves every circle on its left:

    d = angle(C - P) - asin(r / |C - P|), the least over all circles C, r                    (1)

Every link then lies on a line that no circle crosses: the chain is taut, touches, and cuts nothing. On a straight
run the tangent to the circle ahead continues the line. Round a circle the tangent lengths on both sides of a pin
are equal, so the links touch it at the distances t, pitch - t, t, ... from their pins: the exact polygon, not the
arc. With r the radius of the wheel plus the height of the link's wheel surface over the line of pins, the
surfaces touch the wheel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot, sqrt

from grouser.errors import ModelError

Point = tuple[float, float]
Circle = tuple[float, float, float]
"""x, z and radius [m]; radius zero makes it a point."""

MOST_LINKS = 1000
"""Most links of a track, also in `TrackLinks`, and more than any has: a march that long goes round and round without
meeting its goal."""


@dataclass(frozen=True)
class Run:
    """A chain from its first pin to the last one before the goal, and the tangent from there to the goal.

    Attributes
    ----------
    pins : positions [m], the first is the start
    touched : index of the circle that each link is tangent to
    goal : index of the circle of the goal that was met
    direction : unit vector from the last pin along the tangent
    length : from the last pin to the point of tangency [m]
    """

    pins: list[Point]
    touched: list[int]
    goal: int
    direction: Point
    length: float


def find_tangent(point: Point, circles: Sequence[Circle]) -> tuple[Point, float, int]:
    """Direction, length and circle of the tangent that leaves all circles on its left.

    >>> find_tangent((0.0, 0.0), [(4.0, 3.0, 3.0), (9.0, 4.0, 1.0)])
    ((1.0, 0.0), 4.0, 0)
    """
    px, pz = point
    best_x = best_z = best_length = 0.0
    best = -1
    for index, (x, z, r) in enumerate(circles):
        ux, uz = x - px, z - pz
        distance = hypot(ux, uz)
        length = sqrt(max((distance - r) * (distance + r), 0.0))
        square = distance * distance
        s, c = min(r / distance, 1.0) / distance, length / square
        dx, dz = ux * c + uz * s, uz * c - ux * s  # (1)
        # all directions lie within half a turn, so the cross product tells which one is further to the right
        if best < 0 or best_x * dz - best_z * dx < 0.0:
            best_x, best_z, best_length, best = dx, dz, length, index
    return (best_x, best_z), best_length, best


def march(start: Point, circles: Sequence[Circle], pitch: float, goal: int, name: str) -> Run:
    """Lay links from `start` until the tangent meets a circle whose index is `goal` or more; `name` is for messages."""
    pins = [start]
    touched: list[int] = []
    while len(pins) < MOST_LINKS:
        direction, length, index = find_tangent(pins[-1], circles)
        if index >= goal:
            return Run(pins, touched, index, direction, length)
        x, z = pins[-1]
        pins.append((x + pitch * direction[0], z + pitch * direction[1]))
        touched.append(index)
    raise ModelError(f"{name} lies inside the loop of the other wheels and is never met; move it outwards")


def find_root(f: Callable[[float], float], a: float, b: float, fa: float, fb: float) -> float:
    """Root of a continuous function in [a, b] where fa = f(a) and fb = f(b) differ in sign.

    The Anderson-Bjorck rule: a chord from the two ends of the bracket, in which the value at an end that stays
    put is reduced so that this end moves too.
    """
    for _ in range(200):
        if fb == 0.0 or abs(b - a) <= 1e-15 * max(1.0, abs(b)):
            return b
        if fa == 0.0:
            return a
        c = b - fb * (b - a) / (fb - fa)
        if abs(c - b) <= 1e-16 * max(1.0, abs(b)):
            return c
        if not min(a, b) < c < max(a, b):
            c = 0.5 * (a + b)
        fc = f(c)
        if fc * fb <= 0.0:
            a, fa = b, fb
        else:
            ratio = 1.0 - fc / fb
            fa *= ratio if ratio > 0.0 else 0.5
        b, fb = c, fc
    return b
