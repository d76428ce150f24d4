"""SurfaceData: a surface as plain arrays, whatever it was made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class SurfaceData:
    """A surface: polygons that points of others touch, and its own contact points.

    Attributes
    ----------
    vertices : (n, 3) float64 places of the corners, in the frame of the body, or of the mesh without load [m]
    polygons : (m, 4) int64 rows of `vertices`, anticlockwise seen from outside; triangles have the last one twice
    points : (k, 3) float64 contact points in the same frame [m]
    areas : (k,) float64 area that belongs to each point [m^2]
    is_shell : both sides are outside
    radius : of the contact points: half the thickness of shells, that of balls [m]
    """

    vertices: Array
    polygons: Array
    points: Array
    areas: Array
    is_shell: bool = False
    radius: float = 0.0
