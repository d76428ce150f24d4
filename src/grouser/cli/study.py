"""``grouser study``: many runs of one base, through Dask distributed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli.interrupt import find_stop_code, say_stop
from grouser.cli.options import Json, Quiet
from grouser.cli.outputs import Force
from grouser.cli.progress import watch
from grouser.cli.report import print_facts, print_json, say_error, say_note
from grouser.errors import ModelError
from grouser.result.target import check_name

if TYPE_CHECKING:
    from grouser.study.drive import StudyOutcome
    from grouser.study.spec import Study

MOST_TOLD = 5
"""Reasons of failed runs that are printed; all are in the table."""

StudyFile = Annotated[Path, typer.Argument(metavar="FILE", help="A study file (.yaml).")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for all that is made; default FILE.study.")
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="A Dask scheduler; by default a cluster is started here."),
]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="Processes of the cluster here; default one a core.")
]
Again = Annotated[bool, typer.Option("--again", help="Make runs that failed again.")]


def study(
    path: StudyFile,
    out: Out = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    again: Again = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Make all runs of a study on this machine or on a cluster, each with a result file and a row of a table.

    Runs that are in the folder already are not made again: after Ctrl-C or a kill the same command goes on. A run that
    fails is a row with its reason.
    """
    if workers is not None and workers < 1:
        raise ModelError(f"--workers is {workers}; it must be at least 1")
    if workers is not None and scheduler is not None:
        raise ModelError(
            "--workers is for a cluster on this machine; the one of --scheduler has its own: leave one out"
        )
    from grouser.study.drive import run_study
    from grouser.study.spec import load_study

    wanted = load_study(path)
    folder = path.with_suffix(".study") if out is None else out
    check_name(folder, "--out")
    with watch(quiet=quiet) as progress:
        outcome = run_study(
            wanted,
            folder,
            scheduler=scheduler,
            workers=workers,
            again=again,
            force=force,
            progress=progress,
            say=None if quiet else lambda address: say_note(f"Dask's dashboard: {address}"),
        )
    if json:
        print_json(_make_json(wanted, outcome))
    elif not quiet:
        _print(wanted, outcome)
    if outcome.status == "interrupted":
        say_note(
            f"{say_stop()} after {len(outcome.rows)} of {outcome.count} runs; they are kept, and the same "
            "command goes on"
        )
        return find_stop_code()
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
