"""The report of many runs: one page with tables and plots that share their filters."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grouser._version import __version__
from grouser.output.panel import Panel
from grouser.output.report.tables import pack_table
from grouser.output.report.template import fill_page, make_look, make_scripts, read_web, say_json
from grouser.output.study_tables import Column, Effect, Run, StudyTables, Surface
from grouser.result.target import REPORT, check_target
from grouser.whole_file import save_whole

MOST_REASONS = 20
"""Failed runs that are listed above all; the others are the first rows of the table."""


def save_study_report(tables: StudyTables, path: str | Path, *, force: bool = False) -> Path:
    """Write the report of many runs. An earlier report is replaced, anything else only by `force`."""
    path = Path(path)
    check_target(path, REPORT, force=force)
    text = make_study_report(tables)
    with save_whole(path, "report") as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    return path


def make_study_report(tables: StudyTables) -> str:
    """The page of many runs."""
    facts = {
        "runs": [_pack_run(run) for run in tables.runs],
        "columns": [_pack_column(column) for column in tables.columns],
        "cards": [{"label": label, "values": [value]} for label, value in tables.cards],
        "tables": [pack_table(table) for table in tables.tables],
        "panels": [_pack_panel(panel.with_shown_unit()) for panel in tables.panels],
        "effects": [_pack_effect(effect) for effect in tables.effects],
        "surfaces": [_pack_surface(surface) for surface in tables.surfaces],
        "look": make_look(),
    }
    fields = {
        "version": __version__,
        "title": html.escape(f"{tables.name} - grouser"),
        "heading": html.escape(tables.name),
        "subtitle": html.escape(tables.subtitle),
        "failed": _make_box([run for run in tables.runs if run.status != "done"]),
        "style": read_web("style.css") + read_web("study.css"),
        "facts": say_json(facts),
        "scripts": make_scripts(["plotly", "study"]),
    }
    return fill_page("study.html", fields)


def _make_box(failed: Sequence[Run]) -> str:
    """Failed runs with their reasons; nothing if all went well."""
    if not failed:
        return ""
    lines = "".join(f"<li>run {run.number}: {html.escape(run.reason)}</li>" for run in failed[:MOST_REASONS])
    rest = len(failed) - MOST_REASONS
    more = f'<p class="more">{rest} more are the first rows of the table.</p>' if rest > 0 else ""
    title = f"{len(failed)} {'run' if len(failed) == 1 else 'runs'} failed"
    return f'<section class="doubts" role="alert"><h2>{title}</h2><ul>{lines}</ul>{more}</section>'


def _pack_run(run: Run) -> dict[str, Any]:
    facts = asdict(run)
    return {"run": facts.pop("number"), **facts}


def _pack_column(column: Column) -> dict[str, Any]:
    values = [_find_plain(value) for value in column.values]
    return {"name": column.name, "role": column.role, "values": values, "isLog": column.is_log}


def _find_plain(value: Any) -> Any:
    """A value as JSON has it: no NaN, no infinity, and truth values as text."""
    if isinstance(value, bool):
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _pack_panel(panel: Panel) -> dict[str, Any]:
    lines = [
        {
            "label": line.label,
            "x": line.x.tolist(),
            "y": [_find_plain(float(value)) for value in line.y],
            "color": line.color,
            "dash": line.dash,
            "isFaint": line.is_faint,
        }
        for line in panel.lines
    ]
    return {
        "title": panel.title,
        "xLabel": panel.x_label,
        "yLabel": panel.y_label,
        "isLog": panel.is_log,
        "lines": lines,
    }


def _pack_effect(effect: Effect) -> dict[str, Any]:
    facts = asdict(effect)
    return {**facts, "isLog": facts.pop("is_log")}


def _pack_surface(surface: Surface) -> dict[str, Any]:
    facts = asdict(surface)
    return {**facts.pop("content"), **facts}
