"""Units that suit the size of what is shown: kN for vehicles, N for models on a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

_STEPS = ((1e6, 1e-6, "M"), (1e3, 1e-3, "k"), (1.0, 1.0, ""), (1e-3, 1e3, "m"))
"""From which size on, by what the values are multiplied, and the prefix of the unit."""
_PREFIXED = ("N", "N m", "J", "W", "Pa")
"""Units that take a prefix."""


def choose_unit(values: ArrayLike, unit: str) -> tuple[float, str]:
    """Factor and unit by which values in an SI unit are read best.

    >>> choose_unit([12_500.0, -300.0], "N")
    (0.001, 'kN')
    >>> choose_unit([0.4], "m/s")
    (1.0, 'm/s')
    """
    if unit not in _PREFIXED:
        return 1.0, unit
    size = np.abs(np.asarray(values, dtype=float))
    largest = float(np.max(size, where=np.isfinite(size), initial=0.0))
    for least, factor, prefix in _STEPS:
        if largest >= least:
            return factor, prefix + unit
    return 1.0, unit
