"""The terrain as a mesh around the way that was driven: a pattern of tiles, by which motion is seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.model.terrain import Grid, MeshTerrain, Plane, Profile, Terrain, calc_terrain_height
from grouser.output.mesh import Array, Colour, Mesh
from grouser.surface.ground import make_ground_data
from grouser.surface.raw import list_triangles

LIGHT: Colour = (0.60, 0.57, 0.50)
DARK: Colour = (0.55, 0.52, 0.455)
TILES_MOST = 6_000
"""Tiles of a long way become larger, so that there are no more than about this many."""
LINES_MOST = 200
"""Lines across the ground in each direction that the terrain's own points may add."""


def make_ground(terrain: Terrain, low: ArrayLike, high: ArrayLike, size: float) -> Mesh:
    """The terrain over a rectangle.

    Parameters
    ----------
    low, high : corners (x, y) [m]; the ground goes on to whole tiles
    size : of the model, by which the tiles are chosen [m]
    """
    if isinstance(terrain, MeshTerrain):
        return _make_mesh_ground(terrain, find_tile(size / 6))
    area = float(np.prod(np.asarray(high, dtype=float) - np.asarray(low, dtype=float)))
    tile = find_tile(max(size / 6, np.sqrt(area / TILES_MOST)))
    begin, end = np.floor(np.asarray(low) / tile).astype(int), np.ceil(np.asarray(high) / tile).astype(int)
    own_x, own_y = _find_lines(terrain)
    x, y = (_join_lines(tile * np.arange(begin[i], end[i] + 1), own) for i, own in enumerate((own_x, own_y)))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    points = np.concatenate([grid, calc_terrain_height(terrain, grid[..., 0], grid[..., 1])[..., np.newaxis]], axis=-1)
    quads = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2).reshape(-1, 4, 3)
    across = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    return _paint(quads, across, np.array([0, 1, 2, 0, 2, 3]), tile)


def _make_mesh_ground(terrain: MeshTerrain, tile: float) -> Mesh:
    """A terrain of polygons, all of it; those in the middle of a dark tile are dark."""
    triangles = list_triangles(make_ground_data(terrain))
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return _paint(triangles, across, np.arange(3), tile)


def _paint(pieces: Array, across: Array, corners: NDArray[np.int64], tile: float) -> Mesh:
    """Pieces (m, corners, 3) of the ground with their normals (m, 3), in the colours of the tiles they lie on."""
    count = pieces.shape[1]
    normals = across / np.linalg.norm(across, axis=1, keepdims=True)
    is_dark = np.floor(pieces[:, :, :2].mean(axis=1) / tile).sum(axis=1) % 2 == 1
    colours = np.where(is_dark[:, np.newaxis], DARK, LIGHT)
    faces = (count * np.arange(len(pieces))[:, np.newaxis] + corners).reshape(-1, 3)
    return Mesh(
        "terrain",
        pieces.reshape(-1, 3).astype(np.float32),
        np.repeat(normals, count, axis=0).astype(np.float32),
        faces.astype(np.int32),
        np.repeat(colours, count, axis=0).astype(np.float32),
        LIGHT,
    )


def find_tile(size: float) -> float:
    """The round length (1, 2 or 5 times a power of ten) next to a size [m].

    >>> find_tile(1.1), find_tile(0.24)
    (1.0, 0.2)
    """
    power = 10.0 ** np.floor(np.log10(size))
    return float(min((1 * power, 2 * power, 5 * power, 10 * power), key=lambda length: abs(np.log(length / size))))


def _find_lines(terrain: Terrain) -> tuple[Array, Array]:
    """Where a terrain has edges of its own, along x and along y [m]."""
    if isinstance(terrain, Plane):
        return np.empty(0), np.empty(0)
    if isinstance(terrain, Profile):
        return np.array([x for x, _ in terrain.points]), np.empty(0)
    assert isinstance(terrain, Grid)
    shape = len(terrain.heights), len(terrain.heights[0])
    x, y = (terrain.origin[i] + terrain.spacing[i] * np.arange(float(shape[i])) for i in range(2))
    return x, y


def _join_lines(tiles: Array, own: Array) -> Array:
    """Edges of tiles, and those of the terrain's own lines that lie between, thinned out where they are many."""
    inside = own[(own > tiles[0]) & (own < tiles[-1])]
    return np.unique(np.round(np.concatenate([tiles, inside[:: 1 + len(inside) // LINES_MOST]]), 9))
