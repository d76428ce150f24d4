"""What may happen to a process from outside: signals, streams that are closed or full, letters that are missing."""

from __future__ import annotations

import json
import os
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
IS_LINUX = sys.platform.startswith("linux")


def run_shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command line of the shell, in which ``grouser`` is ours."""
    script = f'grouser() {{ "{sys.executable}" -m grouser "$@"; }}\n{line}'
    return subprocess.run(
        ["bash", "-c", script], check=False, capture_output=True, text=True, env=os.environ | environment
    )


def start_long(prefix: list[str] | None = None, **options: object) -> subprocess.Popen[str]:
    """A run that goes on for long, when it has stored frames."""
    process = subprocess.Popen([*(prefix or []), *GROUSER, *LONG], stderr=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload]
    assert process.stderr is not None
    for line in process.stderr:
        if "running" in line:
            break
    time.sleep(0.6)
    return process


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_a_signal_ends_a_run_and_keeps_its_data(place: Path, name: str, code: int) -> None:
    process = start_long()
    process.send_signal(getattr(signal, name))
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    who = "the user" if name == "SIGINT" else name
    assert f"stopped by {who} at " in err and "Traceback" not in err
    with load_result(place / "long.h5") as result:
        assert (result.status, result.message) == ("interrupted", f"stopped by {who}")
        assert result.summary["simulated_time"] == pytest.approx(result.time[-1])
    assert not [file.name for file in place.iterdir() if file.name.startswith(".")]


def test_a_run_outlives_its_terminal_under_nohup(place: Path) -> None:
    process = start_long(["env", "--ignore-signal=HUP"] if IS_LINUX else ["nohup"])
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 143


def test_a_signal_stops_other_commands_without_a_trace(place: Path) -> None:
    before = {file.name for file in place.iterdir()}
    words = ["render", "result.h5", "--size", "1600x1200", "--fps", "1000", "--out", "slow.mp4"]
    pytest.importorskip("imageio_ffmpeg")
    process = subprocess.Popen([*GROUSER, *words], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "rendering" in line:
            break
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in err) == (143, False), err
    assert {file.name for file in place.iterdir()} == before


def test_a_second_run_to_a_file_is_told_who_writes(place: Path) -> None:
    process = start_long()
    second = subprocess.run([*GROUSER, *LONG], check=False, capture_output=True, text=True, timeout=PATIENCE)
    assert second.returncode == 2
    assert f"long.h5 is being written by process {process.pid} on " in second.stderr
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    with load_result(place / "long.h5") as result:
        assert result.status == "interrupted"


def test_a_full_disk_ends_a_run_with_a_sentence(place: Path) -> None:
    done = run_shell(f"ulimit -f 10000; exec {sys.executable} -m grouser {' '.join(LONG)}")
    assert done.returncode == 2, done.stderr
    assert "long.h5 cannot be written any more (File too large)" in done.stderr.splitlines()[-1]
    with load_result(place / "long.h5") as result:
        assert result.status == "partial" and len(result.time) > 100


@pytest.mark.parametrize("line", ["run pendulum.yaml --duration 0.1", "plot result.h5", "info missing.h5"])
@pytest.mark.parametrize("where", ["2>&-", "2> /dev/full"])
def test_what_cannot_be_said_is_left_unsaid(place: Path, line: str, where: str) -> None:
    if "full" in where and not IS_LINUX:
        pytest.skip("there is no full device")
    done = run_shell(f"grouser {line} {where}")
    assert done.returncode == (2 if "missing" in line else 0)
    assert "Traceback" not in done.stdout and "wrote" not in done.stdout


@pytest.mark.skipif(not IS_LINUX, reason="there is no full device")
@pytest.mark.parametrize(
    "line", ["list", "info result.h5", "info result.h5 --json", "run pendulum.yaml --duration 0.1 --json", "schema"]
)
def test_output_to_a_full_device_is_one_error(place: Path, line: str) -> None:
    done = run_shell(f"grouser {line} > /dev/full")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == "error: stdout cannot be written (No space left on device): what was printed is not whole"
    assert "Traceback" not in done.stderr and "internal" not in done.stderr


def test_output_that_nobody_reads_is_no_error(place: Path) -> None:
    done = run_shell("set -o pipefail; grouser schema | true")
    assert (done.returncode, done.stderr) == (141, "")
    assert run_shell("grouser list >&-").returncode == 0


def test_letters_that_the_encoding_lacks_are_escaped(place: Path) -> None:
    (place / "Pendel-ä.yaml").write_text((place / "pendulum.yaml").read_text().replace("name: p", "name: ä-p"))
    for line in ("run Pendel-ä.yaml --duration 0.1 --out b.h5", "run Pendel-ä.yaml --duration 0.1 --json", "info b.h5"):
        done = run_shell(f"grouser {line}", PYTHONIOENCODING="ascii")
        assert done.returncode == 0, done.stderr
        assert "ä" not in done.stdout and "\\xe4" in done.stdout.replace("\\u00e4", "\\xe4")


def test_numbers_of_a_run_are_printed_though_stderr_is_closed(place: Path) -> None:
    done = run_shell("grouser run pendulum.yaml --duration 0.1 --json 2>&-")
    assert json.loads(done.stdout)["status"] == "done"
