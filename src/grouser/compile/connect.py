"""Joints that hold by forces, and bushings, become rows of the connection tables, by their realization."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grouser.compile.effective import calc_effective_masses
from grouser.compile.layout import Layout
from grouser.compile.load import calc_carried_masses
from grouser.compile.realization import (
    Ideal,
    Penalty,
    PenaltyScaled,
    Realization,
    calc_held_matrix,
    find_realization,
)
from grouser.compile.tables import FrameTable, PointTable, make_rows
from grouser.errors import UnsupportedError
from grouser.kernels.kinds import POINT_DISTANCE, POINT_LOCKED, POINT_ROTATION_FREE, POINT_TILT, POINT_UNIVERSAL
from grouser.model.body import Frame
from grouser.model.force import Bushing as BushingForce
from grouser.model.joint import OWN_ROWS, Joint
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
        else:
            stiffness, damping = np.array(realization.stiffness), np.array(realization.damping)
            if joint.type in OWN_ROWS:
                raise UnsupportedError(
                    f"joint {name!r}: a {joint.type} joint has no bushing rows; realize group {joint.group!r} by "
                    "Penalty"
                )
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
            found[name] = realization.calc_frequency(effective, mass, sizes[name])
    return found


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
