"""Figures of several runs of one vehicle side by side, after figures 8 to 17 of the chain-formulations paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from grouser.output.panel import Line, Panel, make_panel_figure
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
    from matplotlib.figure import Figure

    from grouser.model.model import Model
    from grouser.result.result import Array, Result

PAPER = "chain-formulations paper"
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


@dataclass(frozen=True)
class Plate:
    """A figure to be: its panels, and the caption that names the figure of the paper."""

    panels: tuple[Panel, ...]
    caption: str


def make_comparison(runs: Runs) -> dict[str, Figure]:
    """All figures that the runs allow, by name; their captions name the figures of the paper."""
    return {name: make_panel_figure(plate.panels, caption=plate.caption) for name, plate in make_plates(runs).items()}


def list_figures(model: Model, *, has_soft: bool) -> list[str]:
    """Names of all figures that a comparison of runs of a model makes, with or without runs with soft pins."""
    names = ["figure-08-chassis-height", "figure-09-forward-position", "figure-10-forward-speed"]
    if find_link(model) is not None:
        names += ["figure-11-link-height", "figure-12-link-trajectory"]
    if find_pin(model) is not None:
        names += ["figure-13-longitudinal-force", "figure-14-vertical-force"]
        names += ["figure-15-longitudinal-force-soft", "figure-16-vertical-force-soft"] if has_soft else []
        names += ["figure-17-joint-deformation"]
    return names


def make_plates(runs: Runs) -> dict[str, Plate]:
    """What the figures show, by name."""
    result = next(iter(runs.presets.values()))
    main = result.main_body
    # links that are elastic are no bodies, and their pins tell no forces
    linked = {label: r for label, r in runs.presets.items() if find_link(r.model) is not None}
    pinned = {label: r for label, r in runs.presets.items() if find_pin(r.model) is not None}
    link = find_link(next(iter(linked.values())).model) if linked else None
    pin = find_pin(next(iter(pinned.values())).model) if pinned else None
    plates = {
        "figure-08-chassis-height": _make_height(runs),
        "figure-09-forward-position": Plate(
            _compare(runs.presets, lambda r: calc_path(r)[:, 0], f"forward position of {main}", "position", "m"),
            f"Figure 9 of the {PAPER}",
        ),
        "figure-10-forward-speed": Plate(
            _compare(runs.presets, calc_forward_speed, f"forward speed of {main}", "speed", "m/s"),
            f"Figure 10 of the {PAPER}",
        ),
    }
    if link is not None:
        plates["figure-11-link-height"] = Plate(
            _compare(linked, lambda r: r[f"{link}.position"][:, 2], f"vertical motion of {link}", "height", "m"),
            f"Figure 11 of the {PAPER}",
        )
        plates["figure-12-link-trajectory"] = _make_trajectories(linked, link)
    if pin is not None:
        plates |= _make_forces(pinned, pin, (13, 14), "")
        if runs.soft:
            plates |= _make_forces(
                {**_keep(runs.first, pinned), **runs.soft}, pin, (15, 16), "-soft", _say_pins(runs.soft)
            )
        plates["figure-17-joint-deformation"] = _make_deformation({**pinned, **runs.soft})
    return plates


def _keep(results: Mapping[str, Result], wanted: Mapping[str, Result]) -> dict[str, Result]:
    return {label: result for label, result in results.items() if label in wanted}


def _make_height(runs: Runs) -> Plate:
    caption = f"Figure 8 of the {PAPER}: centre of mass of the chassis"
    if not runs.rigid:
        return Plate((_lay_over(runs.presets, calc_height, "height of the chassis", "height [m]"),), caption)
    # the rigid vehicle stands at another height: both are shown from where they start
    both = {**{f"{label}, with suspension": r for label, r in runs.first.items()}, **runs.rigid}
    top = _lay_over(runs.presets, calc_height, "with suspension, all presets", "height [m]")
    change = _lay_over(both, _calc_rise, "with and without suspension", "change of height [mm]")
    return Plate((top, change), caption)


def _calc_rise(result: Result) -> Array:
    height = calc_height(result)
    return 1e3 * (height - height[0])


def _make_trajectories(results: Mapping[str, Result], link: str) -> Plate:
    lines = []
    for number, (label, result) in enumerate(results.items()):
        x, _, z = calc_link_trajectory(result, link).T
        lines.append(Line(label, x, z, color=number, dash=number, time=result.time))
    title = f"way of {link} in the frame of the chassis"
    panel = Panel("way", title, "upward [m]", tuple(lines), x_label="forward [m]", is_equal=True)
    return Plate((panel,), f"Figure 12 of the {PAPER}")


def _make_forces(
    results: Mapping[str, Result], pin: str, numbers: tuple[int, int], suffix: str, remark: str = ""
) -> dict[str, Plate]:
    plates = {}
    for number, component, name in zip(numbers, (0, 2), ("longitudinal", "vertical"), strict=True):
        calc = partial(_calc_force, pin=pin, component=component)
        panel = _lay_over(results, calc, f"{name} force of {pin}, axes of the chassis", "force [kN]")
        plates[f"figure-{number}-{name}-force{suffix}"] = Plate((panel,), f"Figure {number} of the {PAPER}{remark}")
    return plates


def _say_pins(results: Mapping[str, Result]) -> str:
    """What holds the track pins of runs, a line each, for a caption."""
    return "".join(f"\n{label}: {result.header['realizations']['track-pins']}" for label, result in results.items())


def _calc_force(result: Result, pin: str, component: int) -> Array:
    return calc_pin_force(result, pin)[:, component] / 1e3


def _make_deformation(results: Mapping[str, Result]) -> Plate:
    title = "largest joint deformation since the last frame"
    panel = _lay_over(results, lambda r: np.maximum(1e3 * calc_deformation(r), SMALLEST), title, "deformation [mm]")
    return Plate((replace(panel, is_log=True),), f"Figure 17 of the {PAPER}")


def _lay_over(results: Mapping[str, Result], calc: Callable[[Result], Array], title: str, axis: str) -> Panel:
    """A quantity of all runs over time."""
    lines = [Line(label, r.time, calc(r), color=i, dash=i) for i, (label, r) in enumerate(results.items())]
    return Panel(title, title, axis, tuple(lines))


def _compare(
    results: Mapping[str, Result], calc: Callable[[Result], Array], title: str, quantity: str, unit: str
) -> tuple[Panel, ...]:
    """A quantity of all runs over time, and in thousandths of its unit the differences from the first."""
    whole = _lay_over(results, calc, title, f"{quantity} [{unit}]")
    if len(results) < 2:
        return (whole,)
    base = whole.lines[0].y
    less = []
    for line in whole.lines:
        count = min(len(line.y), len(base))
        less.append(replace(line, x=line.x[:count], y=1e3 * (line.y[:count] - base[:count])))
    name = f"the same less {whole.lines[0].label}"
    return whole, Panel(name, name, f"{quantity} [m{unit}]", tuple(less))
