"""A steered run, the open-data M113, and vehicles of one's own."""

import numpy as np
import pytest

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.errors import ModelError
from grouser.simulate import simulate

EXPENSIVE = pytest.param("penalty", marks=pytest.mark.slow)
"""Explicit steps take four times as long for the same motion."""


@pytest.mark.parametrize("preset", ["implicit", EXPENSIVE])
def test_turns_in_a_circle_without_throwing_a_track(preset):
    """Left 15, right 25 rad/s: to the left, on a circle, no link leaves its wheels."""
    model = apply_scenario(load_vehicle("m113"), load_scenario("turn"))
    result = simulate(model, preset=preset, duration=14.0)
    assert result.summary["events"] == []
    assert result.summary["yaw_angle"] > 2 * np.pi
    assert result.summary["energy_residual"] < 0.01
    late = result.time > 9.0
    position = result["chassis.position"][late, :2]
    # a circle: the distance from the fitted centre hardly varies
    a = np.column_stack([2 * position, np.ones(len(position))])
    centre = np.linalg.lstsq(a, (position**2).sum(axis=1), rcond=None)[0]
    radius = np.linalg.norm(position - centre[:2], axis=1)
    assert np.std(radius) < 0.02 * np.mean(radius)
    # wider than the circle of tracks that do not slip, (v_left + v_right)/(v_right - v_left) times half the tread
    assert 4.3 < np.mean(radius) < 8.0


@pytest.mark.parametrize("preset", ["implicit", EXPENSIVE])
def test_turning_beyond_the_grip_slides_but_keeps_its_tracks(preset):
    """The paper's ground has mu = 0.3, the same turn at 4.8 m/s would need 0.55 g: it slides out of its circle."""
    model = apply_scenario(load_vehicle("m113-paper"), load_scenario("turn"))
    result = simulate(model, preset=preset, duration=10.0)
    assert result.summary["events"] == []
    assert result.summary["yaw_angle"] > np.pi
    assert result.summary["energy_residual"] < 0.01


def test_open_data_m113_drives():
    model = apply_scenario(load_vehicle("m113"), load_scenario("straight"))
    result = simulate(model, preset="penalty", duration=3.0)
    assert result.summary["events"] == []
    assert result.summary["energy_residual"] < 0.01
    track = result.model.tracks["left"]
    laid = np.trapezoid(result["left.sprocket_speed"], result.time) * track.rolling_radius
    assert result.summary["displacement_forward"] == pytest.approx(laid, rel=0.05)
    weight = 9.81 * sum(body.mass for body in result.model.bodies.values())
    ground = result["left.ground.normal"][0] + result["right.ground.normal"][0]
    assert ground == pytest.approx(weight, rel=5e-3)


OWN = """
grouser: 1
kind: tracked-vehicle
extends: m113
name: own
right: null
shocks: null
idler: {centre: [-4.35, -0.12]}
road_wheels:
  radius: 0.295
  centres: [[-0.655, -0.215], [-1.25, -0.215], [-1.85, -0.215], [-2.45, -0.215], [-3.05, -0.215], [-3.65, -0.215]]
sprocket: {teeth: 11, arc_radius: 0.05, arc_centre_radius: 0.262, addendum_radius: 0.255}
links:
  count: COUNT
  pitch: 0.14
  surface: {length: 0.09}
  pad: {length: 0.10}
  pins: {positions: [[-0.07, 0]], radius: 0.02}
"""


def test_a_vehicle_of_ones_own_routes_settles_and_drives(tmp_path):
    """Six road wheels, another pitch, another sprocket, made from the M113 by changing its file."""
    file = tmp_path / "own.yaml"
    file.write_text(OWN.replace("COUNT", "76"))
    result = simulate(apply_scenario(load_vehicle(file), load_scenario("straight")), duration=2.5)
    assert len(result.model.tracks["left"].wheels) == 6
    assert result.summary["settled"]
    assert result.summary["events"] == []
    assert result.summary["displacement_forward"] > 0.3


def test_a_chain_that_cannot_close_says_what_would_fit(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text(OWN.replace("COUNT", "60"))
    with pytest.raises(ModelError, match="Link counts that fit") as error:
        apply_scenario(load_vehicle(file), load_scenario("straight"))
    assert "mm" in str(error.value)
