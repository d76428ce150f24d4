"""Frequencies of bricks with their lumped masses, against Euler-Bernoulli and the bar in torsion; torsion of bars."""

import numpy as np
import pytest
from beam_statics import calc_orders
from scipy import sparse
from scipy.sparse.linalg import eigsh
from statics import Statics, make_block, share_over_face

from grouser.families.brick.material import make_linear

CANTILEVER = np.array([1.875104, 4.694091, 7.854757])
"""Roots of cos(x) cosh(x) = -1."""
SQUARE = 0.1405770
"""Torsion constant of a square of side 1, by St. Venant's series."""


def calc_frequencies(mesh, held, count=3):
    """The lowest angular frequencies, for density 1."""
    mass = np.zeros(len(mesh.start))
    np.add.at(mass, mesh.bricks, mesh.geometry.node_volume)
    free = np.flatnonzero(~held.ravel())
    K, M = mesh.make_stiffness(mesh.start)[free][:, free], sparse.diags_array(np.repeat(mass, 3)[free]).tocsc()
    return np.sqrt(np.sort(eigsh(K, k=count, M=M, sigma=0.0, which="LM", return_eigenvectors=False)))


def calc_bending(count, poisson, height=0.01):
    """Ratios of a cantilever of one brick in its square section to Euler and Bernoulli's. Its root is held in the mean,
    and free to contract."""
    unit, bricks = make_block(count, 1, 1)
    mesh = Statics((unit - [0.0, 0.5, 0.5]) * [1.0, height, height], bricks, make_linear(1.0, poisson))
    mesh.tie_section(share_over_face(unit, 0.0))
    frequencies = calc_frequencies(mesh, np.zeros(unit.shape, dtype=bool), 6)
    pairs = frequencies.reshape(3, 2)  # of both planes
    assert pairs[:, 0] == pytest.approx(pairs[:, 1], rel=1e-6)
    return pairs.mean(axis=1) / (CANTILEVER**2 * np.sqrt(height**2 / 12.0))


@pytest.mark.parametrize("poisson", (0.0, 0.3))
def test_cantilever_is_that_of_euler_and_bernoulli(poisson):
    assert calc_bending(24, poisson) == pytest.approx(1.0, abs=0.01)


def test_frequencies_converge_with_second_order():
    """Their limit is not that of Euler and Bernoulli: shear and rotary inertia are in it."""
    steps = np.diff([calc_bending(count, 0.0) for count in (8, 16, 32, 64)], axis=0)
    assert calc_orders(steps)[-1] == pytest.approx(2.0, abs=0.1)


def make_bar(along, across, length, side=0.2, poisson=0.3):
    """A square bar about the x axis."""
    unit, bricks = make_block(along, across, across)
    return Statics((unit - [0.0, 0.5, 0.5]) * [length, side, side], bricks, make_linear(1.0, poisson)), unit


def calc_torsion(across, side=0.2):
    """Ratio of the stiffness of a bar to G J. Its ends turn against each other and may warp."""
    mesh, unit = make_bar(2, across, 0.5)
    y, z = mesh.start[:, 1:].T
    last = unit[:, 0] == 1.0
    held = np.zeros(unit.shape, dtype=bool)
    held[(unit[:, 0] == 0.0) | last, 1:] = True
    held[0, 0] = True
    turn = np.stack([np.zeros(len(y)), -z, y], axis=1) * last[:, None]
    stiffness = mesh.make_stiffness(mesh.start)
    move = turn + mesh.solve_linear(held, -(stiffness @ turn.ravel()).reshape(-1, 3))
    return turn.ravel() @ (stiffness @ move.ravel()) * 0.5 / (SQUARE * side**4 / 2.6)


def test_torsion_converges_to_that_of_st_venant():
    """Warping of a brick is bilinear: a section of one brick, or of four, does not warp and is 19 % too stiff."""
    errors = np.array([calc_torsion(across) for across in (1, 4, 8, 16)]) - 1.0
    assert errors == pytest.approx([0.1856, 0.0522, 0.0135, 0.0034], abs=1e-4)
    assert calc_orders(errors[1:]) == pytest.approx(2.0, abs=0.1)


def test_a_bar_twists_with_the_frequencies_of_st_venant():
    """Held in its middle line, so that it can do nothing else; its root is held across, and free to warp.

    Lumped masses have 2/n^2 too much polar inertia in a section of n x n bricks: 1.4 % here, three times the true one
    in a section of one brick.
    """
    length, side = 4.0, 0.2
    mesh, unit = make_bar(30, 12, length, side)
    held = np.repeat(np.all(unit[:, 1:] == 0.5, axis=1)[:, None], 3, axis=1)
    held[unit[:, 0] == 0.0, 1:] = True
    speed = np.sqrt(SQUARE * side**4 / 2.6 / (side**4 / 6.0))
    assert calc_frequencies(mesh, held) == pytest.approx((np.arange(3) + 0.5) * np.pi / length * speed, rel=0.01)
