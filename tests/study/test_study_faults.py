"""Broken study files: one clear sentence for every fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_case import PENDULUM

from grouser.errors import GrouserError, ModelError
from grouser.study.drive import run_study
from grouser.study.spec import load_study

HEAD = "grouser: 1\nkind: study\nname: broken\n"
BASE = "base: {vehicle: pendulum.yaml, duration: 0.1}\n"
MASS = "factors: {mass: {path: bodies.rod.mass, values: [1, 2]}}\n"

FILES = {
    "no base": (HEAD, ["base", "missing"]),
    "unknown key": (HEAD + BASE + "factor: {}\n", ["factor", "did you mean 'factors'"]),
    "no path": (HEAD + BASE + "factors: {mass: {values: [1]}}\n", ["factors.mass.path: is missing"]),
    "path of a preset": (
        HEAD + BASE + "factors: {how: {type: preset, path: a, values: [penalty]}}\n",
        ["factors.how.path", "has no path: remove it"],
    ),
    "unknown preset": (
        HEAD + BASE + "factors: {how: {type: preset, values: [penalti]}}\n",
        ["factors.how.values[0]", "did you mean 'penalty'"],
    ),
    "preset of the base": (HEAD + "base: {vehicle: a, preset: quick}\n", ["base.preset: unknown preset 'quick'"]),
    "values and range": (
        HEAD + BASE + "factors: {m: {path: a, values: [1], low: 0, high: 1}}\n",
        ["factors.m: has both values and a range"],
    ),
    "no values": (HEAD + BASE + "factors: {m: {path: a}}\n", ["factors.m: has neither values nor low and high"]),
    "empty values": (HEAD + BASE + "factors: {m: {path: a, values: []}}\n", ["factors.m.values: is empty"]),
    "one end": (HEAD + BASE + "factors: {m: {path: a, low: 1, levels: 2}}\n", ["give low and high"]),
    "turned range": (
        HEAD + BASE + "factors: {m: {path: a, low: 2, high: 1, levels: 2}}\n",
        ["factors.m.high: is 1, not above low, 2"],
    ),
    "logarithm of nought": (
        HEAD + BASE + "factors: {m: {path: a, low: 0, high: 1, levels: 2, logarithmic: true}}\n",
        ["factors.m.low: is 0; a logarithmic range"],
    ),
    "grid without levels": (HEAD + BASE + "factors: {m: {path: a, low: 0, high: 1}}\n", ["factors.m.levels"]),
    "value twice": (HEAD + BASE + "factors: {m: {path: a, values: [1, 1]}}\n", ["values[1]: 1 is given twice"]),
    "same path twice": (
        HEAD + BASE + "factors: {a: {path: x, values: [1]}, b: {path: x, values: [2]}}\n",
        ["factors.b: replaces 'x', as 'a' does"],
    ),
    "name of a column": (HEAD + BASE + "factors: {run: {path: a, values: [1]}}\n", ["another column", "run_value"]),
    "factor and response": (
        HEAD + BASE + MASS + "responses: {mass: {summary: distance}}\n",
        ["responses.mass: a factor has this name too"],
    ),
    "no count": (HEAD + BASE + MASS + "plan: {type: sobol}\n", ["plan.count: is missing"]),
    "count of a grid": (HEAD + BASE + MASS + "plan: {count: 3}\n", ["plan.count: the plan 'grid' has no count"]),
    "no file": (HEAD + BASE + "factors: {m: {path: a}}\nplan: {type: list}\n", ["plan.file: is missing"]),
    "values beside a list": (HEAD + BASE + MASS + "plan: {type: list, file: a.csv}\n", ["takes them from its file"]),
    "unknown plan": (HEAD + BASE + MASS + "plan: {type: random}\n", ["plan.type", "sobol"]),
    "unknown response": (HEAD + BASE + "responses: {a: {take: sum, of: x}}\n", ["responses.a.take", "damage"]),
    "half a response": (HEAD + BASE + "responses: {a: {take: max}}\n", ["responses.a: lacks of"]),
    "two responses in one": (
        HEAD + BASE + "responses: {a: {summary: distance, take: max}}\n",
        ["responses.a: takes a number of the summary: remove take"],
    ),
    "no percentage": (HEAD + BASE + "responses: {a: {take: percentile, of: x}}\n", ["percent: is missing"]),
    "percentage of a maximum": (
        HEAD + BASE + "responses: {a: {take: max, of: x, percent: 5}}\n",
        ["responses.a.percent: does not belong to 'max'"],
    ),
    "no strength": (HEAD + BASE + "responses: {a: {take: damage, of: x, exponent: 5}}\n", ["strength: is missing"]),
    "turned times": (HEAD + BASE + "responses: {a: {take: max, of: x, start: 2, end: 1}}\n", ["not after start"]),
    "broken expression": (HEAD + BASE + "responses: {a: {take: max, of: '[x] +'}}\n", ["responses.a.of", "missing"]),
    "open bracket": (HEAD + BASE + "responses: {a: {take: max, of: 'abs([x)'}}\n", ["bracket"]),
    "unknown function": (HEAD + BASE + "responses: {a: {take: max, of: 'ab([x])'}}\n", ["did you mean 'abs'"]),
    "seeds of a factor": (
        HEAD + BASE + MASS + "replicates: {count: 2, type: value, path: bodies.rod.mass}\n",
        ["replicates.path", "that of a factor too"],
    ),
    "settled and given": (HEAD + "base: {vehicle: a, settle: true, initial: a.npz}\n", ["base.settle"]),
    "long interval": (HEAD + "base: {vehicle: a, duration: 0.1, output_interval: 1}\n", ["base.output_interval"]),
    "long step": (HEAD + "base: {vehicle: a, step: 0.1}\n", ["base.step: is 0.1 [s], longer"]),
    "another kind": ("grouser: 1\nkind: stdy\nname: a\n", ["unknown kind 'stdy'"]),
}


@pytest.mark.parametrize("case", FILES)
def test_faults_of_files(case: str, tmp_path: Path) -> None:
    text, words = FILES[case]
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        load_study(path)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(HEAD + BASE + "factors: {m: {path: a}}\nplan: {type: sobol}\nresponses: {a: {take: max}}\n")
    with pytest.raises(ModelError) as caught:
        load_study(path)
    assert len(caught.value.faults) == 3
    assert all(str(path) in fault for fault in caught.value.faults)


STUDIES = {
    "no vehicle": ("base: {vehicle: nowhere.yaml}\n", ["nowhere.yaml", "no such file"]),
    "no such path": (BASE + "factors: {m: {path: bodies.rud.mass, values: [1]}}\n", ["did you mean 'rod'"]),
    "no scenario": (
        BASE + "factors: {m: {type: scenario, path: terrain.seed, values: [1]}}\n",
        ["base.scenario: there is no scenario"],
    ),
    "no such path of the scenario": (
        "base: {vehicle: hmmwv, scenario: ride}\nfactors: {m: {type: scenario, path: terain.seed, values: [1]}}\n",
        ["scenario value terain.seed=1", "did you mean 'terrain'"],
    ),
    "unknown scenario": ("base: {vehicle: pendulum.yaml, scenario: strait}\n", ["did you mean 'straight'"]),
    "no such state": ("base: {vehicle: pendulum.yaml, initial: rest.npz}\n", ["base.initial", "rest.npz"]),
    "no such list": (BASE + "factors: {m: {path: a}}\nplan: {type: list, file: a.csv}\n", ["a.csv: there is no such"]),
}


@pytest.mark.parametrize("case", STUDIES)
def test_faults_that_are_found_before_the_first_run(case: str, tmp_path: Path) -> None:
    text, words = STUDIES[case]
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    path = tmp_path / "broken.yaml"
    path.write_text(HEAD + text)
    with pytest.raises(GrouserError) as caught:
        run_study(load_study(path), tmp_path / "out")
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert not (tmp_path / "out").exists()
