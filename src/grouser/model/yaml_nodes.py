"""YAML text as a tree of nodes, each with its tag and its line.

The events come from libyaml, which is compiled: a document of 100,000 values takes a second. Values are told apart by
the core schema of YAML 1.2, in which `on`, `no` and `12:30` are text. Nothing is made of a tag: it is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_VALUES = 1_000_000
"""Most values of a document, also once its aliases are written out: a guard against a file that explodes."""
MAX_DEPTH = 100
"""Most levels of blocks and lists; models have less than ten."""

TAG = "tag:yaml.org,2002:"
"""What stands before the names of YAML's own tags."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without libyaml the same events, ten times slower
_PLAIN = (
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?(?:[0-9][0-9_]*|0o[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+)")),
    (
        "float",
        re.compile(
            r"[-+]?(?:(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+)"
            r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
        ),
    ),
    ("null", re.compile(r"~|null|Null|NULL|")),
    ("merge", re.compile(r"<<")),
)
_STARTS = frozenset("tTfFnN~<.-+0123456789")
"""First characters of values that are not text."""


class BadYamlError(Exception):
    """Text that cannot be read at all; `line` is 0 where none is known."""

    def __init__(self, problem: str, line: int = 0):
        super().__init__(problem)
        self.line = line


@dataclass(slots=True)
class Scalar:
    """A single value as it is written."""

    tag: str
    line: int
    text: str


@dataclass(slots=True)
class Sequence:
    """A list; `is_flow` where it is written in brackets."""

    tag: str
    line: int
    is_flow: bool
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Block:
    """A block of keys, in order, as they were given."""

    tag: str
    line: int
    pairs: list[tuple[Node, Node]] = field(default_factory=list)


Node = Scalar | Sequence | Block


def parse_nodes(text: str) -> Node | None:
    """The node at the top of a document; None where there is none."""
    try:
        return _Composer(yaml.parse(text, Loader=_LOADER)).compose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        context = f"{error.context}: " if error.context else ""
        column = f" (column {mark.column + 1})" if mark else ""
        problem = f"is not valid YAML: {context}{error.problem}{column}"
        raise BadYamlError(problem, mark.line + 1 if mark else 0) from None
    except yaml.YAMLError as error:
        raise BadYamlError(f"is not valid YAML: {' '.join(str(error).split())}") from None
    except UnicodeEncodeError as error:
        character = ord(error.object[error.start])
        raise BadYamlError(
            f"holds U+{character:04X} at {error.start}, half of a character; save it as UTF-8",
            text.count("\n", 0, error.start) + 1,
        ) from None


class _Composer:
    """Puts the nodes of a document together from its events."""

    def __init__(self, events: Iterator[Any]):
        self._events = events
        self._anchors: dict[str, Node] = {}
        self._count = self._depth = 0

    def compose(self) -> Node | None:
        top: Node | None = None
        for event in self._events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue  # start and end of the stream
            if top is not None:
                raise BadYamlError(
                    "holds several documents, divided by '---'; a single document is expected", _line(event)
                )
            top = self._read(next(self._events))
            next(self._events)  # end of the document
        return top

    def _read(self, event: Any) -> Node:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise BadYamlError("has an undefined alias: *name stands for what &name marks before it", _line(event))
            return self._anchors[event.anchor]
        self._count += 1
        if self._count > MAX_VALUES:
            raise BadYamlError(
                f"has more than {MAX_VALUES:,} values; put the points of a road into a file of their own"
            )
        if isinstance(event, yaml.ScalarEvent):
            return self._keep(event, Scalar(_find_tag(event), _line(event), event.value))
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BadYamlError(
                f"is nested too deeply to be a document; at most {MAX_DEPTH} levels are read", _line(event)
            )
        node = self._read_list(event) if isinstance(event, yaml.SequenceStartEvent) else self._read_block(event)
        self._depth -= 1
        return node

    def _read_list(self, event: Any) -> Node:
        node = Sequence(event.tag or TAG + "seq", _line(event), bool(event.flow_style))
        self._keep(event, node)
        while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
            node.items.append(self._read(item))
        return node

    def _read_block(self, event: Any) -> Node:
        node = Block(event.tag or TAG + "map", _line(event))
        self._keep(event, node)
        while not isinstance(key := next(self._events), yaml.MappingEndEvent):
            node.pairs.append((self._read(key), self._read(next(self._events))))
        return node

    def _keep(self, event: Any, node: Node) -> Node:
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _find_tag(event: Any) -> str:
    """The tag that is given, or that of a plain value by its looks."""
    if event.tag not in (None, "!"):
        return str(event.tag)
    text = event.value
    if event.implicit[0] and (not text or text[0] in _STARTS):
        for name, pattern in _PLAIN:
            if pattern.fullmatch(text):
                return TAG + name
    return TAG + "str"
