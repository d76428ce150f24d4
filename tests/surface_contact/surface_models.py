"""Models in which surfaces touch, and what is measured of them."""

from __future__ import annotations

import math

import numpy as np

import grouser as gr
from grouser.compile.state import copy_state
from grouser.prepare import make_solver, prepare
from grouser.presets import find_preset

BLOCK = {"sides": (0.2, 0.2, 0.2), "counts": (3, 3, 3), "position": (-0.1, -0.1, -0.1)}
SOFT = {"type": "linear", "density": 1000.0, "young": 1e6, "poisson": 0.3, "dilatational": 1e-4, "deviatoric": 1e-4}
UNEVEN = 0.1


def make_floor(count=13, size=3.0, seed=0):
    """Geometry of an even floor of uneven triangles."""
    rng = np.random.default_rng(seed)
    s, t = np.meshgrid(*[np.linspace(-size, size, count)] * 2, indexing="ij")
    is_inner = (np.abs(s) < 0.97 * size) & (np.abs(t) < 0.97 * size)
    s, t = (a + UNEVEN * is_inner * rng.uniform(-1, 1, a.shape) for a in (s, t))
    number = np.arange(count * count).reshape(count, count)
    near, far = number[:-1, :-1].ravel(), number[1:, 1:].ravel()
    right, left = number[1:, :-1].ravel(), number[:-1, 1:].ravel()
    triangles = np.concatenate([np.stack([near, right, far], axis=1), np.stack([near, far, left], axis=1)])
    vertices = np.stack([s.ravel(), t.ravel(), 0.0 * s.ravel()], axis=1)
    return {"type": "polygons", "vertices": vertices.tolist(), "polygons": triangles.tolist()}


def make_turn(a, b):
    """Quaternion that turns the direction a to b."""
    a, b = np.array(a) / np.linalg.norm(a), np.array(b) / np.linalg.norm(b)
    axis = np.cross(a, b)
    size = np.linalg.norm(axis)
    half = 0.5 * math.atan2(size, a @ b)
    return (math.cos(half), *(math.sin(half) * axis / size)) if size > 0.0 else (1.0, 0.0, 0.0, 0.0)


def make_rigid_pair(friction=None, two_way=True):
    """A free block that strikes another, with friction; no gravity."""
    builder = gr.ModelBuilder("pair", gravity=(0, 0, 0))
    builder.add_body("lower", 5.0, (0.05, 0.05, 0.05))
    builder.add_surface("lower_surface", "lower", group="lower", geometry={"type": "box", "sides": [0.3, 0.3, 0.2]})
    motion = {"velocity": (0.5, 0.2, -3), "angular_velocity": (3, 2, 1)}
    builder.add_body("upper", 2.0, (0.02, 0.02, 0.03), position=(0.03, 0.02, 0.145), **motion)
    builder.add_surface("upper_surface", "upper", group="upper", geometry={"type": "box", "sides": [0.15, 0.3, 0.05]})
    law = {"stiffness": 1e7, "damping": 1e4, "per": "area", "two_way": two_way}
    builder.add_contact("between", "upper", "lower", **law, friction=friction)
    return builder.build()


def make_soft_pair(friction=None, two_way=True, velocity=(0.5, 0.2, -3)):
    """A plate that strikes a block of bricks; no gravity."""
    builder = gr.ModelBuilder("soft pair", gravity=(0, 0, 0))
    builder.add_mesh(
        "block", "block", sides=(0.2, 0.2, 0.2), counts=(3, 3, 3), material=SOFT, position=(-0.1, -0.1, -0.1)
    )
    builder.add_surface("block_surface", mesh="block", group="soft")
    motion = {"velocity": velocity, "angular_velocity": (3, 2, 1)}
    builder.add_body("plate", 2.0, (0.02, 0.02, 0.03), position=(0.03, 0.02, 0.145), **motion)
    builder.add_surface("plate_surface", "plate", group="plate", geometry={"type": "box", "sides": [0.15, 0.3, 0.05]})
    law = {"stiffness": 1e7, "damping": 1e4, "per": "area", "two_way": two_way}
    builder.add_contact("between", "plate", "soft", **law, friction=friction)
    return builder.build()


def make_soft_blocks(friction=None):
    """Two blocks of bricks that strike each other; no gravity."""
    builder = gr.ModelBuilder("soft blocks", gravity=(0, 0, 0))
    builder.add_mesh(
        "lower", "block", sides=(0.2, 0.2, 0.2), counts=(3, 3, 3), material=SOFT, position=(-0.1, -0.1, -0.1)
    )
    turn = {"orientation": make_turn((0, 0, 1), (0.2, 0.1, 1)), "velocity": (0.5, 0.2, -3)}
    builder.add_mesh(
        "upper", "block", sides=(0.2, 0.1, 0.2), counts=(2, 2, 2), material=SOFT, position=(-0.1, -0.05, 0.13), **turn
    )
    builder.add_surface("lower_surface", mesh="lower", group="lower")
    builder.add_surface("upper_surface", mesh="upper", group="upper")
    law = {"stiffness": 1e7, "damping": 1e4, "per": "area", "two_way": True}
    builder.add_contact("between", "upper", "lower", **law, friction=friction)
    return builder.build()


def make_run(model, preset="penalty", step=None, integrator=None):
    """Compiled model, solver, a state that is evaluated, and the stable step or the one given."""
    chosen = find_preset(preset) if integrator is None else find_preset(preset).with_integrator(integrator, None)
    compiled, stable = prepare(model, chosen)
    solver, state = make_solver(compiled, chosen, has_step=step is not None), copy_state(compiled.initial)
    step = step or stable.step
    assert solver.advance(state, 0, step)[0] == 0
    return compiled, solver, state, step


def calc_momenta(compiled, state):
    """Momentum, and angular momentum about the origin."""
    node = compiled.tables.node
    count = len(node.mass)
    p = node.mass[1:, None] * state.v[1:count]
    angular = np.cross(state.x[1:count], p).sum(axis=0)
    for i in range(1, len(node.inertia)):
        angular += state.R[i] @ (node.inertia[i] @ state.w[i])
    return p.sum(axis=0), angular


def calc_net_force(compiled, state, work):
    """Sum of the forces on all nodes, and of their moments about the origin, each beside its size."""
    count, frames = len(compiled.tables.node.mass), len(work.torque)
    f, x = work.f[1:count], state.x[1:count]
    moments = np.cross(x, f)
    net, moment = f.sum(axis=0), moments.sum(axis=0) + work.torque[1:frames].sum(axis=0)
    return np.abs(net).max() / np.abs(f).max(), np.abs(moment).max() / np.abs(f).max()
