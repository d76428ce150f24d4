"""A page of sections: text, tables and plots, without a 3D view."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from grouser._version import __version__
from grouser.output.panel import Panel
from grouser.output.report.page import thin_out
from grouser.output.report.tables import Table
from grouser.output.style import COLORS
from grouser.whole_file import save_whole

MOST_POINTS = 1500
"""Points of a line; of longer ones the smallest and largest values are kept."""
DASHES = ("solid", "6px,3px", "6px,3px,1px,3px", "2px,3px", "10px,3px,2px,3px", "12px,4px")


@dataclass(frozen=True)
class Picture:
    """A picture that is part of the page.

    Attributes
    ----------
    path : PNG file
    caption : below it
    """

    path: Path
    caption: str


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    title : above it
    text : paragraphs below the title
    tables, panels, pictures : what it shows
    is_open : whether it is unfolded at first
    """

    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    panels: tuple[Panel, ...] = ()
    is_open: bool = True
    pictures: tuple[Picture, ...] = ()


def save_sections(
    path: Path,
    heading: str,
    subtitle: str,
    *,
    cards: Mapping[str, str],
    notes: Sequence[str],
    sections: Sequence[Section],
) -> None:
    """Write a page.

    Parameters
    ----------
    cards : numbers that everybody asks for first, by their labels
    notes : what the reader should know before anything else
    """
    panels = [panel.with_shown_unit() for section in sections for panel in section.panels]
    numbers = iter(range(len(panels)))
    fields = {
        "version": __version__,
        "title": html.escape(f"{heading} - grouser"),
        "heading": html.escape(heading),
        "subtitle": html.escape(subtitle),
        "style": _read("style.css"),
        "notes": _make_notes(notes),
        "cards": "".join(_make_card(label, value) for label, value in cards.items()),
        "sections": "\n".join(_make_section(section, numbers) for section in sections),
        "facts": _say_json({"panels": [_pack(panel) for panel in panels], "colours": COLORS}),
        "plotly": _read("bundle/plotly.js"),
    }
    # all at once: what a name brings in is never taken for a place to fill
    text = re.sub(r"\{\{(\w+)\}\}", lambda mark: fields[mark[1]], _read("sections.html"))
    with save_whole(path, "report") as draft:
        draft.write_text(text, encoding="utf-8")


def _make_notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    lines = "".join(f'<p class="banner">{html.escape(note)}</p>' for note in notes)
    return f'<section class="doubts" role="note"><h2>What to know first</h2>{lines}</section>'


def _make_card(label: str, value: str) -> str:
    return f'<div class="card"><span>{html.escape(label)}</span><strong>{html.escape(value)}</strong></div>'


def _make_section(section: Section, numbers: Iterator[int]) -> str:
    text = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in section.text)
    tables = "".join(_make_table(table) for table in section.tables)
    pictures = "".join(map(_make_picture, section.pictures))
    pictures = f'<div class="plots">{pictures}</div>' if pictures else ""
    plots = "".join(_make_plot(panel, next(numbers)) for panel in section.panels)
    plots = f'<div class="plots">{plots}</div>' if plots else ""
    opened = " open" if section.is_open else ""
    return f"<details{opened}><summary>{html.escape(section.title)}</summary>{text}{tables}{pictures}{plots}</details>"


def _make_picture(picture: Picture) -> str:
    content = base64.b64encode(picture.path.read_bytes()).decode()
    caption = html.escape(picture.caption)
    return (
        f'<figure style="margin: 0"><img style="width: 100%" alt="{caption}" src="data:image/png;base64,{content}">'
        f'<figcaption class="note">{caption}</figcaption></figure>'
    )


def _make_table(table: Table) -> str:
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in table.heads)
    rows = "".join(
        "<tr>"
        + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for tag, cell in zip(_tags(row), row, strict=True))
        + "</tr>"
        for row in table.rows
    )
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    title = f"<h3>{html.escape(table.title)}</h3>" if table.title else ""
    return (
        f'<section class="table">{title}<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>'
        f"</table></div>{note}</section>"
    )


def _tags(row: Sequence[str]) -> list[str]:
    return ["th"] + ["td"] * (len(row) - 1)


def _make_plot(panel: Panel, number: int) -> str:
    title, unit = html.escape(panel.title), html.escape(panel.with_shown_unit().y_label)
    return (
        f'<section class="plot"><h3>{title}<span class="unit">{unit}</span></h3>'
        f'<div class="legend"></div><div class="field" data-panel="{number}"></div></section>'
    )


def _pack(panel: Panel) -> dict[str, Any]:
    return {
        "xLabel": panel.x_label,
        "lines": [
            {
                "label": line.label,
                "color": line.color,
                "dash": DASHES[line.dash % len(DASHES)],
                "isFaint": line.is_faint,
                **_pack_points(line.x, line.y),
            }
            for line in panel.lines
        ],
    }


def _pack_points(x: np.ndarray, y: np.ndarray) -> dict[str, list[float | None]]:
    keep = thin_out(y, MOST_POINTS)
    return {"x": [_round(value) for value in x[keep]], "y": [_round(value) for value in y[keep]]}


def _round(value: float) -> float | None:
    return float(f"{value:.5g}") if np.isfinite(value) else None


def _say_json(facts: Mapping[str, Any]) -> str:
    """Facts as JSON that may stand in a script element: it must not hold the end of one."""
    return json.dumps(facts, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _read(name: str) -> str:
    return (files("grouser.output") / "web" / name).read_text(encoding="utf-8")
