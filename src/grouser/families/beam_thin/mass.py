"""Masses of the nodes of thin beams."""

from __future__ import annotations

import numpy as np

from grouser.families.beam_thin.table import ThinBeamTable


def calc_thin_shares(table: ThinBeamTable, mass_per_length: float | np.ndarray) -> np.ndarray:
    """What each element brings to the masses of its nodes (n, 3) [kg]: half of each of its half trusses to both nodes
    of the edge. Summed up over the elements every edge gives one half of its mass to each of its nodes.

    Parameters
    ----------
    table : the elements
    mass_per_length : one for all or (n,) [kg/m]
    """
    half = 0.25 * np.reshape(mass_per_length, (-1, 1)) * table.weight * table.length
    return np.stack([half[:, 0], half[:, 0] + half[:, 1], half[:, 1]], axis=1)


def calc_thin_masses(table: ThinBeamTable, mass_per_length: float | np.ndarray, rows: int) -> np.ndarray:
    """Lumped masses (rows,) of the nodes [kg]; arguments as `calc_thin_shares`."""
    masses = np.zeros(rows)
    np.add.at(masses, table.node, calc_thin_shares(table, mass_per_length))
    return masses
