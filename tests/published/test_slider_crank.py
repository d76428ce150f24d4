"""The spatial slider-crank in the limit of small steps."""

import pytest
from mechanism import IDEAL_FORMULATIONS, Mechanism

from grouser.catalog.benchmarks.benchmark import extrapolate
from grouser.catalog.benchmarks.slider_crank import SLIDER_CRANK, calc_place, make_slider_crank

STEPS = 20_000
ACCURACY_EXTRAPOLATED = 2e-6
"""Share of angle and position that Richardson's extrapolation from steps of 0.2 and 0.1 ms may be off."""


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_angle_and_slider(formulation):
    coarse, fine = (calc_place(SLIDER_CRANK.run(formulation, step_count=count)) for count in (STEPS // 2, STEPS))
    assert extrapolate(coarse, fine) == pytest.approx(SLIDER_CRANK.reference, rel=ACCURACY_EXTRAPOLATED)
    assert Mechanism(make_slider_crank(), formulation).solver.find_redundant_count() == 0
