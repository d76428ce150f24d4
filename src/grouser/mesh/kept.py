"""Meshes from files, kept as bytes: so that a result can be read without the files that its model was made of."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import ModelError
from grouser.mesh.file import LARGEST_FILE, read_raw, remember
from grouser.mesh.raw import RawMesh
from grouser.model.mesh import FileMesh

ARRAYS = ("nodes", "bricks", "lines")
SETS = ("node_sets", "faces")


def keep_meshes(meshes: Mapping[str, Any]) -> bytes:
    """The meshes among these that come from files, in the units of the files; empty where there are none."""
    found = {name: read_raw(mesh.path) for name, mesh in meshes.items() if isinstance(mesh, FileMesh)}
    if not found:
        return b""
    arrays = {f"{name}/{key}": array for name, raw in found.items() for key, array in _list_arrays(raw).items()}
    return pack_arrays(arrays)


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Arrays by name as bytes."""
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def unpack_arrays(kept: bytes) -> dict[str, np.ndarray]:
    """What `pack_arrays` made bytes of; a `ModelError` where it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(kept)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > LARGEST_FILE:
            raise ModelError(f"the meshes that are kept in it would take {size / 1e6:.0f} MB: it is damaged")
        with np.load(io.BytesIO(kept), allow_pickle=False) as stored:
            return {key: stored[key] for key in stored.files}
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise ModelError(f"the meshes that are kept in it cannot be read: {error}") from error


def restore_meshes(meshes: Mapping[str, dict[str, Any]], kept: bytes) -> None:
    """Have meshes of a model as JSON found that were kept. Where the file of one is gone or differs from what was kept,
    its path gets an addition by which it is known.

    Raises
    ------
    ModelError : what was kept cannot be read
    """
    if not kept:
        return
    arrays = unpack_arrays(kept)
    try:
        for name, mesh in meshes.items():
            if mesh.get("type") == "file":
                own = {key: array for key, array in arrays.items() if key.startswith(f"{name}/")}
                _restore(mesh, {key.removeprefix(f"{name}/"): array for key, array in own.items()})
    except (KeyError, ValueError) as error:
        raise ModelError(f"the meshes that are kept in it cannot be read: {error}") from error


def _restore(mesh: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    sets: dict[str, dict[str, np.ndarray]] = {name: {} for name in SETS}
    cells: dict[str, dict[str, np.ndarray]] = {}
    for key, array in arrays.items():
        family, _, name = key.partition("/")
        if family in SETS:
            sets[family][name] = array
        elif family == "cell_sets":
            kind, _, name = name.partition("/")
            cells.setdefault(name, {})[kind] = array
    nodes, bricks, lines = (arrays[name] for name in ARRAYS)
    raw = RawMesh(nodes, bricks, lines, sets["node_sets"], sets["faces"], cells)
    digest, path = _calc_digest(raw), str(mesh["path"])
    if not _is_there(path, digest):
        mesh["path"] = remember(f"{path}#{digest}", raw)


def _is_there(path: str, digest: str) -> bool:
    """Whether the file of a mesh is what it was."""
    if not Path(path).is_file():
        return False
    try:
        return _calc_digest(read_raw(path)) == digest
    except ModelError:
        return False


def _list_arrays(raw: RawMesh) -> dict[str, np.ndarray]:
    """All arrays of a mesh from a file, by name."""
    found = {name: getattr(raw, name) for name in ARRAYS}
    found |= {f"{family}/{name}": array for family in SETS for name, array in getattr(raw, family).items()}
    cells = raw.cell_sets.items()
    return found | {f"cell_sets/{kind}/{name}": array for name, kinds in cells for kind, array in kinds.items()}


def _calc_digest(raw: RawMesh) -> str:
    """By what the content of a mesh is known."""
    digest = hashlib.sha256()
    for name, array in sorted(_list_arrays(raw).items()):
        digest.update(f"{name}{array.shape}{array.dtype.kind}".encode())
        digest.update(np.ascontiguousarray(array, dtype=float if array.dtype.kind == "f" else np.int64).tobytes())
    return digest.hexdigest()[:12]
