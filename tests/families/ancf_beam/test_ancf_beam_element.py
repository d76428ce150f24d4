"""One beam by gradient coordinates: energies, slopes, rigid motion, and refusal of what is no beam."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import BeamMesh, calc_gradient, make_arc, make_line, make_rectangle, move_rigidly
from scipy.spatial.transform import Rotation

from grouser.families.ancf_beam.kernel import calc_ancf_beam_forces
from grouser.families.ancf_beam.table import make_ancf_beams
from grouser.families.brick.material import make_linear, make_mooney_rivlin, make_neo_hookean

DAMPING = {"dilatational": 0.1, "deviatoric": 0.2}
MATERIALS = {
    "linear": make_linear(2.0, 0.3, **DAMPING),
    "linear by volume": make_linear(2.0, 0.3, by_volume=True, **DAMPING),
    "Neo-Hookean": make_neo_hookean(1.0, 5.0, **DAMPING),
    "Mooney-Rivlin": make_mooney_rivlin(0.3, 0.2, 5.0, **DAMPING),
}
SECTION = make_rectangle(0.2, 0.3)
SIZE = 0.5
"""Length of an element."""


@pytest.fixture(params=MATERIALS)
def material(request):
    return MATERIALS[request.param]


@pytest.fixture(params=["line", "volume"])
def integration(request):
    return request.param


def make_curved(material, integration, angle=0.8):
    """Two elements on an arc."""
    x, pairs, length = make_arc(3, 2 * SIZE / angle, angle)
    return BeamMesh(x, pairs, length, SECTION, material, integration=integration)


def disturb(mesh, seed=0):
    """Deformed, and moving."""
    rng = np.random.default_rng(seed)
    return mesh.x + 0.05 * rng.normal(size=mesh.x.shape), rng.normal(size=mesh.x.shape)


def test_reference_and_rigid_motion_have_no_force(material, integration):
    mesh = make_curved(material, integration)
    rotation, spin = Rotation.from_rotvec([2.0, -1.0, 0.7]), np.array([0.3, -0.8, 0.5])
    x = move_rigidly(mesh.x, 4, rotation, [3.0, -2.0, 5.0])
    v = np.cross(spin, x)
    v[::4] += [1.0, 2.0, -1.0]
    assert np.abs(mesh.calc_forces(x, v)).max() < 1e-14
    assert np.abs(mesh.sums).max() < 1e-15


def test_force_is_minus_gradient_of_energy(material, integration):
    mesh = make_curved(material, integration)
    x, _ = disturb(mesh)
    force = mesh.calc_forces(x).ravel()
    assert -calc_gradient(mesh.calc_energy, x) == pytest.approx(force, rel=1e-6, abs=1e-8 * np.abs(force).max())
    assert mesh.sums[0] > 0.0


def test_slopes_are_those_of_differences(material, integration):
    mesh = make_curved(material, integration)
    x, v = disturb(mesh)
    for matrices, move, start in zip(
        mesh.calc_tangents(x, v),
        (lambda y: mesh.calc_forces(y, v).ravel(), lambda w: mesh.calc_forces(x, w).ravel()),
        (x, v),
        strict=True,
    ):
        exact = mesh.add_up(matrices).toarray()
        assert -calc_gradient(move, start) == pytest.approx(exact, rel=1e-6, abs=1e-8 * np.abs(exact).max())


def test_power_is_that_of_viscous_forces(material, integration):
    mesh = make_curved(material, integration)
    x, v = disturb(mesh)
    viscous = mesh.calc_forces(x, v) - mesh.calc_forces(x)
    mesh.calc_forces(x, v)
    assert mesh.sums[1] == pytest.approx(-np.vdot(viscous, v), rel=1e-12)
    assert mesh.sums[1] > 0.0


def test_forces_turn_with_the_motion(material, integration):
    mesh = make_curved(material, integration)
    x, v = disturb(mesh)
    rotation = Rotation.from_rotvec([0.4, 1.3, -2.0])
    turned = mesh.calc_forces(move_rigidly(x, 4, rotation, [1.0, 2.0, 3.0]), rotation.apply(v))
    assert turned == pytest.approx(rotation.apply(mesh.calc_forces(x, v)), abs=1e-12)


def test_forces_are_in_balance(material, integration):
    """Their sum, and their moment with that of forces on gradients."""
    mesh = make_curved(material, integration)
    x, v = disturb(mesh)
    force = mesh.calc_forces(x, v)
    assert np.abs(force[::4].sum(axis=0)).max() < 1e-13
    assert np.abs(np.cross(x, force).sum(axis=0)).max() < 1e-13


def test_all_ways_to_deform_cost_energy(material, integration):
    """Rank 18 of one element, and of a chain all but the six rigid motions: no spurious mode."""
    for count in (2, 4):
        x, pairs = make_line(count, SIZE * (count - 1))
        mesh = BeamMesh(x, pairs, SIZE, SECTION, material, integration=integration)
        values = np.linalg.eigvalsh(mesh.add_up(mesh.calc_tangents()[0]).toarray())
        assert np.abs(values[:6]).max() < 1e-12 * values[-1]
        assert values[6] > 1e-6 * values[-1]


def test_powers_far_from_the_reference_volume():
    """Beyond the range of the quick root: energy and forces belong to each other on both sides of its end."""
    x, pairs = make_line(2, SIZE)
    mesh = BeamMesh(x, pairs, SIZE, SECTION, MATERIALS["Neo-Hookean"], integration="volume")
    for factor in (0.5, 1.55, 1.62, 2.5):
        stretched = factor * x
        force = mesh.calc_forces(stretched).ravel()
        assert -calc_gradient(mesh.calc_energy, stretched) == pytest.approx(force, rel=1e-6, abs=1e-6)


def test_other_scale_of_the_coordinate_is_the_same_beam(material, integration):
    """Twice the length of x with half of r_x: the same forces on places."""
    x, pairs = make_line(3, 2 * SIZE)
    fine = BeamMesh(x, pairs, SIZE, SECTION, material, integration=integration)
    scale = np.ones((len(x), 1))
    scale[1::4] = 0.5
    wide = BeamMesh(x * scale, pairs, 2 * SIZE, SECTION, material, integration=integration)
    moved, v = disturb(fine)
    force, other = fine.calc_forces(moved, v), wide.calc_forces(moved * scale, v * scale)
    assert other * scale == pytest.approx(force, abs=1e-12)


def test_inside_out_is_a_status(integration):
    x, pairs = make_line(3, 2 * SIZE)
    mesh = BeamMesh(x, pairs, SIZE, SECTION, MATERIALS["linear"], integration=integration)
    x[10] *= -1.0  # r_y of the last node
    f = np.zeros_like(x)
    assert calc_ancf_beam_forces(mesh.table, x, 0.0 * x, f, mesh.sums, mesh.work) == 1
    assert np.abs(f).max() < 1e-15


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"length": 0.0}, r"element 0 has the length 0 m"),
        ({"length": np.nan}, r"element 0 has the length nan m"),
        ({"row": 2, "value": (0.0, 2.0, 0.0)}, r"element 0 has r_y and r_z at its first node with the lengths 2 and 1"),
        ({"row": 7, "value": (0.0, 0.6, 0.8)}, r"its second node .* the product 0.6"),
        ({"row": 1, "value": (-1.0, 0.0, 0.0)}, r"element 0 is inside out"),
        ({"row": 4, "value": (-SIZE, 0.0, 0.0)}, r"element 0 is inside out"),
        ({"row": 4, "value": (np.inf, 0.0, 0.0)}, r"element 0 has coordinates that are not finite"),
        ({"section": SECTION._replace(j=0.0)}, r"j of the section is 0"),
        ({"integration": "surface"}, r"integration is 'surface': take 'line' or 'volume'"),
    ],
)
def test_what_is_no_beam_is_refused(change, said):
    x, _ = make_line(2, SIZE)
    if "row" in change:
        x[change["row"]] = change["value"]
    options = {"length": SIZE, "section": SECTION, "integration": "line"} | change
    with pytest.raises(ValueError, match=said):
        make_ancf_beams(
            [[0, 4]],
            x,
            options["length"],
            options["section"],
            [MATERIALS["linear"]],
            integration=options["integration"],
        )
