"""Broken command lines and files: one clear error each, exit code 2, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_case import PENDULUM, Run

COMMAND_LINES = {
    # what to work on
    "no such file": ("run nowhere.yaml", ["nowhere.yaml", "no such file"]),
    "folder as model": ("run folder", ["folder is a folder"]),
    "vehicle nearly right": ("run m133", ["unknown vehicle 'm133'", "did you mean 'm113'"]),
    "vehicle unknown": ("run tractor", ["unknown vehicle 'tractor'", "m113-paper"]),
    "result as model": ("run result.h5", ["result.h5", "is the name of a result"]),
    "empty model": ("run empty.yaml", ["empty.yaml", "is empty"]),
    "model not UTF-8": ("run latin.yaml", ["latin.yaml", "not UTF-8"]),
    "nothing to run": ("run", ["Missing argument", "VEHICLE|FILE"]),
    "two models": ("run pendulum.yaml m113", ["unexpected extra argument", "m113"]),
    "model as study": ("study pendulum.yaml", ["pendulum.yaml:2: kind: unknown kind 'model'", "study"]),
    "no such study": ("study nowhere.yaml", ["nowhere.yaml", "no such file"]),
    "model as calibration": ("calibrate pendulum.yaml", ["pendulum.yaml:2: kind: unknown kind 'model'", "calibration"]),
    "calibration without workers": ("calibrate pendulum.yaml --workers 0", ["--workers is 0", "at least 1"]),
    "study without workers": ("study pendulum.yaml --workers 0", ["--workers is 0", "at least 1"]),
    "workers elsewhere": (
        "study pendulum.yaml --workers 2 --scheduler tcp://127.0.0.1:1",
        ["--workers is for a cluster on this machine", "--scheduler"],
    ),
    # commands and options
    "unknown command": ("rnu m113", ["No such command 'rnu'", "'run'"]),
    "unknown option": ("run pendulum.yaml --durration 1", ["No such option", "--durration"]),
    "option without value": ("run pendulum.yaml --duration", ["--duration", "requires an argument"]),
    "unknown preset": ("run pendulum.yaml --preset penalti", ["unknown preset 'penalti'", "did you mean 'penalty'"]),
    "unknown integrator": (
        "run pendulum.yaml --integrator adam",
        ["unknown integrator 'adam'", "did you mean 'adams'"],
    ),
    "step of a variable one": (
        "run pendulum.yaml --integrator adams --step 1e-3",
        ["step = 0.001 s", "'adams' chooses its steps", "tolerance", "trapezoidal"],
    ),
    "tolerance of a fixed one": (
        "run pendulum.yaml --tolerance 1e-6",
        ["tolerance = 1e-06", "'trapezoidal'", "give it a step", "adams"],
    ),
    "tolerance of nothing": (
        "run pendulum.yaml --integrator adams --tolerance 0",
        ["tolerance = 0 must be a share between 1e-13 and 0.1"],
    ),
    "radius of another integrator": (
        "run pendulum.yaml --spectral-radius 0.5",
        ["spectral_radius = 0.5", "'trapezoidal' has none", "take the integrator 'generalised-alpha'"],
    ),
    "radius beyond one": (
        "run pendulum.yaml --integrator generalised-alpha --spectral-radius 1.5",
        ["spectral_radius = 1.5 must lie between 0 and 1, as in 0.8"],
    ),
    "radius below nought": (
        "run pendulum.yaml --integrator generalised-alpha --spectral-radius -0.1",
        ["spectral_radius = -0.1 must lie between 0 and 1"],
    ),
    "radius no number": (
        "run pendulum.yaml --integrator generalised-alpha --spectral-radius nan",
        ["spectral_radius = nan must lie between 0 and 1"],
    ),
    "radius as text": ("run pendulum.yaml --spectral-radius much", ["--spectral-radius", "valid"]),
    "tolerance as text": ("run pendulum.yaml --tolerance fine", ["--tolerance", "valid"]),
    "unknown scenario": ("run m113 --scenario strait", ["unknown scenario 'strait'", "did you mean 'straight'"]),
    "no such scenario file": ("run m113 --scenario my.yaml", ["my.yaml", "no such file"]),
    "scenario without its tracks": ("run pendulum.yaml --scenario turn", ["'turn'", "unknown track or motion 'left'"]),
    "suspension of a model": ("run pendulum.yaml --no-suspension", ["--no-suspension", "whole model"]),
    "pins of a pendulum": ("run pendulum.yaml --pin-stiffness 1e7", ["--pin-stiffness", "no joints", "track-pins"]),
    "negative pin stiffness": ("run m113 --pin-stiffness -1", ["--pin-stiffness is -1 N/m", "positive"]),
    "pin damping no number": ("run m113 --pin-damping nan", ["--pin-damping is nan N s/m", "positive"]),
    # times
    "negative duration": ("run pendulum.yaml --duration -1", ["--duration is -1 s"]),
    "no duration": ("run pendulum.yaml --duration 0", ["--duration is 0 s"]),
    "duration not a number": ("run pendulum.yaml --duration nan", ["--duration is nan s"]),
    "duration not finite": ("run pendulum.yaml --duration inf", ["--duration is inf s"]),
    "duration as text": ("run pendulum.yaml --duration long", ["--duration", "valid"]),
    "negative step": ("run pendulum.yaml --step -1e-4", ["--step is -0.0001 s"]),
    "step too small": ("run pendulum.yaml --step 1e-30", ["--step is 1e-30 s", "at least 1e-09 s"]),
    "step over the interval": ("run pendulum.yaml --step 0.02", ["--step is 0.02 s", "output interval of 0.01 s"]),
    "interval over the duration": (
        "run pendulum.yaml --duration 1 --output-interval 2",
        ["--output-interval is 2 s", "duration of 1 s"],
    ),
    "too many frames": ("run pendulum.yaml --duration 1e30", ["frames", "--output-interval"]),
    "settling step": ("settle pendulum.yaml --out s.npz --step 0", ["--step is 0 s"]),
    # files to write and to start from
    "result into no folder": ("run pendulum.yaml --out missing/run.h5", ["folder missing does not exist"]),
    "result into a folder": ("run pendulum.yaml --out folder", ["folder is a folder"]),
    "result over a note": ("run pendulum.yaml --out note.txt", ["note.txt", "'.txt'", "call it note.h5"]),
    "result without suffix": ("run pendulum.yaml --out mine", ["mine", "suffix ''", "call it mine.h5"]),
    "result over text": ("run pendulum.yaml --out text.h5", ["text.h5", "not overwritten"]),
    "result onto a device": ("run pendulum.yaml --out /dev/null", ["/dev/null", "special file"]),
    "result onto a full device": ("run pendulum.yaml --out /dev/full", ["/dev/full", "special file"]),
    "state onto a device": ("settle pendulum.yaml --out /dev/null", ["/dev/null", "special file"]),
    "result over other data": ("run pendulum.yaml --out other.h5", ["other.h5", "not overwritten"]),
    "result over the model": ("run pendulum.yaml --out pendulum.yaml", ["--out pendulum.yaml", "this command reads"]),
    "state into no folder": ("run pendulum.yaml --save-initial missing/s.npz", ["missing", "does not exist"]),
    "state over the result": ("run pendulum.yaml --out a.h5 --save-initial a.h5", ["same file"]),
    "no such state": ("run pendulum.yaml --initial nowhere.npz", ["nowhere.npz does not exist"]),
    "state is a folder": ("run pendulum.yaml --initial folder", ["folder is a folder"]),
    "state is something else": ("run pendulum.yaml --initial note.txt", ["note.txt", "not a saved state"]),
    "state of another model": (
        "run m113 --duration 0.1 --initial state.npz",
        ["belongs to another model"],
    ),
    "state and settling": ("run pendulum.yaml --settle --initial state.npz", ["exclude each other"]),
    "settling without file": ("settle pendulum.yaml", ["Missing option", "--out"]),
    "settling into no folder": ("settle pendulum.yaml --out missing/s.npz", ["missing", "does not exist"]),
    # overrides
    "override without value": ("run pendulum.yaml --set bodies.rod.mass", ["bodies.rod.mass", "path=value"]),
    "override of no element": ("run pendulum.yaml --set bodies.rob.mass=1", ["no 'rob'", "did you mean 'rod'"]),
    "override of no key": ("run pendulum.yaml --set bodies.rod.mas=1", ["'mas'", "did you mean 'mass'"]),
    "override by text": ("show pendulum.yaml --set bodies.rod.mass=heavy", ["bodies.rod.mass", "heavy"]),
    "override by nonsense": ("run pendulum.yaml --set bodies.rod.mass=-3", ["--set bodies.rod.mass=-3", "mass"]),
    "override that is no YAML": ("check pendulum.yaml --set bodies.rod=[1,", ["--set bodies.rod=[1,"]),
    "track that cannot close": ("show m113 --set links.count=40", ["links", "63"]),
    # results
    "no such result": ("info nowhere.h5", ["nowhere.h5 does not exist"]),
    "folder as result": ("info folder", ["folder is a folder"]),
    "empty result": ("info empty.h5", ["empty.h5", "not a result file"]),
    "truncated result": ("info truncated.h5", ["truncated.h5"]),
    "truncated result exported": ("export truncated.h5 --to csv", ["truncated.h5"]),
    "text as result": ("plot text.h5", ["text.h5", "not a result file"]),
    "other data as result": ("info other.h5", ["other.h5", "not a grouser result"]),
    "info on no channel": ("info result.h5 --channels rod.speeed", ["unknown channel 'rod.speeed'"]),
    "plot of no channel": ("plot result.h5 --channels rod.positon", ["rod.positon", "did you mean 'rod.position'"]),
    "plot of nothing": ("plot result.h5 --channels ,", ["no channel"]),
    "side view after the end": ("plot result.h5 --side-view 7", ["time 7 s", "0 s to 0.2 s"]),
    "side view before the start": ("plot result.h5 --side-view -1", ["time -1 s"]),
    "side view at no time": ("plot result.h5 --side-view nan", ["time nan s"]),
    "side view of no track": ("plot result.h5 --side-view 0.1 --track left", ["unknown track 'left'"]),
    "track without side view": ("plot result.h5 --track left", ["--track", "--side-view"]),
    "two pictures at once": ("plot result.h5 --channels rod.position --side-view 0", ["one at a time"]),
    "picture of no kind": ("plot result.h5 --out a.docx", [".docx", ".png"]),
    "picture into no folder": ("plot result.h5 --out missing/a.png", ["missing", "does not exist"]),
    "render of no kind": ("render result.h5 --out a.gif", [".gif", ".png, .mp4"]),
    "render of no body": ("render result.h5 --follow rot", ["unknown body 'rot'", "did you mean 'rod'"]),
    "render after the end": ("render result.h5 --time 7", ["time 7 s", "0 s to 0.2 s"]),
    "render from nowhere": ("render result.h5 --view under", ["view 'under'", "iso, side, front, top"]),
    "render of no size": ("render result.h5 --size big", ["--size big", "1280x720"]),
    "render of a dot": ("render result.h5 --size 1x1", ["size 1x1", "16"]),
    "render of half pixels": ("render result.h5 --out a.mp4 --size 161x90", ["161x90", "even"]),
    "render at no speed": ("render result.h5 --out a.mp4 --speed 0", ["speed 0"]),
    "still with a speed": ("render result.h5 --speed 2", ["--speed", ".mp4"]),
    "movie at a time": ("render result.h5 --out a.mp4 --time 0.1", ["--time", "whole run"]),
    "render into no folder": ("render result.h5 --out missing/a.png", ["missing", "does not exist"]),
    "truncated result rendered": ("render truncated.h5", ["truncated.h5"]),
    "scene with channels": ("export result.h5 --to glb --channels rod.position", ["--channels", "3D scene"]),
    "scene into no folder": ("export result.h5 --to missing/a.glb", ["missing", "does not exist"]),
    "export to no format": ("export result.h5 --to xlsx", ["xlsx", "csv, parquet, mat, rsp, glb, pvd"]),
    "colour of no mesh": ("render result.h5 --colour strain", ["strain", "no flexible mesh"]),
    "unknown colour": ("render result.h5 --colour stress", ["stress", "von_mises"]),
    "series with channels": ("export result.h5 --to pvd --channels rod.position", ["--channels", "VTK series"]),
    "table of every other frame": ("export result.h5 --to csv --every 2", ["--every", ".pvd"]),
    "series of no frame": ("export result.h5 --to pvd --every 0", ["every 0", "at least 1"]),
    "export to no suffix known": ("export result.h5 --to a.xlsx", [".xlsx", ".csv"]),
    "export into no folder": ("export result.h5 --to missing/a.csv", ["missing", "does not exist"]),
    "export of no channel": ("export result.h5 --to csv --channels rod.*.x", ["rod.*.x"]),
    "export of nothing": ("export result.h5 --to csv --channels ,", ["names no channel"]),
    "export to nowhere": ("export result.h5", ["Missing option", "--to"]),
    # loads
    "loads of nothing": ("loads result.h5", ["--part", "--channels"]),
    "loads on no body": ("loads result.h5 --part rot", ["unknown body 'rot'", "did you mean 'rod'"]),
    "loads of no channel": ("loads result.h5 --channels rod.speeed", ["rod.speeed"]),
    "loads as cards of no program": ("loads result.h5 --part rod --to a.xlsx", [".xlsx", ".inp", ".bdf"]),
    "loads after the end": ("loads result.h5 --part rod --to a.inp --at 7", ["--at 7", "0 to 0.2"]),
    "loads at a time without cards": ("loads result.h5 --part rod --at 0.1", ["--at", "--to"]),
    "loads by no exponent": ("loads result.h5 --part rod --exponent 0", ["--exponent 0", "between 1 and 50"]),
    "loads over no cycles": ("loads result.h5 --part rod --cycles -1", ["--cycles -1", "positive"]),
    "loads of no body recorded": ("run pendulum.yaml --duration 0.01 --loads rot", ["unknown body 'rot'", "'rod'"]),
    # new files
    "new over a file": ("new pendulum.yaml", ["pendulum.yaml is there already", "--force"]),
    "new from nothing": ("new my.yaml --from m1113", ["unknown vehicle 'm1113'", "did you mean 'm113'"]),
    "new in no folder": ("new missing/my.yaml", ["missing", "does not exist"]),
    "new as a folder": ("new folder", ["folder is a folder"]),
    "schema of nothing": ("schema modell", ["'modell'", "did you mean 'model'"]),
    "schema into no folder": ("schema model --out missing/a.json", ["missing", "does not exist"]),
}


@pytest.mark.parametrize(("line", "words"), COMMAND_LINES.values(), ids=COMMAND_LINES.keys())
def test_broken_command_line(run: Run, line: str, words: list[str]) -> None:
    outcome = run(*line.split())
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert outcome.err.splitlines()[-1].startswith("error: ")
    assert all(word in outcome.err for word in words), outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize("line", ["run m133", "run pendulum.yaml --duration -1", "info nowhere.h5", "show m133"])
def test_broken_command_line_with_json_prints_one_document(run: Run, line: str) -> None:
    outcome = run(*line.split(), "--json")
    document = json.loads(outcome.out)
    assert outcome.code == 2
    assert document["status"] == "error"
    assert document["message"] in outcome.err.replace("error: ", "")


DRIVE = "motions: {drive: {joint: hinge, coordinate: rotation, quantity: position, value: 'sqrt(1 - t)'}}\n"

MODELS = {
    "open joint": (("position: [-0.5, 0, 0]", "position: [-0.4, 0, 0]"), ["joints.hinge", "apart by 0.1 m", "'rod'"]),
    "tilted joint": (
        ("position: [-0.5, 0, 0], orientation: [1, -1, 0, 0]", "position: [-0.5, 0, 0]"),
        ["joints.hinge", "turned by 90 deg"],
    ),
    "motion without value": (("joints:", DRIVE + "joints:"), ["motions.drive.value", "is nan at t = 1.01 s", "10 s"]),
    "mass beyond all": (("mass: 2", "mass: 1.0e+300"), ["rod", "mass", "at most 1e+09"]),
    "mass of nothing": (("mass: 2", "mass: 1.0e-9"), ["rod", "radii of gyration"]),
    "syntax": (("bodies:", "bodies: ["), ["broken.yaml:"]),
    "no kind": (("kind: model\n", ""), ["missing key 'kind'"]),
    "unknown kind": (("kind: model", "kind: modell"), ["broken.yaml:2", "did you mean 'model'"]),
    "newer format": (("grouser: 1", "grouser: 99"), ["version 1"]),
    "unknown key": (("position: [0.5", "positon: [0.5"), ["positon", "did you mean 'position'"]),
    "negative mass": (("mass: 2", "mass: -2"), ["broken.yaml:5", "rod", "mass"]),
    "mass not a number": (("mass: 2", "mass: .nan"), ["rod", "mass"]),
    "mass with a unit": (("mass: 2", "mass: 2 kg"), ["rod", "mass", "2 kg"]),
    "inertia of no body": (("[0.17, 0.17, 0.001]", "[0.17, 0.17, 1]"), ["rod", "inertia"]),
    "missing body": (("{body: rod,", "{body: rot,"), ["hinge", "rot", "did you mean 'rod'"]),
    "unknown joint": (("type: revolute", "type: revolut"), ["hinge", "revolut"]),
    "python in a model": (("mass: 2", "mass: !!python/object:os.system 2"), ["broken.yaml:5"]),
    "key given twice": (("name: pendulum", "name: pendulum\nname: again"), ["name"]),
    "circle of files": (("kind: model", "kind: model\nextends: broken.yaml"), ["circle"]),
}


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize(("change", "words"), MODELS.values(), ids=MODELS.keys())
def test_broken_model(run: Run, place: Path, command: str, change: tuple[str, str], words: list[str]) -> None:
    text = PENDULUM.replace(*change, 1)
    assert text != PENDULUM
    (place / "broken.yaml").write_text(text)
    outcome = run(command, "broken.yaml")
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert all(word in outcome.err for word in words), outcome.err
    assert outcome.out == ""


ROADS = {
    "missing": (None, ["road.csv", "there is no such file"]),
    "no number": ("x,z\n0,0\n1,high\n", ["road.csv, line 3", "'1,high'", "two numbers", "in m"]),
    "not a number": ("x,z\n0,0\n1,nan\n", ["road.csv, line 3", "z = nan m", "finite number"]),
    "x not increasing": ("x,z\n1,0\n1,0\n", ["road.csv, line 3", "x = 1 m follows 1 m", "sort the rows"]),
    "one row": ("x,z\n1,0\n", ["road.csv", "has 1 points", "at least 2"]),
}


@pytest.mark.parametrize("line", ["check drive.yaml", "run m113 --scenario drive.yaml"])
@pytest.mark.parametrize(("road", "words"), ROADS.values(), ids=ROADS.keys())
def test_broken_road(run: Run, place: Path, line: str, road: str | None, words: list[str]) -> None:
    ground = "terrain: {type: profile, points: road.csv}"
    (place / "drive.yaml").write_text(f"grouser: 1\nkind: scenario\nname: drive\nduration: 1\n{ground}\n")
    if road is not None:
        (place / "road.csv").write_text(road)
    outcome = run(*line.split())
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: drive.yaml:5: terrain.points: ")
    assert len(outcome.err.splitlines()) == 1
    assert all(word in outcome.err for word in words), outcome.err


def test_check_lists_all_faults_at_once(run: Run, place: Path) -> None:
    text = PENDULUM.replace("mass: 2", "mass: -2").replace("type: revolute", "type: hinge")
    (place / "broken.yaml").write_text(text)
    outcome = run("check", "broken.yaml", "--json")
    document = json.loads(outcome.out)
    assert outcome.code == 2
    assert document["valid"] is False
    assert len(document["faults"]) == 2
    assert outcome.err.splitlines() == [f"error: {fault}" for fault in document["faults"]]


@pytest.mark.parametrize("line", ["run m133", "info nowhere.h5", "run pendulum.yaml --bogus"])
def test_broken_command_line_of_a_process(place: Path, line: str) -> None:
    done = subprocess.run([sys.executable, "-m", "grouser", *line.split()], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


def test_internal_error_is_told_without_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr("grouser.cli.run.prepare_source", fail)
    outcome = run("run", "pendulum.yaml")
    assert outcome.code == 1
    assert "internal error (ZeroDivisionError: by nought)" in outcome.err
    assert "Traceback" not in outcome.err


EXTREME = (
    "chassis.mass=1e300",
    "chassis.mass=1e-9",
    "contact.ground_track.friction.mu=1e6",
    "links.pad.depth=3",
    "idler.tensioner.force=1e15",
)


@pytest.mark.parametrize("override", EXTREME)
def test_extreme_vehicle_is_refused_at_once(run: Run, override: str) -> None:
    outcome = run("run", "m113", "--set", override)
    assert outcome.code == 2
    assert f"--set {override}" in outcome.err or ".yaml" in outcome.err
    assert "internal error" not in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_special_file_is_still_there_after_a_refusal(run: Run) -> None:
    assert run("run", "pendulum.yaml", "--out", "/dev/null", "--duration", "0.01").code == 2
    assert Path("/dev/null").is_char_device()
