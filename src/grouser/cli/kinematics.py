"""``grouser kinematics``: how the wheels of a vehicle move with travel and with steering."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli import options
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import print_json, print_table, say_note
from grouser.cli.source import find_source, load_source_file
from grouser.errors import ModelError
from grouser.result.target import FIGURE, TABLE
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    from grouser.catalog.wheeled.rig import SteeringCurves, TravelCurves

MOST_POINTS = 1000
"""Most positions of the table: each is solved from the one before."""

Travel = Annotated[
    float, typer.Option("--travel", metavar="M", help="Wheel travel to either side of the design position [m].")
]
Count = Annotated[
    int, typer.Option("--points", metavar="N", help=f"Positions of the table, from 3 to {MOST_POINTS:,}.")
]
OutFile = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE.csv", help="Table as CSV, in the units of its heads.")
]
PlotFile = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE.png", help="Figure (.png, .svg or .pdf) of all curves.")
]

_HEADS = {
    "travel": ("travel [mm]", 1.0e3),
    "camber": ("camber [deg]", math.degrees(1.0)),
    "toe": ("toe-in [deg]", math.degrees(1.0)),
    "track_change": ("track change [mm]", 1.0e3),
    "wheel_recession": ("recession [mm]", 1.0e3),
    "spring_length": ("spring [mm]", 1.0e3),
    "spring_ratio": ("spring ratio [-]", 1.0),
    "shock_length": ("shock [mm]", 1.0e3),
    "shock_ratio": ("shock ratio [-]", 1.0),
    "wheel_force": ("wheel force [N]", 1.0),
    "arm": ("Pitman arm [deg]", math.degrees(1.0)),
    "left": ("left wheel [deg]", math.degrees(1.0)),
    "right": ("right wheel [deg]", math.degrees(1.0)),
}
"""Head of each column, and the factor from SI units to it."""


def kinematics(
    target: options.Target,
    travel: Travel = 0.1,
    points: Count = 21,
    out: OutFile = None,
    plot: PlotFile = None,
    overrides: options.Overrides = None,
    force: Force = False,
    json: options.Json = False,
) -> int:
    """Lift and steer the wheels of a wheeled vehicle on a rig: camber, toe, track change and motion ratios.

    The chassis is held, and both wheels of an axle are lifted alike. All joints are those of the model.
    """
    from grouser.catalog.wheeled.rig import calc_steering_curves, calc_travel_curves
    from grouser.catalog.wheeled.spec import WheeledVehicle

    vehicle = load_source_file(target, overrides or ())
    if not isinstance(vehicle, WheeledVehicle):
        raise ModelError(f"{target} is no template of a wheeled vehicle: a rig needs its axles; try  hmmwv")
    if not (math.isfinite(travel) and travel > 0.0):
        raise ModelError(f"--travel is {travel:g} m; it must be positive")
    if not 3 <= points <= MOST_POINTS:
        raise ModelError(f"--points is {points}; give a number from 3 to {MOST_POINTS:,}")
    outputs = {"--out": (out, TABLE), "--plot": (plot, FIGURE)}
    check_outputs(outputs, [find_source(target)], force=force)
    axles = {name: calc_travel_curves(vehicle, name, (-travel, travel), points) for name in vehicle.axles}
    steering = None if vehicle.steering is None else calc_steering_curves(vehicle, points)
    if out is not None:
        _save_csv(axles, steering, out)
    if plot is not None:
        _save_plot(vehicle.name, axles, steering, plot)
    if json:
        print_json(_make_json(axles, steering))
    elif out is None and plot is None:
        for title, curves in _list_curves(axles, steering):
            heads, rows = _make_rows(curves)
            print_table(title, heads, [[f"{value:.4g}" for value in row] for row in rows])
    for file in (out, plot):
        if file is not None:
            say_note(f"wrote {file}")
    return 0


def _list_curves(axles: dict[str, TravelCurves], steering: SteeringCurves | None) -> list[tuple[str, Any]]:
    listed: list[tuple[str, Any]] = [(f"axle {name}, left wheel", curves) for name, curves in axles.items()]
    return listed if steering is None else [*listed, ("steering", steering)]


def _make_rows(curves: Any) -> tuple[list[str], list[list[float]]]:
    columns = [_HEADS[name][1] * getattr(curves, name) for name in curves._fields]
    return [_HEADS[name][0] for name in curves._fields], [[float(v) for v in row] for row in zip(*columns, strict=True)]


def _save_csv(axles: dict[str, TravelCurves], steering: SteeringCurves | None, path: Path) -> None:
    with save_whole(path, "table") as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for title, curves in _list_curves(axles, steering):
            heads, rows = _make_rows(curves)
            writer.writerow(["part", *heads])
            writer.writerows([[title, *(f"{value:.9g}" for value in row)] for row in rows])


def _save_plot(name: str, axles: dict[str, TravelCurves], steering: SteeringCurves | None, path: Path) -> None:
    from grouser.output.kinematics import make_kinematics_panels
    from grouser.output.panel import make_panel_figure
    from grouser.output.plots import save_figure

    columns = {axle: curves._asdict() for axle, curves in axles.items()}
    panels = make_kinematics_panels(columns, None if steering is None else steering._asdict())
    save_figure(make_panel_figure(panels, title=f"{name}: kinematics of the wheels", columns=2), path)


def _make_json(axles: dict[str, TravelCurves], steering: SteeringCurves | None) -> dict[str, Any]:
    """All curves in SI units."""
    content: dict[str, Any] = {
        "axles": {
            name: {field: getattr(curves, field).tolist() for field in curves._fields} for name, curves in axles.items()
        }
    }
    if steering is not None:
        content["steering"] = {field: getattr(steering, field).tolist() for field in steering._fields}
    return content
