"""Obstacles that may differ between the sides."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.catalog.grounds.lanes import HalfRound, Pothole, Washboard
from grouser.catalog.scenarios import Scenario
from grouser.errors import ModelError
from grouser.model.terrain import Grid, Profile, calc_terrain_height


def _find_sides(rule, x):
    """Heights under the left and the right track, and somewhat beyond."""
    ground, half = rule.make_terrain(), 0.5 * rule.track
    sides = [calc_terrain_height(ground, x, np.full(len(x), y)) for y in (half, half + 0.3, -half, -half - 0.3)]
    assert sides[1] == pytest.approx(sides[0], abs=1e-14)
    assert sides[3] == pytest.approx(sides[2], abs=1e-14)
    return sides[0], sides[2]


def test_bumps_stand_in_a_row():
    ground = HalfRound(radius=0.15, position=5.0, count=3, pitch=2.0).make_terrain()
    assert isinstance(ground, Profile)
    x = np.array([4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0])
    assert calc_terrain_height(ground, x, 0 * x) == pytest.approx([0, 0.15, 0, 0.15, 0, 0.15, 0])


def test_bumps_on_the_right_come_later():
    rule = HalfRound(radius=0.15, position=5.0, count=2, pitch=2.0, offset=1.0)
    left, right = _find_sides(rule, np.linspace(3.0, 9.0, 601))
    assert isinstance(rule.make_terrain(), Grid)
    assert left[200] == pytest.approx(0.15, abs=2e-3)
    # the foot of a bump is steep, and is drawn by cells of a 32nd of its length
    assert left[100:500] == pytest.approx(right[200:600], abs=0.03)
    x = np.linspace(4.85, 5.15, 61)
    assert _find_sides(rule, x)[0] == pytest.approx(np.sqrt(np.maximum(0.15**2 - (x - 5.0) ** 2, 0.0)), abs=0.02)


def test_a_washboard_is_a_wave_for_each_side():
    x = np.linspace(5.0, 5.0 + 4 * 0.8, 1001)
    left, right = _find_sides(Washboard(height=0.05, length=0.8, waves=5, shift=0.25), x)
    assert left == pytest.approx(-0.025 * np.sin(2 * np.pi * (x - 5.0) / 0.8), abs=2e-4)
    inside = x > 5.2
    assert right[inside] == pytest.approx(-0.025 * np.sin(2 * np.pi * (x[inside] - 5.2) / 0.8), abs=2e-4)
    assert isinstance(Washboard().make_terrain(), Profile)


@pytest.mark.parametrize(("side", "depths"), [("left", (-0.1, 0.0)), ("right", (0.0, -0.1)), ("both", (-0.1, -0.1))])
def test_potholes(side, depths):
    left, right = _find_sides(Pothole(depth=0.1, length=0.8, side=side), np.array([5.4]))
    assert (left[0], right[0]) == pytest.approx(depths)


@pytest.mark.parametrize(
    ("terrain", "message"),
    [
        ({"type": "half-round", "radius": 0.5, "count": 2, "pitch": 0.9}, "bumps 1 m long every 0.9 m, which overlap"),
        ({"type": "pothole", "length": 0.1, "edge": 0.06}, "0.1 m long with edges of 0.06 m, which meet"),
        (
            {"type": "half-round", "radius": 0.001, "count": 1000, "pitch": 100.0, "offset": 0.5},
            "needs a grid of 1.6e\\+09 rows",
        ),
    ],
)
def test_faults(terrain, message):
    with pytest.raises(ModelError, match=f"terrain: .*{message}"):
        Scenario(name="lanes", duration=1.0, terrain=terrain)
