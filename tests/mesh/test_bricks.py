"""Blocks, plates and belts: counts, volumes, sets, faces that look outward."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from grouser.mesh.data import MeshData, find_nodes
from grouser.mesh.make import find_mesh_faults, make_mesh_data


def calc_normals(data: MeshData, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Outward area vectors and centres of faces."""
    corners = data.nodes[data.surface_sets[name]]
    area = 0.5 * np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    return area, corners.mean(axis=1)


def calc_volume(data: MeshData) -> float:
    return float(data.masses.sum()) / data.materials[0].density


SHAPES: dict[str, tuple[str, dict[str, Any], float]] = {
    "block": ("block", {}, 1.0),
    "turned": ("block", {"orientation": [0.3, 0.5, -0.2, 0.8], "position": [4, 5, 6]}, 1.0),
    "one brick": ("block", {"counts": [1, 1, 1]}, 1.0),
    "corners": (
        "block",
        {
            "sides": None,
            "corners": [
                *([0, 0, 0], [2, 0, 0], [1.5, 1, 0], [0.5, 1, 0]),
                *([0, 0, 1], [2, 0, 1], [1.5, 1, 1], [0.5, 1, 1]),
            ],
        },
        1.5,
    ),
    "plate": ("plate", {}, 0.025),
    "twisted": ("block", {"twist": 0.5 * math.pi, "origin": [0, -0.5, -0.25], "counts": [200, 2, 2]}, 1.0),
    "bent": ("block", {"bend": 1.5, "origin": [0, 0, -0.25], "counts": [400, 2, 1]}, 1.0),
    "bent away": ("block", {"bend": -1.5, "origin": [0, 0, -0.25], "counts": [400, 2, 1]}, 1.0),
}


@pytest.mark.parametrize("name", SHAPES)
def test_volume_surface_and_outward_faces(make: Any, name: str) -> None:
    base, changes, volume = SHAPES[name]
    mesh = make(base, **changes)
    assert find_mesh_faults(mesh) == []
    data = make_mesh_data(mesh)
    assert calc_volume(data) == pytest.approx(volume, rel=1e-4)  # the arc is divided into pieces
    area, centre = calc_normals(data, "surface")
    assert np.allclose(area.sum(axis=0), 0.0, atol=1e-12)  # closed
    # the theorem of Gauss holds to what warped faces differ from their diagonals
    assert np.einsum("ki,ki->", area, centre - data.nodes.mean(axis=0)) / 3.0 == pytest.approx(volume, rel=1e-3)


def test_counts_sets_and_edges_of_a_block(make: Any) -> None:
    data = make_mesh_data(make("block", fixed=["x0"], bonded={"x1 & z1": "lid", "x1 & z0": "lid"}))
    assert len(data.brick.node) == 24 and len(data.nodes) == 5 * 4 * 3
    assert len(data.surface_sets["surface"]) == 2 * (4 * 3 + 4 * 2 + 3 * 2)
    for name, axis, value in (("x0", 0, 0.0), ("x1", 0, 2.0), ("y0", 1, 0.0), ("y1", 1, 1.0), ("z1", 2, 0.5)):
        assert np.allclose(data.nodes[data.node_sets[name], axis], value)
        assert np.array_equal(data.node_sets[name], np.flatnonzero(np.isclose(data.nodes[:, axis], value)))
        area, centre = calc_normals(data, name)
        sign = -1.0 if name.endswith("0") else 1.0
        assert (sign * area[:, axis] > 0.0).all() and np.allclose(centre[:, axis], value)
    assert data.nodes[find_nodes(data.node_sets, "x0&y1&z0")].tolist() == [[0.0, 1.0, 0.0]]
    assert np.array_equal(data.fixed, data.node_sets["x0"])
    assert len(data.bonded["lid"]) == 8
    assert set(data.brick.material) == {0} and data.materials[0].type == "neo_hookean"


def test_masses_are_row_sums_of_the_trilinear_brick(make: Any) -> None:
    data = make_mesh_data(make("block", counts=[1, 1, 1]))
    assert np.allclose(data.masses, 1100.0 / 8.0)
    # a frustum: the centre of its lumped masses is that of the body
    corners = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
    data = make_mesh_data(make("block", sides=None, corners=corners, counts=[1, 1, 1]))
    assert calc_volume(data) == pytest.approx(7.0 / 3.0)
    assert (data.masses @ data.nodes)[2] / data.masses.sum() == pytest.approx(11.0 / 28.0)


def test_bent_and_twisted_ends(make: Any) -> None:
    quarter = make_mesh_data(make("plate", bend=1.0, sides=[0.5 * math.pi, 0.5], counts=[20, 2]))
    end = quarter.nodes[quarter.node_sets["x1"]]
    assert np.allclose(end[:, 2], 1.0)  # it stands upright at the height of the radius
    assert sorted(set(end[:, 0].round(9))) == [0.975, 1.025]
    twisted = make_mesh_data(make("block", twist=0.5 * math.pi, origin=[0, -0.5, -0.25]))
    end = twisted.nodes[twisted.node_sets["x1"]]
    assert np.ptp(end[:, 1]) == pytest.approx(0.5) and np.ptp(end[:, 2]) == pytest.approx(1.0)


def check_belt(data: MeshData, along: int, across: int, layers: int) -> None:
    assert len(data.brick.node) == along * across * layers
    assert len(data.nodes) == along * (across + 1) * (layers + 1)
    # closed: of the faces of its bricks only those of the four sides are free
    assert len(data.surface_sets["surface"]) == 2 * along * (across + layers)
    assert {name: len(data.surface_sets[name]) for name in ("inner", "outer", "left", "right")} == {
        "inner": along * across,
        "outer": along * across,
        "left": along * layers,
        "right": along * layers,
    }
    assert "start" not in data.surface_sets and len(data.node_sets["start"]) == (across + 1) * (layers + 1)
    assert (data.nodes[data.node_sets["left"], 1] > 0.0).all()
    assert (calc_normals(data, "left")[0][:, 1] > 0.0).all()


def test_belt_around_two_wheels(make: Any) -> None:
    data = make_mesh_data(make("belt"))
    check_belt(data, 80, 4, 2)
    distance, lean = math.hypot(2.0, 0.1), math.asin(0.1 / math.hypot(2.0, 0.1))
    length = 2 * distance * math.cos(lean) + (math.pi + 2 * lean) * 0.3 + (math.pi - 2 * lean) * 0.2
    assert calc_volume(data) == pytest.approx(
        0.4 * (length * 0.02 + math.pi * 0.02**2), rel=5e-3
    )  # chords of 15 degrees
    inner = data.nodes[data.node_sets["inner"]][:, [0, 2]]
    away = np.minimum(np.linalg.norm(inner, axis=1) - 0.3, np.linalg.norm(inner - [2.0, 0.1], axis=1) - 0.2)
    assert away.min() == pytest.approx(0.0, abs=1e-12)  # it lies on the wheels


def test_belt_of_one_wheel_is_a_ring(make: Any) -> None:
    data = make_mesh_data(make("belt", wheels=[{"centre": [1, 2], "radius": 0.5}], counts=[200, 2, 3]))
    check_belt(data, 200, 2, 3)
    assert calc_volume(data) == pytest.approx(0.4 * math.pi * (0.52**2 - 0.5**2), rel=1e-3)
    radius = np.linalg.norm(data.nodes[data.node_sets["outer"]][:, [0, 2]] - [1, 2], axis=1)
    assert np.allclose(radius, 0.52)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_belt_with_a_wheel_outside(make: Any, order: tuple[int, ...]) -> None:
    wheels = [
        {"centre": [0.0, 0.0], "radius": 0.3},
        {"centre": [2.0, 0.0], "radius": 0.2},
        {"centre": [1.0, 0.3], "radius": 0.1, "is_outside": True},
    ]
    data = make_mesh_data(make("belt", wheels=[wheels[i] for i in order], counts=[300, 1, 1]))
    check_belt(data, 300, 1, 1)
    outer = data.nodes[data.node_sets["outer"]][:, [0, 2]]
    assert np.linalg.norm(outer - [1.0, 0.3], axis=1).min() == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize("is_turned", [False, True])
def test_belt_along_a_polyline(make: Any, is_turned: bool) -> None:
    corners = [[0, 0], [0, 1], [3, 1], [3, 0]]
    data = make_mesh_data(make("belt", wheels=None, points=corners[::-1] if is_turned else corners))
    check_belt(data, 80, 4, 2)
    assert np.ptp(data.nodes[data.node_sets["outer"], 2]) > 1.0


def test_cords_lie_along_the_belt(make: Any) -> None:
    trusses = {"level": 1, "modulus": 1.0e9, "area": 1.0e-4, "pre_strain": -0.002, "density": 1000.0}
    beams = {"element": "beam_thin", "level": 2, "modulus": 2.0e9, "area": 2.0e-4, "iy": 1.0e-9}
    plain = make_mesh_data(make("belt"))
    data = make_mesh_data(make("belt", cords=[trusses, beams, beams]))
    assert len(data.truss.node) == 80 * 5 and len(data.beam_thin.node) == 2 * 80 * 5
    assert np.array_equal(data.nodes, plain.nodes)
    assert data.truss.area.sum() == pytest.approx(80 * 1.0e-4)  # the area of the layer at every place along the belt
    assert sorted(set(data.truss.area.round(12))) == [1.25e-5, 2.5e-5]  # cords at the edges carry half
    assert (data.truss.pre_strain == -0.002).all() and (data.beam_thin.weight == 1.0).all()
    assert np.allclose(data.nodes[data.truss.node[:, 0], 1], data.nodes[data.truss.node[:, 1], 1])
    assert (data.masses.sum() - plain.masses.sum()) == pytest.approx(1000.0 * 1.0e-4 * data.truss.length.sum() / 5)
    assert data.beam_thin.EI.sum() == pytest.approx(2 * 80 * 2.0)


def test_a_hundred_thousand_bricks_in_two_seconds(make: Any) -> None:
    start = time.process_time()  # whatever else runs on the machine
    data = make_mesh_data(make("block", counts=[100, 100, 10], position=[0.0, 0.0, 7.0]))
    assert len(data.brick.node) == 100_000
    assert time.process_time() - start < 2.0
