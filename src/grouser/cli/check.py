"""``grouser check``: judge a file without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grouser.cli.options import Json, Overrides, Target
from grouser.cli.report import print_json, say_error, say_note
from grouser.cli.source import Source, check_start, find_source, load_source
from grouser.errors import ModelError


def check(target: Target, overrides: Overrides = None, json: Json = False) -> int:
    """Check a vehicle, model or scenario file; all faults are listed at once."""
    faults: tuple[str, ...] = ()
    warnings: list[str] = []
    facts: dict[str, Any] = {}
    try:
        path = find_source(target)
        if _is_scenario(path):
            facts = _check_scenario(path, overrides)
        else:
            source = load_source(target, overrides=overrides)
            facts = _describe_vehicle(source)
            warnings = check_start(source)
    except ModelError as error:
        faults = error.faults
    if json:
        print_json({"file": target, "valid": not faults, "faults": faults, "warnings": warnings, **facts})
    elif not faults:
        print(f"{target} is valid: " + ", ".join(f"{name} {value}" for name, value in facts.items()))
    for warning in warnings:
        say_note(f"warning: {warning}")
    say_error(*faults)
    return 2 if faults else 0


def _describe_vehicle(source: Source) -> dict[str, Any]:
    return {
        "kind": source.kind,
        "name": source.model.name,
        "bodies": len(source.model.bodies),
        "joints": len(source.model.joints),
    }


def _check_scenario(path: Path, overrides: list[str] | None) -> dict[str, Any]:
    from grouser.catalog.scenarios import load_scenario

    scenario = load_scenario(path, overrides or ())
    return {"kind": scenario.kind, "name": scenario.name, "duration": scenario.duration}


def _is_scenario(path: Path) -> bool:
    """Whether a file says that it is a scenario; one that cannot be read is left to those who explain why."""
    from grouser.model.document import parse_document

    try:
        return parse_document(path.read_text(encoding="utf-8")).get("kind") == "scenario"
    except (OSError, UnicodeDecodeError, ModelError):
        return False
