"""Loads on a part: all forces and moments that act on a rigid body, in its own frame, and its inertia.

With c the centre of mass, all vectors in the axes of the part,

    sum F_i + m g - m a = 0                                                                          (1)
    sum (M_i + (p_i - c) x F_i) - (I alpha + w x I w) = 0                                            (2)

Joints, bushings, springs, actuators and motions have channels of their own. What else acts on the part (contacts,
tyres, brakes and the like) is one load at the centre of mass, found from (1) and (2) with the accelerations that a run
has recorded (`grouser run --loads PART`). Where nothing else acts, these equations are a check if accelerations are
there, and give the inertia if they are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ResultError, say_unknown
from grouser.model.body import WORLD, Frame, make_inertia_matrix
from grouser.model.carrier import carry
from grouser.model.load_sensors import ACCELERATION, SPIN
from grouser.model.rotation import quaternion_to_matrix

if TYPE_CHECKING:
    from grouser.model.model import Model
    from grouser.result.result import Result

Array = NDArray[np.float64]
GRAVITY, INERTIA, OTHERS = "gravity", "inertia", "others"
"""Loads besides those of elements."""


@dataclass(frozen=True)
class Load:
    """What one element does to a part.

    Attributes
    ----------
    source : name of the joint, bushing, spring, actuator or motion, or one of `GRAVITY`, `INERTIA`, `OTHERS`
    place : (frames, 3) where the force acts, in the part's frame [m]
    force : (frames, 3) in the part's axes [N]
    torque : (frames, 3) about that place [N m]
    """

    source: str
    place: Array
    force: Array
    torque: Array


@dataclass(frozen=True)
class PartLoads:
    """Loads on a part over a run.

    Attributes
    ----------
    part : name of the body
    time : [s]
    loads : of elements, then gravity, inertia, and the others where there are any; they sum up to zero
    others : names of the elements that `OTHERS` stands for
    is_checked : whether accelerations were recorded, so that the balance is no definition of the inertia
    """

    part: str
    time: Array
    loads: tuple[Load, ...]
    others: tuple[str, ...]
    is_checked: bool

    def calc_imbalance(self) -> tuple[Array, Array]:
        """What force and moment about the part's origin are left over in each frame, in magnitude."""
        force, torque = _sum_up(self.loads, np.zeros(3))
        return np.linalg.norm(force, axis=1), np.linalg.norm(torque, axis=1)


def calc_part_loads(result: Result, part: str) -> PartLoads:
    """Loads on the body `part` in every frame of a result."""
    model = result.model
    if part not in model.bodies:
        raise ResultError(say_unknown("body", part, model.bodies))
    poses = _Poses(result, part)
    loads = [*_list_joint_loads(poses), *_list_coordinate_loads(poses)]
    body = model.bodies[part]
    com, count = np.array(body.com), len(result.time)
    at_com, nothing = np.tile(com, (count, 1)), np.zeros((count, 3))
    weight = body.mass * _turn_back(poses.R, np.tile(np.array(model.gravity), (count, 1)))
    loads.append(Load(GRAVITY, at_com, weight, nothing))
    force, torque = _sum_up(loads, com)
    others = tuple(_list_others(model, part))
    inertia = _read_inertia(result, part)
    if inertia is None:
        if others:
            raise ResultError(
                f"{part!r} also feels {', '.join(others[:4])}{' and others' if len(others) > 4 else ''}, whose moment "
                f"follows from its accelerations, and these were not recorded: run again with --loads {part}"
            )
        loads.append(Load(INERTIA, at_com, -force, -torque))
    else:
        loads.append(Load(INERTIA, at_com, *inertia))
        if others:
            loads.append(Load(OTHERS, at_com, -force - inertia[0], -torque - inertia[1]))
    return PartLoads(part, np.array(result.time), tuple(loads), others, inertia is not None)


class _Poses:
    """Where bodies are in all frames of a result, seen from a part."""

    def __init__(self, result: Result, part: str) -> None:
        self.result, self.model, self.part = result, result.model, part
        self.count = len(result.time)
        self.x, self.R = self.place(Frame(body=part))

    def place(self, frame: Frame) -> tuple[Array, Array]:
        """Origin (frames, 3) and axes (frames, 3, 3) of a frame in the world."""
        frame = carry(self.model, frame)
        if frame.body == WORLD:
            x, R = np.zeros((self.count, 3)), np.tile(np.eye(3), (self.count, 1, 1))
        else:
            x, R = self.result[f"{frame.body}.position"], np.tile(np.eye(3), (self.count, 1, 1))
            if f"{frame.body}.orientation" in self.result:
                R = _make_matrices(self.result[f"{frame.body}.orientation"])
        return x + R @ np.array(frame.position), R @ quaternion_to_matrix(frame.orientation)

    def make_load(self, source: str, place: Array, force: Array, torque: Array) -> Load:
        """A load given in the world."""
        return Load(source, _turn_back(self.R, place - self.x), _turn_back(self.R, force), _turn_back(self.R, torque))


def _list_joint_loads(poses: _Poses) -> Iterator[Load]:
    """Joints and bushings: force and torque on b at the frame b; a feels their opposite at the same place."""
    for name, joint in _list_joints(poses.model).items():
        sign = _find_side(joint, poses.part)
        if sign != 0:
            place, _ = poses.place(joint.frame_b)
            _, axes = poses.place(joint.frame_a)
            force, torque = (_turn(axes, poses.result[f"{name}.{what}"]) for what in ("force", "torque"))
            yield poses.make_load(name, place, sign * force, sign * torque)


def _list_coordinate_loads(poses: _Poses) -> Iterator[Load]:
    """Springs, actuators and motions: along a line, along an axis of frame a, or about it."""
    model, result = poses.model, poses.result
    items = result.list_items("force/force") if result.has_block("force/force") else ()
    forces = {name: model.forces[name] for name in items}
    elements: dict[str, Any] = {**forces, **model.motions}
    for name, element in elements.items():
        holder = model.joints[element.joint] if hasattr(element, "joint") else element
        sign = _find_side(holder, poses.part)
        if sign == 0:
            continue
        value = sign * result[f"{name}.{'force' if name in forces else 'effort'}"].reshape(-1, 1)
        (a, axes_a), (b, axes_b) = poses.place(holder.frame_a), poses.place(holder.frame_b)
        zero = np.zeros_like(b)
        if holder is element:
            line = b - a
            yield poses.make_load(name, b, value * line / np.linalg.norm(line, axis=1, keepdims=True), zero)
        elif element.coordinate == "translation":
            yield poses.make_load(name, b, value * axes_a[:, :, 2], zero)
        else:
            h, j = axes_a[:, :, 2], axes_b[:, :, 2]
            yield poses.make_load(name, b, zero, value * (h + j) / (1.0 + np.sum(h * j, axis=1, keepdims=True)))


def _read_inertia(result: Result, part: str) -> tuple[Array, Array] | None:
    """Inertia force and moment about the centre of mass, (1) and (2), from recorded accelerations; else None."""
    names = [f"{part}.{sensor}.value" for sensor in (ACCELERATION, SPIN)]
    if not all(name in result for name in names):
        return None
    a, alpha = (result[name] for name in names)
    w, body = result[f"{part}.angular_velocity"], result.model.bodies[part]
    inertia = make_inertia_matrix(body.inertia)
    return -body.mass * a, -(alpha @ inertia + np.cross(w, w @ inertia))


def _list_joints(model: Model) -> dict[str, Any]:
    """Joints and bushings by name."""
    return {**model.joints, **{name: force for name, force in model.forces.items() if force.type == "bushing"}}


def _find_side(holder: Any, part: str) -> int:
    """1 if the part is side b of an element, -1 if it is side a, 0 if neither."""
    return 1 if holder.frame_b.body == part else -1 if holder.frame_a.body == part else 0


def _list_others(model: Model, part: str) -> Iterator[str]:
    """Elements that act on a part, and whose force is none of those above."""
    joints = [name for name, joint in model.joints.items() if _find_side(joint, part) != 0]
    groups = {shape.group for shape in model.shapes.values() if shape.body == part}
    yield from (name for name, contact in model.contacts.items() if {contact.a, contact.b} & groups)
    known = ("spring", "joint_spring", "actuator", "bushing")
    yield from (
        name
        for name, force in model.forces.items()
        if force.type not in known and not {part, *joints}.isdisjoint(_list_texts(force.model_dump()))
    )
    yield from (name for name, mesh in model.meshes.items() if part in _list_texts(mesh.model_dump()))
    yield from (name for name, point in model.points.items() if point.body == part)


def _list_texts(value: Any) -> Iterator[str]:
    """All texts in a nest of mappings and lists, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from (*_list_texts(key), *_list_texts(one))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _list_texts(one)


def _sum_up(loads: tuple[Load, ...] | list[Load], point: Array) -> tuple[Array, Array]:
    """Force, and moment about a point of the part, of all loads."""
    force = np.sum([load.force for load in loads], axis=0)
    torque = np.sum([load.torque + np.cross(load.place - point, load.force) for load in loads], axis=0)
    return force, torque


def _make_matrices(quaternions: Array) -> Array:
    return np.array([quaternion_to_matrix(q) for q in quaternions])


def _turn(R: Array, vectors: Array) -> Array:
    return np.einsum("nij,nj->ni", R, vectors)


def _turn_back(R: Array, vectors: Array) -> Array:
    return np.einsum("nji,nj->ni", R, vectors)
