"""The function by which elements with finite turns know their angles."""

import numpy as np
import pytest
from beam_entries import calc_excess

from grouser.kernels.turn import SERIES_BELOW


def test_angle_out_of_the_tangent_of_its_half():
    for p in (1e-9, 1e-3, 0.1, 0.3, 0.34, 0.35, 1.0, 3.0, 3.14):
        z = np.tan(0.5 * p) ** 2
        eta = 1.0 + z * calc_excess(z)
        assert eta == pytest.approx(p / np.sin(p), rel=1e-13)
        assert 2.0 * np.sqrt(z) * eta / (1.0 + z) == pytest.approx(p, rel=1e-13)
    assert calc_excess(0.0) == pytest.approx(2.0 / 3.0)


def test_series_and_closed_form_meet():
    below, above = calc_excess(SERIES_BELOW * (1.0 - 1e-12)), calc_excess(SERIES_BELOW)
    assert below == pytest.approx(above, rel=1e-13)
