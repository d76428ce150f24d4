"""The table of bricks: constants in batches of `LANES`, as the compiled code takes them.

A batch has one material. Bricks of a material stand together, in their order, and the last batch of each is filled up
with bricks that have neither volume nor stiffness: they lie on the nodes of the last one and add zeros.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from grouser.families.brick.geometry import MODES, BrickGeometry, calc_bend_weights, calc_residual_stiffness
from grouser.families.brick.layout import (
    BULK,
    GRADIENT,
    INITIAL,
    LANES,
    REFERENCE,
    SHAPE_ROWS,
    SHEAR,
    STIFFNESS,
    VOLUME,
    WEIGHTS,
)

BrickTable = namedtuple("BrickTable", ["brick", "place", "node", "shape", "kind", "material"])
"""brick (batches * LANES,) int64 which brick lies in a lane, -1 for none; place (n,) int64 batch * LANES + lane of a
brick; node (batches, 8 * LANES) uint32 rows of the nodes; shape (batches, SHAPE_ROWS * LANES) float64 constants, rows
as `kernel` names them; kind (batches,) int64 row of the material; material (materials, MATERIAL_COLUMNS) float64."""


def make_brick_table(
    nodes: np.ndarray,
    geometry: BrickGeometry,
    materials: Sequence[np.ndarray],
    kinds: np.ndarray | None = None,
    initial_strain: np.ndarray | None = None,
) -> BrickTable:
    """The table.

    Parameters
    ----------
    nodes : (n, 8) rows of the nodes
    geometry : of the bricks, from their undeformed positions
    materials : rows made by `grouser.families.brick.material`
    kinds : (n,) row of the material of each brick; all have the first one if it is not given
    initial_strain : (n,) for the same strain in all directions, as of heat, or (n, 3, 3): the strain without stress
    """
    count = len(nodes)
    kinds = np.zeros(count, dtype=np.int64) if kinds is None else np.asarray(kinds, dtype=np.int64)
    order, kind = [], []
    for row in range(len(materials)):
        members = np.flatnonzero(kinds == row)
        lanes = -(-len(members) // LANES) * LANES
        order.append(np.concatenate([members, np.full(lanes - len(members), -1)]))
        kind += [row] * (lanes // LANES)
    brick = np.concatenate(order).astype(np.int64)
    batches = len(kind)
    place = np.zeros(count, dtype=np.int64)
    place[brick[brick >= 0]] = np.flatnonzero(brick >= 0)
    # fillers repeat the brick before them
    source = brick[np.maximum.accumulate(np.where(brick >= 0, np.arange(len(brick)), 0))]
    constants = np.empty((len(brick), SHAPE_ROWS))
    gradient = np.einsum("ma,nai->nmi", MODES, geometry.gradient).reshape(count, 21) / 8.0
    constants[:, GRADIENT:REFERENCE] = gradient[source]
    constants[:, REFERENCE:STIFFNESS] = geometry.modes.reshape(count, 21)[source]
    stiffness = np.zeros((count, VOLUME - STIFFNESS))
    for row, material in enumerate(materials):
        of = kinds == row
        stiffness[of] = calc_residual_stiffness(
            geometry.modes[of], geometry.volume[of], material[SHEAR], material[BULK]
        )
    constants[:, STIFFNESS:VOLUME] = stiffness[source]
    constants[:, VOLUME] = geometry.volume[source]
    constants[:, INITIAL:WEIGHTS] = 0.0 if initial_strain is None else _make_strain(np.asarray(initial_strain))[source]
    constants[:, WEIGHTS:] = calc_bend_weights(geometry.modes)[source]
    constants[brick < 0, STIFFNESS:INITIAL] = 0.0
    lanewise = constants.reshape(batches, LANES, SHAPE_ROWS).transpose(0, 2, 1)
    rows = np.asarray(nodes)[source].reshape(batches, LANES, 8).transpose(0, 2, 1)
    return BrickTable(
        brick,
        place,
        np.ascontiguousarray(rows.reshape(batches, -1), dtype=np.uint32),
        np.ascontiguousarray(lanewise.reshape(batches, -1)),
        np.array(kind, dtype=np.int64),
        np.array(materials, dtype=float),
    )


def _make_strain(strain: np.ndarray) -> np.ndarray:
    """(n, 6): xx yy zz xy yz zx."""
    if strain.ndim == 1:
        return strain[:, None] * np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    return np.stack([strain[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))], axis=1)


def take_batches(table: BrickTable, first: int, last: int) -> BrickTable:
    """The table with the batches from one to another; bricks keep their numbers."""
    return table._replace(
        brick=table.brick[LANES * first : LANES * last],
        node=table.node[first:last],
        shape=table.shape[first:last],
        kind=table.kind[first:last],
    )
