"""Values of signals outside compiled code."""

from __future__ import annotations

import numpy as np

from grouser.model.base import Signal
from grouser.model.expression import calc_value, parse_expression


def calc_signal_value(signal: Signal, t: float) -> float:
    """Value of a signal at time t.

    >>> calc_signal_value([(0.0, 1.0), (2.0, 5.0)], 1.0)
    3.0
    """
    if isinstance(signal, str):
        return calc_value(parse_expression(signal), t)
    if isinstance(signal, list | tuple):
        return float(np.interp(t, [p[0] for p in signal], [p[1] for p in signal]))
    return float(signal)
