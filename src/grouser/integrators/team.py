"""Threads that share the steps of a solver: one leads, the others help it while it is in compiled code.

Between calls of compiled code the helpers wait for orders, and cost nothing. They are started at the first call, and
end with `Team.close` or with the team itself. Should one come late or never, the thread that leads does its part
(`kernels/team.py`).
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import numpy as np

from grouser.compile.state import State
from grouser.formulations.costs import count_cores, list_pair_costs
from grouser.formulations.equations import Equations
from grouser.formulations.shares import make_shares
from grouser.integrators.tasks import CHOICES, NUMBERS, help_team
from grouser.kernels._packed import Packed
from grouser.kernels.team import APART, END, FIRST_PART

Record = namedtuple("Record", ["word", "number", "choice", "share", "first", "pair_cost"])
"""What compiled code is given of a team: word, see `kernels/team.py`; number, choice, see `tasks.py`; share (n,)
addresses of the shares; first, the first of them; pair_cost (groups,) of a pair in each contact group [ns]."""


class Team:
    """Threads that share the steps of a solver.

    Attributes
    ----------
    count : shares of the work, and threads if there are as many cores
    """

    def __init__(self, equations: Equations, count: int) -> None:
        self.count, self._equations = count, equations
        self._orders: list[SimpleQueue[Any]] = []
        self._threads: list[threading.Thread] = []
        self._spent = np.zeros(count)
        self._close = weakref.finalize(self, _send_home, self._orders)
        self._state: State | None = None
        self._shares: list[Packed] = []
        self._packed: Packed | None = None
        self._ends = 0

    @property
    def cpu(self) -> float:
        """CPU time of the helpers so far [s]."""
        return float(self._spent.sum())

    @contextmanager
    def working(self, state: State) -> Iterator[Packed]:
        """Have the others help while the block is open, with the team of a state for compiled code."""
        packed = self.bind(state)
        self._start()
        self._ends += 1
        try:
            for k, orders in enumerate(self._orders, start=1):
                orders.put((k, self._ends, packed, self._spent))
            yield packed
        finally:
            packed.table.word[END] = self._ends

    def forget(self) -> None:
        """Some arrays of the equations are others: cut the model anew."""
        self._state = None

    def close(self) -> None:
        """End the helpers."""
        self._close()
        for thread in self._threads:
            thread.join()

    def bind(self, state: State) -> Packed:
        """The team of a state for compiled code; helpers that are late keep what they were given before."""
        if self._packed is not None and self._state is state:
            return self._packed
        equations, count = self._equations, self.count
        shares = make_shares(equations.compiled, equations.work, state, count)
        self._shares = [Packed(share) for share in shares]
        record = Record(
            word=np.zeros(FIRST_PART + 2 * APART * count, dtype=np.int64),
            number=np.zeros(NUMBERS),
            choice=np.zeros(CHOICES, dtype=np.int64),
            share=np.array([share.address for share in self._shares]),
            first=shares[0],
            pair_cost=list_pair_costs(equations.compiled),
        )
        self._packed, self._state = _KeptPacked(record, self._shares), state
        help_team(0, 0, self._packed)  # compiled here, by the thread that leads; there is nothing to do
        return self._packed

    def _start(self) -> None:
        """Start the helpers, if they are not there: no more than there are cores for."""
        for k in range(len(self._threads) + 1, min(self.count, count_cores())):
            self._orders.append(SimpleQueue())
            thread = threading.Thread(target=_help, args=(self._orders[-1],), name=f"grouser-{k}", daemon=True)
            self._threads.append(thread)
            thread.start()


class _KeptPacked(Packed):
    """A packed record that keeps alive what it knows by address."""

    __slots__ = ("_kept",)

    def __init__(self, table: Any, kept: list[Packed]) -> None:
        super().__init__(table)
        self._kept = kept


def _help(orders: SimpleQueue[Any]) -> None:
    """What a helper does: obey orders until there is none."""
    while (order := orders.get()) is not None:
        k, end, packed, spent = order
        began = time.thread_time()
        help_team(k, end, packed)
        spent[k] += time.thread_time() - began
        del order, packed  # what they hold ends with the run, not with the next order


def _send_home(orders: list[SimpleQueue[Any]]) -> None:
    """End helpers, by their orders."""
    for one in orders:
        one.put(None)
