"""Models without a kink: what measured orders and tolerances are measured on."""

from __future__ import annotations

import numpy as np

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal, Penalty
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder

SOFT = {damped: Penalty(k=500.0, c=10.0 if damped else 0.0, arm=0.5) for damped in (True, False)}
"""Joints by forces, soft enough to be smooth beside all steps that are measured."""


def make_top(damped=True):
    """A spinning top on a ball joint, without a damper: a free rotation, quaternions in every formulation."""
    builder = ModelBuilder("top")
    centre, spin = np.array([0.3, 0.0, 0.4]), np.array([1.0, 2.0, 9.0])
    builder.add_body("top", 2.0, (0.05, 0.06, 0.02), position=centre, velocity=np.cross(spin, centre),
                     angular_velocity=spin)  # fmt: skip
    builder.add_joint("tip", "spherical", "world", "top", point=(0.0, 0.0, 0.0))
    return builder.build()


def make_double(damped=True):
    """A double pendulum in space with a spring, a damper, a motor with a state of its own, and a force over time."""
    builder = ModelBuilder("double")
    builder.add_body("upper", 2.0, (0.1, 0.2, 0.2), position=(0.5, 0.0, 0.0))
    builder.add_body("lower", 1.0, (0.05, 0.06, 0.1), position=(1.0, 0.2, -0.4))
    builder.add_joint("hip", "revolute", "world", "upper", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    builder.add_joint("knee", "universal", "upper", "lower", point=(1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    builder.add_spring("spring", "world", "lower", point_a=(0.0, 0.0, -1.5), point_b=(1.0, 0.2, -0.4),
                       stiffness=30.0, damping=1.0 * damped)  # fmt: skip
    builder.add_actuator("motor", "hip", target="0.3*sin(3*t)", control="position", p=20.0, i=10.0, d=1.0 * damped)
    builder.add_force("wind", "lower", force=("2*sin(5*t)", 0.0, 0.0))
    return builder.build()


def make_loop(damped=True):
    """A crank and a rocker with a coupler: a closed loop of parallel pins, three of whose rows are redundant."""
    points = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.6], [1.3, 0.0, 1.1], [1.5, 0.0, 0.0]])
    builder = ModelBuilder("loop")
    bodies = ("crank", "coupler", "rocker")
    for i, name in enumerate(bodies):
        middle, length = 0.5 * (points[i] + points[i + 1]), np.linalg.norm(points[i + 1] - points[i])
        moment = length**2 / 12.0
        builder.add_body(name, 1.0 + 0.5 * i, (0.01 + moment, moment, 0.02), position=middle)
    ends = ["world", *bodies, "world"]
    for i, point in enumerate(points):
        builder.add_joint(f"pin{i}", "revolute", ends[i], ends[i + 1], point=point, axis=(0.0, 1.0, 0.0))
    if damped:
        builder.add_joint_spring("brake", "pin0", damping=3.0)
    return builder.build()


MODELS = {"top": make_top, "double": make_double, "loop": make_loop}
CASES = [
    ("explicit", "top"),
    ("explicit", "double"),
    *((formulation, model) for formulation in ("augmented", "recursive") for model in MODELS),
]
"""Every formulation with the models that it is measured on."""


class Run:
    """A model by a formulation and an integrator."""

    def __init__(self, formulation, model, integrator, tolerance=1e-6, damped=True, has_step=False):
        joint = SOFT[damped] if formulation == "explicit" else Ideal()
        self.compiled = compile_model(MODELS[model](damped), {"*": joint}, joint, ideal=formulation != "explicit")
        self.solver = make_integrator(self.compiled, formulation, integrator, tolerance, has_step=has_step)

    def find_end(self, duration, step_count=1, frames=1):
        """State after a time [s], by frames of so many steps each."""
        state = copy_state(self.compiled.initial)
        for _ in range(frames):
            status, body = self.solver.advance(state, step_count, duration / (step_count * frames))
            assert status == DONE, f"status {status} at {body!r}, t = {state.time[0]} s"
        return state


def calc_distance(one, other):
    """Largest difference of positions [m], rotations [-], velocities [m/s] and states of drives."""
    return max(np.abs(getattr(one, name) - getattr(other, name)).max(initial=0.0) for name in ("x", "R", "v", "z"))
