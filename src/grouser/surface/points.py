"""Contact points of surfaces: where they are, and the area that belongs to each.

At the vertices a triangle gives a third of its area to each corner, a quadrilateral a fourth. On the faces a triangle
is cut into n^2 triangles like itself, a quadrilateral into n x m by its bilinear map; each has a point in its middle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grouser.surface.raw import INDEX, Array, RawSurface, calc_areas, is_triangle


class ContactPoints(NamedTuple):
    """Rows (k, 4) of vertices, their weights (k, 4), and areas (k,) [m^2]."""

    corners: Array
    weights: Array
    areas: Array


def take_vertices(raw: RawSurface) -> ContactPoints:
    """A point at each vertex that a polygon has."""
    shares = calc_areas(raw) / np.where(is_triangle(raw.polygons), 3.0, 4.0)
    corner = raw.polygons.copy()
    real = np.ones(corner.shape, dtype=bool)
    real[is_triangle(raw.polygons), 3] = False
    area = np.bincount(
        corner[real], weights=np.broadcast_to(shares[:, None], corner.shape)[real], minlength=len(raw.vertices)
    )
    used = np.flatnonzero(area > 0.0)
    return ContactPoints(np.repeat(used[:, None], 4, axis=1), np.tile([1.0, 0.0, 0.0, 0.0], (len(used), 1)), area[used])


def take_faces(raw: RawSurface, spacing: float | None) -> ContactPoints:
    """Points on the polygons, no farther apart than about `spacing` [m]; by default one on each."""
    parts = [_NONE]
    three = is_triangle(raw.polygons)
    areas = calc_areas(raw)
    for chosen, cut in ((three, _cut_triangle), (~three, _cut_quadrilateral)):
        rows = np.flatnonzero(chosen)
        counts = _count_pieces(raw, rows, spacing)
        for pair in np.unique(counts, axis=0):
            same = rows[(counts == pair).all(axis=1)]
            weights, shares = cut(int(pair[0]), int(pair[1]))
            parts.append(_place(raw, same, areas[same], weights, shares))
    return ContactPoints(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def count_points(raw: RawSurface, spacing: float | None) -> int:
    """How many points `take_faces` will make."""
    counts = _count_pieces(raw, np.arange(len(raw.polygons)), spacing)
    return int(counts.prod(axis=1).sum())


_NONE = ContactPoints(np.empty((0, 4), dtype=INDEX), np.empty((0, 4)), np.empty(0))


def _count_pieces(raw: RawSurface, rows: Array, spacing: float | None) -> Array:
    """Pieces (k, 2) along the two directions of some polygons; those of a triangle are the same."""
    if spacing is None:
        return np.ones((len(rows), 2), dtype=INDEX)
    corners = raw.vertices[raw.polygons[rows]]
    length = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    both = np.column_stack([np.maximum(length[:, 0], length[:, 2]), np.maximum(length[:, 1], length[:, 3])])
    three = is_triangle(raw.polygons[rows])
    both[three] = length[three].max(axis=1, keepdims=True)
    return np.asarray(np.maximum(np.ceil(both / spacing * (1.0 - 1e-9)), 1.0), dtype=INDEX)


def _cut_triangle(count: int, _: int) -> tuple[Array, Array]:
    """Weights (n^2, 4) of the middles of the parts of a triangle, and their shares in its area."""
    i, j = (a.ravel() for a in np.meshgrid(np.arange(count), np.arange(count), indexing="ij"))
    up, down = i + j < count, i + j < count - 1
    s = np.concatenate([i[up] + 1.0 / 3.0, i[down] + 2.0 / 3.0]) / count
    t = np.concatenate([j[up] + 1.0 / 3.0, j[down] + 2.0 / 3.0]) / count
    return np.column_stack([1.0 - s - t, s, t, np.zeros(len(s))]), np.full(len(s), 1.0 / len(s))


def _cut_quadrilateral(along: int, across: int) -> tuple[Array, Array]:
    """The same of a quadrilateral, whose parts have equal shares."""
    middles = np.meshgrid((np.arange(along) + 0.5) / along, (np.arange(across) + 0.5) / across, indexing="ij")
    s, t = (values.ravel() for values in middles)
    weights = np.column_stack([(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t])
    return weights, np.full(len(s), 1.0 / len(s))


def _place(raw: RawSurface, rows: Array, areas: Array, weights: Array, shares: Array) -> ContactPoints:
    corners = np.repeat(raw.polygons[rows], len(weights), axis=0)
    return ContactPoints(corners, np.tile(weights, (len(rows), 1)), np.outer(areas, shares).ravel())


def take_line_nodes(vertices: Array, lines: Array, width: float) -> ContactPoints:
    """A point at each node of lines (k, 2); its area is half of the lines beside it times `width` [m]."""
    half = 0.5 * width * np.linalg.norm(vertices[lines[:, 1]] - vertices[lines[:, 0]], axis=1)
    area = np.bincount(lines.ravel(), weights=np.repeat(half, 2), minlength=len(vertices))
    number = np.arange(len(vertices))
    return ContactPoints(np.repeat(number[:, None], 4, axis=1), np.tile([1.0, 0.0, 0.0, 0.0], (len(number), 1)), area)


def take_lines(vertices: Array, lines: Array, width: float, spacing: float | None) -> ContactPoints:
    """Points along lines, no farther apart than `spacing` [m]; by default one in the middle of each."""
    length = np.linalg.norm(vertices[lines[:, 1]] - vertices[lines[:, 0]], axis=1)
    counts = np.ones(len(lines), dtype=INDEX)
    if spacing is not None:
        counts = np.maximum(np.ceil(length / spacing * (1.0 - 1e-9)), 1.0).astype(INDEX)
    line = np.repeat(np.arange(len(lines)), counts)
    number = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts)
    s = (number + 0.5) / counts[line]
    zero = np.zeros(len(s))
    corners = lines[line][:, [0, 1, 1, 1]]
    return ContactPoints(corners, np.column_stack([1.0 - s, s, zero, zero]), width * length[line] / counts[line])
