"""Main effects: means of a response over each factor, and how much of its variance lies between them.

Of n runs in k groups with the sums of squares S within the groups and T in all, the share is Kelley's

    e^2 = 1 - (n - 1)/(n - k) S/T                                                               (1)

which is about nought for a factor that does nothing, whatever the number of groups; less is nought.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grouser.output.study_tables import Column, Effect, Value

MOST_LEVELS = 8
"""More values than this are put together into groups of equally many runs."""
GROUPS, LEAST_IN_GROUP = 6, 4


def make_effects(factors: list[Column], responses: list[Column]) -> list[Effect]:
    """Effects of all factors on all responses; of those that change nothing there is none."""
    found = []
    for response in responses:
        for factor in factors:
            there = [i for i, value in enumerate(response.values) if isinstance(value, int | float)]
            values = np.array([float(response.values[i]) for i in there])  # type: ignore[arg-type]
            groups = _find_groups([factor.values[i] for i in there])
            if len(groups) > 1 and np.ptp(values) > 0.0:
                found.append(_make_effect(response.name, factor, values, groups))
    return found


def _make_effect(
    response: str, factor: Column, values: NDArray[np.float64], groups: list[tuple[Value, list[int]]]
) -> Effect:
    parts = [values[members] for _, members in groups]
    within = sum(float(np.sum((part - part.mean()) ** 2)) for part in parts)
    total = float(np.sum((values - values.mean()) ** 2))
    free = len(values) - len(parts)
    share = 1.0 - (len(values) - 1) / free * within / total if free > 0 else 0.0  # (1)
    return Effect(
        response=response,
        factor=factor.name,
        at=[at for at, _ in groups],
        mean=[float(part.mean()) for part in parts],
        error=[float(part.std(ddof=1) / np.sqrt(len(part))) if len(part) > 1 else 0.0 for part in parts],
        count=[len(part) for part in parts],
        share=max(0.0, share),
        is_log=factor.is_log,
    )


def _find_groups(values: list[Value]) -> list[tuple[Value, list[int]]]:
    """Places of equal values, or of neighbouring numbers, with the value or the mean of the numbers."""
    levels = list(dict.fromkeys(values))
    is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in levels)
    if not is_number or len(levels) <= MOST_LEVELS:
        ordered = sorted(levels) if is_number else levels  # type: ignore[type-var]
        return [
            (str(level) if isinstance(level, bool) else level, [i for i, value in enumerate(values) if value == level])
            for level in ordered
        ]
    numbers = np.array([float(value) for value in values])  # type: ignore[arg-type]
    count = max(2, min(GROUPS, len(numbers) // LEAST_IN_GROUP))
    parts = np.array_split(np.argsort(numbers, kind="stable"), count)
    return [(float(numbers[part].mean()), part.tolist()) for part in parts]
