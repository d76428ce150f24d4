"""Boxes: a grid of quadrilaterals on six faces; and spheres, whose grid is that of a cube."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from grouser.model.surface import BoxGeometry, CapsuleGeometry, SphereGeometry
from grouser.surface.raw import INDEX, Array, RawSurface

USUAL = 200
"""About so many polygons a surface has where no length is given."""
LEAST_ROUND = 8
"""Least polygons along a quarter of a circle, where no length is given."""


def find_edge_length(area: float) -> float:
    """The length of edges where none is given [m]: some 200 squares."""
    return math.sqrt(area / USUAL)


def make_box(geometry: BoxGeometry, edge_length: float | None) -> RawSurface:
    """A box."""
    x, y, z = geometry.sides
    longest = edge_length or find_edge_length(2.0 * (x * y + y * z + z * x))
    vertices, polygons = _make_grid(*(count_pieces(side, longest) for side in geometry.sides))
    return RawSurface(0.5 * vertices * np.array(geometry.sides), polygons)


def count_box(geometry: BoxGeometry, edge_length: float) -> float:
    """How many polygons a box will have."""
    a, b, c = (math.ceil(side / edge_length) for side in geometry.sides)
    return 2.0 * (a * b + b * c + c * a)


def make_sphere(geometry: SphereGeometry, edge_length: float | None) -> RawSurface:
    """A sphere: the grid of a cube, by angles, so that its squares are nearly alike."""
    vertices, polygons = _make_ball(geometry.radius, edge_length)
    return RawSurface(geometry.radius * vertices, polygons)


def make_capsule(geometry: CapsuleGeometry, edge_length: float | None) -> RawSurface:
    """A sphere that is cut at y = 0, with a tube between its halves."""
    radius, half = geometry.radius, 0.5 * geometry.length
    vertices, polygons = _make_ball(radius, edge_length)
    arc = 2.0 * math.pi / math.sqrt(len(polygons) / 6.0) / 4.0 * radius
    pieces = count_pieces(geometry.length, edge_length or arc)
    is_rim = vertices[:, 1] == 0.0
    rim = np.flatnonzero(is_rim)
    rim = rim[np.argsort(np.arctan2(vertices[rim, 0], vertices[rim, 2]))]  # anticlockwise seen from +y
    left = radius * vertices + np.where(vertices[:, 1:2] >= 0.0, [0.0, half, 0.0], [0.0, -half, 0.0])
    rows = [rim]
    found = [left]
    for k in range(1, pieces + 1):
        found.append(radius * vertices[rim] + [0.0, half - k * geometry.length / pieces, 0.0])
        rows.append(len(left) + (k - 1) * len(rim) + np.arange(len(rim)))
    lower = vertices[polygons].min(axis=1)[:, 1] < 0.0
    other = np.arange(len(vertices))
    other[rim] = rows[-1]
    ends = np.where(lower[:, None], other[polygons], polygons)
    tube = [np.column_stack([low, np.roll(low, -1), np.roll(high, -1), high]) for high, low in pairwise(rows)]
    return RawSurface(np.concatenate(found), np.concatenate([ends, *tube]))


def count_round(radius: float, edge_length: float) -> float:
    """How many polygons a sphere will have."""
    return 6.0 * math.ceil(0.5 * math.pi * radius / edge_length) ** 2


def count_pieces(length: float, longest: float) -> int:
    """Into how many pieces a length is divided, none longer than `longest`."""
    return max(1, math.ceil(length / longest * (1.0 - 1e-9)))


def _make_ball(radius: float, edge_length: float | None) -> tuple[Array, Array]:
    """Grid on a sphere of radius 1, with an even number of pieces, so that the equator is part of it."""
    pieces = LEAST_ROUND if edge_length is None else count_pieces(0.5 * math.pi * radius, edge_length)
    pieces += pieces % 2
    vertices, polygons = _make_grid(pieces, pieces, pieces)
    vertices = np.tan(0.25 * np.pi * vertices)
    return vertices / np.linalg.norm(vertices, axis=1)[:, None], polygons


def _make_grid(nx: int, ny: int, nz: int) -> tuple[Array, Array]:
    """Vertices and quadrilaterals on the faces of the cube from -1 to 1."""
    counts = np.array([nx, ny, nz])
    places, polygons, before = [], [], 0
    for axis in range(3):
        j, k = (axis + 1) % 3, (axis + 2) % 3
        s, t = (a.ravel() for a in np.meshgrid(np.arange(counts[j] + 1), np.arange(counts[k] + 1), indexing="ij"))
        number = np.arange(len(s)).reshape(counts[j] + 1, counts[k] + 1)
        a, b, c, d = (rows.ravel() for rows in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
        for level, corners in ((counts[axis], (a, b, c, d)), (0, (a, d, c, b))):
            place = np.empty((len(s), 3), dtype=INDEX)
            place[:, axis], place[:, j], place[:, k] = level, s, t
            places.append(place)
            polygons.append(np.column_stack(corners) + before)
            before += len(s)
    grid = np.concatenate(places)
    key = (grid[:, 0] * (ny + 1) + grid[:, 1]) * (nz + 1) + grid[:, 2]
    _, first, row = np.unique(key, return_index=True, return_inverse=True)
    return 2.0 * grid[first] / counts - 1.0, row.reshape(-1)[np.concatenate(polygons)]
