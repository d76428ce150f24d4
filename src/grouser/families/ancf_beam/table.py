"""Table of the beams, and how it is made of a reference without stress.

Coordinates across are lengths: r_y and r_z of the reference have the length one at the nodes, and r_x, r_y, r_z are at
right angles there. Along, r_x may have any length, as where the coordinate x is not the length of the arc.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from grouser.families.ancf_beam.layout import (
    ACROSS,
    AXIS,
    BEND_REFERENCE,
    BEND_STIFFNESS,
    INVERSE,
    LANES,
    LENGTH,
    RATIO,
    SECTION_POINTS,
    SHAPE_SIZE,
    SHAPE_WEIGHT,
    SHARES,
    SHEARS,
    SIDES,
    STATION_PLACES,
    STATION_WEIGHTS,
    STATIONS,
    VOLUME_WEIGHT,
)
from grouser.families.brick.layout import LAW, LAW_LINEAR, SHEAR
from grouser.families.brick.material import calc_small_strain
from grouser.model.section import SectionValues

AncfBeamTable = namedtuple("AncfBeamTable", ["row", "turn", "turns", "is_line", "shape", "kind", "material"])
"""row (n, 8) uint32 rows of r, r_x, r_y, r_z of the first node, then of the second; turn (n,) int64 which of `turns` an
element has, or -1; turns (t, 2, 3, 3) by end the matrix A by which the gradients of an element are made of its rows,
[r_x r_y r_z] = [rows] A; is_line (n,) int64 1 where the element is integrated
along its axis; shape (n, SHAPE_SIZE) constants as `layout` names them; kind (n,) int64 row of the material; material
(materials, MATERIAL_COLUMNS) float64."""
VOLUME, LINE = "volume", "line"
"""Ways to integrate elastic forces."""
_PLACES, _WEIGHTS = np.array(STATION_PLACES), np.array(STATION_WEIGHTS)
_UNIT = 1e-6
"""How far gradients across may be from unit vectors at right angles."""


def calc_vectors(e: np.ndarray, length: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """Five vectors a' b c b' c' at places along the axis, (n, k, 5, 3).

    Parameters
    ----------
    e : (n, 8, 3) coordinates of the elements
    length : (n,) [m]
    xi : (k,) places from 0 to 1

    >>> e = np.vstack([[0, 0, 0], np.eye(3), [2, 0, 0], np.eye(3)])[None]
    >>> calc_vectors(e, np.array([2.0]), np.array([0.3]))[0, 0, 0].round(12).tolist()
    [1.0, 0.0, 0.0]
    """
    return np.einsum("nkvm,nmc->nkvc", calc_vector_shapes(length, xi), e)


def calc_vector_shapes(length: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """Factors (n, k, 5, 8) of the coordinates in the five vectors."""
    shapes = np.zeros((len(length), len(xi), 5, 8))
    inverse, zero = 1.0 / np.asarray(length, dtype=float)[:, None], 0.0 * xi
    bulge = 6.0 * xi * (1.0 - xi) * inverse
    shapes[:, :, 0, 0], shapes[:, :, 0, 4] = -bulge, bulge
    shapes[:, :, 0, 1], shapes[:, :, 0, 5] = 1.0 - 4.0 * xi + 3.0 * xi**2, 3.0 * xi**2 - 2.0 * xi
    for vector in (1, 2):
        shapes[:, :, vector, 1 + vector], shapes[:, :, vector, 5 + vector] = 1.0 - xi, xi
        shapes[:, :, 2 + vector, 1 + vector], shapes[:, :, 2 + vector, 5 + vector] = -inverse + zero, inverse + zero
    return shapes


def calc_shape_functions(length: np.ndarray, xi: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(1) of `kernel`: factors (n, k, 8) of the coordinates in the places of points (xi, y, z), each (k,)."""
    size = np.asarray(length, dtype=float)[:, None]
    one = np.ones_like(size)
    shapes = [
        *(one * (1.0 - 3.0 * xi**2 + 2.0 * xi**3), size * (xi - 2.0 * xi**2 + xi**3), one * y * (1.0 - xi)),
        *(one * z * (1.0 - xi), one * (3.0 * xi**2 - 2.0 * xi**3), size * (xi**3 - xi**2), one * y * xi, one * z * xi),
    ]
    return np.stack(shapes, axis=2)


def make_ancf_beams(
    nodes: np.ndarray,
    x: np.ndarray,
    length: np.ndarray | float,
    section: SectionValues,
    materials: Sequence[np.ndarray],
    *,
    integration: str = LINE,
    kinds: np.ndarray | None = None,
) -> AncfBeamTable:
    """Elements with their reference, the shape without stress.

    Parameters
    ----------
    nodes : (n, 2) first of the four rows of each node
    x : (rows, 3) reference: places [m] and gradients, four rows a node. A beam that is put in stretched or bent has
        another shape than this at the start
    length : one for all or (n,): how far the coordinate x goes along an element [m]
    section : symmetric about both of its axes y and z
    materials : rows made by `grouser.families.brick.material`
    integration : "line", right in bending and torsion, or "volume", the element as published
    kinds : (n,) row of the material of each element; all have the first one if it is not given
    """
    nodes, x = np.asarray(nodes), np.asarray(x, dtype=float)
    n = len(nodes)
    lengths = np.array(np.broadcast_to(length, n), dtype=float)
    kinds = np.zeros(n, dtype=np.int64) if kinds is None else np.asarray(kinds, dtype=np.int64)
    if integration not in (VOLUME, LINE):
        raise ValueError(f"integration is {integration!r}: take {LINE!r} or {VOLUME!r}")
    for name, value in zip(section._fields, section, strict=True):
        if not value > 0.0:
            raise ValueError(f"{name} of the section is {value:g}: the element needs a positive number")
    e = x[nodes[:, :, None] + np.arange(4)].reshape(n, 8, 3)
    check_reference(e, lengths)
    vectors = calc_vectors(e, lengths, _PLACES)
    shape = np.zeros((n, SHAPE_SIZE))
    lanes = shape[:, :LENGTH].reshape(n, -1, LANES)
    is_line = integration == LINE
    y, z = np.sqrt([section.iz / section.area, section.iy / section.area])
    shares = lengths[:, None] ** 2 * _PLACES * (1.0 - _PLACES) if is_line else np.zeros((n, STATIONS))
    for station in range(STATIONS):
        of_station = slice(SECTION_POINTS * station, SECTION_POINTS * (station + 1))
        for p, (side_y, side_z) in enumerate(SIDES):
            _put_point(lanes[:, :, of_station.start + p], vectors[:, station], side_y * y, side_z * z, 0.0, (1.0, 1.0))
        shears = (np.sqrt(section.shear_y), np.sqrt(section.shear_z)) if is_line else (1.0, 1.0)
        _put_point(lanes[:, :, AXIS + station], vectors[:, station], 0.0, 0.0, shares[:, station], shears)
        weight = _WEIGHTS[station] * lengths * section.area
        of_points = weight[:, None] / SECTION_POINTS / lanes[:, RATIO, of_station]
        of_axis = weight / lanes[:, RATIO, AXIS + station]
        splits = np.array([material[LAW] != LAW_LINEAR for material in materials])[kinds]
        if is_line:
            lanes[:, SHAPE_WEIGHT, AXIS + station] = lanes[:, VOLUME_WEIGHT, AXIS + station] = of_axis
        else:
            lanes[:, SHAPE_WEIGHT, of_station] = of_points
            lanes[:, VOLUME_WEIGHT, of_station] = np.where(splits[:, None], 0.0, of_points)
            lanes[:, VOLUME_WEIGHT, AXIS + station] = np.where(splits, of_axis, 0.0)
    lanes[:, :SHAPE_WEIGHT, -1] = lanes[:, :SHAPE_WEIGHT, -2]
    shape[:, LENGTH], shape[:, ACROSS : ACROSS + 2] = lengths, (y, z)
    shape[:, SHEARS : SHEARS + 2] = np.sqrt([section.shear_y, section.shear_z]) if is_line else 1.0
    shape[:, SHARES : SHARES + STATIONS] = shares
    if is_line:
        _put_bends(shape, vectors, lengths, section, np.array(materials)[kinds])
    return AncfBeamTable(
        np.ascontiguousarray((nodes[:, :, None] + np.arange(4)).reshape(n, 8), dtype=np.uint32),
        np.full(n, -1, dtype=np.int64),
        np.zeros((0, 2, 3, 3)),
        np.full(n, int(is_line), dtype=np.int64),
        shape,
        kinds,
        np.array(materials, dtype=float),
    )


def check_reference(e: np.ndarray, length: np.ndarray) -> None:
    """Refuse what is no reference: lengths that are not positive, gradients across that are no unit vectors at right
    angles, elements that are inside out."""
    for i in np.flatnonzero(~(np.isfinite(length) & (length > 0.0))):
        raise ValueError(f"element {i} has the length {length[i]:g} m: it must be positive")
    for i in np.flatnonzero(~np.isfinite(e).all(axis=(1, 2))):
        raise ValueError(f"element {i} has coordinates that are not finite numbers")
    for start, name in ((0, "first"), (4, "second")):
        across = e[:, start + 2 : start + 4]
        products = np.einsum("nic,njc->nij", across, across)
        for i in np.flatnonzero(np.abs(products - np.eye(2)).max(axis=(1, 2)) > _UNIT):
            raise ValueError(
                f"element {i} has r_y and r_z at its {name} node with the lengths {products[i, 0, 0] ** 0.5:g} and "
                f"{products[i, 1, 1] ** 0.5:g} and the product {products[i, 0, 1]:g}: give unit vectors at right "
                "angles, and the size of the section by the section"
            )
    vectors = calc_vectors(e, length, np.array([0.0, *_PLACES, 1.0]))
    volume = np.linalg.det(vectors[:, :, :3])
    for i in np.flatnonzero((volume <= 0.0).any(axis=1)):
        raise ValueError(
            f"element {i} is inside out, with the ratio of volumes {volume[i].min():g}: r_x, r_y, r_z must be a "
            "right-handed triple, and r_x point from the first node to the second"
        )


def _put_point(
    rows: np.ndarray,
    vectors: np.ndarray,
    y: float,
    z: float,
    share: np.ndarray | float,
    shears: tuple[float, float],
) -> None:
    """Metric of the reference at a point; `rows` (n, LANE_ROWS), `vectors` (n, 5, 3) of its station."""
    a, b, c, b_rate, c_rate = np.moveaxis(vectors, 1, 0)
    F = np.stack([a + y * b_rate + z * c_rate, b, c], axis=1)
    metric = np.einsum("nic,njc->nij", F, F)
    metric[:, 1, 1] += share * np.einsum("nc,nc->n", b_rate, b_rate)
    metric[:, 2, 2] += share * np.einsum("nc,nc->n", c_rate, c_rate)
    metric[:, 1, 2] += share * np.einsum("nc,nc->n", b_rate, c_rate)
    metric[:, 2, 1] = metric[:, 1, 2]
    for (i, j), factor in zip(((0, 1), (0, 2)), shears, strict=True):
        metric[:, i, j] *= factor
        metric[:, j, i] *= factor
    inverse = np.linalg.inv(metric)
    for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))):
        rows[:, INVERSE + k] = inverse[:, i, j]
    rows[:, RATIO] = 1.0 / np.sqrt(np.linalg.det(metric))


def _put_bends(
    shape: np.ndarray, vectors: np.ndarray, length: np.ndarray, section: SectionValues, materials: np.ndarray
) -> None:
    """Stiffness and reference of (6) of `kernel`."""
    a, b, c, b_rate, c_rate = np.moveaxis(vectors, 2, 0)
    s = np.linalg.norm(a, axis=2)
    young = np.array([calc_small_strain(material)[0] for material in materials])[:, None]
    weight = _WEIGHTS * length[:, None] * s
    stiffness = shape[:, BEND_STIFFNESS:BEND_REFERENCE].reshape(-1, STATIONS, 3)
    reference = shape[:, BEND_REFERENCE:].reshape(-1, STATIONS, 3)
    stiffness[:, :, 0], stiffness[:, :, 1] = young * section.iz / s**4, young * section.iy / s**4
    stiffness[:, :, 2] = materials[:, SHEAR, None] * section.j / s**2
    stiffness *= weight[:, :, None]
    reference[:, :, 0], reference[:, :, 1] = (a * b_rate).sum(axis=2), (a * c_rate).sum(axis=2)
    reference[:, :, 2] = 0.5 * ((b_rate * c).sum(axis=2) - (c_rate * b).sum(axis=2))


def take_beams(table: AncfBeamTable, first: int, last: int) -> AncfBeamTable:
    """The table with the beams from one to another."""
    by_beam = {name: getattr(table, name)[first:last] for name in ("row", "turn", "is_line", "shape", "kind")}
    return table._replace(**by_beam)
