"""Runs that go on: a run that was killed and resumed is the run that was left alone, bit by bit."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time as clock
from pathlib import Path

import numpy as np
import pytest

import grouser as gr
from grouser import checkpoint
from grouser.errors import IncompatibleError, ModelError, ResultError
from grouser.model.model import Model
from grouser.result.result import Result, load_result

EXCEPT = {"wall_time", "cpu_time", "real_time_factor"}
"""Numbers of the summary that no two runs share."""
RUN = """
import sys
import grouser as gr
from grouser import checkpoint

checkpoint.EVERY, checkpoint.SHARE = float(sys.argv[3]), float("inf")
model = gr.load_model(sys.argv[1])
print("ready", flush=True)
gr.simulate(model, out=sys.argv[2], duration=float(sys.argv[4]), preset=sys.argv[5])
"""


def make_pendulum() -> Model:
    """A double pendulum that swings with friction at the upper hinge."""
    builder = gr.ModelBuilder("pendulum")
    for i in (0, 1):
        builder.add_body(f"rod{i}", 2.0, (0.17, 0.17, 0.001), position=(0.5 + i, 0.0, 0.0))
    builder.add_joint("upper", "revolute", "world", "rod0", axis=(0, 1, 0), point=(0, 0, 0))
    builder.add_joint("lower", "revolute", "rod0", "rod1", axis=(0, 1, 0), point=(1, 0, 0))
    builder.add_joint_spring("spring", "upper", stiffness=50.0, damping=1.0)
    builder.add_motion("swing", "lower", position="0.2*sin(3*t)")
    return builder.build()


def assert_same(one: Result, other: Result) -> None:
    """All but times of the clock."""
    np.testing.assert_array_equal(one.time, other.time)
    assert one.channels == other.channels
    for name in one.channels:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    assert one.events == other.events
    assert one.status == other.status == "done"
    summaries = [{name: value for name, value in r.summary.items() if name not in EXCEPT} for r in (one, other)]
    assert summaries[0] == summaries[1]
    headers = [{k: v for k, v in r.header.items() if k not in ("created", "resumed")} for r in (one, other)]
    assert headers[0] == headers[1]


def run_and_kill(model: Path, out: Path, *, wait: float, every: float, duration: float, preset: str) -> None:
    """Begin a run in a process of its own, and kill it after some time [s]."""
    command = [sys.executable, "-c", RUN, str(model), str(out), str(every), str(duration), preset]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while not out.exists() and process.poll() is None:
            clock.sleep(0.001)
        clock.sleep(wait)
        process.send_signal(signal.SIGKILL)


def kill_and_resume(tmp_path: Path, model: Model, seed: int, *, longest: float, **options: object) -> None:
    """A run killed at a random time, some times in a row, against one that is left alone."""
    chance = random.Random(seed)
    file, out = tmp_path / "model.yaml", tmp_path / "killed.h5"
    gr.save_model(model, file)
    duration, preset = float(options["duration"]), str(options["preset"])  # type: ignore[arg-type]
    while True:
        out.unlink(missing_ok=True)
        wait = longest * chance.random()
        run_and_kill(file, out, wait=wait, every=0.1, duration=duration, preset=preset)
        with load_result(out) as killed:
            frames, status = len(killed.time), killed.status
            is_over = status == "done" or (frames > 0 and killed.time[-1] >= duration)
        if frames > 2 and not is_over:
            break
        longest *= 0.7 if is_over else 1.3
    with (
        gr.resume(out) as resumed,
        gr.simulate(gr.load_model(file), duration=duration, preset=preset, out=tmp_path / "alone.h5") as alone,
    ):
        assert resumed.header["resumed"][0] < duration
        assert_same(resumed, alone)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(("seed", "preset"), [(1, "penalty"), (2, "recursive"), (3, "implicit"), (4, "penalty")])
def test_a_killed_run_goes_on_as_if_nothing_had_been(tmp_path, seed, preset):
    kill_and_resume(tmp_path, make_pendulum(), seed, longest=0.5, duration=8.0, preset=preset)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("seed", range(10))
def test_a_killed_vehicle_goes_on_as_if_nothing_had_been(tmp_path, seed):
    model = gr.vehicles.m113(drives=[(0.0, 0.0), (1.0, 8.0)])
    kill_and_resume(tmp_path, model, seed, longest=1.0, duration=8.0, preset="implicit")


@pytest.mark.parametrize(
    "integrator", ["trapezoidal", "leapfrog", "implicit-euler", "generalised-alpha", "sdirk", "adams"]
)
def test_an_interrupted_run_goes_on(tmp_path, monkeypatch, integrator):
    monkeypatch.setattr(checkpoint, "SHARE", float("inf"))
    monkeypatch.setattr(checkpoint, "EVERY", 0.1)

    def stop(phase: str, time: float, end: float) -> None:
        if phase == "running" and time > 0.45:
            raise KeyboardInterrupt

    options = {"preset": "penalty", "integrator": integrator, "duration": 1.0}
    out = tmp_path / "stopped.h5"
    with gr.simulate(make_pendulum(), out=out, progress=stop, **options) as stopped:
        assert stopped.status == "interrupted"
    with gr.resume(out) as resumed, gr.simulate(make_pendulum(), **options) as alone:
        assert resumed.header["resumed"] == [0.41]
        assert_same(resumed, alone)


def test_a_finished_run_can_become_longer(tmp_path):
    out = tmp_path / "run.h5"
    gr.simulate(make_pendulum(), preset="implicit", duration=0.5, out=out).close()
    with pytest.raises(ModelError, match=r"has come to 0.5 s: give a duration that is longer, not 0.5 s"):
        gr.resume(out)
    with gr.resume(out, duration=0.8) as longer, gr.simulate(make_pendulum(), preset="implicit", duration=0.8) as alone:
        assert_same(longer, alone)
    with gr.resume(out, duration=1.0) as longest:
        assert longest.header["resumed"] == [0.5, 0.8]
        assert longest.header["duration"] == 1.0
        assert len(longest.time) == 101


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"preset": "penalty"}, "with the preset implicit, not penalty"),
        ({"integrator": "adams"}, "with the integrator sdirk, not adams"),
        ({"tolerance": 1e-5}, "with the tolerance 0.008, not 1e-05"),
        ({"step": 1e-4}, "with the step None, not 0.0001"),
        ({"duration": 0.1}, "has come to 0.2 s"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path, options, words):
    out = tmp_path / "run.h5"
    gr.simulate(make_pendulum(), preset="implicit", duration=0.2, out=out).close()
    before = out.read_bytes()
    with pytest.raises((IncompatibleError, ModelError), match=words):
        gr.resume(out, **{"duration": 1.0, **options})
    assert out.read_bytes() == before


def test_another_model_or_version_is_refused(tmp_path, monkeypatch):
    out, model = tmp_path / "run.h5", make_pendulum()
    gr.simulate(model, preset="implicit", duration=0.2, out=out).close()
    with pytest.raises(IncompatibleError, match="belongs to another model: gravity of 'pendulum' differ"):
        gr.resume(out, model=model.with_changes(gravity=(0.0, 0.0, -1.62)), duration=1.0)
    monkeypatch.setattr(sys.modules["grouser.resume"], "__version__", "999")
    with pytest.raises(IncompatibleError, match="and this is 999"):
        gr.resume(out, model=model, duration=1.0)


def test_a_result_without_checkpoint_is_refused(tmp_path):
    out = tmp_path / "run.h5"
    gr.simulate(make_pendulum(), preset="penalty", integrator="cvode-adams", duration=0.2, out=out).close()
    with pytest.raises(ResultError, match="the history of the integrator 'cvode-adams' cannot be stored"):
        gr.resume(out, duration=1.0)
    with pytest.raises(ResultError, match="does not exist"):
        gr.resume(tmp_path / "none.h5")
