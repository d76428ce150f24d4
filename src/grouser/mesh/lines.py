"""Lines and rings, and how the edges of lines pair up to thin beams."""

from __future__ import annotations

import math

import numpy as np

from grouser.mesh.data import INDEX
from grouser.mesh.raw import RawMesh
from grouser.model.mesh import LineMesh, RingMesh
from grouser.model.rotation import make_axis_frame


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
