"""Functions of one variable: constants, piecewise linear tables, expressions.

Derivatives of expressions are difference quotients of second order, one-sided at the start of a run (an expression
need not exist before it):

    f'  = (f(t + h) - f(t - h))/(2 h)                                                     (1)
    f'  = (-3 f(t) + 4 f(t + h) - f(t + 2 h))/(2 h)                                       (2)
    f'' = (f(t + h) - 2 f(t) + f(t - h))/h^2                                              (3)
    f'' = (2 f(t) - 5 f(t + h) + 4 f(t + 2 h) - f(t + 3 h))/h^2                           (4)
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.expression import calc_expression
from grouser.kernels.kinds import SIGNAL_CONSTANT, SIGNAL_TABLE

RATE_STEP = 2.0**-17
"""h of (1) and (2) [s]: at 1 rad/s the relative error is 1e-11, and as much again from rounding. A power of two, so
that adding it to a time does not round."""
ACCELERATION_STEP = 2.0**-13
"""h of (3) and (4) [s]: at 1 rad/s the relative error is 1e-9, and 1e-8 from rounding."""


@kernel
def calc_table(point, start, stop, argument):
    """Value and slope of a piecewise linear table, at a point the slope that follows; constant beyond its ends."""
    if argument < point[start, 0]:
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
    if argument <= point[start, 0]:
        slope = (point[start + 1, 1] - point[start, 1]) / (point[start + 1, 0] - point[start, 0])
        return point[start, 1] + slope * (argument - point[start, 0]), slope
    if argument >= point[stop - 1, 0]:
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
    """Time derivative of signal i: exact for constants and tables (at a kink the slope to come), a difference quotient
    (1) or (2) for expressions."""
    start, stop = table.start[i], table.stop[i]
    kind = table.kind[i]
    if kind == SIGNAL_CONSTANT:
        return 0.0
    if kind == SIGNAL_TABLE:
        _, slope = calc_table(table.point, start, stop, t)
        return slope
    h = RATE_STEP
    after = calc_expression(table.code, table.value, start, stop, t + h, stack_work)
    if t >= h:
        before = calc_expression(table.code, table.value, start, stop, t - h, stack_work)
        return (after - before) / (2.0 * h)  # (1)
    now = calc_expression(table.code, table.value, start, stop, t, stack_work)
    later = calc_expression(table.code, table.value, start, stop, t + 2.0 * h, stack_work)
    return (4.0 * after - 3.0 * now - later) / (2.0 * h)  # (2)


@kernel
def calc_signal_acceleration(table, i, t, stack_work):
    """Second time derivative of signal i: zero for constants and tables (their kinks left out), a difference quotient
    (3) or (4) for expressions."""
    start, stop = table.start[i], table.stop[i]
    if table.kind[i] in (SIGNAL_CONSTANT, SIGNAL_TABLE):
        return 0.0
    h = ACCELERATION_STEP
    now = calc_expression(table.code, table.value, start, stop, t, stack_work)
    after = calc_expression(table.code, table.value, start, stop, t + h, stack_work)
    if t >= h:
        before = calc_expression(table.code, table.value, start, stop, t - h, stack_work)
        return (after - 2.0 * now + before) / (h * h)  # (3)
    later = calc_expression(table.code, table.value, start, stop, t + 2.0 * h, stack_work)
    last = calc_expression(table.code, table.value, start, stop, t + 3.0 * h, stack_work)
    return (2.0 * now - 5.0 * after + 4.0 * later - last) / (h * h)  # (4)
