"""Terrain as polygons: meshes, and grids, whose cells are quadrilaterals."""

from __future__ import annotations

import numpy as np

from grouser.mesh.data import freeze
from grouser.model.terrain import Grid, MeshTerrain
from grouser.surface.data import SurfaceData
from grouser.surface.make import make_raw
from grouser.surface.raw import Array, RawSurface, drop_unused


def make_ground_data(terrain: Grid | MeshTerrain) -> SurfaceData:
    """A terrain as a surface in the world, without contact points of its own.

    At its nodes a grid has the same height as its polygons. Between them a cell of four heights that do not lie in a
    plane is four triangles about its middle, and differs from the bilinear height by up to 1/16 of the twist
    |h00 - h10 - h01 + h11|.
    """
    raw = make_grid(terrain) if isinstance(terrain, Grid) else drop_unused(make_raw(terrain.geometry, None))[0]
    data = SurfaceData(np.ascontiguousarray(raw.vertices), raw.polygons, np.empty((0, 3)), np.empty(0))
    freeze(data)
    return data


def make_grid(terrain: Grid) -> RawSurface:
    """A grid as quadrilaterals."""
    heights: Array = np.array(terrain.heights, dtype=float)
    rows, columns = heights.shape
    x, y = (terrain.origin[k] + terrain.spacing[k] * np.arange(heights.shape[k]) for k in range(2))
    vertices = np.column_stack([np.repeat(x, columns), np.tile(y, rows), heights.ravel()])
    number = np.arange(rows * columns).reshape(rows, columns)
    corners = (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])
    return RawSurface(vertices, np.column_stack([corner.ravel() for corner in corners]))
