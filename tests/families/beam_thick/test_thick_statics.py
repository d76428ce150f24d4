"""Thick beams in equilibrium, against closed forms and published values."""

import numpy as np
import pytest
from beam_statics import (
    ELASTICA,
    ThickMesh,
    calc_orders,
    calc_small,
    fix_rows,
    make_line,
    make_pairs,
    make_rectangle,
)
from scipy.optimize import brentq

STIFF = np.array([1e7, 1e7, 1e7, 1.0, 1.0, 1.0])
"""A beam of length 1 that only bends and twists."""


def make_beam(count, length, section):
    """A straight beam of `count` elements along x, and what clamps its first node."""
    mesh = ThickMesh(make_line(count + 1, length), make_pairs(count + 1), np.eye(3), section)
    return mesh, fix_rows((count + 1, 6), 0)


def make_tip_load(count, **parts):
    """A load on the last node: fx, fy, fz, tx, ty, tz."""
    load = np.zeros((count + 1, 6))
    for name, value in parts.items():
        load[-1, ["fx", "fy", "fz", "tx", "ty", "tz"].index(name)] = value
    return load


def solve_elastica(factor, count):
    """w/L and u/L of the tip."""
    mesh, fixed = make_beam(count, 1.0, STIFF)
    mesh.solve(make_tip_load(count, fz=-factor), fixed, steps=4)
    assert mesh.iterations < 40  # quadratic convergence: the symmetric tangent is enough
    return np.array([-mesh.x[-1, 2], 1.0 - mesh.x[-1, 0]])


@pytest.mark.parametrize(("factor", "expected"), ELASTICA.items())
def test_elastica(factor, expected):
    assert solve_elastica(factor, 10) == pytest.approx(expected, rel=0.01)
    assert solve_elastica(factor, 20) == pytest.approx(expected, rel=0.0015)


def test_elastica_converges_with_second_order():
    exact = np.array([0.6699642, 0.3289412])  # P L^2/(E I) = 4, by shooting
    errors = np.array([solve_elastica(4.0, n) for n in (8, 16, 32, 64)]) - exact
    assert calc_orders(errors[:, 0]) == pytest.approx(2.0, abs=0.05)
    assert calc_orders(errors[:, 1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("axis", ["ty", "tz"])
def test_an_end_moment_rolls_it_up(axis):
    """A full circle, by any number of elements: constant curvature is exact."""
    n = 10
    mesh, fixed = make_beam(n, 1.0, STIFF)
    mesh.solve(make_tip_load(n, **{axis: 2.0 * np.pi}), fixed, steps=10)
    assert np.abs(mesh.x[-1]).max() < 1e-9
    assert np.abs(mesh.R[-1] - np.eye(3)).max() < 1e-9
    assert np.abs(mesh.calc_forces()[4][:, 3:]).sum(axis=1) == pytest.approx(2.0 * np.pi)


def test_torsion():
    """T L/(G J), also by more than a circle."""
    n = 8
    mesh, fixed = make_beam(n, 2.0, np.array([1e7, 1e7, 1e7, 3.0, 1.0, 1.0]))
    mesh.solve(make_tip_load(n, tx=12.0), fixed, steps=8)
    assert mesh.calc_forces()[5][:, 3] == pytest.approx(4.0)
    angle = 8.0 - 2.0 * np.pi
    assert np.arctan2(mesh.R[-1, 2, 1], mesh.R[-1, 1, 1]) == pytest.approx(angle)
    assert mesh.x[-1] == pytest.approx([2.0, 0.0, 0.0], abs=1e-10)


@pytest.mark.parametrize("slenderness", [2.0, 100.0, 1e4])
def test_cantilever_shears_and_does_not_lock(slenderness):
    """Timoshenko's tip deflection. The bending part of n elements is 1 - 1/(4 n^2) of it at any slenderness."""
    h = 1.0 / slenderness
    section = make_rectangle(1.0, 0.3, h, h)
    for n in (1, 2, 5, 20):
        mesh, fixed = make_beam(n, 1.0, section)
        tip = calc_small(mesh, make_tip_load(n, fz=1.0), fixed)[-1, 2]
        bending = (1.0 - 0.25 / n**2) / (3.0 * section[4])
        assert tip == pytest.approx(bending + 1.0 / section[2], rel=1e-5)


def test_princeton_beam():
    """4.448 N at 45 degrees: values of an independent shooting method, within 2 %, and they converge to them."""
    for n, accuracy in ((8, 0.02), (64, 5e-4)):
        mesh, fixed = make_beam(n, 0.508, make_rectangle(71.7e9, 0.31, 12.377e-3, 3.2024e-3))
        part = 4.448 * np.sqrt(0.5)
        mesh.solve(make_tip_load(n, fy=part, fz=part), fixed, steps=4)
        twist = np.degrees(np.arctan2(mesh.R[-1, 2, 1], mesh.R[-1, 2, 2]))
        assert mesh.x[-1, 1:] == pytest.approx([0.003965, 0.056055], rel=accuracy)
        assert abs(twist) == pytest.approx(0.4420, rel=accuracy)


def test_straight_beam_of_macneal_and_harder():
    n = 24
    mesh, fixed = make_beam(n, 6.0, make_rectangle(1e7, 0.3, 0.1, 0.2))
    tips = [
        calc_small(mesh, make_tip_load(n, **{name: 1.0}), fixed)[-1, i] for i, name in enumerate(("fx", "fy", "fz"))
    ]
    assert tips == pytest.approx([3e-5, 0.4321, 0.1081], rel=1e-3)
    # the published twist, 0.03208, has a torsion constant 6 % above de Saint-Venant's
    twist = calc_small(mesh, make_tip_load(n, tx=1.0), fixed)[-1, 3]
    assert twist == pytest.approx(6.0 / mesh.table.section[0, 3])
    assert twist == pytest.approx(0.03208, rel=0.07)


def solve_curved(n):
    """Tip of a quarter circle of radius 4.22, loaded along its radius and across its plane."""
    a, r = np.linspace(0.0, 0.5 * np.pi, n + 1), 4.22
    middle = 0.5 * (a[1:] + a[:-1])
    c, s, zero = np.cos(middle), np.sin(middle), np.zeros(n)
    frame = np.stack([np.stack([c, -s, zero], 1), np.stack([s, c, zero], 1), np.tile([0.0, 0.0, 1.0], (n, 1))], axis=2)
    node = r * np.stack([np.sin(a), np.cos(a), np.zeros(n + 1)], axis=1)
    mesh = ThickMesh(node, make_pairs(n + 1), frame, make_rectangle(1e7, 0.25, 0.2, 0.1))
    fixed = fix_rows((n + 1, 6), 0)
    tips = [calc_small(mesh, make_tip_load(n, **{f: 1.0}), fixed)[-1, i] for i, f in ((0, "fx"), (2, "fz"))]
    return np.array(tips), mesh.table.section[0]


def test_curved_beam_of_macneal_and_harder():
    tips, (EA, GA, _, _, _, EI) = solve_curved(24)
    assert tips == pytest.approx([0.08734, 0.5022], rel=0.015)
    # in its plane: Castigliano, without the curvature of the fibres that the published value has
    assert tips[0] == pytest.approx(np.pi / 4.0 * (4.22**3 / EI + 4.22 / EA + 4.22 / GA), rel=2e-3)
    errors = np.diff([solve_curved(n)[0] for n in (6, 12, 24, 48)], axis=0)
    assert calc_orders(errors[:, 0]) == pytest.approx(2.0, abs=0.05)
    assert calc_orders(errors[:, 1]) == pytest.approx(2.0, abs=0.05)


def test_twisted_beam_of_macneal_and_harder():
    """Twisted by 90 degrees: the frames of the elements are turned."""
    n = 24
    t, zero = (np.arange(n) + 0.5) / n * 0.5 * np.pi, np.zeros(n)
    c, s = np.cos(t), np.sin(t)
    frame = np.stack([np.tile([1.0, 0.0, 0.0], (n, 1)), np.stack([zero, c, s], 1), np.stack([zero, -s, c], 1)], axis=2)
    mesh = ThickMesh(make_line(n + 1, 12.0), make_pairs(n + 1), frame, make_rectangle(29e6, 0.22, 1.1, 0.32))
    fixed = fix_rows((n + 1, 6), 0)
    tips = [calc_small(mesh, make_tip_load(n, **{f: 1.0}), fixed)[-1, i] for i, f in ((2, "fz"), (1, "fy"))]
    assert tips == pytest.approx([0.005424, 0.001754], rel=5e-3)


def make_frame(n):
    """Right-angle frame in the x-y plane: an arm along x, then one along -y; 0.24 m each, section 30 x 0.6 mm."""
    L, E, b, h = 0.24, 71.24e9, 0.03, 0.0006
    arm = np.stack([np.full(n, L), -L * np.arange(1, n + 1) / n, np.zeros(n)], axis=1)
    turned = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    frame = np.concatenate([np.tile(np.eye(3), (n, 1, 1)), np.tile(turned, (n, 1, 1))])
    section = make_rectangle(E, 0.31, b, h, shear=1.0)
    section[3] = E / 2.62 * b * h**3 / 3.0  # of a thin strip, as the source has it
    node = np.vstack([make_line(n + 1, L), arm])
    return ThickMesh(node, make_pairs(2 * n + 1), frame, section), fix_rows((2 * n + 1, 6), 0)


def calc_lowest(n, load):
    """Lowest eigenvalue of the scaled tangent of the frame, in its plane under an end load."""
    mesh, fixed = make_frame(n)
    mesh.solve(make_tip_load(2 * n, fx=load), fixed, tolerance=1e-9)
    K = mesh.add_up(mesh.calc_matrices()[0]).toarray()[6:, 6:]
    scale = 1.0 / np.sqrt(np.abs(np.diag(K)))
    return np.linalg.eigvalsh(scale[:, None] * K * scale)[0]


def test_right_angle_frame_buckles_sideways():
    """Argyris et al. 1979: 1.088 N. It converges to 1.0875 N."""
    loads = np.array([brentq(lambda P, n=n: calc_lowest(n, P), 0.8, 1.4, xtol=1e-7) for n in (5, 10, 20)])
    assert loads == pytest.approx([1.09832, 1.09021, 1.08819], abs=1e-4)
    assert loads[2] - (loads[1] - loads[2]) / 3.0 == pytest.approx(1.0875, abs=1e-4)
    assert np.log2((loads[0] - loads[1]) / (loads[1] - loads[2])) == pytest.approx(2.0, abs=0.05)


def calc_beyond(n):
    """Loads at which the tip of the frame is 10, 20, ... 50 mm out of its plane, in steps of 0.5 mm."""
    mesh, fixed = make_frame(n)
    # a disturbance shows the way out of the plane, and is taken away again
    mesh.solve(make_tip_load(2 * n, fx=1.0, fz=1e-3), fixed, steps=10)
    load, factor, factors = make_tip_load(2 * n, fx=1.0), 1.0, []
    for place in 0.0005 * np.arange(2, 101):
        factor = mesh.solve_held(load, fixed, 6 * 2 * n + 2, place, factor, tolerance=1e-8)
        factors.append(factor)
    return np.array(factors[18::20])


def test_right_angle_frame_goes_on_beyond_buckling():
    """Ever slower sideways (the tip turns back at 61 mm), and with second order."""
    coarse, fine, finest = (calc_beyond(n) for n in (10, 20, 40))
    assert np.all(np.diff(finest, n=2) > 0.0)
    assert finest == pytest.approx([1.0917, 1.1045, 1.1282, 1.1679, 1.2384], abs=1e-4)
    assert fine == pytest.approx(finest, rel=2e-3)
    assert np.log2(np.abs(coarse - fine) / np.abs(fine - finest)) == pytest.approx(2.0, abs=0.2)


def test_spinning_beam_stretches():
    """rho A omega^2 L^3/(3 EA) = 5.143e-4 m at 6 rad/s, as the spin-up beam has it at the end."""
    n, L, omega = 20, 10.0, 6.0
    mesh, fixed = make_beam(n, L, np.array([2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4]))
    mass = np.diag(mesh.calc_mass_matrix(1.2, np.array([6e-4, 6e-4]))).reshape(-1, 6)[:, :1]

    def calc_load(mesh):
        """Of masses in the middle of the bodies: the first and the last one are at quarter lengths."""
        middle = mesh.x[:, :3].copy()
        middle[0, 0] += 0.25 * L / n
        middle[-1, 0] -= 0.25 * L / n
        return np.hstack([mass * omega**2 * middle * [1.0, 1.0, 0.0], np.zeros((n + 1, 3))])

    mesh.solve(calc_load, fixed)
    assert mesh.x[-1, 0] - L == pytest.approx(5.143e-4, rel=1e-3)
