"""What is remembered of numba's types is what numba would answer."""

import operator

import pytest
from numba import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target

from grouser.kernels._typing import remember

CONTEXT = cpu_target.typing_context
ROW, MATRIX = types.Array(types.float64, 1, "C"), types.Array(types.int64, 2, "C")
PLACE = types.UniTuple(types.int64, 2)
CASES = [
    (operator.add, (types.float64, types.int64)),
    (operator.add, (types.int64, types.literal(1))),
    (operator.truediv, (types.int64, types.int64)),
    (operator.lt, (types.float64, types.float64)),
    (operator.getitem, (ROW, types.int64)),
    (operator.getitem, (MATRIX, PLACE)),
    (operator.setitem, (MATRIX, PLACE, types.int64)),
]


@pytest.mark.parametrize(("operation", "operands"), CASES)
def test_same_signature_as_numba(operation, operands):
    CONTEXT.refresh()
    function = CONTEXT.resolve_value_type(operation)
    expected = CONTEXT.resolve_function_type(function, operands, {})
    context = remember(CONTEXT)
    first = context.resolve_function_type(function, operands, {})
    assert first == expected
    assert context.resolve_function_type(function, operands, {}) is first
    assert context is remember(CONTEXT)


def test_what_does_not_fit_is_refused_each_time():
    function = CONTEXT.resolve_value_type(operator.lshift)
    for _ in range(2):
        with pytest.raises(TypingError):
            remember(CONTEXT).resolve_function_type(function, (types.float64, types.float64), {})
