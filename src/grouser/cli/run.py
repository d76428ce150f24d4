"""``grouser run``: simulate a vehicle or a model."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli import options
from grouser.cli.choices import choose_times
from grouser.cli.interrupt import find_stop_code
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.progress import watch
from grouser.cli.report import print_json, say_error, say_note
from grouser.cli.source import Wishes, prepare_source
from grouser.cli.summary import make_summary_json, print_summary
from grouser.errors import ModelError, ResultError, SolveError
from grouser.result.facts import find_summary
from grouser.result.target import REPORT, RESULT, STATE

if TYPE_CHECKING:
    from grouser.result.result import Result

OutFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE.h5", help="Result file; default NAME.h5.")]
Duration = Annotated[
    float | None, typer.Option("--duration", metavar="T", help="Simulated time [s]; default that of the scenario.")
]
OutputInterval = Annotated[
    float | None, typer.Option("--output-interval", metavar="DT", help="Time between two frames [s]; default 0.01.")
]
Settle = Annotated[
    bool | None,
    typer.Option("--settle/--no-settle", help="Bring it to rest before the run; by default if it has tracks or tyres."),
]
Initial = Annotated[
    Path | None, typer.Option("--initial", metavar="STATE", help="Start from a saved state instead of settling.")
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="Also write a report, as 'grouser report' does.")
]
SaveInitial = Annotated[
    Path | None, typer.Option("--save-initial", metavar="STATE", help="Save the state from which the run starts.")
]


def run(
    context: typer.Context,
    target: options.Target,
    scenario: options.ScenarioName = None,
    scenario_overrides: options.ScenarioOverrides = None,
    preset: options.PresetName = None,
    integrator: options.IntegratorName = None,
    tolerance: options.Tolerance = None,
    spectral_radius: options.SpectralRadius = None,
    duration: Duration = None,
    step: options.Step = None,
    output_interval: OutputInterval = None,
    out: OutFile = None,
    overrides: options.Overrides = None,
    suspension: options.Suspension = None,
    pin_stiffness: options.PinStiffness = None,
    pin_damping: options.PinDamping = None,
    settle: Settle = None,
    initial: Initial = None,
    save_initial: SaveInitial = None,
    report: Report = None,
    force: Force = False,
    strict: options.Strict = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Simulate a vehicle or a model and write a result file while it goes on.

    Ctrl-C, SIGTERM and SIGHUP end the run and keep its data.
    """
    wishes = Wishes(
        target, scenario, preset, step, overrides, suspension, pin_stiffness, pin_damping, scenario_overrides
    )
    source, chosen = prepare_source(wishes, duration=duration, quiet=quiet)
    chosen = chosen.with_integrator(integrator, tolerance, spectral_radius)
    times = choose_times(source.duration if duration is None else duration, step, output_interval)
    out = Path(f"{source.name}.h5") if out is None else out
    _check_initial(initial, settle)
    outputs = {"--out": (out, RESULT), "--save-initial": (save_initial, STATE), "--report": (report, REPORT)}
    replaced = check_outputs(outputs, [*source.inputs, initial], force=force)
    from grouser.simulate import simulate

    about = {
        "vehicle": source.name,
        "scenario": None if source.scenario is None else source.scenario.name,
        "overrides": [*(overrides or ()), *(scenario_overrides or ())],
        "command": shlex.join(["grouser", *(context.obj or ())]),
    }
    with watch(quiet=quiet) as progress:
        failure: SolveError | None = None
        try:
            result = simulate(
                source.model,
                preset=chosen,
                duration=times.duration,
                step=times.step,
                output_interval=times.output_interval,
                out=out,
                settle=settle,
                initial=initial,
                save_initial=save_initial,
                progress=progress,
                about=about,
                force=force,
            )
        except SolveError as error:
            if error.result is None:  # it never came to the run
                raise
            failure, result = error, error.result
    for path in replaced if not quiet else ():
        say_note(f"replaced {path}")
    files = {"result": out} | ({} if save_initial is None else {"initial state": save_initial})
    facts = {**about, "initial_state": None if save_initial is None else str(save_initial)}
    with result:
        if report is not None and len(result.time):
            _write_report(result, source.name, report, force=force)
            files["report"] = report
            facts["report"] = str(report)
        return _finish(result, files, facts, failure, strict=strict, json=json, quiet=quiet)


def _write_report(result: Result, label: str, path: Path, *, force: bool) -> None:
    from grouser.output.report.page import save_report

    save_report({label: result}, path, force=force)


def _check_initial(initial: Path | None, settle: bool | None) -> None:
    """Refuse a file that cannot be started from."""
    if initial is None:
        return
    if settle:
        raise ModelError("--settle and --initial exclude each other: a saved state replaces settling")
    if not initial.is_file():
        what = "is a folder" if initial.is_dir() else "does not exist"
        raise ResultError(f"state {initial} {what}: give a file that --save-initial or 'grouser settle' wrote")
    if not zipfile.is_zipfile(initial):
        raise ResultError(f"{initial} is not a saved state: give a file that --save-initial or 'grouser settle' wrote")


def _finish(
    result: Result,
    files: dict[str, Path],
    facts: dict[str, Any],
    failure: SolveError | None,
    *,
    strict: bool,
    json: bool,
    quiet: bool,
) -> int:
    """Print what came out, and return the exit code."""
    if json:
        print_json(make_summary_json(result, **facts))
    elif not quiet:
        print_summary(result, files)
    if failure is not None:
        say_error(f"{failure}; the data until then is in {result.path}")
        return 1
    if result.status == "interrupted":
        say_note(f"{result.message} at {result.summary['simulated_time']:.6g} s; the data is in {result.path}")
        return find_stop_code()
    doubts = find_summary(result)["doubts"] if strict else []
    if doubts:
        say_error(f"the run is not to be trusted; its data is in {result.path}", *doubts)
    return 1 if doubts else 0
