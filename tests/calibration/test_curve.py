"""Curves of a few numbers: monotone, odd, through a point, and what vehicle files make of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from grouser.calibration.curve import calc_start, make_curve_form
from grouser.calibration.spec import Unknown
from grouser.errors import ModelError


def make(**told: object) -> Unknown:
    return Unknown.model_validate({"path": "a", "over": ["b"], **told})


def test_the_start_is_met_at_the_knots_and_a_line_everywhere() -> None:
    form = make_curve_form("c", make(knots=[-0.3, -0.1, 0.2, 0.5]), 9000.0)
    x = np.linspace(-1.0, 1.0, 41)
    assert np.allclose(form.calc(np.zeros(form.count), x), 9000.0 * x)
    table = [(-1.0, -500.0), (0.0, 0.0), (0.5, 2000.0)]
    form = make_curve_form("c", make(knots=[-0.5, 0.25, 0.4]), table)
    assert np.allclose(form.find_knots(np.zeros(form.count)), [-250.0, 1000.0, 1600.0])
    assert np.allclose(calc_start(table, np.array([-2.0, 1.0])), [-1000.0, 4000.0])  # with the last slopes


def test_any_vector_is_monotone_and_smooth() -> None:
    form = make_curve_form("c", make(knots=[-0.3, -0.1, 0.2, 0.5], through=0.0), 9000.0)
    assert form.count == 4 and len(form.knots) == 5
    random = np.random.default_rng(1)
    x = np.linspace(-0.6, 0.8, 500)
    for _ in range(50):
        u = random.normal(0.0, 1.0, form.count)
        y = form.calc(u, x)
        assert (np.diff(y) >= -1e-12 * np.ptp(y)).all()
        assert form.calc(u, np.zeros(1))[0] == pytest.approx(0.0, abs=1e-9)
        slopes = np.diff(y) / np.diff(x)
        assert np.abs(np.diff(slopes)).max() < 0.2 * slopes.max()  # no corner


def test_odd_curves() -> None:
    form = make_curve_form("c", make(knots=[0.1, 0.5, 2.0], odd=True), [(-3.0, -300.0), (0.0, 10.0), (3.0, 320.0)])
    u = np.array([0.5, -0.3, 0.2])
    x = np.linspace(-2.5, 2.5, 101)
    y = form.calc(u, x)
    assert np.allclose(y, -y[::-1])
    table = form.make_table(u)
    assert table[0][0] == -2.0 and table[-1][0] == 2.0
    assert all(after[0] > before[0] for before, after in pairwise(table))


def test_one_number_scales_one_piece() -> None:
    form = make_curve_form("c", make(knots=[0.0, 1.0, 2.0], through=0.0), 100.0)
    u = np.array([0.0, np.log(1.5)])
    assert np.allclose(form.find_knots(u), [0.0, 100.0, 250.0])


def test_a_lift_where_no_value_is_known() -> None:
    form = make_curve_form("c", make(knots=[0.0, 1.0], spread=0.2), 100.0)
    assert form.count == 2
    assert np.allclose(form.find_knots(np.array([0.0, 1.0])), [20.0, 120.0])


def test_falling_starts_fall_and_those_that_turn_are_refused() -> None:
    form = make_curve_form("c", make(knots=[-1.0, 0.0, 1.0]), -50.0)
    assert (np.diff(form.find_knots(np.array([1.0, -1.0, 0.5]))) < 0.0).all()
    with pytest.raises(ModelError, match=r"goes from 100 to 0 between the knots 1 and 2"):
        make_curve_form("c", make(knots=[0.0, 1.0, 2.0, 3.0]), [(0.0, 0.0), (1.0, 100.0), (2.0, 0.0), (3.0, 300.0)])
    with pytest.raises(ModelError, match=r"slope at the start is 100 .* not between low and high"):
        make_curve_form("c", make(knots=[0.0, 1.0], low=200.0), 100.0)
