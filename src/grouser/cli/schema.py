"""``grouser schema``: JSON Schema of the file formats, for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import print_json, say_note
from grouser.errors import ModelError, say_unknown
from grouser.result import target
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    from pydantic import BaseModel

Kind = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="Kind of file: tracked-vehicle, trackless-vehicle, wheeled-vehicle, crawler, model, scenario, study, "
        "optimisation or calibration.",
    ),
]
SchemaFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE.json", help="File instead of stdout.")]


def schema(kind: Kind = "tracked-vehicle", out: SchemaFile = None, force: Force = False) -> int:
    """Print the JSON Schema of a kind of file, with which editors complete and check keys."""
    from grouser.calibration.spec import Calibration
    from grouser.catalog.crawler.spec import Crawler
    from grouser.catalog.scenarios import Scenario
    from grouser.catalog.tracked.spec import TrackedVehicle
    from grouser.catalog.trackless.spec import TracklessVehicle
    from grouser.catalog.wheeled.spec import WheeledVehicle
    from grouser.model.json_schema import model_json_schema
    from grouser.model.model import Model
    from grouser.study.optimisation import Optimisation
    from grouser.study.spec import Study

    kinds: dict[str, type[BaseModel]] = {
        "tracked-vehicle": TrackedVehicle,
        "trackless-vehicle": TracklessVehicle,
        "wheeled-vehicle": WheeledVehicle,
        "crawler": Crawler,
        "model": Model,
        "scenario": Scenario,
        "study": Study,
        "optimisation": Optimisation,
        "calibration": Calibration,
    }
    if kind not in kinds:
        raise ModelError(say_unknown("kind of file", kind, kinds))
    content = model_json_schema(kinds[kind])
    if out is None:
        print_json(content)
        return 0
    check_outputs({"--out": (out, target.Kind("schema file"))}, force=force)
    with save_whole(out, "schema file") as unfinished:
        unfinished.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    say_note(f"wrote {out}")
    return 0
