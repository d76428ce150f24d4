"""RawSurface: vertices and polygons before anything is judged, and what follows from them: areas, normals, edges.

A quadrilateral is four triangles, each edge with the middle of the four corners, as in the contact search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

Array = np.ndarray
INDEX = np.int64


class RawSurface(NamedTuple):
    """Vertices (n, 3) [m], and polygons (m, 4) with rows of them; triangles have the last one twice."""

    vertices: Array
    polygons: Array


class HasPolygons(Protocol):
    """Whatever has vertices and polygons as a `RawSurface` has."""

    @property
    def vertices(self) -> Array: ...
    @property
    def polygons(self) -> Array: ...


class Edges(NamedTuple):
    """Edges of a surface.

    Attributes
    ----------
    ends : (k, 2) vertices of each, the smaller number first
    uses : (k,) polygons that have it
    forward : (k,) polygons that run along it from the smaller number to the larger
    polygon : (k,) one of them
    """

    ends: Array
    uses: Array
    forward: Array
    polygon: Array


def is_triangle(polygons: Array) -> Array:
    """Which polygons have three corners."""
    return np.asarray(polygons[:, 3] == polygons[:, 2])


def make_polygons(rows: Sequence[Sequence[int]] | Array) -> Array:
    """Polygons (m, 4) of rows with three or four vertices each.

    >>> make_polygons([[0, 1, 2], [0, 2, 3, 4]]).tolist()
    [[0, 1, 2, 2], [0, 2, 3, 4]]
    """
    if isinstance(rows, np.ndarray):
        return np.column_stack([rows, rows[:, 2]]).astype(INDEX) if rows.shape[1] == 3 else rows.astype(INDEX)
    return np.array([[*row, row[2]][:4] for row in rows], dtype=INDEX).reshape(-1, 4)


def join(parts: Sequence[RawSurface]) -> RawSurface:
    """Several surfaces as one."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    polygons = [part.polygons + start for part, start in zip(parts, first[:-1], strict=True)]
    return RawSurface(np.concatenate([part.vertices for part in parts]), np.concatenate(polygons))


def flip(raw: RawSurface) -> RawSurface:
    """The same polygons, seen from the other side."""
    three = is_triangle(raw.polygons)
    polygons = raw.polygons[:, [0, 3, 2, 1]]
    polygons[three] = raw.polygons[three][:, [0, 2, 1, 1]]
    return RawSurface(raw.vertices, polygons)


def merge_places(raw: RawSurface, distance: float) -> RawSurface:
    """Vertices that are nearer to each other than about `distance` [m] become one; polygons that lose all of their area
    by that are left out, and quadrilaterals may become triangles."""
    low = raw.vertices.min(axis=0)
    cell = np.round((raw.vertices - low) / max(distance, np.finfo(float).tiny))
    _, first, place = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    polygons = place.reshape(-1)[raw.polygons]
    for k in range(3):  # a corner that is where the next one is goes to the end
        same = polygons[:, k] == polygons[:, k + 1]
        for c in range(k, 3):
            polygons[same, c] = polygons[same, c + 1]
    same = (polygons[:, 3] == polygons[:, 0]) & ~is_triangle(polygons)
    polygons[same, 3] = polygons[same, 2]
    a, b, c = polygons[:, 0], polygons[:, 1], polygons[:, 2]
    return RawSurface(raw.vertices[first], polygons[(a != b) & (b != c) & (c != a)])


def drop_unused(raw: RawSurface) -> tuple[RawSurface, Array]:
    """The surface without vertices that no polygon has, and the rows of those that are left."""
    used = np.zeros(len(raw.vertices), dtype=bool)
    used[raw.polygons] = True
    return RawSurface(raw.vertices[used], (np.cumsum(used) - 1)[raw.polygons]), np.flatnonzero(used)


def list_triangles(raw: HasPolygons) -> Array:
    """Corners (t, 3, 3) of all facets [m]: a quadrilateral is four triangles about its middle."""
    three = is_triangle(raw.polygons)
    corners = raw.vertices[raw.polygons[~three]]
    middle = np.broadcast_to(corners.mean(axis=1, keepdims=True), corners.shape)
    facets = np.stack([corners, np.roll(corners, -1, axis=1), middle], axis=2).reshape(-1, 3, 3)
    return np.concatenate([raw.vertices[raw.polygons[three, :3]], facets])


def calc_facets(raw: RawSurface) -> Array:
    """Twice the area times the normal of the facets of each polygon (m, 4, 3) [m^2]: a triangle has one, a
    quadrilateral four."""
    corners = raw.vertices[raw.polygons]
    facets = np.zeros((len(raw.polygons), 4, 3))
    three = is_triangle(raw.polygons)
    a = corners[three]
    facets[three, 0] = np.cross(a[:, 1] - a[:, 0], a[:, 2] - a[:, 0])
    b = corners[~three]
    arms = b - b.mean(axis=1, keepdims=True)
    facets[~three] = np.cross(arms, np.roll(arms, -1, axis=1))
    return facets


def calc_areas(raw: RawSurface) -> Array:
    """Areas (m,) of the polygons [m^2]."""
    return np.asarray(0.5 * np.linalg.norm(calc_facets(raw), axis=2).sum(axis=1))


def calc_volume(raw: RawSurface) -> float:
    """Volume within a closed surface [m^3], by the divergence theorem; negative where it is inside out."""
    if not len(raw.polygons):
        return 0.0
    corners = raw.vertices[raw.polygons] - raw.vertices[raw.polygons[0, 0]]
    three = is_triangle(raw.polygons)
    middle = np.where(three[:, None], corners[:, :3].mean(axis=1), corners.mean(axis=1))
    return float(np.einsum("mk,mk->", middle, calc_facets(raw).sum(axis=1))) / 6.0


def list_sides(polygons: Array) -> tuple[Array, Array]:
    """Sides of all polygons as they run (s, 2), and the polygon of each (s,)."""
    starts, ends = polygons[:, [0, 1, 2, 3]], polygons[:, [1, 2, 3, 0]]
    three = is_triangle(polygons)
    sides = np.stack([starts, ends], axis=2)
    real = np.ones(polygons.shape, dtype=bool)
    real[three, 2] = False  # from the last corner to itself
    owner = np.repeat(np.arange(len(polygons)), 4).reshape(-1, 4)
    return sides[real], owner[real]


def find_edges(polygons: Array, count: int) -> Edges:
    """All edges of polygons between `count` vertices."""
    sides, owner = list_sides(polygons)
    low, high = sides.min(axis=1), sides.max(axis=1)
    key, first, place, uses = np.unique(low * count + high, return_index=True, return_inverse=True, return_counts=True)
    forward = np.bincount(place.reshape(-1), weights=sides[:, 0] == low, minlength=len(key)).astype(INDEX)
    return Edges(np.column_stack([low[first], high[first]]), uses, forward, owner[first])
