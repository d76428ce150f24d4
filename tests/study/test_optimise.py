"""Optimisations against optima in closed form, and what becomes of them when they are stopped."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas
import pytest
from quarter_car import (
    BODY,
    GRIP,
    SOFTEST,
    SPRING,
    calc_acceleration,
    calc_force,
    calc_travel,
    make_optimisation,
)
from study_case import PATIENCE, count_rows, wait_until

import grouser as gr
from grouser.cli.app import main
from grouser.errors import ResultError
from grouser.study.goal import BARRIER, make_trial
from grouser.study.optimise import OptimisationOutcome, find_start, optimise
from grouser.study.plan import find_value
from grouser.study.search import seek
from grouser.study.surrogate import calc_quality, fit_gaussian, fit_polynomial

TWO = {
    "damping": {"path": "forces.strut.damping", "low": 500, "high": 8000, "logarithmic": True},
    "stiffness": {"path": "forces.strut.stiffness", "low": 5000, "high": 60000},
}
"""Factors of the least force of the tyre."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, OptimisationOutcome]:
    folder = tmp_path_factory.mktemp("quarter")
    return folder, optimise(make_optimisation(folder), folder / "out", workers=1)


def test_the_damping_of_the_least_acceleration(found: tuple[Path, OptimisationOutcome]) -> None:
    _, outcome = found
    best = outcome.best
    assert best is not None and best.is_good
    assert outcome.status == "done"
    assert best.values["damping"] == pytest.approx(SOFTEST, rel=0.01)
    assert best.responses["acceleration"] == pytest.approx(calc_acceleration(SPRING, SOFTEST), rel=0.01)
    assert best.responses["travel"] == pytest.approx(calc_travel(SOFTEST), rel=0.01)
    table = pandas.read_parquet(outcome.table)
    assert table["run"].tolist() == list(range(len(outcome.rows))) == list(range(outcome.made))
    assert table["acceleration"].min() == best.responses["acceleration"]
    vehicle = gr.load_model(outcome.folder / "best.yaml")
    assert vehicle.forces["strut"].damping == best.values["damping"]
    assert vehicle.bodies["body"].mass == BODY


def test_a_second_time_nothing_is_run(found: tuple[Path, OptimisationOutcome]) -> None:
    folder, outcome = found
    again = optimise(make_optimisation(folder), folder / "out", scheduler="tcp://127.0.0.1:1")  # nobody is asked there
    assert again.made == 0
    assert again.trials == outcome.trials


def test_a_constraint_that_holds_the_best_back_shares_the_runs(found: tuple[Path, OptimisationOutcome]) -> None:
    folder, outcome = found
    bound = {"travel": {"high": calc_travel(1500.0)}}
    method = {"type": "nelder-mead", "start": {"damping": 1500.0}}
    kept = optimise(make_optimisation(folder, constraints=bound, method=method), folder / "out", workers=1)
    best = kept.best
    assert best is not None and best.is_good
    assert best.values["damping"] == pytest.approx(1500.0, rel=0.01)
    assert best.responses["travel"] <= bound["travel"]["high"]
    assert any(trial.excess for trial in kept.trials)
    assert len(kept.rows) == len(outcome.rows) + kept.made


def ask_closed_form(wanted: gr.Optimisation, most: int, calc: Callable[..., float]) -> list[tuple[dict, float]]:
    """What a method asks for of a function of the factors, until it has found its minimum."""
    asked: list[tuple[dict, float]] = []

    def ask(points: np.ndarray) -> np.ndarray:
        for point in points:
            values = {name: find_value(f, float(x)) for (name, f), x in zip(wanted.factors.items(), point, strict=True)}
            asked.append((values, calc(**values)))
        if len(asked) >= most:
            raise StopAsking
        return np.array([cost for _, cost in asked[-len(points) :]])

    with suppress(StopAsking):
        seek(wanted, find_start(wanted), ask)
    return asked


class StopAsking(Exception):
    pass


@pytest.mark.parametrize(("kind", "most"), [("nelder-mead", 120), ("differential-evolution", 300), ("bayesian", 32)])
def test_methods_find_the_strut_of_the_least_force_and_ask_the_same_again(kind: str, most: int, tmp_path: Path) -> None:
    wanted = make_optimisation(tmp_path, factors=TWO, minimise="force", method={"type": kind, "seed": 3})
    asked = ask_closed_form(wanted, most, lambda damping, stiffness: calc_force(stiffness, damping))
    best = min(asked, key=lambda one: one[1])[0]
    # where it is flat: 3 % of the damping change the force by 0.02 %
    assert (best["stiffness"], best["damping"]) == pytest.approx(GRIP, rel=0.03 if kind == "bayesian" else 0.01)
    assert asked == ask_closed_form(wanted, most, lambda damping, stiffness: calc_force(stiffness, damping))
    assert asked[0][0] == {"damping": pytest.approx(2000.0), "stiffness": 32500.0}


@pytest.mark.parametrize("kind", ["differential-evolution", "bayesian"])
def test_methods_keep_a_bound_that_costs_something(kind: str, tmp_path: Path) -> None:
    wanted = make_optimisation(tmp_path, factors=TWO, minimise="force", method={"type": kind, "seed": 1})

    def calc(damping: float, stiffness: float) -> float:
        beyond = damping / 1500.0 - 1.0
        return BARRIER * (1.0 + beyond) if beyond > 0.0 else calc_force(stiffness, damping)

    asked = ask_closed_form(wanted, 60 if kind == "bayesian" else 300, calc)
    best, least = min(asked, key=lambda one: one[1])
    edge = min(calc_force(stiffness, 1500.0) for stiffness in np.linspace(5e3, 6e4, 551))
    assert best["damping"] <= 1500.0
    assert edge <= least <= 1.01 * edge


def make_row(run: int, acceleration: float | None, travel: float, status: str = "done") -> dict:
    reason = "" if status == "done" else "it burst"
    return {
        "run": run,
        "acceleration": acceleration,
        "travel": travel,
        "force": 1.0,
        "status": status,
        "reason": reason,
    }


def test_the_order_of_trials(tmp_path: Path) -> None:
    wanted = make_optimisation(tmp_path, constraints={"travel": {"high": 0.2, "low": 0.1}})
    rows = [
        make_row(0, 1.0, 0.15),
        make_row(1, 1e9, 0.2),
        make_row(2, 0.5, 0.21),
        make_row(3, 0.1, 0.3),
        make_row(4, 0.1, 0.0, "failed"),
    ]
    trials = [make_trial(wanted, {}, [row]) for row in rows]
    costs = [trial.cost for trial in trials]
    assert costs == sorted(costs) and len(set(costs)) == 5
    assert [trial.is_good for trial in trials] == [True, True, False, False, False]
    assert trials[2].excess == {"travel": pytest.approx(0.01)}
    assert trials[4].reason == "it burst"
    assert make_trial(wanted, {}, [make_row(5, None, 0.15)]).reason == "response 'acceleration' is no number"
    # replicates: the mean of what is sought, and the worst of what is bounded
    both = make_trial(wanted, {}, [make_row(6, 1.0, 0.15), make_row(7, 2.0, 0.25)])
    assert both.responses["acceleration"] == 1.5 and both.excess == {"travel": pytest.approx(0.05)}
    most = make_optimisation(tmp_path, minimise=None, maximise="acceleration")
    assert make_trial(most, {}, [rows[1]]).cost < make_trial(most, {}, [rows[0]]).cost


def test_surfaces_foretell_what_they_have_not_seen() -> None:
    rng = np.random.default_rng(2)
    points, new = rng.random((40, 2)), rng.random((200, 2))

    def calc(x: np.ndarray) -> np.ndarray:
        return np.sin(4.0 * x[:, 0]) + x[:, 1] ** 2

    process = fit_gaussian(points, calc(points))
    expected, spread = process.predict(new)
    seen = np.abs(expected - calc(new))
    error, share = calc_quality(calc(points), process.errors)
    assert share > 0.999 and np.sqrt(np.mean(seen**2)) < 3.0 * error
    assert np.mean(seen <= 3.0 * spread) > 0.9
    # left out one by one, with the same lengths and noise: (2) of the module
    for i in (0, 7):
        rest = np.delete(np.arange(40), i)
        scaled = (calc(points) - process.middle) / process.scale
        kernel = process._calc_kernel(points[rest])[:, rest] + process.noise * np.eye(39)
        told = process._calc_kernel(points[[i]])[0, rest] @ np.linalg.solve(kernel, scaled[rest])
        assert process.errors[i] == pytest.approx(process.scale * (scaled[i] - told), rel=1e-3, abs=1e-7)
    square = 1.0 + 2.0 * points[:, 0] - points[:, 0] * points[:, 1] + 3.0 * points[:, 1] ** 2
    polynomial = fit_polynomial(points, square)
    assert polynomial is not None
    np.testing.assert_allclose(polynomial.predict(new[:1]), 1 + 2 * new[0, 0] - new[0].prod() + 3 * new[0, 1] ** 2)
    noisy = square + 0.1 * rng.standard_normal(40)
    fitted = fit_polynomial(points, noisy)
    assert fitted is not None
    without = fit_polynomial(points[1:], noisy[1:])
    assert without is not None
    assert fitted.errors[0] == pytest.approx(noisy[0] - without.predict(points[:1])[0], rel=1e-9)
    assert fit_polynomial(points[:5], square[:5]) is None


FILE = """\
grouser: 1
kind: optimisation
name: strut
base: {vehicle: quarter.yaml, preset: recursive, duration: 4, output_interval: 0.005}
factors: {damping: {path: forces.strut.damping, low: 200, high: 5000, logarithmic: true}}
responses: {travel: {take: rms, of: "[body.position.z] - [wheel.position.z]"}}
"""


def write_file(folder: Path, more: str) -> Path:
    make_optimisation(folder)  # the model
    path = folder / "strut.yaml"
    path.write_text(FILE + more)
    return path


def start(path: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "grouser", "optimise", str(path), "--workers", "1"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize(
    ("kills", "runs"), [(1, 12), pytest.param(6, 60, marks=pytest.mark.slow)], ids=["once", "many times"]
)
def test_a_killed_optimisation_goes_on_and_makes_no_run_twice(kills: int, runs: int, tmp_path: Path) -> None:
    path = write_file(tmp_path, f"maximise: travel\nmethod: {{runs: {runs}, population: 6, seed: 4}}\n")
    out, chance = tmp_path / "strut.study", random.Random(5)
    written: dict[str, int] = {}
    for kill in range(1, kills + 1):
        process = start(path)
        least = 1 + round((runs - 2) * kill / (kills + 1) * chance.uniform(0.7, 1.0))
        wait_until(lambda least=least: count_rows(out) >= least, process)
        process.kill()
        process.communicate(timeout=PATIENCE)
        wait_until(lambda: not list((out / "runs").glob(".*")) or count_rows(out) < runs)
        now = {row.name: row.stat().st_mtime_ns for row in (out / "rows").glob("*.json")}
        assert written.items() <= now.items()  # none was made again
        written = now
    outcome = optimise(gr.load_optimisation(path), out, workers=1)
    assert written.items() <= {row.name: row.stat().st_mtime_ns for row in (out / "rows").glob("*.json")}.items()
    assert outcome.made == runs - len(written)
    assert sorted(outcome.rows) == list(range(runs)) and outcome.status == "budget"
    assert len({row["damping"] for row in outcome.rows.values()}) == runs
    # what it has asked for is what it would have asked for without a kill
    wanted = gr.load_optimisation(path)
    travel = {row["damping"]: row["travel"] for row in outcome.rows.values()}
    asked = ask_closed_form(wanted, runs, lambda damping: -travel[damping])
    assert [values["damping"] for values, _ in asked][:runs] == [trial.values["damping"] for trial in outcome.trials]


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    more = "minimise: travel\nconstraints: {travel: {high: 0.001}}\nmethod: {type: nelder-mead, runs: 4}\n"
    path = write_file(tmp_path, more)
    assert main(["check", str(path)]) == 0
    assert "most runs 4" in capfd.readouterr().out
    assert main(["optimise", str(path), "--workers", "1", "--json"]) == 1
    out, err = capfd.readouterr()
    told = json.loads(out)
    assert (told["status"], told["runs"], told["made"], told["failed"]) == ("budget", 4, 4, 0)
    assert told["best"]["keeps_constraints"] is False and "travel" in told["best"]["excess"]
    assert "no run keeps all constraints" in err and "widen bounds" in err
    path.write_text(path.read_text().replace("high: 0.001", "high: 1"))
    assert main(["optimise", str(path)]) == 0
    out, _ = capfd.readouterr()
    assert "4, 0 of them made now" in out and "best.yaml" in out and "at the start" in out


def test_runs_that_all_fail_end_it_with_their_reason(tmp_path: Path) -> None:
    path = write_file(tmp_path, "minimise: travel\nmethod: {runs: 20, population: 6}\n")
    path.write_text(path.read_text().replace("rms, of", "mean, start: 9, of"))
    with pytest.raises(ResultError, match=r"each of the first 6 runs failed, run 0: .*no frame from 9"):
        optimise(gr.load_optimisation(path), tmp_path / "out", workers=1)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "runs"), [("differential-evolution", 300), ("nelder-mead", 120), ("bayesian", 44)])
def test_the_strut_of_the_least_force_by_runs(kind: str, runs: int, tmp_path: Path) -> None:
    """The least force is flat: frames and steps of the default move it by 2.4 % of the stiffness, these by 0.3 %."""
    wanted = make_optimisation(
        tmp_path,
        base={"step": 1e-4, "output_interval": 1e-3},
        factors=TWO,
        minimise="force",
        method={"type": kind, "runs": runs, "seed": 3},
    )
    outcome = optimise(wanted, tmp_path / "out")
    assert outcome.best is not None
    found = (outcome.best.values["stiffness"], outcome.best.values["damping"])
    assert found == pytest.approx(GRIP, rel=0.03 if kind == "bayesian" else 0.01)
