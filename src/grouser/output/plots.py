"""Plots over time, ready for print: units on every axis, colours that colour-blind readers can tell apart.

Figures are made as objects, without a display and without pyplot's global state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.figure import Figure

from grouser.errors import ResultError
from grouser.result.metrics import STEEPEST, calc_centre, calc_forward_speed, calc_path, calc_yaw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from grouser.result.result import Array, Result

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
"""The palette of Okabe and Ito."""
COLORS = (BLUE, RED, GREEN, ORANGE, PINK, SKY, BLACK)
GREY = "#8A8F98"
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=COLORS),
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "legend.fontsize": 8,
    "legend.edgecolor": "none",
    "legend.framealpha": 0.8,
    "lines.linewidth": 1.2,
    "savefig.dpi": 160,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
SUFFIXES = (".png", ".svg", ".pdf")
LEGEND_LIMIT = 10
"""More lines than this in one panel are not named one by one."""
PLAN_ANGLE = np.radians(5.0)
"""A main body that has turned by more than this is shown from above too [rad]."""
HEADINGS_SHOWN = 9
"""Places of the way, seen from above, at which the heading is drawn."""
LINKS_SHOWN = 3
"""Links of a track whose tension is drawn beside the mean."""


def make_figure(result: Result, channels: str | Iterable[str]) -> Figure:
    """Channels over time, one panel for each unit.

    Parameters
    ----------
    channels : names, names of components (``chassis.position.x``), or patterns (``left.*.tension``)
    """
    panels: dict[str, list[tuple[str, Array]]] = {}
    for name, (unit, values) in result.read_columns(channels).items():
        panels.setdefault(unit, []).append((name, values))
    if not panels:
        raise ResultError("no channel was given to plot; name at least one")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.0, 1.0 + 2.2 * len(panels)), layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (unit, lines) in zip(axes, panels.items(), strict=True):
            for name, values in lines:
                ax.plot(result.time, values, label=name)
            quantities = {_find_quantity(result, name) for name, _ in lines}
            ax.set_ylabel(_say_axis(quantities.pop() if len(quantities) == 1 else "value", unit))
            _add_legend(ax, len(lines))
        axes[-1].set_xlabel("time [s]")
    return figure


def make_overview(result: Result) -> Figure:
    """A run on one page: speed and way of the main body, tension, slip, and the balance of energy.

    A way that turns is drawn from above too. Panels for which the result holds nothing are left out.
    """
    panels = [draw for can_draw, draw in PANELS if can_draw(result)]
    if not panels or len(result.time) == 0:
        raise ResultError("the result holds nothing that an overview could show")
    rows = (len(panels) + 1) // 2
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10.0, 0.6 + 2.6 * rows), layout="constrained")
        axes = figure.subplots(rows, 2, squeeze=False).ravel()
        for ax, draw in zip(axes, panels, strict=False):
            ax.set_xlabel("time [s]")
            draw(result, ax)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        figure.suptitle(say_title(result))
    return figure


def save_figure(figure: Figure, path: str | Path) -> Path:
    """Write a figure; the suffix says how: .png, .svg or .pdf."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ResultError(
            f"cannot save a figure as {path.name!r}: the suffix {path.suffix!r} is not one of {', '.join(SUFFIXES)}"
        )
    if not path.parent.is_dir():
        raise ResultError(f"cannot save a figure as {path}: the folder {path.parent} does not exist; create it first")
    try:
        with mpl.rc_context(STYLE):
            figure.savefig(path)
    except OSError as error:
        raise ResultError(f"cannot save a figure as {path}: {error}") from error
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


def _add_legend(ax: Axes, lines: int) -> None:
    if lines <= LEGEND_LIMIT:
        ax.legend(loc="best", ncols=1 if lines <= 4 else 2)
    else:
        ax.set_title(f"{lines} channels", loc="right", fontsize=8)


def _draw_speed(result: Result, ax: Axes) -> None:
    ax.plot(result.time, calc_forward_speed(result), label=result.main_body)
    for name, track in result.model.tracks.items():
        if f"{name}.sprocket_speed" in result:
            track_speed = np.abs(result[f"{name}.sprocket_speed"]) * track.rolling_radius
            ax.plot(result.time, track_speed, "--", linewidth=0.9, label=f"{name} track")
    ax.set_title("forward speed")
    ax.set_ylabel("speed [m/s]")
    ax.legend()


def _draw_path(result: Result, ax: Axes) -> None:
    path = calc_path(result)
    for number, label in enumerate(("forward", "left", "up")):
        ax.plot(result.time, path[:, number], label=label)
    ax.set_title(f"way of {result.main_body}, in its first axes")
    ax.set_ylabel("way [m]")
    ax.legend()


def _draw_plan(result: Result, ax: Axes) -> None:
    """The way seen from above, X to the right, with arrows along the heading."""
    centre = calc_centre(result)
    ax.plot(centre[:, 0], centre[:, 1])
    shown = np.unique(np.linspace(0, len(centre) - 1, HEADINGS_SHOWN, dtype=int))
    heading = result.calc_rotations([result.main_body])[shown, 0, :2, 0]
    ax.quiver(*centre[shown, :2].T, *heading.T, color=RED, angles="xy", width=0.006, zorder=3)
    ax.plot(*centre[0, :2], "o", color=BLACK, markersize=4)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"way of {result.main_body}, seen from above")
    ax.set_xlabel("X [m]")
    ax.set_ylabel("Y [m]")


def _draw_tension(result: Result, ax: Axes) -> None:
    for color, (name, track) in zip(COLORS, result.model.tracks.items(), strict=False):
        tension = result.block("link/tension", track.links)[0][:, :, 0] / 1e3
        shown = np.linspace(0, len(track.links), LINKS_SHOWN, endpoint=False, dtype=int)
        for number, link in enumerate(shown):
            label = f"{name}: {len(shown)} links" if number == 0 else None
            ax.plot(result.time, tension[:, link], color=color, alpha=0.35, linewidth=0.7, label=label)
        ax.plot(result.time, tension.mean(axis=1), color=color, label=f"{name}: mean")
    ax.set_title("track tension")
    ax.set_ylabel("tension [kN]")
    ax.legend(ncols=2)


def _draw_slip(result: Result, ax: Axes) -> None:
    for name in result.model.tracks:
        ax.plot(result.time, 100.0 * result[f"{name}.slip"], label=name)
    ax.set_title("track slip")
    ax.set_ylabel("slip [%]")
    ax.legend()


def _draw_energy(result: Result, ax: Axes) -> None:
    """The balance: what was put in, where it went, what is missing; all since the first frame."""
    sums = {
        "work put in": ("work_",),
        "kinetic": ("kinetic",),
        "potential and stored": ("potential", "stored_"),
        "dissipated": ("dissipated_",),
        "residual": ("residual",),
    }
    energies = {name.removeprefix("energy."): name for name in result.channels if name.startswith("energy.")}
    for label, starts in sums.items():
        names = [channel for name, channel in energies.items() if name.startswith(starts)]
        if names:
            total = np.sum([result[name] for name in names], axis=0)
            ax.plot(result.time, (total - total[0]) / 1e3, label=label)
    ax.set_title("energy balance")
    ax.set_ylabel("energy [kJ]")
    ax.legend(ncols=2)


def _draw_residual(result: Result, ax: Axes) -> None:
    residual = result["energy.residual"]
    ax.plot(result.time, residual - residual[0], color=BLACK)
    ax.set_title("residual of the energy balance")
    ax.set_ylabel("energy [J]")


def _has_motion(result: Result) -> bool:
    return result.has_block("body/position") and result.has_block("body/orientation")


def _has_turned(result: Result) -> bool:
    """Whether the main body has gone round a bend, with a heading all the way."""
    if not _has_motion(result) or len(result.time) == 0:
        return False
    forward = result.calc_rotations([result.main_body])[:, 0, :, 0]
    is_level = np.abs(forward[:, 2]).max() <= STEEPEST
    return bool(is_level and np.ptp(calc_yaw(result)) > PLAN_ANGLE)


PANELS: tuple[tuple[Callable[[Result], bool], Callable[[Result, Axes], None]], ...] = (
    (lambda result: _has_motion(result) and result.has_block("body/velocity"), _draw_speed),
    (_has_motion, _draw_path),
    (_has_turned, _draw_plan),
    (lambda result: bool(result.model.tracks) and result.has_block("link/tension"), _draw_tension),
    (lambda result: bool(result.model.tracks) and result.has_block("track/slip"), _draw_slip),
    (lambda result: "energy.kinetic" in result, _draw_energy),
    (lambda result: "energy.residual" in result, _draw_residual),
)
"""What an overview may show: whether the result holds it, and what draws it."""
