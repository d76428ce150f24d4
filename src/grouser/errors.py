"""The errors of grouser: one family, so that a caller can catch all of them at once.

Every message says what is wrong, which element by name, the value with its unit, and what to do.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grouser.result.result import Result


class GrouserError(Exception):
    """Base of every error that grouser raises on purpose."""


class ModelError(GrouserError):
    """The model, the vehicle file or the scenario is wrong. `faults` lists every fault found."""

    def __init__(self, faults: str | Iterable[str]):
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))


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
        text = repr(value)
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise ModelError(f"{what} is {shown} ({type(value).__name__}): {remedy}")


def check_path(value: object, what: str) -> None:
    """Refuse what cannot be the path of a file; `what` names it."""
    check_type(value, (str, os.PathLike), what, "give the path of a file as text or pathlib.Path")


def say_unknown(kind: str, name: str, valid: Iterable[str]) -> str:
    """One sentence for a failed look-up: what was asked for, and the near or the valid names.

    >>> say_unknown("body", "chasis", ["chassis", "wheel"])
    "unknown body 'chasis': did you mean 'chassis'?"
    """
    names = sorted(valid)
    near = get_close_matches(str(name), names, n=3, cutoff=0.6)
    if near:
        return f"unknown {kind} {name!r}: did you mean {' or '.join(repr(n) for n in near)}?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"unknown {kind} {name!r}; there are: {shown or 'none'}"
