"""Balls of bricks, finer towards their poles.

Half a ball is the conformal image of a half-space ball, which lies on its flat side: a core, half a rounded cube of
n x n x n/2 bricks, and layers about it, whose thickness grows with the distance from the pole as the bricks grow along
them. An inversion with the radius 2 about the antipode A = (0, 0, 2) of the pole carries the plane into the sphere of
radius 1, the ball of radius 2 about the pole into half of that sphere, and its dome into the disc between both halves:

    x' = A + 4 (x - A)/|x - A|^2                                                          (1)

It keeps angles, and lengths at the pole. So bricks are as well shaped however fine they are there. The half-space lies
below the plane, so that (1), which mirrors, turns it over.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from grouser.mesh.block import connect, make_numbers
from grouser.mesh.data import INDEX
from grouser.mesh.raw import RawMesh
from grouser.mesh.surface import find_surface
from grouser.model.mesh import BallMesh

DOME = 2.0
"""Radius of the half-space ball that becomes half of a ball of radius 1."""
ROUND = 0.4
"""How round the border of the core is: 0 as a cube, 1 as a ball."""
SWELL = 1.3
"""Radius of that ball over half of the side of the cube."""
_OTHER_WAY = [4, 5, 6, 7, 0, 1, 2, 3]
"""Nodes of a brick in its mirror image."""


def calc_even_edge(mesh: BallMesh) -> float:
    """Edges at the poles of a ball whose elements are all about the same [m]."""
    return 0.5 * math.pi * mesh.radius / mesh.count


def count_layers(mesh: BallMesh, edge: float | None) -> int:
    """Layers between the core and the disc, for edges [m] at the pole: as thick as bricks are wide."""
    half = 0.5 * mesh.count * (edge or calc_even_edge(mesh)) / mesh.radius
    return max(1, round(math.log(DOME / (SWELL * half)) * 2.0 * mesh.count / math.pi))


def count_bricks(mesh: BallMesh) -> int:
    """Elements of a ball."""
    n = mesh.count
    edges = (mesh.edge_bottom,) if mesh.is_half else (mesh.edge_bottom, mesh.edge_top)
    return sum(n**3 // 2 + 3 * n * n * count_layers(mesh, edge) for edge in edges)


def make_ball(mesh: BallMesh) -> RawMesh:
    """Nodes and bricks of a ball, or of half of one."""
    nodes, bricks, sphere, disc = _make_half(mesh, mesh.edge_bottom)
    sets = {"bottom": _find_pole(nodes), "lower": sphere, "middle": disc, "equator": np.intersect1d(sphere, disc)}
    if not mesh.is_half:
        above, upper, sphere, shared = _make_half(mesh, mesh.edge_top)
        # the same disc ends both halves, with the same order of its nodes
        is_new = np.ones(len(above), dtype=bool)
        is_new[shared] = False
        number = np.empty(len(above), dtype=INDEX)
        number[is_new], number[shared] = len(nodes) + np.arange(is_new.sum()), disc
        nodes = np.concatenate([nodes, (above * [1.0, 1.0, -1.0])[is_new]])
        bricks = np.concatenate([bricks, number[upper[:, _OTHER_WAY]]])
        sets |= {"top": number[_find_pole(above)], "upper": number[sphere]}
    return RawMesh(mesh.radius * nodes, bricks, node_sets={name: np.sort(found) for name, found in sets.items()})


def _make_half(mesh: BallMesh, edge: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Nodes and bricks of the lower half of a ball of radius 1, and its nodes on the sphere and on the disc above."""
    n = mesh.count
    number = make_numbers((n + 1, n + 1, n // 2 + 1))
    place = np.stack(np.meshgrid(*(np.arange(size) for size in number.shape), indexing="ij"), axis=-1)
    cube = 2.0 * place.reshape(-1, 3) / n - [1.0, 1.0, 0.0]
    core = connect(number)
    quads = find_surface(core)
    quads = quads[(cube[quads, 2] > 0.0).any(axis=1)]
    border, found = np.unique(quads, return_inverse=True)
    corner = found.reshape(quads.shape)
    count = count_layers(mesh, edge)
    inner = 0.5 * n * (edge or calc_even_edge(mesh)) / mesh.radius * _round(cube)
    nodes = [inner, *(_make_layer(inner[border], cube[border], k / count) for k in range(1, count + 1))]
    outward = len(cube) + np.arange(count * len(border), dtype=INDEX).reshape(count, -1)
    rows = [border, *outward]
    layers = [np.hstack([low[corner], high[corner]]) for low, high in pairwise(rows)]
    sphere = np.concatenate([np.flatnonzero(cube[:, 2] == 0.0), outward[:, cube[border, 2] == 0.0].ravel()])
    return _invert(np.concatenate(nodes)), np.concatenate([core, *layers]), sphere, rows[-1]


def _find_directions(cube: np.ndarray) -> np.ndarray:
    """Unit vectors (n, 3) to places on the border of a cube, by even angles along each face."""
    way = np.tan(0.25 * math.pi * cube)
    return np.asarray(way / np.linalg.norm(way, axis=1, keepdims=True))


def _round(cube: np.ndarray) -> np.ndarray:
    """Places (n, 3) of a cube that becomes rounder outwards."""
    share = np.abs(cube).max(axis=1, keepdims=True)
    face = cube / np.where(share > 0.0, share, 1.0)
    blend = ROUND * share
    return np.asarray(share * ((1.0 - blend) * face + blend * SWELL * _find_directions(face + (share == 0.0))))


def _make_layer(inner: np.ndarray, cube: np.ndarray, share: float) -> np.ndarray:
    """Places (n, 3) between the core and the dome: radii in even ratios, directions that become even."""
    radius = np.linalg.norm(inner, axis=1, keepdims=True)
    way = (1.0 - share) * inner / radius + share * _find_directions(cube)
    return np.asarray(radius * (DOME / radius) ** share * way / np.linalg.norm(way, axis=1, keepdims=True))


def _invert(places: np.ndarray) -> np.ndarray:
    """By (1), with the height z over the plane in place of the depth; then seen from the centre of the ball."""
    x, y, z = places.T
    scale = 4.0 / (x * x + y * y + (z + 2.0) ** 2)
    return np.column_stack([scale * x, scale * y, 1.0 - scale * (z + 2.0)])


def _find_pole(nodes: np.ndarray) -> np.ndarray:
    return np.array([np.argmin(nodes[:, 2])], dtype=INDEX)
