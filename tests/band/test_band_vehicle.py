"""Vehicles on a flexible band: the template, its faults, and the rubber robot at rest and driving off."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grouser as gr
from grouser.catalog.band.spec import BandVehicle, find_corners
from grouser.catalog.vehicles import load_vehicle, make_vehicle
from grouser.compile.freedoms import find_freedom_count
from grouser.errors import ModelError
from grouser.model.terrain import Plane
from grouser.presets import find_preset


@pytest.fixture(scope="module")
def spec() -> BandVehicle:
    vehicle = load_vehicle("rubber-robot")
    assert isinstance(vehicle, BandVehicle)
    return vehicle


def test_the_band_closes_round_both_wheels(spec):
    corners = np.array(find_corners(spec))
    assert len(corners) == 24
    links = np.roll(corners, -1, axis=0) - corners
    assert np.linalg.norm(links, axis=1) == pytest.approx(np.full(24, spec.pitch))
    area = 0.5 * np.sum(corners[:, 0] * np.roll(corners[:, 2], -1) - np.roll(corners[:, 0], -1) * corners[:, 2])
    assert area < 0.0  # clockwise
    # links on wheels lie flat on the base circle
    middle = 0.5 * (corners[0] + corners[1]) - [spec.run * spec.pitch, 0.0, corners[:, 2].mean()]
    assert np.linalg.norm(middle) == pytest.approx(spec.sprocket.radius + 0.5 * spec.band.thickness)
    assert corners[:, 2].min() == pytest.approx(0.5 * spec.band.thickness)


def test_the_robot_has_the_masses_and_freedoms_of_its_parts(spec):
    model = make_vehicle(spec)
    volume = 24 * spec.pitch / 1.05 * 0.02 * 0.4
    assert model.mass == pytest.approx(200.0 + 2000.0 * volume, rel=1e-6)
    # the band has 18 a pin; five bodies, four of which turn on axles, one of those driven
    assert find_freedom_count(model) == 18 * 24 + 6 + 3
    whole = spec.model_copy(update={"band": spec.band.model_copy(update={"pins": False})})
    assert find_freedom_count(make_vehicle(whole)) == 12 * 24 + 6 + 3


def test_the_robot_stands_on_slopes_as_a_whole(spec):
    level, tilted = make_vehicle(spec), make_vehicle(spec, Plane(normal=(-0.1, 0.0, 1.0)))
    turn = math.atan(0.1)
    ahead = np.array(tilted.bodies["idler"].position) - np.array(tilted.bodies["sprocket"].position)
    flat = np.array(level.bodies["idler"].position) - np.array(level.bodies["sprocket"].position)
    assert ahead == pytest.approx([flat[0] * math.cos(turn), 0.0, flat[0] * math.sin(turn)])
    assert tilted.meshes["band"].orientation != level.meshes["band"].orientation


BROKEN = {
    "odd teeth": ("sprocket.teeth=9", "give an even number"),
    "too few links": ("band.links=10", "10 of them lie on both wheels"),
    "uneven runs": ("band.links=25", "as many above as below"),
    "another wheelbase": ("wheelbase=1.2", "cannot close"),
    "no strain": ("band.strain=-0.1", "band.strain"),
    "no stiffness": ("band.material.shear=-1", "band.material.shear"),
    "large roller": ("rollers[0].radius=0.6", "does not fit into the band"),
    "large pins": ("sprocket.pin_radius=0.2", "too large"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_bands_are_refused(name):
    change, said = BROKEN[name]
    with pytest.raises(ModelError, match=said):
        load_vehicle("rubber-robot", [change])


def test_the_robot_drives_off(spec):
    """The band pulls with some 100 kN at rest, as strain and contact share it; then the sprocket takes it along."""
    model = make_vehicle(spec).with_motion("drive", [(0.0, 0.0), (0.05, 0.0), (0.15, 10.0)])
    result = gr.simulate(
        model, duration=0.15, preset=find_preset("implicit").with_integrator("sdirk", 1e-2), settle=False
    )
    assert result.summary["energy_residual"] < 0.02
    force, _ = result.block("ancf_beam/force", [f"band.ancf_beam.{i}" for i in range(6, 12)])
    early = np.searchsorted(result.time, 0.05)
    assert 0.8e5 < force[early].mean() < 1.3e5
    assert result["chassis.velocity"][-1, 0] > 0.1
    assert abs(result["chassis.position"][-1, 1]) < 1e-3
    places, _ = result.block("node/position", [f"band.{i}" for i in range(24)])
    gaps = np.linalg.norm(np.roll(places[-1], -1, axis=0) - places[-1], axis=1)
    assert gaps == pytest.approx(np.full(24, spec.pitch), rel=0.1)  # the chain is on, and whole


@pytest.mark.slow
def test_the_robot_may_start_settled(spec):
    """Pull, contacts and weight in balance before it drives off: the ground carries the weight, and nothing moves."""
    model = make_vehicle(spec)
    result = gr.simulate(model, duration=0.05, output_interval=0.01, settle=True)
    weight = 9.81 * model.mass
    assert result["ground.normal"] == pytest.approx(np.full(len(result.time), weight), rel=0.01)
    assert np.abs(result["chassis.velocity"]).max() < 1e-3
    force, _ = result.block("ancf_beam/force", [f"band.ancf_beam.{i}" for i in range(6, 12)])
    assert 0.8e5 < force[-1].mean() < 1.3e5
