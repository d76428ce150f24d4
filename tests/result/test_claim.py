"""One run at a time writes to a result; whoever comes second is told who is first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import ResultError
from grouser.result import writer
from grouser.result.claim import Claim
from grouser.result.result import load_result
from grouser.result.writer import Block, ResultWriter

BLOCKS = [Block("link", "tension", ("a",), ("value",), "N")]
WRITE = """
import sys
from pathlib import Path
import numpy as np
from grouser.errors import ResultError
from grouser.result.writer import Block, ResultWriter

value, path = float(sys.argv[1]), Path(sys.argv[2])
try:
    writer = ResultWriter(path, header={}, blocks=[Block("link", "tension", ("a",), ("value",), "N")])
except ResultError as error:
    print(error, flush=True)
    sys.exit(2)
print("ready", flush=True)
sys.stdin.readline()
writer.add_frames([0.0, 1.0], {"link/tension": np.full((2, 1, 1), value)})
print(writer.finish("done")["a.tension"][-1])
"""


def start(path: Path, value: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITE, str(value), str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def write(path: Path, value: float) -> None:
    with ResultWriter(path, header={}, blocks=BLOCKS) as writer:
        writer.add_frames([0.0], {"link/tension": np.full((1, 1, 1), value)})
        writer.finish("done").close()


def test_of_two_runs_started_together_one_writes_and_the_other_is_told_who(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    processes = {value: start(path, value) for value in (1.0, 2.0, 3.0)}
    said = {value: process.stdout.readline() for value, process in processes.items() if process.stdout}
    winners = [value for value, line in said.items() if line == "ready\n"]
    assert len(winners) == 1, said
    winner = winners[0]
    for value, process in processes.items():
        out, _ = process.communicate("go\n" if value == winner else "")
        if value == winner:
            assert out == f"{winner}\n"
        else:
            assert process.returncode == 2
            assert f"is being written by process {processes[winner].pid} on " in said[value]
    with load_result(path) as result:
        assert result["a.tension"].tolist() == [winner, winner]
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_a_look_at_the_file_while_it_is_opened_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of another run, which finds out that this one writes: it locks the file for an instant."""
    import fcntl

    path = tmp_path / "run.h5"
    opened = writer.open_to_append

    def look_and_open(place: Path) -> object:
        reader = place.open("rb")
        fcntl.flock(reader, fcntl.LOCK_SH)
        threading.Timer(0.1, reader.close).start()
        return opened(place)

    monkeypatch.setattr(writer, "open_to_append", look_and_open)
    write(path, 3.0)
    with load_result(path) as result:
        assert result["a.tension"].tolist() == [3.0]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    process = start(path, 1.0)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    write(path, 5.0)
    with load_result(path) as result:
        assert result["a.tension"].tolist() == [5.0]
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


def test_a_second_run_of_the_same_process_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with Claim(path):
        with pytest.raises(ResultError, match=f"process {os.getpid()} "):
            Claim(path)
        (tmp_path / "link.h5").symlink_to(path)
        with pytest.raises(ResultError, match=f"process {os.getpid()} "):
            Claim(tmp_path / "link.h5")
    write(path, 1.0)


def test_a_run_that_raised_lets_the_file_go_with_what_it_had(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with pytest.raises(ValueError, match="mine"), ResultWriter(path, header={}, blocks=BLOCKS, flush_every=1e9) as one:
        one.add_frames([0.0], {"link/tension": np.full((1, 1, 1), 7.0)})
        raise ValueError("mine")
    with load_result(path) as result:
        assert result.status == "partial"
        assert result["a.tension"].tolist() == [7.0]
    write(path, 1.0)


def test_the_result_of_another_is_not_taken_for_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    writer = ResultWriter(path, header={}, blocks=BLOCKS)
    writer.add_frames([0.0], {"link/tension": np.full((1, 1, 1), 7.0)})
    path.rename(tmp_path / "moved.h5")
    path.write_bytes((tmp_path / "moved.h5").read_bytes())
    with pytest.raises(ResultError, match="moved, removed or replaced"):
        writer.finish("done")
    with load_result(tmp_path / "moved.h5") as result:
        assert result.status == "done"
