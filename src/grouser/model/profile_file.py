"""Files with the points of a profile: a row for each, x and z in m.

Comma, semicolon or blanks stand between the numbers. A first row of words is the heading, which names the columns x and
z, in either order; without one they are x and z. Rows that begin with # are remarks.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from grouser.errors import ModelError
from grouser.model.base import LARGEST
from grouser.model.text import load_text

COLUMNS = ("x", "z")

_BETWEEN = re.compile(r"\s*[,;\t]\s*")
_UNIT = re.compile(r"\s*(\[m\]|\(m\))$")


def load_points(path: Path) -> list[tuple[float, float]]:
    """Points (x, z) of a profile, x increasing [m]."""
    points: list[tuple[float, float]] = []
    is_swapped = has_begun = False
    for number, line in enumerate(load_text(path).splitlines(), start=1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        place, text = f"{path}, line {number}", _say_line(line)
        if not has_begun and not any(_is_number(word) for word in words):
            columns = _find_columns(line)
            if sorted(columns) != sorted(COLUMNS):
                raise ModelError(f"{place}: the heading is {text}; name the two columns x and z, in m")
            is_swapped, has_begun = columns[0] == COLUMNS[1], True
            continue
        has_begun = True
        if len(words) != len(COLUMNS) or not all(_is_number(word) for word in words):
            raise ModelError(f"{place}: {text} is no point; give two numbers, x and z in m, as in 12.5, 0.08")
        x, z = (float(word) for word in (reversed(words) if is_swapped else words))
        for name, value in zip(COLUMNS, (x, z), strict=True):
            if not (math.isfinite(value) and abs(value) <= LARGEST):
                raise ModelError(
                    f"{place}: {name} = {value:g} m is no place on a road; give a finite number in m, up to {LARGEST:g}"
                )
        if points and x <= points[-1][0]:
            raise ModelError(
                f"{place}: x = {x:g} m follows {points[-1][0]:g} m, but x must increase; sort the rows, and keep one "
                "for each x"
            )
        points.append((x, z))
    if len(points) < 2:
        raise ModelError(f"{path}: has {len(points)} points; a profile needs at least 2, each a row with x and z in m")
    return points


def _say_line(line: str) -> str:
    """A row as it stands in the file, cut short."""
    text = line.strip()
    return repr(text if len(text) <= 50 else f"{text[:47]}...")


def _find_columns(heading: str) -> list[str]:
    """Names of the columns in small letters, without the unit m."""
    words = _BETWEEN.split(heading.strip()) if _BETWEEN.search(heading.strip()) else heading.split()
    return [_UNIT.sub("", word.strip().strip('"').lower()) for word in words]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
