"""Joints by forces: light bodies that carry heavy ones, and joints that open all the same."""

import math

import numpy as np
import pytest

import grouser as gr
from grouser.compile.load import calc_carried_masses
from grouser.compile.realization import GIVING, Penalty, PenaltyScaled
from grouser.errors import SolveError
from grouser.families.joint.rows import find_raised
from grouser.model.size import calc_joint_sizes
from grouser.presets import PRESETS, find_preset
from grouser.result.opening import APART_SHARE, OPEN_SHARE

SIZE = 0.05
"""Of the shackle, from its centre to either pin [m]."""
LOAD = 500.0
"""What hangs on it [kg]."""


def make_hoist(mass=0.01):
    """A shackle of 10 g between a beam and a load."""
    builder = gr.ModelBuilder("hoist")
    builder.add_body("beam", 50.0, (5.0, 5.0, 0.5))
    builder.add_body("shackle", mass, (mass * SIZE**2 / 6,) * 3, position=(0.0, 0.0, -SIZE))
    builder.add_body("load", LOAD, (50.0, 50.0, 50.0), position=(0.0, 0.0, -2 * SIZE - 0.5))
    builder.add_joint("mount", "fixed", "world", "beam")
    builder.add_joint("upper", "spherical", "beam", "shackle")
    builder.add_joint("lower", "spherical", "shackle", "load", point=(0.0, 0.0, -2 * SIZE))
    return builder.build()


def test_a_shackle_holds_a_load_of_fifty_thousand_times_its_mass():
    """The load falls into the springs of two joints: by twice their static deformation, of 1 g out of 10 g each."""
    result = gr.simulate(make_hoist(), preset="penalty", duration=0.2)
    static = 0.1 * GIVING * SIZE
    gaps = [result[f"{joint}.deformation"].max() for joint in ("upper", "lower")]
    assert max(gaps) == pytest.approx(2.0 * static, rel=0.05)
    assert np.ptp(result["load.position"][:, 2]) == pytest.approx(4.0 * static, rel=0.05)
    assert {event["kind"] for event in result.summary["events"]} == {"costly joint"}
    assert {event["element"] for event in result.summary["events"]} == {"upper", "lower"}


def test_what_joints_carry():
    """On the world all that hangs below; between free bodies the lighter part; in a loop all that the loop carries."""
    assert calc_carried_masses(make_hoist()) == pytest.approx({"mount": 550.01, "upper": 500.01, "lower": 500.0})
    builder = gr.ModelBuilder("free")
    for name, mass in (("heavy", 100.0), ("middle", 1.0), ("light", 10.0)):
        builder.add_body(name, mass, (1.0, 1.0, 1.0))
    builder.add_joint("one", "revolute", "heavy", "middle")
    builder.add_joint("two", "revolute", "middle", "light")
    assert calc_carried_masses(builder.build()) == pytest.approx({"one": 11.0, "two": 10.0})
    builder.add_joint("three", "revolute", "light", "heavy")
    builder.add_body("weight", 20.0, (1.0, 1.0, 1.0))
    builder.add_joint("four", "revolute", "middle", "weight")
    carried = {"one": 31.0, "two": 31.0, "three": 31.0, "four": 20.0}
    assert calc_carried_masses(builder.build()) == pytest.approx(carried)


@pytest.mark.parametrize("vehicle", ["m113", "m113-paper", "hmmwv", "crawler"])
def test_vehicles_keep_their_joints(vehicle):
    model = gr.vehicles.make_vehicle(gr.vehicles.load_vehicle(vehicle))
    assert find_raised(model, PRESETS["penalty"].realizations) == {}


def test_the_frequency_is_that_of_what_is_carried():
    scaled = PenaltyScaled(frequency=1e3)
    assert scaled.calc_frequency(1.0, 1.0, 1.0) == 1e3
    raised = scaled.calc_frequency(0.01, 1000.0, 0.1)
    assert 0.01 * raised**2 * GIVING * 0.1 == pytest.approx(98.1 * 1000.0)
    assert scaled.calc_gains(0.01, raised)[0] == pytest.approx(0.01 * raised**2)


def simulate_soft(share):
    """The hoist with joints so soft that its load opens each by twice a share of its size, while it swings."""
    model = make_hoist(mass=10.0)
    size = calc_joint_sizes(model)["lower"]
    k = (LOAD + 10.0) * 9.81 / (share * size)
    preset = find_preset("penalty").with_realization("*", Penalty(k=k, c=0.0, arm=1.0))
    return gr.simulate(model, preset=preset, duration=2.0 * math.pi * math.sqrt(2.0 * LOAD / k))


def test_a_joint_that_opens_is_told():
    result = simulate_soft(0.9 * OPEN_SHARE)
    events = {event["element"]: event for event in result.summary["events"] if event["kind"] == "joint open"}
    assert {"upper", "lower"} <= set(events)
    assert "mm" in events["lower"]["message"] and "stiffer" in events["lower"]["message"]
    assert 0.0 < events["lower"]["time"] < result.time[-1]
    assert simulate_soft(0.4 * OPEN_SHARE).summary["events"] == []


def test_a_joint_that_comes_apart_stops_the_run_and_keeps_what_was_there():
    with pytest.raises(SolveError, match="has opened by") as caught:
        simulate_soft(0.9 * APART_SHARE)
    assert caught.value.status == "opened"
    assert caught.value.element in ("upper", "lower")
    result = caught.value.result
    assert result.time[-1] == pytest.approx(caught.value.time)
    assert result.summary["events"][-1]["kind"] == "opened"
    assert result.summary["simulated_time"] == result.time[-1]
