"""Rainflow cycles of a course of values, and the damage that they do.

Source: ASTM E1049-85 (2017), Standard practices for cycle counting in fatigue analysis, section 5.4.4.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def find_reversals(values: Array) -> Array:
    """First and last value, and every turning point between them.

    >>> find_reversals(np.array([0.0, 1.0, 1.0, 3.0, 2.0, 2.0, 5.0])).tolist()
    [0.0, 3.0, 2.0, 5.0]
    """
    values = np.asarray(values, dtype=np.float64)
    values = values[np.concatenate([[True], np.diff(values) != 0.0])]
    if len(values) < 3:
        return values
    rise = np.diff(values) > 0.0
    return values[np.concatenate([[True], rise[1:] != rise[:-1], [True]])]


def count_cycles(values: Array) -> tuple[Array, Array]:
    """Ranges of all cycles, and how many each counts: 1, or 0.5 for what is not closed.

    >>> ranges, counts = count_cycles(np.array([0.0, 2.0, 1.0, 3.0]))
    >>> ranges.tolist(), counts.tolist()
    ([1.0, 3.0], [1.0, 0.5])
    """
    stack: list[float] = []
    ranges: list[float] = []
    counts: list[float] = []
    for value in find_reversals(values).tolist():
        stack.append(value)
        while len(stack) >= 3:
            last, before = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if last < before:
                break
            ranges.append(before)
            if len(stack) == 3:  # the range holds the start: half a cycle
                counts.append(0.5)
                del stack[0]
            else:
                counts.append(1.0)
                del stack[-3:-1]
    ranges += [abs(b - a) for a, b in pairwise(stack)]
    counts += [0.5] * max(0, len(stack) - 1)
    return np.array(ranges), np.array(counts)


def calc_damage(values: Array, strength: float, exponent: float) -> float:
    """Share of the life that a course of values uses up, by Miner's sum over its cycles.

    N = (S / strength)^(-exponent) cycles of the amplitude S break.                                              (1)
    D = sum n_i / N_i                                                                                            (2)
    """
    ranges, counts = count_cycles(values)
    return float(np.sum(counts * (0.5 * ranges / strength) ** exponent))  # (1) in (2)


def calc_equivalent(values: Array, exponent: float, cycles: float) -> float:
    """Amplitude that does the damage of a course of values when it is repeated for so many cycles.

    S_eq = (sum n_i S_i^m / n)^(1/m)                                                                             (3)

    >>> calc_equivalent(np.array([0.0, 2.0, 0.0, 2.0, 0.0]), 5.0, 2.0)
    1.0
    """
    ranges, counts = count_cycles(values)
    if len(ranges) == 0:
        return 0.0
    largest = float(ranges.max())
    return 0.5 * largest * float(np.sum(counts * (ranges / largest) ** exponent) / cycles) ** (1.0 / exponent)  # (3)
