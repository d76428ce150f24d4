"""The recursion in the plane against the formulations in space."""

from __future__ import annotations

import numpy as np
import pytest
from planar_models import Way, make_random_state, make_track

EQUAL = 1e-9
"""Largest difference of accelerations, as a share of the largest one."""


@pytest.fixture(scope="module")
def ways():
    plane, space = make_track(), make_track(planar=False)
    return Way(plane, "recursive"), Way(space, "recursive"), Way(space, "augmented")


def test_speeds_are_those_of_the_plane(ways):
    plane, space, _ = ways
    # track: 3 of the base, 11 pins; hull: 3; slide and hub
    assert len(plane.solver.tree.tau) == 3 + 11 + 3 + 2
    assert len(space.solver.tree.tau) == 6 + 11 + 6 + 2
    # of the rows of the cut pin only two are left, and that of the drive
    assert len(plane.solver.tree.constraint.row_kind) == 3
    plane.evaluate(plane.compiled.initial)
    assert plane.solver.find_redundant_count() == 0


@pytest.mark.parametrize("seed", range(5))
def test_accelerations_and_reactions_are_those_of_space(ways, seed):
    plane, space, augmented = ways
    state = make_random_state(plane, seed)
    state.time[0] = 0.3 * seed
    _, a, dw, force, moment = plane.evaluate(state)
    for other in (space, augmented):
        closed, a_other, dw_other, force_other, moment_other = other.evaluate(state)
        assert np.abs(closed.x - state.x).max() < 1e-11
        scale = np.abs(a_other).max()
        assert scale > 10.0
        assert np.abs(a - a_other).max() < EQUAL * scale
        assert np.abs(dw - dw_other).max() < EQUAL * np.abs(dw_other).max()
        # what redundant rows do across the plane is not told by the motion
        assert np.abs(force - force_other)[:, [0, 2]].max() < EQUAL * np.abs(force_other).max()
        assert np.abs(moment - moment_other)[:, 1].max() < EQUAL * np.abs(force_other).max()


def test_loops_stay_closed_and_the_energy_balances(ways):
    plane = ways[0]
    state = make_random_state(plane, 7, speed=0.5)
    worst = 0.0
    for _ in range(20):
        plane.solver.advance(state, 25, 2e-4)
        worst = max(worst, float(np.abs(plane.solver.tree.cut_work.phi).max()))
    assert worst < 1e-9
    assert np.abs(state.x[:-1, 1]).max() < 1e-15


def test_steps_agree_with_those_in_space(ways):
    plane, space, _ = ways
    one = make_random_state(plane, 3, speed=0.5)
    two = type(one)(*(field.copy() for field in one))
    for way, state in ((plane, one), (space, two)):
        way.solver.advance(state, 100, 1e-4)
    assert np.abs(one.x - two.x).max() < 1e-9
    assert np.abs(one.R - two.R).max() < 1e-9
    assert np.abs(one.v - two.v).max() < 1e-7
    assert one.ledger == pytest.approx(two.ledger, abs=1e-6)
