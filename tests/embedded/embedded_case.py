"""A model bound to all three ideal formulations, and entries into the compiled code of aggregates."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from scipy.spatial.transform import Rotation

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.advance import DONE
from grouser.integrators.solvers import make_integrator
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
        length = 0.2 * np.ptp(state.x[:-1], axis=0).max()
        state.x[:-1] += size * length * rng.normal(size=state.x[:-1].shape)
        turn = Rotation.from_rotvec(size * rng.normal(size=(len(state.x) - 1, 3))).as_matrix()
        state.R[:-1] = state.R[:-1] @ turn
        state.v[:-1], state.w[:-1] = speed * rng.normal(size=(2, *state.v[:-1].shape))
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

    def __init__(self, model, *, formulation="embedded", integrator="trapezoidal", tolerance=1e-6, **ways):
        self.compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
        self.solver = make_integrator(self.compiled, formulation, integrator, tolerance, **ways)
        self.rows = JointRows(model)
        self.swing = float(self.compiled.tables.body.mass.sum()) * 9.81 * 0.1

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

    def calc_gap(self, state):
        """Largest violation of any joint [m, rad]."""
        none = np.zeros_like(state.v)
        return float(np.abs(self.rows.calc_rows(state.x, state.R, state.v, state.w, none, none)[0]).max())

    def calc_energy(self, state):
        """Kinetic energy, that of gravity, and that of the springs [J]; the state must be the last one evaluated."""
        body = self.compiled.tables.body
        x, v, w = state.x[:-1], state.v[:-1], state.w[:-1]
        kinetic = 0.5 * np.einsum("i,ij,ij", body.mass, v, v) + 0.5 * np.einsum("ij,ijk,ik", w, body.inertia, w)
        return kinetic - np.einsum("i,j,ij", body.mass, body.gravity, x) + self.solver.work.stored.sum()
