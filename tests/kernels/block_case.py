"""A model at a state whose forces can be differenced and whose blocks can be assembled."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.compile.implicit_matrix import find_edges, make_implicit_matrix
from grouser.compile.state import copy_state
from grouser.formulations.equations import make_equations
from grouser.formulations.forces import calc_forces
from grouser.integrators.solvers import make_integrator
from grouser.kernels._jit import kernel
from grouser.kernels._packed import Packed
from grouser.kernels.contact.coupling import calc_coupled
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.view import Instant
from grouser.simulate import prepare


@kernel(entry=True)
def calc_at(tables, state, memory_dt, implicit_out, work):
    """Forces and blocks at a state."""
    now = state.stamp[0]
    instant = Instant(state.time[0], state.x, state.R, state.v, state.w, state.z)
    memory, memory_out = (state.anchor, state.anchor_stamp, now, memory_dt), (work.anchor, work.anchor_stamp, now)
    calc_forces(tables, instant, memory, 0.0, work.z_rate, memory_out, implicit_out, work)


@kernel(entry=True)
def calc_coupled_at(u, f_out, implicit_work):
    """Forces between bodies that touch."""
    calc_coupled(u, f_out, implicit_work)


class BlockCase:
    """Bodies have six numbers each: of u = (v, w body axes), of displacements likewise, and of forces."""

    def __init__(self, model, preset="penalty", coupled=True):
        self.compiled, _ = prepare(model, preset)
        self.tables = self.compiled.tables
        self.state = copy_state(self.compiled.initial)
        self.solver = make_integrator(self.compiled, "explicit", "trapezoidal")
        self.work = self.solver.work
        self.memory_dt = 0.0
        self.count = count = len(self.compiled.layout.bodies)
        self.edges = find_edges(self.tables)
        rows = np.arange(len(self.edges))
        inside = coupled & (self.edges != WORLD_ROW).all(axis=1)
        self.offset = np.where(inside, 36 * (count + rows), -1)
        self.flip = rows % 2
        diagonal = np.array([-1, *range(0, 36 * count, 36)])
        value = np.zeros(36 * (count + len(rows)))
        pulled = make_equations(self.compiled, "explicit", implicit=True).implicit.pulled  # nothing: as solvers have it
        places = np.column_stack([self.offset, self.flip])
        self.blocks = make_implicit_matrix(self.compiled, value, diagonal, places, pulled)
        self.packed = [Packed(part) for part in (self.tables, self.blocks, self.work)]
        self.find_contacts()

    def find_contacts(self):
        """Candidate pairs at the present state; leaves the forces of the explicit formulation in `work`."""
        self.solver.advance(copy_state(self.state), 0, 1e-6)

    def stop(self):
        self.state.v[:] = 0.0
        self.state.w[:] = 0.0

    def set_velocity(self, u):
        self.state.v[1:], self.state.w[1:] = u.reshape(-1, 6)[:, :3], u.reshape(-1, 6)[:, 3:]

    def get_velocity(self):
        return np.hstack([self.state.v[1:], self.state.w[1:]]).ravel()

    def displace(self, step):
        """Move and turn all bodies by a displacement (6 n)."""
        step = step.reshape(-1, 6)
        self.state.x[1:] += step[:, :3]
        self.state.R[1:] = self.state.R[1:] @ Rotation.from_rotvec(step[:, 3:]).as_matrix()

    def as_rows(self, f, torque):
        """Forces and torques (n + 1, 3), world axes, as six numbers a body."""
        turned = np.einsum("nji,nj->ni", self.state.R[1:], torque[1:])
        return np.hstack([f[1:], turned]).ravel()

    def calc_force(self):
        self.calc_matrix(1.0)
        return self.as_rows(self.work.f, self.work.torque)

    def calc_bias(self, h):
        """The right-hand side of a linearly implicit step, which looks ahead."""
        self.blocks.ahead[0] = h
        self.calc_matrix(h)
        self.blocks.ahead[0] = 0.0
        return self.as_rows(self.blocks.f, self.blocks.torque)

    def calc_matrix(self, h):
        """h C + h^2 K of the blocks, as a full matrix."""
        self.blocks.h[0] = h
        self.blocks.value[:] = 0.0
        tables, blocks, work = self.packed
        calc_at(tables, Packed(self.state), self.memory_dt, blocks, work)
        value, count = self.blocks.value.reshape(-1, 6, 6), self.count
        full = np.zeros((count, 6, count, 6))
        for body in range(count):
            full[body, :, body] = value[body]
        for (a, b), offset, flip in zip(self.edges, self.offset, self.flip, strict=True):
            if offset >= 0:
                block = value[offset // 36].T if flip else value[offset // 36]
                full[a - 1, :, b - 1] += block
                full[b - 1, :, a - 1] += block.T
        return full.reshape(6 * count, 6 * count) - self.calc_coupling()

    def calc_coupling(self):
        """The blocks between bodies that touch, as a full matrix."""
        size = 6 * self.count + 6
        columns = [np.zeros(size) for _ in range(size)]
        for unit, column in zip(np.eye(size), columns, strict=True):
            calc_coupled_at(unit, column, self.packed[1])
        return np.column_stack(columns)[6:, 6:]

    def calc_slopes(self):
        """K and C of the blocks."""
        one, two = self.calc_matrix(1.0), self.calc_matrix(2.0)
        stiffness = 0.5 * two - one
        return stiffness, one - stiffness

    def difference(self, function, size, *, of_velocity):
        """Derivative of `function()` with respect to displacements, or to velocities: central differences."""
        start = copy_state(self.state)
        columns = []
        for i in range(6 * self.count):
            ends = []
            for sign in (1.0, -1.0):
                step = np.zeros(6 * self.count)
                step[i] = sign * size
                if of_velocity:
                    self.set_velocity(self.get_velocity() + step)
                else:
                    self.displace(step)
                ends.append(function())
                self.state = copy_state(start)
            columns.append((ends[0] - ends[1]) / (2.0 * size))
        return np.array(columns).T
