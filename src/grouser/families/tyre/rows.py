"""Tyres become rows of their table."""

from __future__ import annotations

import math

import numpy as np

from grouser.compile.springs import Springs, skew
from grouser.compile.tables import FLOAT, INT, collect_rows, make_table
from grouser.families.family import Family, Output, Source, list_forces
from grouser.families.tyre.spec import Tyre
from grouser.kernels.kinds import WORLD_ROW

_CURVE = ("slope", "peak", "sliding", "peak_slip", "sliding_slip")
_NO_TRAIL = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]

TyreTable = make_table(
    "TyreTable",
    ("body", "(n,)", INT, "-", "wheel"),
    ("state", "(n,)", INT, "-", "place of its two deflections in z"),
    ("p", "(n,3)", FLOAT, "m", "centre of the wheel"),
    ("axis", "(n,3)", FLOAT, "-", "spin axis"),
    ("radius", "(n,)", FLOAT, "m", "unloaded radius"),
    ("width", "(n,)", FLOAT, "m", "width of the tread"),
    ("load", "(n,)", FLOAT, "N", "nominal load"),
    ("k", "(n,)", FLOAT, "N/m", "vertical stiffness"),
    ("k2", "(n,)", FLOAT, "N/m^2", "its progression"),
    ("c", "(n,)", FLOAT, "N s/m", "vertical damping"),
    ("radius_share", "(n,2)", FLOAT, "-", "share of the unloaded radius in the rolling radius, at both loads"),
    ("curve", "(n,2,5,2)", FLOAT, "N, -", "x and y; slope, peak, sliding force, slips of both; at both loads"),
    ("k_tread", "(n,2)", FLOAT, "N/m", "stiffness of the tread in x and y"),
    ("c_tread", "(n,2)", FLOAT, "N s/m", "its damping"),
    ("trail", "(n,3,2)", FLOAT, "-", "pneumatic trail, slips at which it is zero and ends; at both loads"),
    ("rolling", "(n,)", FLOAT, "-", "rolling resistance"),
)


def make_tyres(source: Source) -> tuple[tuple, ...]:
    """The table of tyres."""
    layout, rows = source.layout, []
    for name in layout.names["tyre"]:
        tyre = source.model.forces[name]
        assert isinstance(tyre, Tyre)
        body, p, axes = layout.place_frame(tyre.frame)
        sides = (tyre.longitudinal, tyre.lateral)
        trail = tyre.trail
        row: dict[str, object] = {
            "body": body,
            "state": layout.state_start[name],
            "p": p,
            "axis": axes[:, 1],
            "radius": tyre.radius,
            "width": tyre.width,
            "load": tyre.load,
            "k": tyre.stiffness,
            "k2": tyre.progression,
            "c": tyre.damping,
            "radius_share": tyre.radius_share,
            "curve": [[getattr(side, key) for key in _CURVE] for side in sides],
            "k_tread": [side.stiffness for side in sides],
            "c_tread": [side.damping for side in sides],
            "trail": _NO_TRAIL if trail is None else [trail.share, trail.zero_slip, trail.end_slip],
            "rolling": tyre.rolling_resistance,
        }
        rows.append(row)
    return (collect_rows(TyreTable, rows),)


def add_springs(springs: Springs) -> None:
    """Each tyre as if it stood on level ground, deflected as by twice its nominal load, and stuck there."""
    tyre, R = springs.tables.tyre, springs.state.R
    for i in range(len(tyre.body)):
        body, axis = tyre.body[i], R[tyre.body[i]] @ tyre.axis[i]
        forward = np.cross(axis, (0.0, 0.0, 1.0))
        size = float(np.linalg.norm(forward))
        forward = forward / size if size > 0.0 else np.array([1.0, 0.0, 0.0])
        up = np.cross(forward, axis)
        gradient = np.hstack([np.zeros((3, 6)), np.eye(3), -skew(R[body] @ tyre.p[i] - tyre.radius[i] * up)])
        slope = math.sqrt(tyre.k[i] ** 2 + 8.0 * tyre.k2[i] * tyre.load[i])
        directions = np.array([forward, axis, up])
        springs.add(
            WORLD_ROW,
            body,
            directions @ gradient,
            np.diag([*tyre.k_tread[i], slope]),
            np.diag([*tyre.c_tread[i], tyre.c[i]]),
        )


FAMILY = Family(
    "tyre",
    {"tyre": TyreTable},
    list_forces("tyre"),
    make_tyres,
    noted=("tyre",),
    states=2,
    find_owners=lambda tables: tables.tyre.body,
    values=8,
    acted=4,
    outputs=(
        Output("longitudinal_force", "N", "along the wheel, on the wheel"),
        Output("lateral_force", "N", "across the wheel, to its left, on the wheel"),
        Output("vertical_force", "N", "along the normal of the ground"),
        Output("aligning_torque", "N m", "about the normal of the ground, by the pneumatic trail"),
        Output("slip", "-", "longitudinal slip; positive drives"),
        Output("slip_angle", "rad", "arc tangent of the lateral slip; positive gives a force to the left", np.arctan),
        Output("camber", "rad", "spin axis over the ground; positive where the left end is up", np.arcsin),
        Output("deflection", "m", "unloaded radius less distance of the ground"),
    ),
    add_springs=add_springs,
)
