"""Stages: kernels that are compiled on their own, and called by address.

A kernel is compiled into whatever calls it. So the forces, which all integrators need, would be compiled once for each
of them, and all integrators anew after an edit of any force. A stage is compiled once for the types of its arguments,
and has its own place on disk. What calls it knows its name, the types of its arguments and what it returns:

    address = slot                          a variable of the calling code, zero at first
    if address == 0: address = slot = resolve(identity), until it is not zero
    call address(arguments)

`resolve` is Python: it loads or compiles the stage. So nothing is compiled that is not called, and code on disk holds
no address. A call by address costs some 10 ns.

Which stages a unit calls is known when it is compiled, and kept with it. So those that a run needs can be compiled side
by side before its first step (`_workers.py`): `rows` tells which of them a model calls.
"""

from __future__ import annotations

import ctypes
import importlib
import pickle
import signal
import sys
import threading
import traceback
from _thread import interrupt_main
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

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


class Call(NamedTuple):
    """A stage that a unit calls, for some types of arguments.

    Attributes
    ----------
    module, name, arguments : of the stage, and its types of arguments as text: these tell calls apart
    identity : the same for `load_stage`
    """

    module: str
    name: str
    arguments: str
    identity: bytes

    @property
    def key(self) -> tuple[str, str, str]:
        """What calls are told apart by."""
        return self[:3]


Calls = dict[tuple[str, str, str], Call]
"""Calls by their keys."""
announce: ContextVar[Callable[[Call], None] | None] = ContextVar("announce", default=None)
"""Who is told of a call as soon as its types are known, long before the unit that makes it is compiled."""


def find_calls(library: Any) -> Calls:
    """Stages that the code of a library calls; to be added to while it is written."""
    calls: Calls = vars(library).setdefault("calls", {})
    return calls


class Stage:
    """A kernel that other kernels call by address.

    Attributes
    ----------
    dispatcher : numba's
    returns : type of what it returns
    rows : table and array, as in "tyre.body", without whose rows it is not called, or "tree.constraint.body_a" for one
        that is not of the model's; "" where it always is
    kinds : values in this array of which it takes at least one; None for any
    """

    def __init__(
        self, dispatcher: Any, returns: types.Type, rows: str = "", kinds: Container[int] | None = None
    ) -> None:
        self.dispatcher, self.returns, self.rows, self.kinds = dispatcher, returns, rows, kinds
        self._calls: dict[tuple[types.Type, ...], Call] = {}
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

    def announce(self, arguments: tuple[types.Type, ...]) -> None:
        """Tell of a call, if there is someone to tell."""
        tell = announce.get()
        if tell is not None:
            tell(self.make_call(arguments))

    def make_call(self, arguments: tuple[types.Type, ...]) -> Call:
        """What a unit keeps of a call with these types of arguments."""
        if arguments not in self._calls:
            module = self.dispatcher.py_func.__module__
            identity = dumps((module, self.__name__, arguments))
            self._calls[arguments] = Call(module, self.__name__, str(arguments), identity)
        return self._calls[arguments]

    def is_made(self, arguments: tuple[types.Type, ...]) -> bool:
        """Whether code for these types of arguments is loaded, or lies on disk."""
        dispatcher = self.dispatcher
        return arguments in dispatcher.overloads or dispatcher._cache.has_overload(arguments, dispatcher.targetctx)

    def list_calls(self, arguments: tuple[types.Type, ...]) -> list[Call]:
        """Calls of other stages in the code for these types of arguments, which is loaded."""
        return list(find_calls(self.dispatcher.overloads[arguments].library).values())

    def is_called(self, equations: Any) -> bool:
        """Whether these equations call it, if they have a unit that may; they hold the tables of a model, and more."""
        if not self.rows:
            return True
        names = self.rows.split(".")
        values = equations if len(names) == 3 else equations.tables
        for name in names:
            values = None if values is None else getattr(values, name)
        if values is None or len(values) == 0:
            return False
        return self.kinds is None or any(value in self.kinds for value in values.tolist())

    def _lower_call(self, context: Any, builder: Any, sig: Any, values: Any) -> Any:
        """Code of a call in the kernel that `builder` writes."""
        self.announce(sig.args)
        call = self.make_call(sig.args)
        find_calls(context.active_code_library)[call.key] = call
        kind = context.call_conv.get_function_type(sig.return_type, sig.args)
        callee = builder.inttoptr(_load_address(builder, self.__name__, call.identity), kind.as_pointer())
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
        if not any(isinstance(one, types.Integer | types.Literal) for one in args):  # they may turn out to be floats
            self.stage.announce(args)
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
            with _hold_interrupts() as came:
                stage, arguments = load_stage(ctypes.string_at(start, length))
                ctypes.c_int64.from_address(place).value = stage.find_address(arguments)
            is_interrupted = is_interrupted or bool(came)
            break
        except KeyboardInterrupt:
            is_interrupted = True
        except BaseException:  # nothing can be raised through compiled code
            traceback.print_exc()
            sys.stderr.flush()
            ctypes.CDLL(None).abort()
    if is_interrupted:
        _interrupt_soon()


@contextmanager
def _hold_interrupts() -> Iterator[list[int]]:
    """Ctrl-C is noted, and not raised, while the block is open: libraries that compile lose what is raised in their
    callbacks."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield came
        return
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


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
