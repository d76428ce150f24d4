"""Runs as a whole: a step too coarse for its preset is told, and the program around a run stays as it was."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import ModelError
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.presets import PRESETS
from grouser.result.result import Result
from grouser.simulate import Settings, prepare, simulate


def make_rod() -> Model:
    """A rod on a hinge with a spring, which sets a stable step also where the hinge is ideal."""
    builder = ModelBuilder("rod")
    builder.add_body("rod", 2.0, (0.17, 0.17, 0.001), position=(0.5, 0.0, 0.0))
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0.0, 1.0, 0.0))
    builder.add_joint_spring("spring", "hinge", stiffness=1.0e6)
    return builder.build()


def run(preset: str, step: float | None, duration: float = 0.012) -> Result:
    """One frame."""
    return simulate(make_rod(), preset=preset, duration=duration, output_interval=duration, step=step)


def find_warnings(result: Result) -> list[str]:
    return [event["message"] for event in result.summary["events"] if event["kind"] == "step too coarse"]


BOUNDED = [name for name, preset in PRESETS.items() if not preset.declared.is_implicit]


@pytest.mark.parametrize("preset", BOUNDED)
def test_a_step_beyond_the_stable_one_is_told(preset):
    stable = prepare(make_rod(), preset)[1].step
    fine, coarse = (run(preset, factor * stable, duration=factor * stable) for factor in (1.0, 1.1))
    assert fine.summary["step_warning"] is None
    assert "larger than the stable step" in coarse.summary["step_warning"]
    assert find_warnings(coarse) == [coarse.summary["step_warning"]]


@pytest.mark.parametrize("integrator", ["implicit-euler", "sdirk"])
def test_no_stiffness_makes_an_implicit_step_too_coarse(integrator):
    preset = PRESETS["implicit"].with_integrator(integrator)
    step = 10.0 * prepare(make_rod(), "penalty")[1].step
    result = simulate(make_rod(), preset=preset, duration=step, output_interval=step, step=step)
    assert result.summary["step_warning"] is None
    assert not find_warnings(result)


def test_integrators_that_choose_their_steps_are_never_too_coarse():
    preset = replace(PRESETS["implicit"], integrator="adams")
    result = simulate(make_rod(), preset=preset, duration=0.012, output_interval=0.012)
    assert result.summary["step_warning"] is None


@pytest.fixture
def thawed():
    """Nothing is frozen before, and nothing stays frozen."""
    gc.unfreeze()
    yield
    gc.unfreeze()


def find_frozen_counts() -> tuple[int, int]:
    """How much is frozen while a run goes on, and after it."""
    seen = []

    def count(*arguments: object) -> None:
        seen.append(gc.get_freeze_count())

    simulate(make_rod(), preset="penalty", duration=0.012, output_interval=0.012, progress=count)
    return seen[-1], gc.get_freeze_count()


@pytest.mark.usefixtures("thawed")
def test_a_run_thaws_what_it_has_frozen():
    during, after = find_frozen_counts()
    assert during > 0
    assert after == 0


@pytest.mark.usefixtures("thawed")
def test_a_run_leaves_frozen_what_was_frozen_before():
    gc.freeze()
    before = gc.get_freeze_count()
    during, after = find_frozen_counts()
    # frozen objects may die, but none is added or thawed
    assert 0.9 * before < after <= during <= before


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_numbers_of_numpy_are_numbers(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "rod.h5"
    with simulate(make_rod(), duration=kind(1), output_interval=kind(1), preset="penalty", out=path) as result:
        assert result.time.tolist() == [0.0, 1.0]
    with simulate(make_rod(), duration=0.01, integrator="adams", tolerance=np.float32(1e-4)) as result:
        assert result.header["tolerance"] == pytest.approx(1e-4)
    step = np.float64(1e-5)
    with simulate(make_rod(), duration=np.float32(0.02), step=step, preset="penalty") as result:
        assert result.summary["step"] == pytest.approx(1e-5)


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ({"step": 1e-300}, "step = 1e-300 s must be a positive time in seconds, at least 1e-09"),
        ({"output_interval": 1e-300}, "output_interval = 1e-300 s must be"),
        ({"duration": 1e300}, "more than 10,000,000 frames"),
        ({"duration": 1e4, "output_interval": 1.0, "step": 1e-9}, "more than 1,000,000,000,000 steps"),
    ],
)
def test_times_without_end_are_refused(times, words):
    with pytest.raises(ModelError, match=words):
        Settings(**times)
