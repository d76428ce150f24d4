"""Progress of a run: a bar on a terminal, now and then a line elsewhere; and signals to stop meanwhile."""

from __future__ import annotations

import math
import sys
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol

from grouser.cli.interrupt import Interrupts, StoppedError, say_stop
from grouser.cli.report import make_console, say_note

LINE_EVERY = 5.0
"""Wall time between two lines where there is no terminal [s]."""
BAR_EVERY = 0.1
"""Wall time between two changes of the bar [s]."""
BAR_LEAST = 4
"""Columns that are left to the bar."""
COMPILING = "compiling, once"
"""The phase in which parts of the program are compiled, which later runs find on disk."""
RUNS = "runs"
"""With this begin phases of studies, of which the runs that have ended are told instead of a simulated time."""


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

    def say(self, time: float, end: float, room: float = math.inf) -> str:
        """Simulated time, real-time factor and time left; as much of it as a number of columns has room for."""
        return next((text for text in self._list_texts(time, end) if len(text) <= room), "")

    def _list_texts(self, time: float, end: float) -> Iterator[str]:
        """Texts from the longest to the shortest."""
        if self.phase == COMPILING:
            yield f"{time:.0f} of {end:.0f} parts"
            yield f"{100.0 * time / end:.0f} %"
            return
        if self.phase.startswith(RUNS):
            yield from self._list_run_texts(time, end)
            return
        whole = f"{time:.2f} s" if math.isnan(end) else f"{time:.2f} of {end:.2f} s"
        share = f"{time:.0f} s" if math.isnan(end) or end <= 0.0 else f"{100.0 * time / end:.0f} %"
        if time > self._time:
            factor = (clock.monotonic() - self._wall) / (time - self._time)
            left = "" if math.isnan(end) else f", {_say_clock(factor * max(0.0, end - time))} left"
            yield f"{whole}, real-time factor {factor:.2f}{left}"
            yield f"{whole}{left}"
            yield f"{share}{left}"
        yield whole
        yield share

    def _list_run_texts(self, done: float, count: float) -> Iterator[str]:
        """Texts of a study, from the longest to the shortest."""
        whole = f"{done:.0f} of {count:.0f}"
        if done > self._time:
            pace = (clock.monotonic() - self._wall) / (done - self._time)
            yield f"{whole}, {_say_clock(pace * (count - done))} left"
        yield whole


class Reporter(Protocol):
    """Shows progress while its ``with`` block is open."""

    def __enter__(self) -> Reporter: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, phase: str, time: float, end: float) -> None:
        """Show a phase, the simulated time [s] and its end [s], nan if unknown; of COMPILING, parts; of RUNS, runs."""


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
        has_begun = time > 0.0 or not (math.isnan(end) or phase == COMPILING)
        self._say(f"{phase}: {self._pace.say(time, end)}" if has_begun else phase)


class Bar:
    """A bar on stderr, which says less where the terminal is narrow."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        self._console = make_console(stderr=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[pace]}"),
            console=self._console,
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
        # the terminal may have changed its size
        room = self._console.width - BAR_LEAST - len("⠋   ")
        name = phase if len(phase) <= room else _shorten(phase)
        pace = "" if time == 0.0 else self._pace.say(time, end, room - len(name))
        if is_new:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(name, total=total, pace=pace)
        self._bar.update(self._task, completed=time, pace=pace, description=name)


def make_reporter(*, quiet: bool) -> Reporter:
    """What suits stderr: a bar where lines can be written again."""
    if quiet:
        return Silence()
    is_bar = sys.stderr.isatty() and not make_console(stderr=True).is_dumb_terminal
    return Bar() if is_bar else Lines()


@contextmanager
def watch(*, quiet: bool) -> Iterator[Callable[[str, float, float], None]]:
    """Show progress and take signals to stop while the block is open; gives the function to report progress with."""
    reporter = make_reporter(quiet=quiet)
    label = ""

    def report(phase: str, time: float, end: float) -> None:
        nonlocal label
        label = find_label(phase, end)
        reporter.show(label, time, end)
        if phase != "compiling":
            interrupts.grant()

    try:
        with Interrupts() as interrupts, reporter:
            report("compiling", 0.0, math.nan)
            yield report
    except KeyboardInterrupt:
        raise StoppedError(f"{say_stop()} while {_shorten(label)}") from None


def find_label(phase: str, end: float) -> str:
    """A phase in words. Before anything is compiled, nobody knows whether it has to be."""
    if phase != "compiling":
        return phase
    return "starting" if math.isnan(end) else COMPILING


def _shorten(label: str) -> str:
    """A phase without its remark.

    >>> _shorten("compiling, once")
    'compiling'
    """
    return label.split(",", maxsplit=1)[0]


def _say_clock(seconds: float) -> str:
    """A duration for people.

    >>> _say_clock(95.0)
    '1:35 min'
    """
    if seconds < 60.0:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d} h"
