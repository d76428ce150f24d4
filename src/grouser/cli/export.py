"""``grouser export``: results for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.options import Channels, ResultFile, split_channels
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import say_note
from grouser.errors import ResultError
from grouser.result.target import SCENE, TABLE

FORMATS = ("csv", "parquet", "mat", "glb")

To = Annotated[
    str, typer.Option("--to", metavar="csv|parquet|mat|glb|FILE", help="A format, or a file whose suffix says it.")
]


def export(path: ResultFile, to: To, channels: Channels = None, force: Force = False) -> int:
    """Write a result for other tools: channels as CSV, Parquet or MATLAB file, or the motion as 3D scene (glTF)."""
    from grouser.output.gltf import save_glb
    from grouser.result.export import export_result
    from grouser.result.result import load_result

    target = Path(f"{path.stem}.{to}") if to in FORMATS else Path(to)
    if not target.suffix:
        raise ResultError(f"--to {to}: is neither a format ({', '.join(FORMATS)}) nor a file with such a suffix")
    names = split_channels(channels)
    if names == []:
        raise ResultError("--channels names no channel: give at least one, or leave the option out for all")
    is_scene = target.suffix.lower() == ".glb"
    if is_scene and names is not None:
        raise ResultError("--channels belongs to tables: a 3D scene (.glb) holds the motion of all bodies")
    check_outputs({"--to": (target, SCENE if is_scene else TABLE)}, [path], force=force)
    with load_result(path) as result:
        written = save_glb(result, target) if is_scene else export_result(result, target, names)
    say_note(f"wrote {written}")
    return 0
