"""``grouser optimise``: the factors with the least response, by many runs through Dask distributed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli.options import Again, Folder, Json, Quiet, Scheduler, WithReport, Workers
from grouser.cli.outputs import Force
from grouser.cli.progress import watch
from grouser.cli.report import print_facts, print_json, say_error, say_note
from grouser.cli.study_outputs import write_study_report
from grouser.cli.workers import check_workers, choose_folder, say_dashboard, say_interrupted

if TYPE_CHECKING:
    from grouser.study.goal import Trial
    from grouser.study.optimisation import Optimisation
    from grouser.study.optimise import OptimisationOutcome

OptimisationFile = Annotated[Path, typer.Argument(metavar="FILE", help="An optimisation file (.yaml).")]
ENDS = {
    "done": "the method has found it",
    "budget": "all runs of the method were made, and it would have gone on",
    "interrupted": "stopped",
}
"""How an optimisation ended, in words."""


def optimise(
    path: OptimisationFile,
    out: Folder = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    again: Again = False,
    report: WithReport = False,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Seek the factors for which a response is least, or largest, while others keep to their bounds.

    Each run has a result file and a row of a table, as in a study, and the vehicle with the best factors is written.
    After Ctrl-C or a kill the same command goes on, and makes no run twice.
    """
    check_workers(workers, scheduler)
    from grouser.study.optimisation import load_optimisation
    from grouser.study.optimise import optimise as seek_best

    wanted = load_optimisation(path)
    folder = choose_folder(path, out, ".study")

    def tell(trial: Trial, made: int) -> None:
        say_note(f"best of {made} runs: {_say_trial(wanted, trial)}")

    with watch(quiet=quiet) as progress:
        outcome = seek_best(
            wanted,
            folder,
            scheduler=scheduler,
            workers=workers,
            again=again,
            force=force,
            progress=progress,
            say=None if quiet else say_dashboard,
            watch=None if quiet else tell,
        )
    if json:
        print_json(_make_json(wanted, outcome))
    elif not quiet:
        _print(wanted, outcome)
    if report and outcome.rows:
        write_study_report(outcome.folder, None, force=force)
    if outcome.status == "interrupted":
        return say_interrupted(f"{len(outcome.rows)} runs")
    if outcome.best is None or not outcome.best.is_good:
        say_error(_say_nothing_good(outcome))
        return 1
    return 0


def _say_trial(wanted: Optimisation, trial: Trial) -> str:
    """A response and the factors that gave it."""
    factors = ", ".join(f"{name} {_say(value)}" for name, value in trial.values.items())
    excess = "".join(f", {name} beyond its bound by {value:.4g}" for name, value in trial.excess.items())
    return f"{wanted.goal} {trial.responses[wanted.goal]:.6g} at {factors}{excess}"


def _say(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _say_nothing_good(outcome: OptimisationOutcome) -> str:
    if outcome.best is None:
        reason = outcome.trials[0].reason if outcome.trials else "there was none"
        return f"every run failed: {reason}; choose other ranges"
    far = ", ".join(f"{name} is beyond its bound by {value:.4g}" for name, value in outcome.best.excess.items())
    return (
        f"no run keeps all constraints; in the one that comes nearest, run {outcome.best.run}, {far}: widen bounds or "
        "ranges, or allow more runs"
    )


def _make_json(wanted: Optimisation, outcome: OptimisationOutcome) -> dict[str, Any]:
    best = outcome.best
    return {
        "optimisation": wanted.name,
        "status": outcome.status,
        "folder": str(outcome.folder),
        "table": str(outcome.table),
        "runs": len(outcome.rows),
        "made": outcome.made,
        "failed": sum(bool(trial.reason) for trial in outcome.trials),
        "best": None
        if best is None
        else {
            "run": best.run,
            "factors": best.values,
            "responses": best.responses,
            "keeps_constraints": best.is_good,
            "excess": best.excess,
        },
    }


def _print(wanted: Optimisation, outcome: OptimisationOutcome) -> None:
    best, trials = outcome.best, outcome.trials
    failed = sum(bool(trial.reason) for trial in trials)
    beyond = sum(bool(trial.excess) for trial in trials)
    facts = {
        "runs": f"{len(outcome.rows)}, {outcome.made} of them made now",
        "ended": ENDS[outcome.status],
        "failed": f"{failed} of {len(trials)} combinations" if failed else "",
        "beyond a constraint": f"{beyond} of {len(trials)} combinations" if beyond else "",
    }
    if best is not None:
        first = trials[0]
        facts["best run"] = f"{best.run}"
        facts |= {name: _say(value) for name, value in best.values.items()}
        facts |= {name: f"{value:.6g}" for name, value in best.responses.items()}
        if not first.reason:
            facts[wanted.goal] += f" (at the start {first.responses[wanted.goal]:.6g})"
        facts["vehicle"] = str(outcome.folder / "best.yaml")
    facts["table"] = str(outcome.table)
    print_facts(wanted.name, facts)
