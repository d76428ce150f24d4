"""``grouser new``: a vehicle file of one's own, to edit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import say_note
from grouser.result.target import Kind
from grouser.whole_file import save_whole

NewFile = Annotated[Path, typer.Argument(metavar="FILE.yaml", help="The file to write.")]
Origin = Annotated[str, typer.Option("--from", metavar="VEHICLE", help="The vehicle of the catalog to start from.")]

_PLAIN = re.compile(r"[A-Za-z][\w-]*")


def new(path: NewFile, origin: Origin = "m113", force: Force = False) -> int:
    """Write the data of a vehicle, with its sources as comments, to a file of one's own."""
    from grouser.catalog.vehicles import find_vehicle
    from grouser.model.text import load_text

    text = _rename(load_text(find_vehicle(origin)), path.stem)
    check_outputs({"FILE.yaml": (path, Kind("vehicle file"))}, [find_vehicle(origin)], force=force)
    with save_whole(path, "vehicle file") as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    say_note(f"wrote {path}; edit it, then:  grouser check {path}  and  grouser run {path}")
    return 0


def _rename(text: str, name: str) -> str:
    """The text with the vehicle's name replaced, so that results tell the new one from its origin.

    >>> _rename("kind: tracked-vehicle\\nname: m113\\n", "my")
    'kind: tracked-vehicle\\nname: my\\n'
    """
    value = name if _PLAIN.fullmatch(name) else json.dumps(name)
    return re.sub(r"(?m)^name: .*$", lambda _: f"name: {value}", text, count=1)
