"""The command that measures accuracy: runs are stored, not made twice, and end on the page."""

from __future__ import annotations

import doctest
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grouser.catalog.benchmarks import BENCHMARKS
from grouser.catalog.benchmarks.benchmark import Benchmark
from grouser.errors import SolveError
from grouser.formulations.presets import PRESETS
from grouser.simulate import prepare, simulate

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import accuracy
import accuracy_page
import convergence

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
def vehicle(monkeypatch):
    """A vehicle that is not settled first, two presets, a few frames."""
    monkeypatch.setattr(convergence, "VEHICLES", ("m113-paper",))
    monkeypatch.setattr(convergence, "SHARES", ("1",))
    monkeypatch.setattr(convergence, "PRESETS", {name: PRESETS[name] for name in ("penalty", "implicit")})
    monkeypatch.setattr(convergence, "FREE_STEPS", (5.0, 1.0))
    monkeypatch.setattr(convergence, "settle", lambda model, progress: prepare(model)[0].initial)
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


def test_vehicles_are_compared_with_the_reference(vehicle, tmp_path):
    code, numbers, page = measure(tmp_path, "--only", "m113")
    stored = numbers["vehicles"]["m113-paper"]
    assert code == 0
    assert {name: list(rows) for name, rows in stored["presets"].items()} == {
        "penalty": ["1/4", "1"],
        "implicit": ["5 ms", "1 ms"],
    }
    reference, coarse = stored["presets"]["penalty"]["1/4"], stored["presets"]["implicit"]["5 ms"]
    assert reference["position"] == reference["speed"] == 0.0
    assert coarse["position"] > 0.0 and coarse["warning"]
    assert coarse["step"] == pytest.approx(5e-3)
    assert "| `implicit` | 5 ms | 5.00* |" in page
    assert "The cheapest accurate run" in page
    assert (tmp_path / accuracy_page.PICTURE).stat().st_size > 1000
    # the reference is not run again for a row that is missing
    del stored["presets"]["implicit"]["1 ms"]
    (tmp_path / "accuracy.json").write_text(json.dumps(numbers))
    again = measure(tmp_path, "--only", "m113")[1]["vehicles"]["m113-paper"]["presets"]
    assert again["penalty"] == stored["presets"]["penalty"]
    assert again["implicit"]["1 ms"]["position"] < coarse["position"]


def test_a_run_that_fails_has_its_row(vehicle, tmp_path, monkeypatch):
    def fail(model, *, preset, **options):
        if preset == "implicit":
            raise SolveError("diverged at 0.01 s", status="diverged", time=0.01)
        return simulate(model, preset=preset, **options)

    monkeypatch.setattr(convergence, "simulate", fail)
    code, _, page = measure(tmp_path, "--only", "m113")
    assert code == 0
    assert "failed: diverged at 0.01 s" in page


def test_nothing_is_compared_with_a_reference_that_failed(vehicle, tmp_path, monkeypatch, capsys):
    def fail(*_, **__):
        raise SolveError("diverged at 0.01 s", status="diverged", time=0.01)

    monkeypatch.setattr(convergence, "simulate", fail)
    (tmp_path / "accuracy.json").write_text("{}")
    code, numbers, page = measure(tmp_path, "--only", "m113")
    assert code == 1
    assert "error: diverged at 0.01 s" in capsys.readouterr().err
    assert "m113-paper" not in page
    assert not numbers


def test_a_run_is_accurate_only_if_all_of_it_is():
    good = {"failure": None, "position": 0.009, "speed": 0.009, "mean_tension": 1.02}
    reference = {"mean_tension": 1.0}
    assert accuracy_page.is_accurate(good, reference)
    for wrong in ({"position": 0.011}, {"speed": 0.011}, {"mean_tension": 1.04}, {"failure": "diverged"}):
        assert not accuracy_page.is_accurate({**good, **wrong}, reference)


def test_every_preset_is_run():
    for name in convergence.VEHICLES:
        cases = [case for case in convergence.list_cases() if case.vehicle == name]
        assert cases[0].is_reference
        assert len(cases) == len(set(cases))
        assert {case.preset for case in cases} == set(convergence.TRACK_PRESETS)


@pytest.mark.parametrize("words", [["--quick"], ["--out", "nowhere"], ["--only", "m114"]])
def test_bad_options_are_refused(words, capsys):
    with pytest.raises(SystemExit) as stop:
        accuracy.main(words)
    assert stop.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_examples():
    assert doctest.testmod(convergence) == (0, 1)
