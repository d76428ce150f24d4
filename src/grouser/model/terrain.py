"""Terrain: the ground as a height function z(x, y)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Field

from grouser.errors import ModelError
from grouser.model.base import NonNegative, Number, Part, Positive, Table, Vec3
from grouser.model.profile_file import load_points
from grouser.model.surface import GivenGeometry
from grouser.surface.height import calc_surface_height
from grouser.surface.make import make_raw


class Plane(Part):
    """A plane through a point.

    Attributes
    ----------
    point : a point of the plane [m]
    normal : outward normal, pointing up
    friction : factor on the contact's mu
    """

    type: Literal["plane"] = "plane"
    point: Vec3 = (0.0, 0.0, 0.0)
    normal: Vec3 = (0.0, 0.0, 1.0)
    friction: NonNegative = 1.0


def _read_points(value: Any) -> Any:
    """Points as they are given, or those of the file that is named."""
    if not isinstance(value, str):
        return value
    try:
        return load_points(Path(value))
    except ModelError as error:
        raise ValueError(str(error)) from None


def _add_file(schema: dict[str, Any]) -> None:
    """Let the JSON Schema of points take the name of a file too."""
    table = {key: schema.pop(key) for key in ("type", "items", "minItems")}
    schema["anyOf"] = [table, {"type": "string"}]


ProfilePoints = Annotated[Table, Field(min_length=2, json_schema_extra=_add_file), BeforeValidator(_read_points)]
"""Points (x, z); what is read from a file stays, without the file."""


class Profile(Part):
    """Height along X, the same for all y; linear between the points, constant beyond the ends.

    Attributes
    ----------
    points : table of (x, z), x increasing [m], or the name of a text file that has them in rows with the columns x and
        z, beside the file that names it
    friction : factor on the contact's mu
    """

    type: Literal["profile"] = "profile"
    points: ProfilePoints
    friction: NonNegative = 1.0


class Grid(Part):
    """Heights on a regular grid, bilinear between, constant beyond the edge.

    Attributes
    ----------
    origin : x, y of the first corner [m]
    spacing : grid spacing along x and y [m]
    heights : rows along x, columns along y [m]
    friction : factor on the contact's mu
    """

    type: Literal["grid"] = "grid"
    origin: tuple[Number, Number]
    spacing: tuple[Positive, Positive]
    heights: list[list[Number]]
    friction: NonNegative = 1.0


class MeshTerrain(Part):
    """Polygons that look up, given or from a file: any ground, also with walls and overhangs. Surfaces touch it; other
    shapes and tyres need one of the other terrains. Beyond its edge there is nothing.

    Attributes
    ----------
    geometry : vertices and polygons, or a file, in the axes of the world
    friction : factor on the contact's mu
    """

    type: Literal["mesh"] = "mesh"
    geometry: GivenGeometry
    friction: NonNegative = 1.0


Terrain = Annotated[Plane | Profile | Grid | MeshTerrain, Field(discriminator="type")]


def calc_terrain_height(terrain: Terrain, x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Height of a terrain at points [m], as `kernels.terrain.height` has it in compiled code; NaN beyond the edge of a
    mesh, and of several polygons above each other the highest.

    >>> calc_terrain_height(Profile(points=[(0.0, 0.0), (2.0, 1.0)]), [1.0], [0.0])
    array([0.5])
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if isinstance(terrain, Plane):
        (px, py, pz), (nx, ny, nz) = terrain.point, terrain.normal
        return np.asarray(pz - (nx * (x - px) + ny * (y - py)) / nz)
    if isinstance(terrain, Profile):
        return np.interp(x, [p[0] for p in terrain.points], [p[1] for p in terrain.points])
    if isinstance(terrain, MeshTerrain):
        return calc_surface_height(make_raw(terrain.geometry, None), *np.broadcast_arrays(x, y))
    heights = np.array(terrain.heights)
    rows, columns = heights.shape
    u = np.clip((x - terrain.origin[0]) / terrain.spacing[0], 0.0, rows - 1.0)
    s = np.clip((y - terrain.origin[1]) / terrain.spacing[1], 0.0, columns - 1.0)
    i, j = np.minimum(u.astype(int), rows - 2), np.minimum(s.astype(int), columns - 2)
    u, s = u - i, s - j
    near = heights[i, j] * (1 - s) + heights[i, j + 1] * s
    far = heights[i + 1, j] * (1 - s) + heights[i + 1, j + 1] * s
    return np.asarray(near * (1 - u) + far * u)
