"""Flexible meshes as they are shown: outer faces of bricks, round bars for trusses and beams, moved by their nodes.

Vertices and normals are made anew for every frame from the places of the nodes. Edges that are sharp in the mesh as it
is given stay sharp. Bars have the area of the section, but are never too thin to be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from grouser.mesh.data import MeshData
from grouser.mesh.make import make_mesh_data
from grouser.model.section import calc_section
from grouser.output.colour import Array, Colour
from grouser.output.mesh import calc_corner_normals
from grouser.output.shapes import PLAIN

if TYPE_CHECKING:
    from grouser.model.mesh import Mesh
    from grouser.model.model import Model

SIDES = 8
"""Sides of a bar."""
THINNEST, THICKEST = 0.0015, 0.02
"""Radius of bars over the diagonal of their mesh, at least and at most."""
LINES = ("truss", "beam_thin", "beam_thick", "ancf_beam", "ancf_cable")
"""Families of elements that are bars."""

Index = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Deforming:
    """A flexible mesh.

    Attributes
    ----------
    name : of the mesh
    family : of the blocks that hold the motion of its nodes: ``node``, or ``body`` where they are rigid bodies
    nodes : numbers of its nodes that are seen, (n,); all others count by the place here
    rest : their places at the start, (n, 3) [m]
    corner : node of each vertex of the skin, (v,)
    skin : three vertices of each face of the skin, (m, 3), anticlockwise seen from outside
    lines : nodes at the ends of each bar, (k, 2)
    radius : of the bars [m]
    shares : for each family of elements that it has: rows by which values of elements become values of nodes (bricks)
        or of bars (all others); a row without any share has no value
    colour : of all of it
    """

    name: str
    family: str
    nodes: NDArray[np.int64]
    rest: Array
    corner: Index
    skin: Index
    lines: Index
    radius: float
    shares: dict[str, csr_array]
    colour: Colour

    def list_elements(self, family: str) -> tuple[str, ...]:
        """Names of the elements of a family, as results have them."""
        return tuple(f"{self.name}.{family}.{i}" for i in range(self.shares[family].shape[1]))

    def list_edges(self) -> Index:
        """Pairs of nodes that edges of faces and bars join, each once, (edges, 2)."""
        first, second = self.corner[self.skin[::2]], self.corner[self.skin[1::2]]
        around = [first[:, :2], first[:, 1:], second[:, 1:], second[:, [2, 0]]]
        return np.unique(np.sort(np.concatenate([*around, self.lines]), axis=1), axis=0)

    @property
    def vertex_count(self) -> int:
        """Vertices of skin and bars."""
        return len(self.corner) + 2 * SIDES * len(self.lines)

    def make_faces(self) -> Index:
        """Faces of skin and bars, (faces, 3)."""
        around = np.arange(SIDES)
        ahead = (around + 1) % SIDES
        band = [
            np.column_stack([around, ahead, ahead + SIDES]),
            np.column_stack([around, ahead + SIDES, around + SIDES]),
        ]
        fan = np.column_stack([np.zeros(SIDES - 2, dtype=int), around[1:-1], around[2:]])
        bar = np.concatenate([*band, fan[:, ::-1], fan + SIDES])
        starts = len(self.corner) + 2 * SIDES * np.arange(len(self.lines))
        bars = (starts[:, None, None] + bar).reshape(-1, 3)
        return np.concatenate([self.skin, bars]).astype(np.int32)

    def calc_surface(self, places: Array, uprights: Array | None = None) -> tuple[Array, Array]:
        """Vertices and normals of skin and bars, (vertices, 3) each, from the places of the nodes (n, 3) [m];
        `uprights` as of `calc_bars`."""
        skin = places[self.corner]
        vertices, normals = np.empty((self.vertex_count, 3)), np.empty((self.vertex_count, 3))
        vertices[: len(skin)] = skin
        normals[: len(skin)] = _calc_normals(skin, self.skin)
        bars, outward = calc_bars(places[self.lines], self.radius, uprights)
        vertices[len(skin) :], normals[len(skin) :] = bars, outward
        return vertices, normals

    def spread(self, values: Array) -> Array:
        """Values of all vertices (vertices,) from those of nodes and bars, (n + k,)."""
        count = len(self.nodes)
        return np.concatenate([values[:count][self.corner], np.repeat(values[count:], 2 * SIDES)])


def make_deforming(model: Model) -> tuple[Deforming, ...]:
    """All flexible meshes of a model as they are shown."""
    meshes = enumerate(model.meshes.items(), start=len(model.bodies))
    return tuple(_make_one(name, mesh, PLAIN[i % len(PLAIN)]) for i, (name, mesh) in meshes)


def _make_one(name: str, mesh: Mesh, colour: Colour) -> Deforming:
    data = make_mesh_data(mesh)
    quads = data.surface_sets.get("surface", np.empty((0, 4), dtype=np.int64))
    lines, line_shares = join_lines(data)
    nodes = np.unique(np.concatenate([quads.ravel(), lines.ravel()]))
    place = np.zeros(len(data.nodes), dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    rest = data.nodes[nodes]
    size = float(np.linalg.norm(np.ptp(rest, axis=0))) or 1.0
    corner, skin = make_skin(rest / size, place[quads])
    shares = {family: rows for family, rows in line_shares.items() if rows.shape[1]}
    if len(data.brick.node):
        shares["brick"] = _share_bricks(data.brick.node, len(data.nodes))[nodes]
    return Deforming(
        name=name,
        family="body" if len(data.beam_thick.node) else "node",
        nodes=nodes,
        rest=rest,
        corner=corner,
        skin=skin,
        lines=place[lines].astype(np.int32),
        radius=_find_radius(mesh, size),
        shares=shares,
        colour=colour,
    )


def _find_radius(mesh: Mesh, size: float) -> float:
    """Radius of bars [m]: that of a circle with the area of the section."""
    section = getattr(mesh, "section", None)
    radius = 0.0 if section is None else float(np.sqrt(calc_section(section).area / np.pi))
    return float(np.clip(radius, THINNEST * size, THICKEST * size))


def make_skin(places: Array, quads: NDArray[np.int64]) -> tuple[Index, Index]:
    """Nodes of vertices (v,), and triangles of vertices (m, 3), two for each face; a node has a vertex for each side of
    a sharp edge.

    Parameters
    ----------
    places : of the nodes (n, 3), over the size of the whole
    quads : nodes of the faces (k, 4), anticlockwise seen from outside
    """
    if not len(quads):
        return np.empty(0, dtype=np.int32), np.empty((0, 3), dtype=np.int32)
    # both triangles of a face follow each other
    triangles = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    normals = calc_corner_normals(places[triangles], triangles.ravel())
    sides = np.column_stack([triangles.ravel(), np.round(normals.reshape(-1, 3), 4)])
    _, first, vertex = np.unique(sides, axis=0, return_index=True, return_inverse=True)
    return triangles.ravel()[first].astype(np.int32), vertex.reshape(-1, 3).astype(np.int32)


def join_lines(data: MeshData) -> tuple[NDArray[np.int64], dict[str, csr_array]]:
    """Bars (k, 2) of all families, and for each family the shares of its elements in them: a thin beam has two bars,
    and two beams have a bar in common, which has the mean of both."""
    edges = np.sort(data.beam_thin.node[:, [0, 1, 1, 2]].reshape(-1, 2), axis=1)
    thin, edge = np.unique(edges, axis=0, return_inverse=True)
    parts = {family: getattr(data, family).node for family in LINES} | {"beam_thin": thin.reshape(-1, 2)}
    lines = np.concatenate(list(parts.values()))
    shares, start = {}, 0
    for family, part in parts.items():
        if family == "beam_thin":
            rows, columns = start + edge.reshape(-1), np.repeat(np.arange(len(data.beam_thin.node)), 2)
        else:
            rows, columns = start + np.arange(len(part)), np.arange(len(part))
        width = len(data.beam_thin.node) if family == "beam_thin" else len(part)
        shares[family] = _make_means(rows, columns, (len(lines), width))
        start += len(part)
    return lines, shares


def _share_bricks(bricks: NDArray[np.int64], count: int) -> csr_array:
    """Means over the bricks around each node."""
    return _make_means(bricks.ravel(), np.repeat(np.arange(len(bricks)), 8), (count, len(bricks)))


def _make_means(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    """Rows that take the mean of their columns."""
    counts = np.bincount(rows, minlength=shape[0]).astype(float)
    return csr_array((1.0 / counts[rows], (rows, columns)), shape=shape)


def _calc_normals(vertices: Array, faces: Index) -> Array:
    """Unit normals of vertices: the mean over their faces, which count by their area."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    doubles = np.cross(b - a, c - a)
    sums = np.empty_like(vertices)
    for i in range(3):
        sums[:, i] = np.bincount(faces.ravel(), np.repeat(doubles[:, i], 3), len(vertices))
    return _make_unit(sums)


def find_uprights(ends: Array) -> Array:
    """For bars between ends (k, 2, 3) the axes (k, 3) furthest from each; of two as far always the same one."""
    along = _make_unit(ends[:, 1] - ends[:, 0])
    return np.asarray(np.eye(3)[np.argmin(np.abs(along) - [0.0, 1e-3, 2e-3], axis=1)])


def calc_bars(ends: Array, radius: float, uprights: Array | None = None) -> tuple[Array, Array]:
    """Vertices [m] and normals of round bars between ends (k, 2, 3) [m], (2 SIDES k, 3) each.

    Parameters
    ----------
    uprights : (k, 3) by which the first vertex around each is found; by default those of `find_uprights`
    """
    along = _make_unit(ends[:, 1] - ends[:, 0])
    across = _make_unit(np.cross(find_uprights(ends) if uprights is None else uprights, along))
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    third = np.cross(along, across)
    ring = np.cos(angle)[:, None] * across[:, None] + np.sin(angle)[:, None] * third[:, None]
    normals = np.repeat(ring[:, None], 2, axis=1)
    vertices = ends[:, :, None] + radius * normals
    return vertices.reshape(-1, 3), normals.reshape(-1, 3)


def _make_unit(vectors: Array) -> Array:
    """Vectors of length 1; those without any length point upwards."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 0, vectors / np.where(length > 0, length, 1.0), (0.0, 0.0, 1.0))
