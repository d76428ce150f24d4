"""Stress and strain of beams at any point.

The gradient of the deformation is F = [r_x r_y r_z] [r_x r_y r_z]^-1 of the reference at the point. An element that is
integrated by its volume has E = (F^T F - 1)/2, and one that is integrated along its axis the strain of the axis with
its bends (6) of `kernel`, on fibres that are free to contract,

    E = E_axis + (y k_1 + z k_2) (d_x d_x - nu (d_y d_y + d_z d_z))
        + t (y (d_x d_z + d_z d_x) - z (d_x d_y + d_y d_x))/2

with the axes d of the reference. Shear stress of the axis has the shear factors. That of torsion is the one of a
circle: in a rectangle it is a mean. S follows by the law of the material, without damping, and the Cauchy stress is F S
F^T/J.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.families.ancf_beam.table import AncfBeamTable, calc_vectors
from grouser.families.brick.law import calc_second_stress
from grouser.families.brick.layout import SHEAR
from grouser.families.brick.material import calc_small_strain
from grouser.model.section import SectionValues

VALUES = 11
"""Numbers of `calc_beam_values`."""


def calc_beam_stress(
    table: AncfBeamTable,
    i: int,
    e: np.ndarray,
    reference: np.ndarray,
    length: float,
    section: SectionValues,
    points: np.ndarray,
) -> np.ndarray:
    """Stress and strain (k, 9) of beam i: Cauchy stress xx yy zz xy yz zx in world axes [Pa], von Mises
    stress [Pa], largest principal Green strain, ratio of volumes.

    Parameters
    ----------
    table : the beams
    e, reference : (8, 3) coordinates now, and of the reference
    length : [m]
    section : of the element
    points : (k, 3) xi from 0 to 1, y and z [m]
    """
    xi, y, z = np.asarray(points, dtype=float).T
    now, start = (calc_vectors(rows[None], np.array([length]), xi)[0] for rows in (e, reference))
    return _calc_points(table.material[table.kind[i]], bool(table.is_line[i]), section, (now, start), y, z)[0]


def calc_beam_values(table: AncfBeamTable, cell: Any, x: np.ndarray, value_out: np.ndarray) -> None:
    """Values of all beams: force, shear along y and z, torsion, moments of the pull over z and y, stretch, von Mises
    stress and strain in the middle, and their largest at the corners of both ends and the middle.

    Parameters
    ----------
    table : the beams
    cell : `AncfBeamCellTable`
    x : (rows, 3) places and gradients
    value_out : (n, VALUES)
    """
    e = calc_own_coordinates(table, x)
    for group, numbers in enumerate(cell.section):
        of = np.flatnonzero(cell.group == group)
        section = SectionValues(*numbers)
        y, z = np.sqrt([3.0 * section.iz / section.area, 3.0 * section.iy / section.area])
        places = [(xi, i * y, j * z) for xi in (0.0, 0.5, 1.0) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]
        inner = [(0.5, i * y / np.sqrt(3.0), j * z / np.sqrt(3.0)) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]
        xi, y, z = np.array([(0.5, 0.0, 0.0), *inner, *places]).T
        now, start = (calc_vectors(rows[of], cell.length[of], xi) for rows in (e, cell.reference))
        count, points = now.shape[:2]
        material, is_line = table.material[table.kind[of[0]]], bool(table.is_line[of[0]])
        vectors = (now.reshape(-1, 5, 3), start.reshape(-1, 5, 3))
        found, pull = _calc_points(material, is_line, section, vectors, np.tile(y, count), np.tile(z, count))
        found, pull = found.reshape(count, points, -1), pull.reshape(count, points, 3)
        inside = pull[:, 1:5] * section.area / 4.0
        value_out[of, :3] = section.area * pull[:, 0] if is_line else inside.sum(axis=1)
        value_out[of, 3] = (y[1:5] * inside[:, :, 2] - z[1:5] * inside[:, :, 1]).sum(axis=1)
        value_out[of, 4] = (z[1:5] * inside[:, :, 0]).sum(axis=1)
        value_out[of, 5] = (y[1:5] * inside[:, :, 0]).sum(axis=1)
        if is_line:
            value_out[of, 3] = material[SHEAR] * section.j * _calc_bends(now[:, 0], start[:, 0])[2]
        value_out[of, 6] = np.linalg.norm(now[:, 0, 0], axis=1) / np.linalg.norm(start[:, 0, 0], axis=1)
        value_out[of, 7:9] = found[:, 0, 6:8]
        value_out[of, 9:11] = found[:, 5:, 6:8].max(axis=1)


def calc_own_coordinates(table: AncfBeamTable, x: np.ndarray) -> np.ndarray:
    """Coordinates (n, 8, 3) of all beams, made of their rows."""
    e = x[table.row].reshape(-1, 2, 4, 3)
    turned = table.turn >= 0
    e[turned, :, 1:] = np.einsum("nemk,nemc->nekc", table.turns[table.turn[turned]], e[turned, :, 1:])
    return e.reshape(-1, 8, 3)


def _calc_points(
    material: np.ndarray,
    is_line: bool,
    section: SectionValues,
    vectors: tuple[np.ndarray, np.ndarray],
    y: np.ndarray,
    z: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Stress and strain (k, 9) of points with the five vectors (k, 5, 3) now and without stress, and the pull (k, 3) on
    the section over its area without stress: along the axis, and in the axes y and z of the section."""
    now, start = vectors
    J0 = _calc_gradient(start, y, z)
    axes = _calc_axes(J0)
    F = _calc_gradient(now, y, z) @ np.linalg.inv(J0) @ axes
    if is_line:
        middle = 0.0 * y
        at_axis = _calc_gradient(start, middle, middle)
        own = _calc_axes(at_axis)
        strain = _calc_green(_calc_gradient(now, middle, middle) @ np.linalg.inv(at_axis) @ own)
        for (a, b), factor in zip(((0, 1), (0, 2)), (section.shear_y, section.shear_z), strict=True):
            strain[:, a, b] *= factor
            strain[:, b, a] *= factor
        strain += _calc_bend_strain(now, start, y, z, calc_small_strain(material)[1])
    else:
        strain = _calc_green(F)
    second = np.empty_like(strain)
    calc_second_stress(material, np.ascontiguousarray(strain), second)
    J = np.linalg.det(F)
    cauchy = F @ second @ F.swapaxes(1, 2) / J[:, None, None]
    part = cauchy - np.trace(cauchy, axis1=1, axis2=2)[:, None, None] / 3.0 * np.eye(3)
    columns = [cauchy[:, a, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))]
    columns += [np.sqrt(1.5 * (part**2).sum(axis=(1, 2))), np.linalg.eigvalsh(strain)[:, -1], J]
    turned = _calc_axes(F)
    pull = np.einsum("kia,kij,kj->ka", turned, F, second[:, :, 0])
    return np.stack(columns, axis=1), pull


def _calc_gradient(vectors: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """[r_x r_y r_z] (k, 3, 3) of points, from the five vectors (k, 5, 3)."""
    a, b, c, b_rate, c_rate = np.moveaxis(vectors, 1, 0)
    return np.stack([a + y[:, None] * b_rate + z[:, None] * c_rate, b, c], axis=2)


def _calc_axes(J: np.ndarray) -> np.ndarray:
    """Axes at right angles (k, 3, 3) in columns: d_x along r_x, d_y in the plane of r_x and r_y."""
    x = J[:, :, 0] / np.linalg.norm(J[:, :, 0], axis=1, keepdims=True)
    y = J[:, :, 1] - (J[:, :, 1] * x).sum(axis=1, keepdims=True) * x
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], axis=2)


def _calc_green(F: np.ndarray) -> np.ndarray:
    """(F^T F - 1)/2."""
    return 0.5 * (F.swapaxes(1, 2) @ F - np.eye(3))


def _calc_bend_strain(now: np.ndarray, start: np.ndarray, y: np.ndarray, z: np.ndarray, poisson: float) -> np.ndarray:
    """The strain of bends in the axes of the reference."""
    k_1, k_2, t = _calc_bends(now, start)
    fibre = (y * k_1 + z * k_2)[:, None, None] * np.diag([1.0, -poisson, -poisson])
    fibre[:, 0, 1] = fibre[:, 1, 0] = -0.5 * t * z
    fibre[:, 0, 2] = fibre[:, 2, 0] = 0.5 * t * y
    return fibre


def _calc_bends(now: np.ndarray, start: np.ndarray) -> np.ndarray:
    """k_1, k_2 and t of (6) of `kernel`, (3, k)."""
    s = np.linalg.norm(start[:, 0], axis=1)

    def calc(vectors: np.ndarray) -> np.ndarray:
        a, b, c, b_rate, c_rate = np.moveaxis(vectors, 1, 0)
        twist = 0.5 * ((b_rate * c).sum(axis=1) - (c_rate * b).sum(axis=1))
        return np.stack([(a * b_rate).sum(axis=1) / s**2, (a * c_rate).sum(axis=1) / s**2, twist / s])

    return calc(now) - calc(start)
