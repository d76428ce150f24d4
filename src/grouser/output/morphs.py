"""Flexible meshes for programs that know no nodes: shapes at some moments, between which a viewer blends.

A mesh is carried by a frame that moves with it as well as a rigid body can, in every frame of a result; what is left,
the deformation, is told at a bounded number of keys. So a mesh that turns fast, or drives far, does so exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.output.deforming import Deforming, find_uprights
from grouser.output.mesh import Array
from grouser.output.mesh_motion import read_seen_nodes
from grouser.output.poses import make_continuous

if TYPE_CHECKING:
    from grouser.output.scene import Stage
    from grouser.result.result import Result

MOST_KEYS = 60
"""Moments at which the shape of a mesh is told."""
MOST_NUMBERS = 20_000_000
"""Numbers of all keys of a mesh; one with very many vertices has fewer keys."""
MEMORY = 1e-4
"""Share by which the rotation of the frame before holds a mesh, such as a straight line, whose own leaves it open."""


@dataclass(frozen=True, eq=False)
class Morphs:
    """A flexible mesh over time.

    Attributes
    ----------
    name : of the mesh
    faces : (faces, 3)
    position, quaternion : of the frame that carries it, (frames, 3) [m], (frames, 4) x, y, z, w
    keys : numbers of the frames in which the shape is told, (keys,)
    vertices, normals : in the carrying frame at the keys, (keys, vertices, 3) [m]
    """

    name: str
    faces: NDArray[np.int32]
    position: Array
    quaternion: Array
    keys: NDArray[np.int64]
    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]


def find_keys(frames: int, vertices: int) -> NDArray[np.int64]:
    """Numbers of the frames in which the shape of a mesh is told: all, or as many as may be, spread evenly.

    >>> find_keys(3, 100)
    array([0, 1, 2])
    >>> len(find_keys(1000, 100)), len(find_keys(1000, 400_000))
    (60, 8)
    """
    most = min(MOST_KEYS, max(2, MOST_NUMBERS // (6 * max(1, vertices))))
    return np.unique(np.linspace(0, frames - 1, min(frames, most)).astype(np.int64))


def make_morphs(result: Result, stage: Stage, mesh: Deforming) -> Morphs:
    """A flexible mesh with all frames of a stage."""
    frames = len(stage.time)
    keys = find_keys(frames, mesh.vertex_count)
    position, turns = np.empty((frames, 3)), np.empty((frames, 3, 3))
    vertices = np.empty((len(keys), mesh.vertex_count, 3), dtype=np.float32)
    normals = np.empty_like(vertices)
    rest = mesh.rest - mesh.rest.mean(axis=0)
    uprights = find_uprights(rest[mesh.lines])
    turn, done = np.eye(3), 0
    for part in result.with_frames(stage.frames).split_frames():
        for places in read_seen_nodes(part, mesh):
            middle = places.mean(axis=0)
            turn = fit_turn(rest, places - middle, turn)
            position[done], turns[done] = middle, turn
            if (key := int(np.searchsorted(keys, done))) < len(keys) and keys[key] == done:
                vertices[key], normals[key] = mesh.calc_surface((places - middle) @ turn, uprights)
            done += 1
    quaternion = make_continuous(Rotation.from_matrix(turns).as_quat()[:, np.newaxis])[:, 0]
    return Morphs(mesh.name, mesh.make_faces(), position, quaternion, keys, vertices, normals)


def fit_turn(before: Array, after: Array, last: Array) -> Array:
    """The rotation (3, 3) that brings points (n, 3) nearest to others, both about their middles (Kabsch 1976).

    Parameters
    ----------
    last : rotation (3, 3) that is kept about an axis on which all points lie
    """
    product = after.T @ before
    size = float(np.linalg.norm(product)) or 1.0
    left, _, right = np.linalg.svd(product + MEMORY * size * last)
    left[:, 2] *= np.linalg.det(left @ right)
    turn: Array = left @ right
    return turn
