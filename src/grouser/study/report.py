"""What the report of a study or of an optimisation shows, from the folder in which its runs are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grouser.errors import ResultError
from grouser.output.report.tables import Table
from grouser.output.study_tables import Column, Run, StudyTables
from grouser.study.effects import make_effects
from grouser.study.experiment import Experiment
from grouser.study.folder import STUDY, Row, StudyFolder
from grouser.study.history import make_best_table, make_history, make_history_cards
from grouser.study.optimisation import Method, Optimisation
from grouser.study.spec import Plan, Study
from grouser.study.surfaces import make_surfaces

KINDS: dict[str, type[Experiment]] = {"study": Study, "optimisation": Optimisation}


def is_study_folder(path: Path) -> bool:
    """Whether a folder holds the runs of a study or of an optimisation."""
    return path.is_dir() and (path / STUDY).is_file()


def load_folder(path: Path) -> tuple[Experiment, StudyFolder, list[Row]]:
    """The study or the optimisation of a folder, and its rows."""
    if not is_study_folder(path):
        raise ResultError(f"folder {path} holds no study: give the folder that 'grouser study' has made")
    folder = StudyFolder(path)
    told = folder.load_told()
    wanted = KINDS[str(told.get("kind", "study"))].model_validate(told)
    rows = folder.load_rows()
    if not rows:
        raise ResultError(f"folder {path} has no row yet: wait until a run has ended")
    return wanted, folder, [rows[run] for run in sorted(rows)]


def make_columns(wanted: Experiment, rows: Sequence[Row]) -> tuple[list[Column], list[Column]]:
    """Columns of the factors and of the responses."""
    factors = [
        Column(name, "factor", [_find_text(row[name]) for row in rows], factor.logarithmic)
        for name, factor in wanted.factors.items()
    ]
    return factors, [Column(name, "response", [row[name] for row in rows]) for name in wanted.responses]


def make_study_tables(path: Path, report: Path, *, has_surfaces: bool = True) -> StudyTables:
    """All that the report of a folder shows.

    Parameters
    ----------
    report : file of the report; links of runs are relative to it
    has_surfaces : whether surfaces are fitted, which takes a while
    """
    wanted, folder, rows = load_folder(path)
    factors, responses = make_columns(wanted, rows)
    failed = sum(row["status"] != "done" for row in rows)
    cards = [("runs", str(len(rows))), ("failed", str(failed) if failed else "none")]
    tables, panels = [_make_setting(wanted), _make_factors(wanted), _make_responses(wanted)], []
    if isinstance(wanted, Optimisation):
        cards += make_history_cards(wanted, rows)
        tables = [make_best_table(wanted, rows), *tables]
        panels = make_history(wanted, rows)
    return StudyTables(
        name=wanted.name,
        subtitle=_say_subtitle(wanted, len(rows)),
        runs=[_make_run(row, folder, report) for row in rows],
        columns=[*factors, *responses],
        cards=cards,
        tables=tables,
        panels=panels,
        effects=make_effects(factors, responses),
        surfaces=make_surfaces(factors, responses) if has_surfaces else [],
    )


def _find_text(value: Any) -> Any:
    return str(value) if isinstance(value, bool) else value


def _make_run(row: Row, folder: StudyFolder, report: Path) -> Run:
    result = folder.find_result(row["run"])
    page = result.with_suffix(".html")
    here = report.resolve().parent
    links = [os.path.relpath(place, here).replace(os.sep, "/") if place.is_file() else None for place in (result, page)]
    return Run(row["run"], row["status"], row["reason"], *links)


def _say_subtitle(wanted: Experiment, count: int) -> str:
    base = wanted.base
    words = [
        wanted.description,
        Path(base.vehicle).stem,
        f"scenario {Path(base.scenario).stem}" if base.scenario else "",
        f"{count} runs",
        f"{wanted.repeats} of each combination" if wanted.repeats > 1 else "",
    ]
    return " · ".join(word for word in words if word)


def _make_setting(wanted: Experiment) -> Table:
    base = wanted.base.model_dump(exclude_defaults=True)
    rows: list[tuple[str, ...]] = [(name.replace("_", " "), _say(value)) for name, value in base.items()]
    more: dict[str, Plan | Method] = {"plan": wanted.plan} if isinstance(wanted, Study) else {}
    more |= {"method": wanted.method} if isinstance(wanted, Optimisation) else {}
    rows += [(name, _say(part.model_dump(exclude_defaults=True) | {"type": part.type})) for name, part in more.items()]
    if wanted.replicates is not None:
        rows.append(("replicates", _say(wanted.replicates.model_dump())))
    return Table("Setting", "what was run", ("", ""), rows)


def _make_factors(wanted: Experiment) -> Table:
    rows: list[tuple[str, ...]] = []
    for name, factor in wanted.factors.items():
        extent = ", ".join(map(str, factor.values or ()))
        if factor.low is not None:
            extent = f"{factor.low:g} to {factor.high:g}" + (", by ratios" if factor.logarithmic else "")
        rows.append((name, factor.type, ", ".join(one for one in factor.paths if one), extent))
    return Table("Setting", "factors", ("", "kind", "path", "values"), rows)


def _make_responses(wanted: Experiment) -> Table:
    rows: list[tuple[str, ...]] = [
        (name, _say(one.model_dump(exclude_defaults=True))) for name, one in wanted.responses.items()
    ]
    return Table("Setting", "responses", ("", "what is taken"), rows)


def _say(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_say(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_say, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
