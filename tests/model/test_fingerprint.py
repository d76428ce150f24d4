"""Fingerprints: the same for a vehicle in every scenario, another one for another vehicle."""

from __future__ import annotations

import pytest

from grouser.catalog.scenarios import apply_scenario, list_scenarios, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.model.fingerprint import calc_fingerprints
from grouser.model.force import Applied
from grouser.model.terrain import Plane


@pytest.fixture(scope="module")
def prints() -> dict[str, str]:
    return calc_fingerprints(apply_scenario(load_vehicle("m113"), load_scenario("rest")))


@pytest.mark.parametrize("name", [name for name in list_scenarios() if load_scenario(name).drives])
def test_scenarios_leave_the_fingerprints_alone(prints: dict[str, str], name: str) -> None:
    assert calc_fingerprints(apply_scenario(load_vehicle("m113"), load_scenario(name))) == prints


def test_drivers_and_pedals_leave_the_fingerprints_alone() -> None:
    found = [
        calc_fingerprints(apply_scenario(load_vehicle("hmmwv"), load_scenario(name)))
        for name in list_scenarios()
        if load_scenario(name).driver
    ]
    assert all(one == found[0] for one in found)


def test_slope_and_applied_force_leave_the_fingerprints_alone(prints: dict[str, str]) -> None:
    scenario = load_scenario("rest").model_copy(update={"terrain": Plane(normal=(-0.2, 0.1, 1.0))})
    model = apply_scenario(load_vehicle("m113"), scenario)
    pushed = model.with_changes(name="other", forces={**model.forces, "push": Applied(frame={"body": "chassis"})})
    assert calc_fingerprints(pushed) == prints


@pytest.mark.parametrize(
    ("override", "families"),
    [
        ("chassis.mass=8000", {"bodies", "forces"}),  # the torsion bars are preloaded for the weight
        ("links.pad.depth=0.031", {"shapes"}),
        ("contact.ground_track.friction.mu=0.5", {"contacts"}),
        ("shocks.damping=2000", {"forces"}),
    ],
)
def test_other_vehicle_has_other_fingerprints(prints: dict[str, str], override: str, families: set[str]) -> None:
    other = calc_fingerprints(apply_scenario(load_vehicle("m113", [override]), load_scenario("rest")))
    assert {name for name in prints if prints[name] != other[name]} == families
