"""Building a model by hand: bodies where they are, joints at points of the world, in few lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from grouser.errors import ModelError, say_unknown
from grouser.families.coordinate_force.spec import Coordinate
from grouser.families.joint.spec import FREE_COORDINATES, JointType
from grouser.mesh.make import make_mesh_data
from grouser.model.base import Signal
from grouser.model.body import WORLD
from grouser.model.check import SHORTEST
from grouser.model.model import Model
from grouser.model.rotation import make_axis_frame, matrix_to_quaternion, quaternion_to_matrix
from grouser.model.terrain import Terrain
from grouser.model.validate import CHANNEL_FAMILIES


class ModelBuilder:
    """Collects elements and makes a `Model` of them.

    Points and axes of joints, forces and sensors are given in the world, at the initial pose of the
    bodies; contact shapes are given in the frame of their body. A body must be added before what
    refers to it. The `add_` methods return the name of the new element.

    >>> builder = ModelBuilder("pendulum")
    >>> rod = builder.add_body("rod", 2.0, (0.17, 0.17, 0.001), position=(0.5, 0, 0))
    >>> hinge = builder.add_joint("hinge", "revolute", "world", rod, point=(0, 0, 0), axis=(0, 1, 0))
    >>> builder.build().joints["hinge"].frame_b.position
    (-0.5, 0.0, 0.0)
    """

    def __init__(self, name: str, *, description: str = "", gravity: ArrayLike = (0.0, 0.0, -9.81)):
        self._data: dict[str, Any] = {
            "name": name,
            "description": description,
            "gravity": _as_plain(gravity),
        }
        self._poses: dict[str, tuple[np.ndarray, np.ndarray]] = {WORLD: (np.zeros(3), np.eye(3))}
        self._points: set[str] = set()

    def add_body(
        self,
        name: str,
        mass: float,
        inertia: ArrayLike,
        *,
        position: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        **fields: Any,
    ) -> str:
        """Add a body.

        Parameters
        ----------
        mass : [kg]
        inertia : about the centre of mass [kg m^2]: 3 moments, 6 elements as in `Body`, or a 3 x 3 matrix
        position, orientation : initial pose of the body's frame in the world [m], quaternion (w, x, y, z)
        fields : ``com``, ``velocity``, ``angular_velocity`` as in `Body`
        """
        p_WB = _as_vector(f"position of body {name!r}", position, 3)
        q_WB = _as_vector(f"orientation of body {name!r}", orientation, 4)
        _check_direction(f"orientation of body {name!r}", q_WB)
        matrix = _as_plain(inertia)
        if np.shape(matrix) == (3, 3):
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
            if not np.allclose(matrix, np.transpose(matrix)):
                raise ModelError(f"inertia of body {name!r} is {matrix}, which is not symmetric")
            matrix = [xx, yy, zz, xy, xz, yz]
        pose = {"position": p_WB.tolist(), "orientation": q_WB.tolist()}
        self._add("bodies", name, mass=mass, inertia=matrix, **pose, **fields)
        self._poses[name] = (p_WB, quaternion_to_matrix(q_WB))
        return name

    def add_point(
        self,
        name: str,
        position: ArrayLike,
        *,
        mass: float | None = None,
        body: str = "",
        velocity: ArrayLike = (0.0, 0.0, 0.0),
    ) -> str:
        """Add a point at a place in the world [m], with a mass [kg] and an initial velocity [m/s].

        It may be carried by a body instead. Without a mass and a body it is fixed.
        """
        place = _as_vector(f"position of point {name!r}", position, 3).tolist()
        self._poses[name] = (np.array(place), np.eye(3))
        self._points.add(name)
        if body:
            return self._add("points", name, position=place, body=body)
        if mass is None:
            return self._add("points", name, position=place, fixed=True)
        motion = _as_vector(f"velocity of point {name!r}", velocity, 3).tolist()
        return self._add("points", name, mass=mass, position=place, velocity=motion)

    def add_mesh(self, name: str, type: str, **fields: Any) -> str:
        """Add a mesh of a flexible body: ``line``, ``ring``, ``lines``, ``block``, ``plate``, ``belt`` or ``file``;
        `fields` as in the class of its type.

        Wherever a body is named, the mesh may be, at a point within one of its elements. ``name@set`` is the middle of
        a node set, and ``name.number`` a node.
        """
        return self._add("meshes", name, type=type, **fields)

    def add_truss(self, name: str, point_a: str, point_b: str, *, modulus: float, area: float, **fields: Any) -> str:
        """Add a bar or rope between two points: Young's modulus [Pa], area of the cross-section [m^2], and fields as in
        `Truss`."""
        return self._add(
            "forces", name, type="truss", point_a=point_a, point_b=point_b, modulus=modulus, area=area, **fields
        )

    def add_joint(
        self,
        name: str,
        type: JointType,
        body_a: str,
        body_b: str,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        axis: ArrayLike = (0.0, 0.0, 1.0),
        x_axis: ArrayLike | None = None,
        group: str = "joints",
    ) -> str:
        """Add a joint whose coordinates are zero at the initial pose.

        Parameters
        ----------
        point : where it is, in the world [m]
        axis : z axis of its frames, in the world
        x_axis : direction near the x axis of its frames, for universal joints
        group : name of the joint group
        """
        frames = self._make_frames(name, body_a, body_b, point, axis=axis, x_axis=x_axis)
        return self._add("joints", name, type=type, group=group, **frames)

    def add_distance(
        self,
        name: str,
        body_a: str,
        body_b: str,
        *,
        point_a: ArrayLike,
        point_b: ArrayLike,
        length: float | None = None,
        group: str = "joints",
    ) -> str:
        """Add a distance joint between two points of the world [m], a rod without mass.

        Parameters
        ----------
        length : of the rod [m]; by default the distance of the points
        group : name of the joint group
        """
        frames = {
            "frame_a": self._make_frame(name, body_a, point_a),
            "frame_b": self._make_frame(name, body_b, point_b),
        }
        return self._add("joints", name, type="distance", group=group, **frames, length=length)

    def add_spring(
        self, name: str, body_a: str, body_b: str, *, point_a: ArrayLike, point_b: ArrayLike, **law: Any
    ) -> str:
        """Add a spring-damper between two points of the world [m]; `law` as in `Spring`."""
        frame_a = self._make_frame(name, body_a, point_a)
        frame_b = self._make_frame(name, body_b, point_b)
        return self._add("forces", name, type="spring", frame_a=frame_a, frame_b=frame_b, **law)

    def add_joint_spring(self, name: str, joint: str, coordinate: Coordinate | None = None, **law: Any) -> str:
        """Add a spring-damper along a joint's free coordinate; `law` as in `JointSpring`.

        Here and below, the coordinate may be left out where the joint has only one.
        """
        place = self._find_coordinate(joint, coordinate)
        return self._add("forces", name, type="joint_spring", **place, **law)

    def add_joint_friction(self, name: str, joint: str, coordinate: Coordinate | None = None, **fields: Any) -> str:
        """Add friction along a joint's free coordinate; `fields` as in `JointFriction`."""
        place = self._find_coordinate(joint, coordinate)
        return self._add("forces", name, type="joint_friction", **place, **fields)

    def add_bushing(
        self,
        name: str,
        body_a: str,
        body_b: str,
        *,
        point: ArrayLike,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        x_axis: ArrayLike | None = None,
        **law: Any,
    ) -> str:
        """Add a bushing at a point of the world [m], its z along `axis`; `law` as in `Bushing`."""
        frames = self._make_frames(name, body_a, body_b, point, axis=axis, x_axis=x_axis)
        return self._add("forces", name, type="bushing", **frames, **law)

    def add_force(self, name: str, body: str, *, point: ArrayLike | None = None, **fields: Any) -> str:
        """Add a force or torque over time at a point of the world [m], by default the body's origin.

        `fields` are ``force``, ``torque`` and ``axes`` as in `Applied`.
        """
        frame = self._make_frame(name, body, point)
        return self._add("forces", name, type="applied", frame=frame, **fields)

    def add_actuator(self, name: str, joint: str, coordinate: Coordinate | None = None, **fields: Any) -> str:
        """Add an actuator; `fields` are ``control``, ``target``, ``p``, ``i``, ``d`` and ``limit``."""
        place = self._find_coordinate(joint, coordinate)
        return self._add("forces", name, type="actuator", **place, **fields)

    def add_tyre(self, name: str, body: str, *, point: ArrayLike | None = None, **fields: Any) -> str:
        """Add a tyre to a wheel whose spin axis is the body's y axis; `fields` as in `Tyre`.

        `point` is the centre of the wheel in the world [m], by default the body's origin.
        """
        return self._add("forces", name, type="tyre", frame=self._make_frame(name, body, point), **fields)

    def add_powertrain(self, name: str, *, reaction: str, wheels: Mapping[str, float], **fields: Any) -> str:
        """Add a powertrain; `wheels` are shares of the torque by spin joint, `fields` as in `Powertrain`."""
        driven = [{"joint": joint, "share": share} for joint, share in wheels.items()]
        return self._add("forces", name, type="powertrain", reaction=reaction, wheels=driven, **fields)

    def add_track_powertrain(self, name: str, *, left: str, right: str, **fields: Any) -> str:
        """Add a powertrain that drives the sprockets on two joints; `fields` as in `TrackPowertrain`."""
        return self._add("forces", name, type="track_powertrain", left=left, right=right, **fields)

    def add_brake(self, name: str, joint: str, *, torque: float, **fields: Any) -> str:
        """Add a brake with a torque at full pedal [N m] to the wheel that turns on a joint; `fields` as in `Brake`."""
        return self._add("forces", name, type="brake", joint=joint, torque=torque, **fields)

    def add_driver(self, name: str, body: str, *, point: ArrayLike | None = None, **fields: Any) -> str:
        """Add a driver on a body whose x axis is forward; `fields` as in `Driver`.

        `point` is where the view is fixed, in the world [m], by default the body's origin.
        """
        return self._add("drivers", name, frame=self._make_frame(name, body, point), **fields)

    def add_motion(
        self,
        name: str,
        joint: str,
        coordinate: Coordinate | None = None,
        *,
        position: Signal | None = None,
        speed: Signal | None = None,
    ) -> str:
        """Prescribe a joint's coordinate by `position` [m or rad] or by `speed` [m/s or rad/s]."""
        if (position is None) == (speed is None):
            raise ModelError(f"motion {name!r}: give either 'position' or 'speed'")
        quantity, value = ("speed", speed) if position is None else ("position", position)
        place = self._find_coordinate(joint, coordinate)
        return self._add("motions", name, **place, quantity=quantity, value=value)

    def add_shape(self, name: str, type: str, body: str, *, group: str, **fields: Any) -> str:
        """Add a contact shape in the body's frame; `fields` as in the class of its type."""
        self._find_pose(name, body)
        return self._add("shapes", name, type=type, body=body, group=group, **fields)

    def add_surface(
        self,
        name: str,
        body: str = "",
        *,
        group: str,
        mesh: str = "",
        geometry: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> str:
        """Add a surface to a body, with a geometry such as ``{"type": "box", "sides": [1, 1, 1]}`` in the body's frame,
        or to a mesh; `fields` as in `Surface`."""
        if body:
            self._find_pose(name, body)
        shape = {} if geometry is None else {"geometry": _as_plain(dict(geometry))}
        return self._add("shapes", name, type="surface", body=body, mesh=mesh, group=group, **shape, **fields)

    def add_contact(self, name: str, a: str, b: str, *, stiffness: float, **fields: Any) -> str:
        """Let group `a` touch group `b` or ``terrain``; `fields` as in `Contact`."""
        return self._add("contacts", name, a=a, b=b, stiffness=stiffness, **fields)

    def add_sensor(
        self, name: str, body: str, quantity: str, *, point: ArrayLike | None = None, axes: str = "world"
    ) -> str:
        """Record a quantity at a point of the world [m], by default at the body's origin."""
        frame = self._make_frame(name, body, point)
        return self._add("sensors", name, frame=frame, quantity=quantity, axes=axes)

    def set_terrain(self, terrain: Terrain | dict[str, Any]) -> None:
        """Put the model on a terrain: an object, or its fields as in a file."""
        self._data["terrain"] = terrain

    def set_main_body(self, body: str) -> None:
        """Choose the body of which speed and distance are reported."""
        self._data["main_body"] = body

    def set_planar(self) -> None:
        """Say that all motion is in the x-z plane."""
        self._data["planar"] = True

    def build(self) -> Model:
        """The model; a `ModelError` lists all its faults."""
        return Model.model_validate(self._data)

    def _add(self, family: str, name: str, **fields: Any) -> str:
        for other in CHANNEL_FAMILIES if family in CHANNEL_FAMILIES else (family,):
            if name in self._data.get(other, {}):
                raise ModelError(f"{family}.{name}: the name is taken in {other!r} already; use another name")
        self._data.setdefault(family, {})[name] = _as_plain(fields)
        return name

    def _find_pose(self, element: str, body: str) -> tuple[np.ndarray, np.ndarray]:
        meshes = self._data.get("meshes", {})
        mesh = body if body in meshes else body.rpartition(".")[0]
        if body not in self._poses and mesh in meshes:
            alone = {key: value for key, value in meshes[mesh].items() if key != "bonded"}
            spec = Model.model_validate({"name": "mesh", "meshes": {mesh: alone}}).meshes[mesh]
            self._poses[mesh] = (np.array(spec.position), quaternion_to_matrix(spec.orientation))
            places = make_mesh_data(spec).nodes
            self._poses |= {f"{mesh}.{i}": (place, np.eye(3)) for i, place in enumerate(places)}
            if getattr(spec, "element", None) != "beam_thick":
                self._points |= {f"{mesh}.{i}" for i in range(len(places))}
        if body not in self._poses:
            text = say_unknown("body", body, self._poses)
            raise ModelError(f"{element!r} refers to an {text} (add a body before what refers to it)")
        return self._poses[body]

    def _find_coordinate(self, joint: str, coordinate: Coordinate | None) -> dict[str, str]:
        joints = self._data.get("joints", {})
        if joint not in joints:
            raise ModelError(f"{say_unknown('joint', joint, joints)} (add a joint before what refers to it)")
        free = FREE_COORDINATES.get(joints[joint]["type"], ())
        if coordinate is None and len(free) != 1:
            raise ModelError(
                f"joint {joint!r} ({joints[joint]['type']}) has {len(free)} free coordinates along its axis; "
                "name the coordinate: 'rotation' or 'translation'"
            )
        return {"joint": joint, "coordinate": coordinate or free[0]}

    def _make_frame(
        self, element: str, body: str, point: ArrayLike | None, axes: np.ndarray | None = None
    ) -> dict[str, Any]:
        """A frame on a body from a point of the world and axes in the world (by default the body's)."""
        body, _, nodes = body.partition("@")
        p_WB, R_WB = self._find_pose(element, body)
        p_WF = p_WB if point is None else _as_vector(f"point of {element!r}", point, 3)
        # Adding zero makes zeros of negative ones, which would stand in files.
        place = {"nodes": nodes} if nodes else {"position": (R_WB.T @ (p_WF - p_WB) + 0.0).tolist()}
        frame: dict[str, Any] = {"body": body, **place}
        if axes is not None and body not in self._points:
            frame["orientation"] = (matrix_to_quaternion(R_WB.T @ axes) + 0.0).tolist()
        return frame

    def _make_frames(
        self,
        element: str,
        body_a: str,
        body_b: str,
        point: ArrayLike,
        *,
        axis: ArrayLike,
        x_axis: ArrayLike | None,
    ) -> dict[str, Any]:
        z = _as_vector(f"axis of {element!r}", axis, 3)
        _check_direction(f"axis of {element!r}", z)
        x = None if x_axis is None else _as_vector(f"x_axis of {element!r}", x_axis, 3)
        if x is not None:
            _check_direction(f"part of x_axis normal to the axis of {element!r}", np.cross(z, x))
        R_WF = make_axis_frame(z, x)
        return {
            "frame_a": self._make_frame(element, body_a, point, R_WF),
            "frame_b": self._make_frame(element, body_b, point, R_WF),
        }


def _as_plain(value: Any) -> Any:
    """Numpy arrays and numbers as lists and numbers, at any depth."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_plain(item) for item in value]
    return value


def _as_vector(what: str, value: ArrayLike, count: int) -> np.ndarray:
    try:
        vector = np.array(value, dtype=float)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (count,) or not np.isfinite(vector).all():
        raise ModelError(f"{what} is {value!r}; {count} finite numbers are expected")
    return vector


def _check_direction(what: str, vector: np.ndarray) -> None:
    if np.linalg.norm(vector) < SHORTEST:
        raise ModelError(f"{what} is {vector.tolist()}, which has no direction")
