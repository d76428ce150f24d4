"""Joints that hold by forces, and bushings, become rows of the connection tables, by their realization."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from grouser.compile.effective import calc_effective_masses
from grouser.compile.layout import Layout
from grouser.compile.load import calc_carried_masses
from grouser.compile.realization import (
    ElasticLinks,
    Ideal,
    Penalty,
    PenaltyScaled,
    Realization,
    calc_held_matrix,
    find_realization,
)
from grouser.compile.springs import Springs, calc_levers, calc_rotation, calc_translation
from grouser.compile.tables import FLOAT, INDEX, INT, make_rows, make_table
from grouser.errors import UnsupportedError
from grouser.families.family import Family, Shared, Source
from grouser.families.joint.constraint_rows import ConstraintTable, make_constraints
from grouser.families.joint.spec import OWN_ROWS, Joint
from grouser.kernels.kinds import POINT_DISTANCE, POINT_LOCKED, POINT_ROTATION_FREE, POINT_TILT, POINT_UNIVERSAL
from grouser.mesh.make import make_mesh_data
from grouser.model.body import Frame
from grouser.model.carrier import does_turn, find_owner
from grouser.model.force import Bushing as BushingForce
from grouser.model.material import calc_moduli
from grouser.model.model import Model
from grouser.model.size import calc_joint_sizes
from grouser.model.start import calc_rod_length

# Penalty joints that hold all three translations equally, or a distance, need no axes for them: the fast table.
_POINT_ROTATION = {
    "fixed": POINT_LOCKED,
    "revolute": POINT_TILT,
    "spherical": POINT_ROTATION_FREE,
    "universal": POINT_UNIVERSAL,
    "distance": POINT_DISTANCE,
}


PointTable = make_table(
    "PointTable",
    ("joint", "(n,)", INDEX, "-", "index of the joint it realizes"),
    ("body_a", "(n,)", INDEX, "-", "first body"),
    ("body_b", "(n,)", INDEX, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "connection point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "connection point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("rotation", "(n,)", INT, "-", "what is held besides or instead of the coincidence: POINT_*"),
    ("length", "(n,)", FLOAT, "m", "distance of the points, POINT_DISTANCE"),
    ("k", "(n,)", FLOAT, "N/m", "stiffness of the coincidence"),
    ("c", "(n,)", FLOAT, "N s/m", "its damping"),
    ("k_turn", "(n,)", FLOAT, "N m/rad", "stiffness of the held rotations"),
    ("c_turn", "(n,)", FLOAT, "N m s/rad", "their damping"),
)


FrameTable = make_table(
    "FrameTable",
    ("joint", "(n,)", INT, "-", "index of the joint or bushing it realizes"),
    ("body_a", "(n,)", INT, "-", "first body"),
    ("body_b", "(n,)", INT, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "connection point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "connection point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("stiffness", "(n,6,6)", FLOAT, "N/m, N m/rad", "rows x, y, z, tilt x, tilt y, twist"),
    ("damping", "(n,6,6)", FLOAT, "N s/m, N m s/rad", "likewise"),
    ("preload", "(n,6)", FLOAT, "N, N m", "force on b at zero deformation"),
)


def list_joints(model: Model) -> tuple[str, ...]:
    """Joints, then bushings."""
    return (*model.joints, *(name for name, force in model.forces.items() if force.type == "bushing"))


def make_joint_rows(source: Source) -> tuple[tuple, ...]:
    """The tables of a model's joints and bushings: by forces at points, by forces between frames, by constraints."""
    return (*make_connections(source.model, source.layout, source.realizations), make_constraints(source))


def make_connections(model: Model, layout: Layout, realizations: Mapping[str, Realization]) -> tuple[tuple, tuple]:
    """The point table and the frame table of a model: bushings, and the joints that are not ideal."""
    points: dict[str, list] = {field[0]: [] for field in PointTable.FIELDS}  # type: ignore[attr-defined]
    frames: dict[str, list] = {field[0]: [] for field in FrameTable.FIELDS}  # type: ignore[attr-defined]
    raised = _calc_frequencies(model, realizations)
    for index, name in enumerate(layout.joints):
        if name not in model.joints:
            force = model.forces[name]
            assert isinstance(force, BushingForce)
            ends = _place_ends(layout, index, force.frame_a, force.frame_b)
            rows = {"stiffness": _make_matrix(force.stiffness), "damping": _make_matrix(force.damping)}
            _add_row(frames, {**ends, **rows, "preload": np.array(force.preload)})
            continue
        joint = model.joints[name]
        if joint.type == "free":
            continue
        realization = find_realization(joint.group, realizations)
        if isinstance(realization, Ideal):
            continue
        ends = _place_ends(layout, index, joint.frame_a, joint.frame_b)
        if isinstance(realization, Penalty | PenaltyScaled):
            k, c, k_turn, c_turn = _calc_gains(model, joint, realization, raised.get(name))
            if joint.type in _POINT_ROTATION:
                rotation = _POINT_ROTATION[joint.type]
                gains = {"k": k, "c": c, "k_turn": k_turn, "c_turn": c_turn}
                length = calc_rod_length(model, joint) if joint.type == "distance" else 0.0
                _add_row(points, {**ends, **gains, "rotation": rotation, "length": length})
                continue
            stiffness = np.array([k, k, k, k_turn, k_turn, k_turn])
            damping = np.array([c, c, c, c_turn, c_turn, c_turn])
        elif isinstance(realization, ElasticLinks):
            raise UnsupportedError(
                f"joint {name!r}: elastic links are for pins of tracks, and this joint is none; realize group "
                f"{joint.group!r} by Penalty"
            )
        else:
            stiffness, damping = np.array(realization.stiffness), np.array(realization.damping)
            if joint.type in OWN_ROWS:
                raise UnsupportedError(
                    f"joint {name!r}: a {joint.type} joint has no bushing rows; realize group {joint.group!r} by "
                    "Penalty"
                )
        if not does_turn(model, joint.frame_b):  # a point on an axis or in a plane
            stiffness[3:], damping[3:] = 0.0, 0.0
        rows = {
            "stiffness": calc_held_matrix(joint.type, stiffness),
            "damping": calc_held_matrix(joint.type, damping),
        }
        _add_row(frames, {**ends, **rows, "preload": np.zeros(6)})
    return make_rows(PointTable, points), make_rows(FrameTable, frames)


def find_raised(model: Model, realizations: Mapping[str, Realization]) -> dict[str, float]:
    """Joints by `PenaltyScaled` that carry so much that their frequency is raised, and by which factor."""
    found = {}
    for name, frequency in _calc_frequencies(model, realizations).items():
        realization = find_realization(model.joints[name].group, realizations)
        assert isinstance(realization, PenaltyScaled)
        if frequency > realization.frequency:
            found[name] = frequency / realization.frequency
    return found


def _calc_frequencies(model: Model, realizations: Mapping[str, Realization]) -> dict[str, float]:
    """Frequency of every joint by `PenaltyScaled` [rad/s]."""
    carried, sizes = calc_carried_masses(model), calc_joint_sizes(model)
    found = {}
    for name, mass in carried.items():
        joint = model.joints[name]
        realization = find_realization(joint.group, realizations)
        if isinstance(realization, PenaltyScaled):
            effective, _, _, _ = calc_effective_masses(model, joint.frame_a, joint.frame_b)
            elastic = max(_calc_element_frequency(model, frame) for frame in (joint.frame_a, joint.frame_b))
            found[name] = max(realization.calc_frequency(effective, mass, sizes[name]), elastic)
    return found


def _calc_element_frequency(model: Model, frame: Frame) -> float:
    """Frequency of the elements of the mesh on which a frame sits [rad/s]: speed of sound over their size.

    A joint that is softer than the elements next to it would be the softest part of what it holds, and gain nothing: a
    step has to bear the elements anyway.
    """
    mesh = model.meshes.get(find_owner(model, frame.body))
    if mesh is None:
        return 0.0
    return math.sqrt(calc_moduli(mesh.material).young / mesh.material.density) / make_mesh_data(mesh).cell_size


def _calc_gains(
    model: Model, joint: Joint, realization: Penalty | PenaltyScaled, frequency: float | None
) -> tuple[float, float, float, float]:
    """Stiffness and damping of held translations and rotations; the frequency [rad/s] is that of `PenaltyScaled`."""
    if isinstance(realization, Penalty):
        turn = realization.arm**2
        return realization.k, realization.c, realization.k * turn, realization.c * turn
    mass, inertia, _, _ = calc_effective_masses(model, joint.frame_a, joint.frame_b)
    return (*realization.calc_gains(mass, frequency), *realization.calc_gains(inertia, frequency))


def _place_ends(layout: Layout, index: int, frame_a: Frame, frame_b: Frame) -> dict[str, object]:
    return {"joint": index, **layout.place_ends(frame_a, frame_b)}


def _make_matrix(values: list) -> np.ndarray:
    array = np.array(values, dtype=float)
    return np.diag(array) if array.ndim == 1 else array


def _add_row(columns: dict[str, list], row: Mapping[str, object]) -> None:
    for name, column in columns.items():
        column.append(row[name])


def add_springs(springs: Springs) -> None:
    """Stiffness and damping of joints by forces."""
    point, frame = springs.tables.point, springs.tables.frame
    for i in range(len(point.body_a)):
        q, r_b, e, axes_a, axes_b = calc_levers(springs, point, i)
        a, b = point.body_a[i], point.body_b[i]
        if point.rotation[i] == POINT_DISTANCE:
            along = (e / np.linalg.norm(e))[None, :]
            springs.add(a, b, along @ calc_translation(q, r_b), point.k[i] * np.eye(1), point.c[i] * np.eye(1))
            continue
        springs.add(a, b, calc_translation(q, r_b), point.k[i] * np.eye(3), point.c[i] * np.eye(3))
        if point.rotation[i] == POINT_ROTATION_FREE:
            continue
        if point.rotation[i] == POINT_UNIVERSAL:
            held = np.cross(axes_b[:, 1], axes_a[:, 0])[None, :]
        else:
            held = axes_a.T if point.rotation[i] == POINT_LOCKED else axes_a.T[:2]
        one = np.eye(len(held))
        springs.add(a, b, held @ calc_rotation(), point.k_turn[i] * one, point.c_turn[i] * one)
    for i in range(len(frame.body_a)):
        q, r_b, _, axes_a, _ = calc_levers(springs, frame, i)
        gradient = np.vstack([axes_a.T @ calc_translation(q, r_b), axes_a.T @ calc_rotation()])
        springs.add(frame.body_a[i], frame.body_b[i], gradient, frame.stiffness[i], frame.damping[i])


ENDS = ("body_a", "body_b")

FAMILY = Family(
    "joint",
    {"point": PointTable, "frame": FrameTable, "constraint": ConstraintTable},
    list_joints,
    make_joint_rows,
    ends={"point": ENDS, "frame": ENDS},
    noted=("point", "frame"),
    add_springs=add_springs,
    shared={"point": Shared(45.0, by="rotation"), "frame": Shared(110.0, by="body_a")},
)
