"""The cell of a mesh that holds a point, and what its nodes have to do with that point."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from grouser.mesh.ancf_place import calc_ancf_gradients, calc_ancf_weights, find_ancf_place
from grouser.mesh.data import MeshData
from grouser.mesh.trilinear import calc_shape, find_natural
from grouser.model.mesh import ANCF

Family = Literal["truss", "beam_thin", "beam_thick", "brick", "ancf_beam", "ancf_cable"]
_LINES: tuple[Family, ...] = ("truss", "beam_thick", "beam_thin")


class Place(NamedTuple):
    """A point in a cell.

    Attributes
    ----------
    family : of the cell
    cell : its number in the family
    natural : (3,) from -1 to 1 in a brick; (3,) share from 0 to 1 along an element by gradients, and y and z of its
        section [m]; (1,) share from 0 to 1 along a truss or thick beam; (1,) from -1 over 0 at the middle node to 1
        along a thin beam
    """

    family: Family
    cell: int
    natural: np.ndarray


def find_cell(data: MeshData, point: ArrayLike, *, tolerance: float = 1e-6) -> Place | None:
    """The cell that holds a point of the world [m] at the start, or None where there is none.

    Bricks come first: of those that hold the point, the one in which it is deepest. Else the line that is nearest.

    Parameters
    ----------
    tolerance : largest distance from the cell [m]
    """
    target = np.array(point, dtype=float)
    found = _find_brick(data, target, tolerance) or _find_line(data, target, tolerance)
    return found or find_ancf_cell(data, target, tolerance)


def _find_brick(data: MeshData, point: np.ndarray, tolerance: float) -> Place | None:
    if not len(data.brick.node):
        return None
    low, high = data.brick_bounds
    near = np.flatnonzero(((low <= point + tolerance) & (point - tolerance <= high)).all(axis=1))
    best, place = np.inf, None
    for cell in near.tolist():
        corners = data.nodes[data.brick.node[cell]]
        natural = find_natural(corners, point)
        if natural is None:
            continue
        inside = np.clip(natural, -1.0, 1.0)
        away = float(np.linalg.norm(calc_shape(inside[None])[0][0] @ corners - point))
        depth = float(np.abs(natural).max())
        if away <= tolerance and depth < best:
            best, place = depth, Place("brick", cell, inside)
    return place


def _find_line(data: MeshData, point: np.ndarray, tolerance: float) -> Place | None:
    best, place = tolerance, None
    for family in _LINES:
        node = getattr(data, family).node
        for k in range(node.shape[1] - 1):
            if not len(node):
                continue
            start, way = data.nodes[node[:, k]], data.nodes[node[:, k + 1]] - data.nodes[node[:, k]]
            share = np.clip(((point - start) * way).sum(axis=1) / (way**2).sum(axis=1), 0.0, 1.0)
            away = np.linalg.norm(start + share[:, None] * way - point, axis=1)
            if family == "beam_thin":  # of two that overlap, that with its middle nearer
                away = away + 1e-9 * tolerance * np.abs(share + k - 1.0)
            cell = int(np.argmin(away))
            if away[cell] <= best * (1.0 + 1e-9):
                natural = share[cell] + (k - 1.0 if family == "beam_thin" else 0.0)
                best, place = float(away[cell]), Place(family, cell, np.array([natural]))
    return place


def find_ancf_cell(data: MeshData, point: np.ndarray, tolerance: float) -> Place | None:
    """The element by gradients that holds a point."""
    for family in ANCF:
        found = find_ancf_place(data, family, point, tolerance)
        if found is not None:
            return Place(family, *found)  # type: ignore[arg-type]
    return None


def find_place_nodes(data: MeshData, place: Place) -> np.ndarray:
    """Nodes (k,) of the cell in which a place is; rows of one by gradients."""
    cells = getattr(data, place.family)
    return np.asarray(cells.row[place.cell] if place.family in ANCF else cells.node[place.cell])


def calc_weights(place: Place) -> np.ndarray:
    """Weights (k,) of the nodes of the cell: the place is where its nodes are, with these weights.

    >>> calc_weights(Place("truss", 0, np.array([0.25])))
    array([0.75, 0.25])
    >>> calc_weights(Place("beam_thin", 0, np.array([-0.25])))
    array([0.25, 0.75, 0.  ])
    """
    if place.family == "brick":
        return np.asarray(calc_shape(place.natural[None])[0][0])
    s = float(place.natural[0])
    if place.family == "beam_thin":
        return np.array([max(-s, 0.0), 1.0 - abs(s), max(s, 0.0)])
    return np.array([1.0 - s, s])


def calc_row_weights(data: MeshData, place: Place) -> np.ndarray:
    """The same of any cell, by its nodes or rows."""
    is_ancf = place.family in ANCF
    return calc_ancf_weights(data, place.family, place.cell, place.natural) if is_ancf else calc_weights(place)


def calc_gradients(data: MeshData, place: Place) -> np.ndarray:
    """Slopes (k, 3) of the weights over the position at the start [1/m]; for lines along the line alone."""
    if place.family in ANCF:
        return calc_ancf_gradients(data, place.family, place.cell, place.natural)
    nodes = data.nodes[find_place_nodes(data, place)]
    if place.family == "brick":
        slopes = calc_shape(place.natural[None])[1][0]
        return np.asarray(slopes @ np.linalg.inv(nodes.T @ slopes))
    first = 1 if place.family == "beam_thin" and place.natural[0] >= 0.0 else 0
    way = nodes[first + 1] - nodes[first]
    gradients = np.zeros((len(nodes), 3))
    gradients[first + 1] = way / (way @ way)
    gradients[first] = -gradients[first + 1]
    return gradients
