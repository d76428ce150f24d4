from __future__ import annotations

import numpy as np
import pytest
from synthetic_track import LINKS, Drive, make_result

from grouser.result.detect import find_events


def find_kinds(drive: Drive) -> list[tuple[str, str]]:
    return [(event.kind, event.element) for event in find_events(make_result(drive))]


@pytest.mark.parametrize(
    "drive",
    [
        Drive(),
        Drive(sprocket_speed=-8.0),
        Drive(sprocket_speed=0.0),
        Drive(sprocket_speed=25.0, yaw_rate=1.0, interval=0.002),
        Drive(interval=0.05, duration=20.0),
    ],
    ids=["forward", "backward", "parked", "fast turn", "coarse"],
)
def test_a_good_run_has_no_events(drive):
    assert find_kinds(drive) == []


@pytest.mark.parametrize("interval", [0.001, 0.01, 0.05])
@pytest.mark.parametrize("sprocket_speed", [0.0, 8.0, -8.0])
def test_a_jump_of_one_tooth_is_found_once(interval, sprocket_speed):
    events = find_events(make_result(Drive(sprocket_speed=sprocket_speed, jump_time=1.0, interval=interval)))
    assert [event.kind for event in events] == ["tooth_jump"]
    assert events[0].time == pytest.approx(1.02, abs=0.02 + interval)
    assert events[0].element.startswith("left.link")
    assert "track 'left' jumped" in events[0].message


def test_a_jump_is_told_at_its_time():
    drives = [Drive(sprocket_speed=0.0, jump_time=time) for time in (0.5, 1.5)]
    first, second = (find_events(make_result(drive))[0].time for drive in drives)
    assert second - first == pytest.approx(1.0)


def test_a_thrown_link_is_found_at_its_time():
    events = find_events(make_result(Drive(thrown_time=0.7, yaw_rate=0.6)))
    assert [(event.kind, event.element) for event in events] == [("detracking", "right.link3")]
    assert events[0].time == pytest.approx(0.7)
    assert "0.070 m" in events[0].message and "limit 0.060 m" in events[0].message


def test_a_track_in_the_air_is_found_and_the_other_is_not():
    events = find_events(make_result(Drive(airborne=(0.5, 0.8))))
    assert [(event.kind, event.element) for event in events] == [("lost_contact", "left")]
    assert events[0].time == pytest.approx(0.5)
    assert "0.30 s" in events[0].message


def test_a_short_hop_and_the_fall_at_the_start_are_not_reported():
    assert find_kinds(Drive(airborne=(0.5, 0.58))) == []
    assert find_kinds(Drive(airborne=(0.0, 0.8))) == []


def test_a_track_that_ends_in_the_air_is_found():
    assert find_kinds(Drive(airborne=(1.5, 9.0))) == [("lost_contact", "left")]


def test_an_open_pin_is_found():
    events = find_events(make_result(Drive(broken_time=1.2)))
    assert [(event.kind, event.element) for event in events] == [("broken_link", "left.pin4")]
    assert events[0].time == pytest.approx(1.2)


def test_the_synthetic_pins_sit_in_the_gaps():
    """Guards the ground on which the tests above stand: pins on the front half circle lie in gaps."""
    result = make_result(Drive(sprocket_speed=3.0))
    sprocket = result.calc_rotations(["left.sprocket"])[:, 0]
    centre = result["left.sprocket.position"]
    seated = 0
    for link in (f"left.link{i}" for i in range(LINKS)):
        rotation = result.calc_rotations([link])[:, 0]
        pin = result[f"{link}.position"] + rotation[:, :, 0] * 0.075
        local = np.einsum("fji,fj->fi", sprocket, pin - centre)
        is_front = (pin - centre)[:, 0] > 0.02
        gap = np.arctan2(local[:, 0], local[:, 2]) * 6 / (2 * np.pi)
        # a chord is a little shorter than its arc, so pins lie up to 3 % of a gap off
        assert np.abs(gap - np.round(gap))[is_front].max(initial=0.0) < 0.05
        seated += int(is_front.sum())
    assert seated > len(result.time)
