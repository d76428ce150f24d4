"""The page of a report: what the runs show, packed, and the viewer that shows it."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser._version import __version__
from grouser.output.panel import TIME, Line, Panel, merge_panels
from grouser.output.report.packer import Packer
from grouser.output.report.tables import Table, make_cards, make_tables, pack_table
from grouser.output.report.template import fill_page, make_scripts, read_web, say_json
from grouser.output.report.view import make_scenes, make_view
from grouser.output.run_panels import make_run_panels
from grouser.result.doubts import find_doubts
from grouser.result.target import REPORT, check_target
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    from grouser.output.scene import Scene
    from grouser.result.result import Array, Result

MOST_POSES = 300_000
"""Poses of bodies that a report holds, of all runs and frames; longer runs are shown with fewer frames a second. Nodes
of flexible meshes count as parts of poses."""
MOST_POINTS = 4000
"""Points of a line in a plot; of longer lines the smallest and largest values are kept."""
UNTRUSTED = "Not to be trusted"
"""Above the doubts of runs."""


def save_report(runs: Mapping[str, Result], path: str | Path, *, force: bool = False) -> Path:
    """Write a report of some runs, by their labels; the first is the one that others are compared with.

    An earlier report is replaced, anything else only by `force`.
    """
    path = Path(path)
    check_target(path, REPORT, force=force)
    text = make_report(runs)
    with save_whole(path, "report") as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    return path


def make_report(runs: Mapping[str, Result]) -> str:
    """The page of some runs, by their labels."""
    scenes = make_scenes(runs, MOST_POSES)
    packer = Packer()
    facts = {
        **make_view(runs, scenes, packer),
        "panels": [_pack_panel(panel, packer) for panel in make_panels(runs)],
        "tables": [pack_table(table) for table in [*make_tables(runs), _make_versions()]],
        "cards": make_cards(runs),
    }
    return _fill_page(runs, scenes, facts, packer, has_plots=True)


def make_small_view(runs: Mapping[str, Result], most_poses: int) -> str:
    """A page with the 3D view alone."""
    scenes = make_scenes(runs, most_poses)
    packer = Packer()
    facts = make_view(runs, scenes, packer)
    return _fill_page(runs, scenes, facts, packer, has_plots=False)


def make_panels(runs: Mapping[str, Result]) -> list[Panel]:
    """Panels of all runs, laid over each other."""
    merged = merge_panels({label: make_run_panels(result) for label, result in runs.items()})
    return [panel.with_shown_unit() for panel in merged]


def _make_versions() -> Table:
    made_of = json.loads(read_web("bundle/made-of.json"))
    rows: list[tuple[str, ...]] = [
        ("grouser", __version__),
        ("three.js", made_of["three"]),
        ("plotly.js", made_of["plotly"]),
        ("written at", datetime.now(UTC).isoformat(sep=" ", timespec="seconds")),
    ]
    return Table("Settings", "this report", ("", ""), rows)


def _pack_panel(panel: Panel, packer: Packer) -> dict[str, Any]:
    return {
        "key": panel.key,
        "title": panel.title,
        "yLabel": panel.y_label,
        "xLabel": panel.x_label,
        "isTime": panel.x_label == TIME,
        "isEqual": panel.is_equal,
        "isLog": panel.is_log,
        "lines": [_pack_line(line, packer) for line in panel.lines],
    }


def _pack_line(line: Line, packer: Packer) -> dict[str, Any]:
    keep = thin_out(line.y, MOST_POINTS)
    return {
        "label": line.label,
        "color": line.color,
        "dash": line.dash,
        "isFaint": line.is_faint,
        "x": packer.add(line.x[keep], "f4"),
        "y": packer.add(line.y[keep], "f4"),
        "time": None if line.time is None else packer.add(line.time[keep], "f4"),
    }


def thin_out(values: Array, most: int) -> Any:
    """Which points of a long line to keep so that it looks the same: smallest and largest of each stretch.

    >>> thin_out(np.array([0.0, 9.0, 1.0, 0.0, 2.0, 2.0, -5.0, 2.0]), 4)
    array([0, 1, 4, 6])
    """
    if len(values) <= most:
        return slice(None)
    stretches = np.array_split(np.nan_to_num(values), most // 2)
    starts = np.cumsum([0, *map(len, stretches[:-1])])
    kept = [
        start + pick(part) for start, part in zip(starts, stretches, strict=True) for pick in (np.argmin, np.argmax)
    ]
    return np.unique(kept)


def _fill_page(
    runs: Mapping[str, Result],
    scenes: Mapping[str, Scene],
    facts: Mapping[str, Any],
    packer: Packer,
    *,
    has_plots: bool,
) -> str:
    heading = next(iter(scenes.values())).title if len(runs) == 1 else _say_runs(runs)
    scripts = ["plotly"] * has_plots + ["viewer"]
    fields = {
        "version": __version__,
        "title": html.escape(f"{heading} - grouser"),
        "heading": html.escape(heading),
        "subtitle": html.escape(_say_subtitle(list(runs.values()), list(scenes.values()))),
        "doubts": _make_box(runs),
        "layout": "whole" if has_plots else "small",
        "style": read_web("style.css"),
        "facts": say_json(facts),
        "bytes": packer.pack(),
        "scripts": make_scripts(scripts),
    }
    return fill_page("page.html", fields)


def _say_runs(runs: Mapping[str, Result]) -> str:
    models = dict.fromkeys(result.model.name for result in runs.values())
    return f"{' and '.join(models)}: {', '.join(runs)}"


def _make_box(runs: Mapping[str, Result]) -> str:
    """What makes runs not to be trusted, in a box; nothing if all can be."""
    doubts = [(label, doubt) for label, result in runs.items() for doubt in find_doubts(result)]
    said = [f"{label}: {doubt}" if len(runs) > 1 else doubt for label, doubt in doubts]
    if not said:
        return ""
    lines = "".join(f'<p class="banner">{html.escape(text)}</p>' for text in said)
    return f'<section class="doubts" role="alert"><h2>{html.escape(UNTRUSTED)}</h2>{lines}</section>'


def _say_subtitle(results: Sequence[Result], scenes: Sequence[Scene]) -> str:
    header = results[0].header
    bodies, meshes = len(results[0].model.bodies), len(results[0].model.meshes)
    rate = (len(scenes[0].time) - 1) / float(np.ptp(scenes[0].time) or 1.0)
    words = [
        f"scenario {header['scenario']}" if header.get("scenario") else "",
        f"{bodies} {'body' if bodies == 1 else 'bodies'}" if bodies or not meshes else "",
        f"{meshes} flexible {'mesh' if meshes == 1 else 'meshes'}" if meshes else "",
        f"{scenes[0].time[-1]:g} s at {rate:.3g} frames a second",
        f"grouser {header.get('grouser_version', __version__)}",
        str(header.get("created", "")).replace("T", " ").partition("+")[0],
    ]
    return " · ".join(word for word in words if word)
