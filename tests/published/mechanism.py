"""Solvers of ideal mechanisms, for what no result tells."""

from __future__ import annotations

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.solvers import make_integrator

IDEAL_FORMULATIONS = ("augmented", "recursive")
"""Formulations that hold ideal joints."""


class Mechanism:
    """A model with ideal joints, bound to a formulation, and its state."""

    def __init__(self, model, formulation):
        compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
        self.solver = make_integrator(compiled, formulation, "trapezoidal")
        self.state = copy_state(compiled.initial)
        self.advance(0, 1.0)  # brings it onto the constraints

    def advance(self, step_count, step):
        """Advance the state."""
        status, body = self.solver.advance(self.state, step_count, step)
        assert status == DONE, f"status {status} at body {body!r}, t = {self.state.time[0]} s"
