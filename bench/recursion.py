"""Cost of the recursion along a tree: an open chain of revolutes, and a closed one (a track) on a floating body.

    python bench/recursion.py            64 links, and how it grows
    python bench/recursion.py --links N

One core, after compiling; the least of several repeats. Pinocchio's articulated-body algorithm on the same chain is
shown where it is installed.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np

from grouser.compile.compile import compile_model
from grouser.compile.cuts import make_cuts
from grouser.compile.realization import Ideal
from grouser.compile.topology import make_topology
from grouser.compile.tree import make_tree
from grouser.formulations.recursive.articulated import calc_articulated, calc_factors, solve_response
from grouser.formulations.recursive.cuts import calc_closed, solve_closure
from grouser.formulations.recursive.kinematics import calc_coordinates, calc_kinematics
from grouser.formulations.recursive.newton_euler import calc_joint_wrenches, calc_tree_reactions
from grouser.formulations.recursive.workspace import make_cut_work, make_tree_work
from grouser.kernels._jit import kernel
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model

REPEATS, CALLS = 20, 300
KINEMATICS, READ, FACTORS, RESPONSE, ARTICULATED, REACTIONS, CLOSED, CLOSURE = 1, 2, 4, 8, 16, 32, 64, 128


@kernel(entry=True)
def run_calls(count, parts, body, tree, cuts, state, q, qd, a, dw, none, work, cut_work):
    """`count` calls of the parts that are wanted."""
    constraint, cut, scalar, signal = cuts
    x, R, v, w = state.x, state.R, state.v, state.w
    for _ in range(count):
        if parts & KINEMATICS:
            calc_kinematics(tree, q, qd, x, R, v, w, work)
        if parts & READ:
            calc_coordinates(tree, x, R, v, w, q, qd, work)
        if parts & FACTORS:
            calc_factors(body, tree, x, R, none[1], none[0], work)
        if parts & RESPONSE:
            solve_response(tree, work.wrench, none[2], none[3], work.response, work)
        if parts & ARTICULATED:
            calc_articulated(
                body, tree, x, R, v, w, none[4], none[4], none[2], 0.0, none[1], none[0], none[3], a, dw, work
            )
        if parts & REACTIONS:
            calc_joint_wrenches(body, tree, R, a, dw, none[1], work)
            calc_tree_reactions(tree, x, R, none[4], none[4], work)
        if parts & CLOSED:
            calc_closed(
                body, tree, constraint, cut, scalar, signal, 0.0, x, R, v, w, state.z, none[4], none[4], none[2], 0.0,
                none[1], none[0], none[3], a, dw, work, cut_work,
            )  # fmt: skip
        if parts & CLOSURE:
            q[q.shape[0] - 1] += 1e-8
            solve_closure(
                body, tree, constraint, cut, scalar, signal, 0.0, state.z, 1e-10, 1e-8, 0.0, none[1], none[0], q, qd, x,
                R, v, w, work, cut_work,
            )  # fmt: skip


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


def prepare(model: Model, seed: int = 0) -> Callable[[int], float]:
    """A function that gives the time of the parts, in microseconds."""
    compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
    layout, tables, state = compiled.layout, compiled.tables, compiled.initial
    ends = [(layout.find_body(j.frame_a.body), layout.find_body(j.frame_b.body)) for j in model.joints.values()]
    tree = make_tree(model, layout, make_topology(tables.body.mass, ends))
    constraint, cut = make_cuts(tables.constraint, tree)
    work, cut_work = make_tree_work(tree), make_cut_work(tree, constraint, cut)
    rows, speeds = len(layout.bodies) + 1, int(tree.v_start[-1])
    q, qd = np.zeros(tree.q_start[-1]), np.zeros(speeds)
    a, dw = np.zeros((rows, 3)), np.zeros((rows, 3))
    none = (np.zeros(0), np.zeros((0, 6, 6)), np.zeros(speeds), np.zeros(speeds), np.zeros((rows, 3)))
    inputs = (tables.body, tree, (constraint, cut, tables.scalar, tables.signal), state)

    def measure(parts: int, calls: int = CALLS) -> float:
        start = time.perf_counter()
        run_calls(calls, parts, *inputs, q, qd, a, dw, none, work, cut_work)
        return 1e6 * (time.perf_counter() - start) / calls

    measure(READ, 1)
    if len(constraint.joint) == 0:
        rng = np.random.default_rng(seed)
        q[:], qd[:] = 0.3 * rng.normal(size=len(q)), rng.normal(size=speeds)
    measure(KINEMATICS | ARTICULATED, 1)
    return lambda parts: min(measure(parts) for _ in range(REPEATS))


def measure_pinocchio(count: int) -> float | None:
    """Time of Pinocchio's `aba` on an open chain, in microseconds."""
    try:
        import pinocchio
    except ImportError:
        return None
    model = pinocchio.Model()
    before = 0
    for i in range(count):
        place = pinocchio.SE3(np.eye(3), np.array([0.15 if i else 0.0, 0.0, 0.0]))
        before = model.addJoint(before, pinocchio.JointModelRY(), place, f"pin{i}")
        inertia = pinocchio.Inertia(8.0, np.array([0.07, 0.0, 0.0]), np.diag([0.02, 0.03, 0.04]))
        model.appendBodyToJoint(before, inertia, pinocchio.SE3.Identity())
    data, values = model.createData(), 0.3 * np.random.default_rng(0).normal(size=(3, count))
    best = math.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(CALLS):
            pinocchio.aba(model, data, *values)
        best = min(best, 1e6 * (time.perf_counter() - start) / CALLS)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=64)
    count = parser.parse_args().links
    measure = prepare(make_chain(count))
    print(f"open chain of {count} revolutes [us]")
    parts = {
        "coordinates to state": KINEMATICS,
        "state to coordinates": READ,
        "factors": FACTORS,
        "response to a right-hand side": RESPONSE,
        "accelerations": ARTICULATED,
        "kinematics and accelerations": KINEMATICS | ARTICULATED,
        "reactions": REACTIONS,
    }
    for name, part in parts.items():
        print(f"  {name:32s} {measure(part):7.2f}")
    other = measure_pinocchio(count)
    if other is not None:
        print(f"  {'Pinocchio, kinematics and aba':32s} {other:7.2f}")
    measure = prepare(make_track(count))
    print(f"closed ring of {count} links on a floating body [us]")
    print(f"  {'accelerations':32s} {measure(CLOSED):7.2f}")
    print(f"  {'closing it, 1e-8 rad off':32s} {measure(CLOSURE):7.2f}")
    for more in (2 * count, 4 * count):
        both = (prepare(make_chain(more))(KINEMATICS | ARTICULATED), prepare(make_track(more))(CLOSED))
        print(f"{more} links: chain {both[0]:.2f}, ring {both[1]:.2f} us")


if __name__ == "__main__":
    main()
