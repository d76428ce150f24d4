"""Bricks of the textbooks for comparison, small displacements: trilinear, and with incompatible modes."""

import numpy as np
from scipy import sparse
from statics import Statics

from grouser.families.brick.geometry import SIGNS
from grouser.families.brick.material import calc_small_strain


def calc_standard_stiffness(positions, young, poisson, incompatible):
    """Stiffness (24, 24) by 2 x 2 x 2 points; with nine incompatible modes after Taylor, Beresford and Wilson 1976."""
    lame, shear = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), young / (2.0 + 2.0 * poisson)
    moduli = np.diag([2.0 * shear] * 3 + [shear] * 3)
    moduli[:3, :3] += lame
    centre = positions.T @ SIGNS / 8.0
    total = np.zeros((33, 33))
    for point in SIGNS / np.sqrt(3.0):
        along = 1.0 + SIGNS * point
        slopes = np.stack([SIGNS[:, k] * np.prod(np.delete(along, k, 1), axis=1) / 8.0 for k in range(3)], axis=1)
        jacobian = positions.T @ slopes
        volume = np.linalg.det(jacobian)
        inner = np.diag(-2.0 * point) @ np.linalg.inv(centre) * np.linalg.det(centre) / volume
        rows = np.concatenate([slopes @ np.linalg.inv(jacobian), inner])
        strain = np.zeros((6, 33))
        for n, (x, y, z) in enumerate(rows):
            strain[:, 3 * n : 3 * n + 3] = [[x, 0, 0], [0, y, 0], [0, 0, z], [y, x, 0], [0, z, y], [z, 0, x]]
        total += volume * strain.T @ moduli @ strain
    outer, mixed, inner = total[:24, :24], total[:24, 24:], total[24:, 24:]
    return outer - mixed @ np.linalg.solve(inner, mixed.T) if incompatible else outer


class StandardMesh(Statics):
    """A mesh of such bricks: its small displacements."""

    incompatible = False

    def make_stiffness(self, x):
        """The sparse stiffness of the mesh without load."""
        young, poisson = calc_small_strain(self.table.material[0])
        known = {}
        values = []
        for nodes in self.bricks:
            corner = self.start[nodes] - self.start[nodes[0]]
            key = np.round(corner, 12).tobytes()
            if key not in known:
                known[key] = calc_standard_stiffness(corner, young, poisson, self.incompatible)
            values.append(known[key])
        rows, columns = np.repeat(self.place, 24, axis=1).ravel(), np.tile(self.place, (1, 24)).ravel()
        return sparse.csc_matrix((np.ravel(values), (rows, columns)), shape=(self.start.size, self.start.size))


class IncompatibleMesh(StandardMesh):
    """The one with incompatible modes."""

    incompatible = True
