"""Brakes become rows of their table."""

from __future__ import annotations

import numpy as np

from grouser.compile.springs import Springs, calc_rotation
from grouser.compile.tables import FLOAT, INT, collect_rows, make_table
from grouser.families.brake.kernel import SETTLING
from grouser.families.brake.spec import Brake
from grouser.families.family import Family, Output, Source, list_forces
from grouser.families.powertrain.rows import find_pedal_driver, find_spin

BrakeTable = make_table(
    "BrakeTable",
    ("body", "(n,)", INT, "-", "wheel"),
    ("reaction", "(n,)", INT, "-", "body that takes the reaction"),
    ("axis", "(n,3)", FLOAT, "-", "spin axis on the wheel"),
    ("state", "(n,)", INT, "-", "place of its state in z"),
    ("torque", "(n,)", FLOAT, "N m", "at full pedal"),
    ("angle", "(n,)", FLOAT, "rad", "turn within which it builds up"),
    ("lag", "(n,)", FLOAT, "s", "time constant"),
    ("signal", "(n,)", INT, "-", "pedal"),
    ("driver", "(n,)", INT, "-", "driver whose pedal is added, or -1"),
)


def make_brakes(source: Source) -> tuple[tuple, ...]:
    """The table of brakes."""
    model, layout, rows = source.model, source.layout, []
    for name in layout.names["brake"]:
        brake = model.forces[name]
        assert isinstance(brake, Brake)
        body, axis = find_spin(model, layout, brake.joint)
        row: dict[str, object] = {
            "body": body,
            "reaction": layout.find_body(model.joints[brake.joint].frame_a.body),
            "axis": axis,
            "state": layout.state_start[name],
            "torque": brake.torque,
            "angle": brake.angle,
            "lag": brake.lag,
            "signal": source.signals.add_signal(brake.pedal),
            "driver": find_pedal_driver(model, name),
        }
        rows.append(row)
    return (collect_rows(BrakeTable, rows),)


def add_springs(springs: Springs) -> None:
    """Stiffness and damping of brakes whose pedals are down."""
    brake, R = springs.tables.brake, springs.state.R
    for i in range(len(brake.body)):
        gradient = (R[brake.body[i]] @ brake.axis[i])[None, :] @ calc_rotation()
        stiffness = np.array([[brake.torque[i] / brake.angle[i]]])
        springs.add(brake.reaction[i], brake.body[i], gradient, stiffness, SETTLING * stiffness)


FAMILY = Family(
    "brake",
    {"brake": BrakeTable},
    list_forces("brake"),
    make_brakes,
    ends={"brake": ("reaction", "body")},
    noted=("brake",),
    states=1,
    find_owners=lambda tables: tables.brake.body,
    values=3,
    acted=1,
    outputs=(
        Output("torque", "N m", "torque on the wheel"),
        Output("pedal", "-", "pedal, 0 to 1"),
        Output("loss", "W", "power lost, negative where it gives back what it holds"),
    ),
    add_springs=add_springs,
)
