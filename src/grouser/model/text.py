"""Reading files that users name: regular ones of bounded size, and nothing else.

A device has no end, a pipe waits for its other end, and the size of a file can change while it is read. So the kind is
looked at before the file is opened, and no more is read than is taken.
"""

from __future__ import annotations

import stat
from pathlib import Path

from grouser.errors import ModelError, shorten

MAX_SIZE = 10_000_000
"""Largest file of text that is read [bytes]."""


def load_text(path: Path) -> str:
    """The text of a file."""
    check_file(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SIZE + 1)
        if len(content) > MAX_SIZE:
            raise ModelError(f"{path}: is too large: at most {MAX_SIZE / 1e6:g} MB are read; divide it")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ModelError(f"{path}: is not UTF-8 text (byte 0x{byte:02x} at {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None


def check_file(path: Path) -> None:
    """Refuse what is no regular file: a device, a pipe or a folder, and names that no file can have."""
    name = shorten(str(path), 200)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise ModelError(f"{name}: there is no such file; check its name") from None
    except OSError as error:
        raise ModelError(f"{name}: cannot be read: {error.strerror}") from None
    except ValueError:  # a null character, or half of a character
        raise ModelError(f"{name!a}: is no name of a file: a character of it can stand in none") from None
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device, a pipe or a socket"
        raise ModelError(f"{name}: cannot be read: it is {kind}; give the name of a regular file")
