"""``grouser plot``: pictures of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.options import Channels, ResultFile, split_channels
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import say_note
from grouser.cli.study_outputs import write_study_figure
from grouser.errors import ModelError
from grouser.result.target import FIGURE

SideView = Annotated[
    float | None, typer.Option("--side-view", metavar="T", help="Draw the vehicle from its side at a time [s].")
]
Side = Annotated[
    str | None, typer.Option("--track", metavar="NAME", help="Track to draw in the side view; default the first.")
]
Picture = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Picture: .png, .svg or .pdf; default RESULT.png.")
]


def plot(
    path: ResultFile,
    channels: Channels = None,
    side_view: SideView = None,
    track: Side = None,
    out: Picture = None,
    force: Force = False,
) -> int:
    """Plot a result: an overview, chosen channels over time, or the vehicle from its side.

    Of the folder of a study: main effects, and the history of an optimisation.
    """
    if path.is_dir():
        if channels is not None or side_view is not None or track is not None:
            raise ModelError("--channels, --side-view and --track are of one run: give its result, or leave them out")
        write_study_figure(path, out, force=force)
        return 0
    if channels is not None and side_view is not None:
        raise ModelError("--channels and --side-view are two pictures: ask for one at a time")
    if track is not None and side_view is None:
        raise ModelError("--track belongs to --side-view: give the time to draw as well")
    what = "" if channels is None else "-channels"
    name = f"{path.stem}{what}.png" if side_view is None else f"{path.stem}-side-view-{side_view:g}s.png"
    target = Path(name) if out is None else out
    check_outputs({"--out": (target, FIGURE)}, [path], force=force)

    from grouser.result.result import load_result

    with load_result(path) as result:
        from grouser.output.plots import make_figure, make_overview, save_figure
        from grouser.output.side_view import make_side_view

        if side_view is not None:
            figure = make_side_view(result, side_view, track)
        elif channels is not None:
            figure = make_figure(result, split_channels(channels) or [])
        else:
            figure = make_overview(result)
        written = save_figure(figure, target)
    say_note(f"wrote {written}")
    return 0
