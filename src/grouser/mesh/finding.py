"""What is found about a mesh: where in it, and a sentence. The numbers of nodes and cells count from 0."""

from __future__ import annotations

import numpy as np

from grouser.model.fault import Path

Finding = tuple[Path, str]
"""Where in the mesh a fault is, and what it is."""


def make_finding(text: str, *place: str | int) -> Finding:
    """A finding about the whole mesh, or about one of its fields."""
    return place, text


def say_first(marks: np.ndarray) -> str:
    """The first of those that are marked, and how many there are.

    >>> say_first(np.array([False, True, True]))
    '1 (the first of 2) is'
    """
    first, count = int(np.argmax(marks)), int(marks.sum())
    return f"{first} is" if count == 1 else f"{first} (the first of {count}) is"
