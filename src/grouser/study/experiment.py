"""What studies and optimisations share: what is run many times, what changes between runs, what is asked of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import Field

from grouser.errors import GrouserError, ModelError
from grouser.model.base import Count, Description, Flag, NonNegative, Number, Part, Positive, Title, Whole
from grouser.model.expression import find_channel_names
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.schema import find_kind, load_document, validate_document
from grouser.model.sensor import Sensor
from grouser.presets import find_preset

Level = Annotated[int, Field(strict=True, ge=-(10**15), le=10**15)] | Number | Flag | str
"""A value of a factor; whole numbers stay whole."""
COLUMNS = ("run", "point", "replicate", "seed", "status", "reason", "result")
"""Columns of the table besides those of factors and responses."""


class Base(Part):
    """What is run, as the options of ``grouser run`` say it.

    Attributes
    ----------
    vehicle : a vehicle of the catalog, or a vehicle or model file; files are looked for beside the study file
    scenario : a scenario of the catalog or a file; None takes that by which `grouser run` runs the vehicle
    set, scenario_set : values of the vehicle and of the scenario to replace, each ``path=value``
    preset, integrator, tolerance : how the motion is solved; None takes what suits the model
    duration : simulated time, or None for that of the scenario, 10 s without one [s]
    step : time step, or None for what suits the model [s]
    output_interval : time between two frames [s]
    settle : whether runs start at rest; None where they have tracks or tyres
    initial : file of a saved state from which all runs start, or None
    sensors : further sensors, as those of a model file, whose channels are called ``seat.value``
    """

    vehicle: str
    scenario: str | None = None
    set: list[str] = Field(default_factory=list)
    scenario_set: list[str] = Field(default_factory=list)
    preset: str | None = None
    integrator: str | None = None
    tolerance: Positive | None = None
    duration: Positive | None = None
    step: Positive | None = None
    output_interval: Positive = 0.01
    settle: Flag | None = None
    initial: str | None = None
    sensors: dict[str, Sensor] = Field(default_factory=dict)


class Factor(Part):
    """Something that changes between runs. It has `values`, or a range from `low` to `high`.

    Attributes
    ----------
    type : what it replaces: a ``value`` of the vehicle, one of the ``scenario``, the ``preset``, or the ``initial``
        state
    path : of a value, as in ``chassis.mass`` of ``--set``
    also : further paths that get the same value
    values : values it may have; names of presets, files of states
    low, high : ends of its range
    levels : number of values in the range, both ends among them, for a grid
    logarithmic : whether the range is divided by ratios
    whole : whether values of the range are rounded to whole numbers
    """

    type: Literal["value", "scenario", "preset", "initial"] = "value"
    path: str = ""
    also: list[str] = Field(default_factory=list)
    values: list[Level] | None = None
    low: Number | None = None
    high: Number | None = None
    levels: Annotated[Count, Field(ge=2, le=1_000_000)] | None = None
    logarithmic: Flag = False
    whole: Flag = False

    @property
    def paths(self) -> list[str]:
        """All paths that get its value."""
        return [self.path, *self.also]


class Response(Part):
    """A number that is asked of every run: of its summary, or of a course of values.

    Attributes
    ----------
    summary : name of a number of the summary, as in ``energy_residual`` or ``tracks.left.slip``
    take : what is taken of the course: ``max``, ``min``, ``mean``, ``rms``, ``percentile``, its value ``at`` a time, or
        rainflow ``damage``; of an acceleration also what a person feels: ``absorbed_power`` [W], ``weighted_rms``
        [m/s^2], ``vdv`` [m/s^1.75]
    of : a channel, ``chassis.position.z``, or an expression with channels in brackets, ``abs([hinge.force.x]) + 2*t``
    start, end : only what lies between these times counts; None is the start or the end of the run [s]
    percent : of a percentile, from 0 to 100
    time : of a value, linear between frames [s]
    strength : of damage: amplitude of which one cycle breaks [unit of the course]
    exponent : of damage: slope of the S-N curve
    weighting : of weighted_rms and vdv: ``Wk`` or ``Wd`` of ISO 2631-1; None is ``Wk``, for vertical vibration
    """

    summary: str | None = None
    take: (
        Literal["max", "min", "mean", "rms", "percentile", "at", "damage", "absorbed_power", "weighted_rms", "vdv"]
        | None
    ) = None
    of: str | None = None
    start: NonNegative | None = None
    end: Positive | None = None
    percent: Annotated[Number, Field(ge=0, le=100)] | None = None
    time: NonNegative | None = None
    strength: Positive | None = None
    exponent: Positive | None = None
    weighting: Literal["Wk", "Wd"] | None = None


NEEDS = {"percentile": ("percent",), "at": ("time",), "damage": ("strength", "exponent")}
"""Further keys of a response, by what is taken."""
MAY = {"weighted_rms": ("weighting",), "vdv": ("weighting",)}
"""Keys that a response may have besides."""


class Replicates(Part):
    """Every combination is run several times, each time with another seed.

    Attributes
    ----------
    count : number of runs of every combination
    seed : seed of the first replicate; the next ones follow
    type : where seeds stand: in a ``value`` of the vehicle or of the ``scenario``
    path : that gets the seed, as in ``terrain.seed``
    """

    count: Annotated[Count, Field(ge=1, le=1_000_000)]
    seed: Annotated[Count, Field(ge=0)] = 1
    type: Literal["value", "scenario"] = "scenario"
    path: str


class Experiment(Whole):
    """Many runs of one base.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    base : what is run
    factors : what changes, by names that become columns of the table
    responses : what is asked of every run, by names that become columns of the table
    replicates : further runs of every combination with other seeds, or None
    """

    ASIDE: ClassVar[frozenset[str]] = frozenset({"name", "description"})
    """What decides nothing about a run."""

    grouser: Literal[1] = 1
    kind: str
    name: Title
    description: Description = ""
    base: Base
    factors: dict[str, Factor] = Field(default_factory=dict)
    responses: dict[str, Response] = Field(default_factory=dict)
    replicates: Replicates | None = None

    @property
    def repeats(self) -> int:
        """Runs of every combination."""
        return 1 if self.replicates is None else self.replicates.count

    def _find_faults(self) -> list[Fault]:
        return [
            *find_base_faults(self.base),
            *_find_name_faults(self),
            *(f for name, factor in self.factors.items() for f in _find_factor_faults(name, factor)),
            *_find_path_faults(self),
            *(f for name, response in self.responses.items() for f in _find_response_faults(name, response)),
        ]


ExperimentT = TypeVar("ExperimentT", bound=Experiment)


def load_experiment(path: str | FilePath, kinds: Mapping[str, type[ExperimentT]]) -> ExperimentT:
    """Read the file of a study or of an optimisation. Files that it names are looked for beside it."""
    document = load_document(path)
    wanted = validate_document(find_kind(document, kinds), document)
    folder = FilePath(path).parent
    factors = {
        name: factor.model_copy(update={"values": [find_beside(folder, str(value)) for value in factor.values]})
        if factor.type == "initial" and factor.values
        else factor
        for name, factor in wanted.factors.items()
    }
    base = {name: find_beside(folder, getattr(wanted.base, name)) for name in ("vehicle", "scenario", "initial")}
    return wanted.model_copy(update={"base": wanted.base.model_copy(update=base), "factors": factors})


def find_beside(folder: FilePath, name: str | None) -> str | None:
    """The file of a name in a folder, or the name as it is where there is none."""
    return name if name is None or not (folder / name).is_file() else str((folder / name).resolve())


def find_base_faults(base: Base) -> Iterator[Fault]:
    """Faults of a base that no field can see by itself."""
    if base.settle and base.initial is not None:
        yield make_fault(("base", "settle"), "a saved state replaces settling: remove 'settle' or 'initial'")
    if base.duration is not None and base.output_interval > base.duration:
        yield make_fault(
            ("base", "output_interval"),
            f"is {base.output_interval:g} [s], longer than the duration of {base.duration:g} s: shorten it",
        )
    if base.step is not None and base.step > base.output_interval:
        yield make_fault(
            ("base", "step"), f"is {base.step:g} [s], longer than the output_interval of {base.output_interval:g} s"
        )
    yield from _find_preset_faults(("base", "preset"), base.preset)


def _find_preset_faults(path: Path, name: object) -> Iterator[Fault]:
    if name is None:
        return
    try:
        find_preset(str(name))
    except GrouserError as error:
        yield make_fault(path, str(error))


def _find_name_faults(study: Experiment) -> Iterator[Fault]:
    for kind, names in (("factors", study.factors), ("responses", study.responses)):
        for name in names:
            if not name.strip() or not name.isprintable():
                yield make_fault((kind, name), "a name is printable text of one line; call it otherwise")
            if name in COLUMNS:
                yield make_fault((kind, name), f"is the name of another column of the table: call it {name}_value")
    for name in study.factors.keys() & study.responses.keys():
        yield make_fault(("responses", name), "a factor has this name too: call one of them otherwise")


def _find_factor_faults(name: str, factor: Factor) -> Iterator[Fault]:
    path = ("factors", name)
    has_path = factor.type in ("value", "scenario")
    if has_path and not all(one.strip() for one in factor.paths):
        yield make_fault((*path, "path"), "is missing: give the path of the value, as in chassis.mass")
    if not has_path and (factor.path or factor.also):
        yield make_fault((*path, "path"), f"a factor of the type {factor.type!r} has no path: remove it")


def find_extent_faults(name: str, factor: Factor) -> list[Fault]:
    """Faults of the values, or of the range, of a factor that must have one of both."""
    path = ("factors", name)
    has_range = factor.low is not None or factor.high is not None
    if (factor.values is None) == (not has_range):
        what = "has both values and a range: keep one" if has_range else "has neither values nor low and high: give one"
        return [make_fault(path, what)]
    return [*(_find_range_faults(path, factor) if factor.values is None else _find_value_faults(path, factor))]


def _find_value_faults(path: Path, factor: Factor) -> Iterator[Fault]:
    values = factor.values or []
    if not values:
        yield make_fault((*path, "values"), "is empty: give at least one value")
    for i, value in enumerate(values):
        if value in values[:i]:
            yield make_fault((*path, "values", i), f"{value!r} is given twice: remove one")
        if factor.type == "preset":
            yield from _find_preset_faults((*path, "values", i), value)


def _find_range_faults(path: Path, factor: Factor) -> Iterator[Fault]:
    if factor.type in ("preset", "initial"):
        yield make_fault(path, f"a factor of the type {factor.type!r} has no range: give values")
    elif factor.low is None or factor.high is None:
        yield make_fault(path, "a range has two ends: give low and high")
    elif not factor.low < factor.high:
        yield make_fault((*path, "high"), f"is {factor.high:g}, not above low, {factor.low:g}: exchange them")
    elif factor.logarithmic and factor.low <= 0:
        yield make_fault((*path, "low"), f"is {factor.low:g}; a logarithmic range is of positive numbers")


def _find_path_faults(study: Experiment) -> Iterator[Fault]:
    """Two factors that replace the same."""
    seen: dict[tuple[str, str], str] = {}
    for name, factor in study.factors.items():
        for path in factor.paths:
            other = seen.setdefault((factor.type, path), name)
            if other != name:
                yield make_fault(("factors", name), f"replaces {path or factor.type!r}, as {other!r} does: remove one")
    again = study.replicates
    if again is not None and (again.type, again.path) in seen:
        yield make_fault(("replicates", "path"), f"{again.path!r} is that of a factor too: remove one")
    if again is not None and not again.path.strip():
        yield make_fault(("replicates", "path"), "is empty: give the path of the seed, as in terrain.seed")


def _find_response_faults(name: str, response: Response) -> Iterator[Fault]:
    path = ("responses", name)
    given = {key for key in Response.model_fields if getattr(response, key) is not None}
    if response.summary is not None:
        if given != {"summary"}:
            yield make_fault(path, f"takes a number of the summary: remove {', '.join(sorted(given - {'summary'}))}")
        return
    if response.take is None or response.of is None:
        missing = " and ".join(key for key in ("take", "of") if key not in given)
        yield make_fault(path, f"lacks {missing}: give take and of, or summary")
        return
    needs = NEEDS.get(response.take, ())
    for key in needs:
        if key not in given:
            yield make_fault((*path, key), f"is missing: '{response.take}' needs it")
    for key in sorted(given - {"take", "of", "start", "end", *needs, *MAY.get(response.take, ())}):
        yield make_fault((*path, key), f"does not belong to '{response.take}': remove it")
    if response.start is not None and response.end is not None and not response.start < response.end:
        yield make_fault((*path, "end"), f"is {response.end:g} [s], not after start, {response.start:g} s: exchange")
    try:
        find_channel_names(response.of)
    except ModelError as error:
        yield make_fault((*path, "of"), str(error))
