"""Friction of joints: closed forms, the printed law, every integrator, energies, slopes, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from probe import Probe
from rubbing import GRAVITY, WAYS, calc_printed, find_way, make_block, make_pendulum
from scipy.optimize import brentq

import grouser as gr
from grouser.compile.realization import Bushing, Ideal
from grouser.errors import ModelError, UnsupportedError
from grouser.families.joint_friction.kernel import GIVE, SLOPE, STAY
from grouser.prepare import prepare
from grouser.presets import find_preset

MASS = 10.0
FINE = find_way("recursive", "rk4")


def find_late(result, start):
    return result.time >= start


@pytest.mark.parametrize(
    ("way", "law"),
    [
        (("recursive", "trapezoidal"), "constant"),
        (("recursive", "leapfrog"), "constant"),
        (("constrained", "rk4"), "constant"),
        (("implicit", "sdirk"), "mu"),
        (("implicit", "implicit-euler"), "mu"),
        (("implicit", "generalised-alpha"), "mu"),
    ],
    ids=lambda item: item if isinstance(item, str) else "-".join(item),
)
@pytest.mark.parametrize("slope", [0.2, 0.4, 0.49])
def test_a_block_sticks_below_the_friction_angle(way, law, slope):
    """With mu = 0.5 it hangs on its asperities for a minute, also at 98 % of the limit. It comes to rest within a
    second: that its anchor slides along with the last of its motion takes longest near the limit."""
    weight = MASS * GRAVITY * math.cos(math.atan(slope))
    friction = {"mu": 0.5} if law == "mu" else {"constant": 0.5 * weight}
    result = gr.simulate(make_block(slope, **friction), duration=60.0, preset=find_way(*way), output_interval=0.1)
    late = find_late(result, 1.0)
    place = result["guide.coordinate"][late, 0]
    assert np.ptp(place) < 1e-6
    assert np.abs(result["block.velocity"][late]).max() < 1e-6
    assert result["friction.force"][-1] == pytest.approx(-weight * slope, rel=1e-6)
    assert result["friction.share"][-1] == pytest.approx(slope / 0.5, rel=1e-6)
    assert result["friction.torque"].max() == 0.0
    # on a spring of the limit over 0.1 mm; let go at once near the limit, it slides half a millimetre first
    least = 1e-4 * slope / 0.5
    assert 0.9 * least < place[-1] < (1.1 * least if slope < 0.45 else 1e-3)


@pytest.mark.parametrize("preset", ["penalty", "bushing", "implicit"])
@pytest.mark.parametrize("slope", [0.55, 1.0])
def test_a_block_slides_above_the_friction_angle(preset, slope):
    preset = find_preset(preset)
    if preset.name == "bushing":
        preset = preset.with_realization(
            "*", Bushing(stiffness=(1e6,) * 3 + (1e4,) * 3, damping=(1e3,) * 3 + (10.0,) * 3)
        )
    result = gr.simulate(make_block(slope, mu=0.5), duration=1.0, preset=preset)
    angle = math.atan(slope)
    expected = GRAVITY * (math.sin(angle) - 0.5 * math.cos(angle))
    late = find_late(result, 0.3)
    speed = np.hypot(result["block.velocity"][late, 0], result["block.velocity"][late, 2])
    found = np.polyfit(result.time[late], speed, 1)[0]
    assert found == pytest.approx(expected, rel=1e-3)
    np.testing.assert_allclose(result["friction.force"][late], -0.5 * MASS * GRAVITY * math.cos(angle), rtol=1e-3)
    np.testing.assert_allclose(result["friction.load"][late], MASS * GRAVITY * math.cos(angle), rtol=1e-3)
    assert (result["friction.share"][late] == pytest.approx(1.0, rel=2e-3)) if preset.name == "implicit" else 1.0
    assert result.summary["energy_residual"] < 1e-3


PULL, SPEED, LIMIT, LIGHT = 1000.0, 0.1, 20.0, 2.0
"""Stiffness of the spring by which a mass is pulled, and the speed of its other end; limit of friction; mass."""


def make_pulled(presliding):
    pull = {"control": "position", "target": f"{SPEED}*t", "p": PULL}
    return make_block(mass=LIGHT, gravity=0.0, constant=LIMIT, presliding=presliding, pull=pull)


def test_a_mass_on_a_pulled_spring_stops_and_goes_as_the_closed_form_says():
    """It stands until the spring pulls with the limit F, at F/(k V). Then its speed is V (1 - cos(omega t)): it stops
    once in every period, and the spring swings by V/omega about F/k. With asperities of 1 um."""
    omega, start = math.sqrt(PULL / LIGHT), LIMIT / PULL / SPEED
    result = gr.simulate(make_pulled(1e-6), duration=1.2, preset=FINE, step=2e-5, output_interval=1e-3)
    time, speed = result.time, result["block.velocity"][:, 0]
    assert np.abs(result["guide.coordinate"][time < 0.99 * start, 0]).max() < 1e-5
    after = np.where(time < start, 0.0, SPEED * (1.0 - np.cos(omega * (time - start))))
    np.testing.assert_allclose(speed, after, atol=2e-3 * SPEED)
    stretch = SPEED * time - result["guide.coordinate"][:, 0]
    late = time > start
    assert 0.5 * np.ptp(stretch[late]) == pytest.approx(SPEED / omega, rel=5e-3)
    assert stretch[late].max() + stretch[late].min() == pytest.approx(2.0 * LIMIT / PULL, rel=1e-3)
    stops = [i for i in range(1, len(time) - 1) if late[i] and speed[i] < speed[i - 1] and speed[i] <= speed[i + 1]]
    np.testing.assert_allclose(np.diff(time[stops]), 2.0 * math.pi / omega, atol=2e-3)
    assert result.summary["energy_residual"] < 1e-4


@pytest.mark.parametrize(("presliding", "near"), [(1e-4, 1e-4), (1e-5, 1e-5)])
def test_it_differs_from_the_printed_law_by_less_than_the_presliding_displacement(presliding, near):
    """The printed law moves the anchor at once where the trial force is cut; here it slides along before. Where the
    sliding speed is well below that of the pull, places differ in 2 s by less than what friction takes to build up."""
    result = gr.simulate(make_pulled(presliding), duration=2.0, preset=FINE, step=1e-4, output_interval=0.01)
    sliding = presliding / 0.02
    printed = calc_printed(
        LIGHT, lambda t, q, _: PULL * (SPEED * t - q), LIMIT, LIMIT / presliding, sliding, 2.0, step=5e-6, every=2000
    )
    difference = np.abs(result["guide.coordinate"][:, 0] - printed).max()
    assert 0.1 * near < difference < near


def calc_turning_points(angle, torque, lift):
    """Amplitudes after half swings: lift (cos b - cos a) = torque (a + b), as long as it comes to the other side."""
    found = [angle]
    while found[-1] > 3.0 * torque / lift:
        found.append(
            brentq(lambda b, a=found[-1]: lift * (math.cos(b) - math.cos(a)) - torque * (a + b), 0.0, found[-1])
        )
    return np.array(found)


@pytest.mark.parametrize("way", [("recursive", "rk4"), ("penalty", "trapezoidal"), ("implicit", "sdirk")], ids="-".join)
def test_a_pendulum_with_constant_friction_loses_amplitude_by_the_closed_form(way):
    """Small swings lose 2 T/(m g l) in every half swing; these are large, and lose what the work of friction takes."""
    angle, torque, lift = 0.6, 0.4, 2.0 * GRAVITY * 0.8
    model = make_pendulum(angle, constant=torque, presliding=1e-5, sliding_speed=1e-3)
    result = gr.simulate(model, duration=14.0, preset=find_way(*way), output_interval=2e-3)
    place = angle - np.abs(result["pin.coordinate"][:, 1])
    expected = calc_turning_points(angle, torque, lift)
    turns = [0] + [i for i in range(1, len(place) - 1) if (place[i] - place[i - 1]) * (place[i + 1] - place[i]) < 0.0]
    found = np.abs(place[turns][: len(expected)])
    np.testing.assert_allclose(found, expected, atol=3e-4)
    np.testing.assert_allclose(-np.diff(found[5:]), 2.0 * torque / lift, rtol=0.03)
    assert abs(result["pin.coordinate"][-1, 1] - result["pin.coordinate"][-500, 1]) < 1e-6  # it stays
    assert result.summary["energy_residual"] < 1e-4


def make_rotor(offset, gravity, speed, **friction):
    builder = gr.ModelBuilder("rotor", gravity=(0.0, 0.0, -gravity))
    motion = {"velocity": (0.0, speed * offset, 0.0), "angular_velocity": (0.0, 0.0, speed)}
    if offset == 0.0:
        motion = {"angular_velocity": (0.0, speed, 0.0)}
    builder.add_body("rotor", 5.0, (0.2, 0.2, 0.2), position=(offset, 0.0, 0.0), **motion)
    axis = (0.0, 0.0, 1.0) if offset > 0.0 else (0.0, 1.0, 0.0)
    builder.add_joint("pin", "revolute", "world", "rotor", axis=axis)
    builder.add_joint_friction("friction", "pin", **friction)
    return builder.build()


@pytest.mark.parametrize("way", [("penalty", "trapezoidal"), ("implicit", "sdirk"), ("bushing", "rk4")], ids="-".join)
def test_a_rotor_in_a_journal_bearing_is_slowed_by_its_weight(way):
    """I dw/dt = -mu r m g, until it stands."""
    slowing = 0.3 * 0.04 * 5.0 * GRAVITY / 0.2
    model = make_rotor(0.0, GRAVITY, 5.0, mu=0.3, radius=0.04, presliding=1e-4)
    result = gr.simulate(model, duration=2.5, preset=find_way(*way))
    expected = np.maximum(5.0 - slowing * result.time, 0.0)
    assert 1.5 < 5.0 / slowing < 2.0
    np.testing.assert_allclose(result["rotor.angular_velocity"][:, 1], expected, atol=0.003)
    np.testing.assert_allclose(result["friction.torque"][5:100], -slowing * 0.2, rtol=2e-3)


def test_an_arm_is_slowed_by_the_load_that_its_turning_makes():
    """Without weight the pin carries N = m d sqrt(w^4 + (dw/dt)^2), so I dw/dt = -mu r N makes dw/dt = -b w^2 with
    b = s/sqrt(1 - s^2), s = mu r m d/I about the pin: w = w0/(1 + b w0 t)."""
    offset, speed, mu, radius = 0.3, 8.0, 0.4, 0.1
    share = mu * radius * 5.0 * offset / (0.2 + 5.0 * offset**2)
    slowing = share / math.sqrt(1.0 - share**2)
    model = make_rotor(offset, 0.0, speed, mu=mu, radius=radius, stiffness=500.0)
    result = gr.simulate(model, duration=2.5, preset="penalty")
    expected = speed / (1.0 + slowing * speed * result.time)
    assert expected[-1] < 0.4 * speed
    np.testing.assert_allclose(result["rotor.angular_velocity"][:, 2], expected, rtol=2e-3)
    assert result.summary["energy_residual"] < 1e-4


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_a_rubbing_pendulum_swings_the_same_by_every_integrator(way):
    """Over five half swings, to second order; schemes of first order in forces by velocities are named."""
    model = make_pendulum(0.6, constant=0.4)
    reference = gr.simulate(model, duration=4.0, preset=FINE, step=2e-4)
    result = gr.simulate(model, duration=4.0, preset=find_way(*way))
    first_order = way[1] in ("implicit-euler", "leapfrog", "euler")
    error = np.abs(result["pin.coordinate"][:, 1] - reference["pin.coordinate"][:, 1]).max()
    assert error < (3e-3 if first_order else 1e-4)
    assert result.summary["energy_residual"] < (0.015 if first_order else 2e-5)
    assert not result.summary["doubts"]


def test_steps_of_every_length_bring_a_light_block_to_rest():
    """Friction would stop it within a half of a step of 2 ms, and turn it round 15 times as fast."""
    for integrator in ("implicit-euler", "implicit-extrapolated", "generalised-alpha", "sdirk"):
        model = make_block(mass=0.01, speed=1.0, gravity=0.0, constant=20.0)
        result = gr.simulate(model, duration=0.3, preset=find_way("implicit", integrator), step=2e-3)
        assert np.abs(result["block.velocity"][-5:]).max() < 1e-6, integrator
        assert abs(result["guide.coordinate"][-1, 0]) < 1e-3, integrator


def test_asperities_store_energy_and_give_it_back():
    """A pull of 60 % of the limit stretches them by F/k and is let go again: what was stored comes back."""
    pull = {"control": "force", "target": [(0.0, 0.0), (0.5, 60.0), (1.0, 60.0), (1.5, 0.0), (2.0, 0.0)]}
    model = make_block(constant=100.0, stiffness=1e5, pull=pull)
    result = gr.simulate(model, duration=2.0, preset=FINE)
    held = (result.time > 0.8) & (result.time < 1.0)
    np.testing.assert_allclose(result["energy.stored_forces"][held], 0.5 * 60.0**2 / 1e5, rtol=1e-6)
    np.testing.assert_allclose(result["guide.coordinate"][held, 0], 60.0 / 1e5, rtol=1e-6)
    assert abs(result["guide.coordinate"][-1, 0]) < 1e-9
    lost = result["energy.dissipated_forces"]
    assert np.diff(lost).min() > -1e-12
    # loading and unloading by 1.2 mm/s, with the damping F/V = 100 N/(0.05 m/s)
    assert lost[-1] == pytest.approx(2000.0 * 1.2e-3**2, rel=0.05)
    assert result.summary["energy_residual"] < 1e-6


def test_a_joint_without_load_lets_go():
    """A block that sticks on its guide is lifted off: friction is gone, and so is what its asperities held."""
    weight = MASS * GRAVITY
    builder = gr.ModelBuilder("lifted")
    builder.add_body("block", MASS, (1.0, 1.0, 1.0))
    builder.add_joint("guide", "prismatic", "world", "block", axis=(1.0, 0.0, 0.0))
    builder.add_joint_friction("friction", "guide", mu=0.5)
    lift = [(0.0, 0.0), (0.5, 0.0), (0.6, weight), (2.0, weight)]
    builder.add_force("lift", "block", force=(0.3 * weight, 0.0, lift))
    result = gr.simulate(builder.build(), duration=1.0, preset="penalty")
    standing = (result.time > 0.3) & (result.time < 0.5)
    np.testing.assert_allclose(result["friction.force"][standing], -0.3 * weight, rtol=1e-4)
    free = result.time > 0.7
    assert np.abs(result["friction.force"][free]).max() < 1e-3 * weight
    assert np.polyfit(result.time[free], result["block.velocity"][free, 0], 1)[0] == pytest.approx(0.3 * GRAVITY, 1e-3)
    assert result["energy.stored_forces"][-1] < 1e-6
    assert result.summary["energy_residual"] < 1e-3


def test_the_stable_step_is_that_of_a_block_that_sticks():
    """h^2/4 k/m + h/2 c/m = 1, with c = F/V."""
    _, stable = prepare(make_block(gravity=0.0, constant=50.0, stiffness=4e5, sliding_speed=0.05), "recursive")
    k, c = 4e5 / MASS, 50.0 / 0.05 / MASS
    expected = (math.sqrt(c * c + 4.0 * k) - c) / k
    assert stable.step == pytest.approx(0.95 * expected, rel=1e-9)


def make_sliding_probe():
    """A block whose limit is 8 N, with a stiffness of 100 N/m and a sliding speed of 0.5 m/s, on a free joint."""
    builder = gr.ModelBuilder("block", gravity=(0.0, 0.0, 0.0))
    builder.add_body("block", MASS, (1.0, 1.0, 1.0))
    builder.add_joint("guide", "free", "world", "block", axis=(1.0, 0.0, 0.0))
    builder.add_joint_friction("friction", "guide", "translation", constant=8.0, stiffness=100.0, sliding_speed=0.5)
    return Probe(builder.build(), find_preset("penalty"))


def test_friction_never_drives_and_never_exceeds_its_limit():
    """At any rate, and with asperities that hold more than a limit that has fallen: the power that is dissipated is not
    negative, and friction is not over its limit. Below nine tenths of it the anchor stays where it is."""
    probe, rng = make_sliding_probe(), np.random.default_rng(1)
    for _ in range(2000):
        spring, pace = rng.uniform(-25.0, 25.0), rng.uniform(-2.0, 2.0)
        probe.state.z[0], probe.state.v[1, 0] = spring / 100.0, pace
        work = probe.evaluate()
        assert abs(work.f[1, 0]) <= 8.0 * (1.0 + 1e-12)
        assert work.dissipated.sum() >= -1e-12
        if abs(pace) < 0.5 and abs(spring + 8.0 * pace / 0.5) < 0.9 * 8.0 and abs(spring) <= 8.0:
            assert work.z_rate[0] == pytest.approx(pace, rel=1e-9)


def test_a_joint_without_load_has_no_friction_and_stores_nothing_more():
    probe = Probe(make_block(gravity=0.0, mu=0.3, stiffness=100.0, sliding_speed=0.5), find_preset("penalty"))
    for spring in (0.0, 3.0, -3.0):
        probe.state.z[0], probe.state.v[1, 0] = spring / 100.0, 0.2
        work = probe.evaluate(0.01)
        assert work.joint_friction_value[0, :7] == pytest.approx([0.0] * 7, abs=1e-12)
        assert work.z_rate[0] == pytest.approx(-spring / 100.0 / 0.02)
        assert work.dissipated.sum() == pytest.approx(100.0 * (spring / 100.0) ** 2 / 0.02)


@pytest.mark.parametrize("seed", range(24))
def test_slopes_of_an_implicit_step_are_those_of_the_law(seed):
    """c, a and b of the matrix by differences of force and rate: where it sticks, begins to slide, and is cut."""
    rng = np.random.default_rng(seed)
    probe, h = make_sliding_probe(), 0.01
    share, pace = rng.uniform(-1.4, 1.4), rng.uniform(-0.7, 0.7)
    if seed % 3 == 0:  # the anchor begins to slide along
        pace = rng.uniform(0.1, 0.4)
        share = rng.uniform(0.92, 0.98) - pace / 0.5
    probe.state.z[0], probe.state.v[1, 0] = share * 8.0 / 100.0, pace

    def calc_law():
        work = probe.evaluate(h)
        return np.array([work.f[1, 0], work.z_rate[0]])

    def push(step):
        probe.state.v[1, 0] += step[0]

    c, a = probe.difference(calc_law, push, 1, 1e-7)[:, 0] * (-1.0, 1.0)
    k, b = -probe.difference(calc_law, probe.move_states, 1, 1e-7)[:, 0]
    value = probe.evaluate(h).joint_friction_value[0]
    assert k in (pytest.approx(100.0, rel=1e-6), pytest.approx(0.0, abs=1e-6))
    assert value[SLOPE] == pytest.approx(h * (c + h * k * a / (1.0 + h * b)), rel=1e-6, abs=1e-9)
    assert value[SLOPE] >= 0.0
    assert value[GIVE] == pytest.approx(h * a, rel=1e-6, abs=1e-9)
    assert value[STAY] == pytest.approx(1.0 / (1.0 + h * b), rel=1e-6)


def test_a_linearly_implicit_step_is_that_of_implicit_euler_while_a_joint_sticks():
    """v1 = (m v0 + h (P - k s0))/(m + h c + h^2 k), s1 = s0 + h v1: the anchor knows the end of the step."""
    h, k, c, pull = 2e-3, 1e5, 100.0 / 0.05, 40.0
    model = make_block(
        gravity=0.0, constant=100.0, stiffness=k, sliding_speed=0.05, pull={"control": "force", "target": pull}
    )
    way = find_way("implicit", "implicit-euler")
    result = gr.simulate(model, duration=0.1, preset=way, step=h, output_interval=h, settle=False)
    place, speed, expected = 0.0, 0.0, [0.0]
    for _ in range(len(result.time) - 1):
        speed = (MASS * speed + h * (pull - k * place)) / (MASS + h * c + h * h * k)
        place += h * speed
        expected.append(place)
    np.testing.assert_allclose(result["guide.coordinate"][:, 0], expected, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(result["energy.stored_forces"], 0.5 * k * np.square(expected), rtol=1e-9, atol=1e-15)
    assert result.summary["energy_residual"] < 1e-9


def test_both_bodies_and_all_formulations_feel_it():
    """A pair of bodies that turn against each other in space come to turn together, with the momentum that they had."""
    builder = gr.ModelBuilder("clutch", gravity=(0.0, 0.0, 0.0))
    builder.add_body("one", 2.0, (0.3, 0.3, 0.3), angular_velocity=(0.0, 0.0, 10.0))
    builder.add_body("two", 1.0, (0.1, 0.1, 0.1))
    builder.add_joint("axle", "revolute", "one", "two", axis=(0.0, 0.0, 1.0))
    builder.add_joint_friction("clutch", "axle", constant=2.0)
    model = builder.build()
    together = 10.0 * 0.3 / 0.4
    for preset in ("penalty", "implicit", "constrained", "recursive", "embedded"):
        result = gr.simulate(model, duration=1.0, preset=preset)
        one, two = (result[f"{name}.angular_velocity"][:, 2] for name in ("one", "two"))
        np.testing.assert_allclose(0.3 * one + 0.1 * two, 3.0, rtol=1e-6)
        grip = together * 0.1 / 2.0
        assert two[result.time < 0.9 * grip][-1] == pytest.approx(
            20.0 * result.time[result.time < 0.9 * grip][-1], rel=0.01
        )
        assert (one[-1], two[-1]) == (pytest.approx(together, rel=1e-4), pytest.approx(together, rel=1e-4))


def test_the_plane_takes_it():
    model = make_pendulum(0.6, constant=0.4)
    space = gr.simulate(model, duration=2.0, preset="recursive")
    plane = gr.simulate(model.with_changes(planar=True), duration=2.0, preset="recursive")
    np.testing.assert_allclose(plane["pin.coordinate"], space["pin.coordinate"], atol=1e-9)


def test_it_is_the_same_from_a_file(tmp_path):
    path = tmp_path / "block.yaml"
    model = make_block(0.4, mu=0.5, constant=3.0, presliding=2e-4, sliding_speed=0.02)
    gr.save_model(model, path)
    assert gr.load_model(path) == model


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"joint": "gide"}, "forces.friction.joint: unknown joint 'gide'"),
        ({"coordinate": "rotation"}, "joint 'guide' is prismatic and has no free rotation; use translation"),
        ({"constant": 0.0}, "has neither a 'constant' nor a 'mu'; give at least one"),
        ({"constant": -3.0}, r"forces.friction.constant: is -3.0 \[N or N m\]"),
        ({"mu": -0.1}, r"forces.friction.mu: is -0.1"),
        ({"stiffness": -1.0}, r"forces.friction.stiffness: is -1.0 \[N/m or N m/rad\]"),
        ({"presliding": 0.0}, r"forces.friction.presliding: is 0.0 \[m or rad\]"),
        ({"sliding_speed": 0.0}, r"forces.friction.sliding_speed: is 0.0 \[m/s or rad/s\]"),
        ({"radius": 0.1}, "radius: is 0.1 m of a translation, where it has no meaning; leave it out"),
        ({"stiffness": 1.0, "presliding": 1.0}, "has a 'stiffness' and a 'presliding', which gives one; leave out one"),
    ],
)
def test_bad_friction_is_refused(fields, message):
    data = make_block(constant=5.0).model_dump()
    data["forces"]["friction"] |= fields
    with pytest.raises(ModelError, match=message):
        gr.Model.model_validate(data)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mu": 0.2}, r"mu is 0.2 without a lever; give the 'radius' of the bearing \[m\]"),
        ({"constant": 1.0, "radius": 0.1}, "radius: is 0.1 m without 'mu', where it has no meaning; leave it out"),
        ({"mu": 0.2, "radius": -0.1}, r"forces.friction.radius: is -0.1 \[m\]"),
    ],
)
def test_bad_friction_of_bearings_is_refused(fields, message):
    with pytest.raises(ModelError, match=message):
        make_pendulum(0.1, **fields)


def test_friction_without_any_load_to_scale_by_is_refused():
    with pytest.raises(ModelError, match="has no load to make a stiffness of, without gravity; give 'stiffness'"):
        make_block(gravity=0.0, mu=0.3)
    assert make_block(gravity=0.0, mu=0.3, stiffness=1e5)
    builder = gr.ModelBuilder("free")
    builder.add_body("block", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("guide", "free", "world", "block")
    builder.add_joint_friction("friction", "guide", "translation", mu=0.3)
    with pytest.raises(ModelError, match="joint 'guide' is free and carries no load; use 'constant'"):
        builder.build()


@pytest.mark.parametrize("preset", ["constrained", "recursive", "embedded"])
def test_the_load_of_an_ideal_joint_is_refused(preset):
    message = (
        "mu is 0.5, and the load of the ideal joint 'guide' is known only after all forces; realize group 'joints'"
    )
    with pytest.raises(UnsupportedError, match=message):
        gr.simulate(make_block(0.4, mu=0.5), duration=0.1, preset=preset)
    by_forces = find_preset(preset).with_realization("joints", find_preset("penalty").realizations["*"])
    assert not isinstance(by_forces.realizations["joints"], Ideal)
    result = gr.simulate(make_block(0.4, mu=0.5), duration=0.1, preset=by_forces)
    assert result["friction.load"][-1] == pytest.approx(MASS * GRAVITY * math.cos(math.atan(0.4)), rel=0.01)
