"""Which runs a study has: counts, bounds, and the same ones every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from study_case import write_study

from grouser.errors import ModelError
from grouser.model.document import parse_value
from grouser.study.plan import make_cases, make_points
from grouser.study.setup import list_overrides
from grouser.study.spec import Study, load_study

FACTORS = {
    "mass": {"path": "bodies.rod.mass", "low": 1.0, "high": 3.0, "levels": 5},
    "stiffness": {"path": "gravity", "low": 1.0, "high": 1e4, "levels": 3, "logarithmic": True},
    "class": {"type": "scenario", "path": "terrain.road_class", "values": ["A", "B"]},
}


def make(plan: dict, factors: dict = FACTORS, **more: object) -> Study:
    content = {"name": "one", "base": {"vehicle": "hmmwv"}, "factors": factors, "plan": plan, **more}
    return Study.model_validate(content)


def test_grid_has_every_combination_once() -> None:
    points = make_points(make({"type": "grid"}))
    assert len(points) == 30
    assert len({tuple(point.items()) for point in points}) == 30
    assert sorted({point["mass"] for point in points}) == [1.0, 1.5, 2.0, 2.5, 3.0]
    assert sorted({point["stiffness"] for point in points}) == pytest.approx([1.0, 100.0, 10000.0])
    assert points[0] == {"mass": 1.0, "stiffness": 1.0, "class": "A"}
    assert points[-1] == {"mass": 3.0, "stiffness": 1e4, "class": "B"}


@pytest.mark.parametrize("kind", ["latin-hypercube", "sobol"])
@pytest.mark.parametrize("count", [1, 16, 37])
def test_samples_lie_in_their_ranges_and_come_again(kind: str, count: int) -> None:
    plan = {"type": kind, "count": count, "seed": 7}
    points = make_points(make(plan))
    assert len(points) == count
    assert all(1.0 <= point["mass"] <= 3.0 for point in points)
    assert all(1.0 <= point["stiffness"] <= 1e4 for point in points)
    assert {point["class"] for point in points} <= {"A", "B"}
    assert points == make_points(make(plan))
    assert points != make_points(make({**plan, "seed": 8}))


def test_latin_hypercube_has_one_value_in_each_part_of_a_range() -> None:
    points = make_points(make({"type": "latin-hypercube", "count": 20, "seed": 3}))
    parts = np.floor((np.array([point["mass"] for point in points]) - 1.0) / 2.0 * 20)
    assert sorted(parts) == list(range(20))
    shares = np.log([point["stiffness"] for point in points]) / np.log(1e4)
    assert sorted(np.floor(shares * 20)) == list(range(20))


def test_sobol_has_as_many_values_in_each_half_and_its_first_points_are_those_of_a_longer_one() -> None:
    points = make_points(make({"type": "sobol", "count": 64}))
    assert sum(point["mass"] < 2.0 for point in points) == 32
    assert sum(point["class"] == "A" for point in points) == 32
    assert make_points(make({"type": "sobol", "count": 50})) == points[:50]
    assert make_points(make({"type": "sobol", "count": 16})) == points[:16]


def test_list_takes_lines_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("class, mass\nA, 1.25\n\nC, 2\n")
    factors = {"mass": {"path": "bodies.rod.mass"}, "class": {"type": "scenario", "path": "terrain.road_class"}}
    assert make_points(make({"type": "list", "file": str(file)}, factors)) == [
        {"class": "A", "mass": 1.25},
        {"class": "C", "mass": 2},
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "holds no combination"),
        ("mass\n", "holds no combination"),
        ("mas\n1\n", "did you mean 'mass'"),
        ("mass,mass\n1,2\n", "'mass' is given twice"),
        ("mass,class\n1,A\n", "unknown factor 'class'"),
        ("mass\n1,2\n", "line 2 has 2 values for 1 columns"),
        ("mass\n[1]\n", "line 2, mass: '[1]' is no number"),
        ("mass\n.nan\n", "line 2, mass: '.nan' is no number"),
    ],
)
def test_faults_of_lists(text: str, word: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text(text)
    with pytest.raises(ModelError) as caught:
        make_points(make({"type": "list", "file": str(file)}, {"mass": {"path": "bodies.rod.mass"}}))
    assert word in str(caught.value)
    assert str(file) in str(caught.value)


def test_replicates_have_seeds_that_follow() -> None:
    again = {"count": 3, "seed": 10, "path": "terrain.seed"}
    study = make({"type": "grid"}, {"mass": FACTORS["mass"]}, replicates=again)
    cases = make_cases(study)
    assert [case.run for case in cases] == list(range(15))
    assert [case.seed for case in cases] == [10, 11, 12] * 5
    assert [case.point for case in cases] == [point for point in range(5) for _ in range(3)]
    assert list_overrides(study, cases[4]) == (["bodies.rod.mass=1.5"], ["terrain.seed=11"])


def test_values_survive_as_text() -> None:
    factors = {"a": {"path": "x", "values": [1e-5, 0.1 + 0.2, True, "12", "1e3", "no", 3]}}
    study = make({"type": "grid"}, factors)
    told = [list_overrides(study, case)[0][0] for case in make_cases(study)]
    assert [parse_value(text.partition("=")[2]) for text in told] == [1e-5, 0.1 + 0.2, True, "12", "1e3", "no", 3]


def test_one_factor_may_replace_several_values() -> None:
    study = make({"type": "grid"}, {"a": {"path": "x", "also": ["y"], "values": [1.5]}})
    assert list_overrides(study, make_cases(study)[0])[0] == ["x=1.5", "y=1.5"]


def test_too_many_runs_are_refused_before_they_are_listed() -> None:
    factors = {f"f{i}": {"path": f"p{i}", "low": 0.0, "high": 1.0, "levels": 1000} for i in range(4)}
    with pytest.raises(ModelError, match="more than 1,000,000 combinations"):
        make_cases(make({"type": "grid"}, factors))


def test_files_are_looked_for_beside_the_study(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path))
    assert study.base.vehicle == str((tmp_path / "pendulum.yaml").resolve())
    assert len(make_cases(study)) == 3


def test_whole_numbers_stay_whole() -> None:
    factors = {"a": {"path": "x", "values": [63, 64.0]}, "b": {"path": "y", "low": 1, "high": 4, "whole": True}}
    points = make_points(make({"type": "latin-hypercube", "count": 40}, factors))
    assert {point["b"] for point in points} == {1, 2, 3, 4}
    assert {(point["a"], type(point["a"])) for point in points} == {(63, int), (64.0, float)}
    assert all(isinstance(point["b"], int) for point in points)
