"""Progress of a run: a bar on a terminal, now and then a line elsewhere; and Ctrl-C meanwhile."""

from __future__ import annotations

import math
import sys
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol

from grouser.cli.interrupt import Interrupts, StoppedError
from grouser.cli.report import make_console, say_note

LINE_EVERY = 5.0
"""Wall time between two lines where there is no terminal [s]."""
BAR_EVERY = 0.1
"""Wall time between two changes of the bar [s]."""
FIRST_COMPILE = "compiling (once, about half a minute)"


class Pace:
    """Wall time per simulated time of the phase that goes on."""

    def __init__(self) -> None:
        self.phase = ""
        self._wall = self._time = 0.0

    def begin(self, phase: str, time: float) -> bool:
        """Whether a new phase begins; `time` is the simulated time [s] at its first report."""
        if phase == self.phase:
            return False
        self.phase, self._wall, self._time = phase, clock.monotonic(), time
        return True

    def say(self, time: float, end: float) -> str:
        """Simulated time, real-time factor and time left."""
        words = [f"{time:.2f} s" if math.isnan(end) else f"{time:.2f} of {end:.2f} s"]
        if time > self._time:
            factor = (clock.monotonic() - self._wall) / (time - self._time)
            words.append(f"real-time factor {factor:.2f}")
            if not math.isnan(end):
                words.append(f"{_say_clock(factor * max(0.0, end - time))} left")
        return ", ".join(words)


class Reporter(Protocol):
    """Shows progress while its ``with`` block is open."""

    def __enter__(self) -> Reporter: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, phase: str, time: float, end: float) -> None:
        """Show a phase, the simulated time [s] and its end [s], nan if unknown."""


class Silence:
    """Shows nothing."""

    def __enter__(self) -> Silence:
        return self

    def __exit__(self, *cause: object) -> None: ...

    def show(self, phase: str, time: float, end: float) -> None:
        """Nothing."""


class Lines:
    """Plain lines on stderr: one when a phase begins, and one every few seconds."""

    def __init__(self, say: Callable[[str], None] = say_note) -> None:
        self._say = say
        self._pace = Pace()
        self._last = -math.inf

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *cause: object) -> None: ...

    def show(self, phase: str, time: float, end: float) -> None:
        """A line, if it is time for one."""
        is_new = self._pace.begin(phase, time)
        if not is_new and clock.monotonic() - self._last < LINE_EVERY:
            return
        self._last = clock.monotonic()
        self._say(phase if time == 0.0 and math.isnan(end) else f"{phase}: {self._pace.say(time, end)}")


class Bar:
    """A bar on stderr."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[pace]}"),
            console=make_console(stderr=True),
            expand=True,
            transient=True,
        )
        self._task: Any = None
        self._pace = Pace()
        self._last = -math.inf

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *cause: object) -> None:
        self._bar.stop()

    def show(self, phase: str, time: float, end: float) -> None:
        """Move the bar."""
        is_new = self._pace.begin(phase, time)
        if not is_new and clock.monotonic() - self._last < BAR_EVERY:
            return
        self._last = clock.monotonic()
        total = None if math.isnan(end) else end
        pace = "" if time == 0.0 else self._pace.say(time, end)
        if is_new:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(phase, total=total, pace=pace)
        self._bar.update(self._task, completed=time, pace=pace)


def make_reporter(*, quiet: bool) -> Reporter:
    """What suits stderr."""
    if quiet:
        return Silence()
    return Bar() if sys.stderr.isatty() else Lines()


@contextmanager
def watch(*, quiet: bool) -> Iterator[Callable[[str, float, float], None]]:
    """Show progress and take Ctrl-C while the block is open; gives the function to report progress with."""
    reporter = make_reporter(quiet=quiet)
    label = ""

    def report(phase: str, time: float, end: float) -> None:
        nonlocal label
        label = find_label(phase)
        reporter.show(label, time, end)
        if phase != "compiling":
            interrupts.grant()

    try:
        with Interrupts() as interrupts, reporter:
            report("compiling", 0.0, math.nan)
            yield report
    except KeyboardInterrupt:
        raise StoppedError(f"stopped by the user while {label.split(' (', maxsplit=1)[0]}") from None


def find_label(phase: str) -> str:
    """A phase in words; the compiling of the first run is announced."""
    if phase != "compiling":
        return phase
    from grouser.kernels._jit import is_compiled

    return "starting" if is_compiled() else FIRST_COMPILE


def _say_clock(seconds: float) -> str:
    """A duration for people.

    >>> _say_clock(95.0)
    '1:35 min'
    """
    if seconds < 60.0:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"
