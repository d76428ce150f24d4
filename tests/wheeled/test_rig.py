"""The kinematics rig against the numbers of the data, and against distances solved by least squares."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from grouser.catalog.vehicles import load_vehicle
from grouser.catalog.wheeled.rig import calc_steering_curves, calc_travel_curves
from grouser.errors import GrouserError

# columns: travel [m], camber [deg], spring length, shock length [m], motion ratio, wheel force with the linear spring
# [N]; derived from the joint equations of the hardpoints when the data was collected, independent of this program
TABLES = {
    "front": [
        (-0.10, 1.03, 0.2932, 0.4194, 0.491, 3759.0),
        (-0.05, 0.89, 0.2694, 0.3956, 0.466, 5416.0),
        (0.00, 0.00, 0.2465, 0.3726, 0.452, 6983.0),
        (0.05, -1.44, 0.2241, 0.3501, 0.444, 8520.0),
        (0.10, -3.36, 0.2020, 0.3279, 0.440, 10058.0),
    ],
    "rear": [
        (-0.10, 2.34, 0.3512, 0.4102, 0.470, None),  # beyond the rebound stop, which the table does not have
        (-0.05, 1.48, 0.3282, 0.3870, 0.450, 8940.0),
        (0.00, 0.00, 0.3060, 0.3645, 0.439, 12316.0),
        (0.05, -1.97, 0.2842, 0.3425, 0.432, 15594.0),
        (0.10, -4.41, 0.2628, 0.3209, 0.428, 18833.0),
    ],
}


@pytest.fixture(scope="module")
def vehicle():
    return load_vehicle("hmmwv")


@pytest.fixture(scope="module")
def curves(vehicle):
    return {axle: calc_travel_curves(vehicle, axle, (-0.1, 0.1), 9) for axle in vehicle.axles}


@pytest.mark.parametrize("axle", TABLES)
def test_curves_are_those_of_the_data(curves, axle):
    for row, (travel, camber, spring, shock, ratio, force) in zip(range(0, 9, 2), TABLES[axle], strict=True):
        found = {name: float(getattr(curves[axle], name)[row]) for name in curves[axle]._fields}
        assert found["travel"] == pytest.approx(travel)
        assert np.degrees(found["camber"]) == pytest.approx(camber, abs=0.006)
        assert found["spring_length"] == pytest.approx(spring, abs=6e-5)
        assert found["shock_length"] == pytest.approx(shock, abs=6e-5)
        assert found["spring_ratio"] == pytest.approx(ratio, abs=6e-4)
        if force is not None:
            assert found["wheel_force"] == pytest.approx(force, abs=1.0)


def test_bump_steer_is_that_of_the_data(curves):
    assert np.degrees(curves["front"].toe[[0, -1]]) == pytest.approx([1.06, -0.29], abs=0.006)


def solve_upright(points, travel):
    """Rotation and place of the upright at a wheel travel: least squares of the distances that the links keep."""
    p = {name: np.array(value) for name, value in points}
    fixed = ("lower_ball", "upper_ball", "tie_rod_outer", "spindle")
    links = [
        ("lower_ball", "lower_front"),
        ("lower_ball", "lower_rear"),
        ("upper_ball", "upper_front"),
        ("upper_ball", "upper_rear"),
        ("tie_rod_outer", "tie_rod_inner"),
    ]

    def place(unknown):
        a, b, c = unknown[3:]
        turn = np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])
        turn = np.linalg.solve(np.eye(3) - 0.5 * turn, np.eye(3) + 0.5 * turn)  # Cayley
        return {name: p["spindle"] + unknown[:3] + turn @ (p[name] - p["spindle"]) for name in fixed}, turn

    def gaps(unknown):
        at, _ = place(unknown)
        rows = [np.linalg.norm(at[a] - p[b]) - np.linalg.norm(p[a] - p[b]) for a, b in links]
        return [*rows, at["spindle"][2] - p["spindle"][2] - travel]

    found = least_squares(gaps, [0.0, 0.0, travel, 0.0, 0.0, 0.0], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert found.cost < 1e-22
    at, turn = place(found.x)
    return at, turn @ [0.0, 1.0, 0.0]


@pytest.mark.parametrize("axle", TABLES)
def test_curves_agree_with_distances_solved_by_least_squares(vehicle, curves, axle):
    points = vehicle.axles[axle].points
    for i, travel in enumerate(curves[axle].travel):
        at, axis = solve_upright(points, travel)
        assert curves[axle].camber[i] == pytest.approx(-np.arcsin(axis[2]), abs=1e-8)
        assert curves[axle].toe[i] == pytest.approx(np.arctan2(axis[0], axis[1]), abs=1e-8)
        assert curves[axle].wheel_recession[i] == pytest.approx(points.spindle[0] - at["spindle"][0], abs=1e-8)


def test_motion_ratio_is_the_slope_of_the_length(curves):
    front = curves["front"]
    slope = -np.gradient(front.spring_length, front.travel, edge_order=2)
    assert slope[1:-1] == pytest.approx(front.spring_ratio[1:-1], rel=5e-3)


def test_steering_turns_the_inner_wheel_more(vehicle):
    steering = calc_steering_curves(vehicle, 5)
    assert np.degrees(steering.left[0]) == pytest.approx(28.1, abs=0.15)  # -30 deg of the arm steer to the left
    assert np.degrees(steering.right[0]) == pytest.approx(24.8, abs=0.15)
    assert steering.left == pytest.approx(-steering.right[::-1], abs=1e-9)


def test_a_rig_beyond_its_reach_says_so(vehicle):
    with pytest.raises(GrouserError, match="cannot be assembled at a wheel travel of"):
        calc_travel_curves(vehicle, "front", (-0.1, 0.7), 9)
    with pytest.raises(GrouserError, match="unknown axle 'middle'"):
        calc_travel_curves(vehicle, "middle", (-0.1, 0.1))
