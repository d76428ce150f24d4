"""The fit on runs that are formulas: unknowns, shifts in time, runs that fail, bands, and doubts about files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grouser as gr
from grouser.calibration.bands import calc_covariance, calc_knowledge, find_excited, make_band
from grouser.calibration.compare import Comparison, Rows
from grouser.calibration.doubts import check_units, find_doubts, find_shift
from grouser.calibration.evaluate import Traces
from grouser.calibration.fit import Problem, find_fit
from grouser.calibration.judge import calc_errors, calc_mean
from grouser.calibration.recording import load_recording
from grouser.calibration.trace import Trace
from grouser.calibration.unknowns import Unknowns, make_unknowns
from grouser.errors import ModelError, SolveError

DURATION = 4.0
FRAMES = np.linspace(0.0, DURATION, 401)
VEHICLE = {"stiffness": 100.0, "friction": 2.0}
UNKNOWNS = {
    "bar": {"path": "stiffness", "knots": [-1.0, 1.0, 3.0], "through": 0.0, "over": ["x"]},
    "friction": {"type": "number", "path": "friction", "low": 0.0, "high": 10.0},
}


def calc_motion(values: dict[str, Any], time: np.ndarray) -> np.ndarray:
    """A motion that depends on the values as those of a rig do: on slopes below 1, and smoothly."""
    table = np.array(values["stiffness"])
    below, above = (float(np.interp(x, *table.T)) for x in (-0.9, 0.9))
    amplitude = np.array([20.0 / abs(below), 20.0 / above])
    phase = 0.1 * values["friction"]
    return np.column_stack([amplitude[0] * np.sin(5.0 * time - phase), amplitude[1] * np.cos(4.0 * time - phase)])


class _Evaluator:
    """Runs by the formula. `fails` says of which values they fail."""

    def __init__(self, unknowns: Unknowns, fails: Callable[[dict[str, Any]], bool] = lambda values: False) -> None:
        self.unknowns, self.fails, self.phase, self.count = unknowns, fails, "", 0

    def find_traces(
        self, vectors: Sequence[np.ndarray], runs: Sequence[str], *, is_whole: bool = False
    ) -> list[Traces]:
        self.count += len(vectors) * len(runs)
        return [dict.fromkeys(runs, self._make(self.unknowns.find_values(u))) for u in vectors]

    def _make(self, values: dict[str, Any]) -> Trace:
        if self.fails(values):
            return Trace(np.empty(0), np.empty((0, 0)), {}, "it fell over")
        return Trace(FRAMES, calc_motion(values, FRAMES), {})


TRUE = {"stiffness": [(-1.0, -80.0), (0.0, 0.0), (1.0, 130.0), (3.0, 330.0)], "friction": 3.0}


def make(
    folder: Path, *, late: float = 0.0, noise: float = 0.001, change: Any = None, true: Any = None, **reading: Any
) -> tuple[Problem, _Evaluator]:
    """A problem whose truth is known; `change` changes the columns, (samples, 2) [rad]."""
    time = np.arange(0.0, DURATION, 0.005)
    values = calc_motion(true or TRUE, time - late) + noise * np.random.default_rng(1).standard_normal((len(time), 2))
    values = np.rad2deg(values if change is None else change(values))
    rows = [f"{t:.4f},{a:.8g},{b:.8g}" for t, (a, b) in zip(time, values, strict=True)]
    (folder / "run.csv").write_text("\n".join(["time,A,B", *rows]) + "\n")
    calibration = gr.Calibration.model_validate(
        {
            "name": "formula",
            "base": {"vehicle": "m113"},
            "reading": {"time": "time", "angles": {"A": "a", "B": "b"}, "drift": "keep", **reading},
            "runs": {
                # what is simulated begins with 0: what is shifted into it is not compared
                name: {"file": str(folder / "run.csv"), "held_out": name == "judge", "start": 0.5}
                for name in ("one", "judge")
            },
            "unknowns": UNKNOWNS,
        }
    )
    unknowns = make_unknowns(calibration, VEHICLE)
    recordings = {run: load_recording(calibration, run, DURATION) for run in calibration.runs}
    evaluator = _Evaluator(unknowns)
    return Problem(evaluator, Comparison(calibration, recordings), unknowns, lambda u: None), evaluator


def test_the_truth_is_found_and_what_has_no_effect_stays(tmp_path: Path) -> None:
    problem, _ = make(tmp_path)
    find_fit(problem, 20, 1e-6)
    assert problem.fit.is_settled
    values = problem.unknowns.find_values(problem.fit.best)
    table = np.array(values["stiffness"])
    assert np.interp([-0.9, 0.9], *table.T) == pytest.approx(
        np.interp([-0.9, 0.9], *np.array(TRUE["stiffness"]).T), rel=2e-3
    )
    assert values["friction"] == pytest.approx(3.0, abs=0.02)
    costs = [step.cost for step in problem.fit.steps]
    assert all(after < before for before, after in pairwise(costs))
    # the slope from 1 to 3 is felt by the smooth curve alone, the friction by all
    jacobian, residuals = problem.fit.jacobian, problem.fit.residuals
    assert jacobian is not None and residuals is not None
    covariance = calc_covariance(jacobian, residuals, problem.comparison.list_rows(), problem.prior)
    knowledge = calc_knowledge(jacobian, problem.prior)
    bar, friction = problem.unknowns.parts
    band = make_band(bar, problem.fit.best, covariance, knowledge, (-0.9, 0.9), 0.1)
    assert band.is_determined[(band.x > -0.9) & (band.x < 0.9)].all()
    assert not band.is_determined[np.abs(band.x) > 0.9].any()
    truth = np.interp(0.9, *np.array(TRUE["stiffness"]).T)
    assert abs(np.interp(0.9, band.x, band.value) - truth) < 3.0 * np.interp(0.9, band.x, band.half)
    assert band.share[-1] < 0.6
    assert np.interp(0.9, band.x, band.share) > 0.99
    number = make_band(friction, problem.fit.best, covariance, knowledge, None, 0.1)
    assert number.is_determined[0] and abs(number.value[0] - 3.0) < 2.0 * number.half[0]


@pytest.mark.parametrize("factor", [0.1, 10.0])
def test_a_start_far_from_the_truth_is_left_by_few_linearisations(factor: float, tmp_path: Path) -> None:
    true = {**TRUE, "stiffness": [(x, factor * y) for x, y in TRUE["stiffness"]]}  # type: ignore[attr-defined]
    problem, evaluator = make(tmp_path, true=true, noise=1e-4)
    find_fit(problem, 20, 1e-4)
    assert problem.fit.is_settled
    table = np.array(problem.unknowns.find_values(problem.fit.best)["stiffness"])
    wanted = np.interp([-0.9, 0.9], *np.array(true["stiffness"]).T)
    assert np.interp([-0.9, 0.9], *table.T) == pytest.approx(wanted, rel=0.01)
    assert evaluator.count < 80


def test_the_jacobian_is_that_of_the_residuals(tmp_path: Path) -> None:
    problem, _ = make(tmp_path, fit_shift=True)
    x = np.array([0.05, -0.1, 0.2, 0.02, 0.03, 1.0])[: problem.prior.shape[1]]
    jacobian = problem.calc_jacobian(x)
    for j in range(len(x)):
        moved = [x.copy(), x.copy()]
        moved[0][j] += 1e-4
        moved[1][j] -= 1e-4
        column = (problem.calc(moved[0]) - problem.calc(moved[1])) / 2e-4
        assert np.allclose(jacobian[:, j], column, atol=0.03 * np.abs(column).max() + 1e-6)


def test_a_shift_in_time_is_found_with_the_unknowns(tmp_path: Path) -> None:
    problem, evaluator = make(tmp_path, late=0.11, fit_shift=True)
    find_fit(problem, 20, 1e-6)
    # friction shifts both columns alike in phase, not in time: so the two can be told apart
    assert problem.find_shifts(problem.fit.best)["one"] == pytest.approx(0.11, abs=0.01)
    traces = evaluator.find_traces([problem.fit.best[: problem.unknowns.count]], ["judge"])[0]
    assert find_shift(problem.comparison, "judge", traces["judge"]) == pytest.approx(0.11, abs=0.01)


def test_runs_that_fail_are_gone_around(tmp_path: Path) -> None:
    problem, evaluator = make(tmp_path)
    evaluator.fails = lambda values: values["friction"] > 3.02
    find_fit(problem, 20, 1e-6)
    assert 2.9 < problem.unknowns.find_values(problem.fit.best)["friction"] <= 3.02
    problem, evaluator = make(tmp_path)
    evaluator.fails = lambda values: True
    with pytest.raises(SolveError, match=r"run 'one' fails, so nothing can be fitted: it fell over"):
        find_fit(problem, 20, 1e-6)


def test_a_fit_that_is_stopped_has_its_best_vector(tmp_path: Path) -> None:
    problem, evaluator = make(tmp_path)
    kept: list[np.ndarray] = []
    problem.keep = kept.append
    evaluator.fails = lambda values: _interrupt() if evaluator.count > 14 else False
    with pytest.raises(KeyboardInterrupt):
        find_fit(problem, 20, 1e-6)
    assert not problem.fit.is_done
    assert len(kept) == len(problem.fit.steps) >= 2
    assert np.array_equal(kept[-1], problem.fit.best)


def _interrupt() -> bool:
    raise KeyboardInterrupt


def test_errors_of_magnitude(tmp_path: Path) -> None:
    problem, evaluator = make(tmp_path, noise=0.0)
    traces = evaluator.find_traces([np.zeros(problem.unknowns.count)], ["one", "judge"])[0]
    errors = calc_errors(problem.comparison, traces, {})
    # amplitudes go with 1 / torque: 72 and 117 N m at 0.9 in truth, 90 at the start
    assert [one.difference for one in errors[:2]] == pytest.approx([1 - 72 / 90, 117 / 90 - 1], rel=0.03)
    assert calc_mean([one for one in errors if one.held_out]) == pytest.approx(0.25, rel=0.03)
    still, _ = make(tmp_path, noise=0.0, change=lambda values: values * [1.0, 1e-3])
    errors = calc_errors(still.comparison, traces, {})
    assert np.isnan(errors[1].difference) and np.isfinite(calc_mean(errors))


def test_doubts(tmp_path: Path) -> None:
    problem, evaluator = make(tmp_path)
    traces = evaluator.find_traces([np.zeros(problem.unknowns.count)], ["one"])[0]
    check_units(problem.comparison, traces)
    assert find_doubts(problem.comparison, traces) == []
    # degrees that were taken for radians would be 57 times as large, and the other way round
    wrong, _ = make(tmp_path, change=lambda values: values / 57.3)
    with pytest.raises(ModelError, match=r"run 'one': measured motions are .* as if they were in rad.*give unit: rad"):
        check_units(wrong.comparison, traces)
    turned, _ = make(tmp_path, change=lambda values: values * [1.0, -1.0])
    assert "B moves against what it is compared with" in find_doubts(turned.comparison, traces)[0]
    late, _ = make(tmp_path, late=0.3)
    told = find_doubts(late.comparison, traces)
    assert len(told) == 1 and "later than simulated ones: if clocks differ, give shift" in told[0]


def test_bands_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(2)
    x = np.linspace(0.0, 1.0, 300)
    jacobian = np.column_stack([np.ones(300), x])
    rows, prior = Rows(np.zeros(300, dtype=np.intp), np.arange(300) % 30), 1e-6 * np.eye(2)
    inside = 0
    for _ in range(300):
        noise = random.normal(0.0, 0.7, 300)
        found = np.linalg.lstsq(jacobian, noise, rcond=None)[0]
        covariance = calc_covariance(jacobian, noise - jacobian @ found, rows, prior)
        inside += abs(found[1]) < 1.96 * np.sqrt(covariance[1, 1])
    assert 0.95 <= inside / 300 <= 1.0
    # what no residual sees keeps the covariance that was expected
    blind = calc_covariance(np.column_stack([np.ones(300), np.zeros(300)]), noise, rows, np.diag([1e-6, 4.0]))
    assert blind[1, 1] == pytest.approx(1.0 / 16.0)


def test_errors_that_go_together_widen_bands() -> None:
    random = np.random.default_rng(3)
    jacobian = np.ones((300, 1))
    rows = Rows(np.repeat(np.arange(10), 30), np.zeros(300, dtype=np.intp))
    together = np.repeat(random.normal(0.0, 1.0, 10), 30)
    together -= together.mean()
    single = random.permutation(together)
    wide, narrow = (calc_covariance(jacobian, one, rows, 1e-6 * np.eye(1))[0, 0] for one in (together, single))
    assert wide > 5.0 * narrow


def test_excited_ranges() -> None:
    values = np.concatenate([np.linspace(-0.2, 0.3, 500), [0.9] * 5])
    low, high = find_excited([values], is_odd=False)  # type: ignore[misc]
    assert -0.2 < low < -0.15
    assert 0.25 < high <= 0.3  # five frames of 505 are not enough
    assert find_excited([values], is_odd=True) == (-high, high)
    assert find_excited([], is_odd=False) is None
