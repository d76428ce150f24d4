"""Beams that fly freely, by the mass matrix and steps of fourth order: energy and momenta; and the stable step."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import BeamMesh, calc_momenta, make_line, make_rectangle
from scipy.linalg import eigh

from grouser.families.ancf_beam.joints import LinearJoints
from grouser.families.ancf_beam.mass import calc_beam_mass
from grouser.families.ancf_beam.step import calc_beam_frequencies, find_longest_delay
from grouser.families.brick.material import make_linear, make_neo_hookean
from grouser.families.brick.step import calc_stable_step

SECTION, DENSITY, LENGTH = make_rectangle(0.05, 0.08), 1000.0, 1.0
MATERIALS = {"linear": make_linear(1e6, 0.3), "Neo-Hookean": make_neo_hookean(4e5, 2e6)}


def make_mesh(count, material, integration):
    x, pairs = make_line(count, LENGTH)
    return BeamMesh(x, pairs, LENGTH / (count - 1), SECTION, material, integration=integration)


@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
@pytest.mark.parametrize("integration", ["line", "volume"])
def test_free_flight_keeps_energy_and_momenta(material, integration):
    mesh = make_mesh(4, material, integration)
    M = mesh.calc_mass(DENSITY)
    inverse = np.linalg.inv(M.toarray())
    bend = np.sin(np.pi * mesh.x[::4, 0] / LENGTH)
    v = np.cross([3.0, 2.0, 4.0], mesh.x)
    v[::4] += [1.0, 0.0, 5.0]
    v[::4] += np.outer(bend, [0.0, 3.0, 2.0])
    x, steps, h = mesh.x.copy(), 2000, 1e-4

    def sum_up(x, v):
        linear, angular = calc_momenta(M, x, v, 4)
        return np.array([0.5 * np.vdot(v, M @ v) + mesh.calc_energy(x), *linear, *angular])

    start, largest = sum_up(x, v), 0.0
    for _ in range(steps):
        k = []
        for share in (0.0, 0.5, 0.5, 1.0):
            y, w = (x + share * h * k[-1][0], v + share * h * k[-1][1]) if k else (x, v)
            k.append((w, inverse @ mesh.calc_forces(y)))
            largest = max(largest, mesh.sums[0])
        x = x + h / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0])
        v = v + h / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1])
    end = sum_up(x, v)
    assert largest > 0.02 * start[0]  # it does deform
    assert end[0] == pytest.approx(start[0], rel=1e-5)
    assert end[1:4] == pytest.approx(start[1:4], rel=1e-12)
    assert end[4:] == pytest.approx(start[4:], rel=1e-7)


@pytest.mark.parametrize("integration", ["line", "volume"])
def test_soft_pendulum_keeps_its_energy(integration):
    """A soft beam, pinned at one end along y by reduced coordinates, falls under gravity by more than half its length,
    and bends as it does."""
    mesh = make_mesh(4, make_linear(1e5, 0.3), integration)
    joints = LinearJoints(len(mesh.x))
    joints.add_clamp(0, mesh.x[:1])
    joints.add_condition("line of the pin", {2: 1.0}, mesh.x[2])
    reduced = joints.reduce()
    M = mesh.calc_mass(DENSITY)
    inverse, gravity = np.linalg.inv(reduced.reduce(M).toarray()), np.zeros_like(mesh.x)
    gravity[::4, 2] = -9.81
    weight = M @ gravity
    q = mesh.x[reduced.independent]
    w, h = np.zeros_like(q), 5e-4

    def accelerate(q):
        return inverse @ reduced.collect(mesh.calc_forces(reduced.expand(q)) + weight)

    largest = 0.0
    for _ in range(700):
        k1 = w, accelerate(q)
        k2 = w + 0.5 * h * k1[1], accelerate(q + 0.5 * h * k1[0])
        k3 = w + 0.5 * h * k2[1], accelerate(q + 0.5 * h * k2[0])
        k4 = w + h * k3[1], accelerate(q + h * k3[0])
        q = q + h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0])
        w = w + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1])
        largest = max(largest, mesh.sums[0])
    x, v = reduced.expand(q), np.asarray(reduced.B @ w)
    lost = np.vdot(weight, x - mesh.x)
    assert x[-4, 2] < -0.5
    assert x[2] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert largest > 0.05 * lost
    assert 0.5 * np.vdot(v, M @ v) + mesh.calc_energy(x) == pytest.approx(lost, rel=1e-5)


@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
@pytest.mark.parametrize("integration", ["line", "volume"])
def test_elements_bound_the_frequency_of_a_mesh(material, integration):
    mesh = make_mesh(5, material, integration)
    e = mesh.x[mesh.rows]
    alone = calc_beam_frequencies(mesh.table, mesh.x, calc_beam_mass(e, mesh.length, SECTION, DENSITY))
    K = mesh.add_up(mesh.calc_tangents()[0]).toarray()
    M = np.kron(mesh.calc_mass(DENSITY).toarray(), np.eye(3))
    together = np.sqrt(eigh(K, M, eigvals_only=True)[-1])
    assert 0.9 * alone.max() < together <= alone.max() * (1.0 + 1e-9)


def test_leapfrog_is_stable_up_to_the_bound():
    """Small motions of all kinds stay small just below the step of the mesh's largest frequency, and grow above it."""
    mesh = make_mesh(2, MATERIALS["linear"], "line")
    masses = calc_beam_mass(mesh.x[mesh.rows], mesh.length, SECTION, DENSITY)
    step = calc_stable_step(calc_beam_frequencies(mesh.table, mesh.x, masses)[0])
    inverse = np.linalg.inv(masses[0])
    for factor, is_stable in ((0.99, True), (1.01, False)):
        x, v = mesh.x + 1e-9 * np.random.default_rng(0).normal(size=mesh.x.shape), np.zeros_like(mesh.x)
        largest = 0.0
        for _ in range(400):
            v = v + factor * step * inverse @ mesh.calc_forces(x)
            x = x + factor * step * v
            largest = np.abs(x - mesh.x).max()
            if largest > 1e-6:
                break
        assert (largest < 1e-7) == is_stable


def test_longest_delay_is_that_of_the_material():
    assert find_longest_delay(make_linear(1e6, 0.3, dilatational=1e-4, deviatoric=5e-5)) == pytest.approx(1e-4)
    assert find_longest_delay(MATERIALS["linear"]) == 0.0
