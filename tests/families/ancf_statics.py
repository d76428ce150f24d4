"""Chains of beams and cables by gradient coordinates at a state: forces, matrices, rest by Newton's method. Shared by
the tests of both."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import splu
from scipy.spatial.transform import Rotation

from grouser.families.ancf_beam.kernel import calc_ancf_beam_forces
from grouser.families.ancf_beam.mass import assemble_mass, calc_beam_mass
from grouser.families.ancf_beam.table import make_ancf_beams
from grouser.families.ancf_beam.tangent import TANGENT_WORK_SIZE, calc_ancf_beam_tangents
from grouser.families.ancf_cable.kernel import calc_ancf_cable_forces
from grouser.families.ancf_cable.mass import calc_cable_mass
from grouser.families.ancf_cable.table import make_ancf_cables
from grouser.families.ancf_cable.tangent import calc_ancf_cable_tangents
from grouser.model.section import Section, calc_section


class AncfMesh:
    """Elements of `rows` rows a node; `x` (rows, 3) is the shape, which starts as the reference."""

    def __init__(self, x, dof):
        self.reference, self.x = np.array(x, dtype=float), np.array(x, dtype=float)
        self.dof = dof
        self.sums, self.work = np.zeros(2), np.full(TANGENT_WORK_SIZE, np.nan)

    def calc_forces(self, x=None, v=None):
        """Forces (rows, 3); stored energy and dissipated power are then in `sums`."""
        f = np.full_like(self.x, np.nan)
        v = np.zeros_like(self.x) if v is None else v
        status = self.call_forces(self.table, self.x if x is None else x, v, f, self.sums, self.work)
        if status >= 0:
            raise FloatingPointError(f"element {status} is inside out")
        return f

    def calc_energy(self, x):
        """Stored energy."""
        self.calc_forces(x)
        return self.sums[0]

    def calc_tangents(self, x=None, v=None):
        """Stiffness and damping (n, size, size)."""
        n, size = self.dof.shape
        K, C = np.full((2, n, size, size), np.nan)
        v = np.zeros_like(self.x) if v is None else v
        assert self.call_tangents(self.table, 0, self.x if x is None else x, v, K, C, self.work) == -1
        return K, C

    def add_up(self, matrices):
        """Sparse sum of the matrices of the elements."""
        rows = np.broadcast_to(self.dof[:, :, None], matrices.shape).ravel()
        columns = np.broadcast_to(self.dof[:, None, :], matrices.shape).ravel()
        size = self.x.size
        return scipy.sparse.csc_array((matrices.ravel(), (rows, columns)), shape=(size, size))

    def solve(self, load, held, steps=1, tolerance=1e-10):
        """Bring the mesh to rest under a dead load (rows, 3) that grows in steps; `held` (rows, 3) coordinates stay."""
        free = np.flatnonzero(~held.ravel())
        self.iterations = 0
        for factor in np.arange(1, steps + 1) / steps:
            for _ in range(60):
                residual = (self.calc_forces() + factor * load).ravel()[free]
                K = self.add_up(self.calc_tangents()[0])[free][:, free].tocsc()
                step = np.zeros(self.x.size)
                step[free] = splu(K).solve(residual)
                largest = np.abs(step).max()
                self.x = self.x + (step * min(1.0, 0.5 / max(largest, 1e-300))).reshape(-1, 3)
                self.iterations += 1
                if largest < tolerance:
                    break
            else:
                raise AssertionError(f"no rest at {factor} of the load: last step {largest}")
        return self


class BeamMesh(AncfMesh):
    """Beams; `nodes` (n, 2) are numbers of nodes of four rows."""

    call_forces, call_tangents = staticmethod(calc_ancf_beam_forces), staticmethod(calc_ancf_beam_tangents)

    def __init__(self, x, nodes, length, section, material, **options):
        nodes = 4 * np.asarray(nodes)
        rows = (nodes[:, :, None] + np.arange(4)).reshape(len(nodes), 8)
        super().__init__(x, (3 * rows[:, :, None] + np.arange(3)).reshape(len(nodes), 24))
        self.rows, self.length, self.section = rows, length, section
        self.table = make_ancf_beams(nodes, x, length, section, [material], **options)

    def calc_mass(self, density):
        """Mass matrix by rows."""
        e = self.reference[self.rows]
        return assemble_mass(self.rows, calc_beam_mass(e, self.length, self.section, density), len(self.x))


def make_line(count, length, frame=None):
    """Rows of `count` nodes of four rows along X of a frame (columns), and pairs of nodes."""
    frame = np.eye(3) if frame is None else frame
    place = np.linspace(0.0, length, count)[:, None] * frame[:, 0]
    rows = np.concatenate([place[:, None], np.broadcast_to(frame.T, (count, 3, 3))], axis=1)
    return rows.reshape(-1, 3), np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)


def hold_rows(shape, *rows):
    """What is held: all coordinates of some rows."""
    held = np.zeros(shape, dtype=bool)
    held[list(rows)] = True
    return held


def calc_gradient(function, x, h=1e-6):
    """Central differences of a function of positions, the last axis by coordinates."""
    columns = []
    for j in range(x.size):
        ends = []
        for sign in (1.0, -1.0):
            other = x.copy()
            other.ravel()[j] += sign * h
            ends.append(np.copy(function(other)))
        columns.append((ends[0] - ends[1]) / (2.0 * h))
    return np.stack(columns, axis=-1)


class CableMesh(AncfMesh):
    """Cables; `nodes` (n, 2) are numbers of nodes of two rows."""

    call_tangents = staticmethod(calc_ancf_cable_tangents)

    def __init__(self, x, nodes, length, **options):
        nodes = 2 * np.asarray(nodes)
        rows = (nodes[:, :, None] + np.arange(2)).reshape(len(nodes), 4)
        super().__init__(x, (3 * rows[:, :, None] + np.arange(3)).reshape(len(nodes), 12))
        self.rows, self.length, self.values = rows, length, np.full((len(nodes), 4), np.nan)
        self.table = make_ancf_cables(nodes, x, length, **options)

    def call_forces(self, table, x, v, f, sums, work):
        """Stretch, curvature, force and moment are then in `values`."""
        return calc_ancf_cable_forces(table, x, v, f, sums, self.values)

    def calc_mass(self, mass_per_length):
        """Mass matrix by rows."""
        e = self.reference[self.rows]
        return assemble_mass(self.rows, calc_cable_mass(e, self.length, mass_per_length), len(self.x))


def make_rectangle(b, h):
    """Constants of a rectangle, b along y and h along z."""
    return calc_section(Section(rectangle=(b, h)))


def make_arc(count, radius, angle):
    """Rows of `count` nodes of four rows on an arc about Z, pairs of nodes, and the length of an element."""
    turns = np.linspace(0.0, angle, count)
    frames = Rotation.from_rotvec(turns[:, None] * [0.0, 0.0, 1.0]).as_matrix()
    place = radius * np.stack([np.sin(turns), 1.0 - np.cos(turns), 0.0 * turns], axis=1)
    rows = np.concatenate([place[:, None], frames.swapaxes(1, 2)], axis=1)
    pairs = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    return rows.reshape(-1, 3), pairs, radius * angle / (count - 1)


def take_axis(x):
    """Rows of cables of those of beams: places and r_x."""
    return x.reshape(-1, 4, 3)[:, :2].reshape(-1, 3)


def move_rigidly(x, size, rotation, shift):
    """Rows of nodes of `size` rows turned and moved: gradients turn alone."""
    moved = x @ rotation.as_matrix().T
    moved[::size] += shift
    return moved


def calc_momenta(M, x, v, size):
    """Linear and angular momentum about the origin, of a mass matrix by rows of nodes of `size` rows."""
    by_row = M @ v
    return by_row[::size].sum(axis=0), np.cross(x, by_row).sum(axis=0)
