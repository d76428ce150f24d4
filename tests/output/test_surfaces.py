"""Surfaces and terrain of polygons in results: drawn by their own polygons, whole without the files they came from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import grouser as gr
from grouser.errors import ResultError
from grouser.model.surface import Surface
from grouser.output.gltf import save_glb
from grouser.output.render import save_still
from grouser.output.scene import make_scene
from grouser.output.side_view import make_side_view
from grouser.result.result import load_result
from grouser.surface.make import make_rigid_data

CORNERS = np.array([[0, 0, 0], [300, 0, 0], [0, 300, 0], [0, 0, 300]], dtype=float)
FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]


def write_obj(path: Path, corners: np.ndarray, faces: list[list[int]]) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in corners.tolist()]
    path.write_text("\n".join(lines + ["f " + " ".join(str(row + 1) for row in face) for face in faces]) + "\n")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel with lugs, a gear, and a part from a file fall over a ground from a file, beside a fixed post."""
    folder = tmp_path_factory.mktemp("surfaces")
    write_obj(folder / "part.obj", CORNERS, FACES)
    write_obj(
        folder / "ground.obj", np.array([[-2, -2, 0], [2, -2, 0], [2, 2, 0.5], [-2, 2, 0.5]]), [[0, 1, 2], [0, 2, 3]]
    )
    builder = gr.ModelBuilder("surfaces")
    for number, name in enumerate(("wheel", "gear", "part")):
        builder.add_body(name, 10.0, (1, 1, 1), position=(number - 1.0, 0, 1.5), angular_velocity=(0, 1, 0))
    wheel = {"type": "cylinder", "radius": 0.3, "length": 0.2, "lugs": 12, "lug_height": 0.04, "lug_width": 0.04}
    builder.add_surface("tread", "wheel", group="s", geometry=wheel)
    gear = {"type": "sprocket", "teeth": 10, "arc_radius": 0.03, "arc_centre_radius": 0.25, "addendum_radius": 0.25}
    builder.add_surface("ring", "gear", group="s", geometry={**gear, "planes": [-0.2, 0.2], "width": 0.08})
    part = {"type": "file", "path": str(folder / "part.obj"), "unit": 0.001}
    builder.add_surface("solid", "part", group="s", geometry=part, position=(-0.1, -0.1, 0))
    builder.add_surface(
        "post", "world", group="w", geometry={"type": "box", "sides": [0.1, 0.1, 1]}, position=(0, 1, 1)
    )
    terrain = {"type": "file", "path": str(folder / "ground.obj")}
    builder.set_terrain({"type": "mesh", "geometry": terrain})
    gr.simulate(builder.build(), preset="penalty", duration=0.02, out=folder / "run.h5").close()
    return folder / "run.h5"


def test_bodies_look_like_their_surfaces(run: Path) -> None:
    with load_result(run) as result:
        scene = make_scene(result)
        for body, name in (("wheel", "tread"), ("gear", "ring"), ("part", "solid")):
            shape = result.model.shapes[name]
            assert isinstance(shape, Surface)
            mesh, data = scene.meshes[scene.mesh[scene.bodies.index(body)]], make_rigid_data(shape)
            for end in ("min", "max"):
                drawn, given = getattr(mesh.vertices, end)(axis=0), getattr(data.vertices, end)(axis=0)
                assert drawn == pytest.approx(given, abs=1e-5)
        # the ground and the post
        assert scene.terrain is not None
        assert scene.terrain.vertices.max(axis=0) == pytest.approx([2.0, 2.0, 1.5], abs=1e-6)
        assert scene.terrain.vertices.min(axis=0) == pytest.approx([-2.0, -2.0, 0.0], abs=1e-6)


def test_pictures(run: Path, tmp_path: Path) -> None:
    with load_result(run) as result:
        make_side_view(result, 0.0).savefig(tmp_path / "side.png")
        save_still(result, tmp_path / "still.png")
        save_glb(result, tmp_path / "scene.glb")
    for name in ("side.png", "still.png", "scene.glb"):
        assert (tmp_path / name).stat().st_size > 10_000


def test_the_files_may_be_gone(run: Path) -> None:
    with load_result(run) as result:
        before = {name: make_rigid_data(shape) for name, shape in result.model.shapes.items()}  # type: ignore[arg-type]
        assert result.model.terrain.geometry.path == str(run.parent / "ground.obj")  # type: ignore[union-attr]
    write_obj(run.parent / "part.obj", 2.0 * CORNERS, FACES)
    (run.parent / "ground.obj").unlink()
    with load_result(run) as result:
        for name, shape in result.model.shapes.items():
            assert isinstance(shape, Surface)
            after = make_rigid_data(shape)
            assert np.array_equal(after.vertices, before[name].vertices)
            assert np.array_equal(after.polygons, before[name].polygons)
        assert "ground.obj#" in result.model.terrain.geometry.path  # type: ignore[union-attr]
        assert make_scene(result).terrain is not None


def test_what_is_kept_may_be_damaged(run: Path, tmp_path: Path) -> None:
    import h5py

    path = tmp_path / "damaged.h5"
    path.write_bytes(run.read_bytes())
    with h5py.File(path, "r+") as file:
        file["run/surfaces"][30:200] = 0
    with load_result(path) as result, pytest.raises(ResultError, match="cannot be read"):
        _ = result.model
