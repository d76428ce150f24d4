"""An M113 on rubber bands: it settles, drives, turns, crosses bumps and changes lanes without losing its tracks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import grouser as gr
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.result.result import Result

OF_BRICKS = [
    "track=band-bricks",
    "belt.across=2",
    "belt.layers=[{thickness: 0.019552, young: 1.0e+7, poisson: 0.3, density: 1100.0, damping: 1.0e-3, "
    "cords: {diameter: 1.617e-3, spacing: 1.617e-3, young: 2.1e+11, density: 7900.0}}]",
]
"""The steel as wires side by side in the middle of the rubber."""
DRIVES = {
    "straight": [],
    "bumps": [
        "terrain={type: half-round, radius: 0.15, position: 3.0}",
        "drives.left=[[0, 0], [3, 10], [6, 10]]",
        "drives.right=[[0, 0], [3, 10], [6, 10]]",
        "duration=6",
    ],
    "turn": ["drives.left=[[0, 0], [3, 8], [7, 8]]", "drives.right=[[0, 0], [3, 13], [7, 13]]", "duration=7"],
}


def drive(folder: Path, name: str, vehicle: list[str], scenario: list[str]) -> Result:
    loaded = load_scenario("straight", scenario)
    model = apply_scenario(load_vehicle("m113-band", vehicle), loaded)
    return gr.simulate(model, duration=loaded.duration, out=folder / f"{name}.h5", initial=folder / "rest.npz")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the vehicle at rest lies."""
    place = tmp_path_factory.mktemp("band")
    model = apply_scenario(load_vehicle("m113-band"), load_scenario("straight"))
    gr.simulate(model, duration=0.01, save_initial=place / "rest.npz")
    return place


@pytest.mark.slow
def test_tension_at_rest_is_that_of_the_tensioner(folder: Path) -> None:
    """The idler is pushed by 18 kN less what it has moved out, and both runs of the belt hold it."""
    model = apply_scenario(load_vehicle("m113-band"), load_scenario("rest"))
    result = gr.simulate(model, duration=0.05, initial=folder / "rest.npz")
    for side in ("left", "right"):
        links = result.model.tracks[side].links
        tension = result.block("link/tension", links)[0][-1, :, 0]
        x = np.array([result[f"{link}.position"][-1, 0] for link in links])
        idler = result[f"{side}.idler.position"][-1, 0]
        upper = tension[np.abs(x - idler - 0.3) < 0.1]
        push = abs(float(result[f"{side}.tension.force"][-1]))
        assert upper.sum() / len(upper) == pytest.approx(0.5 * push, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("name", DRIVES)
def test_drives_without_losing_its_tracks(folder: Path, name: str) -> None:
    result = drive(folder, name.replace(" ", "-"), [], DRIVES[name])
    summary = result.summary
    assert result.status == "done"
    assert summary["events"] == []
    assert abs(summary["energy_residual"]) < 0.01
    speed = {"straight": 6.17, "bumps": 2.5, "turn": 2.5}[name]
    assert summary["final_speed"] == pytest.approx(speed, rel=0.1)
    if name == "turn":
        assert summary["yaw_angle"] > 0.5


@pytest.mark.slow
def test_changes_lanes_at_30_km_h() -> None:
    """A driver steers it along the path of the standard, whose corners it cannot follow."""
    scenario = load_scenario("lane-change")
    model = apply_scenario(load_vehicle("m113-band"), scenario)
    result = gr.simulate(model, duration=scenario.duration)
    assert result.summary["events"] == []
    assert abs(result.summary["energy_residual"]) < 0.01
    assert np.abs(result["driver.lateral_offset"]).max() < 0.25
    assert result["chassis.position"][:, 1].max() == pytest.approx(3.5, abs=0.2)
    assert result.summary["final_speed"] == pytest.approx(8.33, rel=0.05)


@pytest.mark.slow
def test_a_belt_of_two_beams_a_web_drives_alike(folder: Path) -> None:
    found = []
    for elements in (1, 2):
        words = [f"belt.elements={elements}", f"right.belt.elements={elements}"]
        scenario = load_scenario("straight", ["duration=2.5"])
        result = gr.simulate(apply_scenario(load_vehicle("m113-band", words), scenario), duration=2.5)
        found.append((result.summary["mean_link_tension"], result.summary["final_speed"]))
    assert found[1] == pytest.approx(found[0], rel=0.02)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """The first seconds of `turn` by webs of beams and of bricks; it goes straight for most of one second."""
    place, found = tmp_path_factory.mktemp("both"), {}
    for name, words in (("beams", []), ("bricks", OF_BRICKS)):
        loaded = load_scenario("straight", [*DRIVES["turn"][:2], "duration=1.4"])
        model = apply_scenario(load_vehicle("m113-band", words), loaded)
        found[name] = gr.simulate(model, duration=1.4, out=place / f"{name}.h5")
    return found


def read_both(both: dict[str, Result], until: float) -> list[np.ndarray]:
    """Way, speed and mean tension up to a time by both."""
    rows = []
    for result in both.values():
        last = int(np.searchsorted(result.time, until))
        links = [link for track in result.model.tracks.values() for link in track.links]
        tension = result.block("link/tension", links)[0][: last + 1].mean()
        way = np.linalg.norm(result["chassis.position"][last] - result["chassis.position"][0])
        rows.append(np.array([way, np.linalg.norm(result["chassis.velocity"][last]), tension]))
    return rows


@pytest.mark.slow
def test_bricks_drive_off_as_beams_do(both: dict[str, Result]) -> None:
    """The tracks differ in speed by 1.1 m/s^2 already, and hardly turn the vehicle so far."""
    beams, bricks = read_both(both, 0.6)
    assert bricks[:2] == pytest.approx(beams[:2], rel=0.02)
    assert bricks[2] == pytest.approx(beams[2], rel=0.05)


@pytest.mark.slow
@pytest.mark.xfail(
    reason="webs of bricks cannot warp at lugs, and resist torsion 50 times as much: it yaws less", strict=True
)
def test_bricks_turn_as_beams_do(both: dict[str, Result]) -> None:
    beams, bricks = read_both(both, 1.36)
    assert bricks[:2] == pytest.approx(beams[:2], rel=0.02)
