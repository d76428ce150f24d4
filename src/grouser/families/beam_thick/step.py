"""Stable step of explicit integration of thick beams.

The highest frequency of a mesh is not above the highest one of any of its elements alone, with the two halves that it
brings to the bodies at its ends (`mass.py`). Such a pair of equal halves, each with the mass m_h, the moments of
inertia i_h about its own centre and the lever l/4 to the centre point, has the frequencies

    axial  omega^2 = 2 EA/(l m_h),    torsion  2 GJ/(l i_hx),    bending  2 EI_y/(l i_hy),  2 EI_z/(l i_hz)
    shear  omega^2 = 2 GA_z/l (1/m_h + l^2/(16 i_hy)),   2 GA_y/l (1/m_h + l^2/(16 i_hz))                  (1)
    dt = 2/omega (sqrt(1 + zeta^2) - zeta),   zeta = omega T/2                                            (2)

with T the largest of the damping times. In long uniform chains (1) is exact for elements up to twice as long as they
are thick. Longer ones are governed by shear, where dt is up to 10 % shorter than it might be.
"""

from __future__ import annotations

import numpy as np

from grouser.families.beam_thick.mass import calc_half_inertia
from grouser.families.beam_thick.table import ThickBeamTable


def calc_thick_frequencies(
    table: ThickBeamTable, mass_per_length: float | np.ndarray, rotary: np.ndarray
) -> np.ndarray:
    """Highest angular frequency (n,) of each element alone [rad/s], by (1).

    Parameters
    ----------
    table : the elements
    mass_per_length : one for all or (n,) [kg/m]
    rotary : (2,) or (n, 2) rotary inertia per length about Y and Z of the section [kg m]
    """
    n = len(table.length)
    line, turning = np.broadcast_to(mass_per_length, n), np.broadcast_to(rotary, (n, 2))
    light = 2.0 / (line * table.length)
    i_x, i_y, i_z = calc_half_inertia(table.length, line, turning).T
    lever = table.length**2 / 16.0
    EA, GA_y, GA_z, GJ, EI_y, EI_z = table.section.T
    squares = [EA * light, GA_z * (light + lever / i_y), GA_y * (light + lever / i_z), GJ / i_x, EI_y / i_y, EI_z / i_z]
    return np.sqrt(2.0 / table.length * np.max(squares, axis=0))


def calc_thick_steps(table: ThickBeamTable, mass_per_length: float | np.ndarray, rotary: np.ndarray) -> np.ndarray:
    """Largest stable step (n,) of each element [s], by (2); arguments as `calc_thick_frequencies`."""
    omega = calc_thick_frequencies(table, mass_per_length, rotary)
    zeta = 0.5 * omega * table.time.max(axis=1)
    return 2.0 / (omega * (np.sqrt(1.0 + zeta**2) + zeta))
