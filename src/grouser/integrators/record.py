"""What an integrator has done: for the summary of a run, and as channels."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from grouser.integrators.solver import Counts, Solver
from grouser.result.writer import Block

ORDER = Block("solver", "order", ("run",), ("value",), "-", "", "mean order of the steps since the last frame")
STEP = Block("solver", "step", ("run",), ("value",), "s", "", "mean step since the last frame")


class Record:
    """Keeps account of a run, frame by frame.

    Attributes
    ----------
    blocks : channels of the integrator: none where steps and order are fixed
    """

    def __init__(self, solver: Solver, time: float) -> None:
        self._solver, self._start = solver, astuple(solver.counts)
        self._began = self._time = time
        self._last = solver.counts.steps, solver.counts.orders
        self._repeated = 0
        self.blocks: list[Block] = []
        if solver.declared.is_adaptive:
            self.blocks = [STEP] if solver.counts.orders is None else [STEP, ORDER]

    def repeat(self) -> None:
        """The steps since the last frame do not count: they are made again."""
        counts = self._solver.counts
        self._repeated += counts.steps - self._last[0]
        self._last = counts.steps, counts.orders

    def calc_frame(self, time: float) -> tuple[float, ...]:
        """Values of the blocks at a frame [s]; zero at the first."""
        counts, (steps, orders) = self._solver.counts, self._last
        count = max(1, counts.steps - steps)
        values = ((time - self._time) / count, (_subtract(counts.orders, orders) or 0) / count)
        self._time, self._last = time, (counts.steps, counts.orders)
        return values[: len(self.blocks)]

    def make_summary(self) -> dict[str, Any]:
        """Numbers of the whole run."""
        now, start = self._solver.counts, Counts(*self._start)
        steps = now.steps - start.steps - self._repeated
        rejected, orders = _subtract(now.rejected, start.rejected), _subtract(now.orders, start.orders)
        return {
            "integrator": self._solver.integrator,
            "steps": steps,
            "rejected_steps": None if rejected is None else rejected + self._repeated,
            "evaluations": now.evaluations - start.evaluations,
            "mean_order": None if orders is None or not steps else orders / steps,
        }

    def calc_mean_step(self) -> float:
        """Simulated time over the steps [s]."""
        return (self._time - self._began) / max(1, self._last[0] - Counts(*self._start).steps - self._repeated)


def _subtract(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before
