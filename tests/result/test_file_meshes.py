"""Results of meshes from files are whole without these files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import grouser as gr
from grouser.errors import ResultError
from grouser.mesh.make import make_mesh_data
from grouser.output.report.page import save_report
from grouser.result.result import load_result

meshio = pytest.importorskip("meshio")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A falling bar of two bricks and a line, from a file with sets."""
    x, y, z = np.meshgrid([0.0, 0.5, 1.0], [0.0, 0.1], [0.0, 0.1], indexing="ij")
    nodes = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    cell = np.array([0, 4, 6, 2, 1, 5, 7, 3])
    content = meshio.Mesh(nodes, [("hexahedron", np.array([cell, cell + 4]))], point_sets={"end": np.arange(4)})
    content.write(tmp_path / "bar.inp")
    builder = gr.ModelBuilder("falling")
    steel = {"type": "linear", "young": 1e8, "poisson": 0.3, "density": 1000.0}
    builder.add_mesh("bar", "file", path=str(tmp_path / "bar.inp"), material=steel, fixed=["end"])
    gr.simulate(builder.build(), preset="penalty", duration=0.05, out=tmp_path / "falling.h5").close()
    return tmp_path / "falling.h5"


def test_the_file_of_a_mesh_may_be_gone(run: Path) -> None:
    with load_result(run) as result:
        before = make_mesh_data(result.model.meshes["bar"])
        assert result.model.meshes["bar"].path == str(run.parent / "bar.inp")
    (run.parent / "bar.inp").unlink()
    with load_result(run) as result:
        mesh = result.model.meshes["bar"]
        after = make_mesh_data(mesh)
        assert mesh.path.startswith(str(run.parent / "bar.inp#"))
        for name in ("nodes", "masses", "fixed"):
            assert np.array_equal(getattr(after, name), getattr(before, name))
        assert np.array_equal(after.node_sets["end"], before.node_sets["end"])
        save_report({"falling": result}, run.parent / "falling.html")


def test_a_file_that_has_changed_is_not_taken_for_that_of_the_run(run: Path) -> None:
    path = run.parent / "bar.inp"
    path.write_text(path.read_text().replace("1.0", "2.0"))
    with load_result(run) as result:
        assert make_mesh_data(result.model.meshes["bar"]).nodes[:, 0].max() == 1.0


def test_a_run_goes_on_without_the_file(run: Path) -> None:
    (run.parent / "bar.inp").unlink()
    with gr.resume(run, duration=0.1) as result:
        assert result.time[-1] == pytest.approx(0.1)


def test_kept_meshes_that_are_damaged_are_told(run: Path) -> None:
    import h5py

    with h5py.File(run, "r+") as file:
        file["run/meshes"][...] = 7
    (run.parent / "bar.inp").unlink()
    with load_result(run) as result, pytest.raises(ResultError, match="meshes that are kept in it cannot be read"):
        _ = result.model
