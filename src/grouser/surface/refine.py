"""Polygons cut until no edge is longer than a length. Polygons on both sides of an edge are cut alike, so that no gap
opens.

A triangle is cut through the middles of its long edges: into two, three or four. A quadrilateral with a long edge
becomes two triangles first, along its shorter diagonal.
"""

from __future__ import annotations

import numpy as np

from grouser.surface.raw import INDEX, Array, RawSurface, is_triangle, list_sides

ROUNDING = 1.0 + 1e-9
_MOST_ROUNDS = 60


def refine(raw: RawSurface, longest: float, most: int) -> RawSurface:
    """The surface with edges of at most `longest` [m]; the cutting ends where it would have more than `most`
    polygons."""
    for _ in range(_MOST_ROUNDS):
        if len(raw.polygons) > most:
            break
        vertices, polygons = _cut(raw, longest)
        if len(vertices) == len(raw.vertices) and len(polygons) == len(raw.polygons):
            break
        raw = RawSurface(vertices, polygons)
    return raw


def _cut(raw: RawSurface, longest: float) -> tuple[Array, Array]:
    vertices, polygons = raw
    polygons = _halve_quadrilaterals(vertices, polygons, longest)
    three = is_triangle(polygons)
    others, triangles = polygons[~three], polygons[three, :3]
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2)  # edge k runs from corner k
    is_long = np.linalg.norm(vertices[ends[..., 1]] - vertices[ends[..., 0]], axis=2) > longest * ROUNDING
    low, high = ends.min(axis=2), ends.max(axis=2)
    keys, place = np.unique((low * len(vertices) + high)[is_long], return_inverse=True)
    middles = 0.5 * (vertices[keys // len(vertices)] + vertices[keys % len(vertices)])
    middle = np.full(triangles.shape, -1, dtype=INDEX)
    middle[is_long] = len(vertices) + place.reshape(-1)
    new = np.concatenate(_cut_triangles(triangles, middle))
    return np.concatenate([vertices, middles]), np.concatenate([others, new[:, [0, 1, 2, 2]]])


def _halve_quadrilaterals(vertices: Array, polygons: Array, longest: float) -> Array:
    """Quadrilaterals with a long edge as two triangles."""
    sides, owner = list_sides(polygons)
    is_long = np.linalg.norm(vertices[sides[:, 1]] - vertices[sides[:, 0]], axis=1) > longest * ROUNDING
    cut = np.zeros(len(polygons), dtype=bool)
    cut[owner[is_long]] = True
    cut &= ~is_triangle(polygons)
    a, b, c, d = polygons[cut].T
    is_first = np.linalg.norm(vertices[a] - vertices[c], axis=1) <= np.linalg.norm(vertices[b] - vertices[d], axis=1)
    first = np.where(is_first[:, None], np.column_stack([a, b, c, c]), np.column_stack([a, b, d, d]))
    second = np.where(is_first[:, None], np.column_stack([a, c, d, d]), np.column_stack([b, c, d, d]))
    return np.concatenate([polygons[~cut], first, second])


def _cut_triangles(triangles: Array, middle: Array) -> list[Array]:
    """Triangles (m, 3) through the middles (m, 3) of their edges, -1 where there is none."""
    count = (middle >= 0).sum(axis=1)
    found = [triangles[count == 0]]
    # turned so that the first edge is cut, or with two of them the first two
    turn = np.argmax(middle >= 0, axis=1)
    turn[(count == 2) & (middle[:, 1] < 0)] = 2
    columns = (np.arange(3) + turn[:, None]) % 3
    t, m = np.take_along_axis(triangles, columns, axis=1), np.take_along_axis(middle, columns, axis=1)
    a, b, c = t.T
    p, q, r = m.T
    one, two, three = count == 1, count == 2, count == 3
    found += [np.column_stack([a, p, c])[one], np.column_stack([p, b, c])[one]]
    found += [np.column_stack([p, b, q])[two], np.column_stack([a, p, q])[two], np.column_stack([a, q, c])[two]]
    found += [np.column_stack(rows)[three] for rows in ((a, p, r), (p, b, q), (r, q, c), (p, q, r))]
    return found
