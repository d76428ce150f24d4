"""The folder of the compiled code: where it can be written, and where it cannot."""

from __future__ import annotations

import gc
import logging
import os
import tempfile
from pathlib import Path

import numba
import pytest
from numba.core import event

from grouser.kernels import _cache_root, _garbage, _jit


@pytest.fixture
def blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder, while the cache folder cannot be made: a file stands in its way."""
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("GROUSER_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


def test_cache_goes_where_it_is_wished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUSER_CACHE_DIR", str(tmp_path / "cache"))
    assert _cache_root._make_cache_root() == tmp_path / "cache"


def test_cache_that_cannot_be_written_goes_to_the_temporary_folder(
    blocked: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "grouser"):
        folder = _cache_root._make_cache_root()
    assert folder.is_dir()
    assert folder.parent == blocked
    assert folder == _cache_root._make_cache_root()  # the next run finds it again
    message = caplog.messages[0]
    assert str(folder) in message and "GROUSER_CACHE_DIR" in message and "\n" not in message
    assert len(caplog.messages) == 2


@pytest.mark.skipif(os.name == "nt", reason="no user numbers")
def test_folder_of_another_user_is_not_trusted(blocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uid = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: uid)
    first, second = _cache_root._make_cache_root(), _cache_root._make_cache_root()
    assert first != second
    assert f"grouser-cache-{uid}" not in (first.name, second.name)


def test_no_garbage_is_looked_for_while_compiling() -> None:
    """Importing the decorator is enough."""
    assert _jit.kernel

    class Watch(event.Listener):
        def __init__(self) -> None:
            self.seen: list[bool] = []

        def on_start(self, event):
            self.seen.append(gc.isenabled())

        def on_end(self, event):
            pass

    assert gc.isenabled()
    with event.install_listener("numba:compile", Watch()) as watch:
        assert numba.njit(lambda number: number + 1)(1) == 2
    assert watch.seen == [False]
    assert gc.isenabled()


def test_what_compiling_leaves_is_not_gone_through_at_once() -> None:
    """Its objects are of the oldest generation afterwards, and none are lost."""
    with _garbage.without_collection():
        assert not gc.isenabled()
        kept = [[number] for number in range(10 * gc.get_threshold()[0])]
        assert gc.get_count()[0] > len(kept)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    assert len(gc.get_objects(generation=0)) < len(kept)
    assert gc.is_tracked(kept) and any(one is kept for one in gc.get_objects(generation=2))
