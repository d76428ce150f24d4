"""Ends of scales of colours."""

from __future__ import annotations

import numpy as np

from grouser.output.colour import Array

CUT = 99.5
"""Values beyond this percentile, such as those of single jolts, have the colour of the end of the scale."""


def find_scale(values: Array) -> tuple[float, float]:
    """Ends of the scale of colours of values, of which some may be missing; it begins at zero unless there are negative
    values.

    >>> find_scale(np.array([1.0, 2.0, np.nan, 2.0]))
    (0.0, 2.0)
    """
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return 0.0, 1.0
    low, high = np.percentile(finite, [100.0 - CUT, CUT])
    return min(0.0, float(low)), float(high) if high > 0 else float(finite.max()) or 1.0
