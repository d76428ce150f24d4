"""Where the joints of a double wishbone can be: closed forms of points on circles.

A point that turns about a hinge by t and keeps the distance L to a known point s satisfies

    a cos(t) + b sin(t) = c                                                               (1)

With the foot m of its circle on the hinge line, u the arm from m to it at t = 0, v = axis x u, and s - m = w,

    a = 2 w.u,   b = 2 w.v,   c = |u|^2 + |w|^2 - L^2                                      (2)

and there is no solution where c^2 > a^2 + b^2. Of the two solutions the one nearer to t = 0 is taken, which is that of
the design position. The upper ball turns about the upper hinge at the distance of the lower ball; the outer end of the
tie rod turns about the line of both balls at the distance of its inner end.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from grouser.catalog.wheeled.parts import Hardpoints

Array = np.ndarray
SMALL, LARGE = 1.0e-4, 1.2
"""Angles of a lower arm: by which it is tried which way the wheel goes, and largest to either side [rad]."""
CLOSE = 1.0e-6
"""What the bisection may miss [m]."""


class OpenLinkError(Exception):
    """A linkage that cannot be closed; the argument names the part that is too short or too long."""


class Corner(NamedTuple):
    """Joints of a double wishbone in some position [m].

    Attributes
    ----------
    lower_ball, upper_ball, tie_rod_outer, spindle : points
    axis : unit vector of the spin axis
    """

    lower_ball: Array
    upper_ball: Array
    tie_rod_outer: Array
    spindle: Array
    axis: Array


def turn_about(point: ArrayLike, foot: ArrayLike, axis: Array, angle: float) -> Array:
    """A point turned about a line by an angle [rad] (Rodrigues)."""
    arm, foot = np.asarray(point, dtype=float) - foot, np.asarray(foot, dtype=float)
    along = axis * (axis @ arm)
    return np.asarray(foot + along + cos(angle) * (arm - along) + sin(angle) * _cross(axis, arm))


def find_turn(point: ArrayLike, foot: ArrayLike, axis: Array, seen: ArrayLike, length: float, part: str) -> float:
    """Angle (1) by which `point` turns about a line until it is at a distance from the point `seen` [m]."""
    point, foot, seen = (np.asarray(p, dtype=float) for p in (point, foot, seen))
    middle = foot + axis * (axis @ (point - foot))
    u, w = point - middle, seen - middle
    a, b = 2.0 * w @ u, 2.0 * w @ _cross(axis, u)
    c = u @ u + w @ w - length**2
    size = hypot(a, b)
    if size == 0.0 or abs(c) > size:
        raise OpenLinkError(part)
    centre, spread = atan2(b, a), acos(c / size)
    turns = [(centre + sign * spread + pi) % (2.0 * pi) - pi for sign in (1.0, -1.0)]
    return min(turns, key=abs)


def find_corner(points: Hardpoints, travel: float) -> Corner:
    """Position of the left side at a wheel travel [m], bump positive, not steered.

    Raises
    ------
    OpenLinkError : the linkage cannot be closed there
    """
    # the wheel rises or falls with the angle of the lower arm, until the linkage ends: bisection between both
    rising = (_find_rise(points, SMALL) or SMALL) > 0.0
    inside, outside = 0.0, LARGE if (travel >= 0.0) == rising else -LARGE
    end = _find_rise(points, outside)
    if end is not None and abs(end) < abs(travel):
        raise OpenLinkError("lower arm")
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        rise = _find_rise(points, middle)
        if rise is None or abs(rise) > abs(travel):
            outside = middle
        else:
            inside = middle
            if abs(travel) - abs(rise) < 0.01 * CLOSE:
                break
    found = place_corner(points, inside)
    if abs(found.spindle[2] - points.spindle[2] - travel) > CLOSE:
        place_corner(points, outside)  # says which part is at its end
        raise OpenLinkError("lower arm")
    return found


def _find_rise(points: Hardpoints, angle: float) -> float | None:
    try:
        return float(place_corner(points, angle).spindle[2] - points.spindle[2])
    except OpenLinkError:
        return None


def place_corner(points: Hardpoints, angle: float, tie_rod_inner: ArrayLike | None = None) -> Corner:
    """Position of the left side with the lower arm turned by an angle [rad], and the inner end of the tie rod moved.

    Raises
    ------
    OpenLinkError : the linkage cannot be closed there
    """
    p = {name: np.array(value) for name, value in points}
    inner = p["tie_rod_inner"] if tie_rod_inner is None else np.asarray(tie_rod_inner, dtype=float)
    lower = turn_about(p["lower_ball"], p["lower_rear"], _find_axis(p["lower_rear"], p["lower_front"]), angle)
    hinge = _find_axis(p["upper_rear"], p["upper_front"])
    span = float(np.linalg.norm(p["upper_ball"] - p["lower_ball"]))
    turn = find_turn(p["upper_ball"], p["upper_rear"], hinge, lower, span, "upper arm")
    upper = turn_about(p["upper_ball"], p["upper_rear"], hinge, turn)
    # the upright with its kingpin in place, but not yet turned about it
    before, after = _find_axis(p["lower_ball"], p["upper_ball"]), _find_axis(lower, upper)
    swing = _cross(before, after)
    size = float(np.linalg.norm(swing))
    tilt, about = atan2(size, float(before @ after)), swing / size if size > 0.0 else before

    def carry(point: Array) -> Array:
        return np.asarray(lower + turn_about(point - p["lower_ball"], np.zeros(3), about, tilt))

    outer = carry(p["tie_rod_outer"])
    length = float(np.linalg.norm(p["tie_rod_outer"] - p["tie_rod_inner"]))
    steer = find_turn(outer, lower, after, inner, length, "tie rod")
    spindle, beside = (
        turn_about(carry(point), lower, after, steer) for point in (p["spindle"], p["spindle"] + [0, 1, 0])
    )
    return Corner(lower, upper, turn_about(outer, lower, after, steer), spindle, beside - spindle)


def _find_axis(start: Array, end: Array) -> Array:
    way = end - start
    return np.asarray(way / np.linalg.norm(way))


def _cross(first: Array, second: Array) -> Array:
    """Cross product of two vectors (that of NumPy takes ten times as long for one pair)."""
    ax, ay, az = first.tolist()
    bx, by, bz = second.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
