"""Runs of ideal mechanisms by each formulation."""

from __future__ import annotations

import numpy as np

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.advance import DONE
from grouser.integrators.solvers import make_integrator

IDEAL_FORMULATIONS = ("augmented", "recursive", "embedded")
"""Formulations that hold ideal joints."""


class Mechanism:
    """A model with ideal joints, bound to a formulation."""

    def __init__(self, model, formulation, *, realization=None, integrator="trapezoidal", tolerance=1e-6):
        joint = realization or Ideal()
        self.compiled = compile_model(model, {"*": joint}, joint, ideal=formulation != "explicit")
        self.solver = make_integrator(self.compiled, formulation, integrator, tolerance)
        self.model = model

    def start(self):
        """The initial state, brought onto the constraints."""
        state = copy_state(self.compiled.initial)
        self.advance(state, 0, 1.0)
        return state

    def advance(self, state, step_count, step):
        """Advance a state in place."""
        status, body = self.solver.advance(state, step_count, step)
        assert status == DONE, f"status {status} at body {body!r}, t = {state.time[0]} s"

    def run(self, duration, step_count):
        """The state after a time."""
        state = self.start()
        self.advance(state, step_count, duration / step_count)
        return state

    def find_point(self, state, body, point):
        """Where a point fixed on a body, given in its frame [m], is in the world."""
        i = self.compiled.layout.find_body(body)
        return state.x[i] + state.R[i] @ (np.asarray(point) - self.compiled.layout.com[i])

    def calc_energy(self, state):
        """Kinetic energy and that of gravity [J]."""
        body = self.compiled.tables.body
        x, v, w = state.x[:-1], state.v[:-1], state.w[:-1]
        kinetic = 0.5 * np.einsum("i,ij,ij", body.mass, v, v) + 0.5 * np.einsum("ij,ijk,ik", w, body.inertia, w)
        return kinetic - np.einsum("i,j,ij", body.mass, np.array(self.model.gravity), x)


def extrapolate(coarse, fine):
    """Richardson: the value at step zero of a second-order result, from those of steps h and h/2."""
    return fine + (fine - coarse) / 3.0
