"""Derivatives of signals."""

import numpy as np
import pytest

from grouser.compile.signals import SignalCollector
from grouser.kernels._jit import kernel
from grouser.kernels.signal import calc_signal, calc_signal_acceleration, calc_signal_rate
from grouser.opcodes import MAX_DEPTH


@kernel(entry=True)
def calc_all(table, t, value_out, stack_work):
    """Value, rate and acceleration of the first signal."""
    value_out[0] = calc_signal(table, 0, t, stack_work)
    value_out[1] = calc_signal_rate(table, 0, t, stack_work)
    value_out[2] = calc_signal_acceleration(table, 0, t, stack_work)


def calc(signal, t):
    collector = SignalCollector()
    collector.add_signal(signal)
    value = np.full(3, np.nan)
    calc_all(collector.make_table(), t, value, np.zeros(MAX_DEPTH))
    return value


@pytest.mark.parametrize("t", [0.0, 1e-6, 5e-5, 2.0**-13, 0.01, 1.0, 123.456])
def test_derivatives_of_an_expression(t):
    """Truncation and rounding are given with the steps of the differences; the argument 3 t is rounded as well."""
    value, rate, acceleration = calc("sin(3*t)", t)
    assert value == pytest.approx(np.sin(3 * t), abs=1e-14)
    assert rate == pytest.approx(3 * np.cos(3 * t), abs=1e-9 * (1 + t))
    assert acceleration == pytest.approx(-9 * np.sin(3 * t), abs=1e-6 * (1 + t))


def test_an_expression_is_not_asked_for_the_time_before_the_run():
    """The square root of a negative number is not one."""
    assert calc("2*t*sqrt(t)", 0.0)[1] == pytest.approx(0.0, abs=1e-2)
    assert np.isfinite(calc("sqrt(t)*t^3", 0.0)).all()


def test_derivatives_of_constants_and_tables_are_exact():
    """A table has at each of its points the slope that follows: that is where a run that starts there goes."""
    assert calc(4.0, 1.0).tolist() == [4.0, 0.0, 0.0]
    table = [(0.0, 1.0), (2.0, 5.0), (3.0, 5.5)]
    expected = {-1.0: (1.0, 0.0), 0.0: (1.0, 2.0), 1.0: (3.0, 2.0), 2.0: (5.0, 0.5), 3.0: (5.5, 0.0), 4.0: (5.5, 0.0)}
    for t, (value, slope) in expected.items():
        assert calc(table, t).tolist() == [value, slope, 0.0]
    assert calc([(1.0, 7.0)], 1.0).tolist() == [7.0, 0.0, 0.0]
