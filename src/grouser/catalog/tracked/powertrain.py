"""What drives a tracked vehicle: sprockets whose speed is given, or its engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grouser.errors import ModelError
from grouser.families.brake.spec import Brake
from grouser.families.track_powertrain.spec import (
    Converter,
    SteeringDifferential,
    TrackEngine,
    TrackGearbox,
    TrackPowertrain,
    find_track_drive_faults,
)
from grouser.model.base import Part, Positive
from grouser.model.fault import Fault, Path

if TYPE_CHECKING:
    from grouser.model.model import Model

POWERTRAIN = "powertrain"
"""Name of the powertrain; brakes are called after their tracks."""


class TrackDrive(Part):
    """Engine, converter, gears, steering and brakes of a tracked vehicle, for scenarios that drive by them.

    Attributes
    ----------
    engine : torque map and inertia
    converter : between engine and gearbox
    gearbox : gears; `final` has the final drives in it
    steering : differential that steers
    brake : torque of the brake of each sprocket at full pedal [N m]
    """

    engine: TrackEngine
    converter: Converter
    gearbox: TrackGearbox
    steering: SteeringDifferential
    brake: Positive


def find_powertrain_faults(path: Path, drive: TrackDrive) -> Iterator[Fault]:
    """Faults of tables and gears."""
    yield from find_track_drive_faults(path, drive.engine, drive.converter, drive.gearbox)


def with_powertrain(model: Model, drive: TrackDrive | None) -> Model:
    """A tracked vehicle that is driven by its engine, in place of motions that turn its sprockets."""
    if drive is None:
        raise ModelError(
            f"{model.name!r} has no engine: give it a 'powertrain' in its file, as m113 has, or leave out 'engine' in "
            "the scenario"
        )
    spins = {name: model.motions[track.drive].joint for name, track in model.tracks.items()}
    driven = {track.drive for track in model.tracks.values()}
    parts = {key: getattr(drive, key) for key in ("engine", "converter", "gearbox", "steering")}
    powertrain = TrackPowertrain(left=spins["left"], right=spins["right"], **parts)
    brakes = {f"{name}.brake": Brake(joint=joint, torque=drive.brake) for name, joint in spins.items()}
    return model.with_changes(
        motions={name: motion for name, motion in model.motions.items() if name not in driven},
        forces={**model.forces, POWERTRAIN: powertrain, **brakes},
        tracks={name: track.model_copy(update={"drive": POWERTRAIN}) for name, track in model.tracks.items()},
    )
