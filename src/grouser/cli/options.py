"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Target = Annotated[
    str,
    typer.Argument(metavar="VEHICLE|FILE", help="A vehicle of the catalog (see 'grouser list'), or a YAML file."),
]
OptionalTarget = Annotated[
    str | None,
    typer.Argument(metavar="VEHICLE|FILE", help="A vehicle of the catalog (see 'grouser list'), or a YAML file."),
]
ResultFile = Annotated[Path, typer.Argument(metavar="RESULT", help="A result file (.h5).")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Replace a value, as in chassis.mass=9000; may be repeated."),
]
Suspension = Annotated[
    bool | None,
    typer.Option(
        "--suspension/--no-suspension", help="Of a tracked vehicle: arms and torsion bars, or wheels on the hull."
    ),
]
ScenarioName = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        metavar="S",
        help="A scenario of the catalog or a YAML file; vehicles drive 'straight', crawlers 'crawl-forward', and those "
        "without tracks stand on a rig, 'npost-shake'.",
    ),
]
ScenarioOverrides = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario-set",
        metavar="PATH=VALUE",
        help="Replace a value of the scenario, as in terrain.road_class=D; may be repeated.",
    ),
]
PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="P",
        help="How joints are held and the motion is solved; by default implicit with tracks, embedded with tyres, "
        "else penalty.",
    ),
]
PinStiffness = Annotated[
    float | None, typer.Option("--pin-stiffness", metavar="K", help="Stiffness of the track pins [N/m].")
]
PinDamping = Annotated[
    float | None, typer.Option("--pin-damping", metavar="C", help="Damping of the track pins [N s/m].")
]
Step = Annotated[
    float | None, typer.Option("--step", metavar="DT", help="Time step [s]; by default the stable step of the model.")
]
IntegratorName = Annotated[
    str | None,
    typer.Option("--integrator", metavar="NAME", help="How time is stepped; by default that of the preset."),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        "--tolerance", metavar="RTOL", help="Relative tolerance of an integrator that chooses its steps; default 1e-6."
    ),
]
SpectralRadius = Annotated[
    float | None,
    typer.Option(
        "--spectral-radius",
        metavar="RHO",
        help="Of the integrator generalised-alpha: what a step leaves of infinitely fast vibrations, from 0 to 1; "
        "default 0.8.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        help="Threads that share the steps of explicit presets, as penalty; by default one for small models, and as "
        "many as there are cores where it pays.",
    ),
]
Channels = Annotated[
    str | None,
    typer.Option("--channels", metavar="A,B", help="Channels or patterns, as in chassis.position,left.*.tension."),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FOLDER",
        help="Folder for all that is made; by default FILE.study, of 'calibrate' FILE.calibration, of 'npost' "
        "VEHICLE.npost, of 'limits' VEHICLE.limits.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="A Dask scheduler; by default a cluster is started here."),
]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="Processes of the cluster here; default one a core.")
]
Again = Annotated[bool, typer.Option("--again", help="Make runs that failed again.")]
WithReport = Annotated[bool, typer.Option("--report", help="Write FOLDER/report.html at the end.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print neither progress nor summary.")]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Exit code 1 if a run is not to be trusted; all is written and printed before."),
]


def split_channels(channels: str | None) -> list[str] | None:
    """Names from ``a,b``; None for all."""
    return None if channels is None else [name.strip() for name in channels.split(",") if name.strip()]
