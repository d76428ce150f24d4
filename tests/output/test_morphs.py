"""Flexible meshes in 3D files: the shapes at the keys, and the frame that carries them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from synthetic_meshes import list_blocks, make_mesh_result, make_model
from test_gltf import TOLERANCE, Reader, validate

from grouser.mesh.make import make_mesh_data
from grouser.output.deforming import make_deforming
from grouser.output.gltf import save_glb
from grouser.output.mesh_motion import read_seen_nodes
from grouser.output.morphs import MOST_KEYS, find_keys, fit_turn, make_morphs
from grouser.output.scene import make_stage
from grouser.result.writer import ResultWriter

FRAMES = 121


@pytest.fixture(scope="module")
def result():
    return make_mesh_result(frames=FRAMES)


@pytest.fixture(scope="module")
def path(result, tmp_path_factory) -> Path:
    return save_glb(result, tmp_path_factory.mktemp("glb") / "shaker.glb")


def calc_vertices(reader: Reader, name: str, time: float) -> np.ndarray:
    """Vertices of a mesh in the file's scene at a time, blended as the format says, (n, 3) [m]."""
    document = reader.document
    number = next(i for i, node in enumerate(document["nodes"]) if node["name"] == name)
    (part,) = document["meshes"][document["nodes"][number]["mesh"]]["primitives"]
    local = reader.read(part["attributes"]["POSITION"]).astype(float)
    animation = document["animations"][0]
    for channel in animation["channels"]:
        if channel["target"] == {"node": number, "path": "weights"}:
            sampler = animation["samplers"][channel["sampler"]]
            times = reader.read(sampler["input"])[:, 0]
            weights = reader.read(sampler["output"]).reshape(len(times), -1)
            for k, target in enumerate(part["targets"]):
                local = local + np.interp(time, times, weights[:, k]) * reader.read(target["POSITION"])
    # weights are none of what places nodes
    moved = [one for one in animation["channels"] if one["target"]["path"] != "weights"]
    rest = Reader.__new__(Reader)
    rest.__dict__ = {**reader.__dict__, "document": {**document, "animations": [{**animation, "channels": moved}]}}
    matrix = rest.calc_transforms(time)[name]
    return local @ matrix[:3, :3].T + matrix[:3, 3]


def test_the_khronos_validator_finds_nothing(path):
    validate(path)


def test_vertices_are_where_the_nodes_are_at_the_keys(result, path):
    reader = Reader(path)
    for mesh in make_deforming(result.model):
        places = read_seen_nodes(result, mesh)
        for frame in find_keys(FRAMES, mesh.vertex_count)[[0, 7, 30, 59]]:
            found = calc_vertices(reader, mesh.name, result.time[frame])
            x, y, z = places[frame][mesh.corner].T
            assert found[: len(mesh.corner)] == pytest.approx(np.column_stack([x, z, -y]), abs=TOLERANCE)


def test_the_number_of_keys_is_bounded_and_told(path):
    document = Reader(path).document
    meshes = {mesh["name"]: mesh for mesh in document["meshes"]}
    for name in ("plate", "truss", "beam_thin", "beam_thick"):
        mesh = meshes[name]
        assert mesh["extras"]["keys"] == MOST_KEYS and mesh["extras"]["frames"] == FRAMES
        assert len(mesh["primitives"][0]["targets"]) == len(mesh["extras"]["targetNames"]) == MOST_KEYS - 1


def test_a_mesh_that_turns_and_drives_is_carried(tmp_path):
    """A stiff plate in flight has no deformation at all: its frame has all of the motion, between keys too."""
    model = make_model(is_alone=True)
    nodes = make_mesh_data(model.meshes["plate"]).nodes
    time = np.linspace(0.0, 2.0, 401)
    turns = Rotation.from_rotvec(np.outer(9.0 * time, [0.0, 0.6, 0.8])).as_matrix()
    places = nodes @ turns.transpose(0, 2, 1) + (20.0 * time)[:, None, None] * np.array([1.0, 0.0, 0.0])
    blocks = [block for block in list_blocks(model, has_values=False) if block.items]
    writer = ResultWriter(None, header={"model_name": "flight"}, blocks=blocks, model=model)
    writer.add_frames(time, {"node/position": places, "node/velocity": np.zeros_like(places)})
    result = writer.finish("done")
    stage = make_stage(result)
    morphs = make_morphs(result, stage, stage.deforming[0])
    assert np.ptp(morphs.vertices, axis=0).max() < TOLERANCE
    reader = Reader(save_glb(result, tmp_path / "flight.glb"))
    mesh = stage.deforming[0]
    x, y, z = places[202][mesh.nodes][mesh.corner].T
    found = calc_vertices(reader, "plate", time[202])
    assert found == pytest.approx(np.column_stack([x, z, -y]), abs=10 * TOLERANCE)


def test_a_straight_line_keeps_its_turn_about_itself():
    line = np.column_stack([np.linspace(-1.0, 1.0, 5), np.zeros(5), np.zeros(5)])
    swung = Rotation.from_rotvec([0.0, 0.0, 0.1]).as_matrix()
    turn = fit_turn(line, line @ swung.T, np.eye(3))
    assert turn == pytest.approx(swung, abs=1e-3)


def test_one_frame_needs_no_targets(tmp_path):
    path = save_glb(make_mesh_result(frames=1), tmp_path / "still.glb")
    document = Reader(path).document
    assert all("targets" not in part for mesh in document["meshes"] for part in mesh["primitives"])
    validate(path)
