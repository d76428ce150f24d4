"""A run may be killed at any moment: what it had stored must be readable, whole and right."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time as clock

import numpy as np
import pytest

from grouser.result.result import load_result

ROUNDS = 8
WRITE_FOREVER = """
import sys
from itertools import count
from pathlib import Path
import numpy as np
from grouser.result.writer import Block, ResultWriter

items = tuple(f"body{i}" for i in range(150))
blocks = [Block("body", "position", items, ("x", "y", "z"), "m"), Block("link", "tension", items, ("value",), "N")]
blocks += [Block("energy", f"e{i}", ("energy",), ("value",), "J") for i in range(10)]
writer = ResultWriter(
    Path(sys.argv[1]), header={"note": "x" * 300_000}, blocks=blocks, flush_every=float(sys.argv[2])
)
print("ready", flush=True)
for frame in count():
    time = 0.01 * frame
    writer.add_frames([time], {b.name: np.full((1, *b.shape), time) for b in blocks})
    if frame % 5 == 0:
        writer.add_event(time, "tick", f"body{frame}", "a message of some length " * 8)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_killed_run_leaves_a_readable_file(tmp_path, number):
    path = tmp_path / "killed.h5"
    # every other round writes to disk with every frame, so that the kill comes in the middle of a write
    flush_every = 0.0 if number % 2 else 0.05
    command = [sys.executable, "-c", WRITE_FOREVER, str(path), str(flush_every)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        started = clock.monotonic()
        clock.sleep(0.2 + 0.2 * random.Random(number).random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        lasted = clock.monotonic() - started
    with load_result(path) as result:
        assert result.status == "partial"
        frames = len(result.time)
        assert frames > 0, f"nothing was stored in {lasted:.2f} s"
        np.testing.assert_array_equal(result.time, 0.01 * np.arange(frames))
        for name in ("body/position", "link/tension", "energy/e0", "energy/e9"):
            values, _ = result.block(name)
            assert (values == result.time[:, None, None]).all(), name
        # events are written at once; the last may have been cut off
        assert [event.time for event in result.events][: frames // 5] == [
            0.01 * i for i in range(0, 5 * (frames // 5), 5)
        ]
        assert len(result.header["note"]) == 300_000
