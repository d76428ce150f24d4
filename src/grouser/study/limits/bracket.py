"""Bisection: the largest number that passes, by runs at both ends and then between them.

Both ends are asked for first. Then so many numbers at a time as there are workers divide what is left between the
largest one that has passed and the smallest one that has not, until that is no more than the tolerance. What lies
beyond the smallest failure is not looked at: a vehicle that fails at one size and passes at a larger one has the limit
below the first failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.study.limits.judge import Verdict
from grouser.study.limits.limit import Limit

Ask = Callable[[Sequence[float]], Mapping[float, Verdict]]
DIGITS = 6
"""Digits of the numbers that are asked for, so that they are the same when a search goes on."""


@dataclass(frozen=True)
class Found:
    """A limit that has been found.

    Attributes
    ----------
    limit : what was sought
    last_pass, first_failure : the largest number that passed below all failures, and the smallest that failed; None
        where the vehicle fails at the lowest number, or passes at the highest
    verdicts : all runs by their number
    """

    limit: Limit
    last_pass: Verdict | None
    first_failure: Verdict | None
    verdicts: dict[float, Verdict]

    def say(self) -> str:
        """The limit in words.

        Where all pass or fail it lies outside the range.
        """
        unit = "" if self.limit.unit == "-" else f" {self.limit.unit}"
        if self.last_pass is None:
            return f"below {self.limit.low:.4g}{unit}"
        if self.first_failure is None:
            return f"{self.limit.high:.4g}{unit} or more"
        return f"{self.last_pass.value:.4g}{unit}"


def seek_limit(limit: Limit, ask: Ask, sections: int = 1, known: Mapping[float, Verdict] | None = None) -> Found:
    """Find a limit to its tolerance; `sections` numbers are asked for at a time, beside those that are `known`."""
    verdicts = {**(known or {}), **ask([limit.low, limit.high])}
    while True:
        found = find_bracket(limit, verdicts)
        if found.last_pass is None or found.first_failure is None:
            return found
        low, high = found.last_pass.value, found.first_failure.value
        if high - low <= limit.tolerance * (1.0 + 1e-9):
            return found
        count = min(max(sections, 1), max(1, int(np.ceil((high - low) / limit.tolerance - 1e-9)) - 1))
        between = [float(f"{value:.{DIGITS}g}") for value in np.linspace(low, high, count + 2)[1:-1]]
        verdicts |= ask(between)


def find_bracket(limit: Limit, verdicts: Mapping[float, Verdict]) -> Found:
    """The largest pass below the smallest failure.

    >>> from grouser.study.limits.limit import Limit
    >>> limit = Limit("step", "highest step", "height", "m", 0.1, 0.4, 0.1, "terrain.height", "", (), 1.0)
    >>> runs = {v: Verdict(v, v < 0.25, "") for v in (0.1, 0.2, 0.3, 0.4)}
    >>> find_bracket(limit, runs).say()
    '0.2 m'
    """
    ordered = sorted(verdicts)
    failure = next((value for value in ordered if not verdicts[value].passed), None)
    passes = [value for value in ordered if failure is None or value < failure]
    return Found(
        limit,
        verdicts[passes[-1]] if passes else None,
        None if failure is None else verdicts[failure],
        {value: verdicts[value] for value in ordered},
    )
