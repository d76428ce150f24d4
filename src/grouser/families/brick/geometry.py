"""Constants of undeformed bricks: volume, mean gradients, modes, lumped masses, quality.

Nodes stand as in VTK: 0 to 3 around the bottom, counter-clockwise seen from above, 4 to 7 above them. With trilinear
shape functions N, all integrals here are exact with 2 x 2 x 2 points (polynomials of third degree in each direction):

    V = int det     B_n = 1/V int dN_n/dX     m_n = density int N_n                                        (1)

B has sum B_n = 0 and sum X_n (x) B_n = 1, so that any linear motion is seen exactly. It is the one gradient whose
nodal forces V S B balance between neighbours under constant stress: that is the patch test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SIGNS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float
)
"""Place of each node along the three directions of a brick."""
MODES = np.stack(
    [
        *SIGNS.T,
        SIGNS[:, 1] * SIGNS[:, 2],
        SIGNS[:, 0] * SIGNS[:, 2],
        SIGNS[:, 0] * SIGNS[:, 1],
        SIGNS[:, 0] * SIGNS[:, 1] * SIGNS[:, 2],
    ]
)
"""Signs of the nodes in the seven modes 1, 2, 3, 23, 13, 12, 123."""
EDGES = np.array(
    [[0, 1], [3, 2], [4, 5], [7, 6], [0, 3], [1, 2], [4, 7], [5, 6], [0, 4], [1, 5], [3, 7], [2, 6]], dtype=int
)
"""Nodes of the edges: four along each direction."""
_POINTS = SIGNS / np.sqrt(3.0)


@dataclass(frozen=True)
class BrickGeometry:
    """Undeformed bricks.

    Attributes
    ----------
    volume : (n,) [m^3]
    gradient : (n, 8, 3) volume-averaged gradient of each shape function [1/m]
    modes : (n, 7, 3) modes 1, 2, 3, 23, 13, 12, 123 of the positions: sums over nodes with the signs `MODES` [m]
    node_volume : (n, 8) share of each node in the volume [m^3]; times density it is its lumped mass
    """

    volume: np.ndarray
    gradient: np.ndarray
    modes: np.ndarray
    node_volume: np.ndarray


@dataclass(frozen=True)
class BrickQuality:
    """What tells whether bricks can be used.

    Attributes
    ----------
    smallest_jacobian : (n,) smallest over the corners of the product of the three edges there, each of unit length:
        1 at a right angle, zero or less where the brick is flat or inside out
    aspect : (n,) longest edge over the smallest distance of opposite faces at the centre; 1 for a cube, infinite for a
        brick without volume
    """

    smallest_jacobian: np.ndarray
    aspect: np.ndarray


def _calc_shape(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (points, 8) and their derivatives (points, 8, 3) along the directions of the brick."""
    along = 1.0 + SIGNS * points[:, None, :]
    values = along.prod(axis=2) / 8.0
    slopes = np.stack([SIGNS[:, k] * along[:, :, (k + 1) % 3] * along[:, :, (k + 2) % 3] / 8.0 for k in range(3)], -1)
    return values, slopes


def calc_geometry(positions: np.ndarray) -> BrickGeometry:
    """Constants (1) of bricks from the positions (n, 8, 3) [m] of their nodes.

    >>> cube = calc_geometry(SIGNS[None])
    >>> float(cube.volume[0].round(12)), cube.node_volume[0, 0].round(12), cube.gradient[0, 6].round(12).tolist()
    (8.0, np.float64(1.0), [0.125, 0.125, 0.125])
    """
    values, slopes = _calc_shape(_POINTS)
    jacobian = np.einsum("nai,pak->npik", positions, slopes)
    determinant = np.linalg.det(jacobian)
    # dN/dX det: cofactors of the jacobian instead of its inverse, so that flat bricks do no harm here
    columns = [jacobian[..., k] for k in range(3)]
    cofactor = np.stack([np.cross(columns[(k + 1) % 3], columns[(k + 2) % 3]) for k in range(3)], axis=-1)
    volume = determinant.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        gradient = np.einsum("pak,npik->nai", slopes, cofactor) / volume[:, None, None]
    modes = np.einsum("ma,nai->nmi", MODES, positions)
    return BrickGeometry(volume, gradient, modes, np.einsum("np,pa->na", determinant, values))


def calc_quality(positions: np.ndarray) -> BrickQuality:
    """Quality of bricks from the positions (n, 8, 3) [m] of their nodes.

    >>> float(calc_quality(SIGNS[None] * [1.0, 1.0, 0.1]).aspect[0].round(12))
    10.0
    """
    length = np.linalg.norm(positions[:, EDGES[:, 1]] - positions[:, EDGES[:, 0]], axis=2)
    jacobian = np.einsum("nai,pak->npik", positions, _calc_shape(SIGNS)[1])
    middle = np.einsum("nai,ma->nim", positions, MODES[:3]) / 4.0
    faces = np.stack([np.cross(middle[..., (k + 1) % 3], middle[..., (k + 2) % 3]) for k in range(3)], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = jacobian / np.linalg.norm(jacobian, axis=2, keepdims=True)
        corner = np.linalg.det(unit).min(axis=1)
        height = np.abs(np.linalg.det(middle))[:, None] / np.linalg.norm(faces, axis=1)
        aspect = length.max(axis=1) / height.min(axis=1)
    return BrickQuality(np.nan_to_num(corner, nan=0.0), np.nan_to_num(aspect, nan=np.inf))


def calc_residual_stiffness(modes: np.ndarray, volume: np.ndarray, shear: float, bulk: float) -> np.ndarray:
    """D of the twelve residuals, (8) of `grouser.families.brick.kernel`: (n, 21), blocks 00 11 22 01 02 12 for what
    varies along 3, 1 and 2, and the three warpings [N/m^3].

    Parameters
    ----------
    modes, volume : of `BrickGeometry`
    shear, bulk : moduli of small strains [Pa]
    """
    young, nu = 9.0 * bulk * shear / (3.0 * bulk + shear), (3.0 * bulk - 2.0 * shear) / (6.0 * bulk + 2.0 * shear)
    across = 2.0 * shear * nu / (1.0 - nu)
    half = modes[:, :3] / 8.0  # half edges at the centre
    metric = np.einsum("nai,nbi->nab", half, half)
    blocks = []
    for i, j in ((0, 1), (1, 2), (2, 0)):
        a, b, c = metric[:, i, i], metric[:, j, j], metric[:, i, j]
        area = a * b - c * c
        a, b, c = b / area, a / area, -c / area
        blocks += [(across + 2.0 * shear) * a * a, (across + 2.0 * shear) * b * b]
        blocks += [across * c * c + shear * (a * b + c * c), across * a * b + 2.0 * shear * c * c]
        blocks += [(across + 2.0 * shear) * a * c, (across + 2.0 * shear) * b * c]
    warp = [young / metric[:, k, k] ** 2 for k in range(3)]
    weights = np.array([1.0 / 3.0] * 18 + [1.0 / 9.0] * 3) / 8.0**4  # modes are eight times the half edges
    return np.stack([*blocks, *warp], axis=1) * volume[:, None] * weights


def calc_bend_weights(modes: np.ndarray) -> np.ndarray:
    """Weights (n, 6) of bends, (7) of `grouser.families.brick.kernel`: of 12 and 13 along 1, of 12 and 23 along 2, of
    13 and 23 along 3."""
    length = np.linalg.norm(modes[:, :3], axis=2)
    pairs = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
    ratio = np.stack([length[:, a] / length[:, b] for a, b in pairs], axis=1)
    return 1.0 - 2.0 / 3.0 * np.minimum(ratio, 1.0) ** 2
