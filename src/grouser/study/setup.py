"""What a case of a study runs: its model, its preset and its times."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from grouser.catalog.scenarios import (
    Scenario,
    apply_scenario,
    find_default_scenario,
    find_duration,
    load_scenario,
    load_scenario_document,
)
from grouser.catalog.vehicles import Vehicle, find_vehicle, load_vehicle_document, make_vehicle, validate_vehicle
from grouser.errors import ModelError
from grouser.model.document import Document
from grouser.model.model import Model
from grouser.model.override import with_overrides
from grouser.model.text import check_file
from grouser.presets import Preset, find_default, find_preset
from grouser.settings import Settings
from grouser.study.experiment import Base, Experiment
from grouser.study.plan import Case, Value


@dataclass(frozen=True)
class Setup:
    """A run, ready for `simulate`.

    Attributes
    ----------
    model, preset : of the run
    initial : file of the state from which it starts, or None
    settings : times, and whether it begins by settling
    about : facts for the header of the result
    """

    model: Model
    preset: Preset
    initial: str | None
    settings: Settings
    about: dict[str, Any]


def make_setup(study: Experiment, case: Case) -> Setup:
    """The run of a case."""
    overrides, scenario_overrides = list_overrides(study, case)
    return make_base_setup(
        study.base,
        load_base_vehicle(study, case),
        load_base_scenario(study, case),
        preset=_find_choice(study, case, "preset"),
        initial=_find_choice(study, case, "initial"),
        about={"overrides": [*overrides, *scenario_overrides], "study": study.name, "run": case.run},
    )


def make_base_setup(
    base: Base,
    vehicle: Vehicle,
    scenario: Scenario | None,
    *,
    preset: str | None = None,
    initial: str | None = None,
    about: Mapping[str, Any],
) -> Setup:
    """A run of a base, with a vehicle and a scenario whose values have been replaced.

    Parameters
    ----------
    preset, initial : what replaces those of the base, if given
    about : further facts for the header of the result
    """
    model = make_vehicle(vehicle) if scenario is None else apply_scenario(vehicle, scenario)
    if base.sensors:
        model = model.model_copy(update={"sensors": {**model.sensors, **base.sensors}})
    preset = preset or base.preset
    chosen = find_default(model) if preset is None else find_preset(preset)
    duration = find_duration(scenario) if base.duration is None else base.duration
    return Setup(
        model=model,
        preset=chosen.with_integrator(base.integrator, base.tolerance, None),
        initial=initial or base.initial,
        settings=Settings(duration, base.step, min(base.output_interval, duration), base.settle),
        about={"vehicle": Path(base.vehicle).stem, "scenario": None if scenario is None else scenario.name, **about},
    )


def find_scenario(base: Base, kind: str) -> str | None:
    """Name of the scenario of a base whose vehicle is of a kind, if it has one."""
    return base.scenario or find_default_scenario(kind)


def load_base_vehicle(study: Experiment, case: Case) -> Vehicle:
    """The vehicle or model of a case, its values replaced."""
    return _load_vehicle(*_stamp(study.base.vehicle), tuple(list_overrides(study, case)[0]))


def load_base_scenario(study: Experiment, case: Case) -> Scenario | None:
    """The scenario of a case, its values replaced; None for a whole model that runs as it is."""
    name = find_scenario(study.base, load_base_vehicle(study, case).kind)
    return None if name is None else load_scenario(name, list_overrides(study, case)[1])


def list_overrides(study: Experiment, case: Case) -> tuple[list[str], list[str]]:
    """Replaced values of the vehicle and of the scenario, each ``path=value``: those of the base, then the factors,
    then the seed."""
    found = {"value": list(study.base.set), "scenario": list(study.base.scenario_set)}
    for name, value in case.values.items():
        factor = study.factors[name]
        if factor.type in ("value", "scenario"):
            found[factor.type] += [f"{path}={_say_value(value)}" for path in factor.paths]
    if study.replicates is not None:
        found[study.replicates.type].append(f"{study.replicates.path}={case.seed}")
    return found["value"], found["scenario"]


def check_paths(study: Experiment, case: Case) -> None:
    """Refuse files that cannot be read and paths that no value has: both are faults of the study, of any run of it."""
    for place, state in _list_states(study):
        try:
            check_file(state)
        except ModelError as error:
            raise ModelError(f"{place}: {error}") from None
    overrides, scenario_overrides = list_overrides(study, case)
    document = with_overrides(load_base_document(study.base), overrides, "value")
    name = find_scenario(study.base, str(document.get("kind")))
    if name is not None:
        with_overrides(load_scenario_document(name), scenario_overrides, "scenario value")
    elif scenario_overrides:
        raise ModelError("base.scenario: there is no scenario whose values could be replaced; name one")
    if study.base.sensors:
        model = make_setup(study, case).model
        try:
            model.with_changes(sensors=model.sensors)
        except ModelError as error:
            raise ModelError([f"base.{fault}" for fault in error.faults]) from None


def calc_fingerprint(study: Experiment, cases: Iterable[Case]) -> str:
    """A hash of all that decides what the rows of a study are, files that it names included."""
    base = study.base
    content: list[Any] = [
        study.model_dump(mode="json", exclude=set(study.ASIDE)),
        dict(load_base_document(base)),
        [[case.values, case.seed] for case in cases],
    ]
    if base.scenario is not None:
        content.append(load_scenario(base.scenario).model_dump(mode="json"))
    content += [hashlib.sha256(state.read_bytes()).hexdigest() for _, state in _list_states(study)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _list_states(study: Experiment) -> list[tuple[str, Path]]:
    """All files of saved states, each with its place in the study."""
    states = [] if study.base.initial is None else [("base.initial", Path(study.base.initial))]
    for name, factor in study.factors.items():
        if factor.type == "initial":
            states += [(f"factors.{name}.values", Path(str(value))) for value in factor.values or ()]
    return states


def _find_choice(study: Experiment, case: Case, kind: str) -> str | None:
    """Value of the factor that chooses a preset or a state, if there is one."""
    return next((str(value) for name, value in case.values.items() if study.factors[name].type == kind), None)


def _say_value(value: Value) -> str:
    """A value as YAML has it: text that looks like a number stays text."""
    return json.dumps(value) if isinstance(value, str | bool) else repr(value)


def _stamp(name: str) -> tuple[str, int]:
    """A vehicle, and by what it is known that its file has changed."""
    path = find_vehicle(name)
    return name, path.stat().st_mtime_ns if path.is_file() else 0


def load_base_document(base: Base) -> Document:
    """The data of the vehicle of a base, which nobody changes."""
    return _load_document(*_stamp(base.vehicle))


@lru_cache(maxsize=4)
def _load_document(name: str, stamp: int) -> Document:
    """The data of a vehicle's file, read once in a process."""
    return load_vehicle_document(name)


@lru_cache(maxsize=16)
def _load_vehicle(name: str, stamp: int, overrides: tuple[str, ...]) -> Vehicle:
    """A vehicle with its replaced values; where these do not change, it is validated once in a process."""
    return validate_vehicle(with_overrides(_load_document(name, stamp), overrides))
