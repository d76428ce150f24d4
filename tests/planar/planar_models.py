"""Models that move in the x-z plane, and random states of them."""

from __future__ import annotations

import numpy as np

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder

AXIS = (0.0, 1.0, 0.0)


def make_track(links=12, planar=True, radius=0.5):
    """A closed chain that floats, links turned in all ways at the start, beside a hull with a wheel on a slide."""
    rng = np.random.default_rng(links)
    builder = ModelBuilder("track")
    angle = 2 * np.pi * np.arange(links + 1) / links
    pins = radius * np.column_stack([np.cos(angle), np.zeros(links + 1), np.sin(angle)])
    for i in range(links):
        middle = 0.5 * (pins[i] + pins[i + 1])
        turned = rng.uniform(-3, 3)
        builder.add_body(
            f"link{i}", 5.0 + i, (0.05, 0.02 + 0.06 * i / links, 0.06), position=middle + np.array([0.01, 0.0, 0.02]),
            orientation=(np.cos(turned / 2), 0.0, np.sin(turned / 2), 0.0),
        )  # fmt: skip
    for i in range(links):
        axis = AXIS if i % 3 else (0.0, -1.0, 0.0)
        builder.add_joint(
            f"pin{i}", "revolute", f"link{i}", f"link{(i + 1) % links}", point=pins[i + 1], axis=axis, group="pins"
        )
    builder.add_body("hull", 200.0, (10.0, 20.0, 25.0), position=(0.0, 0.0, 0.1))
    builder.add_body("arm", 8.0, (0.2, 0.3, 0.2), position=(0.2, 0.0, 0.0))
    builder.add_body("wheel", 12.0, (0.2, 0.3, 0.2), position=(0.3, 0.0, 0.05))
    builder.add_body("plate", 3.0, (0.1, 0.1, 0.1), position=(-0.2, 0.0, 0.3))
    builder.add_joint("slide", "prismatic", "hull", "arm", point=(0.2, 0.0, 0.0), axis=(0.8, 0.0, 0.6))
    builder.add_joint("hub", "revolute", "arm", "wheel", point=(0.3, 0.0, 0.05), axis=AXIS)
    builder.add_joint("weld", "fixed", "hull", "plate", point=(-0.2, 0.0, 0.3))
    builder.add_motion("drive", "hub", speed="2 + sin(t)")
    builder.add_spring("tie", "hull", "link0", point_a=(0, 0, 0), point_b=(0.4, 0, 0.1), stiffness=1e3, damping=20.0)
    if planar:
        builder.set_planar()
    return builder.build()


class Way:
    """A model, solved by a formulation with ideal joints and motions."""

    def __init__(self, model, formulation, integrator="trapezoidal"):
        self.compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
        self.solver = make_integrator(self.compiled, formulation, integrator)

    def evaluate(self, state):
        """Accelerations, and forces of joints, at a state that is brought onto the constraints first."""
        state = copy_state(state)
        self.solver.advance(state, 0, 1e-4)
        work = self.solver.work
        return state, work.a[1:].copy(), work.dw[1:].copy(), work.joint_force.copy(), work.joint_moment.copy()


def make_random_state(way, seed, speed=3.0):
    """A state in which every body was turned and pushed in the plane, then brought onto the constraints."""
    rng = np.random.default_rng(seed)
    state = copy_state(way.compiled.initial)
    for i in range(1, len(state.x)):
        a = rng.normal(scale=0.15)
        turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        state.R[i] = turn @ state.R[i]
        state.x[i, [0, 2]] += rng.normal(scale=0.02, size=2)
        state.v[i, [0, 2]] = rng.normal(scale=speed, size=2)
        state.w[i] = rng.normal(scale=speed) * state.R[i].T @ [0.0, 1.0, 0.0]
    way.solver.advance(state, 0, 1e-4)
    return state


def make_cart(planar=True):
    """A hull on two wheels in line, which nothing but the plane keeps from falling over sideways.

    An arm hangs on a pin; its axes are turned in all ways at the start. The rear wheel is driven; the front one is on a
    spring.
    """
    builder = ModelBuilder("cart")
    tilted = np.array([0.3, -0.5, 0.7, 0.2])
    builder.add_body("hull", 80.0, (3.0, 4.0, 3.5), position=(0.0, 0.0, 0.5))
    builder.add_body("arm", 5.0, (0.2, 0.2, 0.2), position=(0.1, 0.0, 0.9), orientation=tilted / np.linalg.norm(tilted))
    builder.add_joint("pin", "revolute", "hull", "arm", point=(0.1, 0.0, 0.7), axis=AXIS, group="pins")
    builder.add_body("axle", 4.0, (0.1, 0.1, 0.1), position=(0.4, 0.0, 0.2))
    builder.add_joint("slide", "prismatic", "hull", "axle", point=(0.4, 0.0, 0.3), axis=(0.28, 0.0, 0.96), group="pins")
    builder.add_joint_spring("leg", "slide", stiffness=2e4, damping=800.0)
    for name, carrier, x in (("rear", "hull", -0.4), ("front", "axle", 0.4)):
        builder.add_body(name, 6.0, (0.1, 0.15, 0.1), position=(x, 0.0, 0.2),
                         orientation=(np.cos(x), 0.0, np.sin(x), 0.0))  # fmt: skip
        builder.add_joint(f"{name}-hub", "revolute", carrier, name, point=(x, 0.0, 0.2), axis=AXIS, group="pins")
        builder.add_shape(f"{name}-rim", "wheel", name, group="rims", radius=0.2, axis=AXIS)
    builder.add_contact("ground", "rims", "terrain", stiffness=5e4, damping=500.0,
                        friction={"mu": 0.6, "velocity": 0.05})  # fmt: skip
    builder.set_terrain({"type": "plane"})
    builder.add_motion("drive", "rear-hub", speed="2 + sin(3*t)")
    if planar:
        builder.set_planar()
    return builder.build()
