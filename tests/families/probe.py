"""A model at a state: its forces, energies, powers and slopes, and differences of them."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.compile.compile import compile_model
from grouser.compile.springs import Springs
from grouser.compile.state import copy_state
from grouser.formulations.equations import make_equations
from grouser.formulations.forces import calc_forces
from grouser.kernels._jit import kernel
from grouser.kernels._packed import Packed
from grouser.kernels.block_ldl import calc_product
from grouser.kernels.kinds import LEDGER_NUMERICAL, TERRAIN_PLANE
from grouser.kernels.nodes import FRAME_SIZE, POINT_SIZE
from grouser.kernels.view import Instant


@kernel(entry=True)
def calc_at(tables, state, implicit_out, work):
    """Forces at a state, and the slopes that they add to the matrix of an implicit step."""
    now = state.stamp[0]
    instant = Instant(state.time[0], state.x, state.R, state.v, state.w, state.z)
    memory, memory_out = (state.anchor, state.anchor_stamp, now, 0.0), (work.anchor, work.anchor_stamp, now)
    calc_forces(tables, instant, memory, 0.0, work.z_rate, memory_out, implicit_out, work)


@kernel(entry=True)
def calc_image(elimination, value, u, f_out):
    """Matrix of the sparse system times a vector."""
    calc_product(elimination, value, u, f_out)


class Probe:
    """A compiled model at a state that can be moved, turned and evaluated.

    Velocities, displacements and forces are vectors: six numbers a body (world axes, and body axes for the rotation),
    then three a point that moves.
    """

    def __init__(self, model, preset):
        self.compiled = compile_model(model, preset.realizations, preset.motion, ideal=True)
        self.layout, self.tables = self.compiled.layout, self.compiled.tables
        self.state = copy_state(self.compiled.initial)
        equations = make_equations(self.compiled, "explicit", implicit=True)
        self.implicit, self.system, self.work = equations.implicit, equations.system, equations.work
        self._packed = [Packed(part) for part in (self.tables, self.state, self.implicit, self.work)]
        self._frames, self._moving = self.layout.frame_count, len(self.tables.node.mass)
        names = self.layout.nodes
        self.places = np.array([row for row, name in enumerate(names) if ".gradient." not in name])
        self.size = FRAME_SIZE * (self._frames - 1) + POINT_SIZE * (self._moving - self._frames)

    # state

    def stop(self):
        """Bring everything to rest."""
        self.state.v[:] = 0.0
        self.state.w[:] = 0.0

    def set_odd(self, case, seed=5):
        """Deformed and moving, at a time that is not the start, with states z that are not their first ones."""
        rng = np.random.default_rng(seed)
        self.displace(rng.uniform(-case.reach, case.reach, self.size))
        self.add_velocity(rng.uniform(-case.speed, case.speed, self.size))
        self.state.z[:] += rng.uniform(-case.states, case.states, len(self.state.z))
        self.state.time[0] = 0.3

    def displace(self, step):
        """Move and turn all nodes by a displacement."""
        bodies, points = self._split(step)
        self.state.x[1 : self._moving] += np.vstack([bodies[:, :3], points])
        self.state.R[1:] = self.state.R[1:] @ Rotation.from_rotvec(bodies[:, 3:]).as_matrix()

    def add_velocity(self, change):
        """Change the velocities of all nodes."""
        bodies, points = self._split(change)
        self.state.v[1 : self._moving] += np.vstack([bodies[:, :3], points])
        self.state.w[1:] += bodies[:, 3:]

    def get_velocity(self):
        """Velocities of all nodes."""
        return self._join(self.state.v, self.state.w)

    def turn(self, rotation, shift):
        """Turn and move the whole system, the world, a plane ground and paths of drivers with it."""
        state, tables = self.state, self.tables
        state.x[:], state.v[:] = state.x @ rotation.T, state.v @ rotation.T
        state.x[self.places] += shift  # gradients turn alone
        state.R[:] = rotation @ state.R
        if tables.terrain.kind[0] == TERRAIN_PLANE:
            plane = tables.terrain.plane
            plane[:3], plane[3:] = rotation @ plane[:3] + shift, rotation @ plane[3:]
        path = tables.driver.path
        path[:, :2] = path[:, :2] @ rotation[:2, :2].T + shift[:2]

    def _split(self, vector):
        cut = FRAME_SIZE * (self._frames - 1)
        return vector[:cut].reshape(-1, FRAME_SIZE), vector[cut:].reshape(-1, POINT_SIZE)

    def _join(self, of_nodes, of_frames):
        bodies = np.hstack([of_nodes[1 : self._frames], of_frames[1:]])
        return np.concatenate([bodies.ravel(), of_nodes[self._frames : self._moving].ravel()])

    # evaluation

    def evaluate(self, h=1.0, *, has_slopes=True):
        """Evaluate the state, with the slopes of a step h [s] or without any. Rates of states that no family writes
        become NaN."""
        self.implicit.h[0] = h
        self.implicit.value[:] = 0.0
        self.work.z_rate[:] = np.nan
        tables, state, implicit, work = self._packed
        calc_at(tables, state, implicit if has_slopes else None, work)
        return self.work

    def calc_force(self):
        """Forces, and torques in body axes."""
        work = self.evaluate()
        return self._join(work.f, np.einsum("nji,nj->ni", self.state.R, work.torque))

    def calc_z_rate(self):
        """Rates of the states z."""
        return self.evaluate().z_rate.copy()

    def calc_stored(self):
        """Energy stored in all elements [J]."""
        stored = self.evaluate().stored.copy()
        stored[LEDGER_NUMERICAL] = 0.0  # what integrators book, and no energy
        return stored.sum()

    def calc_matrix(self, h):
        """What all elements add to the matrix of an implicit step h [s]."""
        self.evaluate(h)
        elimination, value = self.system.elimination, self.implicit.value
        first = FRAME_SIZE  # behind the numbers of the world
        count = FRAME_SIZE * len(elimination.size)
        columns = [np.zeros(count) for _ in range(self.size)]
        for i, column in enumerate(columns):
            unit = np.zeros(count)
            unit[first + i] = 1.0
            calc_image(elimination, value, unit, column)
        return np.column_stack(columns)[first : first + self.size]

    def calc_slopes(self):
        """Stiffness and damping of the matrix h C + h^2 K."""
        one, two = self.calc_matrix(1.0), self.calc_matrix(2.0)
        stiffness = 0.5 * two - one
        return stiffness, one - stiffness

    def difference(self, function, move, count, size):
        """Central differences of `function()` by the numbers of a vector of `count` by which `move` changes the state;
        rows of the result are the function's."""
        start, columns = copy_state(self.state), []
        for i in range(count):
            ends = []
            for sign in (1.0, -1.0):
                step = np.zeros(count)
                step[i] = sign * size
                move(step)
                ends.append(function())
                self._restore(start)
            columns.append((ends[0] - ends[1]) / (2.0 * size))
        return np.column_stack(columns)

    def calc_stored_rate(self, size):
        """Rate of the stored energy along the motion, by central differences over +-size [s]."""
        start, z_rate, ends = copy_state(self.state), self.calc_z_rate(), []
        for dt in (size, -size):
            self.displace(dt * self.get_velocity())
            self.state.z[:] += dt * z_rate
            self.state.time[0] += dt
            ends.append(self.calc_stored())
            self._restore(start)
        return (ends[0] - ends[1]) / (2.0 * size)

    def move_states(self, step):
        """Change the states z."""
        self.state.z[:] += step

    def _restore(self, start):
        for array, before in zip(self.state, start, strict=True):
            array[:] = before

    # stable step

    def calc_springs(self, family):
        """Stiffness and damping that a family gives for the stable step, normalised by the masses, world axes."""
        springs = Springs(self.tables, self.compiled.initial, self.layout)
        family.add_springs(springs)
        return tuple(matrix.toarray() for matrix in springs.assemble())

    def normalise(self, matrix):
        """A matrix on velocities normalised by the masses, in the axes of `calc_springs`."""
        roots = Springs(self.tables, self.state, self.layout).mass_roots
        scale = np.zeros((self.size, self.size))
        for row in range(1, self._moving):
            start = FRAME_SIZE * (row - 1) if row < self._frames else self._find_point(row)
            width = FRAME_SIZE if row < self._frames else POINT_SIZE
            root = roots[row].copy()
            if row < self._frames:  # body axes from world axes
                root[3:] = self.state.R[row].T @ root[3:]
            scale[start : start + width, start : start + width] = root
        node = self.tables.node
        if len(node.coupled):  # any root of the inverse serves bounds that are the same in all directions
            mass = np.diag(node.mass)
            mass[tuple(node.pair.T)] = mass[tuple(node.pair.T[::-1])] = node.pair_mass
            places = [self._find_point(row) + c for row in node.coupled for c in range(3)]
            root = np.linalg.inv(np.linalg.cholesky(mass[np.ix_(node.coupled, node.coupled)])).T
            scale[np.ix_(places, places)] = np.kron(root, np.eye(3))
        return scale.T @ matrix @ scale

    def _find_point(self, row):
        return FRAME_SIZE * (self._frames - 1) + POINT_SIZE * (row - self._frames)
