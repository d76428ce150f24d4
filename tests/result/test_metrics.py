from __future__ import annotations

import json

import numpy as np
import pytest
from synthetic_track import RADIUS, Drive, make_pendulum_result, make_result

from grouser.errors import ResultError
from grouser.model.model import Model
from grouser.result.facts import say_motion, say_value
from grouser.result.metrics import calc_energy_residual, calc_summary, calc_track
from grouser.result.result import Result
from grouser.result.writer import Block, ResultWriter

SPEED = RADIUS * 8.0 * 0.9
ENERGIES = ("kinetic", "potential", "work_motions", "work_forces", "residual")


def make_energy_result(**energies: np.ndarray) -> Result:
    blocks = [Block("energy", name, ("energy",), ("value",), "J") for name in ENERGIES]
    # the lift by 10 um, which tells rest from motion, takes 1e-4 J
    model = Model(name="ball", bodies={"ball": {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}}, gravity=(0.0, 0.0, -10.0))
    writer = ResultWriter(None, header={}, blocks=blocks, model=model)
    time = np.linspace(0.0, 1.0, 101)
    values = {f"energy/{name}": np.zeros((101, 1)) for name in ENERGIES}
    values.update({f"energy/{name}": value[:, None] for name, value in energies.items()})
    writer.add_frames(time, values)
    return writer.finish("done")


def test_a_straight_run():
    summary = calc_summary(make_result())
    for key in ("distance", "path_length", "displacement", "displacement_forward"):
        assert summary[key] == pytest.approx(2.0 * SPEED), key
    assert summary["final_speed"] == pytest.approx(SPEED)
    assert summary["lateral_drift"] == pytest.approx(0.0, abs=1e-12)
    assert summary["yaw_angle"] == pytest.approx(0.0, abs=1e-12)
    assert summary["turn_radius"] is None
    assert summary["slip"] == pytest.approx(0.1)
    assert summary["energy_residual"] == pytest.approx(0.5 / 200.0)
    assert summary["max_pin_deformation"] == pytest.approx(1e-5)
    assert summary["max_link_tension"] == 10_000.0
    assert summary["mean_link_tension"] == pytest.approx(0.75 * 5500.0)
    assert summary["events"] == []


def test_a_turn():
    rate = 0.8
    summary = calc_summary(make_result(Drive(yaw_rate=rate, duration=3.0)))
    radius = SPEED / rate
    assert summary["yaw_angle"] == pytest.approx(3.0 * rate)
    assert summary["turn_radius"] == pytest.approx(radius, rel=1e-4)
    assert summary["distance"] == summary["path_length"] == pytest.approx(3.0 * SPEED, rel=1e-4)
    assert summary["displacement"] == pytest.approx(2.0 * radius * np.sin(1.5 * rate))
    assert summary["displacement_forward"] == pytest.approx(radius * np.sin(3.0 * rate))
    assert summary["lateral_drift"] == pytest.approx(radius * (1 - np.cos(3.0 * rate)))
    assert summary["final_speed"] == pytest.approx(SPEED)


def test_a_turn_by_more_than_a_quarter_shows_how_far_it_went():
    """Its place lies behind the start: the way along the first heading is negative, and no distance."""
    summary = calc_summary(make_result(Drive(yaw_rate=1.2, duration=3.0)))
    assert summary["displacement_forward"] < 0.0
    shown = say_motion(summary)
    assert shown["distance"] == say_value(3.0 * SPEED, "m")
    assert shown["straight from start to end"] == say_value(summary["displacement"], "m")
    earlier = {**summary, "distance": summary["displacement_forward"]}
    del earlier["displacement"], earlier["displacement_forward"]
    assert say_motion(earlier)["distance"] == shown["distance"]


def test_yaw_beyond_half_a_turn_is_counted_on():
    summary = calc_summary(make_result(Drive(yaw_rate=-3.0, duration=4.0)))
    assert summary["yaw_angle"] == pytest.approx(-12.0)


def test_tension_of_a_track():
    result = make_result()
    left = calc_track(result, "left")
    assert left["tension_mean"] == pytest.approx(5500.0)
    assert left["tension_max"] == 10_000.0
    assert left["tension_p99"] == 10_000.0
    assert calc_track(result, "right")["tension_max"] == 5_000.0
    with pytest.raises(ResultError, match="no track 'middle'; there are: left, right"):
        calc_track(result, "middle")


def test_a_model_without_tracks_leaves_their_keys_empty():
    summary = calc_summary(make_pendulum_result())
    for key in ("slip", "max_pin_deformation", "max_link_tension", "mean_link_tension", "turn_radius"):
        assert summary[key] is None
    assert summary["tracks"] == {}
    assert summary["events"] == []
    assert summary["path_length"] > 0.0


def test_the_residual_of_a_run_without_drives_is_compared_with_what_moves_about():
    result = make_pendulum_result()
    kinetic = np.sin(3.0 * result.time) ** 2
    assert calc_energy_residual(result) == pytest.approx(2e-3 / (kinetic.max() + np.ptp(kinetic)))


def test_the_residual_before_the_drive_does_not_count():
    time = np.linspace(0.0, 1.0, 101)
    work = np.where(time > 0.5, 1000.0 * (time - 0.5), 0.0)
    before = make_energy_result(work_motions=work, residual=np.where(time < 0.3, 40.0 * time, 5.0))
    assert calc_energy_residual(before) == pytest.approx(5.0 / 500.0)


def test_work_of_forces_and_of_motions_count_together_and_from_the_first_frame():
    time = np.linspace(0.0, 1.0, 101)
    result = make_energy_result(
        work_motions=70.0 + 30.0 * time, work_forces=-10.0 * time, residual=3.0 + 0.4 * time, kinetic=time
    )
    assert calc_energy_residual(result) == pytest.approx(0.4 / 20.0)


def test_a_run_at_rest_has_no_residual():
    time = np.linspace(0.0, 1.0, 101)
    assert calc_energy_residual(make_energy_result()) is None
    assert calc_energy_residual(make_energy_result(kinetic=0.9e-4 * time, residual=1e-5 * time)) is None
    assert calc_energy_residual(make_energy_result(kinetic=1.1e-4 * time, residual=1.1e-6 * time)) == pytest.approx(
        0.01
    )
    assert calc_energy_residual(make_energy_result(work_forces=2e-4 * time, residual=1e-5 * time)) == pytest.approx(
        0.05
    )


def test_the_way_is_that_of_the_centre_of_mass():
    """A body that turns on the spot about its centre of mass goes nowhere, wherever its origin is."""
    time = np.linspace(0.0, 1.0, 101)
    angle, rate = 2.0 * time, 2.0
    model = Model(name="top", bodies={"top": {"mass": 1.0, "inertia": (1.0, 1.0, 1.0), "com": (-2.0, 0.5, 0.0)}})
    zero = np.zeros_like(time)
    rotation = np.moveaxis(np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]), -1, 0)
    origin = np.column_stack([rotation @ [2.0, -0.5], zero])
    values = {
        "body/position": origin[:, None],
        "body/orientation": np.column_stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)])[:, None],
        "body/velocity": np.column_stack([-rate * origin[:, 1], rate * origin[:, 0], zero])[:, None],
        "body/angular_velocity": np.column_stack([zero, zero, zero + rate])[:, None],
    }
    blocks = [Block(*name.split("/"), ("top",), tuple("wxyz"[-value.shape[2] :]), "") for name, value in values.items()]
    writer = ResultWriter(None, header={}, blocks=blocks, model=model)
    writer.add_frames(time, values)
    summary = calc_summary(writer.finish("done"))
    for key in ("distance", "displacement", "displacement_forward", "lateral_drift", "final_speed"):
        assert summary[key] == pytest.approx(0.0, abs=1e-12), key
    assert summary["yaw_angle"] == pytest.approx(2.0)


def test_a_summary_is_json_even_if_the_run_diverged():
    drive = Drive()
    result = make_result(drive)
    json.dumps(calc_summary(result), allow_nan=False)

    blocks = [
        Block("body", "position", tuple(result.model.bodies), ("x", "y", "z"), "m"),
        Block("body", "orientation", tuple(result.model.bodies), ("w", "x", "y", "z"), "-"),
        Block("body", "velocity", tuple(result.model.bodies), ("x", "y", "z"), "m/s"),
        Block("joint", "deformation", tuple(result.model.joints), ("value",), "m"),
        Block("track", "slip", tuple(result.model.tracks), ("value",), "-"),
    ]
    writer = ResultWriter(None, header={}, blocks=blocks, model=result.model)
    values = {block.name: np.ones((3, *block.shape)) for block in blocks}
    for value in values.values():
        value[1] = 1e300
        value[2] = np.nan
    writer.add_frames([0.0, 0.1, 0.2], values)
    summary = calc_summary(writer.finish("failed", "diverged"))
    text = json.dumps(summary, allow_nan=False)
    assert summary["distance"] is None
    assert "broken_link" in text


def test_a_result_without_frames_has_an_empty_summary():
    result = make_result()
    blocks = [Block("body", "position", tuple(result.model.bodies), ("x", "y", "z"), "m")]
    summary = calc_summary(ResultWriter(None, header={}, blocks=blocks, model=result.model).finish("failed"))
    assert summary["distance"] is None and summary["duration"] is None


def test_stored_and_detected_events_are_listed_once_by_time():
    found = make_result(Drive(broken_time=1.2, thrown_time=0.7))
    detected = calc_summary(found)["events"]
    assert [event["kind"] for event in detected] == ["detracking", "broken_link"]

    writer = ResultWriter(None, header={}, model=found.model, blocks=[_joint_block(found)])
    writer.add_frames(found.time, {"joint/deformation": found.block("joint/deformation")[0]})
    writer.add_event(**detected[1])
    writer.add_event(0.1, "note", "chassis", "told by the simulation")
    kinds = [event["kind"] for event in calc_summary(writer.finish("done"))["events"]]
    assert kinds == ["note", "broken_link"]


def _joint_block(result: Result) -> Block:
    return Block("joint", "deformation", result.block("joint/deformation")[1], ("value",), "m")
