"""A model bound to all three ideal formulations, and entries into the compiled code of aggregates."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.embedded.system import name_entry
from grouser.formulations.recursive.kinematics import calc_coordinates
from grouser.formulations.status import DONE
from grouser.formulations.tree import place_tree
from grouser.integrators.solvers import make_integrator
from grouser.kernels._jit import kernel
from grouser.kernels._packed import Packed
from grouser.kernels.copy import calc_copy
from grouser.kernels.joints.mobility import calc_coordinates_moved
from grouser.kernels.kinds import LEDGER_NUMERICAL
from grouser.kernels.view import Instant
from grouser.result.violation import JointRows

WAYS = ("augmented", "recursive", "embedded")


class Three:
    """A model three ways."""

    def __init__(self, model):
        self.compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
        self.solvers = {way: make_integrator(self.compiled, way, "trapezoidal") for way in WAYS}
        self.copy = copy_state

    def make_state(self, seed, size=0.1, speed=1.0):
        """A random state on which all joints hold."""
        rng = np.random.default_rng(seed)
        state = copy_state(self.compiled.initial)
        state.time[:] = rng.uniform(0.0, 1.0)
        length = 0.2 * np.ptp(state.x[1:], axis=0).max()
        state.x[1:] += size * length * rng.normal(size=state.x[1:].shape)
        turn = Rotation.from_rotvec(size * rng.normal(size=(len(state.x) - 1, 3))).as_matrix()
        state.R[1:] = state.R[1:] @ turn
        state.v[1:], state.w[1:] = speed * rng.normal(size=(2, *state.v[1:].shape))
        status, name = self.solvers["recursive"].advance(state, 0, 1e-3)
        assert status == DONE, name
        return state

    def solve(self, way, state):
        """What an evaluation at a state leaves behind."""
        solver, moved = self.solvers[way], copy_state(state)
        status, name = solver.advance(moved, 0, 1e-3)
        assert status == DONE, name
        names = ("a", "dw", "joint_force", "joint_moment", "supplied", "scalar_value")
        return SimpleNamespace(**{name: getattr(solver.work, name).copy() for name in names})


class Run:
    """A model with ideal joints, advanced by a formulation."""

    def __init__(self, model, *, formulation="embedded", integrator="trapezoidal", tolerance=1e-6, options=None):
        self.compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
        self.solver = make_integrator(self.compiled, formulation, integrator, tolerance, options=options)
        self.rows = JointRows(model)
        self.swing = float(self.compiled.tables.node.mass.sum()) * 9.81 * 0.1

    @property
    def embedded(self):
        return self.solver.tree.embedding.work

    def start(self, *, projected=False):
        """The initial state on its constraints; `projected`: brought there by a tree with cuts."""
        state = copy_state(self.compiled.initial)
        if projected:
            make_integrator(self.compiled, "recursive", "trapezoidal").advance(state, 0, 1.0)
        self.advance(state, 0, 1.0)
        return state

    def advance(self, state, step_count, step):
        """Advance a state in place."""
        status, name = self.solver.advance(state, step_count, step)
        assert status == DONE, f"status {status} at {name!r}, t = {state.time[0]} s"

    def follow(self, state, count, step_count, step):
        """Advance a state in place as often as `count` says; gives the gap after each time."""
        for _ in range(count):
            self.advance(state, step_count, step)
            yield self.calc_gap(state)

    def calc_gap(self, state):
        """Largest violation of any joint [m, rad]."""
        return self.rows.calc_gap(state.x, state.R)

    def calc_energy(self, state):
        """Kinetic energy, that of gravity, and that of the springs [J]; the state must be the last one evaluated."""
        body = self.compiled.tables.node
        x, v, w = state.x, state.v, state.w
        kinetic = 0.5 * np.einsum("i,ij,ij", body.mass, v, v) + 0.5 * np.einsum("ij,ijk,ik", w, body.inertia, w)
        return (
            kinetic - np.einsum("i,j,ij", body.mass, body.gravity, x) + self.solver.work.stored[:LEDGER_NUMERICAL].sum()
        )


@kernel(entry=True)
def place_bodies(tables, t, is_last, q_out, u_out, state_out, tree_work):
    """Bodies at coordinates and speeds of the tree."""
    instant = Instant(t, state_out.x, state_out.R, state_out.v, state_out.w, state_out.z)
    calc_copy(q_out, tree_work.q_new)
    found = place_tree(tables, is_last, False, 0.0, u_out, instant, tree_work)
    calc_copy(tree_work.q_new, q_out)
    return found


@kernel(entry=True)
def shift_coordinates(tree, move, q_out):
    """Coordinates after increments."""
    calc_coordinates_moved(tree, 1.0, q_out, move, q_out)


@kernel(entry=True)
def read_coordinates(tree, state, q_out, u_out, work):
    """Coordinates and speeds of a state."""
    calc_coordinates(tree, state.x, state.R, state.v, state.w, q_out, u_out, work)


class Placed:
    """A model whose tree is moved by hand."""

    def __init__(self, model, options=None):
        self.compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
        self.solver = make_integrator(self.compiled, "embedded", "trapezoidal", options=options)
        self.system = self.solver.tree
        self.tree, self.aggregate = self.system.tree, self.system.embedding.aggregate
        self.closed, self.embedded = self.system.embedding.closed, self.system.embedding.work
        self.packed = [Packed(self.compiled.tables), Packed(self.system)]  # as solvers hand them to the same stages
        self.speeds = len(self.system.tau)
        self.q, self.u = np.zeros_like(self.system.q), np.zeros(self.speeds)
        self.failed = ""
        self.reset()

    def reset(self):
        """Back to the initial state, at rest."""
        read_coordinates(self.tree, self.compiled.initial, self.q, self.u, self.system.work)
        self.u[:] = 0.0

    def place(self, t, *, is_checked=True):
        """Close all loops at a time; the state."""
        state = copy_state(self.compiled.initial)
        tables, system = self.packed
        found = place_bodies(tables, t, True, self.q, self.u, state, system)
        assert found == -1 or not is_checked
        self.failed = "" if found == -1 else name_entry(self.compiled, self.system, found)
        return state

    def shift(self, change):
        """Move coordinates by increments."""
        shift_coordinates(self.tree, change, self.q)

    def drift(self, q, t):
        """Velocities of all bodies with independent speeds zero: what motions do."""
        u, self.u[:] = self.u.copy(), 0.0
        self.q[:] = q
        state = self.place(t)
        self.u[:] = u
        return state.v

    def find_independent(self):
        """Independent speeds of the aggregates."""
        a, w = self.aggregate, self.embedded
        found = []
        for c, first in enumerate(a.speed_start[:-1]):
            found += a.speed[first + w.order[first + w.rank[c] : a.speed_start[c + 1]]].tolist()
        return found

    def find_speed(self, joint):
        """The speed of a joint with one."""
        return int(self.tree.v_start[self.tree.joint.tolist().index(self.compiled.layout.joints.index(joint))])

    def find_kappa(self, t):
        """kappa at the present state, by an evaluation of the solver."""
        state = self.place(t)
        state.time[:] = t
        status, name = self.solver.advance(state, 0, 1e-3)
        assert status == DONE, name
        return self.embedded.kappa.copy()
