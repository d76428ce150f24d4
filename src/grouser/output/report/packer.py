"""Arrays in a text: one block of bytes, deflated and written in base64, and references into it."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Ref = dict[str, Any]
"""Where an array stands: first byte, number of values, type; and for shares of a range its `low` and `scale`."""
STEPS = 65534
"""Steps of a range that is told by whole numbers of two bytes; one more stands for no value."""
ALIGNED = 4
"""Arrays begin at multiples of this, as typed arrays of a browser must [bytes]."""


class Packer:
    """Collects arrays. An array that was added before, as the time of many lines, is stored once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[str, bytes], int] = {}

    def add(self, values: ArrayLike, kind: str) -> Ref:
        """Add an array as it is; `kind` is f4, u4, u2, i2, u1 or i1."""
        array = np.ascontiguousarray(values, dtype=f"<{kind}")
        content = array.tobytes()
        at = self._known.get((kind, content))
        if at is None:
            at = self._known[kind, content] = self._size
            content += bytes(-len(content) % ALIGNED)
            self._parts.append(content)
            self._size += len(content)
        return {"at": at, "count": int(array.size), "type": kind}

    def add_range(self, values: ArrayLike) -> Ref:
        """Add an array of numbers as shares of its range, each to within a 131068th of it; NaN stays NaN."""
        array = np.asarray(values, dtype=float)
        is_there = np.isfinite(array)
        low, high = (float(array[is_there].min()), float(array[is_there].max())) if is_there.any() else (0.0, 0.0)
        scale = (high - low) / STEPS or 1.0
        shares = np.where(is_there, np.round((np.where(is_there, array, low) - low) / scale), STEPS + 1)
        return {**self.add(shares, "u2"), "low": low, "scale": scale}

    def pack(self) -> str:
        """All arrays as text."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 6)).decode("ascii")


def unpack(text: str) -> bytes:
    """The bytes of a packed text."""
    return zlib.decompress(base64.b64decode(text))


def read_array(content: bytes, ref: Ref) -> np.ndarray:
    """The numbers of a reference, as a browser reads them."""
    stored = np.frombuffer(content, dtype=f"<{ref['type']}", count=ref["count"], offset=ref["at"])
    if "scale" not in ref:
        return stored
    return np.where(stored == STEPS + 1, np.nan, ref["low"] + ref["scale"] * stored.astype(float))
