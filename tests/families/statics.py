"""A small static solver for meshes of bricks, and the meshes of the tests: Newton's method with scipy's sparse matrices
on the compiled forces and tangents."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from grouser.families.brick.geometry import calc_geometry
from grouser.families.brick.kernel import calc_brick_forces
from grouser.families.brick.layout import STRESS_COLUMNS, TANGENT_WORK_SIZE, WORK_SIZE
from grouser.families.brick.stress import calc_brick_stress
from grouser.families.brick.table import make_brick_table
from grouser.families.brick.tangent import calc_brick_tangents


def make_block(*counts):
    """Positions of the nodes of a unit cube cut into `counts` bricks, and the nodes of each brick."""
    nx, ny, nz = counts
    i, j, k = np.meshgrid(*(np.arange(n + 1) for n in counts), indexing="ij")
    positions = np.stack([i.ravel() / nx, j.ravel() / ny, k.ravel() / nz], axis=1)
    i, j, k = (a.ravel() for a in np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"))
    corner = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    bricks = np.stack([((i + a) * (ny + 1) + j + b) * (nz + 1) + k + c for a, b, c in corner], axis=1)
    return positions, bricks


def share_over_face(unit, side=1.0):
    """Shares (rows,) of the nodes in the area of the face x = `side` of a unit block; its bricks may be of any size."""
    share = np.where(unit[:, 0] == side, 1.0, 0.0)
    for axis in (1, 2):
        planes, place = np.unique(unit[:, axis], return_inverse=True)
        gaps = np.diff(planes, prepend=planes[0], append=planes[-1])
        share *= (0.5 * (gaps[:-1] + gaps[1:]))[place]
    return share


class Statics:
    """A mesh of bricks at rest.

    Parameters
    ----------
    positions : (rows, 3) without load
    bricks : (n, 8) rows of their nodes
    materials : one row of a material, or several with `kinds`
    """

    def __init__(self, positions, bricks, materials, kinds=None, initial_strain=None):
        self.start, self.bricks = np.array(positions, dtype=float), np.asarray(bricks)
        materials = [materials] if np.ndim(materials[0]) == 0 else materials
        self.geometry = calc_geometry(self.start[self.bricks])
        self.table = make_brick_table(self.bricks, self.geometry, materials, kinds, initial_strain)
        self.place = (3 * self.bricks[:, :, None] + np.arange(3)).reshape(len(self.bricks), 24)
        self.sums, self.work = np.zeros(2), np.zeros(TANGENT_WORK_SIZE)
        self.ties = None

    def tie_section(self, share):
        """Hold place and turn of a section in the mean by stiff springs, as in a theory of beams: it may warp and
        change its shape. `share` (rows,) are the shares of its nodes in its area."""
        y, z = (self.start - share @ self.start)[:, 1:].T
        rows = np.zeros((6, len(share), 3))
        rows[0, :, 0] = rows[1, :, 1] = rows[2, :, 2] = share
        rows[3, :, 0], rows[4, :, 0], rows[5, :, 1], rows[5, :, 2] = share * y, share * z, -share * z, share * y
        rows[3:5] /= np.abs([share @ y**2, share @ z**2])[:, None, None] ** 0.5
        rows[5] /= (share @ (y**2 + z**2)) ** 0.5
        stiffness = 1e4 * np.abs(self.calc_tangents(self.start)[0]).max()
        self.ties = sparse.csr_matrix(np.sqrt(stiffness) * rows.reshape(6, -1))

    def calc_forces(self, x, v=None):
        """Forces of the bricks on their nodes; stored energy and dissipated power are then in `sums`."""
        forces = np.full_like(self.start, np.nan)
        v = np.zeros_like(self.start) if v is None else v
        status = calc_brick_forces(self.table, x, v, forces, self.sums, self.work[:WORK_SIZE])
        if status >= 0:
            raise FloatingPointError(f"brick {status} is inside out")
        if self.ties is not None:
            forces -= (self.ties.T @ (self.ties @ (x - self.start).ravel())).reshape(-1, 3)
        return forces

    def calc_tangents(self, x, v=None):
        """Stiffness and damping (n, 24, 24) of the bricks."""
        v = np.zeros_like(self.start) if v is None else v
        stiffness, damping = np.full((2, len(self.bricks), 24, 24), np.nan)
        assert calc_brick_tangents(self.table, 0, x, v, stiffness, damping, self.work) == -1
        return stiffness, damping

    def calc_stress(self, x):
        """Rows of stresses of the bricks."""
        stress = np.full((len(self.bricks), STRESS_COLUMNS), np.nan)
        assert calc_brick_stress(self.table, x, stress, self.work[:WORK_SIZE]) == -1
        return stress

    def make_stiffness(self, x):
        """The sparse stiffness of the mesh."""
        values = self.calc_tangents(x)[0]
        rows, columns = np.repeat(self.place, 24, axis=1).ravel(), np.tile(self.place, (1, 24)).ravel()
        matrix = sparse.csc_matrix((values.ravel(), (rows, columns)), shape=(self.start.size, self.start.size))
        return matrix if self.ties is None else (matrix + self.ties.T @ self.ties).tocsc()

    def solve_linear(self, held, load):
        """Small displacements (rows, 3) under a load (rows, 3). `held` (rows, 3) tells which coordinates stay."""
        free = np.flatnonzero(~held.ravel())
        move = np.zeros(self.start.size)
        move[free] = splu(self.make_stiffness(self.start)[free][:, free].tocsc()).solve(load.ravel()[free])
        return move.reshape(-1, 3)

    def solve(self, held, target=None, load=None, steps=1, follower=None, tolerance=1e-9):
        """Positions in balance.

        Parameters
        ----------
        held : (rows, 3) coordinates that are given
        target : (rows, 3) their last positions; those at the start if not given
        load : (rows, 3) forces at the end
        steps : load and target grow in so many
        follower : function of positions that gives a load (rows, 3) and the rows that it acts on and depends on
        tolerance : forces that are left, as a share of the largest
        """
        free = np.flatnonzero(~held.ravel())
        x, last = self.start.copy(), self.start if target is None else target
        load = np.zeros_like(x) if load is None else load
        limit = 0.2 * np.ptp(self.start, axis=0).max()  # no correction is longer
        for step in range(1, steps + 1):
            share = step / steps
            previous, x_before = x.copy(), x
            x = np.where(held, self.start + share * (last - self.start), x)
            jump = (x - x_before).ravel()
            if np.any(jump):  # the rest of the mesh follows linearly
                matrix = self.make_stiffness(previous)
                x.ravel()[free] -= splu(matrix[free][:, free].tocsc()).solve((matrix @ jump)[free])
            for _ in range(40):
                outer, slopes = share * load, None
                if follower is not None:
                    force, rows = follower(x)
                    outer = outer + share * force
                    slopes = share * self._differentiate(follower, x, rows)
                forces = self.calc_forces(x)
                residual = (forces + outer).ravel()[free]
                scale = max(np.abs(forces).max(), np.abs(outer).max(), 1e-300)
                if np.abs(residual).max() < tolerance * scale:
                    break
                matrix = self.make_stiffness(x)
                matrix = matrix if slopes is None else matrix - slopes
                move = splu(matrix[free][:, free].tocsc()).solve(residual)
                x.ravel()[free] += move * min(1.0, limit / max(np.abs(move).max(), 1e-300))
            else:
                raise ArithmeticError(f"step {step} of {steps} does not converge: {np.abs(residual).max() / scale:.1e}")
        return x

    def _differentiate(self, follower, x, rows):
        """Slopes of a follower load, by differences."""
        size = 1e-6 * np.ptp(self.start, axis=0).max()
        slopes = sparse.lil_matrix((x.size, x.size))
        for column in (3 * np.asarray(rows)[:, None] + np.arange(3)).ravel():
            ahead, behind = x.copy(), x.copy()
            ahead.ravel()[column] += size
            behind.ravel()[column] -= size
            change = (follower(ahead)[0] - follower(behind)[0]).ravel() / (2.0 * size)
            changed = np.flatnonzero(change)
            slopes[changed, column] = change[changed][:, None]
        return slopes.tocsc()
