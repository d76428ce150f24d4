"""``grouser export``: results for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.options import Channels, ResultFile, split_channels
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import say_note
from grouser.cli.study_outputs import write_study_table
from grouser.errors import ResultError
from grouser.result.target import SCENE, SERIES, TABLE

FORMATS = ("csv", "parquet", "mat", "rsp", "glb", "pvd")

To = Annotated[
    str,
    typer.Option("--to", metavar="csv|parquet|mat|rsp|glb|pvd|FILE", help="A format, or a file whose suffix says it."),
]
Every = Annotated[
    int | None, typer.Option("--every", metavar="N", help="Of N stored frames write one, in a VTK series; default 1.")
]


def export(path: ResultFile, to: To, channels: Channels = None, every: Every = None, force: Force = False) -> int:
    """Write a result for other tools: channels as CSV, Parquet, MATLAB or RPC III file (rsp), the motion as 3D scene
    (glTF), or as series of VTK files with stresses of flexible meshes (ParaView).

    Of the folder of a study: its table as CSV or Parquet file.
    """
    if path.is_dir():
        if channels is not None or every is not None:
            raise ResultError("--channels and --every are of one run: give its result, or leave them out")
        write_study_table(path, to, force=force)
        return 0
    from grouser.output.gltf import save_glb
    from grouser.output.vtk_series import save_series
    from grouser.result.export import export_result
    from grouser.result.result import load_result

    target = Path(f"{path.stem}.{to}") if to in FORMATS else Path(to)
    if not target.suffix:
        raise ResultError(f"--to {to}: is neither a format ({', '.join(FORMATS)}) nor a file with such a suffix")
    names = split_channels(channels)
    if names == []:
        raise ResultError("--channels names no channel: give at least one, or leave the option out for all")
    suffix = target.suffix.lower()
    kind = {".glb": SCENE, ".pvd": SERIES}.get(suffix, TABLE)
    if kind is not TABLE and names is not None:
        raise ResultError(f"--channels belongs to tables: a {kind.name} ({suffix}) holds the motion of everything")
    if kind is not SERIES and every is not None:
        raise ResultError("--every belongs to VTK series: give --to a name that ends in .pvd")
    check_outputs({"--to": (target, kind)}, [path], force=force)
    with load_result(path) as result:
        if kind is SERIES:
            written = save_series(result, target, every=1 if every is None else every, force=force)
        else:
            written = save_glb(result, target) if kind is SCENE else export_result(result, target, names)
    say_note(f"wrote {written}")
    return 0
