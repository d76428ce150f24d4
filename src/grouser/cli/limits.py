"""``grouser limits``: the largest obstacles that a vehicle passes, and the speeds up to which it passes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from grouser.cli.report import print_facts, print_json, print_table, say_note
from grouser.cli.workers import check_workers, choose_folder
from grouser.errors import ModelError

if TYPE_CHECKING:
    from grouser.study.limits.bracket import Found
    from grouser.study.limits.drive import LimitsOutcome

Vehicle = Annotated[str, typer.Argument(metavar="[VEHICLE]", help="A vehicle of the catalog, or a file.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="NAMES", help="Limits to seek, as in step,gap; by default all; may be repeated."),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option("--range", metavar="NAME=LOW:HIGH", help="Where a limit is sought, as in step=0.2:1; repeat."),
]
Coarse = Annotated[
    float, typer.Option("--coarse", metavar="FACTOR", help="Factor on the tolerances of all limits; default 1.")
]
Seat = Annotated[
    str | None,
    typer.Option("--seat", metavar="X,Y,Z", help="Where the driver sits on the hull [m]; default its centre of mass."),
]


def limits(
    vehicle: Vehicle = "m113",
    out: Folder = None,
    only: Only = None,
    ranges: Ranges = None,
    coarse: Coarse = 1.0,
    seat: Seat = None,
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
    """Find the largest obstacles that a vehicle passes, and its largest speeds, by bisection.

    Half-round bump, step, gap, slope; side slope; speed of a lane change, over a bump with 2.5 g at the seat, over
    rough courses with 6 W. Runs that are in the folder already are not made again. The folder gets limits.html,
    limits.csv, and pictures of the last pass and the first failure of every limit.
    """
    check_workers(workers, scheduler)
    from grouser.study.limits.drive import seek_limits
    from grouser.study.limits.report import save_limits

    folder = choose_folder(Path(Path(vehicle).name), out, ".limits")
    names = [name.strip() for text in only or () for name in text.split(",") if name.strip()]
    told = None if quiet else _tell
    with watch(quiet=quiet) as progress:
        outcome = seek_limits(
            vehicle,
            folder,
            only=names,
            ranges=dict(_read_range(text) for text in ranges or ()),
            coarse=coarse,
            overrides=overrides or (),
            scenario_overrides=scenario_overrides or (),
            seat=None if seat is None else _read_seat(seat),
            preset=preset,
            scheduler=scheduler,
            workers=workers,
            again=again,
            force=force,
            progress=progress,
            watch=told,
        )
    files = save_limits(outcome) if outcome.found else []
    if json:
        print_json({"folder": str(outcome.folder), "status": outcome.status, "limits": _make_json(outcome)})
    elif not quiet:
        _print(outcome, files)
    if outcome.status == "interrupted":
        say_note(
            f"{say_stop()} after {len(outcome.found)} of {outcome.count} limits; runs are kept, and the same command "
            "goes on"
        )
        return find_stop_code()
    return 0


def _read_range(text: str) -> tuple[str, tuple[float, float]]:
    name, _, values = text.partition("=")
    try:
        low, high = (float(value) for value in values.split(":"))
    except ValueError:
        raise ModelError(f"--range {text}: give a limit and two numbers, as in  --range step=0.2:1") from None
    return name.strip(), (low, high)


def _read_seat(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(value) for value in text.split(","))
    except ValueError:
        raise ModelError(f"--seat {text}: give three numbers in m, as in  --seat -1.2,0.4,0.5") from None
    return x, y, z


def _tell(found: Found) -> None:
    """A limit as soon as it is found."""
    reason = "" if found.first_failure is None else f"; at {found.first_failure.value:.4g} {found.first_failure.reason}"
    say_note(f"{found.limit.title}: {found.say()}{reason}")


def _make_json(outcome: LimitsOutcome) -> dict[str, dict[str, Any]]:
    return {
        found.limit.name: {
            "title": found.limit.title,
            "quantity": found.limit.quantity,
            "unit": found.limit.unit,
            "last_pass": None if found.last_pass is None else asdict(found.last_pass),
            "first_failure": None if found.first_failure is None else asdict(found.first_failure),
            "criterion": found.limit.say_criterion(),
            "runs": len(found.verdicts),
        }
        for found in outcome.found
    }


def _print(outcome: LimitsOutcome, files: list[Path]) -> None:
    from grouser.study.limits.report import make_limits_table, make_speed_table

    for table in (make_limits_table(outcome.found), make_speed_table(outcome.found)):
        if table is not None and table.rows:
            print_table(table.title, table.heads, table.rows)
    runs = sum(len(found.verdicts) for found in outcome.found)
    facts = {"runs": f"{runs}, {outcome.made} of them made now", "folder": str(outcome.folder)}
    print_facts(outcome.vehicle, facts | {path.suffix.removeprefix("."): str(path) for path in files})
