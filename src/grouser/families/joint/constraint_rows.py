"""Ideal joints and ideal motions become rows of the constraint table."""

from __future__ import annotations

from collections.abc import Mapping

from grouser.compile.realization import Ideal, MotionRealization, Realization, find_realization
from grouser.compile.tables import FLOAT, INT, make_rows, make_table
from grouser.errors import UnsupportedError
from grouser.families.coordinate_force.place import find_frames
from grouser.families.family import Source
from grouser.families.joint.spec import HELD_ROWS, Joint
from grouser.kernels.kinds import ROW_DISTANCE, ROW_NORMAL, ROW_POINT, ROW_SLIDE, ROW_TWIST
from grouser.model.body import WORLD
from grouser.model.carrier import carry
from grouser.model.model import Model
from grouser.model.start import calc_rod_length

ConstraintTable = make_table(
    "ConstraintTable",
    ("joint", "(n,)", INT, "-", "index of the ideal joint, or -1"),
    ("scalar", "(n,)", INT, "-", "index of the scalar element whose motion is ideal, or -1"),
    ("body_a", "(n,)", INT, "-", "first body"),
    ("body_b", "(n,)", INT, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "connection point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "connection point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("length", "(n,)", FLOAT, "m", "distance that a row ROW_DISTANCE of a joint holds"),
    ("row_start", "(n,)", INT, "-", "first of its rows"),
    ("row_count", "(n,)", INT, "-", "number of its rows"),
    ("row_kind", "(m,)", INT, "-", "ROW_*"),
    ("row_axis_a", "(m,)", INT, "-", "axis 0, 1 or 2 of frame a that the row looks at; ROW_POINT: of the world"),
    ("row_axis_b", "(m,)", INT, "-", "axis of frame b that a row ROW_NORMAL looks at"),
)

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


def is_of_bodies(model: Model, joint: Joint) -> bool:
    """Whether a joint holds bodies and the world alone, as rows of constraints do."""
    known = {WORLD, *model.bodies}
    return {carry(model, frame).body for frame in (joint.frame_a, joint.frame_b)} <= known


def refuse_ideal_points(model: Model, realizations: Mapping[str, Realization]) -> None:
    """Refuse ideal joints on points and on meshes."""
    for name, joint in find_ideal_joints(model, realizations).items():
        if not is_of_bodies(model, joint):
            raise UnsupportedError(
                f"joint {name!r} (group {joint.group!r}) is ideal and sits on points, between {joint.frame_a.body!r} "
                f"and {joint.frame_b.body!r}; realize the group by Penalty or PenaltyScaled"
            )


def make_constraints(source: Source) -> tuple:
    """The constraint table: the ideal joints in the order of the layout, then the motions if they are ideal."""
    model, layout, _, realizations, motion = source
    columns: dict[str, list] = {field[0]: [] for field in ConstraintTable.FIELDS}  # type: ignore[attr-defined]
    ideal = {
        name: joint for name, joint in find_ideal_joints(model, realizations).items() if is_of_bodies(model, joint)
    }
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
