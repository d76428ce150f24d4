"""The command that measures accuracy: runs are stored, not made twice, and end on the page."""

from __future__ import annotations

import doctest
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.catalog.benchmarks import BENCHMARKS
from grouser.catalog.benchmarks.benchmark import Benchmark
from grouser.errors import SolveError
from grouser.simulate import prepare, simulate

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import accuracy
import accuracy_page
import convergence
from convergence import Drive, Way

WAYS = ["augmented", "recursive", "augmented, adams", "recursive, adams"]
"""Some with ideal joints."""


@pytest.fixture
def pendulum(monkeypatch):
    """The pendulum alone, in some ways; gives those that were asked for, in their order."""
    whole = BENCHMARKS["pendulum"]
    some = replace(whole, ways={name: whole.ways[name] for name in WAYS})
    monkeypatch.setattr(accuracy, "BENCHMARKS", {"pendulum": some})
    asked: list[str] = []
    run = Benchmark.run

    def note(self, way):
        asked.append(way.name)
        return run(self, way)

    monkeypatch.setattr(Benchmark, "run", note)
    return asked


@pytest.fixture
def drives(monkeypatch):
    """One vehicle that is not settled first, in a few ways and for a few frames, in every part."""
    reference, coarse, fine = Way("penalty", share=4), Way("implicit", tolerance=0.04), Way("implicit", tolerance=1e-3)
    ways = {
        "defaults": (reference, Way("penalty"), Way("implicit")),
        "tolerance": (reference, coarse, fine),
        "steps": (reference, Way("penalty"), coarse, fine, Way("implicit", "implicit-euler", step=5.0)),
    }
    for part, some in ways.items():
        monkeypatch.setitem(accuracy.DRIVES, part, lambda some=some: [Drive("m113-paper", "straight", 10.0, some)])
    monkeypatch.setattr(convergence, "settle", lambda model, **_: prepare(model)[0].initial)
    monkeypatch.setattr(accuracy, "QUICK_DURATION", 0.02)


def measure(folder, *words):
    """Run the command; its exit code, the numbers and the page."""
    code = accuracy.main(["--quick", "--out", str(folder), *words])
    return code, json.loads((folder / "accuracy.json").read_text()), (folder / "accuracy.md").read_text()


def test_runs_are_stored_and_not_made_again(pendulum, tmp_path):
    code, numbers, page = measure(tmp_path, "--only", "benchmarks")
    assert code == 0
    ways = numbers["benchmarks"]["pendulum"]["ways"]
    assert list(ways) == pendulum == WAYS
    assert all(0.0 < max(row["errors"]) < 1e-3 for row in ways.values())
    assert "### Planar pendulum" in page
    assert f"{ways['recursive']['values'][0]:.10g}" in page
    assert measure(tmp_path, "--only", "benchmarks") == (0, numbers, page)
    assert pendulum == WAYS
    measure(tmp_path, "--only", "benchmarks", "--anew")
    assert pendulum == 2 * WAYS


def test_what_is_done_when_it_is_stopped_is_kept(pendulum, tmp_path, monkeypatch, capsys):
    run = Benchmark.run

    def stop(self, way):
        if way.name == "recursive":
            raise KeyboardInterrupt
        return run(self, way)

    with monkeypatch.context() as during:
        during.setattr(Benchmark, "run", stop)
        code, numbers, _ = measure(tmp_path, "--only", "benchmarks")
    assert code == 130
    assert list(numbers["benchmarks"]["pendulum"]["ways"]) == ["augmented"]
    assert "stopped" in capsys.readouterr().out
    code, numbers, _ = measure(tmp_path, "--only", "benchmarks")
    assert code == 0
    assert list(numbers["benchmarks"]["pendulum"]["ways"]) == pendulum == WAYS


def test_runs_of_other_sources_are_told(pendulum, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(accuracy, "calc_source_hash", lambda: "other")
    measure(tmp_path, "--only", "benchmarks")
    monkeypatch.undo()
    assert accuracy.main(["--from-json", "--out", str(tmp_path)]) == 0
    assert "4 stored runs were made with other sources" in capsys.readouterr().out


@pytest.mark.usefixtures("drives")
def test_steps_are_compared_with_the_reference(tmp_path):
    code, numbers, page = measure(tmp_path, "--only", "steps")
    stored = numbers["steps"]["m113-paper, straight"]
    assert code == 0
    assert {name: list(rows) for name, rows in stored["presets"].items()} == {
        "penalty": ["step / 4", "as it comes"],
        "implicit": ["tolerance 0.04", "tolerance 0.001", "implicit-euler, step 5 ms"],
    }
    reference = stored["presets"]["penalty"]["step / 4"]
    euler = stored["presets"]["implicit"]["implicit-euler, step 5 ms"]
    assert reference["position"] == reference["speed"] == 0.0
    assert euler["position"] > 0.0
    assert euler["step"] == pytest.approx(5e-3)
    assert euler["load"].keys() == accuracy_page.LOADS.keys()
    assert euler["numerical_damping"] is None  # the drives have done no work yet
    assert "| `implicit` | implicit-euler, step 5 ms | 5.00 |" in page
    assert "The cheapest accurate run" in page
    assert (tmp_path / accuracy_page.PICTURE).stat().st_size > 1000
    # the reference is not run again for a row that is missing
    del stored["presets"]["implicit"]["tolerance 0.001"]
    (tmp_path / "accuracy.json").write_text(json.dumps(numbers))
    again = measure(tmp_path, "--only", "steps")[1]["steps"]["m113-paper, straight"]["presets"]
    assert again["penalty"] == stored["presets"]["penalty"]
    assert again["implicit"]["tolerance 0.001"]["position"] < euler["position"]


@pytest.mark.usefixtures("drives")
def test_a_default_run_is_told_apart_and_judged(tmp_path, monkeypatch):
    code, numbers, page = measure(tmp_path, "--only", "defaults")
    stored = numbers["defaults"]["m113-paper, straight"]
    assert code == 0
    assert accuracy_page.find_default_row(stored) == stored["presets"]["implicit"]["as it comes"]
    assert "1 default runs are accurate" in page
    assert "| `straight` | `implicit` | as it comes |" in page
    # a run that is wrong is told with its reason
    stored["presets"]["implicit"]["as it comes"]["position"] = 1.0
    (tmp_path / "accuracy.json").write_text(json.dumps(numbers))
    monkeypatch.setitem(accuracy_page.DECLARED, "m113-paper, straight", "the moon was full")
    page = measure(tmp_path, "--from-json")[2]
    assert "0 of 1 default runs are accurate" in page
    assert "`m113-paper, straight`: the moon was full." in page


@pytest.mark.usefixtures("drives")
def test_a_run_of_another_part_is_taken_over(tmp_path, capsys):
    stored = measure(tmp_path, "--only", "steps")[1]["steps"]["m113-paper, straight"]
    numbers = measure(tmp_path, "--only", "tolerance")[1]["tolerance"]["m113-paper, straight"]
    assert numbers["reference"] == stored["reference"]
    assert numbers["presets"]["implicit"] == {
        label: row for label, row in stored["presets"]["implicit"].items() if "euler" not in label
    }
    assert capsys.readouterr().out.count("as in another part") == 3


@pytest.mark.usefixtures("drives")
def test_orders_of_tolerances_are_told(tmp_path):
    code, numbers, page = measure(tmp_path, "--only", "tolerance")
    assert code == 0
    rows = numbers["tolerance"]["m113-paper, straight"]["presets"]["implicit"]
    assert [row["tolerance"] for row in rows.values()] == [0.04, 1e-3]
    table = page.partition("Vehicles and scenarios: `m113-paper, straight`.")[2].partition("## Steps")[0]
    assert all(words in table for words in ("| 0.04 |", "| 0.001 |", "| order by tolerance |", "| order by step |"))


@pytest.mark.usefixtures("drives")
def test_runs_of_another_reference_or_duration_are_dropped(tmp_path, monkeypatch):
    measure(tmp_path, "--only", "defaults")
    others = (Way("penalty"), Way("implicit"))
    monkeypatch.setitem(accuracy.DRIVES, "defaults", lambda: [Drive("m113-paper", "straight", 10.0, others)])
    stored = measure(tmp_path, "--only", "defaults")[1]["defaults"]["m113-paper, straight"]
    assert stored["presets"].keys() == {"penalty", "implicit"}
    assert stored["reference"]["label"] == "as it comes"
    assert list(stored["presets"]["penalty"]) == ["as it comes"]
    monkeypatch.setattr(accuracy, "QUICK_DURATION", 0.01)
    assert measure(tmp_path, "--only", "defaults")[1]["defaults"]["m113-paper, straight"]["duration"] == 0.01


@pytest.mark.usefixtures("drives")
def test_one_vehicle_alone_can_be_run(tmp_path):
    code, numbers, _ = measure(tmp_path, "--only", "defaults", "--vehicle", "m113-paper")
    assert code == 0
    assert numbers["defaults"]
    # what is anew for one vehicle leaves the others
    kept = {**numbers["defaults"]["m113-paper, straight"], "vehicle": "other"}
    numbers["defaults"]["other, straight"] = kept
    (tmp_path / "accuracy.json").write_text(json.dumps(numbers))
    again = measure(tmp_path, "--only", "defaults", "--vehicle", "m113-paper", "--anew")[1]["defaults"]
    assert again["other, straight"] == kept
    assert "m113-paper, straight" in again


@pytest.mark.usefixtures("drives")
def test_a_run_that_fails_has_its_row(tmp_path, monkeypatch):
    def fail(model, *, preset, **options):
        if preset == "implicit":
            raise SolveError("diverged at 0.01 s", status="diverged", time=0.01)
        return simulate(model, preset=preset, **options)

    monkeypatch.setattr(convergence, "simulate", fail)
    for part in accuracy.DRIVES:
        code, _, page = measure(tmp_path, "--only", part)
        assert code == 0
        assert "failed: diverged at 0.01 s" in page


@pytest.mark.usefixtures("drives")
def test_nothing_is_compared_with_a_reference_that_failed(tmp_path, monkeypatch, capsys):
    def fail(model, *, preset, **options):
        if preset == "penalty":
            raise SolveError("diverged at 0.01 s", status="diverged", time=0.01)
        return simulate(model, preset=preset, **options)

    monkeypatch.setattr(convergence, "simulate", fail)
    (tmp_path / "accuracy.json").write_text("{}")
    code, numbers, page = measure(tmp_path, "--only", "steps")
    assert code == 1
    said = capsys.readouterr()
    assert "error: diverged at 0.01 s" in said.err
    assert "left out, since its reference failed" in said.out
    assert "m113-paper, straight" not in page
    assert not numbers["steps"]["m113-paper, straight"]["presets"]


def test_a_run_is_accurate_only_if_all_of_it_is():
    reference = {"load": {"mean": 1.0, "p99": 2.0, "p999": 2.0, "max": 2.0}}
    load = {"mean": 1.014, "p99": 9.0, "p999": 1.91, "max": 2.19}
    good = {"failure": None, "position": 0.0049, "speed": 0.0049, "load": load, "energy_residual": 0.0099}
    assert accuracy_page.is_accurate(good, reference)
    wrong = [{"position": 0.0051}, {"speed": 0.0051}, {"energy_residual": 0.0101}, {"failure": "diverged"}]
    wrong += [{"load": {**load, **one}} for one in ({"mean": 0.984}, {"p999": 1.89}, {"max": 2.21})]
    wrong += [{"position": None}]
    for one in wrong:
        assert not accuracy_page.is_accurate({**good, **one}, reference), one
    # a vehicle without loads is judged by its motion, and a run without work by all but its residual
    nothing = dict.fromkeys(load)
    assert accuracy_page.is_accurate({**good, "load": nothing, "energy_residual": None}, {"load": nothing})


@pytest.mark.parametrize("part", accuracy.DRIVES)
def test_every_way_is_run_once_and_named(part):
    drives = accuracy.DRIVES[part]()
    assert len({drive.name for drive in drives}) == len(drives)
    for drive in drives:
        assert len({(way.preset, way.label) for way in drive.ways}) == len(drive.ways)
        assert drive.duration > convergence.LATE
        # a second run of the preset tells how far the reference is converged
        if part != "tolerance":
            assert sum(way.preset == drive.reference.preset for way in drive.ways) >= 2


def test_steps_are_those_of_every_preset_for_tracks():
    for drive in convergence.make_step_drives():
        assert {way.preset for way in drive.ways} == set(convergence.TRACK_PRESETS)


@pytest.mark.parametrize("drive", convergence.make_default_drives(), ids=lambda drive: drive.name)
def test_default_runs_are_those_of_the_default_preset(drive, monkeypatch):
    monkeypatch.setattr(convergence, "settle", lambda model, **_: None)
    start = convergence.Start(drive.vehicle, drive.scenario)
    assert sum(start.is_default(way) for way in drive.ways) == 1


@pytest.mark.parametrize("name", ["six-wheels", "rollers"])
def test_vehicles_of_the_bench_settle_and_drive(name):
    start = convergence.Start(name, "straight")
    model = start.model
    result = start.run(Way("implicit"), 2.0)
    weight = 9.81 * sum(body.mass for body in model.bodies.values())
    assert result["left.ground.normal"][0] + result["right.ground.normal"][0] == pytest.approx(weight, rel=5e-3)
    # the drives start at 1 s and take up the slack of the tracks first
    turned = float(np.trapezoid(result["left.sprocket_speed"], result.time))
    assert result.summary["distance"] == pytest.approx(turned * model.tracks["left"].rolling_radius, rel=0.25)
    assert not result.summary["events"]
    assert 0.0 < convergence.calc_numerical_damping(result) < 0.01
    if name == "rollers":
        assert len(model.tracks["left"].wheels) == 7
        assert any("roller" in body for body in model.bodies)


def test_wheels_bear_loads_where_there_are_no_tracks():
    start = convergence.Start("hmmwv", "straight")
    load = convergence.read_load(start.run(Way("embedded"), 0.05))
    weight = 9.81 * sum(body.mass for body in start.model.bodies.values())
    assert load.shape == (6, 4)
    assert load[0].sum() == pytest.approx(weight, rel=5e-3)


@pytest.mark.parametrize("words", [["--quick"], ["--out", "nowhere"], ["--only", "m114"], ["--vehicle", "m114"]])
def test_bad_options_are_refused(words, capsys):
    with pytest.raises(SystemExit) as stop:
        accuracy.main(words)
    assert stop.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_examples():
    assert doctest.testmod(convergence) == (0, 4)
    assert doctest.testmod(accuracy_page) == (0, 1)
