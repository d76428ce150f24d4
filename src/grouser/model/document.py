"""Documents: YAML text as plain data that remembers the line of every value.

The text is only ever turned into mappings, lists, numbers and text; tags that would make anything else
are refused. Keys are always text, so that an element may be called ``1`` or ``on``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grouser.errors import ModelError
from grouser.model.fault import Path, say_path
from grouser.model.yaml_nodes import MAX_VALUES, TAG, BadYamlError, Block, Node, Scalar, Sequence, parse_nodes

Lines = Mapping[Path, str]
"""Where values were written: ``file.yaml:12`` by path. A value without entry stands where its parent does."""


class Document(dict[str, Any]):
    """The data of a file.

    Attributes
    ----------
    lines : where each value was written
    source : name of the file
    """

    def __init__(self, data: Mapping[str, Any], lines: Lines | None = None, source: str = ""):
        super().__init__(data)
        self.lines: dict[Path, str] = dict(lines or {})
        self.source = source


def find_place(lines: Lines, path: Path, source: str = "") -> str:
    """Where a value was written: the line of its nearest known ancestor, or the file."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return source


def parse_document(text: str, source: str = "<text>") -> Document:
    """Read YAML text.

    Raises
    ------
    ModelError
        Bad syntax, a key given twice, a recursive anchor, a foreign tag, or no mapping at the top.
    """
    try:
        node = parse_nodes(text)
        if node is None:
            raise BadYamlError("is empty; a document starts with 'grouser: 1' and 'kind: ...'")
        if not isinstance(node, Block):
            kind = "a list" if isinstance(node, Sequence) else "a single value"
            raise BadYamlError(f"holds {kind}; keys like 'grouser: 1' are expected", node.line)
        reader = _Reader(source)
        data = reader.read(node, ())
    except BadYamlError as error:
        raise ModelError(f"{source}{f':{error.line}' if error.line else ''}: {error}") from None
    if reader.faults:
        raise ModelError([f"{source}:{line}: {text}" for line, text in reader.faults])
    return Document(data, reader.lines, source)


def parse_value(text: str) -> Any:
    """Read one YAML value: a number, text, ``[1, 2]`` or ``{mu: 0.8}``."""
    try:
        node = parse_nodes(text)
        reader = _Reader("")
        value = None if node is None else reader.read(node, ())
    except BadYamlError as error:
        raise ModelError(f"the value {error}") from None
    if reader.faults:
        raise ModelError([text for _, text in reader.faults])
    return value


@dataclass
class _Reader:
    """Turns nodes into values and collects faults on the way."""

    source: str
    lines: dict[Path, str] = field(default_factory=dict)
    faults: list[tuple[int, str]] = field(default_factory=list)
    _open: set[int] = field(default_factory=set)
    _count: int = 0

    def read(self, node: Node, path: Path) -> Any:
        self._count += 1
        if self._count > MAX_VALUES:
            raise BadYamlError(f"has more than {MAX_VALUES} values with its aliases written out")
        if isinstance(node, Scalar):
            return self._read_scalar(node, path)
        if id(node) in self._open:
            self._add_fault(node, path, "an anchor contains itself (&name ... *name); write the value out")
            return None
        self._open.add(id(node))
        if isinstance(node, Block) and node.tag == TAG + "map":
            value: Any = self._read_mapping(node, path)
        elif isinstance(node, Sequence) and node.tag == TAG + "seq":
            value = self._read_sequence(node, path)
        else:
            value = None
            self._refuse_tag(node, path)
        self._open.discard(id(node))
        return value

    def _read_sequence(self, node: Sequence, path: Path) -> list[Any]:
        values = []
        for i, item in enumerate(node.items):
            # Numbers of a vector stand on the vector's line: no entry of their own.
            if not node.is_flow or not isinstance(item, Scalar):
                self.lines[(*path, i)] = f"{self.source}:{item.line}"
            values.append(self.read(item, (*path, i)))
        return values

    def _read_mapping(self, node: Block, path: Path) -> dict[str, Any]:
        values: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        given: dict[str, int] = {}
        for key_node, value_node in node.pairs:
            if not isinstance(key_node, Scalar):
                self._add_fault(key_node, path, "a key must be text, not a list or a mapping")
                continue
            if key_node.tag == TAG + "merge":
                merged = {**self._read_merge(value_node, path), **merged}
                continue
            key, line = key_node.text, key_node.line
            if key in given:
                text = f"the key {key!r} is given twice (first in line {given[key]}); remove one"
                self._add_fault(key_node, path, text)
                continue
            given[key] = line
            self.lines[(*path, key)] = f"{self.source}:{line}"
            values[key] = self.read(value_node, (*path, key))
        return {**merged, **values}

    def _read_merge(self, node: Node, path: Path) -> dict[str, Any]:
        nodes = node.items if isinstance(node, Sequence) else [node]
        merged: dict[str, Any] = {}
        for part in nodes:
            outer, self.lines = self.lines, {}
            value = self.read(part, path)
            # Keys of the block itself come before merged ones, wherever the line '<<' stands.
            for place, line in self.lines.items():
                outer.setdefault(place, line)
            self.lines = outer
            if isinstance(value, dict):
                merged = {**value, **merged}
            else:
                self._add_fault(part, path, "'<<' must name a mapping (<<: *anchor)")
        return merged

    def _read_scalar(self, node: Scalar, path: Path) -> Any:
        text, tag = node.text, node.tag.removeprefix(TAG)
        try:
            match tag:
                case "str" | "timestamp" | "value" | "merge":
                    return text
                case "null":
                    return None
                case "bool":
                    return text.lower() == "true"
                case "int":
                    return _read_integer(text)
                case "float":
                    return _read_float(text)
        except ValueError:
            self._add_fault(node, path, f"{text[:40]!r} cannot be read as a number")
            return None
        self._refuse_tag(node, path)
        return None

    def _refuse_tag(self, node: Node, path: Path) -> None:
        tag = str(node.tag)
        tag = "!!" + tag.removeprefix(TAG) if tag.startswith(TAG) else tag
        self._add_fault(node, path, f"the tag {tag} is not allowed; a document holds plain data")

    def _add_fault(self, node: Node, path: Path, text: str) -> None:
        label = say_path(path)
        self.faults.append((node.line, f"{label}: {text}" if label else text))


def _read_integer(text: str) -> int:
    digits = text.replace("_", "").lower()
    based = digits.lstrip("+-").startswith(("0x", "0o", "0b"))
    return int(digits, 0 if based else 10)


def _read_float(text: str) -> float:
    digits = text.replace("_", "").lower()
    if digits.lstrip("+-") in (".inf", ".nan"):
        digits = digits.replace(".", "")
    return float(digits)
