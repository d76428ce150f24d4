"""``grouser study``: many runs of one base, through Dask distributed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli.options import Again, Folder, Json, Quiet, Scheduler, WithReport, Workers
from grouser.cli.outputs import Force
from grouser.cli.progress import watch
from grouser.cli.report import print_facts, print_json, say_error
from grouser.cli.study_outputs import write_study_report
from grouser.cli.workers import check_workers, choose_folder, say_dashboard, say_interrupted

if TYPE_CHECKING:
    from grouser.study.drive import StudyOutcome
    from grouser.study.spec import Study

MOST_TOLD = 5
"""Reasons of failed runs that are printed; all are in the table."""

StudyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A study file (.yaml).")]


def study(
    path: StudyFile,
    out: Folder = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    again: Again = False,
    report: WithReport = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Make all runs of a study on this machine or on a cluster, each with a result file and a row of a table.

    Runs that are in the folder already are not made again: after Ctrl-C or a kill the same command goes on. A run that
    fails is a row with its reason.
    """
    check_workers(workers, scheduler)
    from grouser.study.drive import run_study
    from grouser.study.spec import load_study

    wanted = load_study(path)
    folder = choose_folder(path, out, ".study")
    with watch(quiet=quiet) as progress:
        outcome = run_study(
            wanted,
            folder,
            scheduler=scheduler,
            workers=workers,
            again=again,
            force=force,
            progress=progress,
            say=None if quiet else say_dashboard,
        )
    if json:
        print_json(_make_json(wanted, outcome))
    elif not quiet:
        _print(wanted, outcome)
    if report and outcome.rows:
        write_study_report(outcome.folder, None, force=force)
    if outcome.status == "interrupted":
        return say_interrupted(f"{len(outcome.rows)} of {outcome.count} runs")
    told = [f"run {row['run']} failed: {row['reason']}" for row in outcome.failed[:MOST_TOLD]]
    if len(outcome.failed) > MOST_TOLD:
        told.append(f"{len(outcome.failed) - MOST_TOLD} more runs failed; see the column 'reason' of {outcome.table}")
    say_error(*told)
    return 1 if told else 0


def _make_json(wanted: Study, outcome: StudyOutcome) -> dict[str, Any]:
    return {
        "study": wanted.name,
        "status": outcome.status,
        "folder": str(outcome.folder),
        "table": str(outcome.table),
        "count": outcome.count,
        "done": len(outcome.rows) - len(outcome.failed),
        "failed": len(outcome.failed),
        "made": outcome.made,
    }


def _print(wanted: Study, outcome: StudyOutcome) -> None:
    """Numbers of runs, and the range of every response."""
    facts = {
        "runs": f"{len(outcome.rows)} of {outcome.count}, {outcome.made} of them made now",
        "failed": f"{len(outcome.failed)}" if outcome.failed else "",
        "table": str(outcome.table),
    }
    for name in wanted.responses:
        values = [row[name] for row in outcome.rows.values() if row[name] is not None]
        values = [value for value in values if math.isfinite(value)]
        facts[name] = f"{min(values):.6g} to {max(values):.6g}" if values else ""
    print_facts(wanted.name, facts)
