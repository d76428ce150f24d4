"""An M113 driven by its engine: over a rough course at a kept speed, its power balance; a stop on a slope."""

from __future__ import annotations

import numpy as np
import pytest

import grouser as gr
from grouser.catalog.scenarios import Scenario, apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.errors import ModelError
from grouser.model.body import make_inertia_matrix
from grouser.model.rotation import quaternion_to_matrix

GRAVITY = 9.81


def drive(name: str, duration: float | None = None) -> gr.Result:
    scenario = load_scenario(name)
    model = apply_scenario(load_vehicle("m113"), scenario)
    return gr.simulate(model, duration=duration or scenario.duration)


@pytest.fixture(scope="module")
def course() -> gr.Result:
    return drive("cross-country", 7.0)


def test_it_keeps_its_speed_and_its_path(course):
    late = course.time > 5.5
    assert course["chassis.velocity"][late, 0] == pytest.approx(5.0, abs=0.4)
    assert np.abs(course["driver.lateral_offset"]).max() < 0.1
    assert course["powertrain.gear"][-1] == pytest.approx(2.0, abs=0.01)


def test_what_the_engine_gives_is_lost_or_kept(course):
    """Engine = losses + kinetic + potential within 1 %: by the ledger, which knows no share."""
    power = course.summary["power"]
    assert course.summary["energy_residual"] < 0.005
    kept = power["kinetic"] + power["potential"] + power["stored"]
    assert sum(power["losses"].values()) + kept == pytest.approx(power["work"], rel=0.01)
    assert power["engine_work"] == pytest.approx(power["work"], rel=0.002)
    losses = power["losses"]
    assert power["engine_work"] - power["drive_work"] - losses["converter"] - losses["gears"] - losses[
        "steering"
    ] == pytest.approx(power["stored"] - _calc_stored_beside(course), rel=0.05)
    assert {"wheel and track", "sprocket and track", "idler and track", "ground"} <= set(losses)
    assert power["work_per_metre"] == pytest.approx(power["work"] / course.summary["distance"])


def _calc_stored_beside(course):
    """Change of what is stored, less that of the turning engine [J]."""
    inertia, speed = course.model.forces["powertrain"].engine.inertia, course["powertrain.engine_speed"]
    engine = 0.5 * inertia * (speed[-1] ** 2 - speed[0] ** 2)
    return course.summary["power"]["stored"] - engine


def test_the_same_balance_from_channels_alone(course):
    """Energies anew from masses, places and velocities; losses from powers of frames. No ledger."""
    engine = np.trapezoid(course["powertrain.engine_power"], course.time)
    kept = np.subtract(_calc_energy(course, -1), _calc_energy(course, 0)).sum()
    names = [f"powertrain.{part}_loss" for part in ("converter", "gear", "steering")]
    names += [f"{name}.{kind}_loss" for name in course.model.contacts for kind in ("damping", "friction")]
    names += [f"{side}.brake.loss" for side in ("left", "right")]
    lost = sum(np.trapezoid(course[name], course.time) for name in names)
    for name, force in course.model.forces.items():
        if force.type in ("spring", "joint_spring"):  # dampers, and what their springs hold
            lost -= np.trapezoid(course[f"{name}.force"] * course[f"{name}.rate"], course.time)
    assert kept + lost == pytest.approx(engine, rel=0.01)


def _calc_energy(course, frame):
    """Kinetic and potential energy of all bodies, and that of the engine [J]."""
    kinetic = potential = 0.0
    for name, body in course.model.bodies.items():
        R = quaternion_to_matrix(tuple(course[f"{name}.orientation"][frame]))
        w, com = course[f"{name}.angular_velocity"][frame], np.array(body.com)
        v = course[f"{name}.velocity"][frame] + R @ np.cross(w, com)
        kinetic += 0.5 * (body.mass * v @ v + w @ make_inertia_matrix(body.inertia) @ w)
        potential += GRAVITY * body.mass * (course[f"{name}.position"][frame] + R @ com)[2]
    inertia = course.model.forces["powertrain"].engine.inertia
    return kinetic, potential, 0.5 * inertia * course["powertrain.engine_speed"][frame] ** 2


@pytest.mark.slow
def test_brakes_hold_it_on_a_slope():
    result = drive("slope-hold")
    held = (result.time > 13.0) & (result.time < 15.0)
    place = result["chassis.position"][held, 0]
    assert np.ptp(place) < 0.04 * 2.0  # tracks creep by up to 4 cm/s on a friction without memory
    assert result["chassis.velocity"][-1, 0] > 2.0
    weight = result.model.mass * GRAVITY
    torque = sum(
        result[f"powertrain.{side}_torque"][held] + result[f"{side}.brake.torque"][held] for side in ("left", "right")
    )
    radius = result.model.tracks["left"].rolling_radius
    assert torque.mean() == pytest.approx(weight * np.sin(np.arctan(0.3)) * radius, rel=0.1)


@pytest.mark.slow
def test_full_throttle_takes_it_through_its_gears():
    result = drive("acceleration")
    gear, speed = result["powertrain.gear"], result["chassis.velocity"][:, 0]
    assert gear[-1] == pytest.approx(4.0, abs=0.01)
    assert np.diff(gear).min() > -1e-3  # it never shifts down; steps of the integrator go a little too far
    assert 10.0 < speed[-1] < 17.9
    assert result.summary["energy_residual"] < 0.01


def test_what_cannot_be_driven_by_an_engine_is_refused():
    with pytest.raises(ModelError, match="'m113-paper' has no engine"):
        apply_scenario(load_vehicle("m113-paper"), load_scenario("acceleration"))
    with pytest.raises(ModelError, match="there is no driver to work it"):
        Scenario(name="mine", duration=1.0, engine=True)
    with pytest.raises(ModelError, match="'crawler' has none"):
        apply_scenario(load_vehicle("crawler"), load_scenario("acceleration"))


def test_sprockets_turn_by_their_motions_where_a_scenario_does_not_ask_for_the_engine():
    model = apply_scenario(load_vehicle("m113"), load_scenario("course"))
    assert set(model.motions) == {"left.drive", "right.drive"}
    assert "powertrain" not in model.forces
