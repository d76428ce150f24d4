"""The planar pendulum at more times and with other inertias, and the limit of small steps."""

from dataclasses import replace
from functools import partial
from math import asin, cos, pi, sin, sqrt

import numpy as np
import pytest
from mechanism import IDEAL_FORMULATIONS
from scipy.special import ellipj

from grouser.catalog.benchmarks.benchmark import Way, extrapolate
from grouser.catalog.benchmarks.pendulum import PENDULUM, PERIOD, REFERENCE, calc_position, make_pendulum
from grouser.integrators.declarations import INTEGRATORS

ACCURACY = 1e-5
"""Share of the length of the bar that a plain run may be off: what the step of 0.25 ms allows (second order)."""
ACCURACY_EXTRAPOLATED = 2e-8
"""The same for Richardson's extrapolation from steps of 0.25 and 0.125 ms: the digits of the reference."""

TOLERANCE, ACCURACY_TIGHT = 1e-11, 1e-8
"""Relative tolerance of integrators that choose their steps, and what they may be off (measured: 4e-9)."""


def find_bob(formulation, duration, step_count):
    """Position (x, up) of the centre of oscillation after a time."""
    return calc_position(replace(PENDULUM, duration=duration).run(formulation, step_count=step_count))


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_position_after_ten_seconds(formulation):
    coarse, fine = (find_bob(formulation, 10.0, count) for count in (40_000, 80_000))
    assert coarse == pytest.approx(REFERENCE, abs=ACCURACY)
    assert extrapolate(coarse, fine) == pytest.approx(REFERENCE, abs=ACCURACY_EXTRAPOLATED)


def solve_exactly(time):
    """Position (x, up) by Jacobi's elliptic functions, with the modulus of an amplitude of 90 degrees."""
    modulus = sin(pi / 4.0)
    _, cn, dn, _ = ellipj(sqrt(9.81) * time, modulus**2)
    angle = -2.0 * asin(modulus * cn / dn)
    return np.array([sin(angle), -cos(angle)])


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
@pytest.mark.parametrize(
    "integrator", [name for name, one in INTEGRATORS.items() if one.is_adaptive and not one.is_implicit]
)
def test_position_to_a_tolerance(integrator, formulation):
    way = Way(formulation, ACCURACY_TIGHT, integrator=integrator, tolerance=TOLERANCE)
    end = calc_position(PENDULUM.run(way))
    assert end == pytest.approx(REFERENCE, abs=ACCURACY_TIGHT)
    assert end == pytest.approx(solve_exactly(10.0), abs=ACCURACY_TIGHT)


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_period(formulation):
    """After one period it is back; what it lacks of a quarter after a quarter, by its speed there, is the error."""
    assert find_bob(formulation, PERIOD, 10_000) == pytest.approx([-1.0, 0.0], abs=ACCURACY)
    x = [find_bob(formulation, 0.25 * PERIOD, count)[0] for count in (2_500, 5_000)]
    lowest_speed = sqrt(2.0 * 9.81)
    assert 4.0 * extrapolate(*x) / lowest_speed == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_a_small_inertia_changes_nothing(formulation):
    """Nearly the point mass itself."""
    small = replace(PENDULUM, make_model=partial(make_pendulum, inertia=1e-8))
    assert calc_position(small.run(formulation, step_count=80_000)) == pytest.approx(REFERENCE, abs=ACCURACY)
