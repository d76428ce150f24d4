"""Blocks and plates: a grid of bricks, bent and twisted."""

from __future__ import annotations

import numpy as np

from grouser.mesh.data import INDEX
from grouser.mesh.raw import RawMesh
from grouser.mesh.trilinear import SIGNS, calc_shape
from grouser.model.mesh import BlockMesh, PlateMesh


def make_block(mesh: BlockMesh) -> RawMesh:
    """Nodes and bricks of a block."""
    if mesh.corners is not None:
        corners = np.array(mesh.corners, dtype=float)
    else:
        corners = np.array(mesh.origin) + 0.5 * (1.0 + SIGNS) * np.array(mesh.sides)
    return _make_grid(corners, mesh.counts, mesh.bend, mesh.twist)


def make_plate(mesh: PlateMesh) -> RawMesh:
    """Nodes and bricks of a plate."""
    low = np.array(mesh.origin) - [0.0, 0.0, 0.5 * mesh.thickness]
    corners = low + 0.5 * (1.0 + SIGNS) * [*mesh.sides, mesh.thickness]
    return _make_grid(corners, (*mesh.counts, 1), mesh.bend, mesh.twist)


def _make_grid(corners: np.ndarray, counts: tuple[int, int, int], bend: float | None, twist: float) -> RawMesh:
    """Bricks of a block with eight corners (8, 3)."""
    steps = [2.0 * np.arange(count + 1) / count - 1.0 for count in counts]
    natural = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1)
    values, _ = calc_shape(natural.reshape(-1, 3))
    nodes = _bend(_twist(values @ corners, 0.5 * (1.0 + natural[..., 0].ravel()), twist), bend)
    number = make_numbers((counts[0] + 1, counts[1] + 1, counts[2] + 1))
    ends = {"0": 0, "1": -1}
    sets = {
        f"{axis}{end}": np.sort(number.take(place, axis=k).ravel())
        for k, axis in enumerate("xyz")
        for end, place in ends.items()
    }
    return RawMesh(nodes, connect(number), node_sets=sets)


def make_numbers(shape: tuple[int, int, int]) -> np.ndarray:
    """Numbers of the nodes of a grid."""
    return np.arange(shape[0] * shape[1] * shape[2], dtype=INDEX).reshape(shape)


def connect(number: np.ndarray) -> np.ndarray:
    """Bricks (m, 8) between the nodes of a grid, given the numbers of the nodes along three directions."""
    low, high = slice(None, -1), slice(1, None)
    places = [(high if x > 0 else low, high if y > 0 else low, high if z > 0 else low) for x, y, z in SIGNS]
    return np.stack([number[place] for place in places], axis=-1).reshape(-1, 8)


def _twist(nodes: np.ndarray, share: np.ndarray, angle: float) -> np.ndarray:
    """Nodes turned about the x axis, by a share (n,) of the angle each."""
    if angle == 0.0:
        return nodes
    x, y, z = nodes.T
    cos, sin = np.cos(angle * share), np.sin(angle * share)
    return np.column_stack([x, cos * y - sin * z, sin * y + cos * z])


def _bend(nodes: np.ndarray, radius: float | None) -> np.ndarray:
    """Nodes whose x axis is laid on an arc towards z."""
    if radius is None:
        return nodes
    x, y, z = nodes.T
    return np.column_stack([(radius - z) * np.sin(x / radius), y, radius - (radius - z) * np.cos(x / radius)])
