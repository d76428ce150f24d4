"""The gap between two teeth of a crawler's sprocket: flat bottom, seating curves, straight faces, rounded tips.

The outline is made of seven parameters (S1, section 3.5 and Fig. 7). In the plane of the sprocket, with u along the
centre line of the valley, away from the axis, and s across it, the half s >= 0 is, from the bottom to the tip,

    bottom   u = r1                              0 <= s <= w/2                            (1)
    seat     concave arc, radius r4, about C = (r1 + r4, w/2)                             (2)
    face     straight along t = (cos theta, sin theta), tangent to the seat, of length l  (3)
    round    convex arc, radius r3, about E, tangent to the face and, within, to the tip circle: |E| = r2 - r3   (4)
    land     arc of the tip circle r2 to the middle of the tooth

and the other half is its mirror image. With the normal n = (sin theta, -cos theta) of the face, towards the gap,

    seat meets face at S = C - r4 n,   face meets round at F = S + l t,   E = F - r3 n    (5)

(4) is a quadratic equation for l. The paper gives the parameters by name only; that theta is counted from the centre
line of the valley, and that the tangents are common, is our reading of Fig. 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grouser.model.fault import Fault, Path, make_fault

Array = np.ndarray


class ValleyTeeth(Protocol):
    """Whatever has the seven parameters; lengths in m, the angle in rad."""

    @property
    def teeth(self) -> int: ...
    @property
    def face_angle(self) -> float: ...
    @property
    def root_radius(self) -> float: ...
    @property
    def tip_radius(self) -> float: ...
    @property
    def round_radius(self) -> float: ...
    @property
    def seat_radius(self) -> float: ...
    @property
    def flat_width(self) -> float: ...


@dataclass(frozen=True)
class Valley:
    """Outline of half a valley, all points (u, s) in m.

    Attributes
    ----------
    bottom : end of the flat bottom
    seat : end of the seating curve, where the face begins
    face : end of the face, where the round begins
    tip : end of the round, on the tip circle
    seat_centre, round_centre : centres of the two arcs
    """

    bottom: Array
    seat: Array
    face: Array
    tip: Array
    seat_centre: Array
    round_centre: Array

    @property
    def control_points(self) -> Array:
        """The 8 control points of a valley from one tip to the other, (8, 2)."""
        half = np.array([self.bottom, self.seat, self.face, self.tip])
        return np.vstack([half[::-1] * [1.0, -1.0], half])


def calc_valley(teeth: ValleyTeeth) -> Valley:
    """Outline (1) to (5) of teeth without faults."""
    along, normal = _calc_face(teeth)
    bottom = np.array([teeth.root_radius, 0.5 * teeth.flat_width])
    seat_centre = bottom + np.array([teeth.seat_radius, 0.0])
    seat = seat_centre - teeth.seat_radius * normal
    face = seat + _calc_face_length(teeth) * along
    round_centre = face - teeth.round_radius * normal
    tip = round_centre * (teeth.tip_radius / (teeth.tip_radius - teeth.round_radius))
    return Valley(bottom, seat, face, tip, seat_centre, round_centre)


def calc_outline(teeth: ValleyTeeth, pieces: int = 6) -> Array:
    """The whole outline as a polygon (n, 2) [m], arcs drawn with straight pieces; the first valley lies along +u."""
    valley = calc_valley(teeth)
    seat = _draw_arc(valley.seat_centre, valley.bottom, valley.seat, pieces)
    tip = _draw_arc(valley.round_centre, valley.face, valley.tip, pieces) if teeth.round_radius > 0 else [valley.tip]
    half = np.vstack([seat, tip])
    gap = np.vstack([half[::-1] * [1.0, -1.0], half])
    turns = 2.0 * math.pi * np.arange(teeth.teeth) / teeth.teeth
    u, s = gap[:, 0], gap[:, 1]
    return np.vstack(
        [
            np.column_stack([math.cos(a) * u - math.sin(a) * s, math.sin(a) * u + math.cos(a) * s])
            for a in turns.tolist()
        ]
    )


def find_valley_faults(path: Path, teeth: ValleyTeeth) -> Iterator[Fault]:
    """Why a set of parameters makes no sprocket; the first reason found."""
    r1, r2, r3, r4 = teeth.root_radius, teeth.tip_radius, teeth.round_radius, teeth.seat_radius
    if not 0.0 <= teeth.face_angle < 0.5 * math.pi:
        yield make_fault(
            (*path, "face_angle"),
            f"is {math.degrees(teeth.face_angle):.4g} deg; faces lean outwards by 0 to less than 90 deg",
        )
    elif r2 <= r1:
        yield make_fault(
            (*path, "tip_radius"), f"is {r2:g} m, not beyond the bottom of the teeth, root_radius {r1:g} m; enlarge it"
        )
    elif r3 >= r2 - r1:
        yield make_fault(
            (*path, "round_radius"),
            f"is {r3:g} m, and the teeth are {r2 - r1:g} m high (tip_radius - root_radius); use a smaller round",
        )
    elif not (length := _calc_face_length(teeth)) >= 0.0:
        yield make_fault(
            (*path, "tip_radius"),
            f"is {r2:g} m, but the seat of radius {r4:g} m ends further out: no face is left between seat_radius "
            f"{r4:g} m and round_radius {r3:g} m; enlarge tip_radius, or use a smaller seat or round",
        )
    else:
        tip = calc_valley(teeth).tip
        half = math.atan2(tip[1], tip[0])
        if half > math.pi / teeth.teeth:
            yield make_fault(
                (*path, "teeth"),
                f"is {teeth.teeth}, but a valley takes {math.degrees(2 * half):.2f} deg at the tip circle and "
                f"{360 / teeth.teeth:.2f} deg are there (faces of {1e3 * length:.1f} mm): neighbouring teeth overlap; "
                f"use at most {int(math.pi / half)} teeth, or a smaller flat_width, seat_radius or tip_radius",
            )


def _calc_face(teeth: ValleyTeeth) -> tuple[Array, Array]:
    """Direction of the face, outwards, and its normal towards the gap."""
    co, si = math.cos(teeth.face_angle), math.sin(teeth.face_angle)
    return np.array([co, si]), np.array([si, -co])


def _calc_face_length(teeth: ValleyTeeth) -> float:
    """l of (3) to (5) [m]; negative or NaN where the seat reaches too far out."""
    along, normal = _calc_face(teeth)
    start = np.array([teeth.root_radius + teeth.seat_radius, 0.5 * teeth.flat_width])
    start = start - (teeth.seat_radius + teeth.round_radius) * normal
    # |start + l along| = r2 - r3
    half, rest = float(start @ along), float(start @ start) - (teeth.tip_radius - teeth.round_radius) ** 2
    square = half * half - rest
    return math.sqrt(square) - half if square >= 0.0 else math.nan


def _draw_arc(centre: Array, start: Array, end: Array, pieces: int) -> Array:
    """Points of the shorter arc about a centre, both ends included."""
    first, last = (math.atan2(*(p - centre)[::-1]) for p in (start, end))
    turn = (last - first + math.pi) % (2.0 * math.pi) - math.pi
    angles = first + turn * np.linspace(0.0, 1.0, pieces + 1)
    radius = float(np.linalg.norm(start - centre))
    return centre + radius * np.column_stack([np.cos(angles), np.sin(angles)])
