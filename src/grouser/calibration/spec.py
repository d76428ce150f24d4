"""Calibration files: what was measured, what of the vehicle is to be found, and which runs judge the fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from pydantic import Field

from grouser.errors import ModelError
from grouser.model.base import Count, Curve, Description, Flag, NonNegative, Number, Part, Positive, Title, Whole
from grouser.model.check import find_table_faults
from grouser.model.expression import find_channel_names
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.schema import find_kind, load_document, validate_document
from grouser.study.experiment import Base, find_base_faults

Unit = Literal["deg", "rad", "mm", "m"]
FACTORS: dict[str, float] = {"deg": 0.017453292519943295, "rad": 1.0, "mm": 1e-3, "m": 1.0}
"""SI value of a unit."""


class RigInput(Part):
    """What a column of the file tells the rig to do: it becomes a table of (time, value) somewhere.

    Attributes
    ----------
    type : where it stands: in a ``value`` of the vehicle or of the ``scenario``
    path : as in ``motions.post.value`` of ``--set``
    also : further paths that get the same
    unit : of the column
    smooth : length over which the column is smoothed by parabolas; 0 takes it as it is [s]
    """

    type: Literal["value", "scenario"] = "value"
    path: str
    also: list[str] = Field(default_factory=list)
    unit: Unit = "m"
    smooth: NonNegative = 0.0


class Reading(Part):
    """How the file of a measured run is read.

    Attributes
    ----------
    time : column of the time [s]; None if `rate` says it
    rate : samples in a second; beside `time` it is compared with it [1/s]
    shift : time of the file at which the simulated run begins [s]
    fit_shift : whether the remaining shift in time is found with the unknowns
    angles : channel, or expression of channels, that each measured column is compared with, by the column's name
    unit : of the measured columns
    weights : weight of columns in the fit, 1 by default; 0 leaves one out
    reference : measured columns are compared as they are (``absolute``), from their mean at the ``start``, when nothing
        moves yet, or from their ``mean``
    rest : length of the stretches at the start and at the end of a file in which nothing moves [s]
    drift : of columns that end elsewhere than they began, though at rest: ``remove`` it linearly, ``keep`` it, or
        ``refuse`` the file
    inputs : columns by which the rig is moved
    """

    time: str | None = None
    rate: Positive | None = None
    shift: Number = 0.0
    fit_shift: Flag = False
    angles: dict[str, str]
    unit: Unit = "deg"
    weights: dict[str, NonNegative] = Field(default_factory=dict)
    reference: Literal["absolute", "start", "mean"] = "absolute"
    rest: Positive = 0.5
    drift: Literal["remove", "keep", "refuse"] = "remove"
    inputs: dict[str, RigInput] = Field(default_factory=dict)


class MeasuredRun(Part):
    """A run that was measured.

    Attributes
    ----------
    file : CSV file, a line of names and a line for each sample; looked for beside the calibration file
    held_out : whether it only judges the fit
    weight : weight of the run in the fit
    start, end : only what lies between these simulated times counts; None is the start or the end of the run [s]
    shift : of this file, instead of that of its reading [s]
    scenario, duration : of this run, instead of those of the base [-, s]
    set, scenario_set : further values of the vehicle and of the scenario to replace, each ``path=value``
    reading : how the file is read, if otherwise than the others
    """

    file: str
    held_out: Flag = False
    weight: Positive = 1.0
    start: NonNegative | None = None
    end: Positive | None = None
    shift: Number | None = None
    scenario: str | None = None
    duration: Positive | None = None
    set: list[str] = Field(default_factory=list)
    scenario_set: list[str] = Field(default_factory=list)
    reading: Reading | None = None


class Unknown(Part):
    """What is to be found: a number, or a smooth monotone curve through knots.

    Attributes
    ----------
    type : ``curve`` or ``number``
    place : where it stands: in the ``vehicle``, or in the ``scenario`` of all runs, as stops of a rig
    path : of the value, as in ``suspension.damping`` of ``--set``, ``rig.pans.stops.clearance`` of ``--scenario-set``
    also : further paths that get the same
    start : with what the fit begins; None takes what the vehicle has
    low, high : least and greatest value of a number; of a curve, magnitude of its slopes between knots. None bounds
        slopes to a twentieth and twenty times the mean slope at the start
    knots : arguments of the knots of a curve
    odd : whether a curve goes through zero, with opposite values for opposite arguments; its knots are positive
    through : argument at which the value of a curve is known: it stays that of the start. None finds it
    over : channels that are arguments of the curve, with ``*`` for any letters: they tell where it was excited
    spread : departure from the start that is expected, as a share; of a number, of the range from low to high
    smooth : change of the slope from knot to knot that is expected, as a share
    """

    type: Literal["curve", "number"] = "curve"
    place: Literal["vehicle", "scenario"] = "vehicle"
    path: str
    also: list[str] = Field(default_factory=list)
    start: Curve | None = None
    low: Number | None = None
    high: Number | None = None
    knots: list[Number] = Field(default_factory=list)
    odd: Flag = False
    through: Number | None = None
    over: list[str] = Field(default_factory=list)
    spread: Positive = 0.5
    smooth: Positive = 0.5

    @property
    def paths(self) -> list[str]:
        """All paths that get its value."""
        return [self.path, *self.also]


class Fit(Part):
    """How the unknowns are found.

    Attributes
    ----------
    sample : length of the stretches over which measured and simulated values are averaged before they are compared [s]
    noise : error of such a mean that is expected of sensors and model together [rad or m]
    iterations : most linearisations
    tolerance : the fit ends when it gets better by less than this share
    difference : change of an unknown, as a share of its slope or of what is expected, by which its effect is found
    certain : a curve is determined where its band of 95 % is narrower than this share of its value to either side
    """

    sample: Positive = 0.05
    noise: Positive = 0.002
    iterations: Annotated[Count, Field(ge=1, le=1000)] = 8
    tolerance: Annotated[Number, Field(ge=1e-9, le=0.5)] = 1e-3
    difference: Annotated[Number, Field(ge=1e-6, le=0.5)] = 0.02
    certain: Annotated[Number, Field(ge=1e-6, le=1)] = 0.1


class Calibration(Whole):
    """Unknowns of a vehicle, and the measured runs from which they are found.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    base : what is simulated
    reading : how the files of measured runs are read
    runs : measured runs, by name
    unknowns : what is to be found, by name
    fit : how it is found
    """

    grouser: Literal[1] = 1
    kind: Literal["calibration"] = "calibration"
    name: Title
    description: Description = ""
    base: Base
    reading: Reading
    runs: dict[str, MeasuredRun]
    unknowns: dict[str, Unknown]
    fit: Fit = Field(default_factory=Fit)

    def find_reading(self, run: str) -> Reading:
        """How the file of a run is read."""
        return self.runs[run].reading or self.reading

    def pick_values(self, values: Mapping[str, Any], place: str) -> dict[str, Any]:
        """Those values of unknowns, by path, that stand in the vehicle, or in the scenario."""
        paths = {path for unknown in self.unknowns.values() if unknown.place == place for path in unknown.paths}
        return {path: value for path, value in values.items() if path in paths}

    def _find_faults(self) -> list[Fault]:
        readings: dict[Path, Reading] = {("reading",): self.reading}
        readings |= {("runs", name, "reading"): run.reading for name, run in self.runs.items() if run.reading}
        return [
            *find_base_faults(self.base),
            *(fault for path, reading in readings.items() for fault in _find_reading_faults(path, reading)),
            *_find_run_faults(self),
            *(f for name, unknown in self.unknowns.items() for f in _find_unknown_faults(("unknowns", name), unknown)),
            *_find_path_faults(self),
        ]


def load_calibration(path: str | FilePath) -> Calibration:
    """Read a calibration file. Files that it names are looked for beside it."""
    document = load_document(path)
    content = validate_document(find_kind(document, {"calibration": Calibration}), document)
    folder = FilePath(path).parent

    def find_beside(name: str | None) -> str | None:
        return name if name is None or not (folder / name).is_file() else str((folder / name).resolve())

    base = {name: find_beside(getattr(content.base, name)) for name in ("vehicle", "scenario", "initial")}
    runs = {
        name: run.model_copy(update={"file": str(folder / run.file), "scenario": find_beside(run.scenario)})
        for name, run in content.runs.items()
    }
    return content.model_copy(update={"base": content.base.model_copy(update=base), "runs": runs})


def _find_reading_faults(path: Path, reading: Reading) -> Iterator[Fault]:
    if reading.time is None and reading.rate is None:
        yield make_fault((*path, "time"), "is missing, and so is rate: name the column of the time, or give the rate")
    if not reading.angles:
        yield make_fault(
            (*path, "angles"), "is empty: say which columns were measured, and what they are compared with"
        )
    for column, channel in reading.angles.items():
        try:
            find_channel_names(channel)
        except ModelError as error:
            yield make_fault((*path, "angles", column), str(error))
        if column in reading.inputs or column == reading.time:
            yield make_fault((*path, "angles", column), "is an input or the time too: a column is one of them")
    for column in reading.weights:
        if column not in reading.angles:
            yield make_fault((*path, "weights", column), "is no column of angles: remove it, or correct its name")
    if reading.angles and all(reading.weights.get(column) == 0.0 for column in reading.angles):
        yield make_fault((*path, "weights"), "leave all columns out: give at least one a weight above 0")


def _find_run_faults(content: Calibration) -> Iterator[Fault]:
    if all(run.held_out for run in content.runs.values()):
        yield make_fault(("runs",), "has no run to fit: give at least one that is not held_out")
    for name, run in content.runs.items():
        path = ("runs", name)
        if not name.strip() or not name.isprintable() or "/" in name or "\\" in name:
            yield make_fault(path, "the name of a run is part of names of files: call it otherwise")
        if run.start is not None and run.end is not None and not run.start < run.end:
            yield make_fault((*path, "end"), f"is {run.end:g} [s], not after start, {run.start:g} s: exchange them")
        duration = run.duration or content.base.duration
        if duration is not None and run.start is not None and run.start >= duration:
            yield make_fault(
                (*path, "start"), f"is {run.start:g} [s], and the run ends at {duration:g} s: choose earlier"
            )


def _find_unknown_faults(path: Path, unknown: Unknown) -> Iterator[Fault]:
    if not all(one.strip() for one in unknown.paths):
        yield make_fault((*path, "path"), "is empty: give the path of the value, as in chassis.mass")
    if unknown.low is not None and unknown.high is not None and not unknown.low < unknown.high:
        yield make_fault((*path, "high"), f"is {unknown.high:g}, not above low, {unknown.low:g}: exchange them")
    if unknown.place == "scenario" and unknown.start is None:
        yield make_fault((*path, "start"), "is missing: of a value of the scenario, say with what the fit begins")
    if unknown.type == "number":
        yield from _find_number_faults(path, unknown)
        return
    if unknown.start is not None and not isinstance(unknown.start, float):
        yield from find_table_faults((*path, "start"), unknown.start)
    for key in ("low", "high"):
        value = getattr(unknown, key)
        if value is not None and value <= 0.0:
            yield make_fault((*path, key), f"is {value:g}; it bounds the magnitude of slopes: give it above 0")
    if not unknown.over:
        yield make_fault((*path, "over"), "is missing: name the channels that are arguments of the curve")
    least = 1 if unknown.odd else 2
    if len(unknown.knots) < least:
        yield make_fault((*path, "knots"), f"has {len(unknown.knots)} knots; a curve needs at least {least}")
    if any(after <= before for before, after in zip(unknown.knots, unknown.knots[1:], strict=False)):
        yield make_fault((*path, "knots"), "do not increase: sort them, and give each once")
    if unknown.odd and any(knot <= 0.0 for knot in unknown.knots):
        yield make_fault((*path, "knots"), "of an odd curve are positive: its other side and zero follow")
    if unknown.odd and unknown.through is not None:
        yield make_fault((*path, "through"), "an odd curve goes through zero: remove it")


def _find_number_faults(path: Path, unknown: Unknown) -> Iterator[Fault]:
    for key in ("low", "high"):
        if getattr(unknown, key) is None:
            yield make_fault((*path, key), "is missing: a number has bounds")
    if unknown.start is not None and not isinstance(unknown.start, float):
        yield make_fault((*path, "start"), "is a table, and the unknown a number: give a number, or type: curve")
    for key in ("knots", "odd", "over", "through"):
        if getattr(unknown, key) not in ([], False, None):
            yield make_fault((*path, key), "belongs to curves: remove it, or give type: curve")


def _find_path_faults(content: Calibration) -> Iterator[Fault]:
    """Two unknowns, or an unknown and an input, that replace the same."""
    seen = {
        path: f"input {column!r}" for column, one in content.reading.inputs.items() for path in (one.path, *one.also)
    }
    if not content.unknowns:
        yield make_fault(("unknowns",), "is empty: say what is to be found")
    for name, unknown in content.unknowns.items():
        for path in unknown.paths:
            other = seen.setdefault(path, f"unknown {name!r}")
            if other != f"unknown {name!r}":
                yield make_fault(("unknowns", name), f"replaces {path}, as {other} does: remove one")
