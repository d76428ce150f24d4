"""A result as a series of VTK files, for ParaView: a file of the collection (.pvd) and a folder with one file a frame.

Flexible meshes are unstructured grids of hexahedra and lines, with what their nodes and elements have. Rigid bodies, as
they look in pictures, are triangles in files of their own, which the collection names as a second part. The terrain is
left out. Names are those of results: m, m/s, Pa, N.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np

from grouser.errors import ResultError
from grouser.mesh.make import make_mesh_data
from grouser.model.rotation import quaternion_to_matrix
from grouser.output.deforming import join_lines
from grouser.output.mesh_values import QUANTITIES
from grouser.output.scene import Stage, fill_stage, make_stage
from grouser.result.mark import MADE_BY
from grouser.result.nodes import Quantity, has_nodes, read_nodes
from grouser.result.target import SERIES, check_target
from grouser.whole_file import make_write_error, save_whole

if TYPE_CHECKING:
    from grouser.output.scene import Scene
    from grouser.result.result import Result

PARTS = ("meshes", "bodies")
"""Parts of the collection, in the order of their numbers."""
MEMBER = re.compile(rf"({'|'.join(PARTS)})_\d+\.vtu")
"""Names of the files of a series in its folder."""
AT_ONCE = 64
"""Frames that are read together."""


def save_series(result: Result, path: str | Path, *, every: int = 1, force: bool = False) -> Path:
    """Write a result as a series of VTK files.

    Parameters
    ----------
    path : of the collection (.pvd); files of the frames go to the folder beside it that has its name without suffix
    every : of so many stored frames one is written
    force : whether anything that is there may be replaced; files of others in the folder are left alone in any case
    """
    path = Path(path)
    if every < 1:
        raise ResultError(f"every {every} must be at least 1: of so many stored frames one is written")
    is_replacing = check_target(path, SERIES, force=force)
    folder = path.with_suffix("")
    _check_folder(path, folder, may_replace=is_replacing or force, force=force)
    meshio = _import_meshio()
    stage = make_stage(result)
    numbers = np.arange(0, len(stage.time), every)
    entries: list[tuple[float, int, str]] = []
    with _draft_folder(path, folder) as draft:
        for place, (time, grids) in enumerate(_make_frames(result, stage, numbers)):
            for part, grid in grids.items():
                name = f"{part}_{place:05d}.vtu"
                meshio.write(draft / name, meshio.Mesh(**grid), file_format="vtu")
                entries.append((time, PARTS.index(part), name))
    with save_whole(path, SERIES.name) as unfinished:
        unfinished.write_text(_make_collection(folder.name, entries), encoding="utf-8")
    return path


def _import_meshio() -> Any:
    try:
        import meshio
    except ImportError as error:
        raise ResultError(
            "a VTK series needs meshio, which is not installed: install it with  pip install 'grouser[mesh]'"
        ) from error
    return meshio


def _check_folder(path: Path, folder: Path, *, may_replace: bool, force: bool) -> None:
    """Refuse a folder whose files would be lost, or mixed up with those of a series."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ResultError(
            f"{SERIES.name} {path}: its files would go to the folder {folder}, which is a file: choose another name"
        )
    names = os.listdir(folder)
    others = [name for name in names if not MEMBER.fullmatch(name)]
    if others and not force:
        raise ResultError(
            f"{SERIES.name} {path}: its files would go to the folder {folder}, which holds others such as "
            f"{others[0]!r}: choose another name, or put them there with --force"
        )
    if names and not may_replace:
        raise ResultError(
            f"{SERIES.name} {path}: its files would go to the folder {folder}, which holds a series already: choose "
            "another name, or overwrite it with --force"
        )


@contextmanager
def _draft_folder(path: Path, folder: Path) -> Iterator[Path]:
    """A folder beside the one of a series, whose files replace those of an earlier series at the end."""
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        draft.mkdir()
        yield draft
        folder.mkdir(exist_ok=True)
        made = set(os.listdir(draft))
        for name in made:
            os.replace(draft / name, folder / name)
        for name in os.listdir(folder):
            if MEMBER.fullmatch(name) and name not in made:
                (folder / name).unlink()
    except OSError as error:
        raise make_write_error(path, SERIES.name, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _make_collection(folder: str, entries: list[tuple[float, int, str]]) -> str:
    """The file that names all others with their times and parts."""
    lines = [
        f'    <DataSet timestep="{time!r}" group="" part="{part}" name="{PARTS[part]}" '
        f"file={quoteattr(f'{folder}/{name}')}/>"
        for time, part, name in entries
    ]
    return "\n".join(
        [
            '<?xml version="1.0"?>',
            f"<!-- {MADE_BY} -->",
            '<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">',
            "  <Collection>",
            *lines,
            "  </Collection>",
            "</VTKFile>",
            "",
        ]
    )


def _make_frames(
    result: Result, stage: Stage, numbers: np.ndarray
) -> Iterator[tuple[float, dict[str, dict[str, Any]]]]:
    """Time [s] and grids of some frames of a stage: what meshio makes a mesh of, by part."""
    grid = _Grid(result) if result.model.meshes else None
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        scene = fill_stage(result, stage, slice(int(some[0]), int(some[-1]) + 1))
        for number in some:
            frame = int(number - some[0])
            grids: dict[str, dict[str, Any]] = {}
            if grid is not None:
                grids["meshes"] = grid.read(result.with_frames(scene.frames[frame : frame + 1]))
            if scene.bodies:
                grids["bodies"] = _make_bodies(scene, frame)
            yield float(scene.time[frame]), grids


class _Grid:
    """All flexible meshes of a model as one grid; nodes and elements in the order of the model."""

    def __init__(self, result: Result):
        self._datas = {name: make_mesh_data(mesh) for name, mesh in result.model.meshes.items()}
        self._bars = {name: join_lines(data) for name, data in self._datas.items()}
        self._rest = np.concatenate([data.nodes for data in self._datas.values()])
        starts = np.cumsum([0, *(len(data.nodes) for data in self._datas.values())])[:-1]
        cells = {
            "hexahedron": [data.brick.node + start for data, start in zip(self._datas.values(), starts, strict=True)],
            "line": [lines + start for (lines, _), start in zip(self._bars.values(), starts, strict=True)],
        }
        self._counts = {kind: [len(part) for part in parts] for kind, parts in cells.items()}
        self._cells = [(kind, np.concatenate(parts)) for kind, parts in cells.items() if sum(map(len, parts))]

    def read(self, result: Result) -> dict[str, Any]:
        """The grid in the one frame of a result."""
        places = self._read_nodes(result, "position")
        assert places is not None
        point_data = {"displacement": places - self._rest}
        velocity = self._read_nodes(result, "velocity")
        if velocity is not None:
            point_data["velocity"] = velocity
        cell_data = {"mesh": self._number_meshes()}
        for key in QUANTITIES:
            values = self._read_values(result, key)
            if values is not None:
                cell_data[key] = values
        return {"points": places, "cells": self._cells, "point_data": point_data, "cell_data": cell_data}

    def _read_nodes(self, result: Result, quantity: Quantity) -> np.ndarray | None:
        if not all(has_nodes(result, name, quantity) for name in self._datas):
            return None
        return np.concatenate([read_nodes(result, name, quantity)[0] for name in self._datas])

    def _number_meshes(self) -> list[np.ndarray]:
        counts = [self._counts[kind] for kind, _ in self._cells]
        return [np.repeat(np.arange(len(count), dtype=np.int32), count) for count in counts]

    def _read_values(self, result: Result, key: str) -> list[np.ndarray] | None:
        """A quantity of all elements, NaN where there is none; None if the result has none at all."""
        found: dict[str, list[np.ndarray]] = {kind: [] for kind in self._counts}
        has_any = False
        for name, data in self._datas.items():
            lines, shares = self._bars[name]
            bricks, bars = np.full(len(data.brick.node), np.nan), np.full(len(lines), np.nan)
            for family, block in QUANTITIES[key].blocks.items():
                count = len(getattr(data, family).node)
                if not count or not result.has_block(block):
                    continue
                items = [f"{name}.{family}.{i}" for i in range(count)]
                if items[0] not in result.list_items(block):
                    continue
                has_any, values = True, result.block(block, items)[0][0, :, 0]
                if family == "brick":
                    bricks = values
                else:
                    has_share = np.diff(shares[family].indptr) > 0
                    bars[has_share] = (shares[family] @ values)[has_share]
            found["hexahedron"].append(bricks)
            found["line"].append(bars)
        return [np.concatenate(found[kind]) for kind, _ in self._cells] if has_any else None


def _make_bodies(scene: Scene, frame: int) -> dict[str, Any]:
    """Triangles of all bodies, points and rods in a frame; `body` is the number of each, in the order of the model."""
    points, faces, owners, start = [], [], [], 0
    matrices = quaternion_to_matrix(np.roll(scene.quaternion[frame], 1, axis=-1))
    for i, number in enumerate(scene.mesh):
        mesh = scene.meshes[number]
        points.append(scene.position[frame, i] + mesh.vertices @ matrices[i].T)
        faces.append(mesh.faces + start)
        owners.append(np.full(len(mesh.faces), i, dtype=np.int32))
        start += len(mesh.vertices)
    return {
        "points": np.concatenate(points).astype(np.float32),
        "cells": [("triangle", np.concatenate(faces))],
        "cell_data": {"body": [np.concatenate(owners)]},
    }
