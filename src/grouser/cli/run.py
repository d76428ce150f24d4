"""``grouser run``: simulate a vehicle or a model."""

from __future__ import annotations

import shlex
import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from grouser.cli import options
from grouser.cli.choices import choose_times
from grouser.cli.conclude import Manner, conclude
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.progress import watch
from grouser.cli.report import say_note
from grouser.cli.resume import Given, find_about, resume_run
from grouser.cli.source import Wishes, prepare_source
from grouser.errors import ModelError, ResultError, SolveError
from grouser.result.target import REPORT, RESULT, STATE

OutFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE.h5", help="Result file; default NAME.h5.")]
Duration = Annotated[
    float | None,
    typer.Option(
        "--duration", metavar="T", help="Simulated time [s]; default that of the scenario, or of the run to resume."
    ),
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
Loads = Annotated[
    list[str] | None,
    typer.Option(
        "--loads", metavar="PART", help="Record what 'grouser loads' needs of a body; may be repeated for others."
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="RESULT",
        help="Go on with the run of a result file that was killed, stopped or finished; --duration makes it longer. "
        "Other options must be those of the run.",
    ),
]


def run(
    context: typer.Context,
    target: options.OptionalTarget = None,
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
    resume: Resume = None,
    overrides: options.Overrides = None,
    suspension: options.Suspension = None,
    pin_stiffness: options.PinStiffness = None,
    pin_damping: options.PinDamping = None,
    settle: Settle = None,
    threads: options.Threads = None,
    initial: Initial = None,
    save_initial: SaveInitial = None,
    report: Report = None,
    loads: Loads = None,
    force: Force = False,
    strict: options.Strict = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Simulate a vehicle or a model and write a result file while it goes on.

    Ctrl-C, SIGTERM and SIGHUP end the run and keep its data. After that, after a kill, or to make a run longer,
    'grouser run --resume RESULT' goes on from its last checkpoint. The result is that of a run that nothing has ended.
    """
    if target is None and resume is None:
        raise ModelError(
            "Missing argument VEHICLE|FILE: name a vehicle of the catalog or a YAML file, or a result by --resume"
        )
    wishes = Wishes(
        target or "", scenario, preset, step, overrides, suspension, pin_stiffness, pin_damping, scenario_overrides
    )
    manner = Manner(report, force, strict, json, quiet)
    if resume is not None:
        check_outputs({"--report": (report, REPORT)}, [resume], force=force)
        starts: dict[str, Any] = {
            "--out": out,
            "--save-initial": save_initial,
            "--initial": initial,
            "--settle/--no-settle": settle,
        }
        starts["--loads"] = loads
        given = Given(wishes, integrator, tolerance, spectral_radius, output_interval, duration, threads)
        result, failure = resume_run(resume, given, starts, quiet=quiet)
        return conclude(result, {"result": resume}, find_about(result), failure, manner)
    source, chosen = prepare_source(wishes, duration=duration, quiet=quiet)
    chosen = chosen.with_integrator(integrator, tolerance, spectral_radius)
    times = choose_times(source.duration if duration is None else duration, step, output_interval)
    out = Path(f"{source.name}.h5") if out is None else out
    _check_initial(initial, settle)
    outputs = {"--out": (out, RESULT), "--save-initial": (save_initial, STATE), "--report": (report, REPORT)}
    replaced = check_outputs(outputs, [*source.inputs, initial], force=force)
    from grouser.model.load_sensors import add_load_sensors
    from grouser.simulate import simulate

    model = add_load_sensors(source.model, loads or ())
    about = {
        "vehicle": source.name,
        "scenario": None if source.scenario is None else source.scenario.name,
        "overrides": [*(overrides or ()), *(scenario_overrides or ())],
        "command": shlex.join(["grouser", *(context.obj or ())]),
    }
    failure = None
    with watch(quiet=quiet) as progress:
        try:
            result = simulate(
                model,
                preset=chosen,
                duration=times.duration,
                step=times.step,
                output_interval=times.output_interval,
                out=out,
                settle=settle,
                threads=threads,
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
    return conclude(result, files, facts, failure, manner)


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
