"""Expressions: values against Python's arithmetic, and the compiled interpreter against the reference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from grouser import opcodes as op
from grouser.errors import ModelError
from grouser.kernels.expression import calc_expression
from grouser.model.expression import FUNCTIONS, calc_value, parse_expression

TIMES = (0.0, 0.3, 1.0, 2.5, -1.7)
LIBRARIES_APART = 1e-13
"""Relative difference between two correct mathematical libraries and between orders of rounding."""


def _step(x, x0, h0, x1, h1):
    u = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * u * u * (3 - 2 * u)


VALUES = {
    "3": lambda t: 3.0,
    "1.5e-3": lambda t: 1.5e-3,
    ".5 + 2.": lambda t: 2.5,
    "t": lambda t: t,
    "-2^2": lambda t: -4.0,
    "2^3^2": lambda t: 512.0,
    "2**-1": lambda t: 0.5,
    "2*-t": lambda t: -2 * t,
    "- -+t": lambda t: t,
    "1 - 2 - 3": lambda t: -4.0,
    "12/2/3": lambda t: 2.0,
    "1 + 2*3 - 4/8": lambda t: 6.5,
    "(1 + 2)*(3 - 4)/8": lambda t: -0.375,
    "2*pi + e": lambda t: 2 * math.pi + math.e,
    "sin(t) + cos(2*t)": lambda t: math.sin(t) + math.cos(2 * t),
    "tan(t/3)": lambda t: math.tan(t / 3),
    "asin(t/4) - acos(t/4)": lambda t: math.asin(t / 4) - math.acos(t / 4),
    "atan(t)*atan2(t, -1)": lambda t: math.atan(t) * math.atan2(t, -1),
    "sinh(t) + cosh(t)": lambda t: math.sinh(t) + math.cosh(t),
    "tanh(3*t)": lambda t: math.tanh(3 * t),
    "exp(-t^2)": lambda t: math.exp(-(t**2)),
    "log(t + 3) + log10(t + 3)": lambda t: math.log(t + 3) + math.log10(t + 3),
    "sqrt(abs(t))": lambda t: math.sqrt(abs(t)),
    "sign(t)": lambda t: math.copysign(1.0, t) if t else 0.0,
    "min(t, 1, -0.5) + max(t, 0)": lambda t: min(t, 1, -0.5) + max(t, 0),
    "step(t, 0.2, -1, 2, 5)": lambda t: _step(t, 0.2, -1, 2, 5),
    "if(t < 1, 10, 20)": lambda t: 10.0 if t < 1 else 20.0,
    "if(t <= 1, 10, 20)": lambda t: 10.0 if t <= 1 else 20.0,
    "if(t > 1, t^2, if(t >= 0, t, 0))": lambda t: t**2 if t > 1 else (t if t >= 0 else 0.0),
    "25*(t - 1)/7*(t > 1)": lambda t: 25 * (t - 1) / 7 * (t > 1),
    "if(t > 0, 1/t, 0)": lambda t: 1 / t if t > 0 else 0.0,
    "abs(-exp(1))": lambda t: math.e,
}

NOT_FINITE = (
    "1/(t - t)",
    "log(-1 - t^2)",
    "log(0*t)",
    "log10(0*t)",
    "sqrt(-1 - t^2)",
    "asin(2 + t^2)",
    "acos(2 + t^2)",
    "exp(1e4 + t)",
    "(-8)^(1/3)",
    "0/0",
    "tan(1/0)",
    "log10(-1)",
)


def _compiled(program, t):
    return calc_expression(program.codes, program.values, 0, len(program.codes), t, np.full(op.MAX_DEPTH, np.nan))


@pytest.mark.parametrize("text", VALUES)
def test_value(text):
    program = parse_expression(text)
    for t in TIMES:
        assert calc_value(program, t) == pytest.approx(VALUES[text](t), rel=LIBRARIES_APART, abs=1e-15)


@pytest.mark.parametrize("text", [*VALUES, *NOT_FINITE])
def test_compiled_interpreter_agrees(text):
    program = parse_expression(text)
    for t in TIMES:
        expected = calc_value(program, t)
        assert _compiled(program, t) == pytest.approx(expected, rel=LIBRARIES_APART, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("text", NOT_FINITE)
def test_outside_of_the_domain_is_not_finite_and_no_exception(text):
    assert not math.isfinite(calc_value(parse_expression(text), 0.7))


def test_every_function_is_compared():
    used = {int(code) for text in VALUES for code in parse_expression(text).codes}
    assert used == {value for name, value in vars(op).items() if name.isupper() and name != "MAX_DEPTH"}
    assert {code for code, _ in FUNCTIONS.values()} <= used


def test_random_expressions_agree_between_interpreters():
    rng = np.random.default_rng(7)

    def make(depth):
        if depth == 0:
            return str(rng.choice(["t", "pi", f"{rng.uniform(0, 3):.3f}"]))
        a, b = make(depth - 1), make(depth - 1)
        forms = [f"({a} + {b})", f"{a}*({b})", f"-({a})", f"sin({a} - {b})", f"min({a}, {b}, 1)"]
        return str(rng.choice([*forms, f"if({a} < {b}, {a}, {b})", f"step(t, -1, {a}, 2, {b})"]))

    for _ in range(50):
        program = parse_expression(make(4))
        t = float(rng.uniform(-2, 3))
        assert _compiled(program, t) == pytest.approx(calc_value(program, t), rel=1e-10, abs=1e-12)


def test_programs_stand_one_behind_another():
    first, second = parse_expression("1 + t"), parse_expression("10*t")
    codes = np.concatenate([first.codes, second.codes])
    values = np.concatenate([first.values, second.values])
    start, stop = len(first.codes), len(codes)
    assert calc_expression(codes, values, start, stop, 2.0, np.full(op.MAX_DEPTH, np.nan)) == 20.0
    assert codes.dtype == np.int64
    assert values.dtype == np.float64


def test_depth_is_the_stack_that_is_needed():
    for text, depth in {"t": 1, "1 + 2 + 3": 2, "1 + (2 + (3 + 4))": 4, "min(1, 2, 3, 4, 5, 6)": 2}.items():
        program = parse_expression(text)
        assert program.depth == depth
        stack = np.full(depth, np.nan)
        calc_expression(program.codes, program.values, 0, len(program.codes), 1.0, stack)


SYNTAX = {
    "": "position 1: the expression is empty",
    "   ": "the expression is empty",
    "1 +": "position 4: something is missing at the end",
    "2t": "position 2: an operator is missing before 't'",
    "12 rad/s": "position 4: an operator is missing before 'rad'",
    "(1 + 2": "position 1: '(' is never closed",
    "1)": "position 2: ')' without a '('",
    "1, 2": "position 2: ',' outside",
    "sin(1,)": "position 6: an argument is missing after ','",
    "sin()": "sin(x) is expected (arguments given: 0)",
    "sin(1, 2)": "sin(x) is expected (arguments given: 2)",
    "step(t, 1)": "step(t, t0, h0, t1, h1) is expected",
    "min(1)": "min(a, b, ...) is expected",
    "max(1 2)": "position 7: an operator, ',' or ')' is expected before '2'",
    "sin t": "position 1: '(' is missing after 'sin'",
    "2*sim(t)": "position 3: unknown function 'sim': did you mean 'sin'?",
    "x + 1": "unknown name 'x'; there are: e, pi, t",
    "1 < 2 < 3": "a comparison cannot follow another",
    "*2": "position 1: a number, a name or '(' is expected before '*'",
    "t == 1": "position 3: unexpected character '='",
    "1e999": "too large",
    "t.real": "unexpected character '.'",
    "__import__('os')": "unexpected character",
    "exec(1)": "unknown function 'exec'",
    "+".join(["1"] * 2000): "3999 characters is longer than 2000",
    "(" * 200 + "1" + ")" * 200: "nested deeper than 64",
    "-" * 500 + "1": "nested deeper than 64",
    "2^" * 100 + "2": "more than 64",
    "1+(" * 70 + "1" + ")" * 70: "deeper than 64",
}


@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_fault_names_its_position(text):
    with pytest.raises(ModelError) as caught:
        parse_expression(text)
    assert SYNTAX[text] in str(caught.value)
    assert len(str(caught.value)) < 200


def test_nesting_up_to_the_bound_is_read():
    assert calc_value(parse_expression("(" * 60 + "t" + ")" * 60), 3.0) == 3.0
