"""The panels of a run: speed, way, tension, slip, drives, contacts, energy. What a result does not hold is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from grouser.output.handling_panels import make_offset, make_roll, make_vibration, make_yaw_rate
from grouser.output.panel import Line, Panel
from grouser.result.loads import read_tension
from grouser.result.metrics import STEEPEST, calc_centre, calc_forward_speed, calc_path, calc_yaw
from grouser.result.power import find_contact_kind

if TYPE_CHECKING:
    from grouser.result.result import Array, Result

PLAN_ANGLE = np.radians(5.0)
"""A main body that has turned by more than this is shown from above too [rad]."""
LINKS_SHOWN = 3
"""Links of a track whose tension is drawn beside the mean."""
MOST_LINES = 12
"""More elements than this are told by their mean, smallest and largest."""
ENERGY_SUMS = {
    "work put in": ("work_",),
    "kinetic": ("kinetic",),
    "potential and stored": ("potential", "stored_"),
    "dissipated": ("dissipated_",),
    "residual": ("residual",),
}
"""Lines of the energy balance, and how the names of their channels begin."""


def make_overview_panels(result: Result) -> list[Panel]:
    """What a page on a run shows."""
    return _make(result, OVERVIEW)


def make_run_panels(result: Result) -> list[Panel]:
    """Everything that is worth a look: the overview, and details of drives, contacts and springs."""
    return _make(result, (*OVERVIEW, *DETAILS))


def _make(result: Result, makers: tuple[Maker, ...]) -> list[Panel]:
    if len(result.time) == 0:
        return []
    return [panel for make in makers if (panel := make(result)) is not None]


def _make_speed(result: Result) -> Panel | None:
    if not _has_motion(result) or not result.has_block("body/velocity"):
        return None
    lines = [Line(result.main_body, result.time, calc_forward_speed(result))]
    for number, (name, track) in enumerate(result.model.tracks.items(), start=1):
        if f"{name}.sprocket_speed" in result:
            speed = np.abs(result[f"{name}.sprocket_speed"]) * track.rolling_radius
            lines.append(Line(f"{name} track", result.time, speed, color=number, dash=1))
    return Panel("speed", "forward speed", "speed [m/s]", tuple(lines))


def _make_path(result: Result) -> Panel | None:
    if not _has_motion(result):
        return None
    path = calc_path(result)
    lines = [Line(name, result.time, path[:, i], color=i) for i, name in enumerate(("forward", "left", "up"))]
    return Panel("path", f"way of {result.main_body}, in its axes at the start", "way [m]", tuple(lines))


def _make_plan(result: Result) -> Panel | None:
    """The way seen from above, X to the right, of a run that goes round a bend."""
    if not _has_motion(result):
        return None
    forward = result.main_rotation[:, :, 0]
    is_level = np.abs(forward[:, 2]).max() <= STEEPEST
    if not is_level or not np.ptp(calc_yaw(result)) > PLAN_ANGLE:
        return None
    x, y, _ = calc_centre(result).T
    line = Line(result.main_body, x, y, time=result.time, heading=forward[:, :2])
    title = f"way of {result.main_body}, seen from above"
    return Panel("plan", title, "Y [m]", (line,), x_label="X [m]", is_equal=True)


def _make_tension(result: Result) -> Panel | None:
    lines: list[Line] = []
    for color, (name, track) in enumerate(result.model.tracks.items()):
        parts = [tension for part in result.split_frames() if (tension := read_tension(part, [track])) is not None]
        if not parts:
            continue
        shown = np.linspace(0, parts[0].shape[1], LINKS_SHOWN, endpoint=False, dtype=int)
        few = np.concatenate([tension[:, shown] for tension in parts])
        for number, tension in enumerate(few.T):
            label = f"{name}: {len(shown)} links" if number == 0 else ""
            lines.append(Line(label, result.time, tension, color=color, is_faint=True))
        mean = np.concatenate([tension.mean(axis=1) for tension in parts])
        lines.append(Line(f"{name}: mean", result.time, mean, color=color))
    if not lines:
        return None
    return Panel("tension", "track tension", "tension", tuple(lines), unit="N")


def _make_pressure(result: Result) -> Panel | None:
    """Force of the ground by length of the track, seen from the main body: at the end, and on the average."""
    tracks = {name: track for name, track in result.model.tracks.items() if track.links}
    if not _has_motion(result) or not tracks or not result.has_block("link/ground_force"):
        return None
    lines = []
    for color, (name, track) in enumerate(tracks.items()):
        width = 0.5 * track.pitch
        counts: Counter[int] = Counter()
        sums: Counter[int] = Counter()
        for part in result.split_frames():
            load = part.block("link/ground_force", track.links)[0][:, :, 2] / track.pitch
            place = part.block("body/position", track.links)[0] - calc_centre(part)[:, None, :]
            along = np.einsum("tnk,tk->tn", place, part.main_rotation[:, :, 0])
            cells, at = np.unique(np.round(along / width).astype(int), return_inverse=True)
            counts.update(dict(zip(cells.tolist(), np.bincount(at.ravel()).tolist(), strict=True)))
            total = np.bincount(at.ravel(), weights=load.ravel())
            sums.update(dict(zip(cells.tolist(), total.tolist(), strict=True)))
        last = np.argsort(along[-1])
        on_ground = last[load[-1][last] > 0.0]
        lines.append(
            Line(f"{name}: at {result.time[-1]:.4g} s", along[-1][on_ground], load[-1][on_ground], color, is_faint=True)
        )
        used = [cell for cell in sorted(sums) if sums[cell] > 0.0]
        mean = np.array([sums[cell] / counts[cell] for cell in used])
        lines.append(Line(f"{name}: mean", width * np.array(used), mean, color))
    title = f"ground pressure along the track, seen from {result.main_body}"
    return Panel("pressure", title, "force by length", tuple(lines), x_label="forward [m]", unit="N/m")


def _make_slip(result: Result) -> Panel | None:
    if not result.model.tracks or not result.has_block("track/slip"):
        return None
    lines = [
        Line(name, result.time, 100.0 * result[f"{name}.slip"], color=color)
        for color, name in enumerate(result.model.tracks)
    ]
    return Panel("slip", "track slip", "slip [%]", tuple(lines))


def _make_energy(result: Result) -> Panel | None:
    """The balance: what was put in, where it went, what is missing; all since the first frame."""
    if "energy.kinetic" not in result:
        return None
    energies = {name.removeprefix("energy."): name for name in result.channels if name.startswith("energy.")}
    sums: dict[str, Array] = {}
    for label, starts in ENERGY_SUMS.items():
        names = [channel for name, channel in energies.items() if name.startswith(starts)]
        if names:
            total = np.sum([result[name] for name in names], axis=0)
            sums[label] = total - total[0]
    lines = [Line(label, result.time, total, color=color) for color, (label, total) in enumerate(sums.items())]
    return Panel("energy", "energy balance", "energy", tuple(lines), unit="J")


def _make_residual(result: Result) -> Panel | None:
    if "energy.residual" not in result:
        return None
    residual = result["energy.residual"] - result["energy.residual"][0]
    line = Line("residual", result.time, residual, color=len(ENERGY_SUMS) - 1)
    return Panel("residual", "residual of the energy balance", "energy", (line,), unit="J")


def _make_engine(result: Result) -> Panel | None:
    """Power of engines of tracks, what reaches the sprockets, and what is lost between."""
    engines = [name for name, force in result.model.forces.items() if force.type == "track_powertrain"]
    if not engines:
        return None
    titles = {
        "engine_power": "engine", "power": "sprockets", "converter_loss": "lost in the converter",
        "gear_loss": "lost in gears", "steering_loss": "lost by steering",
    }  # fmt: skip
    lines = [
        Line(title, result.time, np.sum([result[f"{name}.{quantity}"] for name in engines], axis=0), color=color)
        for color, (quantity, title) in enumerate(titles.items())
    ]
    return Panel("engine", "power of the engine", "power", tuple(lines), unit="W")


def _make_losses(result: Result) -> Panel | None:
    """Power lost in contacts by damping and friction, left and right together, smoothed over a second."""
    kinds: dict[str, Array] = {}
    for quantity in ("damping_loss", "friction_loss"):
        for name in result.list_items(f"contact/{quantity}") if result.has_block(f"contact/{quantity}") else ():
            kind = find_contact_kind(name)
            kinds[kind] = kinds.get(kind, np.zeros(len(result.time))) + result[f"{name}.{quantity}"]
    acting = {kind: _smooth(result.time, power) for kind, power in kinds.items() if power.any()}
    if not acting:
        return None
    lines = [Line(kind, result.time, power, color=color) for color, (kind, power) in enumerate(acting.items())]
    return Panel("losses", "power lost in contacts, mean of a second", "power", tuple(lines), unit="W")


def _smooth(time: Array, values: Array) -> Array:
    """Mean over the second around each frame, less at both ends."""
    before, after = np.searchsorted(time, time - 0.5), np.searchsorted(time, time + 0.5)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    return (sums[after] - sums[before]) / (after - before)


def _make_drives(result: Result) -> Panel | None:
    return _make_family(result, "motion/power", "drives", "power of the drives", "power", "W")


def _make_ground(result: Result) -> Panel | None:
    """Normal forces on the terrain, summed over the points of each contact."""
    grounds = [name for name, contact in result.model.contacts.items() if contact.b == "terrain"]
    return _make_family(result, "contact/normal", "ground", "normal forces on the ground", "force", "N", grounds)


def _make_contacts(result: Result) -> Panel | None:
    others = [name for name, contact in result.model.contacts.items() if contact.b != "terrain"]
    return _make_family(result, "contact/normal", "contacts", "normal forces between bodies", "force", "N", others)


def _make_springs(result: Result) -> Panel | None:
    return _make_family(result, "force/force", "springs", "springs, dampers and actuators", "force", "N")


def _make_bars(result: Result) -> Panel | None:
    return _make_family(result, "force/force", "bars", "torsion springs", "torque", "N m")


def _make_family(
    result: Result, block: str, key: str, title: str, axis: str, unit: str, items: list[str] | None = None
) -> Panel | None:
    """All items of a block that have a unit; None if nothing acts."""
    if not result.has_block(block):
        return None
    quantity = block.split("/")[1]
    names = [
        name
        for name in result.list_items(block)
        if (items is None or name in items) and result.channels[f"{name}.{quantity}"].unit == unit
    ]
    if not names:
        return None
    largest = [
        np.nanmax(np.abs(part.block(block, names)[0][:, :, 0]), axis=0, initial=0.0) for part in result.split_frames()
    ]
    acting = [name for name, size in zip(names, np.max(largest, axis=0), strict=True) if size > 0]
    if not acting:
        return None
    if len(acting) <= MOST_LINES:
        values = result.block(block, acting)[0][:, :, 0]
        lines = [Line(name, result.time, values[:, n], color=n, dash=n // 7) for n, name in enumerate(acting)]
    else:
        lines = _make_spread(result, block, acting)
    return Panel(key, title, axis, tuple(lines), unit=unit)


def _make_spread(result: Result, block: str, items: list[str]) -> list[Line]:
    """Largest, mean and smallest of many items over time."""
    spreads = []
    for part in result.split_frames():
        values = part.block(block, items)[0][:, :, 0]
        spreads.append([values.max(axis=1), values.mean(axis=1), values.min(axis=1)])
    lines = np.concatenate(spreads, axis=1)
    words = [f"{name} of {len(items)}" for name in ("largest", "mean", "smallest")]
    return [Line(word, result.time, line, color=i) for i, (word, line) in enumerate(zip(words, lines, strict=True))]


def _has_motion(result: Result) -> bool:
    return result.has_block("body/position") and result.has_block("body/orientation")


Maker = Callable[["Result"], Panel | None]
"""Makes a panel of a result, or None if the result does not hold what it shows."""
OVERVIEW: tuple[Maker, ...] = (
    _make_speed,
    _make_path,
    _make_plan,
    _make_tension,
    _make_slip,
    _make_energy,
    _make_residual,
)
DETAILS: tuple[Maker, ...] = (
    make_roll,
    make_yaw_rate,
    make_offset,
    make_vibration,
    _make_engine,
    _make_losses,
    _make_drives,
    _make_ground,
    _make_pressure,
    _make_contacts,
    _make_springs,
    _make_bars,
)
