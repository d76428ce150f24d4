"""Terrain: heights by hand, and the same from compiled code."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.compile.contact import make_terrain
from grouser.kernels.terrain.height import calc_heights
from grouser.model.terrain import Grid, Plane, Profile, Terrain, calc_terrain_height

X, Y = np.array([-1.0, 0.0, 0.5, 3.0]), np.array([0.0, 0.0, 0.5, 9.0])
HEIGHTS: dict[str, tuple[Terrain, list[float]]] = {
    "plane": (Plane(point=(0.0, 0.0, 1.0), normal=(-1.0, 0.0, 2.0)), [0.5, 1.0, 1.25, 2.5]),
    "profile": (Profile(points=[(0.0, 0.0), (1.0, 2.0)]), [0.0, 0.0, 1.0, 2.0]),
    "grid": (Grid(origin=(0, 0), spacing=(1, 1), heights=[[0.0, 1.0], [2.0, 5.0]]), [0.0, 0.0, 2.0, 5.0]),
}


@pytest.mark.parametrize("name", HEIGHTS)
def test_heights(name: str) -> None:
    terrain, expected = HEIGHTS[name]
    np.testing.assert_allclose(calc_terrain_height(terrain, X, Y), expected)


@pytest.mark.parametrize("name", [*HEIGHTS, "hills"])
def test_heights_are_those_of_compiled_code(name: str) -> None:
    rng = np.random.default_rng(3)
    hills = Grid(origin=(-1.0, 2.0), spacing=(0.7, 0.4), heights=rng.normal(size=(5, 7)).tolist())
    terrain = HEIGHTS[name][0] if name in HEIGHTS else hills
    points = rng.uniform(-3.0, 6.0, size=(200, 2))
    height, normal, friction = np.empty(200), np.empty((200, 3)), np.empty(200)
    calc_heights(make_terrain(terrain), points, height, normal, friction)
    np.testing.assert_allclose(calc_terrain_height(terrain, *points.T), height, atol=1e-13)
