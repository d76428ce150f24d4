"""Setting a model down on its terrain."""

from __future__ import annotations

from math import hypot
from typing import TypeVar

import numpy as np

from grouser.errors import ModelError
from grouser.model.body import Body, Frame
from grouser.model.contact import TERRAIN, Points, Wheel
from grouser.model.force import Tyre
from grouser.model.mesh import Mesh
from grouser.model.model import Model
from grouser.model.rotation import make_axis_frame, matrix_to_quaternion, multiply_quaternions, quaternion_to_matrix
from grouser.model.start import calc_world_frame
from grouser.model.surface import Surface
from grouser.model.terrain import Grid, MeshTerrain, Plane, Profile, Terrain, calc_terrain_height
from grouser.surface.make import make_rigid_data

Array = np.ndarray
Placed = TypeVar("Placed", Body, Mesh)
LEVEL = 1.0e-9
"""Slope below which ground counts as level."""

FOOTPRINT = 0.005
"""Points within this height over the lowest ones are taken to stand on the ground [m]."""


def place_on_terrain(model: Model, terrain: Terrain) -> Model:
    """A copy of a model that stands on another terrain.

    The model as it is stands level over z = 0. It is turned so that its ground contact points lie along the mean slope
    under them, and raised or lowered until the lowest of them touches.
    """
    if not isinstance(terrain, Plane | Profile | Grid | MeshTerrain):  # its fields as in a file, or a mistake
        terrain = model.with_terrain(terrain).terrain
    points = _find_ground_points(model)
    if not len(points):
        return model.with_terrain(terrain)
    # the foot must be taken before turning: afterwards "lowest" is no longer "on the ground"
    foot = points[points[:, 2] < np.min(points[:, 2]) + FOOTPRINT]
    height = calc_terrain_height(terrain, foot[:, 0], foot[:, 1])
    if np.isnan(height).any():
        x, y = foot[np.argmax(np.isnan(height)), :2].tolist()
        raise ModelError(f"terrain: has no polygon at x = {x:.4g} m, y = {y:.4g} m, under the model; extend it")
    columns = np.column_stack([np.ones(len(foot)), foot[:, :2] - np.mean(foot[:, :2], axis=0)])
    slope_x, slope_y = np.linalg.lstsq(columns, height, rcond=None)[0][1:]
    if hypot(slope_x, slope_y) < LEVEL:
        turn = None
        moved = points
    else:
        turn = make_axis_frame((-slope_x, -slope_y, 1.0), x_axis=(1.0, 0.0, 0.0))
        moved = points @ turn.T
    drop = float(np.nanmax(calc_terrain_height(terrain, moved[:, 0], moved[:, 1]) - moved[:, 2]))
    bodies = {name: _move(body, turn, drop) for name, body in model.bodies.items()}
    meshes = {name: _move(mesh, turn, drop) for name, mesh in model.meshes.items()}
    return model.with_changes(bodies=bodies, meshes=meshes, terrain=terrain)


def _find_ground_points(model: Model) -> Array:
    """World positions of all points that may touch the terrain, and of the lowest points of wheels and tyres."""
    groups = {contact.a for contact in model.contacts.values() if contact.b == TERRAIN}
    found = []
    for shape in model.shapes.values():
        if isinstance(shape, Points) and shape.group in groups and shape.body in model.meshes:
            mesh = model.meshes[shape.body]
            placed = np.array(shape.positions) + np.array(shape.at)
            found.append(placed @ quaternion_to_matrix(mesh.orientation).T + np.array(mesh.position))
        elif isinstance(shape, Points | Surface) and shape.group in groups and shape.body in model.bodies:
            body = model.bodies[shape.body]
            places = shape.positions if isinstance(shape, Points) else make_rigid_data(shape).points
            rotated = np.array(places) @ quaternion_to_matrix(body.orientation).T
            found.append(rotated + np.array(body.position))
        elif isinstance(shape, Wheel) and shape.group in groups and shape.body in model.bodies:
            centre, _ = calc_world_frame(model, Frame(body=shape.body, position=shape.position))
            found.append(centre[None, :] - [0.0, 0.0, shape.radius])
    for force in model.forces.values():
        if isinstance(force, Tyre):
            centre, _ = calc_world_frame(model, force.frame)
            found.append(centre[None, :] - [0.0, 0.0, force.radius])
    return np.vstack(found) if found else np.zeros((0, 3))


def _move(body: Placed, turn: Array | None, drop: float) -> Placed:
    if turn is None:
        x, y, z = body.position
        return body.model_copy(update={"position": (x, y, z + drop)})
    x, y, z = turn @ np.array(body.position)
    orientation = multiply_quaternions(matrix_to_quaternion(turn), body.orientation)
    return body.model_copy(
        update={
            "position": (float(x), float(y), float(z) + drop),
            "orientation": tuple(float(q) for q in orientation),
            "velocity": tuple(float(v) for v in turn @ np.array(body.velocity)),
        }
    )
