"""Trilinear shape functions of bricks, and what follows from them: jacobians, volumes, natural coordinates.

With r in [-1, 1]^3 and the signs s of a node, N_n = (1 + s1 r1)(1 + s2 r2)(1 + s3 r3)/8. The mass of a node is the row
sum of the consistent mass, density int N_n dV, which 2 x 2 x 2 points integrate exactly.
"""

from __future__ import annotations

import numpy as np

SIGNS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float
)
"""Place of each node along the three directions of a brick, as in VTK."""
FACES = np.array([[0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2], [0, 3, 2, 1], [4, 5, 6, 7]])
"""Nodes of the six faces, counter-clockwise seen from outside."""
EDGES = np.array([[0, 1], [3, 2], [4, 5], [7, 6], [0, 3], [1, 2], [4, 7], [5, 6], [0, 4], [1, 5], [3, 7], [2, 6]])
"""Nodes of the twelve edges: four along each direction."""
CHUNK = 8192
"""So many bricks are worked on at once, so that what is in between stays in the cache."""
_POINTS = SIGNS / np.sqrt(3.0)
_NEAR = 1e-13
"""Natural coordinates are found as well as this."""


def calc_shape(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (p, 8) and their slopes (p, 8, 3) at natural coordinates (p, 3).

    >>> calc_shape(np.zeros((1, 3)))[0].tolist()
    [[0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125]]
    """
    one, two, three = (1.0 + SIGNS[:, k] * points[:, k, None] for k in range(3))
    slopes = np.stack([SIGNS[:, 0] * two * three, SIGNS[:, 1] * one * three, SIGNS[:, 2] * one * two], axis=-1)
    return one * two * three / 8.0, slopes / 8.0


def calc_jacobians(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Slopes of the positions (n, p, 3, 3), position before direction, of bricks with corners (n, 8, 3)."""
    slopes = calc_shape(points)[1]
    flat = np.swapaxes(corners, 1, 2) @ slopes.transpose(1, 0, 2).reshape(8, -1)  # (n, 3, 3 p)
    return flat.reshape(len(corners), 3, len(points), 3).transpose(0, 2, 1, 3)


def calc_determinants(matrices: np.ndarray) -> np.ndarray:
    """Determinants (...) of matrices (..., 3, 3); much faster than a factorisation of each."""
    a, b, c = (matrices[..., :, k] for k in range(3))
    return np.asarray(
        a[..., 0] * (b[..., 1] * c[..., 2] - b[..., 2] * c[..., 1])
        + a[..., 1] * (b[..., 2] * c[..., 0] - b[..., 0] * c[..., 2])
        + a[..., 2] * (b[..., 0] * c[..., 1] - b[..., 1] * c[..., 0])
    )


def calc_node_volumes(nodes: np.ndarray, bricks: np.ndarray) -> np.ndarray:
    """Share (m, 8) of each node in the volume of its bricks [m^3]; times density it is the lumped mass.

    >>> calc_node_volumes(SIGNS, np.arange(8)[None]).round(12).tolist()
    [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    values, _ = calc_shape(_POINTS)
    shares = np.empty(bricks.shape)
    for start in range(0, len(bricks), CHUNK):
        part = slice(start, start + CHUNK)
        shares[part] = calc_determinants(calc_jacobians(nodes[bricks[part]], _POINTS)) @ values
    return shares


def find_natural(corners: np.ndarray, point: np.ndarray, *, most: int = 30) -> np.ndarray | None:
    """Natural coordinates (3,) of a point in one brick with corners (8, 3), by Newton; None where it does not end."""
    r = np.zeros(3)
    for _ in range(most):
        values, slopes = calc_shape(r[None])
        try:
            step = np.linalg.solve(corners.T @ slopes[0], point - values[0] @ corners)
        except np.linalg.LinAlgError:
            return None
        r = np.clip(r + step, -3.0, 3.0)
        if np.abs(step).max() < _NEAR * 8.0:
            return r
    return r if np.abs(step).max() < 1e-9 else None
