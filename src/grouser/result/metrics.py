"""Metrics: a run in a few numbers, from its channels and its model.

The place of the main body is that of its centre of mass (the channel `position` is that of its origin, which on a
vehicle may be anywhere). Its forward axis is its x axis, left is its y axis. Each number is None where the result
does not hold what it needs, for example the slip of a model without tracks.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from grouser.errors import ResultError
from grouser.result.detect import find_events
from grouser.result.loads import calc_contact_loads, calc_pin_loads, calc_tension_loads, make_number
from grouser.result.power import calc_power
from grouser.result.result import Array, Event, Result

SPEED_TIME = 0.5
"""The final speed is the mean over this much time at the end [s]."""
SLIP_TIME = 1.0
"""The slip is the mean over this much time at the end [s]."""
DRIVEN_SHARE = 0.01
"""A run is driven once the work put in exceeds this share of the largest, and at all if the largest
exceeds this share of the energies that move about."""
REST_LIFT = 1.0e-5
"""A run that moves less energy about than lifting all bodies by this much would take is one at rest [m]."""
STEEPEST = 0.9
"""Largest vertical part of the forward axis of a body that still has a heading [-]."""
TURN_RATE = 0.01
"""Mean yaw rate from which a run is a turn [rad/s]."""
TURN_ANGLE = 0.02
"""Yaw angle within the last third from which a radius can be told [rad]."""
WORK = ("work_motions", "work_forces")
STORED = ("stored_joints", "stored_forces", "stored_contacts", "stored_elements")


def calc_summary(result: Result) -> dict[str, Any]:
    """All metrics of a result, by name; values are numbers, None, or lists and dicts of them.

    Keys: `duration` [s], `distance` [m], which is also called `path_length`, `displacement`, `displacement_forward`
    [m], `final_speed` [m/s], `lateral_drift` [m], `yaw_angle` [rad], `turn_radius` [m], `slip` [-], `energy_residual`
    [-], `max_pin_deformation` [m], `link_tension` and `pin_force` with the prefixes `mean_`, `p99_`, `p999_`, `max_`
    [N], `tracks` (for each its `slip`, and `tension` and `pin_force` with the suffixes `_mean`, `_p99`, `_p999` and
    `_max`), `power` (as `calc_power` has it, or None), `contacts` (for each `normal` with the same), `events` (stored
    and detected, by time).
    """
    # the last frames of a run that diverged may hold anything
    with np.errstate(all="ignore"):
        tracks = {name: calc_track(result, name) for name in result.model.tracks}
        distance = calc_distance(result)
        tension = calc_tension_loads(result, result.model.tracks.values())
        pin_force = calc_pin_loads(result, result.model.tracks.values())
        summary = {
            "duration": float(result.time[-1] - result.time[0]) if len(result.time) else None,
            "distance": distance,
            "path_length": distance,
            "displacement": calc_displacement(result),
            "displacement_forward": calc_displacement_forward(result),
            "final_speed": calc_final_speed(result),
            "lateral_drift": calc_lateral_drift(result),
            "yaw_angle": calc_yaw_angle(result),
            "turn_radius": calc_turn_radius(result),
            "slip": calc_slip(result),
            "energy_residual": calc_energy_residual(result),
            "max_pin_deformation": calc_max_pin_deformation(result),
            "power": calc_power(result, distance),
            **{f"{name}_link_tension": value for name, value in tension.items()},
            **{f"{name}_pin_force": value for name, value in pin_force.items()},
            "tracks": tracks,
            "contacts": calc_contact_loads(result),
        }
    return {**summary, "events": [asdict(event) for event in find_all_events(result)]}


def find_all_events(result: Result) -> list[Event]:
    """Events told by the simulation and found by the detectors, by time, each once."""
    events = dict.fromkeys([*result.events, *find_events(result)])
    return sorted(events, key=lambda event: event.time)


def calc_forward_speed(result: Result) -> Array:
    """Speed of the main body's centre of mass along its own x axis in every frame [m/s]."""
    body = result.main_body
    forward = result.main_rotation[:, :, 0]
    speed = np.einsum("fi,fi->f", result[f"{body}.velocity"], forward)
    if result.has_block("body/angular_velocity") and body in result.model.bodies:
        # the part of omega x com along x, in the body's axes
        speed = speed + np.cross(result[f"{body}.angular_velocity"], result.main_com)[:, 0]
    return speed


def calc_centre(result: Result) -> Array:
    """Centre of mass of the main body in every frame, world axes, (frames, 3) [m]."""
    return result.main_position + result.main_rotation @ result.main_com


def calc_path(result: Result) -> Array:
    """Way of the main body's centre of mass since the first frame, along its first x, y and z axes, (frames, 3) [m]."""
    centre = calc_centre(result)
    rotation = result.main_rotation
    return np.einsum("fj,ji->fi", centre - centre[:1], rotation[0] if len(rotation) else np.eye(3))


def calc_yaw(result: Result) -> Array:
    """Yaw of the main body in every frame since the first, positive to the left, without jumps [rad]."""
    forward = result.main_rotation[:, :, 0]
    yaw = np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))
    return yaw - yaw[:1]


def calc_distance(result: Result) -> float | None:
    """Length of the path that the main body went, from frame to frame [m]."""
    if not _has_motion(result):
        return None
    return make_number(np.linalg.norm(np.diff(calc_centre(result), axis=0), axis=1).sum())


def calc_displacement(result: Result) -> float | None:
    """Length of the straight line from where the main body was to where it is at the end [m]."""
    return make_number(np.linalg.norm(calc_path(result)[-1])) if _has_motion(result) else None


def calc_displacement_forward(result: Result) -> float | None:
    """Part of that line along the initial heading of the main body, negative to the rear [m]."""
    return make_number(calc_path(result)[-1, 0]) if _has_motion(result) else None


def calc_final_speed(result: Result) -> float | None:
    """Mean speed of the main body along its x axis over the last half second [m/s]."""
    if not _has_motion(result) or not result.has_block("body/velocity"):
        return None
    return make_number(calc_forward_speed(result)[_last(result, SPEED_TIME)].mean())


def calc_lateral_drift(result: Result) -> float | None:
    """Largest offset of the main body to either side of its initial heading [m]."""
    return make_number(np.abs(calc_path(result)[:, 1]).max()) if _has_motion(result) else None


def calc_yaw_angle(result: Result) -> float | None:
    """Yaw of the main body from the first frame to the last, positive to the left [rad]."""
    return make_number(calc_yaw(result)[-1]) if _has_motion(result) else None


def calc_turn_radius(result: Result) -> float | None:
    """Radius of the path of the main body over the last third of the run [m], None if it did not turn or tumbled.

    It is one over the curvature, the slope of yaw over length of path by least squares, which needs no
    whole circle and is not disturbed by a constant drift angle.
    """
    if not _has_motion(result):
        return None
    frames = slice(2 * len(result.time) // 3, None)
    time, yaw = result.time[frames], calc_yaw(result)[frames]
    if len(time) < 3 or not np.isfinite(yaw).all():
        return None
    forward = result.main_rotation[frames, :, 0]
    if np.abs(forward[:, 2]).max() > STEEPEST:  # its forward axis stands upright: there is no heading
        return None
    turned = abs(yaw[-1] - yaw[0])
    if turned < TURN_ANGLE or turned < TURN_RATE * (time[-1] - time[0]):
        return None
    steps = np.linalg.norm(np.diff(calc_path(result)[frames, :2], axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    spread = length - length.mean()
    return make_number((spread @ spread) / abs(spread @ (yaw - yaw.mean())))


def calc_slip(result: Result, track: str | None = None) -> float | None:
    """Slip over the last second, mean over a track or over all of them [-]."""
    if not result.model.tracks or not result.has_block("track/slip") or len(result.time) == 0:
        return None
    slip, _ = result.block("track/slip", [track] if track else list(result.model.tracks))
    last = slip[_last(result, SLIP_TIME)]
    last = last[np.isfinite(last)]
    return make_number(last.mean()) if last.size else None


def calc_energy_residual(result: Result) -> float | None:
    """Largest error of the energy balance as a share of the energy put in [-], see `calc_residual_shares`."""
    shares = calc_residual_shares(result)
    return None if shares is None else make_number(shares.max())


def calc_residual_shares(result: Result) -> Array | None:
    """Error of the energy balance in every frame, as a share of the energy put in over the whole run [-].

    With the work of drives and applied forces W = work_motions + work_forces and the residual r of the
    balance, both counted from the first frame, it is ``|r| / max |W|`` in the driven part, that is
    from the first frame in which |W| exceeds 1 % of its maximum, and zero before.

    A run that is not driven (a pendulum) has no work to compare with: if max |W| stays below 1 % of
    ``S = max kinetic + (max - min) of potential and stored energy``, it is ``|r| / S`` in all frames.

    A run at rest has nothing to compare with: it is None if W, S and the dissipated energy all stay below
    what it takes to lift all bodies by 10 um, the sum of their masses times gravity times `REST_LIFT`.
    """
    names = ("residual", "kinetic", "potential", *WORK)
    if len(result.time) == 0 or any(f"energy.{name}" not in result for name in names):
        return None
    work = sum((result[f"energy.{name}"] for name in WORK), start=np.zeros(len(result.time)))
    work = np.abs(work - work[0])
    residual = result["energy.residual"]
    residual = np.abs(residual - residual[0])
    stored = [f"energy.{name}" for name in STORED if f"energy.{name}" in result]
    potential = sum((result[name] for name in stored), start=result["energy.potential"])
    scale = result["energy.kinetic"].max() + np.ptp(potential)
    lost = [np.ptp(result[name]) for name in result.channels if name.startswith("energy.dissipated_")]
    weight = result.model.mass * np.linalg.norm(result.model.gravity)
    if max(work.max(), scale, sum(lost)) <= weight * REST_LIFT:
        return None
    if work.max() >= DRIVEN_SHARE * scale and work.max() > 0:
        first = int(np.argmax(work > DRIVEN_SHARE * work.max()))
        residual[:first] = 0.0
        return residual / work.max()
    return residual / scale


def calc_energy_gain(result: Result) -> float:
    """Energy at the end of a run that came from nowhere, as a share of all that moved about [-]; 0 where some was lost.

    What moved about is the sum of the largest kinetic energy, the ranges of potential and stored energy, the work of
    drives and applied forces, and what was dissipated. A run at rest, as in `calc_energy_residual`, gains nothing.
    """
    names = ("residual", "kinetic", "potential")
    if len(result.time) == 0 or any(f"energy.{name}" not in result for name in names):
        return 0.0
    others = [f"energy.{name}" for name in ("potential", *STORED, *WORK)]
    others += [name for name in result.channels if name.startswith("energy.dissipated_")]
    moved = result["energy.kinetic"].max() + sum(np.ptp(result[name]) for name in others if name in result)
    residual = result["energy.residual"]
    weight = result.model.mass * np.linalg.norm(result.model.gravity)
    gained = float(residual[-1] - residual[0])
    return gained / float(moved) if gained > 0.0 and moved > weight * REST_LIFT else 0.0


def calc_max_pin_deformation(result: Result) -> float | None:
    """Largest deformation of the pins of all tracks at any time [m]."""
    pins = [pin for track in result.model.tracks.values() for pin in track.pins]
    if not pins or not result.has_block("joint/deformation") or len(result.time) == 0:
        return None
    return make_number(np.max([part.block("joint/deformation", pins)[0].max() for part in result.split_frames()]))


def calc_track(result: Result, name: str) -> dict[str, float | None]:
    """Slip of a track, and statistics of the tension of its links and of the forces of its pins [N]."""
    track = result.model.tracks.get(name)
    if track is None:
        raise ResultError(f"the model has no track {name!r}; there are: {', '.join(result.model.tracks)}")
    tension = calc_tension_loads(result, [track])
    pin_force = calc_pin_loads(result, [track])
    return {
        "slip": calc_slip(result, name),
        **{f"tension_{key}": value for key, value in tension.items()},
        **{f"pin_force_{key}": value for key, value in pin_force.items()},
    }


def _last(result: Result, duration: float) -> slice:
    """The frames within a duration of the end, at least one."""
    first = int(np.searchsorted(result.time, result.time[-1] - duration * (1 + 1e-9)))
    return slice(min(first, len(result.time) - 1), None)


def _has_motion(result: Result) -> bool:
    blocks = ("body/position", "body/orientation")
    return len(result.time) > 0 and all(result.has_block(name) for name in blocks)
