"""Powertrains of tracks become rows of their tables."""

from __future__ import annotations

from grouser.compile.tables import FLOAT, INT, make_rows, make_table
from grouser.families.driver.spec import TrackSteering
from grouser.families.family import Family, Output, Source, list_forces
from grouser.families.powertrain.rows import calc_shift_speeds, find_pedal_driver, find_spin
from grouser.families.track_powertrain.kernel import STATES
from grouser.families.track_powertrain.spec import TrackPowertrain
from grouser.model.model import Model

TrackPowertrainTable = make_table(
    "TrackPowertrainTable",
    ("state", "(n,)", INT, "-", "place of its engine speed in z; gear and steering torque follow"),
    ("gear_start", "(n,)", INT, "-", "first of its gears"),
    ("gear_stop", "(n,)", INT, "-", "one past the last"),
    ("idle", "(n,)", FLOAT, "rad/s", "idle speed"),
    ("inertia", "(n,)", FLOAT, "kg m^2", "of the engine"),
    ("curve_torque", "(n,)", INT, "-", "torque by speed, throttle open"),
    ("curve_drag", "(n,)", INT, "-", "torque by speed, throttle closed"),
    ("curve_capacity", "(n,)", INT, "-", "capacity of the converter by its ratio of speeds"),
    ("curve_multiplication", "(n,)", INT, "-", "its multiplication by the same"),
    ("shift_time", "(n,)", FLOAT, "s", "time constant of a shift"),
    ("efficiency", "(n,)", FLOAT, "-", "of the gears"),
    ("turn", "(n,)", FLOAT, "-", "half difference of speeds over their mean while a steering brake holds"),
    ("torque", "(n,)", FLOAT, "N m", "of steering, at most"),
    ("gain", "(n,)", FLOAT, "N m s", "of steering"),
    ("lag", "(n,)", FLOAT, "s", "of steering"),
    ("signal", "(n,)", INT, "-", "throttle"),
    ("driver", "(n,)", INT, "-", "driver whose throttle is added, or -1"),
    ("driver_state", "(n,)", INT, "-", "place of the states of the driver who steers, or -1"),
    ("ratio", "(m,)", FLOAT, "-", "turbine speed over mean sprocket speed of each gear"),
    ("up", "(m,)", FLOAT, "rad/s", "mean speed of the sprockets at which it shifts up from a gear"),
    ("down", "(m,)", FLOAT, "rad/s", "mean speed at which it shifts down to it"),
)

DrivenSprocketTable = make_table(
    "DrivenSprocketTable",
    ("body", "(n,)", INT, "-", "sprocket; the left one and the right one of each powertrain"),
    ("reaction", "(n,)", INT, "-", "body that carries it"),
    ("axis", "(n,3)", FLOAT, "-", "spin axis on the sprocket"),
)


def make_track_powertrains(source: Source) -> tuple[tuple, ...]:
    """The table of powertrains of tracks, and that of their sprockets."""
    model, layout, signals = source.model, source.layout, source.signals
    columns: dict[str, list] = {field[0]: [] for field in TrackPowertrainTable.FIELDS}  # type: ignore[attr-defined]
    sprockets: dict[str, list] = {field[0]: [] for field in DrivenSprocketTable.FIELDS}  # type: ignore[attr-defined]
    for name in layout.names["track_powertrain"]:
        powertrain = _find_powertrain(model, name)
        engine, box, steering = powertrain.engine, powertrain.gearbox, powertrain.steering
        ratios = [ratio * box.final for ratio in box.ratios]
        row = {
            "state": layout.state_start[name],
            "gear_start": len(columns["ratio"]),
            "gear_stop": len(columns["ratio"]) + len(ratios),
            "idle": engine.idle,
            "inertia": engine.inertia,
            "curve_torque": signals.add_signal(engine.torque),
            "curve_drag": signals.add_signal(engine.drag),
            "curve_capacity": signals.add_signal(powertrain.converter.capacity),
            "curve_multiplication": signals.add_signal(powertrain.converter.multiplication),
            "shift_time": box.shift_time,
            "efficiency": box.efficiency,
            **{key: getattr(steering, key) for key in ("turn", "torque", "gain", "lag")},
            "signal": signals.add_signal(powertrain.throttle),
            "driver": find_pedal_driver(model, name),
            "driver_state": _find_steering_state(source, name),
        }
        for field, value in row.items():
            columns[field].append(value)
        up, down = calc_shift_speeds(box, box.final)
        columns["ratio"] += ratios
        columns["up"] += up
        columns["down"] += down
        for joint in (powertrain.left, powertrain.right):
            body, axis = find_spin(model, layout, joint)
            sprockets["body"].append(body)
            sprockets["reaction"].append(layout.find_body(model.joints[joint].frame_a.body))
            sprockets["axis"].append(axis)
    return make_rows(TrackPowertrainTable, columns), make_rows(DrivenSprocketTable, sprockets)


def _find_powertrain(model: Model, name: str) -> TrackPowertrain:
    powertrain = model.forces[name]
    assert isinstance(powertrain, TrackPowertrain)
    return powertrain


def _find_steering_state(source: Source, name: str) -> int:
    """Place of the states of the driver who works a powertrain and steers tracks, or -1."""
    for driver, spec in source.model.drivers.items():
        if spec.pedals.powertrain == name and isinstance(spec.steering, TrackSteering):
            return source.layout.state_start[driver]
    return -1


def find_first_speed(model: Model, name: str) -> tuple[float, float, float]:
    """At the start the engine idles, in the first gear, with its steering brakes off."""
    return _find_powertrain(model, name).engine.idle, 1.0, 0.0


FAMILY = Family(
    "track_powertrain",
    {"track_powertrain": TrackPowertrainTable, "driven_sprocket": DrivenSprocketTable},
    list_forces("track_powertrain"),
    make_track_powertrains,
    states=STATES,
    find_start=find_first_speed,
    find_owners=lambda tables: tables.driven_sprocket.body[::2],
    values=11,
    outputs=(
        Output("left_torque", "N m", "torque on the left sprocket"),
        Output("right_torque", "N m", "torque on the right sprocket"),
        Output("engine_speed", "rad/s", "speed of the engine"),
        Output("engine_torque", "N m", "torque of the engine"),
        Output("gear", "-", "gear; between whole numbers while shifting"),
        Output("throttle", "-", "throttle, 0 to 1"),
        Output("engine_power", "W", "power of the engine, negative where it brakes"),
        Output("power", "W", "power put into both sprockets"),
        Output("converter_loss", "W", "power lost in the converter"),
        Output("gear_loss", "W", "power lost in the gears"),
        Output("steering_loss", "W", "power lost by the steering brakes"),
    ),
)
