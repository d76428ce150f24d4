"""Cables at rest against closed forms and published values."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import CableMesh, hold_rows, make_arc, make_line, take_axis
from beam_statics import ELASTICA, calc_orders
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from grouser.families.ancf_cable.section import calc_cable_section

TIP = (-0.508537304326, -1.207239854550)
"""How far the tip of a cantilever of 2 m moves, with a section of 0.1 x 0.1 m and 2.07e11 Pa, under 3 E I/L^2: it
stretches, but does not shear."""


def make_cantilever(n, length, axial, bending):
    x, pairs = make_line(n + 1, length)
    mesh = CableMesh(take_axis(x), pairs, length / n, axial=axial, bending=bending)
    return mesh, hold_rows(mesh.x.shape, 0, 1), np.zeros_like(mesh.x)


def shoot(length, axial, bending, force):
    """The same by the equations of the rod: E I theta'' = -(1 + eps) n.F, eps = t.F/(E A), where F points to -y; the
    couple at the root by shooting."""

    def rate(_, state):
        angle, moment = state[2:]
        stretch = 1.0 - force * np.sin(angle) / axial
        return [
            *(stretch * np.cos(angle), stretch * np.sin(angle)),
            *(moment / bending, stretch * force * np.cos(angle)),
        ]

    def run(moment):
        return solve_ivp(rate, (0.0, length), [0.0, 0.0, 0.0, moment], rtol=1e-12, atol=1e-12, method="DOP853").y[:, -1]

    scale = force * length
    root = scale * brentq(lambda share: run(-share * scale)[3] / scale, 0.2, 1.0, xtol=1e-14)
    return run(-root)[:2] - [length, 0.0]


def test_the_published_tip_is_that_of_the_rod():
    young, side, length = 2.07e11, 0.1, 2.0
    bending = young * side**4 / 12.0
    assert shoot(length, young * side**2, bending, 3.0 * bending / length**2) == pytest.approx(TIP, abs=1e-9)


def test_cantilever_converges_to_the_published_tip():
    """1 to 32 elements: below 1e-7 m at last, at the fourth order until there."""
    length, young, side = 2.0, 2.07e11, 0.1
    bending, errors = young * side**4 / 12.0, []
    for n in (1, 2, 4, 8, 16, 32):
        mesh, held, load = make_cantilever(n, length, young * side**2, bending)
        load[-2, 1] = -3.0 * bending / length**2
        mesh.solve(load, held, steps=4)
        errors.append(np.linalg.norm(mesh.x[-2, :2] - [length + TIP[0], TIP[1]]))
    assert errors[-1] < 1e-7
    assert np.all(calc_orders(np.array(errors[1:5])) > 3.8)


def test_elastica():
    """20 elements within 0.1 %; the elastica does not stretch, and this cable by 1e-6."""
    mesh, held, load = make_cantilever(20, 1.0, 1e6, 1.0)
    for factor, (w, u) in ELASTICA.items():
        load[-2, 2] = factor
        mesh.solve(load, held, steps=3, tolerance=1e-8)
        assert mesh.x[-2] == pytest.approx([1.0 - u, 0.0, w], rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("turns", [0.25, 1.0])
def test_moment_rolls_up(turns):
    """The end held where an arc would have it: an arc all along, with the moment 2 pi E I turns/L within 1 %."""
    n, angle = 16, 2.0 * np.pi * turns
    mesh, held, _ = make_cantilever(n, 1.0, 1e4, 1.0)
    exact = take_axis(make_arc(n + 1, 1.0 / angle, angle)[0])
    for share in np.linspace(0.0, 1.0, 9)[1:]:
        mesh.x[-2:] = take_axis(make_arc(n + 1, 1.0 / (share * angle), share * angle)[0])[-2:]
        held[-1], held[-2] = True, True
        mesh.solve(np.zeros_like(mesh.x), held, tolerance=1e-9)
    assert mesh.x == pytest.approx(exact, abs=2e-3)
    assert mesh.values[:, 3] == pytest.approx(angle, rel=0.01)


def test_a_ring_is_a_reference():
    """Without force; opened to a straight line it has the energy E I kappa_0^2/2 a length."""
    n, radius = 12, 0.5
    x, pairs, length = make_arc(n + 1, radius, 2.0 * np.pi)
    mesh = CableMesh(take_axis(x), pairs, length, axial=1e6, bending=3.0)
    assert np.abs(mesh.calc_forces()).max() < 1e-6
    straight = take_axis(make_line(n + 1, n * length)[0])
    mesh.x = straight.copy()
    held = np.ones(mesh.x.shape, dtype=bool)
    held[1:-1, 0] = False
    mesh.solve(np.zeros_like(mesh.x), held, tolerance=1e-9)
    exact = 0.5 * 3.0 / radius**2 * n * length
    assert mesh.calc_energy(mesh.x) == pytest.approx(exact, rel=0.03)


def test_a_cable_put_in_stretched_pulls():
    mesh, held, _ = make_cantilever(3, 1.0, 1e4, 1.0)
    mesh.x *= 1.01
    held[-2] = True
    mesh.solve(np.zeros_like(mesh.x), held)
    assert mesh.values[:, 2] == pytest.approx(100.0, rel=1e-9)
    assert mesh.values[:, 0] == pytest.approx(0.01, rel=1e-9)


def test_moment_of_a_cantilever_is_force_times_lever():
    """Anywhere along the axis, at points where a cubic has its curvature right; and the values of the kernel in the
    middle, for a curved reference too."""
    mesh, held, load = make_cantilever(8, 1.0, 1e6, 1.0)
    load[-2, 2] = 0.01
    mesh.solve(load, held, tolerance=1e-12)
    for element, rows in enumerate(mesh.rows):
        values = calc_cable_section(mesh.table, element, mesh.x[rows], mesh.reference[rows], [0.1, 0.5, 0.9])
        lever = 1.0 - (element + np.array([0.1, 0.5, 0.9])) / 8.0
        assert values[:, 3] == pytest.approx(0.01 * lever, rel=1e-3, abs=1e-8)
        assert values[1] == pytest.approx(mesh.values[element], rel=1e-9, abs=1e-6)
    x, pairs, length = make_arc(3, 1.0, 0.5)
    ring = CableMesh(take_axis(x), pairs, length, axial=10.0, bending=2.0)
    ring.x = ring.x + 0.01 * np.random.default_rng(0).normal(size=ring.x.shape)
    ring.calc_forces()
    rows = ring.rows[1]
    values = calc_cable_section(ring.table, 1, ring.x[rows], ring.reference[rows], [0.5])
    assert values[0] == pytest.approx(ring.values[1], rel=1e-3)
