"""Random courses by their roughness in inches."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import welch

from grouser.catalog.grounds.roads import Course


@pytest.mark.parametrize("rms", [0.5, 1.5, 3.6])
def test_both_sides_have_the_roughness(rms):
    course = Course(rms=rms, length=3000.0, seed=4)
    for side in course.calc_tracks():
        assert np.sqrt(np.mean(side**2)) == pytest.approx(0.0254 * rms, rel=0.02)


def test_the_spectrum_falls_with_the_square_between_its_ends():
    course = Course(rms=2.0, length=4000.0, spacing=0.1, longest=20.0, shortest=0.5)
    n, found = welch(course.calc_tracks()[0], fs=10.0, nperseg=2000)
    octaves = [np.mean((found * n**2)[(n >= low) & (n < 2 * low)]) for low in (0.0625, 0.125, 0.25, 0.5)]
    assert octaves == pytest.approx([np.mean(octaves)] * 4, rel=0.15)
    assert found[n > 2.5].max() < 1e-3 * found[(n > 1.0) & (n < 1.9)].min()
    assert found[n < 0.03].max() < 0.1 * found[(n > 0.05) & (n < 0.08)].mean()


def test_a_course_begins_level():
    heights = np.array(Course(rms=3.0, run_in=20.0).make_terrain().heights)
    assert np.all(heights[0] == 0.0)
    assert np.std(heights[:20]) < 0.1 * np.std(heights[200:])
