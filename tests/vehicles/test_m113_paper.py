"""The M113 of the chain-formulations paper (GVSETS 2012): rest, drive, agreement of joint models, published numbers.

Sprocket speed zero until 1 s, then linear to 25 rad/s at 8 s, then constant; 10 s.
"""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.signal import butter, sosfiltfilt

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.realization import Penalty
from grouser.presets import TRACK_PINS, find_preset
from grouser.simulate import simulate

SPEED = 25.0
"""Final speed of the sprockets [rad/s]."""
SOFT = find_preset("penalty").with_realization(TRACK_PINS, Penalty(k=1.0e7, c=5.0e4))
RUNS = {
    "penalty": ("m113-paper", "penalty"),
    "bushing": ("m113-paper", "bushing"),
    "soft": ("m113-paper", SOFT),
    "rigid": ("m113-paper-rigid", "penalty"),
}
MORE = ("soft", "rigid")
"""Those that the paper compares with the others. A run by penalty takes ten seconds."""


@pytest.fixture(scope="module")
def runs():
    """Each run once."""
    done = {}

    def run(name):
        if name not in done:
            vehicle, preset = RUNS[name]
            model = apply_scenario(load_vehicle(vehicle), load_scenario("straight"))
            done[name] = simulate(model, preset=preset, duration=10.0)
        return done[name]

    return run


def test_ground_carries_the_weight_at_rest_and_both_sides_alike(runs):
    result = runs("penalty")
    weight = 9.81 * sum(body.mass for body in result.model.bodies.values())
    left, right = result["left.ground.normal"][0], result["right.ground.normal"][0]
    assert left + right == pytest.approx(weight, rel=5e-3)
    assert left == pytest.approx(right, rel=1e-3)


def test_at_rest_nothing_moves(runs):
    result = runs("penalty")
    velocity, _ = result.block("body/velocity")
    still = result.time < 0.95
    assert np.linalg.norm(velocity[still], axis=2).max() < 1e-3


@pytest.mark.parametrize("name", ["penalty", "bushing", *(pytest.param(one, marks=pytest.mark.slow) for one in MORE)])
def test_drives_straight_with_its_energy_accounted_for(runs, name):
    result = runs(name)
    summary = result.summary
    top = SPEED * result.model.tracks["left"].pitch_radius
    assert 0.9 * top < summary["final_speed"] < 1.0 * top
    assert summary["lateral_drift"] < 0.02
    assert summary["energy_residual"] < 0.01
    assert summary["events"] == []
    assert summary["settled"]


def test_track_passes_the_sprocket_a_link_a_tooth(runs):
    """The chain cannot slip on the sprocket: while a link goes once round the loop, the sprocket makes links/teeth
    turns. Seen from the top run, where link 1 passes the middle of the hull."""
    result = runs("penalty")
    track = result.model.tracks["left"]
    turned = cumulative_trapezoid(result["left.sprocket_speed"], result.time, initial=0.0)
    x = result["left.link1.position"][:, 0] - result["chassis.position"][:, 0] + 2.0
    top = result["left.link1.position"][:, 2] > 0.5
    passing = np.flatnonzero((x[:-1] * x[1:] < 0) & top[:-1])
    at = [turned[i] + (turned[i + 1] - turned[i]) * x[i] / (x[i] - x[i + 1]) for i in passing]
    assert len(at) >= 3
    assert np.diff(at) == pytest.approx(2 * np.pi * len(track.links) / track.teeth, rel=0.01)


def test_penalty_and_bushing_agree_on_position_and_speed(runs):
    penalty, bushing = runs("penalty"), runs("bushing")
    late = penalty.time >= 2.0
    for channel in ("chassis.position", "chassis.velocity"):
        a, b = penalty[channel][late, 0], bushing[channel][late, 0]
        assert a == pytest.approx(b, rel=0.01)


@pytest.mark.slow
def test_pin_deformation_as_in_the_paper(runs):
    """Figure 17: below 0.06 mm at 1e9 N/m, above 2.5 mm at 1e7 N/m."""
    assert runs("penalty").summary["max_pin_deformation"] < 0.06e-3
    assert runs("soft").summary["max_pin_deformation"] > 2.5e-3


@pytest.mark.slow
def test_suspension_takes_vibration_off_the_chassis(runs):
    """Figure 8: the height of the chassis vibrates less with the suspension than without. Height of the centre of mass
    above 3 Hz, that is without the squat and bounce that only a sprung hull has, from the first seconds on."""
    shaken = {}
    for name in ("penalty", "rigid"):
        result = runs(name)
        upright = result.calc_rotations(["chassis"])[:, 0, 2]
        height = result["chassis.position"][:, 2] + upright @ np.array(result.model.bodies["chassis"].com)
        vibration = sosfiltfilt(butter(2, 3.0, "high", fs=100.0, output="sos"), height)
        shaken[name] = np.std(vibration[result.time > 3.0])
    assert shaken["penalty"] < 0.85 * shaken["rigid"]


@pytest.mark.slow
def test_crawling_without_suspension_takes_the_same_work_by_implicit_steps_and_by_penalty():
    """Work of the drives from 2 to 4 s at 3.14 rad/s: 196.2 and 196.4 W."""
    model = apply_scenario(load_vehicle("m113-paper-rigid"), load_scenario("crawl-forward"))
    power = []
    for preset in (None, "penalty"):
        result = simulate(model, preset=preset, duration=4.0)
        work = result["energy.work_motions"]
        start, end = np.searchsorted(result.time, [2.0, 4.0 - 1e-9])
        power.append(float(work[end] - work[start]) / (result.time[end] - result.time[start]))
    assert power[0] == pytest.approx(power[1], rel=0.01)
