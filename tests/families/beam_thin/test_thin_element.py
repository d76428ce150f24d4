"""One thin beam: no force in rigid motion, balance, gradient, tangent, damping, masses, stable step."""

from copy import copy

import numpy as np
import pytest
from beam_statics import ThinMesh, calc_slopes, make_chain, make_line
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from grouser.families.beam_thin.kernel import BLUNT
from grouser.families.beam_thin.mass import calc_thin_masses
from grouser.families.beam_thin.step import calc_thin_frequencies, calc_thin_steps

STRAIGHT = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.2, 0.0, 0.0], [3.1, 0.0, 0.0]])
CURVED = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [2.0, 0.7, 0.2], [2.5, 1.5, 0.1]])
SHAPES = {"straight": STRAIGHT, "curved": CURVED}
SLOPES = 1e-7
"""Central differences of forces of the order 1 with steps of 1e-5; curved shapes have large third derivatives."""


def make_mesh(shape, scale=0.0, seed=0, **options):
    """Two elements on four nodes, moved at random."""
    rng = np.random.default_rng(seed)
    mesh = ThinMesh(SHAPES[shape], make_chain(4), EA=5.0, EI=2.0, **options)
    mesh.move(scale * rng.normal(size=12))
    return mesh, rng


@pytest.mark.parametrize("shape", SHAPES)
def test_rigid_motion_gives_no_force(shape):
    mesh, rng = make_mesh(shape, time_axial=0.3, time_bending=0.2)
    turn = Rotation.random(random_state=1).as_matrix()
    mesh.x = mesh.x @ turn.T + 3.0 * rng.normal(size=3)
    v = np.cross(rng.normal(size=3), mesh.x) + rng.normal(size=3)
    energy, power, f, section = mesh.calc_forces(v)
    assert energy < 1e-28
    assert power < 1e-26
    assert np.abs(f).max() < 1e-13
    assert np.abs(section[:, :2]).max() < 1e-13


@pytest.mark.parametrize("shape", SHAPES)
def test_forces_turn_with_a_deformed_beam(shape):
    mesh, rng = make_mesh(shape, 0.4, time_axial=0.3, time_bending=0.2)
    v = rng.normal(size=(4, 3))
    before = mesh.calc_forces(v)
    turn = Rotation.random(random_state=5).as_matrix()
    mesh.x = mesh.x @ turn.T + 1.0
    after = mesh.calc_forces(v @ turn.T)
    for i in (0, 1, 3):
        assert after[i] == pytest.approx(before[i], abs=1e-12, rel=1e-13)
    assert after[2] == pytest.approx(before[2] @ turn.T, abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale", [0.0, 1e-9, 1e-4, 0.05, 0.5])
def test_forces_balance_and_are_the_gradient_of_the_energy(shape, scale):
    mesh, _ = make_mesh(shape, scale, seed=1, pre_strain=0.05)
    f = mesh.calc_forces()[2]
    assert np.abs(f.sum(axis=0)).max() < 1e-14
    assert np.abs(np.cross(mesh.x, f).sum(axis=0)).max() < 1e-14
    gradient, slopes = calc_slopes(mesh, copy)
    assert np.abs(f.ravel() + gradient).max() < SLOPES
    K = mesh.add_up(mesh.calc_matrices()[0]).toarray()
    assert np.abs(K - K.T).max() < 1e-14
    assert np.abs(K + slopes).max() < SLOPES * np.abs(K).max()


def test_stress_free_tangents():
    """A bent element has three stiff directions, a straight one four: it bends in both directions alike."""
    for shape, zeros in (("straight", 5), ("curved", 6)):
        mesh, _ = make_mesh(shape)
        values = np.linalg.eigvalsh(mesh.calc_matrices()[0][0])
        assert np.abs(values[:zeros]).max() < 1e-13
        assert values[zeros] > 0.1
    straight, _ = make_mesh("straight")
    assert np.abs(straight.calc_matrices(1.0)[0] - straight.calc_matrices(0.0)[0]).max() < 1e-14
    bent, _ = make_mesh("straight", 0.4, is_straight=True)
    assert np.linalg.eigvalsh(bent.calc_matrices(0.0)[0]).min() > -1e-13


def test_moment_is_that_of_the_angle():
    """S0-10 for a straight and a curved shape; the rounding off of (6) is small beside it."""
    for angle, start, accuracy in ((0.3, 0.0, 1e-13), (2.5, 0.0, 1e-13), (0.3, 0.2, 1e-3), (0.1, 0.2, 1e-3)):
        x = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [np.cos(start), 0.0, np.sin(start)]])
        mesh = ThinMesh(x, make_chain(3), EA=5.0, EI=2.0)
        mesh.x = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [np.cos(angle), 0.0, np.sin(angle)]])
        energy, _, f, section = mesh.calc_forces()
        moment = 2.0 * (angle - start)
        assert section[0] == pytest.approx([0.0, moment, angle], abs=accuracy * 2.0 * max(start, angle))
        assert f[2] == pytest.approx(moment * np.array([np.sin(angle), 0.0, -np.cos(angle)]), abs=2.0 * accuracy)
        assert energy == pytest.approx((angle - start) ** 2, abs=2.0 * accuracy)


def test_curved_shape_is_regular_where_it_is_straight():
    """No force at exactly straight, bounded ones beside it, in any direction."""
    mesh = ThinMesh(np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.2]]), make_chain(3), EA=5.0, EI=2.0)
    angle = mesh.table.angle[0]
    x = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [np.hypot(1.0, 0.2), 0.0, 0.0]])
    for tilt in (0.0, 1e-12, BLUNT * angle):
        mesh.x = x.copy()
        mesh.x[2, 1] = tilt
        f = mesh.calc_forces()[2]
        assert np.isfinite(f).all()
        assert np.abs(f).max() <= 2.0 * 2.0 * angle  # k alpha_0 on two levers
        assert np.abs(f[:, 2]).max() == 0.0
        gradient, _ = calc_slopes(mesh, copy)
        assert np.abs(f.ravel() + gradient).max() < 1e-5
    mesh.x = x
    assert np.abs(mesh.calc_forces()[2]).max() < 1e-15


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale", [0.0, 1e-13, 1e-6, 0.3])
def test_damping_takes_energy_out(shape, scale):
    mesh, rng = make_mesh(shape, scale, time_axial=0.3, time_bending=0.2)
    v = rng.normal(size=(4, 3))
    _, power, f, _ = mesh.calc_forces(v)
    damped = f - mesh.calc_forces()[2]
    assert power > 0.0
    assert power == pytest.approx(-np.sum(damped * v), rel=1e-13)
    assert np.abs(damped.sum(axis=0)).max() < 1e-14
    assert np.abs(np.cross(mesh.x, damped).sum(axis=0)).max() < 1e-11
    C = mesh.add_up(mesh.calc_matrices()[1]).toarray()
    assert np.abs(C @ v.ravel() + damped.ravel()).max() < 1e-13


def test_damping_in_a_plane_goes_through_straight():
    """Motion in a plane: damping at exactly straight is the limit of that beside it, from both sides."""
    v = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.0, 2.0]])
    forces = []
    for tilt in (-1e-7, 0.0, 1e-7):
        mesh = ThinMesh(make_line(3, 2.0), make_chain(3), EA=0.0, EI=2.0, time_bending=0.1)
        mesh.x[2, 2] = tilt
        forces.append(mesh.calc_forces(v)[2] - mesh.calc_forces()[2])
    assert forces[0] == pytest.approx(forces[1], abs=1e-6)
    assert forces[2] == pytest.approx(forces[1], abs=1e-6)
    assert forces[1][2, 2] == pytest.approx(-1.0)  # k T_b d(alpha)/dt = 2 * 0.1 * (2 + 2 + 1) on a lever of 1


def test_pre_strain_pulls():
    mesh = ThinMesh(make_line(4, 3.0), make_chain(4), EA=5.0, EI=2.0, pre_strain=-0.1)
    energy, _, f, section = mesh.calc_forces()
    assert section[:, 0] == pytest.approx(0.5)
    assert f[:, 0] == pytest.approx([0.5, 0.0, 0.0, -0.5])
    assert energy == pytest.approx(0.5 * 5.0 * 0.1**2 * 3.0)  # of the whole edges: the ends have their missing halves


def test_masses_are_those_of_the_edges():
    mesh, _ = make_mesh("straight")
    assert calc_thin_masses(mesh.table, 2.0, 5) == pytest.approx([1.0, 2.2, 2.1, 0.9, 0.0])
    ring = np.stack([np.arange(6), (np.arange(6) + 1) % 6, (np.arange(6) + 2) % 6], axis=1)
    x = np.stack([np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3), np.zeros(6)], axis=1)
    closed = ThinMesh(x, ring, EA=1.0, EI=1.0)
    assert closed.table.weight == pytest.approx(1.0)
    assert calc_thin_masses(closed.table, 2.0, 6) == pytest.approx(2.0)


@pytest.mark.parametrize("height", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("bend", [0.0, 0.3])
def test_stable_step_is_within_ten_percent_of_the_true_one(height, bend):
    """Elements of length 1, EA = 1, EI = height^2/12: governed by stretching, or by bending."""
    n = 20
    turn = bend * np.arange(n)
    x = np.vstack([np.zeros(3), np.cumsum(np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1), axis=0)])
    mesh = ThinMesh(x, make_chain(n + 1), EA=1.0, EI=height**2 / 12.0)
    mass = np.repeat(calc_thin_masses(mesh.table, 1.0, n + 1), 3)
    true = np.sqrt(eigh(mesh.add_up(mesh.calc_matrices()[0]).toarray(), np.diag(mass), eigvals_only=True)[-1])
    bound = calc_thin_frequencies(mesh.table, 1.0).max()
    assert true * (1.0 - 1e-9) <= bound <= true / 0.9
    steps = calc_thin_steps(mesh.table, 1.0)
    assert steps.min() == pytest.approx(2.0 / bound)
    damped = mesh.table._replace(time_axial=np.full(n - 1, 2.0 / bound))  # zeta = 1
    assert calc_thin_steps(damped, 1.0).min() == pytest.approx(2.0 / bound * (np.sqrt(2.0) - 1.0))
