"""Signals and curves of a model, collected into one table.

An input is a piecewise linear table whose points are written while a run goes on: compiled code follows a ramp from the
first to the second, and needs to know nothing of inputs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grouser.compile.tables import SignalTable, make_rows
from grouser.kernels.kinds import SIGNAL_CONSTANT, SIGNAL_EXPRESSION, SIGNAL_TABLE
from grouser.model.base import Curve, Input, Signal
from grouser.model.expression import parse_expression


class InputRows(NamedTuple):
    """Points of an input at one place of a model: rows of `SignalTable.point`, and the factor on its value."""

    start: int
    stop: int
    factor: float


class SignalCollector:
    """Appends signals and hands out their indices.

    Attributes
    ----------
    inputs : by name, the rows of each place where it stands
    """

    def __init__(self) -> None:
        self.inputs: dict[str, list[InputRows]] = {}
        self._kind: list[int] = []
        self._start: list[int] = []
        self._stop: list[int] = []
        self._point: list[tuple[float, float]] = []
        self._code: list[int] = []
        self._value: list[float] = []

    def add_signal(self, signal: Signal) -> int:
        """Add a constant, a table, an expression or an input; returns its index."""
        if isinstance(signal, Input):
            return self._add_input(signal)
        if isinstance(signal, str):
            program = parse_expression(signal)
            start = len(self._code)
            self._code.extend(int(c) for c in program.codes)
            self._value.extend(float(v) for v in program.values)
            return self._add(SIGNAL_EXPRESSION, start, len(self._code))
        start = len(self._point)
        if isinstance(signal, list | tuple):
            self._point.extend((float(a), float(b)) for a, b in signal)
            return self._add(SIGNAL_TABLE, start, len(self._point))
        self._point.append((0.0, float(signal)))
        return self._add(SIGNAL_CONSTANT, start, start + 1)

    def _add_input(self, signal: Input) -> int:
        points = signal.start if isinstance(signal.start, list) else [(0.0, signal.start), (1.0, signal.start)]
        rows = InputRows(len(self._point), len(self._point) + len(points), signal.factor)
        self.inputs.setdefault(signal.input, []).append(rows)
        return self.add_signal([(time, signal.factor * value) for time, value in points])

    def add_curve(self, curve: Curve) -> tuple[float, int]:
        """Coefficient and curve index of a force law: (k, -1) for a number, (0, index) for a table."""
        if isinstance(curve, list | tuple):
            return 0.0, self.add_signal(curve)
        return float(curve), -1

    def make_table(self) -> tuple:
        """The finished table."""
        table = make_rows(
            SignalTable,
            {
                "kind": self._kind,
                "start": self._start,
                "stop": self._stop,
                "point": self._point,
                "code": self._code,
                "value": self._value,
            },
        )
        return table._replace(point=table.point.reshape(-1, 2))  # type: ignore[attr-defined]

    def _add(self, kind: int, start: int, stop: int) -> int:
        self._kind.append(kind)
        self._start.append(start)
        self._stop.append(stop)
        return len(self._kind) - 1


def calc_largest_slope(table: list[tuple[float, float]]) -> float:
    """Steepest slope of a curve: the stiffness that decides the stable step."""
    points = np.array(table)
    return float(np.max(np.abs(np.diff(points[:, 1]) / np.diff(points[:, 0]))))
