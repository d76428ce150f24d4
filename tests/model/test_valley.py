"""The outline of a crawler's teeth from its seven parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from grouser.model.valley import calc_outline, calc_valley, find_valley_faults


@dataclass(frozen=True)
class Teeth:
    teeth: int = 19
    face_angle: float = math.radians(25.0)
    root_radius: float = 0.28
    tip_radius: float = 0.335
    round_radius: float = 0.008
    seat_radius: float = 0.026
    flat_width: float = 0.012


def test_eight_points_joined_by_common_tangents():
    teeth = Teeth()
    valley = calc_valley(teeth)
    points = valley.control_points
    assert points.shape == (8, 2)
    assert np.allclose(points[::-1] * [1.0, -1.0], points)
    assert valley.bottom == pytest.approx([teeth.root_radius, 0.5 * teeth.flat_width])
    face = (valley.face - valley.seat) / np.linalg.norm(valley.face - valley.seat)
    assert math.atan2(face[1], face[0]) == pytest.approx(teeth.face_angle)
    # every arc begins and ends at its radius, with the direction of what it joins
    for centre, radius, ends in (
        (valley.seat_centre, teeth.seat_radius, (valley.bottom, valley.seat)),
        (valley.round_centre, teeth.round_radius, (valley.face, valley.tip)),
    ):
        assert [np.linalg.norm(p - centre) for p in ends] == pytest.approx([radius, radius])
    assert (valley.seat - valley.seat_centre) @ face == pytest.approx(0.0, abs=1e-15)
    assert (valley.face - valley.round_centre) @ face == pytest.approx(0.0, abs=1e-15)
    assert (valley.bottom - valley.seat_centre)[1] == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm(valley.tip) == pytest.approx(teeth.tip_radius)
    along, out = valley.tip - valley.round_centre, valley.tip
    assert along[0] * out[1] == pytest.approx(along[1] * out[0])


def test_the_whole_outline_lies_between_root_and_tip_and_has_the_period_of_the_teeth():
    teeth = Teeth()
    assert list(find_valley_faults(("s",), teeth)) == []
    outline = calc_outline(teeth)
    radius = np.linalg.norm(outline, axis=1)
    assert radius.min() >= teeth.root_radius - 1e-12
    assert radius.max() == pytest.approx(teeth.tip_radius)
    assert len(outline) % teeth.teeth == 0
    angle = np.unwrap(np.arctan2(outline[:, 1], outline[:, 0]))
    assert np.all(np.diff(angle) > -1e-12)
    assert angle[-1] - angle[0] < 2 * math.pi


def test_a_sharp_tip_and_a_pointed_bottom():
    teeth = replace(Teeth(), round_radius=0.0, flat_width=0.0)
    valley = calc_valley(teeth)
    assert valley.tip == pytest.approx(valley.face)
    assert valley.bottom == pytest.approx([teeth.root_radius, 0.0])
    assert list(find_valley_faults(("s",), teeth)) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"face_angle": math.pi / 2}, "s.face_angle: is 90 deg"),
        ({"tip_radius": 0.27}, "not beyond the bottom of the teeth"),
        ({"round_radius": 0.06}, "the teeth are 0.055 m high"),
        ({"seat_radius": 0.08}, "no face is left"),
        ({"teeth": 40}, "neighbouring teeth overlap; use at most"),
    ],
)
def test_impossible_sets_are_refused_with_the_reason(changes, words):
    faults = list(find_valley_faults(("s",), replace(Teeth(), **changes)))
    assert len(faults) == 1
    assert words in faults[0]


def test_the_most_teeth_that_a_message_names_are_possible():
    fault = next(iter(find_valley_faults(("s",), replace(Teeth(), teeth=40))))
    most = int(fault.split("use at most ")[1].split()[0])
    assert not list(find_valley_faults(("s",), replace(Teeth(), teeth=most)))
    assert list(find_valley_faults(("s",), replace(Teeth(), teeth=most + 1)))
