"""Small models with friction in a joint, and the law of S0 as it is printed."""

from __future__ import annotations

import math

import numpy as np

import grouser as gr
from grouser.presets import find_preset

GRAVITY = 9.81
WAYS = (
    ("penalty", "trapezoidal"),
    ("penalty", "leapfrog"),
    ("penalty", "euler"),
    ("penalty", "rk4"),
    ("penalty", "adams"),
    ("implicit", "sdirk"),
    ("implicit", "implicit-euler"),
    ("implicit", "implicit-extrapolated"),
    ("implicit", "generalised-alpha"),
    ("constrained", "trapezoidal"),
    ("constrained", "implicit-euler"),
    ("recursive", "trapezoidal"),
    ("recursive", "leapfrog"),
    ("recursive", "adams"),
    ("embedded", "trapezoidal"),
    ("embedded", "rk4"),
)


def find_way(preset, integrator):
    return find_preset(preset).with_integrator(integrator)


def make_block(slope=0.0, *, mass=10.0, speed=0.0, gravity=GRAVITY, pull=None, **friction):
    """A block on a guide that falls with a slope (tangent), by itself or pulled along it by a force."""
    angle = math.atan(slope)
    along = (math.cos(angle), 0.0, -math.sin(angle))
    builder = gr.ModelBuilder("block", gravity=(0.0, 0.0, -gravity))
    builder.add_body("block", mass, (1.0, 1.0, 1.0), velocity=tuple(speed * a for a in along))
    builder.add_joint("guide", "prismatic", "world", "block", axis=along)
    builder.add_joint_friction("friction", "guide", **friction)
    if pull is not None:
        builder.add_actuator("pull", "guide", **pull)
    return builder.build()


def make_pendulum(angle, *, mass=2.0, length=0.8, inertia=0.1, **friction):
    """A body that hangs on a pin, and begins at an angle [rad]."""
    builder = gr.ModelBuilder("pendulum")
    place = (-length * math.sin(angle), 0.0, -length * math.cos(angle))
    builder.add_body("bob", mass, (inertia, inertia, inertia), position=place)
    builder.add_joint("pin", "revolute", "world", "bob", axis=(0.0, 1.0, 0.0))
    builder.add_joint_friction("friction", "pin", **friction)
    return builder.build()


def calc_printed(mass, pull, limit, stiffness, speed, duration, step=1e-6, every=1000):
    """Displacement of a mass that a force pull(t, q, v) moves against friction, by the law of S0 as it is printed: the
    anchor is moved where the trial force is cut. Semi-implicit Euler steps, of which every so many are kept."""
    q = v = s = 0.0
    found = [0.0]
    for i in range(round(duration / step)):
        coulomb = limit * min(max(v / speed, -1.0), 1.0)
        trial = stiffness * s + coulomb
        force = -min(max(trial, -limit), limit)
        s = (-force - coulomb) / stiffness
        v += step * (pull(i * step, q, v) + force) / mass
        q, s = q + step * v, s + step * v
        if (i + 1) % every == 0:
            found.append(q)
    return np.array(found)
