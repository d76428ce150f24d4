"""Stable step of explicit integration of cables: the largest frequency of the elements by themselves, which bounds that
of any mesh of them, as in `grouser.families.ancf_beam.step`."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from grouser.families.ancf_cable.table import AncfCableTable
from grouser.families.ancf_cable.tangent import TANGENT_WORK_SIZE, calc_ancf_cable_tangents


def calc_cable_frequencies(table: AncfCableTable, x: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Largest angular frequency (n,) of each cable by itself [rad/s].

    Parameters
    ----------
    table : the cables
    x : (rows, 3) places and gradients
    mass : (n, 4, 4) consistent mass matrices by rows, of `calc_cable_mass`
    """
    n = len(mass)
    stiffness, damping, work = np.empty((n, 12, 12)), np.empty((n, 12, 12)), np.empty(TANGENT_WORK_SIZE)
    failed = calc_ancf_cable_tangents(table, 0, x, np.zeros_like(x), stiffness, damping, work)
    if failed >= 0:
        raise ValueError(f"the axis of element {failed} has no direction")
    full = np.einsum("nij,ab->niajb", mass, np.eye(3)).reshape(n, 12, 12)
    largest = [eigh(k, m, eigvals_only=True, subset_by_index=[11, 11])[0] for k, m in zip(stiffness, full, strict=True)]
    return np.sqrt(np.maximum(largest, 0.0))
