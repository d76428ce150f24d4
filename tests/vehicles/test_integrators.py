"""Vehicles by integrators that see an ordinary differential equation: they agree with the trapezoidal rule."""

import pytest

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.simulate import simulate

DURATION = 0.2
"""[s]. The vehicle drops onto its wheels and tracks, which is as rough as it gets."""


@pytest.fixture(scope="module")
def runs():
    """The M113 by one integrator each, not settled."""
    model = apply_scenario(load_vehicle("m113"), load_scenario("straight"))
    done = {}

    def run(integrator, tolerance=None):
        if integrator not in done:
            options = {"integrator": integrator, "tolerance": tolerance, "duration": DURATION, "settle": False}
            done[integrator] = simulate(model, preset="penalty", **options)
        return done[integrator]

    return run


@pytest.mark.parametrize(("integrator", "tolerance"), [("rk4", None), ("adams", 1e-4)])
def test_m113_agrees_with_the_trapezoidal_rule(runs, integrator, tolerance):
    result, reference = runs(integrator, tolerance), runs("trapezoidal")
    moved = abs(reference["chassis.position"][-1, 2] - reference["chassis.position"][0, 2])
    assert moved > 1e-3
    assert result["chassis.position"] == pytest.approx(reference["chassis.position"], abs=0.01 * moved)
    assert result.summary["mean_link_tension"] == pytest.approx(reference.summary["mean_link_tension"], rel=0.01)
    assert result.summary["energy_residual"] < 1e-3
    assert result.summary["events"] == []


def test_rk4_takes_longer_steps_than_the_trapezoidal_rule(runs):
    ratio = runs("rk4").summary["stable_step"] / runs("trapezoidal").summary["stable_step"]
    assert ratio == pytest.approx(1.4, abs=0.02)
