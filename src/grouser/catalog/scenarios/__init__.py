"""Scenarios: what a vehicle is made to do, and on what ground."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from pydantic import Field

from grouser.catalog.band.spec import BandVehicle
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.files import find_file, list_files
from grouser.catalog.grounds import Ground, find_ground_faults, make_ground
from grouser.catalog.rig.mount import mount_on_rig
from grouser.catalog.rig.spec import Rig, find_rig_faults
from grouser.catalog.scenarios.driver import Orders, find_order_faults, make_path, scale_signal
from grouser.catalog.scenarios.track_driver import with_track_driver
from grouser.catalog.tracked.powertrain import with_powertrain
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.trackless.build import take_off_tracks
from grouser.catalog.vehicles import KINDS, Vehicle, make_vehicle
from grouser.errors import ModelError, check_type, say_unknown
from grouser.families.driver.spec import Steering
from grouser.model.base import Description, Flag, NonNegative, Part, Positive, Signal, Title, Whole
from grouser.model.check import find_signal_faults
from grouser.model.document import Document
from grouser.model.fault import Fault, make_fault
from grouser.model.force import Tyre
from grouser.model.model import Model
from grouser.model.override import with_overrides
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.schema import find_kind, load_document, validate_document
from grouser.model.validate import find_track_powertrains

__all__ = ["Scenario", "apply_scenario", "list_scenarios", "load_scenario"]

FOLDER = Path(__file__).parent
DURATION = 10.0
"""Simulated time where neither a user nor a scenario gives one [s]."""
DEFAULT_SCENARIO = "straight"
SCENARIOS_BY_KIND = {"crawler": "crawl-forward", "trackless-vehicle": "npost-shake"}
"""What a vehicle made of a template does if nothing is said."""


class Scenario(Whole):
    """A drive of a given length.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    duration : length of the run [s]
    terrain : the ground, or a rule that makes it, or None to keep that of the model
    drives : speed of each track's sprocket by the track's name, or another motion by its own name [rad/s];
        positive drives forward. Those of tracks do not concern a vehicle that has a driver instead
    driver : what the driver does, for vehicles that have one; or None
    rig : posts that shake the vehicle, which then stands on nothing else; or None
    engine : vehicles with tracks are driven by their engine and steered through their differential, in place of
        sprockets whose speed is given; they have a driver then
    start_speed : speed with which vehicles on wheels start, after they have come to rest on the ground [m/s]
    """

    grouser: Literal[1] = 1
    kind: Literal["scenario"] = "scenario"
    name: Title
    description: Description = ""
    duration: Positive
    terrain: Ground | None = None
    drives: dict[str, Signal] = Field(default_factory=dict)
    driver: Orders | None = None
    rig: Rig | None = None
    engine: Flag = False
    start_speed: NonNegative = 0.0

    def _find_faults(self) -> list[Fault]:
        faults = [fault for name, value in self.drives.items() for fault in find_signal_faults(("drives", name), value)]
        if self.terrain is not None:
            faults += find_ground_faults(("terrain",), self.terrain)
        if self.driver is not None:
            faults += find_order_faults(("driver",), self.driver)
        if self.engine and self.driver is None:
            faults.append(make_fault(("engine",), "is true, but there is no driver to work it: give 'driver'"))
        if self.rig is None:
            return faults
        for key in ("terrain", "driver"):
            if getattr(self, key) is not None:
                faults.append(make_fault((key,), "has no place on a rig, where wheels stand on posts: remove it"))
        return [*faults, *find_rig_faults(("rig",), self.rig, self.duration)]


def list_scenarios() -> dict[str, str]:
    """Names of the catalog's scenarios and what they are.

    >>> sorted(list_scenarios())
    ['acceleration', 'braking', 'bump', 'bumps', 'constant-radius', 'course', 'crawl-bump', 'crawl-forward', \
'crawl-ramp', 'crawl-reverse', 'crawl-sine', 'crawl-trough', 'cross-country', 'full-stop', 'half-round', 'iso-3888', \
'lane-change', 'nato-lane-change', 'npost-pitch', 'npost-ramp', 'npost-shake', 'rest', 'ride', 'side-slope', \
'sine-steer', 'slope', 'slope-hold', 'step-steer', 'straight', 'turn']
    """
    return list_files(FOLDER)


def load_scenario(name_or_path: str | os.PathLike[str], overrides: Iterable[str] = ()) -> Scenario:
    """Read a scenario of the catalog or of a file.

    Parameters
    ----------
    overrides : values to replace, each ``path=value`` as in ``duration=5``
    """
    document = with_overrides(load_scenario_document(name_or_path), overrides, "--scenario-set")
    return validate_document(find_kind(document, {"scenario": Scenario}), document)


def load_scenario_document(name_or_path: str | os.PathLike[str]) -> Document:
    """The data of a scenario's file."""
    return load_document(find_file(FOLDER, "scenario", name_or_path))


def find_default_scenario(kind: str) -> str | None:
    """Name of the scenario of a kind of vehicle if nothing is said; a whole model has none, and
    neither has a vehicle on a band, which has a drive of its own: they run as they are."""
    return None if kind in ("model", "band-vehicle") else SCENARIOS_BY_KIND.get(kind, DEFAULT_SCENARIO)


def find_duration(scenario: Scenario | None) -> float:
    """Simulated time of a run if nothing is said [s]."""
    return DURATION if scenario is None else scenario.duration


def make_vehicle_or_scenario(document: Document, overrides: Iterable[str] = ()) -> Vehicle | Scenario:
    """Whatever the data of a file are; overrides as of `load_vehicle`."""
    document = with_overrides(document, overrides)
    kinds: dict[str, type[Part]] = {**KINDS, "scenario": Scenario}
    content = validate_document(find_kind(document, kinds), document)
    assert isinstance(content, Vehicle | Scenario)
    return content


def apply_scenario(vehicle: Vehicle, scenario: Scenario) -> Model:
    """The model of a vehicle on the scenario's ground, driven as the scenario says.

    A template is built and set down on the ground. A model that is one already must stand level over z = 0, as a
    built one does; it is set down on the new ground as a whole.
    """
    check_type(vehicle, get_args(Vehicle), "vehicle", "load it first with gr.vehicles.load_vehicle")
    check_type(scenario, Scenario, "scenario", "load it first with gr.scenarios.load_scenario")
    if scenario.rig is not None:
        return _drive(_put_on_rig(vehicle, scenario.rig), scenario)
    model = make_vehicle(vehicle, None if scenario.terrain is None else make_ground(scenario.terrain))
    if scenario.engine and isinstance(vehicle, TrackedVehicle):
        return with_track_driver(with_powertrain(model, vehicle.powertrain), scenario)
    if scenario.engine and model.tracks and not find_track_powertrains(model):
        raise ModelError(
            f"scenario {scenario.name!r}: engine: {model.name!r} has none; take a tracked vehicle whose file has a "
            "'powertrain', or a scenario without 'engine'"
        )
    return _with_speed(_with_driver(_drive(model, scenario), scenario), scenario.start_speed)


def _put_on_rig(vehicle: Vehicle, rig: Rig) -> Model:
    if isinstance(vehicle, Crawler | BandVehicle):
        raise ModelError(
            f"{vehicle.name!r} is a {vehicle.kind}, whose rollers have no arms: a rig is for vehicles with wheels on "
            "arms or on tyres"
        )
    bare = take_off_tracks(vehicle) if isinstance(vehicle, TrackedVehicle) else vehicle
    return mount_on_rig(make_vehicle(bare), rig)


def _drive(model: Model, scenario: Scenario) -> Model:
    motions = dict(model.motions)
    faults = []
    for name, value in scenario.drives.items():
        # the one track of a model in the plane stands for both
        if model.planar and name == "right" and not model.tracks.keys().isdisjoint(scenario.drives):
            if any(scenario.drives.get(track, value) != value for track in model.tracks):
                faults.append(
                    f"scenario {scenario.name!r}: drives: 'left' and 'right' differ, but {model.name!r} moves in a "
                    "plane, where one track stands for both and nothing turns; take a scenario that drives both alike, "
                    "such as straight, bump or crawl-forward"
                )
            continue
        if model.drivers and not model.tracks and scenario.driver is not None and name not in model.motions:
            continue
        drive = model.tracks[name].drive if name in model.tracks else name
        if scenario.driver is not None and drive in find_track_powertrains(model):
            continue
        if drive in motions:
            motions[drive] = motions[drive].model_copy(update={"value": value})
        else:
            valid = {*model.tracks, *model.motions}
            faults.append(f"scenario {scenario.name!r}: drives: {say_unknown('track or motion', name, valid)}")
    if faults:
        raise ModelError(faults)
    return model.with_changes(motions=motions) if scenario.drives else model


def _with_driver(model: Model, scenario: Scenario) -> Model:
    """The model with a driver who does what the scenario says."""
    orders = scenario.driver
    if orders is None:
        return model
    if not model.drivers:
        if scenario.drives:
            return model
        if model.tracks and model.main_body:
            return with_track_driver(model, scenario)
        raise ModelError(
            f"scenario {scenario.name!r} is for vehicles with a driver, and {model.name!r} has none: take a vehicle on "
            "wheels or tracks, or a scenario with drives"
        )
    drivers, forces = dict(model.drivers), dict(model.forces)
    for name, driver in model.drivers.items():
        steering = driver.steering
        if isinstance(steering, Steering):
            changes: dict[str, Any] = {"angle": scale_signal(orders.steering, steering.ratio)}
            if orders.preview_time is not None:
                changes["preview_time"] = orders.preview_time
            steering = steering.model_copy(update=changes)
        path = [] if steering is None else make_path(orders.path)
        drivers[name] = driver.model_copy(update={"steering": steering, "path": path, "speed": orders.speed})
        if driver.pedals.powertrain:
            engine = forces[driver.pedals.powertrain]
            forces[driver.pedals.powertrain] = engine.model_copy(update={"throttle": orders.throttle})
        for brake in driver.pedals.brakes:
            forces[brake] = forces[brake].model_copy(update={"pedal": orders.brake})
    return model.with_changes(drivers=drivers, forces=forces)


def _with_speed(model: Model, speed: float) -> Model:
    """The model on tyres, moving along the x axis of its main body, wheels rolling."""
    tyres = {force.frame.body: force for force in model.forces.values() if isinstance(force, Tyre)}
    if speed == 0.0 or not tyres or not model.main_body:
        return model
    forward = quaternion_to_matrix(model.bodies[model.main_body].orientation)[:, 0]
    weight = sum(body.mass for body in model.bodies.values()) * float(np.linalg.norm(model.gravity)) / len(tyres)
    bodies = {}
    for name, body in model.bodies.items():
        moving: dict[str, Any] = {"velocity": tuple((speed * forward).tolist())}
        if name in tyres:
            tyre = tyres[name]
            radius = tyre.radius - (1.0 - tyre.radius_share[0]) * weight / tyre.stiffness
            axis = quaternion_to_matrix(tyre.frame.orientation)[:, 1]
            moving["angular_velocity"] = tuple((speed / radius * axis).tolist())
        bodies[name] = body.model_copy(update=moving)
    return model.with_changes(bodies=bodies)
