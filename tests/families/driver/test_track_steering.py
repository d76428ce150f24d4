"""A driver who steers by two driven wheels, as a vehicle with tracks is steered, without its slip."""

from __future__ import annotations

import numpy as np
import pytest

import grouser as gr
from grouser.catalog.scenarios import Scenario, apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.errors import ModelError
from grouser.output.handling_panels import make_offset, make_roll, make_vibration, make_yaw_rate

TREAD, RADIUS, SPEED, CIRCLE = 1.2, 0.3, 2.0, 10.0
SPIN = SPEED / RADIUS
WAY = [(-5.0, 0.0), *((CIRCLE * np.sin(a), CIRCLE * (1 - np.cos(a))) for a in np.linspace(0.0, 3.0, 91))]


def make_cart(path=WAY, **steering) -> gr.Model:
    """Two driven wheels and two smooth balls, 100 kg."""
    builder = gr.ModelBuilder("cart")
    builder.add_body("hull", 80.0, (5.0, 10.0, 12.0), position=(0.0, 0.0, RADIUS))
    for name, y in (("left", 0.5 * TREAD), ("right", -0.5 * TREAD)):
        builder.add_body(name, 10.0, (0.3, 0.45, 0.3), position=(0.0, y, RADIUS))
        builder.add_joint(f"{name}_axle", "revolute", "hull", name, point=(0.0, y, RADIUS), axis=(0, 1, 0))
        builder.add_motion(f"{name}_drive", f"{name}_axle", speed=[(0.0, 0.0), (2.0, SPIN)])
        builder.add_shape(f"{name}_tyre", "sphere", name, group="tyres", radius=RADIUS)
    for name, x in (("front", 0.6), ("rear", -0.6)):
        builder.add_shape(f"{name}_ball", "sphere", "hull", group="balls", position=(x, 0.0, 0.1 - RADIUS), radius=0.1)
    friction = {"mu": 0.9, "velocity": 0.01}
    builder.add_contact("grip", "tyres", "terrain", stiffness=2e5, damping=2e3, friction=friction)
    builder.add_contact("slide", "balls", "terrain", stiffness=2e5, damping=2e3)
    builder.set_terrain({"type": "plane"})
    tracks = {"left": "left_drive", "right": "right_drive", "tread": TREAD, "radius": RADIUS, **steering}
    builder.add_driver("driver", "hull", steering=tracks, path=path)
    return builder.build()


@pytest.fixture(scope="module", params=["penalty", "recursive"])
def circle(request) -> gr.Result:
    return gr.simulate(make_cart(), preset=request.param, duration=9.0, settle=False)


def test_it_stays_on_its_circle(circle):
    x, y = circle["hull.position"][:, :2].T
    late = circle.time > 6.0
    assert np.hypot(x, y - CIRCLE)[late] == pytest.approx(CIRCLE, abs=0.02)
    assert np.abs(circle["driver.lateral_offset"]).max() < 0.1


def test_sprockets_differ_as_the_circle_asks(circle):
    """Without slip w = B v/(2 R c) on a circle of radius c."""
    late = circle.time > 6.0
    half = 0.5 * TREAD * SPEED / (RADIUS * CIRCLE)
    assert circle["driver.wanted_angle"][late] == pytest.approx(half, rel=0.03)
    for name, sign in (("left", -1.0), ("right", 1.0)):
        spin = circle[f"{name}.angular_velocity"][late, 1]
        assert spin == pytest.approx(SPIN + sign * half, rel=0.01)
    assert circle.summary["energy_residual"] < 1e-3


def test_panels_of_handling(circle):
    """Offset and yaw rate of a vehicle that goes round a circle, SPEED/CIRCLE; it does not lean, and has no sensors."""
    yaw, offset = make_yaw_rate(circle), make_offset(circle)
    assert yaw is not None and offset is not None
    late = circle.time > 6.0
    assert yaw.lines[0].y[late] == pytest.approx(np.degrees(SPEED / CIRCLE), rel=0.03)
    assert offset.lines[0].y == pytest.approx(circle["driver.lateral_offset"])
    roll = make_roll(circle)
    assert roll is None or np.abs(roll.lines[0].y).max() < 1.0
    assert make_vibration(circle) is None


def test_a_wanted_yaw_rate_turns_on_the_spot():
    model = make_cart(path=[], rate=[(0.0, 0.0), (1.0, 0.8)], yaw_gain=0.0)
    still = {name: motion.model_copy(update={"value": 0.0}) for name, motion in model.motions.items()}
    result = gr.simulate(model.with_changes(motions=still), preset="penalty", duration=3.0, settle=False)
    assert result["hull.angular_velocity"][-1, 2] == pytest.approx(0.8, rel=0.02)
    assert np.abs(result["hull.position"][-1, :2]).max() < 0.02


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"right": "left_drive"}, "steering.right: is 'left_drive', as 'left' is"),
        ({"left": "wheel"}, "steering.left: unknown motion 'wheel'"),
        ({"tread": 0.0}, "steering.tread: "),
    ],
)
def test_faults(change, message):
    with pytest.raises(ModelError) as caught:
        make_cart(**change)
    assert message in str(caught.value)
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start_speed": 5.0}, "start_speed: is 5 m/s, but vehicles with tracks start at rest"),
        ({"driver": {"path": [[0, 0], [9, 0]]}}, "driver.speed: is missing"),
        ({"driver": {"speed": 1.0, "steering": 0.1}}, "driver.steering: 'm113' is steered by its tracks"),
    ],
)
def test_orders_that_tracks_cannot_follow(change, message):
    content = {"name": "s", "duration": 1.0, "driver": {"speed": 1.0}} | change
    with pytest.raises(ModelError) as caught:
        apply_scenario(load_vehicle("m113"), Scenario(**content))
    assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "aside"), [("lane-change", 3.5), ("nato-lane-change", 3.61)])
def test_an_m113_changes_lanes(scenario, aside):
    """At 30 km/h, within 0.15 m of the path, whose corners it cannot follow."""
    model = apply_scenario(load_vehicle("m113"), load_scenario(scenario))
    result = gr.simulate(model, duration=22.0)
    assert np.abs(result["driver.lateral_offset"]).max() < 0.15
    assert result["chassis.position"][:, 1].max() == pytest.approx(aside, abs=0.15)
    assert abs(result["chassis.position"][-1, 1]) < 0.05
    assert not result.summary["doubts"]
