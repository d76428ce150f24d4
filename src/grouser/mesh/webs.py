"""Webs: strips of bricks with cords, each on a line or an arc, straight without stress."""

from __future__ import annotations

import numpy as np

from grouser.mesh.block import connect, make_numbers
from grouser.mesh.data import INDEX
from grouser.mesh.lines import calc_arcs
from grouser.mesh.raw import CordLines, RawMesh
from grouser.model.mesh import WebsMesh

CLAMP = 1e-3
"""Length of the line by which thin beams are clamped beyond each end of a web, as a share of a brick's length. So much
of a brick counts to what bends."""


def make_webs(mesh: WebsMesh) -> RawMesh:
    """Nodes, bricks and cords of webs; those of a web follow each other: its grid, and behind it the ends of clamps."""
    ends = np.array(mesh.ends, dtype=float).reshape(-1, 2, 3)
    along, across = mesh.counts
    places, turned, length = calc_arcs(ends, mesh.tangents, along)
    y = mesh.width * (np.arange(across + 1) / across - 0.5)
    # outer face first, so that along, across and upwards are right-handed
    thickness = np.array([row.thickness for row in mesh.rows[::-1]])
    z = np.concatenate([[0.0], np.cumsum(thickness)]) - mesh.below
    upward = np.stack([-turned[..., 2], np.zeros(turned.shape[:2]), turned[..., 0]], axis=-1)
    grid = _spread(places, upward, y, z)
    s = length[:, None] * np.arange(along + 1) / along
    straight = np.stack([s, np.zeros_like(s), np.zeros_like(s)], axis=-1)
    relaxed = _spread(straight, np.broadcast_to([0.0, 0.0, 1.0], straight.shape), y, z)
    size = CLAMP * length / along
    levels = [len(mesh.rows) - cord.level for cord in mesh.cords]  # cords count from the inner face
    clamped = sorted({level for cord, level in zip(mesh.cords, levels, strict=True) if cord.element == "beam_thin"})
    parts, straights = [grid.reshape(len(ends), -1, 3)], [relaxed.reshape(len(ends), -1, 3)]
    for level in clamped:
        for k, way in ((0, -1.0), (-1, 1.0)):
            parts.append(grid[:, k, :, level] + way * size[:, None, None] * turned[:, k, None])
            straights.append(relaxed[:, k, :, level] + (way * size)[:, None, None] * np.array([1.0, 0.0, 0.0]))
    number = make_numbers((along + 1, across + 1, len(z)))
    count = sum(part.shape[1] for part in parts)
    first = count * np.arange(len(ends), dtype=INDEX)
    beyond = {
        level: number.size + 2 * (across + 1) * i + np.arange(2 * (across + 1)).reshape(2, -1)
        for i, level in enumerate(clamped)
    }
    bricks = (first[:, None, None] + connect(number)).reshape(-1, 8)
    # rows from the inner face
    row = np.broadcast_to(len(mesh.rows) - 1 - np.arange(len(mesh.rows)), (len(ends) * along * across, len(mesh.rows)))
    share = np.full(across + 1, 1.0 / across)
    share[[0, -1]] /= 2.0
    cords = []
    for cord, level in zip(mesh.cords, levels, strict=True):
        chain = number[:, :, level]
        if level in beyond and cord.element == "beam_thin":
            chain = np.concatenate([beyond[level][:1], chain, beyond[level][1:]])
        lines = np.stack([chain[:-1], chain[1:]], axis=-1).reshape(-1, 2)
        shares = np.tile(share, len(ends) * (len(chain) - 1))
        cords.append(CordLines(cord, (first[:, None, None] + lines).reshape(-1, 2), shares))
    sides = {
        name: np.concatenate([number[k].ravel(), *(nodes[k] for nodes in beyond.values())])
        for name, k in (("start", 0), ("end", -1))
    }
    return RawMesh(
        np.concatenate(parts, axis=1).reshape(-1, 3),
        bricks,
        node_sets={f"{name}{i}": start + nodes for i, start in enumerate(first) for name, nodes in sides.items()},
        cords=tuple(cords),
        relaxed=np.concatenate(straights, axis=1).reshape(-1, 3),
        material=row.astype(np.int32).ravel(),
    )


def _spread(places: np.ndarray, upward: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Nodes (webs, along, across, upwards, 3) about places along lines (webs, along, 3)."""
    nodes = places[:, :, None, None] + upward[:, :, None, None] * z[:, None]
    nodes = np.repeat(nodes, len(y), axis=2)
    nodes[..., 1] += y[:, None]
    return np.asarray(nodes)
