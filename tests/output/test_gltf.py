"""The 3D file, read back with nothing but the format in hand."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from synthetic_track import Drive, make_pendulum_result, make_result

from grouser.errors import ResultError
from grouser.model.rotation import quaternion_to_matrix
from grouser.output import gltf
from grouser.output.colour import calc_linear
from grouser.output.gltf import save_glb
from grouser.output.scene import make_scene

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-5
"""Agreement of nodes with channels; float32 keeps 7 digits."""
COMPONENTS = {5126: "<f4", 5125: "<u4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
VALIDATE = """
const validator = require("gltf-validator");
const bytes = new Uint8Array(require("fs").readFileSync(process.argv[1]));
validator.validateBytes(bytes).then((report) => console.log(JSON.stringify(report.issues)));
"""


class Reader:
    """A binary glTF file."""

    def __init__(self, path: Path):
        content = path.read_bytes()
        self.magic, self.version, self.length = struct.unpack_from("<4sII", content)
        self.size = len(content)
        length, self.json_kind = struct.unpack_from("<II", content, 12)
        self.document = json.loads(content[20 : 20 + length])
        start = 20 + length
        self.binary_length, self.binary_kind = struct.unpack_from("<II", content, start)
        self.binary = content[start + 8 :]

    def read(self, accessor: int) -> np.ndarray:
        """Values of an accessor, (n, components)."""
        entry = self.document["accessors"][accessor]
        view = self.document["bufferViews"][entry["bufferView"]]
        count, width = entry["count"], WIDTHS[entry["type"]]
        values = np.frombuffer(self.binary, COMPONENTS[entry["componentType"]], count * width, view["byteOffset"])
        assert values.nbytes == view["byteLength"]
        return values.reshape(count, width)

    def calc_transforms(self, time: float) -> dict[str, np.ndarray]:
        """Matrices (4, 4) from each node to the file's scene, by the rules of the format for linear animations."""
        nodes = [dict(node) for node in self.document["nodes"]]
        animation = self.document["animations"][0]
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler["interpolation"] == "LINEAR"
            times, values = self.read(sampler["input"])[:, 0], self.read(sampler["output"]).astype(float)
            i = int(np.clip(np.searchsorted(times, time) - 1, 0, max(len(times) - 2, 0)))
            a, b = values[i], values[min(i + 1, len(times) - 1)]
            share = np.clip((time - times[i]) / (times[min(i + 1, len(times) - 1)] - times[i]), 0, 1)
            path = channel["target"]["path"]
            nodes[channel["target"]["node"]][path] = slerp(a, b, share) if path == "rotation" else a + share * (b - a)
        found = {}
        pending = [(number, np.eye(4)) for number in self.document["scenes"][self.document["scene"]]["nodes"]]
        while pending:
            number, parent = pending.pop()
            x, y, z, w = nodes[number].get("rotation", (0, 0, 0, 1))
            own = np.eye(4)
            own[:3, :3] = quaternion_to_matrix((w, x, y, z))
            own[:3, 3] = nodes[number].get("translation", (0, 0, 0))
            found[nodes[number]["name"]] = parent @ own
            pending += [(child, parent @ own) for child in nodes[number].get("children", [])]
        return found


def slerp(a, b, share):
    cosine = a @ b
    if cosine < 0:
        b, cosine = -b, -cosine
    angle = np.arccos(min(cosine, 1.0))
    if angle < 1e-3:  # lengths of float32 quaternions leave no digits for the angle
        return a + share * (b - a)
    return (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=0.5, yaw_rate=1.0))


@pytest.fixture(scope="module")
def path(result, tmp_path_factory) -> Path:
    return save_glb(result, tmp_path_factory.mktemp("glb") / "small.glb")


@pytest.fixture(scope="module")
def reader(path) -> Reader:
    return Reader(path)


def test_the_container_is_whole(reader):
    assert (reader.magic, reader.version) == (b"glTF", 2)
    assert reader.length == reader.size
    assert (reader.json_kind, reader.binary_kind) == (0x4E4F534A, 0x004E4942)
    assert reader.binary_length == len(reader.binary) == reader.document["buffers"][0]["byteLength"]
    assert reader.binary_length % 4 == 0


def test_views_lie_side_by_side_in_the_buffer(reader):
    end = 0
    for view in reader.document["bufferViews"]:
        assert view["byteOffset"] == end and end % 4 == 0
        end += view["byteLength"]
    assert end == reader.binary_length


def test_accessors_hold_what_they_say(reader):
    for number, entry in enumerate(reader.document["accessors"]):
        values = reader.read(number)
        assert np.isfinite(values).all()
        if "min" in entry:
            np.testing.assert_array_equal(values.min(axis=0), np.float32(entry["min"]))
            np.testing.assert_array_equal(values.max(axis=0), np.float32(entry["max"]))


def test_references_resolve(reader):
    document = reader.document
    for mesh in document["meshes"]:
        for part in mesh["primitives"]:
            vertices = document["accessors"][part["attributes"]["POSITION"]]
            assert "min" in vertices and vertices["count"] == len(reader.read(part["attributes"]["NORMAL"]))
            assert reader.read(part["indices"]).max() < vertices["count"]
            assert 0 <= part["material"] < len(document["materials"])
    for sampler in document["animations"][0]["samplers"]:
        assert "min" in document["accessors"][sampler["input"]]
        assert len(reader.read(sampler["input"])) == len(reader.read(sampler["output"]))
    names = [node["name"] for node in document["nodes"]]
    assert len(set(names)) == len(names)
    assert sorted(document["nodes"][0]["children"]) == list(range(1, len(names)))


def test_nodes_are_where_the_channels_say(reader, result):
    up = np.array([(1, 0, 0), (0, 0, 1), (0, -1, 0)])
    """From our axes, z up, to those of the format, y up."""
    for frame in (0, 7, 31, 50):
        transforms = reader.calc_transforms(float(result.time[frame]))
        for body in result.model.bodies:
            np.testing.assert_allclose(
                transforms[body][:3, 3], up @ result[f"{body}.position"][frame], atol=TOLERANCE, err_msg=body
            )
            turn = quaternion_to_matrix(result[f"{body}.orientation"][frame])
            np.testing.assert_allclose(transforms[body][:3, :3], up @ turn, atol=TOLERANCE, err_msg=body)


def test_nodes_move_evenly_between_frames(reader, result):
    transforms = reader.calc_transforms(0.105)
    position = result["chassis.position"][10:12].mean(axis=0)
    np.testing.assert_allclose(transforms["chassis"][:3, 3], position[[0, 2, 1]] * [1, 1, -1], atol=TOLERANCE)


def test_faces_have_the_colours_of_the_scene(reader, result):
    scene = make_scene(result)
    for mesh, entry in zip([*scene.meshes, scene.terrain], reader.document["meshes"], strict=True):
        assert sum(len(reader.read(part["indices"])) for part in entry["primitives"]) == mesh.faces.size
        for part in entry["primitives"]:
            colour = reader.document["materials"][part["material"]]["pbrMetallicRoughness"]["baseColorFactor"]
            own = calc_linear(mesh.colours[reader.read(part["indices"])[:, 0]].astype(float))
            np.testing.assert_allclose(own, np.broadcast_to(colour[:3], own.shape), atol=1e-4)


def test_the_file_tells_what_it_is(reader, result):
    asset = reader.document["asset"]
    assert asset["version"] == "2.0" and asset["generator"].startswith("grouser ")
    assert asset["extras"]["title"] == "small-track, penalty"
    assert (asset["extras"]["model_name"], asset["extras"]["status"]) == ("small-track", "done")


def test_a_model_without_terrain_can_be_exported(tmp_path):
    result = make_pendulum_result()
    reader = Reader(save_glb(result, tmp_path / "p.glb"))
    place = reader.calc_transforms(0.3)["bob"] @ [0, 0, -1, 1]
    angle = np.cos(0.9)
    np.testing.assert_allclose(place[:3], (-np.sin(angle), -np.cos(angle), 0.0), atol=TOLERANCE)


def test_bad_places_are_refused(result, tmp_path):
    with pytest.raises(ResultError, match="does not exist"):
        save_glb(result, tmp_path / "no" / "a.glb")
    assert not list(tmp_path.iterdir())


def test_more_than_the_format_can_hold_is_refused(result, tmp_path, monkeypatch):
    monkeypatch.setattr(gltf, "LARGEST", 100_000)
    with pytest.raises(ResultError, match=r"would have .* GB, and a \.glb file has at most .* --output-interval"):
        save_glb(result, tmp_path / "a.glb")
    assert not list(tmp_path.iterdir())


def validate(path: Path) -> None:
    """Needs node and its package gltf-validator, in the root of the repository or on NODE_PATH."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    found = subprocess.run([node, "-e", 'require("gltf-validator")'], cwd=ROOT, capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("the package gltf-validator is not installed")
    done = subprocess.run([node, "-e", VALIDATE, str(path)], cwd=ROOT, capture_output=True, check=True, text=True)
    issues = json.loads(done.stdout)
    assert issues["numErrors"] == issues["numWarnings"] == 0, issues["messages"]


def test_the_khronos_validator_finds_nothing(path):
    validate(path)
