"""Files that commands write: nothing is lost by mistake, and nothing half is left on a full disk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from command_case import Run

resource = pytest.importorskip("resource")

OUTPUTS = {
    "state": "settle pendulum.yaml --out {}.npz",
    "initial state": "run pendulum.yaml --duration 0.1 --out made.h5 --save-initial {}.npz",
    "report of a run": "run pendulum.yaml --duration 0.1 --out made.h5 --report {}.html",
    "report": "report result.h5 --out {}.html",
    "schema": "schema model --out {}.json",
    "table of wheels": "kinematics hmmwv --points 9 --out {}.csv",
    "figure of wheels": "kinematics hmmwv --points 3 --plot {}.png",
    "picture": "render result.h5 --size 160x120 --out {}.png",
    "movie": "render result.h5 --size 160x120 --fps 60 --out {}.mp4",
    "figure": "plot result.h5 --out {}.png",
    "figure as svg": "plot result.h5 --out {}.svg",
    "figure as pdf": "plot result.h5 --out {}.pdf",
    "csv": "export result.h5 --to {}.csv",
    "parquet": "export result.h5 --to {}.parquet",
    "mat": "export result.h5 --to {}.mat",
    "rsp": "export result.h5 --to {}.rsp",
    "glb": "export result.h5 --to {}.glb",
    "vehicle": "new {}.yaml",
    "result": "run pendulum.yaml --duration 0.1 --out {}.h5",
}
"""Command lines that write a file, by what it is."""
MOST = 1500
"""Bytes that a file may have on the disk that is full."""
ROOM = {"report of a run": 2**20}
"""The same where a smaller file, the result, must have room before."""
NEEDS = {"movie": "imageio_ffmpeg", "parquet": "pyarrow"}
OTHERS = {"schema", "table of wheels", "csv", "parquet", "mat", "rsp", "vehicle"}
"""Kinds that cannot be told from files of others; of all the rest an earlier file may be replaced."""


@pytest.fixture(params=OUTPUTS)
def what(request: pytest.FixtureRequest) -> str:
    if request.param in NEEDS:
        pytest.importorskip(NEEDS[request.param])
    return request.param


def find_target(what: str, stem: str) -> tuple[list[str], Path]:
    words = OUTPUTS[what].format(stem).split()
    return words, Path(next(word for word in words if word.startswith(f"{stem}.")))


def test_a_file_of_others_is_replaced_by_force_only(run: Run, what: str) -> None:
    words, target = find_target(what, "mine")
    target.write_text("dear diary")
    outcome = run(*words)
    assert outcome.code == 2, outcome.err
    assert f"{target} is there already" in outcome.err and "--force" in outcome.err
    assert target.read_text() == "dear diary"
    os.chmod(target, 0o640)
    outcome = run(*words, "--force")
    assert outcome.code == 0, outcome.err
    assert target.read_bytes()[:10] != b"dear diary"
    assert target.stat().st_mode & 0o777 == 0o640
    assert run(*words).code == (2 if what in OTHERS else 0)


def test_a_disk_that_is_full_leaves_what_was_there(run: Run, what: str) -> None:
    if what in ("result", "initial state"):
        pytest.skip("results are tested in test_full_disk.py, and states by 'settle'")
    words, target = find_target(what, "mine")
    target.write_text("dear diary")
    before = {file.name for file in Path().iterdir()}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM.get(what, MOST), limits[1]))
    try:
        outcome = run(*words, "--force")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert outcome.code == 2, outcome.err
    assert f"{target} cannot be written (" in outcome.err
    assert "internal error" not in outcome.err and "Traceback" not in outcome.err
    assert target.read_text() == "dear diary"
    assert {file.name for file in Path().iterdir()} - {"made.h5"} == before


@pytest.mark.parametrize(
    "line",
    [
        "run pendulum.yaml --save-initial pendulum.yaml --force",
        "run pendulum.yaml --save-initial folder/../pendulum.yaml --force",
        "run pendulum.yaml --save-initial link.yaml --force",
        "run pendulum.yaml --initial state.npz --save-initial state.npz --force",
        "settle pendulum.yaml --out pendulum.yaml --force",
        "new m113.yaml --from ./m113.yaml --force",
    ],
)
def test_what_a_command_reads_is_never_replaced(run: Run, line: str) -> None:
    assert run("new", "m113.yaml").code == 0
    Path("link.yaml").symlink_to("pendulum.yaml")
    before = {file: file.read_bytes() for file in Path().iterdir() if file.is_file()}
    outcome = run(*line.split())
    assert outcome.code == 2
    assert "is a file that this command reads: choose another name" in outcome.err
    assert {file: file.read_bytes() for file in Path().iterdir() if file.is_file()} == before


def test_a_link_stays_a_link(run: Run) -> None:
    Path("shown.png").symlink_to("folder/real.png")
    assert run("plot", "result.h5", "--out", "shown.png").code == 0
    assert Path("shown.png").is_symlink()
    assert Path("folder/real.png").read_bytes()[1:4] == b"PNG"


def test_a_place_below_a_file_is_refused(run: Run, what: str) -> None:
    """As a folder in which nobody may write, but for the superuser too."""
    shutil.rmtree("folder")
    Path("folder").write_text("no folder")
    words, _ = find_target(what, "mine")
    outcome = run(*[f"folder/{word}" if word.startswith("mine.") else word for word in words])
    assert outcome.code == 2, outcome.err
    assert "the folder folder does not exist" in outcome.err
