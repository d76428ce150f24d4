"""Closed curves in the x-z plane on which belts lie: around wheels, or with corners.

A curve runs clockwise, seen with x to the right and z up, so that the left of its direction is outside. At the angle
theta its direction is d = (cos theta, sin theta) and its left n = (-sin theta, cos theta). On a wheel with the centre c
it is at c + k n, with k the radius of a wheel inside of the loop, and less than zero for one outside. A straight piece
from wheel i to wheel j, D = c_j - c_i, has one direction, so n.D = k_i - k_j and

    theta = angle of D - asin((k_i - k_j)/|D|)                                                             (1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grouser.errors import ModelError
from grouser.model.mesh import BeltWheel

_TURN = 2.0 * math.pi
_ROUNDING = 1e-9
"""Angles [rad] that differ by less are the same."""
_CHECKED = 1000
"""Pieces of a curve around wheels that are looked at for crossings."""
_ROWS = 256
"""So many pieces are compared with all others at once."""


class Piece(NamedTuple):
    """An arc or a straight piece: point where it starts, direction there [rad], length [m], turn over length [1/m]."""

    x: float
    z: float
    angle: float
    length: float
    curvature: float


def make_wheel_curve(wheels: Sequence[BeltWheel], thickness: float) -> list[Piece]:
    """Pieces of the inner face of a belt around wheels."""
    radii = [-(wheel.radius + thickness) if wheel.is_outside else wheel.radius for wheel in wheels]
    centres = [complex(*wheel.centre) for wheel in wheels]
    if len(wheels) == 1:
        (x, z), radius = wheels[0].centre, radii[0]
        if radius < 0.0:
            raise ModelError("has one wheel, which is outside; a belt needs one inside")
        return [Piece(x, z + radius, 0.0, _TURN * radius, -1.0 / radius)]
    for order in (range(len(wheels)), range(len(wheels) - 1, -1, -1)):
        pieces, turned = _go_around([centres[i] for i in order], [radii[i] for i in order], list(order))
        if abs(turned + _TURN) < _ROUNDING and find_crossing(divide_pieces(pieces, _CHECKED)[0]) is None:
            return pieces
    raise ModelError(
        "crosses itself: put the wheels in the order in which it runs, say which of them are outside, or move them"
    )


def _go_around(centres: list[complex], radii: list[float], names: list[int]) -> tuple[list[Piece], float]:
    """Pieces around wheels in their order, and the angle by which they turn [rad]."""
    count = len(centres)
    angles, lengths = [], []
    for i in range(count):
        j = (i + 1) % count
        way, change = centres[j] - centres[i], radii[i] - radii[j]
        if abs(way) <= abs(change):
            raise ModelError(
                f"finds no straight piece between wheels {names[i]} and {names[j]}: their centres are {abs(way):g} m "
                "apart, and one lies in the other; move them, or make one smaller"
            )
        lean = math.asin(change / abs(way))  # (1)
        angles.append(math.atan2(way.imag, way.real) - lean)
        lengths.append(abs(way) * math.cos(lean))
    pieces, turned = [], 0.0
    for i, (centre, radius) in enumerate(zip(centres, radii, strict=True)):
        sign = -1.0 if radius > 0.0 else 1.0
        wrap = (sign * (angles[i] - angles[i - 1])) % _TURN
        wrap = 0.0 if wrap > _TURN - _ROUNDING else wrap
        for angle, length, curvature in (
            (angles[i - 1], wrap * abs(radius), sign / abs(radius)),
            (angles[i], lengths[i], 0.0),
        ):
            if length > 0.0:
                point = centre + radius * complex(-math.sin(angle), math.cos(angle))
                pieces.append(Piece(point.real, point.imag, angle, length, curvature))
        turned += sign * wrap
    return pieces, turned


def divide_pieces(pieces: Sequence[Piece], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, 2) that divide a curve evenly, and the outward normals there."""
    table = np.array(pieces)
    ends = np.cumsum(table[:, 3])
    way = ends[-1] * np.arange(count) / count
    place = np.minimum(np.searchsorted(ends, way, side="right"), len(table) - 1)
    x, z, angle, length, curvature = table[place].T
    s = way - ends[place] + length
    half = 0.5 * curvature * s
    chord = s * np.sinc(half / math.pi)
    points = np.column_stack([x + chord * np.cos(angle + half), z + chord * np.sin(angle + half)])
    return points, np.column_stack([-np.sin(angle + 2.0 * half), np.cos(angle + 2.0 * half)])


def divide_polyline(corners: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, 2) that divide a closed polyline (k, 2) evenly, clockwise, and the outward normals there."""
    if calc_area(corners) > 0.0:
        corners = corners[::-1]
    closed = np.concatenate([corners, corners[:1]])
    ends = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    way = ends[-1] * np.arange(count) / count
    points = np.column_stack([np.interp(way, ends, closed[:, k]) for k in range(2)])
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    return points, np.column_stack([-along[:, 1], along[:, 0]])


def calc_area(corners: np.ndarray) -> float:
    """Area within a closed polyline (k, 2) [m^2], negative where it runs clockwise."""
    x, z = corners.T
    return 0.5 * float(np.sum(x * np.roll(z, -1) - z * np.roll(x, -1)))


def find_crossing(corners: np.ndarray) -> tuple[int, int] | None:
    """Two pieces of a closed polyline (k, 2) that cross or touch, or None.

    >>> find_crossing(np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]))
    (0, 2)
    """
    count = len(corners)
    a, b = corners, np.roll(corners, -1, axis=0)
    low, high = np.minimum(a, b), np.maximum(a, b)
    other = np.arange(count)
    for start in range(0, count, _ROWS):
        rows = np.arange(start, min(start + _ROWS, count))[:, None]
        p, q = a[rows], b[rows]
        first, second = _side(p, q, a[None]), _side(p, q, b[None])
        third, fourth = _side(a[None], b[None], p), _side(a[None], b[None], q)
        # pieces of one line are told apart by their boxes
        crosses = (first * second <= 0.0) & (third * fourth <= 0.0) & (low[rows] <= high).all(axis=2)
        crosses &= (low <= high[rows]).all(axis=2)
        crosses &= (other > rows + 1) & ~((rows == 0) & (other == count - 1))
        if crosses.any():
            row, column = np.argwhere(crosses)[0]
            return int(row) + start, int(column)
    return None


def _side(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Sign of the area of triangles: on which side of p to q the point r lies."""
    return np.sign(
        (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
    )
