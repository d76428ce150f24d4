"""What is remembered of numba's types is what numba would answer."""

import operator

import pytest
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate

from grouser.formulations.forces import calc_forces
from grouser.kernels._typing import RememberingTarget, remember

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
    """By name, as statements of Python call it, and by its type, as variables do; also while code is written."""
    CONTEXT.refresh()
    expected = CONTEXT.resolve_function_type(CONTEXT.resolve_value_type(operation), operands, {})
    context = remember(CONTEXT)
    function = context.resolve_value_type(operation)
    first = context.resolve_function_type(function, operands, {})
    assert first == expected
    assert context.resolve_function_type(function, operands, {}) is first
    assert context.resolve_function_type(operation, operands, {}) is first
    assert function.get_call_type(context, operands, {}) is first
    assert context is remember(CONTEXT)


@pytest.mark.parametrize(("operation", "operands"), CASES)
def test_same_code_as_numba(operation, operands):
    """What writes the code of a call is found for the same types, once."""
    cpu_target.target_context.refresh()
    function = CONTEXT.resolve_value_type(operation)
    expected = cpu_target.target_context.get_function(function, function.get_call_type(CONTEXT, operands, {}))
    target = RememberingTarget(cpu_target.target_context)
    function = target.typing_context.resolve_value_type(operation)
    signature = function.get_call_type(target.typing_context, operands, {})
    found = target.get_function(function, signature)
    assert found._callable.func is expected._callable.func
    assert target.get_function(function, signature) is found


def test_an_operator_that_gets_to_know_operands_is_asked_anew():
    """What it was asked for before, it forgets."""

    class Product(AbstractTemplate):
        key = operator.matmul

        def generic(self, args, kws):
            return signature(types.int64, *args) if args == (types.none, types.none) else None

    context, operands = remember(CONTEXT), (types.none, types.none)
    plain = CONTEXT.resolve_value_type(operator.matmul)
    with pytest.raises(TypingError):
        context.resolve_function_type(operator.matmul, operands, {})
    try:
        replace_global(operator.matmul, plain.augment(types.Function(Product)))
        assert context.resolve_function_type(operator.matmul, operands, {}).return_type == types.int64
    finally:
        replace_global(operator.matmul, plain)
    with pytest.raises(TypingError):
        context.resolve_function_type(operator.matmul, operands, {})


def replace_global(function, kind):
    CONTEXT._remove_global(function)
    CONTEXT._insert_global(function, kind)


def test_functions_of_the_package_are_not_remembered():
    """A stage tells of each call."""
    assert type(remember(CONTEXT).resolve_value_type(calc_forces)) is types.Function


@pytest.mark.parametrize("kind", [ir.DoubleType(), ir.LiteralStructType([ir.IntType(8), ir.DoubleType()])])
def test_same_size_as_numba(kind):
    target = RememberingTarget(cpu_target.target_context)
    for _ in range(2):
        assert target.get_abi_sizeof(kind) == cpu_target.target_context.get_abi_sizeof(kind)


def test_what_does_not_fit_is_refused_each_time():
    function = CONTEXT.resolve_value_type(operator.lshift)
    for _ in range(2):
        with pytest.raises(TypingError):
            remember(CONTEXT).resolve_function_type(function, (types.float64, types.float64), {})
