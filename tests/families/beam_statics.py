"""Meshes of beams at a state: forces, matrices, equilibrium by Newton's method with load steps."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from beam_entries import calc_thick_forces, calc_thick_tangents, calc_thin_forces, calc_thin_tangents
from scipy.linalg import eigh
from scipy.sparse.linalg import splu
from scipy.spatial.transform import Rotation

from grouser.families.beam_thick.mass import calc_thick_lumps
from grouser.families.beam_thick.table import make_thick_beams
from grouser.families.beam_thin.table import make_thin_beams

TOLERANCE = 1e-10
"""Newton stops at this step, as a share of the unit of length and angle."""


class _Mesh:
    """A mesh whose rows have `freedoms` coordinates each; `dof` (n, m) are those of the elements."""

    def add_up(self, matrices):
        """Sum of the matrices (n, m, m) of the elements."""
        rows = np.broadcast_to(self.dof[:, :, None], matrices.shape).ravel()
        columns = np.broadcast_to(self.dof[:, None, :], matrices.shape).ravel()
        size = self.x.size // 3 * self.freedoms
        return scipy.sparse.csc_array((matrices.ravel(), (rows, columns)), shape=(size, size))

    def solve(self, load, fixed, steps=1, stiffness=None, tolerance=TOLERANCE):
        """Move the mesh to equilibrium under a load that grows in steps.

        load : (rows, freedoms), or a function of the mesh that gives it, world axes
        fixed : (rows, freedoms) what is held
        stiffness : function of the mesh: minus the slope of the load; none for dead loads
        """
        free = np.flatnonzero(~fixed.ravel())
        self.iterations = 0
        for factor in np.arange(1, steps + 1) / steps:
            for _ in range(60):
                outer = load(self) if callable(load) else load
                residual = self.calc_residual(factor * outer)[free]
                K = self.add_up(self.calc_matrices()[0])
                if stiffness is not None:
                    K = K + factor * stiffness(self)
                step = np.zeros(fixed.size)
                step[free] = splu(K[free][:, free].tocsc()).solve(residual)
                self.move(step * min(1.0, 1.0 / np.abs(step).max() if step.any() else 1.0))
                self.iterations += 1
                if np.abs(step).max() < tolerance:
                    break
            else:
                raise AssertionError(f"no equilibrium at {factor} of the load: last step {np.abs(step).max()}")
        return self

    def solve_held(self, load, fixed, dof, place, factor, tolerance=TOLERANCE):
        """Move the mesh to equilibrium under a dead load of unknown size, where one coordinate is to move to a place,
        and return the factor of the load, which starts from a guess. `dof` is a translation."""
        free = np.flatnonzero(~fixed.ravel())
        where = np.flatnonzero(free == dof)[0]
        for _ in range(60):
            residual = self.calc_residual(factor * load)[free]
            solve = splu(self.add_up(self.calc_matrices()[0])[free][:, free].tocsc()).solve
            rest, share = solve(residual), solve(load.ravel()[free])
            way = place - self.x[dof // self.freedoms, dof % self.freedoms]
            more = (way - rest[where]) / share[where]
            step = np.zeros(fixed.size)
            step[free] = rest + more * share
            self.move(step)
            factor += more
            if np.abs(step).max() < tolerance:
                return factor
        raise AssertionError(f"no equilibrium at {place}: last step {np.abs(step).max()}")


class ThickMesh(_Mesh):
    """Thick beams on rigid bodies, which are followed at the nodes: `x` are not the centres of mass, where the mass
    matrix has to take that into account."""

    freedoms = 6

    def __init__(self, node, pairs, frame, section, **options):
        self.pairs = np.asarray(pairs)
        a, b = self.pairs.T
        self.node = node
        self.centre = 0.5 * (node[a] + node[b])
        self.length = np.linalg.norm(node[b] - node[a], axis=1)
        self.frame = np.broadcast_to(frame, (len(a), 3, 3))
        self.x, self.R = node.copy(), np.tile(np.eye(3), (len(node), 1, 1))
        self.table = make_thick_beams(
            *(a, b),
            x=self.x,
            R=self.R,
            centre=self.centre,
            frame=self.frame,
            length=self.length,
            section=section,
            **options,
        )
        self.dof = (6 * self.pairs[:, :, None] + np.arange(6)).reshape(-1, 12)

    def calc_forces(self, v=None, w=None):
        """Energy, power, forces, torques, section forces, strains."""
        n, zero = len(self.length), np.zeros_like(self.x)
        f, torque, section, strain = np.empty_like(zero), np.empty_like(zero), np.empty((n, 6)), np.empty((n, 6))
        v, w = zero if v is None else v, zero if w is None else w
        energy, power = calc_thick_forces(self.table, self.x, self.R, v, w, f, torque, section, strain)
        return energy, power, f, torque, section, strain

    def calc_matrices(self, geometric=1.0):
        """Stiffness and damping (n, 12, 12)."""
        K, C = np.empty((2, len(self.length), 12, 12))
        calc_thick_tangents(self.table, self.x, self.R, geometric, K, C)
        return K, C

    def calc_generalised(self, **velocities):
        """Forces in world axes and torques in body axes (rows, 6)."""
        _, _, f, torque, _, _ = self.calc_forces(**velocities)
        return np.hstack([f, np.einsum("nji,nj->ni", self.R, torque)])

    def calc_residual(self, load):
        """Forces of elements and load, torques in body axes."""
        outer = np.hstack([load[:, :3], np.einsum("nji,nj->ni", self.R, load[:, 3:])])
        return (self.calc_generalised() + outer).ravel()

    def move(self, step):
        """x + dx, R exp(skew(dphi))."""
        step = step.reshape(-1, 6)
        self.x = self.x + step[:, :3]
        self.R = self.R @ Rotation.from_rotvec(step[:, 3:]).as_matrix()

    def calc_mass_matrix(self, mass_per_length, rotary):
        """Dense, on the velocities of the nodes, at the start."""
        lumps = calc_thick_lumps(
            *self.pairs.T,
            node=self.node,
            centre=self.centre,
            frame=self.frame,
            length=self.length,
            mass_per_length=mass_per_length,
            rotary=rotary,
        )
        M = np.zeros((len(self.x), 6, len(self.x), 6))
        for i, (mass, inertia) in enumerate(zip(lumps.mass, lumps.inertia, strict=True)):
            # velocity of the centre of mass v + w x c
            J = np.hstack([np.eye(3), -np.cross(lumps.x[i] - self.node[i], np.eye(3)).T])
            M[i, :, i, :] = mass * J.T @ J
            M[i, 3:, i, 3:] += inertia
        return M.reshape(6 * len(self.x), -1)


class ThinMesh(_Mesh):
    """Thin beams on point nodes."""

    freedoms = 3

    def __init__(self, x, node, **options):
        self.x = x.copy()
        node = np.asarray(node)
        self.table = make_thin_beams(node, x=x, **options)
        self.dof = (3 * node[:, :, None] + np.arange(3)).reshape(-1, 9)

    def calc_forces(self, v=None):
        """Energy, power, forces, section forces."""
        f, section = np.empty_like(self.x), np.empty((len(self.dof), 3))
        energy, power = calc_thin_forces(self.table, self.x, np.zeros_like(self.x) if v is None else v, f, section)
        return energy, power, f, section

    def calc_matrices(self, geometric=1.0):
        """Stiffness and damping (n, 9, 9)."""
        K, C = np.empty((2, len(self.dof), 9, 9))
        calc_thin_tangents(self.table, self.x, geometric, K, C)
        return K, C

    def calc_generalised(self, **velocities):
        """Forces (rows, 3)."""
        return self.calc_forces(**velocities)[2]

    def calc_residual(self, load):
        """Forces of elements and load."""
        return (self.calc_generalised() + load).ravel()

    def move(self, step):
        """x + dx."""
        self.x = self.x + step.reshape(-1, 3)


def make_chain(count):
    """Triples of the nodes of a chain of thin beams with `count` nodes."""
    return np.stack([np.arange(count - 2), np.arange(1, count - 1), np.arange(2, count)], axis=1)


def make_pairs(count):
    """Pairs of the nodes of a chain of thick beams with `count` nodes."""
    return np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)


def make_line(count, length):
    """Nodes on the x axis."""
    return np.stack([np.linspace(0.0, length, count), np.zeros(count), np.zeros(count)], axis=1)


def calc_slopes(mesh, make_copy, h=1e-5):
    """Gradient of the energy and slopes of the generalised forces, by central differences."""
    size = mesh.x.size // 3 * mesh.freedoms
    gradient, slopes = np.empty(size), np.empty((size, size))
    for j in range(size):
        ends = []
        for sign in (1.0, -1.0):
            other = make_copy(mesh)
            other.move(sign * h * np.eye(size)[j])
            ends.append((other.calc_forces()[0], other.calc_generalised().ravel()))
        gradient[j] = (ends[0][0] - ends[1][0]) / (2.0 * h)
        slopes[:, j] = (ends[0][1] - ends[1][1]) / (2.0 * h)
    return gradient, slopes


def calc_frequencies(mesh, M, fixed):
    """Angular frequencies about the present state, with a dense mass matrix."""
    free = np.flatnonzero(~fixed.ravel())
    K = mesh.add_up(mesh.calc_matrices()[0]).toarray()
    squares = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)
    return np.sqrt(np.maximum(squares, 0.0))


def calc_small(mesh, load, fixed):
    """Small displacements (rows, freedoms) under a load."""
    free = np.flatnonzero(~fixed.ravel())
    K = mesh.add_up(mesh.calc_matrices()[0])
    step = np.zeros(fixed.size)
    step[free] = splu(K[free][:, free].tocsc()).solve(load.ravel()[free])
    return step.reshape(fixed.shape)


def make_rectangle(E, nu, b, h, shear=5.0 / 6.0):
    """Constants of a rectangular section, b along Y and h along Z; torsion by de Saint-Venant's series."""
    G, A = E / (2.0 * (1.0 + nu)), b * h
    wide, thin, n = max(b, h), min(b, h), np.arange(1, 60, 2)
    series = np.sum(np.tanh(n * np.pi * wide / (2.0 * thin)) / n**5)
    J = wide * thin**3 / 3.0 * (1.0 - 192.0 * thin / (np.pi**5 * wide) * series)
    return np.array([E * A, shear * G * A, shear * G * A, G * J, E * b * h**3 / 12.0, E * h * b**3 / 12.0])


def calc_orders(errors):
    """Orders of convergence between meshes of which each is twice as fine as the one before."""
    errors = np.abs(errors)
    return np.log2(errors[:-1] / errors[1:])


def fix_rows(shape, *rows):
    """What is held: all coordinates of some rows."""
    fixed = np.zeros(shape, dtype=bool)
    fixed[list(rows)] = True
    return fixed


ELASTICA = {
    1.0: (0.301721, 0.056433),
    2.0: (0.493457, 0.160642),
    3.0: (0.603253, 0.254420),
    5.0: (0.713792, 0.387628),
    10.0: (0.810609, 0.554996),
}
"""P L^2/(E I): tip deflection w/L and shortening u/L of a cantilever that does not stretch (Mattiasson 1981)."""
