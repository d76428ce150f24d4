"""Stages: kernels that are compiled on their own, and called by address.

A kernel is compiled into whatever calls it. So the forces, which all integrators need, would be compiled once for each
of them, and all integrators anew after an edit of any force. A stage is compiled once for the types of its arguments,
and has its own place on disk. What calls it knows its name, the types of its arguments and what it returns:

    address = slot                          a variable of the calling code, zero at first
    if address == 0: address = slot = resolve(identity), until it is not zero
    call address(arguments)

`resolve` is Python: it loads or compiles the stage. So nothing is compiled that is not called, and code on disk holds
no address. A call by address costs some 10 ns.
"""

from __future__ import annotations

import ctypes
import importlib
import pickle
import sys
import threading
import traceback
from _thread import interrupt_main
from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.serialize import dumps
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate

RESOLVER = "grouser_resolve"
"""Symbol by which compiled code finds `_resolve`."""
_WORD, _BYTE = ir.IntType(64), ir.IntType(8)


class Stage:
    """A kernel that other kernels call by address.

    Attributes
    ----------
    dispatcher : numba's
    returns : type of what it returns
    """

    def __init__(self, dispatcher: Any, returns: types.Type) -> None:
        self.dispatcher, self.returns = dispatcher, returns
        self.__doc__, self.__name__ = dispatcher.__doc__, dispatcher.py_func.__name__
        template = type(f"Call_{self.__name__}", (_StageTemplate,), {"key": self, "stage": self})
        self._numba_type_ = types.Function(template)
        lower_builtin(self, types.VarArg(types.Any))(self._lower_call)

    def find_address(self, arguments: tuple[types.Type, ...]) -> int:
        """Address of the code for these types of arguments; it is loaded or compiled if need be."""
        self.dispatcher.compile(arguments)
        result = self.dispatcher.overloads[arguments]
        returned = types.unliteral(result.signature.return_type)
        if returned != self.returns:
            raise TypeError(f"the stage {self.__name__} returns {returned}, not {self.returns} as it says")
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))

    def _lower_call(self, context: Any, builder: Any, sig: Any, values: Any) -> Any:
        """Code of a call in the kernel that `builder` writes."""
        identity = dumps((self.dispatcher.py_func.__module__, self.__name__, sig.args))
        kind = context.call_conv.get_function_type(sig.return_type, sig.args)
        callee = builder.inttoptr(_load_address(builder, self.__name__, identity), kind.as_pointer())
        status, result = context.call_conv.call_function(builder, callee, sig.return_type, sig.args, values)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result


class _StageTemplate(AbstractTemplate):
    """What a call of a stage returns."""

    stage: Stage

    def generic(self, args, kws):
        """Its declared type, for any arguments."""
        assert not kws, f"the stage {self.stage.__name__} takes no arguments by name"
        return signature(self.stage.returns, *args)


def _load_address(builder: Any, name: str, identity: bytes) -> Any:
    """Code that loads the address of a stage from its slot, and resolves it at the first call."""
    module = builder.module
    slot = cgutils.add_global_variable(module, _WORD, module.get_unique_name(f"slot_{name}"))
    slot.linkage, slot.initializer = "internal", ir.Constant(_WORD, 0)
    known = builder.load(slot)
    place = cgutils.alloca_once_value(builder, known)
    with cgutils.if_unlikely(builder, builder.icmp_unsigned("==", known, ir.Constant(_WORD, 0))):
        content = cgutils.global_constant(
            module, module.get_unique_name(f"identity_{name}"), cgutils.make_bytearray(identity)
        )
        kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _WORD, _WORD.as_pointer()])
        resolver = cgutils.get_or_insert_function(module, kind, RESOLVER)
        start, length = builder.bitcast(content, _BYTE.as_pointer()), ir.Constant(_WORD, len(identity))
        ask, done = builder.append_basic_block("ask"), builder.append_basic_block("done")
        builder.branch(ask)
        builder.position_at_end(ask)
        builder.call(resolver, [start, length, place])
        found = builder.load(place)
        # Ctrl-C may have come before `_resolve` could catch it
        builder.cbranch(builder.icmp_unsigned("==", found, ir.Constant(_WORD, 0)), ask, done)
        builder.position_at_end(done)
        builder.store(found, slot)
    return builder.load(place)


def load_stage(identity: bytes) -> tuple[Stage, tuple[types.Type, ...]]:
    """The stage and the types of its arguments that compiled code names."""
    module, name, arguments = pickle.loads(identity)
    return getattr(importlib.import_module(module), name), arguments


def _resolve(start: int, length: int, place: int) -> None:
    """Store the address of the stage with an identity. Ctrl-C waits until it is compiled: the calling code cannot stop
    here. Where it comes before the first line of this function, or after the last, `_watch_unraisable` gets it."""
    is_interrupted = False
    while True:
        try:
            stage, arguments = load_stage(ctypes.string_at(start, length))
            ctypes.c_int64.from_address(place).value = stage.find_address(arguments)
            break
        except KeyboardInterrupt:
            is_interrupted = True
        except BaseException:  # nothing can be raised through compiled code
            traceback.print_exc()
            sys.stderr.flush()
            ctypes.CDLL(None).abort()
    if is_interrupted:
        _interrupt_soon()


def _interrupt_soon() -> None:
    """Ctrl-C as if it came a little later, after the return to compiled code."""
    timer = threading.Timer(0.05, interrupt_main)
    timer.daemon = True
    timer.start()


def _watch_unraisable(unraisable: Any) -> None:
    """Ctrl-C in `_resolve` comes later; whatever else could not be raised is told as ever."""
    if unraisable.exc_type is KeyboardInterrupt and unraisable.object is _resolve:
        _interrupt_soon()
    else:
        _tell_unraisable(unraisable)


_tell_unraisable = sys.unraisablehook
sys.unraisablehook = _watch_unraisable
_RESOLVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(_resolve)
binding.add_symbol(RESOLVER, ctypes.cast(_RESOLVE, ctypes.c_void_p).value)

Returns = str | bool
"""What a stage returns: nothing (True), or a type by its name in numba."""


def find_return_type(returns: Returns) -> types.Type:
    """The type that a stage declares.

    >>> find_return_type(True), find_return_type("boolean")
    (none, bool)
    """
    return types.none if returns is True else eval(str(returns), {"__builtins__": {}}, vars(types))


Decorator = Callable[[Any], Any]
