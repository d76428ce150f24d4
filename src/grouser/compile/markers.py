"""Markers of a model: frames on points, each with a row of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grouser.compile.points import Points
from grouser.kernels.kinds import MARKER_IN_PLANE, MARKER_IN_SPACE, MARKER_STILL
from grouser.mesh.attach import Attachment
from grouser.model.body import Frame
from grouser.model.carrier import attach, carry, is_thick
from grouser.model.contact import Shape, Sphere
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.surface import Surface

Array = np.ndarray

TURNS = {"still": MARKER_STILL, "in space": MARKER_IN_SPACE, "in plane": MARKER_IN_PLANE}
"""By what turns of a frame (`grouser.mesh.attach`)."""


@dataclass(frozen=True)
class Marker:
    """A frame on points (`grouser.kernels.carried`).

    Attributes
    ----------
    name : of its row
    points : (k,) the points that it sits on, counted from the first point
    weights : (k,) their weights
    gradients : (k, 3) in its axes [1/m]
    normal : (3,) of the plane of the points, in its axes
    turns : whether and how it turns, MARKER_*
    axes : (3, 3) in columns at the start, world axes
    """

    name: str
    points: Array
    weights: Array
    gradients: Array
    normal: Array
    turns: int
    axes: Array

    @property
    def turning(self) -> Array:
        """H^-1 of `grouser.kernels.carried`, (4), at the start, in its axes."""
        # U of (3) has the value one in all directions in which the points lie apart
        U = np.eye(3) - np.outer(self.normal, self.normal)
        return np.linalg.inv(np.trace(U) * np.eye(3) - U)

    @classmethod
    def on_point(cls, name: str, point: int) -> Marker:
        """A marker on one point, which does not turn."""
        nothing = np.zeros((1, 3))
        return cls(name, np.array([point]), np.ones(1), nothing, nothing[0], MARKER_STILL, np.eye(3))

    @classmethod
    def on_mesh(cls, name: str, held: Attachment, points: Array, axes: Array) -> Marker:
        """A marker on these points, in the way in which a frame sits on a mesh with these axes."""
        return cls(name, points, held.weights, held.gradients, held.normal, TURNS[held.turning], axes)


def list_frames(model: Model) -> Iterator[Frame]:
    """All frames that elements of a model sit on, and those of its spheres."""
    for family in (model.joints, model.forces, model.sensors, model.drivers):
        for element in family.values():
            yield from (value for _, value in element if isinstance(value, Frame))
    yield from (find_shape_frame(shape) for shape in model.shapes.values() if does_follow(model, shape))


def does_follow(model: Model, shape: Shape) -> bool:
    """Whether a shape may sit on a point or a mesh."""
    return isinstance(shape, Sphere) or (shape.body in model.meshes and not isinstance(shape, Surface))


def find_shape_frame(shape: Shape) -> Frame:
    """Frame in the middle of a sphere, or in a mesh where another shape sits."""
    place = shape.position if isinstance(shape, Sphere) else getattr(shape, "at", None)
    return Frame(body=shape.body, position=place or (0.0, 0.0, 0.0))


def carry_shape(model: Model, shape: Shape) -> Shape:
    """A shape on the body or the marker that carries it."""
    if not does_follow(model, shape):
        return shape
    carried = carry(model, find_shape_frame(shape))
    if isinstance(shape, Sphere):
        return shape.model_copy(update={"body": carried.body, "position": carried.position})
    return shape.model_copy(update={"body": carried.body})


def make_markers(model: Model, points: Points) -> tuple[Marker, ...]:
    """The markers that the frames of a model ask for, each once."""
    rows = {name: i for i, name in enumerate(points.names)}
    found: dict[str, Marker] = {}
    for frame in list_frames(model):
        name = carry(model, frame).body
        if name in found:
            continue
        if frame.body in rows:
            found[name] = Marker.on_point(name, rows[frame.body])
        elif frame.body in model.meshes and not is_thick(model, frame.body):
            held = attach(model, frame)
            axes = quaternion_to_matrix(model.meshes[frame.body].orientation)
            found[name] = Marker.on_mesh(name, held, points.of_mesh[frame.body][held.nodes], axes)
    return tuple(found.values())
