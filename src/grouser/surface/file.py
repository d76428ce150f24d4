"""Surfaces from files, read through trimesh. A file is read once, until it changes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import ModelError, shorten
from grouser.model.text import check_file
from grouser.surface.raw import INDEX, RawSurface, make_polygons, merge_places

LARGEST_FILE = 1_000_000_000
"""Largest file of a surface that is read [bytes]."""
ENDINGS = (".stl", ".obj", ".ply")
SAME = 1e-7
"""Vertices that are nearer than this share of the extent are one: STL files name each corner anew, in float32."""

_remembered: dict[str, RawSurface] = {}
"""Surfaces that are known by a path without being there."""


def read_surface(path: str) -> RawSurface:
    """A surface in the units of its file."""
    return _remembered[path] if path in _remembered else _read(path, find_stamp(path))


def remember(path: str, raw: RawSurface) -> str:
    """Have a surface found by this path, at which there is no file; returns the path."""
    _remembered[path] = raw
    return path


def find_stamp(name: str) -> tuple[int, int]:
    """By what a change of the file is seen: time of its last change, and size."""
    if name in _remembered:
        return 0, 0
    path = Path(name)
    if path.suffix.lower() not in ENDINGS:
        raise ModelError(
            f"{shorten(str(path), 200)}: has the ending {path.suffix or 'none'!r}; files of surfaces end in "
            f"{', '.join(ENDINGS)}: save it as one of these"
        )
    check_file(path)
    found = path.stat()
    if found.st_size > LARGEST_FILE:
        raise ModelError(f"{path}: is too large: at most {LARGEST_FILE / 1e6:g} MB are read; take larger triangles")
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _read(path: str, stamp: tuple[int, int]) -> RawSurface:
    try:
        import trimesh
    except ImportError as error:
        raise ModelError(
            "files of surfaces need trimesh, which is not installed: install it with  pip install 'grouser[mesh]'"
        ) from error
    try:
        found: Any = trimesh.load(path, process=False, force="mesh", skip_materials=True)
        vertices, faces = np.array(found.vertices, dtype=float), np.array(found.faces, dtype=INDEX)
    except Exception as error:  # readers raise whatever they come across
        words = " ".join(str(error).split())
        raise ModelError(f"{path}: cannot be read as a surface: {shorten(words or repr(error), 300)}") from None
    if not len(faces):
        raise ModelError(f"{path}: has no polygons; save the surface with its triangles")
    wrong = ~np.isfinite(vertices).all(axis=1)
    if wrong.any():
        raise ModelError(
            f"{path}: vertex {int(np.argmax(wrong))} is at {vertices[wrong][0].tolist()}, which is no place; repair "
            "the file"
        )
    extent = float(np.ptp(vertices, axis=0).max())
    return merge_places(RawSurface(vertices, make_polygons(faces)), SAME * extent)
