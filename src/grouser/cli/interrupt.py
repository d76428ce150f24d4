"""Signals that ask a command to stop, taken when they do no harm: Ctrl-C, SIGTERM, and SIGHUP of a lost terminal.

While frames are being computed, the first of them only leaves a wish that is granted between two frames, so that
every frame is whole and the result is closed properly. Before the first frame, and from the second signal on, it
stops at once. A signal that whoever started the command told it to ignore, as nohup does, stays ignored.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_taken: signal.Signals = signal.SIGINT


class StoppedError(Exception):
    """A command was stopped before there was anything to keep."""


class StopSignal(KeyboardInterrupt):
    """A signal that stops the command; its text says which."""


def find_stop_code() -> int:
    """Exit code of a command that was stopped: 128 and the number of the signal, as shells have it."""
    return 128 + _taken


def say_stop() -> str:
    """By whom the command was stopped."""
    return "stopped by the user" if _taken == signal.SIGINT else f"stopped by {_taken.name}"


class Interrupts:
    """Turns signals into a wish from the first `grant` to the end of the ``with`` block."""

    def __init__(self) -> None:
        self._is_wanted = False
        self._is_deferring = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():  # nowhere else can a handler be set
            for number in SIGNALS:
                if number == signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def grant(self) -> None:
        """Called where a stop does no harm: from here on signals wait for such a place, and here they are granted."""
        self._is_deferring = True
        if self._is_wanted:
            raise StopSignal(say_stop())

    def _take(self, number: int, frame: FrameType | None) -> None:
        global _taken
        is_first, _taken = not self._is_wanted, signal.Signals(number)
        if not (self._is_deferring and is_first):
            raise StopSignal(say_stop())
        self._is_wanted = True


def ignore_signals() -> None:
    """From here on nothing stops the process, which only has to end: a late signal would leave a traceback."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
