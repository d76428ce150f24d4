"""The closed track: shut, taut, seated, and cutting nothing."""

from __future__ import annotations

import re
import time
from math import cos, floor, hypot, pi, sin

import numpy as np
import pytest
from undercarriages import find_depth, find_tooth_depth, is_inside, make_random_undercarriage, with_count, with_travel

from grouser.catalog.tracked.clearance import ToothProfile, calc_tooth_gaps
from grouser.catalog.tracked.closing import calc_clearance, route_track
from grouser.catalog.tracked.march import find_root, find_tangent
from grouser.catalog.tracked.routing import LoopMaker, Route, Undercarriage
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import load_vehicle
from grouser.errors import ModelError
from grouser.model.gap import calc_tip_angle

CLOSURE = 1.0e-9
"""What the loop has to close to [m]."""

PENETRATION = 1.0e-6
"""Overlap that counts as none [m]."""


def make_catalog_undercarriage(name: str, side: str) -> Undercarriage:
    vehicle = load_vehicle(name)
    assert isinstance(vehicle, TrackedVehicle)
    return vehicle.make_side(side).make_undercarriage(side)  # type: ignore[arg-type]


CATALOG = [make_catalog_undercarriage(*key) for key in (("m113", "left"), ("m113", "right"), ("m113-paper", "left"))]
RANDOM = [make_random_undercarriage(seed) for seed in range(40)]


@pytest.fixture(params=[*CATALOG, *RANDOM], ids=["m113-left", "m113-right", "paper", *map(str, range(len(RANDOM)))])
def given(request: pytest.FixtureRequest) -> Undercarriage:
    return request.param


def check_route(given: Undercarriage, route: Route) -> None:
    assert route.pins.shape == (given.count, 2)
    lengths = np.hypot(*(np.roll(route.pins, -1, axis=0) - route.pins).T)
    assert np.max(np.abs(lengths - given.pitch)) < CLOSURE
    idler = given.find_idler(route.idler_shift)
    assert given.travel[0] <= route.idler_shift <= given.travel[1]
    for circle in (*given.road_wheels, *given.rollers, idler):
        assert is_inside(route, *circle[:2])
        assert find_depth(route, circle) < PENETRATION
    assert find_tooth_depth(given, route) < PENETRATION


def test_loop_is_closed_and_cuts_nothing(given: Undercarriage) -> None:
    check_route(given, route_track(given))


def test_track_touches_what_it_wraps(given: Undercarriage) -> None:
    route = route_track(given)
    assert abs(find_depth(route, given.find_idler(route.idler_shift))) < 1e-4  # sampled: 41 points to a link
    clearance = calc_clearance(given, route)
    assert np.all(np.abs(clearance.road_wheels) < CLOSURE)  # all on one level
    assert abs(clearance.idler) < CLOSURE
    assert np.all(clearance.rollers > -CLOSURE)


def test_nothing_hangs_below_the_ground_run(given: Undercarriage) -> None:
    lowest = min(z - r for _, z, r in given.road_wheels)
    assert np.min(route_track(given).pins[:, 1]) > lowest - CLOSURE


def test_track_is_convex_and_turns_once(given: Undercarriage) -> None:
    angles = route_track(given).angles
    turns = np.diff(np.append(angles, angles[0]))
    turns = (turns + pi) % (2.0 * pi) - pi
    assert np.min(turns) > -1e-9
    assert np.sum(turns) == pytest.approx(2.0 * pi)


def test_seated_pins_stand_in_the_middle_of_gaps(given: Undercarriage) -> None:
    route = route_track(given)
    teeth = given.profile.teeth
    radius = 0.5 * given.pitch / sin(pi / teeth)
    from_centre = route.pins - np.array(given.sprocket)
    on_circle = np.abs(np.hypot(*from_centre.T) - radius) < 1e-9
    angle = np.arctan2(from_centre[:, 1], from_centre[:, 0]) - route.sprocket_angle
    off_gap = np.abs((angle + pi / teeth) % (2.0 * pi / teeth) - pi / teeth)
    seated = on_circle & (off_gap < 1e-9)
    assert np.count_nonzero(seated) == route.seated + 1
    assert 0.3 * teeth <= route.seated < teeth - 1


def test_links_touch_the_idler_in_their_middle() -> None:
    # out of step the idler takes up to 60 mm more chain, which the tensioner would lose when the track settles
    for given in CATALOG:
        route = route_track(given)
        x, z, radius = given.find_idler(route.idler_shift)
        apart = np.hypot(route.centres[:, 0] - x, route.centres[:, 1] - z) - radius
        assert np.count_nonzero(np.abs(apart) < 1e-9) >= 4


@pytest.mark.parametrize(("given", "shift"), list(zip(CATALOG, (0.0136, 0.0444, 0.0), strict=True)))
def test_idler_stands_where_the_length_of_the_belt_puts_it(given: Undercarriage, shift: float) -> None:
    """Wrap path of the data's own check: belt of mean polygon length; the phase of the links is worth a millimetre."""
    assert route_track(given).idler_shift == pytest.approx(shift, abs=2e-3)


def test_paper_track_has_the_length_of_its_wrap_path() -> None:
    given = CATALOG[2]
    assert LoopMaker(given).lay(0.0).count * given.pitch == pytest.approx(9.7037, abs=4e-3)


def test_routing_is_fast() -> None:
    start = time.perf_counter()
    for given in CATALOG:
        route_track(given)
    assert (time.perf_counter() - start) / len(CATALOG) < 0.3


def test_sprocket_at_the_rear_is_the_mirror_image() -> None:
    given = CATALOG[0]

    def flip(circle: tuple[float, ...]) -> tuple[float, ...]:
        return (-circle[0], *circle[1:])

    rear = Undercarriage(
        **{
            **vars(given),
            "idler": flip(given.idler),
            "axis": flip(given.axis),
            "road_wheels": tuple(map(flip, given.road_wheels)),
            "tooth_pins": tuple(map(flip, given.tooth_pins)),
        }
    )
    front, back = route_track(given), route_track(rear)
    assert back.idler_shift == pytest.approx(front.idler_shift, abs=1e-12)
    mirrored = np.vstack([front.pins[:1], front.pins[:0:-1]]) * (-1.0, 1.0)
    assert np.max(np.abs(back.pins - mirrored)) < 1e-9
    check_route(rear, back)


def test_inclined_tensioner_and_uneven_wheels() -> None:
    given = CATALOG[0]
    wheels = tuple((x, z + dz, r) for (x, z, r), dz in zip(given.road_wheels, (0.02, 0, 0.005, 0, 0.01), strict=True))
    tilted = Undercarriage(**{**vars(given), "axis": (-cos(0.3), sin(0.3)), "road_wheels": wheels})
    route = route_track(tilted)
    check_route(tilted, route)
    assert calc_clearance(tilted, route).road_wheels[2] > 1e-3  # hangs over the run of its neighbours


def read_numbers(text: str) -> tuple[float, list[int], float]:
    missing = float(re.search(r"is ([\d.]+) mm too", text)[1])  # type: ignore[index]
    counts = [int(n) for n in re.search(r"fit the travel: ([\d, ]+)\.", text)[1].split(",")]  # type: ignore[index]
    shift = float(re.search(r"need the idler at ([+-][\d.]+) mm", text)[1])  # type: ignore[index]
    return missing, counts, shift


@pytest.mark.parametrize("count", [61, 66])
def test_message_of_a_loop_that_cannot_close_has_numbers_that_fit(count: int) -> None:
    given = with_count(CATALOG[0], count)
    with pytest.raises(ModelError) as caught:
        route_track(given)
    missing, counts, shift = read_numbers(str(caught.value))
    assert counts == [63, 64]
    for fitting in counts:
        check_route(given := with_count(given, fitting), route_track(given))
    given = with_count(given, count)
    wide = with_travel(given, min(-0.05, shift / 1e3 - 0.01), max(0.1, shift / 1e3 + 0.01))
    assert route_track(wide).idler_shift * 1e3 == pytest.approx(shift, abs=0.06)
    end = given.travel[0] if count < 63 else given.travel[1]
    excess = (LoopMaker(given).lay(end).count - count) * given.pitch
    assert abs(excess) * 1e3 == pytest.approx(missing, abs=0.06)
    assert ("too short" if excess > 0.0 else "too long") in str(caught.value)


def test_message_when_no_count_fits_the_travel() -> None:
    given = with_travel(CATALOG[0], 0.02, 0.03)
    with pytest.raises(ModelError, match="No link count fits the travel") as caught:
        route_track(given)
    found = re.findall(r"(\d+) links with the idler at ([+-][\d.]+) mm", str(caught.value))
    assert [int(count) for count, _ in found] == [63, 64]
    for count, shift in found:
        place = float(shift) / 1e3
        fitting = with_travel(with_count(given, int(count)), place - 1e-4, place + 1e-4)
        check_route(fitting, route_track(fitting))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"idler": (-3.95, -0.9, 0.285)}, "no two road wheels stand on a common straight run"),
        ({"idler": (-2.0, -0.12, 0.05)}, "the idler does not touch the track"),
        ({"idler": (-3.95, -0.2, 0.2), "travel": (-1.5, 0.1)}, "the idler lies inside the loop"),
        ({"sprocket": (-2.0, -0.1)}, "left track: the sprocket lies inside the loop"),
        ({"profile": ToothProfile(10, 0.04, 0.26, 0.2605)}, "pins cut the teeth"),
    ],
)
def test_impossible_undercarriages_are_refused_in_words(change: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        route_track(Undercarriage(**{**vars(CATALOG[0]), **change}))  # type: ignore[arg-type]


def test_tangent_leaves_every_circle_on_its_left() -> None:
    circles = [(2.0, 0.5, 0.4), (3.0, 0.2, 0.5), (4.0, 1.0, 0.3)]
    (dx, dz), length, index = find_tangent((0.0, -0.5), circles)
    distances = [-dz * x + dx * (z + 0.5) - r for x, z, r in circles]
    assert hypot(dx, dz) == pytest.approx(1.0)
    assert min(distances) == pytest.approx(0.0, abs=1e-12)
    assert int(np.argmin(distances)) == index
    x, z, r = circles[index]
    assert length == pytest.approx((hypot(x, z + 0.5) ** 2 - r**2) ** 0.5)


def test_root_of_a_function_with_a_kink() -> None:
    def f(x: float) -> float:
        return x - 0.3 if x < 0.3 else 50.0 * (x - 0.3)

    assert find_root(f, 0.0, 1.0, f(0.0), f(1.0)) == pytest.approx(0.3, abs=1e-14)
    assert find_root(floor, 0.0, 1.0, 0.0, 1.0) == 0.0


def test_gap_to_the_teeth_follows_arc_tip_and_land() -> None:
    profile = ToothProfile(teeth=10, arc_radius=0.056, arc_centre_radius=0.267, addendum_radius=0.2598)
    half = calc_tip_angle(profile)
    places = np.array(
        [
            [0.221, 0.0],  # 10 mm over the bottom of the gap at 0.211
            [0.25 * cos(pi / 10), 0.25 * sin(pi / 10)],  # inside the tooth
            [0.28 * cos(pi / 10), 0.28 * sin(pi / 10)],  # over the land
            [0.2598 * cos(half), 0.2598 * sin(half)],  # the corner itself
        ]
    )
    gaps = calc_tooth_gaps(profile, places, 0.0)
    assert gaps[0] == pytest.approx(0.010)
    assert gaps[1] < 0.0
    assert gaps[2] == pytest.approx(0.0202)
    assert gaps[3] == pytest.approx(0.0, abs=1e-12)
