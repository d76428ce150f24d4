"""Smooth monotone curves of a few numbers.

A curve passes through knots. Its unknowns are the logarithms of what its slopes are multiplied with from knot to knot,
and a lift of the whole where no value of it is known:

    y_k = y_a + lift + sum of exp(u_j) d_j  from the anchor a to the knot k

with the rises d_j of the start, so that it rises, or falls, wherever the start does. Between knots it is a piecewise
cubic Hermite interpolant, which keeps monotone data monotone (PCHIP: Fritsch and Carlson 1980; Fritsch and Butland
1984), and beyond them it goes on with its last slope.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.spec import Unknown
from grouser.errors import ModelError
from grouser.model.base import Curve

Array = NDArray[np.float64]
PARTS = 6
"""Points of a table from knot to knot."""
SLOPES = 20.0
"""Slopes are within this factor of the mean slope at the start, if nothing is said."""


@dataclass(frozen=True)
class CurveForm:
    """The form of an unknown curve.

    Attributes
    ----------
    knots : arguments, zero among them for an odd curve, (k,)
    rises : rises of the start from knot to knot, (k - 1,)
    anchor : number of the knot whose value is known, or that is lifted
    value : its value at the start
    lift : size of a lift by one unit; 0 where the value is known
    odd : whether opposite arguments have opposite values
    low, high : bounds of the logarithms, (k - 1,)
    """

    knots: Array
    rises: Array
    anchor: int
    value: float
    lift: float
    odd: bool
    low: Array
    high: Array

    @property
    def count(self) -> int:
        """Number of unknowns: logarithms, and the lift if there is one."""
        return len(self.rises) + (self.lift > 0.0)

    def find_knots(self, u: Array) -> Array:
        """Values at the knots."""
        rises = np.exp(u[: len(self.rises)]) * self.rises
        sums = np.concatenate([[0.0], np.cumsum(rises)])
        lift = self.lift * u[-1] if self.lift > 0.0 else 0.0
        return np.asarray(self.value + lift + sums - sums[self.anchor])

    def calc(self, u: Array, x: Array) -> Array:
        """Values at arguments x."""
        from scipy.interpolate import PchipInterpolator

        x = np.asarray(x, dtype=np.float64)
        knots, values = self.knots, self.find_knots(u)
        if self.odd:
            knots, values = np.concatenate([-knots[:0:-1], knots]), np.concatenate([-values[:0:-1], values])
        if len(knots) == 2:
            return np.asarray(values[0] + (values[1] - values[0]) * (x - knots[0]) / (knots[1] - knots[0]))
        curve = PchipInterpolator(knots, values)
        inside = np.clip(x, knots[0], knots[-1])
        slope = curve.derivative()
        beyond = np.where(x < knots[0], slope(knots[0]), slope(knots[-1]))
        return np.asarray(curve(inside) + beyond * (x - inside))

    def list_arguments(self) -> Array:
        """Arguments of the points by which the curve is told."""
        knots = np.concatenate([-self.knots[:0:-1], self.knots]) if self.odd else self.knots
        parts = [np.linspace(a, b, PARTS, endpoint=False) for a, b in pairwise(knots)]
        return np.concatenate([*parts, knots[-1:]])

    def make_table(self, u: Array) -> list[tuple[float, float]]:
        """The curve as a table of (argument, value)."""
        arguments = self.list_arguments()
        return [(float(x), float(y)) for x, y in zip(arguments, self.calc(u, arguments), strict=True)]


def make_curve_form(name: str, unknown: Unknown, start: Curve) -> CurveForm:
    """The form of a curve that begins as `start` is."""
    knots = np.array([0.0, *unknown.knots] if unknown.odd else unknown.knots)
    if unknown.through is not None and not np.isclose(knots, unknown.through, rtol=1e-9, atol=1e-12).any():
        knots = np.sort(np.append(knots, unknown.through))
    values = calc_start(start, knots)
    if unknown.odd:
        values = 0.5 * (values - calc_start(start, -knots))
    rises = np.diff(values)
    if not ((rises > 0.0).all() or (rises < 0.0).all()):
        i = int(np.argmax(rises * np.sign(values[-1] - values[0] or 1.0) <= 0.0))
        raise ModelError(
            f"unknown {name!r}: its start goes from {values[i]:g} to {values[i + 1]:g} between the knots {knots[i]:g} "
            f"and {knots[i + 1]:g}, but a curve rises everywhere, or falls everywhere: give another start, or other "
            "knots"
        )
    if unknown.odd:
        anchor = 0
    elif unknown.through is not None:
        anchor = int(np.argmin(np.abs(knots - unknown.through)))
    else:
        anchor = len(knots) // 2
    is_known = unknown.odd or unknown.through is not None
    slopes = np.abs(rises / np.diff(knots))
    mean = float(abs(values[-1] - values[0]) / (knots[-1] - knots[0]))
    low = np.log((mean / SLOPES if unknown.low is None else unknown.low) / slopes)
    high = np.log((mean * SLOPES if unknown.high is None else unknown.high) / slopes)
    if not ((low < 0.0).all() and (high > 0.0).all()):
        i = int(np.argmax((low >= 0.0) | (high <= 0.0)))
        raise ModelError(
            f"unknown {name!r}: its slope at the start is {slopes[i]:g} from {knots[i]:g} to {knots[i + 1]:g}, not "
            "between low and high: change start, low or high"
        )
    lift = 0.0 if is_known else float(np.ptp(values)) * unknown.spread
    return CurveForm(knots, rises, anchor, float(values[anchor]), lift, unknown.odd, low, high)


def calc_start(start: Curve, x: Array) -> Array:
    """Values of a coefficient or of a table, which goes on beyond its ends with its last slopes."""
    if isinstance(start, int | float):
        return np.asarray(start * x)
    points = np.asarray(start, dtype=np.float64)
    i = np.clip(np.searchsorted(points[:, 0], x, side="right") - 1, 0, len(points) - 2)
    (x0, y0), (x1, y1) = points[i].T, points[i + 1].T
    return np.asarray(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
