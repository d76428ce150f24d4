"""Broken optimisation files: one clear sentence for every fault, and the exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_case import PENDULUM

from grouser.cli.app import main

HEAD = "grouser: 1\nkind: optimisation\nname: broken\nbase: {vehicle: pendulum.yaml, duration: 0.1}\n"
MASS = "factors: {mass: {path: bodies.rod.mass, low: 1, high: 2}}\n"
LOW = "responses: {low: {take: min, of: rod.position.z}}\n"
WHOLE = HEAD + MASS + LOW + "minimise: low\n"

FILES = {
    "no factors": (HEAD + LOW + "minimise: low\n", "factors: there are none"),
    "no responses": (HEAD + MASS + "minimise: low\n", "responses: there are none"),
    "no goal": (HEAD + MASS + LOW, "minimise: is missing: name a response"),
    "two goals": (WHOLE + "maximise: low\n", "minimise: 'minimise' and 'maximise' are both given: keep one"),
    "unknown response": (HEAD + MASS + LOW + "minimise: lo\n", "minimise: unknown response 'lo': did you mean 'low'"),
    "unknown response to maximise": (HEAD + MASS + LOW + "maximise: hi\n", "maximise: unknown response 'hi'"),
    "turned bounds": (
        HEAD + MASS.replace("low: 1, high: 2", "low: 2, high: 1") + LOW + "minimise: low\n",
        "factors.mass.high: is 1, not above low, 2: exchange them",
    ),
    "no range": (HEAD + MASS.replace(", low: 1, high: 2", "") + LOW + "minimise: low\n", "neither values nor low"),
    "levels": (HEAD + MASS.replace("}}", ", levels: 3}}") + LOW + "minimise: low\n", "levels: belongs to the grid"),
    "unknown constraint": (WHOLE + "constraints: {lov: {low: 0}}\n", "constraints.lov: unknown response 'lov'"),
    "empty constraint": (WHOLE + "constraints: {low: {}}\n", "constraints.low: has neither low nor high"),
    "turned constraint": (WHOLE + "constraints: {low: {low: 2, high: 1}}\n", "low.high: is 1, below low, 2"),
    "unknown method": (WHOLE + "method: {type: newton}\n", "method.type"),
    "no runs": (WHOLE + "method: {runs: 0}\n", "method.runs"),
    "few runs": (
        WHOLE + "method: {runs: 2}\nreplicates: {count: 3, type: value, path: gravity.0}\n",
        "method.runs: is 2, fewer than the 3 replicates",
    ),
    "unknown start": (WHOLE + "method: {start: {mas: 1}}\n", "method.start.mas: unknown factor 'mas'"),
    "start beyond": (
        WHOLE + "method: {start: {mass: 3}}\n",
        "method.start.mass: is 3, not between low, 1, and high, 2",
    ),
    "start of values": (
        HEAD
        + "factors: {mass: {path: bodies.rod.mass, values: [1, 2]}}\n"
        + LOW
        + "minimise: low\nmethod: {start: {mass: 1}}\n",
        "has values, none of which is a start",
    ),
    "simplex over values": (
        HEAD
        + "factors: {mass: {path: bodies.rod.mass, values: [1, 2]}}\n"
        + LOW
        + "minimise: low\nmethod: {type: nelder-mead}\n",
        "'nelder-mead' cannot go",
    ),
    "simplex over whole numbers": (
        HEAD + MASS.replace("}}", ", whole: true}}") + LOW + "minimise: low\nmethod: {type: bayesian}\n",
        "has whole numbers, between which 'bayesian' cannot go",
    ),
    "a plan": (WHOLE + "plan: {type: grid}\n", "plan"),
    "no such path": (WHOLE.replace("rod.mass", "rud.mass"), "did you mean 'rod'"),
    "no such channel": (WHOLE.replace("rod.position.z", "rud.position.z"), "response 'low'"),
    "sensor on nothing": (
        WHOLE.replace("duration: 0.1", "duration: 0.1, sensors: {tip: {frame: {body: rud}, quantity: position}}"),
        "base.sensors.tip",
    ),
    "weighting of a maximum": (
        WHOLE.replace("take: min", "take: min, weighting: Wk"),
        "responses.low.weighting: does not belong to 'min'",
    ),
    "a study": (WHOLE.replace("kind: optimisation", "kind: study"), "unknown kind 'study'"),
}


@pytest.mark.parametrize("case", FILES)
def test_faults_of_files(case: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, word = FILES[case]
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    out = tmp_path / "out"
    assert main(["optimise", str(path), "--out", str(out), "--workers", "1", "--quiet"]) == 2
    _, err = capfd.readouterr()
    assert word in err and "Traceback" not in err, err
    assert err.count("error:") == 1, err
    assert not list(out.glob("rows/*"))
