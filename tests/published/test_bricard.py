"""Bricard's mechanism of the IFToMM library of multibody benchmarks (problem A04, M. Gonzalez et al. 2006).

Five rods of 1 m and 1 kg with a square section of 0.1 m and six revolute joints run along edges of a cube; gravity acts
along -y. By count of rows it has no freedom, and it has one: a row of the loop is redundant in every position. The
reference is the energy, which must be kept.
"""

import numpy as np
import pytest
from advance_model import IDEAL_FORMULATIONS, Mechanism

from grouser.model.builder import ModelBuilder

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
AXES = "yzxyzx"
"""Axes of the joints at the corners, along edges of the cube at the start."""
SECTION = 0.1
DURATION, STEPS = 10.0, 20_000
ENERGY = 1e-6
"""Share of the energy that is turned around (5 kg by 1 m) that may be lost: what steps of 0.5 ms allow."""

FALLEN = -1.25
"""Height that a centre of mass must have been below [m]: a mechanism that is stuck keeps its energy, too. They start
at -1 m and come down to -1.298 m by both formulations and all steps."""


def make_bricard():
    """The mechanism at its start, at rest."""
    builder = ModelBuilder("Bricard", gravity=(0.0, -9.81, 0.0))
    for i in range(5):
        along = CORNERS[i + 1] - CORNERS[i]
        moments = ((1.0 + SECTION**2) - (1.0 - SECTION**2) * np.abs(along)) / 12.0
        builder.add_body(f"rod{i}", 1.0, moments, position=0.5 * (CORNERS[i] + CORNERS[i + 1]))
    names = ["world", *(f"rod{i}" for i in range(5)), "world"]
    for i in range(6):
        axis = np.eye(3)["xyz".index(AXES[i])]
        builder.add_joint(f"pin{i}", "revolute", names[i], names[i + 1], point=CORNERS[i], axis=axis)
    return builder.build()


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_energy_is_kept(formulation):
    mechanism = Mechanism(make_bricard(), formulation)
    state = mechanism.start()
    before = mechanism.calc_energy(state)
    lowest = np.inf
    for _ in range(100):
        mechanism.advance(state, STEPS // 100, DURATION / STEPS)
        lowest = min(lowest, state.x[:, 1].min())
        assert mechanism.calc_energy(state) == pytest.approx(before, abs=ENERGY * 5.0 * 9.81)
    assert lowest < FALLEN
    assert mechanism.solver.find_redundant_count() == 1
