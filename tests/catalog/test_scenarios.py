"""Scenarios: loading, and putting a vehicle into one."""

from __future__ import annotations

from pathlib import Path

import pytest

from grouser.catalog.scenarios import Scenario, apply_scenario, list_scenarios, load_scenario
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import list_vehicles, load_vehicle, m113_paper
from grouser.errors import ModelError
from grouser.model.signal import calc_signal_value
from grouser.model.terrain import Profile


@pytest.mark.parametrize("name", list_scenarios())
@pytest.mark.parametrize("vehicle", list_vehicles())
def test_every_vehicle_goes_into_every_scenario(vehicle: str, name: str) -> None:
    scenario = load_scenario(name)
    model = apply_scenario(load_vehicle(vehicle), scenario)
    assert model.terrain == scenario.terrain
    assert {f"{track}.drive": value for track, value in scenario.drives.items()} == {
        key: motion.value for key, motion in model.motions.items()
    }
    assert model.bodies["chassis"].orientation == (1.0, 0.0, 0.0, 0.0)  # all start on level ground


def test_straight_is_the_drive_of_the_paper() -> None:
    scenario = load_scenario("straight")
    for t, speed in ((0.0, 0.0), (1.0, 0.0), (4.5, 12.5), (8.0, 25.0), (10.0, 25.0)):
        assert calc_signal_value(scenario.drives["left"], t) == pytest.approx(speed)
    assert scenario.drives["left"] == scenario.drives["right"]
    assert scenario.duration == 10.0


def test_template_and_model_give_the_same() -> None:
    scenario = load_scenario("slope")
    vehicle = load_vehicle("m113-paper")
    assert isinstance(vehicle, TrackedVehicle)
    built, moved = apply_scenario(vehicle, scenario), apply_scenario(m113_paper(), scenario)
    assert built.with_changes(bodies=moved.bodies) == moved
    for name, body in built.bodies.items():
        assert body.position == pytest.approx(moved.bodies[name].position, abs=1e-12)


def test_scenario_without_ground_keeps_the_model_s() -> None:
    ground = Profile(points=[(-10.0, 0.0), (10.0, 0.1)])
    model = m113_paper(terrain=ground)
    driven = apply_scenario(model, Scenario(name="mine", duration=1.0, drives={"right.drive": "2*t"}))
    assert driven.terrain == ground
    assert driven.bodies == model.bodies
    assert driven.motions["right.drive"].value == "2*t"
    assert driven.motions["left.drive"] == model.motions["left.drive"]


def test_drive_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ModelError, match="unknown track or motion 'lift': did you mean 'left'"):
        apply_scenario(m113_paper(), Scenario(name="mine", duration=1.0, drives={"lift": 1.0}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("duration: -1", "duration: is -1 .*greater than 0"),
        ("duration: 1\ndrives: {left: 2*tt}", "drives.left"),
        ("duration: 1\ndrives: {left: [[1, 0], [0, 1]]}", "arguments must increase"),
        ("duration: 1\nterrain: {type: hill}", "unknown type 'hill'"),
        ("durations: 1", "unknown key 'durations': did you mean 'duration'"),
    ],
)
def test_faults_are_said_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(f"grouser: 1\nkind: scenario\nname: bad\n{text}\n")
    with pytest.raises(ModelError, match=message) as caught:
        load_scenario(file)
    assert "bad.yaml:" in str(caught.value)


def test_overrides_and_names() -> None:
    assert load_scenario("rest", ["duration=0.5"]).duration == 0.5
    with pytest.raises(ModelError, match="unknown scenario 'strait': did you mean 'straight'"):
        load_scenario("strait")
