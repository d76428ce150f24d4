"""Files that commands write: one rule for all of them.

What is there already is replaced only if it is an earlier file of the same kind that grouser wrote; anything else needs
``--force``. What the command reads is never replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from grouser.errors import ModelError
from grouser.result.target import Kind, check_name, check_target

Force = Annotated[bool, typer.Option("--force", help="Overwrite whatever file is there already.")]


def check_outputs(
    outputs: Mapping[str, tuple[Path | None, Kind]], inputs: Iterable[Path | None] = (), *, force: bool = False
) -> list[Path]:
    """Refuse files that cannot be written, or would be lost; gives those that will be replaced.

    Parameters
    ----------
    outputs : file and its kind by the option that names it; files that are None are not written
    inputs : files that the command reads
    force : whether anything but those may be replaced
    """
    read = {path.resolve() for path in inputs if path is not None and path.is_file()}
    seen: dict[Path, str] = {}
    replaced = []
    for option, (path, kind) in outputs.items():
        if path is None:
            continue
        check_name(path, kind.name)
        place = path.resolve()
        if place in read:
            raise ModelError(f"{option} {path} is a file that this command reads: choose another name")
        if place in seen:
            raise ModelError(f"{seen[place]} and {option} are the same file, {path}: choose another name for one")
        seen[place] = option
        if check_target(path, kind, force=force):
            replaced.append(path)
    return replaced
