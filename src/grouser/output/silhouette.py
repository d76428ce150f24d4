"""Lines by which a surface is known in a drawing: where it turns away from the eye, where it ends, and sharp edges."""

from __future__ import annotations

import numpy as np

from grouser.output.colour import Array
from grouser.surface.data import SurfaceData
from grouser.surface.raw import RawSurface, calc_facets, list_sides

SHARP = np.cos(np.radians(35.0))
"""Edges whose polygons are turned further against each other are drawn."""


def find_lines(data: SurfaceData, towards: Array) -> Array:
    """Ends (k, 2, 3) of the lines of a rigid surface, in its own frame.

    Parameters
    ----------
    towards : (3,) direction to the eye, in the same frame
    """
    normals = calc_facets(RawSurface(data.vertices, data.polygons)).sum(axis=1)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    sides, owner = list_sides(data.polygons)
    order = np.lexsort((sides.max(axis=1), sides.min(axis=1)))
    ends, owner = np.sort(sides[order], axis=1), owner[order]
    same = (ends[1:] == ends[:-1]).all(axis=1)
    one, two = normals[owner[:-1]], normals[owner[1:]]
    faces = (normals @ towards) > 0.0
    shown = same & ((faces[owner[:-1]] != faces[owner[1:]]) | ((one * two).sum(axis=1) < SHARP))
    first = np.flatnonzero(shown)
    lonely = np.flatnonzero(~np.append(same, False) & ~np.append(False, same))
    return data.vertices[ends[np.concatenate([first, lonely])]]
