"""Motion of the nodes of flexible meshes in a result: points, bodies, and what holds the nodes of thick beams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from grouser.mesh.data import MeshData
from grouser.mesh.make import make_mesh_data
from grouser.model.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from grouser.result.result import Array, Result

Quantity = Literal["position", "velocity"]


def has_nodes(result: Result, mesh: str, quantity: Quantity) -> bool:
    """Whether a result holds a quantity of the nodes of a mesh."""
    return result.has_block(f"{_find_family(result, mesh)}/{quantity}")


def read_nodes(result: Result, mesh: str, quantity: Quantity, numbers: ArrayLike | None = None) -> Array:
    """Places [m] or velocities [m/s] of nodes of a mesh by their numbers, by default of all (frames, n, 3)."""
    data = make_mesh_data(result.model.meshes[mesh])
    chosen = np.arange(len(data.nodes)) if numbers is None else np.asarray(numbers)
    family = _find_family(result, mesh)
    if family == "node":
        return result.block("node/" + quantity, [f"{mesh}.{i}" for i in chosen])[0]
    holders = {int(i): body for body, nodes in data.bonded.items() for i in nodes}
    holders |= dict.fromkeys(data.fixed.tolist(), "")
    free = [k for k, i in enumerate(chosen) if int(i) not in holders]
    found = np.zeros((len(result.time), len(chosen), 3))
    if free:
        found[:, free] = result.block("body/" + quantity, [f"{mesh}.{chosen[k]}" for k in free])[0]
    for k, i in enumerate(chosen.tolist()):
        if i in holders:
            found[:, k] = _calc_held(result, data, holders[i], i, quantity)
    return found


def _find_family(result: Result, mesh: str) -> str:
    """Blocks that hold the nodes: those of thick beams are bodies."""
    return "body" if getattr(result.model.meshes[mesh], "element", None) == "beam_thick" else "node"


def _calc_held(result: Result, data: MeshData, body: str, node: int, quantity: Quantity) -> Array:
    """A node that is fixed, or carried by a body."""
    if not body:
        return data.nodes[node] if quantity == "position" else np.zeros(3)
    start, R = result.model.bodies[body], result.calc_rotations([body])[:, 0]
    place = quaternion_to_matrix(start.orientation).T @ (data.nodes[node] - np.array(start.position))
    if quantity == "position":
        return result[f"{body}.position"] + R @ place
    return result[f"{body}.velocity"] + np.einsum("fij,fj->fi", R, np.cross(result[f"{body}.angular_velocity"], place))
