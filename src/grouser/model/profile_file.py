"""Files with the points of a profile: a row for each, x and z in m.

Comma, semicolon or blanks stand between the numbers. A first row of words is the heading, which names the columns x and
z, in either order; without one they are x and z. Rows that begin with # are remarks.
"""

from __future__ import annotations

import math
import re
from itertools import islice
from pathlib import Path

from grouser.errors import ModelError, shorten
from grouser.model.base import LARGEST, MOST_POINTS
from grouser.model.text import load_text

COLUMNS = ("x", "z")

_BETWEEN = re.compile(r"\s*[,;\t]\s*")
_UNIT = re.compile(r"\s*(\[m\]|\(m\))$")


def load_points(path: Path) -> list[tuple[float, float]]:
    """Points (x, z) of a profile, x increasing [m]."""
    lines = load_text(path).splitlines()
    if not _is_table(lines):  # it may be any file: nothing of it is shown
        raise ModelError(
            f"{path}: is no table of points; give a file with rows of two numbers, x and z in m, as in 12.5, 0.08"
        )
    points: list[tuple[float, float]] = []
    is_swapped = has_begun = False
    for number, line in enumerate(lines, start=1):
        words = _split(line)
        if not words:
            continue
        place, text = f"{path}, line {number}", repr(shorten(line.strip(), 50))
        if not has_begun and not any(_is_number(word) for word in words):
            columns = _find_columns(line)
            if sorted(columns) != sorted(COLUMNS):
                raise ModelError(f"{place}: the heading is {text}; name the two columns x and z, in m")
            is_swapped, has_begun = columns[0] == COLUMNS[1], True
            continue
        has_begun = True
        if len(words) != len(COLUMNS) or not all(_is_number(word) for word in words):
            raise ModelError(f"{place}: {text} is no point; give two numbers, x and z in m, as in 12.5, 0.08")
        if len(points) == MOST_POINTS:
            raise ModelError(
                f"{path}: has more than {MOST_POINTS:,} points, which is the most that a profile takes; leave out "
                "points, or cut the road"
            )
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


def _split(line: str) -> list[str]:
    """Words of a row; none of a remark."""
    words = line.replace(",", " ").replace(";", " ").split()
    return [] if words and words[0].startswith("#") else words


def _is_table(lines: list[str]) -> bool:
    """Whether the first row names the columns, or it or the next one has numbers and nothing else; or there is none."""
    rows = list(islice((line for line in lines if _split(line)), 2))
    if not rows or sorted(_find_columns(rows[0])) == sorted(COLUMNS):
        return True
    return any(len(words) > 1 and all(_is_number(word) for word in words) for words in map(_split, rows))


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
