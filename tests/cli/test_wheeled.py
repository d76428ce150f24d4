"""Commands on vehicles with wheels: drive, rig, a vehicle of one's own, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from command_case import Run

from grouser.result.result import load_result


def test_run_takes_the_embedded_preset_and_values_of_the_scenario(run: Run, place: Path) -> None:
    words = "run hmmwv --scenario ride --scenario-set terrain.road_class=A --scenario-set start_speed=8 --duration 0.2"
    outcome = run(*words.split())
    assert outcome.code == 0, outcome.err
    with load_result(place / "hmmwv.h5") as result:
        assert result.header["preset"] == "embedded"
        assert result.header["overrides"] == ["terrain.road_class=A", "start_speed=8"]
        assert result["chassis.velocity.x"][0] == pytest.approx(8.0, abs=1e-3)
        assert result.model.terrain is not None
        assert result.model.terrain.type == "grid"
        assert "front.left.tyre.slip" in result


def test_kinematics_as_table_csv_json_and_plot(run: Run, place: Path) -> None:
    table = run("kinematics", "hmmwv", "--points", "3", "--travel", "0.05")
    assert table.code == 0
    for word in ("axle front, left wheel", "camber [deg]", "-1.44", "axle rear", "Pitman arm [deg]"):
        assert word in table.out, word
    outcome = run("kinematics", "hmmwv", "--points", "3", "-o", "curves.csv", "--plot", "curves.png", "--json")
    assert outcome.code == 0
    front = json.loads(outcome.out)["axles"]["front"]
    assert np.degrees(front["camber"]) == pytest.approx([1.03, 0.0, -3.36], abs=0.01)
    rows = list(csv.reader((place / "curves.csv").read_text().splitlines()))
    assert rows[0][:3] == ["part", "travel [mm]", "camber [deg]"]
    assert float(rows[3][2]) == pytest.approx(-3.36, abs=0.01)
    assert (place / "curves.png").stat().st_size > 20_000


def test_a_vehicle_of_one_s_own_starts_from_the_hmmwv(run: Run, place: Path) -> None:
    assert run("new", "my.yaml", "--from", "hmmwv").code == 0
    assert run("check", "my.yaml").code == 0
    (place / "soft.yaml").write_text(
        "grouser: 1\nkind: wheeled-vehicle\nextends: my.yaml\nname: soft\n"
        "axles: {front: {spring: {stiffness: 120000}}}\n"
    )
    assert run("check", "soft.yaml").code == 0
    shown = run("show", "soft.yaml", "--json")
    assert json.loads(shown.out)["degrees_of_freedom"] == 14


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("kinematics m113", ["m113 is no template of a wheeled vehicle"]),
        ("kinematics hmmwv --travel 0.9", ["cannot be assembled at a wheel travel of"]),
        ("kinematics hmmwv --travel -1", ["--travel is -1 m"]),
        ("kinematics hmmwv --points 1", ["--points is 1"]),
        ("run hmmwv --no-suspension", ["--no-suspension", "wheeled vehicle"]),
        ("run hmmwv --set tyre.stiffness=-1", ["tyre.stiffness: is -1"]),
        ("run hmmwv --set axles.front.points.lower_ball=[0,0.307086,0]", ["lies on the hinge of the lower arm"]),
        ("run hmmwv --set steering.limit=1.3", ["a tie rod does not reach"]),
        (
            "run hmmwv --scenario ride --scenario-set terrain.road_class=J",
            ["--scenario-set terrain.road_class=J", "'J'"],
        ),
        ("run pendulum.yaml --scenario-set duration=3", ["--scenario-set", "name one by --scenario"]),
        ("run m113 --scenario iso-3888", ["start_speed", "vehicles with tracks start at rest"]),
    ],
)
def test_one_clear_error(run: Run, words: str, said: list[str]) -> None:
    outcome = run(*words.split())
    assert outcome.code == 2, outcome.err
    assert "Traceback" not in outcome.err
    for word in said:
        assert word in outcome.err, outcome.err
