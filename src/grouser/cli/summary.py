"""The summary of a run, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser.cli.report import print_facts, print_table, say_value

if TYPE_CHECKING:
    from grouser.result.result import Result

EVENTS_SHOWN = 10


def find_summary(result: Result) -> dict[str, Any]:
    """The stored summary, or for a run that never ended what can be told from its frames."""
    if result.summary:
        return dict(result.summary)
    from grouser.result.metrics import calc_summary

    return {"status": result.status, "simulated_time": _find_last_time(result), **calc_summary(result)}


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


def print_summary(result: Result, files: Mapping[str, Path]) -> None:
    """Print the numbers of a run with their units, its events, and the files written."""
    numbers = find_summary(result)
    header = result.header
    title = f"{header.get('model_name', '')}, preset {header.get('preset', '')}: {result.status}"
    facts = {**_say_motion(numbers), **_say_solution(numbers)}
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


def _say_motion(numbers: Mapping[str, Any]) -> dict[str, str]:
    speed = numbers["final_speed"]
    return {
        "distance": say_value(numbers["distance"], "m"),
        "length of the path": say_value(numbers.get("path_length"), "m"),
        "final speed": "" if speed is None else f"{speed:.4g} m/s ({speed * 3.6:.3g} km/h)",
        "lateral drift": say_value(numbers["lateral_drift"], "m", digits=3),
        "turn radius": say_value(numbers["turn_radius"], "m"),
        "slip": _say_slip(numbers),
        "link tension, mean": say_value(numbers["mean_link_tension"], "kN", scale=1e-3),
        "link tension, largest": say_value(numbers["max_link_tension"], "kN", scale=1e-3),
        "pin deformation, largest": say_value(numbers["max_pin_deformation"], "mm", scale=1e3, digits=3),
        "energy residual": say_value(numbers["energy_residual"], "%", scale=100.0, digits=3) or "-",
    }


def _say_slip(numbers: Mapping[str, Any]) -> str:
    """Slip of all tracks, and of each where there are several."""
    mean = say_value(numbers["slip"], "%", scale=100.0, digits=3)
    each = {name: say_value(track["slip"], "%", scale=100.0, digits=3) for name, track in numbers["tracks"].items()}
    parts = ", ".join(f"{name} {slip}" for name, slip in each.items() if slip)
    return f"{mean} ({parts})" if mean and len(each) > 1 else mean


def _say_solution(numbers: Mapping[str, Any]) -> dict[str, str]:
    simulated = f"{numbers['simulated_time']:.6g} s simulated"
    if "wall_time" not in numbers:
        return {"simulated time": simulated}
    factor = say_value(numbers["real_time_factor"], digits=3)
    wall = f"{simulated} in {numbers['wall_time']:.3g} s"
    stable = say_value(numbers["stable_step"], "ms", scale=1e3, digits=3)
    return {
        "real-time factor": f"{factor} ({wall})" if factor else wall,
        "steps": f"{numbers['steps']:,}",
        "step": f"{say_value(numbers['step'], 'ms', scale=1e3, digits=3)} (stable up to {stable})",
        "warning": numbers.get("step_warning") or "",
        "settled": "yes" if numbers["settled"] else "no",
    }


def _say_file(path: Path) -> str:
    size = path.stat().st_size if path.is_file() else 0
    return f"{path} ({size / 1e6:.1f} MB)" if size >= 5e4 else f"{path} ({size / 1e3:.1f} kB)"


def _find_last_time(result: Result) -> float:
    return float(result.time[-1]) if len(result.time) else 0.0
