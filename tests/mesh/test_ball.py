"""Balls of bricks: volume, sets, shape and size of their bricks, even and graded towards the poles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from grouser.mesh.ball import calc_even_edge, count_bricks
from grouser.mesh.make import find_mesh_faults, find_mesh_warnings, make_mesh_data
from grouser.mesh.quality import calc_brick_quality
from grouser.mesh.raw import RawMesh
from grouser.mesh.trilinear import EDGES

BALLS: dict[str, dict[str, Any]] = {
    "coarse": {"count": 2},
    "even": {"count": 8},
    "half": {"count": 8, "is_half": True},
    "bottom": {"count": 6, "edge_bottom": 0.01},
    "both": {"count": 4, "edge_bottom": 0.001, "edge_top": 0.05},
    "fine": {"count": 4, "edge_bottom": 5e-6, "is_half": True},
}


@pytest.mark.parametrize("name", BALLS)
def test_bricks_of_balls(make: Any, name: str) -> None:
    """They are as many as was foreseen, well shaped however fine the poles are, as wide there as was asked for, and
    their faces lie on the sphere."""
    mesh = make("ball", **BALLS[name])
    assert find_mesh_faults(mesh) == [] and find_mesh_warnings(mesh) == []
    data, radius = make_mesh_data(mesh), mesh.radius
    assert len(data.brick.node) == count_bricks(mesh)
    least, _, aspect = calc_brick_quality(RawMesh(data.nodes, data.brick.node))
    assert least.min() > 0.6 and aspect.max() < 2.0
    sides = np.linalg.norm(np.diff(data.nodes[data.brick.node][:, EDGES], axis=2)[:, :, 0], axis=2)
    for pole, edge in (("bottom", mesh.edge_bottom), *([("top", mesh.edge_top)] if not mesh.is_half else [])):
        at_pole = data.brick.node[:, EDGES] == data.node_sets[pole][0]
        assert sides[at_pole.any(axis=2)] == pytest.approx(edge or calc_even_edge(mesh), rel=0.25)
    curved = data.surface_sets["lower"]
    if not mesh.is_half:
        curved = np.concatenate([curved, data.surface_sets["upper"]])
        assert len(curved) == len(data.surface_sets["surface"])
    else:
        assert len(curved) + len(data.surface_sets["middle"]) == len(data.surface_sets["surface"])
    corners = data.nodes[curved]
    assert np.linalg.norm(corners, axis=2) == pytest.approx(radius, rel=1e-12)
    outward = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    assert (np.einsum("ki,ki->k", outward, corners.mean(axis=1)) > 0.0).all()


def test_sets_of_a_ball(make: Any) -> None:
    data = make_mesh_data(make("ball", count=4, edge_bottom=0.02))
    assert data.nodes[data.node_sets["bottom"]].tolist() == [[0.0, 0.0, -0.5]]
    assert data.nodes[data.node_sets["top"]].tolist() == [[0.0, 0.0, 0.5]]
    assert np.abs(data.nodes[data.node_sets["middle"], 2]).max() < 1e-15
    assert len(data.node_sets["equator"]) == 16
    assert (data.nodes[data.node_sets["lower"], 2] < 1e-15).all()
    assert (data.nodes[data.node_sets["upper"], 2] > -1e-15).all()


def test_the_volume_of_a_ball_converges(make: Any) -> None:
    """With the square of the size of its elements, even and graded."""
    for changes in ({}, {"edge_bottom": 0.005}):
        missing = []
        for count in (4, 8, 16):
            data = make_mesh_data(make("ball", count=count, **changes))
            volume = data.masses.sum() / data.materials[0].density
            missing.append(1.0 - volume / (4.0 / 3.0 * math.pi * 0.5**3))
        assert missing[0] / missing[1] == pytest.approx(4.0, rel=0.25)
        assert missing[1] / missing[2] == pytest.approx(4.0, rel=0.25)
        assert 0.0 < missing[2] < 0.01
