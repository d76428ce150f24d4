"""Limits: bisection, verdicts, what a vehicle on wheels climbs with less torque and less friction, and the command."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.catalog.vehicles import load_vehicle
from grouser.cli.app import main
from grouser.errors import ModelError
from grouser.model.sensor import Sensor
from grouser.study.limits.bracket import Found, seek_limit
from grouser.study.limits.drive import make_limit_study, seek_limits
from grouser.study.limits.judge import Verdict, calc_peak, judge
from grouser.study.limits.limit import Limit, choose_limits, find_mover, list_limits
from grouser.study.plan import make_repeats
from grouser.study.single import simulate_case

STEP = Limit("step", "highest step", "height", "m", 0.0, 1.0, 0.01, "terrain.height", "", (), 1.0)


def make_ask(passes, asked=None):
    def ask(values):
        if asked is not None:
            asked.extend(values)
        return {value: Verdict(value, passes(value), "" if passes(value) else "it falls") for value in values}

    return ask


@pytest.mark.parametrize("sections", [1, 2, 5])
@pytest.mark.parametrize("edge", [0.005, 0.3333, 0.7, 0.999])
def test_bisection_finds_the_edge_to_its_tolerance(sections, edge):
    asked = []
    found = seek_limit(STEP, make_ask(lambda value: value < edge, asked), sections)
    assert found.last_pass.value < edge <= found.first_failure.value
    assert found.first_failure.value - found.last_pass.value <= STEP.tolerance * (1 + 1e-6)
    assert len(asked) == len(set(asked))
    rounds = np.ceil(np.log(1.0 / STEP.tolerance) / np.log(sections + 1))
    assert len(asked) <= 2 + sections * rounds


def test_what_is_known_is_not_asked_again():
    """A search that goes on with another number of workers ends where it had ended."""
    asked = []
    first = seek_limit(STEP, make_ask(lambda value: value < 0.3333), 2)
    again = seek_limit(STEP, make_ask(lambda value: value < 0.3333, asked), 1, first.verdicts)
    assert again == first and asked == [STEP.low, STEP.high]


def test_all_that_passes_or_fails_lies_outside_the_range():
    assert seek_limit(STEP, make_ask(lambda _: True)).say() == "1 m or more"
    assert seek_limit(STEP, make_ask(lambda _: False)).say() == "below 0 m"


def test_what_passes_beyond_a_failure_does_not_count():
    found = seek_limit(STEP, make_ask(lambda value: value < 0.2 or (value > 0.6 and value < 1.0)), 3)
    assert found.last_pass.value < 0.2 <= found.first_failure.value


def test_peaks_are_those_below_30_hz():
    time = np.arange(0.0, 4.0, 0.002)
    slow, fast = 9.80665 * np.sin(2 * np.pi * 5.0 * time), 50.0 * np.sin(2 * np.pi * 100.0 * time)
    assert calc_peak(time, 9.81 + 2.0 * slow + fast) == pytest.approx(2.0, rel=1e-3)


@pytest.fixture(scope="module")
def hmmwv():
    mover = find_mover(load_vehicle("hmmwv"))
    return mover, list_limits(mover)


def climb(hmmwv, *overrides: str, scenario: tuple[str, ...] = ()) -> Found:
    """The steepest grade in one process, to 20 %."""
    mover, limits = hmmwv
    slope = limits["slope"]
    limit = replace(slope, tolerance=0.2, low=0.1, high=0.9, overrides=(*slope.overrides, *scenario))
    study = make_limit_study("hmmwv", limit, mover, overrides, None, None)

    def ask(values):
        verdicts = {}
        for value in values:
            with simulate_case(study, make_repeats(study, 0, {"grade": value})[0]) as result:
                verdicts[value] = judge(limit, value, result, 0)
        return verdicts

    return seek_limit(limit, ask)


def test_grades_fall_with_torque_and_friction(hmmwv):
    """With little friction the grade is that on which tyres slide; tan of the angle is no more than the friction."""
    whole = climb(hmmwv)
    weak = climb(hmmwv, "drivetrain.engine.torque=[[0, 100], [400, 100]]")
    slippery = climb(hmmwv, scenario=("terrain.friction=0.4",))
    assert whole.last_pass.value > weak.last_pass.value
    assert whole.last_pass.value > slippery.last_pass.value
    for found in (whole, weak, slippery):
        assert found.first_failure.value - found.last_pass.value <= 0.2 + 1e-9
        assert "it comes to x = " in found.first_failure.reason


def test_obstacles_go_with_the_vehicle(hmmwv):
    mover, limits = hmmwv
    assert mover.length == pytest.approx(3.36 + 2 * 0.47, abs=0.1)
    assert {"bump", "step", "gap", "slope", "side-slope", "lane-change", "bump-speed", "course-1in"} <= set(limits)
    crawler = list_limits(find_mover(load_vehicle("crawler")))
    assert list(crawler) == ["bump", "step", "gap", "slope"]
    m113 = list_limits(find_mover(load_vehicle("m113")))
    assert "engine=true" in m113["step"].overrides
    assert "engine=false" in list_limits(find_mover(load_vehicle("m113-paper")))["step"].overrides
    assert m113["step"].low < 0.61 < m113["step"].high and m113["gap"].low < 1.68 < m113["gap"].high


def test_a_seat_is_on_the_hull(hmmwv):
    mover, limits = hmmwv
    study = make_limit_study("hmmwv", limits["course-1in"], mover, (), (0.5, 0.4, 0.2), None)
    assert isinstance(study.base.sensors["seat"], Sensor)
    assert study.base.sensors["seat"].frame.position == (0.5, 0.4, 0.2)
    assert not make_limit_study("hmmwv", limits["step"], mover, (), None, None).base.sensors


def test_bad_wishes_are_refused(hmmwv):
    with pytest.raises(ModelError, match="unknown limit 'stepp': did you mean 'step'"):
        choose_limits(hmmwv[1], ["stepp"], {})
    with pytest.raises(ModelError, match=r"range of 'step': 1 to 0\.5"):
        choose_limits(hmmwv[1], [], {"step": (1.0, 0.5)})
    with pytest.raises(ModelError, match="limits are for such vehicles"):
        find_mover(load_vehicle("npost-12"))


def test_the_command_finds_a_limit_and_does_not_run_it_again(tmp_path: Path, capsys) -> None:
    folder = tmp_path / "limits"
    words = ["limits", "hmmwv", "--only", "step", "--range", "step=0.2:0.9", "--coarse", "20", "--workers", "1"]
    words += ["--out", str(folder)]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["limits"]["step"]
    assert told["last_pass"]["passed"] and not told["first_failure"]["passed"]
    with (folder / "limits.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert float(row["last_pass"]) == told["last_pass"]["value"] < float(row["first_failure"])
    assert len(list((folder / "step").glob("*.png"))) == 2
    page = (folder / "limits.html").read_text()
    assert page.count("data:image/png") == 2 and "highest step" in page
    again = seek_limits("hmmwv", folder, only=["step"], ranges={"step": (0.2, 0.9)}, coarse=20.0, workers=1)
    assert again.made == 0 and again.found[0].last_pass.value == told["last_pass"]["value"]


@pytest.mark.slow
def test_of_runs_beside_the_limit_only_verdicts_are_kept(tmp_path: Path) -> None:
    wish = {"only": ["step"], "ranges": {"step": (0.2, 0.9)}, "workers": 2}
    outcome = seek_limits("hmmwv", tmp_path / "limits", coarse=2.0, **wish)
    assert outcome.made > 4
    assert len(list((tmp_path / "limits" / "step" / "runs").glob("*.h5"))) == 2
    # with other tolerance and workers it goes on from what is there
    assert seek_limits("hmmwv", tmp_path / "limits", coarse=4.0, **{**wish, "workers": 1}).made == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "stepp"], "did you mean 'step'"),
        (["--range", "step=1"], "give a limit and two numbers"),
        (["--seat", "1,2"], "give three numbers in m"),
        (["--coarse", "0"], "must be positive"),
        (["--workers", "0"], "must be at least 1"),
    ],
)
def test_broken_command_lines(options, message, tmp_path, capsys):
    assert main(["limits", "hmmwv", "--out", str(tmp_path / "out"), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_an_m113_climbs_less_with_less_torque(tmp_path: Path) -> None:
    """Grades of 30 and 50 %: with half of its torque it does not climb the steeper one."""
    mover = find_mover(load_vehicle("m113"))
    limit = list_limits(mover)["slope"]
    passed = {}
    for name, overrides in (("whole", ()), ("half", ("powertrain.gearbox.efficiency=0.5",))):
        study = make_limit_study("m113", limit, mover, overrides, None, None)
        for grade in (0.3, 0.5):
            with simulate_case(study, make_repeats(study, 0, {"grade": grade})[0]) as result:
                passed[name, grade] = judge(limit, grade, result, 0).passed
    assert passed["whole", 0.3] and passed["half", 0.3] >= passed["half", 0.5]
    assert passed["whole", 0.5] > passed["half", 0.5]
