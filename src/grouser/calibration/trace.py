"""One simulated run of a calibration, as workers make it: what was measured, at all frames."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser._version import __version__
from grouser.calibration.recording import load_inputs
from grouser.calibration.spec import Calibration
from grouser.catalog.scenarios import Scenario, load_scenario_document
from grouser.catalog.vehicles import validate_vehicle
from grouser.errors import ModelError, ResultError, SolveError, say_unknown
from grouser.model.document import Document
from grouser.model.override import with_overrides, with_values
from grouser.model.schema import find_kind, validate_document
from grouser.model.start import find_start_faults
from grouser.result.result import Result
from grouser.simulate import simulate
from grouser.study.experiment import Base
from grouser.study.respond import calc_course
from grouser.study.rest import find_rest
from grouser.study.setup import Setup, find_scenario, load_base_document, make_base_setup
from grouser.whole_file import save_whole

Array = NDArray[np.float64]
TRACES = "traces"
"""Folder of what workers have made."""


@dataclass(frozen=True)
class Trace:
    """What a simulated run has shown.

    Attributes
    ----------
    time : of its frames [s]
    values : what is compared with the measured columns, (frames, columns)
    arguments : arguments of the unknown curves, by their names, (frames, channels); none unless they were asked for
    reason : why the run failed, or nothing
    """

    time: Array
    values: Array
    arguments: dict[str, Array]
    reason: str = ""


@dataclass(frozen=True)
class Job:
    """A run with values for the unknowns.

    Attributes
    ----------
    run : its name
    values : of the unknowns, by path
    key : hash of all that decides what it shows
    is_whole : whether arguments of curves are kept too
    """

    run: str
    values: dict[str, Any]
    key: str
    is_whole: bool

    def find_file(self, folder: Path) -> Path:
        """Where its trace is kept."""
        return folder / TRACES / f"{self.key}{'-whole' * self.is_whole}.npz"


def calc_print(calibration: Calibration, run: str, values: Mapping[str, Any]) -> str:
    """A hash of all that decides what a run shows, but the values of the unknowns; `values` are any of them."""
    setup = make_run_setup(calibration, run, values)
    content: list[Any] = [__version__, setup.model.model_dump(mode="json"), repr(setup.preset), repr(setup.settings)]
    over = {name: one.over for name, one in calibration.unknowns.items()}
    content += [calibration.find_reading(run).angles, over]
    if setup.initial is not None:
        content.append(hashlib.sha256(Path(setup.initial).read_bytes()).hexdigest())
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def calc_key(run_print: str, values: Mapping[str, Any]) -> str:
    """A hash of a run with values for the unknowns."""
    return hashlib.sha256(json.dumps([run_print, values], sort_keys=True).encode()).hexdigest()[:24]


def find_base(calibration: Calibration, run: str) -> Base:
    """What a run simulates."""
    own = calibration.runs[run]
    changes = {key: getattr(own, key) for key in ("scenario", "duration") if getattr(own, key) is not None}
    return calibration.base.model_copy(update=changes)


def _make_documents(calibration: Calibration, run: str) -> tuple[Document, Document | None]:
    """Data of the vehicle and of the scenario of a run, before its inputs and the unknowns."""
    base, own = find_base(calibration, run), calibration.runs[run]
    vehicle = with_overrides(load_base_document(base), [*base.set, *own.set], "value")
    name = find_scenario(base, str(vehicle.get("kind")))
    overrides = [*base.scenario_set, *own.scenario_set]
    if name is None:
        if overrides:
            raise ModelError(f"run {run!r}: there is no scenario whose values could be replaced; name one")
        return vehicle, None
    return vehicle, with_overrides(load_scenario_document(name), overrides, "scenario value")


def make_run_setup(calibration: Calibration, run: str, values: Mapping[str, Any]) -> Setup:
    """A run with values for the unknowns, by path."""
    document, scenario_document = _make_documents(calibration, run)
    told: dict[str, dict[str, Any]] = {"value": {}, "scenario": {}}
    reading = calibration.find_reading(run)
    for name, table in load_inputs(calibration, run).items():
        one = reading.inputs[name]
        told[one.type] |= dict.fromkeys([one.path, *one.also], table)
    told["scenario"] |= calibration.pick_values(values, "scenario")
    vehicle = validate_vehicle(with_values(document, told["value"] | calibration.pick_values(values, "vehicle")))
    scenario = None
    if scenario_document is not None:
        changed = with_values(scenario_document, told["scenario"], "scenario value")
        scenario = validate_document(find_kind(changed, {"scenario": Scenario}), changed)
    elif told["scenario"]:
        raise ModelError(f"run {run!r}: inputs or unknowns are to stand in a scenario, and there is none; name one")
    about = {"calibration": calibration.name, "run": run}
    return make_base_setup(find_base(calibration, run), vehicle, scenario, about=about)


def calc_trace(calibration: Calibration, job: Job, folder: str) -> None:
    """Make a run, and keep its trace; a run that fails has a reason instead."""
    place = Path(folder)
    try:
        trace = simulate_run(calibration, job.run, job.values, folder=place, is_whole=job.is_whole)
    except SolveError as error:
        if error.result is not None:
            error.result.close()
        trace = Trace(np.empty(0), np.empty((0, 0)), {}, str(error) or "it failed")
    save_trace(job.find_file(place), trace)


def try_run(calibration: Calibration, run: str, values: Mapping[str, Any], folder: str) -> None:
    """Make the first frame of a run, so that all is compiled and settled once, and see that its channels are there."""
    setup = make_run_setup(calibration, run, values)
    settings = replace(setup.settings, duration=setup.settings.output_interval)
    try:
        _simulate(calibration, run, replace(setup, settings=settings), Path(folder), is_whole=True)
    except SolveError:
        return


def simulate_run(
    calibration: Calibration, run: str, values: Mapping[str, Any], *, folder: Path | None = None, is_whole: bool = True
) -> Trace:
    """A run with values for the unknowns; states of rest are shared in a folder if one is given."""
    return _simulate(calibration, run, make_run_setup(calibration, run, values), folder, is_whole=is_whole)


def _simulate(calibration: Calibration, run: str, setup: Setup, folder: Path | None, *, is_whole: bool) -> Trace:
    settings = setup.settings
    faults, _ = find_start_faults(setup.model, settings.duration)
    if faults:
        raise ModelError(faults)
    initial = setup.initial if folder is None else find_rest(setup, folder)
    with simulate(
        setup.model,
        preset=setup.preset,
        duration=settings.duration,
        step=settings.step,
        output_interval=settings.output_interval,
        settle=settings.settle if initial is None else None,
        initial=initial,
        about=setup.about,
    ) as result:
        if result.status == "interrupted":
            raise KeyboardInterrupt
        reading = calibration.find_reading(run)
        values = [calc_course(f"column {name!r}", of, result) for name, of in reading.angles.items()]
        arguments = find_arguments(calibration, result) if is_whole else {}
        return Trace(np.asarray(result.time), np.column_stack(values), arguments)


def find_arguments(calibration: Calibration, result: Result) -> dict[str, Array]:
    """Arguments of the unknown curves, by their names, (frames, channels)."""
    found = {}
    for name, unknown in calibration.unknowns.items():
        channels = [one for one in result.channels if any(fnmatchcase(one, pattern) for pattern in unknown.over)]
        for pattern in unknown.over:
            if not any(fnmatchcase(one, pattern) for one in channels):
                raise ResultError(f"unknown {name!r}: over: {say_unknown('channel', pattern, result.channels)}")
        if channels:
            found[name] = np.column_stack([np.asarray(result[one], dtype=np.float64) for one in channels])
    return found


def save_trace(path: Path, trace: Trace) -> None:
    """Keep a trace."""
    arguments: dict[str, Any] = {f"argument {name}": values for name, values in trace.arguments.items()}
    with save_whole(path, "trace") as draft, draft.open("wb") as file:
        np.savez_compressed(file, time=trace.time, values=trace.values, reason=np.array(trace.reason), **arguments)


def load_trace(path: Path) -> Trace | None:
    """A trace that is kept; None where it is not there, or damaged."""
    try:
        with np.load(path) as kept:
            arguments = {name[9:]: kept[name] for name in kept.files if name.startswith("argument ")}
            return Trace(kept["time"], kept["values"], arguments, str(kept["reason"]))
    except (OSError, ValueError, KeyError, EOFError):
        return None
