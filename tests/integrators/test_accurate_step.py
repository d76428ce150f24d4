"""Steps that nothing stiff limits: impacts that come later, and fast spin, are followed within 1 % by default."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import grouser as gr
from grouser.compile.accuracy import calc_spin, find_impact_step
from grouser.presets import PRESETS
from grouser.simulate import LONGEST_STEP, prepare

GRAVITY = 9.81
SPIN = 150.0
"""Of the top [rad/s]."""
MASS, LEVER, ACROSS, ALONG, TILT = 1.0, 0.1, 2e-3, 1e-3, 0.5
"""The top: mass [kg], height of its centre above the tip [m], moments about its centre [kg m^2], tilt [rad]."""
HEIGHT = 0.5
"""From which the ball falls [m]."""


def make_top():
    builder = gr.ModelBuilder("top")
    axis = np.array([math.sin(TILT), 0.0, math.cos(TILT)])
    turned = (math.cos(0.5 * TILT), 0.0, math.sin(0.5 * TILT), 0.0)
    builder.add_body("top", MASS, (ACROSS, ACROSS, ALONG), position=LEVER * axis, orientation=turned,
                     angular_velocity=(0.0, 0.0, SPIN))  # fmt: skip
    builder.add_joint("tip", "spherical", "world", "top", point=(0.0, 0.0, 0.0))
    return builder.build()


def calc_place(duration):
    """Centre of the heavy symmetric top, from its Euler angles: tilt and precession, momenta about both axes kept."""
    across, kept = ACROSS + MASS * LEVER**2, ALONG * SPIN

    def calc_rates(_, y):
        tilt, rate, _ = y
        precession = kept * (math.cos(TILT) - math.cos(tilt)) / (across * math.sin(tilt) ** 2)
        bent = precession**2 * math.cos(tilt) - (kept * precession - MASS * GRAVITY * LEVER) / across
        return rate, bent * math.sin(tilt), precession

    tilt, _, turned = solve_ivp(calc_rates, (0.0, duration), (TILT, 0.0, 0.0), rtol=1e-11, atol=1e-12).y[:, -1]
    return LEVER * np.array([math.sin(tilt) * math.cos(turned), math.sin(tilt) * math.sin(turned), math.cos(tilt)])


@pytest.mark.parametrize("preset", ["penalty", "constrained", "recursive", "embedded"])
def test_a_heavy_top_is_where_it_should_be_after_a_second(preset):
    result = gr.simulate(make_top(), preset=preset, duration=1.0)
    assert np.linalg.norm(result["top.position"][-1] - calc_place(1.0)) < 0.01 * LEVER
    assert result.summary["events"] == []


def test_a_step_of_the_user_is_left_and_told():
    result = gr.simulate(make_top(), preset="recursive", duration=0.1, step=1e-3)
    assert result.summary["step"] == 1e-3
    assert "spin of 150 rad/s of body 'top'" in result.summary["step_warning"]


def test_energy_from_nowhere_is_told():
    """Euler steps take gyroscopic forces from their beginning: what turns fast gains energy."""
    result = gr.simulate(make_top(), preset="recursive", integrator="euler", duration=0.3)
    events = {event["kind"]: event["message"] for event in result.summary["events"]}
    assert "gyroscopic" in events["energy gained"]


def make_rotor(drive=None, bearing="revolute"):
    builder = gr.ModelBuilder("rotor", gravity=(0.0, 0.0, 0.0))
    spin = 0.0 if drive else SPIN
    builder.add_body("rotor", 1.0, (0.01, 0.01, 0.02), angular_velocity=(0.0, 0.0, spin))
    builder.add_joint("bearing", bearing, "world", "rotor", axis=(0.0, 0.0, 1.0))
    if drive:
        builder.add_motion("drive", "bearing", speed=drive)
    return builder.build()


def test_spin_in_bearings_needs_no_short_steps_and_spin_on_a_ball_does():
    for bearing, rate in (("revolute", 0.0), ("spherical", SPIN)):
        compiled, _ = prepare(make_rotor(bearing=bearing), "recursive")
        found, body = calc_spin(compiled, compiled.initial)
        assert found == pytest.approx(rate, abs=1e-6)
        assert body == "rotor"
    assert gr.simulate(make_rotor(), preset="recursive", duration=0.02).summary["step"] == LONGEST_STEP


def test_spin_that_comes_on_the_way_shortens_the_steps():
    """A gimbal holds a rotor that is driven up: where it is slow steps are long."""
    builder = gr.ModelBuilder("gyroscope", gravity=(0.0, 0.0, 0.0))
    builder.add_body("rotor", 1.0, (0.01, 0.01, 0.02))
    builder.add_body("frame", 0.1, (1e-3, 1e-3, 1e-3))
    builder.add_joint("gimbal", "universal", "world", "frame", axis=(0.0, 0.0, 1.0))
    builder.add_joint("bearing", "revolute", "frame", "rotor", axis=(0.0, 0.0, 1.0))
    builder.add_motion("drive", "bearing", speed="600*t")
    model = builder.build()
    slow = gr.simulate(model, preset="recursive", duration=0.05)
    assert slow.summary["step"] == pytest.approx(LONGEST_STEP)
    fast = gr.simulate(model, preset="recursive", duration=0.2)
    assert 0.02 < fast.summary["step"] * 120.0 < 0.04
    assert fast.summary["events"] == []


def make_ball(stiffness, ratio, height=HEIGHT):
    builder = gr.ModelBuilder("ball")
    builder.add_body("ball", 1.0, (0.01, 0.01, 0.01), position=(0.0, 0.0, height))
    builder.add_shape("point", "points", "ball", group="point", positions=[(0.0, 0.0, 0.0)])
    builder.add_contact("ground", "point", "terrain", stiffness=stiffness, damping=2.0 * ratio * math.sqrt(stiffness))
    builder.set_terrain({"type": "plane"})
    return builder.build()


def calc_restitution(stiffness, ratio):
    """Speed after the bounce over that before, both where the ball passes the ground, of k d + c dd >= 0 and weight."""
    damping = 2.0 * ratio * math.sqrt(stiffness)

    def calc_force(_, y):
        return -stiffness * y[0] - damping * y[1]

    calc_force.terminal, calc_force.direction = True, -1
    speed = math.sqrt(2.0 * GRAVITY * HEIGHT)
    run = solve_ivp(lambda t, y: (y[1], calc_force(t, y) - GRAVITY), (0.0, 1.0), (-1e-12, -speed), events=calc_force,
                    rtol=1e-10, atol=1e-13, max_step=0.02 / math.sqrt(stiffness))  # fmt: skip
    return math.sqrt(run.y[1, -1] ** 2 + 2.0 * GRAVITY * run.y[0, -1]) / speed


@pytest.mark.parametrize(("preset", "integrator"), [("penalty", None), ("recursive", None), ("recursive", "rk4")])
@pytest.mark.parametrize(("stiffness", "ratio"), [(1e4, 0.3), (1e6, 0.0), (1e6, 0.1), (1e6, 0.3)])
def test_a_ball_that_bounces_later_comes_up_again_as_it_should(preset, integrator, stiffness, ratio):
    result = gr.simulate(make_ball(stiffness, ratio), preset=preset, integrator=integrator, duration=0.45)
    height, speed = result["ball.position"][:, 2], result["ball.velocity"][:, 2]
    after = np.argmax((speed > 0.0) & (height > 0.0))
    found = math.sqrt((speed[after] ** 2 + 2.0 * GRAVITY * height[after]) / (2.0 * GRAVITY * HEIGHT))
    assert found == pytest.approx(calc_restitution(stiffness, ratio), rel=0.01)


@pytest.mark.parametrize("ratio", [0.1, 0.6])
def test_it_does_not_matter_where_in_a_step_the_ball_meets_the_ground(ratio):
    exact = calc_restitution(1e6, ratio)
    for height in np.linspace(0.998 * HEIGHT, HEIGHT, 8):
        result = gr.simulate(make_ball(1e6, ratio, height), preset="recursive", duration=0.36)
        heights, speed = result["ball.position"][:, 2], result["ball.velocity"][:, 2]
        after = np.argmax((speed > 0.0) & (heights > 0.0))
        found = math.sqrt((speed[after] ** 2 + 2.0 * GRAVITY * heights[after]) / (2.0 * GRAVITY * height))
        assert found == pytest.approx(exact, rel=0.01)


def test_feet_that_can_touch_together_count_together():
    """Four feet of a block hold four times as much as one, eight corners not eight times."""
    steps = []
    for levels in ((-0.1,), (-0.1, 0.1)):
        builder = gr.ModelBuilder("block")
        builder.add_body("block", 4.0, (1e3, 1e3, 1e3), position=(0.0, 0.0, 1.0))
        corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in levels]
        builder.add_shape("feet", "points", "block", group="feet", positions=corners)
        builder.add_contact("ground", "feet", "terrain", stiffness=1e4)
        builder.set_terrain({"type": "plane"})
        steps.append(find_impact_step(prepare(builder.build(), "penalty")[0]).step)
    assert steps == pytest.approx([0.3 / 100.0] * 2, rel=1e-3)


@pytest.mark.parametrize("vehicle", ["m113", "hmmwv"])
def test_vehicles_keep_the_steps_that_stiffness_gives_them(vehicle):
    model = gr.vehicles.make_vehicle(gr.vehicles.load_vehicle(vehicle))
    for name in ("penalty", "constrained", "recursive", "embedded"):
        compiled, stable = prepare(model, PRESETS[name])
        assert find_impact_step(compiled).step > min(stable.step, LONGEST_STEP)
