"""Study files: an experiment and the plan of its runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Annotated, Literal

from pydantic import Field

from grouser.model.base import Count, Part
from grouser.model.fault import Fault, make_fault
from grouser.study.experiment import Experiment, Factor, find_beside, find_extent_faults, load_experiment

MOST_RUNS = 1_000_000
"""Most runs of a study."""


class Plan(Part):
    """Which combinations of the factors are run.

    Attributes
    ----------
    type : ``grid``, every combination; ``list``, the lines of a CSV file; ``latin-hypercube`` or ``sobol``
    file : CSV file, its columns named like the factors; looked for beside the study file
    count : number of combinations to sample
    seed : by which sampled plans are the same again
    """

    type: Literal["grid", "list", "latin-hypercube", "sobol"] = "grid"
    file: str | None = None
    count: Annotated[Count, Field(ge=1, le=1_000_000)] | None = None
    seed: Annotated[Count, Field(ge=0)] = 0


class Study(Experiment):
    """Many runs of one base.

    Attributes
    ----------
    plan : which combinations are run
    responses : what is asked of every run, by names that become columns of the table
    """

    kind: Literal["study"] = "study"
    plan: Plan = Field(default_factory=Plan)

    def _find_faults(self) -> list[Fault]:
        return [
            *super()._find_faults(),
            *(f for name, factor in self.factors.items() for f in _find_level_faults(name, factor, self.plan)),
            *_find_plan_faults(self),
        ]


def load_study(path: str | FilePath) -> Study:
    """Read a study file. Files that it names are looked for beside it."""
    study = load_experiment(path, {"study": Study})
    file = find_beside(FilePath(path).parent, study.plan.file)
    return study.model_copy(update={"plan": study.plan.model_copy(update={"file": file})})


def _find_level_faults(name: str, factor: Factor, plan: Plan) -> Iterator[Fault]:
    has_range = factor.low is not None or factor.high is not None
    if plan.type != "list":
        yield from find_extent_faults(name, factor)
        if plan.type == "grid" and factor.values is None and has_range and factor.levels is None:
            yield make_fault(
                ("factors", name, "levels"), "is missing: say into how many values a grid divides the range"
            )
    elif factor.values is not None or has_range:
        yield make_fault(
            ("factors", name), "has values, but the plan takes them from its file: remove values, low and high"
        )


def _find_plan_faults(study: Study) -> Iterator[Fault]:
    plan = study.plan
    is_sampled = plan.type in ("latin-hypercube", "sobol")
    if is_sampled and plan.count is None:
        yield make_fault(("plan", "count"), f"is missing: say how many combinations the plan {plan.type!r} samples")
    if not is_sampled and plan.count is not None:
        yield make_fault(("plan", "count"), f"the plan {plan.type!r} has no count: remove it")
    if is_sampled and not study.factors:
        yield make_fault(("plan", "type"), f"the plan {plan.type!r} samples factors, and there are none: add some")
    if (plan.type == "list") != (plan.file is not None):
        yield make_fault(("plan", "file"), "is missing: name a CSV file" if plan.file is None else "belongs to 'list'")
