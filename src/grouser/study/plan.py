"""The runs of a study: combinations of its factors, and replicates of each."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ModelError, say_unknown
from grouser.model.document import parse_value
from grouser.model.text import load_text
from grouser.study.experiment import Experiment, Factor
from grouser.study.spec import MOST_RUNS, Plan, Study

Value = float | int | bool | str


@dataclass(frozen=True)
class Case:
    """One run of a study.

    Attributes
    ----------
    run : its number, from 0
    point : number of its combination of factors
    replicate : which of the runs of this combination, from 0
    seed : seed of the replicate, or None without replicates
    values : value of every factor
    """

    run: int
    point: int
    replicate: int
    seed: int | None
    values: dict[str, Value]


def make_cases(study: Study) -> list[Case]:
    """All runs of a study, always the same ones."""
    points = make_points(study)
    count = study.repeats
    if len(points) * count > MOST_RUNS:
        raise ModelError(
            f"study {study.name!r} has {len(points) * count:,} runs; at most {MOST_RUNS:,} are made: give factors "
            "fewer values, or sample them"
        )
    return [case for point, values in enumerate(points) for case in make_repeats(study, point, values)]


def make_repeats(wanted: Experiment, point: int, values: dict[str, Value]) -> list[Case]:
    """The runs of one combination of factors, the seed of each the next one."""
    count, again = wanted.repeats, wanted.replicates
    return [
        Case(point * count + number, point, number, None if again is None else again.seed + number, values)
        for number in range(count)
    ]


def make_points(study: Study) -> list[dict[str, Value]]:
    """All combinations of the factors."""
    plan, factors = study.plan, study.factors
    if plan.type == "list":
        return _load_points(plan, factors)
    if plan.type == "grid":
        levels = {name: find_levels(factor) for name, factor in factors.items()}
        if math.prod(len(values) for values in levels.values()) > MOST_RUNS:
            raise ModelError(
                f"plan: the grid of study {study.name!r} has more than {MOST_RUNS:,} combinations: give factors fewer "
                "values, or sample them"
            )
        return [dict(zip(levels, values, strict=True)) for values in itertools.product(*levels.values())]
    shares = sample(plan, len(factors))
    return [
        {name: find_value(factor, float(share)) for (name, factor), share in zip(factors.items(), row, strict=True)}
        for row in shares
    ]


def sample(plan: Plan, width: int) -> NDArray[np.float64]:
    """Shares from 0 to 1 of the ranges of so many factors, a row for each combination."""
    from scipy.stats import qmc

    count = plan.count or 1
    if plan.type == "latin-hypercube":
        return qmc.LatinHypercube(width, seed=plan.seed).random(count)
    # a Sobol sequence is balanced in powers of two: its first points are taken of the next one
    return qmc.Sobol(width, seed=plan.seed).random_base2(math.ceil(math.log2(count)))[:count]


def find_levels(factor: Factor) -> list[Value]:
    """Values of a factor in a grid."""
    if factor.values is not None:
        return list(factor.values)
    assert factor.levels is not None
    return [find_value(factor, float(share)) for share in np.linspace(0.0, 1.0, factor.levels)]


def find_value(factor: Factor, share: float) -> Value:
    """Value of a factor at a share, from 0 to 1, of its range or of its values."""
    if factor.values is not None:
        return factor.values[min(int(share * len(factor.values)), len(factor.values) - 1)]
    value = _find_place(factor, share)
    return round(value) if factor.whole else value


def find_share(factor: Factor, value: float) -> float:
    """Share of its range at which a factor has a value."""
    assert factor.low is not None and factor.high is not None
    if factor.logarithmic:
        return math.log(value / factor.low) / math.log(factor.high / factor.low)
    return (value - factor.low) / (factor.high - factor.low)


def _find_place(factor: Factor, share: float) -> float:
    """The place in a range at a share of it."""
    assert factor.low is not None and factor.high is not None
    if share in (0.0, 1.0):  # the ends themselves, without rounding
        return factor.high if share else factor.low
    if factor.logarithmic:
        return float(factor.low * (factor.high / factor.low) ** share)
    return factor.low + share * (factor.high - factor.low)


def _load_points(plan: Plan, factors: dict[str, Factor]) -> list[dict[str, Value]]:
    """The lines of a CSV file."""
    assert plan.file is not None
    lines = [line for line in csv.reader(io.StringIO(load_text(Path(plan.file)))) if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise ModelError(f"{plan.file}: holds no combination: it has a line of names, and a line for each combination")
    heads = [head.strip() for head in lines[0]]
    faults = [f"{plan.file}: {say_unknown('factor', head, factors)}" for head in heads if head not in factors]
    faults += [f"{plan.file}: the column of the factor {name!r} is missing" for name in factors if name not in heads]
    faults += [f"{plan.file}: the column {head!r} is given twice" for head in set(heads) if heads.count(head) > 1]
    if faults:
        raise ModelError(faults)
    points = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(heads):
            faults.append(f"{plan.file}: line {number} has {len(line)} values for {len(heads)} columns")
            continue
        points.append(_read_point(plan.file, number, heads, line, faults))
    if faults:
        raise ModelError(faults)
    return points


def _read_point(
    file: str, number: int, heads: Sequence[str], line: Sequence[str], faults: list[str]
) -> dict[str, Value]:
    point: dict[str, Value] = {}
    for head, cell in zip(heads, line, strict=True):
        value: Any = parse_value(cell) if cell.strip() else None
        if not isinstance(value, bool | int | float | str) or (isinstance(value, float) and not math.isfinite(value)):
            faults.append(f"{file}: line {number}, {head}: {cell.strip()!r} is no number and no text: give a value")
            continue
        point[head] = value
    return point
