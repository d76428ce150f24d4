"""Rotations outside of compiled code: quaternions (w, x, y, z), matrices and frames, by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

PARALLEL = 0.9
"""Cosine from which the world's X axis is too close to an axis to fix the frame about it."""


def quaternion_to_matrix(quaternion: ArrayLike) -> np.ndarray:
    """Rotation matrix of a quaternion (w, x, y, z), which is normalised first; or of many, (..., 4) to (..., 3, 3).

    >>> quaternion_to_matrix([0, 0, 0, 2]) @ [1.0, 0.0, 0.0]
    array([-1.,  0.,  0.])
    """
    q = np.asarray(quaternion, dtype=float)
    w, x, y, z = np.moveaxis(q, -1, 0) / np.sqrt((q * q).sum(axis=-1))
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return matrix if q.ndim == 1 else np.moveaxis(matrix, (0, 1), (-2, -1))


def matrix_to_quaternion(matrix: ArrayLike) -> np.ndarray:
    """Quaternion (w, x, y, z), w >= 0, of a rotation matrix.

    Four times the products of the quaternion's elements stand in a symmetric matrix; its row with the
    largest diagonal is the quaternion up to a factor, so that nothing small is divided by.
    """
    m = np.asarray(matrix, dtype=float)
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    products = np.empty((4, 4))
    products[0, 0] = 1 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        products[i + 1, i + 1] = 1 + 2 * m[i, i] - trace
        products[0, i + 1] = products[i + 1, 0] = m[k, j] - m[j, k]
        products[i + 1, j + 1] = products[j + 1, i + 1] = m[i, j] + m[j, i]
    row = products[int(np.argmax(np.diag(products)))]
    quaternion: np.ndarray = row / np.linalg.norm(row)
    return -quaternion if quaternion[0] < 0 else quaternion


def multiply_quaternions(first: ArrayLike, second: ArrayLike) -> np.ndarray:
    """The rotation `second` followed by `first`."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def conjugate_quaternion(quaternion: ArrayLike) -> np.ndarray:
    """The inverse of a unit quaternion."""
    return np.asarray(quaternion, dtype=float) * [1, -1, -1, -1]


def make_quaternion(axis: ArrayLike, angle: float) -> np.ndarray:
    """Rotation by an angle [rad] about an axis of any length."""
    direction = np.asarray(axis, dtype=float)
    direction = direction / np.linalg.norm(direction)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * direction)])


def rotate(quaternion: ArrayLike, vector: ArrayLike) -> np.ndarray:
    """A vector of the rotated frame in the axes of the fixed frame."""
    rotated: np.ndarray = quaternion_to_matrix(quaternion) @ np.asarray(vector, dtype=float)
    return rotated


def make_axis_frame(axis: ArrayLike, x_axis: ArrayLike | None = None) -> np.ndarray:
    """Rotation matrix of a frame whose z axis lies along `axis`.

    Its x axis lies as close as possible to `x_axis`, by default to the world's X, or to Y where the axis
    is within some 25 degrees of X; the frame of the world's Z axis is the world's.
    """
    z = np.asarray(axis, dtype=float)
    z = z / np.linalg.norm(z)
    if x_axis is None:
        x_axis = (1.0, 0.0, 0.0) if abs(z[0]) < PARALLEL else (0.0, 1.0, 0.0)
    wanted = np.asarray(x_axis, dtype=float)
    x = wanted - (wanted @ z) * z
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


# Stacks of many: components come first, (3, ...) and (3, 3, ...), so that every operation runs along all of them.


def put_first(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) as a stack (3, ...)."""
    return np.ascontiguousarray(np.moveaxis(vectors, -1, 0))


def put_last(stack: np.ndarray) -> np.ndarray:
    """A stack (3, ...) as vectors (..., 3)."""
    return np.moveaxis(stack, 0, -1)


def put_matrices_first(matrices: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) as a stack (3, 3, ...)."""
    return np.ascontiguousarray(np.moveaxis(matrices, (-2, -1), (0, 1)))


# Sums over the three components are written out. `einsum` fuses multiplying and adding for some elements of a stack and
# not for others: the last bit of a value would depend on how many frames are worked out together.


def multiply_all(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Products of two stacks of matrices."""
    return np.stack([turn_all(first, second[:, k]) for k in range(3)], axis=1)


def turn_all(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors of a stack turned by its matrices."""
    return dot_all((matrices[:, 0], matrices[:, 1], matrices[:, 2]), vectors)


def turn_all_back(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors of a stack turned by its transposed matrices."""
    return dot_all(matrices, vectors)


def cross_all(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Cross products of two stacks of vectors."""
    (ax, ay, az), (bx, by, bz) = first, second
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def dot_all(first: Sequence[np.ndarray] | np.ndarray, second: np.ndarray) -> np.ndarray:
    """Scalar products of two stacks of vectors (...)."""
    product: np.ndarray = first[0] * second[0]
    product += first[1] * second[1]
    product += first[2] * second[2]
    return product
