"""Reading text files."""

from __future__ import annotations

from pathlib import Path

from grouser.errors import ModelError

MAX_SIZE = 50_000_000
"""Largest file that is read [bytes]."""


def load_text(path: Path) -> str:
    """The text of a file."""
    try:
        size = path.stat().st_size
        if size > MAX_SIZE:
            raise ModelError(f"{path}: has {size / 1e6:.0f} MB; at most {MAX_SIZE / 1e6:.0f} MB are read")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise ModelError(f"{path}: is not UTF-8 text (byte 0x{byte:02x} at {error.start}); save it as UTF-8") from None
    except FileNotFoundError:
        raise ModelError(f"{path}: there is no such file; check its name") from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None
