from __future__ import annotations

import numpy as np
import pytest
from driving_m113 import make_m113

from grouser.output.mesh import make_box, make_lathe, make_mesh, make_rod
from grouser.output.report.coarse import make_coarse_mesh
from grouser.output.scene import make_body_meshes

GREY, RED = (0.5, 0.5, 0.5), (0.9, 0.1, 0.1)


def make_ball(radius: float, rings: int) -> np.ndarray:
    angle = np.linspace(-np.pi / 2, np.pi / 2, rings)
    return make_lathe(list(zip(radius * np.cos(angle), radius * np.sin(angle), strict=True)), 2 * rings)


def test_a_ball_stays_a_ball():
    fine = make_mesh("ball", [(make_ball(1.0, 24), GREY)])
    coarse = make_coarse_mesh(fine, 200)
    assert 150 < len(coarse.faces) <= 200 < len(fine.faces)
    radius = np.linalg.norm(coarse.vertices, axis=1)
    assert radius.min() > 0.93 and radius.max() < 1.02
    # no face is turned over, and none is lost
    normals = np.cross(*(coarse.vertices[coarse.faces[:, i]] - coarse.vertices[coarse.faces[:, 0]] for i in (1, 2)))
    assert (np.einsum("ij,ij->i", normals, coarse.vertices[coarse.faces].mean(axis=1)) > 0).all()
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(4 * np.pi, rel=0.08)


def test_small_parts_vanish_before_large_ones_and_colours_stay():
    parts = [(make_box((0, 0, 0), (4, 2, 1)), RED)]
    parts += [(make_rod((x, 1, 1), (x, 1, 1.02), 0.02), GREY) for x in np.linspace(0.5, 3.5, 8)]
    coarse = make_coarse_mesh(make_mesh("box with bolts", parts), 40)
    assert len(coarse.faces) <= 40
    np.testing.assert_allclose(np.ptp(coarse.vertices, axis=0), (4, 2, 1), atol=0.03)
    is_red = (np.abs(coarse.colours - RED) < 0.01).all(axis=1)
    red = coarse.vertices[is_red]
    np.testing.assert_allclose([red.min(axis=0), red.max(axis=0)], [(0, 0, 0), (4, 2, 1)], atol=1e-5)


def test_small_meshes_stay_as_they_are():
    mesh = make_mesh("box", [(make_box((0, 0, 0), (1, 1, 1)), GREY)])
    assert make_coarse_mesh(mesh, 100) is mesh


def test_parts_of_a_vehicle_keep_their_extent():
    for mesh in make_body_meshes(make_m113())[0]:
        coarse = make_coarse_mesh(mesh, max(44, len(mesh.faces) // 5))
        size, found = np.ptp(mesh.vertices, axis=0), np.ptp(coarse.vertices, axis=0)
        # the guide horn of a link may vanish, its plate and its pad do not
        assert (found > 0.55 * size).all() and (found < 1.1 * size + 0.01).all(), mesh.name
        assert len(coarse.faces) <= max(44, len(mesh.faces) // 5)
