"""glTF 2.0: a result as an animated 3D scene that any viewer and Blender can open.

One node for every body with its name, moved by animations of translation and rotation that are linear between the
stored frames. Flexible meshes are nodes too, whose shape is blended between morph targets, one for each key (`morphs`).
Lengths are metres. glTF has y upwards, so a root node turns our z to it.
Source of the format: Khronos Group, glTF 2.0 Specification, 2021.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ResultError
from grouser.output.colour import Colour, calc_linear
from grouser.output.mesh import Array, Mesh
from grouser.output.morphs import Morphs, make_morphs
from grouser.output.poses import split_poses
from grouser.output.scene import Stage, make_stage
from grouser.result.mark import MADE_BY
from grouser.result.target import check_place
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    from grouser.result.result import Result

FLOAT, UNSIGNED = 5126, 5125
"""Types of components: float32 and uint32."""
VERTICES, INDICES = 34962, 34963
"""What a view of the buffer is for."""
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
UPRIGHT = [-float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5))]
"""Turns z up to y up."""
ROUGHNESS = 0.75
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
LARGEST = 2**32 - 1
"""Most that a file can have, since its length stands in it as uint32 [bytes]."""

Poses = tuple[Array, Array]
"""Positions (frames, bodies, 3) [m] and quaternions (frames, bodies, 4)."""


def save_glb(result: Result, path: str | Path) -> Path:
    """Write a result as binary glTF file (.glb), with all stored frames, of which only some are in memory at a time."""
    path = Path(path)
    check_place(path, "3D scene")
    facts = {
        key: value
        for key, value in result.header.items()
        if isinstance(value, str | int) or (isinstance(value, float) and np.isfinite(value))
    }
    stage = make_stage(result)
    first = next(split_poses(result, stage.frames[:1]))
    morphs = [make_morphs(result, stage, mesh) for mesh in stage.deforming]
    start, content = _describe(stage, {**facts, "status": result.status, "units": "m, s"}, first, morphs)
    with save_whole(path, "3D scene") as unfinished, unfinished.open("wb") as file:
        file.write(start)
        _write_motion(file, len(start), content, split_poses(result, stage.frames))
    return path


def _describe(stage: Stage, facts: dict[str, Any], first: Poses, morphs: Sequence[Morphs]) -> tuple[bytes, _Content]:
    """All of a binary glTF file up to the motion of the bodies, and what describes its content.

    Parameters
    ----------
    facts : stored with the file, in ``asset.extras``
    first : poses of the first frame, which viewers show that know no animation
    morphs : of the flexible meshes
    """
    content = _Content()
    meshes = [*stage.meshes, *([stage.terrain] if stage.terrain is not None else [])]
    for mesh in meshes:
        content.add_mesh(mesh)
    poses = (values[0].tolist() for values in first)
    bodies: list[dict[str, Any]] = [
        {"name": name, "mesh": mesh, "translation": place, "rotation": turn}
        for name, mesh, place, turn in zip(stage.bodies, stage.mesh, *poses, strict=True)
    ]
    for number, (one, flexible) in enumerate(zip(morphs, stage.deforming, strict=True)):
        content.add_morphs(one, flexible.colour, stage.time)
        pose = {"translation": one.position[0].tolist(), "rotation": one.quaternion[0].tolist()}
        bodies.append({"name": one.name, "mesh": len(meshes) + number, **pose})
    if stage.terrain is not None:
        bodies.append({"name": "terrain", "mesh": len(meshes) - 1})
    root = {"name": "world", "rotation": UPRIGHT, "children": list(range(1, len(bodies) + 1))}
    content.add_animation(stage, morphs)
    start = content.pack(
        {
            "asset": {"version": "2.0", "generator": MADE_BY, "extras": {"title": stage.title, **facts}},
            "scene": 0,
            "scenes": [{"name": stage.title, "nodes": [0]}],
            "nodes": [root, *bodies],
        }
    )
    return start, content


def _write_motion(file: BinaryIO, start: int, content: _Content, parts: Iterable[Poses]) -> None:
    """Write poses to the places that were kept for them: a body after the other, each with all its frames."""
    done = 0
    for part in parts:
        count = len(part[0])
        for values, places in zip(part, content.motion, strict=True):
            for body, place in enumerate(places):
                data = np.ascontiguousarray(values[:, body], dtype="<f4")
                file.seek(start + place + done * data.strides[0])
                file.write(data.data)
        done += count


class _Content:
    """The buffer of a file: small arrays as they are, places for large ones, and what describes both.

    Attributes
    ----------
    motion : where the positions and the quaternions of each body go, from the first kept place on [bytes]
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._kept = 0
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._materials: dict[Colour, int] = {}
        self._animations: list[dict[str, Any]] = []
        self.motion: tuple[list[int], list[int]] = ([], [])

    def _add_array(self, values: NDArray[Any], target: int | None = None, *, has_bounds: bool = False) -> int:
        """Number of the accessor of an array (n,) or (n, components); `has_bounds` writes its least and largest."""
        assert self._kept == 0
        kind = UNSIGNED if values.dtype.kind in "iu" else FLOAT
        data = np.ascontiguousarray(values, dtype="<u4" if kind == UNSIGNED else "<f4")
        number = self._add_view(kind, len(data), 1 if data.ndim == 1 else data.shape[1], target)
        self._buffer += data.tobytes()
        if has_bounds:
            flat = data.reshape(len(data), -1)
            self._accessors[number] |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return number

    def _keep(self, count: int, width: int) -> tuple[int, int]:
        """Number of the accessor of numbers (count, width) that are written later, and their place behind all arrays
        [bytes]."""
        place = self._kept
        number = self._add_view(FLOAT, count, width)
        self._kept += 4 * count * width
        return number, place

    def _add_view(self, kind: int, count: int, width: int, target: int | None = None) -> int:
        view = {"buffer": 0, "byteOffset": len(self._buffer) + self._kept, "byteLength": 4 * count * width}
        self._views.append(view if target is None else {**view, "target": target})
        number = len(self._views) - 1
        self._accessors.append({"bufferView": number, "componentType": kind, "count": count, "type": KINDS[width]})
        return number

    def add_mesh(self, mesh: Mesh) -> None:
        """A mesh; the faces of each colour are a part of it, since not every viewer shows colours of vertices."""
        attributes = {
            "POSITION": self._add_array(mesh.vertices, VERTICES, has_bounds=True),
            "NORMAL": self._add_array(mesh.normals, VERTICES),
        }
        colours, kind = np.unique(mesh.colours[mesh.faces[:, 0]], axis=0, return_inverse=True)
        parts = [
            {
                "attributes": attributes,
                "indices": self._add_array(mesh.faces[kind.reshape(-1) == i].reshape(-1), INDICES),
                "material": self._find_material(tuple(colour)),
            }
            for i, colour in enumerate(calc_linear(colours.astype(float)).round(5).tolist())
        ]
        self._meshes.append({"name": mesh.name, "primitives": parts})

    def _find_material(self, colour: Colour) -> int:
        return self._materials.setdefault(colour, len(self._materials))

    def add_morphs(self, morphs: Morphs, colour: Colour, time: Array) -> None:
        """A flexible mesh: its first shape, and for each further key what has changed since then."""
        vertices, normals = morphs.vertices, morphs.normals
        part: dict[str, Any] = {
            "attributes": {
                "POSITION": self._add_array(vertices[0], VERTICES, has_bounds=True),
                "NORMAL": self._add_array(normals[0], VERTICES),
            },
            "indices": self._add_array(morphs.faces.reshape(-1), INDICES),
            "material": self._find_material(tuple(calc_linear(np.array(colour)).round(5).tolist())),
        }
        if len(morphs.keys) > 1:
            part["targets"] = [
                {
                    "POSITION": self._add_array(vertices[key] - vertices[0], VERTICES, has_bounds=True),
                    "NORMAL": self._add_array(normals[key] - normals[0], VERTICES),
                }
                for key in range(1, len(morphs.keys))
            ]
        names = [f"{moment:.6g} s" for moment in time[morphs.keys[1:]]]
        extras = {"targetNames": names, "keys": len(morphs.keys), "frames": len(time)}
        self._meshes.append({"name": morphs.name, "primitives": [part], "extras": extras})

    def add_animation(self, stage: Stage, morphs: Sequence[Morphs]) -> None:
        """The motion of flexible meshes, and places for that of all bodies; body i is node i + 1, meshes follow."""
        time = self._add_array(stage.time, has_bounds=True)
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []

        def add(node: int, path: str, times: int, output: int) -> None:
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})

        for node, one in enumerate(morphs, start=len(stage.bodies) + 1):
            add(node, "translation", time, self._add_array(one.position))
            add(node, "rotation", time, self._add_array(one.quaternion))
            if len(one.keys) > 1:
                # at each key its own target counts alone; at the first none does
                weights = np.eye(len(one.keys), dtype=np.float32)[:, 1:].reshape(-1)
                times = self._add_array(stage.time[one.keys], has_bounds=True)
                add(node, "weights", times, self._add_array(weights))
        for i in range(len(stage.bodies)):
            for path, width, places in (("translation", 3, self.motion[0]), ("rotation", 4, self.motion[1])):
                output, place = self._keep(len(stage.time), width)
                places.append(place)
                add(i + 1, path, time, output)
        self._animations.append({"name": "motion", "samplers": samplers, "channels": channels})

    def pack(self, document: dict[str, Any]) -> bytes:
        """The file up to what is written later: a header, the document and the buffer, each filled up to multiples of
        four bytes."""
        metal = {"metallicFactor": 0.0, "roughnessFactor": ROUGHNESS}
        size = len(self._buffer) + self._kept
        whole = {
            **document,
            "meshes": self._meshes,
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [*c, 1.0], **metal}} for c in self._materials],
            "animations": self._animations,
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": size}],
        }
        text = json.dumps(whole, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        length = 12 + 8 + len(text) + 8 + size
        if length > LARGEST:
            raise ResultError(
                f"the 3D scene would have {length / 1e9:.3g} GB, and a .glb file has at most {LARGEST / 1e9:.3g} GB: "
                "repeat the run with a longer --output-interval, or a shorter duration"
            )
        head = struct.pack("<4sII", b"glTF", 2, length)
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        return head + chunks + struct.pack("<II", size, BINARY_CHUNK) + bytes(self._buffer)
