"""An M113 that drives by closed form: a result as large as that of a real run, made in a moment."""

from __future__ import annotations

from functools import cache

import numpy as np

from grouser.catalog.vehicles import m113
from grouser.model.model import Model
from grouser.output.poses import make_continuous
from grouser.result.result import Result
from grouser.result.writer import Block, ResultWriter

SPEED = 3.0
"""Speed of the vehicle [m/s]."""
XYZ = ("x", "y", "z")


@cache
def make_m113() -> Model:
    return m113()


def make_m113_result(duration: float = 10.0, rate: float = 100.0, speed: float = SPEED) -> Result:
    """Links go round through the places where links are at the start, wheels roll, and the whole drives along X.

    The tension of a link rises along its track from 1 kN by 1 kN for each link, and by 100 N/s. All pins pull with
    2 kN along the links' x axes.
    """
    model = make_m113()
    bodies = list(model.bodies)
    time = np.arange(round(duration * rate) + 1) / rate
    start = np.array([body.position for body in model.bodies.values()])
    turn = np.array([body.orientation for body in model.bodies.values()])
    position = np.repeat(start[np.newaxis], len(time), axis=0)
    orientation = np.repeat(turn[np.newaxis], len(time), axis=0)
    for track in model.tracks.values():
        rows = [bodies.index(link) for link in track.links]
        for i, row in enumerate(rows):
            # pin i leads from link i to link i + 1, in order of travel
            place = i + speed * time / track.pitch
            near, far = np.floor(place).astype(int) % len(rows), (np.floor(place).astype(int) + 1) % len(rows)
            share = (place % 1.0)[:, np.newaxis]
            position[:, row] = (1 - share) * start[rows][near] + share * start[rows][far]
            ends = make_continuous(np.stack([turn[rows][near], turn[rows][far]]))
            orientation[:, row] = (1 - share) * ends[0] + share * ends[1]
        for name in (track.sprocket, track.idler, *track.wheels):
            half = 0.5 * speed * time / track.rolling_radius
            orientation[:, bodies.index(name)] = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], axis=1)
    position[:, :, 0] += speed * time[:, np.newaxis]
    orientation /= np.linalg.norm(orientation, axis=2, keepdims=True)
    return _write(model, time, position, orientation, speed)


def _write(model: Model, time: np.ndarray, position: np.ndarray, orientation: np.ndarray, speed: float) -> Result:
    links = tuple(link for track in model.tracks.values() for link in track.links)
    pins = tuple(pin for track in model.tracks.values() for pin in track.pins)
    blocks = [
        Block("body", "position", tuple(model.bodies), XYZ, "m", "world"),
        Block("body", "orientation", tuple(model.bodies), ("w", *XYZ), "-", "body to world"),
        Block("body", "velocity", tuple(model.bodies), XYZ, "m/s", "world"),
        Block("joint", "force", pins, XYZ, "N", "frame a"),
        Block("link", "tension", links, ("value",), "N"),
        Block("energy", "kinetic", ("energy",), ("value",), "J", "", "kinetic energy"),
        Block("energy", "work_motions", ("energy",), ("value",), "J", "", "work of prescribed motions"),
    ]
    number = np.concatenate([np.arange(1, len(track.links) + 1) for track in model.tracks.values()])
    force = np.zeros((len(time), len(pins), 3))
    force[:, :, 0] = 2000.0
    velocity = np.zeros_like(position)
    velocity[..., 0] = speed
    header = {"model_name": model.name, "preset": "none", "duration": 10.0, "grouser_version": "0", "scenario": "made"}
    writer = ResultWriter(None, header=header, blocks=blocks, model=model)
    values = {
        "body/position": position,
        "body/orientation": orientation,
        "body/velocity": velocity,
        "joint/force": force,
        "link/tension": 1000.0 * number + 100.0 * time[:, np.newaxis],
        "energy/kinetic": np.full((len(time), 1), 5e4),
        "energy/work_motions": 1e3 * time[:, np.newaxis],
    }
    writer.add_frames(time, values)
    return writer.finish("done")
