"""Where a frame sits on a mesh: at a node, inside an element, or in the middle of a set of nodes.

With the weights s_k of the nodes k, which add up to one, and their places X_k at the start in the axes of the mesh, a
frame inside an element has the gradients of the shape functions. One in the middle of a set has those of the linear
field that fits the set best,

    g_k = s_k A^+ (X_k - sum s_j X_j),   A = sum s_k (X_k - sum s_j X_j) (X_k - sum s_j X_j)^T        (1)

so that in both cases sum X_k g_k^T = 1 in the directions in which the nodes lie apart. Of a set in a plane these are
two, and the normal of the plane stands for the third. What lies along a line has no frame that turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from grouser.errors import say_unknown
from grouser.mesh.data import MeshData, find_nodes
from grouser.mesh.locate import calc_gradients, calc_row_weights, find_cell, find_place_nodes
from grouser.mesh.make import keep, make_mesh_data
from grouser.model.body import Frame
from grouser.model.mesh import Mesh
from grouser.model.rotation import quaternion_to_matrix

Array = np.ndarray

NEAR = 1e-6
"""Distance from an element at which a place counts as inside, as a share of the extent of the mesh."""
THIN = 1e-6
"""Extent of a set in a direction, as a share of its largest one, below which it lies in a plane or on a line."""
Turning = Literal["still", "in space", "in plane"]
"""What of a frame turns with the nodes: nothing, all of it, or all of it with the normal of their plane."""


@dataclass(frozen=True)
class Attachment:
    """Where a frame sits on a mesh.

    Attributes
    ----------
    nodes : (k,) numbers of the nodes
    weights : (k,) their weights
    gradients : (k, 3) mesh axes [1/m]
    normal : (3,) of the plane in which the nodes lie, mesh axes; zero where they do not
    turning : whether and how it turns with the nodes
    place : (3,) at the start, world axes [m]
    """

    nodes: Array
    weights: Array
    gradients: Array
    normal: Array
    turning: Turning
    place: Array


def find_attachment(mesh: Mesh, frame: Frame) -> Attachment | str:
    """Where a frame sits on a mesh without faults, or in words why it sits nowhere."""
    found: dict[tuple[object, ...], Attachment | str] = keep("attachments", mesh, dict)
    place = (frame.nodes, *frame.position)
    if place not in found:
        found[place] = _find_attachment(mesh, frame)
    return found[place]


def _find_attachment(mesh: Mesh, frame: Frame) -> Attachment | str:
    data = make_mesh_data(mesh)
    rotation = quaternion_to_matrix(mesh.orientation)
    if frame.nodes:
        return _attach_to_set(data, frame, rotation)
    place = np.array(mesh.position) + rotation @ np.array(frame.position)
    extent = float(np.linalg.norm(np.ptp(data.nodes, axis=0)))
    cell = find_cell(data, place, tolerance=NEAR * extent)
    if cell is None:
        away = np.linalg.norm(data.nodes - place, axis=1)
        nearest = int(np.argmin(away))
        corner = rotation.T @ (data.nodes[nearest] - np.array(mesh.position))
        return (
            f"position {list(frame.position)} m lies in no element; the nearest node, number {nearest} at "
            f"{[round(float(c), 6) for c in corner]} m, is {away[nearest]:.3g} m away: give a place inside of the mesh"
        )
    is_solid = cell.family in ("brick", "ancf_beam")
    gradients = calc_gradients(data, cell) @ rotation if is_solid else np.zeros((len(find_place_nodes(data, cell)), 3))
    return Attachment(
        find_place_nodes(data, cell),
        calc_row_weights(data, cell),
        gradients,
        np.zeros(3),
        "in space" if is_solid else "still",
        place,
    )


def _attach_to_set(data: MeshData, frame: Frame, rotation: Array) -> Attachment | str:
    """In the middle of a set of nodes, each of which counts by its mass."""
    unknown = [part.strip() for part in frame.nodes.split("&") if part.strip() not in data.node_sets]
    if unknown:
        return say_unknown("node set", unknown[0], data.node_sets)
    if any(frame.position):
        return f"has nodes and position {list(frame.position)} m; leave out one of both"
    nodes = find_nodes(data.node_sets, frame.nodes)
    if not len(nodes):
        return f"node set {frame.nodes!r} is empty; name one with nodes"
    masses = data.masses[nodes]
    weights = masses / masses.sum() if masses.sum() > 0.0 else np.full(len(nodes), 1.0 / len(nodes))
    place = weights @ data.nodes[nodes]
    levers = (data.nodes[nodes] - place) @ rotation
    values, axes = np.linalg.eigh(levers.T @ (weights[:, None] * levers))  # (1)
    apart = values > THIN**2 * values[-1]
    inverse = (axes[:, apart] / values[apart]) @ axes[:, apart].T
    turning: Turning = "still"
    if values[-1] > 0.0 and apart.sum() > 1:
        turning = "in space" if apart.all() else "in plane"
    gradients = weights[:, None] * levers @ inverse if turning != "still" else np.zeros_like(levers)
    normal = axes[:, 0] if turning == "in plane" else np.zeros(3)
    return Attachment(nodes, weights, gradients, normal, turning, place)
