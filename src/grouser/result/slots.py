"""Two slots of a result file that are written in turn: whatever ends a write, the other slot is whole.

A slot is a mark, the number of the write, the length of its content and a checksum, and the content. The newest one
that is whole counts.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grouser.result.result import Result

MARK = b"grouser1"
HEAD = struct.Struct("<8sqqI")
"""Mark, number, length [bytes], checksum of all that follows and of number and length."""
NAMES = ("checkpoint-a", "checkpoint-b")
"""Datasets of the group of the run."""


def make_slot(number: int, content: bytes) -> bytes:
    """The bytes of a slot."""
    return HEAD.pack(MARK, number, len(content), _calc_checksum(number, content)) + content


def find_newest(slots: Iterable[bytes]) -> tuple[int, bytes] | None:
    """Number and content of the newest whole slot, or None.

    >>> find_newest([make_slot(1, b"old"), make_slot(2, b"new")[:-1], b""])
    (1, b'old')
    """
    return max(filter(None, map(_read_slot, slots)), default=None)


def load_newest(result: Result) -> bytes | None:
    """From where the run of a result can go on: the newest whole checkpoint, or None."""
    found = find_newest(map(result.read_bytes, NAMES))
    return None if found is None else found[1]


def has_slots(result: Result) -> bool:
    """Whether a result has slots in which something stands, whole or not."""
    return any(map(result.read_bytes, NAMES))


def _read_slot(slot: bytes) -> tuple[int, bytes] | None:
    if len(slot) < HEAD.size:
        return None
    mark, number, length, checksum = HEAD.unpack_from(slot)
    content = slot[HEAD.size : HEAD.size + max(0, length)]
    is_whole = mark == MARK and len(content) == length and _calc_checksum(number, content) == checksum
    return (number, content) if is_whole else None


def _calc_checksum(number: int, content: bytes) -> int:
    return zlib.crc32(content, zlib.crc32(struct.pack("<qq", number, len(content))))
