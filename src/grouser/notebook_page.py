"""The page by which a notebook shows a model or a result.

`output` makes it, from models and results. These stand below it and must not import it: they ask here, and the package
says who answers (`grouser/__init__.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_makers: list[Callable[[Any], str]] = []


def set_page_maker(maker: Callable[[Any], str]) -> None:
    """Say who makes pages: a function of a model or a result that gives HTML."""
    _makers[:] = [maker]


def make_page(shown: Any) -> str:
    """HTML of a model or a result."""
    return _makers[0](shown)
