"""A process that compiles stages for another one (`_workers.py`), one after the other, into the cache that they share.

It is given identities of stages on its standard input, and answers on its standard output: a `Call` for each stage that
the code calls, as soon as that is known, with whether this one is there already; None when it is done. It ends with
its input, that is with the process that started it, whatever it is doing then: files of the cache appear whole or not
at all.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO

from numba.core.registry import cpu_target

from grouser.kernels._stage import Call, announce, load_stage


def main() -> None:
    """Take orders until there are no more."""
    gc.disable()  # as in the process that it serves
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal: the first one decides
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing else may write among them
    orders: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read_orders, args=(sys.stdin.buffer, orders), daemon=True).start()

    def tell(call: Call) -> None:
        stage, arguments = load_stage(call.identity)
        _answer(answers, (call, stage.is_made(arguments)))

    announce.set(tell)
    cpu_target.target_context.refresh()  # numba loads a lot for it, best before there are orders
    _answer(answers, None)
    while True:
        for call in _make(orders.get()):
            tell(call)
        _answer(answers, None)


def _read_orders(file: BinaryIO, orders: SimpleQueue[bytes]) -> None:
    """Hand on what is read; end the process where the input ends."""
    try:
        while True:
            orders.put(pickle.load(file))
    finally:
        os._exit(0)


def _make(identity: bytes) -> list[Call]:
    """Compile a stage; the stages that it calls. One that cannot be compiled is left to the process that needs it."""
    try:
        stage, arguments = load_stage(identity)
        stage.find_address(arguments)
    except Exception:
        return []
    return stage.list_calls(arguments)


def _answer(file: BinaryIO, message: Any) -> None:
    pickle.dump(message, file)
    file.flush()
