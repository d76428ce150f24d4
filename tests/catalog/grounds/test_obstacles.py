"""Obstacles as profiles of the ground."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.catalog.grounds.obstacles import (
    PIECES,
    Bump,
    Ditch,
    Gap,
    Log,
    Ramp,
    SideSlope,
    Sine,
    Slope,
    Step,
    Trapezoid,
    Trough,
    VDitch,
    load_profile,
)
from grouser.catalog.scenarios import Scenario
from grouser.errors import ModelError
from grouser.model.terrain import calc_terrain_height

HEIGHT, LENGTH, START = 0.2, 3.0, 4.0
FINE = np.linspace(0.0, 40.0, 32_001)


@pytest.mark.parametrize(
    ("kind", "low", "high", "end"),
    [(Bump, 0.0, HEIGHT, 0.0), (Trough, -HEIGHT, 0.0, 0.0), (Ramp, 0.0, HEIGHT, HEIGHT),
     (Sine, -HEIGHT / 2, HEIGHT / 2, 0.0)],
)  # fmt: skip
def test_heights(kind, low, high, end):
    road = kind(height=HEIGHT, length=LENGTH, start=START).make_terrain()
    z = calc_terrain_height(road, FINE, 0 * FINE)
    assert (z.min(), z.max()) == pytest.approx((low, high), abs=1e-12)
    assert np.all(z[START >= FINE] == 0.0)
    assert z[-1] == pytest.approx(end, abs=1e-12)


def test_the_pieces_follow_the_wave():
    road = Trough(height=HEIGHT, length=LENGTH, start=START).make_terrain()
    u = (FINE - START) / LENGTH
    exact = np.where((u >= 0) & (u <= 1), -HEIGHT * np.sin(np.pi * u), 0.0)
    # the error of a chord: h (pi/n)^2/8
    assert np.abs(calc_terrain_height(road, FINE, 0 * FINE) - exact).max() < HEIGHT / 8 * (np.pi / PIECES) ** 2 * 1.01


def test_waves_of_a_sine():
    z = calc_terrain_height(Sine(height=HEIGHT, length=LENGTH, waves=4, start=START).make_terrain(), FINE, 0 * FINE)
    rising = np.count_nonzero((z[:-1] < 0) & (z[1:] >= 0))
    assert rising == 4


@pytest.mark.parametrize(
    "text",
    [
        "x,z\n0,0\n1,0.5\n",
        "# road\n0 0\n\n1 0.5\n",
        "0;0\n1;0.5",
        "0\t0\n1\t0.5\n",
        "z, x\n0,0\n0.5,1\n",
        '"X [m]"; "Z [m]"\r\n0;0\r\n1;0.5\r\n',
        "\ufeffx z\n0 0\n1 0.5",
    ],
)
def test_a_file(tmp_path, text):
    path = tmp_path / "road.csv"
    path.write_text(text, encoding="utf-8")
    assert load_profile(path).points == [(0.0, 0.0), (1.0, 0.5)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "road.csv: has 0 points; a profile needs at least 2"),
        ("0,0\n", "road.csv: has 1 points"),
        ("0 0 0\n1 1 1\n", "line 1: '0 0 0' is no point; give two numbers, x and z in m"),
        ("0,5;1\n1;1\n", "line 1: '0,5;1' is no point"),
        ("x [mm],z [mm]\n0,0\n1,1\n", r"the heading is .x \[mm\],z \[mm\].; name the two columns x and z, in m"),
        ("x,y\n0,0\n1,1\n", "the heading is 'x,y'"),
        ("x,z\nx,z\n0,0\n1,1\n", "line 2: 'x,z' is no point"),
        ("0,0\n1\n", "line 2: '1' is no point"),
        ("x,z\n0,0\n1,no\n", "line 3"),
        ("0,0\n0,1\n", "line 2: x = 0 m follows 0 m, but x must increase; sort the rows"),
        ("0,0\n1,nan\n", "line 2: z = nan m is no place on a road; give a finite number in m"),
        ("z,x\n0,0\n1,inf\n", "line 3: x = inf m is no place"),
        ("0,0\n1,1e300\n", "line 2: z = 1e\\+300 m is no place"),
        ("0,a\n1,1\n2,2", "line 1"),
    ],
)
def test_a_broken_file(tmp_path, text, words):
    path = tmp_path / "road.csv"
    path.write_text(text)
    with pytest.raises(ModelError, match=words):
        load_profile(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(ModelError, match="there is no such file"):
        load_profile(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("obstacle", "heights"),
    [
        (Trapezoid(height=0.3, ramp=1.0, top=2.0, start=4.0), {4.5: 0.15, 5.0: 0.3, 7.0: 0.3, 7.5: 0.15, 8.1: 0}),
        (Ditch(depth=0.3, ramp=1.0, bottom=2.0, start=4.0), {3.9: 0, 4.5: -0.15, 6.0: -0.3, 7.5: -0.15, 8.1: 0}),
        (Step(height=0.61, face=0.1, start=4.0), {4.0: 0, 4.05: 0.305, 4.1: 0.61, 500.0: 0.61}),
        (VDitch(depth=0.5, width=2.0, start=4.0), {4.0: 0, 4.5: -0.25, 5.0: -0.5, 5.5: -0.25, 6.0: 0}),
        (Gap(width=1.68, depth=1.5, face=0.04, start=4.0), {4.0: 0, 4.02: -0.75, 4.84: -1.5, 5.64: -1.5, 5.68: 0}),
        (Slope(grade=0.6, start=4.0), {0.0: 0, 4.0: 0, 5.0: 0.6, 104.0: 60.0}),
        (Log(radius=0.2, face=0.02, start=4.0), {4.0: 0, 4.01: 0.1, 4.02: 0.2, 4.22: 0.4, 4.42: 0.2, 4.44: 0}),
    ],
    ids=lambda value: getattr(value, "type", ""),
)  # fmt: skip
def test_corners(obstacle, heights):
    ground = obstacle.make_terrain()
    x = np.array(list(heights))
    assert calc_terrain_height(ground, x, 0 * x) == pytest.approx(list(heights.values()), abs=1e-12)


def test_a_log_is_round_above_its_middle():
    log = Log(radius=0.3, face=0.01, start=0.0)
    u = np.linspace(0.0, 0.6, 61)
    exact = 0.3 + np.sqrt(np.maximum(0.09 - (u - 0.3) ** 2, 0.0))
    assert calc_terrain_height(log.make_terrain(), u + 0.01, 0 * u) == pytest.approx(exact, abs=5e-3)


def test_a_side_slope_rises_to_the_left():
    ground = SideSlope(grade=0.3, start=5.0, run_in=10.0).make_terrain()
    x, y = [0.0, 5.0, 10.0, 15.0, 30.0, 30.0], [1.0, 1.0, 1.0, 1.0, 1.0, -2.0]
    assert calc_terrain_height(ground, x, y) == pytest.approx([0.0, 0.0, 0.15, 0.3, 0.3, -0.6], abs=1e-9)


def test_walls_of_a_gap_that_meet_are_refused():
    with pytest.raises(ModelError, match=r"terrain\.width: is 0\.2 m, but both walls lean by 0\.1 m"):
        Scenario(name="gap", duration=1.0, terrain={"type": "gap", "width": 0.2, "face": 0.1})
