"""Cut joints and ideal motions: closed loops by a tree and a small dense system."""

from math import pi

import numpy as np
import pytest
from dense_multipliers import solve_dense
from loop_system import LoopSystem
from tree_system import System, make_inertia, make_quaternion

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.errors import UnsupportedError
from grouser.formulations.equations import make_equations
from grouser.formulations.tree_options import TreeOptions
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder
from grouser.simulate import simulate

ACCURACY = 1e-9


def make_polygon(count, *, base=None, axis=(0.0, 1.0, 0.0), kinds=None, seed=0):
    """A closed chain of links around a polygon, hung at its first corner on the world or on a floating base."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("polygon")
    if base is not None:
        builder.add_body("base", 20.0, (1.0, 2.0, 3.0), position=(0.3, 0.1, 0.4))
    angles = 2 * pi * np.arange(count) / count
    corners = np.column_stack([np.cos(angles), np.zeros(count), np.sin(angles)])
    for i in range(count):
        middle = 0.5 * (corners[i] + corners[(i + 1) % count])
        builder.add_body(f"link{i}", rng.uniform(0.5, 1.5), make_inertia(rng, 0.1), position=middle)
    kinds = kinds or ["revolute"] * count
    if base is not None:
        builder.add_joint("hook", "fixed", "base", "link0", point=corners[0], axis=axis)
    for i in range(count):
        free = axis if kinds[i] == "revolute" else rng.normal(size=3)
        builder.add_joint(f"pin{i}", kinds[i], f"link{i - 1}" if i else f"link{count - 1}", f"link{i}",
                          point=corners[i], axis=free, x_axis=rng.normal(size=3))  # fmt: skip
    if base is None:
        builder.add_joint("hook", "revolute", "world", "link0", point=corners[0], axis=axis)
    return builder.build()


def make_two_loops():
    """Two four-bars in a row that share a rocker: one cluster of two loops, in space because of spherical joints."""
    rng = np.random.default_rng(4)
    builder = ModelBuilder("two loops")
    points = {
        "a": (0, 0, 0),
        "b": (0.2, 0, 1),
        "c": (1.1, 0, 1.2),
        "d": (1, 0, 0),
        "e": (2.0, 0, 0.9),
        "f": (2.1, 0, 0),
    }
    p = {name: np.array(value, dtype=float) for name, value in points.items()}
    for name, ends in {"crank": "ab", "coupler": "bc", "rocker": "cd", "rod": "ce", "last": "ef"}.items():
        builder.add_body(
            name, 1.0, make_inertia(rng, 0.2), position=(p[ends[0]] + p[ends[1]]) / 2, orientation=make_quaternion(rng)
        )
    y = (0.0, 1.0, 0.0)
    builder.add_joint("a", "revolute", "world", "crank", point=p["a"], axis=y)
    builder.add_joint("b", "spherical", "crank", "coupler", point=p["b"])
    builder.add_joint("c", "spherical", "coupler", "rocker", point=p["c"])
    builder.add_joint("d", "revolute", "rocker", "world", point=p["d"], axis=y)
    builder.add_joint("c2", "universal", "rocker", "rod", point=p["c"], axis=(0, 0, 1), x_axis=(1, 0, 0))
    builder.add_joint("e", "spherical", "rod", "last", point=p["e"])
    builder.add_joint("f", "cylindrical", "world", "last", point=p["f"], axis=y)
    return builder.build()


LOOPS = {
    "four-bar": (make_polygon(4), 3),
    "ring on a base": (make_polygon(12, base="floating"), 3),
    "spatial": (make_polygon(6, kinds=["revolute", "spherical", "cylindrical", "universal", "revolute", "planar"]), 0),
    "two loops": (make_two_loops(), 0),
}
loops = pytest.mark.parametrize("name", LOOPS)


def make_moving(name, seed=1):
    """A loop away from its first position, moving, and loaded by random forces."""
    rng = np.random.default_rng(seed)
    system = LoopSystem(LOOPS[name][0])
    system.place(system.q + 0.1 * rng.normal(size=len(system.q)), rng.normal(size=system.speeds))
    assert system.close() < 1e-12
    system.f[1:], system.torque[1:] = rng.normal(size=(2, system.count, 3))
    return system


def calc_violation(system):
    """Largest violation of any joint, and of its rate, by the rows of the dense solve."""
    from dense_multipliers import calc_rows, calc_violations

    gap, rate = 0.0, 0.0
    for joint in system.model.joints.values():
        bodies = [system.layout.find_body(f.body) for f in (joint.frame_a, joint.frame_b)]
        poses = [(system.state.x[i], system.state.R[i]) for i in bodies]
        velocities = [np.concatenate([system.state.v[i], system.state.w[i]]) for i in bodies]
        coms = [system.layout.com[i] for i in bodies]
        gap = max(gap, np.abs(calc_violations(joint, *poses, *coms)).max(initial=0.0))
        G, _ = calc_rows(joint, poses, velocities, coms)
        rate = max(rate, np.abs(G @ np.concatenate(velocities)).max(initial=0.0))
    return gap, rate


@loops
def test_closure_holds_all_joints(name):
    system = make_moving(name)
    gap, rate = calc_violation(system)
    assert gap < 1e-11
    assert rate < 1e-11


@loops
def test_accelerations_agree_with_dense_multipliers(name):
    system = make_moving(name)
    system.solve()
    a, dw, _, _ = solve_dense(system)
    assert system.a[1:] == pytest.approx(a, rel=ACCURACY, abs=ACCURACY)
    assert system.dw[1:] == pytest.approx(dw, rel=ACCURACY, abs=ACCURACY)


@loops
def test_redundant_rows_are_counted(name):
    system = make_moving(name)
    system.solve()
    assert system.redundant.tolist() == [LOOPS[name][1]]


@pytest.mark.parametrize("name", ["spatial", "two loops"])
def test_reactions_agree_with_dense_multipliers(name):
    """Without redundant rows reactions are unique, at cut joints and at those of the tree."""
    system = make_moving(name)
    system.solve()
    _, _, dense_force, dense_moment = solve_dense(system)
    force, moment = system.find_reactions()
    assert force == pytest.approx(dense_force, rel=1e-8, abs=1e-8)
    assert moment == pytest.approx(dense_moment, rel=1e-8, abs=1e-8)


@loops
def test_reactions_balance_every_body(name):
    """m a = f + m g + reactions, and the same for moments, redundant rows or not."""
    system = make_moving(name)
    system.solve()
    force, moment = system.find_reactions()
    state, body = system.state, system.body
    net_force = system.f + body.mass[:, None] * body.gravity
    net_torque = system.torque.copy()
    for k, joint in enumerate(system.model.joints.values()):
        for frame, sign in ((joint.frame_b, 1.0), (joint.frame_a, -1.0)):
            i = system.layout.find_body(frame.body)
            b = system.layout.find_body(joint.frame_b.body)
            point = state.x[b] + state.R[b] @ (np.array(joint.frame_b.position) - system.layout.com[b])
            net_force[i] += sign * force[k]
            net_torque[i] += sign * (moment[k] + np.cross(point - state.x[i], force[k]))
    for i in range(1, system.count + 1):
        spin = body.inertia[i] @ state.w[i]
        rate = state.R[i] @ (body.inertia[i] @ system.dw[i] + np.cross(state.w[i], spin))
        assert net_force[i] == pytest.approx(body.mass[i] * system.a[i], abs=1e-9)
        assert net_torque[i] == pytest.approx(rate, abs=1e-9)


def test_where_the_loop_is_cut_does_not_matter():
    model = LOOPS["ring on a base"][0]
    results = []
    for cut in ("pin3", "pin6", "pin9"):
        system = LoopSystem(model, cuts=[cut])
        rng = np.random.default_rng(2)
        system.f[1:] = rng.normal(size=(system.count, 3))
        system.solve()
        results.append(np.hstack([system.a, system.dw]))
    assert results[0] == pytest.approx(results[1], abs=1e-9)
    assert results[0] == pytest.approx(results[2], abs=1e-9)


def test_users_cuts_reach_the_tree_and_are_checked():
    model = LOOPS["ring on a base"][0]
    compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
    for cut in ("pin3", "pin6"):
        tree = make_equations(compiled, "recursive", TreeOptions(cuts=(cut,))).tree
        assert [compiled.layout.joints[k] for k in tree.constraint.joint] == [cut]
    with pytest.raises(UnsupportedError, match="cuts: unknown joint 'pin'"):
        make_equations(compiled, "recursive", TreeOptions(cuts=("pin",)))


@loops
def test_energy_is_kept_and_loops_stay_closed(name):
    """Runge-Kutta with a projection after every step."""
    from test_tree import advance_runge_kutta

    system = make_moving(name)
    system.f[:], system.torque[:] = 0.0, 0.0
    before = system.calc_energy()
    for _ in range(100):
        advance_runge_kutta(system, 1e-3)
        assert system.close(tolerance=1e-10, tolerance_rate=1e-10) < 1e-10
    gap, rate = calc_violation(system)
    assert gap < 1e-9
    assert rate < 1e-8
    assert system.calc_energy() == pytest.approx(before, abs=1e-6 * max(1.0, abs(before)))


def test_closure_of_a_loop_that_was_closed_changes_nothing():
    system = make_moving("spatial")
    q, qd = system.q.copy(), system.qd.copy()
    system.close(1e-11, 1e-10)
    assert (system.q == q).all()
    assert (system.qd == qd).all()


def test_projection_of_velocities_is_the_least_change():
    """The change of velocities does no work on any motion that the loops allow: it is orthogonal to them in M."""
    rng = np.random.default_rng(8)
    system = make_moving("spatial")
    before = system.qd + rng.normal(size=system.speeds)
    system.place(qd=before)
    velocities = [np.hstack([system.state.v, system.state.w])]
    system.close()
    velocities.append(np.hstack([system.state.v, system.state.w]))
    change = velocities[1] - velocities[0]
    momenta = np.hstack([system.body.mass[:, None] * change[:, :3],
                         np.einsum("nij,nj->ni", system.body.inertia, change[:, 3:])])  # fmt: skip
    assert np.abs(change).max() > 0.1
    assert np.einsum("ni,ni", momenta, velocities[1]) == pytest.approx(0.0, abs=1e-10)


def test_ideal_motion_drives_a_chain():
    """The first link follows its law; its torque, put into the open tree, makes the same motion."""
    builder = ModelBuilder("driven")
    builder.add_body("one", 1.0, (0.1, 0.2, 0.3), position=(0.5, 0.0, 0.0))
    builder.add_body("two", 2.0, (0.1, 0.2, 0.3), position=(1.5, 0.0, 0.0))
    builder.add_joint("a", "revolute", "world", "one", point=(0, 0, 0), axis=(0, 1, 0))
    builder.add_joint("b", "revolute", "one", "two", point=(1, 0, 0), axis=(0, 1, 0))
    builder.add_motion("drive", "a", position="0.5*sin(2*t)")
    system = LoopSystem(builder.build())
    system.time = 0.4
    assert system.close() < 1e-12
    assert system.q[0] == pytest.approx(0.5 * np.sin(0.8), abs=1e-12)
    # derivatives of an expression are differences: good to some 1e-10, and second ones to 1e-6
    assert system.qd[0] == pytest.approx(np.cos(0.8), abs=1e-9)
    qdd = system.solve()
    assert qdd[0] == pytest.approx(-2.0 * np.sin(0.8), abs=1e-5)
    system.find_reactions()
    open_tree = System(system.model)
    open_tree.place(system.q, system.qd)
    open_tree.tau[:] = [system.effort[0, 0], 0.0]
    assert open_tree.solve() == pytest.approx(qdd, abs=1e-11)


@pytest.mark.parametrize("ratio", [1e-4, 1e-8, 1e-9, 1e-12])
def test_a_cut_between_light_brackets_holds_heavy_bodies(ratio):
    """The cut moves by next to nothing of what it would if the brackets were free: it holds all the same."""
    builder = ModelBuilder("brackets")
    builder.add_body("hull", 1e4, (1e4, 2e4, 2e4))
    builder.add_body("turret", 1e3, (1e3, 1e3, 1e3), position=(0.0, 0.0, 1.0))
    builder.add_joint("ball", "spherical", "hull", "turret", point=(0.0, 0.0, 1.0))
    for name, body in (("lower", "hull"), ("upper", "turret")):
        mass = 1e3 * ratio
        builder.add_body(name, mass, (1e-4 * mass,) * 3, position=(0.0, 0.0, 1.0))
        builder.add_joint(f"{name}-weld", "fixed", body, name)
    builder.add_joint("lock", "fixed", "lower", "upper", point=(0.0, 0.0, 1.0))
    compiled = compile_model(builder.build(), {"*": Ideal()}, Ideal(), ideal=True)
    solver = make_integrator(compiled, "recursive", "trapezoidal")
    solver.advance(copy_state(compiled.initial), 0, 1e-3)
    assert solver.find_freedom_count() == 6


def test_a_load_on_light_brackets_does_not_fall():
    """An arm of a ton on a hinge, held by a ball between two brackets of a milligram."""
    builder = ModelBuilder("brackets")
    builder.add_body("arm", 1e3, (1e3, 1e3, 1e3), position=(1.0, 0.0, 0.0))
    builder.add_body("base", 1e3, (1e3, 1e3, 1e3))
    builder.add_joint("ground", "fixed", "world", "base")
    builder.add_joint("hinge", "revolute", "base", "arm", axis=(0.0, 1.0, 0.0))
    for name, body in (("lower", "base"), ("upper", "arm")):
        builder.add_body(name, 1e-6, (1e-8, 1e-8, 1e-8), position=(0.3, 0.0, 0.3))
        builder.add_joint(f"{name}-weld", "fixed", body, name)
    builder.add_joint("lock", "spherical", "lower", "upper", point=(0.3, 0.0, 0.3))
    result = simulate(builder.build(), preset="recursive", duration=0.5)
    assert result["arm.position"][-1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    assert result.summary["constraint_violation"]["position"] < 1e-12
