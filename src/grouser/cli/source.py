"""What a command works on: the vehicle or model that the command line names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grouser.cli.choices import check_pins, check_times, choose_preset
from grouser.cli.report import say_note
from grouser.errors import ModelError

if TYPE_CHECKING:
    from grouser.catalog.scenarios import Scenario
    from grouser.catalog.tracked.spec import TrackedVehicle
    from grouser.catalog.vehicles import Vehicle
    from grouser.model.model import Model
    from grouser.presets import Preset


@dataclass(frozen=True)
class Source:
    """A model ready to run.

    Attributes
    ----------
    name : name of the catalog or stem of the file; result files are called after it
    path : the file it was read from
    kind : kind of document: ``tracked-vehicle``, ``trackless-vehicle``, ``wheeled-vehicle``, ``crawler`` or ``model``
    model : the model, on the ground of the scenario and driven by it
    scenario : the scenario, or None for a model as it is
    inputs : all files that were read by name
    """

    name: str
    path: Path
    kind: str
    model: Model
    scenario: Scenario | None
    inputs: tuple[Path, ...] = ()

    @property
    def duration(self) -> float:
        """Simulated time if the command line gives none [s]."""
        from grouser.catalog.scenarios import find_duration

        return find_duration(self.scenario)

    @property
    def preset(self) -> Preset:
        """Preset if the command line names none."""
        from grouser.presets import find_default

        return find_default(self.model)


@dataclass(frozen=True)
class Wishes:
    """Options of the commands that solve something; see `options`."""

    target: str
    scenario: str | None
    preset: str | None
    step: float | None
    overrides: list[str] | None
    suspension: bool | None
    pin_stiffness: float | None
    pin_damping: float | None
    scenario_overrides: list[str] | None = None


def prepare_source(wishes: Wishes, *, duration: float | None = None, quiet: bool) -> tuple[Source, Preset]:
    """What the wishes name, judged for a run of a duration [s], by default that of the scenario."""
    check_times({"--duration": duration, "--step": wishes.step})
    pins = wishes.pin_stiffness, wishes.pin_damping
    preset = None if wishes.preset is None else choose_preset(wishes.preset, *pins)
    source = load_source(
        wishes.target,
        overrides=wishes.overrides,
        suspension=wishes.suspension,
        scenario=wishes.scenario,
        scenario_overrides=wishes.scenario_overrides,
    )
    check_pins(source.model, wishes.pin_stiffness, wishes.pin_damping)
    warnings = check_start(source, duration)
    if not quiet:
        for warning in warnings:
            say_note(f"warning: {warning}")
    return source, preset or choose_preset(source.preset, *pins)


def check_start(source: Source, duration: float | None = None) -> list[str]:
    """Refuse a model that cannot start or go on for a duration [s]; gives what should be known of it."""
    from grouser.model.start import find_start_faults

    faults, warnings = find_start_faults(source.model, source.duration if duration is None else duration)
    if faults:
        raise ModelError(faults)
    return [str(warning) for warning in warnings]


def load_source(
    target: str,
    *,
    overrides: Sequence[str] | None = None,
    suspension: bool | None = None,
    scenario: str | None = None,
    scenario_overrides: Sequence[str] | None = None,
) -> Source:
    """Read a vehicle or model and put it into its scenario; all faults of the file are told at once."""
    path, vehicle = find_source(target), load_source_file(target, overrides or ())
    return make_source(
        target, path, vehicle, suspension=suspension, scenario=scenario, scenario_overrides=scenario_overrides
    )


def make_source(
    target: str,
    path: Path,
    vehicle: Vehicle,
    *,
    suspension: bool | None = None,
    scenario: str | None = None,
    scenario_overrides: Sequence[str] | None = None,
) -> Source:
    """Put a vehicle or model, which the command line calls `target`, into its scenario."""
    from grouser.catalog.scenarios import apply_scenario, find_default_scenario, load_scenario
    from grouser.catalog.vehicles import make_vehicle

    if suspension is not None:
        vehicle = _with_suspension(target, vehicle, suspension)
    scenario = scenario or find_default_scenario(vehicle.kind)
    if scenario is None and scenario_overrides:
        raise ModelError("--scenario-set: there is no scenario whose values it could replace; name one by --scenario")
    chosen = None if scenario is None else load_scenario(scenario, scenario_overrides or ())
    model = make_vehicle(vehicle) if chosen is None else apply_scenario(vehicle, chosen)
    inputs = (path,) if scenario is None else (path, Path(scenario))
    return Source(path.stem, path, vehicle.kind, model, chosen, inputs)


def find_source(target: str) -> Path:
    """The file of a vehicle or model."""
    from grouser.catalog.vehicles import find_vehicle, list_vehicles

    path = Path(target)
    if os.path.isdir(path) and target not in list_vehicles():
        raise ModelError(f"{target or '.'} is a folder: give the name of a vehicle or of a YAML file")
    if path.suffix.lower() in (".h5", ".hdf5"):
        raise ModelError(f"{target} is the name of a result: give the name of a vehicle or of a YAML file")
    return find_vehicle(target)


def load_source_file(target: str, overrides: Sequence[str] = ()) -> Vehicle:
    """The vehicle or model that a file holds."""
    from grouser.catalog.vehicles import load_vehicle

    find_source(target)
    return load_vehicle(target, overrides)


def _with_suspension(target: str, vehicle: Vehicle, suspension: bool) -> TrackedVehicle:
    from grouser.catalog.tracked.spec import TrackedVehicle

    kind = vehicle.kind.replace("-", " ")
    option = "--suspension" if suspension else "--no-suspension"
    if not isinstance(vehicle, TrackedVehicle):
        raise ModelError(
            f"{option}: {target} is a whole {kind}; only the template of a tracked vehicle has this choice"
        )
    return vehicle.with_changes(suspension=suspension)
