"""Runs that are not to be trusted on the command line: they say so first, and with --strict by the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_case import PENDULUM, Outcome, Run

from grouser.result.result import load_result
from grouser.result.writer import ResultWriter

COARSE = "run pendulum.yaml --integrator implicit-euler --step 0.02 --output-interval 0.02 --duration 1"
"""The pendulum with a step that gives it energy from nowhere."""
CLEAN = "run pendulum.yaml --duration 0.2"
UNTRUSTED = "!!! NOT TO BE TRUSTED"


def find_place(outcome: Outcome, words: str) -> int:
    assert words in outcome.out, outcome.out
    return outcome.out.index(words)


@pytest.mark.parametrize(("words", "code"), [(CLEAN, 0), (COARSE, 1)])
def test_strict_decides_by_doubts_after_all_is_written(run: Run, place: Path, words: str, code: int) -> None:
    loose = run(*words.split())
    assert loose.code == 0
    (place / "pendulum.h5").unlink()
    strict = run(*words.split(), "--strict", "--report", "pendulum.html")
    assert strict.code == code
    assert (UNTRUSTED in strict.out) == (UNTRUSTED in loose.out) == bool(code)
    assert ("error: the run is not to be trusted; its data is in pendulum.h5" in strict.err) == bool(code)
    assert ("error: Energy balance open" in strict.err) == bool(code)
    with load_result(place / "pendulum.h5") as result:
        assert result.status == "done" and bool(result.summary["doubts"]) == bool(code)
    assert ('<section class="doubts"' in (place / "pendulum.html").read_text()) == bool(code)


def test_doubts_are_printed_before_numbers_without_colour(run: Run) -> None:
    for words in (COARSE, "info pendulum.h5"):
        outcome = run(*words.split())
        assert find_place(outcome, UNTRUSTED) == 0
        assert find_place(outcome, "\n!  Energy balance open: since") < find_place(outcome, "\ndistance")
        assert "\x1b" not in outcome.out
    assert UNTRUSTED not in run(*CLEAN.split()).out + run("info", "pendulum.h5").out


def test_doubts_are_the_first_key_of_json(run: Run) -> None:
    outcome = run(*COARSE.split(), "--json", "--quiet", "--strict")
    assert outcome.code == 1
    document = json.loads(outcome.out)
    assert next(iter(document)) == "doubts" and document["doubts"][0].startswith("Energy balance open")
    shown = json.loads(run("info", "pendulum.h5", "--json").out)
    assert next(iter(shown.items())) == ("doubts", document["doubts"])
    assert json.loads(run(*CLEAN.split(), "--json").out)["doubts"] == []


def test_a_quiet_strict_run_says_why_it_failed(run: Run) -> None:
    outcome = run(*COARSE.split(), "--strict", "--quiet")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("error: the run is not to be trusted")


def test_a_run_that_was_killed_says_so_first(run: Run, place: Path) -> None:
    with load_result(place / "result.h5") as result:
        model = result.model
    ResultWriter(place / "killed.h5", header={"duration": 3.0}, blocks=[], model=model, flush_every=0.0).flush()
    assert find_place(run("info", "killed.h5"), UNTRUSTED) == 0


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take most of the time of a short comparison."""
    monkeypatch.setattr("grouser.cli.compare.FORMATS", ())


def test_compare_marks_runs_that_are_not_to_be_trusted(run: Run, place: Path, no_figures: None) -> None:
    """A rod that whirls at 150 rad/s opens its hinge where that is a spring, and cannot where it is ideal."""
    whirling = "position: [0.5, 0, 0], velocity: [0, 0, -75], angular_velocity: [0, 150, 0]}"
    (place / "pendulum.yaml").write_text(PENDULUM.replace("position: [0.5, 0, 0]}", whirling))
    words = ["compare", "pendulum.yaml", "--presets", "recursive,penalty", "--duration", "0.1", "--out", "here"]
    outcome = run(*words)
    assert outcome.code == 0
    assert find_place(outcome, f"{UNTRUSTED}: penalty !!!") == 0
    assert "penalty (!)" in outcome.out and "recursive (!)" not in outcome.out
    markdown = (place / "here" / "table.md").read_text()
    assert "| | unit | recursive | penalty (!) |" in markdown and "\n- penalty: " in markdown
    strict = run(*words, "--strict", "--json")
    assert strict.code == 1
    assert "error: runs that are not to be trusted: penalty; all runs are in here" in strict.err
    document = json.loads(strict.out)
    assert next(iter(document)) == "doubts"
    assert document["doubts"]["recursive"] == [] and document["doubts"]["penalty"]
    assert run("compare", "pendulum.yaml", "--presets", "recursive", "--duration", "0.1", "--strict").code == 0
