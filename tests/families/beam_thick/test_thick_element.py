"""One thick beam: no force in rigid motion, balance, gradient, tangent, damping, masses, stable step."""

from copy import copy

import numpy as np
import pytest
from beam_statics import ThickMesh, calc_slopes, make_line, make_pairs, make_rectangle
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from grouser.families.beam_thick.mass import calc_thick_lumps
from grouser.families.beam_thick.step import calc_thick_frequencies, calc_thick_steps

SECTION = np.array([5.0, 3.0, 2.0, 1.0, 1.5, 2.0])
TIMES = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
SLOPES = 1e-8
"""Central differences of forces of the order 1 with steps of 1e-5."""


def make_mesh(seed=0, scale=0.0, **options):
    """Two elements on three bodies that are not lined up, moved at random."""
    rng = np.random.default_rng(seed)
    node = np.array([[0.0, 0.1, 0.2], [0.9, 0.0, 0.3], [1.7, 0.5, 0.1]])
    frame = Rotation.from_rotvec([[0.1, -0.1, 0.2], [0.7, 0.3, 0.5]]).as_matrix()
    mesh = ThickMesh(node, make_pairs(3), frame, SECTION, **options)
    mesh.move(scale * rng.normal(size=18))
    return mesh, rng


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motion_gives_no_force(seed):
    mesh, rng = make_mesh(time=TIMES)
    turn = Rotation.random(random_state=seed).as_matrix()
    mesh.x, mesh.R = mesh.x @ turn.T + 3.0 * rng.normal(size=3), turn @ mesh.R
    w = rng.normal(size=3)
    v = np.cross(w, mesh.x) + rng.normal(size=3)
    energy, power, f, torque, section, strain = mesh.calc_forces(v, np.tile(w, (3, 1)))
    assert energy < 1e-28
    assert power < 1e-28
    for zero in (f, torque, section, strain):
        assert np.abs(zero).max() < 1e-13


def test_forces_turn_with_a_deformed_beam():
    mesh, rng = make_mesh(4, 0.4, time=TIMES)
    v, w = rng.normal(size=(2, 3, 3))
    before = mesh.calc_forces(v, w)
    turn = Rotation.random(random_state=5).as_matrix()
    mesh.x, mesh.R = mesh.x @ turn.T + 1.0, turn @ mesh.R
    after = mesh.calc_forces(v @ turn.T, w @ turn.T)
    for i in (0, 1, 4, 5):
        assert after[i] == pytest.approx(before[i], abs=1e-13, rel=1e-13)
    for i in (2, 3):
        assert after[i] == pytest.approx(before[i] @ turn.T, abs=1e-13)


@pytest.mark.parametrize("scale", [0.0, 1e-6, 0.03, 0.5])
def test_forces_balance_and_are_the_gradient_of_the_energy(scale):
    mesh, _ = make_mesh(1, scale, pre_strain=0.1)
    _, _, f, torque, _, _ = mesh.calc_forces()
    assert np.abs(f.sum(axis=0)).max() < 1e-14
    assert np.abs((torque + np.cross(mesh.x, f)).sum(axis=0)).max() < 1e-14
    gradient, slopes = calc_slopes(mesh, copy)
    assert np.abs(mesh.calc_generalised().ravel() + gradient).max() < SLOPES
    # the symmetric part is exact; the skew part belongs to torques that are not in balance
    K = mesh.add_up(mesh.calc_matrices()[0]).toarray()
    assert np.abs(K + 0.5 * (slopes + slopes.T)).max() < SLOPES * np.abs(K).max()
    if scale == 0.0:
        torques = mesh.calc_generalised()[:, 3:]
        skew = 0.5 * (slopes - slopes.T)
        for i, t in enumerate(torques):
            block = skew[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6]
            assert np.abs(np.abs(block[[2, 0, 1], [1, 2, 0]]) - 0.5 * np.abs(t)).max() < SLOPES


def test_tangent_without_stress_has_six_zeros_and_no_negative_eigenvalue():
    mesh, _ = make_mesh(2, 0.4)
    for K in mesh.calc_matrices(geometric=0.0)[0]:
        values = np.linalg.eigvalsh(K)
        assert np.abs(values[:6]).max() < 1e-13
        assert values[6] > 1e-3


@pytest.mark.parametrize("scale", [0.0, 0.4])
def test_damping_takes_energy_out(scale):
    mesh, rng = make_mesh(3, scale, time=TIMES)
    v, w = rng.normal(size=(2, 3, 3))
    _, power, f, torque, section, _ = mesh.calc_forces(v, w)
    _, none, f_0, torque_0, section_0, _ = mesh.calc_forces()
    assert none == 0.0
    assert power > 0.0
    assert power == pytest.approx(-np.sum((f - f_0) * v + (torque - torque_0) * w), rel=1e-13)
    # on velocities as the implicit steps have them
    u = np.hstack([v, np.einsum("nji,nj->ni", mesh.R, w)]).ravel()
    damped = (mesh.calc_generalised(v=v, w=w) - mesh.calc_generalised()).ravel()
    C = mesh.add_up(mesh.calc_matrices()[1]).toarray()
    assert np.abs(C @ u + damped).max() < 1e-13
    # the rates are those of the strains
    h, ahead, behind = 1e-6, copy(mesh), copy(mesh)
    ahead.move(h * u)
    behind.move(-h * u)
    rates = (ahead.calc_forces()[5] - behind.calc_forces()[5]) / (2.0 * h)
    assert np.abs(section - section_0 - SECTION * TIMES * rates).max() < 1e-8


def test_strains_have_their_names():
    """Extension, shears, twist and curvatures of the section, put on one after the other."""
    mesh = ThickMesh(make_line(2, 2.0), make_pairs(2), np.eye(3), SECTION)
    for i, small in enumerate(1e-3 * np.eye(6)):
        moved = copy(mesh)
        step = np.zeros((2, 6))
        step[1] = small
        step[1, :3] += 0.5 * np.cross(small[3:], [2.0, 0.0, 0.0])  # turns about the centre of the element
        moved.move(step)
        _, _, _, _, section, strain = moved.calc_forces()
        assert strain[0] == pytest.approx(0.5 * small, abs=1e-6)
        assert section[0, i] == pytest.approx(SECTION[i] * 0.5e-3, rel=1e-3)


def test_turns_up_to_half_a_circle():
    """Pure bending and pure torsion of one element by nearly half a circle."""
    for axis in np.eye(3):
        mesh = ThickMesh(make_line(2, 2.0), make_pairs(2), np.eye(3), SECTION)
        angle = 3.1
        mesh.move(np.concatenate([np.zeros(9), angle * axis]))
        strain = mesh.calc_forces()[5][0]
        assert strain[3:] == pytest.approx(0.5 * angle * axis, abs=1e-12)
        gradient, slopes = calc_slopes(mesh, copy)
        assert np.abs(mesh.calc_generalised().ravel() + gradient).max() < 1e-7
        K = mesh.calc_matrices()[0][0]
        assert np.abs(K + 0.5 * (slopes + slopes.T)).max() < 1e-6 * np.abs(K).max()


def test_lumps_have_the_mass_and_inertia_of_the_beam():
    """A straight beam of rods: mass, centre of mass, inertia about it, whatever the mesh."""
    n, L, m, rotary = 5, 2.0, 3.0, np.array([0.1, 0.3])
    node = make_line(n + 1, L)
    lumps = calc_thick_lumps(
        *make_pairs(n + 1).T,
        node=node,
        centre=0.5 * (node[1:] + node[:-1]),
        frame=np.tile(np.eye(3), (n, 1, 1)),
        length=np.full(n, L / n),
        mass_per_length=m,
        rotary=rotary,
    )
    assert lumps.mass.sum() == pytest.approx(m * L)
    assert lumps.x[0, 0] == pytest.approx(0.25 * L / n)
    assert lumps.x[1:-1] == pytest.approx(node[1:-1])
    assert (lumps.mass @ lumps.x) / lumps.mass.sum() == pytest.approx([0.5 * L, 0.0, 0.0])
    about = lumps.inertia.sum(axis=0) + np.diag([0.0, 1.0, 1.0]) * (lumps.mass @ (lumps.x[:, 0] - 0.5 * L) ** 2)
    slender = m * L**3 / 12.0
    assert about == pytest.approx(np.diag([0.4 * L, 0.1 * L + slender, 0.3 * L + slender]))


@pytest.mark.parametrize("length", [0.1, 0.5, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("width", [1.0, 5.0])
def test_stable_step_is_within_ten_percent_of_the_true_one(length, width):
    n, mass_per_length = 24, width
    mesh = ThickMesh(make_line(n + 1, n * length), make_pairs(n + 1), np.eye(3), make_rectangle(1.0, 0.3, width, 1.0))
    rotary = np.array([width, width**3]) / 12.0
    bound = calc_thick_frequencies(mesh.table, mass_per_length, rotary)
    M = mesh.calc_mass_matrix(mass_per_length, rotary)
    true = np.sqrt(eigh(mesh.add_up(mesh.calc_matrices()[0]).toarray(), M, eigvals_only=True)[-1])
    assert true * (1.0 - 1e-9) <= bound[0] <= true / 0.9
    step = 2.0 / bound[0]
    assert calc_thick_steps(mesh.table, mass_per_length, rotary)[0] == pytest.approx(step)
    damped = mesh.table._replace(time=np.full((n, 6), step))  # zeta = 1
    assert calc_thick_steps(damped, mass_per_length, rotary)[0] == pytest.approx(step * (np.sqrt(2.0) - 1.0))
