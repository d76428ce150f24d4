"""What the report of many runs shows, as plain tables, which whoever makes the runs fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from grouser.output.panel import Panel
from grouser.output.report.tables import Table

Value = float | int | bool | str | None


@dataclass(frozen=True)
class Column:
    """Values of a factor or of a response, one for each run.

    Attributes
    ----------
    name : what it is called
    role : ``factor`` or ``response``
    values : one for each run, None where there is none
    is_log : whether its range is divided by ratios
    """

    name: str
    role: str
    values: Sequence[Value]
    is_log: bool = False


@dataclass(frozen=True)
class Run:
    """A run.

    Attributes
    ----------
    number : of its row
    status, reason : ``done``, or why it failed
    result, report : files, relative to the report; None where there is none
    """

    number: int
    status: str
    reason: str
    result: str | None = None
    report: str | None = None


@dataclass(frozen=True)
class Effect:
    """Means of a response over a factor, whatever the other factors are.

    Attributes
    ----------
    response, factor : names
    at : values of the factor, or means of them in equal parts of the runs
    mean, error : of the response there, and its standard error
    count : runs there
    share : of the variance of the response that lies between the means
    is_log : as of the factor
    """

    response: str
    factor: str
    at: Sequence[Value]
    mean: Sequence[float]
    error: Sequence[float]
    count: Sequence[int]
    share: float
    is_log: bool = False


@dataclass(frozen=True)
class Surface:
    """A smooth function of the factors through a response.

    Attributes
    ----------
    response : its name
    words : what it is, and how far it can be trusted
    inputs : its arguments: a ``factor`` as share of its range, or 1 where a factor has a ``level``
    content : ``kind`` (``process`` or ``polynomial``) and its numbers
    given, foretold : the response of each run, and what the function says of it without having seen it
    """

    response: str
    words: str
    inputs: Sequence[dict[str, Any]]
    content: dict[str, Any]
    given: Sequence[float]
    foretold: Sequence[float]


@dataclass(frozen=True)
class StudyTables:
    """All that a report of many runs shows.

    Attributes
    ----------
    name, subtitle : heading
    runs, columns : of the table
    cards : numbers that everybody asks for first, with their labels
    tables : further tables behind tabs
    panels : of the history of an optimisation, over the number of the run
    effects, surfaces : of responses over factors
    """

    name: str
    subtitle: str
    runs: Sequence[Run]
    columns: Sequence[Column]
    cards: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    panels: Sequence[Panel] = ()
    effects: Sequence[Effect] = field(default=())
    surfaces: Sequence[Surface] = field(default=())
