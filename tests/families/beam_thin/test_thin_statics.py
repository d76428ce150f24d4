"""Thin beams in equilibrium, against closed forms."""

import numpy as np
import pytest
import scipy.sparse
from beam_statics import ELASTICA, ThinMesh, calc_orders, fix_rows, make_chain, make_line

from grouser.families.beam_thin.mass import calc_thin_masses


def make_cantilever(count, **options):
    """Length 1 from the middle of the first edge, which is held, to the last node."""
    h = 1.0 / (count - 0.5)
    x = make_line(count + 1, count * h) - [0.5 * h, 0.0, 0.0]
    return ThinMesh(x, make_chain(count + 1), EA=1e7, EI=1.0, **options), fix_rows((count + 1, 3), 0, 1)


def solve_elastica(factor, count, direction=(0.0, 0.0, -1.0)):
    """w/L along a direction and u/L of the tip."""
    mesh, fixed = make_cantilever(count)
    load = np.zeros((count + 1, 3))
    load[-1] = factor * np.array(direction)
    mesh.solve(load, fixed, steps=8)
    return np.array([mesh.x[-1] @ direction, 1.0 - mesh.x[-1, 0]])


@pytest.mark.parametrize(("factor", "expected"), ELASTICA.items())
def test_elastica(factor, expected):
    assert solve_elastica(factor, 10) == pytest.approx(expected, rel=0.01)
    assert solve_elastica(factor, 20) == pytest.approx(expected, rel=0.0015)


def test_elastica_bends_in_any_direction():
    expected = solve_elastica(2.0, 10)
    for angle in (0.4, 1.9, 3.3):
        turned = solve_elastica(2.0, 10, (0.0, np.cos(angle), np.sin(angle)))
        assert turned == pytest.approx(expected, rel=1e-9)


def test_elastica_converges_with_second_order():
    exact = np.array([0.6699642, 0.3289412])  # P L^2/(E I) = 4, by shooting
    errors = np.array([solve_elastica(4.0, n) for n in (8, 16, 32, 64)]) - exact
    assert calc_orders(errors[:, 0]) == pytest.approx(2.0, abs=0.15)
    assert calc_orders(errors[:, 1]) == pytest.approx(2.0, abs=0.2)


def test_an_end_moment_rolls_it_up():
    """From the middle of the first edge to that of the last one, which carries the couple: a full circle exactly."""
    n = 12
    x = make_line(n + 2, (n + 1) / n)
    mesh, fixed = ThinMesh(x, make_chain(n + 2), EA=1e7, EI=1.0), fix_rows((n + 2, 3), 0, 1)
    across = np.array([0.0, -1.0, 0.0])
    size, last = 3 * (n + 2), np.arange(3 * n, 3 * n + 6)

    def calc_couple(mesh):
        """2 pi about y as two forces on the last edge: the gradient of the work M times angle."""
        edge = mesh.x[-1] - mesh.x[-2]
        load = np.zeros((n + 2, 3))
        load[-1] = 2.0 * np.pi * np.cross(across, edge) / (edge @ edge)
        load[-2] = -load[-1]
        return load

    def calc_stiffness(mesh):
        edge = mesh.x[-1] - mesh.x[-2]
        turned, square = np.cross(across, edge), edge @ edge
        slope = np.cross(across, np.eye(3)).T / square - 2.0 * np.outer(turned, edge) / square**2
        block = -2.0 * np.pi * np.kron([[1.0, -1.0], [-1.0, 1.0]], slope).ravel()
        rows, columns = np.repeat(last, 6), np.tile(last, 6)
        return scipy.sparse.csc_array((block, (rows, columns)), shape=(size, size))

    mesh.solve(calc_couple, fixed, steps=16, stiffness=calc_stiffness)
    middle = 0.5 * (mesh.x[1:] + mesh.x[:-1])
    assert np.abs(middle[-1] - middle[0]).max() < 1e-6
    section = mesh.calc_forces()[3]
    assert section[:, 1] == pytest.approx(2.0 * np.pi)
    assert section[:, 2] == pytest.approx(2.0 * np.pi)


def test_curved_shape_keeps_its_stiffness():
    """A ring that is free of stress as a circle, pressed together by two forces: 0.1488 P r^3/(E I) (Timoshenko)."""
    n = 64
    a = 2.0 * np.pi * np.arange(n) / n
    x = np.stack([np.cos(a), np.zeros(n), np.sin(a)], axis=1)
    node = np.stack([np.arange(n), (np.arange(n) + 1) % n, (np.arange(n) + 2) % n], axis=1)
    mesh = ThinMesh(x, node, EA=1e6, EI=1.0)
    P = 1e-3
    load = np.zeros((n, 3))
    load[n // 4, 2], load[3 * n // 4, 2] = -P, P
    fixed = fix_rows((n, 3))
    fixed[:, 1] = True
    fixed[[n // 4, 3 * n // 4], 0] = True
    fixed[0, 2] = True
    mesh.solve(load, fixed)
    shorter = 2.0 - (mesh.x[n // 4, 2] - mesh.x[3 * n // 4, 2])
    assert shorter == pytest.approx(0.14878 * P, rel=0.01)


def test_spinning_beam_stretches():
    """rho A omega^2 L^3/(3 EA) = 5.143e-4 m at 6 rad/s."""
    n, L, omega = 20, 10.0, 6.0
    mesh = ThinMesh(make_line(n + 1, L), make_chain(n + 1), EA=2.8e7, EI=1.4e4)
    mass = calc_thin_masses(mesh.table, 1.2, n + 1)[:, None]
    fixed = fix_rows((n + 1, 3), 0)
    fixed[:, 1:] = True
    mesh.solve(lambda mesh: mass * omega**2 * mesh.x, fixed)
    assert mesh.x[-1, 0] - L == pytest.approx(5.143e-4, rel=2e-3)
