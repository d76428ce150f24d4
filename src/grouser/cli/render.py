"""``grouser render``: stills and movies of a result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.options import Quiet, ResultFile
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.progress import watch
from grouser.cli.report import say_note
from grouser.errors import ResultError
from grouser.result.target import MOVIE, PICTURE

SUFFIXES = (".png", ".mp4")

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="Picture (.png) or movie (.mp4); default RESULT.png."),
]
Time = Annotated[float | None, typer.Option("--time", metavar="T", help="Time of a picture [s]; default the end.")]
View = Annotated[
    str,
    typer.Option("--view", metavar="V", help="iso, side, front, top, or AZIMUTH,ELEVATION from ahead in degrees."),
]
Size = Annotated[str, typer.Option("--size", metavar="WxH", help="Width and height [pixel].")]
Fps = Annotated[float | None, typer.Option("--fps", metavar="N", help="Pictures a second of a movie; default 30.")]
Speed = Annotated[
    float | None, typer.Option("--speed", metavar="X", help="Speed of a movie; 0.25 is slow motion; default 1.")
]
Follow = Annotated[
    str | None, typer.Option("--follow", metavar="BODY", help="Keep this body in the middle of the picture.")
]
Zoom = Annotated[float, typer.Option("--zoom", metavar="X", help="More than 1 brings the camera nearer.")]
Colour = Annotated[
    str | None,
    typer.Option(
        "--colour",
        metavar="Q",
        help="Colour flexible meshes by von_mises, strain (both at the surface, where the result holds them) or "
        "axial_force, with a legend; default none.",
    ),
]


def render(
    path: ResultFile,
    out: Out = None,
    time: Time = None,
    view: View = "iso",
    size: Size = "1280x720",
    fps: Fps = None,
    speed: Speed = None,
    follow: Follow = None,
    zoom: Zoom = 1.0,
    colour: Colour = None,
    force: Force = False,
    quiet: Quiet = False,
) -> int:
    """Render a result in 3D: a picture at a time, or a movie."""
    target = out or Path(f"{path.stem}.png")
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise ResultError(f"--out {target}: the suffix {target.suffix!r} is not one of {', '.join(SUFFIXES)}")
    if suffix == ".png" and (fps is not None or speed is not None):
        raise ResultError("--fps and --speed belong to movies: give --out a name that ends in .mp4")
    if suffix == ".mp4" and time is not None:
        raise ResultError("--time belongs to pictures: a movie shows the whole run")
    width, height = parse_size(size)
    check_outputs({"--out": (target, PICTURE if suffix == ".png" else MOVIE)}, [path], force=force)

    from grouser.output.render import Shot, save_movie, save_still
    from grouser.result.result import load_result

    shot = Shot(view=view, size=(width, height), follow=follow, zoom=zoom, colour=colour)
    with load_result(path) as result:
        if suffix == ".png":
            save_still(result, target, time, shot)
        else:
            pace = {name: value for name, value in (("fps", fps), ("speed", speed)) if value is not None}
            with watch(quiet=quiet) as report:
                save_movie(result, target, shot, **pace, progress=report)
    say_note(f"wrote {target}")
    return 0


def parse_size(text: str) -> tuple[int, int]:
    """Width and height from ``1280x720``.

    >>> parse_size("640x480")
    (640, 480)
    """
    found = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text.strip().lower())
    if not found:
        raise ResultError(f"--size {text}: is not a width and a height such as 1280x720")
    return int(found[1]), int(found[2])
