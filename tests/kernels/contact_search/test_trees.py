"""Trees of boxes and spheres: they hold what they should, fit tightly, and say how loose they have become."""

from __future__ import annotations

import numpy as np
import pytest
import search  # bench/search.py
from search_scenes import Search, make_ball, make_grid

from grouser.kernels.contact.search.box_tree import build_boxes, refit_boxes
from grouser.kernels.contact.search.sphere_tree import build_balls
from grouser.kernels.contact.search.tables import LEAF, Reach, make_cloud, make_surface

BYTES = 150
"""Most memory of a polygon, with what building takes."""


def build(x, polygons):
    """A surface with its tree, and the cost of a descent."""
    surface, n = make_surface(polygons, len(x)), len(polygons)
    return surface, build_boxes(surface, x, np.zeros((n, 3)), np.zeros(n, dtype=np.uint32))


def assert_holds(box, points):
    """A box holds all points, and is as tight as float32 lets it be."""
    low, high, size = points.min(axis=0), points.max(axis=0), np.abs(points).max()
    assert (box[:3] <= low).all() and (box[3:] >= high).all()
    assert (low - box[:3] <= 2e-7 * size).all() and (box[3:] - high <= 2e-7 * size).all()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_boxes_are_rounded_outwards(scale):
    """At any distance from the origin, and at zero."""
    rng = np.random.default_rng(1)
    x = scale * (rng.normal(size=(300, 3)) + [[1e3, 0.0, 0.0]] * 300)
    x[::7, 1] = 0.0
    surface, _ = build(x, np.arange(300).reshape(100, 3))
    for k in range(len(surface.box) // 2, len(surface.box)):
        leaf, leaves = k - len(surface.box) // 2, len(surface.box) // 2
        assert_holds(surface.box[k], x[surface.node[leaf * 100 // leaves : (leaf + 1) * 100 // leaves]].reshape(-1, 3))


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 33, 100, 1000])
def test_boxes_fit_what_they_hold(count):
    rng = np.random.default_rng(count)
    x = rng.normal(size=(3 * count, 3))
    polygons = rng.permutation(3 * count).reshape(count, 3)
    surface, _ = build(x, polygons)
    assert sorted(surface.order) == list(range(count))
    np.testing.assert_array_equal(surface.node[:, :3], polygons[surface.order])
    leaves = len(surface.box) // 2
    assert count <= leaves * LEAF
    corners = x[surface.node]
    for k in range(1, 2 * leaves):
        depth = k.bit_length() - 1
        j = k - 2**depth
        inside = corners[j * count // 2**depth : (j + 1) * count // 2**depth].reshape(-1, 3)
        assert_holds(surface.box[k], inside)
    rings = [[] for _ in range(3 * count)]
    for k, nodes in enumerate(surface.node[:, :3]):
        for node in nodes:
            rings[node].append(k)
    for node in range(3 * count):
        ring = surface.ring[surface.ring_start[node] : surface.ring_start[node + 1]]
        assert list(ring) == rings[node]


@pytest.mark.parametrize("count", [1, 2, 16, 17, 1000])
def test_spheres_hold_their_points_and_are_hardly_larger(count):
    x = np.random.default_rng(count).normal(size=(count, 3))
    cloud = make_cloud(count)
    build_balls(cloud, x, np.zeros_like(x))
    leaves = len(cloud.ball) // 2
    for k in range(1, 2 * leaves):
        depth = k.bit_length() - 1
        j = k - 2**depth
        inside = x[cloud.order[j * count // 2**depth : (j + 1) * count // 2**depth]]
        away = np.linalg.norm(inside - cloud.ball[k, :3], axis=1).max()
        assert away <= cloud.ball[k, 3] * (1.0 + 1e-12)
        assert cloud.ball[k, 3] <= 1.7 * np.linalg.norm(np.ptp(inside, axis=0)) + 1e-12


def test_equal_and_aligned_members_are_split_too():
    """Nothing to choose between: all centres the same, or on a line."""
    polygons = np.arange(3000).reshape(1000, 3)
    for x in (np.ones((3000, 3)), np.repeat(np.arange(1000.0), 3)[:, None] * [1, 0, 0]):
        surface, _ = build(np.ascontiguousarray(x), polygons)
        assert sorted(surface.order) == list(range(1000))


def test_refitted_boxes_are_those_of_the_moved_nodes():
    rng = np.random.default_rng(0)
    x, polygons = make_ball(rng, True, 0.3)
    surface, _ = build(x, polygons)
    moved = np.ascontiguousarray(x + rng.normal(size=x.shape))
    refit_boxes(surface, moved)
    corners = moved[surface.node].reshape(-1, 3)
    assert_holds(surface.box[1], corners)


def make_sheet(count):
    """A flat square of 2 count^2 triangles."""
    s, t = (a.ravel() for a in np.meshgrid(*[np.linspace(0, 1, count + 1)] * 2, indexing="ij"))
    return np.stack([s, t, 0 * s], axis=1), make_grid(count, count, False, False)


def test_looseness_tells_shuffled_nodes_from_moved_ones():
    """A surface that is shifted, turned by a right angle or bent is as good as new; one whose rows slide past each
    other is loose, by as much as the boxes that a point then meets, and as good as new once it is built again."""
    x, polygons = make_sheet(60)
    x, polygons = x[polygons].reshape(-1, 3), np.arange(3 * len(polygons)).reshape(-1, 3)
    surface, cost = build(x, polygons)
    for moved in (x + 5.0, 3.0 * x, x[:, [2, 0, 1]], x * [1, -1, 1], x + [0, 0, 0.1] * np.sin(3 * x[:, :1])):
        assert refit_boxes(surface, np.ascontiguousarray(moved)) / cost < 1.2
    # every second row of cells slides by half of its length
    slid, middle = x.copy(), np.repeat(x.reshape(-1, 3, 3).mean(axis=1), 3, axis=0)
    is_odd = (60 * middle[:, 0]).astype(int) % 2 == 1
    slid[:, 1] += np.where(is_odd, np.where(middle[:, 1] < 0.5, 0.5, -0.5), 0.0)
    looseness = refit_boxes(surface, slid) / cost
    assert looseness > 2.0
    points = np.random.default_rng(1).uniform(0, 1, (500, 3)) * [1, 1, 0.01]

    def count_boxes(box):
        below, above = box[1:, None, :3], box[1:, None, 3:]
        return np.all((points >= below - 0.01) & (points <= above + 0.01), axis=-1).sum()

    loose = count_boxes(surface.box)
    again, new_cost = build(slid, polygons)
    assert loose > 1.5 * count_boxes(again.box)
    assert refit_boxes(again, slid) / new_cost == 1.0


def test_a_surface_that_is_built_again_keeps_its_names():
    rng = np.random.default_rng(2)
    x, polygons = make_ball(rng, False, 0.2)
    surface, _ = build(x, polygons)
    n = len(polygons)
    for _ in range(2):
        x = np.ascontiguousarray(x[:, [1, 2, 0]] * rng.uniform(0.3, 2.0, 3))
        build_boxes(surface, x, np.zeros((n, 3)), np.zeros(n, dtype=np.uint32))
        np.testing.assert_array_equal(surface.node[:, :3], polygons[surface.order])


def test_memory_of_a_polygon():
    for quads in (False, True):
        polygons = make_grid(100, 100, False, quads)
        surface, n = make_surface(polygons, 101 * 101), len(polygons)
        kept = sum(array.nbytes for array in surface[:-1])
        assert (kept + 24 * n + 4 * n) / n < BYTES


def test_empty_surfaces_and_clouds_are_refused():
    with pytest.raises(ValueError, match="at least one member"):
        make_surface(np.zeros((0, 3), dtype=int), 0)
    with pytest.raises(ValueError, match="at least one member"):
        make_cloud(0)


@pytest.mark.parametrize("count", [22, 71, 224])
def test_a_search_looks_at_what_is_near_alone(count):
    """Polygons whose leaves are far from all points may hold anything: their nodes are not read."""
    x, triangles = search.make_terrain(count)
    points = search.make_points(x, triangles, 5, 1e-3)
    scene = Search(x, triangles, points, Reach(2e-3, 2e-3, 0.0), np.zeros(3), np.eye(3))
    expected = {i: list(polygons) for i, polygons in scene.find().items()}
    assert len(expected) == 5
    box, n = scene.surface.box, len(triangles)
    leaves = len(box) // 2
    is_far = np.ones(n, dtype=bool)
    for p in points:
        gap = np.linalg.norm(np.maximum(np.maximum(box[leaves:, :3] - p, p - box[leaves:, 3:]), 0.0), axis=1)
        for leaf in np.flatnonzero(gap < 2.1e-3):
            is_far[leaf * n // leaves : (leaf + 1) * n // leaves] = False
    assert is_far.mean() > (0.5 if count == 22 else 0.9)
    scene.surface.node[is_far] = 4_000_000_000
    scene.guide[:] = 0.0
    assert {i: list(polygons) for i, polygons in scene.find().items()} == expected


def test_the_bench_runs(capsys, monkeypatch):
    """Its parts, on a small surface, with few repeats."""
    measure = search.measure
    monkeypatch.setattr(search, "measure", lambda work, budget=0.0: measure(work, 0.0))
    given = search.print_surface(22)
    search.print_search(*given, 100)
    search.print_steps(*given, 100)
    text = capsys.readouterr().out
    assert "build" in text and "us a point" in text and "candidates" in text
