"""``grouser new``: a vehicle file of one's own, to edit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.report import say_note
from grouser.errors import ModelError

NewFile = Annotated[Path, typer.Argument(metavar="FILE.yaml", help="The file to write.")]
Origin = Annotated[str, typer.Option("--from", metavar="VEHICLE", help="The vehicle of the catalog to start from.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that is there already.")]

_PLAIN = re.compile(r"[A-Za-z][\w-]*")


def new(path: NewFile, origin: Origin = "m113", force: Force = False) -> int:
    """Write the data of a vehicle, with its sources as comments, to a file of one's own."""
    from grouser.catalog.vehicles import find_vehicle
    from grouser.model.text import load_text

    text = _rename(load_text(find_vehicle(origin)), path.stem)
    if path.is_dir():
        raise ModelError(f"{path} is a folder: give the name of the file to write, for example {path / 'my.yaml'}")
    if not path.parent.is_dir():
        raise ModelError(f"{path}: the folder {path.parent} does not exist; create it first")
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ModelError(f"{path} is there already: choose another name, or overwrite it with --force") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror}") from None
    say_note(f"wrote {path}; edit it, then:  grouser check {path}  and  grouser run {path}")
    return 0


def _rename(text: str, name: str) -> str:
    """The text with the vehicle's name replaced, so that results tell the new one from its origin.

    >>> _rename("kind: tracked-vehicle\\nname: m113\\n", "my")
    'kind: tracked-vehicle\\nname: my\\n'
    """
    value = name if _PLAIN.fullmatch(name) else json.dumps(name)
    return re.sub(r"(?m)^name: .*$", lambda _: f"name: {value}", text, count=1)
