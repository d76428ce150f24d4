"""Compiled code on disk that is damaged, or for which there is no room: it is told, and made anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = """
from grouser.kernels._jit import kernel

@kernel(entry=True)
def add_one(number):
    return number + 1

print(add_one(1), add_one.stats.cache_hits[add_one.signatures[0]] if add_one.stats.cache_hits else 0)
"""


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": cut,
    "other": lambda path: path.write_bytes(b"dear diary"),
    "flipped": flip,
}


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with one kernel."""
    path = tmp_path_factory.mktemp("program") / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def whole(program: Path) -> Path:
    """The cache of the program after two runs."""
    cache = program.with_name("cache")
    run = make_run(program, cache)
    first = run()
    assert (first.returncode, first.stdout, first.stderr) == (0, "2 0\n", "")
    assert run().stdout == "2 1\n"
    return cache


def make_run(program: Path, cache: Path) -> Run:
    """What runs the program with a cache of its own."""
    environment = os.environ | {"GROUSER_CACHE_DIR": str(cache)}

    def start(before: str = "") -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", f"{before}\nimport runpy; runpy.run_path({str(program)!r})"]
        return subprocess.run(words, check=False, capture_output=True, text=True, env=environment)

    return start


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_what_is_damaged_is_made_anew(program: Path, whole: Path, tmp_path: Path, suffix: str, damage: str) -> None:
    shutil.copytree(whole, tmp_path / "cache")
    run = make_run(program, tmp_path / "cache")
    files = list((tmp_path / "cache").rglob(f"*.{suffix}"))
    assert len(files) == 1
    DAMAGES[damage](files[0])
    again = run()
    assert (again.returncode, again.stdout) == (0, "2 0\n"), again.stderr
    if (suffix, damage) != ("nbi", "flipped"):  # an index may still name the code
        assert len(again.stderr.splitlines()) == 1 and "is compiled again" in again.stderr
    healed = run()
    assert (healed.stdout, healed.stderr) == ("2 1\n", "")


def test_a_full_disk_does_not_end_the_run(program: Path, tmp_path: Path) -> None:
    pytest.importorskip("resource")
    run = make_run(program, tmp_path / "cache")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))"
    done = run(limit)
    assert (done.returncode, done.stdout) == (0, "2 0\n"), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be kept in" in done.stderr and "GROUSER_CACHE_DIR" in done.stderr
    assert run().stdout == "2 0\n"
    assert run().stdout == "2 1\n"
