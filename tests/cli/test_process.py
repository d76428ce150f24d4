"""Processes: Ctrl-C, kill, a terminal, and what is imported."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grouser.result.result import load_result

GROUSER = [sys.executable, "-m", "grouser"]
LONG = ["run", "pendulum.yaml", "--duration", "50000", "--out", "long.h5"]
PATIENCE = 60.0
"""Longest wait for a process, compiling included [s]."""


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*GROUSER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_line(process: subprocess.Popen[str], word: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if word in line:
            return
    pytest.fail(f"the process never said {word!r}")


def test_interrupted_run_keeps_its_data(place: Path) -> None:
    process = start(*LONG, "--json")
    wait_for_line(process, "running")
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "stopped by the user" in err
    assert json.loads(out)["status"] == "interrupted"
    with load_result(place / "long.h5") as result:
        assert result.status == "interrupted"
        assert len(result.time) > 1
        assert result.summary["simulated_time"] == pytest.approx(result.time[-1])


@pytest.mark.parametrize("times", [1, 2])
def test_interrupt_while_settling_ends_cleanly(place: Path, times: int) -> None:
    # so small a step that settling would go on for minutes
    process = start(*LONG, "--settle", "--step", "2e-7", "--json")
    wait_for_line(process, "settling")
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "stopped by the user while settling" in err
    assert json.loads(out)["status"] == "interrupted"


def test_killed_run_can_be_read_to_within_the_last_second(place: Path) -> None:
    process = start(*LONG)
    wait_for_line(process, "running")
    time.sleep(1.0)
    with load_result(place / "long.h5") as result:
        a_second_before = result.time[-1]
    time.sleep(1.0)
    process.kill()
    process.communicate(timeout=PATIENCE)
    with load_result(place / "long.h5") as result:
        assert result.status == "partial"
        assert result.time[-1] > a_second_before
        assert len(result["rod.position"]) == len(result.time)
    done = subprocess.run([*GROUSER, "info", "long.h5", "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["status"] == "partial"


def test_terminal_gets_a_bar(place: Path) -> None:
    ours, theirs = pty.openpty()
    words = ["run", "pendulum.yaml", "--duration", "200", "--json"]
    process = subprocess.Popen(
        [*GROUSER, *words], stdout=subprocess.PIPE, stderr=theirs, env=os.environ | {"TERM": "xterm"}
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # how a terminal says that the other side has closed
        pass
    finally:
        os.close(ours)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert json.loads(out)["status"] == "done"
    assert re.search(rb"running.* of 200\.00 s, real-time factor \d+\.\d+, .* left", shown)


def find_imports(code: str) -> set[str]:
    """Modules that are loaded after some code."""
    program = f"{code}\nimport sys; print('MODULES', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("MODULES")[2].split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["list"], ["list", "--json"], ["run", "--help"]])
def test_light_commands_import_nothing_heavy(words: list[str]) -> None:
    loaded = find_imports(f"from grouser.cli.app import main; main({words})")
    assert not loaded & {"numba", "matplotlib", "pandas", "scipy", "h5py"}


def test_import_of_the_package_is_light() -> None:
    loaded = find_imports("import grouser; grouser.GrouserError")
    assert not loaded & {"numba", "matplotlib", "pandas", "scipy", "h5py", "numpy", "pydantic", "typer", "rich"}


def test_every_public_name_is_there() -> None:
    code = "import grouser as gr; assert all(getattr(gr, name) is not None for name in gr.__all__), gr.__all__"
    assert "grouser.simulate" in find_imports(code)


@pytest.mark.parametrize(
    "first", ["import grouser.simulate", "from grouser.simulate import prepare", "import grouser.cli.run", "pass"]
)
def test_simulate_is_the_function_whatever_was_imported_before(first: str) -> None:
    code = f"{first}\nimport grouser as gr\nfrom grouser import simulate\nassert gr.simulate is simulate"
    find_imports(f"{code}\nassert gr.simulate.__name__ == 'simulate' and callable(gr.settle), gr.simulate")


def test_unknown_name_is_an_attribute_error() -> None:
    import grouser

    with pytest.raises(AttributeError, match="simulat"):
        _ = grouser.simulat  # type: ignore[attr-defined]
