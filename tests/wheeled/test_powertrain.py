"""Powertrain and brakes on wheels that turn on their hinges: torques, gears, reactions, energy, standstill."""

import numpy as np
import pytest

from grouser.errors import ModelError
from grouser.model.builder import ModelBuilder
from grouser.simulate import simulate

ENGINE = {
    "torque": [(0.0, 100.0), (300.0, 100.0)],
    "drag": [(0.0, -10.0), (300.0, -20.0)],
    "idle": 80.0,
    "launch": 150.0,
}
GEARBOX = {"ratios": [10.0, 5.0, 2.5], "up": [250.0, 250.0], "down": 100.0, "shift_time": 0.05, "multiplication": 2.0}
INERTIA = 20.0


def make_wheels(inertias=(INERTIA,), *, chassis=None, throttle=1.0, wheels=None, **brake):
    """Wheels that turn on hinges on the world, or on a free chassis of an inertia."""
    builder = ModelBuilder("wheels", gravity=(0.0, 0.0, 0.0))
    carrier = "world"
    if chassis is not None:
        carrier = builder.add_body("chassis", 100.0, (chassis, chassis, chassis))
    builder.add_body("ground", 1e8, (1e8, 1e8, 1e8), position=(5.0, 0.0, 0.0))  # what takes reactions without chassis
    shares = {}
    for i, inertia in enumerate(inertias):
        wheel = builder.add_body(f"wheel{i}", 10.0, (inertia, inertia, inertia), position=(0.0, float(i), 0.0))
        joint = builder.add_joint(
            f"spin{i}", "revolute", carrier, wheel, point=(0.0, float(i), 0.0), axis=(0.0, 1.0, 0.0)
        )
        shares[joint] = 1.0 / len(inertias)
        if brake:
            builder.add_brake(f"brake{i}", joint, **brake)
    builder.add_powertrain(
        "powertrain",
        reaction="chassis" if chassis is not None else "ground",
        wheels=shares,
        engine=ENGINE,
        gearbox=GEARBOX,
        throttle=throttle,
    )
    return builder.build()


def run(model, duration=1.0, **options):
    return simulate(model, duration=duration, output_interval=duration / 50, **options)


def test_at_a_standstill_the_converter_doubles_the_torque():
    result = run(make_wheels(), 0.05)
    assert result["powertrain.engine_speed"][0] == pytest.approx(150.0)
    assert result["powertrain.engine_torque"][0] == pytest.approx(100.0)
    # dw/dt = 10 * 100 (2 - 10 w/150)/J: it falls with the speed of the wheel
    turned = result["wheel0.angular_velocity"][-1, 1]
    assert turned == pytest.approx(30.0 * (1.0 - np.exp(-1000.0 / 15.0 / INERTIA * 0.05)), rel=1e-3)


def test_gears_shift_up_one_by_one_and_the_power_is_what_the_wheels_gain():
    result = run(make_wheels(), 3.0)
    gear, spin = result["powertrain.gear"], result["wheel0.angular_velocity"][:, 1]
    assert gear[0] == 1.0
    assert gear[-1] == pytest.approx(3.0, abs=1e-3)
    assert np.diff(gear).min() > -1e-9
    assert (spin[gear < 1.01] < 26.5).all()  # 250 rad/s of the engine, and what it gains until the shift is on its way
    assert result["energy.work_forces"][-1] == pytest.approx(result["energy.kinetic"][-1], rel=1e-6)
    assert np.abs(result["energy.residual"]).max() < 1e-6 * result["energy.kinetic"][-1]


def test_shifting_down_waits_for_a_lower_speed_than_shifting_up():
    """At 20 rad/s of the wheel both first gear (200 rad/s) and second (100 rad/s) are right: each stays."""
    model = make_wheels(throttle=0.0)
    spin = model.bodies["wheel0"].model_copy(update={"angular_velocity": (0.0, 24.0, 0.0)})
    result = run(model.with_changes(bodies={**model.bodies, "wheel0": spin}), 12.0)
    gear, speed = result["powertrain.gear"], result["wheel0.angular_velocity"][:, 1]
    assert gear[0] == 2.0  # the highest that suits
    assert (gear[speed > 20.5] > 1.99).all()
    assert gear[-1] == pytest.approx(1.0, abs=0.01)
    assert speed[-1] < 20.0  # drag has slowed it down


def test_open_differential_gives_equal_torques():
    result = run(make_wheels((10.0, 40.0)), 0.3)
    fast, slow = (result[f"wheel{i}.angular_velocity"][-1, 1] for i in (0, 1))
    assert fast == pytest.approx(4.0 * slow, rel=1e-6)


def test_the_reaction_turns_the_chassis_the_other_way():
    result = run(make_wheels(chassis=200.0), 0.5, step=1e-4)
    wheel, chassis = (result[f"{name}.angular_velocity"][-1, 1] for name in ("wheel0", "chassis"))
    assert wheel > 1.0
    assert chassis * 200.0 == pytest.approx(-wheel * INERTIA, rel=1e-6)


def test_a_brake_stops_a_wheel_evenly_and_all_its_energy_is_dissipated():
    model = make_wheels(throttle=0.0, torque=400.0, pedal=0.5)
    spin = model.bodies["wheel0"].model_copy(update={"angular_velocity": (0.0, 5.0, 0.0)})
    result = run(model.with_changes(bodies={**model.bodies, "wheel0": spin}), 1.5)
    speed = result["wheel0.angular_velocity"][:, 1]
    assert speed[10] - speed[12] == pytest.approx(200.0 / INERTIA * 0.06, rel=0.08)  # and the engine's drag
    assert abs(speed[-1]) < 1e-2
    assert np.abs(result["energy.residual"]).max() < 1e-5 * result["energy.kinetic"][0]


@pytest.mark.parametrize(("torque", "is_held"), [(100.0, True), (250.0, False)])
def test_a_brake_holds_up_to_its_torque_and_not_beyond(torque, is_held):
    model = make_wheels(throttle=0.0, torque=400.0, pedal=0.5)
    push = {"type": "applied", "frame": {"body": "wheel0"}, "torque": [0.0, f"{torque}*min(t, 1)", 0.0]}
    result = run(model.with_changes(forces={**model.forces, "push": push}), 3.0)
    speed = result["wheel0.angular_velocity"][:, 1]
    if is_held:
        twist = result["spin0.coordinate"][:, 1]
        assert abs(speed[-1]) < 0.01
        assert np.ptp(twist[-20:]) < 1e-3  # no creep
        assert twist[-1] == pytest.approx(0.02 * torque / 200.0, rel=0.05)
    else:
        assert speed[-1] > 2.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gearbox": {**GEARBOX, "ratios": [5.0, 10.0, 2.5]}}, "ratios must fall"),
        ({"gearbox": {**GEARBOX, "up": [250.0]}}, "3 gears have 2 shifts up"),
        ({"gearbox": {**GEARBOX, "up": [150.0, 250.0]}}, "where it shifts down again"),
        ({"engine": {**ENGINE, "launch": 50.0}}, "below the idle speed"),
        ({"wheels": {"spin0": 0.7}}, "add up to 0.7"),
        ({"wheels": {"pivot": 1.0}}, "unknown joint 'pivot'"),
    ],
)
def test_bad_powertrains_are_refused(changes, message):
    builder = ModelBuilder("bad")
    builder.add_body("wheel", 10.0, (1.0, 1.0, 1.0))
    builder.add_joint("spin0", "revolute", "world", "wheel", axis=(0.0, 1.0, 0.0))
    fields = {"reaction": "wheel", "wheels": {"spin0": 1.0}, "engine": ENGINE, "gearbox": GEARBOX, **changes}
    builder.add_powertrain("powertrain", **fields)
    with pytest.raises(ModelError, match=message):
        builder.build()
