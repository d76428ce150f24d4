"""Results and models as notebooks show them: a table, a picture from the side, and for results a small 3D view."""

from __future__ import annotations

import base64
import html
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from grouser.errors import GrouserError
from grouser.model.model import Model
from grouser.output.report.page import UNTRUSTED, make_small_view
from grouser.output.side_view import make_side_view
from grouser.output.style import STYLE
from grouser.result.doubts import find_doubts
from grouser.result.facts import find_summary, say_motion
from grouser.result.writer import Block, ResultWriter

if TYPE_CHECKING:
    from grouser.result.result import Result

MOST_POSES = 30_000
"""Poses of bodies in the small view, so that a notebook stays small."""
DOTS = 80
"""Dots per inch of the picture."""
HEIGHT = 420
"""Height of the small view [px]."""


def make_page(shown: Model | Result) -> str:
    """A model or a result."""
    return make_model_html(shown) if isinstance(shown, Model) else make_result_html(shown)


def make_result_html(result: Result) -> str:
    """A result: how the run went, the vehicle from its side at the end, and the motion in 3D."""
    box = _make_box(find_doubts(result))
    facts = result.say_facts()
    if len(result.time) == 0:
        return box + _make_table(facts)
    parts = []
    try:
        facts |= {name: text for name, text in say_motion(find_summary(result)).items() if text not in ("", "-")}
        parts = [_make_picture(result, float(result.time[-1])), _make_frame(result)]
    except GrouserError as error:  # a notebook still shows what there is
        facts["cannot be drawn"] = str(error)
    return box + _make_table(facts) + "".join(parts)


def make_model_html(model: Model) -> str:
    """A model: what it is made of, and what it looks like from its side at the start."""
    groups = Counter(joint.group for joint in model.joints.values())
    facts = {
        "model": model.name,
        "description": model.description,
        "bodies": f"{len(model.bodies)}, {model.mass:,.6g} kg in all",
        "joints": ", ".join(f"{count} {group}" for group, count in groups.items()),
        "forces": ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in _count_types(model).items()),
        "motions": ", ".join(model.motions),
        "tracks": ", ".join(f"{name}: {len(track.links)} links" for name, track in model.tracks.items()),
        "terrain": "" if model.terrain is None else model.terrain.type,
    }
    table = _make_table({name: text for name, text in facts.items() if text})
    with make_still(model) as still:
        return table + _make_picture(still, 0.0)


def make_still(model: Model) -> Result:
    """A result of one frame: a model as it is at the start."""
    bodies, points = tuple(model.bodies), tuple(model.points)
    blocks = [
        Block("body", "position", bodies, ("x", "y", "z"), "m", "world"),
        Block("body", "orientation", bodies, ("w", "x", "y", "z"), "-", "body to world"),
        Block("point", "position", points, ("x", "y", "z"), "m", "world"),
    ]
    writer = ResultWriter(None, header={"model_name": model.name}, blocks=blocks, model=model)
    position = [[body.position for body in model.bodies.values()]]
    orientation = [[body.orientation for body in model.bodies.values()]]
    places = [[point.position for point in model.points.values()]]
    frames: dict[str, Any] = {"body/position": position, "body/orientation": orientation, "point/position": places}
    writer.add_frames([0.0], frames)
    return writer.finish("done")


def _count_types(model: Model) -> Counter[str]:
    return Counter(force.type for force in model.forces.values())


def _make_box(doubts: Sequence[str]) -> str:
    """What makes a run not to be trusted, in a box; its colours are those of the notebook, light or dark."""
    if not doubts:
        return ""
    lines = "".join(f'<p style="margin:4px 0 0">{html.escape(text)}</p>' for text in doubts)
    style = "border:2px solid #d55e00;border-left-width:10px;padding:8px 12px;margin-bottom:8px"
    return f'<div role="alert" style="{style}"><strong>! {html.escape(UNTRUSTED)}</strong>{lines}</div>'


def _make_table(facts: Mapping[str, str]) -> str:
    rows = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th>'
        f'<td style="text-align:left">{html.escape(text)}</td></tr>'
        for name, text in facts.items()
    )
    return f"<table>{rows}</table>"


def _make_picture(result: Result, time: float) -> str:
    file = io.BytesIO()
    with mpl.rc_context(STYLE):
        make_side_view(result, time).savefig(file, format="png", dpi=DOTS)
    text = base64.b64encode(file.getvalue()).decode("ascii")
    return f'<img alt="side view" style="max-width:100%" src="data:image/png;base64,{text}">'


def _make_frame(result: Result) -> str:
    """The 3D view of a report in a frame of its own."""
    page = html.escape(make_small_view({result.model.name: result}, MOST_POSES), quote=True)
    style = f"width:100%;height:{HEIGHT}px;border:1px solid #ccc;border-radius:8px"
    return f'<iframe title="3D view" sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'
