"""Belts: bricks along a closed curve, and cords between their nodes."""

from __future__ import annotations

import numpy as np

from grouser.errors import ModelError
from grouser.mesh.block import connect, make_numbers
from grouser.mesh.curve import divide_pieces, divide_polyline, find_crossing, make_wheel_curve
from grouser.mesh.raw import CordLines, RawMesh
from grouser.model.mesh import BeltMesh


def make_belt(mesh: BeltMesh) -> RawMesh:
    """Nodes, bricks and cords of a belt."""
    along, across, layers = mesh.counts
    points, normals = _divide(mesh, along)
    depth = mesh.thickness * np.arange(layers + 1) / layers
    y = mesh.width * (np.arange(across + 1) / across - 0.5)
    plane = points[:, None] + normals[:, None] * depth[:, None]  # along, layers, 2
    nodes = np.empty((along, across + 1, layers + 1, 3))
    nodes[..., 0], nodes[..., 2] = plane[:, None, :, 0], plane[:, None, :, 1]
    nodes[..., 1] = y[:, None]
    number = make_numbers((along, across + 1, layers + 1))
    closed = np.concatenate([number, number[:1]])
    sets = {
        "inner": number[:, :, 0],
        "outer": number[:, :, -1],
        "left": number[:, -1],
        "right": number[:, 0],
        "start": number[0],
    }
    share = np.full(across + 1, 1.0 / across)
    share[[0, -1]] /= 2.0
    cords = []
    for cord in mesh.cords:
        level = closed[:, :, cord.level]
        lines = np.stack([level[:-1], level[1:]], axis=-1).reshape(-1, 2)
        cords.append(CordLines(cord, lines, np.tile(share, along)))
    return RawMesh(
        nodes.reshape(-1, 3),
        connect(closed),
        node_sets={name: np.sort(found.ravel()) for name, found in sets.items()},
        cords=tuple(cords),
    )


def _divide(mesh: BeltMesh, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of the inner face, and outward normals."""
    if mesh.points is not None:
        corners = np.array(mesh.points)
        if crossing := find_crossing(corners):
            raise ModelError(f"crosses itself: the pieces after points {crossing[0]} and {crossing[1]} meet; move them")
        return divide_polyline(corners, count)
    assert mesh.wheels is not None
    return divide_pieces(make_wheel_curve(mesh.wheels, mesh.thickness), count)
