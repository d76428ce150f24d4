"""Commands that go well."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas
import pytest
from command_case import PENDULUM, Run

from grouser.catalog.vehicles import find_vehicle
from grouser.cli.choices import choose_preset
from grouser.compile.realization import Bushing, Penalty
from grouser.model.terrain import Profile
from grouser.presets import TRACK_PINS
from grouser.result.result import load_result
from grouser.result.writer import ResultWriter

SUMMARY_KEYS = {
    "real_time_factor",
    "distance",
    "final_speed",
    "lateral_drift",
    "slip",
    "energy_residual",
    "max_pin_deformation",
    "max_link_tension",
    "settled",
    "events",
    "out",
    "status",
    "message",
}


def test_run_prints_a_table_with_units_and_writes_a_result(run: Run, place: Path) -> None:
    outcome = run("run", "pendulum.yaml", "--duration", "0.5")
    assert outcome.code == 0
    for word in ("distance", " m\n", "km/h", "energy residual", "%", "real-time factor", "ms (stable up to", "settled"):
        assert word in outcome.out, word
    assert "pendulum.h5 (" in outcome.out
    assert "running: " in outcome.err
    with load_result(place / "pendulum.h5") as result:
        assert result.status == "done"
        assert result.time[-1] == pytest.approx(0.5)


def test_run_with_json_prints_one_document(run: Run, place: Path) -> None:
    outcome = run("run", "pendulum.yaml", "--duration", "0.1", "--json", "--out", "a.h5", "--save-initial", "b.npz")
    document = json.loads(outcome.out)
    assert document.keys() >= SUMMARY_KEYS
    assert document["status"] == "done"
    assert document["out"] == "a.h5"
    assert document["initial_state"] == "b.npz"
    assert document["settled"] is False
    assert document["energy_residual"] < 1e-4
    assert (place / "b.npz").is_file()


def test_run_says_that_it_replaces_a_result_and_keeps_links(run: Run, place: Path) -> None:
    (place / "link.h5").symlink_to("result.h5")
    outcome = run("run", "pendulum.yaml", "--duration", "0.1", "--out", "link.h5")
    assert outcome.code == 0
    assert "replaced link.h5\n" in outcome.err
    assert (place / "link.h5").is_symlink()
    with load_result(place / "result.h5") as result:
        assert result.time[-1] == pytest.approx(0.1)
    assert "replaced" not in run("run", "pendulum.yaml", "--duration", "0.1", "--out", "fresh.hdf5").err


def test_info_shows_the_command_that_made_a_result(run: Run, place: Path) -> None:
    words = ["run", "m113-paper", "--no-settle", "--no-suspension", "--scenario", "rest", "--set", "chassis.mass=6000"]
    words += ["--duration", "0.01", "--step", "1e-5", "--out", "a b.h5", "--quiet"]
    assert run(*words).code == 0
    header = json.loads(run("info", "a b.h5", "--json").out)["header"]
    assert (header["vehicle"], header["scenario"]) == ("m113-paper", "rest")
    assert header["overrides"] == ["chassis.mass=6000"]
    assert shlex.split(header["command"]) == ["grouser", *words]
    assert "--set chassis.mass=6000" in run("info", "a b.h5").out


def test_nearly_closed_joint_is_told_by_check_and_run(run: Run, place: Path) -> None:
    (place / "near.yaml").write_text(PENDULUM.replace("position: [-0.5, 0, 0]", "position: [-0.49999, 0, 0]"))
    document = json.loads(run("check", "near.yaml", "--json").out)
    assert document["valid"] is True
    assert "joints.hinge: is open at the start" in document["warnings"][0]
    assert "apart by 1e-05 m" in document["warnings"][0]
    assert "warning: joints.hinge" in run("check", "near.yaml").err
    outcome = run("run", "near.yaml", "--duration", "0.01")
    assert outcome.code == 0
    assert "warning: joints.hinge" in outcome.err
    assert json.loads(run("check", "pendulum.yaml", "--json").out)["warnings"] == []


def test_quiet_run_prints_nothing(run: Run) -> None:
    outcome = run("run", "pendulum.yaml", "--duration", "0.1", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_short_run_has_a_frame_at_its_end(run: Run, place: Path) -> None:
    assert run("run", "pendulum.yaml", "--duration", "0.004").code == 0
    with load_result(place / "pendulum.h5") as result:
        assert result.time.tolist() == pytest.approx([0.0, 0.004])


def test_run_obeys_step_interval_and_overrides(run: Run, place: Path) -> None:
    words = "--duration 0.2 --step 1e-5 --output-interval 0.05 --set bodies.rod.mass=3 --json"
    document = json.loads(run("run", "pendulum.yaml", *words.split()).out)
    assert document["step"] == pytest.approx(1e-5)
    with load_result(place / "pendulum.h5") as result:
        assert len(result.time) == 5
        assert result.model.bodies["rod"].mass == 3


def test_result_holds_the_points_of_a_road_and_not_its_name(run: Run, place: Path) -> None:
    (place / "road.csv").write_text("x,z\n-1,-2\n1,-2.5\n")
    (place / "pendulum.yaml").write_text(PENDULUM + "terrain: {type: profile, points: road.csv}\n")
    assert run("run", "pendulum.yaml", "--duration", "0.01").code == 0
    (place / "road.csv").unlink()
    with load_result(place / "pendulum.h5") as result:
        assert result.model.terrain == Profile(points=[(-1.0, -2.0), (1.0, -2.5)])


def test_settled_state_can_be_started_from(run: Run, place: Path) -> None:
    assert run("settle", "pendulum.yaml", "--out", "rest.npz").code == 0
    document = json.loads(run("run", "pendulum.yaml", "--initial", "rest.npz", "--duration", "0.1", "--json").out)
    assert document["settled"] is True
    with load_result(place / "pendulum.h5") as result:
        assert result["rod.position"][-1] == pytest.approx([0.0, 0.0, -0.5], abs=1e-3)


def test_state_of_another_vehicle_is_refused(run: Run, place: Path) -> None:
    """The pendulum of another mass or length has the same names and shapes, but not the same rest."""
    for override, family in (("bodies.rod.mass=3", "bodies"), ("joints.hinge.group=pins", "joints")):
        outcome = run("run", "pendulum.yaml", "--initial", "state.npz", "--duration", "0.1", "--set", override)
        assert outcome.code == 2
        assert f"its {family} differ from those of 'pendulum'" in outcome.err
        assert "grouser settle" in outcome.err
    assert run("run", "pendulum.yaml", "--initial", "state.npz", "--duration", "0.1", "--set", "name=other").code == 0


def test_run_settles_on_demand(run: Run) -> None:
    assert json.loads(run("run", "pendulum.yaml", "--settle", "--duration", "0.1", "--json").out)["settled"] is True


def test_run_to_a_tolerance_tells_what_the_integrator_did(run: Run, place: Path) -> None:
    words = "run pendulum.yaml --preset recursive --integrator adams --tolerance 1e-8 --duration 0.5"
    document = json.loads(run(*words.split(), "--json").out)
    assert document["integrator"] == "adams"
    assert document["evaluations"] == 2 * document["steps"] + document["rejected_steps"]
    assert document["mean_order"] > 3.0
    assert document["stable_step"] is None
    outcome = run(*words.split())
    assert outcome.code == 0
    assert "mean order" in outcome.out and "evaluations" in outcome.out and "stable up to" not in outcome.out
    shown = run("info", "pendulum.h5").out
    assert "adams" in shown and "1e-08" in shown


def test_run_with_another_spectral_radius(run: Run, place: Path) -> None:
    last = {}
    for words in ("", "--spectral-radius 0", "--spectral-radius 1"):
        line = f"run pendulum.yaml --integrator generalised-alpha --duration 0.1 {words}"
        assert run(*line.split()).code == 0
        with load_result(place / "pendulum.h5") as result:
            last[result.header["spectral_radius"]] = result["rod.position"][-1].tolist()
    assert list(last) == [0.8, 0.0, 1.0]
    assert len({tuple(position) for position in last.values()}) == 3
    assert "spectral radius" in run("info", "pendulum.h5").out


def test_tracked_vehicle_drives_straight_by_default(run: Run) -> None:
    words = "run m113-paper --no-settle --no-suspension --duration 0.02 --pin-stiffness 1e8 --json"
    outcome = run(*words.split())
    document = json.loads(outcome.out)
    assert outcome.code == 0
    assert document["scenario"] == "straight"
    assert document["out"] == "m113-paper.h5"
    assert document["tracks"].keys() == {"left", "right"}
    assert document["max_link_tension"] > 0


def test_diverged_run_names_time_and_body_and_keeps_its_data(run: Run, place: Path) -> None:
    outcome = run("run", "pendulum.yaml", "--step", "0.01", "--json")
    document = json.loads(outcome.out)
    assert outcome.code == 1
    assert "diverged at " in outcome.err
    assert "'rod'" in outcome.err
    assert "the data until then is in pendulum.h5" in outcome.err
    assert "Traceback" not in outcome.err
    assert document["status"] == "failed"
    assert [event["kind"] for event in document["events"]] == ["step too coarse", "energy balance open", "diverged"]
    with load_result(place / "pendulum.h5") as result:
        assert result.status == "failed"
        assert len(result.time) >= 1


def test_summary_warns_of_a_coarse_step(run: Run) -> None:
    """One beyond the stable step; implicit steps have no such bound."""
    words = "run pendulum.yaml --preset {} --duration 0.02 --output-interval 0.02 --step {}"
    assert "warning" not in run(*words.format("implicit", "4e-3").split()).out
    outcome = run(*words.format("penalty", "4e-3").split())
    line = next(line for line in outcome.out.splitlines() if line.startswith("warning"))
    assert "the step 0.004 s is larger than" in line


def test_model_that_falls_for_ever_does_not_settle(run: Run, place: Path) -> None:
    (place / "stone.yaml").write_text(PENDULUM.partition("joints:")[0])
    outcome = run("run", "stone.yaml", "--settle", "--json")
    assert outcome.code == 1
    assert "not at rest" in outcome.err
    assert "'rod'" in outcome.err
    assert json.loads(outcome.out)["status"] == "error"


def test_pins_of_both_presets_take_another_stiffness() -> None:
    penalty = choose_preset("penalty", 1e7, None).realizations[TRACK_PINS]
    assert isinstance(penalty, Penalty)
    assert (penalty.k, penalty.c) == (1e7, 5e4)
    bushing = choose_preset("bushing", 1e8, 1e3).realizations[TRACK_PINS]
    assert isinstance(bushing, Bushing)
    assert bushing.stiffness == pytest.approx((1e8, 1e8, 1e8, 1e6, 1e6, 0.0))
    assert bushing.damping == pytest.approx((1e3, 1e3, 1e3, 10.0, 10.0, 0.0))


def test_list_names_everything(run: Run) -> None:
    document = json.loads(run("list", "--json").out)
    assert {"m113", "m113-paper"} <= document["vehicles"].keys()
    assert "straight" in document["scenarios"]
    assert {"penalty", "bushing"} <= document["presets"].keys()
    assert {"trapezoidal", "rk4", "adams", "cvode-bdf"} <= document["integrators"].keys()
    text = run("list").out
    assert all(name in text for names in document.values() for name in names)


def test_show_tells_what_a_model_is_made_of(run: Run) -> None:
    document = json.loads(run("show", "pendulum.yaml", "--json").out)
    assert document["degrees_of_freedom"] == 1
    assert document["masses"] == {"rod": 2.0}
    assert document["joints"] == [{"group": "joints", "type": "revolute", "count": 1}]
    assert 0 < document["stable_step"]["penalty"]["step"] < 1e-3
    text = run("show", "pendulum.yaml").out
    assert "degrees of freedom" in text
    assert "2.00 kg" in text


def test_show_tells_tracks_of_a_vehicle(run: Run) -> None:
    document = json.loads(run("show", "m113", "--json").out)
    assert [track["links"] for track in document["tracks"].values()] == [63, 64]
    assert document["mass"] == pytest.approx(11343, abs=1)
    text = run("show", "m113", "--no-suspension").out
    assert "left.link#" in text
    assert "arm" not in text


@pytest.mark.parametrize(("target", "kind"), [("pendulum.yaml", "model"), ("m113", "tracked-vehicle")])
def test_check_accepts(run: Run, target: str, kind: str) -> None:
    outcome = run("check", target)
    assert outcome.code == 0
    assert f"{target} is valid: kind {kind}" in outcome.out


def test_check_reads_scenarios(run: Run, place: Path) -> None:
    text = "grouser: 1\nkind: scenario\nname: mine\nduration: 3\n"
    (place / "good.yaml").write_text(text)
    (place / "bad.yaml").write_text(text.replace("3", "-3"))
    assert json.loads(run("check", "good.yaml", "--json").out)["duration"] == 3
    assert run("check", "bad.yaml").code == 2


def test_new_writes_a_vehicle_that_can_be_edited(run: Run, place: Path) -> None:
    assert run("new", "--from", "m113", "my.yaml").code == 0
    text = (place / "my.yaml").read_text()
    origin = find_vehicle("m113").read_text()
    assert text.replace("name: my\n", "name: m113\n") == origin
    assert "# " in text
    assert json.loads(run("check", "my.yaml", "--json").out)["name"] == "my"
    (place / "my.yaml").write_text("mine")
    assert run("new", "my.yaml").code == 2
    assert (place / "my.yaml").read_text() == "mine"
    assert run("new", "my.yaml", "--force").code == 0
    assert (place / "my.yaml").read_text() == text


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ((), "result.png"),
        (("--side-view", "0.1"), "result-side-view-0.1s.png"),
        (("--channels", "rod.position,energy.*"), "result-channels.png"),
        (("--out", "a.svg"), "a.svg"),
    ],
)
def test_plot_writes_a_picture(run: Run, place: Path, words: tuple[str, ...], name: str) -> None:
    outcome = run("plot", "result.h5", *words)
    assert outcome.code == 0
    assert name in outcome.err
    assert (place / name).stat().st_size > 5000


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ((), "result.png"),
        (("--time", "0.1", "--view", "-65,12", "--follow", "rod", "--zoom", "2", "--out", "a.png"), "a.png"),
        (("--out", "a.mp4", "--fps", "10", "--speed", "0.5", "--size", "64x48"), "a.mp4"),
    ],
)
def test_render_writes_a_picture_or_a_movie(run: Run, place: Path, words: tuple[str, ...], name: str) -> None:
    if name.endswith(".mp4"):
        pytest.importorskip("imageio_ffmpeg")
    outcome = run("render", "result.h5", "--size", "160x120", *words)
    assert outcome.code == 0, outcome.err
    assert f"wrote {name}" in outcome.err
    assert (place / name).stat().st_size > 2000
    assert not list(place.glob(".*.part"))


def test_export_writes_a_scene(run: Run, place: Path) -> None:
    assert run("export", "result.h5", "--to", "glb").code == 0
    assert (place / "result.glb").read_bytes()[:4] == b"glTF"


@pytest.mark.parametrize("suffix", ["csv", "parquet", "mat", "rsp"])
def test_export_writes_a_file(run: Run, place: Path, suffix: str) -> None:
    assert run("export", "result.h5", "--to", suffix, "--channels", "rod.*").code == 0
    assert (place / f"result.{suffix}").stat().st_size > 500


def test_export_to_a_named_file_holds_the_channels(run: Run, place: Path) -> None:
    assert run("export", "result.h5", "--to", "a.csv", "--channels", "rod.position").code == 0
    table = pandas.read_csv(place / "a.csv")
    assert list(table.columns) == ["time [s]", *(f"rod.position.{axis} [m]" for axis in "xyz")]
    with load_result(place / "result.h5") as result:
        np.testing.assert_allclose(table.iloc[:, 1:].to_numpy(), result["rod.position"])


def test_info_tells_header_summary_and_channels(run: Run) -> None:
    document = json.loads(run("info", "result.h5", "--json").out)
    assert document["status"] == "done"
    assert document["header"]["model_name"] == "pendulum"
    assert document["channels"]["rod.position"]["unit"] == "m"
    assert document["last_time"] == pytest.approx(0.2)
    assert document["summary"].keys() >= SUMMARY_KEYS - {"out", "message"}
    text = run("info", "result.h5").out
    assert "body/position" in text
    assert "energy residual" in text
    assert "rod.velocity" in run("info", "result.h5", "--channels", "rod.*").out


def test_info_reads_a_run_that_was_stopped_before_its_first_frame(run: Run, place: Path) -> None:
    with load_result(place / "result.h5") as result:
        model = result.model
    writer = ResultWriter(place / "begun.h5", header={"model_name": "pendulum"}, blocks=[], model=model)
    writer.finish("interrupted").close()
    outcome = run("info", "begun.h5")
    assert outcome.code == 0
    assert "interrupted" in outcome.out
    assert json.loads(run("info", "begun.h5", "--json").out)["frames"] == 0


CART = """\
grouser: 1
kind: model
name: cart
bodies:
  hull: {mass: 400, inertia: [50, 50, 50], position: [0, 0, 0.8]}
  wheel: {mass: 20, inertia: [0.6, 1, 0.6], position: [0, 0, 0.3]}
joints:
  guide: {type: prismatic, frame_a: {body: world}, frame_b: {body: hull}}
  strut: {type: prismatic, frame_a: {body: hull, position: [0, 0, -0.5]}, frame_b: {body: wheel}}
forces:
  spring: {type: joint_spring, joint: strut, coordinate: translation, stiffness: 20000, damping: 2000, free: -0.19}
shapes:
  disc: {type: wheel, body: wheel, group: wheels, radius: 0.3}
"""
"""A mass on a strut and a wheel."""


def test_npost_makes_the_runs_of_a_file_and_their_report(run: Run, place: Path) -> None:
    (place / "cart.yaml").write_text(CART)
    (place / "mine.txt").write_text("# short ones\nshake 10 mm 4 Hz\nramp shake 10 mm\n")
    words = ("npost", "cart.yaml", "--runs", "mine.txt", "--scenario-set", "duration=3.3", "--workers", "1")
    assert run(*words, "--show", "pitch 1 mm 1 Hz").code == 2
    outcome = run(*words, "--json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert told["status"] == "done" and list(told["runs"]) == ["shake 10 mm 4 Hz", "ramp shake 10 mm"]
    numbers = pandas.read_csv(place / "cart.npost" / "matrix.csv")
    assert numbers["post"].tolist() == ["right.post1"] * 2
    assert numbers["post_amplitude"].tolist() == pytest.approx([10.0, 5.0], rel=0.01)  # a ramp goes one way
    # beyond the resonance at 1.1 Hz the hull stays behind: the strut has most of what the post does
    assert 0.5 < numbers["gain"][0] < 1.5
    page = (place / "cart.npost" / "matrix.html").read_text()
    assert "shake 10 mm 4 Hz" in page and "<svg" in page
    again = run(*words)
    assert again.code == 0 and "2 of 2, 0 of them made now" in again.out


@pytest.mark.parametrize("kind", ["tracked-vehicle", "model", "scenario", "study", "optimisation", "calibration"])
def test_schema_describes_files(run: Run, kind: str) -> None:
    document = json.loads(run("schema", kind).out)
    assert {"name", "grouser", "kind"} <= document["properties"].keys()


def test_schema_can_go_to_a_file(run: Run, place: Path) -> None:
    assert run("schema", "model", "--out", "a.json").code == 0
    assert json.loads((place / "a.json").read_text())["title"] == "Model"


def test_version_and_help(run: Run) -> None:
    assert run("--version").out.startswith("grouser 0.")
    assert "run" in run("--help").out
    assert run().out == run("--help").out
    for name in (
        "run",
        "study",
        "optimise",
        "npost",
        "calibrate",
        "settle",
        "show",
        "check",
        "new",
        "plot",
        "render",
        "export",
        "info",
        "schema",
        "list",
    ):
        outcome = run(name, "--help")
        assert outcome.code == 0
        assert name in outcome.out
