"""Largest frequencies of bricks and meshes, and the step that follows from them."""

import numpy as np
import pytest
from statics import Statics, make_block

from grouser.families.brick.material import make_linear
from grouser.families.brick.step import calc_brick_frequencies, calc_stable_step, find_mesh_frequency

MESHES = {
    "cubes": ((4, 4, 4), (1.0, 1.0, 1.0), 0.0),
    "odd": ((4, 4, 4), (1.0, 1.0, 1.0), 0.15),
    "beam": ((10, 1, 1), (10.0, 1.0, 0.2), 0.0),
    "plate": ((6, 6, 1), (6.0, 6.0, 0.2), 0.15),
}


def make_mesh(name, poisson):
    counts, size, skew = MESHES[name]
    unit, bricks = make_block(*counts)
    noise = np.random.default_rng(7).uniform(-skew, skew, unit.shape) / counts
    mesh = Statics((unit + noise) * size, bricks, make_linear(3.0, poisson))
    mass = np.zeros(len(unit))
    np.add.at(mass, bricks, mesh.geometry.node_volume)
    return mesh, mass


@pytest.mark.parametrize("poisson", (0.0, 0.3, 0.49))
@pytest.mark.parametrize("name", MESHES)
def test_frequencies_bound_those_of_the_mesh(name, poisson):
    """That of the mesh is exact within 1e-3; that of its fastest brick is above it, by 2/3 at most here."""
    mesh, mass = make_mesh(name, poisson)
    scale = 1.0 / np.sqrt(np.repeat(mass, 3))
    exact = np.sqrt(np.linalg.eigvalsh(mesh.make_stiffness(mesh.start).toarray() * scale[:, None] * scale)[-1])
    assert find_mesh_frequency(mesh.table, mesh.start, mass) == pytest.approx(exact, rel=1e-3)
    bound = calc_brick_frequencies(mesh.table, mesh.start, mesh.geometry.node_volume).max()
    assert exact * (1.0 - 1e-12) < bound < 1.67 * exact
    if name == "beam" or (name, poisson) == ("cubes", 0.0):
        assert bound < 1.02 * exact


def test_a_step_below_the_bound_is_stable_and_one_above_is_not():
    """Leapfrog steps of the plate, from noise: with 0.98 of the bound nothing grows, with 1.02 everything does."""
    mesh, mass = make_mesh("plate", 0.3)
    longest = calc_stable_step(find_mesh_frequency(mesh.table, mesh.start, mass))
    largest = {}
    for share in (0.98, 1.02):
        x = mesh.start + 1e-9 * np.random.default_rng(0).uniform(-1, 1, mesh.start.shape)
        v = np.zeros_like(x)
        for _ in range(400):
            v += share * longest * mesh.calc_forces(x) / mass[:, None]
            x += share * longest * v
        largest[share] = np.abs(x - mesh.start).max()
    assert largest[0.98] < 1e-7
    assert not largest[1.02] < 1e-3
