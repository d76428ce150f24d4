"""Multipliers: order, energy, redundant rows, and the same accelerations as the recursion."""

import numpy as np
import pytest

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder

ANGLES = np.array([0.3, 1.1, 1.9, 2.9, 4.0, 5.2])


def make_pendulum():
    builder = ModelBuilder("pendulum")
    builder.add_body("rod", 2.0, (0.01, 0.2, 0.2), position=(0.5, 0.0, 0.0))
    builder.add_joint("pin", "revolute", "world", "rod", point=(0, 0, 0), axis=(0, 1, 0))
    return builder.build()


def make_ring(hull=True):
    """A closed chain of six links with parallel pins, one of them pinned to a floating hull: three redundant rows."""
    corners = np.column_stack([np.cos(ANGLES), np.zeros(6), np.sin(ANGLES)])
    builder = ModelBuilder("ring")
    for i in range(6):
        middle = 0.5 * (corners[i] + corners[(i + 1) % 6])
        builder.add_body(f"link{i}", 3.0 + i, (0.3, 0.4, 0.5), position=middle)
    for i in range(6):
        ends = f"link{i}", f"link{(i + 1) % 6}"
        builder.add_joint(f"pin{i}", "revolute", *ends, point=corners[(i + 1) % 6], axis=(0, 1, 0))
    if hull:
        builder.add_body("hull", 50.0, (5.0, 9.0, 7.0), angular_velocity=(0.3, 0.2, -0.1))
        builder.add_joint("ball", "spherical", "hull", "link0", point=corners[0], axis=(0, 1, 0))
    return builder.build()


def make_state(model, formulation, integrator="trapezoidal"):
    compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
    return compiled, make_integrator(compiled, formulation, integrator), copy_state(compiled.initial)


def calc_energy(compiled, state):
    body = compiled.tables.node
    v, w, x = state.v, state.w, state.x
    kinetic = 0.5 * body.mass @ np.einsum("ni,ni->n", v, v) + 0.5 * np.einsum("ni,nij,nj->", w, body.inertia, w)
    return kinetic - body.mass @ (x @ body.gravity)


@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
def test_the_euler_scheme_keeps_energy_over_ten_seconds(formulation):
    """The scheme is symplectic: its energy swings by the order of the step and does not drift."""
    compiled, solver, state = make_state(make_pendulum(), formulation, "euler")
    solver.advance(state, 0, 1e-3)
    start = calc_energy(compiled, state)
    errors = []
    for _ in range(100):
        assert solver.advance(state, 100, 1e-3)[0] == DONE
        errors.append(calc_energy(compiled, state) - start)
    size = 2.0 * 9.81 * 0.5
    assert np.abs(errors).max() < 5e-3 * size
    assert abs(np.mean(errors[-20:]) - np.mean(errors[:20])) < 1e-3 * size


@pytest.mark.parametrize("formulation", ["augmented", "recursive"])
@pytest.mark.parametrize(("integrator", "order"), [("trapezoidal", 2), ("euler", 1)])
def test_order_of_the_pendulum(formulation, integrator, order):
    ends = []
    for count in (500, 1000, 2000, 4000):
        _, solver, state = make_state(make_pendulum(), formulation, integrator)
        solver.advance(state, count, 1.0 / count)
        ends.append(state.x[1].copy())
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:2]]
    steps = [np.linalg.norm(ends[i + 1] - ends[i]) for i in range(3)]
    assert errors[0] > 0
    assert np.log2(steps[1] / steps[2]) == pytest.approx(order, abs=0.3)


def test_augmented_and_recursive_accelerations_agree_on_a_closed_loop():
    model = make_ring()
    _, augmented, a = make_state(model, "augmented")
    _, recursive, b = make_state(model, "recursive")
    augmented.advance(a, 200, 1e-3)
    b = copy_state(a)
    augmented.advance(a, 0, 1e-3)
    recursive.advance(b, 0, 1e-3)
    assert recursive.work.a == pytest.approx(augmented.work.a, abs=1e-8)
    assert recursive.work.dw == pytest.approx(augmented.work.dw, abs=1e-8)
    assert augmented.find_redundant_count() == recursive.find_redundant_count() == 3
    assert np.abs(augmented.system.phi).max() < 1e-9


def test_reactions_hold_the_bodies():
    """Newton for each link from the reported joint forces: the third law and the equations of motion."""
    model = make_ring(hull=False)
    for formulation in ("augmented", "recursive"):
        compiled, solver, state = make_state(model, formulation)
        solver.advance(state, 100, 1e-3)
        body = compiled.tables.node
        total = body.mass[:, None] * body.gravity
        for i, name in enumerate(compiled.layout.joints):
            joint = model.joints[name]
            force = solver.work.joint_force[i]
            total[compiled.layout.find_body(joint.frame_b.body)] += force
            total[compiled.layout.find_body(joint.frame_a.body)] -= force
        assert total == pytest.approx(body.mass[:, None] * solver.work.a, abs=1e-7)
