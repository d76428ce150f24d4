"""What numba asks the same way thousands of times while it compiles a kernel, answered once.

The type of ``a + b`` or of ``a[i]`` follows from those of its operands alone. Numba tries all it knows of an operator
each time, down to ufuncs of numpy: while it finds types, and again, up to four times a statement, while it writes code.
The size of a type it finds by having LLVM read a module. With each index into an array it looks for extensions that
have been imported since, and for each call it reads the signature of the function that writes its code. To find the
variables of a statement it asks each of its parts for up to four types in turn, a million times in all. Without all
that, compiling takes a quarter less time. Machine code is the same.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterable
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import ir as statements
from numba.core.cpu import CPUContext
from numba.core.typing import Context
from numba.extending import models, register_model

_KNOWN = frozenset(one for module in (operator, builtins) for one in vars(module).values() if callable(one))
"""Functions that decide what they return by the types of their arguments, and by nothing that changes."""


class Remembering(types.Function):  # type: ignore[misc]
    """The type of an operator or a builtin function, which remembers what calls it has been asked for.

    What an operator is changes where it gets to know further operands; then it is another type, and asked anew.
    """

    def __init__(self, templates: tuple[Any, ...]) -> None:
        super().__init__(templates)
        self._signatures: dict[tuple[Any, ...], Any] = {}

    def get_call_type(self, context: Any, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Signature of a call."""
        found = self.recall(args, kws)
        if found is None:
            found = super().get_call_type(context, args, kws)
            self._signatures[args, *kws.items()] = found
        return found

    def recall(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Signature of a call that has been asked for before, or None."""
        return self._signatures.get((args, *kws.items()))


@register_model(Remembering)
class _RememberingModel(models.OpaqueModel):  # type: ignore[misc]
    """Nothing, as for all functions."""


_find_remembering = cache(lambda plain: Remembering(plain.templates))


class RememberingContext(Context):  # type: ignore[misc]
    """A typing context whose operators remember, and else the one that it stands for."""

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__

    def resolve_function_type(self, func: Any, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Signature of a call."""
        known = func if isinstance(func, types.Type) else self._lookup_global(func)
        found = known.recall(args, kws) if isinstance(known, Remembering) else None
        return found or super().resolve_function_type(func, args, kws)

    def _lookup_global(self, gv: Any) -> Any:
        """Type of an object that numba knows by its name."""
        found = super()._lookup_global(gv)
        return _find_remembering(found) if type(found) is types.Function and gv in _KNOWN else found


remember = cache(RememberingContext)
"""The one for a context: numba asks whether contexts are the same."""


class RememberingTarget(CPUContext):  # type: ignore[misc]
    """A target context for one kernel, with operators that remember, and else the one that it stands for."""

    def __init__(self, context: CPUContext) -> None:
        self.__dict__ = context.__dict__ | {"typing_context": remember(context.typing_context)}
        self._writers: dict[tuple[Any, Any], Any] = {}

    def refresh(self) -> None:
        """Look for extensions: done when the compilation began."""

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:  # as it is called
        """What writes the code of a call."""
        key = fn, sig
        if key not in self._writers:
            self._writers[key] = super().get_function(fn, sig, _firstcall)
        return self._writers[key]

    def get_abi_sizeof(self, ty: ir.Type) -> int:
        """Size of a type [bytes]."""
        if ty not in _sizes:
            _sizes[ty] = super().get_abi_sizeof(ty)
        return _sizes[ty]


_sizes: dict[ir.Type, int] = {}


_NOTHING, _VARIABLE, _STATEMENT, _SEQUENCE, _MAPPING = range(5)


@cache
def _find_sort(kind: type) -> int:
    """What values of a type are to a statement that holds them."""
    sorts = ((statements.Var, _VARIABLE), (statements.Inst, _STATEMENT), ((list, tuple), _SEQUENCE), (dict, _MAPPING))
    return next((sort for parents, sort in sorts if issubclass(kind, parents)), _NOTHING)


def _add_variables(values: Iterable[Any], found_out: list[Any]) -> list[Any]:
    for value in values:
        sort = _find_sort(type(value))
        if sort == _VARIABLE:
            found_out.append(value)
        elif sort == _STATEMENT:
            found_out.extend(value.list_vars())
        elif sort == _SEQUENCE:
            _add_variables(value, found_out)
        elif sort == _MAPPING:
            _add_variables(value.values(), found_out)
    return found_out


def _list_variables(_: Any, value: Any) -> list[Any]:
    """Variables in a part of a statement, in the order of numba's own function."""
    return _add_variables((value,), [])


statements.Inst._rec_list_vars = _list_variables
