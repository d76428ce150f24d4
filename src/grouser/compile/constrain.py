"""Ideal joints and ideal motions become rows of the constraint table."""

from __future__ import annotations

from collections.abc import Mapping

from grouser.compile.forces import find_frames
from grouser.compile.layout import Layout
from grouser.compile.realization import Ideal, MotionRealization, Realization, find_realization
from grouser.compile.tables import ConstraintTable, make_rows
from grouser.errors import UnsupportedError
from grouser.kernels.kinds import ROW_DISTANCE, ROW_NORMAL, ROW_POINT, ROW_SLIDE, ROW_TWIST
from grouser.model.joint import HELD_ROWS, Joint
from grouser.model.model import Model
from grouser.model.start import calc_rod_length

Row = tuple[int, int, int]
"""Kind of a row, axis of frame a, axis of frame b."""
X, Y, Z = 0, 1, 2

# Rows of held rotations: tilt x, tilt y and twist, each an axis of a that stays normal to an axis of b.
_ROTATION: tuple[Row, ...] = ((ROW_NORMAL, Y, Z), (ROW_NORMAL, X, Z), (ROW_NORMAL, X, Y))
_MOTION: dict[str, Row] = {"translation": (ROW_SLIDE, Z, 0), "rotation": (ROW_TWIST, 0, 0)}


def find_rows(joint_type: str) -> list[Row]:
    """Rows that hold a joint of a type: as many as `HELD_ROWS` says, and its own.

    A joint that holds all three translations keeps two points together, in world axes; others look at the gap from
    frame a.
    """
    held = HELD_ROWS[joint_type]
    translation = ROW_POINT if all(held[:3]) else ROW_SLIDE
    rows = [(translation, axis, 0) for axis in (X, Y, Z) if held[axis]]
    rows += [row for row, is_held in zip(_ROTATION, held[3:], strict=True) if is_held]
    if joint_type == "universal":
        rows.append((ROW_NORMAL, X, Y))
    if joint_type == "distance":
        rows.append((ROW_DISTANCE, 0, 0))
    return rows


def find_ideal_joints(model: Model, realizations: Mapping[str, Realization]) -> dict[str, Joint]:
    """Joints that hold something and are ideal, by name."""
    return {
        name: joint
        for name, joint in model.joints.items()
        if joint.type != "free" and isinstance(find_realization(joint.group, realizations), Ideal)
    }


def refuse_ideal(model: Model, realizations: Mapping[str, Realization], motion: MotionRealization) -> None:
    """Refuse ideal joints and motions, for a formulation that knows forces only."""
    for name, joint in find_ideal_joints(model, realizations).items():
        raise UnsupportedError(
            f"joint {name!r} (group {joint.group!r}) is ideal: the explicit formulation knows forces only; "
            "realize the group by Penalty or Bushing"
        )
    if isinstance(motion, Ideal):
        for name in model.motions:
            raise UnsupportedError(
                f"motion {name!r} is ideal: the explicit formulation knows forces only; hold motions by PenaltyScaled"
            )


def make_constraints(
    model: Model, layout: Layout, realizations: Mapping[str, Realization], motion: MotionRealization
) -> tuple:
    """The constraint table: the ideal joints in the order of the layout, then the motions if they are ideal."""
    columns: dict[str, list] = {field[0]: [] for field in ConstraintTable.FIELDS}  # type: ignore[attr-defined]
    ideal = find_ideal_joints(model, realizations)
    for index, name in enumerate(layout.joints):
        if name in ideal:
            joint = ideal[name]
            ends = layout.place_ends(joint.frame_a, joint.frame_b)
            length = calc_rod_length(model, joint) if joint.type == "distance" else 0.0
            _add_entry(columns, {"joint": index, "scalar": -1, "length": length, **ends}, find_rows(joint.type))
    for index, name in enumerate(layout.scalars):
        if name in model.motions and isinstance(motion, Ideal):
            element = model.motions[name]
            ends = layout.place_ends(*find_frames(model, element))
            _add_entry(columns, {"joint": -1, "scalar": index, "length": 0.0, **ends}, [_MOTION[element.coordinate]])
    return make_rows(ConstraintTable, columns)


def _add_entry(columns: dict[str, list], entry: Mapping[str, object], rows: list[Row]) -> None:
    for name, value in entry.items():
        columns[name].append(value)
    columns["row_start"].append(len(columns["row_kind"]))
    columns["row_count"].append(len(rows))
    for kind, axis_a, axis_b in rows:
        columns["row_kind"].append(kind)
        columns["row_axis_a"].append(axis_a)
        columns["row_axis_b"].append(axis_b)
