"""A twin experiment from its files to its report: found again, killed, stopped, and gone on with."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from twin_case import RIGHT, calc_damping, calc_stiffness, write_case

import grouser as gr
from grouser.calibration.outcome import CalibrationOutcome
from grouser.calibration.trace import TRACES, load_trace, simulate_run

PATIENCE = 300.0
"""Longest wait for a process [s]."""
CLOSE = 0.05
"""Curves are as near to the truth as this where they are determined."""


class Twin(NamedTuple):
    """What was made of the files in a folder."""

    folder: Path
    first: tuple[int, str]
    kept: int
    outcome: CalibrationOutcome

    @property
    def out(self) -> Path:
        return self.folder / "arms.calibration"


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    """The calibration: stopped once by Ctrl-C, and then gone on with to its end."""
    folder = tmp_path_factory.mktemp("twin")
    path = write_case(folder)
    out = folder / "arms.calibration"
    process = start(path, out, 5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    kept = count_traces(out)
    outcome = gr.calibrate(gr.load_calibration(path), out, workers=1)
    return Twin(folder, (process.returncode, said), kept, outcome)


def start(path: Path, out: Path, until: int) -> subprocess.Popen[str]:
    """The command in a process of its own, until so many runs have been made."""
    command = [sys.executable, "-m", "grouser", "calibrate", str(path), "--workers", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + PATIENCE
    while count_traces(out) < until:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
    return process


def count_traces(out: Path) -> int:
    """Runs that are kept."""
    return len(list((out / TRACES).glob("*.npz")))


def test_what_was_stopped_goes_on_with_what_it_had(twin: Twin) -> None:
    code, said = twin.first
    assert code == 130, said
    assert "stopped by the user" in said and "the same command goes on" in said
    assert "the best vehicle so far is" in said
    # what had been made was not made again
    assert twin.kept >= 5
    assert twin.outcome.made == count_traces(twin.out) - twin.kept
    again = gr.calibrate(gr.load_calibration(twin.folder / "arms.yaml"), twin.out)
    assert again.made == 0
    assert again.values == twin.outcome.values


def test_curves_are_found_where_they_were_excited(twin: Twin) -> None:
    assert twin.outcome.status == "done"
    for side, factor in (("left", 1.0), ("right", RIGHT)):
        band = twin.outcome.bands[f"{side} stiffness"]
        known = band.is_determined & (band.x != 0.0)
        truth = factor * calc_stiffness(band.x)
        assert np.abs(band.value[known] / truth[known] - 1.0).max() < CLOSE
        assert known.sum() > 8
        # the runs went through 0.14 rad, and the knots reach to 0.3
        assert band.excited is not None and 0.12 < band.excited[1] < 0.16
        assert not band.is_determined[np.abs(band.x) > 0.16].any()
    band = twin.outcome.bands["damping"]
    known = band.is_determined & (band.x != 0.0)
    mean = 0.5 * (1.0 + RIGHT) * calc_damping(band.x)
    assert np.abs(band.value[known] / mean[known] - 1.0).max() < CLOSE
    assert not band.is_determined[np.abs(band.x) > 1.5].any()


def test_runs_that_were_held_out_are_met(twin: Twin) -> None:
    before = twin.outcome.find_error(held_out=True, is_after=False)
    assert before > 0.1
    assert twin.outcome.find_error(held_out=True) < 0.15 * before
    assert twin.outcome.find_error(held_out=True, key="form") < 0.05


def test_a_trace_is_the_run_made_singly(twin: Twin) -> None:
    calibration = gr.load_calibration(twin.folder / "arms.yaml")
    alone = simulate_run(calibration, "judge", twin.outcome.values)
    stored = [load_trace(path) for path in (twin.out / TRACES).glob("*-whole.npz")]
    assert any(one is not None and np.array_equal(one.values, alone.values) for one in stored)


def test_the_vehicle_file_runs(twin: Twin) -> None:
    text = twin.outcome.vehicle.read_text()
    assert "# damping: determined from" in text
    model = gr.load_model(twin.outcome.vehicle)
    spring = model.forces["left.bar"]
    assert spring.stiffness == twin.outcome.values["forces.left.bar.stiffness"]  # type: ignore[union-attr]
    with gr.simulate(model, preset="recursive", duration=0.05) as result:
        assert result.status == "done"


def test_tables_figures_and_report(twin: Twin) -> None:
    with (twin.out / "curves.csv").open() as file:
        rows = list(csv.DictReader(file))
    band = twin.outcome.bands["left stiffness"]
    mine = [row for row in rows if row["unknown"] == "left stiffness"]
    assert [float(row["fitted"]) for row in mine] == pytest.approx(list(band.value), rel=1e-8)
    assert [row["determined"] == "1" for row in mine] == band.is_determined.tolist()
    with (twin.out / "errors.csv").open() as file:
        assert [(row["run"], row["column"]) for row in csv.DictReader(file)] == [
            (run, column) for run in ("slow", "fast", "judge") for column in "LR"
        ]
    with (twin.out / "histories" / "judge.csv").open() as file:
        heads = next(csv.reader(file))
    assert heads == ["time", *(f"{c} {kind}" for c in "LR" for kind in ("measured", "before", "after"))]
    for name in ("curves", "slow", "fast", "judge"):
        assert "<svg" in (twin.out / "figures" / f"{name}.svg").read_text()
    page = twin.outcome.report.read_text()
    assert "judge (held out)" in page and "slow (fitted)" in page
    assert page.count('class="field"') == 3 + 3 * 2
    facts = json.loads(page.split('id="facts">')[1].split("</script>")[0])
    assert [line["label"] for line in facts["panels"][0]["lines"]][:3] == ["start", "fitted", "not determined"]
    assert "http://" not in page.split('id="facts">')[0]


@pytest.mark.slow
def test_kills_at_any_time_change_nothing(twin: Twin, tmp_path: Path) -> None:
    for name in ("rig.yaml", "arms.yaml", "slow.csv", "fast.csv", "judge.csv"):
        (tmp_path / name).write_bytes((twin.folder / name).read_bytes())
    out = tmp_path / "arms.calibration"
    for until in (1, 8, 20):
        process = start(tmp_path / "arms.yaml", out, until)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    outcome = gr.calibrate(gr.load_calibration(tmp_path / "arms.yaml"), out, workers=1)
    assert outcome.values == twin.outcome.values
    assert outcome.after == twin.outcome.after
    assert count_traces(out) == count_traces(twin.out)
