"""Identities of ideal joints and motions: derivatives of the rows, their number, and the reactions they exert."""

from collections import namedtuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.compile.compile import compile_model
from grouser.compile.realization import FREEDOMS, Ideal, Penalty, PenaltyScaled
from grouser.compile.state import copy_state
from grouser.families.joint.kernel_constraint import calc_constraints, calc_reactions
from grouser.integrators.solvers import make_integrator
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import COORDINATE_DISTANCE, LEDGER_COUNT, LEDGER_MOTIONS, ROW_DISTANCE, WORLD_ROW
from grouser.kernels.view import View
from grouser.model.builder import ModelBuilder
from grouser.opcodes import MAX_DEPTH

JOINTS = tuple(name for name in FREEDOMS if name != "free")
SIDES = (("one", "two"), ("world", "two"), ("one", "world"))
MOTIONS = ("translation", "rotation", "distance")
SIGNALS = {
    "constant": 0.7,
    "table": [(0.0, 0.1), (0.3, 0.5), (2.0, -0.4)],
    "expression": "0.4 + 0.5*sin(3*t) + 0.1*t^2",
}
TIME = 0.9
STEP = 1e-5
DIFFERENCE = 1e-7
"""Error of central differences with that step: 1e-10 of the third derivative, 1e-10 from rounding, each up to 100."""
ROUNDING = 1e-12

Rows = namedtuple("Rows", ["phi", "G", "nu", "gamma"])
Loaded = namedtuple("Loaded", ["phi", "G", "nu", "multiplier"])
Reactions = namedtuple("Reactions", ["joint_force", "joint_moment", "scalar_value", "supplied"])


@kernel(entry=True)
def calc_rows(table, scalar, signal, view, rows_out, stack_work):
    """`calc_constraints`, called from Python."""
    calc_constraints(table, scalar, signal, 0, table.body_a.shape[0], view, rows_out, stack_work)


@kernel(entry=True)
def calc_pushes(table, R, rows, peak_out, work):
    """`calc_reactions`, called from Python."""
    calc_reactions(table, R, rows, peak_out, work)


def make_model(kind, sides=("one", "two"), seed=0, **motion):
    """Two tumbling bodies with a joint, as one of SIDES; the joint holds in the initial positions."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("pair", gravity=(0.0, 0.0, 0.0))
    for name in ("one", "two"):
        quaternion = rng.standard_normal(4)
        builder.add_body(
            name,
            rng.uniform(1, 3),
            rng.uniform(0.8, 1.2, 3),
            com=rng.uniform(-0.1, 0.1, 3),
            position=rng.uniform(-0.5, 0.5, 3),
            orientation=quaternion / np.linalg.norm(quaternion),
            velocity=rng.uniform(-1, 1, 3),
            angular_velocity=rng.uniform(-2, 2, 3),
        )
    if kind == "distance":
        builder.add_distance("link", *sides, point_a=rng.uniform(-0.5, 0.0, 3), point_b=rng.uniform(0.1, 0.5, 3))
    else:
        builder.add_joint("link", kind, *sides, point=rng.uniform(-0.5, 0.5, 3), axis=rng.uniform(-1, 1, 3))
    if motion:
        builder.add_motion("drive", "link", **motion)
    return builder.build()


def make_motion(coordinate, sides=("one", "two"), **signal):
    """An ideal motion alone. No joint has a motion along a distance: its row is made from that of a slide."""
    place = "rotation" if coordinate == "rotation" else "translation"
    compiled = compile_ideal(make_model("free", sides, coordinate=place, **signal))
    if coordinate != "distance":
        return compiled.tables, compiled.initial
    tables = compiled.tables
    scalar = tables.scalar._replace(coordinate=np.full_like(tables.scalar.coordinate, COORDINATE_DISTANCE))
    row = tables.constraint._replace(row_kind=np.full_like(tables.constraint.row_kind, ROW_DISTANCE))
    return tables._replace(scalar=scalar, constraint=row), compiled.initial


def compile_ideal(model):
    return compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)


def with_violation(state, size=0.3, seed=3):
    """A copy at another time with every body moved and turned at random, so that no row holds any more."""
    rng = np.random.default_rng(seed)
    moved = copy_state(state)
    moved.time[:] = TIME
    moved.z[:] = rng.uniform(-1, 1, moved.z.shape)
    moved.x[1:] += rng.uniform(-size, size, moved.x[1:].shape)
    moved.R[1:] = moved.R[1:] @ Rotation.from_rotvec(rng.uniform(-size, size, (len(moved.R) - 1, 3))).as_matrix()
    return moved


def move(tables, state, change, h):
    """State after a time h under constant accelerations `change` (bodies, 6)."""
    moved = copy_state(state)
    a, dw = change[:, :3], change[:, 3:]
    t = float(state.time[0])
    moved.time[:] = t + h
    moved.x[:] += h * state.v + 0.5 * h**2 * a
    moved.v[:] += h * a
    moved.w[:] += h * dw
    moved.R[:] = state.R @ Rotation.from_rotvec(h * state.w + 0.5 * h**2 * dw).as_matrix()
    # trapezoidal rule for a motion that is given by its speed: for others z plays no part
    moved.z[:] += 0.5 * h * (calc(tables, state)[2][-1] + calc(tables, moved)[2][-1])
    return moved


def calc(tables, state):
    """phi, G, nu, gamma of all rows at a state."""
    rows = len(tables.constraint.row_kind)
    found = Rows(*(np.full(shape, np.nan) for shape in (rows, (rows, 12), rows, rows)))
    spin = np.einsum("nij,nj->ni", state.R, state.w)
    view = View(float(state.time[0]), state.x, state.R, state.v, spin, state.z)
    calc_rows(tables.constraint, tables.scalar, tables.signal, view, found, np.zeros(MAX_DEPTH))
    return found


def push(compiled, state, multiplier):
    """Force and moment of the joint, motion's effort, peak, power put in."""
    phi, G, nu, _ = calc(compiled.tables, state)
    joints, scalars = len(compiled.layout.joints), len(compiled.layout.scalars)
    force, moment, peak = np.zeros((joints, 3)), np.zeros((joints, 3)), np.zeros(joints)
    value, power = np.zeros((scalars, 4)), np.zeros(LEDGER_COUNT)
    reactions = Reactions(force, moment, value, power)
    calc_pushes(compiled.tables.constraint, state.R, Loaded(phi, G, nu, multiplier), peak, reactions)
    return force, moment, peak, value, power


def calc_rate(tables, state):
    """G u - nu of all rows."""
    _, G, nu, _ = calc(tables, state)
    return np.einsum("ri,ri->r", G, gather(tables, np.hstack([state.v, state.w]))) - nu


def gather(tables, rows):
    """(rows, 12): the values (bodies, 6) of the two bodies of each row."""
    table = tables.constraint
    entry = np.repeat(np.arange(len(table.row_start)), table.row_count)
    return np.hstack([rows[table.body_a[entry]], rows[table.body_b[entry]]])


def check_derivatives(tables, state):
    """(1) against central differences, along a motion with random accelerations."""
    change = np.random.default_rng(5).uniform(-3, 3, (len(state.x), 6))
    change[-1] = 0.0  # the world
    ahead, behind = (move(tables, state, change, h) for h in (STEP, -STEP))
    _, G, _, gamma = calc(tables, state)
    slope = (calc(tables, ahead)[0] - calc(tables, behind)[0]) / (2 * STEP)
    assert calc_rate(tables, state) == pytest.approx(slope, abs=DIFFERENCE)
    slope = (calc_rate(tables, ahead) - calc_rate(tables, behind)) / (2 * STEP)
    # 1e-6: the second derivative of an expression is itself a difference of 1e-8, and so is the slope of its first
    assert np.einsum("ri,ri->r", G, gather(tables, change)) - gamma == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("sides", SIDES, ids="-".join)
@pytest.mark.parametrize("kind", JOINTS)
def test_rows_of_joints_have_exact_derivatives(kind, sides):
    compiled = compile_ideal(make_model(kind, sides))
    check_derivatives(compiled.tables, compiled.initial)
    moved = with_violation(compiled.initial)
    assert np.abs(calc(compiled.tables, moved)[0]).min() > 1e-3
    check_derivatives(compiled.tables, moved)


@pytest.mark.parametrize("sides", SIDES, ids="-".join)
@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("quantity", ["position", "speed"])
@pytest.mark.parametrize("coordinate", MOTIONS)
def test_rows_of_motions_have_exact_derivatives(coordinate, quantity, signal, sides):
    tables, state = make_motion(coordinate, sides, **{quantity: SIGNALS[signal]})
    moved = with_violation(state)
    check_derivatives(tables, moved)
    nu, gamma = calc(tables, moved)[2:]
    assert (nu[0] == 0.0) == (quantity == "position" and signal == "constant")
    assert np.isfinite(gamma).all()


@pytest.mark.parametrize("sides", SIDES, ids="-".join)
@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_has_as_many_independent_rows_as_it_takes_freedoms(kind, sides):
    compiled = compile_ideal(make_model(kind, sides))
    tables = compiled.tables
    phi, G, nu, _ = calc(tables, compiled.initial)
    assert phi == pytest.approx(np.zeros(6 - FREEDOMS[kind]), abs=ROUNDING)
    assert not nu.any()
    for side, columns in zip(sides, (G[:, :6], G[:, 6:]), strict=True):
        if side != "world":
            assert np.linalg.matrix_rank(columns) == 6 - FREEDOMS[kind]
    assert np.linalg.matrix_rank(calc(tables, with_violation(compiled.initial))[1]) == 6 - FREEDOMS[kind]


def test_a_free_joint_has_no_rows():
    table = compile_ideal(make_model("free")).tables.constraint
    assert len(table.joint) == len(table.row_kind) == 0


@pytest.mark.parametrize(("kind", "coordinate"), [("revolute", "rotation"), ("prismatic", "translation")])
def test_a_motion_takes_the_freedom_that_its_joint_leaves(kind, coordinate):
    """All six directions are held, and the initial position satisfies a motion that is given by its speed."""
    compiled = compile_ideal(make_model(kind, coordinate=coordinate, speed=2.0))
    phi, G, nu, _ = calc(compiled.tables, compiled.initial)
    assert phi == pytest.approx(np.zeros(6), abs=ROUNDING)
    assert nu.tolist() == [0.0] * 5 + [2.0]
    assert np.linalg.matrix_rank(G[:, 6:]) == 6


def test_an_angle_is_known_up_to_full_turns():
    base, turned = (
        calc(tables, state)[0]
        for tables, state in (make_motion("rotation", position=0.4 + turns * 2 * np.pi) for turns in (0, 3))
    )
    assert base == pytest.approx([-0.4], abs=ROUNDING)  # the joint is at zero
    assert turned == pytest.approx(base, abs=ROUNDING)


@pytest.mark.parametrize("violated", [False, True])
@pytest.mark.parametrize("sides", SIDES, ids="-".join)
@pytest.mark.parametrize("kind", JOINTS)
def test_reactions_are_what_the_multipliers_do(kind, sides, violated):
    """-G^T lambda is the force at p_b and the moment on b, and the opposite on a. Where the points of a joint that
    holds all translations have come apart by e, its force acts on a at p_a: e x force is then missing."""
    compiled = compile_ideal(make_model(kind, sides))
    tables, state = compiled.tables, compiled.initial
    state = with_violation(state) if violated else state
    phi, G, _, _ = calc(tables, state)
    multiplier = np.random.default_rng(7).uniform(-5, 5, len(phi))
    forces, moments, peak, _, power = push(compiled, state, multiplier)
    force, moment = forces[0], moments[0]
    wrench = -G.T @ multiplier
    a, b = tables.constraint.body_a[0], tables.constraint.body_b[0]
    r_a, r_b = state.R[a] @ tables.constraint.p_a[0], state.R[b] @ tables.constraint.p_b[0]
    lever = state.x[b] + r_b - state.x[a]
    e = lever - r_a
    assert wrench[6:9] == pytest.approx(force, abs=ROUNDING)
    assert state.R[b] @ wrench[9:] == pytest.approx(np.cross(r_b, force) + moment, abs=ROUNDING)
    assert wrench[:3] == pytest.approx(-force, abs=ROUNDING)
    holds_point = kind in ("fixed", "revolute", "spherical", "universal")
    missing = np.cross(e, force) if holds_point else np.zeros(3)
    assert state.R[a] @ wrench[3:6] == pytest.approx(missing - np.cross(lever, force) - moment, abs=ROUNDING)
    translations = {"prismatic": 2, "cylindrical": 2, "planar": 1}.get(kind, 3)
    assert peak[0] == pytest.approx((phi[:translations] ** 2).sum())
    assert not power.any()
    # the power of force and moment on the motion of b as seen from a is that of the rows
    spin_a, spin_b = state.R[a] @ state.w[a], state.R[b] @ state.w[b]
    seen = state.v[b] + np.cross(spin_b, r_b) - state.v[a] - np.cross(spin_a, lever)
    expected = force @ seen + moment @ (spin_b - spin_a) + missing @ spin_a
    assert -multiplier @ calc_rate(tables, state) == pytest.approx(expected, abs=100 * ROUNDING)


@pytest.mark.parametrize("coordinate", ["translation", "rotation"])
def test_effort_and_power_of_a_motion(coordinate):
    """Effort times the rate of the coordinate is the power on the bodies; effort times the prescribed rate is put in.
    The coordinate and the target stay in the scalar row, which exerts no force itself."""
    compiled = compile_ideal(make_model("free", coordinate=coordinate, speed=SIGNALS["expression"]))
    state = with_violation(compiled.initial)
    phi, G, nu, _ = calc(compiled.tables, state)
    _, _, _, value, power = push(compiled, state, np.array([4.0]))
    assert value[0, 0] == -4.0
    assert power[LEDGER_MOTIONS] == pytest.approx(-4.0 * nu[0])
    solver = make_integrator(compiled, "explicit", "trapezoidal")
    solver.advance(copy_state(state), 0, 1e-3)
    effort, q, rate, target, _ = solver.work.scalar_value[0]
    assert effort == 0.0
    assert not solver.work.f.any() and not solver.work.torque.any()
    assert solver.work.z_rate[0] == nu[0]
    assert target == state.z[0]
    assert phi[0] == pytest.approx(q - target)
    assert (G @ gather(compiled.tables, np.hstack([state.v, state.w]))[0])[0] == pytest.approx(rate)


@pytest.mark.parametrize("sides", SIDES[1:], ids="-".join)
@pytest.mark.parametrize("kind", JOINTS)
def test_reactions_agree_with_a_stiff_penalty_joint(kind, sides):
    """A joint to the world under a load that it can bear, in equilibrium: the same force and moment on b, by
    multipliers and by penalty (1e9 N/m under some 10 N: displacements of 1e-8 m)."""
    model = make_model(kind, sides)
    check_agreement(model, Penalty(k=1e9, c=0.0, arm=0.3), PenaltyScaled())


@pytest.mark.parametrize("sides", SIDES[1:], ids="-".join)
@pytest.mark.parametrize(("kind", "coordinate"), [("revolute", "rotation"), ("prismatic", "translation")])
def test_effort_agrees_with_a_stiff_penalty_motion(kind, coordinate, sides):
    """The same with a driven joint, and the effort of the drive."""
    model = make_model(kind, sides, coordinate=coordinate, position=0.0)
    check_agreement(model, Penalty(k=1e9, c=0.0, arm=0.3), PenaltyScaled(frequency=1e4))


def check_agreement(model, joint, motion):
    """Solve M a = load + F - G^T lambda = 0 for a single body on a joint to the world, in both ways."""
    ideal = compile_ideal(model)
    state = copy_state(ideal.initial)
    state.v[:], state.w[:] = 0.0, 0.0
    table = ideal.tables.constraint
    body = max(table.body_a[0], table.body_b[0])
    assert body != WORLD_ROW
    G = calc(ideal.tables, state)[1]
    columns = G[:, :6] if table.body_a[0] == body else G[:, 6:]
    load = columns.T @ np.random.default_rng(11).uniform(-10, 10, len(columns))
    multiplier = np.linalg.lstsq(columns.T, load, rcond=None)[0]
    force, moment, _, value, _ = push(ideal, state, multiplier)
    penalty = compile_model(model, {"*": joint}, motion)
    solver = make_integrator(penalty, "explicit", "trapezoidal")

    def calc_wrench(change):
        moved = copy_state(state)
        moved.x[body] += change[:3]
        moved.R[body] = moved.R[body] @ Rotation.from_rotvec(change[3:]).as_matrix()
        solver.advance(moved, 0, 1e-3)
        return np.concatenate([solver.work.f[body], moved.R[body].T @ solver.work.torque[body]])

    change = np.zeros(6)
    tiny = 1e-8
    for _ in range(3):  # Newton with a numerical stiffness; directions that the joint leaves free stay where they are
        stiffness = np.column_stack([(calc_wrench(d) - calc_wrench(-d)) / (2 * tiny) for d in tiny * np.eye(6)])
        change += np.linalg.lstsq(stiffness, -load - calc_wrench(change), rcond=1e-6)[0]
    assert calc_wrench(change) == pytest.approx(-load, abs=1e-5)
    assert solver.work.joint_force[0] == pytest.approx(force[0], abs=1e-5)
    assert solver.work.joint_moment[0] == pytest.approx(moment[0], abs=1e-5)
    assert solver.work.scalar_value[:, 0] == pytest.approx(value[:, 0], abs=1e-5)
    assert np.abs(force).max() + np.abs(moment).max() > 1.0
