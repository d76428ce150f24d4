"""Stable step of explicit integration of thin beams.

The highest frequency of a mesh is not above the highest one of any of its elements alone, with the share of the masses
that the element brings. An element in its undeformed shape has the strains l_1, l_2 and alpha, with gradients g_j on
its nodes and the stiffnesses k_j of `kernel.py`, (9) and (3). So

    omega^2 = largest eigenvalue of S_ij = sqrt(k_i k_j) g_i.M^-1 g_j                                     (1)
    dt = 2/omega (sqrt(1 + zeta^2) - zeta),   zeta = omega T/2                                            (2)

with T the larger one of the damping times. For a uniform chain (1) is exact: the larger one of 2 sqrt(EA/m)/L and
4 sqrt(EI/m)/L^2 with the mass m per length. Stress is not part of it: it counts where tension comes near EA.
"""

from __future__ import annotations

import numpy as np

from grouser.families.beam_thin.mass import calc_thin_shares
from grouser.families.beam_thin.table import ThinBeamTable


def calc_thin_frequencies(table: ThinBeamTable, mass_per_length: float | np.ndarray) -> np.ndarray:
    """Highest angular frequency (n,) of each element alone [rad/s], by (1); arguments as `calc_thin_shares`."""
    n = len(table.node)
    L_1, L_2 = table.length.T
    sine, cosine = np.sin(table.angle), np.cos(table.angle)
    zero = np.zeros(n)
    # in the plane of the element, with its first edge along x
    t_1, t_2 = np.stack([zero + 1.0, zero], axis=1), np.stack([cosine, sine], axis=1)
    u_1, u_2 = np.stack([zero, 1.0 / L_1], axis=1), np.stack([-sine / L_2, cosine / L_2], axis=1)
    g = np.zeros((n, 3, 3, 2))
    g[:, 0, 0], g[:, 0, 1] = -t_1, t_1
    g[:, 1, 1], g[:, 1, 2] = -t_2, t_2
    g[:, 2, 0], g[:, 2, 1], g[:, 2, 2] = u_1, -u_1 - u_2, u_2
    k = np.stack([*(0.5 * table.weight * table.EA[:, None] / table.length).T, 2.0 * table.EI / (L_1 + L_2)], axis=1)
    flexibility = np.einsum("nipa,np,njpa->nij", g, 1.0 / calc_thin_shares(table, mass_per_length), g)
    root = np.sqrt(k)
    return np.sqrt(np.linalg.eigvalsh(root[:, :, None] * flexibility * root[:, None, :])[:, -1])


def calc_thin_steps(table: ThinBeamTable, mass_per_length: float | np.ndarray) -> np.ndarray:
    """Largest stable step (n,) of each element [s], by (2); arguments as `calc_thin_shares`."""
    omega = calc_thin_frequencies(table, mass_per_length)
    zeta = 0.5 * omega * np.maximum(table.time_axial, table.time_bending)
    return 2.0 / (omega * (np.sqrt(1.0 + zeta**2) + zeta))
