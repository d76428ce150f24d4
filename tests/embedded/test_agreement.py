"""The same model three ways: all bodies free, a tree with cuts, a tree with embedded loops."""

import numpy as np
import pytest
from embedded_case import Three
from linkages import make_bricard, make_four_bar, make_slider_crank, make_suspension

ACCURACY = 1e-9
MODELS = {
    "four-bar": make_four_bar(),
    "slider-crank": make_slider_crank(),
    "corner, free": make_suspension(),
    "corner, fixed": make_suspension(fixed=True),
    "steered pair": make_suspension((1, -1), steering=True),
    "Bricard": make_bricard(),
}
FREEDOMS = {"four-bar": 1, "slider-crank": 1, "corner, free": 8, "corner, fixed": 2, "steered pair": 10, "Bricard": 1}
REDUNDANT = {"four-bar": 3, "steered pair": 1, "Bricard": 1}
models = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def cases():
    return {name: Three(model) for name, model in MODELS.items()}


@models
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_accelerations_agree(cases, name, seed):
    case = cases[name]
    state = case.make_state(seed)
    found = {way: case.solve(way, state) for way in case.solvers}
    size = np.abs(found["augmented"].a).max() + 1.0
    for way in ("recursive", "embedded"):
        assert found[way].a[1:] == pytest.approx(found["augmented"].a[1:], rel=ACCURACY, abs=ACCURACY * size)
        assert found[way].dw[1:] == pytest.approx(found["augmented"].dw[1:], rel=ACCURACY, abs=ACCURACY * size)


@models
def test_reactions_and_efforts_agree(cases, name):
    """At every joint, of the tree and cut; where rows are redundant all take the shortest multipliers, which are those
    of the cut rows alone, so only the tree ways are compared."""
    case = cases[name]
    state = case.make_state(4)
    found = {way: case.solve(way, state) for way in case.solvers}
    for way in ("recursive",) if name in REDUNDANT else ("recursive", "augmented"):
        size = np.abs(found[way].joint_force).max() + np.abs(found[way].joint_moment).max()
        assert found["embedded"].joint_force == pytest.approx(found[way].joint_force, rel=1e-8, abs=1e-8 * size)
        assert found["embedded"].joint_moment == pytest.approx(found[way].joint_moment, rel=1e-8, abs=1e-8 * size)
        assert found["embedded"].scalar_value == pytest.approx(found[way].scalar_value, rel=1e-8, abs=1e-8 * size)
        assert found["embedded"].supplied == pytest.approx(found[way].supplied, rel=1e-8, abs=1e-8 * size)


@models
def test_freedoms_and_redundant_rows_are_counted(cases, name):
    case = cases[name]
    state = case.make_state(5)
    for way, solver in case.solvers.items():
        case.solve(way, state)
        assert solver.find_freedom_count() == FREEDOMS[name]
    assert case.solvers["embedded"].find_redundant_count() == REDUNDANT.get(name, 0)


@models
def test_states_of_the_others_are_left_as_they_are(cases, name):
    """A consistent state is one for the embedded loops too: nothing moves by more than rounding."""
    case = cases[name]
    state = case.make_state(6)
    moved = case.copy(state)
    case.solvers["embedded"].advance(moved, 0, 1e-3)
    assert moved.x == pytest.approx(state.x, abs=1e-11)
    assert moved.v == pytest.approx(state.v, abs=1e-8 * (1 + np.abs(state.v).max()))
