"""Triangle meshes: a few solids to build with, and what joins them to one mesh of a body.

Solids are arrays of triangles, (triangles, 3 corners, 3), anticlockwise seen from outside. Those with an axis stand on
z; `place` puts them anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.model.rotation import make_axis_frame
from grouser.output.colour import Array, Colour

SEGMENTS = 24
"""Sides of what is round."""
CREASE = np.cos(np.radians(40.0))
"""Faces that meet at a larger angle have an edge between them; others are shaded as one round face."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles in the frame of a body, or in the world.

    Attributes
    ----------
    name : for people
    vertices : float32 (n, 3) [m]; a corner of several flat faces stands here once for each
    normals : float32 (n, 3), outwards, of length 1
    faces : int32 (m, 3), three vertices each, anticlockwise seen from outside
    colours : float32 (n, 3), colour of each vertex, from 0 to 1 as a screen shows it (sRGB)
    colour : the colour that covers most of it, likewise
    """

    name: str
    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    faces: NDArray[np.int32]
    colours: NDArray[np.float32]
    colour: Colour


def make_mesh(name: str, parts: Sequence[tuple[Array, Colour]]) -> Mesh:
    """One mesh of coloured solids, with normals that keep edges sharp and round faces smooth."""
    solid = np.concatenate([triangles for triangles, _ in parts])
    colours = np.concatenate([np.broadcast_to(colour, (len(triangles), 3)) for triangles, colour in parts])
    area = np.linalg.norm(_calc_doubles(solid), axis=1)
    keep = area > 1e-9 * area.max()
    solid, colours, area = solid[keep], colours[keep], area[keep]
    _, vertex = np.unique(np.round(solid.reshape(-1, 3), 6), axis=0, return_inverse=True)
    normals = calc_corner_normals(solid, vertex.reshape(-1))
    corners = np.column_stack([solid.reshape(-1, 3), normals.reshape(-1, 3), np.repeat(colours, 3, axis=0)])
    _, first, index = np.unique(np.round(corners, 5), axis=0, return_index=True, return_inverse=True)
    vertices = corners[first].astype(np.float32)
    kinds, kind = np.unique(colours, axis=0, return_inverse=True)
    red, green, blue = kinds[np.argmax(np.bincount(kind.reshape(-1), area))].tolist()
    faces = index.reshape(-1, 3).astype(np.int32)
    return Mesh(name, vertices[:, :3], vertices[:, 3:6], faces, vertices[:, 6:], (red, green, blue))


def join_meshes(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one, with the name and the colour of the first."""
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return Mesh(
        meshes[0].name,
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, first[:-1], strict=True)]).astype(np.int32),
        np.concatenate([mesh.colours for mesh in meshes]),
        meshes[0].colour,
    )


def _calc_doubles(solid: Array) -> Array:
    """Normals of triangles, as long as twice their area."""
    return np.cross(solid[:, 1] - solid[:, 0], solid[:, 2] - solid[:, 0])


def _calc_angles(solid: Array) -> Array:
    """Angles at the corners of triangles, (triangles, 3) [rad]."""
    ahead, back = np.roll(solid, -1, axis=1) - solid, np.roll(solid, 1, axis=1) - solid
    across = np.linalg.norm(np.cross(ahead, back), axis=2)
    return np.arctan2(across, (ahead * back).sum(axis=2))


def calc_corner_normals(solid: Array, vertex: NDArray[np.int64]) -> Array:
    """Unit normals at the corners, (triangles, 3, 3): the mean over the faces there that go on without an edge.

    Faces count by their angle at the corner, so that it does not matter how they are cut into triangles.

    Parameters
    ----------
    vertex : which point each corner is, (3 triangles,)
    """
    doubles = _calc_doubles(solid)
    units = doubles / np.linalg.norm(doubles, axis=1, keepdims=True)
    angles = _calc_angles(solid).reshape(-1, 1)
    order = np.argsort(vertex, kind="stable")
    starts = np.flatnonzero(np.diff(vertex[order], prepend=-1))
    sums = np.empty((len(order), 3))
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=True):
        corners = order[start:stop]
        around = units[corners // 3]
        sums[corners] = (around @ around.T > CREASE) @ (angles[corners] * around)
    normals: Array = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return normals.reshape(-1, 3, 3)


def place(solid: Array, origin: ArrayLike, axes: ArrayLike = ((1, 0, 0), (0, 1, 0), (0, 0, 1))) -> Array:
    """A solid moved so that its axes are the columns of `axes` and its origin is `origin`."""
    moved: Array = np.asarray(origin, dtype=float) + solid @ np.asarray(axes, dtype=float).T
    return moved


def make_prism(outline: ArrayLike, low: float, high: float) -> Array:
    """An outline (k, 2), anticlockwise and seen whole from its middle, drawn from z = low to high."""
    outer = np.asarray(outline, dtype=float)
    return make_ring(outer, np.broadcast_to(outer.mean(axis=0), outer.shape), low, high)


def make_ring(outer: ArrayLike, inner: ArrayLike, low: float, high: float) -> Array:
    """What lies between two outlines of as many points (k, 2), anticlockwise, from z = low to high."""
    loops = []
    for outline, z in ((outer, low), (outer, high), (inner, high), (inner, low)):
        flat = np.asarray(outline, dtype=float)
        loops.append(np.column_stack([flat, np.full(len(flat), z)]))
    return np.concatenate([join_loops(a, b) for a, b in zip(loops, [*loops[1:], loops[0]], strict=True)])


def make_slab(outline: Sequence[tuple[float, float]], left: float, right: float) -> Array:
    """An outline (x, z), seen whole from its middle, drawn across from y = right to left; anticlockwise with z up."""
    return place(make_prism(outline, -left, -right), (0, 0, 0), [(1, 0, 0), (0, 0, -1), (0, 1, 0)])


def make_lathe(profile: Sequence[tuple[float, float]], segments: int = SEGMENTS) -> Array:
    """A profile of (radius, z), turned about z; going up along the profile, the outside is away from the axis."""
    circle = make_circle(1.0, segments)
    loops = [np.column_stack([radius * circle, np.full(segments, z)]) for radius, z in profile]
    return np.concatenate([join_loops(a, b) for a, b in pairwise(loops)])


def join_loops(a: Array, b: Array) -> Array:
    """The band between two closed lines of as many points (k, 3); anticlockwise about the way from a to b."""
    a2, b2 = np.roll(a, -1, axis=0), np.roll(b, -1, axis=0)
    return np.concatenate([np.stack([a, a2, b2], axis=1), np.stack([a, b2, b], axis=1)])


def make_circle(radius: float, segments: int = SEGMENTS) -> Array:
    """Points of a circle (segments, 2), anticlockwise from x."""
    angle = np.linspace(0.0, 2 * np.pi, segments, endpoint=False)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def make_box(low: ArrayLike, high: ArrayLike) -> Array:
    """A box between two corners."""
    (x0, y0, z0), (x1, y1, z1) = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return make_prism([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], z0, z1)


def make_rod(start: ArrayLike, end: ArrayLike, radius: float, segments: int = 12) -> Array:
    """A cylinder between the middles of its ends."""
    origin = np.asarray(start, dtype=float)
    way = np.asarray(end, dtype=float) - origin
    length = float(np.linalg.norm(way))
    solid = make_lathe([(0.0, 0.0), (radius, 0.0), (radius, length), (0.0, length)], segments)
    return place(solid, origin, make_axis_frame(way))
