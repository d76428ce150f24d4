"""What commands have in common that make many runs: checks of their options, and what they tell."""

from __future__ import annotations

from pathlib import Path

from grouser.cli.interrupt import find_stop_code, say_stop
from grouser.cli.report import say_note
from grouser.errors import ModelError
from grouser.result.target import check_name


def check_workers(workers: int | None, scheduler: str | None) -> None:
    """Refuse options that no cluster can follow."""
    if workers is not None and workers < 1:
        raise ModelError(f"--workers is {workers}; it must be at least 1")
    if workers is not None and scheduler is not None:
        raise ModelError(
            "--workers is for a cluster on this machine; the one of --scheduler has its own: leave one out"
        )


def choose_folder(path: Path, out: Path | None, suffix: str) -> Path:
    """The folder for the runs of a file: the one that is given, or that of the file's name with another suffix."""
    folder = path.with_suffix(suffix) if out is None else out
    check_name(folder, "--out")
    return folder


def say_dashboard(address: str) -> None:
    """Tell where Dask shows what it does."""
    say_note(f"Dask's dashboard: {address}")


def say_interrupted(made: str) -> int:
    """Tell that the user ended it after so many runs; gives the exit code."""
    say_note(f"{say_stop()} after {made}; they are kept, and the same command goes on")
    return find_stop_code()
