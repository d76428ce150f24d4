"""Optimisation files: an experiment, what is sought, and how."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from grouser.errors import say_unknown
from grouser.model.base import Count, Flag, Number, Part, Positive
from grouser.model.fault import Fault, make_fault
from grouser.study.experiment import Experiment, Factor, find_extent_faults, load_experiment

MOST_RUNS = 100_000
"""Most runs of an optimisation."""


class Constraint(Part):
    """What a response must keep to. With replicates all of them must keep to it.

    Attributes
    ----------
    low, high : least and largest value that the response may have, or None
    """

    low: Number | None = None
    high: Number | None = None


class Method(Part):
    """How the best combination is sought.

    Attributes
    ----------
    type : ``differential-evolution``, a population that spreads over all ranges, for any response; ``nelder-mead``, a
        simplex that goes down from the start, for smooth responses with one valley; ``bayesian``, Gaussian processes
        of the runs so far say where a run promises most, for few runs that take long
    runs : most runs that are made, replicates among them
    population : runs of the first round, and with differential evolution of every one; None is 8 times the number of
        factors
    batch : runs that the method ``bayesian`` makes at once
    tolerance : differential evolution ends when the population's responses differ by this share of their mean, the
        simplex when it is smaller than this share of the ranges
    polish : whether a simplex goes on from the best combination
    seed : by which a search is the same again
    start : values of factors that are tried first; where none is given, the middle of the range
    """

    type: Literal["differential-evolution", "nelder-mead", "bayesian"] = "differential-evolution"
    runs: Annotated[Count, Field(ge=1, le=MOST_RUNS)] = 200
    population: Annotated[Count, Field(ge=5, le=10_000)] | None = None
    batch: Annotated[Count, Field(ge=1, le=1000)] = 4
    tolerance: Positive = 1e-3
    polish: Flag = True
    seed: Annotated[Count, Field(ge=0)] = 0
    start: dict[str, Number] = Field(default_factory=dict)


class Optimisation(Experiment):
    """Many runs of one base, to find the factors with the least response.

    Attributes
    ----------
    minimise, maximise : name of the response that is made small, or large; one of both
    constraints : what responses must keep to, by their names
    method : how the best combination is sought
    """

    ASIDE: ClassVar[frozenset[str]] = Experiment.ASIDE | {"minimise", "maximise", "constraints", "method"}

    kind: Literal["optimisation"] = "optimisation"
    minimise: str | None = None
    maximise: str | None = None
    constraints: dict[str, Constraint] = Field(default_factory=dict)
    method: Method = Field(default_factory=Method)

    @property
    def goal(self) -> str:
        """Name of the response that is sought."""
        return self.minimise or self.maximise or ""

    @property
    def population(self) -> int:
        """Runs of the first round."""
        return self.method.population or max(5, 8 * len(self.factors))

    def _find_faults(self) -> list[Fault]:
        return [
            *super()._find_faults(),
            *(f for name, factor in self.factors.items() for f in _find_factor_faults(self, name, factor)),
            *_find_goal_faults(self),
            *(f for name, one in self.constraints.items() for f in _find_constraint_faults(self, name, one)),
            *_find_method_faults(self),
        ]


def load_optimisation(path: str | FilePath) -> Optimisation:
    """Read an optimisation file. Files that it names are looked for beside it."""
    return load_experiment(path, {"optimisation": Optimisation})


def _find_factor_faults(wanted: Optimisation, name: str, factor: Factor) -> Iterator[Fault]:
    yield from find_extent_faults(name, factor)
    if factor.levels is not None:
        yield make_fault(("factors", name, "levels"), "belongs to the grid of a study: remove it")
    kind = wanted.method.type
    if kind != "differential-evolution" and (factor.values is not None or factor.whole):
        what = "values" if factor.values is not None else "whole numbers"
        yield make_fault(
            ("factors", name), f"has {what}, between which {kind!r} cannot go: take the method differential-evolution"
        )


def _find_goal_faults(wanted: Optimisation) -> Iterator[Fault]:
    if not wanted.factors:
        yield make_fault(("factors",), "there are none: say what may be changed")
    if not wanted.responses:
        yield make_fault(("responses",), "there are none: say what is asked of every run")
    if (wanted.minimise is None) == (wanted.maximise is None):
        what = "are both given: keep one" if wanted.minimise is not None else "is missing: name a response"
        yield make_fault(("minimise",), f"'minimise' and 'maximise' {what}" if "both" in what else what)
        return
    key = "minimise" if wanted.maximise is None else "maximise"
    if wanted.responses and wanted.goal not in wanted.responses:
        yield make_fault((key,), say_unknown("response", wanted.goal, wanted.responses))


def _find_constraint_faults(wanted: Optimisation, name: str, one: Constraint) -> Iterator[Fault]:
    path = ("constraints", name)
    if wanted.responses and name not in wanted.responses:
        yield make_fault(path, say_unknown("response", name, wanted.responses))
    if one.low is None and one.high is None:
        yield make_fault(path, "has neither low nor high: give one")
    elif one.low is not None and one.high is not None and one.low > one.high:
        yield make_fault((*path, "high"), f"is {one.high:g}, below low, {one.low:g}: exchange them")


def _find_method_faults(wanted: Optimisation) -> Iterator[Fault]:
    method = wanted.method
    if method.runs < wanted.repeats:
        yield make_fault(
            ("method", "runs"), f"is {method.runs}, fewer than the {wanted.repeats} replicates of one combination"
        )
    for name, value in method.start.items():
        factor = wanted.factors.get(name)
        path = ("method", "start", name)
        if factor is None:
            yield make_fault(path, say_unknown("factor", name, wanted.factors))
        elif factor.values is not None:
            yield make_fault(path, "this factor has values, none of which is a start: remove it")
        elif factor.low is not None and factor.high is not None and not factor.low <= value <= factor.high:
            yield make_fault(path, f"is {value:g}, not between low, {factor.low:g}, and high, {factor.high:g}")
