"""Mass and loads of cables: constant matrices by rows of coordinates, the same for the three components.

    M = integral of mu s s^T ds,   load = integral of s f ds                                              (1)

with the mass mu per length and the shape functions s of (1) of `kernel`, over the length of the reference. A section
has no size here, so a cable has no inertia about its own axis. Six points of Gauss are exact where the reference is
straight.
"""

from __future__ import annotations

import numpy as np

from grouser.families.ancf_cable.table import calc_directions

_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_PLACES, _WEIGHTS = 0.5 + 0.5 * _PLACES, 0.5 * _WEIGHTS


def calc_cable_mass(e: np.ndarray, length: np.ndarray | float, mass_per_length: np.ndarray | float) -> np.ndarray:
    """Mass matrices (n, 4, 4) [kg], [kg m], [kg m^2] of elements by their rows.

    Parameters
    ----------
    e : (n, 4, 3) coordinates of the reference
    length : one for all or (n,) [m]
    mass_per_length : one for all or (n,) of the reference [kg/m]
    """
    masses = np.broadcast_to(mass_per_length, len(e))
    for i in np.flatnonzero(~(masses > 0.0)):
        raise ValueError(f"element {i} has the mass per length {masses[i]:g} kg/m: it must be positive")
    shapes, shares = _calc_points(e, length)
    return np.einsum("n,nk,kni,knj->nij", masses, shares, shapes, shapes)


def calc_cable_load(e: np.ndarray, length: np.ndarray | float) -> np.ndarray:
    """Shares (n, 4) of rows in a load per length of the reference [m], [m^2]."""
    shapes, shares = _calc_points(e, length)
    return np.einsum("nk,kni->ni", shares, shapes)


def calc_cable_shapes(length: np.ndarray | float, xi: np.ndarray) -> np.ndarray:
    """Factors (k, n, 4) of the coordinates in places along the axis.

    >>> calc_cable_shapes(2.0, np.array([0.5])).ravel().tolist()
    [0.5, 0.25, 0.5, -0.25]
    """
    size, xi = np.atleast_1d(np.asarray(length, dtype=float)), xi[:, None]
    one = np.ones_like(size)
    up = one * (3.0 * xi**2 - 2.0 * xi**3)
    return np.stack([1.0 - up, size * (xi - 2.0 * xi**2 + xi**3), up, size * (xi**3 - xi**2)], axis=2)


def _calc_points(e: np.ndarray, length: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (k, n, 4) and shares of the length (n, k) at the points of integration."""
    lengths = np.array(np.broadcast_to(length, len(e)), dtype=float)
    along, _ = calc_directions(e, lengths, _PLACES)
    return calc_cable_shapes(lengths, _PLACES), np.linalg.norm(along, axis=2) * _WEIGHTS * lengths[:, None]
