"""``grouser calibrate``: curves and numbers of a vehicle from measured runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli.interrupt import find_stop_code, say_stop
from grouser.cli.options import Folder, Json, Quiet, Scheduler, Workers
from grouser.cli.progress import watch
from grouser.cli.report import print_facts, print_json, say_note
from grouser.cli.workers import check_workers, choose_folder

if TYPE_CHECKING:
    from grouser.calibration.bands import Band
    from grouser.calibration.outcome import CalibrationOutcome
    from grouser.calibration.spec import Calibration

CalibrationFile = Annotated[Path, typer.Argument(metavar="FILE", help="A calibration file (.yaml).")]


def calibrate(
    path: CalibrationFile,
    out: Folder = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Find curves and numbers of a vehicle from measured runs, on this machine or on a cluster.

    It writes a vehicle file, tables, figures and a report: measured against simulated, before and after. After Ctrl-C
    or a kill the same command goes on; the best vehicle so far is kept.
    """
    check_workers(workers, scheduler)
    from grouser.calibration.drive import calibrate as find_unknowns
    from grouser.calibration.spec import load_calibration

    wanted = load_calibration(path)
    folder = choose_folder(path, out, ".calibration")
    with watch(quiet=quiet) as progress:
        outcome = find_unknowns(
            wanted,
            folder,
            scheduler=scheduler,
            workers=workers,
            progress=progress,
            say=None if quiet else say_note,
        )
    if json:
        print_json(_make_json(wanted, outcome))
    elif not quiet:
        _print(wanted, outcome)
    if outcome.status == "interrupted":
        kept = f"the best vehicle so far is {outcome.vehicle}, and " if outcome.steps else ""
        say_note(f"{say_stop()} after {outcome.made} runs: {kept}the same command goes on")
        return find_stop_code()
    return 0


def _make_json(wanted: Calibration, outcome: CalibrationOutcome) -> dict[str, Any]:
    return {
        "calibration": wanted.name,
        "status": outcome.status,
        "folder": str(outcome.folder),
        "vehicle": str(outcome.vehicle),
        "report": str(outcome.report),
        "steps": outcome.steps,
        "made": outcome.made,
        "error_before": _find_errors(outcome, is_after=False),
        "error_after": _find_errors(outcome, is_after=True),
        "shifts": outcome.shifts,
        "unknowns": {name: _describe(band) for name, band in outcome.bands.items()},
        "notes": outcome.notes,
    }


def _find_errors(outcome: CalibrationOutcome, *, is_after: bool) -> dict[str, float | None]:
    found = {
        name: outcome.find_error(held_out=held_out, is_after=is_after)
        for name, held_out in (("fitted", False), ("held_out", True))
    }
    return {name: None if math.isnan(value) else value for name, value in found.items()}


def _describe(band: Band) -> dict[str, Any]:
    known = band.x[band.is_determined]
    if len(band.x) == 1:
        value, half = float(band.value[0]), float(band.half[0])
        return {"value": value, "low": value - half, "high": value + half, "determined": bool(len(known))}
    return {
        "excited": band.excited,
        "determined": [float(known[0]), float(known[-1])] if len(known) else None,
    }


def _print(wanted: Calibration, outcome: CalibrationOutcome) -> None:
    """Errors before and after, and what was found."""
    from grouser.calibration.bands import say_band

    facts = {"status": outcome.status, "runs": f"{outcome.made} made now", "steps": f"{outcome.steps}"}
    for name, held_out in (("fitted runs", False), ("held-out runs", True)):
        before, after = (outcome.find_error(held_out=held_out, is_after=is_after) for is_after in (False, True))
        if math.isfinite(after):
            facts[f"difference of magnitude, {name}"] = f"{100 * before:.1f} % before, {100 * after:.1f} % after"
    for name, band in outcome.bands.items():
        facts[name] = say_band(band).removeprefix(f"{name}: ")
    if outcome.status != "interrupted":
        facts |= {"vehicle": str(outcome.vehicle), "report": str(outcome.report)}
    print_facts(wanted.name, facts)
