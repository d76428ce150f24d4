"""``grouser compare``: several presets on the same vehicle, scenario and start."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from grouser.cli import options
from grouser.cli.choices import Times, check_pins, check_times, choose_preset, choose_times
from grouser.cli.interrupt import StoppedError, find_stop_code, say_stop
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.progress import watch
from grouser.cli.report import print_json, print_table, say_error, say_note
from grouser.cli.source import Source, check_start, load_source
from grouser.cli.summary import make_summary_json, print_doubts
from grouser.errors import ModelError, ResultError, SolveError
from grouser.result.facts import find_summary
from grouser.result.target import check_name

if TYPE_CHECKING:
    from grouser.compile.state import State
    from grouser.presets import Preset
    from grouser.result.result import Result
    from grouser.result.target import Kind

SOFT_STIFFNESS = 1.0e7
"""Stiffness of the pins of the run with soft pins, as in the chain-formulations paper [N/m]."""
FORMATS = (".png", ".pdf")
"""Every figure is written in these formats."""
REPORT = "report.html"
TABLES = ("table.md", "table.csv")

Presets = Annotated[str, typer.Option("--presets", metavar="A,B", help="Presets, the reference first.")]
Duration = Annotated[
    float | None, typer.Option("--duration", metavar="T", help="Simulated time [s]; default that of the scenario.")
]
OutputInterval = Annotated[
    float | None, typer.Option("--output-interval", metavar="DT", help="Time between two frames [s]; default 0.01.")
]
Folder = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for all files; default compare-NAME.")
]
Settle = Annotated[
    bool | None,
    typer.Option("--settle/--no-settle", help="Bring it to rest before the runs; by default if it has tracks."),
]
Soft = Annotated[bool, typer.Option("--soft", help="A further run of 'penalty' with pins at 1e7 N/m.")]
Rigid = Annotated[bool, typer.Option("--rigid", help="A further run of the first preset without suspension.")]

Role = Literal["presets", "soft", "rigid"]


@dataclass(frozen=True)
class Plan:
    """A run to be made: its label, what it is for, what is run, and how."""

    label: str
    role: Role
    source: Source
    preset: Preset


def compare(
    context: typer.Context,
    target: options.Target,
    presets: Presets = "constrained,recursive,penalty,bushing",
    scenario: options.ScenarioName = None,
    duration: Duration = None,
    output_interval: OutputInterval = None,
    out: Folder = None,
    overrides: options.Overrides = None,
    settle: Settle = None,
    soft: Soft = False,
    rigid: Rigid = False,
    force: Force = False,
    strict: options.Strict = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Run several presets on the same scenario from the same state; write results, figures, a table and a report.

    Ctrl-C ends the comparison and keeps what is done.
    """
    check_times({"--duration": duration})
    chosen = {name: choose_preset(name, None, None) for name in _split_presets(presets)}
    source = load_source(target, overrides=overrides, scenario=scenario)
    plans = [Plan(name, "presets", source, preset) for name, preset in chosen.items()]
    if soft:
        check_pins(source.model, SOFT_STIFFNESS, None)
        plans.append(Plan("penalty-soft", "soft", source, choose_preset("penalty", SOFT_STIFFNESS, None)))
    if rigid:
        twin = load_source(target, overrides=overrides, scenario=scenario, suspension=False)
        plans.append(Plan(f"{plans[0].label}-rigid", "rigid", twin, plans[0].preset))
    for warning in dict.fromkeys(text for plan in plans for text in check_start(plan.source, duration)):
        if not quiet:
            say_note(f"warning: {warning}")
    times = choose_times(source.duration if duration is None else duration, None, output_interval)
    folder = Path(f"compare-{source.name}") if out is None else out
    _check_folder(folder, plans, force=force)
    _check_presets(plans)
    _make_folder(folder)
    about = {
        "vehicle": source.name,
        "scenario": None if source.scenario is None else source.scenario.name,
        "overrides": list(overrides or ()),
        "command": shlex.join(["grouser", *(context.obj or ())]),
    }
    results, faults, is_stopped = _run_all(plans, times, folder, settle, about, force=force, quiet=quiet)
    doubts = {label: find_summary(result)["doubts"] for label, result in results.items()}
    try:
        files = _write(plans, results, folder)
        table = _calc_table(plans, results)
        if json:
            facts = {**about, "out": str(folder), "files": [str(file) for file in files]}
            print_json({"doubts": doubts, **_say_end(faults, is_stopped), **facts, **_make_json(plans, results, table)})
        elif not quiet:
            print_doubts(doubts)
            _print_table(table, source.name)
            say_note(f"wrote {len(results)} results, {len(files) - 1} figures and tables, and {REPORT} to {folder}")
    finally:
        for result in results.values():
            result.close()
    if faults:
        say_error(*faults)
    if is_stopped:
        say_note(f"{say_stop()}; what was done is in {folder}")
    doubtful = [label for label, said in doubts.items() if said] if strict else []
    if doubtful:
        say_error(f"runs that are not to be trusted: {', '.join(doubtful)}; all runs are in {folder}")
    return find_stop_code() if is_stopped else 1 if faults or doubtful else 0


def _split_presets(presets: str) -> list[str]:
    names = [name.strip() for name in presets.split(",") if name.strip()]
    if not names:
        raise ModelError("--presets names no preset: give some, as in --presets constrained,penalty")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise ModelError(f"--presets names {twice[0]!r} more than once: name each preset once")
    return names


def _check_presets(plans: list[Plan]) -> None:
    """Refuse presets that do not support the vehicle, before the first long run."""
    from grouser.simulate import prepare

    for plan in plans:
        prepare(plan.source.model, plan.preset)


def _check_folder(folder: Path, plans: list[Plan], *, force: bool) -> None:
    """Refuse a folder that cannot be, and files in it that would be lost."""
    check_name(folder, "--out")
    if folder.exists() and not folder.is_dir():
        raise ResultError(f"--out {folder} is a file: give the name of a folder")
    if not folder.parent.is_dir():
        raise ResultError(f"--out {folder}: the folder {folder.parent} does not exist; create it first")
    if folder.is_dir():
        outputs = {f"{name} of --out": (folder / name, kind) for name, kind in _list_files(plans).items()}
        check_outputs(outputs, [path for plan in plans for path in plan.source.inputs], force=force)


def _list_files(plans: list[Plan]) -> dict[str, Kind]:
    """All files that a comparison writes if every run succeeds."""
    from grouser.output.comparison import list_figures
    from grouser.result import target

    figures = list_figures(plans[0].source.model, has_soft=any(plan.role == "soft" for plan in plans))
    return {
        **{f"{plan.label}.h5": target.RESULT for plan in plans},
        **{f"{name}{suffix}": target.FIGURE for name in figures for suffix in FORMATS},
        **dict.fromkeys(TABLES, target.COMPARISON),
        REPORT: target.REPORT,
    }


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ResultError(f"--out {folder} cannot be made ({error.strerror}): choose another place") from error


def _run_all(
    plans: list[Plan],
    times: Times,
    folder: Path,
    settle: bool | None,
    about: Mapping[str, Any],
    *,
    force: bool,
    quiet: bool,
) -> tuple[dict[str, Result], list[str], bool]:
    """Results by label, faults, and whether the user stopped it. A run that fails does not stop the others."""
    results: dict[str, Result] = {}
    faults: list[str] = []
    rests: dict[tuple[int, bool], State] = {}
    for plan in plans:
        if not quiet:
            say_note(f"{plan.label}:")
        try:
            with watch(quiet=quiet) as report:
                is_wanted = bool(plan.source.model.tracks) if settle is None else settle
                start = _find_start(plan, plans, rests, report) if is_wanted else None
                result = _run_one(plan, times, folder, start, about, report, force=force)
        except SolveError as error:
            faults.append(f"{plan.label}: {error}")
            if error.result is None:
                continue
            result = error.result
        except StoppedError:
            if not results:
                raise
            return results, faults, True
        if len(result.time) > 1:
            results[plan.label] = result
        elif not results and result.status == "interrupted":
            raise StoppedError(f"{say_stop()} while running")
        if result.status == "interrupted":
            return results, faults, True
    if not any(plan.role == "presets" and plan.label in results for plan in plans):
        raise SolveError(faults[0], status="failed", time=0.0)
    return results, faults, False


def _find_start(plan: Plan, plans: list[Plan], rests: dict[tuple[int, bool], State], report: Any) -> State:
    """The state of rest from which a run starts.

    All runs of a model, or of it with elastic links, share the one of the first preset that finds it, kept in `rests`.
    From there each comes to rest with joints of its own, so that no run begins with a jolt: joints by penalty carry
    load only once they have opened.
    """
    from grouser.simulate import settle

    key = id(plan.source), plan.preset.has_elastic_links
    if key not in rests:
        rests[key] = _settle_first([p for p in plans if (id(p.source), p.preset.has_elastic_links) == key], report)
    try:
        return settle(plan.source.model, preset=plan.preset, initial=rests[key], progress=report)
    except SolveError:
        return rests[key]


def _settle_first(plans: list[Plan], report: Any) -> State:
    """State of rest by the first preset that finds one."""
    from grouser.simulate import settle

    failures: list[SolveError] = []
    for plan in plans:
        try:
            return settle(plan.source.model, preset=plan.preset, progress=report)
        except SolveError as error:
            failures.append(error)
    raise failures[0]


def _run_one(
    plan: Plan, times: Times, folder: Path, start: State | None, about: Mapping[str, Any], report: Any, *, force: bool
) -> Result:
    from grouser.simulate import simulate

    return simulate(
        plan.source.model,
        preset=plan.preset,
        duration=times.duration,
        output_interval=times.output_interval,
        out=folder / f"{plan.label}.h5",
        settle=False,
        initial=start,
        progress=report,
        about={**about, "label": plan.label},
        force=force,
    )


def _pick(plans: list[Plan], results: Mapping[str, Result], *roles: Role) -> dict[str, Result]:
    return {plan.label: results[plan.label] for plan in plans if plan.role in roles and plan.label in results}


def _calc_table(plans: list[Plan], results: Mapping[str, Result]) -> dict[str, dict[str, Any]]:
    from grouser.result.comparison import calc_table

    return calc_table(_pick(plans, results, "presets", "soft"), _pick(plans, results, "rigid"))


def _write(plans: list[Plan], results: Mapping[str, Result], folder: Path) -> list[Path]:
    """Write the figures, the table and the report; gives the files."""
    from grouser.output.comparison import Runs, make_comparison
    from grouser.output.plots import save_figure
    from grouser.output.report.page import save_report
    from grouser.result.comparison import make_csv, make_markdown
    from grouser.whole_file import save_whole

    runs = Runs(*(_pick(plans, results, role) for role in ("presets", "soft", "rigid")))
    files = [
        save_figure(figure, folder / f"{name}{suffix}")
        for name, figure in make_comparison(runs).items()
        for suffix in FORMATS
    ]
    table = _calc_table(plans, results)
    source = plans[0].source
    scenario = "" if source.scenario is None else f", scenario {source.scenario.name}"
    texts = (make_markdown(table, f"{source.name}{scenario}"), make_csv(table))
    for name, text in zip(TABLES, texts, strict=True):
        with save_whole(folder / name, "table") as unfinished:
            unfinished.write_text(text, encoding="utf-8")
        files.append(folder / name)
    files.append(save_report(results, folder / REPORT))
    return files


def _make_json(
    plans: list[Plan], results: Mapping[str, Result], table: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Numbers of every run: those of the presets, and those of further runs."""
    runs: dict[str, dict[str, Any]] = {"presets": {}, "further": {}}
    for plan in plans:
        if plan.label in results:
            row = table[plan.label]
            runs["presets" if plan.role == "presets" else "further"][plan.label] = {
                **make_summary_json(results[plan.label]),
                "cpu_per_second": row["cpu_per_second"],
                "cpu_ratio": row["cpu_ratio"],
                "comparison": dict(row),
            }
    return runs


def _say_end(faults: list[str], is_stopped: bool) -> dict[str, Any]:
    status = "interrupted" if is_stopped else "failed" if faults else "done"
    return {"status": status, "message": "\n".join(faults), "faults": faults}


def _print_table(table: Mapping[str, Mapping[str, Any]], title: str) -> None:
    from grouser.result.comparison import find_columns, mark_labels, say_cell

    rows = []
    for name, (heading, unit, scale) in find_columns(table).items():
        cells = [say_cell(row[name], scale) for row in table.values()]
        if any(cells):
            rows.append((heading, unit, *cells))
    print_table(title, ("", "unit", *mark_labels(table)), rows)
