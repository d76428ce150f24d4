"""Progress on terminals of all sorts."""

from __future__ import annotations

import io
import math
import re
from types import SimpleNamespace

import pytest
from rich.console import Console

from grouser.cli import progress
from grouser.cli.progress import RUNS, Bar, Lines, Pace, make_reporter

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time on the wall, which tests set [s]."""
    now = [0.0]
    monkeypatch.setattr(progress, "clock", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def show_bar(clock: list[float], monkeypatch: pytest.MonkeyPatch, width: int, phase: str = "running") -> list[str]:
    """Lines that a terminal of a width gets, without colours."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None, legacy_windows=False)
    monkeypatch.setattr(progress, "make_console", lambda stderr: console)
    with Bar() as bar:
        for time in (0.01, 2.5, 5.0, 7.5):
            clock[0] = 4 * time
            bar.show(phase, time, 10.0)
            bar._bar.refresh()
    return [line for line in re.split(r"[\r\n]+", CONTROL.sub("", file.getvalue())) if line.strip()]


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (120, "7.50 of 10.00 s, real-time factor 4.00, 10 s left"),
        (80, "7.50 of 10.00 s, real-time factor 4.00, 10 s left"),
        (60, "7.50 of 10.00 s, 10 s left"),
        (45, "7.50 of 10.00 s, 10 s left"),
        (30, "75 %, 10 s left"),
        (20, "75 %"),
    ],
)
def test_bar_says_what_there_is_room_for(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, width: int, words: str
) -> None:
    lines = show_bar(clock, monkeypatch, width)
    assert max(map(len, lines)) <= width
    assert words in lines[-1]
    assert "running" in lines[-1] and "━━" in lines[-1]
    assert not any("…" in line for line in lines)


def test_long_phases_lose_their_remark_on_a_narrow_terminal(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "compiling ━" in show_bar(clock, monkeypatch, 18, progress.COMPILING)[-1]
    assert progress.COMPILING in show_bar(clock, monkeypatch, 90, progress.COMPILING)[-1]


def test_compiling_counts_parts(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "8 of 10 parts" in show_bar(clock, monkeypatch, 60, progress.COMPILING)[-1]
    said: list[str] = []
    lines = Lines(said.append)
    for count in range(12):
        clock[0] = float(count)
        lines.show(progress.find_label("compiling", 11.0), float(count), 11.0)
    assert said == ["compiling, once", "compiling, once: 5 of 11 parts", "compiling, once: 10 of 11 parts"]
    assert progress.find_label("compiling", math.nan) == "starting"


@pytest.mark.parametrize("width", [1, 5, 10])
def test_tiny_terminals_do_no_harm(clock: list[float], monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    assert max(map(len, show_bar(clock, monkeypatch, width)), default=0) <= max(width, 2)


def test_studies_count_runs(clock: list[float]) -> None:
    pace = Pace()
    pace.begin(RUNS, 10.0)
    assert pace.say(10.0, 200.0) == "10 of 200"
    clock[0] += 20.0
    assert pace.say(20.0, 200.0) == "20 of 200, 6:00 min left"
    assert pace.say(20.0, 200.0, 12) == "20 of 200"


def test_pace_without_an_end_tells_the_time_alone(clock: list[float]) -> None:
    pace = Pace()
    pace.begin("settling", 0.05)
    clock[0] = 1.9
    assert pace.say(1.0, math.nan) == "1.00 s, real-time factor 2.00"
    assert pace.say(1.0, math.nan, 6) == "1.00 s"
    assert pace.say(1.0, math.nan, 3) == "1 s"
    assert pace.say(1.0, math.nan, 2) == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("term", "file", "kind"),
    [
        ("xterm", Terminal(), Bar),
        ("dumb", Terminal(), Lines),
        ("unknown", Terminal(), Lines),
        ("xterm", io.StringIO(), Lines),
    ],
)
def test_lines_go_where_no_bar_can(monkeypatch: pytest.MonkeyPatch, term: str, file: io.StringIO, kind: type) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sys.stderr", file)
    assert isinstance(make_reporter(quiet=False), kind)


def test_lines_are_plain_and_few(clock: list[float]) -> None:
    said: list[str] = []
    lines = Lines(said.append)
    for time in range(0, 21):
        clock[0] = float(time)
        lines.show("running", 0.5 * time, 10.0)
    assert said == [
        "running: 0.00 of 10.00 s",
        "running: 2.50 of 10.00 s, real-time factor 2.00, 15 s left",
        "running: 5.00 of 10.00 s, real-time factor 2.00, 10 s left",
        "running: 7.50 of 10.00 s, real-time factor 2.00, 5 s left",
        "running: 10.00 of 10.00 s, real-time factor 2.00, 0 s left",
    ]
