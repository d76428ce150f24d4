"""Lines and rings: nodes, elements, constants, masses, sets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from grouser.families.beam_thick.mass import calc_thick_lumps
from grouser.families.beam_thin.table import make_thin_beams
from grouser.mesh.make import make_mesh_data

AREA = math.pi * 0.01**2 / 4.0


def test_straight_line_of_trusses(make: Any) -> None:
    data = make_mesh_data(make("line", pre_strain=-0.01, is_rope=True))
    assert data.truss.node.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert np.allclose(data.nodes[:, 0], np.linspace(0.0, 1.0, 5)) and not data.nodes[:, 1:].any()
    assert np.allclose(data.truss.length, 0.25) and np.allclose(data.truss.area, AREA)
    assert (data.truss.pre_strain == -0.01).all() and data.truss.is_rope.all()
    assert np.allclose(data.masses, 7800.0 * AREA * np.array([0.125, 0.25, 0.25, 0.25, 0.125]))
    assert {name: nodes.tolist() for name, nodes in data.node_sets.items()} == {
        "all": [0, 1, 2, 3, 4],
        "start": [0],
        "end": [4],
        "start_edge": [0, 1],
        "end_edge": [3, 4],
    }
    assert not len(data.brick.node) and not data.surface_sets


def test_line_with_corners_keeps_them(make: Any) -> None:
    corners = [[0, 0, 0], [1, 0, 0], [1, 2, 0]]
    data = make_mesh_data(make("line", start=None, end=None, points=corners, count=2))
    assert len(data.truss.node) == 4
    assert data.nodes[[0, 2, 4]].tolist() == corners


@pytest.mark.parametrize("kind", ["line", "ring"])
def test_thin_beams_are_as_their_table_makes_them(make: Any, kind: str) -> None:
    data = make_mesh_data(make(kind, element="beam_thin"))
    cells = data.beam_thin
    count = 3 if kind == "line" else 12
    assert len(cells.node) == count
    table = make_thin_beams(cells.node, x=data.nodes, EA=2.0e11 * AREA, EI=2.0e11 * math.pi * 0.01**4 / 64.0)
    for name in ("length", "weight", "EA", "EI"):
        assert np.allclose(getattr(cells, name), getattr(table, name)), name
    assert data.masses.sum() == pytest.approx(7800.0 * AREA * (cells.weight * cells.length / 2.0).sum())


def test_thick_beams_have_sections_and_frames(make: Any) -> None:
    section = {"rectangle": [0.02, 0.04]}
    data = make_mesh_data(make("line", element="beam_thick", section=section, orientation=[1, 0, 0, 1]))
    cells = data.beam_thick
    E, G, A = 2.0e11, 2.0e11 / 2.6, 0.0008
    iy, iz = 0.02 * 0.04**3 / 12.0, 0.04 * 0.02**3 / 12.0
    assert np.allclose(cells.section[0, [0, 1, 2, 4, 5]], [E * A, G * A * 5 / 6, G * A * 5 / 6, E * iy, E * iz])
    assert cells.section[0, 3] == pytest.approx(G * 0.2287 * 0.04 * 0.02**3, rel=1e-3)  # table of Saint-Venant's series
    assert np.allclose(cells.rotary[0], [7800.0 * iy, 7800.0 * iz])
    assert np.allclose(cells.frame[0], np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]))  # turned by 90 degrees about z
    lumps = calc_thick_lumps(
        *cells.node.T,
        node=data.nodes,
        centre=cells.centre,
        frame=cells.frame,
        length=cells.length,
        mass_per_length=cells.mass_per_length,
        rotary=cells.rotary,
    )
    assert np.allclose(lumps.mass, data.masses)


@pytest.mark.parametrize("end", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0.1, 1]])
def test_frames_are_right_handed_whatever_the_direction(make: Any, end: list[float]) -> None:
    frame = make_mesh_data(make("line", element="beam_thick", end=end)).beam_thick.frame
    assert np.allclose(frame.transpose(0, 2, 1) @ frame, np.eye(3))
    assert np.allclose(np.linalg.det(frame), 1.0)
    assert np.allclose(frame[:, :, 0], np.array(end) / np.linalg.norm(end))


def test_ring_is_closed_and_round(make: Any) -> None:
    data = make_mesh_data(make("ring", centre=[1, 2, 3], axis=[0, 1, 0]))
    assert data.truss.node[-1].tolist() == [11, 0]
    lever = data.nodes - [1, 2, 3]
    assert np.allclose(np.linalg.norm(lever, axis=1), 0.5) and np.allclose(lever[:, 1], 0.0)
    assert np.allclose(data.nodes[0], [1.5, 2, 3])
    assert np.bincount(data.truss.node.ravel()).tolist() == [2] * 12


def test_ring_with_corners(make: Any) -> None:
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    data = make_mesh_data(make("ring", radius=None, points=corners, count=3))
    assert len(data.truss.node) == 12 == len(data.nodes)
    assert np.allclose(data.truss.length, 1.0 / 3.0)


def test_motion_of_the_whole_mesh(make: Any) -> None:
    turn = math.radians(30.0)
    data = make_mesh_data(
        make(
            "line",
            position=[1, 2, 3],
            orientation=[math.cos(turn / 2), 0, 0, math.sin(turn / 2)],
            velocity=[5, 0, 0],
            angular_velocity=[0, 2, 0],
        )
    )
    along = np.array([math.cos(turn), math.sin(turn), 0.0])
    assert np.allclose(data.nodes[-1], np.array([1, 2, 3]) + along)
    axis = np.array([-math.sin(turn), math.cos(turn), 0.0])
    assert np.allclose(data.velocities[-1], np.array([5, 0, 0]) + np.cross(2.0 * axis, along))


def test_what_is_made_is_kept_and_cannot_be_changed(make: Any) -> None:
    data = make_mesh_data(make("line"))
    assert make_mesh_data(make("line")) is data
    with pytest.raises(ValueError, match="read-only"):
        data.nodes[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        data.node_sets["all"][0] = 1
