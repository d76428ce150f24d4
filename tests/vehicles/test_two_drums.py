"""A band on two drums against closed forms: pull at rest, the first frequency of a free span, tight and slack side
under a torque, and the ratio of both where the band slides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from drum_case import (
    AROUND,
    AXIS,
    LINKS,
    PUSH,
    RUN,
    SPAN,
    Kind,
    calc_line_mass,
    calc_section,
    find_lower,
    find_upper,
    make_drums,
)

import grouser as gr
from grouser.result.result import Result

MU, SPIN = 0.25, 0.2
"""Friction of the drum that slides, and its angular velocity [rad/s]: some 40 mm/s at its face, eight times as much as
friction needs to be full."""
KINDS = ["beams", pytest.param("bricks", marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture(scope="module")
def plucked(kind: Kind) -> Result:
    pluck = [(0.0, 0.0), (0.3, 0.0), (0.31, 200.0), (0.32, 200.0), (0.33, 0.0)]
    return drive(make_drums(kind, MU, pluck=pluck), 1.0)


@pytest.fixture(scope="module")
def turned(kind: Kind) -> Result:
    """The far drum turns until it slides."""
    return drive(make_drums(kind, MU, spin=[(0.0, 0.0), (0.2, 0.0), (0.3, SPIN), (0.8, SPIN)]), 0.8)


def drive(model: gr.Model, duration: float) -> Result:
    return gr.simulate(model, duration=duration, preset="implicit", tolerance=2e-3, settle=False)


def read_pulls(result: Result, lugs: list[int]) -> np.ndarray:
    """Pull of the webs behind these lugs (frames, webs) [N]."""
    if result.has_block("beam_thick/force"):
        return np.asarray(result.block("beam_thick/force", [f"belt.beam_thick.{i}" for i in lugs])[0][:, :, 0])
    force = result.block("truss/force")[0][:, :, 0]  # cords of a web side by side
    return np.asarray(force.reshape(len(force), LINKS, -1).sum(axis=2)[:, lugs])


def test_both_spans_hold_the_push_at_rest(plucked: Result) -> None:
    inner = slice(2, RUN - 2)
    upper, lower = (read_pulls(plucked, lugs)[20:30, inner].mean() for lugs in (find_upper(), find_lower()))
    assert upper + lower == pytest.approx(PUSH, rel=5e-3)
    assert upper == pytest.approx(0.5 * PUSH, rel=0.01)


def test_a_span_vibrates_as_a_stiff_string_between_clamps(plucked: Result) -> None:
    """f = sqrt(T/m)/(2 L) (1 + 2/k + (4 + pi^2/2)/k^2), k = L sqrt(T/EI), with the stiffness of webs over the pitch."""
    middle = find_upper()[RUN // 2]
    z = plucked[f"lug{middle}.position"][:, 2]
    after = plucked.time > 0.35
    t, away = plucked.time[after], z[after] - z[after].mean()
    rises = np.flatnonzero((away[:-1] < 0.0) & (away[1:] >= 0.0))
    crossing = t[rises] - away[rises] * (t[rises + 1] - t[rises]) / (away[rises + 1] - away[rises])
    tension = read_pulls(plucked, find_upper())[:, 2:-2].mean()
    bending = calc_section().EI * LINKS * 0.09 / (LINKS * 0.036)
    k = SPAN * math.sqrt(tension / bending)
    string = math.sqrt(tension / calc_line_mass()) / (2.0 * SPAN)
    expected = string * (1.0 + 2.0 / k + (4.0 + 0.5 * math.pi**2) / k**2)
    assert len(crossing) >= 3
    assert 1.0 / np.diff(crossing).mean() == pytest.approx(expected, rel=0.03)


def test_the_band_slides_where_capstans_do(turned: Result) -> None:
    """Lugs that lie flat on the drum by the angle a each have (1 + mu tan(a/2))/(1 - mu tan(a/2)), n times: that is
    exp(mu pi) for short ones. The bands in between bend, which takes a share of the wrap."""
    late = turned.time > 0.5
    tight, slack = (read_pulls(turned, lugs)[late, 2:-2].mean() for lugs in (find_upper(), find_lower()))
    if tight < slack:
        tight, slack = slack, tight
    assert tight + slack == pytest.approx(PUSH, rel=0.01)
    assert math.log(tight / slack) == pytest.approx(MU * math.pi, rel=0.05)


def test_the_torque_of_the_drum_is_the_difference_of_both_sides(turned: Result) -> None:
    late = turned.time > 0.5
    pulls = [read_pulls(turned, lugs)[late, 2:-2].mean() for lugs in (find_upper(), find_lower())]
    torque = np.abs(turned["turn.effort"][late]).mean()
    assert torque == pytest.approx(abs(pulls[0] - pulls[1]) * AXIS / math.cos(math.pi / AROUND), rel=0.03)
