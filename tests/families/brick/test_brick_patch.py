"""Patch test: a strain that is the same everywhere, on bricks of any shape."""

import numpy as np
import pytest
from statics import Statics, make_block
from test_brick_element import MATERIALS


def make_patch(material, seed=4):
    """3 x 3 x 3 bricks in a cube, with odd nodes inside and on the faces."""
    rng = np.random.default_rng(seed)
    unit, bricks = make_block(3, 3, 3)
    return Statics(unit + rng.uniform(-0.08, 0.08, unit.shape), bricks, material), unit


@pytest.mark.parametrize("material", MATERIALS)
def test_small_uniform_strain(material):
    """Nodes inside find their place within 1e-12 of the largest displacement, and stresses are even."""
    mesh, unit = make_patch(MATERIALS[material])
    outside = np.any((unit == 0.0) | (unit == 1.0), axis=1)
    gradient = 1e-3 * np.random.default_rng(1).uniform(-1, 1, (3, 3))
    exact = mesh.start @ gradient.T
    held = np.repeat(outside[:, None], 3, axis=1)
    stiffness = mesh.make_stiffness(mesh.start)
    move = mesh.solve_linear(held, -(stiffness @ np.where(held, exact, 0.0).ravel()).reshape(-1, 3))
    assert move[~outside] == pytest.approx(exact[~outside], abs=1e-12 * np.abs(exact).max())


@pytest.mark.parametrize("material", MATERIALS)
def test_large_uniform_strain(material):
    """Stretched and turned: nodes inside are in balance to rounding, and all bricks have the same stress."""
    mesh, unit = make_patch(MATERIALS[material])
    inside = ~np.any((unit == 0.0) | (unit == 1.0), axis=1)
    F = np.array([[0.2, -1.1, 0.1], [1.3, 0.1, 0.2], [0.0, 0.2, 0.9]])
    x = mesh.start @ F.T
    forces = mesh.calc_forces(x)
    assert np.abs(forces[inside]).max() < 1e-13 * np.abs(forces).max()
    stress = mesh.calc_stress(x)
    assert stress == pytest.approx(np.tile(stress[0], (27, 1)), rel=1e-11, abs=1e-12)


def test_newton_finds_a_large_uniform_strain():
    mesh, unit = make_patch(MATERIALS["Mooney-Rivlin"])
    held = np.repeat(np.any((unit == 0.0) | (unit == 1.0), axis=1)[:, None], 3, axis=1)
    F = np.array([[1.3, 0.2, 0.0], [0.0, 0.9, 0.1], [0.1, 0.0, 1.1]])
    x = mesh.solve(held, target=mesh.start @ F.T, tolerance=1e-13)
    assert x == pytest.approx(mesh.start @ F.T, abs=1e-12)
