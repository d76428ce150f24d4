"""Closest points on single polygons: optimal, continuous, with the right feature; sides of edges and nodes."""

from __future__ import annotations

import numpy as np
import pytest
from search_scenes import calc_distances, split_facets

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search import polygon
from grouser.kernels.contact.search.box_tree import fill_rings
from grouser.kernels.contact.search.side import calc_gap
from grouser.kernels.contact.search.tables import make_surface

ROUNDING = 1e-12


@kernel(entry=True)
def run_closest(surface, x, k, p, weight_out):
    """Square of the distance as the search and as the contact has it, and the feature."""
    point = p[0], p[1], p[2]
    squared, weights, feature = polygon.calc_closest(surface, x, k, point)
    for i in range(4):
        weight_out[i] = weights[i]
    return squared, polygon.calc_distance_squared(surface, x, k, point), feature


@kernel(entry=True)
def run_gap(surface_work, x, k, p, guide, normal_out):
    """Gap beside polygon k, and whether nothing around is closer."""
    fill_rings(surface_work)
    gap, normal, _, _, _, is_least = calc_gap(surface_work, x, k, (p[0], p[1], p[2]), guide, 0, 0.0)
    normal_out[0], normal_out[1], normal_out[2] = normal
    return gap, is_least


def find_closest(x, nodes, p):
    """Distance, weights, kind and number of the feature."""
    surface, weights = make_surface(np.array([nodes]), len(x)), np.zeros(4)
    squared, again, feature = run_closest(surface, x, 0, p, weights)
    assert squared == pytest.approx(again, abs=ROUNDING, rel=1e-9)
    return np.sqrt(squared), weights, divmod(int(feature), 4)


def find_gap(x, polygons, k, p):
    """Gap, normal and whether it is least."""
    surface, normal = make_surface(np.array(polygons), len(x)), np.zeros(3)
    gap, is_least = run_gap(surface, x, k, np.asarray(p, float), np.zeros((1, 4)), normal)
    return gap, normal, is_least


@pytest.mark.parametrize("count", [3, 4])
def test_closest_points_are_closest(count):
    """No triangle of the polygon has a point with a smaller distance: (p - q).(v - q) <= 0 for all its corners v if q
    lies on it, and brute force agrees."""
    rng = np.random.default_rng(count)
    for _ in range(1000):
        x = rng.normal(size=(count, 3)) * rng.choice([1.0, 1e-3], 3)
        p = rng.normal(size=3) * rng.choice([0.3, 3.0])
        distance, weights, _ = find_closest(x, range(count), p)
        q = weights[:count] @ x
        assert weights.sum() == pytest.approx(1.0, abs=ROUNDING)
        assert weights.min() >= -ROUNDING
        assert np.linalg.norm(p - q) == pytest.approx(distance, abs=1e-9)
        corners, _ = split_facets(x, np.array([list(range(count))]))
        assert distance == pytest.approx(calc_distances(p[None], corners).min(), abs=1e-9)
        if count == 3:
            assert np.all((x - q) @ (p - q) <= 1e-9)


SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
FEATURES = {
    (0.5, 0.2, 1.0): (polygon.FACE, 0),
    (0.8, 0.5, 1.0): (polygon.FACE, 1),
    (0.5, 0.8, -1.0): (polygon.FACE, 2),
    (0.2, 0.5, 1.0): (polygon.FACE, 3),
    (0.5, -1.0, 1.0): (polygon.EDGE, 0),
    (2.0, 0.5, 1.0): (polygon.EDGE, 1),
    (0.5, 2.0, 1.0): (polygon.EDGE, 2),
    (-1.0, 0.5, 1.0): (polygon.EDGE, 3),
    (-1.0, -1.0, 1.0): (polygon.CORNER, 0),
    (2.0, -1.0, 1.0): (polygon.CORNER, 1),
    (2.0, 2.0, 1.0): (polygon.CORNER, 2),
    (-1.0, 2.0, 1.0): (polygon.CORNER, 3),
    (0.25, 0.25, 1.0): (polygon.CREASE, 0),
    (0.75, 0.25, 1.0): (polygon.CREASE, 1),
    (0.75, 0.75, 1.0): (polygon.CREASE, 2),
    (0.25, 0.75, 1.0): (polygon.CREASE, 3),
    (0.5, 0.5, 1.0): (polygon.CENTRE, 0),
}


@pytest.mark.parametrize("place", FEATURES)
def test_features_of_a_square(place):
    distance, weights, feature = find_closest(SQUARE, range(4), np.array(place))
    q = np.clip(place, [0, 0, 0], [1, 1, 0])
    assert feature == FEATURES[place]
    np.testing.assert_allclose(weights @ SQUARE, q, atol=ROUNDING)
    assert distance == pytest.approx(np.linalg.norm(q - place), abs=ROUNDING)


def test_features_of_a_triangle():
    x = SQUARE[[0, 1, 3]]
    expected = {
        (0.2, 0.2, 1): (polygon.FACE, 0),
        (0.5, -1, 0): (polygon.EDGE, 0),
        (1, 1, 0): (polygon.EDGE, 1),
        (-1, 0.5, 0): (polygon.EDGE, 2),
        (-1, -1, 0): (polygon.CORNER, 0),
        (3, 0, 0): (polygon.CORNER, 1),
        (0, 3, 0): (polygon.CORNER, 2),
    }
    for p, feature in expected.items():
        assert find_closest(x, range(3), np.array(p, float))[2] == feature


def test_weights_are_continuous_over_the_creases_of_a_warped_quadrilateral():
    """Along any line the distance changes no faster than the place, and along a line on the quadrilateral no weight
    jumps where that goes from facet to facet."""
    x = SQUARE + np.array([[0, 0, 0.3], [0, 0, -0.3], [0, 0, 0.3], [0, 0, -0.3]])
    line = np.linspace([-0.2, 0.1, 0.4], [1.2, 0.7, 0.4], 4000)
    step = np.linalg.norm(line[1] - line[0])
    found = [find_closest(x, range(4), p) for p in line]
    assert np.abs(np.diff([f[0] for f in found])).max() < step * (1.0 + 1e-9)
    line[:, 2] = 0.0
    nearly = [find_closest(x, range(4), p)[1] @ x for p in line]
    found = [find_closest(x, range(4), p) for p in nearly]
    assert max(f[0] for f in found) < ROUNDING
    inner = [n for n, p in enumerate(nearly) if 0.05 < p[0] < 0.95 and 0.05 < p[1] < 0.95]
    facets = {found[n][2] for n in inner if found[n][2][0] == polygon.FACE}
    moved = np.linalg.norm(np.diff([nearly[n] for n in inner], axis=0), axis=1)
    changed = np.abs(np.diff([found[n][1] for n in inner], axis=0)).max(axis=1)
    assert len(facets) >= 3
    assert np.all(changed <= 2.0 * moved + ROUNDING)


def test_neighbours_share_the_points_of_an_edge():
    """There is no gap beside the edge between a warped quadrilateral and a triangle: what one says of a point that is
    closest to the edge, the other says as well."""
    rng = np.random.default_rng(5)
    x = np.concatenate([SQUARE, [[2.0, 0.5, 0.2]]]) + rng.uniform(-0.2, 0.2, (5, 3))
    polygons = np.array([[0, 1, 2, 3], [1, 4, 2, 2]])
    surface, seen = make_surface(polygons, 5), 0
    for _ in range(2000):
        p = x[1] + rng.uniform() * (x[2] - x[1]) + rng.normal(size=3) * 0.3
        first, second = np.zeros(4), np.zeros(4)
        a, b = run_closest(surface, x, 0, p, first), run_closest(surface, x, 1, p, second)
        if a[2] == 4 * polygon.EDGE + 1 and b[2] == 4 * polygon.EDGE + 2:
            seen += 1
            assert a[0] == pytest.approx(b[0], abs=ROUNDING)
            np.testing.assert_allclose(first[1:3], second[[0, 2]], atol=ROUNDING)
    assert seen > 100


@pytest.mark.parametrize("shape", ["needle", "line", "point"])
def test_triangles_without_an_area_are_lines(shape):
    x = {
        "needle": np.array([[0, 0, 0], [1, 0, 0], [0.5, 1e-12, 0]]),
        "line": np.array([[0, 0, 0], [2, 0, 0], [1, 0, 0]]),
        "point": np.zeros((3, 3)),
    }[shape].astype(float)
    for p in ([0.3, 0.4, 0.0], [-3.0, 0.0, 4.0], [0.6, 0.0, 1.0]):
        q = np.clip(p, [0, 0, 0], [x[:, 0].max(), 0, 0])
        assert find_closest(x, range(3), np.array(p))[0] == pytest.approx(np.linalg.norm(q - p), abs=1e-11)


ROOF = np.array([[0, 0, 0], [0, 1, 0], [1, 0.5, 0], [-1, 0.5, 0]], dtype=float)
SIDES = np.array([[0, 2, 1], [0, 1, 3]])


@pytest.mark.parametrize("height", [-0.5, 0.5])
def test_edges_have_one_side(height):
    """Two triangles along the y axis, a ridge or a gutter: above is outside, below is inside, whichever is asked."""
    x = ROOF + np.array([[0, 0, height]] * 2 + [[0, 0, 0]] * 2)
    for k in range(2):
        for angle in np.linspace(0.1, 2 * np.pi, 50):
            p = np.array([np.cos(angle), 0, np.sin(angle)]) * 0.05 + [0, 0.5, height]
            level = height - np.sign(height) * abs(height * p[0])
            gap, normal, is_least = find_gap(x, SIDES, k, p)
            if is_least:
                assert (gap > 0) == (p[2] > level)
                assert np.linalg.norm(normal) == pytest.approx(1.0, abs=ROUNDING)
                assert normal[2] > 0.0


def test_points_on_the_surface_have_a_normal():
    x = ROOF + np.array([[0, 0, 0.5]] * 2 + [[0, 0, 0]] * 2)
    gap, normal, _ = find_gap(x, SIDES, 0, [0, 0.5, 0.5])
    assert gap == 0.0
    np.testing.assert_allclose(normal, [0, 0, 1], atol=ROUNDING)
    _, normal, _ = find_gap(x, SIDES, 0, [0.5, 0.5, 0.25])
    np.testing.assert_allclose(normal, np.array([0.5, 0, 1]) / np.hypot(0.5, 1), atol=ROUNDING)


def test_rims_have_no_inside():
    x = ROOF
    assert find_gap(x, SIDES, 0, [0.5, 0.5, -0.1])[0] == pytest.approx(-0.1)
    assert find_gap(x, SIDES, 0, [0.9, 0.9, -0.1])[0] > 0.0
    assert find_gap(x, SIDES, 0, [1.2, 0.5, -0.1])[0] > 0.0
