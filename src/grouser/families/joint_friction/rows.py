"""Friction of joints becomes rows of its table."""

from __future__ import annotations

import numpy as np

from grouser.compile.load import calc_carried_masses
from grouser.compile.realization import Ideal, find_realization
from grouser.compile.springs import Springs, calc_levers, calc_rotation, calc_translation
from grouser.compile.tables import FLOAT, INT, collect_rows, make_table
from grouser.errors import UnsupportedError
from grouser.families.family import Family, Output, Source, list_forces
from grouser.families.joint_friction.kernel import SETTLING
from grouser.families.joint_friction.spec import PRESLIDING, JointFriction
from grouser.kernels.kinds import COORDINATE_SLIDE, COORDINATE_TWIST

JointFrictionTable = make_table(
    "JointFrictionTable",
    ("coordinate", "(n,)", INT, "-", "COORDINATE_*"),
    ("body_a", "(n,)", INT, "-", "first body"),
    ("body_b", "(n,)", INT, "-", "second body"),
    ("p_a", "(n,3)", FLOAT, "m", "point on a"),
    ("p_b", "(n,3)", FLOAT, "m", "point on b"),
    ("frame_a", "(n,3,3)", FLOAT, "-", "axes of frame a on body a, in columns"),
    ("frame_b", "(n,3,3)", FLOAT, "-", "axes of frame b on body b, in columns"),
    ("joint", "(n,)", INT, "-", "index of the joint whose load counts"),
    ("state", "(n,)", INT, "-", "place of its state in z"),
    ("constant", "(n,)", FLOAT, "N or N m", "limit without a load"),
    ("per_load", "(n,)", FLOAT, "- or m", "limit over load"),
    ("at_rest", "(n,)", FLOAT, "N or N m", "limit under the weight that the joint carries"),
    ("k", "(n,)", FLOAT, "N/m or N m/rad", "stiffness of the asperities"),
    ("speed", "(n,)", FLOAT, "m/s or rad/s", "rate from which on friction slides"),
)


def make_joint_frictions(source: Source) -> tuple[tuple, ...]:
    """The table of the friction of joints. Raises `UnsupportedError` where the load of an ideal joint is wanted."""
    model, layout, rows = source.model, source.layout, []
    frictions = {name: model.forces[name] for name in layout.names["joint_friction"]}
    carried = calc_carried_masses(model) if frictions else {}
    for name, friction in frictions.items():
        assert isinstance(friction, JointFriction)
        joint = model.joints[friction.joint]
        turns = friction.coordinate == "rotation"
        per_load = friction.mu * (friction.radius or 1.0)
        limit = friction.constant
        if per_load > 0.0:
            if isinstance(find_realization(joint.group, source.realizations), Ideal):
                raise UnsupportedError(
                    f"force {name!r}: mu is {friction.mu:g}, and the load of the ideal joint {friction.joint!r} is "
                    f"known only after all forces; realize group {joint.group!r} by Penalty or Bushing, or give "
                    "'constant' alone"
                )
            limit += per_load * carried[friction.joint] * float(np.linalg.norm(model.gravity))
        presliding = friction.presliding or PRESLIDING[friction.coordinate]
        stiffness = friction.stiffness or limit / presliding
        if friction.stiffness is not None and limit > 0.0:
            presliding = limit / stiffness
        row: dict[str, object] = {
            "coordinate": COORDINATE_TWIST if turns else COORDINATE_SLIDE,
            **layout.place_ends(joint.frame_a, joint.frame_b),
            "joint": layout.joints.index(friction.joint),
            "state": layout.state_start[name],
            "constant": friction.constant,
            "per_load": per_load,
            "at_rest": limit,
            "k": stiffness,
            "speed": friction.sliding_speed or presliding / SETTLING,
        }
        rows.append(row)
    return (collect_rows(JointFrictionTable, rows),)


def add_springs(springs: Springs) -> None:
    """Stiffness and damping of joints that stick, under the weight that they carry."""
    table = springs.tables.joint_friction
    for i in range(len(table.body_a)):
        q, r_b, _, axes_a, _ = calc_levers(springs, table, i)
        motion = calc_rotation() if table.coordinate[i] == COORDINATE_TWIST else calc_translation(q, r_b)
        k, c = table.k[i], table.at_rest[i] / table.speed[i]
        springs.add(table.body_a[i], table.body_b[i], axes_a[:, 2][None, :] @ motion, np.array([[k]]), np.array([[c]]))


FAMILY = Family(
    "joint_friction",
    {"joint_friction": JointFrictionTable},
    list_forces("joint_friction"),
    make_joint_frictions,
    ends={"joint_friction": ("body_a", "body_b")},
    states=1,
    find_owners=lambda tables: tables.joint_friction.body_b,
    values=8,
    acted=4,
    outputs=(
        Output("force", "N", "friction along a translation"),
        Output("torque", "N m", "friction about the axis of a rotation"),
        Output("load", "N", "force of the joint that counts, where friction depends on it"),
        Output("share", "-", "friction over its limit; one where the joint slides"),
    ),
    add_springs=add_springs,
)
