"""Functions of one variable: constants, piecewise linear tables, expressions."""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.expression import calc_expression
from grouser.kernels.kinds import SIGNAL_CONSTANT, SIGNAL_TABLE


@kernel
def calc_table(point, start, stop, argument):
    """Value and slope of a piecewise linear table; constant beyond its ends."""
    if argument <= point[start, 0]:
        return point[start, 1], 0.0
    if argument >= point[stop - 1, 0]:
        return point[stop - 1, 1], 0.0
    low, high = start, stop - 1
    while high - low > 1:
        middle = (low + high) // 2
        if point[middle, 0] <= argument:
            low = middle
        else:
            high = middle
    slope = (point[high, 1] - point[low, 1]) / (point[high, 0] - point[low, 0])
    return point[low, 1] + slope * (argument - point[low, 0]), slope


@kernel
def calc_curve(point, start, stop, argument):
    """Value and slope of a force law: a table that goes on with its last slopes beyond its ends, so
    that a spring pressed further than it was measured still pushes back."""
    if argument < point[start, 0]:
        slope = (point[start + 1, 1] - point[start, 1]) / (point[start + 1, 0] - point[start, 0])
        return point[start, 1] + slope * (argument - point[start, 0]), slope
    if argument > point[stop - 1, 0]:
        slope = (point[stop - 1, 1] - point[stop - 2, 1]) / (point[stop - 1, 0] - point[stop - 2, 0])
        return point[stop - 1, 1] + slope * (argument - point[stop - 1, 0]), slope
    value, slope = calc_table(point, start, stop, argument)
    return value, slope


@kernel
def calc_curve_energy(point, start, stop, argument):
    """Integral of a curve from zero to the argument: the energy stored in a tabulated spring."""
    low, high, sign = min(0.0, argument), max(0.0, argument), 1.0 if argument >= 0.0 else -1.0
    total = 0.0
    left = low
    while left < high:
        # the next kink of the table, or the end of the range: the law is linear in between
        right = high
        for j in range(start, stop):
            if point[j, 0] > left and point[j, 0] < right:
                right = point[j, 0]
        value_left, _ = calc_curve(point, start, stop, left)
        value_right, _ = calc_curve(point, start, stop, right)
        total += 0.5 * (value_left + value_right) * (right - left)
        left = right
    return sign * total


@kernel
def calc_signal(table, i, t, stack_work):
    """Value of signal i at time t."""
    start, stop = table.start[i], table.stop[i]
    kind = table.kind[i]
    if kind == SIGNAL_CONSTANT:
        return table.point[start, 1]
    if kind == SIGNAL_TABLE:
        value, _ = calc_table(table.point, start, stop, t)
        return value
    return calc_expression(table.code, table.value, start, stop, t, stack_work)


@kernel
def calc_signal_rate(table, i, t, stack_work):
    """Time derivative of signal i: exact for constants and tables, a central difference of relative accuracy
    1e-10 for expressions (one-sided at time zero: an expression need not exist before the run)."""
    start, stop = table.start[i], table.stop[i]
    kind = table.kind[i]
    if kind == SIGNAL_CONSTANT:
        return 0.0
    if kind == SIGNAL_TABLE:
        _, slope = calc_table(table.point, start, stop, t)
        return slope
    h = 1e-5 * max(1.0, abs(t))
    before = max(t - h, 0.0)
    high = calc_expression(table.code, table.value, start, stop, t + h, stack_work)
    low = calc_expression(table.code, table.value, start, stop, before, stack_work)
    return (high - low) / (t + h - before)
