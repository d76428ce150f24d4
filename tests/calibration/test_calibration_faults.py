"""Calibration files that are wrong, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from twin_case import SIDES, make_rig

import grouser as gr
from grouser.calibration.drive import prepare_calibration
from grouser.calibration.folder import CalibrationFolder
from grouser.calibration.trace import make_run_setup
from grouser.catalog.vehicles import load_vehicle
from grouser.cli.app import main
from grouser.errors import ModelError

GOOD: dict[str, Any] = {
    "name": "arms",
    "base": {"vehicle": "rig.yaml", "preset": "recursive", "duration": 1.0},
    "reading": {"time": "time", "angles": {"L": "left.bar.coordinate"}},
    "runs": {"one": {"file": "one.csv"}},
    "unknowns": {"bar": {"path": "forces.left.bar.stiffness", "knots": [-0.1, 0.1], "over": ["left.bar.coordinate"]}},
}


def change(path: str, value: Any) -> dict[str, Any]:
    """The good content with one value changed, or removed by None."""
    content: dict[str, Any] = {key: dict(one) if isinstance(one, dict) else one for key, one in GOOD.items()}
    content["unknowns"] = {"bar": dict(GOOD["unknowns"]["bar"])}
    content["runs"] = {"one": dict(GOOD["runs"]["one"])}
    here = content
    *above, last = path.split("/")
    for key in above:
        here = here[key]
    if value is None:
        del here[last]
    else:
        here[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("reading/time", None, "reading.time: is missing, and so is rate"),
        ("reading/angles", {}, "reading.angles: is empty"),
        ("reading/angles", {"L": "abs([a"}, "a bracket"),
        ("reading/unit", "grad", "unit"),
        ("reading/weights", {"M": 1.0}, "is no column of angles"),
        ("reading/weights", {"L": 0.0}, "leave all columns out"),
        ("reading/inputs", {"L": {"path": "a.b"}}, "is an input or the time too"),
        ("runs/one/held_out", True, "has no run to fit"),
        ("runs/one/end", 0.5, None),
        ("runs/one/start", 2.0, r"start: is 2 \[s\], and the run ends at 1 s"),
        ("unknowns/bar/knots", [0.1], "has 1 knots; a curve needs at least 2"),
        ("unknowns/bar/knots", [0.1, 0.0], "do not increase"),
        ("unknowns/bar/odd", True, "of an odd curve are positive"),
        ("unknowns/bar/over", None, "over: is missing"),
        ("unknowns/bar/low", -1.0, "low: is -1; it bounds the magnitude of slopes"),
        ("unknowns/bar/type", "number", "low: is missing: a number has bounds"),
        ("unknowns/bar/path", " ", "path: is empty"),
        ("unknowns/bar/place", "scenario", "start: is missing: of a value of the scenario"),
        ("unknowns", {}, "unknowns: is empty"),
        ("unknowns/other", {**GOOD["unknowns"]["bar"]}, "replaces forces.left.bar.stiffness, as unknown 'bar' does"),
        ("fit", {"iterations": 0}, "iterations"),
        ("base/vehicle", None, "vehicle"),
        ("nonsense", 1, "nonsense"),
    ],
)
def test_faults_of_files(path: str, value: Any, said: str | None) -> None:
    content = change(path, value)
    if said is None:
        gr.Calibration.model_validate(content)
        return
    with pytest.raises(ModelError, match=said):
        gr.Calibration.model_validate(content)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rig = make_rig(dict.fromkeys(SIDES, "0"), dict.fromkeys(SIDES, 9000.0), dict.fromkeys(SIDES, 900.0), 5.0)
    gr.save_model(rig, tmp_path / "rig.yaml")
    time = np.arange(0.0, 1.0, 0.01)
    rows = [f"{t:.3f},{5.0 * np.sin(6.0 * t):.5f}" for t in time]
    (tmp_path / "one.csv").write_text("\n".join(["time,L", *rows]) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("unknowns/bar/path", "forces.left.ber.stiffness", r"unknown 'bar'.*has no 'left'.*left.bar"),
        ("unknowns/bar/path", "forces.left.bar.stops", "the vehicle has no value at forces.left.bar.stops"),
        ("unknowns/bar/path", "forces.left.bar.joint", "is neither a number nor a table"),
        ("base/set", ["forces.left.bar.stiffness=true"], "is neither a number nor a table"),
        (
            "unknowns/bar",
            {"type": "number", "place": "scenario", "path": "rig.a", "start": 1.0, "low": 0.5, "high": 2.0},
            "inputs or unknowns are to stand in a scenario, and there is none",
        ),
        ("runs/one/file", "two.csv", "two.csv: there is no such file"),
        ("runs/one/scenario", "nowhere", "nowhere"),
        ("runs/one/set", ["a.b.c=1"], "has no 'a'"),
        ("reading/inputs", {"P": {"path": "motions.left.lift.value"}}, "unknown column 'P'"),
    ],
)
def test_faults_of_what_a_file_names(folder: Path, path: str, value: Any, said: str) -> None:
    content = gr.Calibration.model_validate(change(path, value))
    with pytest.raises(ModelError, match=said):
        prepare_calibration(content)


def test_what_a_rig_does_not_tell_of_itself_is_an_unknown_of_its_scenario(folder: Path) -> None:
    path = "rig.pans.stops.clearance"
    stops = {"type": "number", "place": "scenario", "path": path, "start": 0.03, "low": 0.01, "high": 0.05}
    bar = {"path": "arms.torsion_bar.stiffness", "knots": [-0.1, 0.1], "over": ["left.torsion1.coordinate"]}
    content = change("unknowns", {"bar": bar, "stops": stops})
    content["base"] = {"vehicle": "npost-12", "scenario": "rig.yaml", "duration": 1.0}
    content["reading"]["angles"] = {"L": "left.torsion1.coordinate"}
    (folder / "rig.yaml").write_text(
        "grouser: 1\nkind: scenario\nname: rig\nduration: 1\n"
        "rig: {excitation: shake 10 mm 2 Hz, pans: {stops: {clearance: 0.03}}}\n"
    )
    calibration = gr.Calibration.model_validate(content)
    unknowns, _, _ = prepare_calibration(calibration)
    near, far = (unknowns.find_values(np.array([*np.zeros(unknowns.count - 1), u])) for u in (0.0, 0.5))
    assert (near[path], far[path]) == pytest.approx((0.03, 0.04))
    shapes = [make_run_setup(calibration, "one", values).model.shapes for values in (near, far)]
    assert shapes[0] != shapes[1]
    out = CalibrationFolder(folder / "out")
    out.open(calibration).close()  # type: ignore[union-attr]
    out.save_vehicle(calibration, far, [])
    bars = load_vehicle(out.vehicle).arms.torsion_bar  # type: ignore[union-attr]
    assert bars.stiffness == [tuple(point) for point in far["arms.torsion_bar.stiffness"]]


def test_check_and_the_command_tell_faults(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from grouser.model.emit import dump_part

    (folder / "good.yaml").write_text(dump_part(gr.Calibration.model_validate(GOOD)))
    assert main(["check", "good.yaml"]) == 0
    assert "kind calibration, name arms, runs 1, unknowns 2" in capsys.readouterr().out
    assert main(["check", "good.yaml", "--set", "a=1"]) == 2
    (folder / "bad.yaml").write_text(dump_part(gr.Calibration.model_validate(change("reading/time", "tine"))))
    for words in (["check", "bad.yaml"], ["calibrate", "bad.yaml", "--quiet"]):
        assert main(words) == 2
        assert "unknown column 'tine': did you mean 'time'?" in capsys.readouterr().err
    assert main(["calibrate", "rig.yaml"]) == 2
    assert main(["calibrate", "good.yaml", "--workers", "0"]) == 2
    assert main(["calibrate", "good.yaml", "--workers", "1", "--scheduler", "tcp://a:1"]) == 2
    assert main(["calibrate", "good.yaml", "--out", "one.csv"]) == 2
    assert "--out" in capsys.readouterr().err
    (folder / "full").mkdir()
    (folder / "full" / "note.txt").write_text("mine")
    assert main(["calibrate", "good.yaml", "--out", "full", "--quiet"]) == 2
    assert "not empty and holds no calibration" in capsys.readouterr().err
