"""Meshes from files, read through meshio. A file is read once, until it changes.

Hexahedra are bricks and lines are lines. Quadrilaterals and single vertices are what programs write for named surfaces
and points: they become sets of faces and nodes. All other cells are refused by name.
"""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import ModelError, shorten
from grouser.mesh.data import INDEX
from grouser.mesh.raw import RawMesh
from grouser.model.mesh import FileMesh
from grouser.model.text import check_file

LARGEST_FILE = 1_000_000_000
"""Largest mesh file that is read [bytes]."""
TAKEN = ("hexahedron", "line", "quad", "vertex")
"""Cells that are taken, as meshio names them."""


_remembered: dict[str, RawMesh] = {}
"""Meshes that are known by a path without being there."""


def make_from_file(mesh: FileMesh) -> RawMesh:
    """Nodes, cells and sets of a file, in its own order."""
    raw = read_raw(mesh.path)
    return RawMesh(mesh.scale * raw.nodes, raw.bricks, raw.lines, raw.node_sets, raw.faces, raw.cell_sets)


def read_raw(path: str) -> RawMesh:
    """A mesh in the units of its file."""
    return _remembered[path] if path in _remembered else _read(path, find_stamp(path))


def remember(path: str, raw: RawMesh) -> str:
    """Have a mesh found by this path, at which there is no file; returns the path."""
    _remembered[path] = raw
    return path


def find_stamp(name: str) -> tuple[int, int]:
    """By what a change of the file is seen: time of its last change, and size."""
    if name in _remembered:
        return 0, 0
    path = Path(name)
    check_file(path)
    found = path.stat()
    if found.st_size > LARGEST_FILE:
        raise ModelError(f"{path}: is too large: at most {LARGEST_FILE / 1e6:g} MB are read; divide it")
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _read(path: str, stamp: tuple[int, int]) -> RawMesh:
    content = _load(Path(path))
    kinds = Counter(dict.fromkeys(TAKEN, 0))
    for block in content.cells:
        kinds[block.type] += len(block.data)
    if others := [f"{kind} ({count})" for kind, count in kinds.items() if kind not in TAKEN]:
        raise ModelError(
            f"{path}: has cells of the type {', '.join(others)}; hexahedron and line are taken: mesh it with linear "
            "hexahedra, or leave these cells out when the file is saved"
        )
    nodes = np.zeros((len(content.points), 3))
    nodes[:, : content.points.shape[1]] = content.points
    named = _Sets(content)
    return RawMesh(
        nodes,
        named.cells["hexahedron"],
        named.cells["line"],
        {**named.node_sets, **_read_point_sets(content)},
        named.faces,
        named.cell_sets,
    )


def _load(path: Path) -> Any:
    """What meshio reads; it prints and ends the program where it fails, which is caught."""
    try:
        import meshio
    except ImportError as error:
        raise ModelError(
            "mesh files need meshio, which is not installed: install it with  pip install 'grouser[mesh]'"
        ) from error
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return meshio.read(path)
    except (Exception, SystemExit) as error:  # readers raise whatever they come across
        words = " ".join(f"{said.getvalue()} {'' if isinstance(error, SystemExit) else error}".split())
        raise ModelError(f"{path}: cannot be read as a mesh: {shorten(words or repr(error), 300)}") from None


def _read_point_sets(content: Any) -> dict[str, np.ndarray]:
    return {str(name): np.unique(np.asarray(nodes, dtype=INDEX)) for name, nodes in content.point_sets.items()}


class _Sets:
    """Cells by type, in one array each, and what the sets of cells of a file mean.

    Attributes
    ----------
    cells : nodes of all cells by type
    cell_sets : bricks and lines by name
    node_sets : nodes of the cells of each set
    faces : quadrilaterals by name
    """

    def __init__(self, content: Any):
        sizes = {"hexahedron": 8, "line": 2, "quad": 4, "vertex": 1}
        self.cells: dict[str, np.ndarray] = {
            kind: np.concatenate(
                [np.empty((0, size), dtype=INDEX), *(np.asarray(b.data) for b in content.cells if b.type == kind)]
            ).astype(INDEX)
            for kind, size in sizes.items()
        }
        self.cell_sets: dict[str, dict[str, np.ndarray]] = {}
        self.node_sets: dict[str, np.ndarray] = {}
        self.faces: dict[str, np.ndarray] = {}
        for name, blocks in _list_cell_sets(content).items():
            self._add(name, _number_cells(content, blocks))

    def _add(self, name: str, chosen: dict[str, np.ndarray]) -> None:
        nodes = [self.cells[kind][cells].ravel() for kind, cells in chosen.items()]
        self.node_sets[name] = np.unique(np.concatenate([np.empty(0, dtype=INDEX), *nodes]))
        if len(chosen.get("quad", ())):
            self.faces[name] = self.cells["quad"][chosen["quad"]]
        families = {"brick": chosen.get("hexahedron"), "line": chosen.get("line")}
        elements = {family: cells for family, cells in families.items() if cells is not None and len(cells)}
        if elements:
            self.cell_sets[name] = elements


def _list_cell_sets(content: Any) -> dict[str, list[Any]]:
    """Cells of each block by name: sets as meshio knows them, and those that gmsh numbers and names elsewhere."""
    found = {str(name): list(blocks) for name, blocks in content.cell_sets.items() if not name.startswith("gmsh:")}
    physical = content.cell_data.get("gmsh:physical")
    if physical is None or len(physical) != len(content.cells):
        return found
    dimensions = {"vertex": 0, "line": 1, "quad": 2, "hexahedron": 3}
    for name, entry in content.field_data.items():
        if len(entry) == 2 and name not in found:
            tag, dimension = (int(value) for value in entry)
            found[str(name)] = [
                np.flatnonzero(tags == tag) if dimensions.get(block.type) == dimension else ()
                for block, tags in zip(content.cells, physical, strict=True)
            ]
    return found


def _number_cells(content: Any, blocks: list[Any]) -> dict[str, np.ndarray]:
    """Cells of a set by type, numbered through all blocks of the type."""
    chosen: dict[str, list[np.ndarray]] = {}
    before: Counter[str] = Counter()
    for block, cells in zip(content.cells, blocks, strict=False):
        picked = np.asarray(() if cells is None else cells, dtype=INDEX).ravel()
        picked = picked[(picked >= 0) & (picked < len(block.data))]
        chosen.setdefault(block.type, []).append(picked + before[block.type])
        before[block.type] += len(block.data)
    return {kind: np.unique(np.concatenate(parts)) for kind, parts in chosen.items()}
