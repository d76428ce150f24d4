"""Identities of quaternions, matrices and frames."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.model.rotation import (
    conjugate_quaternion,
    cross_all,
    dot_all,
    make_axis_frame,
    make_quaternion,
    matrix_to_quaternion,
    multiply_all,
    multiply_quaternions,
    put_first,
    put_last,
    put_matrices_first,
    quaternion_to_matrix,
    rotate,
    turn_all,
    turn_all_back,
)

ROUNDING = 2e-15


def make_random(count):
    q = np.random.default_rng(3).normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


# half turns, where the scalar part vanishes, are the hard ones
SPECIAL = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0.6, 0.8, 0], [1e-9, 0.6, 0, -0.8]]


@pytest.mark.parametrize("q", [*SPECIAL, *make_random(20).tolist()])
def test_matrix_and_back(q):
    q = np.array(q) / np.linalg.norm(q)
    matrix = quaternion_to_matrix(q)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=ROUNDING)
    assert np.linalg.det(matrix) == pytest.approx(1.0)
    back = matrix_to_quaternion(matrix)
    assert back[0] >= 0
    assert abs(back @ q) == pytest.approx(1.0, abs=ROUNDING)
    np.testing.assert_allclose(quaternion_to_matrix(back), matrix, atol=ROUNDING)


def test_length_does_not_matter():
    np.testing.assert_allclose(quaternion_to_matrix([2, 4, -6, 8]), quaternion_to_matrix([1, 2, -3, 4]))


def test_products_are_successive_rotations():
    a, b = make_random(2)
    v = np.array([0.3, -1.0, 2.0])
    np.testing.assert_allclose(rotate(multiply_quaternions(a, b), v), rotate(a, rotate(b, v)), atol=1e-14)
    np.testing.assert_allclose(rotate(conjugate_quaternion(a), rotate(a, v)), v, atol=1e-14)


def test_right_hand_rule():
    np.testing.assert_allclose(rotate(make_quaternion((0, 0, 5), np.pi / 2), (1, 0, 0)), (0, 1, 0), atol=ROUNDING)


@pytest.mark.parametrize("axis", [(0, 0, 3), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0.9, 0.1, 0.1), (1, 2, 3)])
def test_axis_frame_is_a_rotation_with_z_along_the_axis(axis):
    frame = make_axis_frame(axis)
    np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=ROUNDING)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    np.testing.assert_allclose(frame[:, 2], np.array(axis) / np.linalg.norm(axis), atol=ROUNDING)


def test_frame_of_z_is_the_world():
    np.testing.assert_array_equal(make_axis_frame((0, 0, 1)), np.eye(3))


@pytest.mark.parametrize(
    ("function", "ranks"),
    [(turn_all, (2, 1)), (turn_all_back, (2, 1)), (multiply_all, (2, 2)), (dot_all, (1, 1)), (cross_all, (1, 1))],
)
def test_a_value_does_not_depend_on_how_many_there_are(function, ranks):
    """Bit by bit: frames are worked out in parts whose size depends on the clock."""
    random = np.random.default_rng(1)
    stacks = [random.normal(size=(*(3,) * rank, 103)) for rank in ranks]
    together = function(*stacks)
    for size in (1, 2, 5, 8):
        parts = [function(*(stack[..., i : i + size] for stack in stacks)) for i in range(0, 103, size)]
        np.testing.assert_array_equal(np.concatenate(parts, axis=-1), together)


def test_products_of_stacks():
    random = np.random.default_rng(2)
    first, second, vectors = random.normal(size=(7, 3, 3)), random.normal(size=(7, 3, 3)), random.normal(size=(7, 3))
    stacks = put_matrices_first(first), put_matrices_first(second), put_first(vectors)
    np.testing.assert_allclose(multiply_all(*stacks[:2]), put_matrices_first(first @ second))
    np.testing.assert_allclose(put_last(turn_all(stacks[0], stacks[2])), np.einsum("nij,nj->ni", first, vectors))
    np.testing.assert_allclose(put_last(turn_all_back(stacks[0], stacks[2])), np.einsum("nji,nj->ni", first, vectors))
