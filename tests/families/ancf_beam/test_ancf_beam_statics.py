"""Beams at rest against closed forms: along the axis they are right, by the volume they lock, by how much."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import BeamMesh, hold_rows, make_arc, make_line, make_rectangle
from beam_statics import ELASTICA, calc_orders

from grouser.families.brick.material import calc_small_strain, make_linear, make_neo_hookean

YOUNG, SIDE = 1e7, 0.02
RUBBER = make_neo_hookean(2e8, 1e9)
"""That of the paper's chain: c1 = 1e8, k = 1e9 Pa."""
MATERIALS = {"linear": make_linear(YOUNG, 0.3), "rubber": RUBBER}


def make_beam(n, length, section, material, integration):
    """A cantilever of n elements, and what is held."""
    x, pairs = make_line(n + 1, length)
    mesh = BeamMesh(x, pairs, length / n, section, material, integration=integration)
    return mesh, hold_rows(x.shape, 0, 1, 2, 3)


def bend(n, material, integration, loads=ELASTICA):
    """Ratios of deflection and shortening of a tip to the elastica, by P L^2/(E I)."""
    mesh, held = make_beam(n, 1.0, make_rectangle(SIDE, SIDE), material, integration)
    stiffness = calc_small_strain(material)[0] * SIDE**4 / 12.0
    load, ratios = np.zeros_like(mesh.x), []
    for factor in loads:
        load[-4, 2] = factor * stiffness
        mesh.solve(load, held, steps=2)
        move = mesh.x[-4] - [1.0, 0.0, 0.0]
        ratios.append((move[2] / ELASTICA[factor][0], -move[0] / ELASTICA[factor][1]))
    return np.array(ratios)


@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
def test_elastica_along_the_axis(material):
    """20 elements: all values within 1 %; the beam stretches and shears a little, which the elastica does not."""
    assert bend(20, material, "line") == pytest.approx(1.0, abs=0.01)


def test_elastica_by_the_volume_is_wrong_however_fine():
    """The modulus in bending at small loads: (1 - nu)/((1 + nu)(1 - 2 nu)) of Young's by the linear law, and
    2/(3 (1 + nu)) where the volume is held on the axis."""
    nu = 0.3
    expected = {"linear": (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))}
    nu = calc_small_strain(RUBBER)[1]
    expected["rubber"] = 2.0 / (3.0 * (1.0 + nu))
    for name, material in MATERIALS.items():
        mesh, held = make_beam(40, 1.0, make_rectangle(SIDE, SIDE), material, "volume")
        load = np.zeros_like(mesh.x)
        load[-4, 2] = 1e-4 * calc_small_strain(material)[0] * SIDE**4 / 12.0
        mesh.solve(load, held)
        assert 1e-4 / 3.0 / mesh.x[-4, 2] == pytest.approx(expected[name], rel=0.01)
    stiff, soft = (bend(20, material, "volume", (1.0,))[0, 0] for material in MATERIALS.values())
    assert stiff == pytest.approx(0.774, abs=0.002)
    assert soft == pytest.approx(1.682, abs=0.002)


def test_convergence_is_of_the_second_order():
    """Against 128 elements, at P L^2/(E I) = 3."""
    tips = []
    for n in (8, 16, 32, 128):
        tips.append(bend(n, MATERIALS["linear"], "line", (3.0,))[0])
    orders = calc_orders(np.array(tips[:-1]) - tips[-1])
    assert np.all(orders > 1.8)


def test_small_loads_have_the_error_of_a_constant_curvature():
    """n elements have 1 - 1/(4 n^2) of the bending of a force at the tip, and all of its shear, at any slenderness: no
    shear locking. The clamp holds the section and leaves r_x free, or there would be no shear at the root."""
    for side in (0.1, 0.01, 0.001):
        for n in (1, 2, 4):
            section = make_rectangle(side, side)
            mesh, held = make_beam(n, 1.0, section, MATERIALS["linear"], "line")
            held[1] = False
            load = np.zeros_like(mesh.x)
            load[-4, 2] = 1e-6 * YOUNG * section.iy
            mesh.solve(load, held)
            shear = 1e-6 * section.iy / section.area * 2.6 * 6.0 / 5.0
            bending = (1.0 - 0.25 / n**2) * 1e-6 / 3.0
            assert mesh.x[-4, 2] == pytest.approx(bending + shear, rel=1e-4)


def test_a_circle_is_a_reference_like_any_other():
    """20 elements of a closed ring, 18 degrees each: no force, and the energy of a straight beam that is bent to it, by
    M = 2 pi E I/L at its ends, when it is straightened."""
    n, section = 20, make_rectangle(SIDE, SIDE)
    ring, pairs, length = make_arc(n + 1, 0.5 / np.pi, 2.0 * np.pi)
    straight, _ = make_line(n + 1, 1.0)
    bent = 0.5 * YOUNG * section.iz * (2.0 * np.pi) ** 2
    for reference, shape in ((ring, straight), (straight, ring)):
        mesh = BeamMesh(reference, pairs, length, section, MATERIALS["linear"])
        assert np.abs(mesh.calc_forces()).max() < 1e-10
        held = np.zeros(reference.shape, dtype=bool)
        held[2::4], held[::4], held[3::4] = True, True, True
        mesh.x = shape.copy()
        mesh.solve(np.zeros_like(reference), held)
        assert mesh.calc_energy(mesh.x) == pytest.approx(bent, rel=0.02)


def test_princeton_beam():
    """4.448 N at 45 degrees: values of an independent shooting method; beside it the element by its volume."""
    exact = {"edge": 0.003965, "flap": 0.056055, "twist": 0.4420}
    ratios = {}
    for integration in ("line", "volume"):
        mesh, held = make_beam(8, 0.508, make_rectangle(12.377e-3, 3.2024e-3), make_linear(71.7e9, 0.31), integration)
        load = np.zeros_like(mesh.x)
        load[-4] = 4.448 * np.sqrt(0.5) * np.array([0.0, 1.0, 1.0])
        mesh.solve(load, held, steps=4)
        frame = mesh.x[-3:]
        twist = np.degrees(np.arctan2(-frame[1, 2], frame[2, 2]))
        ratios[integration] = mesh.x[-4, 1] / exact["edge"], mesh.x[-4, 2] / exact["flap"], twist / exact["twist"]
    assert ratios["line"] == pytest.approx((1.0, 1.0, 1.0), abs=0.02)
    assert ratios["volume"] == pytest.approx((0.690, 0.714, 0.194), abs=0.01)


def test_torsion_has_the_constant_of_the_section():
    """By the volume it is the polar moment, 1.186 times that of a square."""
    section = make_rectangle(SIDE, SIDE)
    for integration, expected in (("line", 1.0), ("volume", 2.0 * section.iy / section.j)):
        mesh, held = make_beam(4, 1.0, section, MATERIALS["linear"], integration)
        load = np.zeros_like(mesh.x)
        torque = 1e-4
        load[-2, 2], load[-1, 1] = 0.5 * torque, -0.5 * torque
        mesh.solve(load, held)
        twist = mesh.x[-2, 2]
        assert torque / (YOUNG / 2.6 * section.j * twist) == pytest.approx(expected, rel=0.01)


def test_a_beam_put_in_stretched_pulls():
    """The reference is shorter than the shape at the start: E A times the strain, sides free, as for a pre-strain."""
    x, pairs = make_line(4, 1.0)
    mesh = BeamMesh(x, pairs, 1.0 / 3.0, make_rectangle(SIDE, SIDE), MATERIALS["linear"])
    strain = 1e-4
    mesh.x[::4] *= 1.0 + strain
    held = np.zeros(x.shape, dtype=bool)
    held[[0, -4]] = True
    held[1::4, 1:] = held[2::4, [0, 2]] = held[3::4, :2] = True
    mesh.solve(np.zeros_like(x), held)
    pull = mesh.calc_forces()[0, 0]
    assert pull == pytest.approx(YOUNG * SIDE**2 * strain, rel=1e-3)
