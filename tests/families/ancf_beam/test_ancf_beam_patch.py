"""Beams under uniform strain: the patch test, stresses, and volume that is kept."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import BeamMesh, hold_rows, make_rectangle

from grouser.families.ancf_beam.stress import calc_beam_stress
from grouser.families.brick.law import calc_second_stress
from grouser.families.brick.material import make_linear, make_neo_hookean

SECTION = make_rectangle(0.2, 0.3)
MATERIALS = {"linear": make_linear(2.0, 0.3), "Neo-Hookean": make_neo_hookean(1.0, 5.0)}
STRETCH = np.diag([1.2, 0.9, 0.95])
SHEAR = np.array([[1.0, 0.2, 0.1], [0.0, 1.1, 0.05], [0.0, 0.0, 1.0]])
ROUNDING = 1e-10
LENGTHS = np.array([0.3, 0.7, 0.5])


def make_uneven(material, integration):
    """Three elements of different lengths."""
    place = np.concatenate([[0.0], np.cumsum(LENGTHS)])[:, None] * [1.0, 0.0, 0.0]
    x = np.concatenate([place[:, None], np.broadcast_to(np.eye(3), (4, 3, 3))], axis=1).reshape(-1, 3)
    pairs = np.stack([np.arange(3), np.arange(1, 4)], axis=1)
    return BeamMesh(x, pairs, LENGTHS, SECTION, material, integration=integration)


@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
@pytest.mark.parametrize(("integration", "F"), [("volume", STRETCH), ("volume", SHEAR), ("line", STRETCH)])
def test_uniform_strain(material, integration, F):
    """Places F X: energy, and forces at the ends, are those of the law; inner nodes have forces on gradients across."""
    mesh = make_uneven(material, integration)
    second = np.zeros((1, 3, 3))
    calc_second_stress(material, 0.5 * (F.T @ F - np.eye(3))[None], second)
    first = F @ second[0]  # stress by the area of the reference
    force = mesh.calc_forces(mesh.x @ F.T).reshape(-1, 4, 3)
    scale = SECTION.area * np.abs(first).max()
    ends = np.zeros((4, 3))
    ends[0], ends[-1] = SECTION.area * first[:, 0], -SECTION.area * first[:, 0]
    assert np.abs(force[:, 0] - ends).max() < ROUNDING * scale
    assert np.abs(force[1:-1, 1]).max() < ROUNDING * scale
    # the stress across is held by forces on r_y and r_z, by the length that belongs to a node
    shares = 0.5 * (np.append(LENGTHS, 0.0) + np.append(0.0, LENGTHS))
    for column in (1, 2):
        across = -SECTION.area * shares[:, None] * first[:, column]
        assert np.abs(force[:, 1 + column] - across).max() < ROUNDING * scale


@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
def test_uniform_shear_along_the_axis_has_the_shear_factor(material):
    """Small shear: its energy is k G A gamma^2/2 a length."""
    mesh = make_uneven(material, "line")
    shear, gamma = float(material[1]), 1e-5
    F = np.eye(3)
    F[0, 1] = gamma
    mesh.calc_forces(mesh.x @ F.T)
    exact = 0.5 * SECTION.shear_y * shear * SECTION.area * gamma**2 * LENGTHS.sum()
    assert mesh.sums[0] == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("integration", ["line", "volume"])
@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
def test_stress_of_uniform_stretch_is_that_of_the_law(material, integration):
    """Cauchy stress F S F^T/J at any point."""
    mesh = make_uneven(material, integration)
    second = np.zeros((1, 3, 3))
    calc_second_stress(material, 0.5 * (STRETCH.T @ STRETCH - np.eye(3))[None], second)
    exact = STRETCH @ second[0] @ STRETCH.T / np.linalg.det(STRETCH)
    points = [(0.0, 0.0, 0.0), (0.3, 0.1, -0.15), (1.0, -0.1, 0.1)]
    e = mesh.x[mesh.rows[1]]
    values = calc_beam_stress(mesh.table, 1, e @ STRETCH.T, e, LENGTHS[1], SECTION, points)
    assert values[:, :3] == pytest.approx(np.tile(np.diag(exact), (3, 1)), rel=1e-10)
    assert np.abs(values[:, 3:6]).max() < 1e-12
    assert values[:, 8] == pytest.approx(np.linalg.det(STRETCH))


def test_stress_of_bending_is_that_of_fibres():
    """A beam along the axis under a moment: M y/I on its sides, and nothing across."""
    young, moment, n = 2e11, 500.0, 4
    section = make_rectangle(0.05, 0.02)
    x = np.concatenate(
        [np.linspace(0.0, 2.0, n + 1)[:, None, None] * [1.0, 0.0, 0.0], np.tile(np.eye(3), (n + 1, 1, 1))], 1
    )
    x = x.reshape(-1, 3)
    mesh = BeamMesh(x, np.stack([np.arange(n), np.arange(1, n + 1)], 1), 2.0 / n, section, make_linear(young, 0.3))
    load = np.zeros_like(x)
    load[-3], load[-2] = [0.0, 0.5 * moment, 0.0], [-0.5 * moment, 0.0, 0.0]  # forces on r_x and r_y: a couple about z
    mesh.solve(load, hold_rows(x.shape, 0, 1, 2, 3))
    e = mesh.rows[1]
    values = calc_beam_stress(
        mesh.table, 1, mesh.x[e], x[e], 2.0 / n, section, [(0.5, 0.025, 0.0), (0.5, -0.025, 0.01)]
    )
    exact = moment * 0.025 / section.iz
    assert values[:, 6] == pytest.approx(exact, rel=0.01)
    assert values[0, 0] < 0.0 < values[1, 0]


@pytest.mark.parametrize("integration", ["line", "volume"])
def test_rubber_keeps_its_volume(integration):
    """A bulk modulus of 1000 times the shear modulus, drawn to 1.5 of its length, free to become thinner."""
    mesh = make_uneven(make_neo_hookean(1e6, 1e9), integration)
    held = np.zeros(mesh.x.shape, dtype=bool)
    held[0], held[-4], held[[1, 2, 3], [1, 2, 0]] = True, True, False
    held[1, 1:], held[2, [0, 2]], held[3, :2] = True, True, True  # no turn
    target = mesh.x[-4, 0]
    for factor in np.linspace(1.0, 1.5, 11)[1:]:
        mesh.x[-4, 0] = factor * target
        mesh.solve(np.zeros_like(mesh.x), held, tolerance=1e-9)
    e = mesh.rows[1]
    values = calc_beam_stress(mesh.table, 1, mesh.x[e], mesh.reference[e], LENGTHS[1], SECTION, [(0.5, 0.0, 0.0)])
    # uniaxial: sigma = G (s^2 - 1/s) of rubber without change of volume
    assert values[0, 8] == pytest.approx(1.0, abs=1e-3)
    assert values[0, 0] == pytest.approx(1e6 * (1.5**2 - 1.0 / 1.5), rel=2e-3)
