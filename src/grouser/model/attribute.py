"""What the docstring of a part says of its attributes: meaning and unit, for messages and editors.

The docstring is the one place where a unit is written down. Its `Attributes` section has lines
``name : meaning [unit]``, or ``name, name : meaning [unit]`` for several, or ``name, name : meaning [unit], meaning
[unit]`` where each has a unit of its own.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel

_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)$")
_UNIT = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True)
class Attribute:
    """Meaning and unit of one attribute; the unit is empty where there is none."""

    meaning: str
    unit: str


@cache
def find_attributes(part: type[BaseModel]) -> dict[str, Attribute]:
    """Attributes described in the docstring of a class and of its bases.

    >>> from grouser.model.body import Body
    >>> find_attributes(Body)["velocity"].unit
    'm/s'
    """
    found: dict[str, Attribute] = {}
    for base in reversed(part.__mro__):
        for names, meaning in _find_entries(base.__dict__.get("__doc__") or ""):
            units = _share_units(len(names), meaning)
            for name, own, unit in zip(names, _share_meanings(len(names), meaning), units, strict=True):
                found[name] = Attribute(own, unit)
    return found


def _find_entries(text: str) -> list[tuple[list[str], str]]:
    _, _, section = inspect.cleandoc(text).partition("Attributes\n----------\n")
    entries: list[tuple[list[str], str]] = []
    for line in section.splitlines():
        match = _ENTRY.match(line)
        if match:
            entries.append((match.group(1).split(", "), match.group(2)))
        elif line.startswith(" ") and entries:
            names, meaning = entries.pop()
            entries.append((names, f"{meaning} {line.strip()}"))
        elif entries:
            break
    return entries


def _share_meanings(count: int, meaning: str) -> list[str]:
    """What is said of each of several attributes: the words before its unit, or where there are none, those before."""
    pieces = re.findall(r"[^\[]*\[[^\]]+\]", meaning)
    if count == 1 or len(pieces) != count or "".join(pieces) != meaning:
        return [meaning] * count
    found: list[str] = []
    for piece in pieces:
        words, _, unit = piece.lstrip(", ").partition("[")
        before = found[-1].partition("[")[0] if found else ""
        found.append(f"{words or before}[{unit}")
    return found


def _share_units(count: int, meaning: str) -> list[str]:
    units = ["" if unit == "-" else unit for unit in _UNIT.findall(meaning)]
    if count == 1:
        return units[:1] or [""]
    if len(units) == count:
        return units
    if len(units) == 1 and meaning.endswith("]"):
        return units * count
    # "position, axis : centre [m] and spin axis": the unit belongs to the first
    return (units[:1] or [""]) + [""] * (count - 1)
