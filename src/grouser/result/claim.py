"""A claim on the file of a result: one run at a time writes to it.

The claim is a lock on a file beside the result, ``.NAME.lock``, which tells who holds it. The system frees the lock
when a process ends in whatever way, so a claim of a dead process is none; a file that a kill left behind does no harm.
Where a system has no such locks (Windows), it lets nobody replace a file that is open.
"""

from __future__ import annotations

import os
import platform
import time as clock
from pathlib import Path
from types import TracebackType
from typing import IO

from grouser.errors import ResultError
from grouser.result.target import RESULT, check_target
from grouser.whole_file import make_write_error

try:
    import fcntl
except ImportError:  # pragma: no cover
    fcntl = None  # type: ignore[assignment]

PATIENCE = 1.0
"""How long to wait for a holder to write down who it is [s]."""


class Claim:
    """Holds the place of a result until it is released, or the process ends.

    Parameters
    ----------
    path : the result file; a place where none can be written is refused, and one that another run writes to. None for a
        result in memory, which nobody else can write to
    force : whether a file that is no result may be replaced
    """

    def __init__(self, path: Path | None, *, force: bool = False) -> None:
        self.path = path
        self._side: Path | None = None
        self._lock: IO[str] | None = None
        if path is None:
            return
        check_target(path, RESULT, force=force)
        place = path.resolve()
        self._side = place.with_name(f".{place.name}.lock")
        try:
            self._lock = take_lock(path, self._side, "result file")
        except OSError as error:
            raise make_write_error(path, "result file", error) from error

    def release(self) -> None:
        """Let others write there."""
        if self._lock is not None:
            assert self._side is not None
            self._side.unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Claim:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def take_lock(path: Path, side: Path, what: str) -> IO[str] | None:
    """The file beside a place, locked until it is closed; refused while another holds it. `what` names the place in
    messages."""
    if fcntl is None:
        return None
    until = clock.monotonic() + PATIENCE
    while True:
        file = side.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read()
            file.close()
            if holder or clock.monotonic() > until:
                raise ResultError(
                    f"{what} {path} is being written by {holder or 'another process'}: wait for it, stop it, or "
                    "choose another name"
                ) from None
            clock.sleep(0.01)
            continue
        if not _is_at(file, side):  # its last holder has removed it meanwhile
            file.close()
            continue
        try:
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}")
            file.flush()
        except OSError:
            side.unlink()
            raise
        return file


def _is_at(file: IO[str], path: Path) -> bool:
    """Whether an open file is the one that stands at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
