"""The mark that figures, pictures, movies, scenes and tables carry: which program made them.

It is looked for at its one place in each format, since its words may stand anywhere in the files of others: in the text
chunk of a PNG, in the metadata of an SVG, in the information dictionary of a PDF, in the comment of an MP4, in the
asset of a glTF, in the first comment of a VTK collection. CSV has no place for it; a table that compares runs is known
by its heading.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from grouser._version import __version__

PROGRAM = b"grouser "
MADE_BY = f"{PROGRAM.decode()}{__version__}"
"""What files tell of the program that made them."""
TABLE_MARK = f"<!-- {MADE_BY} -->"
"""The last line of a table in Markdown."""
TABLE_HEAD = "run,doubts,status,step [ms],"
"""By what a table that compares runs is known in CSV."""
HEAD = 4000
"""In how many first or last bytes the metadata of a text file lies."""
MOST_CHUNKS = 100
"""How many chunks of a PNG or boxes of an MP4 are looked through."""

_PNG, _PNG_KEY = b"\x89PNG\r\n\x1a\n", b"Software\0"
_SVG = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>]*>\s*)?<svg[^>]*>\s*<metadata>\s*<rdf:RDF[^>]*>\s*<cc:Work>"
    rb"(?:(?!</cc:Work>).)*<dc:creator>\s*<cc:Agent>\s*<dc:title>" + PROGRAM,
    re.DOTALL,
)
_PDF_TRAILER = re.compile(rb"trailer\s*<<[^>]*/Info (\d{1,9}) 0 R[^>]*>>\s*startxref\s+(\d{1,12})\s+%%EOF\s*$")
_PDF_TABLE, _PDF_ENTRY = re.compile(rb"xref\s+0 \d+\s*\n"), 20
_PDF_FACTS = re.compile(rb"\d+ 0 obj\s*<<(?:(?!>>).)*/Creator \(" + PROGRAM, re.DOTALL)
_GLB_HEAD = b'{"asset":{"version":"2.0","generator":"' + PROGRAM
_PVD = re.compile(rb"<\?xml[^>]*\?>\s*<!-- " + PROGRAM)
_MP4_COMMENT = (b"moov", b"udta", b"meta", b"ilst", b"\xa9cmt", b"data")
_MP4_FIELDS = {b"meta": 4, b"data": 8}
"""Bytes of fields of its own that a box has before its content."""


def is_marked(path: Path) -> bool:
    """Whether a file of the format that its suffix names was made by this program, in any version."""
    find = _MARKS.get(path.suffix.lower())
    if find is None:
        return False
    with path.open("rb") as file:
        return find(file)


def _is_png(file: BinaryIO) -> bool:
    """A chunk is its length, its kind, its content and a checksum; text of ours comes before the pixels."""
    if file.read(len(_PNG)) != _PNG:
        return False
    for _ in range(MOST_CHUNKS):
        head = file.read(8)
        if len(head) < 8 or head[4:] == b"IDAT":
            return False
        start, length = file.tell(), struct.unpack(">I", head[:4])[0]
        if head[4:] == b"tEXt" and file.read(min(length, HEAD)).startswith(_PNG_KEY + PROGRAM):
            return True
        file.seek(start + length + 4)
    return False


def _is_svg(file: BinaryIO) -> bool:
    return _SVG.match(file.read(HEAD)) is not None


def _is_pdf(file: BinaryIO) -> bool:
    """The trailer names the number of the object with the facts, and where the table of all places lies."""
    if file.read(5) != b"%PDF-":
        return False
    trailer = _PDF_TRAILER.search(_read_end(file))
    if trailer is None:
        return False
    number, table = (int(group) for group in trailer.groups())
    file.seek(table)
    head = _PDF_TABLE.match(file.read(HEAD))
    if head is None:
        return False
    file.seek(table + head.end() + number * _PDF_ENTRY)
    place = file.read(10)
    if not place.isdigit():
        return False
    file.seek(int(place))
    return _PDF_FACTS.match(file.read(HEAD)) is not None


def _is_mp4(file: BinaryIO) -> bool:
    """A box is its size, its kind and its content, which may be boxes again."""
    if file.read(8)[4:] != b"ftyp":
        return False
    start, stop = 0, file.seek(0, 2)
    for kind in _MP4_COMMENT:
        for _ in range(MOST_CHUNKS):
            file.seek(start)
            head = file.read(8)
            if len(head) < 8 or start + 8 > stop:
                return False
            size = struct.unpack(">I", head[:4])[0]
            if size == 1:  # a large one: its size follows
                size = int.from_bytes(file.read(8), "big")
            if size < 8 or start + size > stop:
                return False
            if head[4:] == kind:
                break
            start += size
        else:
            return False
        start, stop = start + 8 + _MP4_FIELDS.get(kind, 0), start + size
    file.seek(start)
    return file.read(len(PROGRAM)) == PROGRAM


def _is_glb(file: BinaryIO) -> bool:
    head = file.read(20)
    return head[:4] == b"glTF" and head[16:] == b"JSON" and file.read(len(_GLB_HEAD)) == _GLB_HEAD


def _is_pvd(file: BinaryIO) -> bool:
    return _PVD.match(file.read(HEAD)) is not None


def _is_markdown(file: BinaryIO) -> bool:
    last = _read_end(file).rstrip().rpartition(b"\n")[2]
    return last.startswith(b"<!-- " + PROGRAM) and last.endswith(b" -->")


def _is_csv(file: BinaryIO) -> bool:
    return file.read(len(TABLE_HEAD)) == TABLE_HEAD.encode()


def _read_end(file: BinaryIO) -> bytes:
    file.seek(max(0, file.seek(0, 2) - HEAD))
    return file.read()


_MARKS: dict[str, Callable[[BinaryIO], bool]] = {
    ".png": _is_png,
    ".svg": _is_svg,
    ".pdf": _is_pdf,
    ".mp4": _is_mp4,
    ".glb": _is_glb,
    ".pvd": _is_pvd,
    ".md": _is_markdown,
    ".csv": _is_csv,
}
