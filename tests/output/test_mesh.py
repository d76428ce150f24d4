from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from synthetic_track import make_model

import grouser as gr
from grouser.output.mesh import (
    make_box,
    make_circle,
    make_lathe,
    make_mesh,
    make_prism,
    make_ring,
    make_rod,
    make_slab,
    place,
)
from grouser.output.scene import make_body_meshes

RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def calc_volume(triangles) -> float:
    """Volume of a closed surface, positive if its faces are anticlockwise seen from outside."""
    a, b, c = np.moveaxis(np.asarray(triangles, dtype=float), 1, 0)
    return float((a * np.cross(b, c)).sum() / 6)


def count_open_edges(triangles) -> int:
    """Edges that no other face runs along the other way."""
    corners = np.round(np.asarray(triangles, dtype=float), 5) + 0.0
    count: Counter = Counter()
    for face in corners.tolist():
        a, b, c = map(tuple, face)
        for start, end in ((a, b), (b, c), (c, a)):
            if start != end:
                count[start, end] += 1
                count[end, start] -= 1
    return sum(abs(value) for value in count.values())


CIRCLE = 24 / 2 * np.sin(2 * np.pi / 24)
"""Area of the polygon that stands for a circle of radius 1."""

SOLIDS = {
    "box": (make_box((-1, -2, 0), (1, 2, 3)), 24.0),
    "prism": (make_prism([(0, 0), (2, 0), (0, 1)], -1, 1), 2.0),
    "slab": (make_slab([(0, 0), (2, 0), (0, 1)], 3, 1), 2.0),
    "ring": (make_ring(make_circle(2.0), make_circle(1.0), 0, 5), 15.0 * CIRCLE),
    "lathe": (make_lathe([(0, 0), (1, 0), (1, 2), (0, 2)]), 2.0 * CIRCLE),
    "rod": (make_rod((1, 1, 1), (1, 4, 5), 0.5, 24), 5.0 * 0.25 * CIRCLE),
    "placed": (place(make_box((0, 0, 0), (1, 1, 1)), (5, 5, 5), [(0, -1, 0), (1, 0, 0), (0, 0, 1)]), 1.0),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_look_outwards(name):
    triangles, volume = SOLIDS[name]
    assert calc_volume(triangles) == pytest.approx(volume)
    assert count_open_edges(triangles) == 0


def test_a_slab_lies_across_between_its_two_sides():
    slab = make_slab([(0, 0), (2, 0), (0, 1)], 3, 1).reshape(-1, 3)
    np.testing.assert_allclose(slab.min(axis=0), (0, 1, 0))
    np.testing.assert_allclose(slab.max(axis=0), (2, 3, 1))


def test_edges_stay_sharp_and_round_faces_smooth():
    box = make_mesh("box", [(make_box((0, 0, 0), (1, 1, 1)), RED)])
    assert np.isclose(np.abs(box.normals).max(axis=1), 1.0).all()
    rod = make_mesh("rod", [(make_rod((0, 0, 0), (0, 0, 1), 1.0, 24), RED)])
    is_side = np.abs(rod.normals[:, 2]) < 0.5
    out = rod.vertices[is_side, :2] / np.linalg.norm(rod.vertices[is_side, :2], axis=1, keepdims=True)
    np.testing.assert_allclose(rod.normals[is_side, :2], out, atol=1e-3)
    assert is_side.sum() == 48


def test_a_mesh_has_the_colours_of_its_parts():
    mesh = make_mesh("two", [(make_box((0, 0, 0), (1, 1, 1)), RED), (make_box((3, 0, 0), (5, 2, 2)), BLUE)])
    is_far = mesh.vertices[:, 0] > 2
    np.testing.assert_array_equal(mesh.colours[is_far], np.broadcast_to(BLUE, (is_far.sum(), 3)))
    np.testing.assert_array_equal(mesh.colours[~is_far], np.broadcast_to(RED, ((~is_far).sum(), 3)))
    assert mesh.colour == BLUE
    assert (mesh.vertices.dtype, mesh.faces.dtype) == (np.float32, np.int32)


@pytest.fixture(scope="module", params=["m113", "synthetic"])
def model(request):
    return gr.vehicles.m113() if request.param == "m113" else make_model()


def test_meshes_of_a_vehicle_are_closed_and_look_outwards(model):
    meshes, index = make_body_meshes(model)
    assert len(index) == len(model.bodies)
    for mesh in meshes:
        triangles = mesh.vertices[mesh.faces]
        assert np.isfinite(mesh.vertices).all()
        assert count_open_edges(triangles) == 0, mesh.name
        assert calc_volume(triangles) > 0, mesh.name
        np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-4)
        across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        corners = (mesh.normals[mesh.faces] * across[:, np.newaxis]).sum(axis=2)
        assert (corners > 0).all(), mesh.name


def test_all_links_share_one_mesh(model):
    _, index = make_body_meshes(model)
    number = dict(zip(model.bodies, index, strict=True))
    links = {number[link] for track in model.tracks.values() for link in track.links}
    assert len(links) == 1
    wheels = {number[wheel] for track in model.tracks.values() for wheel in track.wheels}
    assert len(wheels) == 1 and not wheels & links
