"""Figures of a run over time, ready for print: units on every axis, colours that colour-blind readers can tell apart.

Figures are made as objects, without a display and without pyplot's global state.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

from grouser.errors import ResultError
from grouser.output.panel import Line, Panel, make_panel_figure
from grouser.output.run_panels import make_overview_panels
from grouser.output.style import STYLE
from grouser.result.mark import MADE_BY
from grouser.result.target import check_place
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from grouser.result.result import Array, Result

SUFFIXES = (".png", ".svg", ".pdf")


def make_figure(result: Result, channels: str | Iterable[str]) -> Figure:
    """Channels over time, one panel for each unit.

    Parameters
    ----------
    channels : names, names of components (``chassis.position.x``), or patterns (``left.*.tension``)
    """
    columns: dict[str, list[tuple[str, Array]]] = {}
    for name, (unit, values) in result.read_columns(channels).items():
        columns.setdefault(unit, []).append((name, values))
    if not columns:
        raise ResultError("no channel was given to plot; name at least one")
    panels = []
    for unit, lines in columns.items():
        quantities = {_find_quantity(result, name) for name, _ in lines}
        axis = _say_axis(quantities.pop() if len(quantities) == 1 else "value", unit)
        drawn = [Line(name, result.time, values, color=i, dash=i // 7) for i, (name, values) in enumerate(lines)]
        panels.append(Panel(unit, "" if len(lines) > 1 else lines[0][0], axis, tuple(drawn)))
    return make_panel_figure(panels, title=say_title(result))


def make_overview(result: Result) -> Figure:
    """A run on one page: speed and way of the main body, tension, slip, and the balance of energy.

    A way that turns is drawn from above too. Panels for which the result holds nothing are left out.
    """
    panels = make_overview_panels(result)
    if not panels:
        raise ResultError("the result holds nothing that an overview could show")
    return make_panel_figure(panels, title=say_title(result), columns=2)


def save_figure(figure: Figure, path: str | Path) -> Path:
    """Write a figure; the suffix says how: .png, .svg or .pdf."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ResultError(
            f"cannot save a figure as {path.name!r}: the suffix {path.suffix!r} is not one of {', '.join(SUFFIXES)}"
        )
    check_place(path, "figure")
    content = io.BytesIO()  # a disk that is full must not come between: matplotlib tells it as many things
    with mpl.rc_context(STYLE):
        suffix = path.suffix[1:].lower()
        figure.savefig(content, format=suffix, metadata={"Software" if suffix == "png" else "Creator": MADE_BY})
    with save_whole(path, "figure") as unfinished:
        unfinished.write_bytes(content.getbuffer())
    return path


def say_title(result: Result) -> str:
    """Model, preset, and how the run ended unless it went well."""
    words = [str(result.header.get("model_name") or result.model.name), str(result.header.get("preset", ""))]
    words.append("" if result.status == "done" else result.status)
    return ", ".join(word for word in words if word)


def _find_quantity(result: Result, line: str) -> str:
    """The quantity that a line shows: what stands behind the name of the element."""
    channel = line if line in result.channels else line.rpartition(".")[0]
    return result.channels[channel].block.split("/")[1].replace("_", " ")


def _say_axis(quantity: str, unit: str) -> str:
    return quantity if unit in ("", "-") else f"{quantity} [{unit}]"
