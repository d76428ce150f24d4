"""Cost of the recursion along a tree: an open chain of revolutes, a closed one (a track) on a floating body, and steps
of the preset `recursive` with which whole vehicles drive.

    python bench/recursion.py            64 links, and how it grows from 32 to 1024
    python bench/recursion.py --links N

One core, after compiling; the least of several repeats, for steps the median. `bench/peers.py` has the open chain
beside another program.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from tracks import fit_exponent, measure_growth

from grouser.compile.compile import compile_model
from grouser.compile.cuts import make_cuts
from grouser.compile.realization import Ideal
from grouser.compile.topology import make_topology
from grouser.compile.tree import make_tree
from grouser.formulations.recursive.articulated import calc_articulated, calc_factors, solve_response
from grouser.formulations.recursive.cuts import calc_closed, solve_closure
from grouser.formulations.recursive.kinematics import calc_coordinates, calc_kinematics
from grouser.formulations.recursive.newton_euler import calc_joint_wrenches, calc_tree_reactions
from grouser.formulations.recursive.system import make_system_of_tree
from grouser.formulations.workspace import make_workspace
from grouser.kernels._jit import kernel
from grouser.kernels._packed import Packed
from grouser.kernels.view import Instant
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model

REPEATS, CALLS = 20, 300
COUNTS = (32, 64, 128, 256, 512, 1024)
STEPS = 50
KINEMATICS, READ, FACTORS, RESPONSE, ARTICULATED, REACTIONS, CLOSED, CLOSURE = 1, 2, 4, 8, 16, 32, 64, 128
PASS = KINEMATICS | ARTICULATED
"""From coordinates and speeds to accelerations."""


@kernel(entry=True)
def run_open(count, parts, tables, state, qd, qdd, system, work):
    """`count` calls of the wanted parts that need no cut."""
    x, R, v, w = state.x, state.R, state.v, state.w
    body, tree, q, tau, scratch = tables.node, system.tree, system.q_new, system.tau, system.work
    for _ in range(count):
        if parts & KINEMATICS:
            calc_kinematics(tree, q, qd, x, R, v, w, scratch)
        if parts & READ:
            calc_coordinates(tree, x, R, v, w, q, qd, scratch)
        if parts & FACTORS:
            calc_factors(body, tree, x, R, scratch)
        if parts & RESPONSE:
            solve_response(tree, scratch.wrench, tau, qdd, scratch.response, scratch)
        if parts & ARTICULATED:
            calc_articulated(body, Instant(0.0, x, R, v, w, state.z), 0.0, qdd, system, work)
        if parts & REACTIONS:
            calc_joint_wrenches(body, tree, R, work.a, work.dw, scratch)
            calc_tree_reactions(tree, x, R, work.joint_force, work.joint_moment, scratch)


@kernel(entry=True)
def run_closed(count, parts, tables, state, qd, qdd, system, work):
    """`count` calls of the wanted parts that need cuts."""
    instant, q = Instant(0.0, state.x, state.R, state.v, state.w, state.z), system.q_new
    for _ in range(count):
        if parts & CLOSED:
            calc_closed(tables, instant, 0.0, qdd, system, work)
        if parts & CLOSURE:
            q[q.shape[0] - 1] += 1e-8
            solve_closure(tables, count > 0, 1e-10, 1e-8, 0.0, qd, instant, system, None, system.space)


class Passes:
    """The recursion over a model whose joints are all ideal; an open one stands at random coordinates and speeds.

    Attributes
    ----------
    body, tree, system : tables, and the tree with its cuts and scratch
    q, qd, qdd : coordinates, speeds and the accelerations that were found last
    """

    def __init__(self, model: Model, seed: int = 0) -> None:
        compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
        layout, tables = compiled.layout, compiled.tables
        ends = [(layout.find_body(j.frame_a.body), layout.find_body(j.frame_b.body)) for j in model.joints.values()]
        self.body, self.state = tables.node, compiled.initial
        self.tree = make_tree(model, layout, make_topology(tables.node.mass, ends))
        constraint, cut = make_cuts(tables.constraint, self.tree)
        self.system = make_system_of_tree(compiled, self.tree, constraint, cut=cut)
        speeds = int(self.tree.v_start[-1])
        self.q, self.qd, self.qdd = self.system.q_new, np.zeros(speeds), np.zeros(speeds)
        self._tables, self._system = Packed(tables), Packed(self.system)
        self._work = Packed(make_workspace(compiled, speeds))
        self.run(READ)
        if len(constraint.joint) == 0:
            rng = np.random.default_rng(seed)
            self.q[:], self.qd[:] = 0.3 * rng.normal(size=len(self.q)), rng.normal(size=speeds)
        self.run(PASS)

    def run(self, parts: int, calls: int = 1) -> float:
        """CPU time of one call of the parts, as a mean over some [us]."""
        run = run_closed if parts & (CLOSED | CLOSURE) else run_open
        began = time.thread_time()
        run(calls, parts, self._tables, self.state, self.qd, self.qdd, self._system, self._work)
        return 1e6 * (time.thread_time() - began) / calls

    def measure(self, parts: int) -> float:
        """Least CPU time of the parts over the repeats [us]."""
        self.run(parts)  # compiles
        return min(self.run(parts, CALLS) for _ in range(REPEATS))


def make_chain(count: int) -> Model:
    """An open chain from the world."""
    builder = ModelBuilder("chain")
    before = "world"
    for i in range(count):
        builder.add_body(f"link{i}", 8.0, (0.02, 0.03, 0.04), position=(0.15 * i + 0.07, 0.0, 0.0))
        builder.add_joint(f"pin{i}", "revolute", before, f"link{i}", point=(0.15 * i, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
        before = f"link{i}"
    return builder.build()


def make_track(count: int) -> Model:
    """A ring of links, one of them fixed to a floating body."""
    builder = ModelBuilder("ring")
    radius = 0.15 * count / (2 * math.pi)
    angles = 2 * math.pi * np.arange(count + 1) / count
    corners = radius * np.column_stack([np.cos(angles), np.zeros(count + 1), np.sin(angles)])
    builder.add_body("hull", 5000.0, (2000.0, 5000.0, 6000.0))
    for i in range(count):
        builder.add_body(f"link{i}", 8.0, (0.02, 0.03, 0.04), position=(corners[i] + corners[i + 1]) / 2)
    builder.add_joint("hook", "fixed", "hull", "link0")
    for i in range(count):
        ends = (f"link{(i - 1) % count}", f"link{i}")
        builder.add_joint(f"pin{i}", "revolute", *ends, point=corners[i], axis=(0.0, 1.0, 0.0))
    return builder.build()


def main() -> None:
    """Print all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=64)
    count = parser.parse_args().links
    chain = Passes(make_chain(count))
    print(f"open chain of {count} revolutes [us]")
    parts = {
        "coordinates to state": KINEMATICS,
        "state to coordinates": READ,
        "factors": FACTORS,
        "response to a right-hand side": RESPONSE,
        "accelerations": ARTICULATED,
        "kinematics and accelerations": PASS,
        "reactions": REACTIONS,
    }
    for name, part in parts.items():
        print(f"  {name:32s} {chain.measure(part):7.2f}")
    ring = Passes(make_track(count))
    print(f"closed ring of {count} links on a floating body [us]")
    print(f"  {'accelerations':32s} {ring.measure(CLOSED):7.2f}")
    print(f"  {'closing it, 1e-8 rad off':32s} {ring.measure(CLOSURE):7.2f}")
    for name, make, part in (("open chain", make_chain, PASS), ("closed ring", make_track, CLOSED)):
        costs = [Passes(make(links)).measure(part) for links in COUNTS]
        for links, cost in zip(COUNTS, costs, strict=True):
            print(f"{name:12s} {links:4d} links         {cost:8.2f} us")
        print(f"{name:12s} cost grows as links^{fit_exponent(COUNTS, costs):.2f}")
    measure_growth("recursive", STEPS, COUNTS)


if __name__ == "__main__":
    main()
