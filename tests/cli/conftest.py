"""A small model, the files of a run, and the command line in this process."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import pytest
from command_case import PENDULUM, Outcome, Run

from grouser.cli.app import main


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, its result, a saved state, and files that are none of these."""
    folder = tmp_path_factory.mktemp("stock")
    model = folder / "pendulum.yaml"
    model.write_text(PENDULUM)
    result, state = folder / "result.h5", folder / "state.npz"
    words = ["run", model, "--duration", "0.2", "--out", result, "--save-initial", state, "--quiet"]
    assert main([str(word) for word in words]) == 0
    content = result.read_bytes()
    (folder / "truncated.h5").write_bytes(content[: len(content) // 2])
    (folder / "empty.h5").write_bytes(b"")
    (folder / "text.h5").write_text("no result\n")
    (folder / "note.txt").write_text("mine\n")
    (folder / "empty.yaml").write_text("")
    (folder / "latin.yaml").write_bytes(b"name: M\xe4rder\n")
    with h5py.File(folder / "other.h5", "w") as file:
        file["x"] = 1.0
    (folder / "folder").mkdir()
    return folder


@pytest.fixture
def place(stock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a copy of the stock."""
    shutil.copytree(stock, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(place: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in the working folder."""

    def run_words(*words: str) -> Outcome:
        capfd.readouterr()
        code = main(words)
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run_words
