"""Generated cases: whatever is given ends soon with one of the exit codes and a clear message, never with a traceback.

The cases are the same in every run. A case that fails is shown in its smallest form; `GROUSER_TRACEBACK=1` shows where.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_case import within
from generators import MODEL, RUN, SOFT, Case, command_cases, model_cases, result_cases
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from grouser.cli.app import main

SOON = 20.0
"""No case takes longer [s]."""
MOST_MEMORY = 2_000_000_000
"""No case takes more [bytes]."""
LONGEST = 60_000
"""Most characters of what is said on stderr: fifty faults."""

PART = 500
"""Cases of each part of the many."""


def generate(count: int) -> settings:
    """So many cases, always the same ones."""
    return settings(
        max_examples=count,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )


@contextlib.contextmanager
def with_little_memory() -> Iterator[None]:
    """Within it, the process can take `MOST_MEMORY` more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST_MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def check_case(case: Case, place: Path) -> None:
    words, make_files = case
    make_files(place)
    out, err = io.StringIO(), io.StringIO()
    with within(SOON), with_little_memory(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    said = err.getvalue()
    assert code in (0, 1, 2), said
    assert "Traceback" not in said
    assert "internal error" not in said, said
    assert len(said) < LONGEST
    if code == 2:
        assert any(line.startswith("error: ") for line in said.splitlines())


@pytest.fixture(scope="module", autouse=True)
def compiled(stock: Path) -> None:
    """What these cases need is compiled before their time is taken: some of it takes 11 s on a core of its own."""
    for name, model in (("model.yaml", MODEL), ("soft.yaml", SOFT)):
        (stock / name).write_text(json.dumps(model))
    runs = [RUN.replace("FILE", name) for name in ("model.yaml", "pendulum.yaml")]
    runs += [line.replace("penalty", "implicit") for line in runs]
    runs.append(RUN.replace("FILE", "soft.yaml"))
    with contextlib.chdir(stock):
        for line in [*runs, "render result.h5 --size 64x36 --out case.png"]:
            assert main(line.split()) == 0


@generate(250)
@given(case=model_cases())
def test_mutated_file(place: Path, case: Case) -> None:
    check_case(case, place)


@generate(150)
@given(case=command_cases())
def test_strange_command_line(place: Path, case: Case) -> None:
    check_case(case, place)


@generate(100)
@given(case=result_cases())
def test_damaged_result(place: Path, case: Case) -> None:
    check_case(case, place)


def check_part(cases: st.SearchStrategy[Case], place: Path, part: int) -> None:
    """The cases of a part, which are others than those of any other part."""

    @seed(part)
    @generate(PART)
    @given(case=cases)
    def check(case: Case) -> None:
        check_case(case, place)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 21))
def test_many_mutated_files(place: Path, part: int) -> None:
    check_part(model_cases(), place, part)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 13))
def test_many_strange_command_lines(place: Path, part: int) -> None:
    check_part(command_cases(), place, part)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 9))
def test_many_damaged_results(place: Path, part: int) -> None:
    check_part(result_cases(), place, part)


@pytest.mark.parametrize("override", ["sprocket.centre=[1e7,0.5]", "links.pitch=1e-9", "description=[1"])
def test_process_with_little_memory(place: Path, override: str) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))

    words = [sys.executable, "-m", "grouser", "check", "m113", "--set", override]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=3 * SOON, preexec_fn=limit)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error: ")
