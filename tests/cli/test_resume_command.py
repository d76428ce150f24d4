"""``grouser run --resume``: a run goes on, and what does not fit is refused by name with exit code 2."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from command_case import Run

from grouser.result.claim import Claim
from grouser.result.result import load_result
from grouser.result.slots import NAMES

GROUSER = [sys.executable, "-m", "grouser"]
PATIENCE = 60.0
"""Longest wait for a process, compiling included [s]."""
BEGIN = ["run", "pendulum.yaml", "--duration", "50000", "--out", "long.h5"]


def end_by(number: signal.Signals, words: list[str], wait: float) -> tuple[str, str]:
    """Begin a run in a process of its own, and end it by a signal some time [s] after; gives stdout and stderr."""
    with subprocess.Popen([*GROUSER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        while "running" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        time.sleep(wait)
        process.send_signal(number)
        out, rest = process.communicate(timeout=PATIENCE)
        return out, said + rest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_ended_goes_on(run: Run, number: signal.Signals) -> None:
    _, said = end_by(number, BEGIN, 0.7)
    assert ("go on with  grouser run --resume long.h5" in said) == (number == signal.SIGINT)
    assert "'grouser run --resume' goes on with it" in " ".join(run("info", "long.h5").out.split())
    with load_result("long.h5") as earlier:
        until = earlier.time[-1]
    out, said = end_by(signal.SIGINT, ["run", "--resume", "long.h5", "--json"], 1.5)
    assert json.loads(out)["vehicle"] == "pendulum", said
    with load_result("long.h5") as longer:
        assert longer.time[-1] > until
        assert longer.header["command"] == "grouser run pendulum.yaml --duration 50000 --out long.h5"


def test_a_finished_run_becomes_longer(run: Run) -> None:
    assert run("run", "pendulum.yaml", "--duration", "0.3", "--out", "alone.h5", "-q").code == 0
    words = ("run", "pendulum.yaml", "--resume", "result.h5", "--duration", "0.3", "--preset", "penalty", "--json")
    told = json.loads(run(*words, "--report", "longer.html").out)
    assert (told["status"], told["simulated_time"], told["report"]) == ("done", 0.3, "longer.html")
    with load_result("result.h5") as longer, load_result("alone.h5") as alone:
        assert longer.header["resumed"] == [0.2]
        for name in alone.channels:
            np.testing.assert_array_equal(longer[name], alone[name], err_msg=name)


REFUSED = {
    "already there": ("", ["has come to 0.2 s", "give a duration that is longer"]),
    "shorter": ("--duration 0.1", ["has come to 0.2 s", "not 0.1 s"]),
    "no duration": ("--duration nan", ["--duration is nan s"]),
    "another preset": ("--duration 1 --preset implicit", ["with the preset penalty, not implicit"]),
    "another integrator": ("--duration 1 --integrator rk4", ["with the integrator trapezoidal, not rk4"]),
    "a tolerance": ("--duration 1 --tolerance 1e-3", ["with the tolerance None, not 0.001"]),
    "another radius": ("--duration 1 --spectral-radius 0.1", ["with the spectral radius 0.8, not 0.1"]),
    "a step": ("--duration 1 --step 1e-4", ["with the step None, not 0.0001"]),
    "another interval": ("--duration 1 --output-interval 0.02", ["with the output interval 0.01, not 0.02"]),
    "pins": ("--duration 1 --pin-stiffness 1e7", ["realization of the joints 'track-pins'", "k=10000000.0"]),
    "another place": ("--duration 1 --out other.h5", ["--out and --resume exclude each other"]),
    "settling": ("--duration 1 --settle", ["--settle/--no-settle and --resume exclude each other"]),
    "another start": ("--duration 1 --initial state.npz", ["--initial and --resume exclude each other"]),
    "start to save": ("--duration 1 --save-initial s.npz", ["--save-initial and --resume exclude each other"]),
    "value of no vehicle": ("--duration 1 --set bodies.rod.mass=1", ["--set says how a vehicle is made"]),
    "scenario of no vehicle": ("--duration 1 --scenario turn", ["--scenario says how a vehicle is made"]),
    "another model": ("--duration 1 pendulum.yaml --set bodies.rod.mass=1", ["another model", "bodies", "'pendulum'"]),
    "unknown vehicle": ("--duration 1 m133", ["unknown vehicle 'm133'", "did you mean 'm113'"]),
    "report into it": ("--duration 1 --report result.h5", ["is a file that this command reads"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_run_does_not_have_is_refused(run: Run, place: Path, case: str) -> None:
    words, said = REFUSED[case]
    before = (place / "result.h5").read_bytes()
    outcome = run("run", "--resume", "result.h5", *words.split())
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    for word in said:
        assert word in outcome.err
    assert (place / "result.h5").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere.h5", "does not exist"),
        ("folder", "is a folder"),
        ("text.h5", "text.h5"),
        ("empty.h5", "empty.h5"),
        ("other.h5", "not a grouser result"),
        ("truncated.h5", "truncated.h5"),
        ("pendulum.yaml", "pendulum.yaml"),
    ],
)
def test_what_is_no_result_is_refused(run: Run, name: str, words: str) -> None:
    outcome = run("run", "--resume", name)
    assert (outcome.code, "Traceback" in outcome.err) == (2, False)
    assert words in outcome.err


def damage_all(file: h5py.File) -> None:
    for name in NAMES:
        stored = file[f"run/{name}"]
        if len(stored):
            stored[-1] = stored[-1] ^ 1


def damage_newest(file: h5py.File) -> None:
    """The checkpoint of the end; that of the first frame stays."""
    newest = file[f"run/{NAMES[1]}"]
    newest[-1] = newest[-1] ^ 1


def remove(file: h5py.File) -> None:
    for name in NAMES:
        del file[f"run/{name}"]


@pytest.mark.parametrize(
    ("change", "words"),
    [(damage_all, "the checkpoints of result file result.h5 are damaged"), (remove, "no checkpoint")],
)
def test_a_result_without_whole_checkpoint_is_refused(run: Run, place: Path, change, words: str) -> None:
    with h5py.File(place / "result.h5", "r+") as file:
        change(file)
    outcome = run("run", "--resume", "result.h5", "--duration", "1")
    assert (outcome.code, words in outcome.err) == (2, True)


def test_a_damaged_checkpoint_leaves_the_one_before(run: Run, place: Path) -> None:
    with h5py.File(place / "result.h5", "r+") as file:
        damage_newest(file)
    assert run("run", "--resume", "result.h5", "-q").code == 0
    with load_result("result.h5") as result:
        assert result.header["resumed"] == [0.01]
        assert result.time[-1] == 0.2


def test_a_result_of_another_version_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import grouser.resume  # noqa: F401

    monkeypatch.setattr(sys.modules["grouser.resume"], "__version__", "999")
    outcome = run("run", "--resume", "result.h5", "--duration", "1")
    assert (outcome.code, "and this is 999" in outcome.err) == (2, True)


def test_a_result_that_another_run_writes_is_refused(run: Run) -> None:
    with Claim(Path("result.h5")):
        outcome = run("run", "--resume", "result.h5", "--duration", "1")
    assert outcome.code == 2
    assert f"result.h5 is being written by process {os.getpid()}" in outcome.err


def test_a_run_that_diverged_says_that_going_on_is_no_use(run: Run) -> None:
    words = ("--integrator", "euler", "--step", "0.01", "--duration", "1", "--out", "bad.h5", "--quiet")
    outcome = run("run", "pendulum.yaml", *words)
    assert outcome.code == 1
    assert "going on from there by --resume would end the same way" in outcome.err
    outcome = run("run", "--resume", "bad.h5")
    assert (outcome.code, "it would fail again" in outcome.err) == (2, True)


def test_help_explains(run: Run) -> None:
    text = " ".join(run("run", "--help").out.split())
    assert "--resume" in text
    assert "goes on from its last checkpoint" in text
