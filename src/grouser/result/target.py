"""Places for files, judged before anything long begins: what is there already is not lost by mistake.

One rule holds for every file that is written. What stands there is replaced only if it is an earlier file of the same
kind of grouser's own, or empty; anything else only by force. Figures, pictures, movies, scenes and comparisons carry a
mark (`mark.py`). Exported tables cannot be told from those of others, so none of them counts as an own one.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grouser.errors import ResultError
from grouser.result.mark import is_marked

SUFFIXES = (".h5", ".hdf5")
"""Suffixes of result files."""
REPORT_MARK, REPORT_HEAD = b'<meta name="generator" content="grouser ', 1000
"""By what a report is known, and in how many of its first bytes."""


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes
    ----------
    name : what it is called in messages
    is_own : tells whether a file is an earlier one of this kind that grouser wrote; None where that cannot be told
    suffixes : that it must have one of; none if any will do
    """

    name: str
    is_own: Callable[[Path], bool] | None = None
    suffixes: tuple[str, ...] = ()


def _is_result(path: Path) -> bool:
    from grouser.result.file import open_file

    try:
        open_file(path).close()
    except ResultError:
        return False
    return True


def _is_report(path: Path) -> bool:
    with path.open("rb") as file:
        return REPORT_MARK in file.read(REPORT_HEAD)


def _is_state(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return {"names.npy", "prints.npy"} <= set(archive.namelist())


RESULT = Kind("result file", _is_result, SUFFIXES)
REPORT = Kind("report", _is_report, (".html", ".htm"))
STATE = Kind("state", _is_state)
FIGURE = Kind("figure", is_marked)
PICTURE = Kind("picture", is_marked)
MOVIE = Kind("movie", is_marked)
SCENE = Kind("3D scene", is_marked)
SERIES = Kind("VTK series", is_marked, (".pvd",))
TABLE = Kind("table")
COMPARISON = Kind("comparison", is_marked)
"""A table of several runs."""


def check_target(path: Path, kind: Kind, *, force: bool = False) -> bool:
    """Refuse a place to which no ordinary file can be written, or where one would be lost; tells whether an earlier
    file is replaced.

    Parameters
    ----------
    kind : of the file that will be written
    force : whether anything that is there may be replaced
    """
    check_place(path, kind.name)
    if kind.suffixes and path.suffix.lower() not in kind.suffixes:
        raise ResultError(
            f"{kind.name} {path}: the suffix {path.suffix!r} is not one of {', '.join(kind.suffixes)}; "
            f"call it {path.with_suffix(kind.suffixes[0])}"
        )
    if not path.exists() or path.stat().st_size == 0:
        return False
    if not force and not (kind.is_own and kind.is_own(path)):
        other = f" and is not a {kind.name} of grouser" if kind.is_own else ""
        raise ResultError(
            f"{path} is there already{other}, so it is not overwritten: choose another name, or overwrite it with "
            "--force"
        )
    return True


def check_name(path: Path, what: str) -> None:
    """Refuse a name that no file can have; `what` names the file in messages."""
    if "\0" in str(path):
        raise ResultError(f"{what}: the name of the file holds a null character; give another name")


def check_place(path: Path, what: str) -> None:
    """Refuse a place to which no ordinary file can be written; `what` names the file in messages."""
    check_name(path, what)
    if not path.parent.is_dir():
        raise ResultError(f"{what} {path}: the folder {path.parent} does not exist; create it first")
    if path.is_dir():
        raise ResultError(f"{what} {path} is a folder: give the name of a file")
    if path.exists() and not path.is_file():
        raise ResultError(f"{what} {path} is a device or another special file: give the name of an ordinary file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ResultError(f"{what} {path} cannot be written: choose another place")
