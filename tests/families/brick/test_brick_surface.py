"""Stress and strain at the corners of bricks: closed forms of bending and twist, and an independent reference."""

import numpy as np
import pytest
from brick_beams import hold_plane, tie_across
from statics import Statics, make_block, share_over_face
from test_brick_element import MATERIALS, SHAPES, make_brick, make_rotation

from grouser.families.brick.geometry import SIGNS
from grouser.families.brick.layout import STRESS_COLUMNS, WORK_SIZE
from grouser.families.brick.material import calc_small_strain, make_linear, make_neo_hookean
from grouser.families.brick.stress import calc_brick_stress

VON_MISES, STRAIN, SURFACE_VON_MISES, SURFACE_STRAIN = 6, 7, 8, 9
SMALL, NEAR = 1e-6, 2e-5
"""Largest displacement where small ones are meant, over the smallest side, and the share of the stress that large
displacements and rounding then leave."""


def calc_small_stress(mesh, move):
    """Stresses per unit of small displacements."""
    size = SMALL * np.ptp(mesh.start, axis=0).min() / np.abs(move).max()
    return mesh.calc_stress(mesh.start + size * move) / size


def calc_von_mises(stress):
    deviator = stress - np.trace(stress) / 3.0 * np.eye(3)
    return np.sqrt(1.5 * np.sum(deviator**2))


# even strain and rigid motion


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_surface_is_as_the_centre_where_strain_is_even(shape, material):
    """Stretched, sheared and turned far, bricks of any shape."""
    rng = np.random.default_rng(2)
    brick = make_brick(shape, MATERIALS[material])
    for _ in range(5):
        F = make_rotation(rng) @ (np.eye(3) + rng.uniform(-0.2, 0.2, (3, 3)))
        row = brick.calc_stress(brick.start @ F.T)[0]
        assert row[SURFACE_VON_MISES] == pytest.approx(row[VON_MISES], rel=1e-12)
        assert row[SURFACE_STRAIN] == pytest.approx(row[STRAIN], rel=1e-12)


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", SHAPES)
def test_rigid_rotation_has_no_stress(shape, material):
    brick = make_brick(shape, MATERIALS[material])
    row = brick.calc_stress(brick.start @ make_rotation(np.random.default_rng(0)).T)[0]
    assert np.abs(row[:10]).max() < 1e-13


@pytest.mark.parametrize("stretches", [(0.8, 1.1, 1.1), (1.2, 0.9, 0.9), (1.1, 1.1, 1.1), (1.1, 1.1, 0.8)])
def test_strains_that_are_the_same_in_several_directions(stretches):
    """The largest of three: to rounding by itself, to its root where it is the same in two directions."""
    F = make_rotation(np.random.default_rng(1)) @ np.diag(stretches)
    row = make_brick("odd", MATERIALS["linear"]).calc_stress(SHAPES["odd"] @ F.T)[0]
    assert row[[STRAIN, SURFACE_STRAIN]] == pytest.approx(0.5 * (max(stretches) ** 2 - 1.0), rel=1e-7)


def test_a_brick_inside_out_has_no_stress():
    brick = make_brick("cube", MATERIALS["linear"])
    out = np.full((1, STRESS_COLUMNS), np.nan)
    assert calc_brick_stress(brick.table, brick.start * [1.0, 1.0, -1.0], out, brick.work[:WORK_SIZE]) == 0
    assert out[0, :7] == pytest.approx(np.zeros(7))
    assert out[0, SURFACE_VON_MISES] == 0.0
    assert out[0, 10] == pytest.approx(-1.0)


# an independent reference: small displacements of bricks whose faces are parallelograms


def calc_strains_inside(start, move, material, places):
    """Strain and stress (places, 3, 3) of small displacements at `places` (n, 3) between -1 and 1, from the changes of
    the edges and of the face lines: what varies along a direction is plane stress across it, warping is uniaxial."""
    young, nu = calc_small_strain(material)
    G = young / (2.0 + 2.0 * nu)
    modes = {}
    for name in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)):
        modes[name] = np.prod(SIGNS[:, name], axis=1) @ move / 8.0
    half = SIGNS.T @ start / 8.0  # half edges
    gradient = np.stack([modes[(0,)], modes[(1,)], modes[(2,)]], axis=1) @ np.linalg.inv(half.T)
    mean = 0.5 * (gradient + gradient.T)
    strain = np.tile(mean, (len(places), 1, 1))
    stress = 2.0 * G * (strain + nu / (1.0 - 2.0 * nu) * np.trace(mean) * np.eye(3))
    rest = np.zeros_like(stress), np.zeros_like(stress)
    for across in range(3):
        a, b = (k for k in range(3) if k != across)
        basis = np.stack([half[a], half[b]])
        dual = np.linalg.pinv(basis).T  # in the plane
        normal = np.cross(*basis) / np.linalg.norm(np.cross(*basis))
        slope_a, slope_b = modes[tuple(sorted((a, across)))], modes[tuple(sorted((b, across)))]
        shear = 0.5 * (half[a] @ slope_b + half[b] @ slope_a)
        part = np.array([[half[a] @ slope_a, shear], [shear, half[b] @ slope_b]])
        e = dual.T @ part @ dual
        trace = nu / (1.0 - nu) * np.trace(e)
        varies = places[:, across, None, None]
        rest[0][:] += varies * (e - trace * np.outer(normal, normal))
        rest[1][:] += varies * 2.0 * G * (e + trace * (np.eye(3) - np.outer(normal, normal)))
        length = np.linalg.norm(half[across])
        along = half[across] / length
        warp = half[across] @ modes[(0, 1, 2)] / length**2 * np.outer(along, along)
        varies = (places[:, a] * places[:, b])[:, None, None]
        rest[0][:] += varies * ((1.0 + nu) * warp - nu * np.trace(warp) * np.eye(3))
        rest[1][:] += varies * young * warp
    return strain, stress, *rest


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("shape", ["cube", "plate", "skewed"])
def test_corners_against_edges(shape, material):
    """The worst corner of eight, and the energy: what the kernel stores is half of stress times strain, everywhere."""
    rng, material = np.random.default_rng(6), MATERIALS[material]
    brick = Statics(SHAPES[shape], [np.arange(8)], material)
    gauss = SIGNS / np.sqrt(3.0)
    for _ in range(10):
        move = rng.uniform(-1.0, 1.0, (8, 3))
        strain, stress, more_strain, more_stress = calc_strains_inside(brick.start, move, material, SIGNS)
        row = calc_small_stress(brick, move)[0]
        assert row[STRAIN] == pytest.approx(np.linalg.eigvalsh(strain[0])[-1], rel=NEAR)
        worst = max(calc_von_mises(total) for total in stress + more_stress)
        assert row[SURFACE_VON_MISES] == pytest.approx(worst, rel=NEAR)
        worst = max(np.linalg.eigvalsh(total)[-1] for total in strain + more_strain)
        assert row[SURFACE_STRAIN] == pytest.approx(worst, rel=NEAR)
        strain, stress, more_strain, more_stress = calc_strains_inside(brick.start, move, material, gauss)
        products = stress * strain + more_stress * more_strain
        energy = 0.5 * brick.geometry.volume[0] * products.sum(axis=(1, 2)).mean()
        stiffness = brick.calc_tangents(brick.start)[0][0]
        assert 0.5 * move.ravel() @ stiffness @ move.ravel() == pytest.approx(energy, rel=1e-10)


@pytest.mark.parametrize("name", ["Neo-Hookean", "Mooney-Rivlin"])
def test_rubber_that_is_stretched_and_bent(name):
    """On top of a large even stretch, a small bend has the moduli of small strains: S_r = E times its Green strain."""
    material, (stretch, narrowing), bend = MATERIALS[name], (1.5, 0.85), 1e-6
    young, nu = calc_small_strain(material)
    brick = Statics(SHAPES["cube"], [np.arange(8)], material)
    X, Y, Z = brick.start.T
    even = brick.start * [stretch, narrowing, narrowing]
    bent = even + np.stack([bend * X * Z, -nu * stretch / narrowing * bend * Y * Z, 0.0 * Z], axis=1)
    before, after = brick.calc_stress(even)[0], brick.calc_stress(bent)[0]
    more = stretch**2 * young * stretch * bend * 0.5 / (stretch * narrowing**2)
    assert after[SURFACE_VON_MISES] - before[SURFACE_VON_MISES] == pytest.approx(more, rel=1e-4)
    assert after[SURFACE_STRAIN] - before[SURFACE_STRAIN] == pytest.approx(0.5 * stretch * bend, rel=1e-4)


# beams and plates of one layer


def make_cantilever(count, poisson, height=0.05):
    unit, bricks = make_block(count, 1, 1)
    mesh = Statics(unit * [1.0, height, height], bricks, make_linear(1.0, poisson))
    tie_across(mesh, unit)
    return mesh, unit


@pytest.mark.parametrize("poisson", (0.0, 0.3, 0.49))
def test_pure_bending_is_exact(poisson):
    """An end moment, and a root that may contract: M h/(2 I), and nothing at the centre, in every brick."""
    height = 0.05
    mesh, unit = make_cantilever(6, poisson, height)
    load = np.zeros(unit.shape)
    load[:, 0] = -share_over_face(unit) * np.sign(unit[:, 2] - 0.5) * 2.0 / height
    stress = calc_small_stress(mesh, mesh.solve_linear(hold_plane(unit), load))
    expected = 6.0 / height**3
    assert stress[:, SURFACE_VON_MISES] == pytest.approx(expected, rel=NEAR)
    assert stress[:, SURFACE_STRAIN] == pytest.approx(expected, rel=NEAR)  # Young's modulus is 1
    assert np.abs(stress[:, VON_MISES]).max() < NEAR * expected


@pytest.mark.parametrize(("poisson", "accuracy"), [(0.0, 0.002), (0.3, 0.035)])
def test_a_cantilever_under_a_force_at_its_tip(poisson, accuracy):
    """M at the middle of bricks. Bricks have one curvature, and widths that follow it at their ends: with Poisson's
    ratio their worst corner shows a part of the moment's change over half a brick. The last two bricks have little
    moment, and mostly shear."""
    count, height = 10, 0.05
    mesh, unit = make_cantilever(count, poisson, height)
    load = np.zeros(unit.shape)
    load[:, 2] = share_over_face(unit)
    stress = calc_small_stress(mesh, mesh.solve_linear(hold_plane(unit), load))
    moment = 1.0 - (np.arange(count) + 0.5) / count
    assert stress[:-2, SURFACE_VON_MISES] == pytest.approx(6.0 / height**3 * moment[:-2], rel=accuracy)
    assert stress[:-2, SURFACE_VON_MISES].min() > 5.0 * stress[:-2, VON_MISES].max()


@pytest.mark.parametrize("across", (1, 3))
def test_a_strip_in_cylindrical_bending(across):
    """A plate that cannot contract across: 6 M/h^2 along, nu of it across, strain (1 - nu^2)/E of it."""
    nu, height, width = 0.3, 0.02, 0.3
    unit, bricks = make_block(5, across, 1)
    mesh = Statics(unit * [1.0, width, height], bricks, make_linear(1.0, nu))
    held = np.zeros(unit.shape, dtype=bool)
    held[:, 0] = unit[:, 0] == 0.0
    held[:, 1] = True
    held[(unit[:, 0] == 0.0) & (unit[:, 2] == 0.0), 2] = True
    load = np.zeros(unit.shape)
    load[:, 0] = -share_over_face(unit) * np.sign(unit[:, 2] - 0.5) * 2.0 / height
    stress = calc_small_stress(mesh, mesh.solve_linear(held, load))
    expected = 6.0 / (width * height**2)
    assert stress[:, SURFACE_VON_MISES] == pytest.approx(expected * np.sqrt(1.0 - nu + nu**2), rel=NEAR)
    assert stress[:, SURFACE_STRAIN] == pytest.approx(expected * (1.0 - nu**2), rel=NEAR)


@pytest.mark.parametrize("shape", ["plate", "skewed plate"])
def test_a_plate_that_is_twisted_evenly(shape):
    """Kirchhoff's w = c x y: the shear stress of the faces is G c h, that of the middle zero."""
    rate, height, shear = 1.0, 0.02, 1.0 / 2.6
    unit, bricks = make_block(3, 3, 1)
    start = (unit - 0.5) * [1.0, 0.8, height]
    if shape == "skewed plate":
        start[:, 0] += 0.4 * start[:, 1]
    x, y, z = start.T
    stress = calc_small_stress(
        Statics(start, bricks, make_linear(1.0, 0.3)), rate * np.stack([-z * y, -z * x, x * y], axis=1)
    )
    expected = shear * rate * height
    assert stress[:, SURFACE_VON_MISES] == pytest.approx(np.sqrt(3.0) * expected, rel=NEAR)
    assert stress[:, SURFACE_STRAIN] == pytest.approx(0.5 * expected / shear, rel=NEAR)
    assert np.abs(stress[:, VON_MISES]).max() < NEAR * expected


@pytest.mark.parametrize("across", (1, 4))
def test_a_strip_under_torque(across):
    """3 T/(b h^2) of a thin strip; each end carries the torque by forces at its edges. Shear turns around at the rim,
    within about the thickness: bricks that are wider do not see that."""
    width, height, length = 1.0, 0.05, 3.0
    unit, bricks = make_block(4 * across, across, 1)
    mesh = Statics(unit * [length, width, height], bricks, make_linear(1.0, 0.3))
    mesh.tie_section(share_over_face(unit, 0.0))
    share, y, z = share_over_face(unit), width * (unit[:, 1] - 0.5), height * (unit[:, 2] - 0.5)
    load = np.stack([0.0 * share, -share * z, share * y], axis=1)
    load /= np.sum(load[:, 2] * y - load[:, 1] * z)
    stress = calc_small_stress(mesh, mesh.solve_linear(np.zeros(unit.shape, dtype=bool), load))
    middle = np.abs(mesh.start[bricks, 0].mean(axis=1) - 0.5 * length) < 0.3 * length
    expected = 3.0 / (width * height**2)
    assert stress[middle, SURFACE_VON_MISES] / np.sqrt(3.0) == pytest.approx(expected, rel=0.02)
    assert stress[middle, VON_MISES].max() / np.sqrt(3.0) < 0.1 * expected


@pytest.mark.parametrize("material", [make_linear(1.0, 0.0), make_neo_hookean(0.5, 1.0 / 3.0)])
def test_rolled_up_to_a_circle(material):
    """Large rotations: E h/(2 R) but for chords of 5 degrees, and it makes no difference how a brick has turned."""
    count, height, radius = 72, 0.02, 0.5
    unit, bricks = make_block(count, 1, 1)
    mesh = Statics(unit * [2.0 * np.pi * radius, height, height], bricks, material)
    angle, distance = 2.0 * np.pi * unit[:, 0], radius - height * (unit[:, 2] - 0.5)
    # chords of the middle as long as bricks are
    distance *= np.pi / count / np.sin(np.pi / count)
    x = np.stack([distance * np.sin(angle), height * unit[:, 1], -distance * np.cos(angle)], axis=1)
    stress = mesh.calc_stress(x)
    assert stress[:, SURFACE_VON_MISES] == pytest.approx(0.5 * height / radius, rel=0.005)
    assert stress[:, SURFACE_VON_MISES] == pytest.approx(stress[0, SURFACE_VON_MISES], rel=1e-9)
