"""What threads need of the processor beside plain code: words that all of them see alike, and rest while they wait.

A word is an int64 in an array. `load_word` sees all that was written before the `store_word` whose value it finds;
`swap_word` gives a word to one of several threads. Threads that wait ask for rest: first the core is told that it has
nothing to do, then the system gives it to whoever has.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from grouser.kernels._packed import PackedType

YIELD = "grouser_yield"
"""Symbol by which compiled code finds the function of the system that gives the core to others."""
_IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
_SIZE = 8


def _find_yield() -> int | None:
    """Address of that function, or None where there is none."""
    try:
        if sys.platform == "win32":
            found = ctypes.WinDLL("kernel32").SwitchToThread
        else:
            found = ctypes.CDLL(None).sched_yield
        return ctypes.cast(found, ctypes.c_void_p).value
    except (AttributeError, OSError):
        return None


_ADDRESS = _find_yield()
HAS_THREADS = _ADDRESS is not None
"""Whether this system has what sharing work among threads needs."""
if _ADDRESS is not None:
    binding.add_symbol(YIELD, _ADDRESS)


def _find_word(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Pointer to a word: the first two arguments are the array and its index."""
    array = context.make_array(sig.args[0])(context, builder, args[0])
    index = context.cast(builder, args[1], sig.args[1], types.intp)
    return cgutils.get_item_pointer(context, builder, sig.args[0], array, [index])


@intrinsic
def load_word(typingctx, word, i):
    """word[i], with all that was written before it was stored."""

    def write_code(context, builder, sig, args):
        return builder.load_atomic(_find_word(context, builder, sig, args), "acquire", _SIZE)

    return types.int64(word, i), write_code


@intrinsic
def store_word(typingctx, word, i, value):
    """word[i] = value, after all that was written before."""

    def write_code(context, builder, sig, args):
        number = context.cast(builder, args[2], sig.args[2], types.int64)
        builder.store_atomic(number, _find_word(context, builder, sig, args), "release", _SIZE)
        return context.get_dummy_value()

    return types.none(word, i, value), write_code


@intrinsic
def swap_word(typingctx, word, i, before, after):
    """Set word[i] from `before` to `after`; whether it was this thread that did it."""

    def write_code(context, builder, sig, args):
        old, new = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        pair = builder.cmpxchg(_find_word(context, builder, sig, args), old, new, "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)

    return types.boolean(word, i, before, after), write_code


@intrinsic
def pause(typingctx):
    """Tell the core that this thread waits, if it knows a word for that."""

    def write_code(context, builder, sig, args):
        if _IS_X86:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), write_code


@intrinsic
def yield_core(typingctx):
    """Give the core to other threads that have something to do."""

    def write_code(context, builder, sig, args):
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, YIELD), [])
        return context.get_dummy_value()

    return types.none(), write_code


@intrinsic
def read_packed(typingctx, address, like):
    """The packed table at an address, which has the type of another one."""
    if not isinstance(like, PackedType):
        return None

    def write_code(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(like))

    return like(types.int64, like), write_code
