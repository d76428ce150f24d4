"""One document on top of another: what ``extends`` means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grouser.model.document import Document
from grouser.model.fault import Path


def merge_documents(below: Document, above: Document) -> Document:
    """All values of `below` with those of `above` on top.

    Blocks are merged key by key and everything else is replaced. ``key: null`` removes an inherited key,
    and a block of another ``type`` takes the place of the inherited one, whose keys would mean nothing.

    >>> base = Document({"bodies": {"wheel": {"mass": 5.0, "com": [0, 0, 0]}}})
    >>> dict(merge_documents(base, Document({"bodies": {"wheel": {"mass": 6.0, "com": None}}})))
    {'bodies': {'wheel': {'mass': 6.0}}}
    """
    replaced: set[Path] = set()
    data = _merge(below, above, (), replaced)
    kept = {
        path: line
        for path, line in below.lines.items()
        if not any(path[:length] in replaced for length in range(1, len(path) + 1))
    }
    return Document(data, {**kept, **above.lines}, above.source)


def _merge(below: Mapping[str, Any], above: Mapping[str, Any], path: Path, replaced: set[Path]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old, here = below.get(key), (*path, key)
        if value is None and key in below:
            del merged[key]
        elif isinstance(old, dict) and isinstance(value, dict) and _is_same_type(old, value):
            merged[key] = _merge(old, value, here, replaced)
        else:
            merged[key] = value
            replaced.add(here)
    return merged


def _is_same_type(below: Mapping[str, Any], above: Mapping[str, Any]) -> bool:
    return "type" not in above or above["type"] == below.get("type")
