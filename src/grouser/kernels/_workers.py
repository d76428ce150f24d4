"""Several processes compile what a run needs, before its first step.

An entry is compiled when it is first called, with arguments that are at hand: so it is known which tables have rows,
and which of the stages that it can reach the run will call (`rows` of a stage). Those that do not lie on disk are
shared out: this process compiles the entry and then one stage after the other, and so do others that it starts for the
time being (`_worker.py`). They meet in the cache. What a unit calls becomes known while it is compiled, long before its
machine code is there, so the others have work early.

Whatever goes wrong with another process, this one does without it: a stage that is still missing is compiled when it is
called, as ever. Each of the others is served by a thread, which only waits; numba is used by the calling thread alone.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from typing import Any

from numba.core import event

from grouser.kernels._cache_root import CACHE_ROOT
from grouser.kernels._garbage import without_collection
from grouser.kernels._packed import Packed
from grouser.kernels._stage import Call, announce, find_calls, load_stage

MOST_PROCESSES = 4
"""Processes that compile, at most: the largest unit takes about a third of the time of all, so more do not help."""
LOOK_EVERY = 0.05
"""Time between two looks at what others have done [s]."""
PATIENCE = 120.0
"""Time after which it is not waited any longer for a process that does not answer [s]."""
PROGRAM = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from grouser.kernels._worker import main; main()"
)

Report = Callable[[int, int], None]
"""Called with the number of units that have been compiled, and of those that are known to be needed."""
_report: ContextVar[Report | None] = ContextVar("report", default=None)


@contextmanager
def report_compiling(report: Report | None) -> Iterator[None]:
    """Have it told what is compiled while the block is open; from the thread that waits for it."""
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


def find_process_count() -> int:
    """Processes that compile at the same time: `GROUSER_COMPILE_PROCESSES`, or as many as there are cores."""
    wanted = os.environ.get("GROUSER_COMPILE_PROCESSES", "")
    if wanted.isdecimal():
        return max(1, int(wanted))
    parent = sys.modules.get("multiprocessing.process")
    if not sys.executable or getattr(sys, "frozen", False) or (parent and parent.parent_process() is not None):
        return 1  # no Python to start, or one of many processes that share the cores already
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_PROCESSES)


def compile_together(dispatcher: Any, compile_entry: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Compile an entry for its arguments, and the stages that it will call; what `compile_entry` returns."""
    records = (one.table for one in arguments if isinstance(one, Packed))
    equations = next((record for record in records if hasattr(record, "tables")), None)
    if equations is None:
        return compile_entry(*arguments)
    types = tuple(dispatcher.typeof_pyval(one) for one in arguments)
    with without_collection(), Workers(equations, find_process_count()) as workers:
        is_missing = not dispatcher._cache.has_overload(types, dispatcher.targetctx)
        if is_missing:
            workers.begin()
        entry = compile_entry(*arguments)
        workers.made += is_missing
        for call in find_calls(dispatcher.overloads[types].library).values():
            workers.add(call)
        workers.finish()
    return entry


class Workers(event.Listener):
    """Units that a run needs, and who compiles them.

    Attributes
    ----------
    made, total : number of units that have been compiled, and of those that are known to be needed
    """

    def __init__(self, equations: Any, count: int) -> None:
        self.made = self.total = 0
        self._equations, self._most_others = equations, count - 1
        self._known: set[tuple[str, str, str]] = set()
        self._to_load: list[Call] = []
        self._missing: deque[Call] = deque()
        self._under_way = 0  # by others
        self._change, self._is_over = threading.Condition(), False
        self._threads: list[threading.Thread] = []
        self._processes: list[subprocess.Popen[bytes]] = []
        self._thread, self._told = threading.get_ident(), (0, 0)
        self._scope = ExitStack()

    def __enter__(self) -> Workers:
        token = announce.set(self.add)
        self._scope.callback(announce.reset, token)
        self._scope.enter_context(event.install_listener("numba:compile", self))
        return self

    def __exit__(self, *cause: object) -> None:
        self._scope.close()
        with self._change:
            self._is_over = True
            self._change.notify_all()
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()

    def on_start(self, event: Any) -> None:
        """Nothing."""

    def on_end(self, event: Any) -> None:
        """A kernel is compiled, of which a unit has many: a moment to tell what the others have done."""
        if threading.get_ident() == self._thread:
            self.report()

    def report(self) -> None:
        """Tell how many units there are, if it has changed."""
        report, now = _report.get(), (self.made, self.total)
        if report is not None and now != self._told:
            self._told = now
            report(*now)

    def begin(self) -> None:
        """The entry is missing: stages will be, too. So another process can start meanwhile."""
        self.total = 1
        self.report()
        self._start()

    def add(self, call: Call) -> None:
        """A stage that may be needed, from the thread that compiles."""
        stage, arguments = load_stage(call.identity)
        self._add(call, is_made=stage.is_made(arguments))

    def _add(self, call: Call, *, is_made: bool) -> None:
        with self._change:
            stage = getattr(import_module(call.module), call.name)
            if call.key in self._known or not stage.is_called(self._equations):
                return
            self._known.add(call.key)
            if is_made:
                self._to_load.append(call)
                return
            self._missing.append(call)
            self.total += 1
            self._change.notify_all()
            if len(self._threads) < len(self._missing):
                self._start()

    def _start(self) -> None:
        """Start another process, if there may be one more."""
        if len(self._threads) < self._most_others:
            self._threads.append(threading.Thread(target=self._serve, daemon=True))
            self._threads[-1].start()

    def finish(self) -> None:
        """Compile and load until nothing is missing."""
        deadline = time.monotonic() + PATIENCE
        while self._to_load or self._missing or (self._under_way and time.monotonic() < deadline):
            self.report()
            if self._to_load:
                self._make(self._to_load.pop())
                continue
            with self._change:
                call = self._missing.popleft() if self._missing else None
                if call is None:
                    self._change.wait(LOOK_EVERY)
            if call is not None:
                self._make(call)
                self.made += 1
                deadline = time.monotonic() + PATIENCE
        self.report()

    def _make(self, call: Call) -> None:
        """Load or compile a stage here. One that cannot be compiled is told where it is called."""
        stage, arguments = load_stage(call.identity)
        with suppress(Exception):
            stage.find_address(arguments)
            for other in stage.list_calls(arguments):
                self.add(other)

    def _serve(self) -> None:
        """Start another process, and hand it one stage after the other."""
        with suppress(Exception), start_process() as process:
            self._processes.append(process)
            try:
                pickle.load(process.stdout)  # type: ignore[arg-type] # it is ready
                while (call := self._take()) is not None:
                    self._hand_over(call, process)
            finally:
                process.kill()

    def _take(self) -> Call | None:
        """Wait for a stage that another process may compile; None at the end."""
        with self._change:
            while not self._missing and not self._is_over:
                self._change.wait()
            if self._is_over:
                return None
            self._under_way += 1
            return self._missing.popleft()

    def _hand_over(self, call: Call, process: Any) -> None:
        """Have a stage compiled. If the process is lost, it goes back to those that are missing."""
        is_done = False
        try:
            pickle.dump(call.identity, process.stdin)
            process.stdin.flush()
            while (message := pickle.load(process.stdout)) is not None:
                self._add(message[0], is_made=message[1])
            is_done = True
        finally:
            with self._change:
                self._under_way -= 1
                self.made += is_done
                if not is_done:
                    self._missing.appendleft(call)
                self._change.notify_all()


def start_process() -> subprocess.Popen[bytes]:
    """Another process that compiles, with the same modules and the same cache as this one."""
    words = [sys.executable, "-I", *["-O"] * sys.flags.optimize, "-c", PROGRAM]
    environment = os.environ | {"GROUSER_CACHE_DIR": str(CACHE_ROOT)}
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=nothing, env=environment)
    pickle.dump(sys.path, process.stdin)  # type: ignore[arg-type]
    process.stdin.flush()  # type: ignore[union-attr]
    return process
