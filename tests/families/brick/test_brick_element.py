"""One brick by itself: identities that hold to rounding, and slopes against differences."""

import numpy as np
import pytest
from statics import Statics, make_block

from grouser.families.brick.geometry import SIGNS, calc_geometry, calc_quality
from grouser.families.brick.kernel import calc_brick_forces
from grouser.families.brick.layout import LANES, WORK_SIZE
from grouser.families.brick.material import make_linear, make_mooney_rivlin, make_neo_hookean

NEAR = 1e-6
"""Relative error of central differences with the steps used here."""
DAMPING = {"dilatational": 0.02, "deviatoric": 0.05}
MATERIALS = {
    "linear": make_linear(2.0, 0.3, **DAMPING),
    "linear by volume": make_linear(2.0, 0.45, by_volume=True, **DAMPING),
    "Neo-Hookean": make_neo_hookean(0.8, 5.0, **DAMPING),
    "Mooney-Rivlin": make_mooney_rivlin(0.3, 0.2, 4.0, **DAMPING),
}
SHAPES = {
    "cube": 0.5 * SIGNS,
    "plate": SIGNS * [1.0, 0.7, 0.1],
    "skewed": 0.5 * SIGNS @ np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.2, 0.3, 0.8]]),
    "odd": 0.5 * SIGNS + np.random.default_rng(1).uniform(-0.12, 0.12, (8, 3)),
}


def make_brick(shape, material, initial_strain=None):
    return Statics(SHAPES[shape], [np.arange(8)], material, initial_strain=initial_strain)


def make_state(brick, size=0.08, seed=3):
    """Deformed, turned and moving."""
    rng = np.random.default_rng(seed)
    scale = np.abs(brick.start).min()
    turned = (brick.start + size * scale * rng.uniform(-1, 1, (8, 3))) @ make_rotation(rng).T
    return turned, rng.uniform(-1.0, 1.0, (8, 3))


def make_rotation(rng):
    Q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def make_strain(seed=5):
    A = np.random.default_rng(seed).uniform(-0.02, 0.02, (1, 3, 3))
    return A + A.transpose(0, 2, 1)


def differentiate(function, x, step=1e-5):
    columns = []
    for i in range(24):
        move = np.zeros(24)
        move[i] = step
        move = move.reshape(8, 3)
        columns.append((function(x + move) - function(x - move)) / (2.0 * step))
    return np.stack([np.ravel(c) for c in columns], axis=-1)


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_rigid_motion_gives_no_force(shape, material):
    """Turned by any angle and moved far: what is left is the rounding of positions."""
    rng = np.random.default_rng(0)
    brick = make_brick(shape, MATERIALS[material])
    Q = make_rotation(rng)
    spin = np.cross(rng.standard_normal(3), brick.start @ Q.T)
    forces = brick.calc_forces(brick.start @ Q.T + [3.0, -2.0, 1.0], spin + np.array([1.0, 2.0, 3.0]))
    stiffness = np.abs(brick.calc_tangents(brick.start)[0]).max()
    assert np.abs(forces).max() < 1e-14 * stiffness
    assert abs(brick.sums[0]) < 1e-14 * stiffness  # energies of rubber are small differences
    assert abs(brick.sums[1]) < 1e-14 * stiffness


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_forces_are_minus_the_gradient_of_the_energy(shape, material):
    brick = make_brick(shape, MATERIALS[material], make_strain())
    x, _ = make_state(brick)

    def calc_energy(y):
        brick.calc_forces(y)
        return brick.sums[0]

    forces = brick.calc_forces(x).ravel()
    assert forces == pytest.approx(-differentiate(calc_energy, x).ravel(), abs=NEAR * np.abs(forces).max())


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_tangents_are_slopes(shape, material):
    brick = make_brick(shape, MATERIALS[material], make_strain())
    x, v = make_state(brick)
    stiffness, damping = (matrix[0] for matrix in brick.calc_tangents(x, v))
    slopes = -differentiate(lambda y: brick.calc_forces(y, v), x)
    assert stiffness == pytest.approx(slopes, abs=NEAR * np.abs(slopes).max())
    slopes = -differentiate(lambda u: brick.calc_forces(x, u), v)
    assert damping == pytest.approx(slopes, abs=NEAR * np.abs(slopes).max())
    assert damping == pytest.approx(damping.T, abs=1e-12 * np.abs(damping).max())
    still = brick.calc_tangents(x)[0][0]
    assert still == pytest.approx(still.T, abs=1e-12 * np.abs(still).max())


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_six_motions_without_stiffness_and_eighteen_with(shape, material):
    brick = make_brick(shape, MATERIALS[material])
    values = np.linalg.eigvalsh(brick.calc_tangents(brick.start)[0][0])
    assert np.abs(values[:6]).max() < 1e-13 * values[-1]
    assert values[6] > 1e-5 * values[-1]  # the plate bends easily


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_net_force_and_no_net_moment(shape, material):
    brick = make_brick(shape, MATERIALS[material], make_strain())
    x, v = make_state(brick)
    forces = brick.calc_forces(x, v)
    assert np.abs(forces.sum(axis=0)).max() < 1e-13 * np.abs(forces).max()
    assert np.abs(np.cross(x, forces).sum(axis=0)).max() < 1e-13 * np.abs(forces).max()


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_power_is_what_damping_takes(shape, material):
    brick = make_brick(shape, MATERIALS[material])
    x, _ = make_state(brick)
    still = brick.calc_forces(x)
    for seed in range(20):
        v = np.random.default_rng(seed).uniform(-1.0, 1.0, (8, 3))
        damping = brick.calc_forces(x, v) - still
        assert brick.sums[1] == pytest.approx(-np.sum(damping * v), rel=1e-9)
        assert brick.sums[1] > 0.0


def test_equal_factors_damp_in_proportion_to_stiffness():
    """The linear law: damping matrix = factor x stiffness matrix, without load."""
    brick = make_brick("odd", make_linear(2.0, 0.3, dilatational=0.03, deviatoric=0.03))
    stiffness, damping = brick.calc_tangents(brick.start)
    assert damping == pytest.approx(0.03 * stiffness, abs=1e-14 * np.abs(stiffness).max())


@pytest.mark.parametrize("material", MATERIALS)
def test_free_expansion_by_heat_has_no_stress(material):
    strain = 0.03
    brick = make_brick("odd", MATERIALS[material], np.array([strain]))
    x = brick.start * np.sqrt(1.0 + 2.0 * strain)
    stiffness = np.abs(brick.calc_tangents(brick.start)[0]).max()
    assert np.abs(brick.calc_forces(x)).max() < 1e-14 * stiffness
    assert np.abs(brick.calc_forces(brick.start)).max() > 1e-3 * stiffness


@pytest.mark.parametrize("material", MATERIALS)
def test_stress_is_that_of_a_uniform_strain(material):
    """Cauchy stress against the energy of the whole brick: sigma = 1/V dW/dF F^T by differences of F."""
    brick = make_brick("odd", MATERIALS[material])
    rng = np.random.default_rng(2)
    F = make_rotation(rng) @ (np.eye(3) + rng.uniform(-0.1, 0.1, (3, 3)))
    volume = brick.geometry.volume[0] * np.linalg.det(F)

    def calc_energy(A):
        brick.calc_forces(brick.start @ A.T)
        return brick.sums[0]

    first = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            step = np.zeros((3, 3))
            step[i, j] = 1e-5
            first[i, j] = (calc_energy(F + step) - calc_energy(F - step)) / 2e-5
    sigma = first @ F.T / volume
    row = brick.calc_stress(brick.start @ F.T)[0]
    found = row[[0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(3, 3)
    assert found == pytest.approx(sigma, abs=NEAR * np.abs(sigma).max())
    deviator = sigma - np.trace(sigma) / 3.0 * np.eye(3)
    assert row[6] == pytest.approx(np.sqrt(1.5 * np.sum(deviator**2)), rel=NEAR)
    assert row[7] == pytest.approx(np.linalg.eigvalsh(0.5 * (F.T @ F - np.eye(3)))[-1], rel=1e-12)
    assert row[10] == pytest.approx(np.linalg.det(F), rel=1e-12)


def test_batches_of_several_materials_add_up():
    """Bricks in any order of materials, in batches that are not full, are the sum of single bricks."""
    rng = np.random.default_rng(8)
    unit, bricks = make_block(3, 3, 3)
    positions = unit + rng.uniform(-0.05, 0.05, unit.shape)
    rows = list(MATERIALS.values())
    kinds = rng.integers(0, len(rows), len(bricks))
    strain = rng.uniform(-0.01, 0.01, len(bricks))
    mesh = Statics(positions, bricks, rows, kinds, strain)
    assert len(mesh.table.kind) * LANES > len(bricks)
    x, v = positions + rng.uniform(-0.02, 0.02, unit.shape), rng.uniform(-1.0, 1.0, unit.shape)
    forces, sums = np.zeros_like(x), np.zeros(2)
    stress, tangents = mesh.calc_stress(x), mesh.calc_tangents(x, v)
    for i, nodes in enumerate(bricks):
        one = Statics(positions[nodes], [np.arange(8)], rows[kinds[i]], initial_strain=strain[i : i + 1])
        forces[nodes] += one.calc_forces(x[nodes], v[nodes])
        sums += one.sums
        assert one.calc_stress(x[nodes])[0] == pytest.approx(stress[i], rel=1e-12)
        assert one.calc_tangents(x[nodes], v[nodes])[0][0] == pytest.approx(tangents[0][i], rel=1e-12, abs=1e-13)
    assert mesh.calc_forces(x, v) == pytest.approx(forces, abs=1e-14)
    assert mesh.sums == pytest.approx(sums, rel=1e-12)


def test_a_rubber_brick_that_is_inside_out_is_named():
    bricks = np.arange(12 * 8).reshape(12, 8)
    mesh = Statics(np.tile(SHAPES["odd"], (12, 1)), bricks, MATERIALS["Neo-Hookean"])
    x = mesh.start.copy()
    x[bricks[10]] *= [1.0, 1.0, -1.0]
    forces = np.zeros_like(x)
    status = calc_brick_forces(mesh.table, x, np.zeros_like(x), forces, np.zeros(2), np.zeros(WORK_SIZE))
    assert status == 10


def test_masses_are_those_of_the_shape_functions():
    geometry = calc_geometry(SHAPES["odd"][None])
    assert geometry.node_volume.sum() == pytest.approx(geometry.volume[0], rel=1e-14)
    # exact by 4 x 4 x 4 points too
    points, weights = np.polynomial.legendre.leggauss(4)
    total = np.zeros(8)
    for a, wa in zip(points, weights, strict=True):
        for b, wb in zip(points, weights, strict=True):
            for c, wc in zip(points, weights, strict=True):
                along = 1.0 + SIGNS * [a, b, c]
                slopes = np.stack([SIGNS[:, k] * np.prod(np.delete(along, k, 1), axis=1) / 8.0 for k in range(3)], 1)
                total += wa * wb * wc * np.linalg.det(SHAPES["odd"].T @ slopes) * along.prod(axis=1) / 8.0
    assert geometry.node_volume[0] == pytest.approx(total, rel=1e-13)


def test_mean_gradients_see_any_linear_motion():
    geometry = calc_geometry(SHAPES["odd"][None])
    assert SHAPES["odd"].T @ geometry.gradient[0] == pytest.approx(np.eye(3), abs=1e-14)
    assert geometry.gradient[0].sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-14)


def test_quality_tells_flat_and_inverted_bricks():
    flat, inverted, pressed = 0.5 * SIGNS * [1.0, 1.0, 0.0], 0.5 * SIGNS * [1.0, 1.0, -1.0], 0.5 * SIGNS.copy()
    pressed[6] = [-0.3, -0.3, -0.3]  # one corner pushed through the brick
    quality = calc_quality(np.stack([flat, inverted, pressed, SHAPES["cube"], SHAPES["plate"]]))
    assert quality.smallest_jacobian[0] == 0.0 and quality.aspect[0] == np.inf
    assert quality.smallest_jacobian[1] == pytest.approx(-1.0)
    assert quality.smallest_jacobian[2] < 0.0
    assert quality.smallest_jacobian[3:] == pytest.approx([1.0, 1.0])
    assert quality.aspect[3:] == pytest.approx([1.0, 10.0])
