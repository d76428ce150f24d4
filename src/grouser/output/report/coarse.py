"""Coarse meshes, for machines that draw without a graphics card.

Edges are collapsed in the order of the error that it makes, the sum of squared distances from the planes of the faces
around (Garland and Heckbert 1997). Many are collapsed at a time, no two of which share a vertex; what is small against
the whole, such as bolts, vanishes by itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grouser.output.mesh import Array, Mesh, make_mesh

Index = NDArray[np.int64]
SHARE = 0.12
"""Share of the edges, those with the smallest errors, that may be collapsed at a time."""
PASSES = 60


def make_coarse_mesh(mesh: Mesh, most_faces: int) -> Mesh:
    """A mesh with about a number of faces at the most, or the mesh itself if it has no more."""
    if len(mesh.faces) <= most_faces:
        return mesh
    kinds, kind = np.unique(mesh.colours[mesh.faces[:, 0]], axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    # corners of flat faces stand in a mesh once for each face: here they are one vertex
    vertices, index = np.unique(np.round(mesh.vertices.astype(float), 5), axis=0, return_inverse=True)
    faces, kind = _drop_lines(index.reshape(-1)[mesh.faces], kind)
    for _ in range(PASSES):
        if len(faces) <= most_faces:
            break
        vertices, kept, kind = _collapse(vertices, faces, kind, len(faces) - most_faces)
        if len(kept) == len(faces):
            break
        faces = kept
    parts = [(vertices[faces[kind == i]], (float(r), float(g), float(b))) for i, (r, g, b) in enumerate(kinds)]
    return make_mesh(mesh.name, [(solid, colour) for solid, colour in parts if len(solid)])


def _collapse(vertices: Array, faces: Index, kind: Index, surplus: int) -> tuple[Array, Index, Index]:
    """Vertices, faces and their kinds after one round, in which about `surplus` faces vanish at the most."""
    edges = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    error, place = _calc_errors(vertices, faces, edges)
    order = np.argsort(error, kind="stable")[: max(1, int(SHARE * len(edges)))]
    chosen = order[_choose_apart(edges[order], len(vertices))][: max(1, surplus // 2)]
    before = _calc_normals(vertices, faces)
    while len(chosen):
        moved, target = vertices.copy(), np.arange(len(vertices))
        moved[edges[chosen, 0]] = place[chosen]
        target[edges[chosen, 1]] = edges[chosen, 0]
        after = _calc_normals(moved, target[faces])
        is_alive = _is_face(target[faces])
        is_turned = is_alive & (np.einsum("ij,ij->i", before, after) <= 0.0)
        if not is_turned.any():
            kept, kind = _drop_lines(target[faces], kind)
            return moved, kept, kind
        # a collapse that turns a face over is left out
        bad = np.unique(target[faces[is_turned]])
        chosen = chosen[~np.isin(edges[chosen, 0], bad)]
    return vertices, faces, kind


def _calc_errors(vertices: Array, faces: Index, edges: Index) -> tuple[Array, Array]:
    """Smallest error of collapsing each edge, at one of its ends or in its middle, and the place for it."""
    normals = _calc_normals(vertices, faces)
    area = np.linalg.norm(normals, axis=1)
    unit = normals / np.maximum(area, 1e-18)[:, np.newaxis]
    plane = np.column_stack([unit, -np.einsum("ij,ij->i", unit, vertices[faces[:, 0]])])
    outer = area[:, np.newaxis, np.newaxis] * plane[:, :, np.newaxis] * plane[:, np.newaxis, :]
    quadric = np.zeros((len(vertices), 4, 4))
    for corner in range(3):
        np.add.at(quadric, faces[:, corner], outer)
    both = quadric[edges[:, 0]] + quadric[edges[:, 1]]
    a, b = vertices[edges[:, 0]], vertices[edges[:, 1]]
    places = np.stack([a, b, (a + b) / 2])
    full = np.concatenate([places, np.ones((*places.shape[:2], 1))], axis=2)
    errors = np.einsum("kei,eij,kej->ke", full, both, full)
    # of edges that make no error, as those of a flat face, the short ones come first
    errors += 1e-6 * np.linalg.norm(a - b, axis=1) ** 4
    best = np.argmin(errors, axis=0)
    number = np.arange(len(edges))
    return errors[best, number], places[best, number]


def _choose_apart(edges: Index, count: int) -> Index:
    """Edges that are the first of all at both of their ends, by number."""
    first = np.full(count, len(edges))
    np.minimum.at(first, edges.reshape(-1), np.repeat(np.arange(len(edges)), 2))
    number = np.arange(len(edges))
    return np.flatnonzero((first[edges[:, 0]] == number) & (first[edges[:, 1]] == number))


def _calc_normals(vertices: Array, faces: Index) -> Array:
    corners = vertices[faces]
    normals: Array = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normals


def _is_face(faces: Index) -> NDArray[np.bool_]:
    return (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])


def _drop_lines(faces: Index, kind: Index) -> tuple[Index, Index]:
    """Faces without those that have become lines, or that lie on another one."""
    keep = np.flatnonzero(_is_face(faces))
    _, first, count = np.unique(np.sort(faces[keep], axis=1), axis=0, return_index=True, return_counts=True)
    keep = keep[first[count == 1]]  # two faces on the same corners are both sides of a sheet, or the same face twice
    return faces[keep], kind[keep]
