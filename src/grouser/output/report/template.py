"""Pages of reports: a template of the viewer with its fields filled."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import matplotlib as mpl
import numpy as np

from grouser.output.style import COLOR_MAP, COLORS

WEB = "grouser.output"
COLOR_STOPS = 17
LICENCES = {"viewer": "three", "plotly": "plotly"}
"""Packages whose licences go with the scripts that hold them."""


def fill_page(template: str, fields: Mapping[str, str]) -> str:
    """A template with all its fields at once: what a name brings in is never taken for a place to fill."""
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: fields[mark[1]], read_web(template))


def make_scripts(names: Iterable[str]) -> str:
    """Scripts of the bundle, each behind its licence."""
    return "\n".join(f"{_say_licence(name)}<script>{read_web(f'bundle/{name}.js')}</script>" for name in names)


def make_look() -> dict[str, Any]:
    """Colours of lines, and stops of the map of colours."""
    stops = 255.0 * mpl.colormaps[COLOR_MAP](np.linspace(0.0, 1.0, COLOR_STOPS))[:, :3]
    return {"colours": COLORS, "map": np.round(stops).astype(int).tolist()}


def say_json(facts: Mapping[str, Any]) -> str:
    """Facts as JSON that may stand in a script element: it must not hold the end of one."""
    return json.dumps(facts, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def read_web(name: str) -> str:
    """A file of the viewer."""
    return (files(WEB) / "web" / name).read_text(encoding="utf-8")


def _say_licence(name: str) -> str:
    if name not in LICENCES:
        return ""
    return f"<!--\n{read_web(f'bundle/{LICENCES[name]}.LICENSE').replace('--', '- -')}-->\n"
