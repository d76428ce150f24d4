"""Mass and loads of beams: those of the body that they are."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import BeamMesh, calc_momenta, make_arc, make_line, make_rectangle, move_rigidly
from beam_statics import calc_orders
from scipy.spatial.transform import Rotation

from grouser.families.ancf_beam.mass import calc_beam_mass, calc_line_load, calc_point_load, calc_volume_load
from grouser.families.brick.material import make_linear

SECTION, DENSITY, LENGTH = make_rectangle(0.2, 0.3), 1200.0, 1.4
MATERIAL = make_linear(1e6, 0.3)


def make_straight(count=4):
    x, pairs = make_line(count, LENGTH)
    return BeamMesh(x, pairs, LENGTH / (count - 1), SECTION, MATERIAL)


def test_inertia_is_that_of_a_box():
    """Energy and angular momentum of any rigid motion, turned and moved anywhere."""
    mesh = make_straight()
    M = mesh.calc_mass(DENSITY)
    rotation, shift, spin, speed = (
        Rotation.from_rotvec([0.5, 1.0, -2.0]),
        [3.0, 1.0, -2.0],
        [1.0, 2.0, -0.5],
        [4.0, -1.0, 2.0],
    )
    x = move_rigidly(mesh.x, 4, rotation, shift)
    v = np.cross(spin, x)
    v[::4] += speed
    mass = DENSITY * LENGTH * SECTION.area
    squares = np.array([LENGTH, 0.2, 0.3]) ** 2
    inertia = mass / 12.0 * np.diag(squares.sum() - squares)
    inertia = rotation.as_matrix() @ inertia @ rotation.as_matrix().T
    centre = rotation.apply([0.5 * LENGTH, 0.0, 0.0]) + shift
    of_centre = np.cross(spin, centre) + speed
    linear, angular = calc_momenta(M, x, v, 4)
    assert linear == pytest.approx(mass * of_centre, rel=1e-12)
    assert angular == pytest.approx(inertia @ spin + mass * np.cross(centre, of_centre), rel=1e-12)
    energy = 0.5 * np.vdot(v, M @ v)
    assert energy == pytest.approx(0.5 * mass * of_centre @ of_centre + 0.5 * (inertia @ spin) @ spin, rel=1e-12)


def test_inertia_of_an_arc():
    """That of a sector of a ring, which the elements follow with the second order."""
    radius, angle, errors = 1.0, 1.2, []
    inner, outer = radius - 0.1, radius + 0.1
    mass = DENSITY * SECTION.area * radius * angle
    inertia = DENSITY * 0.3 * angle * (outer**4 - inner**4) / 4.0
    for count in (9, 17, 33):
        x, pairs, length = make_arc(count, radius, angle)
        M = BeamMesh(x, pairs, length, SECTION, MATERIAL).calc_mass(DENSITY)
        x[::4] -= [0.0, radius, 0.0]  # about the centre of the ring
        _, angular = calc_momenta(M, x, np.cross([0.0, 0.0, 1.0], x), 4)
        errors.append((M[::4][:, ::4].sum() / mass - 1.0, angular[2] / inertia - 1.0))
    assert np.abs(errors[-1]).max() < 2e-4
    assert np.all(calc_orders(np.array(errors)) > 1.9)


def test_weight_is_mass_times_gravity():
    """The load of a uniform acceleration, its moment, and the mass matrix, agree."""
    mesh = make_straight()
    e, length = mesh.x[mesh.rows], np.full(3, mesh.length)
    weight, f = np.array([0.0, 0.0, -9.81]), np.zeros_like(mesh.x)
    for rows, share in zip(mesh.rows, DENSITY * calc_volume_load(e, length, SECTION), strict=True):
        f[rows] += share[:, None] * weight
    uniform = np.zeros((len(f), 3))
    uniform[::4] = weight
    assert f == pytest.approx(mesh.calc_mass(DENSITY) @ uniform, abs=1e-9)
    mass = DENSITY * LENGTH * SECTION.area
    assert f[::4].sum(axis=0) == pytest.approx(mass * weight)
    assert np.cross(mesh.x, f).sum(axis=0) == pytest.approx(np.cross([0.5 * LENGTH, 0.0, 0.0], mass * weight))


def test_line_and_point_loads_have_their_moment():
    """Along an edge of the section; a force at a point."""
    mesh = make_straight(2)
    e = mesh.x[None]
    force = np.array([2.0, -3.0, 5.0])
    for share, point in (
        (calc_line_load(e, LENGTH, 0.1, -0.15)[0] / LENGTH, (0.5 * LENGTH, 0.1, -0.15)),
        (calc_point_load(LENGTH, 0.3, -0.1, 0.05), (0.3 * LENGTH, -0.1, 0.05)),
    ):
        f = share[:, None] * force
        assert f[::4].sum(axis=0) == pytest.approx(force)
        assert np.cross(mesh.x, f).sum(axis=0) == pytest.approx(np.cross(point, force))


def test_mass_is_definite():
    M = calc_beam_mass(make_straight(2).x[None], LENGTH, SECTION, DENSITY)[0]
    assert pytest.approx(M.T, rel=1e-14) == M
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_density_must_be_positive():
    with pytest.raises(ValueError, match=r"element 0 has the density 0 kg/m\^3: it must be positive"):
        calc_beam_mass(make_straight(2).x[None], LENGTH, SECTION, 0.0)
