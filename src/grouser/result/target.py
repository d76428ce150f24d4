"""Places for files, judged before anything long begins: what is there already is not lost by mistake."""

from __future__ import annotations

import os
from pathlib import Path

from grouser.errors import ResultError
from grouser.result.file import open_file

SUFFIXES = (".h5", ".hdf5")
"""Suffixes of result files."""


def check_target(path: Path, what: str) -> None:
    """Refuse a place to which no ordinary file can be written; `what` names the file in messages."""
    if not path.parent.is_dir():
        raise ResultError(f"{what} {path}: the folder {path.parent} does not exist; create it first")
    if path.is_dir():
        raise ResultError(f"{what} {path} is a folder: give the name of a file")
    if path.exists() and not path.is_file():
        raise ResultError(f"{what} {path} is a device or another special file: give the name of an ordinary file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ResultError(f"{what} {path} cannot be written: choose another place")


def check_result_target(path: Path) -> bool:
    """Refuse a place for a result that holds anything but an earlier result; tells whether one is there."""
    check_target(path, "result file")
    if path.suffix.lower() not in SUFFIXES:
        raise ResultError(
            f"result file {path}: the suffix {path.suffix!r} is not one of {', '.join(SUFFIXES)}; "
            f"call it {path.with_suffix('.h5')}"
        )
    if not path.exists() or path.stat().st_size == 0:
        return False
    try:
        open_file(path).close()
    except ResultError as error:
        raise ResultError(
            f"{path} is there already and is not a readable grouser result, so it is not overwritten: choose another "
            "name or remove it"
        ) from error
    return True
