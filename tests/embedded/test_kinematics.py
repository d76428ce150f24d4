"""Independent and dependent coordinates: X and its rate against differences, closed forms against Newton and S4."""

from math import acos, atan2, cos, hypot, sin

import numpy as np
import pytest
from embedded_case import Placed
from linkages import make_bricard, make_four_bar, make_slider_crank, make_suspension

DIFFERENCE = 1e-6
"""Error of central differences with `STEP`."""
STEP = 1e-5
SAME = 1e-12
MODELS = {
    "four-bar": make_four_bar(),
    "slider-crank": make_slider_crank(),
    "corner": make_suspension(),
    "steered pair": make_suspension((1, -1), steering=True, fixed=True),
    "Bricard": make_bricard(),
}
CLOSED_FORMS = ("four-bar", "corner", "steered pair")
models = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def cases():
    return {name: Placed(model) for name, model in MODELS.items()}


def move(case, seed=2):
    """A random position and velocity; returns the independent speeds of the whole tree."""
    rng = np.random.default_rng(seed)
    case.reset()
    case.place(0.0)
    free = case.find_independent()
    change = np.zeros(case.speeds)
    change[free] = 0.05 * rng.normal(size=len(free))
    case.shift(change)
    case.u[free] = rng.normal(size=len(free))
    case.place(0.3)
    return free


@models
def test_transfer_is_the_derivative_of_positions(cases, name):
    """The velocity that a unit speed gives to all bodies, by X, against differences of their positions."""
    case = cases[name]
    free = move(case)
    q = case.q.copy()
    for j in free:
        case.u[:] = 0.0
        case.u[j] = 1.0
        case.q[:] = q
        still = case.place(0.0)
        velocity = still.v - case.drift(q, 0.0)
        change = np.zeros(case.speeds)
        change[j] = STEP
        positions = []
        for sign in (1.0, -1.0):
            case.q[:] = q
            case.place(0.0)
            case.shift(sign * change)
            positions.append(case.place(0.0).x)
        assert (positions[0] - positions[1]) / (2 * STEP) == pytest.approx(velocity, abs=DIFFERENCE)


@models
def test_kappa_is_the_rate_of_dependent_speeds(cases, name):
    """Independent speeds constant: dependent ones change by kappa."""
    case = cases[name]
    free = move(case)
    t = 0.3
    speeds, q = case.u.copy(), case.q.copy()
    kappa = case.find_kappa(t)
    assert np.abs(kappa).max() > 0.01
    found = []
    for sign in (1.0, -1.0):
        case.q[:], case.u[:] = q, speeds
        case.place(t)
        case.shift(sign * STEP * speeds)
        case.u[free] = speeds[free]
        case.place(t + sign * STEP)
        found.append(case.u.copy())
    size = 1.0 + np.abs(kappa).max()
    assert (found[0] - found[1]) / (2 * STEP) == pytest.approx(kappa, abs=DIFFERENCE * size)


@pytest.mark.parametrize("name", CLOSED_FORMS)
@pytest.mark.parametrize("share", [-1.0, -0.5, 0.3, 1.0])
def test_closed_forms_equal_newton(cases, name, share):
    """Over the range of wheel travel and steering: the same positions, and Newton has nothing left to do."""
    case = cases[name]
    case.reset()
    case.place(0.0)
    assert case.embedded.is_closed.all()
    free = case.find_independent()
    change = np.zeros(case.speeds)
    change[free] = 0.2 * share
    found = []
    for is_closed in (1, 0):
        case.reset()
        case.place(0.0)
        case.embedded.is_closed[:] = is_closed
        case.shift(change)
        found.append(case.place(0.7 * share))
    case.embedded.is_closed[:] = 1
    assert found[0].x == pytest.approx(found[1].x, abs=SAME)
    assert pytest.approx(found[1].R, abs=SAME) == found[0].R
    assert np.abs(found[0].x - case.compiled.initial.x).max() > 1e-3


@pytest.mark.parametrize("angle", np.linspace(0.5, 2.6, 6))
def test_four_bar_has_the_angles_of_the_paper(angle):
    """S4-15..22 on a planar linkage: theta_4 of the rocker and theta_3 of the coupler."""
    a, b, c, d = 1.0, 0.8, 1.1, 0.7  # ground, crank, coupler, rocker
    case = Placed(make_four_bar((a, b, c, d), crank=1.0, masses=(9.0, 1.0, 1.0)))
    case.place(0.0)
    assert case.embedded.is_closed.all()
    assert [case.compiled.layout.joints[case.tree.joint[k]] for k in np.flatnonzero(case.closed.given)] == ["a"]
    change = np.zeros(case.speeds)
    # the crank turns about y, which is from z to x: angles in the (x, z) plane run the other way
    change[case.find_independent()] = -(angle - 1.0)
    case.shift(change)
    state = case.place(0.0)
    # the paper has the ground from the rocker's pivot to the crank's, with all bars on the other side
    x, y = -a + b * cos(angle), b * sin(angle)
    gamma = atan2(y, x)
    theta4 = gamma - acos((x * x + y * y + d * d - c * c) / (2 * d * hypot(x, y)))  # S4-19, 20
    theta3 = atan2(y - d * sin(theta4), x - d * cos(theta4))  # S4-21
    bodies = list(case.compiled.layout.nodes)
    tip = np.array([b * cos(angle), 0.0, b * sin(angle)])
    end = np.array([a + d * cos(theta4), 0.0, d * sin(theta4)])
    assert state.x[bodies.index("coupler")] == pytest.approx(0.5 * (tip + end), abs=SAME)
    pivot = np.array([a, 0.0, 0.0])
    assert state.x[bodies.index("rocker")] == pytest.approx(0.5 * (pivot + end), abs=SAME)
    assert tip == pytest.approx(end + c * np.array([cos(theta3), 0.0, sin(theta3)]), abs=SAME)


def test_linkage_beyond_its_reach_names_the_joint(cases):
    case = Placed(make_suspension())
    case.place(0.0)
    change = np.zeros(case.speeds)
    change[case.find_speed("lca-hinge-left")] = 3.0
    case.shift(change)
    case.place(0.0, is_checked=False)
    assert case.failed in ("uca-ball-left", "lca-ball-left")


def test_loops_are_aggregated_with_their_smallest_sub_trees(cases):
    case = Placed(make_suspension((1, -1)))
    names = case.compiled.layout.nodes
    aggregates = [
        {names[case.tree.body[row]] for row in case.aggregate.row[first:last]}
        for first, last in zip(case.aggregate.row_start[:-1], case.aggregate.row_start[1:], strict=True)
    ]
    assert aggregates == [{f"{part}-{side}" for part in ("uca", "lca", "upright")} for side in ("left", "right")]
    assert [names[body] for body in case.aggregate.ancestor] == ["chassis", "chassis"]
    together = cases["steered pair"]
    assert len(together.aggregate.ancestor) == 1
