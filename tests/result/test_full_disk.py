"""A disk that is full: what was stored can be read, the message is a sentence, and the process ends as it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import ResultError
from grouser.result.result import load_result
from grouser.result.writer import Block, ResultWriter

resource = pytest.importorskip("resource")

WRITE = """
import resource, sys
from itertools import count
from pathlib import Path
import numpy as np
from grouser.errors import ResultError
from grouser.result.writer import Block, ResultWriter

items = tuple(f"body{i}" for i in range(150))
blocks = [Block("body", "position", items, ("x", "y", "z"), "m"), Block("link", "tension", items, ("value",), "N")]
path, most, flush_every = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
writer = ResultWriter(path, header={}, blocks=blocks, flush_every=flush_every)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + most,) * 2)
stored = 0
try:
    for frame in count():
        writer.add_frames([0.01 * frame], {b.name: np.full((1, *b.shape), 0.01 * frame) for b in blocks})
        stored = frame + 1
        if frame % 7 == 0:
            writer.add_event(0.01 * frame, "tick", "body0", "a sentence of some length " * 20)
except ResultError as error:
    print(stored, str(error), flush=True)
"""
"""Writes until no more can be written: no file of the process may grow beyond a size."""


@pytest.mark.parametrize("most", [0, 1, 5_000, 100_000, 131_072, 200_001, 500_000, 1_000_000, 3_000_000])
@pytest.mark.parametrize("flush_every", [0.0, 0.01])
def test_a_run_on_a_full_disk_keeps_what_it_stored(tmp_path: Path, most: int, flush_every: float) -> None:
    path = tmp_path / "run.h5"
    command = [sys.executable, "-c", WRITE, str(path), str(most), str(flush_every)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    count, _, said = done.stdout.partition(" ")
    assert "run.h5 cannot be written any more (File too large): look for a full disk" in said
    with load_result(path) as result:
        assert result.status == "partial"
        frames = len(result.time)
        if flush_every == 0.0:
            assert frames >= int(count)
        np.testing.assert_array_equal(result.time, 0.01 * np.arange(frames))
        for name in ("body/position", "link/tension"):
            assert (result.block(name)[0] == result.time[:, None, None]).all()
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


CREATE = """
import resource, sys
from pathlib import Path
from grouser.errors import ResultError
from grouser.result.writer import Block, ResultWriter

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    ResultWriter(Path(sys.argv[1]), header={}, blocks=[Block("link", "tension", ("a",), ("value",), "N")])
except ResultError as error:
    print(error)
"""


@pytest.mark.parametrize("most", [1, 100, 2000])
def test_an_earlier_result_outlives_a_disk_that_has_no_room_for_the_next(tmp_path: Path, most: int) -> None:
    path = tmp_path / "run.h5"
    with ResultWriter(path, header={}, blocks=[Block("link", "tension", ("a",), ("value",), "N")]) as writer:
        writer.add_frames([0.0], {"link/tension": np.ones((1, 1, 1))})
        writer.finish("done").close()
    before = path.read_bytes()
    command = [sys.executable, "-c", CREATE, str(path), str(most)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "run.h5 cannot be written (File too large)" in done.stdout
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


def test_a_writer_that_gave_up_takes_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import h5py

    writer = ResultWriter(
        tmp_path / "run.h5", header={}, blocks=[Block("link", "tension", ("a",), ("value",), "N")], flush_every=0.0
    )

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("Unable to flush dataset (file write failed: errno = 28, error message = 'No space left')")

    monkeypatch.setattr(h5py.Dataset, "flush", fail)
    with pytest.raises(ResultError, match=r"any more \(No space left\)"):
        writer.add_frames([0.0], {"link/tension": np.ones((1, 1, 1))})
    with pytest.raises(ResultError, match="finished"):
        writer.add_frames([1.0], {"link/tension": np.ones((1, 1, 1))})
    writer.close()
