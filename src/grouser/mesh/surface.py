"""Surfaces of bricks: faces that only one brick has, and which of them belong to a set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grouser.mesh.trilinear import FACES

BITS = 21
"""Bits of the number of a node, so that three fit into 63."""


def make_face_keys(faces: np.ndarray) -> np.ndarray:
    """A number (k,) for each face (k, 4) by which it is known whatever node it starts with: from its three smallest."""
    ordered = np.sort(faces, axis=1)
    return np.asarray((ordered[:, 0] << 2 * BITS) | (ordered[:, 1] << BITS) | ordered[:, 2])


def find_surface(bricks: np.ndarray) -> np.ndarray:
    """Outer faces (k, 4) of bricks (m, 8), counter-clockwise seen from outside."""
    faces = bricks[:, FACES].reshape(-1, 4)
    _, place, count = np.unique(make_face_keys(faces), return_index=True, return_counts=True)
    return faces[np.sort(place[count == 1])]


def find_surface_sets(
    surface: np.ndarray, node_sets: Mapping[str, np.ndarray], faces: Mapping[str, np.ndarray], count: int
) -> dict[str, np.ndarray]:
    """Faces of the surface by set: all four nodes are in the node set, or the file names the face.

    Parameters
    ----------
    surface : (k, 4) outer faces
    node_sets : nodes by name
    faces : faces by name, of a file
    count : of all nodes
    """
    found = {}
    keys = make_face_keys(surface)
    for name, nodes in node_sets.items():
        if name not in faces:
            is_in = np.zeros(count, dtype=bool)
            is_in[nodes] = True
            chosen = surface[is_in[surface].all(axis=1)]
            if len(chosen):
                found[name] = chosen
    for name, named in faces.items():
        found[name] = surface[np.isin(keys, make_face_keys(named))]
    if len(surface):
        found["surface"] = surface
    return found
