"""Frequencies of thick beams with their lumped masses, against Euler-Bernoulli, Timoshenko and the bar in torsion."""

import numpy as np
import pytest
from beam_statics import ThickMesh, calc_frequencies, calc_orders, fix_rows, make_line, make_pairs, make_rectangle

CANTILEVER = np.array([1.875104, 4.694091, 7.854757])
"""Roots of cos(x) cosh(x) = -1."""
WIDTH, LENGTH = 0.05, 1.0


def make_modes(n, height, hinged=False):
    """Frequencies of a steel-like beam (E = 1, density 1) with bending about Y alone, and of torsion."""
    section = make_rectangle(1.0, 0.3, WIDTH, height)
    rotary = np.array([WIDTH * height**3, height * WIDTH**3]) / 12.0
    mesh = ThickMesh(make_line(n + 1, LENGTH), make_pairs(n + 1), np.eye(3), section)
    M = mesh.calc_mass_matrix(WIDTH * height, rotary)
    bending = np.ones((n + 1, 6), dtype=bool)
    bending[:, [2, 4]] = False
    twisting = np.ones((n + 1, 6), dtype=bool)
    twisting[:, 3] = False
    if hinged:
        bending[[0, -1], :3] = True
    else:
        bending[0], twisting[0] = True, True
    return calc_frequencies(mesh, M, bending), calc_frequencies(mesh, M, twisting), section, rotary


def calc_timoshenko(mode, height, section, rotary):
    """Lower root of the frequency equation of a hinged beam, with shear and rotary inertia."""
    k, m = mode * np.pi / LENGTH, WIDTH * height
    GA, EI = section[2], section[4]
    a, b, c = rotary[0] * m / GA, m + k**2 * (rotary[0] + EI * m / GA), EI * k**4
    return np.sqrt((b - np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a))


def test_slender_cantilever_is_that_of_euler_and_bernoulli():
    height = 0.002
    bending, twisting, section, rotary = make_modes(24, height)
    expected = CANTILEVER**2 * np.sqrt(section[4] / (WIDTH * height)) / LENGTH**2
    assert bending[:3] == pytest.approx(expected, rel=0.01)
    expected = (np.arange(3) + 0.5) * np.pi / LENGTH * np.sqrt(section[3] / rotary.sum())
    assert twisting[:3] == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("height", [0.1, 0.2])
def test_thick_hinged_beam_is_that_of_timoshenko(height):
    bending, _, section, rotary = make_modes(24, height, hinged=True)
    expected = np.array([calc_timoshenko(mode, height, section, rotary) for mode in (1, 2, 3)])
    euler = (np.arange(1, 4) * np.pi / LENGTH) ** 2 * np.sqrt(section[4] / (WIDTH * height))
    assert bending[:3] == pytest.approx(expected, rel=0.01)
    assert expected[2] < 0.9 * euler[2]  # so that shear counts


def test_frequencies_converge_with_second_order():
    exact = np.array([calc_timoshenko(mode, 0.1, *make_modes(4, 0.1)[2:]) for mode in (1, 2, 3)])
    errors = np.array([make_modes(n, 0.1, hinged=True)[0][:3] for n in (8, 16, 32, 64)]) - exact
    for mode in range(3):
        assert calc_orders(errors[1:, mode]) == pytest.approx(2.0, abs=0.15)


def test_free_beam_has_six_rigid_motions():
    mesh = ThickMesh(make_line(6, 1.0), make_pairs(6), np.eye(3), make_rectangle(1.0, 0.3, WIDTH, 0.1))
    M = mesh.calc_mass_matrix(WIDTH * 0.1, np.array([1e-5, 1e-5]))
    values = calc_frequencies(mesh, M, fix_rows((6, 6)))
    assert values[5] < 1e-6 * values[6]
