"""Results for ParaView: read back by VTK itself where it is installed, and by meshio."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from synthetic_meshes import calc_shift, make_mesh_result
from synthetic_track import make_pendulum_result

from grouser.errors import ResultError
from grouser.mesh.make import make_mesh_data
from grouser.output.scene import make_scene
from grouser.output.vtk_series import save_series
from grouser.result.mark import is_marked

meshio = pytest.importorskip("meshio")


@pytest.fixture(scope="module")
def result():
    return make_mesh_result()


@pytest.fixture(scope="module")
def series(result, tmp_path_factory) -> Path:
    return save_series(result, tmp_path_factory.mktemp("vtk") / "shaker.pvd")


def list_entries(path: Path) -> list[tuple[float, int, Path]]:
    """Times, parts and files of a collection."""
    root = ElementTree.parse(path).getroot()
    assert (root.tag, root.get("type")) == ("VTKFile", "Collection")
    sets = root.findall("Collection/DataSet")
    return [(float(one.get("timestep")), int(one.get("part")), path.parent / one.get("file")) for one in sets]


def test_the_collection_names_every_frame(result, series):
    entries = list_entries(series)
    for part in (0, 1):
        assert [time for time, one, _ in entries if one == part] == pytest.approx(list(result.time))
    assert sorted(file for _, _, file in entries) == sorted(series.with_suffix("").iterdir())


def test_nodes_and_elements_have_their_values(result, series):
    for time, part, file in list_entries(series):
        if part != 0:
            continue
        grid = meshio.read(file)
        rest = np.concatenate([make_mesh_data(mesh).nodes for mesh in result.model.meshes.values()])
        assert grid.points == pytest.approx(rest + calc_shift(rest, time), abs=1e-12)
        assert grid.point_data["displacement"] == pytest.approx(calc_shift(rest, time), abs=1e-12)
        assert "velocity" in grid.point_data
    frame = 5
    grid = meshio.read(next(file for t, part, file in list_entries(series) if part == 0 and t == result.time[frame]))
    assert {block.type: len(block.data) for block in grid.cells} == {"hexahedron": 24, "line": 12}
    for key in ("von_mises", "strain", "surface_von_mises", "surface_strain"):
        bricks, bars = grid.cell_data[key]
        assert bricks == pytest.approx(result.block(f"brick/{key}")[0][frame, :, 0])
        assert np.isnan(bars).all()
    bricks, bars = grid.cell_data["axial_force"]
    assert np.isnan(bricks).all()
    assert bars[:4] == pytest.approx(result.block("truss/force")[0][frame, :, 0])
    assert np.isnan(bars[8:]).all()  # thick beams: the result has no force of them
    assert grid.cell_data["mesh"][1].tolist() == [1] * 4 + [2] * 4 + [3] * 4


def test_vtk_reads_every_file(result, series):
    reading = pytest.importorskip("vtkmodules.vtkIOXML")
    support = pytest.importorskip("vtkmodules.util.numpy_support")
    for _, part, file in list_entries(series):
        reader = reading.vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(file))
        reader.Update()
        assert reader.GetErrorCode() == 0
        grid = reader.GetOutput()
        if part == 0:
            assert grid.GetNumberOfCells() == 24 + 12
            stress = support.vtk_to_numpy(grid.GetCellData().GetArray("von_mises"))
            shift = support.vtk_to_numpy(grid.GetPointData().GetArray("displacement"))
            assert np.isfinite(stress[:24]).all() and shift.shape == (grid.GetNumberOfPoints(), 3)
            assert {grid.GetCell(i).GetClassName() for i in range(36)} == {"vtkHexahedron", "vtkLine"}
            assert all(grid.GetCell(i).GetNumberOfPoints() == 8 for i in range(24))
        else:
            assert grid.GetNumberOfCells() == len(make_scene(result).meshes[0].faces)  # the anvil


def test_a_model_without_meshes_has_bodies_alone(tmp_path):
    entries = list_entries(save_series(make_pendulum_result(), tmp_path / "pendulum.pvd", every=10))
    assert {part for _, part, _ in entries} == {1}
    assert [time for time, _, _ in entries] == pytest.approx(np.arange(0.0, 2.01, 0.2))


def test_a_mesh_alone_has_no_bodies(tmp_path):
    path = save_series(make_mesh_result(frames=2, is_alone=True, has_values=False), tmp_path / "plate.pvd")
    assert [part for _, part, _ in list_entries(path)] == [0, 0]


def test_an_earlier_series_is_replaced_and_nothing_else(tmp_path):
    path = tmp_path / "a.pvd"
    save_series(make_mesh_result(frames=5, is_alone=True), path)
    assert is_marked(path)
    short = make_mesh_result(frames=2, is_alone=True)
    save_series(short, path)
    assert len(list((tmp_path / "a").iterdir())) == 2
    other = tmp_path / "a" / "notes.txt"
    other.write_text("mine")
    with pytest.raises(ResultError, match=re.escape("notes.txt")):
        save_series(short, path)
    save_series(short, path, force=True)
    assert other.read_text() == "mine"
    other.unlink()
    path.unlink()
    with pytest.raises(ResultError, match="holds a series already"):
        save_series(short, path)
    path.write_text("<VTKFile/>")
    with pytest.raises(ResultError, match="is not a VTK series of grouser"):
        save_series(short, path)
    assert list(tmp_path.glob(".*")) == []


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(ResultError, match="which is a file"):
        save_series(make_mesh_result(frames=2, is_alone=True), tmp_path / "a.pvd")
    with pytest.raises(ResultError, match="at least 1"):
        save_series(make_mesh_result(frames=2, is_alone=True), tmp_path / "b.pvd", every=0)
