"""Mass and loads of beams: constant matrices by rows of coordinates, the same for the three components.

    M = integral of density s s^T dV,   load = integral of s f dV                                         (1)

with the shape functions s of (1) of `kernel`, over the volume of the reference. Places of the form r = S e hold all
rigid motions, so the inertia of a rigid body is exact, and M is constant: no Coriolis and centrifugal terms. Six points
of Gauss along and two across are exact for a reference of the same shape functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.families.ancf_beam.table import calc_shape_functions, calc_vectors
from grouser.model.section import SectionValues

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_PLACES, _WEIGHTS = 0.5 + 0.5 * _PLACES, 0.5 * _WEIGHTS


def calc_beam_mass(
    e: np.ndarray, length: np.ndarray | float, section: SectionValues, density: np.ndarray | float
) -> np.ndarray:
    """Mass matrices (n, 8, 8) [kg], [kg m], [kg m^2] of elements by their rows.

    Parameters
    ----------
    e : (n, 8, 3) coordinates of the reference
    length : one for all or (n,) [m]
    section : in the coordinates y and z
    density : one for all or (n,) of the reference [kg/m^3]
    """
    n = len(e)
    lengths, densities = np.broadcast_to(length, n), np.broadcast_to(density, n)
    for i in np.flatnonzero(~(densities > 0.0)):
        raise ValueError(f"element {i} has the density {densities[i]:g} kg/m^3: it must be positive")
    shapes, volumes = _calc_points(e, lengths, section)
    return np.einsum("nk,nki,nkj->nij", densities[:, None] * volumes, shapes, shapes)


def calc_volume_load(e: np.ndarray, length: np.ndarray | float, section: SectionValues) -> np.ndarray:
    """Shares (n, 8) of rows in a load per volume [m^3], [m^4]: times a density and an acceleration they are weight.

    Parameters as `calc_beam_mass`.
    """
    shapes, volumes = _calc_points(e, np.broadcast_to(length, len(e)), section)
    return np.einsum("nk,nki->ni", volumes, shapes)


def calc_line_load(e: np.ndarray, length: np.ndarray | float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """Shares (n, 8) of rows in a load per length of a line along the element [m], [m^2], at (y, z) of the section."""
    lengths = np.broadcast_to(length, len(e))
    a, _, _, b_rate, c_rate = np.moveaxis(calc_vectors(e, lengths, _PLACES), 2, 0)
    stretch = np.linalg.norm(a + y * b_rate + z * c_rate, axis=2)
    shapes = calc_shape_functions(lengths, _PLACES, y + 0.0 * _PLACES, z + 0.0 * _PLACES)
    return np.einsum("k,nk,nki->ni", _WEIGHTS, lengths[:, None] * stretch, shapes)


def calc_point_load(length: float, xi: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """Shares (8,) of the rows of an element in a force at a point; the shape functions there.

    >>> calc_point_load(2.0, 1.0, 0.1).tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.1, 0.0]
    """
    return calc_shape_functions(np.array([length]), np.array([xi]), np.array([y]), np.array([z]))[0, 0]


def assemble_mass(rows: np.ndarray, matrices: np.ndarray, count: int) -> csc_array:
    """Matrix (count, count) by rows of a mesh, from those of elements (n, k, k) with the rows (n, k)."""
    from scipy.sparse import csc_array  # most of what reads meshes does without it

    first = np.broadcast_to(rows[:, :, None], matrices.shape).ravel()
    second = np.broadcast_to(rows[:, None, :], matrices.shape).ravel()
    return csc_array((matrices.ravel(), (first, second)), shape=(count, count))


def _calc_points(e: np.ndarray, length: np.ndarray, section: SectionValues) -> tuple[np.ndarray, np.ndarray]:
    """Shape functions (n, k, 8) and shares of the volume (n, k) at the points of integration."""
    y, z = np.sqrt([section.iz / section.area, section.iy / section.area])
    xi, y, z = (a.ravel() for a in np.meshgrid(_PLACES, [-y, y], [-z, z], indexing="ij"))
    a, b, c, b_rate, c_rate = np.moveaxis(calc_vectors(e, length, xi), 2, 0)
    r_x = a + y[:, None] * b_rate + z[:, None] * c_rate
    ratio = np.linalg.det(np.stack([r_x, b, c], axis=2))
    weights = np.repeat(_WEIGHTS, 4) * 0.25 * section.area
    return calc_shape_functions(length, xi, y, z), ratio * weights * length[:, None]
