"""``grouser compare``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandas
import pytest
from command_case import Run

from grouser.errors import SolveError
from grouser.output.comparison import list_figures
from grouser.result.result import load_result

IDEAL_POSITION = 1.0e-9
"""Largest gap or tilt of ideal joints: ten times the tolerance of their projection [m, rad]."""
IDEAL_RATE = 1.0e-8
"""Likewise for velocities and accelerations."""
PENDULUM_FIGURES = (
    "figure-08-chassis-height",
    "figure-09-forward-position",
    "figure-10-forward-speed",
    "figure-13-longitudinal-force",
    "figure-14-vertical-force",
    "figure-17-joint-deformation",
)
TRACK_FIGURES = (
    *PENDULUM_FIGURES,
    "figure-11-link-height",
    "figure-12-link-trajectory",
    "figure-15-longitudinal-force-soft",
    "figure-16-vertical-force-soft",
)


def find_figures(folder: Path, suffix: str) -> list[str]:
    return sorted(path.stem for path in folder.glob(f"figure-*{suffix}"))


def check_violations(violation: dict[str, dict[str, float]]) -> None:
    """Ideal joints hold at all levels, joints by penalty open."""
    for name in ("constrained", "recursive"):
        assert violation[name]["position"] < IDEAL_POSITION
        assert violation[name]["velocity"] < IDEAL_RATE
        assert violation[name]["acceleration"] < IDEAL_RATE
    assert violation["penalty"]["position"] > 1e-6
    assert violation["penalty"]["velocity"] > 1e-5
    assert violation["penalty"]["acceleration"] > 1e-3


def test_compare_writes_results_figures_and_tables(run: Run, place: Path) -> None:
    presets = ["constrained", "recursive", "penalty", "bushing"]
    outcome = run("compare", "pendulum.yaml", "--presets", ",".join(presets), "--duration", "0.2", "--json")
    assert outcome.code == 0
    document = json.loads(outcome.out)
    folder = place / "compare-pendulum"
    assert document["status"] == "done"
    assert document["out"] == "compare-pendulum"
    assert list(document["presets"]) == presets
    assert all((place / file).stat().st_size > 0 for file in document["files"])
    for suffix in (".png", ".pdf"):
        assert find_figures(folder, suffix) == sorted(PENDULUM_FIGURES)
    for name, numbers in document["presets"].items():
        assert numbers["preset"] == name
        assert numbers["cpu_per_second"] == pytest.approx(numbers["cpu_time"] / 0.2)
        assert numbers["constraint_violation"].keys() == {"position", "velocity", "acceleration"}
        with load_result(folder / f"{name}.h5") as result:
            assert result.time[-1] == pytest.approx(0.2)
    assert document["presets"]["constrained"]["cpu_ratio"] == 1.0
    table = pandas.read_csv(folder / "table.csv", index_col="run")
    assert list(table.index) == presets
    assert (table["distance_difference [mm]"] < 2.0).all()
    check_violations({name: numbers["constraint_violation"] for name, numbers in document["presets"].items()})
    markdown = (folder / "table.md").read_text()
    assert "| | unit | constrained | recursive | penalty | bushing |" in markdown
    assert "violation of accelerations" in markdown


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take most of the time of a short comparison."""
    monkeypatch.setattr("grouser.cli.compare.FORMATS", ())


def test_compare_prints_a_table(run: Run, no_figures: None) -> None:
    outcome = run("compare", "pendulum.yaml", "--presets", "penalty,bushing", "--duration", "0.05", "--out", "here")
    assert outcome.code == 0
    for words in ("penalty", "bushing", "CPU time per simulated second", "violation of positions", "m, rad"):
        assert words in outcome.out
    assert "to here\n" in outcome.err


def test_tracked_vehicle_with_soft_pins_and_without_suspension(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["compare", "m113-paper", "--presets", "recursive,penalty", "--duration", "0.03", "--no-settle"]
    monkeypatch.setattr("grouser.cli.compare.FORMATS", (".png",))
    outcome = run(*words, "--soft", "--rigid", "--out", "m113", "--json")
    assert outcome.code == 0, outcome.err
    document = json.loads(outcome.out)
    assert list(document["presets"]) == ["recursive", "penalty"]
    assert list(document["further"]) == ["penalty-soft", "recursive-rigid"]
    assert find_figures(place / "m113", ".png") == sorted(TRACK_FIGURES)
    with load_result(place / "m113" / "recursive.h5") as result:
        assert sorted(list_figures(result.model, has_soft=True)) == sorted(TRACK_FIGURES)
    stiff, soft = document["presets"]["penalty"], document["further"]["penalty-soft"]
    assert soft["max_pin_deformation"] > 3.0 * stiff["max_pin_deformation"]
    assert document["presets"]["recursive"]["constraint_violation"]["position"] < IDEAL_POSITION
    with load_result(place / "m113" / "recursive-rigid.h5") as result:
        assert "left.arm1" not in result.model.bodies
        assert result.header["label"] == "recursive-rigid"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--presets", "constrained,penalti"], "unknown preset 'penalti'"),
        (["--presets", " , "], "names no preset"),
        (["--presets", "penalty,penalty"], "'penalty' more than once"),
        (["--duration", "-1"], "--duration is -1 s"),
        (["--soft"], "has no joints of the group 'track-pins'"),
        (["--rigid"], "--no-suspension: pendulum.yaml is a whole model"),
        (["--out", "note.txt"], "--out note.txt is a file"),
        (["--out", "nowhere/here"], "the folder nowhere does not exist"),
    ],
)
def test_bad_input_is_refused_in_one_line(run: Run, words: list[str], message: str) -> None:
    outcome = run("compare", "pendulum.yaml", *words)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""


FOREIGN = ["penalty.h5", "figure-08-chassis-height.png", "figure-17-joint-deformation.pdf", "table.md", "table.csv"]


@pytest.mark.parametrize("name", [*FOREIGN, "report.html"])
def test_files_of_others_are_refused_before_a_run(run: Run, place: Path, name: str) -> None:
    words = ["compare", "pendulum.yaml", "--presets", "penalty", "--duration", "0.05", "--out", "mine"]
    (place / "mine").mkdir()
    (place / "mine" / name).write_text("made without grouser 0.1.0 on a Sunday\n")
    outcome = run(*words)
    assert outcome.code == 2
    assert f"mine/{name} is there already" in outcome.err and "--force" in outcome.err
    assert [file.name for file in (place / "mine").iterdir()] == [name]
    assert (place / "mine" / name).read_text().startswith("made without")


def test_a_comparison_replaces_an_earlier_one_and_others_by_force(run: Run, place: Path) -> None:
    words = ["compare", "pendulum.yaml", "--presets", "penalty", "--duration", "0.05", "--out", "mine"]
    assert run(*words).code == 0
    made = {file.name for file in (place / "mine").iterdir()}
    assert {*FOREIGN, "report.html"} <= made
    outcome = run(*words)
    assert outcome.code == 0, outcome.err
    for name in ("penalty.h5", "table.csv"):
        (place / "mine" / name).write_text("mine\n")
    assert run(*words).code == 2
    outcome = run(*words, "--force")
    assert outcome.code == 0, outcome.err
    assert {file.name for file in (place / "mine").iterdir()} == made
    assert "mine" not in (place / "mine" / "table.csv").read_text()


def test_a_comparison_does_not_replace_what_it_reads(run: Run, place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "table.md").write_text((place / "pendulum.yaml").read_text())
    outcome = run("compare", "mine/table.md", "--presets", "penalty", "--out", "mine", "--force")
    assert outcome.code == 2
    assert (place / "mine" / "table.md").read_text() == (place / "pendulum.yaml").read_text()


def break_preset(monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException) -> None:
    """Let runs of a preset end with an error."""
    module = sys.modules["grouser.simulate"]
    simulate = module.simulate

    def fail(model: Any, *, preset: Any, **settings: Any) -> Any:
        if preset.name == name:
            raise error
        return simulate(model, preset=preset, **settings)

    monkeypatch.setattr(module, "simulate", fail)


def test_a_failed_run_does_not_stop_the_others(run: Run, no_figures: None, monkeypatch: pytest.MonkeyPatch) -> None:
    break_preset(monkeypatch, "constrained", SolveError("diverged at 0.1 s", status="diverged", time=0.1))
    words = ["--presets", "constrained,penalty,bushing", "--duration", "0.05", "--out", "here", "--json"]
    outcome = run("compare", "pendulum.yaml", *words)
    assert outcome.code == 1
    assert "error: constrained: diverged at 0.1 s" in outcome.err
    document = json.loads(outcome.out)
    assert document["status"] == "failed"
    assert list(document["presets"]) == ["penalty", "bushing"]
    assert document["presets"]["penalty"]["cpu_ratio"] == 1.0


def test_ctrl_c_keeps_what_is_done(run: Run, place: Path, no_figures: None, monkeypatch: pytest.MonkeyPatch) -> None:
    break_preset(monkeypatch, "bushing", KeyboardInterrupt())
    words = ["--presets", "penalty,bushing", "--duration", "0.05", "--out", "here", "--json"]
    outcome = run("compare", "pendulum.yaml", *words)
    assert outcome.code == 130
    document = json.loads(outcome.out)
    assert document["status"] == "interrupted"
    assert list(document["presets"]) == ["penalty"]
    assert (place / "here" / "table.md").is_file()
    assert "stopped by the user; what was done is in here" in outcome.err
