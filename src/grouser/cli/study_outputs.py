"""What is shown of the folder of a study or of an optimisation: report, figures, table."""

from __future__ import annotations

from pathlib import Path

from grouser.cli.outputs import check_outputs
from grouser.cli.report import say_note
from grouser.errors import ResultError
from grouser.result.target import FIGURE, REPORT, TABLE

PAGE = "report.html"
FORMATS = ("csv", "parquet")


def write_study_report(folder: Path, out: Path | None, *, each: bool = False, force: bool = False) -> None:
    """Write the report of a folder, by default into it; `each` says that every run gets a report of its own too."""
    from grouser.output.report.study import save_study_report
    from grouser.study.report import load_folder, make_study_tables

    target = folder / PAGE if out is None else out
    check_outputs({"--out": (target, REPORT)}, force=force)
    if each:
        _, place, rows = load_folder(folder)
        _write_run_reports([place.find_result(row["run"]) for row in rows], force=force)
    save_study_report(make_study_tables(folder, target), target, force=force)
    say_note(f"wrote {target} ({target.stat().st_size / 1e6:.1f} MB)")


def _write_run_reports(results: list[Path], *, force: bool) -> None:
    from grouser.output.report.page import save_report
    from grouser.result.result import load_result

    for path in results:
        page = path.with_suffix(".html")
        if not path.is_file() or (page.is_file() and page.stat().st_mtime >= path.stat().st_mtime):
            continue
        try:
            with load_result(path) as result:
                save_report({path.stem: result}, page, force=force)
        except ResultError as error:  # a run that failed before its first frame has nothing to show
            say_note(f"no report of {path.name}: {error}")


def write_study_figure(folder: Path, out: Path | None, *, force: bool = False) -> None:
    """Draw main effects, and the history of an optimisation."""
    from grouser.output.panel import make_panel_figure
    from grouser.output.plots import save_figure
    from grouser.output.study_panels import make_study_panels
    from grouser.study.report import make_study_tables

    target = Path(f"{folder.name}.png") if out is None else out
    check_outputs({"--out": (target, FIGURE)}, force=force)
    tables = make_study_tables(folder, target, has_surfaces=False)
    panels = make_study_panels(tables)
    if not panels:
        raise ResultError(f"folder {folder} holds nothing that a figure could show: no response changes with a factor")
    say_note(f"wrote {save_figure(make_panel_figure(panels, title=tables.name, columns=2), target)}")


def write_study_table(folder: Path, to: str, *, force: bool = False) -> None:
    """Write the table of all runs as CSV or Parquet."""
    from grouser.study.folder import make_table
    from grouser.study.report import load_folder
    from grouser.whole_file import save_whole

    target = Path(f"{folder.name}.{to}") if to in FORMATS else Path(to)
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise ResultError(f"--to {to}: the table of a study is written as {' or '.join(FORMATS)}")
    check_outputs({"--to": (target, TABLE)}, force=force)
    wanted, _, rows = load_folder(folder)
    table = make_table(wanted, rows).to_pandas()
    with save_whole(target, "table") as draft:
        if target.suffix.lower() == ".csv":
            table.to_csv(draft, index=False)
        else:
            table.to_parquet(draft, index=False)
    say_note(f"wrote {target}")
