"""Compiled code on disk, not taken on trust.

Numba reads its index and its code as they lie there: an index that is empty or cut off ends every run, and code that is
damaged would be run. Here a file that cannot be read, or whose checksum is wrong, is told, left aside and made anew.
Code goes to files that no other process can have chosen, since two that compile at the same time would otherwise take
the same name for different code. An index is written whole, so each choice of argument types has an index of its own:
of two processes that save the same kernel for different types, the later one would drop the entry of the other. A disk
that is full costs the time to compile, not the run. Beside the code of a unit lie the stages that it calls.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import uuid
from contextlib import suppress
from copy import copy

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from grouser.kernels._stage import find_calls

DIGEST_SIZE = hashlib.sha256().digest_size
_full: set[str] = set()
"""Folders of which it was told that they cannot be written."""


class DamagedError(Exception):
    """A file of the cache is not what was written."""


class _CheckedFile(IndexDataCacheFile):
    """Indices and code of a kernel; code has a checksum before its content."""

    def save(self, key, data):
        """Write code, and the index of its types."""
        self._choose_index(key)
        super().save(key, data)

    def load(self, key):
        """Read code; None where there is none."""
        self._choose_index(key)
        return super().load(key)

    def has(self, key):
        """Whether there is code, damaged or not."""
        other = copy(self)  # it may be asked for while something else is being saved
        other._choose_index(key)
        name = other._load_index().get(key)
        return name is not None and os.path.exists(self._data_path(name))

    def _choose_index(self, key):
        """The index of these types of arguments. Compiling is done by one thread at a time, and so is this."""
        types = hashlib.sha256(repr(key).encode()).hexdigest()[:12]
        self._index_path = self._data_path(self._index_name.replace(".nbi", f".{types}.nbi"))

    def _load_index(self):
        try:
            return super()._load_index()
        except Exception as error:  # damaged, pickle raises almost anything
            _tell(f"the index {self._index_path} of compiled code is damaged ({_say(error)})")
            with suppress(OSError):
                os.unlink(self._index_path)
            return {}

    def _load_data(self, name):
        with open(self._data_path(name), "rb") as file:
            content = file.read()
        digest, content = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
        if hashlib.sha256(content).digest() != digest:
            raise DamagedError(self._data_path(name))
        return pickle.loads(content)

    def _save_data(self, name, data):
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def _data_name(self, number):
        return super()._data_name(number).replace(".nbc", f".{uuid.uuid4().hex[:8]}.nbc")


class _UnitWithCalls(CompileResultCacheImpl):
    """What is kept of a unit: numba's, and which stages it calls."""

    def reduce(self, data):
        """What is written."""
        return super().reduce(data), find_calls(data.library)

    def rebuild(self, target_context, payload):
        """Code from what was read."""
        plain, calls = payload
        result = super().rebuild(target_context, plain)
        find_calls(result.library).update(calls)
        return result


class CheckedCache(FunctionCache):
    """The cache of a kernel."""

    _impl_class = _UnitWithCalls

    def __init__(self, py_func):
        super().__init__(py_func)
        plain = self._cache_file
        self._cache_file = _CheckedFile(
            plain._cache_path, plain._index_name.removesuffix(".nbi"), source_stamp=plain._source_stamp
        )

    def has_overload(self, sig, target_context):
        """Whether compiled code lies on disk."""
        return self._cache_file.has(self._index_key(sig, target_context.codegen()))

    def load_overload(self, sig, target_context):
        """The compiled code, or None where it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except DamagedError as error:
            _tell(f"the compiled code {error} is damaged")
        except Exception as error:  # whole, but not to be used
            _tell(f"compiled code in {self.cache_path} cannot be read ({_say(error)})")
        return None

    def save_overload(self, sig, data):
        """Write compiled code, if there is room for it."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if self.cache_path not in _full:
                logging.getLogger("grouser").warning(
                    f"compiled code cannot be kept in {self.cache_path} ({_say(error)}), so every run compiles it "
                    "again: make room, or set GROUSER_CACHE_DIR to a folder that has"
                )
            _full.add(self.cache_path)


def _say(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _tell(what: str) -> None:
    logging.getLogger("grouser").warning(f"{what}: it is compiled again")
