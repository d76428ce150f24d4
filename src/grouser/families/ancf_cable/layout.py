"""Layout of the cables' constants, for numpy and for compiled code."""

from __future__ import annotations

from math import sqrt

STATIONS = 3
PLACES = (0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15))
WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)
"""Points of Gauss, and their weights."""
# columns of the constants: length, E A, E I, delays of stretch and bending; behind them at each station s and kappa_0
LENGTH, AXIAL, BENDING, AXIAL_DELAY, BENDING_DELAY, STRETCH, CURVATURE, SHAPE_SIZE = 0, 1, 2, 3, 4, 5, 8, 11
