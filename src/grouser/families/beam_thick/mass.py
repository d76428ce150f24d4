"""Masses and inertia of the rigid bodies between thick beams.

A body is made of the halves of the elements that meet in it: each reaches from the node to the centre point of its
element, straight, with the mass and the rotary inertia of its section. With the mass m per length, the rotary inertia
i_y, i_z per length about the axes of the section and the length l of an element, its half has, about its own centre,

    mass m l/2,   inertia diag(i_y + i_z, i_y + m l^2/48, i_z + m l^2/48) l/2                             (1)

At the end of a beam there is one half only, so the centre of mass of the body is not at the node. The inertia m l^3/12
of whole segments is of the order l^2 beside the beam, as other errors are; it makes the stable step longer, because a
node without it turns too easily.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Lumps:
    """Rigid bodies of a mesh of thick beams.

    Attributes
    ----------
    mass : (rows,) [kg]
    x : (rows, 3) centres of mass [m]; the node where a row has no mass
    inertia : (rows, 3, 3) about the centre of mass, in the axes of `x` [kg m^2]
    """

    mass: np.ndarray
    x: np.ndarray
    inertia: np.ndarray


def calc_half_inertia(length: np.ndarray, mass_per_length: np.ndarray, rotary: np.ndarray) -> np.ndarray:
    """(1): three moments of inertia (n, 3) of half of each element about its own centre, in the axes of the element."""
    slender = mass_per_length * length**2 / 48.0
    i_y, i_z = rotary.T
    return 0.5 * length[:, None] * np.stack([i_y + i_z, i_y + slender, i_z + slender], axis=1)


def calc_thick_lumps(
    body_a: np.ndarray,
    body_b: np.ndarray,
    *,
    node: np.ndarray,
    centre: np.ndarray,
    frame: np.ndarray,
    length: np.ndarray,
    mass_per_length: float | np.ndarray,
    rotary: np.ndarray,
) -> Lumps:
    """Bodies of a mesh in its undeformed shape.

    Parameters
    ----------
    body_a, body_b : (n,) rows of the bodies of the elements
    node : (rows, 3) where the elements meet [m]
    centre : (n, 3) centre points of the elements [m]
    frame : (n, 3, 3) axes of the elements, in columns
    length : (n,) of the elements [m]
    mass_per_length : one for all or (n,) [kg/m]
    rotary : (2,) or (n, 2) rotary inertia per length about Y and Z of the section, density times second moment [kg m]
    """
    n, rows = len(length), len(node)
    line, turning = np.broadcast_to(mass_per_length, n), np.broadcast_to(rotary, (n, 2))
    m = 0.5 * line * length
    own = np.einsum("nij,nj,nkj->nik", frame, calc_half_inertia(length, line, turning), frame)
    mass, first, second = np.zeros(rows), np.zeros((rows, 3)), np.zeros((rows, 3, 3))
    for body in (body_a, body_b):
        lever = 0.5 * (centre - node[body])
        np.add.at(mass, body, m)
        np.add.at(first, body, m[:, None] * lever)
        np.add.at(second, body, own + m[:, None, None] * _calc_point_inertia(lever))
    offset = first / np.where(mass > 0.0, mass, 1.0)[:, None]
    return Lumps(mass, node + offset, second - mass[:, None, None] * _calc_point_inertia(offset))


def _calc_point_inertia(r: np.ndarray) -> np.ndarray:
    """Inertia (n, 3, 3) of unit masses at r (n, 3)."""
    return (r**2).sum(axis=1)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :]
