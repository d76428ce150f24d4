"""Ctrl-C, taken when it does no harm.

While frames are being computed, the first Ctrl-C only leaves a wish that is granted between two frames, so that
every frame is whole and the result is closed properly. Before the first frame, and from the second Ctrl-C on, it
stops at once.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class StoppedError(Exception):
    """The user stopped a command before there was anything to keep."""


class Interrupts:
    """Turns SIGINT into a wish from the first `grant` to the end of the ``with`` block."""

    def __init__(self) -> None:
        self._is_wanted = False
        self._is_deferring = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():  # nowhere else can a handler be set
            self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def grant(self) -> None:
        """Called where a stop does no harm: from here on Ctrl-C waits for such a place, and here it is granted."""
        self._is_deferring = True
        if self._is_wanted:
            raise KeyboardInterrupt

    def _take(self, number: int, frame: FrameType | None) -> None:
        if not self._is_deferring or self._is_wanted:
            raise KeyboardInterrupt
        self._is_wanted = True
