"""Effective masses at a joint: how much resists a push between its two bodies.

A unit impulse between the bodies changes the relative velocity of the joint by G M^-1 G^T; the inverse of its largest
eigenvalue is the least effective mass in any direction. Used to scale stiffness to what a step can bear.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouser.compile.layout import Layout
from grouser.compile.markers import Marker
from grouser.compile.mesh_mass import make_mesh_mass
from grouser.compile.springs import skew
from grouser.compile.tables import NodeTable
from grouser.mesh.ancf import is_ancf
from grouser.mesh.ancf_place import calc_row_mobility
from grouser.mesh.make import make_mesh_data
from grouser.model.body import WORLD, Frame, make_inertia_matrix
from grouser.model.carrier import attach, carry, find_owner, split_node
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.start import calc_world_frame

Array = np.ndarray


def make_nodes(model: Model, layout: Layout) -> tuple:
    """The node table."""
    bodies = list(model.bodies.values())
    inertia = np.array([make_inertia_matrix(body.inertia) for body in bodies]).reshape(-1, 3, 3)
    world = np.zeros((1, 3, 3))
    points, masses = layout.point_data, [body.mass for body in bodies]
    upright = (0.0, 1.0, 0.0)
    coupled, diagonal = make_mesh_mass(layout)
    mass = np.concatenate([[0.0], masses, np.zeros(len(layout.markers)), points.mass[: points.free_count]])
    mass[list(diagonal)] = list(diagonal.values())
    across = [quaternion_to_matrix(body.orientation)[1] for body in bodies]
    return NodeTable(
        mass=mass,
        inertia=np.concatenate([world, inertia]),
        inertia_inverse=np.concatenate([world, np.linalg.inv(inertia)]),
        gravity=np.array(model.gravity, dtype=float),
        is_planar=np.array([model.planar], dtype=np.int64),
        across=np.array([upright, *across, *[upright] * len(layout.markers)]),
        **coupled,
    )


def calc_effective_masses(model: Model, frame_a: Frame, frame_b: Frame) -> tuple[float, float, float, float]:
    """Least effective mass [kg] against translation, least effective inertia [kg m^2] against rotation, and both
    along the z axis of frame a alone. Where nothing turns there is no inertia."""
    translation, rotation = np.zeros((3, 3)), np.zeros((3, 3))
    for frame in (frame_a, frame_b):
        moved, turned = _calc_mobility(model, carry(model, frame), frame)
        translation += moved
        rotation += turned
    axis = _find_axis(model, frame_a)
    return (
        1.0 / float(np.linalg.eigvalsh(translation)[-1]),
        _invert(float(np.linalg.eigvalsh(rotation)[-1])),
        1.0 / float(axis @ translation @ axis),
        _invert(float(axis @ rotation @ axis)),
    )


def _find_axis(model: Model, frame: Frame) -> Array:
    """z axis of a frame at the start, world axes."""
    axis = quaternion_to_matrix(frame.orientation)[:, 2]
    if frame.body in model.bodies:
        return np.asarray(quaternion_to_matrix(model.bodies[frame.body].orientation) @ axis)
    return axis if frame.body == WORLD else calc_world_frame(model, frame)[1][:, 2]


def _invert(mobility: float) -> float:
    return 1.0 / mobility if mobility > 0.0 else 0.0


def _calc_mobility(model: Model, carried: Frame, frame: Frame) -> tuple[Array, Array]:
    """Velocity and angular velocity (3, 3) of a frame by a unit impulse and a unit angular impulse, world axes.

    Parameters
    ----------
    carried : the frame on what carries it
    frame : as the model has it
    """
    if carried.body == WORLD:
        return np.zeros((3, 3)), np.zeros((3, 3))
    if carried.body in model.bodies:
        return _calc_body_mobility(model, carried.body, np.array(carried.position))
    if (found := _calc_ancf_mobility(model, frame)) is not None:
        return found
    moved = sum(jacobian[:3] @ mobility @ jacobian[:3].T for jacobian, mobility in _list_parts(model, frame))
    turned = sum(jacobian[3:] @ mobility @ jacobian[3:].T for jacobian, mobility in _list_parts(model, frame))
    return np.array(moved) + np.zeros((3, 3)), np.array(turned) + np.zeros((3, 3))


def _calc_body_mobility(model: Model, name: str, position: Array) -> tuple[Array, Array]:
    body = model.bodies[name]
    R = quaternion_to_matrix(body.orientation)
    lever = R @ (position - np.array(body.com))
    mobility = R @ np.linalg.inv(make_inertia_matrix(body.inertia)) @ R.T
    turn = skew(lever)
    return np.eye(3) / body.mass - turn @ mobility @ turn, mobility


def _calc_ancf_mobility(model: Model, frame: Frame) -> tuple[Array, Array] | None:
    """The same of a frame in an element by gradients, by the mass of that element alone; None for other frames."""
    node = split_node(model, frame.body)
    name = frame.body if node is None else node[0]
    if name not in model.meshes or not is_ancf(model.meshes[name]):
        return None
    data, mesh = make_mesh_data(model.meshes[name]), model.meshes[name]
    if node is not None:
        rows, place, turn = np.array([node[1]]), np.eye(3), np.zeros((3, 3))
    else:
        held, Q = attach(model, frame), quaternion_to_matrix(mesh.orientation)
        turning = Q @ Marker.on_mesh("", held, held.nodes, Q).turning
        rows = held.nodes
        place = np.hstack([weight * np.eye(3) for weight in held.weights])
        turn = np.hstack([turning @ skew(gradient) @ Q.T for gradient in held.gradients])
    mobility = np.kron(calc_row_mobility(data, rows), np.eye(3))
    return place @ mobility @ place.T, turn @ mobility @ turn.T


def _list_parts(model: Model, frame: Frame) -> list[tuple[Array, Array]]:
    """How a frame on points moves with each body or free point (6, m), and the mobility (m, m) of these, world axes."""
    owners: dict[tuple[str, int], Array] = {}
    mobilities: dict[tuple[str, int], Array] = {}
    for name, number, place, mass, own in _list_nodes(model, frame):
        carrier = _find_carrier(model, name, number)
        if carrier == WORLD:
            continue
        if carrier:
            body = model.bodies[carrier]
            R = quaternion_to_matrix(body.orientation)
            lever = place - np.array(body.position) - R @ np.array(body.com)
            key, jacobian = (carrier, -1), own @ np.hstack([np.eye(3), -skew(lever)])
            inverse = R @ np.linalg.inv(make_inertia_matrix(body.inertia)) @ R.T
            mobilities[key] = np.block([[np.eye(3) / body.mass, np.zeros((3, 3))], [np.zeros((3, 3)), inverse]])
        else:
            key, jacobian = (name, number), own
            mobilities[key] = np.eye(3) / mass
        owners[key] = owners.get(key, 0.0) + jacobian
    return [(jacobian, mobilities[key]) for key, jacobian in owners.items()]


def _list_nodes(model: Model, frame: Frame) -> Iterator[tuple[str, int, Array, float, Array]]:
    """Points of a frame: name of point or mesh, number of the node, place [m], mass [kg], and how the frame moves with
    it (6, 3)."""
    alone = np.vstack([np.eye(3), np.zeros((3, 3))])
    if frame.body in model.points:
        point = model.points[frame.body]
        yield frame.body, -1, np.array(point.position), point.mass, alone
        return
    node = split_node(model, frame.body)
    if node is not None:
        data = make_mesh_data(model.meshes[node[0]])
        yield (*node, data.nodes[node[1]], float(data.masses[node[1]]), alone)
        return
    mesh, held = model.meshes[frame.body], attach(model, frame)
    data, Q = make_mesh_data(mesh), quaternion_to_matrix(mesh.orientation)
    turning = Marker.on_mesh("", held, held.nodes, Q).turning
    for number, weight, gradient in zip(held.nodes.tolist(), held.weights, held.gradients, strict=True):
        own = np.vstack([weight * np.eye(3), Q @ turning @ skew(gradient) @ Q.T])
        yield frame.body, number, data.nodes[number], float(data.masses[number]), own


def _find_carrier(model: Model, name: str, number: int) -> str:
    """Name of the body that carries a point, that of the world for a fixed one, or empty for a free one."""
    if number < 0:
        return find_owner(model, name) if model.points[name].is_carried else ""
    data = make_mesh_data(model.meshes[name])
    if number in data.fixed:
        return WORLD
    return next((body for body, nodes in data.bonded.items() if number in nodes), "")
