"""Overrides of single values of a document, as ``--set chassis.mass=9000`` gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from grouser.errors import ModelError, find_near, say_names, shorten
from grouser.model.document import Document, parse_value
from grouser.model.fault import Path, say_path

MOST_KEYS = 50
"""Most keys and indices of a path."""

_INDEX = re.compile(r"\[(\d+)\]")


def with_overrides(document: Mapping[str, Any], assignments: Iterable[str], option: str = "--set") -> Document:
    """A copy of a document with values replaced.

    Parameters
    ----------
    assignments : each ``path=value``. The path has dots between keys and list indices; keys may have dots
        themselves. The value is a YAML number, text, ``[1, 2]`` or ``{mu: 0.8}``. The last key may be new,
        everything before it must exist.

    Raises
    ------
    ModelError
        Lists every assignment that cannot be made.

    >>> dict(with_overrides({"bodies": {"left.arm": {"mass": 5.0}}}, ["bodies.left.arm.mass=6"]))
    {'bodies': {'left.arm': {'mass': 6}}}
    """
    assignments = [assignments] if isinstance(assignments, str) else assignments
    lines = document.lines if isinstance(document, Document) else {}
    source = document.source if isinstance(document, Document) else ""
    changed = Document(deepcopy(dict(document)), lines, source)
    faults: list[str] = []
    for assignment in assignments:
        place = f"{option} {shorten(assignment, 200)}"
        try:
            path, value = _parse_assignment(assignment, changed)
        except ModelError as error:
            faults += [f"{place}: {fault}" for fault in error.faults]
            continue
        _replace(changed, path, value)
        changed.lines = {p: line for p, line in changed.lines.items() if p[: len(path)] != path}
        changed.lines[path] = place
    if faults:
        raise ModelError(faults)
    return changed


def with_values(document: Mapping[str, Any], values: Mapping[str, Any], option: str = "value") -> Document:
    """A copy of a document with values replaced, which are given as they are; paths as of `with_overrides`.

    >>> dict(with_values({"bodies": {"left.arm": {"mass": 5.0}}}, {"bodies.left.arm.mass": 6.0}))
    {'bodies': {'left.arm': {'mass': 6.0}}}
    """
    lines = document.lines if isinstance(document, Document) else {}
    changed = Document(deepcopy(dict(document)), lines, document.source if isinstance(document, Document) else "")
    faults: list[str] = []
    for name, value in values.items():
        try:
            path = _find_path(changed, _split_path(name), ())
        except ModelError as error:
            faults += [f"{option} {shorten(name, 200)}: {fault}" for fault in error.faults]
            continue
        _replace(changed, path, value)
    if faults:
        raise ModelError(faults)
    return changed


def find_value(document: Mapping[str, Any], name: str) -> Any:
    """The value at a path as of `with_overrides`; None where the last key would be new.

    >>> find_value({"bodies": {"left.arm": {"mass": 5.0}}}, "bodies.left.arm.mass")
    5.0
    """
    here: Any = document
    for key in _find_path(document, _split_path(name), ()):
        here = here.get(key) if isinstance(here, dict) else here[key]
    return here


def _split_path(name: str) -> list[str]:
    words = _INDEX.sub(r".\1", name.strip()).split(".")
    if not all(words) or len(words) > MOST_KEYS:
        raise ModelError("is not the path of a value, as chassis.mass is one")
    return words


def _parse_assignment(assignment: str, document: Document) -> tuple[Path, Any]:
    name, equals, text = assignment.partition("=")
    words = _INDEX.sub(r".\1", name.strip()).split(".")
    if not equals or not all(words) or len(words) > MOST_KEYS:
        raise ModelError("is not of the form path=value, for example chassis.mass=9000")
    return _find_path(document, words, ()), parse_value(text)


def _find_path(here: Any, words: list[str], above: Path) -> Path:
    """Keys for the words; of several readings the one with the longest existing keys."""
    if isinstance(here, list):
        return _find_item(here, words, above)
    if not isinstance(here, dict):
        raise ModelError(f"{say_path(above)} is a single value and has no {'.'.join(words)!r} in it")
    first_fault: ModelError | None = None
    for count in range(len(words), 0, -1):
        key = ".".join(words[:count])
        if key not in here:
            continue
        if count == len(words):
            return (*above, key)
        try:
            return _find_path(here[key], words[count:], (*above, key))
        except ModelError as error:
            first_fault = first_fault or error
    if first_fault:
        raise first_fault
    if len(words) == 1:
        return (*above, words[0])
    raise ModelError(_say_no_key(here, words, above))


def _find_item(here: list[Any], words: list[str], above: Path) -> Path:
    last = len(here) - 1
    if not words[0].isdecimal() or len(words[0]) > 9 or int(words[0]) > last:
        raise ModelError(f"{say_path(above)} is a list; {shorten(words[0], 100)!r} is not an index from 0 to {last}")
    index = int(words[0])
    if len(words) == 1:
        return (*above, index)
    return _find_path(here[index], words[1:], (*above, index))


def _say_no_key(here: Mapping[str, Any], words: list[str], above: Path) -> str:
    where = say_path(above) or "the document"
    heads = [".".join(words[:count]) for count in range(len(words), 0, -1)]
    near = [key for head in heads for key in find_near(head, here)]
    if near:
        return f"{where} has no {words[0]!r}: did you mean {' or '.join(repr(k) for k in dict.fromkeys(near))}?"
    return f"{where} has no {shorten(words[0], 100)!r}; there are: {say_names(sorted(here))}"


def _replace(document: dict[str, Any], path: Path, value: Any) -> None:
    here: Any = document
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
