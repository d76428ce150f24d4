"""Pull of the webs of a band: that of thick beams, or of bricks and the cords between them.

Through each section of a web of bricks goes the pull of its cords and that of the bricks. Their mean along the web is

    T = sum over cords of N_c/n + A sum V_k t.sigma_k t/sum V_k                           (1)

with n bricks along it, the section A, the volumes V_k without stress, Cauchy's stress sigma_k at the centres, and the
direction t from one lug to the next. A thin beam shows the mean of its two halves, and that over the clamp has none:
so (1) holds for n + 1 of them as for n trusses.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from grouser.compile.compile import Compiled
from grouser.mesh.make import make_mesh_data
from grouser.mesh.trilinear import calc_node_volumes
from grouser.model.mesh import WebsMesh
from grouser.model.model import Track

Array = np.ndarray
PLACES = ((0, 3, 5), (3, 1, 4), (5, 4, 2))
"""Where the components of a stress stand among xx, yy, zz, xy, yz, zx."""


class WebPull(Protocol):
    """Works out the pull of webs."""

    def calc(self, notes: Any) -> Array:
        """Pull of each web [N] (frames, webs); `notes`: frames as `observe.py` keeps them."""


def make_web_pull(compiled: Compiled, track: Track) -> WebPull:
    """What works out the pull of the webs of a track."""
    mesh = compiled.model.meshes[str(track.belt)]
    return _BrickPull(compiled, track, mesh) if isinstance(mesh, WebsMesh) else _BeamPull(compiled, track)


def _find_rows(compiled: Compiled, belt: str, family: str) -> Array:
    """Rows of the elements of a mesh, in their order."""
    names, start = compiled.layout.names[family], f"{belt}.{family}."
    return np.array([i for i, name in enumerate(names) if name.startswith(start)], dtype=int)


class _BeamPull:
    def __init__(self, compiled: Compiled, track: Track) -> None:
        self._rows = _find_rows(compiled, str(track.belt), "beam_thick").reshape(len(track.links), -1)

    def calc(self, notes: Any) -> Array:
        return np.asarray(notes.beam_thick_value[0][:, self._rows].mean(axis=-1))


class _BrickPull:
    def __init__(self, compiled: Compiled, track: Track, mesh: WebsMesh) -> None:
        data, belt, count = make_mesh_data(mesh), str(track.belt), len(track.links)
        size = len(data.nodes) // count  # nodes of a web
        self._along = mesh.counts[0]
        self._cords = {
            family: _find_rows(compiled, belt, family)[np.argsort(cells.node[:, 0] // size, kind="stable")]
            for family, cells in (("truss", data.truss), ("beam_thin", data.beam_thin))
            if len(cells.node)
        }
        self._bricks = _find_rows(compiled, belt, "brick").reshape(count, -1)
        volumes = calc_node_volumes(data.relaxed, data.brick.node).sum(axis=1).reshape(count, -1)
        area = mesh.width * sum(row.thickness for row in mesh.rows)
        self._areas = area * volumes / volumes.sum(axis=1)[:, None]
        self._links = np.array([compiled.layout.find_body(name) for name in track.links])

    def calc(self, notes: Any) -> Array:
        place = notes.x[..., self._links]
        way = np.roll(place, -1, axis=-1) - place
        t = way / np.linalg.norm(way, axis=0)
        total = np.zeros(place.shape[1:])
        for i in range(3):
            for k in range(3):
                stress = notes.brick_value[PLACES[i][k]][:, self._bricks]
                total += t[i] * t[k] * np.einsum("fwk,wk->fw", stress, self._areas)
        for family, rows in self._cords.items():
            pull = getattr(notes, f"{family}_value")[0][:, rows]
            total += pull.reshape(len(pull), len(self._links), -1).sum(axis=-1) / self._along
        return total
