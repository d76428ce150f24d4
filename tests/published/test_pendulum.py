"""Planar pendulum of the IFToMM library of multibody benchmarks (problem A01, M. Gonzalez et al. 2006).

A point mass of 1 kg on a massless bar of 1 m falls from (-1, 0) at rest, g = 9.81 m/s^2. A rigid body with moment of
inertia I about its centre of mass at distance d from the hinge has the same equation of motion if

    (I + m d^2) / (m d) = 1 m,

and its centre of oscillation, 1 m from the hinge, moves as the point mass does: no small inertia is needed.
"""

from math import asin, cos, pi, sin, sqrt

import numpy as np
import pytest
from advance_model import IDEAL_FORMULATIONS, Mechanism, extrapolate
from scipy.special import ellipj

from grouser.compile.realization import Penalty
from grouser.formulations.schemes import INTEGRATORS
from grouser.model.builder import ModelBuilder

REFERENCE = np.array([-0.27508746, -0.96141921])
"""Position (x, up) after 10 s [m]; its digits agree with the elliptic integral."""
PERIOD = 2.36784195
"""[s]"""
ACCURACY = 1e-5
"""Share of the length of the bar that a plain run may be off: what the step of 0.25 ms allows (second order)."""
ACCURACY_EXTRAPOLATED = 2e-8
"""The same for Richardson's extrapolation from steps of 0.25 and 0.125 ms: the digits of the reference."""

TOLERANCE, ACCURACY_TIGHT = 1e-10, 1e-8
"""Relative tolerance of integrators that choose their steps, and what they may be off (measured: 4e-9)."""


def make_pendulum(inertia=0.16):
    """A body at the distance at which it swings as a point mass at 1 m."""
    builder = ModelBuilder("pendulum")
    distance = 0.5 * (1.0 + sqrt(1.0 - 4.0 * inertia))
    builder.add_body("bob", 1.0, (inertia, inertia, inertia), position=(-1.0, 0.0, 0.0), com=(1.0 - distance, 0.0, 0.0))
    builder.add_joint("hinge", "revolute", "world", "bob", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return builder.build()


def find_bob(mechanism, duration, step_count):
    """Position (x, up) of the centre of oscillation after a time."""
    return mechanism.find_point(mechanism.run(duration, step_count), "bob", (0.0, 0.0, 0.0))[[0, 2]]


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_position_after_ten_seconds(formulation):
    mechanism = Mechanism(make_pendulum(), formulation)
    coarse, fine = (find_bob(mechanism, 10.0, count) for count in (40_000, 80_000))
    assert coarse == pytest.approx(REFERENCE, abs=ACCURACY)
    assert extrapolate(coarse, fine) == pytest.approx(REFERENCE, abs=ACCURACY_EXTRAPOLATED)


def solve_exactly(time):
    """Position (x, up) by Jacobi's elliptic functions, with the modulus of an amplitude of 90 degrees."""
    modulus = sin(pi / 4.0)
    _, cn, dn, _ = ellipj(sqrt(9.81) * time, modulus**2)
    angle = -2.0 * asin(modulus * cn / dn)
    return np.array([sin(angle), -cos(angle)])


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
@pytest.mark.parametrize("integrator", [name for name, one in INTEGRATORS.items() if one.is_adaptive])
def test_position_to_a_tolerance(integrator, formulation):
    mechanism = Mechanism(make_pendulum(), formulation, integrator=integrator, tolerance=TOLERANCE)
    end = find_bob(mechanism, 10.0, 1)
    assert end == pytest.approx(REFERENCE, abs=ACCURACY_TIGHT)
    assert end == pytest.approx(solve_exactly(10.0), abs=ACCURACY_TIGHT)


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_period(formulation):
    """After one period it is back; what it lacks of a quarter after a quarter, by its speed there, is the error."""
    mechanism = Mechanism(make_pendulum(), formulation)
    assert find_bob(mechanism, PERIOD, 10_000) == pytest.approx([-1.0, 0.0], abs=ACCURACY)
    x = [find_bob(mechanism, 0.25 * PERIOD, count)[0] for count in (2_500, 5_000)]
    lowest_speed = sqrt(2.0 * 9.81)
    assert 4.0 * extrapolate(*x) / lowest_speed == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("formulation", IDEAL_FORMULATIONS)
def test_a_small_inertia_changes_nothing(formulation):
    """Nearly the point mass itself."""
    mechanism = Mechanism(make_pendulum(inertia=1e-8), formulation)
    assert find_bob(mechanism, 10.0, 80_000) == pytest.approx(REFERENCE, abs=ACCURACY)


def test_position_by_penalty():
    """A hinge of 1e8 N/m gives way by 0.3 um under three times the weight: as much as the tolerance allows."""
    hinge = Penalty(k=1e8, c=1e3, arm=1.0)
    mechanism = Mechanism(make_pendulum(), "explicit", realization=hinge)
    assert find_bob(mechanism, 10.0, 200_000) == pytest.approx(REFERENCE, abs=ACCURACY)
