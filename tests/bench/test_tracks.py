"""The vehicles of the benchmark pass the checks of the catalog, whatever their length."""

import runpy
from pathlib import Path

import pytest

TRACKS = Path(__file__).parents[2] / "bench" / "tracks.py"


@pytest.mark.parametrize("links", [32, 64, 128, 256])
def test_a_hull_of_any_length_can_be_built(links):
    vehicle = runpy.run_path(str(TRACKS))["make_long_vehicle"](links)
    assert vehicle.links.count == links
    assert len(vehicle.shocks.stations) == len(vehicle.road_wheels.centres)
