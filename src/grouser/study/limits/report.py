"""Limits as a page, as pictures of both sides of every limit, and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from grouser.output.plots import save_figure
from grouser.output.render import Shot, save_still
from grouser.output.report.sections import Picture, Section, save_sections
from grouser.output.report.tables import Table
from grouser.output.side_view import make_side_view
from grouser.result.result import load_result
from grouser.study.limits.bracket import Found
from grouser.study.limits.drive import LimitsOutcome
from grouser.study.limits.judge import Verdict, find_moment
from grouser.whole_file import save_whole

REPORT, NUMBERS = "limits.html", "limits.csv"
HEADS = ("limit", "quantity", "unit", "last_pass", "first_failure", "found", "reason", "criterion", "runs")
SIZE = (960, 540)
"""Of pictures [pixel]."""
ZOOM = 0.5
"""Of pictures in space: a vehicle and its surroundings."""


def save_limits(outcome: LimitsOutcome) -> list[Path]:
    """Write pictures, the table and the report into the folder of an outcome; gives the last two."""
    pictures = {found.limit.name: save_pictures(outcome, found) for found in outcome.found}
    save_numbers(outcome.folder / NUMBERS, outcome.found)
    _save_report(outcome, pictures)
    return [outcome.folder / NUMBERS, outcome.folder / REPORT]


def save_pictures(outcome: LimitsOutcome, found: Found) -> list[Picture]:
    """The last pass and the first failure of a limit; those that are there already are kept."""
    pictures = []
    for verdict, word in ((found.last_pass, "last pass"), (found.first_failure, "first failure")):
        if verdict is None:
            continue
        place = outcome.find_result(found, verdict)
        picture = outcome.folder / found.limit.name / f"{word.replace(' ', '-')}-{verdict.value:g}.png"
        if not picture.is_file() and place.is_file():
            _draw(found, verdict, place, picture)
        if picture.is_file():
            caption = f"{word}: {found.limit.quantity} {_say(found, verdict)}"
            pictures.append(Picture(picture, f"{caption}; {verdict.reason}" if verdict.reason else caption))
    return pictures


def _draw(found: Found, verdict: Verdict, place: Path, picture: Path) -> None:
    with load_result(place) as result:
        time = find_moment(found.limit, verdict.value, result, passed=verdict.passed)
        if found.limit.view == "side":
            save_figure(make_side_view(result, time), picture)
        else:
            save_still(result, picture, time, Shot(found.limit.view, SIZE, result.model.main_body, ZOOM))


def save_numbers(path: Path, all_found: Sequence[Found]) -> None:
    """A row for each limit."""
    with save_whole(path, "table") as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADS)
        for found in all_found:
            limit, last, first = found.limit, found.last_pass, found.first_failure
            writer.writerow([
                limit.name, limit.quantity, limit.unit, "" if last is None else last.value,
                "" if first is None else first.value, found.say(), "" if first is None else first.reason,
                limit.say_criterion(), len(found.verdicts),
            ])  # fmt: skip


def make_speed_table(all_found: Sequence[Found]) -> Table | None:
    """Speeds made good on courses and bumps, and what ends them; None where no speed was sought."""
    rows: list[tuple[str, ...]] = []
    for found in all_found:
        last, first = found.last_pass, found.first_failure
        if found.limit.comfort is None and found.limit.shock is None:
            continue
        numbers = {} if last is None else last.numbers
        units = {"absorbed_power": "W", "peak": "g"}
        felt = ", ".join(f"{numbers[key]:.2f} {unit}" for key, unit in units.items() if key in numbers)
        power = f"{numbers['power'] / 1000.0:.1f} kW" if "power" in numbers else ""
        made = f"{numbers['made_good']:.2f} m/s" if "made_good" in numbers else ""
        rows.append((found.limit.title, found.say(), made, felt, power, "" if first is None else first.reason))
    heads = ("ground", "fastest", "made good", "at the seat", "mean power", "what ends it")
    note = "Made good: way along the x axis over time at the end of the run. Mean power: of the engine or the drives."
    return Table("", "Speed made good", heads, rows, note) if rows else None


def make_limits_table(all_found: Sequence[Found]) -> Table:
    """All limits with what ends them."""
    rows: list[tuple[str, ...]] = [
        (
            found.limit.title,
            found.say(),
            "" if found.first_failure is None else _say(found, found.first_failure),
            "" if found.first_failure is None else found.first_failure.reason,
        )
        for found in all_found
    ]
    return Table("", "Limits", ("limit", "last pass", "first failure", "what ends it"), rows)


def _save_report(outcome: LimitsOutcome, pictures: dict[str, list[Picture]]) -> None:
    tables = [make_limits_table(outcome.found), make_speed_table(outcome.found)]
    sections = [Section("Limits", tables=tuple(table for table in tables if table is not None))]
    for found in outcome.found:
        rows: list[tuple[str, ...]] = [
            (f"{one.value:.4g}", "passes" if one.passed else "fails", one.reason) for one in found.verdicts.values()
        ]
        heads = (f"{found.limit.quantity} [{found.limit.unit}]", "", "why")
        text = (f"{found.limit.title}: {found.say()}. It passes where {found.limit.say_criterion()}.",)
        table = Table("", "Runs", heads, rows)
        sections.append(Section(found.limit.title, text, (table,), pictures=tuple(pictures[found.limit.name])))
    notes = [] if outcome.status == "done" else ["It was stopped before all limits were found."]
    save_sections(
        outcome.folder / REPORT,
        f"Limits of {outcome.vehicle}",
        f"{len(outcome.found)} of {outcome.count} limits, by bisection",
        cards={found.limit.title: found.say() for found in outcome.found},
        notes=notes,
        sections=sections,
    )


def _say(found: Found, verdict: Verdict) -> str:
    unit = "" if found.limit.unit == "-" else f" {found.limit.unit}"
    return f"{verdict.value:.4g}{unit}"
