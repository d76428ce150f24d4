"""Reads HDF5 files that their writer did not close: a run that was killed, or is still going on.

HDF5 opens such a file in SWMR mode only, in which it reads anything that looks wrong again and again,
waiting twice as long each time: a file that was cut off would hang for hours. So the file is shown to it
with a superblock as closing would have left it; then it opens like any other, and what is wrong is an
error at once.

The superblock of version 3 (HDF5 file format specification, section II.A) has 48 bytes:
signature (8), version, size of offsets, size of lengths, flags (1 each), base address, address of the
extension, end of file, root group (8 each), checksum (4) of all that stands before it.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SUPERBLOCK = struct.Struct("<8s4B4QI")
VERSION_SWMR = 3
FLAG_WRITING = 0b101
"""Open for writing (bit 0), in SWMR mode (bit 2)."""
ENDLESS = 1 << 60
"""Stands for the end of a file that may grow [bytes]."""
LOOK_AHEAD = 512
"""HDF5 reads this much where it expects metadata of a size that it does not know yet [bytes]."""
WORD = 0xFFFFFFFF


def is_unfinished(path: Path) -> bool:
    """Whether a file was left open by a writer in SWMR mode."""
    with path.open("rb") as file:
        start = file.read(12)
    return start[:9] == SIGNATURE + bytes([VERSION_SWMR]) and bool(start[11:] and start[11] & FLAG_WRITING)


class UnfinishedFile(io.RawIOBase):
    """An unfinished file as if it had been closed, without end, since it may still grow; read only.

    Reading what is not there is an error: zeros in its place would pass for data. Only the short reads by which HDF5
    looks ahead for metadata may go beyond the end.
    """

    def __init__(self, path: Path):
        self._file = path.open("rb", buffering=0)
        self._place = 0
        head = self._file.read(SUPERBLOCK.size)
        if len(head) < SUPERBLOCK.size:
            raise OSError("truncated file")
        fields = list(SUPERBLOCK.unpack(head))
        fields[4], fields[7] = 0, ENDLESS
        head = SUPERBLOCK.pack(*fields)[:-4]
        self._head = head + struct.pack("<I", calc_checksum(head))

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the place of the next read; the end lies beyond everything."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: ENDLESS}[whence]
        self._place = start + offset
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer from the place on."""
        self._file.seek(self._place)
        content = self._file.read(len(buffer))
        if len(content) < len(buffer):
            if not content or len(buffer) > LOOK_AHEAD:
                raise OSError("truncated file")
            content = content.ljust(len(buffer), b"\0")
        if self._place < len(self._head):
            content = self._head[self._place :] + content[len(self._head) - self._place :]
        buffer[:] = content[: len(buffer)]
        self._place += len(buffer)
        return len(buffer)

    def close(self) -> None:
        """Free the file."""
        self._file.close()
        super().close()


def calc_checksum(data: bytes) -> int:
    """Checksum of HDF5's metadata: Bob Jenkins' hash lookup3 (`hashlittle`, initial value 0).

    >>> hex(calc_checksum(b""))
    '0xdeadbeef'
    """
    a = b = c = (0xDEADBEEF + len(data)) & WORD
    for start in range(0, len(data), 12):
        words = struct.unpack("<3I", data[start : start + 12].ljust(12, b"\0"))
        a, b, c = ((value + word) & WORD for value, word in zip((a, b, c), words, strict=True))
        if start + 12 < len(data):
            for turn in (4, 6, 8, 16, 19, 4):
                a = ((a - c) & WORD) ^ _rotate(c, turn)
                a, b, c = b, (c + b) & WORD, a
        else:
            a, b, c = c, a, b
            for turn in (14, 11, 25, 16, 4, 14, 24):
                a, b, c = b, c, ((a ^ c) - _rotate(c, turn)) & WORD
    return c


def _rotate(word: int, turn: int) -> int:
    return ((word << turn) | (word >> (32 - turn))) & WORD
