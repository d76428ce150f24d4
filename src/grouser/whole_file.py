"""Files that appear whole or not at all: whatever ends the writing, what stood there before is kept until then."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from grouser.errors import ResultError

_draft_number = count(1)


@contextmanager
def save_whole(path: str | Path, what: str) -> Iterator[Path]:
    """Give a place beside a file to write to, and rename it to the file at the end; `what` names it in messages.

    A link is kept, and what it points to is replaced. Permissions of what is replaced stay.
    """
    place = Path(path).resolve()
    draft = place.with_name(f".{place.name}.{os.getpid()}-{next(_draft_number)}.part")
    try:
        yield draft
        if place.exists():
            shutil.copymode(place, draft)
        os.replace(draft, place)
    except OSError as error:
        raise make_write_error(path, what, error) from error
    finally:
        with suppress(OSError):
            draft.unlink()


def make_write_error(path: str | Path, what: str, error: OSError) -> ResultError:
    """The error of a file that could not be written: a full disk, a place that went away."""
    kept = "; what stood there before is kept" if Path(path).exists() else ""
    return ResultError(
        f"{what} {path} cannot be written ({error.strerror or error}): make room or choose another place{kept}"
    )
