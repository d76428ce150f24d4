"""Scenarios: loading, and putting a vehicle into one."""

from __future__ import annotations

from pathlib import Path

import pytest

from grouser.catalog.grounds import make_ground
from grouser.catalog.scenarios import Scenario, apply_scenario, list_scenarios, load_scenario
from grouser.catalog.scenarios.driver import make_path
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import list_vehicles, load_vehicle, m113_paper
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.errors import ModelError
from grouser.families.powertrain.rows import find_first_gear
from grouser.model.schema import dump_model, load_model
from grouser.model.signal import calc_signal_value
from grouser.model.terrain import Profile

TRACKED = [name for name in list_vehicles() if isinstance(load_vehicle(name), TrackedVehicle)]
WHEELED = [name for name in list_vehicles() if isinstance(load_vehicle(name), WheeledVehicle)]


@pytest.mark.parametrize("name", [name for name in list_scenarios() if load_scenario(name).drives])
@pytest.mark.parametrize("vehicle", TRACKED)
def test_every_tracked_vehicle_goes_into_every_scenario_with_drives(vehicle: str, name: str) -> None:
    scenario = load_scenario(name)
    model = apply_scenario(load_vehicle(vehicle), scenario)
    assert scenario.terrain is not None
    assert model.terrain == make_ground(scenario.terrain)
    assert {f"{track}.drive": value for track, value in scenario.drives.items()} == {
        key: motion.value for key, motion in model.motions.items()
    }
    assert model.bodies["chassis"].orientation == (1.0, 0.0, 0.0, 0.0)  # all start on level ground


@pytest.mark.parametrize("name", [name for name in list_scenarios() if load_scenario(name).driver is not None])
@pytest.mark.parametrize("vehicle", WHEELED)
def test_every_wheeled_vehicle_goes_into_every_scenario_with_a_driver(vehicle: str, name: str) -> None:
    scenario = load_scenario(name)
    model = apply_scenario(load_vehicle(vehicle), scenario)
    assert scenario.driver is not None
    assert scenario.terrain is not None
    assert model.terrain == make_ground(scenario.terrain)
    driver = model.drivers["driver"]
    assert driver.speed == scenario.driver.speed
    assert driver.path == make_path(scenario.driver.path)
    assert model.bodies["chassis"].orientation == (1.0, 0.0, 0.0, 0.0)
    for body in model.bodies.values():
        assert body.velocity == pytest.approx((scenario.start_speed, 0.0, 0.0))


def test_all_scenarios_are_for_somebody() -> None:
    scenarios = [load_scenario(name) for name in list_scenarios()]
    assert all(scenario.drives or scenario.driver or scenario.rig for scenario in scenarios)


def test_wheels_start_rolling_in_the_gear_that_suits() -> None:
    model = apply_scenario(load_vehicle("hmmwv"), load_scenario("step-steer"))
    assert model.bodies["rear.left.wheel"].angular_velocity[1] == pytest.approx(20.0 / 0.46, rel=0.01)
    assert find_first_gear(model, "powertrain") == (3.0,)
    still = apply_scenario(load_vehicle("hmmwv"), load_scenario("straight"))
    assert find_first_gear(still, "powertrain") == (1.0,)


def test_steering_of_a_scenario_is_that_of_the_road_wheels() -> None:
    model = apply_scenario(load_vehicle("hmmwv"), load_scenario("step-steer"))
    steering = model.drivers["driver"].steering
    assert steering is not None
    assert calc_signal_value(steering.angle, 3.0) == pytest.approx(0.03 * steering.ratio)


def test_a_scenario_that_starts_at_a_speed_is_refused_by_tracks() -> None:
    with pytest.raises(ModelError, match=r"start_speed: is 16\.67 m/s, but vehicles with tracks start at rest"):
        apply_scenario(load_vehicle("m113"), load_scenario("iso-3888"))


def test_a_scenario_for_a_driver_is_refused_by_vehicles_in_a_plane() -> None:
    with pytest.raises(ModelError, match="'crawler' has no two tracks beside each other, so it cannot be steered"):
        apply_scenario(load_vehicle("crawler"), load_scenario("lane-change"))


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


def test_half_a_machine_is_driven_by_its_own_track() -> None:
    crawler = load_vehicle("crawler")
    with pytest.raises(ModelError, match=r"unknown track or motion 'right'.*left"):
        apply_scenario(crawler, Scenario(name="mine", duration=1.0, drives={"right": 1.0}))
    both = apply_scenario(crawler, Scenario(name="mine", duration=1.0, drives={"left": 2.0, "right": 2.0}))
    assert both.motions["left.drive"].value == 2.0
    with pytest.raises(ModelError, match="'left' and 'right' differ, but 'crawler' moves in a plane"):
        apply_scenario(crawler, Scenario(name="mine", duration=1.0, drives={"left": 2.0, "right": 1.0}))


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


ROAD = "x,z\n0,0\n1,0.5\n"
NAMED = "terrain: {type: profile, points: roads/road.csv, friction: 0.5}"


def write_scenario(folder: Path, text: str, road: str = ROAD) -> Path:
    """A scenario file in the folder, and its road in the folder `roads` beside it."""
    (folder / "roads").mkdir(exist_ok=True)
    (folder / "roads" / "road.csv").write_text(road)
    file = folder / "drive.yaml"
    file.write_text(f"grouser: 1\nkind: scenario\nname: drive\nduration: 1\n{text}\n")
    return file


def test_ground_from_a_file_beside_the_scenario(tmp_path: Path) -> None:
    scenario = load_scenario(write_scenario(tmp_path, NAMED))
    assert scenario.terrain == Profile(points=[(0.0, 0.0), (1.0, 0.5)], friction=0.5)
    (tmp_path / "roads" / "road.csv").unlink()
    model = apply_scenario(load_vehicle("m113"), scenario)
    assert load_model(dump_model(model)).terrain == scenario.terrain


def test_ground_from_a_file_beside_the_scenario_that_is_extended(tmp_path: Path) -> None:
    write_scenario(tmp_path, NAMED)
    (tmp_path / "below").mkdir()
    file = tmp_path / "below" / "again.yaml"
    file.write_text("grouser: 1\nkind: scenario\nextends: ../drive.yaml\nname: again\nterrain: {friction: 0.7}\n")
    assert load_scenario(file).terrain == Profile(points=[(0.0, 0.0), (1.0, 0.5)], friction=0.7)


def test_ground_from_a_file_named_by_an_override(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_scenario(tmp_path, "terrain: {type: profile, points: [[0, 0], [9, 9]]}")
    monkeypatch.chdir(tmp_path / "roads")
    assert load_scenario(file, ["terrain.points=road.csv"]).terrain == Profile(points=[(0.0, 0.0), (1.0, 0.5)])


def test_model_file_with_ground_from_a_file(tmp_path: Path) -> None:
    write_scenario(tmp_path, NAMED)
    body = "bodies: {block: {mass: 1, inertia: [1, 1, 1]}}"
    (tmp_path / "model.yaml").write_text(f"grouser: 1\nkind: model\nname: model\n{body}\n{NAMED}\n")
    assert load_model(tmp_path / "model.yaml").terrain == Profile(points=[(0.0, 0.0), (1.0, 0.5)], friction=0.5)


@pytest.mark.parametrize(
    ("road", "message"),
    [
        ("x,z\n0,0\n1,high\n", "road.csv, line 3: '1,high' is no point"),
        ("x,z\n1,0\n0,0\n", "road.csv, line 3: x = 0 m follows 1 m"),
        ("x,z\n", "road.csv: has 0 points"),
    ],
)
def test_faults_of_a_ground_s_file_are_said_with_both_places(tmp_path: Path, road: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        load_scenario(write_scenario(tmp_path, NAMED, road))
    assert "drive.yaml:5: terrain.points: " in str(caught.value)


def test_overrides_and_names() -> None:
    assert load_scenario("rest", ["duration=0.5"]).duration == 0.5
    with pytest.raises(ModelError, match="unknown scenario 'strait': did you mean 'straight'"):
        load_scenario("strait")
