"""Scenarios: what a vehicle is made to do, and on what ground."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import Field

from grouser.catalog.files import find_file, list_files
from grouser.catalog.tracked.build import make_tracked_vehicle
from grouser.catalog.tracked.placement import place_on_terrain
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.errors import ModelError, check_type, say_unknown
from grouser.model.base import Positive, Signal, Title, Whole
from grouser.model.check import find_signal_faults
from grouser.model.fault import Fault
from grouser.model.model import Model
from grouser.model.override import with_overrides
from grouser.model.schema import find_kind, load_document, validate_document
from grouser.model.terrain import Terrain

__all__ = ["Scenario", "apply_scenario", "list_scenarios", "load_scenario"]

FOLDER = Path(__file__).parent


class Scenario(Whole):
    """A drive of a given length.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    duration : length of the run [s]
    terrain : the ground, or None to keep that of the model
    drives : speed of each track's sprocket by the track's name, or another motion by its own name [rad/s];
        positive drives forward
    """

    grouser: Literal[1] = 1
    kind: Literal["scenario"] = "scenario"
    name: Title
    description: str = ""
    duration: Positive
    terrain: Terrain | None = None
    drives: dict[str, Signal] = Field(default_factory=dict)

    def _find_faults(self) -> list[Fault]:
        return [fault for name, value in self.drives.items() for fault in find_signal_faults(("drives", name), value)]


def list_scenarios() -> dict[str, str]:
    """Names of the catalog's scenarios and what they are.

    >>> sorted(list_scenarios())
    ['bump', 'rest', 'slope', 'straight', 'turn']
    """
    return list_files(FOLDER)


def load_scenario(name_or_path: str | os.PathLike[str], overrides: Iterable[str] = ()) -> Scenario:
    """Read a scenario of the catalog or of a file.

    Parameters
    ----------
    overrides : values to replace, each ``path=value`` as in ``duration=5``
    """
    document = with_overrides(load_document(find_file(FOLDER, "scenario", name_or_path)), overrides)
    return validate_document(find_kind(document, {"scenario": Scenario}), document)


def apply_scenario(vehicle: TrackedVehicle | Model, scenario: Scenario) -> Model:
    """The model of a vehicle on the scenario's ground, driven as the scenario says.

    A template is built and set down on the ground. A model that is one already must stand level over z = 0, as a
    built one does; it is set down on the new ground as a whole.
    """
    check_type(vehicle, (TrackedVehicle, Model), "vehicle", "load it first with gr.vehicles.load_vehicle")
    check_type(scenario, Scenario, "scenario", "load it first with gr.scenarios.load_scenario")
    if isinstance(vehicle, TrackedVehicle):
        return _drive(make_tracked_vehicle(vehicle, scenario.terrain), scenario)
    model = vehicle if scenario.terrain is None else place_on_terrain(vehicle, scenario.terrain)
    return _drive(model, scenario)


def _drive(model: Model, scenario: Scenario) -> Model:
    motions = dict(model.motions)
    faults = []
    for name, value in scenario.drives.items():
        drive = model.tracks[name].drive if name in model.tracks else name
        if drive in motions:
            motions[drive] = motions[drive].model_copy(update={"value": value})
        else:
            valid = {*model.tracks, *model.motions}
            faults.append(f"scenario {scenario.name!r}: drives: {say_unknown('track or motion', name, valid)}")
    if faults:
        raise ModelError(faults)
    return model.with_changes(motions=motions) if scenario.drives else model
