"""What commands print: errors in plain text on stderr, tables and JSON on stdout."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 160
"""Columns of a table that is not printed on a terminal."""


def say_error(*faults: str) -> None:
    """Print faults on stderr, a line each; what would steer a terminal is shown as a code."""
    for fault in faults:
        shown = "\n       ".join(make_printable(line) for line in fault.split("\n"))
        print("error: " + shown, file=sys.stderr)


def make_printable(text: str) -> str:
    """A text in which characters that steer a terminal, or have no place in a file, are shown as codes.

    >>> print(make_printable("red" + chr(27)))
    red\\x1b
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def say_note(text: str) -> None:
    """Print a remark on stderr."""
    print(text, file=sys.stderr)


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON document on stdout; what is no finite number becomes null."""
    print(json.dumps(_make_plain(content), indent=2, allow_nan=False))


def _make_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _make_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_make_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def make_console(*, stderr: bool = False) -> Console:
    """A console for tables: as wide as the terminal, or wide enough in a file."""
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=PLAIN_WIDTH)


def print_facts(title: str, facts: Mapping[str, str]) -> None:
    """Print names and values, one a line; empty values are left out."""
    rows = [(name, value) for name, value in facts.items() if value]
    print_table(title, (), rows)


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, style: str = "") -> None:
    """Print a table with a title, all of it in a style if one is given."""
    from rich.table import Table
    from rich.text import Text

    # a title as text: in a string, what stands in brackets would be taken for markup
    head_line = Text(title, style=style or "bold")
    table = Table(title=head_line, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    listed = [tuple(row) for row in rows]
    for number in range(len(listed[0]) if listed else len(heads)):
        head, plain = heads[number] if heads else "", "cyan" if number == 0 else ""
        table.add_column(Text(head), style=style or plain, header_style="dim", overflow="fold")
    table.show_header = bool(heads)
    for row in listed:
        table.add_row(*(Text(cell) for cell in row))
    console = make_console()
    with console.capture() as capture:
        console.print(table)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()), end="\n\n")
