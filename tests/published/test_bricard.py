"""Bricard's mechanism moves, and its redundant row is found."""

import pytest
from mechanism import IDEAL_FORMULATIONS, Mechanism

from grouser.catalog.benchmarks.bricard import BRICARD, make_bricard

FALLEN = -1.25
"""Height that a centre of mass must have been below [m]: a mechanism that is stuck keeps its energy, too. They start
at -1 m and come down to -1.298 m by all formulations and steps."""


@pytest.mark.parametrize("formulation", BRICARD.ways)
def test_it_falls(formulation):
    heights = BRICARD.run(formulation).block("body/position")[0][:, :, 1]
    assert heights.min() < FALLEN


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_one_row_is_redundant(formulation):
    mechanism = Mechanism(make_bricard(), formulation)
    assert mechanism.solver.find_redundant_count() == 1
    mechanism.advance(20_000, 5e-4)
    assert mechanism.solver.find_redundant_count() == 1
