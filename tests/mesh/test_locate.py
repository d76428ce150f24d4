"""The cell that holds a point: found again from natural coordinates, weights and gradients exact for linear fields."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grouser.mesh.locate import calc_gradients, calc_weights, find_cell, find_place_nodes
from grouser.mesh.make import make_mesh_data
from grouser.mesh.trilinear import calc_shape


@pytest.fixture
def skewed(make: Any) -> Any:
    corners = [[0, 0, 0], [2, 0.1, 0], [1.8, 1, 0.1], [0.3, 1.2, 0], [0, 0, 1], [1.5, 0, 1.2], [1.4, 1, 1], [0, 1, 0.9]]
    return make_mesh_data(make("block", sides=None, corners=corners, orientation=[1, 0.3, 0, 0.2], counts=[3, 3, 3]))


def test_points_in_bricks_are_found_again(skewed: Any) -> None:
    rng = np.random.default_rng(3)
    for cell in range(27):
        natural = rng.uniform(-0.99, 0.99, 3)
        point = calc_shape(natural[None])[0][0] @ skewed.nodes[skewed.brick.node[cell]]
        place = find_cell(skewed, point)
        assert place is not None and (place.family, place.cell) == ("brick", cell)
        assert np.allclose(place.natural, natural, atol=1e-10)
        weights = calc_weights(place)
        assert np.allclose(weights @ skewed.nodes[find_place_nodes(skewed, place)], point, atol=1e-12)
        gradients = calc_gradients(skewed, place)
        assert np.allclose(gradients.sum(axis=0), 0.0, atol=1e-12)
        assert np.allclose(skewed.nodes[find_place_nodes(skewed, place)].T @ gradients, np.eye(3), atol=1e-12)


def test_nodes_are_in_a_brick_and_points_outside_are_not(skewed: Any) -> None:
    for node in skewed.nodes:
        place = find_cell(skewed, node)
        assert place is not None
        assert np.allclose(calc_weights(place) @ skewed.nodes[find_place_nodes(skewed, place)], node, atol=1e-9)
    centre = skewed.nodes.mean(axis=0)
    for node in skewed.nodes[skewed.node_sets["x0"]]:
        assert find_cell(skewed, centre + 1.2 * (node - centre)) is None


def test_tolerance_lets_a_point_be_a_little_outside(make: Any) -> None:
    data = make_mesh_data(make("block"))
    assert find_cell(data, (2.0005, 0.5, 0.25)) is None
    place = find_cell(data, (2.0005, 0.5, 0.25), tolerance=1e-3)
    assert place is not None and place.natural[0] == 1.0


@pytest.mark.parametrize("element", ["truss", "beam_thin", "beam_thick"])
def test_points_on_lines(make: Any, element: str) -> None:
    data = make_mesh_data(make("line", element=element))
    for x in (0.0, 0.1, 0.3, 0.5, 0.9, 1.0):
        place = find_cell(data, (x, 1e-7, 0.0))
        assert place is not None and place.family == element
        nodes = data.nodes[find_place_nodes(data, place)]
        assert np.allclose(calc_weights(place) @ nodes, [x, 0, 0], atol=1e-9)
        assert np.allclose(nodes.T @ calc_gradients(data, place), np.diag([1.0, 0, 0]), atol=1e-12)
    assert find_cell(data, (0.5, 0.01, 0.0)) is None and find_cell(data, (1.1, 0.0, 0.0)) is None
    assert find_cell(data, (0.5, 0.01, 0.0), tolerance=0.02) is not None


def test_bricks_come_before_cords(make: Any) -> None:
    data = make_mesh_data(make("belt", cords=[{"level": 1, "modulus": 1.0e9, "area": 1.0e-4}]))
    place = find_cell(data, data.nodes[data.truss.node[7]].mean(axis=0))
    assert place is not None and place.family == "brick"
