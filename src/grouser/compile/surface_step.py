"""Stiffness and damping of surfaces in contact, for the stable step and for that of impacts.

Which points of a surface will touch at the same time is not known beforehand. A plane that comes from outside meets
those within a share of the extent from the outermost one; of the planes in the directions of a cube's faces, edges and
corners the one that meets the most stiffness counts. All points take part with the share that makes their sum that one,
so levers count too. The other side has the same stiffness at its vertex that is the farthest from its centre of mass.

A node of a deforming surface has the stiffness of the points that it carries, and of those that may touch the polygons
about it: one at least, and as many as their density puts there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from grouser.compile.springs import Springs, skew
from grouser.compile.surface import Meeting, SheetRows, Surfaces
from grouser.kernels.kinds import FRICTION_ASPERITY, PER_AREA, WORLD_ROW

Array = np.ndarray

SUPPORT = 0.1
"""Share of the extent of a surface within which its points touch a plane together."""
DIRECTIONS = np.array([n for n in product((-1.0, 0.0, 1.0), repeat=3) if any(n)])
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1)[:, None]


@dataclass(frozen=True)
class Stiffness:
    """What a meeting of surfaces may do.

    Attributes
    ----------
    k, c : (points,) stiffness [N/m] and damping [N s/m] of each point along the normal
    held : (points,) largest stiffness in any direction, with that of friction anchors [N/m]
    share : of all points that touches at a time, by stiffness
    """

    k: Array
    c: Array
    held: Array
    share: float

    @property
    def total(self) -> float:
        """Of all that touches at a time [N/m]."""
        return float(self.share * self.k.sum())


def calc_stiffness(tables: tuple, meeting: Meeting, sheet: SheetRows) -> Stiffness:
    """Of the points of a sheet."""
    contact, g = tables.contact, meeting.group  # type: ignore[attr-defined]
    area = meeting.share * (sheet.area if contact.per[g] == PER_AREA else np.ones(len(sheet.points)))
    k = contact.k[g] * area
    held = np.maximum(k, contact.k_tangent[g] * area) if contact.friction[g] == FRICTION_ASPERITY else k
    heights = sheet.points @ DIRECTIONS.T
    touching = heights >= heights.max(axis=0) - SUPPORT * np.ptp(sheet.points, axis=0).max()
    share = float((touching.T @ k).max() / k.sum())
    return Stiffness(k, contact.c[g] * area, held, share)


def add_surface_springs(springs: Springs, surfaces: Surfaces, loads: list[float]) -> None:
    """All surfaces as if they touched something heavy; `loads` [N]: of each meeting the normal force with which its
    friction is reckoned."""
    contact = springs.tables.contact
    for meeting, load in zip(surfaces.meetings, loads, strict=True):
        a, b = surfaces.sheets[meeting.a], surfaces.sheets[meeting.b]
        found, g = calc_stiffness(springs.tables, meeting, a), meeting.group
        rubbing = contact.mu[g] * load / contact.velocity[g]
        c = found.share * found.c + rubbing / len(a.points)
        k = found.share * found.held
        if a.is_deforming:
            _add_nodes(springs, a, _sum_points(a, found.held), _sum_points(a, c / found.share))
        else:
            _add_body(springs, a.body, a.points, k, c)
        if b.is_deforming:
            share = np.maximum(1.0, _calc_node_areas(b) / max(float(a.area.max()), 1e-30))
            _add_nodes(springs, b, found.held.max() * share, c.max() / found.share * share)
        else:
            farthest = b.x[np.argmax(np.linalg.norm(b.x, axis=1))][None]
            _add_body(springs, b.body, farthest, np.array([k.sum()]), np.array([c.sum()]))


def _add_body(springs: Springs, body: int, points: Array, k: Array, c: Array) -> None:
    """Points of a body, each with a stiffness and a damping in all directions."""
    if body == WORLD_ROW:
        return
    levers = points @ springs.state.R[body].T
    gradient = np.array([np.hstack([np.eye(3), -skew(r)]) for r in levers])
    stiffness, damping = (np.einsum("n,nij,nik->jk", values, gradient, gradient) for values in (k, c))
    springs.add(WORLD_ROW, body, np.hstack([np.zeros((6, 6)), np.eye(6)]), stiffness, damping)


def _sum_points(sheet: SheetRows, values: Array) -> Array:
    """Values of points by the vertices that carry them."""
    total = np.zeros(len(sheet.x))
    np.add.at(total, sheet.corner.astype(np.int64), sheet.weight * values[:, None])
    return total


def _calc_node_areas(sheet: SheetRows) -> Array:
    """Share of the area that belongs to each vertex [m^2]."""
    node = sheet.polygons.astype(np.int64)
    x = sheet.x[node]
    area = 0.5 * np.linalg.norm(np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1]), axis=1)
    total = np.zeros(len(sheet.x))
    for corner in range(3):
        np.add.at(total, node[:, corner], area / 3.0)
    return total


def _add_nodes(springs: Springs, sheet: SheetRows, k: Array, c: Array) -> None:
    """Stiffness and damping of the vertices of a deforming surface."""
    rows, mass = sheet.node_row.astype(np.int64), springs.tables.node.mass
    is_free = (rows > WORLD_ROW) & (rows < len(mass))
    rows, k, c = rows[is_free], k[is_free] / mass[rows[is_free]], c[is_free] / mass[rows[is_free]]
    springs.add_bounds(rows[:, None], k, c)
