"""A plane polygon as triangles between its corners, by cutting off ears."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

STRAIGHT = 1e-9
"""Sine of the least angle by which the outline turns at an ear."""


def triangulate(outline: Array) -> Array:
    """Triangles (n - 2, 3) of an outline (n, 2) that runs anticlockwise and does not cross itself.

    An ear is a convex corner whose triangle holds no other corner. Of all known ears the one with the shortest new edge
    is cut off, so that triangles do not become needles where it can be helped.

    >>> triangulate(np.array([[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]])).tolist()
    [[0, 1, 2], [0, 2, 3]]
    """
    left = list(range(len(outline)))
    triangles = []
    cost = [_judge(outline, left, place) for place in range(len(left))]
    while len(left) > 3:
        place = int(np.argmin(cost))
        if not np.isfinite(cost[place]):  # corners that held others back may be gone
            cost = [_judge(outline, left, k) for k in range(len(left))]
            place = int(np.argmin(cost))
        if not np.isfinite(cost[place]):  # what is left lies on a line, but for rounding
            place = _find_flattest(outline, left)
        triangles.append([left[place - 1], left[place], left[(place + 1) % len(left)]])
        del left[place], cost[place]
        for near in ((place - 1) % len(left), place % len(left)):
            cost[near] = _judge(outline, left, near)
    return np.array([*triangles, left], dtype=np.int64)


def _judge(outline: Array, left: list[int], place: int) -> float:
    """Square of the length of the edge that cutting off a corner makes; infinite where it is no ear."""
    count = len(left)
    a, b, c = outline[left[place - 1]], outline[left[place]], outline[left[(place + 1) % count]]
    slack = STRAIGHT * float(np.linalg.norm(b - a) * np.linalg.norm(c - b))
    if _cross(b - a, c - b) <= slack:
        return np.inf
    others = outline[[left[(place + k) % count] for k in range(2, count - 1)]]
    inside = np.ones(len(others), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= _cross(end - start, others - start) >= -slack
    return np.inf if inside.any() else float(np.sum((c - a) ** 2))


def _find_flattest(outline: Array, left: list[int]) -> int:
    points = outline[left]
    turns = _cross(points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points)
    return int(np.argmin(np.abs(turns)))


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
