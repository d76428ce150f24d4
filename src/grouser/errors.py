"""The errors of grouser: one family, so that a caller can catch all of them at once.

Every message says what is wrong, which element by name, the value with its unit, and what to do.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grouser.result.result import Result


LONGEST_MESSAGE = 1200
"""Most characters of a sentence; what a file holds may be longer than any screen."""
LONGEST_WORD = 100
"""Most characters of a name that is quoted, or compared with others."""
MOST_COMPARED = 1000
"""Most names among which near ones are looked for."""


def shorten(text: str, most: int = LONGEST_MESSAGE) -> str:
    """A text of at most `most` characters: where it is longer, its middle is left out.

    >>> shorten("a value that is much too long", 20)
    'a value t...too long'
    """
    if len(text) <= most:
        return text
    tail = (most - 3) // 2
    return f"{text[: most - 3 - tail]}...{text[-tail:]}"


class GrouserError(Exception):
    """Base of every error that grouser raises on purpose. Its message is cut to `LONGEST_MESSAGE` characters."""

    def __init__(self, message: str = ""):
        super().__init__(shorten(message))


class ModelError(GrouserError):
    """The model, the vehicle file or the scenario is wrong. `faults` lists every fault found."""

    def __init__(self, faults: str | Iterable[str]):
        listed = (faults,) if isinstance(faults, str) else tuple(faults)
        self.faults: tuple[str, ...] = tuple(f if len(f) <= LONGEST_MESSAGE else shorten(f) for f in listed)
        Exception.__init__(self, "\n".join(self.faults))


class UnsupportedError(GrouserError):
    """The chosen formulation or realization does not support an element of the model."""


class IncompatibleError(GrouserError):
    """Two choices do not go together, for example a saved state and another model."""


class ResultError(GrouserError):
    """A result file is missing, unreadable, or lacks what was asked for."""


class SolveError(GrouserError):
    """A run stopped by itself: it diverged, or the settling did not come to rest.

    Attributes
    ----------
    status : str
        Short machine-readable reason, for example ``"diverged"``.
    time : float
        Simulated time of the failure [s].
    element : str
        Name of the body, joint or contact at fault.
    result : Result or None
        What had been computed by then.
    """

    def __init__(self, message: str, *, status: str, time: float, element: str = "", result: Result | None = None):
        super().__init__(message)
        self.status, self.time, self.element, self.result = status, time, element, result


def check_type(value: object, kinds: type | tuple[type, ...], what: str, remedy: str) -> None:
    """Refuse a value of another type than `kinds`; `what` names it, `remedy` says what to give.

    >>> check_type("m113", int, "links", "give their number")
    Traceback (most recent call last):
    grouser.errors.ModelError: links is 'm113' (str): give their number
    """
    if not isinstance(value, kinds):
        raise ModelError(f"{what} is {shorten(repr(value), 60)} ({type(value).__name__}): {remedy}")


def check_path(value: object, what: str) -> None:
    """Refuse what cannot be the path of a file; `what` names it."""
    check_type(value, (str, os.PathLike), what, "give the path of a file as text or pathlib.Path")


def say_unknown(kind: str, name: str, valid: Iterable[str]) -> str:
    """One sentence for a failed look-up: what was asked for, and the near or the valid names.

    >>> say_unknown("body", "chasis", ["chassis", "wheel"])
    "unknown body 'chasis': did you mean 'chassis'?"
    """
    names, shown = sorted(valid), shorten(repr(name), LONGEST_WORD + 2)
    near = find_near(str(name), names)
    if near:
        return f"unknown {kind} {shown}: did you mean {' or '.join(repr(n) for n in near)}?"
    return f"unknown {kind} {shown}; there are: {say_names(names)}"


def find_near(name: str, names: Iterable[str]) -> list[str]:
    """Up to three names that are spelt nearly alike, the nearest first."""
    if len(name) > LONGEST_WORD:
        return []
    # comparing takes its time: of very many names, those of about the same length are looked at
    short = [other for other in names if len(other) <= LONGEST_WORD]
    alike = sorted(short, key=lambda other: abs(len(other) - len(name)))[:MOST_COMPARED]
    return get_close_matches(name, alike, n=3, cutoff=0.6)


def say_names(names: Sequence[str]) -> str:
    """The first names of a list, each cut short.

    >>> say_names(["left", "right"])
    'left, right'
    """
    return ", ".join([shorten(name, LONGEST_WORD) for name in names[:12]] + ["..."] * (len(names) > 12)) or "none"
