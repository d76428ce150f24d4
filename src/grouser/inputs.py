"""Inputs of a session: values that are set while a run goes on.

With a rate r an input goes from its value u_0 at the time t_0 when it is set to the target u_1 along

    u(t) = u_0 + (u_1 - u_0) (t - t_0)/(t_1 - t_0),   t_1 = t_0 + |u_1 - u_0|/r           (1)

and stays there; without, it is at the target at once. (1) is a table of two points, which compiled code reads anew at
every evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.state import State
from grouser.errors import ModelError, say_unknown
from grouser.integrators.solver import Solver
from grouser.model.inputs import check_input, find_inputs
from grouser.record.observe import Observer


class Inputs(Mapping[str, float]):
    """Inputs by name. ``inputs["throttle"]`` is the value now; setting it gives the value to come to.

    What is set is limited to `min` and `max` of the input; the channel of the input shows its value.
    """

    def __init__(self, compiled: Compiled, observer: Observer, solver: Solver, state: State) -> None:
        self._compiled, self._observer, self._solver, self._state = compiled, observer, solver, state
        self._declared = find_inputs(compiled.model)

    def __getitem__(self, name: str) -> float:
        """Value now."""
        self._check(name)
        return float(self._observer.calc_inputs(float(self._state.time[0]))[list(self._declared).index(name), 0])

    def __setitem__(self, name: str, value: float) -> None:
        """Set the value to come to."""
        self._check(name)
        declared = self._declared[name]
        target = check_input(name, declared, value)
        now, before = float(self._state.time[0]), self[name]
        ramp = 0.0 if declared.rate is None else abs(target - before) / declared.rate
        points = np.array([[now, target if ramp == 0.0 else before], [now + ramp, target]])  # (1)
        table = self._compiled.tables.signal.point
        for rows in self._compiled.inputs[name]:
            place = table[rows.start : rows.stop]
            place[:2] = points * (1.0, rows.factor)
            place[2:] = place[1]
        self._solver.forget()

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __repr__(self) -> str:
        return f"<Inputs {dict(self)}>"

    def _check(self, name: str) -> None:
        if name not in self._declared:
            raise ModelError(say_unknown("input", str(name), self._declared))
