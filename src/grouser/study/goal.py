"""What a combination of factors is worth: its response, and how far it is from keeping the constraints.

Any combination that keeps all constraints is better than one that does not; of those that do not, the one that is
nearer to keeping them; and any of them is better than one whose run failed. The cost puts this order into one number:

    keeps all:       the response, or its opposite where it is made large
    does not:        BARRIER (1 + sum of what is beyond each bound, over the size of the bound)
    run failed:      BARRIER^2

Methods only compare costs, so that the size of the barrier does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grouser.study.optimisation import Constraint, Optimisation
from grouser.study.plan import Value

BARRIER = 1.0e30
"""More than any response."""


@dataclass(frozen=True)
class Trial:
    """A combination of factors and what came of it.

    Attributes
    ----------
    run : number of its first run
    values : of the factors
    responses : of its run, means over replicates; none where it failed
    excess : what is beyond each bound that is not kept, in the unit of its response: the most of all replicates
    cost : by which trials are compared, the smaller the better
    reason : why it failed, or nothing
    """

    run: int
    values: dict[str, Value]
    responses: dict[str, float]
    excess: dict[str, float]
    cost: float
    reason: str = ""

    @property
    def is_good(self) -> bool:
        """Whether it keeps all constraints."""
        return not self.reason and not self.excess


def make_trial(wanted: Optimisation, values: dict[str, Value], rows: Sequence[Mapping[str, Any]]) -> Trial:
    """The trial whose runs, one a replicate, have given some rows."""
    run = int(rows[0]["run"])
    reason = next((str(row["reason"]) for row in rows if row["status"] != "done"), "")
    if not reason:
        reason = _find_missing(wanted, rows)
    if reason:
        return Trial(run, values, {}, {}, BARRIER**2, reason)
    responses = {name: math.fsum(row[name] for row in rows) / len(rows) for name in wanted.responses}
    excess = {
        name: most
        for name, bound in wanted.constraints.items()
        if (most := max(_calc_excess(bound, row[name]) for row in rows)) > 0.0
    }
    if excess:
        far = math.fsum(most / _find_size(wanted.constraints[name]) for name, most in excess.items())
        return Trial(run, values, responses, excess, BARRIER * (1.0 + far))
    return Trial(run, values, responses, excess, responses[wanted.goal] * (1.0 if wanted.minimise else -1.0))


def _find_missing(wanted: Optimisation, rows: Sequence[Mapping[str, Any]]) -> str:
    """Why a run that came to its end cannot be judged."""
    for name in (wanted.goal, *wanted.constraints):
        if any(row[name] is None or not math.isfinite(row[name]) for row in rows):
            return f"response {name!r} is no number"
    return ""


def _calc_excess(bound: Constraint, value: float) -> float:
    low = -math.inf if bound.low is None else bound.low
    high = math.inf if bound.high is None else bound.high
    return max(low - value, value - high, 0.0)


def _find_size(bound: Constraint) -> float:
    return max(abs(bound.low or 0.0), abs(bound.high or 0.0)) or 1.0
