"""The summary of a run, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser.cli.report import print_facts, print_table
from grouser.result.facts import find_summary, say_motion, say_solution

if TYPE_CHECKING:
    from grouser.result.result import Result

EVENTS_SHOWN = 10
DOUBT_STYLE = "bold yellow"
"""Of doubts on a terminal; elsewhere the marks before them tell."""


def make_summary_json(result: Result, **more: Any) -> dict[str, Any]:
    """Everything that a run printed with ``--json``."""
    return {
        **find_summary(result),
        "status": result.status,
        "message": result.message,
        "model": result.header.get("model_name"),
        "preset": result.header.get("preset"),
        "out": None if result.path is None else str(result.path),
        **more,
    }


def print_doubts(runs: Mapping[str, Sequence[str]]) -> None:
    """Print what makes runs not to be trusted, by their names; an empty name is that of the only run."""
    for name, doubts in runs.items():
        if doubts:
            title = f"!!! NOT TO BE TRUSTED{': ' if name else ''}{name} !!!"
            print_table(title, (), [("!", doubt) for doubt in doubts], style=DOUBT_STYLE)


def print_summary(result: Result, files: Mapping[str, Path]) -> None:
    """Print first what makes a run not to be trusted, then its numbers with their units, its events, and files."""
    print_doubts({"": find_summary(result)["doubts"]})
    print_numbers(result, files)


def print_numbers(result: Result, files: Mapping[str, Path]) -> None:
    """Print the numbers of a run with their units, its events, and the files written."""
    numbers = find_summary(result)
    header = result.header
    title = f"{header.get('model_name', '')}, preset {header.get('preset', '')}: {result.status}"
    facts = {**say_motion(numbers), **say_solution(numbers)}
    if (numbers.get("threads") or 1) > 1:
        facts["threads"] += f", by which steps should be {header.get('threads_gain', 1.0):.2g} times as fast"
    facts["events"] = str(len(numbers["events"]) or "none")
    facts |= {name: _say_file(path) for name, path in files.items()}
    print_facts(title, facts)
    print_events(numbers["events"])


def print_events(events: list[Mapping[str, Any]]) -> None:
    """Print the first events."""
    if not events:
        return
    rows = [(f"{event['time']:.3f} s", event["kind"].replace("_", " "), event["message"]) for event in events]
    more = len(rows) - EVENTS_SHOWN
    title = "events" if more <= 0 else f"events (the first {EVENTS_SHOWN} of {len(rows)})"
    print_table(title, (), rows[:EVENTS_SHOWN])


def _say_file(path: Path) -> str:
    size = path.stat().st_size if path.is_file() else 0
    return f"{path} ({size / 1e6:.1f} MB)" if size >= 5e4 else f"{path} ({size / 1e3:.1f} kB)"
