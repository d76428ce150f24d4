"""Lines, rings and separate lines, and how the edges of lines pair up to thin beams."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from grouser.mesh.data import INDEX
from grouser.mesh.raw import RawMesh
from grouser.model.base import Vec3
from grouser.model.mesh import LineMesh, LinesMesh, RingMesh
from grouser.model.rotation import make_axis_frame

STRAIGHT = 1e-9
"""Angle [rad] between a chord and its tangents below which a line counts as straight."""


def make_line(mesh: LineMesh) -> RawMesh:
    """Nodes and edges of a line."""
    corners = np.array(mesh.points if mesh.points is not None else [mesh.start, mesh.end], dtype=float)
    nodes = np.concatenate([_divide(corners, mesh.count), corners[-1:]])
    last = len(nodes) - 1
    order = np.arange(last, dtype=INDEX)
    places = {"start": [0], "end": [last], "start_edge": [0, 1], "end_edge": [last - 1, last]}
    sets = {name: np.array(nodes_of, dtype=INDEX) for name, nodes_of in places.items()}
    if len(corners) > 2:
        sets["corners"] = np.arange(mesh.count, last, mesh.count, dtype=INDEX)
    return RawMesh(nodes, lines=np.column_stack([order, order + 1]), node_sets=sets)


def make_ring(mesh: RingMesh) -> RawMesh:
    """Nodes and edges of a ring; a circle has tangents."""
    tangents, sets = None, {"start": np.array([0], dtype=INDEX)}
    if mesh.points is not None:
        corners = np.array([*mesh.points, mesh.points[0]], dtype=float)
        nodes = _divide(corners, mesh.count)
        sets["corners"] = np.arange(0, len(nodes), mesh.count, dtype=INDEX)
    else:
        assert mesh.radius is not None
        x = (1.0, 0.0, 0.0) if np.hypot(*mesh.axis[1:]) > 1e-6 * math.hypot(*mesh.axis) else (0.0, 1.0, 0.0)
        frame = make_axis_frame(mesh.axis, x)
        angle = 2.0 * math.pi * np.arange(mesh.count) / mesh.count
        around = np.outer(np.cos(angle), frame[:, 0]) + np.outer(np.sin(angle), frame[:, 1])
        nodes = np.array(mesh.centre) + mesh.radius * around
        along = np.outer(-np.sin(angle), frame[:, 0]) + np.outer(np.cos(angle), frame[:, 1])
        tangents = np.stack([along, np.roll(along, -1, axis=0)], axis=1)
    order = np.arange(len(nodes), dtype=INDEX)
    lines = np.column_stack([order, np.roll(order, -1)])
    return RawMesh(nodes, lines=lines, node_sets=sets, tangents=tangents)


def make_lines(mesh: LinesMesh) -> RawMesh:
    """Nodes and edges of separate lines, and their tangents where they are arcs."""
    ends = np.array(mesh.ends, dtype=float).reshape(-1, 2, 3)
    places, turned, _ = calc_arcs(ends, mesh.tangents, mesh.count)
    first = np.arange(len(ends), dtype=INDEX) * (mesh.count + 1)
    order = (first[:, None] + np.arange(mesh.count)).ravel()
    sets = {
        f"{name}{i}": np.array([node]) for i, k in enumerate(first.tolist()) for name, node in _name_ends(k, mesh.count)
    }
    turned = turned.reshape(-1, 3) if mesh.tangents is not None else np.empty((0, 3))
    return RawMesh(places.reshape(-1, 3), lines=np.column_stack([order, order + 1]), node_sets=sets, turned=turned)


def calc_arcs(
    ends: np.ndarray, tangents: Sequence[tuple[Vec3, Vec3]] | None, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and directions (k, count + 1, 3) along lines from end to end (k, 2, 3), and their lengths (k,) [m].

    An arc leaves its chord c by the angle b at one end and comes back by it at the other. With the unit vectors
    u = (t_0 + t_1)/|t_0 + t_1| along the chord, n = (t_0 - (t_0.u) u)/sin b and f = b (1 - 2 s), 0 <= s <= 1,

        x = x_0 + c/2 (1 - sin f/sin b) u + c/(2 sin b) (cos f - cos b) n,   t = cos f u + sin f n            (1)

    and the length c b/sin b.
    """
    share = np.arange(count + 1) / count
    way = ends[:, 1] - ends[:, 0]
    places = ends[:, :1] + share[None, :, None] * way[:, None]
    length = np.linalg.norm(way, axis=1)
    turned = np.repeat((way / length[:, None])[:, None], count + 1, axis=1)
    if tangents is not None:
        given = np.array(tangents, dtype=float).reshape(-1, 2, 3)
        given /= np.linalg.norm(given, axis=2)[:, :, None]
        u = _make_unit(given[:, 0] + given[:, 1])
        along_u = np.einsum("ni,ni->n", given[:, 0], u)
        aside = given[:, 0] - along_u[:, None] * u
        b = np.arctan2(np.linalg.norm(aside, axis=1), along_u)
        b = np.where(b > STRAIGHT, b, 0.0)
        n = _make_unit(np.where(b[:, None] > 0.0, aside, 0.0))
        f = b[:, None] * (1.0 - 2.0 * share)
        turned = np.cos(f)[:, :, None] * u[:, None] + np.sin(f)[:, :, None] * n[:, None]
        is_bent = b > 0.0
        bow = length / np.where(is_bent, np.sin(b), 1.0)
        half = 0.5 * bow[:, None, None]
        along = np.sin(b)[:, None] - np.sin(f)
        arc = half * (along[:, :, None] * u[:, None] + (np.cos(f) - np.cos(b)[:, None])[:, :, None] * n[:, None])
        places = np.where(is_bent[:, None, None], ends[:, :1] + arc, places)
        length = np.where(is_bent, bow * b, length)
    return places, turned, length


def _name_ends(first: int, count: int) -> tuple[tuple[str, int], ...]:
    return ("start", first), ("end", first + count)


def _make_unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1; those without any length stay zero."""
    length = np.linalg.norm(vectors, axis=1)[:, None]
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))


def _divide(corners: np.ndarray, count: int) -> np.ndarray:
    """Points that divide each piece of a polyline evenly; the last corner is left out."""
    share = (np.arange(count) / count)[None, :, None]
    return (corners[:-1, None] + share * np.diff(corners, axis=0)[:, None]).reshape(-1, 3)


def find_triples(lines: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (m, 3) of thin beams, one at every node where two lines meet, and the two lines (m, 2) of each.

    Parameters
    ----------
    lines : (k, 2) nodes
    count : of all nodes

    >>> find_triples(np.array([[0, 1], [1, 2], [2, 0]]), 3)[0]
    array([[2, 0, 1],
           [0, 1, 2],
           [1, 2, 0]])
    """
    ends = lines.ravel()
    order = np.argsort(ends, kind="stable")
    degree = np.bincount(ends, minlength=count)
    first = np.concatenate([[0], np.cumsum(degree)[:-1]])
    middle = np.flatnonzero(degree == 2)
    entry = np.stack([order[first[middle]], order[first[middle] + 1]], axis=1)
    # the line that comes to the node is first where there is one
    is_turned = (entry[:, 0] % 2 == 0) & (entry[:, 1] % 2 == 1)
    entry[is_turned] = entry[is_turned, ::-1]
    edges = entry // 2
    others = lines[edges, 1 - entry % 2]
    return np.column_stack([others[:, 0], middle, others[:, 1]]).astype(INDEX), edges


def choose_normal(directions: np.ndarray) -> np.ndarray:
    """Of z, y and x the first that no line runs near; else the one that is farthest from all of them.

    Parameters
    ----------
    directions : (k, 3) unit vectors along lines
    """
    nearest = np.abs(directions).max(axis=0)[::-1]  # z, y, x
    place = int(np.argmax(nearest < 0.9)) if (nearest < 0.9).any() else int(np.argmin(nearest))
    return np.eye(3)[2 - place]


def make_frames(directions: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Axes (k, 3, 3) in columns of lines along unit vectors (k, 3): X along the line, Z near the normal.

    >>> make_frames(np.array([[1.0, 0.0, 0.0]]), np.array([0.0, 0.0, 2.0]))[0].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    y = np.cross(normal, directions)
    y /= np.linalg.norm(y, axis=1)[:, None]
    return np.stack([directions, y, np.cross(directions, y)], axis=2)
