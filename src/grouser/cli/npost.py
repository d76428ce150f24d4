"""``grouser npost``: a vehicle on an N-post rig, all runs of the experiment as a study, and their matrix report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli.interrupt import find_stop_code, say_stop
from grouser.cli.options import (
    Again,
    Folder,
    Json,
    Overrides,
    PresetName,
    Quiet,
    ScenarioOverrides,
    Scheduler,
    Workers,
)
from grouser.cli.outputs import Force
from grouser.cli.progress import watch
from grouser.cli.report import print_facts, print_json, say_error, say_note
from grouser.cli.workers import check_workers, choose_folder
from grouser.errors import ModelError, say_unknown

if TYPE_CHECKING:
    from grouser.result.posts import PostMeasure
    from grouser.study.drive import StudyOutcome

REPORT, NUMBERS = "matrix.html", "matrix.csv"
SHOWN = ("shake 70 mm 1 Hz", "shake 70 mm 1.5 Hz", "pitch 70 mm 0.8 Hz", "ramp shake 90 mm")
"""Runs of which the report has histories if nothing is said: those of the paper's figures 13 to 20."""

Vehicle = Annotated[str, typer.Argument(metavar="[VEHICLE]", help="A vehicle on wheels: of the catalog, or a file.")]
Runs = Annotated[
    Path | None,
    typer.Option("--runs", metavar="FILE", help="A file with a run a line, 'shake 70 mm 1.5 Hz', in place of the 38."),
]
Show = Annotated[
    list[str] | None,
    typer.Option(
        "--show", metavar="RUN", help="A run whose histories the report has, as 'pitch 60 mm 1.2 Hz'; repeat."
    ),
]
Rig = Annotated[
    str | None, typer.Option("--scenario", metavar="SCENARIO", help="Scenario with the rig; default npost-shake.")
]


def npost(
    vehicle: Vehicle = "npost-12",
    out: Folder = None,
    runs: Runs = None,
    show: Show = None,
    scenario: Rig = None,
    overrides: Overrides = None,
    scenario_overrides: ScenarioOverrides = None,
    preset: PresetName = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    again: Again = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Shake a vehicle on posts under its wheels: 38 runs of harmonic pitch and shake and of ramps, and a matrix report.

    Runs that are in the folder already are not made again. The folder gets matrix.html, and matrix.csv with amplitude,
    phase, transfer function, lift-off and stop hits of every run and arm.
    """
    check_workers(workers, scheduler)
    from grouser.study.drive import run_study
    from grouser.study.npost import list_matrix, load_matrix, make_npost_study, measure_runs
    from grouser.study.npost_report import save_matrix_report, save_numbers

    matrix = list_matrix() if runs is None else load_matrix(runs)
    chosen = [run for run in SHOWN if run in matrix] or matrix[:1] if not show else list(show)
    for run in chosen:
        if run not in matrix:
            raise ModelError(f"--show: {say_unknown('run', run, matrix)}")
    folder = choose_folder(Path(f"{Path(vehicle).stem}.npost"), out, ".npost")
    study = make_npost_study(
        vehicle,
        matrix,
        scenario=scenario,
        overrides=overrides or (),
        scenario_overrides=scenario_overrides or (),
        preset=preset,
    )
    with watch(quiet=quiet) as progress:
        outcome = run_study(
            study, folder, scheduler=scheduler, workers=workers, again=again, force=force, progress=progress
        )
    measured = measure_runs(outcome)
    if measured:
        save_numbers(outcome.folder / NUMBERS, measured)
        save_matrix_report(outcome.folder / REPORT, outcome, measured, chosen)
    if json:
        print_json({"folder": str(outcome.folder), "status": outcome.status, "runs": _make_json(measured)})
    elif not quiet:
        _print(vehicle, outcome, measured)
    if outcome.status == "interrupted":
        say_note(f"{say_stop()} after {len(outcome.rows)} of {outcome.count} runs; the same command goes on")
        return find_stop_code()
    told = [f"{row['excitation']} failed: {row['reason']}" for row in outcome.failed]
    say_error(*told)
    return 1 if told else 0


def _make_json(measured: dict[str, list[PostMeasure]]) -> dict[str, dict[str, float]]:
    return {
        run: {"amplitude": max(post.amplitude for post in posts), "stop_hits": sum(post.stop_hits for post in posts)}
        for run, posts in measured.items()
    }


def _print(vehicle: str, outcome: StudyOutcome, measured: dict[str, list[PostMeasure]]) -> None:
    facts = {"runs": f"{len(outcome.rows)} of {outcome.count}, {outcome.made} of them made now"}
    for run, posts in measured.items():
        hits, lifts = sum(post.stop_hits for post in posts), sum(post.lift_offs for post in posts)
        facts[run] = f"arms up to {max(post.amplitude for post in posts):.2f}, {hits} stop hits, {lifts} lift-offs"
    facts |= {"numbers": str(outcome.folder / NUMBERS), "report": str(outcome.folder / REPORT)}
    print_facts(vehicle, facts if measured else {"runs": facts["runs"]})
