"""Linkages turned in space and of any size: they are assembled, move and stop as if they were not."""

import numpy as np
import pytest
from embedded_case import Placed, Run
from linkages import make_driven, make_equal_slider_crank, make_four_bar, make_hooke, make_suspension, turn_model
from scipy.spatial.transform import Rotation

from grouser.catalog.benchmarks.windows import make_windows
from grouser.formulations.status import DONE, OPEN, UNDETERMINED

TURNS = [np.eye(3), *Rotation.random(5, random_state=7).as_matrix()]
POSES = [*((turn, 1.0) for turn in TURNS), (TURNS[1], 1e-3), (TURNS[2], 1e2)]
"""Rotations of a linkage as a whole, and its size."""
ROUNDING = 1e-9
"""Accuracy to which turned linkages agree: some 1e-13 a step, over hundreds of steps."""
RATIO = 1e-10
"""Accuracy of a ratio of two speeds, which hold by the constraints alone."""


def calc_hooke_ratio(bend, turned):
    """Speed of the bent shaft beside that of the first, whose pin has turned by an angle from the normal of both."""
    return np.cos(bend) / (1.0 - (np.sin(bend) * np.sin(turned)) ** 2)


@pytest.mark.parametrize("degrees", range(0, 81, 5))
def test_universal_joint_has_its_closed_form(degrees):
    """Shafts bent by any angle, in any orientation and size, by `embedded` and by `augmented`."""
    bend, step = np.radians(degrees), 1e-3
    axis, bent = np.array([1.0, 0.0, 0.0]), np.array([np.cos(bend), 0.0, np.sin(bend)])
    angles = []
    for turn, size in POSES:
        run = Run(turn_model(make_hooke(bend), turn, size), integrator="rk4")
        state = run.start()
        for _ in range(10):
            run.advance(state, 20, step)
            speeds = np.einsum("ijk,ik->ij", state.R[1:3], state.w[1:3]) @ turn @ np.column_stack([axis, bent])
            pin = turn.T @ state.R[1] @ (0.0, 1.0, 0.0)
            ratio = calc_hooke_ratio(bend, np.arctan2(pin[2], pin[1]))
            assert speeds[1, 1] / speeds[0, 0] == pytest.approx(ratio, rel=RATIO)
        assert run.calc_gap(state) < 1e-12 * max(1.0, size)
        angles.append(turn.T @ state.R[1])
    assert np.ptp(angles, axis=0).max() < ROUNDING
    reference = Run(make_hooke(bend), formulation="augmented", integrator="rk4")
    state = reference.start()
    reference.advance(state, 200, step)
    assert state.R[1] == pytest.approx(angles[0], abs=1e-8)


def test_points_on_an_axis_have_no_closed_form():
    """They tell nothing of how far a body has turned; those of a wheel suspension, in any orientation, do."""
    assert not len(Placed(make_hooke(0.5)).closed.kind)
    for turn in TURNS:
        case = Placed(turn_model(make_suspension(fixed=True), turn))
        case.place(0.0)
        assert case.embedded.is_closed.all()


PARTING = {"one window": make_windows(1), "two windows": make_windows(2), "slider-crank": make_equal_slider_crank()}


@pytest.mark.parametrize("name", PARTING)
@pytest.mark.parametrize("integrator", ["trapezoidal", "rk4"])
@pytest.mark.parametrize("step", [1e-3, 7e-4])
def test_a_linkage_stops_where_its_ways_part(name, integrator, step):
    """All bars in a line, whether or not a step lands there: the same time, whatever the orientation and the size."""
    found = []
    for turn, size in POSES:
        run = Run(turn_model(PARTING[name], turn, size), integrator=integrator)
        state = run.start()
        status = DONE
        while status == DONE and state.time[0] < 2.0:
            status, element = run.solver.advance(state, 1, step)
        leaning = turn.T @ state.R[1]
        found.append([state.time[0], np.arctan2(leaning[0, 2], leaning[2, 2])])
        assert (status, element) == (UNDETERMINED, "")
    assert np.ptp(found, axis=0).max() < ROUNDING
    quarter = 0.5 * np.pi if name != "slider-crank" else -(0.5 * np.pi - 1.2)
    assert abs(found[0][1]) == pytest.approx(abs(quarter), abs=6.0 * step)  # at up to 5 rad/s


@pytest.mark.parametrize(
    ("model", "motions", "elements"),
    [
        pytest.param(
            make_suspension(fixed=True),
            {"lca-hinge-left": "2*t"},
            ("tierod-left",),
            id="beyond reach",
        ),
        pytest.param(make_four_bar(), {"a": "t", "d": "t"}, ("c", "drive-a", "drive-d"), id="contradiction"),
    ],
)
def test_a_driven_linkage_stops_where_it_cannot_be_closed(model, motions, elements):
    found = []
    for turn, size in POSES:
        run = Run(make_driven(turn_model(model, turn, size), **motions))
        state = run.start()
        status = DONE
        while status == DONE and state.time[0] < 2.0:
            status, element = run.solver.advance(state, 1, 1e-3)
        assert status == OPEN
        found.append((round(state.time[0] / 1e-3), element))
    assert found[0][1] in elements
    assert len(set(found)) == 1
