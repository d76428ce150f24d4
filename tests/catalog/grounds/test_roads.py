"""Roads of ISO 8608: spectrum, coherence of the tracks, seeds; the half-round obstacle."""

import numpy as np
import pytest
from scipy.signal import csd, welch

from grouser.catalog.grounds import make_ground
from grouser.catalog.grounds.lanes import HalfRound
from grouser.catalog.grounds.roads import ROUGHNESS, Road, calc_coherence, calc_roughness
from grouser.model.terrain import Grid, Profile, calc_terrain_height

LONG = {"length": 4000.0, "spacing": 0.1}
PIECE = 1000
"""Points of a piece of Welch's method: 100 m, so 80 pieces of a long road."""


@pytest.mark.parametrize("road_class", ROUGHNESS)
def test_both_tracks_have_the_spectrum_of_the_class(road_class):
    """In octaves from 0.044 to 2.8 1/m, within 15 %: an octave averages dozens of estimates."""
    for track in Road(road_class=road_class, seed=3, **LONG).calc_tracks():
        n, found = welch(track, fs=1.0 / LONG["spacing"], nperseg=PIECE, detrend="linear")
        for low in 2.0 ** np.arange(-4.5, 1.0):
            octave = (n >= low) & (n < 2.0 * low)
            ratio = np.mean(found[octave] * n[octave] ** 2) / np.mean(
                calc_roughness(road_class, n[octave]) * n[octave] ** 2
            )
            assert ratio == pytest.approx(1.0, abs=0.15)


def test_classes_are_four_times_apart_and_b_has_the_value_of_the_standard():
    assert list(ROUGHNESS.values()) == pytest.approx([16e-6 * 4**k for k in range(8)])
    assert calc_roughness("B", np.array([0.1, 1.0])) == pytest.approx([64e-6, 64e-8])


def test_tracks_are_coherent_in_long_waves_only():
    left, right = Road(seed=5, track=1.8, **LONG).calc_tracks()
    n, cross = csd(left, right, fs=1.0 / LONG["spacing"], nperseg=PIECE, detrend="linear")
    _, own = welch(left, fs=1.0 / LONG["spacing"], nperseg=PIECE, detrend="linear")
    for low, high in ((0.04, 0.08), (0.1, 0.2), (0.3, 0.5), (1.0, 2.0)):
        band = (n >= low) & (n < high)
        found = np.sum(cross[band].real) / np.sum(own[band])
        expected = np.sum(calc_coherence(n[band], 1.8) * own[band]) / np.sum(own[band])
        assert found == pytest.approx(expected, abs=0.12)
    assert calc_coherence(np.array([1e-4]), 1.8) == pytest.approx([1.0], abs=1e-3)


def test_a_seed_always_gives_the_same_road():
    assert make_ground(Road(seed=7)) == make_ground(Road(seed=7))
    assert make_ground(Road(seed=7)) != make_ground(Road(seed=8))


def test_a_road_is_level_where_it_begins_and_differs_under_both_tracks():
    road = Road(road_class="D", start=5.0, run_in=10.0)
    ground = make_ground(road)
    assert isinstance(ground, Grid)
    assert calc_terrain_height(ground, [0.0, 5.0], [0.9, -0.9]) == pytest.approx(0.0)
    x = np.linspace(20.0, 100.0, 200)
    left, right = calc_terrain_height(ground, x, np.full(200, 0.9)), calc_terrain_height(ground, x, np.full(200, -0.9))
    assert np.std(left - right) > 1e-3
    assert calc_terrain_height(ground, x, np.full(200, 1.3)) == pytest.approx(left)  # a track has some width


def test_half_round_is_a_half_circle():
    ground = make_ground(HalfRound(radius=0.1, position=3.0))
    assert isinstance(ground, Profile)
    x = np.linspace(2.85, 3.15, 61)
    expected = np.sqrt(np.maximum(0.01 - (x - 3.0) ** 2, 0.0))
    assert calc_terrain_height(ground, x, np.zeros(61)) == pytest.approx(expected, abs=3e-3)
