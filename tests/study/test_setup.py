"""What each kind of factor does to a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from study_case import PENDULUM, write_study

import grouser as gr
from grouser.cli.app import main
from grouser.study.plan import Case, make_cases
from grouser.study.setup import calc_fingerprint, make_setup
from grouser.study.single import simulate_case

PUSH = """\
forces:
  push: {type: applied, frame: {body: rod}, force: [0, 0, 0]}
"""


def load(folder: Path, factors: str = "{}", more: str = "") -> gr.Study:
    """A study of the pendulum with other factors."""
    path = write_study(folder, more=more)
    (folder / "pendulum.yaml").write_text(PENDULUM + PUSH)
    lines = path.read_text().splitlines()
    lines[lines.index("factors:") : lines.index("responses:")] = [f"factors: {factors}"]
    path.write_text("\n".join(lines) + "\n")
    return gr.load_study(path)


def test_presets_and_states(tmp_path: Path) -> None:
    states = []
    for name, turn in (("one", 0.0), ("two", 1.0)):
        model = gr.load_model(_write(tmp_path / f"{name}.yaml", PENDULUM + PUSH))
        states.append(tmp_path / f"{name}.npz")
        motion = {"angular_velocity": (0.0, turn, 0.0), "velocity": (0.0, 0.0, -0.5 * turn)}
        moving = model.model_copy(update={"bodies": {"rod": model.bodies["rod"].model_copy(update=motion)}})
        gr.simulate(moving, preset="penalty", duration=0.01, save_initial=states[-1]).close()
    study = load(
        tmp_path,
        "{how: {type: preset, values: [penalty, recursive]}, state: {type: initial, values: [one.npz, two.npz]}}",
    )
    found = {}
    for case in make_cases(study):
        with simulate_case(study, case) as result:
            name = (case.values["how"], Path(str(case.values["state"])).stem)
            # the tree turns velocities into speeds of its joints and back, with rounding
            found[name] = (result.header["preset"], round(result["rod.angular_velocity"][0][1], 12))
    assert found == {
        ("penalty", "one"): ("penalty", 0.0),
        ("penalty", "two"): ("penalty", 1.0),
        ("recursive", "one"): ("recursive", 0.0),
        ("recursive", "two"): ("recursive", 1.0),
    }


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_values_of_vehicle_and_scenario_and_seeds_reach_the_model() -> None:
    study = gr.Study.model_validate(
        {
            "name": "roads",
            "base": {"vehicle": "hmmwv", "scenario": "ride", "scenario_set": ["terrain.length=50"]},
            "factors": {
                "mass": {"path": "chassis.mass", "values": [2000.5]},
                "road": {"type": "scenario", "path": "terrain.road_class", "values": ["B", "D"]},
            },
            "replicates": {"count": 2, "seed": 5, "path": "terrain.seed"},
        }
    )
    cases = make_cases(study)
    setups = [make_setup(study, case) for case in cases]
    assert [(case.values["road"], case.seed) for case in cases] == [("B", 5), ("B", 6), ("D", 5), ("D", 6)]
    roads = [np.array(setup.model.terrain.heights) for setup in setups]
    rough = [float(road.std()) for road in roads]
    assert min(rough[2:]) > 2.0 * max(rough[:2]) > 0.0
    assert not np.array_equal(roads[0], roads[1])
    assert all(setup.model.bodies["chassis"].mass == 2000.5 for setup in setups)
    assert setups[3].about["overrides"] == [
        "chassis.mass=2000.5",
        "terrain.length=50",
        'terrain.road_class="D"',
        "terrain.seed=6",
    ]


def test_seeds_of_a_model(tmp_path: Path) -> None:
    more = "replicates: {count: 2, seed: 3, type: value, path: forces.push.force.0}\n"
    study = load(tmp_path, more=more)
    setups = [make_setup(study, case) for case in make_cases(study)]
    assert [setup.model.forces["push"].force[0] for setup in setups] == [3.0, 4.0]
    assert setups[0].settings.duration == 0.1
    assert setups[0].preset.name == "penalty"


def test_fingerprints_tell_what_decides_the_rows(tmp_path: Path) -> None:
    study = load(tmp_path)
    cases = make_cases(study)
    first = calc_fingerprint(study, cases)
    renamed = study.model_copy(update={"name": "other", "description": "words"})
    assert calc_fingerprint(renamed, cases) == first
    longer = study.model_copy(update={"base": study.base.model_copy(update={"duration": 0.2})})
    assert calc_fingerprint(longer, cases) != first
    assert calc_fingerprint(study, [Case(0, 0, 0, None, {"mass": 1.0})]) != first


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_check_tells_the_number_of_runs(tmp_path: Path, words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    path = write_study(tmp_path, levels=7)
    assert main(["check", str(path), *words]) == 0
    assert "7" in capfd.readouterr().out
    path.write_text(path.read_text().replace("bodies.rod.mass", "bodies.rud.mass"))
    assert main(["check", str(path), *words]) == 2
    assert "did you mean 'rod'" in capfd.readouterr().err
