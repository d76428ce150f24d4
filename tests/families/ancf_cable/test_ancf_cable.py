"""Cables by gradient coordinates: energies, slopes, rigid motion, mass, flight, and refusal of what is no cable."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import CableMesh, calc_gradient, calc_momenta, make_arc, make_line, move_rigidly, take_axis
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from grouser.families.ancf_cable.kernel import FLAT, calc_ancf_cable_forces
from grouser.families.ancf_cable.mass import calc_cable_load, calc_cable_mass
from grouser.families.ancf_cable.step import calc_cable_frequencies
from grouser.families.ancf_cable.table import make_ancf_cables

STIFF = {"axial": 30.0, "bending": 0.2, "axial_delay": 0.1, "bending_delay": 0.2}
UNDAMPED = {"axial": 30.0, "bending": 0.2}
MASS, SIZE = 0.7, 0.5


@pytest.fixture(params=["straight", "curved"])
def mesh(request):
    """Two damped elements."""
    if request.param == "straight":
        x, pairs = make_line(3, 2 * SIZE)
        return CableMesh(take_axis(x), pairs, SIZE, **STIFF)
    x, pairs, length = make_arc(3, SIZE, 2.0)
    return CableMesh(take_axis(x), pairs, length, **STIFF)


def disturb(mesh, seed=0):
    """Deformed in space, and moving."""
    rng = np.random.default_rng(seed)
    return mesh.x + 0.1 * rng.normal(size=mesh.x.shape), rng.normal(size=mesh.x.shape)


def test_reference_and_rigid_motion_have_no_force(mesh):
    rotation, spin = Rotation.from_rotvec([2.0, -1.0, 0.7]), np.array([0.3, -0.8, 0.5])
    x = move_rigidly(mesh.x, 2, rotation, [3.0, -2.0, 5.0])
    v = np.cross(spin, x)
    v[::2] += [1.0, 2.0, -1.0]
    assert np.abs(mesh.calc_forces(x, v)).max() < 1e-12
    assert np.abs(mesh.sums).max() < 1e-12


def test_force_is_minus_gradient_of_energy(mesh):
    x, _ = disturb(mesh)
    force = mesh.calc_forces(x).ravel()
    assert -calc_gradient(mesh.calc_energy, x) == pytest.approx(force, rel=1e-6, abs=1e-7 * np.abs(force).max())


def test_slopes_are_those_of_differences(mesh):
    x, v = disturb(mesh)
    for matrices, move, start in zip(
        mesh.calc_tangents(x, v),
        (lambda y: mesh.calc_forces(y, v).ravel(), lambda w: mesh.calc_forces(x, w).ravel()),
        (x, v),
        strict=True,
    ):
        exact = mesh.add_up(matrices).toarray()
        assert -calc_gradient(move, start) == pytest.approx(exact, rel=1e-6, abs=1e-7 * np.abs(exact).max())


def test_slopes_of_the_straight_shape():
    """Where there is no curvature: stiffness of bending in both planes, and no division by zero."""
    x, pairs = make_line(2, SIZE)
    mesh = CableMesh(take_axis(x), pairs, SIZE, **STIFF)
    stiffness = mesh.calc_tangents()[0][0]
    difference = -calc_gradient(lambda y: mesh.calc_forces(y).ravel(), mesh.x)
    assert difference == pytest.approx(stiffness, rel=1e-6, abs=1e-7 * np.abs(stiffness).max())
    assert (np.linalg.eigvalsh(stiffness) > 1e-9).sum() == 7  # 12 less three shifts and two turns


def test_power_is_that_of_viscous_forces(mesh):
    x, v = disturb(mesh)
    viscous = mesh.calc_forces(x, v) - mesh.calc_forces(x)
    mesh.calc_forces(x, v)
    assert mesh.sums[1] == pytest.approx(-np.vdot(viscous, v), rel=1e-12)
    assert mesh.sums[1] > 0.0


def test_damping_of_bending_fades_where_there_is_hardly_any():
    """Its power is E I T (dk/dt)^2 l at ten times the angle FLAT, and a hundredth of that at a tenth of it."""
    x, pairs = make_line(2, SIZE)
    mesh = CableMesh(take_axis(x), pairs, SIZE, axial=30.0, bending=0.2, bending_delay=0.2)
    v = np.zeros_like(mesh.x)
    v[1, 2], v[3, 2] = -0.5, 0.5
    exact = 0.2 * 0.2 * (1.0 / SIZE) ** 2 * SIZE
    for angle, share in ((10.0 * FLAT, 1.0), (0.1 * FLAT, 0.01)):
        bent = mesh.x.copy()
        bent[1, 2], bent[3, 2] = -0.5 * angle, 0.5 * angle
        mesh.calc_forces(bent, v)
        assert mesh.sums[1] == pytest.approx(share * exact, rel=0.02)


def test_mass_is_that_of_a_rod():
    x, pairs = make_line(4, 3 * SIZE)
    mesh = CableMesh(take_axis(x), pairs, SIZE, **UNDAMPED)
    M = mesh.calc_mass(MASS)
    spin, total = np.array([1.0, 2.0, -0.5]), 3 * SIZE * MASS
    linear, angular = calc_momenta(M, mesh.x, np.cross(spin, mesh.x), 2)
    assert linear == pytest.approx(total * np.cross(spin, [1.5 * SIZE, 0.0, 0.0]))
    assert angular == pytest.approx(total * (3 * SIZE) ** 2 / 3.0 * np.array([0.0, 2.0, -0.5]))
    load = np.zeros(len(mesh.x))
    for rows, share in zip(mesh.rows, calc_cable_load(mesh.x[mesh.rows], SIZE), strict=True):
        load[rows] += MASS * share
    uniform = np.zeros(len(load))
    uniform[::2] = 1.0
    assert load == pytest.approx(M @ uniform, abs=1e-15)


def test_free_flight_keeps_energy_and_momenta():
    x, pairs = make_line(5, 2.0)
    mesh = CableMesh(take_axis(x), pairs, 0.5, **UNDAMPED)
    M = mesh.calc_mass(MASS)
    inverse = np.linalg.inv(M.toarray())
    x, v, h = mesh.x, np.cross([3.0, 2.0, 4.0], mesh.x), 1e-3
    v[::2] += np.outer(np.sin(1.5 * mesh.x[::2, 0]), [0.0, 1.0, 0.7])

    def sum_up(x, v):
        linear, angular = calc_momenta(M, x, v, 2)
        return np.array([0.5 * np.vdot(v, M @ v) + mesh.calc_energy(x), *linear, *angular])

    start, largest = sum_up(x, v), 0.0
    for _ in range(2000):
        k = []
        for share in (0.0, 0.5, 0.5, 1.0):
            y, w = (x + share * h * k[-1][0], v + share * h * k[-1][1]) if k else (x, v)
            k.append((w, inverse @ mesh.calc_forces(y)))
            largest = max(largest, mesh.sums[0])
        x = x + h / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0])
        v = v + h / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1])
    end = sum_up(x, v)
    assert largest > 0.02 * start[0]
    assert end[0] == pytest.approx(start[0], rel=1e-5)
    assert end[1:] == pytest.approx(start[1:], rel=1e-7, abs=1e-8)


def test_elements_bound_the_frequency_of_a_mesh():
    """From above, by a half in a chain: its elements share r_x, and cannot all swing as one alone would."""
    x, pairs = make_line(6, 5 * SIZE)
    mesh = CableMesh(take_axis(x), pairs, SIZE, **UNDAMPED)
    alone = calc_cable_frequencies(mesh.table, mesh.x, calc_cable_mass(mesh.x[mesh.rows], SIZE, MASS))
    K, M = mesh.add_up(mesh.calc_tangents()[0]).toarray(), np.kron(mesh.calc_mass(MASS).toarray(), np.eye(3))
    together = np.sqrt(eigh(K, M, eigvals_only=True)[-1])
    assert 0.6 * alone.max() < together <= alone.max() * (1.0 + 1e-9)


def test_an_axis_without_direction_is_a_status():
    x, pairs = make_line(3, 2 * SIZE)
    mesh = CableMesh(take_axis(x), pairs, SIZE, **UNDAMPED)
    x = mesh.x.copy()
    x[2:] = 0.0
    x[2:, 1] = 1.0
    x[3::2] = 0.0
    assert calc_ancf_cable_forces(mesh.table, x, 0.0 * x, np.zeros_like(x), mesh.sums, mesh.values) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"length": 0.0}, r"element 0 has the length 0 m: it must be positive"),
        ({"axial": -1.0}, r"element 0 has the axial stiffness -1 N: it must be positive"),
        ({"bending": np.nan}, r"element 0 has the bending stiffness nan N m\^2"),
        ({"bending_delay": -0.1}, r"delay of bending -0.1 s: it must not be negative"),
        ({"x": np.zeros((4, 3))}, r"element 0 has the stretch 0 in its reference"),
    ],
)
def test_what_is_no_cable_is_refused(change, said):
    options = {"x": take_axis(make_line(2, SIZE)[0]), "length": SIZE, **UNDAMPED} | change
    with pytest.raises(ValueError, match=said):
        make_ancf_cables([[0, 2]], options.pop("x"), options.pop("length"), **options)


def test_mass_must_be_positive():
    with pytest.raises(ValueError, match=r"element 0 has the mass per length 0 kg/m: it must be positive"):
        calc_cable_mass(take_axis(make_line(2, SIZE)[0])[None], SIZE, 0.0)
