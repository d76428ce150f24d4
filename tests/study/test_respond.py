"""Responses against numpy and published cycles."""

from __future__ import annotations

import numpy as np
import pytest
from study_case import write_study

from grouser.errors import ResultError
from grouser.model.expression import calc_channel_expression, find_channel_names
from grouser.result.rainflow import calc_damage, count_cycles
from grouser.result.result import Result
from grouser.result.ride import calc_absorbed_power, calc_weighted
from grouser.study.experiment import Response
from grouser.study.plan import make_cases
from grouser.study.respond import calc_response, check_responses
from grouser.study.single import simulate_case
from grouser.study.spec import load_study


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    study = load_study(write_study(tmp_path_factory.mktemp("swing"), duration=0.5))
    return simulate_case(study, make_cases(study)[1])


def find(result: Result, **keys: object) -> float:
    return calc_response("one", Response.model_validate(keys), result)


def test_responses_agree_with_numpy(result: Result) -> None:
    z, x, time = result["rod.position.z"], result["rod.position.x"], result.time
    assert find(result, take="max", of="rod.position.x") == x.max()
    assert find(result, take="min", of="rod.position.z") == z.min()
    assert find(result, take="mean", of="rod.position.z") == z.mean()
    assert find(result, take="rms", of="rod.position.z") == np.sqrt(np.mean(z**2))
    assert find(result, take="percentile", of="rod.position.z", percent=30) == np.percentile(z, 30)
    assert find(result, take="at", of="rod.position.z", time=0.123) == np.interp(0.123, time, z)
    assert find(result, take="at", of="rod.position.z", time=0.5) == z[-1]
    inside = (time >= 0.1) & (time <= 0.2)
    assert find(result, take="mean", of="rod.position.x", start=0.1, end=0.2) == x[inside].mean()
    assert find(result, summary="energy_residual") == result.summary["energy_residual"]


def test_what_a_person_feels_of_an_acceleration(result: Result) -> None:
    time, values = result.time, 3.0 * result["rod.velocity.x"]
    later = time >= 0.1
    for weighting in ("Wk", "Wd"):
        weighted = calc_weighted(time, values, weighting)[later]
        keys = {"of": "3 * [rod.velocity.x]", "weighting": weighting, "start": 0.1}
        assert find(result, take="weighted_rms", **keys) == pytest.approx(np.sqrt(np.mean(weighted**2)), rel=1e-12)
        assert find(result, take="vdv", **keys) == pytest.approx((np.sum(weighted**4) * 0.01) ** 0.25, rel=1e-9)
    power = calc_absorbed_power(time[later], values[later])
    assert find(result, take="absorbed_power", of="3 * [rod.velocity.x]", start=0.1) == pytest.approx(power, rel=1e-9)
    with pytest.raises(ResultError, match=r"response 'one'.*a spectrum needs at least"):
        find(result, take="vdv", of="rod.velocity.x", start=0.4)


def test_expressions_of_channels(result: Result) -> None:
    z, x, time = result["rod.position.z"], result["rod.position.x"], result.time
    of = "sqrt([rod.position.x]^2 + [rod.position.z]^2) - 2*t + if([rod.position.x] < 0.4, 1, 0)"
    expected = np.sqrt(x**2 + z**2) - 2 * time + np.where(x < 0.4, 1, 0)
    assert find(result, take="rms", of=of) == pytest.approx(np.sqrt(np.mean(expected**2)), rel=1e-14)


def test_names_of_channels_may_have_anything_but_brackets() -> None:
    names = ("left.link-1.tension", "rod@x1.position.x", "a b")
    text = " + ".join(f"[{name}]" for name in names)
    assert find_channel_names(text) == names
    values = {name: np.array([10.0**i]) for i, name in enumerate(names)}
    assert calc_channel_expression(text, np.zeros(1), values) == 111.0


def test_rainflow_of_the_standard() -> None:
    # ASTM E1049-85, figure 6: ranges 3 (half), 4 (one and a half), 6 (half), 8 (twice a half), 9 (half)
    ranges, counts = count_cycles(np.array([-2.0, 1, -3, 5, -1, 3, -4, 4, -2]))
    found = {size: float(counts[ranges == size].sum()) for size in np.unique(ranges)}
    assert found == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


def test_damage_of_a_wave_is_that_of_its_cycles() -> None:
    time = np.linspace(0.0, 20.0, 8001)
    damage = calc_damage(3.0 * np.sin(2 * np.pi * time), 30.0, 5.0)
    # half cycles from and to nought have half of the range: 19.5 cycles of the amplitude 3, and two halves of 1.5
    assert damage == pytest.approx((19.5 + 0.5**5) * (3.0 / 30.0) ** 5, rel=1e-6)
    assert calc_damage(np.ones(5), 30.0, 5.0) == 0.0


def test_damage_does_not_depend_on_points_between_turns() -> None:
    values = np.random.default_rng(4).normal(size=200)
    finer = np.interp(np.linspace(0, 199, 1991), np.arange(200), values)
    assert calc_damage(finer, 2.0, 3.0) == pytest.approx(calc_damage(values, 2.0, 3.0), rel=1e-9)


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"take": "max", "of": "rud.position.z"}, "did you mean"),
        ({"take": "max", "of": "rod.position"}, "rod.position.x"),
        ({"summary": "energy_residul"}, "did you mean 'energy_residual'"),
        ({"summary": "integrator"}, "is no number"),
    ],
)
def test_responses_that_no_run_can_give(result: Result, keys: dict, word: str) -> None:
    with pytest.raises(ResultError, match=word):
        check_responses({"one": Response.model_validate(keys)}, result)


@pytest.mark.parametrize(
    ("keys", "word"),
    [
        ({"take": "at", "of": "rod.position.z", "time": 2.0}, "frames that count go from 0 to 0.5 s"),
        ({"take": "max", "of": "rod.position.z", "start": 2.0}, "no frame from 2 to inf s"),
    ],
)
def test_times_beyond_the_run(result: Result, keys: dict, word: str) -> None:
    with pytest.raises(ResultError, match=word):
        find(result, **keys)
