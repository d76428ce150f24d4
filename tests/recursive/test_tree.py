"""The articulated-body recursion on trees: identities, closed forms, and agreement with a dense solve."""

from math import cos, sin

import numpy as np
import pytest
import tree_entries as entries
from dense_multipliers import solve_dense
from tree_system import KINDS, System, make_chain, make_inertia, make_random_model

from grouser.compile.realization import FREEDOMS
from grouser.kernels.kinds import ROTATION_FREE
from grouser.model.builder import ModelBuilder

MIXED = (*KINDS, *KINDS[1:-1])
BASES = ("world", "floating")
TREES = [((kind,), base) for kind in KINDS for base in BASES] + [(MIXED, base) for base in BASES]


def make_system(kinds, base, seed=0):
    rng = np.random.default_rng([seed, len(kinds), KINDS.index(kinds[0]), BASES.index(base)])
    system = System(make_random_model(rng, rng.permutation(kinds), base=base))
    system.randomize(rng)
    return system, rng


trees = pytest.mark.parametrize(("kinds", "base"), TREES, ids=lambda p: p if isinstance(p, str) else f"{len(p)}-{p[0]}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_has_as_many_speeds_as_freedoms(kind):
    system, _ = make_system((kind,), "world")
    assert system.speeds == FREEDOMS[kind]


@trees
def test_read_back_is_the_identity(kinds, base):
    """Angles wrap and quaternions may change sign; everything else comes back."""
    system, _ = make_system(kinds, base)
    tree, q, qd = system.tree, system.q.copy(), system.qd.copy()
    x, R, v, w = (a.copy() for a in (system.state.x, system.state.R, system.state.v, system.state.w))
    system.read()
    assert system.qd == pytest.approx(qd, abs=1e-12)
    for k in range(system.count):
        first, last = tree.q_start[k], tree.q_start[k + 1]
        slides = first + tree.slide_count[k]
        assert system.q[first:slides] == pytest.approx(q[first:slides], abs=1e-12)
        if tree.rotation[k] == ROTATION_FREE:
            sign = np.sign(q[slides:last] @ system.q[slides:last])
            assert system.q[slides:last] == pytest.approx(sign * q[slides:last], abs=1e-12)
        else:
            assert np.exp(1j * system.q[slides:last]) == pytest.approx(np.exp(1j * q[slides:last]), abs=1e-12)
    system.place()
    for new, old in zip(system.state[1:5], (x, R, v, w), strict=True):
        assert new == pytest.approx(old, abs=1e-12)


@trees
def test_kinematics_agree_with_finite_differences(kinds, base):
    """Positions move with the velocities, and velocities change with the accelerations of the inverse dynamics."""
    system, rng = make_system(kinds, base)
    qdd = rng.normal(size=system.speeds)
    tau, a, dw = np.zeros(system.speeds), system.a, system.dw
    entries.calc_inverse(system.body, system.state, qdd, 0.0, tau, system.system, system.moved)
    v, w, R = system.state.v.copy(), system.state.w.copy(), system.state.R.copy()
    q, qd, h = system.q.copy(), system.qd.copy(), 1e-4

    def find_state(t):
        # half a step with the speeds of the quarter: second order also for quaternions
        entries.calc_coordinates_moved(system.tree, t, q, qd + 0.5 * t * qdd, system.q)
        system.place(qd=qd + t * qdd)
        return system.state.x.copy(), system.state.R.copy(), system.state.v.copy(), system.state.w.copy()

    plus, minus = find_state(h), find_state(-h)
    rates = [(p - m) / (2 * h) for p, m in zip(plus, minus, strict=True)]
    turning = np.einsum("nji,njk->nik", R, rates[1])
    assert rates[0] == pytest.approx(v, abs=1e-6)
    assert turning[:, 2, 1] == pytest.approx(w[:, 0], abs=1e-6)
    assert turning[:, 0, 2] == pytest.approx(w[:, 1], abs=1e-6)
    assert turning[:, 1, 0] == pytest.approx(w[:, 2], abs=1e-6)
    assert rates[2] == pytest.approx(a, abs=1e-5)
    assert rates[3] == pytest.approx(dw, abs=1e-5)


@trees
def test_forward_after_inverse_dynamics_is_the_identity(kinds, base):
    system, rng = make_system(kinds, base)
    system.drag = 0.3
    qdd = rng.normal(size=system.speeds)
    entries.calc_inverse(system.body, system.state, qdd, system.drag, system.tau, system.system, system.moved)
    a, dw = system.a.copy(), system.dw.copy()
    assert system.solve() == pytest.approx(qdd, abs=1e-10)
    assert system.a == pytest.approx(a, abs=1e-10)
    assert system.dw == pytest.approx(dw, abs=1e-10)


@trees
def test_accelerations_and_reactions_agree_with_dense_multipliers(kinds, base):
    system, _ = make_system(kinds, base)
    system.tau[:] = 0.0
    system.drag = 0.3
    system.solve()
    a, dw, force, moment = solve_dense(system)
    assert system.a[1:] == pytest.approx(a, rel=1e-9, abs=1e-9)
    assert system.dw[1:] == pytest.approx(dw, rel=1e-9, abs=1e-9)
    tree_force, tree_moment = system.find_reactions()
    assert tree_force == pytest.approx(force, rel=1e-9, abs=1e-9)
    assert tree_moment == pytest.approx(moment, rel=1e-9, abs=1e-9)


@trees
def test_response_is_the_change_of_acceleration_with_the_force(kinds, base):
    system, rng = make_system(kinds, base)
    before = system.solve()
    a_before, dw_before = system.a.copy(), system.dw.copy()
    wrench, tau = rng.normal(size=(system.count + 1, 6)), rng.normal(size=system.speeds)
    qdd, response = np.zeros(system.speeds), np.zeros((system.count + 1, 6))
    entries.solve_response(system.tree, wrench, tau, qdd, response, system.work)
    system.f += wrench[:, :3]
    system.torque += wrench[:, 3:]
    system.tau += tau
    assert system.solve() - before == pytest.approx(qdd, abs=1e-10)
    assert system.a - a_before == pytest.approx(response[:, :3], abs=1e-10)
    alpha = np.einsum("nij,nj->ni", system.state.R, system.dw - dw_before)
    assert alpha == pytest.approx(response[:, 3:], abs=1e-10)


def test_nothing_is_left_over_in_the_scratch():
    """A restart needs no scratch: NaN in all of it changes nothing."""
    system, _ = make_system(MIXED, "floating")
    expected = system.solve()
    for array in system.work:
        array[:] = np.nan
    assert (system.solve() == expected).all()


def test_single_pendulum():
    """(I + m l^2) qdd = -m g l cos(q) about y, from the horizontal; the pin carries the rest."""
    system = System(make_chain(1, mass=2.0, length=1.0, inertia=(0.1, 0.2, 0.3)))
    system.place([0.7], [1.3])
    m, g, arm = 2.0, 9.81, 0.5
    qdd = m * g * arm * cos(0.7) / (0.2 + m * arm**2)
    assert system.solve() == pytest.approx([qdd], rel=1e-12)
    # the centre moves on a circle: along the rod inwards, and across it; the axis y turns x towards -z
    along, across = np.array([cos(0.7), 0, -sin(0.7)]), np.array([-sin(0.7), 0, -cos(0.7)])
    a = arm * (qdd * across - 1.3**2 * along)
    assert system.a[1] == pytest.approx(a, abs=1e-12)
    force, moment = system.find_reactions()
    assert force[0] == pytest.approx(m * (a + np.array([0, 0, g])), abs=1e-11)
    assert moment[0] == pytest.approx(np.zeros(3), abs=1e-11)


def test_double_pendulum():
    """The textbook equations of two equal rods, absolute angles t1, t2 from the horizontal (positive downwards)."""
    m, length, inertia, g = 1.5, 0.8, 0.07, 9.81
    system = System(make_chain(2, mass=m, length=length, inertia=(0.05, inertia, 0.06)))
    t1, t2, w1, w2 = 0.4, 1.5, -1.2, 2.1
    system.place([t1, t2 - t1], [w1, w2 - w1])
    half = length / 2
    d = t2 - t1
    matrix = [
        [inertia + m * (half**2 + length**2), m * length * half * cos(d)],
        [m * length * half * cos(d), inertia + m * half**2],
    ]
    right = [
        m * length * half * sin(d) * w2**2 + m * g * (half + length) * cos(t1),
        -m * length * half * sin(d) * w1**2 + m * g * half * cos(t2),
    ]
    expected = np.linalg.solve(matrix, right)
    assert np.cumsum(system.solve()) == pytest.approx(expected, rel=1e-12)


def test_free_body():
    """Newton and Euler: a = f/m + g, I dw = T - w x (I w)."""
    rng = np.random.default_rng(5)
    builder = ModelBuilder("free")
    inertia = make_inertia(rng)
    builder.add_body("top", 3.0, inertia, com=(0.1, 0.2, 0.3), position=(100.0, 20.0, 3.0))
    system = System(builder.build())
    system.randomize(rng, speed=5.0)
    system.tau[:] = 0.0
    system.solve()
    w, R = system.state.w[1], system.state.R[1]
    assert system.a[1] == pytest.approx(system.f[1] / 3.0 + [0, 0, -9.81], abs=1e-12)
    spin = np.linalg.solve(inertia, R.T @ system.torque[1] - np.cross(w, inertia @ w))
    assert system.dw[1] == pytest.approx(spin, abs=1e-11)
    # the coordinates of a free root are those of the state
    assert system.q[:3] == pytest.approx(system.state.x[1])
    assert system.qd == pytest.approx([*system.state.v[1], *w])


@pytest.mark.parametrize("kinds", [("revolute",) * 5, ("revolute", "universal", "cylindrical", "spherical", "planar")])
def test_energy_of_a_chain_is_kept(kinds):
    """Fourth-order Runge-Kutta in the coordinates; halving the step makes the loss 2^5 times smaller."""
    losses = []
    for dt in (0.004, 0.002):
        system = System(make_random_model(np.random.default_rng(3), kinds))
        system.place(qd=0.5 * np.ones(system.speeds))
        before = system.calc_energy()
        for _ in range(round(0.4 / dt)):
            advance_runge_kutta(system, dt)
        losses.append(abs(system.calc_energy() - before))
    assert losses[1] < 1e-6 * abs(before)
    assert losses[0] / losses[1] > 2**3.5


def advance_runge_kutta(system, dt):
    """A classical step. Quaternions are integrated as four numbers with the rate q * (0, w)/2."""
    q, qd = system.q.copy(), system.qd.copy()
    slopes = []
    for share in (0.0, 0.5, 0.5, 1.0):
        dq, dqd = slopes[-1] if slopes else (0.0, 0.0)
        system.place(q + share * dt * dq, qd + share * dt * dqd)
        slopes.append((calc_rates(system), system.solve()))
    weights = np.array([1, 2, 2, 1]) * dt / 6
    system.place(
        q + sum(h * s[0] for h, s in zip(weights, slopes, strict=True)),
        qd + sum(h * s[1] for h, s in zip(weights, slopes, strict=True)),
    )
    system.read()  # quaternions of length one again


def calc_rates(system):
    tree, rates = system.tree, []
    for k in range(system.count):
        speeds = system.qd[tree.v_start[k] : tree.v_start[k + 1]]
        if tree.rotation[k] != ROTATION_FREE:
            rates += [*speeds]
            continue
        s, u = system.q[tree.q_start[k + 1] - 4], system.q[tree.q_start[k + 1] - 3 : tree.q_start[k + 1]]
        w = speeds[-3:]
        rates += [*speeds[:-3], -0.5 * u @ w, *(0.5 * (s * w + np.cross(u, w)))]
    return np.array(rates)


def test_a_step_of_the_quaternion_is_exact_at_constant_speeds():
    """Many small steps and one large one lead to the same place, of length one."""
    system, rng = make_system(("free",), "world")
    qd = rng.normal(size=6)
    fine = system.q.copy()
    for _ in range(1000):
        entries.calc_coordinates_moved(system.tree, 2e-3, fine, qd, fine)
    coarse = np.zeros(7)
    entries.calc_coordinates_moved(system.tree, 2.0, system.q, qd, coarse)
    assert fine == pytest.approx(coarse, abs=1e-12)
    assert np.linalg.norm(coarse[3:]) == pytest.approx(1.0, abs=1e-15)
