"""Powertrain of tracks on two flywheels: acceleration, top speed, idling, steering, losses, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import grouser as gr
from grouser.errors import ModelError
from grouser.families.driver.spec import Pedals

TORQUE = [(50.0, 500.0), (150.0, 600.0), (300.0, 500.0), (320.0, -50.0)]
DRAG = [(0.0, -20.0), (320.0, -100.0)]
CAPACITY = [(0.0, 0.02), (0.5, 0.02), (0.9, 0.012), (1.0, 0.0)]
MULTIPLICATION = [(0.0, 2.0), (0.9, 1.0), (1.0, 1.0)]
RATIOS, FINAL, UP, EFFICIENCY, INERTIA, SHIFT = [4.0, 2.0], 4.0, 250.0, 0.9, 1.2, 0.1
FLYWHEEL = 300.0
"""Inertia of each sprocket with what hangs on it [kg m^2]: half of a vehicle of 10 t."""
FIELDS = {
    "engine": {"torque": TORQUE, "drag": DRAG, "idle": 70.0, "inertia": INERTIA},
    "converter": {"capacity": CAPACITY, "multiplication": MULTIPLICATION},
    "gearbox": {
        "ratios": RATIOS, "up": [UP], "down": 110.0, "final": FINAL, "efficiency": EFFICIENCY, "shift_time": SHIFT,
    },
    "steering": {"turn": 0.3, "torque": 9000.0, "gain": 1e4, "lag": 0.05},
}  # fmt: skip


def make_flywheels(*, resistance=0.0, brake=0.0, rate=None, throttle=1.0, speed=0.0, **changes) -> gr.Model:
    """Two flywheels on a heavy hull, which resist with a torque over speed [N m s]."""
    builder = gr.ModelBuilder("flywheels", gravity=(0.0, 0.0, 0.0))
    builder.add_body("hull", 1e8, (1e8, 1e8, 1e8))
    for name, y in (("left", 1.0), ("right", -1.0)):
        spin = {"position": (0.0, y, 0.0), "angular_velocity": (0.0, speed, 0.0)}
        builder.add_body(name, 100.0, (FLYWHEEL, FLYWHEEL, FLYWHEEL), **spin)
        axle = builder.add_joint(f"{name}_axle", "revolute", "hull", name, point=(0.0, y, 0.0), axis=(0.0, 1.0, 0.0))
        if resistance > 0.0:
            builder.add_joint_spring(f"{name}_load", axle, "rotation", stiffness=0.0, damping=resistance)
        if brake > 0.0:
            builder.add_brake(f"{name}_brake", axle, torque=brake, pedal=1.0)
    fields = {key: {**value, **changes.get(key, {})} for key, value in FIELDS.items()}
    builder.add_track_powertrain("powertrain", left="left_axle", right="right_axle", throttle=throttle, **fields)
    if rate is not None:
        steering = {"tread": 2.0, "radius": 1.0, "rate": rate, "yaw_gain": 0.0, "limit": 50.0}
        builder.add_driver("driver", "hull", steering=steering, pedals={"powertrain": "powertrain"})
    return builder.build()


def run(model: gr.Model, duration: float) -> gr.Result:
    return gr.simulate(model, duration=duration, output_interval=0.02, settle=False)


def look_up(table, x):
    return np.interp(x, *np.array(table).T)


def calc_effort(engine, mean, gear):
    """Pump torque, and what both sprockets get, as the page on theory has it; written anew for the test."""
    ratio = np.interp(gear, [1.0, 2.0], RATIOS) * FINAL
    turbine = ratio * mean
    if turbine > engine:
        pump = given = -look_up(CAPACITY, engine / turbine) * turbine**2
    else:
        pump = look_up(CAPACITY, turbine / engine) * engine**2
        given = look_up(MULTIPLICATION, turbine / engine) * pump
    sign = mean / (abs(mean) + 0.1)
    return pump, ratio * (given - (1.0 - EFFICIENCY) * abs(given) * sign)


@pytest.fixture(scope="module")
def drive() -> gr.Result:
    return run(make_flywheels(resistance=150.0), 12.0)


def test_acceleration_is_the_integral_of_the_tractive_effort(drive):
    def calc_rates(_, y):
        engine, gear, mean = y
        pump, effort = calc_effort(engine, mean, gear)
        wanted = 2.0 if mean > UP / (RATIOS[0] * FINAL) or gear > 1.5 else 1.0
        turned = (0.5 * effort - 150.0 * mean) / FLYWHEEL
        return (look_up(TORQUE, engine) - pump) / INERTIA, (wanted - gear) / SHIFT, turned

    exact = solve_ivp(calc_rates, (0.0, 12.0), (70.0, 1.0, 0.0), max_step=2e-3, rtol=1e-8, atol=1e-8, dense_output=True)
    engine, gear, mean = exact.sol(drive.time)
    assert gear[-1] > 1.99  # it shifts on the way
    assert drive["left.angular_velocity"][:, 1] == pytest.approx(mean, abs=2e-3 * mean.max())
    assert drive["powertrain.engine_speed"] == pytest.approx(engine, abs=5e-3 * engine.max())
    assert drive["powertrain.gear"] == pytest.approx(gear, abs=0.02)


def test_at_top_speed_the_power_is_that_of_the_resistance():
    result = run(make_flywheels(resistance=150.0, speed=24.0), 15.0)

    def find_engine(mean):
        return brentq(lambda w: look_up(TORQUE, w) - calc_effort(w, mean, 2.0)[0], 1.0, 320.0)

    top = brentq(lambda mean: calc_effort(find_engine(mean), mean, 2.0)[1] - 300.0 * mean, 5.0, 39.0)
    assert result["left.angular_velocity"][-1, 1] == pytest.approx(top, rel=1e-3)
    assert result["powertrain.power"][-1] == pytest.approx(300.0 * top**2, rel=3e-3)


def test_torques_balance_at_the_engine(drive):
    """J dw/dt is the torque of the engine less that of the pump, by the powers of the channels."""
    time, speed = drive.time, drive["powertrain.engine_speed"]
    lost = sum(drive[f"powertrain.{name}_loss"] for name in ("converter", "gear", "steering"))
    pump = (lost + drive["powertrain.power"]) / speed
    steady = slice(5, None)
    inertia = INERTIA * np.gradient(speed, time)
    difference = drive["powertrain.engine_torque"] - pump - inertia
    # differences over 20 ms are not those of an instant while gears shift
    assert np.abs(difference[steady]).mean() < 1.0
    assert drive["powertrain.engine_power"] == pytest.approx(drive["powertrain.engine_torque"] * speed)


def test_energies_balance(drive):
    work = drive["energy.work_forces"][-1]
    assert np.abs(drive["energy.residual"]).max() < 1e-4 * work
    # the same from channels alone
    engine = np.trapezoid(drive["powertrain.engine_power"], drive.time)
    lost = sum(np.trapezoid(drive[f"powertrain.{name}_loss"], drive.time) for name in ("converter", "gear", "steering"))
    turned = 0.5 * FLYWHEEL * sum((drive[f"{side}.angular_velocity"][-1, 1]) ** 2 for side in ("left", "right"))
    resisted = sum(
        np.trapezoid(150.0 * drive[f"{s}.angular_velocity"][:, 1] ** 2, drive.time) for s in ("left", "right")
    )
    stored = 0.5 * INERTIA * (drive["powertrain.engine_speed"][-1] ** 2 - 70.0**2)
    assert engine == pytest.approx(work, rel=2e-3)
    assert lost + turned + resisted + stored == pytest.approx(engine, rel=2e-3)


def test_an_engine_in_gear_idles_against_its_brakes():
    """The governor gives what the converter takes at a standstill, c(0) w^2; the brakes hold what comes of it."""
    result = run(make_flywheels(brake=5000.0, throttle=0.0), 3.0)

    def calc_left(w):
        opened = np.clip((70.0 - w) / 14.0, 0.0, 1.0)
        return opened * look_up(TORQUE, w) + (1.0 - opened) * look_up(DRAG, w) - 0.02 * w**2

    idle = brentq(calc_left, 50.0, 70.0)
    assert result["powertrain.engine_speed"][-1] == pytest.approx(idle, rel=1e-3)
    assert abs(result["left.angular_velocity"][-1, 1]) < 1e-3
    creep = RATIOS[0] * FINAL * 2.0 * 0.02 * idle**2
    assert -result["left_brake.torque"][-1] == pytest.approx(0.5 * creep, rel=0.02)


@pytest.mark.parametrize("turn", [0.3, 1.0])
def test_steering_moves_torque_and_stops_where_its_brake_holds(turn):
    """A controlled differential turns no further than by its ratio; losses are what its brakes turn into heat."""
    steering = {"turn": turn, "gain": 2e4}
    wanted = 40.0  # far more than it can
    result = run(make_flywheels(resistance=150.0, speed=10.0, rate=wanted, steering=steering), 4.0)
    left, right = (result[f"{side}.angular_velocity"][:, 1] for side in ("left", "right"))
    mean, half = 0.5 * (left + right), 0.5 * (right - left)
    assert half[-1] > 0.0
    lever = 0.5 * (result["powertrain.right_torque"] - result["powertrain.left_torque"])
    # the flywheels differ as the torque that is moved, their inertia and their resistance say
    turned = FLYWHEEL * np.gradient(half, result.time)[-1]
    assert lever[-1] == pytest.approx(150.0 * half[-1] + turned, rel=5e-3)
    assert half[-1] == pytest.approx(turn * mean[-1], rel=0.05)
    loss = result["powertrain.steering_loss"]
    assert loss[-1] == pytest.approx(2.0 * lever[-1] * (turn * mean[-1] - half[-1]), abs=50.0)
    assert loss.min() > -1e-3 * loss.max()  # near a standstill D fades
    assert np.abs(result["energy.residual"]).max() < 1e-4 * result["energy.work_forces"][-1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"converter": {"capacity": [(0.0, 0.02), (1.0, 0.001)]}}, "converter.capacity: ends with [1, 0.001]"),
        ({"converter": {"multiplication": [(0.0, 2.0), (0.9, 1.2)]}}, "would give more power than the pump takes"),
        ({"converter": {"capacity": [(0.0, -0.02), (1.0, 0.0)]}}, "holds a negative value"),
        ({"engine": {"torque": [(100.0, 1.0), (50.0, 1.0)]}}, "engine.torque"),
        ({"engine": {"inertia": 0.0}}, "engine.inertia: "),
        ({"gearbox": {"down": 200.0}}, "where it shifts down again"),
        ({"gearbox": {"ratios": [2.0, 4.0]}}, "ratios must fall"),
        ({"steering": {"turn": 1.5}}, "steering.turn: "),
        ({"steering": {"lag": 0.0}}, "steering.lag: "),
    ],
)
def test_faults(changes, message):
    with pytest.raises(ModelError) as caught:
        make_flywheels(**changes)
    assert message in str(caught.value)


def test_a_driver_without_anything_to_steer_is_refused():
    model = make_flywheels(rate=1.0)
    driver = model.drivers["driver"]
    with pytest.raises(ModelError, match=r"drivers\.driver\.steering: has nothing to steer"):
        model.with_changes(drivers={"driver": driver.model_copy(update={"pedals": Pedals()})})
    one = driver.steering.model_copy(update={"left": "x"})
    with pytest.raises(ModelError, match="names the motion of one sprocket only"):
        model.with_changes(drivers={"driver": driver.model_copy(update={"steering": one})})
    with pytest.raises(ModelError, match="right: is 'left_axle', as 'left' is"):
        powertrain = model.forces["powertrain"].model_copy(update={"right": "left_axle"})
        model.with_changes(forces={"powertrain": powertrain})
