"""Height of a surface above points of the plane: the highest polygon there."""

from __future__ import annotations

import numpy as np

from grouser.surface.raw import Array, RawSurface, list_triangles

CELLS = 2.0
"""About so many triangles share a cell of the grid by which they are found."""
WITHIN = -1e-9
"""Share of a triangle by which a point may lie outside of it: rounding."""


def calc_surface_height(raw: RawSurface, x: Array, y: Array) -> Array:
    """Height [m] of the highest polygon at points (x, y); NaN where there is none."""
    triangles = list_triangles(raw)
    low, high = triangles[..., :2].min(axis=1), triangles[..., :2].max(axis=1)
    origin, extent = low.min(axis=0), np.maximum(np.ptp(triangles[..., :2].reshape(-1, 2), axis=0), 1e-300)
    count = max(1, int(np.sqrt(len(triangles) / CELLS)))
    first, last = (np.clip(((end - origin) / extent * count).astype(np.int64), 0, count - 1) for end in (low, high))
    spans = last - first + 1
    owner = np.repeat(np.arange(len(triangles)), spans.prod(axis=1))
    place = np.arange(len(owner)) - np.repeat(np.cumsum(spans.prod(axis=1)) - spans.prod(axis=1), spans.prod(axis=1))
    cell = (first[owner, 0] + place // spans[owner, 1]) * count + first[owner, 1] + place % spans[owner, 1]
    order = np.argsort(cell, kind="stable")
    owner, start = owner[order], np.searchsorted(cell[order], np.arange(count * count + 1))
    points = np.column_stack([np.ravel(x), np.ravel(y)])
    at = np.floor((points - origin) / extent * count)
    inside = ((at >= 0) & (at <= count)).all(axis=1) & np.isfinite(points).all(axis=1)
    at = np.clip(np.where(inside[:, None], at, 0.0), 0, count - 1).astype(np.int64)
    number = at[:, 0] * count + at[:, 1]
    sizes = np.where(inside, start[number + 1] - start[number], 0)
    query = np.repeat(np.arange(len(points)), sizes)
    offset = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    heights = _meet(triangles[owner[start[number[query]] + offset]], points[query])
    found = np.full(len(points), -np.inf)
    np.maximum.at(found, query, heights)
    return np.where(np.isfinite(found), found, np.nan).reshape(np.shape(x))


def _meet(triangles: Array, points: Array) -> Array:
    """Height of each triangle (k, 3, 3) at its point (k, 2); -inf where the point is not above or below it."""
    a = triangles[:, 0]
    u, v = triangles[:, 1] - a, triangles[:, 2] - a
    det = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    p = points - a[:, :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0]) / det
        t = (u[:, 0] * p[:, 1] - u[:, 1] * p[:, 0]) / det
        is_in = (det != 0.0) & (s >= WITHIN) & (t >= WITHIN) & (s + t <= 1.0 - WITHIN)
        return np.where(is_in, a[:, 2] + s * u[:, 2] + t * v[:, 2], -np.inf)
