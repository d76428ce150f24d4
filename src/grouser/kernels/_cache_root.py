"""The folder of all compiled code: `GROUSER_CACHE_DIR`, the user's cache folder, or a temporary one."""

from __future__ import annotations

import getpass
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

KEEP_DAYS = 30
"""Folders that were not used for so long are removed."""


def find_cache_root() -> Path:
    """Folder of all caches: `GROUSER_CACHE_DIR`, or the user's cache folder."""
    if "GROUSER_CACHE_DIR" in os.environ:
        return Path(os.environ["GROUSER_CACHE_DIR"])
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "grouser" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "grouser"


def _make_cache_root() -> Path:
    """The folder of all units: the cache root, or for want of it one in the temporary folder."""
    try:
        return _make_folder(find_cache_root())
    except (OSError, RuntimeError) as error:  # RuntimeError: nobody knows the user's home
        reason = error
    root = Path(tempfile.gettempdir()) / f"grouser-cache-{getpass.getuser() if os.name == 'nt' else os.getuid()}"
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        # compiled code is run, so nobody else may have put it there
        if os.name != "nt" and (root.is_symlink() or root.stat().st_uid != os.getuid()):
            raise PermissionError(f"{root} belongs to another user")
        folder = _make_folder(root)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="grouser-cache-"))
    logging.getLogger("grouser").warning(
        f"the cache of compiled code cannot be written ({reason}): it goes to {folder}; set GROUSER_CACHE_DIR to a "
        "folder that can be written"
    )
    return folder


def _make_folder(root: Path) -> Path:
    """A root that can be written; folders of units that were not used for `KEEP_DAYS` are removed."""
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=root):
        pass  # it can be written
    oldest = time.time() - KEEP_DAYS * 86400
    for other in root.iterdir():
        if other.is_dir() and "-numba" in other.name and other.stat().st_mtime < oldest:
            shutil.rmtree(other, ignore_errors=True)
    return root


CACHE_ROOT = _make_cache_root()
