"""The crawler of the catalog: assembly, rest, forward and reverse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grouser.catalog.crawler.build import calc_sink, calc_weight, make_crawler
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.cli.source import Wishes, prepare_source
from grouser.errors import ModelError
from grouser.presets import PLANAR_TOLERANCE, find_default, find_preset
from grouser.simulate import settle, simulate


@pytest.fixture(scope="module")
def spec():
    vehicle = load_vehicle("crawler")
    assert isinstance(vehicle, Crawler)
    return vehicle


@pytest.fixture(scope="module")
def rest(spec):
    return settle(make_crawler(spec), preset="recursive")


def drive(spec, rest, name, duration=3.0):
    model = apply_scenario(spec, load_scenario(name))
    return simulate(model, preset="recursive", duration=duration, initial=rest, output_interval=0.005, step=2e-4)


def test_the_track_closes_and_touches_nothing_at_the_start(spec):
    model = make_crawler(spec)
    assert 15e3 < 2 * calc_weight(spec) / 9.81 < 20e3
    assert 40 <= spec.links.count <= 45
    result = simulate(model, preset="recursive", duration=0.001, output_interval=0.001, settle=False, step=1e-4)
    for contact in ("sprocket_track", "wheel_track", "sole_ground"):
        assert result[f"{contact}.count"][0] == 0
    gaps = [np.linalg.norm(np.array(model.bodies[a].position) - model.bodies[b].position) for a, b in _pairs(model)]
    assert max(gaps) <= spec.links.pitch + 1e-9


def _pairs(model):
    links = model.tracks["left"].links
    return zip(links, [*links[1:], links[0]], strict=True)


def test_at_rest_the_ground_carries_the_weight(spec, rest):
    result = drive(spec, rest, "rest", duration=0.5)
    ground = result["grouser_ground.normal"] + result["sole_ground.normal"]
    assert ground.mean() == pytest.approx(calc_weight(spec), rel=1e-3)
    links = result.model.tracks["left"].links
    assert result.block("link/ground_force", links)[0][..., 2].sum(axis=1) == pytest.approx(ground, rel=1e-9)
    assert result["grouser_ground.penetration"].max() < 2.0 * calc_sink(spec)
    # it creeps by the friction of rails on wheels, until the runs of the track pull evenly
    assert np.abs(result["superstructure.velocity"]).max() < 5e-3


def test_forward_and_reverse(spec, rest):
    """Speed is that of the pitch polygon, less slip; reverse is its mirror but for which run is taut."""
    distances = []
    for name, sign in (("crawl-forward", 1.0), ("crawl-reverse", -1.0)):
        result = drive(spec, rest, name)
        pace = 3.14 * spec.sprocket.teeth * spec.links.pitch / (2 * np.pi)
        speed = sign * result["superstructure.velocity.x"][result.time > 1.5].mean()
        assert speed == pytest.approx(pace, rel=0.01)
        assert result.summary["constraint_violation"]["position"] < 1e-9
        assert np.abs(result["superstructure.position.y"]).max() < 1e-12
        effort = sign * result["left.drive.effort"][result.time > 1.5].mean()
        assert effort > 0.0
        distances.append(sign * result.summary["displacement_forward"])
    assert distances[1] == pytest.approx(distances[0], rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["penalty", "implicit"])
def test_other_presets_stay_on_their_track(spec, rest, preset):
    """Out of the plane rounding would grow 17 times a second, and lead the track off its wheels within 10 s."""
    model = apply_scenario(spec, load_scenario("crawl-forward"))
    result = simulate(model, preset=preset, duration=12.0, initial=rest, output_interval=0.02)
    for body in model.bodies:
        sideways = result[f"{body}.position.y"]
        assert np.abs(sideways - sideways[0]).max() == 0.0
        assert np.abs(result[f"{body}.velocity.y"]).max() == 0.0
    pace = 3.14 * spec.sprocket.teeth * spec.links.pitch / (2 * np.pi)
    assert result["superstructure.velocity.x"][result.time > 1.5].mean() == pytest.approx(pace, rel=0.01)


@pytest.mark.parametrize("kind", ["bump", "sine"])
def test_a_run_without_options_is_accurate(spec, rest, kind):
    """Limits as in docs/accuracy.md, against a tolerance fifty times as tight. By leapfrog steps speeds were 1.8 and
    2.1 % off, mean tensions 3.2 and 2.9 %, and the largest over the sine 12 %."""
    scenario = load_scenario(f"crawl-{kind}")
    model = apply_scenario(spec, scenario)
    result = simulate(model, initial=rest, duration=scenario.duration, strict=True)
    assert (result.header["preset"], result.header["integrator"]) == ("recursive", "adams")
    exact = simulate(model, initial=rest, duration=scenario.duration, tolerance=1e-5)
    late = result.time >= 2.0
    for name, limit in (("position.x", 5e-3), ("velocity.x", 5e-3)):
        found, expected = result[f"superstructure.{name}"][late], exact[f"superstructure.{name}"][late]
        assert np.abs(found - expected).max() < limit * np.abs(expected).max()
    for name, limit in (("mean", 0.015), ("p999", 0.05), ("max", 0.10)):
        key = f"{name}_link_tension"
        assert result.summary[key] == pytest.approx(exact.summary[key], rel=limit)
    assert result.summary["energy_residual"] < 0.01


def test_another_integrator_has_its_usual_tolerance(spec):
    """That of the default is for `adams` alone, and a preset that is named is as it comes."""
    default = find_default(make_crawler(spec))
    assert (default.name, default.integrator, default.tolerance) == ("recursive", "adams", PLANAR_TOLERANCE)
    assert default.with_integrator("adams").tolerance == PLANAR_TOLERANCE
    assert default.with_integrator("adams", 1e-7).tolerance == 1e-7
    assert default.with_integrator("cvode-adams").tolerance is None
    assert default.with_integrator("leapfrog") == find_preset("recursive")


def test_the_command_line_takes_the_same_default(spec):
    wishes = Wishes("crawler", "crawl-bump", None, None, None, None, None, None)
    source, preset = prepare_source(wishes, quiet=True)
    assert preset == find_default(source.model)
    assert prepare_source(replace(wishes, preset="recursive"), quiet=True)[1] == find_preset("recursive")


def test_the_trough_shakes_the_seat_most(spec, rest):
    """The finding of S1: more than bump, ramp and sine of equal height and length, in displacement and acceleration."""
    shaken = {}
    for kind in ("bump", "trough", "ramp", "sine"):
        model = apply_scenario(spec, load_scenario(f"crawl-{kind}"))
        options = {"integrator": "adams", "tolerance": 1e-3, "output_interval": 0.01}
        duration = load_scenario(f"crawl-{kind}").duration
        result = simulate(model, preset="recursive", initial=rest, duration=duration, **options)
        seat = result["suspension.coordinate"][result.time > 1.5]
        acceleration = result["seat_acceleration.value.z"][result.time > 1.5]
        shaken[kind] = np.array([np.abs(seat - seat[0]).max(), np.abs(acceleration).max(), acceleration.std()])
    for kind in ("bump", "ramp", "sine"):
        assert np.all(shaken["trough"] > 1.3 * shaken[kind])


def test_links_that_do_not_fit_are_refused_with_those_that_do(spec):
    with pytest.raises(ModelError, match="Link counts that fit the travel: 4"):
        make_crawler(spec.with_changes(links={"count": 60}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sprocket": {"root_radius": 0.31, "tip_radius": 0.36}}, "use a smaller root_radius"),
        ({"links": {"bushing_radius": 0.04}}, "does not fit into seats"),
        ({"links": {"rail_flat": 0.2}}, "no shorter than rail_length"),
        ({"idler_travel": [0.1, 0.1]}, "must be a range"),
        ({"sprocket": {"teeth": 30}}, "neighbouring teeth overlap"),
    ],
)
def test_impossible_crawlers(spec, changes, words):
    with pytest.raises(ModelError, match=words):
        make_crawler(spec.with_changes(**changes))
