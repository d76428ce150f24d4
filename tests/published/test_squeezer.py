"""Andrews' squeezing mechanism in the limit of small steps."""

import pytest
from mechanism import IDEAL_FORMULATIONS

from grouser.catalog.benchmarks.benchmark import extrapolate
from grouser.catalog.benchmarks.squeezer import SQUEEZER, calc_angles

STEPS = 24_000
ACCURACY_EXTRAPOLATED = 1e-6
"""Share of the reference that Richardson's extrapolation from steps of 2.5 and 1.25 us may be off (measured: up to
2e-7)."""


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_angles_at_the_end(formulation):
    coarse, fine = (calc_angles(SQUEEZER.run(formulation, step_count=count)) for count in (STEPS // 2, STEPS))
    assert extrapolate(coarse, fine) == pytest.approx(SQUEEZER.reference, rel=ACCURACY_EXTRAPOLATED)
