"""``grouser ride``: what the vibration of a result means to a person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.options import Json, ResultFile
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import print_facts, print_json, say_note
from grouser.errors import ModelError, ResultError, say_unknown
from grouser.result.target import FIGURE

SensorName = Annotated[
    str | None, typer.Option("--sensor", metavar="NAME", help="Sensor of an acceleration; default the only one.")
]
Axis = Annotated[str, typer.Option("--axis", metavar="x|y|z", help="Component of the acceleration.")]
WeightingName = Annotated[
    str | None, typer.Option("--weighting", metavar="Wk|Wd", help="Of ISO 2631-1; default Wk for z, Wd for x and y.")
]
From = Annotated[float | None, typer.Option("--from", metavar="T", help="Start of the part that counts [s].")]
Until = Annotated[float | None, typer.Option("--until", metavar="T", help="End of the part that counts [s].")]
Picture = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Plots of signal and spectra: .png, .svg or .pdf.")
]


def ride(
    path: ResultFile,
    sensor: SensorName = None,
    axis: Axis = "z",
    weighting: WeightingName = None,
    start: From = None,
    until: Until = None,
    out: Picture = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Rate the vibration that a sensor recorded: ISO 2631-1 weighted RMS and VDV, absorbed power, spectra."""
    if axis not in ("x", "y", "z"):
        raise ModelError(f"--axis {axis}: is none of x, y, z")
    check_outputs({"--out": (out, FIGURE)}, [path], force=force)

    from grouser.output.panel import make_panel_figure
    from grouser.output.plots import save_figure, say_title
    from grouser.output.ride_panels import make_ride_panels
    from grouser.result.result import load_result
    from grouser.result.ride import calc_ride

    with load_result(path) as result:
        known = [name for name, one in result.model.sensors.items() if one.quantity == "acceleration"]
        if sensor is None and len(known) != 1:
            there = f"there are: {', '.join(known)}" if known else "the model has none: add one under 'sensors'"
            raise ResultError(f"--sensor must name a sensor of an acceleration; {there}")
        name = known[0] if sensor is None else sensor
        if name not in known:
            raise ResultError(say_unknown("sensor of an acceleration", name, known))
        found = calc_ride(
            result,
            f"{name}.value.{axis}",
            weighting=weighting or ("Wk" if axis == "z" else "Wd"),
            start=float("-inf") if start is None else start,
            end=float("inf") if until is None else until,
        )
        title = say_title(result)
        if out is not None:
            written = save_figure(make_panel_figure(make_ride_panels(found), title=title), out)
            say_note(f"wrote {written}")
    numbers = {
        "channel": found.channel,
        "weighting": found.weighting,
        "rms": found.rms,
        "weighted_rms": found.weighted_rms,
        "mtvv": found.mtvv,
        "peak": found.peak,
        "vdv": found.vdv,
        "crest_factor": found.crest_factor,
        "absorbed_power": found.absorbed_power,
        "frequency": found.frequency,
        "frequency_resolution": found.frequency_resolution,
    }
    if json:
        print_json(numbers)
        return 0
    power = {} if found.absorbed_power is None else {"absorbed power": f"{found.absorbed_power:.4g} W"}
    print_facts(
        title,
        {
            "channel": found.channel,
            "time": f"{found.time[0]:.6g} to {found.time[-1]:.6g} s",
            "RMS": f"{found.rms:.4g} m/s^2",
            f"RMS weighted by {found.weighting}": f"{found.weighted_rms:.4g} m/s^2",
            "largest running RMS (MTVV)": f"{found.mtvv:.4g} m/s^2",
            "largest magnitude": f"{found.peak:.4g} m/s^2",
            "vibration dose (VDV)": f"{found.vdv:.4g} m/s^1.75",
            "crest factor": f"{found.crest_factor:.3g}",
            **power,
            "strongest frequency": f"{found.frequency:.4g} Hz (resolution {found.frequency_resolution:.2g} Hz)",
        },
    )
    return 0
