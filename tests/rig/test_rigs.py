"""The N-post rig: posts under every wheel of every vehicle, what moves them, and a vehicle at rest on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grouser.catalog.rig.mount import mount_on_rig
from grouser.catalog.rig.spec import Rig
from grouser.catalog.scenarios import Scenario, apply_scenario, load_scenario
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.trackless.build import make_trackless_vehicle, take_off_tracks
from grouser.catalog.trackless.spec import TracklessVehicle
from grouser.catalog.vehicles import hmmwv, list_vehicles, load_vehicle, m113, make_vehicle
from grouser.errors import ModelError
from grouser.model.contact import Rail, Wheel
from grouser.model.force import JointSpring
from grouser.model.model import Model
from grouser.model.schema import dump_model, load_document, validate_document
from grouser.model.signal import calc_signal_value
from grouser.result.result import Result
from grouser.simulate import simulate

ON_WHEELS = [name for name in list_vehicles() if name not in ("crawler", "rubber-robot")]
SIDES = ("left", "right")


def mount(vehicle: str = "npost-12", **rig: object) -> Model:
    excitation = rig.pop("excitation", {"type": "harmonic"})
    scenario = Scenario.model_validate({"name": "mine", "duration": 2.0, "rig": {"excitation": excitation, **rig}})
    return apply_scenario(load_vehicle(vehicle), scenario)


@pytest.fixture(scope="module")
def at_rest() -> Result:
    """The vehicle on posts that stand still."""
    posts = {f"{side}.post{i}": 0.0 for side in SIDES for i in range(1, 7)}
    return simulate(mount(excitation={"type": "signals", "posts": posts}), duration=0.5, output_interval=0.05)


# ------------------------------------------------------------------------------------------------------ what is built


@pytest.mark.parametrize("scenario", ["npost-shake", "npost-pitch", "npost-ramp"])
@pytest.mark.parametrize("vehicle", ON_WHEELS)
def test_every_vehicle_on_wheels_stands_on_posts(vehicle: str, scenario: str) -> None:
    model = apply_scenario(load_vehicle(vehicle), load_scenario(scenario))
    assert len(model.posts) == {"hmmwv": 4, "npost-12": 12}.get(vehicle, 10)
    assert model.terrain is None
    assert not model.tracks
    for post in model.posts.values():
        pan, wheel = np.array(model.bodies[post.pan].position), np.array(model.bodies[post.wheel].position)
        assert pan[:2] == pytest.approx(wheel[:2])
        rims = [
            shape.radius for shape in model.shapes.values() if isinstance(shape, Wheel) and shape.body == post.wheel
        ]
        assert pan[2] == pytest.approx(wheel[2] - rims[0])
        assert pan[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("vehicle", ["crawler", "rubber-robot"])
def test_vehicles_without_arms_are_refused(vehicle: str) -> None:
    with pytest.raises(ModelError, match="whose rollers have no arms"):
        mount(vehicle)


def test_a_whole_model_with_tracks_is_refused() -> None:
    rig = Rig.model_validate({"excitation": {"type": "harmonic"}})
    with pytest.raises(ModelError, match="is a whole model with tracks"):
        mount_on_rig(m113(), rig)


def test_a_whole_model_on_tyres_goes_on_posts() -> None:
    rig = Rig.model_validate({"excitation": {"type": "harmonic"}})
    whole = mount_on_rig(hmmwv(), rig)
    assert list(whole.posts) == ["left.post1", "left.post2", "right.post1", "right.post2"]
    assert whole == mount("hmmwv")


def test_taking_off_tracks_keeps_everything_but_the_links() -> None:
    vehicle = load_vehicle("m113")
    assert isinstance(vehicle, TrackedVehicle)
    bare, tracked = make_trackless_vehicle(take_off_tracks(vehicle)), make_vehicle(vehicle)
    links = sum(body.mass for name, body in tracked.bodies.items() if ".link" in name)
    assert bare.mass == pytest.approx(tracked.mass - links, rel=1e-12)
    rigid = take_off_tracks(vehicle.with_changes(suspension=False))
    assert make_trackless_vehicle(rigid).mass == pytest.approx(bare.mass, rel=1e-12)


def test_the_centre_of_what_is_left_stays() -> None:
    vehicle = load_vehicle("m113")
    assert isinstance(vehicle, TrackedVehicle)
    kept = take_off_tracks(vehicle)
    moment = vehicle.chassis.mass * np.array(vehicle.chassis.com)
    for side, y in (("left", vehicle.track_y), ("right", -vehicle.track_y)):
        gear = vehicle.make_side(side)
        moment += gear.sprocket.mass * np.array([gear.sprocket.centre[0], y, gear.sprocket.centre[1]])
        moment += gear.idler.mass * np.array([gear.idler.centre[0], y, gear.idler.centre[1]])
        x, dy, z = gear.idler.carrier.com
        slide = np.array([gear.idler.centre[0] + x, y + np.sign(y) * dy, gear.idler.centre[1] + z])
        moment += gear.idler.carrier.mass * slide
    assert kept.chassis.com == pytest.approx(moment / kept.chassis.mass, abs=1e-12)


def test_pans_have_stops_and_rails_but_those_of_the_second_and_fifth_wheel() -> None:
    model = mount()
    for name, post in model.posts.items():
        is_flat = name[-1] in "25"
        assert bool(post.on_stops) != is_flat
        assert bool(post.on_rails) != is_flat
        assert sum(isinstance(shape, Rail) and shape.body == post.pan for shape in model.shapes.values()) == (
            0 if is_flat else 2
        )
    assert not any(post.on_stops for post in mount(pans={"stops": None}).posts.values())
    assert not any(post.on_rails for post in mount(pans={"stops": {"side": None}}).posts.values())
    flat = [name for name, post in mount(pans={"flat": [1]}).posts.items() if not post.on_stops]
    assert flat == ["left.post1", "right.post1"]


def test_a_wheel_touches_the_stops_after_the_clearance() -> None:
    """The cylinder as corners lies within a millimetre of the circle."""
    model = mount(pans={"stops": {"clearance": 0.03, "radius": 0.025}})
    rail = model.shapes["left.post1.stop_front"]
    assert isinstance(rail, Rail)
    corners = np.array(rail.points)
    middle = np.array([0.03 + 2.0 * np.sqrt(0.35 * 0.025), 0.025])
    assert np.hypot(*(corners - middle).T) == pytest.approx(0.025, abs=3e-4)
    wheel = np.array([0.03, 0.35])
    assert np.hypot(*(wheel - middle)) == pytest.approx(0.375, abs=1e-12)


def test_arms_stand_at_thirty_degrees_between_stops_at_zero_and_sixty() -> None:
    model = mount()
    for post in model.posts.values():
        spring = model.forces[post.arm]
        assert isinstance(spring, JointSpring)
        assert spring.stops is not None
        pivot = np.array(model.joints[spring.joint].frame_a.position)
        wheel = np.array(model.bodies[post.wheel].position) - model.bodies["chassis"].position
        angle = np.degrees(np.arctan2(pivot[2] - wheel[2], pivot[0] - wheel[0]))
        assert angle == pytest.approx(30.0, abs=1e-3)
        assert [angle - np.degrees(q) for q in (spring.stops.upper, spring.stops.lower)] == pytest.approx(
            [0.0, 60.0], abs=2e-3
        )
        assert spring.friction == 5.0


def test_a_template_without_tracks_is_written_and_read_again() -> None:
    vehicle = load_vehicle("npost-12")
    assert isinstance(vehicle, TracklessVehicle)
    assert TracklessVehicle.model_validate(vehicle.model_dump()) == vehicle
    assert vehicle.with_changes(chassis={"mass": 20000.0}).chassis.mass == 20000.0
    model = mount()
    text = dump_model(model)
    assert validate_document(Model, load_document(text)) == model


def test_without_a_rig_it_stands_on_its_wheels() -> None:
    model = make_vehicle(load_vehicle("npost-12"))
    lowest = [model.bodies[f"left.wheel{i}"].position[2] - 0.35 for i in range(1, 7)]
    assert lowest == pytest.approx([0.0] * 6, abs=1e-9)


# ---------------------------------------------------------------------------------------------------- what moves posts


def read_heights(model: Model, times: np.ndarray) -> dict[str, np.ndarray]:
    return {
        name: np.array([calc_signal_value(model.motions[post.motion].value, t) for t in times])
        for name, post in model.posts.items()
    }


def test_shake_moves_all_posts_alike_under_its_envelope() -> None:
    times = np.linspace(0.0, 16.0, 3201)
    heights = read_heights(mount(excitation={"type": "harmonic", "amplitude": 0.07, "frequency": 1.5}), times)
    grown = np.clip(np.minimum(times / 3.0, (15.0 - times) / 3.0), 0.0, 1.0)
    for height in heights.values():
        assert height == pytest.approx(0.07 * grown * np.sin(3.0 * np.pi * times), abs=1e-12)


@pytest.mark.parametrize("kind", ["harmonic", "ramp"])
def test_pitch_keeps_the_pans_of_a_side_on_a_line(kind: str) -> None:
    model = mount(excitation={"type": kind, "motion": "pitch", "amplitude": 0.06})
    heights = read_heights(model, np.linspace(0.0, 8.0, 321))
    for side in SIDES:
        names = [name for name in model.posts if name.startswith(side)]
        x = np.array([model.bodies[model.posts[name].pan].position[0] for name in names])
        z = np.array([heights[name] for name in names])
        assert z[0] == pytest.approx(-z[-1], abs=1e-12)
        assert np.abs(z[0]).max() == pytest.approx(0.06, rel=0.02)
        along = (x - x[-1]) / (x[0] - x[-1])
        assert z == pytest.approx(z[-1] + along[:, None] * (z[0] - z[-1]), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("shake 70 mm 1.5 Hz", {"type": "harmonic", "motion": "shake", "amplitude": 0.07, "frequency": 1.5}),
        ("pitch 60 mm 1.2 Hz", {"type": "harmonic", "motion": "pitch", "amplitude": 0.06, "frequency": 1.2}),
        ("ramp pitch 90 mm", {"type": "ramp", "motion": "pitch", "amplitude": 0.09}),
    ],
)
def test_excitations_have_short_words(text: str, fields: dict[str, object]) -> None:
    assert Rig.model_validate({"excitation": text}) == Rig.model_validate({"excitation": fields})


@pytest.mark.parametrize(
    "text", ["shake", "shake 70 mm", "ramp shake 90 mm 1 Hz", "roll 10 mm 1 Hz", "shake . mm 1 Hz"]
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(ModelError, match=r"is no excitation; write 'shake 70 mm 1\.5 Hz'"):
        mount(excitation=text)


def test_a_ramp_goes_up_dwells_and_comes_back() -> None:
    heights = read_heights(mount(excitation={"type": "ramp"}), np.array([1.0, 1.1, 1.2, 6.2, 6.3, 6.4, 9.0]))
    for height in heights.values():
        assert height == pytest.approx([0.0, 0.045, 0.09, 0.09, 0.045, 0.0, 0.0], abs=1e-12)


def write_measured(path: Path, change: str = "") -> Path:
    posts = [f"{side}.post{i}" for side in SIDES for i in range(1, 7)]
    times = np.arange(0.0, 2.0, 1.0 / 205.0)
    lines = [",".join(["time", *posts])]
    lines += [",".join([f"{t:.9f}", *[f"{2.0 + 40.0 * np.sin(5.0 * t + i):.6f}" for i in range(12)]]) for t in times]
    if change == "gap":
        del lines[100:120]
    if change == "hole":
        lines[50] = lines[50].replace(",", ",,", 1).rsplit(",", 1)[0]
    if change == "nan":
        lines[60] = lines[60].rsplit(",", 1)[0] + ",nan"
    if change == "back":
        lines[70], lines[71] = lines[71], lines[70]
    if change == "short":
        lines[80] = lines[80].rsplit(",", 1)[0]
    if change == "few":
        del lines[3:]
    if change == "missing":
        lines = [line.rsplit(",", 1)[0] for line in lines]
    file = path / "posts.csv"
    file.write_text("\n".join(lines))
    return file


def test_measured_posts_go_smoothly_through_their_samples(tmp_path: Path) -> None:
    file = write_measured(tmp_path)
    model = mount(excitation={"type": "measured", "file": str(file), "scale": 0.001})
    times = np.linspace(0.2, 1.8, 997)
    for i, height in enumerate(read_heights(model, times).values()):
        assert height == pytest.approx(0.04 * (np.sin(5.0 * times + i) - np.sin(i)), abs=1e-6)


def test_a_measured_file_stands_beside_its_scenario(tmp_path: Path) -> None:
    write_measured(tmp_path)
    text = "grouser: 1\nkind: scenario\nname: mine\nduration: 1\nrig:\n  excitation: {type: measured, file: posts.csv, "
    (tmp_path / "mine.yaml").write_text(text + "scale: 0.001}\n")
    assert apply_scenario(load_vehicle("npost-12"), load_scenario(tmp_path / "mine.yaml")).posts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("gap", "gap from 0.478.* to 0.580.* s"),
        ("hole", "line 51, column 'left.post1': '' is no number"),
        ("nan", "line 61, column 'right.post6': 'nan' is no number"),
        ("back", "times must increase"),
        ("short", "line 81 has 12 values for 13 columns"),
        ("few", "has 2 samples"),
        ("missing", "has no column right.post6"),
    ],
)
def test_bad_measurements_are_refused_in_one_sentence(tmp_path: Path, change: str, message: str) -> None:
    file = write_measured(tmp_path, change)
    with pytest.raises(ModelError, match=message) as caught:
        mount(excitation={"type": "measured", "file": str(file), "scale": 0.001})
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize(
    ("rig", "message"),
    [
        ({"excitation": {"type": "signals", "posts": {"left.post1": 0.0}}}, "1 signals for 12 posts, left.post2"),
        ({"excitation": {"type": "signals", "posts": {"left.post9": 0.0}}}, "unknown post 'left.post9'"),
        ({"excitation": {"type": "harmonic", "amplitude": 0.4}}, "beyond the stops of the arms"),
        ({"excitation": {"type": "harmonic", "amplitude": float("nan")}}, "amplitude"),
        ({"excitation": {"type": "harmonic", "ramp": 8.0}}, "more than half of the length"),
        ({"excitation": {"type": "ramp", "start": 3.0}}, "the run ends at 2 s"),
        ({"excitation": {"type": "signals", "posts": {"left.post1": "0.01*sinn(t)"}}}, "unknown function 'sinn'"),
        ({"excitation": {"type": "measured", "file": "nowhere.csv"}}, "there is no such file"),
        ({"pans": {"flat": [7]}}, r"flat\[0\]: is 7, but a side of the vehicle has 6 wheels"),
    ],
)
def test_a_rig_that_does_not_fit_is_refused(rig: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mount(**rig)


def test_measurements_in_millimetres_are_noticed(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"posts go to 1 m: set rig\.excitation\.scale"):
        mount(excitation={"type": "measured", "file": str(write_measured(tmp_path))})


def test_ground_and_driver_have_no_place_on_a_rig() -> None:
    with pytest.raises(ModelError, match="terrain: has no place on a rig"):
        Scenario.model_validate(
            {"name": "a", "duration": 1.0, "terrain": {"type": "plane"}, "rig": {"excitation": {"type": "ramp"}}}
        )


def test_posts_name_what_is_there() -> None:
    model = mount()
    broken = {**model.posts, "left.post1": model.posts["left.post1"].model_copy(update={"wheel": "left.wheel9"})}
    with pytest.raises(ModelError, match=r"posts\.left\.post1\.wheel: unknown body 'left.wheel9'"):
        model.with_changes(posts=broken)


# --------------------------------------------------------------------------------------------------------- at rest


def test_at_rest_arms_stand_at_thirty_degrees_and_posts_carry_the_weight(at_rest: Result) -> None:
    model, last = at_rest.model, -1
    weight = 0.0
    for name, post in model.posts.items():
        assert 30.0 - np.degrees(at_rest[f"{post.arm}.coordinate"][last]) == pytest.approx(30.0, abs=1.0)
        weight += at_rest[f"{post.on_pan}.normal"][last]
        assert at_rest[f"{name}.drive.effort"][last] == pytest.approx(
            at_rest[f"{post.on_pan}.normal"][last] + 981.0, rel=1e-3
        )
    pans = 9.81 * sum(model.bodies[post.pan].mass for post in model.posts.values())
    assert weight == pytest.approx(9.81 * model.mass - pans, rel=1e-3)
    assert at_rest.summary["doubts"] == []
    assert at_rest.header["preset"] == "recursive"


def test_a_loose_harness_does_nothing_and_a_tight_one_carries() -> None:
    posts = {f"{side}.post{i}": 0.0 for side in SIDES for i in range(1, 7)}
    still = {"type": "signals", "posts": posts}
    for slack, pull in ((0.12, 0.0), (0.0, 1000.0)):
        model = mount(excitation=still, harness={"slack": slack})
        result = simulate(model, duration=0.1, output_interval=0.05)
        forces = [result[f"harness.strap{i}.force"][-1] for i in range(1, 5)]
        assert -sum(forces) == pytest.approx(0.0, abs=1e-9) if pull == 0.0 else -sum(forces) > pull
