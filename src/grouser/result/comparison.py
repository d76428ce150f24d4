"""Several runs of one vehicle side by side: what is compared, in numbers and over time.

The first run is the reference. Runs are compared frame by frame as far as both go.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.result.doubts import find_doubts
from grouser.result.export import say_cell_text
from grouser.result.loads import STATISTICS, calc_contact_loads, calc_pin_loads, calc_tension_loads
from grouser.result.mark import TABLE_MARK
from grouser.result.metrics import calc_centre, calc_forward_speed, calc_path
from grouser.result.places import calc_axes
from grouser.result.result import Array, Result

if TYPE_CHECKING:
    from grouser.model.model import Model

COLUMNS: dict[str, tuple[str, str, float]] = {
    "doubts": ("doubts", "", 1.0),
    "status": ("status", "", 1.0),
    "step": ("step", "ms", 1e3),
    "cpu_per_second": ("CPU time per simulated second", "s/s", 1.0),
    "cpu_ratio": ("CPU ratio", "-", 1.0),
    "height": ("final chassis height", "m", 1.0),
    "vibration": ("vertical acceleration of the chassis (RMS)", "m/s^2", 1.0),
    "distance": ("distance", "m", 1.0),
    "distance_difference": ("largest difference of position", "mm", 1e3),
    "final_speed": ("final speed", "m/s", 1.0),
    "speed_difference": ("largest difference of speed", "mm/s", 1e3),
    "force_longitudinal": ("largest longitudinal pin force", "kN", 1e-3),
    "force_vertical": ("largest vertical pin force", "kN", 1e-3),
    "force_difference": ("difference of pin force (RMS)", "kN", 1e-3),
    **{f"link_tension_{key}": (f"link tension, {label}", "kN", 1e-3) for key, label in STATISTICS.items()},
    **{f"pin_force_{key}": (f"pin force, {label}", "kN", 1e-3) for key, label in STATISTICS.items()},
    "deformation": ("largest joint deformation", "mm", 1e3),
    "violation_position": ("violation of positions", "m, rad", 1.0),
    "violation_velocity": ("violation of velocities", "m/s, rad/s", 1.0),
    "violation_acceleration": ("violation of accelerations", "m/s^2, rad/s^2", 1.0),
    "energy_residual": ("energy residual", "%", 100.0),
}
"""Columns of the table: heading, unit, and factor from SI. Differences are those from the first run. Those of contacts
come behind them."""
MARK = "(!)"
"""Behind the name of a run that is not to be trusted."""
NORMAL = ".normal_"
"""Between the name of a contact and what is told of its normal force, in the name of a column."""


def find_link(model: Model) -> str | None:
    """The link whose motion is shown: the first of the first track."""
    return next((track.links[0] for track in model.tracks.values() if track.links), None)


def find_pin(model: Model) -> str | None:
    """The joint whose forces are shown: the first pin of the first track, or the first joint that holds something."""
    pins = [track.pins[0] for track in model.tracks.values() if track.pins and track.pins[0] in model.joints]
    if not pins and any(track.chain is not None for track in model.tracks.values()):
        return None  # no force of a pin that neighbours share is told
    return next(iter([*pins, *(name for name, joint in model.joints.items() if joint.type != "free")]), None)


def calc_height(result: Result) -> Array:
    """Height of the main body's centre of mass in every frame [m]."""
    return calc_centre(result)[:, 2]


def calc_pin_force(result: Result, pin: str) -> Array:
    """Force of a joint on its body b in the axes of the main body: longitudinal, lateral, vertical, (frames, 3) [N]."""
    axes = calc_axes(result, [result.model.joints[pin].frame_a])[:, 0]
    force = np.einsum("fij,fj->fi", axes, result[f"{pin}.force"])
    return np.einsum("fji,fj->fi", result.main_rotation, force)


def calc_link_trajectory(result: Result, link: str) -> Array:
    """Way of a link's origin in the frame of the main body, (frames, 3) [m]."""
    offset = result[f"{link}.position"] - result.main_position
    return np.einsum("fji,fj->fi", result.main_rotation, offset)


def calc_deformation(result: Result) -> Array:
    """Largest deformation of any track pin, or of any joint of a model without tracks, in every frame [m]."""
    pins = [pin for track in result.model.tracks.values() for pin in track.pins]
    names = pins or list(result.model.joints)
    parts = (part.block("joint/deformation", names)[0][:, :, 0] for part in result.split_frames())
    return np.concatenate([np.zeros(0), *(values.max(axis=1, initial=0.0) for values in parts)])


def calc_vibration(result: Result) -> float | None:
    """Root mean square of the vertical acceleration of the main body's centre of mass [m/s^2].

    It comes from the velocities of the frames, so vibration faster than half the frame rate is not seen.
    """
    if len(result.time) < 3:
        return None
    body = result.main_body
    turning = np.cross(result[f"{body}.angular_velocity"], result.model.bodies[body].com)
    velocity = result[f"{body}.velocity"] + np.einsum("fij,fj->fi", result.main_rotation, turning)
    return _root_mean_square(np.gradient(velocity[:, 2], result.time))


def calc_cpu_per_second(summary: Mapping[str, Any]) -> float | None:
    """CPU time per simulated second of a run [-]."""
    duration = summary.get("duration")
    return summary["cpu_time"] / duration if duration else None


def find_columns(table: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[str, str, float]]:
    """Columns of a table as in `COLUMNS`, and after them those of all contacts."""
    columns = dict(COLUMNS)
    for name in (name for row in table.values() for name in row if name not in COLUMNS):
        contact, _, key = name.rpartition(NORMAL)
        columns[name] = (f"normal force of {contact}, {STATISTICS[key]}", "kN", 1e-3)
    return columns


def calc_table(results: Mapping[str, Result], peers: Mapping[str, Result] | None = None) -> dict[str, dict[str, Any]]:
    """Numbers of every run by its label, each a value in SI or None for every one of `COLUMNS`, and for the contacts
    that touch.

    Parameters
    ----------
    results : runs by label, the reference first
    peers : further runs by label that are not compared with the reference, such as another vehicle
    """
    first = next(iter(results.values()))
    table = {label: _calc_row(result, first) for label, result in results.items()}
    table |= {label: _calc_row(result, None) for label, result in (peers or {}).items()}
    columns = find_columns(table)
    return {label: {name: row.get(name) for name in columns} for label, row in table.items()}


def _calc_row(result: Result, first: Result | None) -> dict[str, Any]:
    summary = result.summary
    pin = find_pin(result.model)
    force = None if pin is None else calc_pin_force(result, pin)
    tension = calc_tension_loads(result, result.model.tracks.values())
    pin_force = calc_pin_loads(result, result.model.tracks.values())
    violation = summary.get("constraint_violation") or {}
    cost = calc_cpu_per_second(summary)
    row = {
        "doubts": find_doubts(result),
        "status": result.status,
        "step": summary.get("step"),
        "cpu_per_second": cost,
        "height": calc_height(result)[-1],
        "vibration": calc_vibration(result),
        "distance": summary.get("path_length", summary.get("distance")),
        "final_speed": summary.get("final_speed"),
        "force_longitudinal": None if force is None else np.abs(force[:, 0]).max(),
        "force_vertical": None if force is None else np.abs(force[:, 2]).max(),
        **{f"link_tension_{key}": value for key, value in tension.items()},
        **{f"pin_force_{key}": value for key, value in pin_force.items()},
        "deformation": calc_deformation(result).max() if result.model.joints else None,
        **{f"violation_{level}": violation.get(level) for level in ("position", "velocity", "acceleration")},
        "energy_residual": summary.get("energy_residual"),
    }
    if first is not None:
        count = min(len(result.time), len(first.time))
        base = calc_cpu_per_second(first.summary)
        row["cpu_ratio"] = cost / base if cost and base else None
        row["distance_difference"] = _largest(calc_path(result)[:count, 0] - calc_path(first)[:count, 0])
        row["speed_difference"] = _largest(calc_forward_speed(result)[:count] - calc_forward_speed(first)[:count])
        if pin is not None and force is not None and pin in first.model.joints:
            gap = force[:count] - calc_pin_force(first, pin)[:count]
            row["force_difference"] = _root_mean_square(np.linalg.norm(gap[:, [0, 2]], axis=1))
    return {**{name: _make_plain(row.get(name)) for name in COLUMNS}, **_list_contact_loads(result)}


def _list_contact_loads(result: Result) -> dict[str, float | None]:
    """Statistics of the normal forces of contacts that touch, by the names of their columns [N]."""
    touching = {name: loads for name, loads in calc_contact_loads(result).items() if loads["normal_max"]}
    return {f"{name}.{key}": value for name, loads in touching.items() for key, value in loads.items()}


def make_markdown(table: Mapping[str, Mapping[str, Any]], title: str) -> str:
    """The table as Markdown: a column for each run, a row for each number."""
    labels = list(table)
    lines = [f"# {title}", "", *_list_doubts(table)]
    lines += [f"| | unit | {' | '.join(mark_labels(table))} |", "| --- | --- |" + " ---: |" * len(labels)]
    for name, (heading, unit, scale) in find_columns(table).items():
        cells = [say_cell(table[label][name], scale) for label in labels]
        if any(cells):
            lines.append(f"| {heading} | {unit} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"Differences are those from `{labels[0]}`.", "", TABLE_MARK, ""])


def _list_doubts(table: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Lines of Markdown that say which runs are not to be trusted, and why; none if all are."""
    said = [(label, doubt) for label, row in table.items() for doubt in row["doubts"]]
    lines = [f"- {html.escape(f'{label}: {doubt}', quote=False)}".replace("\n", " ") for label, doubt in said]
    return ["**Not to be trusted:**", "", *lines, ""] if lines else []


def mark_labels(table: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Labels of the runs of a table, with a mark at those that are not to be trusted."""
    return [f"{label} {MARK}" if row["doubts"] else label for label, row in table.items()]


def make_csv(table: Mapping[str, Mapping[str, Any]]) -> str:
    """The table as CSV: a row for each run, a column for each number, units in the names; doubts as sentences."""
    columns = find_columns(table)
    heads = [name if not unit else f"{name} [{unit.replace(', ', ' or ')}]" for name, (_, unit, _) in columns.items()]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", *heads])
    for label, row in table.items():
        said = {**row, "doubts": say_cell_text(" ".join(row["doubts"]))}
        writer.writerow(
            [say_cell_text(label), *(say_cell(said[name], scale, 9) for name, (_, _, scale) in columns.items())]
        )
    return text.getvalue()


def say_cell(value: Any, scale: float, digits: int = 4) -> str:
    """A number of the table in its unit, or how many entries a list has; empty for None and for an empty list."""
    if value is None or value == []:
        return ""
    if isinstance(value, list):
        return str(len(value))
    return value if isinstance(value, str) else f"{value * scale:.{digits}g}"


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _make_plain(value: Any) -> Any:
    if value is None or isinstance(value, str | list):
        return value
    return float(value) if np.isfinite(value) else None
