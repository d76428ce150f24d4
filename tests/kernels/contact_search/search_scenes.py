"""Surfaces and points for the tests, and the search by brute force: every point against every polygon, in numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.kernels.contact.search.box_tree import build_boxes, refit_boxes
from grouser.kernels.contact.search.candidates import find_candidates
from grouser.kernels.contact.search.side import Moves
from grouser.kernels.contact.search.sphere_tree import build_balls, refit_balls
from grouser.kernels.contact.search.tables import (
    Meeting,
    Reach,
    grow_pair_list,
    make_cloud,
    make_pair_list,
    make_search_work,
    make_surface,
    make_touch_list,
)
from grouser.kernels.contact.search.touch import find_gaps, find_touches
from grouser.model.rotation import make_quaternion, quaternion_to_matrix


def make_grid(rows, columns, closed, quads):
    """Polygons of a grid of nodes, closed to a ring along its columns or not; halves of cells, or cells."""
    width = columns if closed else columns + 1
    i, j = (a.ravel() for a in np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))
    following = (j + 1) % width
    a, b, c, d = i * width + j, (i + 1) * width + j, (i + 1) * width + following, i * width + following
    if quads:
        return np.stack([a, b, c, d], axis=1)
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def make_sheet(rng, quads):
    """An open sheet that looks up, wavy or wild."""
    n, m = rng.integers(1, 12, 2)
    s, t = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, m + 1), indexing="ij"))
    x = np.stack([s, t, 0.2 * np.sin(5.0 * s + rng.uniform(0, 6)) * np.cos(4.0 * t)], axis=1)
    return x + rng.uniform(-0.3, 0.3, x.shape) / max(n, m) * rng.integers(0, 2), make_grid(n, m, False, quads)


def make_ball(rng, quads, noise):
    """A closed lump of rings of cells with triangles at its poles."""
    n, m = rng.integers(3, 9), rng.integers(4, 12)
    theta, phi = np.linspace(0, np.pi, n + 1)[1:-1], np.linspace(0, 2 * np.pi, m + 1)[:-1]
    t, f = (a.ravel() for a in np.meshgrid(theta, phi, indexing="ij"))
    x = np.stack([np.sin(t) * np.cos(f), np.sin(t) * np.sin(f), np.cos(t)], axis=1)
    x = np.concatenate([x, [[0, 0, 1], [0, 0, -1]]])
    x *= 1.0 + noise * rng.uniform(-1, 1, (len(x), 1))
    x *= rng.uniform(0.3, 1.0, 3) if noise > 0.1 else 1.0
    rings = make_grid(n - 2, m, True, quads) if n > 2 else np.zeros((0, 4 if quads else 3), int)
    j = np.arange(m)
    top, bottom = len(x) - 2, len(x) - 1
    caps = [np.stack([np.full(m, top), j, (j + 1) % m], axis=1)]
    last = (n - 2) * m
    caps.append(np.stack([np.full(m, bottom), last + (j + 1) % m, last + j], axis=1))
    caps = np.concatenate(caps)
    return x, np.concatenate([rings, caps[:, [0, 1, 2, 2]] if quads else caps])


def split_facets(x, polygons):
    """Triangles of all polygons (t, 3, 3), and which polygon each belongs to."""
    corners, owners = [], []
    for k, nodes in enumerate(polygons):
        if len(nodes) == 3 or nodes[3] == nodes[2]:
            corners.append(x[nodes[:3]])
            owners.append(k)
            continue
        middle = x[nodes].mean(axis=0)
        for i in range(4):
            corners.append(np.stack([x[nodes[i]], x[nodes[(i + 1) % 4]], middle]))
            owners.append(k)
    return np.array(corners), np.array(owners)


def calc_distances(points, corners):
    """Distance of each point to each triangle (points, triangles), by the least over its plane, its edges, its
    nodes."""
    best = np.full((len(points), len(corners)), np.inf)
    for i in range(3):
        a, e = corners[:, i], corners[:, (i + 1) % 3] - corners[:, i]
        r = points[:, None] - a
        share = np.clip(np.sum(r * e, -1) / np.maximum(np.sum(e * e, -1), 1e-300), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(r - share[..., None] * e, axis=-1))
    a = corners[:, 0]
    basis = np.stack([corners[:, 1] - a, corners[:, 2] - a], axis=-1)
    r = points[:, None] - a
    weights = np.einsum("tij,ptj->pti", np.linalg.pinv(basis), r)
    away = np.linalg.norm(r - np.einsum("tij,ptj->pti", basis, weights), axis=-1)
    inside = np.all(weights > 0.0, axis=-1) & (weights.sum(axis=-1) < 1.0)
    return np.where(inside, np.minimum(best, away), best)


def calc_winding(points, corners):
    """How often a closed surface goes round each point: the solid angle of its triangles (van Oosterom, Strackee)."""
    a, b, c = (corners[:, i] - points[:, None] for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    above = np.sum(a * np.cross(b, c), axis=-1)
    below = la * lb * lc + np.sum(a * b, -1) * lc + np.sum(b * c, -1) * la + np.sum(c * a, -1) * lb
    return np.arctan2(above, below).sum(axis=1) / (2.0 * np.pi)


def make_turn(rng, angle=None):
    """A random rotation matrix."""
    axis = rng.normal(size=3)
    return quaternion_to_matrix(make_quaternion(axis, rng.uniform(0, 3) if angle is None else angle))


@dataclass
class Search:
    """A surface and points, with their trees, lists and scratch.

    Attributes
    ----------
    x, polygons : nodes of the surface; its polygons in the order of the tree
    points, origin, R : points in their own frame, and how the surface sees them
    """

    x: np.ndarray
    polygons: np.ndarray
    points: np.ndarray
    reach: Reach
    origin: np.ndarray
    R: np.ndarray
    is_shell: bool = False
    capacity: int = 5000
    near_start: np.ndarray | None = None
    near: np.ndarray | None = None

    def __post_init__(self):
        """Build the trees."""
        self.x, self.points = np.ascontiguousarray(self.x, float), np.ascontiguousarray(self.points, float)
        self.surface = make_surface(self.polygons, len(self.x), is_shell=self.is_shell)
        n = len(self.polygons)
        self.cost = build_boxes(self.surface, self.x, np.zeros((n, 3)), np.zeros(n, dtype=np.uint32))
        self.polygons = self.polygons[self.surface.order]
        self.cloud = make_cloud(len(self.points), self.near_start, self.near)
        build_balls(self.cloud, self.points, np.zeros_like(self.points))
        self.pair = make_pair_list(len(self.points), self.capacity)
        self.touch = make_touch_list(4 * len(self.points) + 8)
        self.work = make_search_work(self.cloud)
        self.guide = np.zeros((len(self.points), 4))

    @property
    def meeting(self):
        """What kernels take."""
        return Meeting(self.surface, self.x, self.cloud, self.points, self.origin, self.R, self.reach)

    @property
    def seen(self):
        """Points as the surface sees them."""
        return self.origin + self.points @ self.R.T

    def refit(self):
        """Boxes and spheres where nodes and points are now; returns the looseness."""
        refit_balls(self.cloud, self.points)
        return refit_boxes(self.surface, self.x) / self.cost

    def find(self, step=0.0):
        """Make the list; it grows until there is room."""
        while not find_candidates(self.meeting, step, self.guide, self.pair, self.work):
            self.pair = grow_pair_list(self.pair)
        count, start = self.pair.count[0], self.pair.start
        return {int(self.pair.point[n]): self.pair.polygon[start[n] : start[n + 1]] for n in range(count)}

    def find_gaps(self, total=0.0, step=0.0):
        """Gap and polygon of each listed point."""
        gap, polygon = np.zeros(len(self.points)), np.zeros(len(self.points), dtype=np.int64)
        find_gaps(self.meeting, self.pair, Moves(total, step), self.guide, gap, polygon)
        count = self.pair.count[0]
        return {int(i): (g, int(k)) for i, g, k in zip(self.pair.point[:count], gap, polygon, strict=False)}

    def find_touches(self, total=0.0, step=0.0):
        """Rows of touches: point, polygon, and the eleven values."""
        assert find_touches(self.meeting, self.pair, Moves(total, step), self.guide, self.guide, self.touch)
        n = self.touch.count[0]
        return list(zip(self.touch.point[:n], self.touch.polygon[:n], self.touch.value[:n].copy(), strict=True))

    def calc_brute(self):
        """Distances of all points to all polygons (points, polygons), in the order of the tree."""
        corners, owners = split_facets(self.x, self.polygons)
        distances = calc_distances(self.seen, corners)
        found = np.full((len(self.points), len(self.polygons)), np.inf)
        for t, k in enumerate(owners):
            found[:, k] = np.minimum(found[:, k], distances[:, t])
        return found
