"""Constraint violation against finite differences and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.families.joint.spec import HELD_ROWS, count_held_rows
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.model.rotation import put_first, put_matrices_first
from grouser.result.violation import JointRows, Violation

STEP = 1.0e-4
"""Time step of the differences [s]."""
FIRST_ERROR, SECOND_ERROR = 1.0e-5, 1.0e-5
"""Errors of central differences: the step squared times third and fourth derivatives of order 10 to 1e3."""


def make_model(kind: str) -> Model:
    builder = ModelBuilder(kind)
    builder.add_body("a", 1.0, (1, 1, 1), com=(0.1, -0.2, 0.3))
    builder.add_body("b", 1.0, (1, 1, 1), com=(-0.2, 0.1, 0.1), position=(1, 0, 0))
    if kind == "distance":
        builder.add_distance("joint", "a", "b", point_a=(0.4, 0.2, -0.3), point_b=(0.9, 0.3, 0.4), length=0.7)
    else:
        builder.add_joint("joint", kind, "a", "b", point=(0.4, 0.2, -0.3), axis=(1, 2, 3))
    return builder.build()


def make_motion(seed: int) -> list[np.ndarray]:
    """A random state of two bodies and the world with its accelerations: x, R, v, w, a, dw."""
    rng = np.random.default_rng(seed)
    x, v, w, a, dw = rng.normal(size=(5, 3, 3))
    R = Rotation.random(3, random_state=seed).as_matrix()
    for array in (x, v, w, a, dw):
        array[0] = 0.0
    R[0] = np.eye(3)
    return [x, R, v, w, a, dw]


def move(motion: list[np.ndarray], t: float) -> list[np.ndarray]:
    """The motion a little later: exact for the positions up to the second order in time."""
    x, R, v, w, a, dw = motion
    turned = R @ Rotation.from_rotvec(w * t + 0.5 * dw * t * t).as_matrix()
    return [x + v * t + 0.5 * a * t * t, turned, v, w, a, dw]


def stack(x, R, v, w, a, dw) -> list[np.ndarray]:
    """The same with components first."""
    return [put_first(x), put_matrices_first(R), *(put_first(vectors) for vectors in (v, w, a, dw))]


@pytest.mark.parametrize("kind", [kind for kind in HELD_ROWS if kind != "free"])
def test_rates_are_derivatives_of_the_violation(kind: str) -> None:
    rows, motion = JointRows(make_model(kind)), make_motion(3)
    phi, rate, second = rows.calc_rows(*stack(*motion))
    before, after = (rows.calc_rows(*stack(*move(motion, t)))[0] for t in (-STEP, STEP))
    np.testing.assert_allclose((after - before) / (2 * STEP), rate, atol=FIRST_ERROR)
    np.testing.assert_allclose((after - 2 * phi + before) / STEP**2, second, atol=SECOND_ERROR)
    held = np.count_nonzero(np.abs(phi) > 0)
    assert held == count_held_rows(kind)


def test_the_violation_of_a_hinge_by_hand() -> None:
    builder = ModelBuilder("hinge")
    builder.add_body("rod", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0))
    rows = JointRows(builder.build())
    x, v, w, a, dw = np.zeros((5, 2, 3))
    R = np.tile(np.eye(3), (2, 1, 1))
    x[1] = 0.5, 0.0, 0.0
    # turning about the pin: the centre goes down and is pulled to the pin
    w[1], v[1], a[1] = (0.0, 2.0, 0.0), (0.0, 0.0, -1.0), (-2.0, 0.0, 0.0)
    assert rows.calc_violation(*stack(x, R, v, w, a, dw)) == pytest.approx((0.0, 0.0, 0.0), abs=1e-15)
    a[1] = 0.0
    assert rows.calc_violation(*stack(x, R, v, w, a, dw)) == pytest.approx((0.0, 0.0, 2.0), abs=1e-15)
    x[1, 0] = 0.503
    assert rows.calc_violation(*stack(x, R, v, w, a, dw)).position == pytest.approx(0.003)
    w[1] = 0.0, 2.0, 0.7  # yaw, which the hinge holds; its centre would move by 0.35 m/s to the left
    assert rows.calc_violation(*stack(x, R, v, w, a, dw)).velocity == pytest.approx(0.7)


def test_a_model_without_joints_violates_nothing() -> None:
    builder = ModelBuilder("stone")
    builder.add_body("stone", 1.0, (1, 1, 1))
    still = np.zeros((2, 3))
    R = np.tile(np.eye(3), (2, 1, 1))
    assert JointRows(builder.build()).calc_violation(*stack(still, R, still, still, still, still)) == (0.0, 0.0, 0.0)


def test_joining_keeps_the_larger_and_what_is_no_number() -> None:
    joined = Violation(1.0, 2.0, 0.0).join(Violation(0.5, 3.0, float("nan")))
    assert joined[:2] == (1.0, 3.0)
    assert np.isnan(joined.acceleration)
