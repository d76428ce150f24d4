"""Loads on a part: in balance with its inertia, whatever acts on it and however it is solved."""

from __future__ import annotations

import numpy as np
import pytest

import grouser as gr
from grouser.errors import ModelError, ResultError
from grouser.model.load_sensors import add_load_sensors
from grouser.result.load_cards import FIRST_NODE, save_cards
from grouser.result.part_loads import PartLoads, calc_part_loads
from grouser.result.rainflow import calc_equivalent

PARTS = ("arm", "crank")


def make_model(*, on_ground: bool = False) -> gr.Model:
    """A driven crank moves an arm, on which springs along a line and about the pivot, a bob and an actuator pull."""
    builder = gr.ModelBuilder("arm")
    moments = (0.02, 0.3, 0.31, 0.001, -0.002, 0.003)
    builder.add_body("arm", 3.0, moments, position=(0, 0, 1), com=(0.4, 0.02, 0.01))
    builder.add_body("rod", 1.0, (0.1, 0.1, 0.01), position=(1, 0, 1), com=(0.0, 0.0, -0.4))
    builder.add_body("bob", 0.7, (0.002, 0.003, 0.004), position=(0.5, 0.3, 0.4))
    builder.add_body("crank", 0.5, (0.01, 0.02, 0.01), position=(-1, 0, 1), com=(0.1, 0, 0))
    builder.add_joint("pivot", "revolute", "world", "arm", point=(0, 0, 1), axis=(0, 1, 0))
    builder.add_joint("knee", "universal", "arm", "rod", point=(1, 0, 1), axis=(1, 0, 0))
    builder.add_distance("cord", "arm", "bob", point_a=(0.5, 0.05, 1), point_b=(0.5, 0.3, 0.4))
    builder.add_joint("axle", "revolute", "world", "crank", point=(-1, 0, 1), axis=(0, 1, 0))
    builder.add_joint_spring("bar", "pivot", stiffness=40.0, damping=1.0)
    builder.add_spring(
        "strut", "world", "arm", point_a=(0.2, 0.1, 0.2), point_b=(0.6, 0.0, 1.0), stiffness=300.0, damping=5.0
    )
    builder.add_spring(
        "link", "crank", "arm", point_a=(-0.8, 0, 1), point_b=(0.3, 0, 1.1), stiffness=200.0, damping=2.0
    )
    builder.add_actuator("hold", "pivot", control="position", target=0.2, p=30.0, d=2.0)
    builder.add_motion("drive", "axle", speed="3*sin(4*t)")
    if on_ground:
        builder.set_terrain({"type": "plane"})
        builder.add_shape("tip", "sphere", "arm", group="tips", position=(0.9, 0.0, -0.85), radius=0.2)
        builder.add_contact("floor", "tips", "terrain", stiffness=1e4, damping=50.0)
    return builder.build()


@pytest.fixture(scope="module")
def result() -> gr.Result:
    return gr.simulate(add_load_sensors(make_model(), PARTS), duration=0.5, preset="recursive")


@pytest.fixture(scope="module")
def loads(result: gr.Result) -> PartLoads:
    return calc_part_loads(result, "arm")


@pytest.mark.parametrize("preset", ["recursive", "penalty", "constrained"])
@pytest.mark.parametrize("part", PARTS)
def test_loads_balance_the_recorded_inertia(result: gr.Result, preset: str, part: str) -> None:
    if preset != "recursive":
        result = gr.simulate(add_load_sensors(make_model(), PARTS), duration=0.2, preset=preset)
    found = calc_part_loads(result, part)
    assert found.is_checked and not found.others
    force, torque = found.calc_imbalance()
    assert max(force.max(), torque.max()) < 1e-9 * max(np.abs(load.force).max() for load in found.loads)


def test_every_element_of_the_part_is_there(loads: PartLoads) -> None:
    sources = [load.source for load in loads.loads]
    assert sources == ["pivot", "knee", "cord", "bar", "strut", "link", "hold", "gravity", "inertia"]


def test_without_accelerations_the_inertia_closes_the_balance(loads: PartLoads) -> None:
    bare = calc_part_loads(gr.simulate(make_model(), duration=0.5, preset="recursive"), "arm")
    assert not bare.is_checked
    for found, recorded in zip(bare.loads, loads.loads, strict=True):
        np.testing.assert_allclose(found.force, recorded.force, atol=1e-8)
        np.testing.assert_allclose(found.torque, recorded.torque, atol=1e-8)


def test_contacts_are_what_is_left() -> None:
    model = make_model(on_ground=True)
    with pytest.raises(ResultError, match=r"'arm' also feels floor, .* --loads arm"):
        calc_part_loads(gr.simulate(model, duration=0.05), "arm")
    result = gr.simulate(add_load_sensors(model, PARTS), duration=0.3, preset="recursive")
    found = calc_part_loads(result, "arm")
    others = found.loads[-1]
    assert (others.source, found.others) == ("others", ("floor",))
    normal = result["floor.normal"]
    assert normal.max() > 100.0
    np.testing.assert_allclose(np.linalg.norm(others.force, axis=1), normal, atol=1e-7)
    # a smooth ground pushes at the lowest point of the sphere: the moment about the arm's centre of mass follows
    centre = np.array([0.9, 0.0, -0.85]) - np.array([0.4, 0.02, 0.01])
    np.testing.assert_allclose(others.torque, np.cross(centre, others.force), atol=1e-7)


@pytest.mark.parametrize("suffix", [".inp", ".bdf"])
def test_cards_hold_balanced_loads(loads: PartLoads, tmp_path, suffix: str) -> None:
    frames = [0, 7, len(loads.time) - 1]
    text = save_cards(loads, tmp_path / f"arm{suffix}", frames).read_text()
    read = read_calculix if suffix == ".inp" else read_nastran
    places, cases = read(text)
    assert len(places) == len(loads.loads)
    assert len(cases) == len(frames)
    np.testing.assert_allclose(places[FIRST_NODE], loads.loads[0].place[0], atol=1e-9)
    for case in cases:
        force = sum(f for f, _ in case.values())
        moment = sum(m + np.cross(places[node], f) for node, (f, m) in case.items())
        largest = max(np.abs(f).max() for f, _ in case.values())
        assert max(np.abs(force).max(), np.abs(moment).max()) < 1e-7 * largest


def read_calculix(text: str):
    places, cases, keyword = {}, [], ""
    for line in text.splitlines():
        if line.startswith("**"):
            continue
        if line.startswith("*"):
            keyword = line.split(",")[0]
            if keyword == "*STEP":
                cases.append({})
        elif keyword == "*NODE":
            number, *place = line.split(",")
            places[int(number)] = np.array(place, dtype=float)
        else:
            node, direction, value = line.split(",")
            pair = cases[-1].setdefault(int(node), (np.zeros(3), np.zeros(3)))
            pair[(int(direction) - 1) // 3][(int(direction) - 1) % 3] = float(value)
    return places, cases


def read_nastran(text: str):
    lines = [line for line in text.splitlines() if not line.startswith("$")]
    places, cases = {}, {}
    for first, second in zip(lines[::2], lines[1::2], strict=True):
        assert second[:8] == "*       "
        fields = [line[8 + 16 * i : 24 + 16 * i] for line in (first, second) for i in range(4)]
        if first.startswith("GRID*"):
            places[int(fields[0])] = np.array([float(fields[i]) for i in (2, 3, 4)])
        else:
            case = cases.setdefault(int(fields[0]), {})
            pair = case.setdefault(int(fields[1]), (np.zeros(3), np.zeros(3)))
            pair[first.startswith("MOMENT*")][:] = float(fields[3]) * np.array([float(fields[i]) for i in (4, 5, 6)])
    return places, list(cases.values())


def test_what_cannot_be_written_or_found_is_refused(result: gr.Result, loads: PartLoads, tmp_path) -> None:
    with pytest.raises(ResultError, match=r"neither \.inp"):
        save_cards(loads, tmp_path / "arm.dat", [0])
    with pytest.raises(ResultError, match="did you mean 'arm'"):
        calc_part_loads(result, "arn")
    with pytest.raises(ModelError, match="did you mean 'arm'"):
        add_load_sensors(make_model(), ["arn"])


def test_the_equivalent_amplitude_does_the_damage_of_the_course() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=300)
    from grouser.result.rainflow import calc_damage

    amplitude = calc_equivalent(values, 5.0, 1000.0)
    assert 1000.0 * (amplitude / 7.0) ** 5 == pytest.approx(calc_damage(values, 7.0, 5.0), rel=1e-12)
    assert calc_equivalent(np.ones(4), 5.0, 10.0) == 0.0
