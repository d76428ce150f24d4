"""stdout and stderr as they may be: closed, on a full disk, a pipe that nobody reads, a terminal that has gone, or of
an encoding that lacks a letter.

What cannot be said on stderr is left unsaid, since a run must not end by it. What cannot be printed on stdout is an
error of its own, since it is what the command was asked for. Letters that an encoding lacks are written as escapes.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO


class PrintError(Exception):
    """What a command prints cannot be written to stdout.

    Attributes
    ----------
    is_unread : whether nobody reads it any more, as behind ``| head``, which is no fault
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"stdout cannot be written ({error.strerror or error}): what was printed is not whole")
        self.is_unread = error.errno == errno.EPIPE


class _Stream:
    """A stream whose writing may fail; in all else it is the stream that it was made of."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _fail(self, error: OSError) -> None:
        """What becomes of a write that failed."""

    def write(self, text: str) -> int:
        """Write a text."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._fail(error)
            return len(text)

    def flush(self) -> None:
        """Write what is waiting."""
        try:
            self._stream.flush()
        except OSError as error:
            self._fail(error)


class _Print(_Stream):
    """stdout."""

    def _fail(self, error: OSError) -> None:
        raise PrintError(error) from None


@contextmanager
def steady_streams() -> Iterator[None]:
    """While the block is open, stdout and stderr are there and fail in the ways described above."""
    for number in (0, 1, 2):  # else the next file that is opened would be taken for one of them
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as null:
        sys.stdout, sys.stderr = _Print(sys.stdout or null), _Stream(sys.stderr or null)
        try:
            yield
        finally:
            with suppress(PrintError):
                sys.stdout.flush()
            sys.stdout, sys.stderr = before


def drop_streams() -> None:
    """Let what is still waiting go nowhere, so that the end of the process does not fail by it."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            try:
                stream.flush()
            except OSError:
                os.dup2(null, stream.fileno())
    os.close(null)
