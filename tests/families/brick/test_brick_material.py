"""Materials of bricks: impossible constants, and blocks that are stretched to twice their length."""

import numpy as np
import pytest
from standard_bricks import IncompatibleMesh, StandardMesh
from statics import Statics, make_block

from grouser.families.brick.geometry import calc_geometry
from grouser.families.brick.layout import BULK, SHEAR
from grouser.families.brick.material import calc_small_strain, make_linear, make_mooney_rivlin, make_neo_hookean

STRETCH = 2.0


def calc_linear_by_volume(s):
    """Force on the undeformed unit area without change of volume: W = 2/3 G (E_1 - E_2)^2."""
    shear = 1.0 / (2.0 + 2.0 * 0.4999)
    return 4.0 / 3.0 * shear * (0.5 * (s * s - 1.0) - 0.5 * (1.0 / s - 1.0)) * (s + 0.5 / s**2)


BLOCKS = {
    "linear by volume": (make_linear(1.0, 0.4999, by_volume=True), 1.0, calc_linear_by_volume),
    "Neo-Hookean": (make_neo_hookean(1.0, 1e4), 1.0, lambda s: s - s**-2),
    "Mooney-Rivlin": (make_mooney_rivlin(0.3, 0.2, 1e4), 1.0, lambda s: 2.0 * (s - s**-2) * (0.3 + 0.2 / s)),
    # the trace of the strain is not the volume: a linear material becomes thinner by sqrt(1 - nu (s^2 - 1))
    "linear": (make_linear(1.0, 0.25), 0.25, lambda s: 0.5 * s * (s * s - 1.0)),
}
"""Material, share of the volume that is left of twice the length times the area without contraction, force."""


@pytest.mark.parametrize("name", BLOCKS)
def test_block_stretched_to_twice_its_length(name):
    """2 x 2 x 2 odd bricks that may contract: volume within 0.1 %, force within 1 % of the closed form."""
    material, share, calc_force = BLOCKS[name]
    unit, bricks = make_block(2, 2, 2)
    inside = np.all(unit == 0.5, axis=1)
    positions = unit + np.where(inside[:, None], [0.1, -0.08, 0.06], 0.0)
    mesh = Statics(positions, bricks, material)
    held = unit == 0.0
    held[:, 0] |= unit[:, 0] == 1.0
    target = positions.copy()
    target[unit[:, 0] == 1.0, 0] = STRETCH
    x = mesh.solve(held, target=target, steps=10)
    volume = calc_geometry(x[bricks]).volume.sum()
    expected = 1.0 if name != "linear" else STRETCH * share
    assert volume == pytest.approx(expected, rel=1e-3)
    force = -mesh.calc_forces(x)[unit[:, 0] == 1.0, 0].sum()
    assert force == pytest.approx(calc_force(STRETCH), rel=1e-2)
    assert mesh.calc_stress(x)[:, 10] == pytest.approx(expected, rel=1e-3)


def calc_bonded_stiffness(kind, count):
    """Force for a unit stretch of a cube at Poisson's ratio 0.4999 whose ends cannot contract."""
    unit, bricks = make_block(count, count, count)
    mesh = kind(unit, bricks, make_linear(1.0, 0.4999))
    move = np.zeros(unit.shape)
    move[unit[:, 0] == 1.0, 0] = 1.0
    stiffness = mesh.make_stiffness(unit)
    held = np.repeat(((unit[:, 0] == 0.0) | (unit[:, 0] == 1.0))[:, None], 3, axis=1)
    move += mesh.solve_linear(held, -(stiffness @ move.ravel()).reshape(-1, 3))
    return float(move.ravel() @ (stiffness @ move.ravel()))


def test_a_bonded_block_does_not_lock():
    """Nearly incompressible, with ends that cannot contract: as stiff as bricks with incompatible modes, where
    trilinear ones are a hundred times as stiff. It converges slowly (1.34, 1.28, 1.26 with 4, 8 and 12 bricks a side),
    as stresses are infinite at its edges."""
    found = calc_bonded_stiffness(Statics, 4)
    assert found == pytest.approx(calc_bonded_stiffness(IncompatibleMesh, 4), rel=0.005)
    assert calc_bonded_stiffness(StandardMesh, 4) > 50.0 * found


def test_a_bonded_rubber_block_keeps_its_volume():
    """Stretched by a fifth: 4 x 4 x 4 bricks within 0.1 %, although each one is barrelled."""
    unit, bricks = make_block(4, 4, 4)
    mesh = Statics(unit, bricks, make_neo_hookean(1.0, 1e4))
    held = np.repeat(((unit[:, 0] == 0.0) | (unit[:, 0] == 1.0))[:, None], 3, axis=1)
    target = unit + np.where(unit[:, :1] == 1.0, [0.2, 0.0, 0.0], 0.0)
    x = mesh.solve(held, target=target, steps=4)
    assert calc_geometry(x[bricks]).volume.sum() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: make_linear(0.0, 0.3), "Young's modulus is 0 Pa: it must be positive"),
        (lambda: make_linear(-2e5, 0.3), "Young's modulus is -200000 Pa"),
        (lambda: make_linear(1.0, 0.5), "Poisson's ratio is 0.5: the linear law needs one above -1 and below 0.5"),
        (lambda: make_linear(1.0, 0.7), "Poisson's ratio is 0.7"),
        (lambda: make_linear(1.0, -1.0), "Poisson's ratio is -1"),
        (lambda: make_linear(float("nan"), 0.3), "young is nan: it must be a finite number"),
        (lambda: make_neo_hookean(1.0, -5.0), "the bulk modulus is -5 Pa: it must be positive"),
        (lambda: make_neo_hookean(0.0, 5.0), "the shear modulus is 0 Pa"),
        (lambda: make_neo_hookean(1.0, float("inf")), "bulk is inf: it must be a finite number"),
        (lambda: make_mooney_rivlin(0.3, -0.3, 5.0), r"c1 \+ c2 is 0 Pa: it must be positive"),
        (lambda: make_mooney_rivlin(0.3, 0.1, 0.0), "the bulk modulus is 0 Pa"),
        (lambda: make_linear(1.0, 0.3, dilatational=-0.1), "the dilatational damping factor is -0.1 s"),
        (lambda: make_neo_hookean(1.0, 2.0, deviatoric=-1.0), "the deviatoric damping factor is -1 s"),
    ],
)
def test_impossible_constants_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_moduli_at_small_strains():
    assert make_mooney_rivlin(0.3, 0.2, 7.0)[[SHEAR, BULK]] == pytest.approx([1.0, 7.0])
    young, poisson = calc_small_strain(make_neo_hookean(1.0, 1e9))
    assert (young, poisson) == pytest.approx((3.0, 0.5), rel=1e-8)
