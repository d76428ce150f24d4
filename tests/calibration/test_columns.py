"""CSV files of measured runs: what is refused, and what is put right and told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grouser as gr
from grouser.calibration.recording import Recording, load_inputs, load_recording
from grouser.errors import ModelError

DURATION, RATE = 4.0, 205.0


def make(folder: Path, text: str, **reading: Any) -> gr.Calibration:
    """A calibration of one file."""
    (folder / "run.csv").write_text(text)
    told = {"angles": {"L1": "a.b", "L2": "c.d"}, "time": "time"} | reading
    return gr.Calibration.model_validate(
        {
            "name": "files",
            "base": {"vehicle": "m113"},
            "reading": {key: value for key, value in told.items() if value is not None},
            "runs": {"run": {"file": str(folder / "run.csv")}},
            "unknowns": {"friction": {"type": "number", "path": "a.b", "low": 0.0, "high": 1.0}},
        }
    )


def calc_columns(rate: float = RATE, end: float = DURATION) -> dict[str, np.ndarray]:
    """A motion that begins and ends at rest [deg]."""
    time = np.arange(0.0, end + 0.5 / rate, 1.0 / rate)
    grows = np.clip((time - 0.6) / 0.4, 0.0, 1.0) * np.clip((end - 0.6 - time) / 0.4, 0.0, 1.0)
    motion = 5.0 * grows * np.sin(2.0 * np.pi * 1.3 * time)
    return {"time": time, "L1": motion + 30.0, "L2": -motion}


def say(columns: dict[str, np.ndarray], mark: str = ",") -> str:
    """Columns as text."""
    rows = zip(*columns.values(), strict=True)
    lines = [mark.join("" if np.isnan(value) else f"{value:.9g}" for value in row) for row in rows]
    return "\n".join([mark.join(columns), *lines]) + "\n"


def load(folder: Path, columns: dict[str, np.ndarray], **reading: Any) -> Recording:
    return load_recording(make(folder, say(columns), **reading), "run", DURATION)


def refuse(folder: Path, text: str, match: str, **reading: Any) -> None:
    with pytest.raises(ModelError, match=match):
        load_recording(make(folder, text, **reading), "run", DURATION)


def test_a_clean_file_is_read_as_it_is(tmp_path: Path) -> None:
    columns = calc_columns()
    found = load(tmp_path, columns)
    assert found.notes == ()
    assert found.rate == pytest.approx(RATE)
    assert np.allclose(found.values[:, 0], np.deg2rad(columns["L1"]), atol=1e-9)
    # means over stretches of 0.05 s are those of the samples in them
    inside = (columns["time"] >= 1.0) & (columns["time"] < 1.05)
    assert found.means[20, 1] == pytest.approx(np.deg2rad(columns["L2"][inside].mean()), abs=1e-8)
    assert found.centre[20] == pytest.approx(1.025)
    other = load_recording(make(tmp_path, say(columns, ";"), time="time"), "run", DURATION)
    assert np.array_equal(other.means, found.means)


def test_wrong_names_of_columns(tmp_path: Path) -> None:
    text = say({"t": np.arange(9.0), "L1": np.arange(9.0), "LL2": np.arange(9.0)})
    refuse(tmp_path, text, r"unknown column 'L2': did you mean 'LL2'")
    refuse(tmp_path, text, r"unknown column 'time'")
    refuse(tmp_path, text.replace("LL2", "L1"), "'L1' is given twice", time="t")


def test_cells_that_are_no_numbers(tmp_path: Path) -> None:
    text = say(calc_columns())
    lines = text.splitlines()
    refuse(
        tmp_path, "\n".join([lines[0], "s,deg,deg", *lines[1:]]), r"run.csv:2: time is 's'.*line of units begins with #"
    )
    refuse(tmp_path, "\n".join([*lines[:3], "0.01;1;2", *lines[3:]]), r"run.csv:4: has 1 values for 3 columns")
    refuse(tmp_path, say(calc_columns(), ";").replace(".", ","), "write a point for the decimals")
    refuse(tmp_path, "time,L1,L2\n", "holds no run")
    commented = load_recording(make(tmp_path, "\n".join(["# s,deg,deg", *lines])), "run", DURATION)
    assert commented.notes == ()


def test_other_rates(tmp_path: Path) -> None:
    slow = calc_columns(rate=100.0)
    refuse(tmp_path, say(slow), r"100 samples a second, its rate is said to be 205", rate=205.0)
    assert load(tmp_path, slow, rate=100.0).rate == pytest.approx(100.0)
    # the same motion, sampled otherwise, has the same means
    fast = load(tmp_path, calc_columns(rate=800.0))
    near = np.interp(fast.centre, load(tmp_path, slow).centre, load(tmp_path, slow).means[:, 0])
    assert np.allclose(near, fast.means[:, 0], atol=np.deg2rad(0.25))
    del slow["time"]
    assert load(tmp_path, slow, time=None, rate=100.0).rate == pytest.approx(100.0)
    # fewer samples than stretches: these get longer
    rare = load(tmp_path, calc_columns(rate=8.0))
    assert np.diff(rare.centre).min() == pytest.approx(0.125)


def test_times_that_go_wrong(tmp_path: Path) -> None:
    columns = calc_columns()
    columns["time"][400:] -= 1.0
    refuse(tmp_path, say(columns), r"time goes back from 1.946\d* to 0.95\d* s at sample 401: divide the file")
    columns = calc_columns()
    columns["time"][10], columns["time"][20] = columns["time"][9], np.nan
    found = load(tmp_path, columns)
    assert found.notes[:2] == ("1 line without a time left out", "1 line with the time of the line before left out")


def test_gaps_and_missing_values_are_not_compared(tmp_path: Path) -> None:
    columns = calc_columns()
    hole = (columns["time"] > 1.5) & (columns["time"] < 1.9)
    found = load(tmp_path, {name: values[~hole] for name, values in columns.items()})
    assert "1 gap between samples, the longest of 0.4" in found.notes[0]
    assert not ((found.centre > 1.55) & (found.centre < 1.85)).any()
    columns["L1"][300:330] = np.nan
    found, clean = load(tmp_path, columns), load(tmp_path, calc_columns())
    assert "L1 lacks 30 of 821 values" in found.notes[0]
    known = np.isfinite(found.means[:, 0])
    assert 0 < (~known).sum() <= 3
    assert np.array_equal(found.means[:, 1], clean.means[:, 1])
    # what is simulated goes through the same holes
    same = found.average(clean.values)
    assert np.allclose(same[known], found.means[known], atol=1e-12)
    columns["L1"][:600] = np.nan
    refuse(tmp_path, say(columns), r"L1 has values in 27 % of the lines")


def test_drift_is_removed_and_told(tmp_path: Path) -> None:
    columns, clean = calc_columns(), load(tmp_path, calc_columns())
    columns["L2"] = columns["L2"] + 1.5 * columns["time"] / DURATION
    found = load(tmp_path, columns)
    assert found.notes == ("L2 drifts by 1.31 deg from rest to rest: removed linearly",)
    # the ends are means over the half second of rest, so a little of the drift is left
    assert np.abs(found.means - clean.means).max() < np.deg2rad(0.25)
    refuse(tmp_path, say(columns), "L2 drifts by", drift="refuse")
    assert load(tmp_path, columns, drift="keep").notes == ()
    moving = calc_columns()
    moving["L2"] = 5.0 * np.sin(7.0 * moving["time"]) + moving["time"]
    assert load(tmp_path, moving).notes == ()  # what moves at its ends may end elsewhere


def test_units(tmp_path: Path) -> None:
    columns = calc_columns()
    refuse(tmp_path, say(columns), r"L1 reaches 35 rad, more than a turn.*unit: deg", unit="rad")
    turned = {"time": columns["time"], "L1": np.deg2rad(columns["L1"]), "L2": np.deg2rad(columns["L2"])}
    assert np.allclose(load(tmp_path, turned, unit="rad").means, load(tmp_path, columns).means, atol=1e-8)


def test_a_dead_sensor(tmp_path: Path) -> None:
    columns = calc_columns()
    columns["L2"][:] = 3.0
    refuse(tmp_path, say(columns), "L2 never changes: the sensor may be dead")


def test_from_the_start_and_shifted(tmp_path: Path) -> None:
    columns = calc_columns()
    found = load(tmp_path, columns, reference="start")
    assert abs(found.means[0]).max() < 1e-9
    later = {**columns, "time": columns["time"] + 7.0}
    shifted = load(tmp_path, later, shift=7.0)
    assert np.allclose(shifted.means, load(tmp_path, columns).means, atol=1e-9)
    refuse(tmp_path, say(later), "has 0 stretches of 0.05 s from 0 to 4 s of simulated time.*see start, end and shift")
    short = {name: values[:500] for name, values in columns.items()}
    assert load(tmp_path, short).notes == ("the file ends at 2.43 s of 4.00 s: the rest is not compared",)


def test_inputs(tmp_path: Path) -> None:
    columns = calc_columns()
    columns["post"] = 70.0 * np.sin(columns["time"])
    inputs = {"post": {"path": "motions.post.value", "unit": "mm"}}
    columns["post"][50] = np.nan
    calibration = make(tmp_path, say(columns), inputs=inputs)
    table = np.array(load_inputs(calibration, "run")["post"])
    assert len(table) == len(columns["time"]) - 1
    assert np.allclose(table[:, 1], 0.07 * np.sin(table[:, 0]), atol=1e-6)
    assert "the input post lacks 1 values: bridged" in load_recording(calibration, "run", DURATION).notes[0]
    columns["post"][50:90] = np.nan
    refuse(tmp_path, say(columns), r"the input post has a gap of 0.2 s; at most 0.1 s are bridged", inputs=inputs)
    columns = calc_columns()
    noise = np.random.default_rng(1).normal(0.0, 0.3, len(columns["time"]))
    columns["post"] = 70.0 * np.sin(columns["time"]) + noise
    smooth = {"post": {**inputs["post"], "smooth": 0.1}}
    table = np.array(load_inputs(make(tmp_path, say(columns), inputs=smooth), "run")["post"])
    assert np.std(table[:, 1] - 0.07 * np.sin(table[:, 0])) < 0.4 * np.std(1e-3 * noise)
