"""Integrators that choose their steps: error by tolerance, history across frames, energy, restarts, failures."""

import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from smooth_models import Run, calc_distance, make_double

import grouser as gr
from grouser.compile.state import copy_state, load_state, save_state
from grouser.errors import ModelError, SolveError, UnsupportedError
from grouser.formulations.status import DONE
from grouser.integrators import solvers
from grouser.integrators.declarations import INTEGRATORS
from grouser.presets import find_preset

ADAPTIVE = [name for name, one in INTEGRATORS.items() if one.is_adaptive and not one.is_implicit]
"""Those for ordinary differential equations."""
FORMULATIONS = ("augmented", "recursive")
DURATION = 2.0
TOLERANCES = np.array([1e-4, 1e-6, 1e-8, 1e-10])
SHARE = 3.0e3
"""Largest error of a run, in tolerances: errors of some hundred steps add up, and the pendulum makes them grow."""


@cache
def solve_reference(formulation):
    return Run(formulation, "double", "adams", 1e-13).find_end(DURATION)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_error_follows_the_tolerance(integrator, formulation):
    reference = solve_reference(formulation)
    ends = [Run(formulation, "double", integrator, one).find_end(DURATION) for one in TOLERANCES]
    errors = np.array([calc_distance(end, reference) for end in ends])
    assert (errors < SHARE * TOLERANCES).all()
    slope = np.polyfit(np.log(TOLERANCES), np.log(errors), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.3)
    ledgers = [np.abs(end.ledger - reference.ledger).max() for end in ends]
    assert (np.array(ledgers) < 10.0 * SHARE * TOLERANCES).all()  # [J], of some 10 J


def test_error_of_sdirk_follows_the_tolerance():
    """Its estimate is of third order in the step, so that a step is in proportion to the cubic root of the tolerance,
    and the error of second order to its power of 2/3. Tolerances are tight, so that no step is as long as the longest
    one."""
    reference = Run("explicit", "double", "adams", 1e-13).find_end(DURATION)
    tolerances = np.array([1e-8, 1e-9, 1e-10])
    runs = [Run("explicit", "double", "sdirk", one) for one in tolerances]
    ends = [run.find_end(DURATION, frames=20) for run in runs]
    errors = np.array([calc_distance(end, reference) for end in ends])
    assert (errors < 10.0 * tolerances ** (2.0 / 3.0)).all()
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(2.0 / 3.0, abs=0.1)
    steps = np.array([run.solver.counts.steps for run in runs])
    assert np.polyfit(np.log(tolerances), np.log(steps), 1)[0] == pytest.approx(-1.0 / 3.0, abs=0.05)


def test_sdirk_goes_on_from_frame_to_frame_and_begins_anew_with_another_state():
    run = Run("explicit", "double", "sdirk", 1e-4)
    whole = run.find_end(0.5, frames=50)
    again = run.find_end(0.5, frames=50)
    assert calc_distance(whole, again) == 0.0
    coarse = run.find_end(0.5, frames=5)
    assert 0.0 < calc_distance(whole, coarse) < 1e-3


def test_references_of_both_formulations_agree():
    assert calc_distance(*(solve_reference(formulation) for formulation in FORMULATIONS)) < 1e-9


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_history_goes_on_from_frame_to_frame(integrator):
    """A thousand frames of 2 ms take about as many steps as frames; begun anew at each they would take thousands."""
    run = Run("recursive", "double", integrator, 1e-8)
    end = run.find_end(DURATION, frames=1000)
    assert calc_distance(end, solve_reference("recursive")) < SHARE * 1e-8
    assert run.solver.counts.steps < 1100
    if integrator == "adams":
        assert run.solver.counts.orders / run.solver.counts.steps > 6.0


def test_a_state_that_is_not_the_one_left_begins_anew():
    run = Run("recursive", "double", "adams", 1e-8)
    whole = run.find_end(DURATION)
    run.find_end(0.7)
    again = run.find_end(DURATION)
    assert calc_distance(whole, again) == 0.0


def test_adams_is_cheaper_at_a_tight_tolerance_than_rk4():
    """With as many evaluations its error is a hundredth."""
    run = Run("recursive", "double", "adams", 1e-10)
    error = calc_distance(run.find_end(DURATION), solve_reference("recursive"))
    end = Run("recursive", "double", "rk4").find_end(DURATION, run.solver.counts.evaluations // 4)
    assert calc_distance(end, solve_reference("recursive")) > 100.0 * error


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_energy_residual_falls_with_the_tolerance(integrator):
    model = make_double()
    residuals = [
        gr.simulate(model, preset="recursive", integrator=integrator, tolerance=one, duration=2.0,
                    output_interval=0.5).summary["energy_residual"]
        for one in (1e-4, 1e-7)
    ]  # fmt: skip
    assert residuals[1] < 0.05 * residuals[0]
    assert residuals[1] < 1e-4


@pytest.mark.parametrize("integrator", [*ADAPTIVE, "rk4"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_interrupted_and_continued_runs_agree(integrator, formulation, tmp_path):
    run = Run(formulation, "double", integrator, 1e-9)
    count = 100 if integrator == "rk4" else 1
    whole = run.find_end(1.0, count, frames=2)
    half = run.find_end(0.5, count)
    save_state(tmp_path / "half.npz", half, run.compiled.layout)
    other = Run(formulation, "double", integrator, 1e-9)
    state = load_state(tmp_path / "half.npz", other.compiled.initial, other.compiled.layout)
    assert other.solver.advance(state, count, 0.5 / count)[0] == DONE
    assert state.time[0] == pytest.approx(1.0)
    assert calc_distance(state, whole) < (1e-12 if integrator == "rk4" else SHARE * 1e-9)
    assert state.ledger == pytest.approx(whole.ledger, abs=1e-5)


def test_summary_and_channels_tell_what_was_done():
    result = gr.simulate(make_double(), preset="recursive", integrator="adams", tolerance=1e-8, duration=0.5)
    told = result.summary
    assert (told["integrator"], result.header["integrator"], result.header["tolerance"]) == ("adams", "adams", 1e-8)
    assert told["evaluations"] == 2 * told["steps"] + told["rejected_steps"]
    assert 4.0 < told["mean_order"] <= 12.0
    assert told["step"] == pytest.approx(0.5 / told["steps"])
    assert result["run.order"][-1] == pytest.approx(result["run.order"][-10:].mean(), abs=2.0)
    assert (result["run.step"][1:] <= 0.01 + 1e-12).all()
    fixed = gr.simulate(make_double(), preset="recursive", integrator="rk4", duration=0.5, step=0.005).summary
    assert (fixed["steps"], fixed["rejected_steps"], fixed["evaluations"]) == (100, 0, 450)
    assert fixed["mean_order"] is None


def make_singular(power):
    """A mass whose force grows without bound at 1/3 s."""
    builder = gr.ModelBuilder("singular", gravity=(0.0, 0.0, 0.0))
    builder.add_body("still", 1.0, (1.0, 1.0, 1.0))
    builder.add_body("mass", 1.0, (1.0, 1.0, 1.0))
    builder.add_force("pull", "mass", force=(f"1/(1/3 - t)^{power}", 0.0, 0.0))
    return builder.build()


@pytest.mark.parametrize(("power", "status"), [(1, "stalled"), (2, "diverged")])
def test_a_run_that_cannot_go_on_says_where_and_keeps_its_data(power, status):
    with pytest.raises(SolveError, match="'mass'") as caught:
        gr.simulate(make_singular(power), preset="recursive", integrator="adams", duration=0.5)
    error = caught.value
    assert (error.status, error.element) == (status, "mass")
    assert error.time == pytest.approx(1.0 / 3.0, abs=1e-3)
    assert error.result.time[-1] == pytest.approx(0.33)
    assert [event["kind"] for event in error.result.summary["events"]] == [status]
    assert "step is" not in str(error)


def test_cvode_that_cannot_go_on_says_where():
    with pytest.raises(SolveError, match="'mass'") as caught:
        gr.simulate(make_singular(2), preset="recursive", integrator="cvode-bdf", duration=0.5)
    assert caught.value.element == "mass"
    assert 0.3 < caught.value.time < 0.334


def test_settling_does_without_a_tolerance():
    """By the trapezoidal rule: the same state of rest, whatever the run is stepped by."""
    builder = gr.ModelBuilder("hanging")
    builder.add_body("mass", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("guide", "prismatic", "world", "mass", axis=(0.0, 0.0, 1.0))
    builder.add_joint_spring("spring", "guide", stiffness=100.0, damping=5.0)
    model = builder.build()
    preset = find_preset("recursive")
    start = gr.settle(model, preset=preset.with_integrator("adams", 1e-9))
    assert start.x[1, 2] == pytest.approx(-9.81 / 100.0, abs=1e-5)
    np.testing.assert_array_equal(start.x, gr.settle(model, preset=preset.with_integrator("trapezoidal")).x)
    result = gr.simulate(model, preset="recursive", integrator="adams", duration=0.1, settle=True)
    assert result.summary["settled"] and result.summary["integrator"] == "adams"


def test_steps_and_tolerances_are_not_mixed_up():
    model = make_double()
    with pytest.raises(ModelError, match=r"step = 0\.001 s: the integrator 'adams' chooses its steps.*tolerance"):
        gr.simulate(model, preset="recursive", integrator="adams", step=1e-3)
    with pytest.raises(ModelError, match=r"tolerance = 1e-06: the steps of the integrator 'rk4' .* give it a step"):
        gr.simulate(model, preset="recursive", integrator="rk4", tolerance=1e-6)
    for wrong in (0.0, -1.0, 1.0, float("nan")):
        with pytest.raises(ModelError, match=r"must be a share between 1e-13 and 0\.1"):
            gr.simulate(model, preset="recursive", integrator="adams", tolerance=wrong)
    with pytest.raises(ModelError, match="tolerance is 'fine'"):
        gr.simulate(model, preset="recursive", integrator="adams", tolerance="fine")  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="unknown integrator 'adam': did you mean 'adams'"):
        gr.simulate(model, preset="recursive", integrator="adam")
    loose = replace(find_preset("recursive"), integrator="adams", tolerance=2.0)
    with pytest.raises(ModelError, match="tolerance = 2 must be a share"):
        gr.simulate(model, preset=loose)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match=r"scikit-sundae.*pip install 'grouser\[sundials\]'"):
        gr.simulate(make_double(), preset="recursive", integrator="cvode-adams")


def test_integrators_are_loaded_only_where_they_are_used():
    """What a default run does not load it does not compile."""
    code = (
        "import sys, grouser as gr\n"
        "b = gr.ModelBuilder('m'); b.add_body('a', 1.0, (1, 1, 1)); gr.simulate(b.build(), duration=0.01)\n"
        "print([m for m in sys.modules if m.startswith(('grouser.integrators', 'grouser.formulations.ode', 'sksun'))])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = set(eval(shown))
    assert loaded == {
        f"grouser.{name}"
        for name in ("integrators", "integrators.declarations", "integrators.record", "integrators.solver",
                     "integrators.solvers", "integrators.time_loop", "integrators.predict", "integrators.tasks",
                     "integrators.team", "integrators.together", "formulations.ode_work")
    }  # fmt: skip


def test_copy_of_the_state_that_was_left_goes_on():
    """What counts is what the state says, not which object it is: a frame that is repeated begins anew."""
    run = Run("recursive", "double", "adams", 1e-8)
    state = run.find_end(0.5)
    order = int(run.solver.history.number[0])
    twin = copy_state(state)
    run.solver.advance(twin, 1, 0.01)
    assert int(run.solver.history.number[0]) >= order - 1
    moved = copy_state(twin)
    moved.v[1, 0] += 1e-3
    run.solver.advance(moved, 0, 0.01)
    assert int(run.solver.history.number[0]) == 1
