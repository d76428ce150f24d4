"""Parts as YAML text that is pleasant to read and loses nothing: vectors on one line, defaults left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

WIDTH = 120
"""Columns beyond which a list is broken into several lines."""

_ALWAYS = ("grouser", "kind", "type", "body")
_PLAIN = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_.\- ]*[A-Za-z0-9_])?")
_NOT_TEXT = re.compile(r"null|true|false|yes|no|on|off|y|n", re.IGNORECASE)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def dump_part(part: BaseModel) -> str:
    """YAML text of a part. What equals its default is left out.

    >>> from grouser.model.body import Body
    >>> print(dump_part(Body(mass=2, inertia=(0.1, 0.1, 0.15), position=(0, 0, 1))), end="")
    mass: 2
    inertia: [0.1, 0.1, 0.15]
    position: [0, 0, 1]
    """
    lines: list[str] = []
    for key, value in _strip(part).items():
        block = [*_emit_entry(key, value, 0)]
        # Blocks are set apart, single values stand together.
        if lines and len(block) > 1:
            lines.append("")
        lines += block
    return "\n".join(lines) + "\n"


def _strip(value: Any) -> Any:
    """Plain data of a part without defaults, in the order of its fields, choices of a type first."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        kept = {}
        for name in sorted(fields, key=lambda name: name != "type"):
            item = getattr(value, name)
            # Compared as text: -0.0 is not 0.0, and nothing is to be lost.
            default = fields[name].get_default(call_default_factory=True)
            if name in _ALWAYS or fields[name].is_required() or repr(item) != repr(default):
                kept[name] = _strip(item)
        return kept
    if isinstance(value, Mapping):
        return {key: _strip(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strip(item) for item in value]
    return value


def _emit_entry(key: str, value: Any, depth: int) -> Iterator[str]:
    indent = "  " * depth
    label = f"{indent}{_say_text(key)}:"
    if not isinstance(value, dict | list) or not value:
        yield f"{label} {_flow(value)}"
        return
    line = f"{label} {_flow(value)}"
    # Small blocks inside an element (a frame, a friction law) fit on one line; elements never do that.
    if len(line) <= WIDTH and (isinstance(value, list) or depth >= 2):
        yield line
    elif isinstance(value, dict):
        yield label
        for name, item in value.items():
            yield from _emit_entry(name, item, depth + 1)
    elif any(isinstance(item, dict | list) for item in value):
        yield label
        for item in value:
            yield from _wrap(f"{indent}  - ", item)
    else:
        yield from _wrap(f"{label} ", value)


def _wrap(start: str, value: Any) -> Iterator[str]:
    """A value in flow style behind `start`, a list broken where the line is full."""
    line = start + _flow(value)
    if len(line) <= WIDTH or not isinstance(value, list):
        yield line
        return
    indent = " " * (len(start) - len(start.lstrip()) + 4)
    line = start + "["
    for i, item in enumerate(value):
        piece = _flow(item) + ("," if i < len(value) - 1 else "]")
        if len(line) + len(piece) + 1 > WIDTH and line.strip() != "":
            yield line.rstrip()
            line = indent
        line += piece + " "
    yield line.rstrip()


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_say_text(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return _say_float(value) if isinstance(value, float) else _say_text(str(value), is_number=isinstance(value, int))


def _say_float(value: float) -> str:
    if value.is_integer() and abs(value) < 1e15 and repr(value) != "-0.0":
        return str(int(value))
    text = repr(value)
    # YAML 1.1 reads 1e-05 as text; with a point every reader takes it for a number.
    return text if "." in text or "e" not in text else text.replace("e", ".0e")


def _say_text(text: str, *, is_number: bool = False) -> str:
    if is_number or (_PLAIN.fullmatch(text) and not _NOT_TEXT.fullmatch(text)):
        return text
    return '"' + "".join(_escape(character) for character in text) + '"'


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else f"\\U{ord(character):08x}"
