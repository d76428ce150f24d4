"""Interpreter of compiled expressions: a stack machine over the codes of `grouser.opcodes`."""

from __future__ import annotations

from math import acos, asin, atan, atan2, cos, cosh, exp, inf, log, log10, nan, sin, sinh, sqrt, tan, tanh

from grouser import opcodes as op
from grouser.kernels._jit import kernel


@kernel
def calc_smooth_step(x, x0, h0, x1, h1):
    """h0 up to x0, h1 from x1 on, and between them the cubic with level ends."""
    if x <= x0:
        return h0
    if x >= x1:
        return h1
    u = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * u * u * (3.0 - 2.0 * u)


@kernel
def calc_function(code, a):
    """Functions of one argument; NaN or infinity outside their domain, as IEEE 754 has it."""
    if code == op.NEGATE:
        return -a
    if code == op.SIN:
        return sin(a)
    if code == op.COS:
        return cos(a)
    if code == op.TAN:
        return tan(a)
    if code == op.ASIN:
        return asin(a) if abs(a) <= 1.0 else nan
    if code == op.ACOS:
        return acos(a) if abs(a) <= 1.0 else nan
    if code == op.ATAN:
        return atan(a)
    if code == op.SINH:
        return sinh(a)
    if code == op.COSH:
        return cosh(a)
    if code == op.TANH:
        return tanh(a)
    if code == op.EXP:
        return exp(a)
    if code == op.LOG:
        return log(a) if a > 0.0 else (-inf if a == 0.0 else nan)
    if code == op.LOG10:
        return log10(a) if a > 0.0 else (-inf if a == 0.0 else nan)
    if code == op.SQRT:
        return sqrt(a) if a >= 0.0 else nan
    if code == op.ABS:
        return abs(a)
    # SIGN, the one that is left
    return 1.0 if a > 0.0 else (-1.0 if a < 0.0 else a)


@kernel
def calc_operation(code, a, b):
    """Operations of two arguments."""
    if code == op.ADD:
        return a + b
    if code == op.SUBTRACT:
        return a - b
    if code == op.MULTIPLY:
        return a * b
    if code == op.DIVIDE:
        return a / b
    if code == op.POWER:
        return a**b
    if code == op.LESS:
        return 1.0 if a < b else 0.0
    if code == op.LESS_EQUAL:
        return 1.0 if a <= b else 0.0
    if code == op.GREATER:
        return 1.0 if a > b else 0.0
    if code == op.GREATER_EQUAL:
        return 1.0 if a >= b else 0.0
    if code == op.ATAN2:
        return atan2(a, b)
    if code == op.MIN:
        return b if b < a else a
    # MAX, the one that is left
    return b if b > a else a


@kernel(entry=True)
def calc_expression(code, value, start, stop, t, stack_work):
    """Value of the program in rows start to stop at time t.

    Parameters
    ----------
    code, value : all programs of a model, one after another (int64, float64)
    start, stop : rows of this program
    t : time [s]
    stack_work : at least `grouser.opcodes.MAX_DEPTH` numbers
    """
    top = -1
    for k in range(start, stop):
        operation = code[k]
        if operation == op.CONSTANT:
            top += 1
            stack_work[top] = value[k]
        elif operation == op.TIME:
            top += 1
            stack_work[top] = t
        elif operation == op.STEP:
            top -= 4
            stack_work[top] = calc_smooth_step(
                stack_work[top],
                stack_work[top + 1],
                stack_work[top + 2],
                stack_work[top + 3],
                stack_work[top + 4],
            )
        elif operation == op.IF:
            top -= 2
            stack_work[top] = stack_work[top + 1] if stack_work[top] != 0.0 else stack_work[top + 2]
        elif (op.ADD <= operation <= op.GREATER_EQUAL) or operation in (op.ATAN2, op.MIN, op.MAX):
            top -= 1
            stack_work[top] = calc_operation(operation, stack_work[top], stack_work[top + 1])
        else:
            stack_work[top] = calc_function(operation, stack_work[top])
    return stack_work[0]
