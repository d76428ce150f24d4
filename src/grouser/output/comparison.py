"""Figures of several runs of one vehicle side by side, after figures 8 to 17 of the chain-formulations paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from grouser.output.plots import COLORS, GREY, STYLE
from grouser.result.comparison import (
    calc_deformation,
    calc_height,
    calc_link_trajectory,
    calc_pin_force,
    find_link,
    find_pin,
)
from grouser.result.metrics import calc_forward_speed, calc_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from grouser.result.result import Array, Result

PAPER = "chain-formulations paper"
DASHES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""Lines that lie on each other can be told apart by their dashes."""
SMALLEST = 1.0e-10
"""Smallest deformation that a logarithmic axis shows [mm]."""


@dataclass(frozen=True)
class Runs:
    """What is compared.

    Attributes
    ----------
    presets : runs by preset, the reference first
    soft : runs with soft pins, by label
    rigid : runs without suspension, by label
    """

    presets: Mapping[str, Result]
    soft: Mapping[str, Result] = field(default_factory=dict)
    rigid: Mapping[str, Result] = field(default_factory=dict)

    @property
    def first(self) -> Mapping[str, Result]:
        """The reference alone."""
        return dict(list(self.presets.items())[:1])


def make_comparison(runs: Runs) -> dict[str, Figure]:
    """All figures that the runs allow, by name; their captions name the figures of the paper."""
    result = next(iter(runs.presets.values()))
    link, pin = find_link(result), find_pin(result)
    figures = {
        "figure-08-chassis-height": _draw_height(runs),
        "figure-09-forward-position": _draw_lines(
            runs.presets,
            lambda r: calc_path(r)[:, 0],
            "forward position [m]",
            f"Figure 9 of the {PAPER}: forward position of {result.main_body}",
            "mm",
        ),
        "figure-10-forward-speed": _draw_lines(
            runs.presets,
            calc_forward_speed,
            "forward speed [m/s]",
            f"Figure 10 of the {PAPER}: forward speed of {result.main_body}",
            "mm/s",
        ),
    }
    if link is not None:
        figures["figure-11-link-height"] = _draw_lines(
            runs.presets,
            lambda r: r[f"{link}.position"][:, 2],
            "height [m]",
            f"Figure 11 of the {PAPER}: vertical motion of {link}",
            "mm",
        )
        figures["figure-12-link-trajectory"] = _draw_trajectories(runs.presets, link)
    if pin is not None:
        figures |= _draw_forces(runs.presets, pin, (13, 14), "")
        if runs.soft:
            figures |= _draw_forces({**runs.first, **runs.soft}, pin, (15, 16), "-soft", _say_pins(runs.soft))
        figures["figure-17-joint-deformation"] = _draw_deformation({**runs.presets, **runs.soft})
    return figures


def _draw_height(runs: Runs) -> Figure:
    caption = f"Figure 8 of the {PAPER}: height of the centre of mass of the chassis"
    if not runs.rigid:
        return _draw_lines(runs.presets, calc_height, "height [m]", caption)
    with mpl.rc_context(STYLE):
        figure, (top, bottom) = _make_figure(2)
        _add_lines(top, runs.presets, calc_height, "height [m]")
        top.set_title("with suspension, all presets")
        # the rigid vehicle stands at another height: both are shown from where they start
        both = {**{f"{label}, with suspension": r for label, r in runs.first.items()}, **runs.rigid}
        _add_lines(bottom, both, lambda r: 1e3 * (calc_height(r) - calc_height(r)[0]), "change of height [mm]")
        bottom.set_title("with and without suspension")
        return _finish(figure, caption, (top, bottom))


def _draw_trajectories(results: Mapping[str, Result], link: str) -> Figure:
    with mpl.rc_context(STYLE):
        figure, (ax,) = _make_figure(1)
        for number, (label, result) in enumerate(results.items()):
            path = calc_link_trajectory(result, link)
            ax.plot(path[:, 0], path[:, 2], **_find_style(number), label=label)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_ylabel("upward [m]")
        ax.legend()
        caption = f"Figure 12 of the {PAPER}: way of {link} in the chassis frame"
        return _finish(figure, caption, (ax,), "forward [m]")


def _draw_forces(
    results: Mapping[str, Result], pin: str, numbers: tuple[int, int], suffix: str, remark: str = ""
) -> dict[str, Figure]:
    return {
        f"figure-{number}-{name}-force{suffix}": _draw_lines(
            results,
            partial(_calc_force, pin=pin, component=component),
            f"{name} force [kN]",
            f"Figure {number} of the {PAPER}: {name} force of {pin}, chassis axes{remark}",
        )
        for number, component, name in zip(numbers, (0, 2), ("longitudinal", "vertical"), strict=True)
    }


def _say_pins(results: Mapping[str, Result]) -> str:
    """What holds the track pins of runs, a line each, for a caption."""
    return "".join(f"\n{label}: {result.header['realizations']['track-pins']}" for label, result in results.items())


def _calc_force(result: Result, pin: str, component: int) -> Array:
    return calc_pin_force(result, pin)[:, component] / 1e3


def _draw_deformation(results: Mapping[str, Result]) -> Figure:
    figure = _draw_lines(
        results,
        lambda r: np.maximum(1e3 * calc_deformation(r), SMALLEST),
        "deformation [mm]",
        f"Figure 17 of the {PAPER}: largest joint deformation since the last frame",
    )
    figure.axes[0].set_yscale("log")
    return figure


def _draw_lines(
    results: Mapping[str, Result], calc: Callable[[Result], Array], axis: str, caption: str, fine: str = ""
) -> Figure:
    """A quantity of all runs over time; `fine`, a thousandth of its unit, asks for the differences from the first."""
    has_differences = bool(fine) and len(results) > 1
    with mpl.rc_context(STYLE):
        figure, axes = _make_figure(2 if has_differences else 1)
        _add_lines(axes[0], results, calc, axis)
        if has_differences:
            reference, first = next(iter(results.items()))
            base = calc(first)
            for number, (label, result) in enumerate(results.items()):
                count = min(len(result.time), len(base))
                difference = 1e3 * (calc(result)[:count] - base[:count])
                axes[1].plot(result.time[:count], difference, **_find_style(number), label=label)
            axes[1].set_ylabel(f"less {reference} [{fine}]")
        return _finish(figure, caption, axes)


def _add_lines(ax: Axes, results: Mapping[str, Result], calc: Callable[[Result], Array], axis: str) -> None:
    for number, (label, result) in enumerate(results.items()):
        ax.plot(result.time, calc(result), **_find_style(number), label=label)
    ax.set_ylabel(axis)
    ax.legend()


def _find_style(number: int) -> dict[str, Any]:
    return {"color": COLORS[number % len(COLORS)], "linestyle": DASHES[number % len(DASHES)]}


def _make_figure(rows: int) -> tuple[Figure, tuple[Axes, ...]]:
    figure = Figure(figsize=(7.0, 1.2 + 2.8 * rows), layout="constrained")
    return figure, tuple(figure.subplots(rows, 1, squeeze=False)[:, 0])


def _finish(figure: Figure, caption: str, axes: Iterable[Axes], below: str = "time [s]") -> Figure:
    for ax in axes:
        ax.set_xlabel(below)
    figure.supxlabel(caption, fontsize=8, color=GREY)
    return figure
