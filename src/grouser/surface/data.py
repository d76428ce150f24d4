"""SurfaceData: a surface as plain arrays, whatever it was made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


def _make_none(*shape: int) -> Array:
    return np.zeros(shape, dtype=np.int64)


@dataclass(frozen=True)
class SurfaceData:
    """A surface: polygons that points of others touch, and its own contact points. Arrays are read-only.

    A surface on a flexible mesh lies in the world, where the mesh is at the start; its vertices are nodes of the mesh,
    and its contact points go with their vertices.

    Attributes
    ----------
    vertices : (n, 3) float64 places of the corners, in the frame of the body, or of the mesh without load [m]
    polygons : (m, 4) int64 rows of `vertices`, anticlockwise seen from outside; triangles have the last one twice
    points : (k, 3) float64 contact points in the same frame [m]
    areas : (k,) float64 area that belongs to each point [m^2]
    is_shell : both sides are outside
    radius : of the contact points: half the thickness of shells, that of balls [m]
    nodes : (n,) int64 for a deforming surface the node of its mesh that each vertex is; no rows for a rigid one
    corners : (k, 4) int64 rows of `vertices` that carry each point of a deforming surface; no rows for a rigid one
    weights : (k, 4) float64 their shares in it, at least 0: a point is the sum of weights times vertices
    """

    vertices: Array
    polygons: Array
    points: Array
    areas: Array
    is_shell: bool = False
    radius: float = 0.0
    nodes: Array = field(default_factory=lambda: _make_none(0))
    corners: Array = field(default_factory=lambda: _make_none(0, 4))
    weights: Array = field(default_factory=lambda: np.zeros((0, 4)))

    @property
    def is_deforming(self) -> bool:
        """Whether it goes with the nodes of a mesh."""
        return len(self.nodes) > 0
