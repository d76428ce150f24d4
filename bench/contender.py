"""Programs that take turns: what each of them needs at least, with as much noise for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from rows import Row


@dataclass(frozen=True)
class Contender:
    """One program at one task.

    Attributes
    ----------
    case : what is done; the first contender of a case is the measure of the others
    program : who does it, with its version
    run : does it once, and returns CPU times [s]: that of the task, then those of what is to be subtracted
    count : evaluations of elements that the difference of these times is for
    remark : what else should be known
    """

    case: str
    program: str
    run: Callable[[], tuple[float, ...]]
    count: int
    remark: str = ""


def measure_in_turns(contenders: Iterable[Contender], turns: int) -> list[Row]:
    """Rows of all contenders: the least times of some turns [us an element]. The first turn compiles, and is left out.

    >>> measure_in_turns([Contender("a", "we", lambda: (3e-6, 1e-6), 2)], 2)[0].cost
    1.0
    """
    contenders = list(contenders)
    times = [[contender.run() for contender in contenders] for _ in range(turns + 1)][1:]
    rows = []
    for i, contender in enumerate(contenders):
        least = np.min([turn[i] for turn in times], axis=0)
        cost = 1e6 * (least[0] - least[1:].sum()) / contender.count
        rows.append(Row(contender.case, contender.program, float(cost), "us", remark=contender.remark))
    return rows
