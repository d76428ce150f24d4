"""Stable steps of bricks: their largest frequencies, one by one and of a whole mesh.

No mode of a mesh is faster than the fastest one of its elements by themselves, each with its own share of the lumped
masses (Irons and Treharne 1971), so the largest frequency of the elements bounds that of the mesh. Where neighbours do
not let an element move as it would alone, the bound is wide: the fastest motion of a cube alone is to grow along all
three directions at once, and in a mesh of cubes it cannot. At Poisson's ratio 0.3 the bound is a third above the truth
there, at 0 nothing. `find_mesh_frequency` asks the mesh itself.

The largest step of a scheme of the house with damping that is proportional to stiffness, by a factor tau, is with
zeta = tau omega/2

    h = 2/omega (sqrt(1 + zeta^2) - zeta)                                                                 (1)
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from grouser.families.brick.kernel import calc_brick_forces
from grouser.families.brick.layout import LANES, TANGENT_WORK_SIZE, VOLUME, WORK_SIZE
from grouser.families.brick.table import BrickTable
from grouser.families.brick.tangent import calc_brick_tangents

_CHUNK = 2000
"""Bricks whose tangents are held at a time: 18 MB."""
_DIFFERENCE = 1e-6
"""Change of positions by which stiffness is seen, over the size of a brick."""
_TOLERANCE = 1e-3
"""Relative error of the square of the largest frequency of a mesh."""


def calc_brick_frequencies(bricks: BrickTable, x: np.ndarray, node_mass: np.ndarray) -> np.ndarray:
    """Largest angular frequency (n,) of each brick by itself [rad/s].

    Parameters
    ----------
    bricks : table of the bricks
    x : (rows, 3) positions by node [m]
    node_mass : (n, 8) share of each brick in the mass of its nodes [kg]
    """
    frequencies = np.empty(len(node_mass))
    still, work = np.zeros_like(x), np.empty(TANGENT_WORK_SIZE)
    for first in range(0, len(node_mass), _CHUNK):
        mass = node_mass[first : first + _CHUNK]
        stiffness, damping = np.empty((len(mass), 24, 24)), np.empty((len(mass), 24, 24))
        failed = calc_brick_tangents(bricks, first, x, still, stiffness, damping, work)
        if failed >= 0:
            raise ValueError(f"brick {failed} is inside out")
        scale = 1.0 / np.sqrt(np.repeat(mass, 3, axis=1))
        stiffness *= scale[:, :, None] * scale[:, None, :]
        largest = np.linalg.eigvalsh(stiffness)[:, -1]
        frequencies[first : first + _CHUNK] = np.sqrt(np.maximum(largest, 0.0))
    return frequencies


def find_mesh_frequency(bricks: BrickTable, x: np.ndarray, mass: np.ndarray) -> float:
    """Largest angular frequency of a mesh without supports [rad/s], by Lanczos' method on differences of its forces.

    Supports, joints and further masses only lower it. It comes from below, within some parts in 1e4.

    Parameters
    ----------
    bricks : table of the bricks
    x : (rows, 3) positions by node [m]
    mass : (rows,) lumped masses [kg]; rows without mass are held
    """
    held = mass <= 0.0
    scale = np.where(held, 0.0, 1.0 / np.sqrt(np.where(held, 1.0, mass)))[:, None]
    step = _DIFFERENCE * float(np.cbrt(np.median(bricks.shape[:, LANES * VOLUME])))
    still, ahead, behind = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    sums, work = np.zeros(2), np.empty(WORK_SIZE)

    def multiply(vector: np.ndarray) -> np.ndarray:
        move = vector.reshape(x.shape) * scale
        size = step / max(float(np.abs(move).max()), 1e-300)
        for sign, force in ((1.0, ahead), (-1.0, behind)):
            failed = calc_brick_forces(bricks, x + sign * size * move, still, force, sums, work)
            if failed >= 0:
                raise ValueError(f"brick {failed} is inside out")
        return ((behind - ahead) / (2.0 * size) * scale).ravel()

    operator = LinearOperator((x.size, x.size), matvec=multiply, dtype=float)
    start = np.random.default_rng(0).standard_normal(x.size)
    largest = eigsh(operator, k=1, which="LA", tol=_TOLERANCE, v0=start, return_eigenvectors=False)
    return math.sqrt(max(float(largest[0]), 0.0))


def calc_stable_step(frequency: float, factor: float = 0.0) -> float:
    """Largest stable step (1) [s].

    Parameters
    ----------
    frequency : largest angular frequency [rad/s]
    factor : largest damping factor of the materials [s]

    >>> calc_stable_step(100.0), round(calc_stable_step(100.0, 0.01), 6)
    (0.02, 0.012361)
    """
    ratio = 0.5 * factor * frequency
    return 2.0 / frequency * (math.sqrt(1.0 + ratio * ratio) - ratio)
