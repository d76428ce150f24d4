"""The numbers of a report: cards, summary, energy balance, settings, parameters of the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from grouser.model.attribute import find_attributes
from grouser.output.units import choose_unit
from grouser.result.facts import find_summary, say_motion, say_solution, say_value

if TYPE_CHECKING:
    from grouser.model.model import Model
    from grouser.result.result import Result

CARDS = {
    "distance": "distance",
    "final speed": "final speed",
    "turn radius": "turn radius",
    "slip": "slip",
    "link tension, largest": "largest link tension",
    "energy residual": "energy residual",
    "real-time factor": "real-time factor",
}
"""Numbers that everybody asks for first, and what they are called on their cards."""
SETTINGS = {
    "command": "command",
    "created": "made at",
    "grouser_version": "grouser",
    "vehicle": "vehicle",
    "scenario": "scenario",
    "overrides": "overrides",
    "preset": "preset",
    "formulation": "formulation",
    "integrator": "integrator",
    "tolerance": "tolerance",
    "realizations": "joints are held by",
    "duration": "duration [s]",
    "step": "step [s]",
    "stable_step": "stable step [s]",
    "output_interval": "output interval [s]",
}
"""Facts of the header that a report shows."""
FAMILIES = ("bodies", "meshes", "joints", "forces", "motions", "shapes", "contacts", "tracks", "sensors")
PLACES = {"frame_a", "frame_b", "frame", "position", "orientation", "positions", "velocity", "angular_velocity"}
"""Fields that say where an element is: every element has its own."""
MEMBERS = {"body", "group", "links", "pins", "wheels", "sprocket", "idler", "drive", "joint"}
"""Fields that name other elements."""


@dataclass(frozen=True)
class Table:
    """A table behind a tab.

    Attributes
    ----------
    tab : name of the tab
    title : above it
    heads : of the columns; none if all are empty
    rows : cells as text
    note : below it
    is_of_runs : every column but the first belongs to a run
    """

    tab: str
    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    note: str = ""
    is_of_runs: bool = False


def pack_table(table: Table) -> dict[str, Any]:
    """A table as the page takes it."""
    facts = asdict(table)
    return {**facts, "isOfRuns": facts.pop("is_of_runs")}


def make_cards(runs: Mapping[str, Result]) -> list[dict[str, Any]]:
    """Numbers of all runs that everybody asks for first; those that no run has are left out."""
    facts = [_say_numbers(result) for result in runs.values()]
    cards = [
        {"label": label, "values": [one.get(name, "").partition(" (")[0] for one in facts]}
        for name, label in CARDS.items()
    ]
    return [card for card in cards if any(value not in ("", "-") for value in card["values"])]


def make_tables(runs: Mapping[str, Result]) -> list[Table]:
    """All tables of a report."""
    return [_make_summary(runs), *_make_events(runs), *_make_energy(runs), _make_settings(runs), *_make_models(runs)]


def _say_numbers(result: Result) -> dict[str, str]:
    numbers = find_summary(result)
    status = result.status + (f": {result.message}" if result.message else "")
    return {"status": status, **say_motion(numbers), **say_solution(numbers)}


def _make_summary(runs: Mapping[str, Result]) -> Table:
    return _make_run_table("Summary", "numbers of the run", runs, map(_say_numbers, runs.values()))


def _make_events(runs: Mapping[str, Result]) -> list[Table]:
    rows = [
        (
            f"{event['time']:.3f} s",
            *([label] if len(runs) > 1 else []),
            event["kind"].replace("_", " "),
            event["message"],
        )
        for label, result in runs.items()
        for event in find_summary(result)["events"]
    ]
    if not rows:
        return [Table("Summary", "events", ("",), [("none",)])]
    return [Table("Summary", "events", ("",) * len(rows[0]), rows)]


def _make_energy(runs: Mapping[str, Result]) -> list[Table]:
    """Changes of all energies from the first frame to the last."""
    columns = [_calc_energies(result) for result in runs.values()]
    if not any(columns):
        return []
    factor, unit = choose_unit([value for column in columns for value in column.values()], "J")
    said = [{name: say_value(value, unit, scale=factor) for name, value in column.items()} for column in columns]
    note = (
        "Changes from the first frame to the last. What was put in, less what is stored, moves or was dissipated, is "
        "the residual: it tells how far the solution can be trusted."
    )
    return [_make_run_table("Energy", "energy balance", runs, said, note)]


def _calc_energies(result: Result) -> dict[str, float]:
    """Change of each energy [J], by its description."""
    names = [name for name in result.channels if name.startswith("energy.")]
    if not len(result.time):
        return {}
    found = {}
    for name in sorted(names, key=_find_order):
        values = result[name]
        label = result.channels[name].description or name.removeprefix("energy.").replace("_", " ")
        found[label] = float(values[-1] - values[0])
    return found


def _find_order(name: str) -> int:
    """Work first, then where it went, the residual last."""
    starts = ("energy.work_", "energy.kinetic", "energy.potential", "energy.stored_", "energy.dissipated_")
    return next((i for i, start in enumerate(starts) if name.startswith(start)), len(starts))


def _make_settings(runs: Mapping[str, Result]) -> Table:
    columns = []
    for result in runs.values():
        shown = {label: _say(result.header.get(name)) for name, label in SETTINGS.items()}
        columns.append({**shown, "frames": str(len(result.time)), "channels": str(len(result.channels))})
    return _make_run_table("Settings", "how the run was made", runs, columns)


def _make_models(runs: Mapping[str, Result]) -> list[Table]:
    """Parameters of the model; of later runs only if theirs is another one."""
    tables: list[Table] = []
    shown: list[Model] = []
    for label, result in runs.items():
        if result.model not in shown:
            shown.append(result.model)
            tables += make_model_tables(result.model, f" ({label})" if len(runs) > 1 else "")
    return tables


def make_model_tables(model: Model, suffix: str = "") -> list[Table]:
    """Parameters of a model, a table for each family; elements that are alike except for their place are one row."""
    about = {
        "name": model.name,
        "description": model.description,
        "mass": say_value(model.mass, "kg", digits=6),
        "main body": model.main_body,
        "gravity": f"{_say(model.gravity)} m/s^2",
        "terrain": "" if model.terrain is None else _say_parameters(model.terrain),
    }
    tables = [Table("Model", f"model{suffix}", ("", ""), [(name, text) for name, text in about.items() if text])]
    for family in FAMILIES:
        rows = _group(getattr(model, family))
        if rows:
            tables.append(Table("Model", f"{family}{suffix}", ("name", "count", "parameters"), rows))
    return tables


def _group(elements: Mapping[str, BaseModel]) -> list[tuple[str, ...]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for name, element in elements.items():
        groups.setdefault((re.sub(r"\d+", "#", name), _say_parameters(element)), []).append(name)
    return [
        (name if len(members) > 1 else members[0], str(len(members)), text) for (name, text), members in groups.items()
    ]


def _say_parameters(element: BaseModel) -> str:
    """Values of an element with their units, except places and names of other elements."""
    units = find_attributes(type(element))
    words = []
    for name, value in element:
        if name in PLACES or value is None or value == "" or (name in MEMBERS and isinstance(value, str)):
            continue
        if name in MEMBERS:
            words.append(f"{len(value)} {name}")
            continue
        unit = units[name].unit if name in units else ""
        words.append(f"{name.replace('_', ' ')} {_say(value)}{' ' + unit if unit else ''}")
    return ", ".join(words)


def _say(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, BaseModel):
        return f"({_say_parameters(value)})"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_say(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        shown = [_say(item) for item in value[:12]] + (["..."] if len(value) > 12 else [])
        return f"({', '.join(shown)})" if value else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def _make_run_table(
    tab: str, title: str, runs: Mapping[str, Result], columns: Iterable[Mapping[str, str]], note: str = ""
) -> Table:
    """A table with a column for each run, whose names stand above it if there are several."""
    heads = ("", *runs) if len(runs) > 1 else ("", "")
    return Table(tab, title, heads, _join_rows(columns), note, is_of_runs=True)


def _join_rows(columns: Iterable[Mapping[str, str]]) -> list[tuple[str, ...]]:
    """A row for every name, with the texts of all columns; rows without any text are left out."""
    listed = list(columns)
    names = dict.fromkeys(chain.from_iterable(listed))
    rows = [(name, *(column.get(name, "") for column in listed)) for name in names]
    return [row for row in rows if any(row[1:])]
