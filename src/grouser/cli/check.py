"""``grouser check``: judge a file without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grouser.cli.options import Json, Overrides, Target
from grouser.cli.report import print_json, say_error, say_note
from grouser.cli.source import Source, check_start, find_source, make_source
from grouser.errors import ModelError

MANY = {"study": "a study", "optimisation": "an optimisation", "calibration": "a calibration"}
"""Kinds of files that say what is run many times."""


def check(target: Target, overrides: Overrides = None, json: Json = False) -> int:
    """Check a vehicle, model, scenario, study, optimisation or calibration file; all faults are listed at once."""
    from grouser.catalog.scenarios import Scenario, make_vehicle_or_scenario
    from grouser.catalog.vehicles import load_vehicle_document

    faults: tuple[str, ...] = ()
    warnings: list[str] = []
    facts: dict[str, Any] = {}
    try:
        path = find_source(target)
        document = load_vehicle_document(path)
        content = None if document.get("kind") in list(MANY) else make_vehicle_or_scenario(document, overrides or ())
        if content is None:
            facts = _describe_experiment(path, str(document["kind"]), overrides)
        elif isinstance(content, Scenario):
            facts = {"kind": content.kind, "name": content.name, "duration": content.duration}
        else:
            source = make_source(target, path, content)
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


def _describe_experiment(path: Path, kind: str, overrides: list[str] | None) -> dict[str, Any]:
    """Facts on a study, an optimisation or a calibration whose runs could begin."""
    from grouser.calibration.drive import prepare_calibration
    from grouser.calibration.spec import load_calibration
    from grouser.study.optimisation import load_optimisation
    from grouser.study.optimise import check_optimisation
    from grouser.study.plan import make_cases
    from grouser.study.setup import check_paths
    from grouser.study.spec import load_study

    if overrides:
        raise ModelError(f"--set: replaces values of a vehicle, not of {MANY[kind]}: give them under 'set' of its base")
    if kind == "optimisation":
        wanted = load_optimisation(path)
        check_optimisation(wanted)
        return {"kind": wanted.kind, "name": wanted.name, "most runs": wanted.method.runs}
    if kind == "calibration":
        content = load_calibration(path)
        unknowns, _, notes = prepare_calibration(content)
        for note in notes:
            say_note(note)
        return {"kind": kind, "name": content.name, "runs": len(content.runs), "unknowns": unknowns.count}
    study = load_study(path)
    cases = make_cases(study)
    check_paths(study, cases[0])
    return {"kind": study.kind, "name": study.name, "runs": len(cases)}


def _describe_vehicle(source: Source) -> dict[str, Any]:
    return {
        "kind": source.kind,
        "name": source.model.name,
        "bodies": len(source.model.bodies),
        "joints": len(source.model.joints),
    }
