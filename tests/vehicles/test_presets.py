"""The same drive of the paper's M113 by every preset: they agree, and ideal joints stay closed."""

import numpy as np
import pytest

from grouser import settling
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.realization import Penalty
from grouser.errors import SolveError
from grouser.presets import OTHER_JOINTS, TRACK_PINS, find_preset
from grouser.simulate import settle, simulate

RAMP = [(0.0, 0.0), (0.3, 0.0), (1.8, 10.0)]
"""Speed of both sprockets over time [s, rad/s]."""
DURATION = 2.3
MIXED = find_preset("constrained").with_realization(TRACK_PINS, Penalty(k=1.0e9, c=5.0e4, arm=0.1))
SUSPENDED = find_preset("recursive").with_realization(TRACK_PINS, Penalty(k=1.0e9, c=5.0e4, arm=0.1))
PRESETS = {name: find_preset(name) for name in ("penalty", "implicit", "constrained", "recursive")}
VIOLATION = 1e-8
"""Largest opening of an ideal joint [m]."""


@pytest.fixture(scope="module")
def runs():
    """Each preset once, from the same state of rest."""
    model = apply_scenario(load_vehicle("m113-paper"), load_scenario("straight"))
    drives = {name: motion.model_copy(update={"value": RAMP}) for name, motion in model.motions.items()}
    model = model.model_copy(update={"motions": drives})
    start = settle(model)
    done = {}

    def run(name):
        if name not in done:
            done[name] = simulate(model, preset=PRESETS[name], duration=DURATION, initial=start)
        return done[name]

    return run


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "penalty"])
def test_agrees_with_penalty_joints(runs, name):
    result, reference = runs(name), runs("penalty")
    late = reference.time > 1.0
    for channel in ("chassis.position", "chassis.velocity"):
        assert result[channel][late, 0] == pytest.approx(reference[channel][late, 0], rel=0.01)
    assert result.summary["displacement_forward"] == pytest.approx(reference.summary["displacement_forward"], rel=2e-3)
    assert result.summary["mean_link_tension"] == pytest.approx(reference.summary["mean_link_tension"], rel=0.03)
    assert result.summary["max_link_tension"] == pytest.approx(reference.summary["max_link_tension"], rel=0.2)
    assert result.summary["events"] == []


@pytest.mark.slow
@pytest.mark.parametrize("vehicle", ["m113", "m113-paper", "m113-paper-rigid"])
@pytest.mark.parametrize("name", ["constrained", "recursive"])
def test_comes_to_rest_by_its_own_steps(name, vehicle):
    """From the air: settling raises where something still moves after 20 s."""
    model = apply_scenario(load_vehicle(vehicle), load_scenario("rest"))
    start = settle(model, preset=name)
    result = simulate(model, preset=name, duration=0.5, initial=start)
    assert np.abs(result["chassis.velocity"]).max() < 1e-3


@pytest.mark.parametrize("name", ["constrained", "recursive"])
def test_ideal_pins_stay_closed(runs, name):
    result = runs(name)
    pins = [pin for track in result.model.tracks.values() for pin in track.pins]
    assert result.block("joint/deformation", pins)[0].max() < VIOLATION
    assert result.summary["energy_residual"] < 0.01


def test_ideal_drives_turn_exactly(runs):
    speed = runs("constrained")["left.sprocket_speed"]
    assert speed == pytest.approx(np.interp(runs("constrained").time, *np.transpose(RAMP)), abs=1e-8)


@pytest.mark.parametrize("preset", [MIXED, SUSPENDED], ids=["augmented", "recursive"])
def test_ideal_suspension_and_penalty_track_go_together(preset):
    assert preset.realizations["*"] != OTHER_JOINTS
    model = apply_scenario(load_vehicle("m113-paper"), load_scenario("straight"))
    result = simulate(model, preset=preset, duration=0.1)
    weight = 9.81 * sum(body.mass for body in model.bodies.values())
    assert result["left.ground.normal"][-1] + result["right.ground.normal"][-1] == pytest.approx(weight, rel=5e-3)


def test_settling_that_rattles_is_given_up(monkeypatch):
    """On ground of 1e10 N/m links rattle, and steps become 30 times as short: it took minutes to tell. The bound that
    is tested is a tenth of the real one, and still four times what the vehicle takes on its own ground."""
    bound = settling.MOST_EVALUATIONS // 10
    monkeypatch.setattr(settling, "MOST_EVALUATIONS", bound)
    settle(apply_scenario(load_vehicle("m113"), load_scenario("straight")))
    stiff = apply_scenario(load_vehicle("m113", ["contact.ground_track.stiffness=1e10"]), load_scenario("straight"))
    with pytest.raises(SolveError, match=r"not at rest after 0\.\d+ s .* steps have become as short as") as caught:
        settle(stiff)
    assert caught.value.status == "not settled"
    assert caught.value.time < 1.0
