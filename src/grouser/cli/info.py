"""``grouser info``: what a result file holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from grouser.cli.options import Channels, Json, ResultFile, split_channels
from grouser.cli.report import print_facts, print_json, print_table
from grouser.cli.summary import print_doubts, print_numbers
from grouser.result.facts import find_summary

if TYPE_CHECKING:
    from grouser.result.result import Result

HEADER_SHOWN = (
    "grouser_version",
    "created",
    "command",
    "vehicle",
    "scenario",
    "model_name",
    "preset",
    "formulation",
    "integrator",
    "tolerance",
    "spectral_radius",
    "duration",
    "output_interval",
)


def info(path: ResultFile, channels: Channels = None, json: Json = False) -> int:
    """Show whether a run can be trusted, how it ended, its summary and its channels."""
    from grouser.result.result import load_result

    with load_result(path) as result:
        names = result.find_channels(split_channels(channels))
        if json:
            print_json(_describe(result, names))
            return 0
        print_doubts({"": find_summary(result)["doubts"]})
        facts = {name.replace("_", " "): str(result.header.get(name) or "") for name in HEADER_SHOWN}
        facts["status"] = result.status + (f": {result.message}" if result.message else "")
        facts["frames"] = str(len(result.time))
        if len(result.time):
            facts["frames"] += f", from {result.time[0]:g} s to {result.time[-1]:g} s"
        print_facts(str(path), facts)
        print_numbers(result, {"result": path})
        if channels is None:
            _print_blocks(result)
        else:
            rows = [(name, result.channels[name].unit, result.channels[name].description) for name in names]
            print_table("channels", ("name", "unit", "meaning"), rows)
    return 0


def _describe(result: Result, names: list[str]) -> dict[str, Any]:
    summary = find_summary(result)
    return {
        "doubts": summary["doubts"],
        "file": str(result.path),
        "status": result.status,
        "message": result.message,
        "header": dict(result.header),
        "frames": len(result.time),
        "first_time": float(result.time[0]) if len(result.time) else None,
        "last_time": float(result.time[-1]) if len(result.time) else None,
        "summary": summary,
        "events": summary["events"],
        "channels": {
            name: {
                "unit": result.channels[name].unit,
                "frame": result.channels[name].frame,
                "components": result.channels[name].components,
                "description": result.channels[name].description,
            }
            for name in names
        },
    }


def _print_blocks(result: Result) -> None:
    """Channels by kind: thousands of names would help nobody."""
    counts = Counter(channel.block for channel in result.channels.values())
    first = {result.channels[name].block: name for name in reversed(list(result.channels))}
    rows = []
    for block, count in counts.items():
        example = result.channels[first[block]]
        rows.append((block, str(count), example.unit, first[block], example.description))
    title = f"channels ({len(result.channels)}; list them with --channels PATTERN)"
    print_table(title, ("kind", "count", "unit", "for example", "meaning"), rows)
