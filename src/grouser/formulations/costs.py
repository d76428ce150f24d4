"""What an evaluation costs, as measured: by which work is shared among threads, and whether that pays.

Costs are constants, and not measured anew in each run: which rows a thread has decides in which order forces are added,
and a run is to give the same numbers when it is made again. They are those of one core of a machine of 2025, by
`bench/threads.py`; only their ratios count.

With the costs of what is shared, S, and of the rest, L, in an evaluation of E tasks on n threads,

    time = L + S/n + E MEETING log2(n)                                                    (1)
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.families.registry import FAMILIES
from grouser.kernels.kinds import PAIR_LAST_TERRAIN

FRAME_COST, POINT_COST = 32.0, 13.0
"""Of the rates and the motion of a node with and without a frame [ns]."""
PAIR_COST = 22.0
"""Of a pair of shapes that are near each other, with its force where they touch [ns]."""
ITEM_COST = 10.0
"""Of a point of a shape that is near the terrain [ns]."""
OTHER_COST = 100.0
"""Of an element that is not shared [ns]."""
CARRIED_COST = 60.0
"""Of a node that follows others [ns]."""
COUPLED_COST = 40.0
"""Of a row whose mass is coupled with those of others [ns]."""
MEETING, MEETINGS = 2000.0, 2
"""Time that is lost in a task by telling threads of it and by waiting for the last [ns]; tasks of an evaluation."""
WORTHWHILE = 1.2
"""Gain from which on threads are taken."""


class Cost(NamedTuple):
    """Of an evaluation [ns]: what is shared among threads, and the rest."""

    shared: float
    rest: float

    def calc_gain(self, threads: int) -> float:
        """How many times as fast an evaluation is with so many threads, by (1)."""
        if threads == 1:
            return 1.0
        meetings = MEETINGS * MEETING * math.log2(threads)
        return (self.shared + self.rest) / (self.rest + self.shared / threads + meetings)


def list_element_costs(compiled: Compiled) -> dict[str, tuple[int, float]]:
    """By table: rows that may be shared, and the cost of one [ns]."""
    shared = {name: one for family in FAMILIES for name, one in family.shared.items()}
    return {name: (one.count(getattr(compiled.tables, name)), one.cost) for name, one in shared.items()}


def list_node_costs(compiled: Compiled) -> np.ndarray:
    """Of each row of the nodes [ns]."""
    costs = np.full(len(compiled.layout.nodes), POINT_COST)
    costs[: compiled.layout.frame_count] = FRAME_COST
    return costs


def list_pair_costs(compiled: Compiled) -> np.ndarray:
    """Of a pair in each contact group [ns]."""
    contact, shape = compiled.tables.contact, compiled.tables.shape
    costs = np.full(len(contact.kind), PAIR_COST)
    items = shape.item_stop - shape.item_start
    for g, kind in enumerate(contact.kind):
        if kind <= PAIR_LAST_TERRAIN:
            members = contact.member[contact.a_start[g] : contact.a_stop[g]]
            costs[g] += ITEM_COST * float(np.mean(items[members])) if len(members) else 0.0
    return costs


def calc_serial_cost(compiled: Compiled) -> float:
    """Of all elements that only the first thread knows [ns]."""
    names: Mapping[str, tuple[str, ...]] = compiled.layout.names
    alone = sum(len(names[family.name]) for family in FAMILIES if not family.shared)
    return OTHER_COST * alone


def calc_cost(compiled: Compiled, pair_count: np.ndarray) -> Cost:
    """Of an evaluation with so many pairs near each other in each contact group."""
    elements = sum(rows * cost for rows, cost in list_element_costs(compiled).values())
    contacts = float(list_pair_costs(compiled) @ pair_count)
    carried = CARRIED_COST * len(compiled.tables.carried.row) + COUPLED_COST * len(compiled.tables.node.coupled)
    return Cost(elements + contacts + float(list_node_costs(compiled).sum()), calc_serial_cost(compiled) + carried)


def find_most_threads() -> int:
    """Threads that a run takes by itself, at most: `GROUSER_THREADS`, or as many as there are cores."""
    wanted = os.environ.get("GROUSER_THREADS", "")
    return max(1, int(wanted)) if wanted.isdecimal() else count_cores()


def count_cores() -> int:
    """Cores that this process may use; one in a process that is itself one of many."""
    parent = sys.modules.get("multiprocessing.process")
    if parent is not None and parent.parent_process() is not None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_threads(cost: Cost, cores: int) -> int:
    """Number of threads: that with the largest gain, or one where it is not worthwhile.

    >>> choose_threads(Cost(8e3, 4e3), 2), choose_threads(Cost(1e6, 5e3), 2), choose_threads(Cost(1e6, 5e3), 8)
    (1, 2, 8)
    """
    best = max(range(1, cores + 1), key=cost.calc_gain)
    return best if cost.calc_gain(best) >= WORTHWHILE else 1
