"""Motion of flexible meshes, read from a result when it is asked for: all of it might fill the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from grouser.errors import ResultError
from grouser.output.deforming import Deforming
from grouser.output.mesh import Array
from grouser.output.mesh_values import read_values
from grouser.result.nodes import has_nodes, read_nodes

if TYPE_CHECKING:
    from grouser.output.scene import Stage
    from grouser.result.result import Result

KEPT = 4
"""Frames that are kept for those who ask for moments between them."""


def read_seen_nodes(result: Result, mesh: Deforming) -> Array:
    """Places of the nodes of a mesh that are seen, (frames, n, 3) [m]."""
    if not has_nodes(result, mesh.name, "position"):
        raise ResultError(f"the result has no places of nodes, without which mesh {mesh.name!r} cannot be shown")
    return read_nodes(result, mesh.name, "position", mesh.nodes)


def find_moment(time: Array, moment: float) -> tuple[int, int, float]:
    """Numbers of the frames before and after a moment [s], and the share of the way between them."""
    if len(time) == 1:
        return 0, 0, 0.0
    after = int(np.clip(np.searchsorted(time, moment), 1, len(time) - 1))
    span = time[after] - time[after - 1]
    return after - 1, after, float(np.clip((moment - time[after - 1]) / span, 0.0, 1.0))


class MeshMotion:
    """Nodes and values of all flexible meshes of a stage at any moment, straight between two frames.

    Parameters
    ----------
    key : of the quantity whose values are read too, or None
    """

    def __init__(self, result: Result, stage: Stage, key: str | None = None):
        self._result, self._meshes, self._key = result, stage.deforming, key
        self._time, self._frames = stage.time, stage.frames
        self._kept: dict[int, list[tuple[Array, Array | None]]] = {}

    def calc(self, moment: float) -> list[tuple[Array, Array | None]]:
        """For each mesh the places of its nodes (n, 3) [m], and the values of its nodes and bars."""
        if not self._meshes:
            return []
        before, after, share = find_moment(self._time, moment)
        pairs = zip(self._read(before), self._read(after), strict=True)
        return [(_mix(a[0], b[0], share), None if a[1] is None else _mix(a[1], b[1], share)) for a, b in pairs]

    def _read(self, number: int) -> list[tuple[Array, Array | None]]:
        if number not in self._kept:
            while len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[number] = read_moment(self._result, self._meshes, int(self._frames[number]), self._key)
        return self._kept[number]


def _mix(before: Array, after: Array | None, share: float) -> Array:
    assert after is not None
    mixed: Array = (1.0 - share) * before + share * after
    return mixed


def read_moment(
    result: Result, meshes: Sequence[Deforming], frame: int, key: str | None = None
) -> list[tuple[Array, Array | None]]:
    """For each mesh the places of its nodes (n, 3) [m] in a stored frame, and the values of its nodes and bars."""
    part = result.with_frames(np.array([frame]))
    found = []
    for mesh in meshes:
        values = None if key is None else read_values(part, mesh, key)
        found.append((read_seen_nodes(part, mesh)[0], None if values is None else values[0]))
    return found


def calc_boxes(result: Result, meshes: Sequence[Deforming]) -> Array:
    """Low and high corner of the boxes around the nodes of each mesh in each frame, (frames, 2 meshes, 3) [m]; NaN
    where a node is nowhere."""
    boxes = np.empty((len(result.time), 2 * len(meshes), 3))
    for i, mesh in enumerate(meshes):
        places = read_seen_nodes(result, mesh)
        boxes[:, 2 * i], boxes[:, 2 * i + 1] = places.min(axis=1), places.max(axis=1)
    return boxes
