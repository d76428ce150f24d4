"""A ball of bricks that is pressed on a plane, and on another ball, as Hertz has it (`bench/hertz.py`)."""

from __future__ import annotations

import pytest
from hertz import Pressed, calc_finite, press, press_on_ball

NEAR = 0.05
"""Share within which Hertz holds."""


@pytest.fixture(scope="module")
def meshes() -> list[Pressed]:
    """A coarse and a finer ball, pressed to a contact radius of R/20."""
    return [press(4, 3), press(6, 4)]


def test_force_contact_radius_and_pressures_are_those_of_hertz(meshes: list[Pressed]) -> None:
    for found in meshes:
        assert found.force == pytest.approx(1.0, abs=NEAR)
        assert found.pure == pytest.approx(1.0, abs=NEAR)
        assert found.radius == pytest.approx(1.0, abs=NEAR)
        assert found.spread < 0.1
        assert abs(found.residual) < 1e-4


def test_the_force_goes_to_that_of_a_finite_ball(meshes: list[Pressed]) -> None:
    """What is missing falls with the size of the facets, at least by half of the second order."""
    coarse, fine = (found.pure - calc_finite(0.05) for found in meshes)
    assert 0.0 < fine < coarse * (3.0 / 4.0)
    assert fine < 0.02


@pytest.mark.slow
def test_finer_balls_and_other_penalties() -> None:
    """What is missing falls with the square of the size of the facets; half of the penalty and twice of it give the
    same force, once its depth is taken off."""
    errors = [found.pure - calc_finite(0.05) for found in (press(4, 3), press(6, 4), press(12, 7))]
    assert errors[1] / errors[0] == pytest.approx((3.0 / 4.0) ** 2, rel=0.3)
    assert errors[2] / errors[0] == pytest.approx((3.0 / 7.0) ** 2, rel=0.3)
    soft, usual, stiff = (press(6, 4, softness=softness) for softness in (2.0, 1.0, 0.5))
    assert soft.depth == pytest.approx(2.0 * usual.depth, rel=0.05)
    assert stiff.depth == pytest.approx(0.5 * usual.depth, rel=0.05)
    for found in (soft, stiff):
        assert found.pure == pytest.approx(usual.pure, abs=0.01)
        assert found.radius == pytest.approx(usual.radius, abs=0.01)


@pytest.mark.slow
def test_a_ball_on_a_larger_and_softer_one() -> None:
    """Both deform, and points of both touch facets of the other."""
    found, finite = press_on_ball(4, 3)
    assert found == pytest.approx(1.0, abs=NEAR)
    assert found == pytest.approx(finite, abs=0.03)
