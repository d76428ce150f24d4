"""``grouser report``, and the report of ``grouser run``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_case import Run


def test_report_is_called_after_the_result_and_tells_its_size(run: Run, place: Path) -> None:
    outcome = run("report", "result.h5")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"wrote result.html ({(place / 'result.html').stat().st_size / 1e6:.1f} MB)\n"
    assert "<title>pendulum, penalty - grouser</title>" in (place / "result.html").read_text()


def test_several_results_are_called_after_their_files_or_as_wished(run: Run, place: Path) -> None:
    shutil.copy("result.h5", "folder/result.h5")
    shutil.copy("result.h5", "other-run.h5")
    assert run("report", "result.h5", "folder/result.h5", "other-run.h5", "-o", "a.html").code == 0
    text = (place / "a.html").read_text()
    for label in (f"{place.name}/result", "folder/result", "other-run"):
        assert f'"label":"{label}"' in text
    assert run("report", "result.h5", "other-run.h5", "--labels", "soft, stiff", "-o", "a.html").code == 0
    assert "<h1>pendulum: soft, stiff</h1>" in (place / "a.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.h5"], "result file nothing.h5 does not exist"),
        (["empty.h5"], "empty.h5 is not a result file"),
        (["text.h5"], "text.h5 is not a result file"),
        (["other.h5"], "not a grouser result"),
        (["truncated.h5"], "truncated.h5 cannot be read"),
        (["result.h5", "result.h5"], "result.h5 is named more than once"),
        (["result.h5", "empty.h5"], "empty.h5 is not a result file"),
        (["result.h5", "-o", "a.pdf"], "'.pdf' is not one of .html, .htm; call it a.html"),
        (["result.h5", "-o", "nowhere/a.html"], "the folder nowhere does not exist"),
        (["result.h5", "--labels", "a,b"], "--labels a,b: give 1 different names"),
        ([], "Missing argument"),
    ],
)
def test_bad_input_is_refused_in_one_line(run: Run, place: Path, words: list[str], message: str) -> None:
    outcome = run("report", *words)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert not list(place.glob("*.html"))


def test_run_writes_a_report_too(run: Run, place: Path) -> None:
    outcome = run("run", "pendulum.yaml", "--duration", "0.1", "--report", "now.html", "--json")
    assert json.loads(outcome.out)["report"] == "now.html"
    assert '"label":"pendulum"' in (place / "now.html").read_text()
    outcome = run("run", "pendulum.yaml", "--duration", "0.1", "--report", "now.html")
    assert "now.html (1.8 MB)" in outcome.out


def test_run_refuses_a_bad_place_before_it_begins(run: Run, place: Path) -> None:
    (place / "mine.html").write_text("mine")
    outcome = run("run", "pendulum.yaml", "--out", "new.h5", "--report", "mine.html")
    assert outcome.code == 2
    assert "is not a report of grouser" in outcome.err
    assert not (place / "new.h5").exists()


def test_diverged_run_has_a_report_that_says_so(run: Run, place: Path) -> None:
    outcome = run("run", "pendulum.yaml", "--step", "0.01", "--report", "bad.html")
    assert outcome.code == 1
    text = (place / "bad.html").read_text()
    assert "The run has failed (" in text and "diverged" in text


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_run_has_a_report_that_says_that_it_is_partial(run: Run, place: Path) -> None:
    words = ["run", "pendulum.yaml", "--duration", "50000", "--out", "long.h5", "--quiet"]
    process = subprocess.Popen([sys.executable, "-m", "grouser", *words])
    deadline = time.monotonic() + 60.0
    while not (place / "long.h5").exists() or os.stat(place / "long.h5").st_size < 300_000:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run("report", "long.h5").code == 0
    assert "This result is partial: the run was killed" in (place / "long.html").read_text()


def test_comparison_has_a_report(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grouser.cli.compare.FORMATS", ())
    words = ["--presets", "penalty,bushing", "--duration", "0.05", "--out", "here", "--json"]
    document = json.loads(run("compare", "pendulum.yaml", *words).out)
    assert "here/report.html" in document["files"]
    assert "<h1>pendulum: penalty, bushing</h1>" in (place / "here" / "report.html").read_text()
