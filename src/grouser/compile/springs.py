"""Stiffness and damping of the elements of a model in its initial state, by rows of deformation.

Every force element acts along scalar deformations e(q) with a gradient g on the velocities of its nodes, so its blocks
are

    K = g k g^T,   C = g c g^T                                                            (1)

The geometric part, force times the change of g, is small beside stiff springs and left out.

Rows of meshes with a mass matrix M take part by bounds. With velocities normalised by M, an element e whose stiffness
is at most b_e times its own part M_e of the mass adds no more than b_e times its share, and all together no more than
the largest b_e. A spring that ends there has b_e = k g M_e^-1 g, and twice of it where its other end moves too,

    (g_a + g_b)^T k (g_a + g_b) <= 2 g_a^T k g_a + 2 g_b^T k g_b                          (2)
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from grouser.compile.layout import Layout
from grouser.compile.mesh_mass import find_inverse
from grouser.compile.state import State
from grouser.kernels.kinds import MARKER_STILL, WORLD_ROW
from grouser.kernels.nodes import FRAME_SIZE, POINT_SIZE
from grouser.mesh.make import make_mesh_data

Array = np.ndarray


class Springs:
    """Stiffness and damping of all elements on the velocities of the nodes, normalised by the masses.

    Attributes
    ----------
    tables, state, layout : the model, its initial state, and its names by row
    size : number of velocities: six a body, three a point
    """

    def __init__(self, tables: Any, state: State, layout: Layout) -> None:
        self.tables, self.state, self.layout = tables, state, layout
        self._frames, self._bodies = layout.frame_count, len(layout.bodies)
        self._moving = len(tables.node.mass)
        self.size = FRAME_SIZE * len(layout.bodies) + POINT_SIZE * len(layout.free_points)
        self._entries: list[tuple[Array, Array, Array, Array]] = []
        self._markers = {int(row): i for i, row in enumerate(tables.carried.marker)}
        self._carried = {int(row): i for i, row in enumerate(tables.carried.point)}
        self._coupled = set(tables.node.coupled.tolist())
        self._mesh_bounds: dict[tuple[int, ...], Array] = {}

    def find_places(self, row: int) -> range:
        """Velocities of the node in a row."""
        if row < self._frames:
            return range(FRAME_SIZE * (row - 1), FRAME_SIZE * row)
        start = FRAME_SIZE * self._bodies + POINT_SIZE * (row - self._frames)
        return range(start, start + POINT_SIZE)

    @cached_property
    def mass_roots(self) -> list[Array]:
        """Inverse roots of the mass matrices of the nodes by row, world axes."""
        body, R = self.tables.node, self.state.R
        roots = [np.zeros((FRAME_SIZE, FRAME_SIZE))]
        for i in range(1, self._bodies + 1):
            root = np.zeros((FRAME_SIZE, FRAME_SIZE))
            root[:3, :3] = np.eye(3) / math.sqrt(body.mass[i])
            values, vectors = np.linalg.eigh(R[i] @ body.inertia[i] @ R[i].T)
            root[3:, 3:] = (vectors / np.sqrt(values)) @ vectors.T
            roots.append(root)
        roots += [roots[0]] * (self._frames - self._bodies - 1)  # markers have no mass of their own
        return roots + [np.eye(3) / math.sqrt(mass) for mass in body.mass[self._frames :]]

    def add(self, a: int, b: int, gradient: Array, k: Array, c: Array) -> None:
        """Deformations with a gradient (m, 12) on (v_a, w_a, v_b, w_b) of two rows with frames; k and c (m, m).

        What sits on a marker is taken for what it does to the points that carry it.
        """
        ends = [(gradient[:, :FRAME_SIZE], a), (gradient[:, FRAME_SIZE:], b)]
        if self._coupled and any(row in self._coupled for _, end in ends for _, row in self.expand(end)):
            share = 2.0 if all(self.expand(end) for _, end in ends) else 1.0
            for part, end in ends:
                self._add_end(part, end, share * k, share * c)
            return
        parts = [
            (part @ jacobian @ self.mass_roots[row], self.find_places(row))
            for part, end in ends
            for jacobian, row in self.expand(end)
        ]
        self._add_parts(parts, k, c)

    def _add_end(self, gradient: Array, end: int, k: Array, c: Array) -> None:
        """One end of a spring, with the other one held."""
        found = self.expand(end)
        coupled = [(gradient @ jacobian, row) for jacobian, row in found if row in self._coupled]
        if not coupled:
            parts = [(gradient @ jacobian @ self.mass_roots[row], self.find_places(row)) for jacobian, row in found]
            self._add_parts(parts, k, c)
            return
        rows = np.array([row for _, row in coupled])
        found_inverse = find_inverse(self.layout, rows)
        if found_inverse is not None:
            inverse, owners = found_inverse[0], [found_inverse[1]]
        else:  # a set of nodes of several elements
            alone = [find_inverse(self.layout, rows[[i]]) for i in range(len(rows))]
            inverse = np.diag([one[0][0, 0] for one in alone if one is not None])
            owners = [one[1] for one in alone if one is not None]
        whole = np.hstack([part for part, _ in coupled])
        mobility = whole @ np.kron(inverse, np.eye(POINT_SIZE)) @ whole.T
        largest = [float(np.abs(np.linalg.eigvals(matrix @ mobility)).max()) for matrix in (k, c)]
        for owner in owners:
            self._add_mesh_bound(owner, np.array(largest))

    def add_mesh_bounds(self, rows: Array, stiffness: Array, damping: Array) -> None:
        """Elements by gradients, by their rows (n, k), of which the largest eigenvalues (n,) over mass are known."""
        for key, k, c in zip(rows, stiffness, damping, strict=True):
            self._add_mesh_bound(key, np.array([k, c]))

    def _add_mesh_bound(self, rows: Array, bound: Array) -> None:
        key = tuple(rows.tolist())
        self._mesh_bounds[key] = self._mesh_bounds.get(key, np.zeros(2)) + bound

    def _close_mesh_bounds(self) -> None:
        """Take the largest sum of the bounds of any element for all rows."""
        if not self._mesh_bounds:
            return
        k, c = np.max(list(self._mesh_bounds.values()), axis=0)
        for row in sorted(self._coupled):
            places = np.array(self.find_places(row))
            one = np.ones(len(places))
            self.add_entries(places, places, k * one, c * one)
        self._mesh_bounds.clear()

    def _add_parts(self, parts: list[tuple[Array, range]], k: Array, c: Array) -> None:
        """Deformations by their gradients, normalised, on the velocities of several nodes."""
        for left, p in parts:
            for right, q in parts:
                i, j = np.repeat(p, len(q)), np.tile(q, len(p))
                self._entries.append((i, j, (left.T @ k @ right).ravel(), (left.T @ c @ right).ravel()))

    def expand(self, row: int) -> list[tuple[Array, int]]:
        """Rows of unknowns that a row follows, with how it moves with each of them; nothing for the world, which has no
        mass and drops out."""
        carried, R = self.tables.carried, self.state.R
        if row in self._markers:
            i = self._markers[row]
            found = []
            for link in range(carried.start[i], carried.start[i + 1]):
                turn = np.zeros((3, 3))
                if carried.turns[i] != MARKER_STILL:
                    turning = self.layout.markers[i].turning
                    turn = R[row] @ turning @ skew(carried.gradient[link]) @ R[row].T
                own = np.vstack([carried.weight[link] * np.eye(3), turn])
                found += [(own @ jacobian, under) for jacobian, under in self.expand(int(carried.node[link]))]
            return found
        if row in self._carried:
            i = self._carried[row]
            lever = R[carried.body[i]] @ carried.p[i]
            on_body = np.hstack([np.eye(3), -skew(lever)])
            return [(on_body @ jacobian, under) for jacobian, under in self.expand(int(carried.body[i]))]
        if row == WORLD_ROW:
            return []
        return [(np.eye(FRAME_SIZE if row < self._frames else POINT_SIZE), row)]

    def add_points(self, nodes: Array, k: Array, c: Array) -> None:
        """Elements between two points (n, 2), with a stiffness and a damping (n, 3, 3) on their relative velocity."""
        free = nodes < self._moving
        is_plain = free.all(axis=1)
        for number in np.flatnonzero(~is_plain):
            self._add_carried(nodes[number], k[number], c[number])
        nodes, k, c = nodes[is_plain], k[is_plain], c[is_plain]
        mass = self.tables.node.mass[nodes]
        first = FRAME_SIZE * (self._bodies) + POINT_SIZE * (nodes.astype(int) - self._frames)
        axes = np.arange(POINT_SIZE)
        for left in range(2):
            for right in range(2):
                scale = (1.0 if left == right else -1.0) / np.sqrt(mass[:, left] * mass[:, right])
                i = np.broadcast_to(first[:, left, None, None] + axes[:, None], k.shape)
                j = np.broadcast_to(first[:, right, None, None] + axes, k.shape)
                stiffness, damping = (scale[:, None, None] * values for values in (k, c))
                self.add_entries(i.ravel(), j.ravel(), stiffness.ravel(), damping.ravel())

    def _add_carried(self, nodes: Array, k: Array, c: Array) -> None:
        """An element between two points of which some are carried."""
        parts = [
            (sign * jacobian @ self.mass_roots[row], self.find_places(row))
            for sign, end in zip((-1.0, 1.0), nodes, strict=True)
            for jacobian, row in self.expand(int(end))
        ]
        self._add_parts(parts, k, c)

    def join_cells(self, family: str, column: str) -> Array:
        """A column of the elements of a family in all meshes, in the order of its rows."""
        cells = (getattr(make_mesh_data(mesh), family) for mesh in self.layout.model.meshes.values())
        return np.concatenate([getattr(cell, column) for cell in cells if len(cell.node)])

    def add_bounds(self, nodes: Array, stiffness: Array, damping: Array) -> None:
        """Elements (n, k nodes) of which the largest eigenvalues of stiffness and damping (n,) over mass are known.

        An element alone, with a share of the masses of its nodes, lies below its largest eigenvalue times these masses;
        so does the sum of all, where each node has the largest eigenvalue of its elements.
        """
        largest = np.zeros((2, len(self.state.x)))
        for k in range(nodes.shape[1]):
            np.maximum.at(largest[0], nodes[:, k], stiffness)
            np.maximum.at(largest[1], nodes[:, k], damping)
        for row in np.unique(nodes):
            if WORLD_ROW < row < self._moving:
                places = np.array(self.find_places(int(row)))
                one = np.ones(len(places))
                self.add_entries(places, places, largest[0, row] * one, largest[1, row] * one)

    def add_entries(self, i: Array, j: Array, k: Array, c: Array) -> None:
        """Entries of both matrices in rows i and columns j, normalised by the masses."""
        self._entries.append((i, j, k, c))

    def assemble(self) -> tuple[csr_matrix, csr_matrix]:
        """The matrices of stiffness and of damping."""
        self._close_mesh_bounds()
        shape = (self.size, self.size)
        if not self._entries:
            return csr_matrix(shape), csr_matrix(shape)
        i, j, k, c = (np.concatenate(values) for values in zip(*self._entries, strict=True))
        stiffness, damping = (coo_matrix((values, (i, j)), shape=shape).tocsr() for values in (k, c))
        for matrix in (stiffness, damping):
            matrix.eliminate_zeros()  # ideal motions have rows without stiffness
        return stiffness, damping


def skew(p: Array) -> Array:
    """Matrix of p x."""
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def calc_levers(springs: Springs, table: tuple, i: int) -> tuple[Array, Array, Array, Array, Array]:
    """Levers of p_b from the centres of a and b, p_b - p_a, and both frames' axes, world."""
    x, R = springs.state.x, springs.state.R
    a, b = table.body_a[i], table.body_b[i]  # type: ignore[attr-defined]
    r_b = R[b] @ table.p_b[i]  # type: ignore[attr-defined]
    q = x[b] + r_b - x[a]
    axes_a, axes_b = R[a] @ table.frame_a[i], R[b] @ table.frame_b[i]  # type: ignore[attr-defined]
    return q, r_b, q - R[a] @ table.p_a[i], axes_a, axes_b  # type: ignore[attr-defined]


def calc_translation(q: Array, r_b: Array) -> Array:
    """Gradient of the velocity of a point of b as seen from a."""
    return np.hstack([-np.eye(3), skew(q), np.eye(3), -skew(r_b)])


def calc_rotation() -> Array:
    """Gradient of the angular velocity of b as seen from a."""
    return np.hstack([np.zeros((3, 3)), -np.eye(3), np.zeros((3, 3)), np.eye(3)])
