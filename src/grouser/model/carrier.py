"""What carries a frame: a body, a point, or a marker, which is a frame on the nodes of a mesh.

A frame of a model may name a mesh, with a place in the axes of the mesh at the start, or with a set of nodes in the
middle of which it lies; or it names a node, ``mesh.number``. `carry` turns each of them into a frame on what moves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.mesh.attach import Attachment, find_attachment
from grouser.mesh.make import make_mesh_data
from grouser.model.body import WORLD, Frame
from grouser.model.rotation import matrix_to_quaternion, quaternion_to_matrix

if TYPE_CHECKING:
    from grouser.model.model import Model


def split_node(model: Model, name: str) -> tuple[str, int] | None:
    """Mesh and number of a node that is named ``mesh.number``; None for other names."""
    mesh, _, number = name.rpartition(".")
    if mesh not in model.meshes or not (number.isascii() and number.isdigit()):
        return None
    return (mesh, int(number)) if int(number) < len(make_mesh_data(model.meshes[mesh]).nodes) else None


def attach(model: Model, frame: Frame) -> Attachment:
    """Where a frame without faults sits on its mesh."""
    found = find_attachment(model.meshes[frame.body], frame)
    assert isinstance(found, Attachment)
    return found


def name_marker(frame: Frame) -> str:
    """Name of the marker of a frame on a mesh."""
    place = frame.nodes.replace(" ", "") if frame.nodes else ",".join(f"{value!r}" for value in frame.position)
    return f"{frame.body}@{place}"


def carry(model: Model, frame: Frame) -> Frame:
    """A frame as it sits on the body, the point or the marker that carries it."""
    if frame.body not in model.meshes:
        return frame
    if not is_thick(model, frame.body):
        return Frame(body=name_marker(frame), orientation=frame.orientation)
    found = attach(model, frame)
    return _carry_by_beam(model, frame, int(found.nodes[np.argmax(found.weights)]), found.place)


def _carry_by_beam(model: Model, frame: Frame, node: int, place: np.ndarray) -> Frame:
    """The half of a thick beam that is nearer to a node moves with it: that body carries the frame."""
    mesh = model.meshes[frame.body]
    data = make_mesh_data(mesh)
    holder = next((body for body, nodes in data.bonded.items() if node in nodes), f"{frame.body}.{node}")
    axes = quaternion_to_matrix(mesh.orientation) @ quaternion_to_matrix(frame.orientation)
    origin, R = np.zeros(3), np.eye(3)
    if node in data.fixed:
        holder = WORLD
    elif holder in model.bodies:
        origin, R = np.array(model.bodies[holder].position), quaternion_to_matrix(model.bodies[holder].orientation)
    else:
        origin = data.nodes[node]  # its body is made of the node, with the axes of the world
    turned = matrix_to_quaternion(R.T @ axes)
    return Frame(body=holder, position=tuple((R.T @ (place - origin)).tolist()), orientation=tuple(turned.tolist()))


def find_owner(model: Model, name: str) -> str:
    """What a frame on something moves: a body, a free point, a whole mesh, or the world."""
    point = model.points.get(name)
    if point is not None:
        return WORLD if point.fixed else point.body or name
    if name in model.meshes:
        return name
    node = split_node(model, name)
    return name if node is None else node[0]


def is_thick(model: Model, mesh: str) -> bool:
    """Whether the nodes of a mesh are bodies."""
    return getattr(model.meshes[mesh], "element", None) == "beam_thick"


def can_move(model: Model, frame: Frame) -> bool:
    """Whether what a frame without faults sits on can move: not the world, and not fixed points and nodes."""
    if frame.body in model.points:
        return not model.points[frame.body].fixed
    node = None if frame.body in model.bodies else split_node(model, frame.body)
    if frame.body in model.meshes and not is_thick(model, frame.body):
        fixed = make_mesh_data(model.meshes[frame.body]).fixed
        return not set(attach(model, frame).nodes.tolist()) <= set(fixed.tolist())
    if node is not None:
        return node[1] not in make_mesh_data(model.meshes[node[0]]).fixed
    return carry(model, frame).body != WORLD


def does_turn(model: Model, frame: Frame) -> bool:
    """Whether a frame without faults has axes that turn with what it sits on; the world counts as such."""
    if frame.body in model.points:
        return False
    if frame.body in model.meshes:
        return is_thick(model, frame.body) or attach(model, frame).turning != "still"
    node = split_node(model, frame.body)
    return node is None or is_thick(model, node[0])
