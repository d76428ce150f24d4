"""A tree of bodies with all its tables and scratch, and models to try it on."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import tree_entries as entries

from grouser.compile.compile import make_layout
from grouser.compile.effective import make_nodes
from grouser.compile.state import make_state
from grouser.compile.topology import make_topology
from grouser.compile.tree import make_tree
from grouser.formulations.recursive.system import TreeSystem
from grouser.formulations.recursive.workspace import make_tree_work
from grouser.kernels._packed import Packed
from grouser.kernels.kinds import LEDGER_COUNT
from grouser.model.builder import ModelBuilder

Moved = namedtuple("Moved", ["f", "torque", "a", "dw"])
"""What a workspace has of the bodies: the forces on them, and their accelerations."""
KINDS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "free")


def find_joint_ends(model, layout):
    """Bodies of every joint as the topology wants them, free joints included."""
    return [(layout.find_body(j.frame_a.body), layout.find_body(j.frame_b.body)) for j in model.joints.values()]


class System:
    """A model as a tree, at coordinates q and speeds qd, with forces on its bodies."""

    def __init__(self, model, cuts=()):
        self.model, self.layout = model, make_layout(model)
        self.body = make_nodes(model, self.layout)
        self.topology = make_topology(self.body.mass, find_joint_ends(model, self.layout), cuts)
        self.tree = make_tree(model, self.layout, self.topology)
        self.work = make_tree_work(self.tree)
        self.state = make_state(
            model, self.layout, np.zeros(self.layout.state_count), ledger_count=LEDGER_COUNT, memory_count=0
        )
        self.count = len(self.layout.bodies)
        self.speeds = int(self.tree.v_start[-1])
        self.q, self.qd = np.zeros(self.tree.q_start[-1]), np.zeros(self.speeds)
        self.f, self.torque = np.zeros((self.count + 1, 3)), np.zeros((self.count + 1, 3))
        self.tau = np.zeros(self.speeds)
        self.drag = 0.0
        self.a, self.dw = np.zeros((self.count + 1, 3)), np.zeros((self.count + 1, 3))
        self.moved = Moved(self.f, self.torque, self.a, self.dw)
        self.bind()
        self.read()

    def bind(self, **loops):
        """Hand the tree to compiled code, with what it has of loops."""
        parts = {"tree": self.tree, "q_new": self.q, "tau": self.tau, "work": self.work, **loops}
        self.system = Packed(TreeSystem(**{name: parts.get(name) for name in TreeSystem._fields}))

    def read(self):
        entries.calc_coordinates(self.tree, self.state, self.q, self.qd, self.work)

    def place(self, q=None, qd=None):
        """Set coordinates and speeds, and move the bodies there."""
        self.q[:] = self.q if q is None else q
        self.qd[:] = self.qd if qd is None else qd
        entries.calc_kinematics(self.tree, self.q, self.qd, self.state, self.work)

    def solve(self):
        """Accelerations qdd; a and dw are kept."""
        qdd = np.zeros(self.speeds)
        entries.calc_articulated(self.body, self.state, self.drag, qdd, self.system, self.moved)
        return qdd

    def find_reactions(self):
        """Force and moment on side b of every joint at p_b, at the accelerations found by `solve`."""
        force, moment = np.zeros((len(self.layout.joints), 3)), np.zeros((len(self.layout.joints), 3))
        entries.calc_reactions(self.body, self.tree, self.state, self.a, self.dw, force, moment, self.work)
        return force, moment

    def randomize(self, rng, speed=1.0):
        """Random coordinates, speeds and forces on everything."""
        move = rng.normal(size=self.speeds)
        entries.calc_coordinates_moved(self.tree, 1.0, self.q.copy(), move, self.q)
        self.place(qd=speed * rng.normal(size=self.speeds))
        self.f[1:], self.torque[1:] = rng.normal(size=(2, self.count, 3))
        self.tau[:] = rng.normal(size=self.speeds)

    def calc_energy(self):
        """Kinetic and gravitational energy [J]."""
        v, w, x = self.state.v, self.state.w, self.state.x
        kinetic = 0.5 * np.einsum("n,ni,ni", self.body.mass, v, v)
        kinetic += 0.5 * np.einsum("ni,nij,nj", w, self.body.inertia, w)
        return kinetic - np.einsum("n,ni,i", self.body.mass, x, self.body.gravity)


def make_quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def make_inertia(rng, size=0.3):
    """Inertia of points in a box: one that a body can have."""
    points = size * rng.normal(size=(6, 3))
    points -= points.mean(axis=0)
    return np.einsum("nk,nk,ij->ij", points, points, np.eye(3)) - points.T @ points


def make_random_model(rng, kinds, *, base="world"):
    """A random tree with one joint of each of the kinds; half of them the other way round.

    `base` is the world, or "floating": a first body that is free.
    """
    builder = ModelBuilder("random")
    names = ["world"]
    if base == "floating":
        builder.add_body("base", 5.0, make_inertia(rng), position=rng.normal(size=3), orientation=make_quaternion(rng))
        names = ["base"]
    for i, kind in enumerate(kinds):
        name = f"body{i}"
        builder.add_body(
            name,
            rng.uniform(0.5, 3.0),
            make_inertia(rng),
            com=0.2 * rng.normal(size=3),
            position=rng.normal(size=3),
            orientation=make_quaternion(rng),
        )
        ends = [names[max(0, len(names) - rng.integers(1, 4))], name]
        if rng.random() < 0.5:
            ends.reverse()
        builder.add_joint(
            f"joint{i}", kind, *ends, point=rng.normal(size=3), axis=rng.normal(size=3), x_axis=rng.normal(size=3)
        )
        names.append(name)
    return builder.build()


def make_chain(count, *, axis=(0.0, 1.0, 0.0), mass=1.0, length=0.5, inertia=(0.02, 0.03, 0.025), kind="revolute"):
    """A chain of equal bodies from the world, stretched along x; centres in the middle."""
    builder = ModelBuilder("chain")
    before = "world"
    for i in range(count):
        name = f"link{i}"
        builder.add_body(name, mass, inertia, position=((i + 0.5) * length, 0, 0))
        builder.add_joint(f"pin{i}", kind, before, name, point=(i * length, 0, 0), axis=axis)
        before = name
    return builder.build()
