"""Runs with embedded loops: closure without stabilisation, energy, change of independent speeds, all integrators."""

import numpy as np
import pytest
from embedded_case import Run
from linkages import make_four_bar, make_slider_crank, make_spun_four_bar, make_suspension

from grouser.formulations.tree_options import TreeOptions

CLOSED = 1e-12
"""Largest gap that loops may have at any time [m, rad]."""
SPRUNG = {"fixed": True, "spring": 167062.0}


def test_loops_stay_closed_and_energy_is_kept():
    """A corner swings on its spring for 10 s; nothing stabilises it, and rk4 loses what its order says."""
    run = Run(make_suspension((1, -1), **SPRUNG), integrator="rk4")
    state = run.start()
    before, lowest = run.calc_energy(state), np.inf
    for gap in run.follow(state, 50, 200, 1e-3):
        assert gap < CLOSED
        lowest = min(lowest, state.x[:-1, 2].min())
        assert run.calc_energy(state) == pytest.approx(before, abs=1e-8 * run.swing)
    assert lowest < run.compiled.initial.x[:-1, 2].min() - 0.01  # it does swing


def test_driven_steering_stays_closed_and_its_work_is_booked():
    """The Pitman arm moves two wheels; kinetic energy is the work of the motion."""
    model = make_suspension((1, -1), fixed=True, steering=True, spring=167062.0, angle="0.4*sin(3*t)")
    run = Run(model, integrator="rk4")
    state = run.start()
    before, largest = run.calc_energy(state), 0.0
    for gap in run.follow(state, 20, 100, 1e-3):
        assert gap < CLOSED
        work = state.ledger[1].sum()
        largest = max(largest, abs(work))
        assert run.calc_energy(state) - before == pytest.approx(work, abs=1e-6 * run.swing)
    assert largest > 1e-4 * run.swing


def test_without_projection_a_tree_with_cuts_drifts():
    model = make_suspension((1,), **SPRUNG)
    gaps = {}
    for projected in (True, False):
        run = Run(model, formulation="recursive", options=TreeOptions(projected=projected))
        state = run.start(projected=True)
        run.advance(state, 2000, 1e-3)
        gaps[projected] = run.calc_gap(state)
    run = Run(model)
    state = run.start()
    run.advance(state, 2000, 1e-3)
    assert gaps[False] > 1e-8
    assert gaps[True] < CLOSED
    assert run.calc_gap(state) < CLOSED


@pytest.mark.parametrize("chosen", [(), ("a",)])
def test_rotating_four_bar_changes_its_independent_speed(chosen):
    """The crank goes round and round, the rocker to and fro: at its ends the rocker's speed determines nothing."""
    run = Run(make_four_bar(masses=(0.5, 0.5, 5.0), speed=15.0), options=TreeOptions(independent=chosen))
    state = run.start()
    before = run.calc_energy(state)
    assert max(run.follow(state, 20, 400, 1e-4)) < CLOSED
    assert run.calc_energy(state) == pytest.approx(before, rel=1e-4)
    switches = int(run.embedded.switches.sum())
    assert (switches == 0) if chosen else (switches >= 1)


def test_a_planar_linkage_may_turn():
    """Half a turn of the base: rows along x hold the loop at the start, rows along y after a quarter turn."""
    run = Run(make_spun_four_bar())
    state = run.start()
    before = run.calc_energy(state)
    assert max(run.follow(state, 100, 160, 1.25e-4)) < CLOSED
    assert run.calc_energy(state) == pytest.approx(before, rel=1e-4)
    assert state.R[1, 1, 1] < 0.0 or abs(state.R[1, 1, 1]) < 0.99


INTEGRATORS = {"trapezoidal": 2e-4, "euler": 2e-5, "rk4": 1e-3, "adams": 1e-3, "cvode-adams": 1e-3, "cvode-bdf": 1e-3}
ERROR = {"trapezoidal": 1e-5, "euler": 1e-2, "rk4": 1e-7, "adams": 1e-6, "cvode-adams": 1e-6, "cvode-bdf": 1e-5}


@pytest.fixture(scope="module")
def reference():
    run = Run(make_slider_crank(), formulation="recursive", integrator="rk4")
    state = run.start()
    run.advance(state, 10000, 5e-5)
    return state


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_explicit_integrator_steps_it(integrator, reference):
    if integrator.startswith("cvode"):
        pytest.importorskip("sksundae")
    run = Run(make_slider_crank(), integrator=integrator, tolerance=1e-9)
    state = run.start()
    step = INTEGRATORS[integrator]
    run.advance(state, round(0.5 / step), step)
    assert state.x == pytest.approx(reference.x, abs=ERROR[integrator])
    assert run.calc_gap(state) < CLOSED
