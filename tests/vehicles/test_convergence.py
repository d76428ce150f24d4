"""Convergence of a vehicle with the step: the default step against half of it."""

import numpy as np
import pytest

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.simulate import settle, simulate


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["penalty", "bushing"])
def test_half_the_step_drives_the_same_way(preset):
    """`m113-paper`, scenario `straight`, 10 s from the same settled state."""
    model = apply_scenario(load_vehicle("m113-paper"), load_scenario("straight"))
    start = settle(model, preset=preset)
    whole = simulate(model, preset=preset, initial=start)
    half = simulate(model, preset=preset, initial=start, step=0.5 * whole.summary["step"])
    late = whole.time >= 2.0
    for channel, tolerance in (("chassis.position", 1e-3), ("chassis.velocity", 5e-3)):
        assert whole[channel][late, 0] == pytest.approx(half[channel][late, 0], rel=tolerance)
    tension = [np.mean(result.block("link/tension")[0][late]) for result in (whole, half)]
    assert tension[0] == pytest.approx(tension[1], rel=5e-3)
