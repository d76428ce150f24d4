"""A small tracked vehicle whose motion is known in closed form, as a model and as a result.

Ten links run around a sprocket in front and an idler of equal radius behind. The pins lie on a loop of two
straight lines and two half circles; the pitch along it is a tooth of the sprocket, so every pin sits in a gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grouser.model.model import Model
from grouser.result.result import Result
from grouser.result.writer import Block, ResultWriter

LINKS, TEETH, PITCH = 10, 6, 0.15
RADIUS = TEETH * PITCH / (2 * np.pi)
WHEELBASE = (LINKS - TEETH) * PITCH / 2
PAD, RAIL, WHEEL_RADIUS = 0.03, 0.02, 0.09
HEIGHT = RADIUS + PAD
HALF_TREAD = 0.4
PLATE_WIDTH = 0.12
Y_AXIS = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
"""Turns the z axis of a joint frame to the body's y axis."""
SIDES = {"left": HALF_TREAD, "right": -HALF_TREAD}
XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Drive:
    """How the vehicle moves: sprocket speed [rad/s], slip, yaw rate [rad/s], and faults."""

    sprocket_speed: float = 8.0
    slip: float = 0.1
    yaw_rate: float = 0.0
    duration: float = 2.0
    interval: float = 0.01
    jump_time: float | None = None
    thrown_time: float | None = None
    airborne: tuple[float, float] | None = None
    broken_time: float | None = None


def make_model() -> Model:
    bodies: dict = {"chassis": make_body(0.0, 0.0)}
    joints: dict = {}
    forces: dict = {}
    motions: dict = {}
    shapes: dict = {
        "hull": {
            "type": "points",
            "body": "chassis",
            "group": "hull",
            "positions": [
                (x, y, z) for x, z in ((-0.3, 0.05), (0.3, 0.05), (0.4, 0.2), (-0.3, 0.25)) for y in (-0.3, 0.3)
            ],
        }
    }
    contacts: dict = {}
    tracks: dict = {}
    for side, y in SIDES.items():
        add_running_gear(side, y, bodies, joints, forces, motions, shapes)
        add_links(side, y, bodies, joints, shapes)
        contacts[f"{side}.ground"] = {"a": f"{side}.pads", "b": "terrain", "stiffness": 1e5}
        tracks[side] = {
            "links": [f"{side}.link{i}" for i in range(LINKS)],
            "pins": [f"{side}.pin{i}" for i in range(LINKS)],
            "sprocket": f"{side}.sprocket",
            "idler": f"{side}.idler",
            "wheels": [f"{side}.wheel"],
            "drive": f"{side}.drive",
            "pitch": PITCH,
            "teeth": TEETH,
        }
    return Model.model_validate(
        {
            "name": "small-track",
            "bodies": bodies,
            "joints": joints,
            "forces": forces,
            "motions": motions,
            "shapes": shapes,
            "contacts": contacts,
            "terrain": {"type": "plane"},
            "tracks": tracks,
            "main_body": "chassis",
        }
    )


def make_body(x: float, y: float, z: float = 0.0) -> dict:
    return {"mass": 10.0, "inertia": (1.0, 1.0, 1.0), "position": (x, y, HEIGHT + z)}


def make_frame(body: str, position: tuple[float, float, float]) -> dict:
    return {"body": body, "position": position, "orientation": Y_AXIS}


def add_running_gear(
    side: str, y: float, bodies: dict, joints: dict, forces: dict, motions: dict, shapes: dict
) -> None:
    wheel_z = -RADIUS + RAIL + WHEEL_RADIUS
    places = {"sprocket": (WHEELBASE / 2, 0.0), "idler": (-WHEELBASE / 2, 0.0), "wheel": (0.0, wheel_z)}
    for part, (x, z) in places.items():
        bodies[f"{side}.{part}"] = make_body(x, y, z)
    bodies[f"{side}.arm"] = make_body(0.06, y, wheel_z + 0.06)
    for part in ("sprocket", "idler"):
        joints[f"{side}.{part}.axle"] = {
            "type": "revolute",
            "frame_a": make_frame("chassis", (places[part][0], y, 0.0)),
            "frame_b": make_frame(f"{side}.{part}", (0.0, 0.0, 0.0)),
        }
    joints[f"{side}.arm.pivot"] = {
        "type": "revolute",
        "frame_a": make_frame("chassis", (0.12, y, wheel_z + 0.1)),
        "frame_b": make_frame(f"{side}.arm", (0.06, 0.0, 0.04)),
    }
    joints[f"{side}.wheel.axle"] = {
        "type": "revolute",
        "frame_a": make_frame(f"{side}.arm", (-0.06, 0.0, -0.06)),
        "frame_b": make_frame(f"{side}.wheel", (0.0, 0.0, 0.0)),
    }
    forces[f"{side}.shock"] = {
        "type": "spring",
        "frame_a": {"body": "chassis", "position": (-0.05, y, 0.15)},
        "frame_b": {"body": f"{side}.arm", "position": (0.0, 0.0, 0.0)},
        "stiffness": 1000.0,
    }
    motions[f"{side}.drive"] = {
        "joint": f"{side}.sprocket.axle",
        "coordinate": "rotation",
        "quantity": "speed",
        "value": 8.0,
    }
    shapes[f"{side}.teeth"] = {
        "type": "sprocket",
        "body": f"{side}.sprocket",
        "group": f"{side}.teeth",
        "reference": (0.0, 0.0, 1.0),
        "teeth": TEETH,
        "arc_radius": 0.05,
        "arc_centre_radius": RADIUS + 0.03,
        "addendum_radius": RADIUS + 0.017,
    }
    for part, radius in (("idler", RADIUS - RAIL), ("wheel", WHEEL_RADIUS)):
        shapes[f"{side}.{part}.rim"] = {
            "type": "wheel",
            "body": f"{side}.{part}",
            "group": f"{side}.rims",
            "radius": radius,
        }


def add_links(side: str, y: float, bodies: dict, joints: dict, shapes: dict) -> None:
    """Links with x in the direction of travel and z to the ground."""
    for i in range(LINKS):
        name, following = f"{side}.link{i}", f"{side}.link{(i + 1) % LINKS}"
        bodies[name] = make_body(0.0, y)
        joints[f"{side}.pin{i}"] = {
            "type": "revolute",
            "frame_a": make_frame(name, (PITCH / 2, 0.0, 0.0)),
            "frame_b": make_frame(following, (-PITCH / 2, 0.0, 0.0)),
            "group": "pins",
        }
        shapes[f"{name}.rail"] = {
            "type": "plate",
            "body": name,
            "group": f"{side}.rails",
            "position": (0.0, 0.0, -RAIL),
            "orientation": (0.0, 1.0, 0.0, 0.0),
            "length": PITCH,
            "width": PLATE_WIDTH,
        }
        shapes[f"{name}.pad"] = {
            "type": "points",
            "body": name,
            "group": f"{side}.pads",
            "positions": [(x, side_y, PAD) for x in (-0.06, 0.06) for side_y in (-0.05, 0.05)],
        }
        shapes[f"{name}.stud"] = {
            "type": "pin",
            "body": name,
            "group": f"{side}.studs",
            "positions": [(PITCH / 2, 0.0, 0.0)],
            "radius": 0.02,
        }


def calc_loop(way: np.ndarray) -> np.ndarray:
    """Points of the loop (x, z) at a way along it from the top of the sprocket in the direction of travel."""
    s = np.mod(way, LINKS * PITCH)
    arc, straight = np.pi * RADIUS, WHEELBASE
    front, rear = s / RADIUS, (s - arc - straight) / RADIUS
    parts = [s < arc, s < arc + straight, s < 2 * arc + straight]
    x = [
        WHEELBASE / 2 + RADIUS * np.sin(front),
        WHEELBASE / 2 - (s - arc),
        -WHEELBASE / 2 - RADIUS * np.sin(rear),
    ]
    z = [RADIUS * np.cos(front), np.full_like(s, -RADIUS), -RADIUS * np.cos(rear)]
    return np.stack(
        [
            np.select(parts, x, -WHEELBASE / 2 + (s - 2 * arc - straight)),
            np.select(parts, z, np.full_like(s, RADIUS)),
        ],
        axis=-1,
    )


def make_values(model: Model, drive: Drive) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Time, and position, orientation and velocity of all bodies by closed form."""
    time = np.arange(0.0, drive.duration + drive.interval / 2, drive.interval)
    speed = RADIUS * drive.sprocket_speed * (1 - drive.slip)
    yaw = drive.yaw_rate * time
    if drive.yaw_rate:
        turn = speed / drive.yaw_rate
        centre = np.stack([turn * np.sin(yaw), turn * (1 - np.cos(yaw))], axis=1)
    else:
        centre = np.stack([speed * time, np.zeros_like(time)], axis=1)
    spin = drive.sprocket_speed * time
    local = {"chassis": (0.0, 0.0, 0.0)}
    pitch_angle = {"chassis": np.zeros_like(time)}
    for side, y in SIDES.items():
        wheel_z = -RADIUS + RAIL + WHEEL_RADIUS
        for part, x, z in (
            ("sprocket", WHEELBASE / 2, 0.0),
            ("idler", -WHEELBASE / 2, 0.0),
            ("wheel", 0.0, wheel_z),
            ("arm", 0.06, wheel_z + 0.06),
        ):
            local[f"{side}.{part}"] = (x, y, z)
            pitch_angle[f"{side}.{part}"] = np.zeros_like(time) if part == "arm" else spin
        if drive.jump_time is not None and side == "left":
            slipped = np.clip((time - drive.jump_time) / 0.04, 0.0, 1.0) * 2 * np.pi / TEETH
            pitch_angle["left.sprocket"] = spin + slipped
        for i in range(LINKS):
            # a pin sits over the top of the sprocket, in its reference gap, at the first frame
            head = calc_loop(i * PITCH + RADIUS * spin)
            tail = calc_loop((i - 1) * PITCH + RADIUS * spin)
            middle, ahead = (head + tail) / 2, head - tail
            lateral = np.full_like(time, y)
            if drive.thrown_time is not None and side == "right" and i == 3:
                lateral -= np.where(time >= drive.thrown_time, 0.07, 0.0)
            local[f"{side}.link{i}"] = np.stack([middle[:, 0], lateral, middle[:, 1]], axis=1)
            pitch_angle[f"{side}.link{i}"] = np.arctan2(-ahead[:, 1], ahead[:, 0])
    position, orientation = [], []
    for body in model.bodies:
        x, y, z = np.broadcast_to(local[body], (len(time), 3)).T
        position.append(
            np.stack(
                [
                    centre[:, 0] + np.cos(yaw) * x - np.sin(yaw) * y,
                    centre[:, 1] + np.sin(yaw) * x + np.cos(yaw) * y,
                    HEIGHT + z,
                ],
                axis=1,
            )
        )
        a, b = yaw / 2, pitch_angle[body] / 2
        orientation.append(
            np.stack(
                [np.cos(a) * np.cos(b), -np.sin(a) * np.sin(b), np.cos(a) * np.sin(b), np.sin(a) * np.cos(b)],
                axis=1,
            )
        )
    velocity = np.gradient(np.stack(position, axis=1), time, axis=0)
    velocity[:, list(model.bodies).index("chassis")] = np.stack(
        [speed * np.cos(yaw), speed * np.sin(yaw), np.zeros_like(time)], axis=1
    )
    return time, {
        "body/position": np.stack(position, axis=1),
        "body/orientation": np.stack(orientation, axis=1),
        "body/velocity": velocity,
    }


def make_blocks(model: Model) -> list[Block]:
    bodies, tracks = tuple(model.bodies), tuple(model.tracks)
    links = tuple(link for track in model.tracks.values() for link in track.links)
    scalar = ("value",)
    energies = ("kinetic", "potential", "dissipated_friction", "work_motions", "work_forces", "residual")
    return [
        Block("body", "position", bodies, XYZ, "m", "world", "position of the body's origin"),
        Block("body", "orientation", bodies, ("w", *XYZ), "-", "body to world"),
        Block("body", "velocity", bodies, XYZ, "m/s", "world"),
        Block("joint", "deformation", tuple(model.joints), scalar, "m"),
        Block("joint", "coordinate", tuple(model.joints), ("translation", "rotation"), "m, rad"),
        Block("contact", "count", tuple(model.contacts), scalar, "-"),
        Block("link", "tension", links, scalar, "N"),
        Block("track", "slip", tracks, scalar, "-"),
        *(Block("energy", name, ("energy",), scalar, "J") for name in energies),
        Block("sensor", "value", (), XYZ, "m"),
    ]


def make_result(drive: Drive | None = None, path: Path | None = None) -> Result:
    """A result of the synthetic vehicle.

    Tension of link i is 1000 (i + 1) N at all times on the left and half of that on the right; drives put in
    100 J/s; the residual grows to 0.5 J.
    """

    drive = drive or Drive()
    model = make_model()
    time, values = make_values(model, drive)
    frames, joints = len(time), len(model.joints)
    tension = np.concatenate([1000.0 * np.arange(1, LINKS + 1), 500.0 * np.arange(1, LINKS + 1)])
    deformation = np.full((frames, joints), 1e-5)
    if drive.broken_time is not None:
        deformation[time >= drive.broken_time, list(model.joints).index("left.pin4")] = 0.05
    count = np.full((frames, 2), 8.0)
    if drive.airborne is not None:
        count[(time >= drive.airborne[0]) & (time < drive.airborne[1])] = [0.0, 4.0]
    share = time / time[-1]
    values |= {
        "joint/deformation": deformation,
        "joint/coordinate": np.zeros((frames, joints, 2)),
        "contact/count": count,
        "link/tension": np.broadcast_to(tension, (frames, 2 * LINKS)),
        "track/slip": np.full((frames, 2), drive.slip),
        "energy/kinetic": np.full((frames, 1), 3.0),
        "energy/potential": np.full((frames, 1), 7.0),
        "energy/dissipated_friction": (99.5 * share * drive.duration)[:, np.newaxis],
        "energy/work_motions": (100.0 * share * drive.duration)[:, np.newaxis],
        "energy/work_forces": np.zeros((frames, 1)),
        "energy/residual": (0.5 * share)[:, np.newaxis],
    }
    header = {"model_name": model.name, "preset": "penalty", "grouser_version": "0.1.0"}
    writer = ResultWriter(path, header=header, blocks=make_blocks(model), model=model)
    writer.add_frames(time, values)
    return writer.finish("done", "", {"settled": True})


def make_pendulum_result(path: Path | None = None, angle: Callable[[np.ndarray], np.ndarray] = np.cos) -> Result:
    """A pendulum of 1 m about the world's Y axis: a model without main body and tracks."""
    model = Model.model_validate(
        {
            "name": "pendulum",
            "bodies": {
                "bob": {"mass": 1.0, "inertia": (0.1, 0.1, 0.1), "com": (0.0, 0.0, -1.0)},
            },
            "joints": {
                "hinge": {
                    "type": "revolute",
                    "frame_a": make_frame("world", (0.0, 0.0, 0.0)),
                    "frame_b": make_frame("bob", (0.0, 0.0, 0.0)),
                }
            },
        }
    )
    time = np.linspace(0.0, 2.0, 101)
    half = angle(3.0 * time) / 2
    zero = np.zeros_like(time)
    blocks = [
        Block("body", "position", ("bob",), XYZ, "m", "world"),
        Block("body", "orientation", ("bob",), ("w", *XYZ), "-"),
        Block("body", "velocity", ("bob",), XYZ, "m/s", "world"),
    ]
    blocks += [
        Block("energy", name, ("energy",), ("value",), "J")
        for name in ("kinetic", "potential", "work_motions", "work_forces", "residual")
    ]
    writer = ResultWriter(path, header={"model_name": "pendulum"}, blocks=blocks, model=model)
    kinetic = np.sin(3.0 * time) ** 2
    writer.add_frames(
        time,
        {
            "body/position": np.zeros((101, 1, 3)),
            "body/orientation": np.stack([np.cos(half), zero, np.sin(half), zero], axis=1)[:, np.newaxis],
            "body/velocity": np.zeros((101, 1, 3)),
            "energy/kinetic": kinetic[:, np.newaxis],
            "energy/potential": (1 - kinetic)[:, np.newaxis],
            "energy/work_motions": zero[:, np.newaxis],
            "energy/work_forces": zero[:, np.newaxis],
            "energy/residual": (1e-3 * time)[:, np.newaxis],
        },
    )
    return writer.finish("done")
