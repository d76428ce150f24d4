"""Frequencies of thin beams with their lumped masses, against Euler-Bernoulli and the bar."""

import numpy as np
import pytest
from beam_statics import ThinMesh, calc_frequencies, calc_orders, fix_rows, make_chain, make_line

from grouser.families.beam_thin.mass import calc_thin_masses

CANTILEVER = np.array([1.875104, 4.694091, 7.854757])
"""Roots of cos(x) cosh(x) = -1."""


def calc_modes(n, free):
    """Squared wave numbers of a cantilever of length, stiffness and mass 1, with displacements along one axis."""
    h = 1.0 / (n - 0.5)
    mesh = ThinMesh(make_line(n + 1, n * h), make_chain(n + 1), EA=1.0, EI=1.0)
    fixed = fix_rows((n + 1, 3), 0, 1)
    fixed[:, [axis for axis in range(3) if axis != free]] = True
    M = np.diag(np.repeat(calc_thin_masses(mesh.table, 1.0, n + 1), 3))
    return calc_frequencies(mesh, M, fixed)


@pytest.mark.parametrize("axis", [1, 2])
def test_cantilever_is_that_of_euler_and_bernoulli(axis):
    assert calc_modes(40, axis)[:3] == pytest.approx(CANTILEVER**2, rel=0.01)


def test_bar():
    n = 40
    mesh = ThinMesh(make_line(n + 1, 1.0), make_chain(n + 1), EA=1.0, EI=1.0)
    fixed = fix_rows((n + 1, 3), 0)
    fixed[:, 1:] = True
    M = np.diag(np.repeat(calc_thin_masses(mesh.table, 1.0, n + 1), 3))
    assert calc_frequencies(mesh, M, fixed)[:3] == pytest.approx((np.arange(3) + 0.5) * np.pi, rel=0.01)


def test_frequencies_converge_with_second_order():
    errors = np.array([calc_modes(n, 2)[:3] for n in (16, 32, 64, 128)]) - CANTILEVER**2
    for mode in range(3):
        assert calc_orders(errors[:, mode])[1:] == pytest.approx(2.0, abs=0.2)
