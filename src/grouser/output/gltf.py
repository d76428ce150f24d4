"""glTF 2.0: a result as an animated 3D scene that any viewer and Blender can open.

One node for every body with its name, moved by animations of translation and rotation that are linear between the
stored frames. Lengths are metres. glTF has y upwards, so a root node turns our z to it.
Source of the format: Khronos Group, glTF 2.0 Specification, 2021.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grouser._version import __version__
from grouser.output.colour import Colour, calc_linear
from grouser.output.mesh import Mesh
from grouser.output.scene import Scene, make_scene
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


def save_glb(result: Result, path: str | Path) -> Path:
    """Write a result as binary glTF file (.glb), with all stored frames."""
    path = Path(path)
    check_place(path, "3D scene")
    facts = {
        key: value
        for key, value in result.header.items()
        if isinstance(value, str | int) or (isinstance(value, float) and np.isfinite(value))
    }
    content = make_glb(make_scene(result), {**facts, "status": result.status, "units": "m, s"})
    with save_whole(path, "3D scene") as unfinished:
        unfinished.write_bytes(content)
    return path


def make_glb(scene: Scene, facts: dict[str, Any]) -> bytes:
    """A scene as the content of a binary glTF file.

    Parameters
    ----------
    facts : stored with the file, in ``asset.extras``
    """
    writer = _Writer()
    meshes = [*scene.meshes, *([scene.terrain] if scene.terrain is not None else [])]
    for mesh in meshes:
        writer.add_mesh(mesh)
    first = scene.position[0].tolist(), scene.quaternion[0].tolist()
    bodies: list[dict[str, Any]] = [
        {"name": name, "mesh": mesh, "translation": place, "rotation": turn}
        for name, mesh, place, turn in zip(scene.bodies, scene.mesh, *first, strict=True)
    ]
    if scene.terrain is not None:
        bodies.append({"name": "terrain", "mesh": len(meshes) - 1})
    root = {"name": "world", "rotation": UPRIGHT, "children": list(range(1, len(bodies) + 1))}
    writer.add_animation(scene)
    return writer.pack(
        {
            "asset": {
                "version": "2.0",
                "generator": f"grouser {__version__}",
                "extras": {"title": scene.title, **facts},
            },
            "scene": 0,
            "scenes": [{"name": scene.title, "nodes": [0]}],
            "nodes": [root, *bodies],
        }
    )


class _Writer:
    """Collects arrays in one buffer, and what describes them."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._materials: dict[Colour, int] = {}
        self._animations: list[dict[str, Any]] = []

    def _add_array(self, values: NDArray[Any], target: int | None = None, *, has_bounds: bool = False) -> int:
        """Number of the accessor of an array (n,) or (n, components); `has_bounds` writes its least and largest."""
        kind = UNSIGNED if values.dtype.kind in "iu" else FLOAT
        data = np.ascontiguousarray(values, dtype="<u4" if kind == UNSIGNED else "<f4")
        view = {"buffer": 0, "byteOffset": len(self._buffer), "byteLength": data.nbytes}
        self._views.append(view if target is None else {**view, "target": target})
        self._buffer += data.tobytes()
        accessor: dict[str, Any] = {
            "bufferView": len(self._views) - 1,
            "componentType": kind,
            "count": len(data),
            "type": KINDS[1 if data.ndim == 1 else data.shape[1]],
        }
        if has_bounds:
            flat = data.reshape(len(data), -1)
            accessor |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self._accessors.append(accessor)
        return len(self._accessors) - 1

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

    def add_animation(self, scene: Scene) -> None:
        """The motion of all bodies; body i is node i + 1."""
        time = self._add_array(scene.time, has_bounds=True)
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        for i in range(len(scene.bodies)):
            for path, values in (("translation", scene.position), ("rotation", scene.quaternion)):
                channels.append({"sampler": len(samplers), "target": {"node": i + 1, "path": path}})
                samplers.append({"input": time, "output": self._add_array(values[:, i]), "interpolation": "LINEAR"})
        self._animations.append({"name": "motion", "samplers": samplers, "channels": channels})

    def pack(self, document: dict[str, Any]) -> bytes:
        """The whole file: a header, the document and the buffer, each filled up to multiples of four bytes."""
        metal = {"metallicFactor": 0.0, "roughnessFactor": ROUGHNESS}
        whole = {
            **document,
            "meshes": self._meshes,
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [*c, 1.0], **metal}} for c in self._materials],
            "animations": self._animations,
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._buffer)}],
        }
        text = json.dumps(whole, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(self._buffer))
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        return head + chunks + struct.pack("<II", len(self._buffer), BINARY_CHUNK) + bytes(self._buffer)
