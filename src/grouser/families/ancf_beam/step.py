"""Stable step of explicit integration of beams.

No mode of a mesh is faster than the fastest one of its elements by themselves, each with its own consistent mass: the
quotient of both sums is not above the largest of the quotients. The same holds under linear joints, which only leave
motions out. So the largest frequency of the elements bounds that of any mesh of them.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from grouser.families.ancf_beam.table import AncfBeamTable
from grouser.families.ancf_beam.tangent import TANGENT_WORK_SIZE, calc_ancf_beam_tangents
from grouser.families.brick.layout import BULK, DELAY, SHEAR, VISCOUS_BULK, VISCOUS_SHEAR


def calc_beam_frequencies(table: AncfBeamTable, x: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Largest angular frequency (n,) of each beam by itself [rad/s]. The step is `calc_stable_step` of bricks, with
    `find_longest_delay`.

    Parameters
    ----------
    table : the beams
    x : (rows, 3) places and gradients
    mass : (n, 8, 8) consistent mass matrices by rows, of `calc_beam_mass`
    """
    n = len(mass)
    stiffness, damping, work = np.empty((n, 24, 24)), np.empty((n, 24, 24)), np.empty(TANGENT_WORK_SIZE)
    failed = calc_ancf_beam_tangents(table, 0, x, np.zeros_like(x), stiffness, damping, work)
    if failed >= 0:
        raise ValueError(f"element {failed} is inside out")
    full = np.einsum("nij,ab->niajb", mass, np.eye(3)).reshape(n, 24, 24)
    pairs = zip(0.5 * (stiffness + stiffness.swapaxes(1, 2)), full, strict=True)
    largest = [eigh(k, m, eigvals_only=True, subset_by_index=[23, 23])[0] for k, m in pairs]
    return np.sqrt(np.maximum(largest, 0.0))


def find_longest_delay(material: np.ndarray) -> float:
    """Largest damping over stiffness of a material [s].

    >>> from grouser.families.brick.material import make_linear
    >>> find_longest_delay(make_linear(2.0, 0.25, dilatational=2e-4, deviatoric=1e-4))
    0.0002
    """
    return float(
        max(material[VISCOUS_BULK] / material[BULK], material[VISCOUS_SHEAR] / material[SHEAR], material[DELAY])
    )
