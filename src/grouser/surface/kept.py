"""Surfaces from files, kept as bytes: so that a result can be read without the files that its model was made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.errors import ModelError
from grouser.mesh.kept import pack_arrays, unpack_arrays
from grouser.model.surface import FileGeometry, Surface
from grouser.model.terrain import MeshTerrain
from grouser.surface.file import read_surface, remember
from grouser.surface.raw import INDEX, RawSurface

if TYPE_CHECKING:
    from grouser.model.model import Model


def keep_surfaces(model: Model) -> bytes:
    """The surfaces of a model that come from files, in the units of the files, each once; empty where there are
    none."""
    shapes = [shape.geometry for shape in model.shapes.values() if isinstance(shape, Surface)]
    geometries = [*shapes, model.terrain.geometry if isinstance(model.terrain, MeshTerrain) else None]
    paths = dict.fromkeys(geometry.path for geometry in geometries if isinstance(geometry, FileGeometry))
    arrays = {}
    for number, path in enumerate(paths):
        arrays[f"{number}/vertices"], arrays[f"{number}/polygons"] = read_surface(path)
    return pack_arrays(arrays) if arrays else b""


def restore_surfaces(data: Mapping[str, Any], kept: bytes) -> None:
    """Have surfaces of a model as JSON found that were kept. Where the file of one is gone or differs from what was
    kept, its path gets an addition by which it is known.

    Raises
    ------
    ModelError : what was kept cannot be read
    """
    if not kept:
        return
    arrays = unpack_arrays(kept)
    numbers: dict[str, int] = {}
    for geometry in _list_files(data):
        path = str(geometry["path"])
        number = numbers.setdefault(path, len(numbers))
        try:
            raw = RawSurface(arrays[f"{number}/vertices"].astype(float), arrays[f"{number}/polygons"].astype(INDEX))
        except (KeyError, ValueError) as error:
            raise ModelError(f"the surfaces that are kept in it cannot be read: {error}") from error
        digest = _calc_digest(raw)
        if not _is_there(path, digest):
            geometry["path"] = remember(f"{path}#{digest}", raw)


def _list_files(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Geometries from files of a model as JSON, in the order in which they are kept."""
    for part in (*data.get("shapes", {}).values(), data.get("terrain")):
        geometry = part.get("geometry") if isinstance(part, dict) else None
        if isinstance(geometry, dict) and geometry.get("type") == "file":
            yield geometry


def _is_there(path: str, digest: str) -> bool:
    """Whether the file of a surface is what it was."""
    try:
        return Path(path).is_file() and _calc_digest(read_surface(path)) == digest
    except ModelError:
        return False


def _calc_digest(raw: RawSurface) -> str:
    """By what the content of a surface is known."""
    content = np.ascontiguousarray(raw.vertices).tobytes() + np.ascontiguousarray(raw.polygons).tobytes()
    return hashlib.sha256(content).hexdigest()[:12]
