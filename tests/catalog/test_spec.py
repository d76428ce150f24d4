"""The template: what is refused, in words and with the place in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import find_vehicle, load_vehicle
from grouser.errors import ModelError
from grouser.model.emit import dump_part
from grouser.model.json_schema import model_json_schema
from grouser.model.schema import load_document, validate_document


def load(*overrides: str) -> TrackedVehicle:
    vehicle = load_vehicle("m113", overrides)
    assert isinstance(vehicle, TrackedVehicle)
    return vehicle


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("chassis.mass=-1", r"chassis.mass: is -1 \[kg\]; it must be greater than 0"),
        ("sprocket.teeth=4", "sprocket.teeth: is 4; it must be at least 5"),
        ("chassis.mass=1e300", r"chassis.mass: is 1e\+300 \[kg\]; it must be at most 1e\+09"),
        ("chassis.mass=1e-12", r"chassis.mass: is 1e-12 \[kg\]; it must be at least 1e-09"),
        ("chassis.mass=1e-9", "chassis.inertia: .* the mass is 1e-09 kg, so the radii of gyration are 3.74e"),
        ("chassis.com=[1e300, 0, 0]", r"chassis.com\[0\]: is 1e\+300 \[m\]; it must be at most 1e\+15"),
        ("links.inertia=[0.22, 0.04, 25]", "links.inertia: .*triangle inequality"),
        ("contact.ground_track.friction.mu=1e6", "friction.mu: is 1000000.0; it must be at most 10"),
        ("links.pad.depth=3", "links.pad.depth: is 3 m, more than 2 times the pitch of 0.154 m"),
        ("sprocket.arc_radius=0.2", "sprocket.teeth: is 10, but a gap takes .* the lands vanish"),
        ("sprocket.arc_radius=0.01", "sprocket.addendum_radius: .* the arc does not reach the addendum circle"),
        ("sprocket.teeth=12", "the lands vanish; use at most 10 teeth"),
        ("sprocket.rings=[-5, 5]", r"sprocket.rings\[0\]: is -5 m: the ring lies beside the links"),
        (
            "links.pins.positions=[[0.5, 0], [-0.5, 0]]",
            r"links.pins.positions\[0\]: is \[0.5, 0\] m, outside of",
        ),
        ("links.pins.lateral=[0]", r"links.pins.lateral: is \[0.0\] m, .* no pin meets a ring"),
        ("chassis.belly.profile=[[-4, -1], [0, -1]]", "belly.profile: reaches down to z = -1 m, below the ground"),
        ("road_wheels.gap=0.2", "road_wheels.gap: is 0.2 m, not smaller than the width"),
        ("links.surface.width=0.05", "road_wheels.width: is 0.181 m: the middle of a disc lies 0.058 m from"),
        (
            "road_wheels.centres=[[-0.655, -0.215], [-1.322, -0.215], [-1.322, -0.215]]",
            r"road_wheels.centres\[2\]: is \[-1.322, -0.215\] m, 0 m from road_wheels.centres\[1\]: .* overlap",
        ),
        ("name=''", "name: is empty; give a name"),
        ('name="a\\0b"', "name: is 'a.x00b'; a name has no control characters"),
        ("links.pitch=0.2", "they do not reach the teeth"),
        ("links.surface.length=0.2", "longer than the pitch of 0.154 m: links would overlap"),
        ("links.horn.width=0.06", "not wider than the guide horn of 0.06 m"),
        ("links.horn.tip=0.02", "below the wheel surface at 0.03 m"),
        ("links.count=63.5", "links.count: is"),
        ("shocks.stations=[1, 6]", r"shocks.stations\[1\]: is 6, but there are 5 road wheels"),
        ("arms.pivot=[0, -0.1, 0.1]", "arms.pivot: stands straight above or below the wheel"),
        ("arms.torsion_bar.preload=statik", "did you mean 'static'"),
        ("idler.tensioner.travel=[0.1, 0.0]", "idler.tensioner.travel: is .*the first must be smaller"),
        ("idler.tensioner.axis=[0, 0]", "has no direction"),
        (
            "idler.tensioner.force=1e15",
            r"idler.tensioner.force: is 1e\+15 N, 1e\+10 times the weight of hull and tracks, 9.9e\+04 N; give",
        ),
        ("right={idler: {tensioner: {force: 1.0e+8}}}", r"right.idler.tensioner.force: is 1e\+08 N"),
        ("idler.tensioner.forse=1", "unknown key 'forse': did you mean 'force'"),
        ("right.links.count=many", "right.links.count: is the text 'many' where a whole number is expected"),
        ("right.linkz={count: 64}", "right: unknown key 'linkz': did you mean 'links'"),
        ("suspension=1", "suspension: is 1 where true or false is expected"),
        ("road_wheels.centres=[[0, 0]]", "road_wheels.centres: has 1 entries; at least 2 is needed"),
    ],
)
def test_faults_are_said_with_their_place(override: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        load(override)
    assert f"--set {override}" in str(caught.value) or ".yaml:" in str(caught.value)
    sentences = [fault.split(": ", 1)[1].removeprefix("right.") for fault in caught.value.faults]
    assert len(set(sentences)) == len(sentences)


def test_missing_arms_are_only_a_fault_with_suspension() -> None:
    with pytest.raises(ModelError, match="missing key 'arms'; with 'suspension: false' none are needed"):
        load().with_changes(arms=None)
    assert load().with_changes(arms=None, suspension=False).arms is None


def test_all_faults_are_listed_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        load("links.horn.tip=0.02", "shocks.stations=[7]", "sprocket.arc_radius=0.2")
    assert len(caught.value.faults) == 3


def test_right_side_differs_only_where_it_says_so() -> None:
    vehicle = load()
    left, right = vehicle.make_side("left"), vehicle.make_side("right")
    assert (left.links.count, right.links.count) == (63, 64)
    assert right.idler.centre == (-4.0, -0.12)
    assert right.idler.tensioner == left.idler.tensioner
    assert right.sprocket == left.sprocket
    symmetric = vehicle.with_changes(right=None)
    assert symmetric.make_side("right") == symmetric.make_side("left")


def test_round_trip_through_yaml() -> None:
    vehicle = load()
    text = dump_part(vehicle)
    assert validate_document(TrackedVehicle, load_document(text)) == vehicle


def test_schema_for_editors_says_the_meaning_of_every_key() -> None:
    schema = model_json_schema(TrackedVehicle)
    parts = {"TrackedVehicle": schema, **schema["$defs"]}
    silent = [
        f"{part}.{name}"
        for part, definition in parts.items()
        for name, field in definition.get("properties", {}).items()
        if "description" not in field
    ]
    assert silent == []


def test_extends_takes_catalog_names_and_neighbours(tmp_path: Path) -> None:
    first = tmp_path / "mine.yaml"
    first.write_text(
        "grouser: 1\nkind: tracked-vehicle\nextends: m113\nname: mine\nchassis: {mass: 9000}\nright: null\n"
    )
    second = tmp_path / "heavier.yaml"
    second.write_text("grouser: 1\nkind: tracked-vehicle\nextends: mine.yaml\nname: heavier\nchassis: {mass: 9500}\n")
    vehicle = load_vehicle(second)
    assert isinstance(vehicle, TrackedVehicle)
    assert (vehicle.name, vehicle.chassis.mass, vehicle.chassis.com, vehicle.right) == (
        "heavier",
        9500.0,
        (-2.006, 0.0, 0.406),
        {},
    )
    first.write_text("grouser: 1\nkind: tracked-vehicle\nextends: m114\nname: mine\n")
    with pytest.raises(ModelError, match="neither a vehicle of the catalog nor a file of the name 'm114'"):
        load_vehicle(first)


def test_names_and_files_are_found_or_refused(tmp_path: Path) -> None:
    assert find_vehicle("m113").name == "m113.yaml"
    with pytest.raises(ModelError, match="unknown vehicle 'm13': did you mean 'm113'"):
        find_vehicle("m13")
    with pytest.raises(ModelError, match="there is no such file"):
        load_vehicle(tmp_path / "none.yaml")
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text("grouser: 1\nkind: scenario\nname: s\nduration: 1\n")
    with pytest.raises(ModelError, match="unknown kind 'scenario'"):
        load_vehicle(scenario)
