"""Meshes from files: round trips through meshio, sets, units; what is no mesh is refused."""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grouser.errors import ModelError
from grouser.mesh import file
from grouser.mesh.data import MeshData
from grouser.mesh.make import find_mesh_faults, make_mesh_data
from grouser.mesh.structure import find_set_faults
from grouser.model.material import LinearMaterial
from grouser.model.mesh import FileMesh

meshio = pytest.importorskip("meshio")

STEEL = LinearMaterial(young=2.0e11, poisson=0.3, density=7800.0)


def make_file(path: Path, **fields: Any) -> FileMesh:
    return FileMesh(path=str(path), material=STEEL, **fields)


@pytest.fixture
def block(make: Any) -> MeshData:
    return make_mesh_data(make("block"))


@pytest.mark.parametrize("name", ["block.vtu", "block.vtk", "block.inp", "block.msh", "block.bdf", "block.xdmf"])
def test_round_trip_of_a_block(tmp_path: Path, block: MeshData, name: str) -> None:
    meshio.write_points_cells(tmp_path / name, 1000.0 * block.nodes, [("hexahedron", block.brick.node)])
    data = make_mesh_data(make_file(tmp_path / name, scale=1e-3, fixed=["all"]))
    assert np.array_equal(data.brick.node, block.brick.node)
    assert np.allclose(data.nodes, block.nodes, atol=1e-9)
    assert data.masses.sum() == pytest.approx(7800.0)
    assert len(data.surface_sets["surface"]) == len(block.surface_sets["surface"])
    assert len(data.fixed) == len(data.nodes)


def test_sets_of_nodes_and_cells(tmp_path: Path, block: MeshData) -> None:
    content = meshio.Mesh(
        block.nodes,
        [("hexahedron", block.brick.node)],
        point_sets={"clamp": block.node_sets["x0"].astype(np.int32)},
        cell_sets={"tip": [np.array([20, 21, 22, 23])]},
    )
    content.write(tmp_path / "block.inp")
    data = make_mesh_data(make_file(tmp_path / "block.inp", fixed=["clamp"]))
    assert np.array_equal(data.fixed, block.node_sets["x0"])
    assert np.array_equal(data.surface_sets["clamp"], block.surface_sets["x0"])
    assert data.cell_sets["tip"]["brick"].tolist() == [20, 21, 22, 23]
    assert set(data.node_sets["tip"]) == set(block.brick.node[20:24].ravel())


def test_named_surfaces_and_lines_of_gmsh(tmp_path: Path, block: MeshData) -> None:
    faces = block.surface_sets["z1"][:, ::-1]  # whatever way they look
    stays = np.array([[0, 12], [12, 24]])
    blocks = [("hexahedron", block.brick.node), ("quad", faces), ("line", stays)]
    tags = [np.full(len(cells), tag) for tag, (_, cells) in zip((1, 2, 3), blocks, strict=True)]
    content = meshio.Mesh(
        block.nodes,
        blocks,
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={"body": np.array([1, 3]), "top": np.array([2, 2]), "stay": np.array([3, 1])},
    )
    meshio.write(tmp_path / "block.msh", content, file_format="gmsh22", binary=False)
    section = {"area": 1.0e-4, "iy": 1.0e-9}
    mesh = make_file(tmp_path / "block.msh", element="beam_thin", section=section)
    data = make_mesh_data(mesh)
    assert np.array_equal(np.sort(data.surface_sets["top"]), np.sort(block.surface_sets["z1"]))
    assert {face[0] for face in data.surface_sets["top"].tolist()} <= set(block.node_sets["z1"].tolist())
    assert data.beam_thin.node.tolist() == [[0, 12, 24]]
    assert data.cell_sets["stay"]["beam_thin"].tolist() == [0]
    assert len(data.cell_sets["body"]["brick"]) == 24


GMSH = """\
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "top"
3 2 "body"
$EndPhysicalNames
$Entities
0 0 1 1
1 0 0 1 1 1 1 1 1 0
1 0 0 0 1 1 1 1 2 1 1
$EndEntities
$Nodes
1 8 1 8
3 1 0 8
1
2
3
4
5
6
7
8
0 0 0
1 0 0
1 1 0
0 1 0
0 0 1
1 0 1
1 1 1
0 1 1
$EndNodes
$Elements
2 2 1 2
2 1 3 1
1 5 6 7 8
3 1 5 1
2 1 2 3 4 5 6 7 8
$EndElements
"""


def test_named_surfaces_of_gmsh_4(tmp_path: Path) -> None:
    (tmp_path / "cube.msh").write_text(GMSH)
    data = make_mesh_data(make_file(tmp_path / "cube.msh", fixed=["top"]))
    assert data.surface_sets["top"].tolist() == [[4, 5, 6, 7]]
    assert data.fixed.tolist() == [4, 5, 6, 7]
    assert data.cell_sets["body"]["brick"].tolist() == [0]


def test_lines_of_a_file(tmp_path: Path) -> None:
    points = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0]]
    meshio.write_points_cells(tmp_path / "frame.vtk", points, [("line", np.array([[0, 1], [1, 2], [3, 2]]))])
    for element in ("truss", "beam_thin", "beam_thick"):
        data = make_mesh_data(make_file(tmp_path / "frame.vtk", element=element, section={"circle": 0.01}))
        assert len(getattr(data, element).node) == (2 if element == "beam_thin" else 3)
        assert data.masses.sum() == pytest.approx(7800.0 * 3.0 * np.pi * 0.01**2 / 4.0)


def test_a_file_is_read_once_until_it_changes(tmp_path: Path, block: MeshData, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read = tmp_path / "block.vtk", []
    load = file._load
    monkeypatch.setattr(file, "_load", lambda name: read.append(name) or load(name))
    meshio.write_points_cells(path, block.nodes, [("hexahedron", block.brick.node)])
    for position in ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)):
        make_mesh_data(make_file(path, position=position))
    assert len(read) == 1
    meshio.write_points_cells(path, 2.0 * block.nodes, [("hexahedron", block.brick.node)])
    os.utime(path, ns=(1, 1))
    assert make_mesh_data(make_file(path)).masses.sum() == pytest.approx(8.0 * 7800.0)
    assert len(read) == 2


CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)
HEX = np.arange(8)[None]
BROKEN: dict[str, tuple[Any, Any, dict[str, Any], list[str]]] = {
    "inverted brick": (
        CUBE[[4, 5, 6, 7, 0, 1, 2, 3]],
        [("hexahedron", HEX)],
        {},
        ["brick 0 is inside out", "exchange"],
    ),
    "folded brick": (
        np.concatenate([CUBE[:6], [[0.1, 0.1, 0.2]], CUBE[7:]]),
        [("hexahedron", HEX)],
        {},
        ["brick 0 is inverted at a corner", "convex"],
    ),
    "flat brick": (CUBE * [1, 1, 0], [("hexahedron", HEX)], {}, ["brick 0 is flat"]),
    "missing node": (CUBE[:7], [("hexahedron", HEX)], {}, ["brick 0 has node 7", "nodes 0 to 6"]),
    "node twice": (
        CUBE,
        [("hexahedron", np.array([[0, 1, 2, 3, 4, 5, 6, 6]]))],
        {},
        ["brick 0 is a cell with the same"],
    ),
    "loose node": (np.concatenate([CUBE, [[5, 5, 5]]]), [("hexahedron", HEX)], {}, ["node 8 is in no cell"]),
    "nodes at one place": (
        np.concatenate([CUBE, CUBE + np.array([1, 0, 0])]),
        [("hexahedron", np.arange(16).reshape(2, 8))],
        {},
        ["nodes 1 and 8 are at the same place", "merge"],
    ),
    "brick twice": (CUBE, [("hexahedron", np.tile(HEX, (3, 1)))], {}, ["brick 0 (the first of 3)", "share"]),
    "wrong cells": (CUBE[:4], [("tetra", np.arange(4)[None])], {}, ["tetra (1)", "hexahedron and line are taken"]),
    "quadratic cells": (
        np.random.default_rng(1).random((20, 3)),
        [("hexahedron20", np.arange(20)[None])],
        {},
        ["hexahedron20 (1)", "linear hexahedra"],
    ),
    "plane cells": (CUBE[:4], [("quad", np.arange(4)[None])], {}, ["has no cells"]),
    "not a number": (
        CUBE * np.where(CUBE > 0, np.nan, 1),
        [("hexahedron", HEX)],
        {},
        ["node 1 (the first of 7) is at", "finite"],
    ),
    "lines without element": (CUBE[:2], [("line", np.array([[0, 1]]))], {}, ["1 lines", "'element' and 'section'"]),
    "element without lines": (
        CUBE,
        [("hexahedron", HEX)],
        {"element": "truss", "section": {"circle": 0.1}},
        ["the file has no lines"],
    ),
    "line twice": (
        CUBE[:2],
        [("line", np.array([[0, 1], [1, 0]]))],
        {"element": "truss", "section": {"circle": 0.1}},
        ["line 1 is there already"],
    ),
    "branches of thin beams": (
        CUBE[[0, 1, 3, 4]],
        [("line", np.array([[0, 1], [0, 2], [0, 3]]))],
        {"element": "beam_thin", "section": {"circle": 0.1}},
        ["3 lines meet at node 0", "beam_thick"],
    ),
    "one thin beam": (
        CUBE[:2],
        [("line", np.array([[0, 1]]))],
        {"element": "beam_thin", "section": {"circle": 0.1}},
        ["line 0 is alone", "divide it"],
    ),
    "thick beam on a brick": (
        CUBE,
        [("hexahedron", HEX), ("line", np.array([[0, 1]]))],
        {"element": "beam_thick", "section": {"circle": 0.1}},
        ["node 0 belongs to a brick too"],
    ),
    "section without element": (CUBE, [("hexahedron", HEX)], {"section": {"circle": 0.1}}, ["no 'element'"]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_give_one_clear_fault(tmp_path: Path, name: str) -> None:
    points, cells, fields, words = BROKEN[name]
    meshio.write_points_cells(tmp_path / "mesh.vtk", points, cells)
    (fault,) = find_mesh_faults(make_file(tmp_path / "mesh.vtk", **fields), ("meshes", "pad"))
    assert fault.startswith("meshes.pad")
    for word in words:
        assert word in fault


def test_empty_sets_and_sets_with_missing_nodes(tmp_path: Path) -> None:
    for nodes, words in (([], "the set 'top' is empty"), ([3, 9], "'top' has node 9, which is missing")):
        raw = file.RawMesh(CUBE, HEX, node_sets={"top": np.array(nodes, dtype=np.int64)})
        ((_, text),) = find_set_faults(raw, make_file(tmp_path / "mesh.vtk"))
        assert words in text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.vtk", None, "there is no such file"),
        ("notes.txt", "hello", "cannot be read as a mesh"),
        ("bad.vtk", "hello", "cannot be read as a mesh"),
        ("bad.msh", "$MeshFormat\n9.9 0 8\n", "cannot be read as a mesh"),
        ("bad.inp", "*NODE\n1, x, y\n", "cannot be read as a mesh"),
        (".", None, "it is a folder"),
    ],
)
def test_what_is_no_mesh_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    (fault,) = find_mesh_faults(make_file(tmp_path / name), ("meshes", "pad"))
    assert fault.startswith("meshes.pad.path: ") and words in fault
    assert capsys.readouterr() == ("", "")


def test_without_meshio_it_says_what_to_install(
    tmp_path: Path, block: MeshData, monkeypatch: pytest.MonkeyPatch
) -> None:
    meshio.write_points_cells(tmp_path / "block.vtk", block.nodes, [("hexahedron", block.brick.node)])
    usual = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "meshio":
            raise ImportError(name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ModelError, match=r"mesh files need meshio.*pip install 'grouser\[mesh\]'"):
        make_mesh_data(make_file(tmp_path / "block.vtk"))
